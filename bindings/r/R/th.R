# The object th: th$add(x, y), th$tensor(c(1, 2)), th$program(path).

no_grad <- function(expression) {
  was_on <- .Call(thr_setRecording, FALSE)
  on.exit(.Call(thr_setRecording, was_on))
  force(expression)
}

# The expression in mixed precision, as inside torch.autocast: products compute in the type, "bfloat16" or "float16", and losses
# in "float32".  The backward pass comes after.
autocast <- function(expression, type = "bfloat16") {
  before <- .Call(thr_setAutocast, c(type, type))
  on.exit(.Call(thr_setAutocast, before))
  force(expression)
}

# What forward(), a function that is given inputs, returns as a list: inputs that it has changed, and of other tensors aliases, so that
# what ctx has of them has no history.
results_of <- function(forward, inputs) {
  version <- group_of("plain")$tensor_version
  before <- lapply(inputs, version)
  lapply(forward(), function(t) {
    if (!is_tensor(t)) stop("forward returns a tensor, or a list of tensors", call. = FALSE)
    i <- Position(function(input) identical(input, t), inputs)
    if (!is.na(i) && version(t) != before[[i]]) t else call_operation("alias", list(t))
  })
}

# A function of tensors and other values with a gradient of its own.  ctx is an environment.  forward(ctx, ...) returns a tensor, or a
# list of them, whose names the results have; an argument that forward changes and returns is a result itself.
# backward(ctx, gradient, ...) gets a gradient for each result, NULL where none has reached it, and returns a gradient, or a list with one,
# or NULL, for each argument.
own_function <- function(forward, backward) {
  function(...) {
    given <- list(...)
    ctx <- new.env()
    is_input <- vapply(given, is_tensor, NA)
    inputs <- given[is_input]
    made <- NULL
    results <- .Call(thr_apply, list(
      function() {
        results_of(function() {
          made <<- do.call(forward, c(list(ctx), given))
          if (is.list(made)) made else list(made)
        }, inputs)
      },
      function(gradients) {
        found <- do.call(backward, c(list(ctx), gradients))
        if (!is.list(found)) found <- c(list(found), vector("list", max(0, length(given) - 1)))
        if (length(found) != length(given)) {
          stop("backward returned ", length(found), " gradients for ", length(given), " arguments", call. = FALSE)
        }
        found[is_input]
      }
    ), inputs)
    if (!is.list(made)) return(results[[1]])
    names(results) <- names(made)
    results
  }
}

load_program <- function(path) .Call(thr_program, path)

# The outputs as a list, for inputs in their order or by name: th$run(net, x, list(y, z)).  Inputs and outputs that are lists are lists
# of tensors; what is missing is NULL.  Tensors alone are dealt: the only input that is a list takes those that the others leave.
run_program <- function(program, ...) {
  inputs <- list(...)
  by_name <- !is.null(names(inputs))
  if (by_name) {
    ports <- names(.Call(thr_programPorts, program, FALSE))
    unknown <- setdiff(names(inputs), ports)
    if (length(unknown) > 0) stop("the program has no input ", unknown[[1]], call. = FALSE)
    inputs <- unname(lapply(ports, function(name) inputs[[name]]))
  }
  if (!by_name && all(vapply(inputs, is_tensor, NA))) {
    .Call(thr_programRun, program, inputs)
  } else {
    as_list <- function(input) if (is.null(input)) list(NULL) else if (is_tensor(input)) list(input) else input
    group_of("plain")$program_runLists(program, lapply(inputs, as_list))
  }
  are_lists <- .Call(thr_programPorts, program, TRUE)
  results <- lapply(seq_along(are_lists), function(i) {
    result <- group_of("plain")$program_result(program, i - 1)
    if (are_lists[[i]]) result else result[[1]]
  })
  if (by_name) names(results) <- names(are_lists)
  results
}

print.th_program <- function(x, ...) {
  cat(.Call(thr_programText, x))
  invisible(x)
}

help_of <- function(name) {
  rows <- overloads(name)
  if (length(rows) == 0) stop("there is no operation ", name, call. = FALSE)
  cat(vapply(rows, function(row) paste0(row$schema, "\n    ", row$doc, "\n"), ""), sep = "")
}

# One overload, with its arguments in order.
overload <- function(name, overload) {
  for (row in overloads(name)) {
    if (row$overload == overload) {
      return(function(...) {
        bound <- vector("list", length(row$names))
        given <- list(...)
        for (i in seq_along(given)) if (!is.null(given[[i]])) bound[[i]] <- given[[i]]
        .Call(thr_call, row$index, bound)
      })
    }
  }
  stop("there is no operation ", name, ".", overload, call. = FALSE)
}

by_hand <- list(
  tensor = make_tensor, no_grad = no_grad, autocast = autocast, Function = own_function, program = load_program, run = run_program, help = help_of, overload = overload,
  number = function(value) structure(value, class = "th_number"), # is a floating number although it is whole
  inputs = function(program) names(.Call(thr_programPorts, program, FALSE)),
  generator = function(seed) .Call(thr_generator, seed), manual_seed = function(seed) invisible(.Call(thr_seed, seed)),
  load = function(path) { # tensors by name, or of a file of one without a name, that
    found <- .Call(thr_load, path)
    if (identical(names(found), "")) found[[1]] else found
  },
  save = function(path, tensors) invisible(.Call(thr_save, path, tensors)),
  is_tensor = is_tensor,
  # The factor of losses of half precision: scaler$scale(loss)$backward(), scaler$step(adam), scaler$update().
  scaler = function(init_scale = NULL, growth_factor = NULL, backoff_factor = NULL, growth_interval = NULL) {
    .Call(thr_scaler, list(init_scale, growth_factor, backoff_factor, growth_interval))
  },
  # The gradients of the sum of the outputs with respect to the inputs, both lists of tensors.
  gradients = function(outputs, inputs, retain_graph = FALSE, create_graph = FALSE, allow_unused = FALSE) {
    .Call(thr_gradients, outputs, inputs, c(retain_graph, create_graph, allow_unused))
  },
  # Integers from low to high - 1.
  randint = function(low, high, size, type = "int64", generator = NULL) {
    call_operation("random_", c(list(call_operation("empty", list(size, type = type)), low, high), list(generator = generator)))
  },
  # Normal numbers of those sizes, or the operation normal.
  normal = function(mean, std, size = NULL, type = NULL, generator = NULL) {
    if (is.null(size)) return(call_operation("normal", list(mean, std, generator = generator)))
    call_operation("normal_", list(call_operation("empty", list(size, type = type)), mean, std, generator = generator))
  }
)

th <- structure(list(), class = "th")

`$.th` <- function(x, name) {
  if (name %in% c("nn", "optim", "schedule", "data")) return(group_of(name))
  own <- by_hand[[name]]
  if (is.null(own)) own <- group_of("plain")[[name]] # of tensors, numbers, generators and programs alone
  if (is.null(own)) operation(name) else own
}

names.th <- function(x) unique(c(names(by_hand), .Call(thr_names)))
