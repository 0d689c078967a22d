# Modules, optimizers and schedules: th$nn$Linear(4, 8, bias = FALSE), th$optim$adam(net$parameters(), lr = 0.01),
# th$schedule$step_lr(adam, 10).

# The constructors of a group as functions; what is required comes first.
constructors <- function(group) {
  rows <- .Call(thr_constructors)
  chosen <- which(vapply(rows, function(row) row[[1]] == group, NA))
  made <- lapply(chosen, function(i) {
    row <- rows[[i]]
    names <- strsplit(row[[3]], " ")[[1]]
    function(...) .Call(thr_construct, i - 1, arguments_of(row[[2]], names, row[[4]], list(...)))
  })
  names(made) <- vapply(rows[chosen], function(row) row[[2]], "")
  made
}

# The calls of modules that have a function of their own, and first values, by name.
calls <- function(group, prefix, suffix) {
  rows <- .Call(thr_constructors)
  chosen <- which(vapply(rows, function(row) row[[1]] == group, NA))
  made <- lapply(chosen, function(i) {
    row <- rows[[i]]
    names <- strsplit(row[[3]], " ")[[1]]
    function(...) .Call(thr_callOwn, i - 1, arguments_of(row[[2]], names, row[[4]], list(...)))
  })
  names(made) <- sub(suffix, "", sub(prefix, "", vapply(rows[chosen], function(row) row[[2]], "")))
  made
}

# The arguments in order, NULL for what is left out.
arguments_of <- function(name, names, required, given) {
  bound <- vector("list", length(names))
  words <- if (is.null(names(given))) rep("", length(given)) else names(given)
  positions <- match(words, names)
  positions[!nzchar(words)] <- seq_len(sum(!nzchar(words)))
  if (anyNA(positions)) stop(name, " has no option ", words[is.na(positions)][[1]], call. = FALSE)
  if (any(positions > length(names)) || anyDuplicated(positions)) stop(name, " takes ", toString(names), call. = FALSE)
  for (i in seq_along(given)) if (!is.null(given[[i]])) bound[[positions[[i]]]] <- given[[i]]
  missing <- vapply(bound[seq_len(required)], is.null, NA)
  if (any(missing)) stop(name, " takes ", names[which(missing)[[1]]], ", which is missing", call. = FALSE)
  bound
}

groups <- new.env()

# th$nn and its like, whose tables are made when they are first used.
group_of <- function(group) {
  if (is.null(groups[[group]])) {
    made <- if (group == "plain") calls(group, "", "") else constructors(group)
    if (group == "nn") {
      groups$calls <- calls("call", "", "_forward$")
      groups$finders <- calls("indices", "", "_forward$")
      made$init <- calls("init", "^init_", "")
      made <- c(made, calls("function", "", ""))
      made$Module <- own_module
      made$clip_grad_value <- function(parameters, clip_value) invisible(.Call(thr_clipGradValue, parameters, clip_value))
      made$Sequential <- function(...) .Call(thr_sequential, list(...))
      made$ModuleList <- function(...) .Call(thr_moduleList, list(...))
      made$clip_grad_norm <- function(parameters, max_norm) .Call(thr_clipGradNorm, parameters, max_norm)
    }
    if (group == "data") {
      made <- list(
        tensors = function(...) .Call(thr_dataset, list(...)), loader = made$loader_new,
        idx = function(path) .Call(thr_loadIdx, path), csv = function(path) .Call(thr_loadCsv, path)
      )
    }
    groups[[group]] <- made
  }
  groups[[group]]
}

# A module of one's own: its children and parameters by name, and a function of it and its inputs that net$forward(x) calls.
own_module <- function(..., forward = NULL) {
  module <- group_of("nn")$ModuleDict()
  members <- list(...)
  for (name in names(members)) .Call(thr_add, module, name, members[[name]], FALSE)
  if (!is.null(forward)) attr(module, "forward") <- forward
  module
}

# What the module computes: a tensor, or of recurrent layers and attention a list of tensors by name.
forward_of <- function(module, ...) {
  own <- attr(module, "forward")
  if (!is.null(own)) return(own(module, ...))
  group_of("nn") # which makes the table of calls
  call <- groups$calls[[.Call(thr_kind, module)]]
  if (is.null(call)) .Call(thr_forward, module, list(...)) else call(module, ...)
}

# The output and the indices of the maxima, of layers that find them.
indices_of <- function(module, ...) {
  group_of("nn") # which makes the table
  call <- groups$finders[[.Call(thr_kind, module)]]
  if (is.null(call)) stop("a ", .Call(thr_kind, module), " finds no indices", call. = FALSE)
  call(module, ...)
}

module_methods <- list(
  forward = forward_of, forward_with_indices = indices_of,
  named_parameters = function(module) .Call(thr_named, module, FALSE),
  named_buffers = function(module) .Call(thr_named, module, TRUE),
  load_state_dict = function(module, tensors) invisible(.Call(thr_loadStateDict, module, tensors)),
  add = function(module, name, member) invisible(.Call(thr_add, module, name, member, FALSE)),
  add_buffer = function(module, name, t) invisible(.Call(thr_add, module, name, t, TRUE)),
  get = function(module, name) .Call(thr_get, module, name),
  children = function(module) {
    names <- .Call(thr_childNames, module)
    structure(lapply(names, function(name) .Call(thr_child, module, name)), names = names)
  },
  clone = function(module) structure(.Call(thr_moduleClone, module), forward = attr(module, "forward")),
  requires_grad_ = function(module, wanted = TRUE) invisible(.Call(thr_moduleRequiresGrad, module, wanted)),
  is_training = function(module) .Call(thr_isTraining, module),
  numel = function(module) .Call(thr_moduleNumel, module),
  parameters = function(module) .Call(thr_parameters, module),
  state_dict = function(module) .Call(thr_stateDict, module),
  load = function(module, path) invisible(.Call(thr_moduleLoad, module, path)),
  save = function(module, path) invisible(.Call(thr_moduleSave, module, path)),
  child = function(module, name) .Call(thr_child, module, name),
  train = function(module) invisible(.Call(thr_setTraining, module, TRUE)),
  eval = function(module) invisible(.Call(thr_setTraining, module, FALSE)),
  to = function(module, type) invisible(.Call(thr_moduleTo, module, type)),
  zero_grad = function(module) invisible(.Call(thr_moduleZeroGrad, module))
)

optimizer_methods <- list(
  # With a function that computes the gradients anew and returns the loss, the step of an optimizer that calls it, as lbfgs.
  step = function(optimizer, closure = NULL) {
    invisible(if (is.null(closure)) .Call(thr_step, optimizer) else .Call(thr_stepBy, optimizer, closure))
  },
  save = function(optimizer, path) invisible(.Call(thr_optimizerSave, optimizer, path)),
  load = function(optimizer, path) invisible(.Call(thr_optimizerLoad, optimizer, path)),
  zero_grad = function(optimizer) invisible(.Call(thr_zeroGrad, optimizer)),
  add_group = function(optimizer, parameters) .Call(thr_addGroup, optimizer, parameters),
  get = function(optimizer, option, group = 0) .Call(thr_getOption, optimizer, option, group),
  set = function(optimizer, option, value, group = 0) invisible(.Call(thr_setOption, optimizer, option, value, group))
)

loader_methods <- list(
  next_batch = function(loader) .Call(thr_loaderNext, loader),
  batches = function(loader) .Call(thr_loaderBatches, loader)
)

schedule_methods <- list(step = function(schedule, metric = NULL) invisible(.Call(thr_scheduleStep, schedule, metric)))

scaler_methods <- list(
  scale = function(scaler, loss) .Call(thr_scalerScale, scaler, loss),
  # Divides the gradients by the factor, before they are clipped; otherwise step does.
  unscale = function(scaler, optimizer) invisible(.Call(thr_scalerCall, scaler, optimizer, TRUE)),
  # A step of the optimizer, unless a gradient is infinite or NaN.
  step = function(scaler, optimizer) invisible(.Call(thr_scalerCall, scaler, optimizer, FALSE)),
  update = function(scaler) invisible(.Call(thr_scalerUpdate, scaler)),
  get_scale = function(scaler) .Call(thr_getScale, scaler),
  save = function(scaler, path) invisible(.Call(thr_scalerSave, scaler, path)),
  load = function(scaler, path) invisible(.Call(thr_scalerLoad, scaler, path))
)

method_of <- function(object, name, methods) {
  own <- methods[[name]]
  if (is.null(own)) stop("a ", class(object), " has no method ", name, call. = FALSE)
  function(...) own(object, ...)
}
# A method, or the child, parameter or buffer of that name.
`$.th_module` <- function(x, name) {
  if (!is.null(module_methods[[name]])) return(method_of(x, name, module_methods))
  member <- .Call(thr_child, x, name)
  if (is.null(member)) member <- .Call(thr_get, x, name)
  if (is.null(member)) stop("a th_module has no method or member ", name, call. = FALSE)
  member
}
`$.th_loader` <- function(x, name) method_of(x, name, loader_methods)
length.th_dataset <- function(x) .Call(thr_datasetCount, x)
`$.th_optimizer` <- function(x, name) method_of(x, name, optimizer_methods)
`$.th_scaler` <- function(x, name) method_of(x, name, scaler_methods)
`$.th_schedule` <- function(x, name) method_of(x, name, schedule_methods)

format.th_module <- function(x, ...) .Call(thr_moduleText, x)
print.th_module <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
