# Tensors: arrays, attributes, operators, indices.

# The tensor of a number, vector or array, or of a complex or logical one: of float32, complex64 or bool unless type
# says another one.
make_tensor <- function(values, type = NULL) {
  if (!is.numeric(values) && !is.logical(values) && !is.complex(values)) {
    stop("a tensor is made of numbers or logical values", call. = FALSE)
  }
  sizes <- if (!is.null(dim(values))) dim(values) else if (length(values) == 1) numeric() else length(values)
  if (anyNA(values) && is.logical(values)) stop("NA is neither true nor false", call. = FALSE)
  if (anyNA(values) && is.integer(values)) stop("NA is no integer", call. = FALSE)
  wanted <- if (!is.null(type)) type else default_type(values)
  elements <- if (is.logical(values)) as.logical(values) else if (is.complex(values)) as.complex(values) else as.double(values)
  t <- .Call(thr_fromArray, elements, as.double(sizes))
  if (.Call(thr_type, t) == wanted) t else call_operation("to", list(t, wanted))
}

default_type <- function(values) {
  if (is.logical(values)) "bool" else if (is.complex(values)) "complex64" else if (is.integer(values)) "int64" else "float32"
}

type_of <- function(t) .Call(thr_type, t)

# The values as an array of R; those of a tensor without dimensions are a number.
as.array.th_tensor <- function(x, ...) {
  type <- type_of(x)
  wide <- if (type == "bool" || type == "int64") x else if (startsWith(type, "u") || startsWith(type, "i")) {
    call_operation("to", list(x, "int64"))
  } else if (startsWith(type, "complex")) {
    call_operation("to", list(x, "complex128"))
  } else {
    call_operation("to", list(x, "float64"))
  }
  .Call(thr_toArray, call_operation("detach", list(wide)))
}

as.complex.th_tensor <- function(x, ...) as.complex(as.array(x))
as.double.th_tensor <- function(x, ...) as.double(as.array(x))
as.numeric.th_tensor <- as.double.th_tensor
dim.th_tensor <- function(x) .Call(thr_dim, x)
length.th_tensor <- function(x) prod(dim(x))
format.th_tensor <- function(x, ...) .Call(thr_text, x)
print.th_tensor <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# x$softmax(1) is th$softmax(x, 1); what is no operation is in methods.
`$.th_tensor` <- function(x, name) {
  own <- methods[[name]]
  if (!is.null(own)) return(function(...) own(x, ...))
  f <- operation(name)
  function(...) f(x, ...)
}

operators <- c("+" = "add", "-" = "sub", "*" = "mul", "/" = "div", "^" = "pow", "%%" = "remainder", "%/%" = "floor_divide", "==" = "eq", "!=" = "ne",
               "<" = "lt", "<=" = "le", ">" = "gt", ">=" = "ge", "&" = "logical_and", "|" = "logical_or")
mirrored <- c("+" = "+", "*" = "*", "==" = "==", "!=" = "!=", "<" = ">", "<=" = ">=", ">" = "<", ">=" = "<=")

Ops.th_tensor <- function(e1, e2) {
  if (missing(e2)) {
    return(switch(.Generic, "-" = call_operation("neg", list(e1)), "+" = e1, "!" = call_operation("logical_not", list(e1)),
                  stop("tensors have no operator ", .Generic, call. = FALSE)))
  }
  # ATen's numbers are real; a complex one becomes a tensor without dimensions.
  if (is.complex(e1) && length(e1) == 1) e1 <- make_tensor(e1)
  if (is.complex(e2) && length(e2) == 1) e2 <- make_tensor(e2)
  name <- operators[.Generic]
  if (is_tensor(e1) || .Generic == "^") return(call_operation(name, list(e1, e2)))
  if (.Generic %in% names(mirrored)) return(call_operation(operators[mirrored[.Generic]], list(e2, e1)))
  if (!is_number(e1)) stop("an operand is neither tensor nor number", call. = FALSE)
  call_operation(name, list(call_operation("scalar_tensor", list(e1, type = type_of(e2))), e2))
}

# --- R's functions of numbers ------------------------------------------------------------------------------------

renamed <- c(ceiling = "ceil")

# exp(x), sqrt(x), cumsum(x) of one dimension, and so on.
Math.th_tensor <- function(x, ...) {
  name <- if (.Generic %in% names(renamed)) renamed[[.Generic]] else .Generic
  if (name == "log" && ...length() > 0) return(call_operation("div", list(call_operation("log", list(x)), log(...elt(1)))))
  if (name %in% c("cumsum", "cumprod", "cummax", "cummin")) {
    if (length(dim(x)) != 1) stop(name, "(x) is of one dimension; x$", name, "(dim) of others", call. = FALSE)
    made <- call_operation(name, list(x, 0))
    return(if (is_tensor(made)) made else made$values)
  }
  if (name == "round" && ...length() > 0) return(call_operation("round", list(x, decimals = ...elt(1))))
  if (length(overloads(name)) == 0) stop("tensors have no function ", name, call. = FALSE)
  call_operation(name, list(x))
}

# sum(x), max(x) and so on: a tensor without dimensions.
Summary.th_tensor <- function(x, ..., na.rm = FALSE) {
  if (...length() > 0) stop(.Generic, "(x) is of one tensor", call. = FALSE)
  if (.Generic == "range") return(call_operation("stack", list(list(call_operation("min", list(x)), call_operation("max", list(x))))))
  call_operation(.Generic, list(x))
}
mean.th_tensor <- function(x, ...) call_operation("mean", list(x, ...))
is.na.th_tensor <- function(x) as.array(call_operation("isnan", list(x)))

# Matrices one below the other or side by side; a vector is a row or a column.
bound <- function(given, dim) {
  matrices <- lapply(given, function(x) {
    if (!is_tensor(x)) x <- make_tensor(x)
    if (length(dim(x)) < 2) call_operation("reshape", list(x, if (dim == 0) c(1, -1) else c(-1, 1))) else x
  })
  call_operation("cat", list(unname(matrices), dim = dim))
}
rbind.th_tensor <- function(..., deparse.level = 1) bound(list(...), 0)
cbind.th_tensor <- function(..., deparse.level = 1) bound(list(...), 1)
t.th_tensor <- function(x) call_operation("t", list(x))
as.vector.th_tensor <- function(x, mode = "any") as.vector(as.array(x), mode)
as.integer.th_tensor <- function(x, ...) as.integer(as.array(x))
as.logical.th_tensor <- function(x, ...) as.logical(as.array(x))
as.matrix.th_tensor <- function(x, ...) as.matrix(as.array(x))

# --- indices, which count from 1 as R's -----------------------------------------------------------------------

# Whether the key stands for all elements that are TRUE in it.
is_mask <- function(x, keys) {
  if (length(keys) != 1 || identical(keys[[1]], quote(expr = ))) return(FALSE)
  key <- keys[[1]]
  truth <- if (is_tensor(key)) type_of(key) == "bool" else is.logical(key)
  truth && identical(as.numeric(dim(key)), as.numeric(dim(x)))
}

# The tensor's elements at indices: a number or numbers for each dimension, negative ones for all but those, logical values, or
# nothing for all; or one array or tensor of logical values.
select_by <- function(x, keys) {
  sizes <- dim(x)
  if (is_mask(x, keys)) return(list(if (is_tensor(keys[[1]])) keys[[1]] else make_tensor(keys[[1]])))
  if (length(keys) == 1 && identical(keys[[1]], quote(expr = ))) keys <- rep(keys, length(sizes))
  if (length(keys) != length(sizes)) stop(length(keys), " indices for a tensor of ", length(sizes), " dimensions", call. = FALSE)
  indices <- Map(function(key, size) {
    if (identical(key, quote(expr = ))) return(seq_len(size))
    if (is_tensor(key)) key <- as.array(key)
    if (is.logical(key)) key <- which(rep_len(key, size))
    if (is_whole(key) && length(key) > 0 && all(key < 0)) key <- seq_len(size)[key]
    if (!is_whole(key) || any(key < 1 | key > size)) {
      stop("an index is not among 1 to ", size, call. = FALSE)
    }
    key
  }, keys, sizes)
  count <- length(indices)
  lapply(seq_len(count), function(d) {
    shape <- rep(1, count)
    shape[[d]] <- length(indices[[d]])
    call_operation("view", list(make_tensor(as.integer(indices[[d]] - 1)), shape))
  })
}

# Evaluates the indices of a call x[i, , j]; one that is empty stays so.
evaluated <- function(keys, where) lapply(keys, function(key) if (identical(key, quote(expr = ))) key else eval(key, where))

`[.th_tensor` <- function(x, ..., drop = TRUE) {
  keys <- evaluated(as.list(substitute(list(...)))[-1], parent.frame())
  result <- call_operation("index", list(x, select_by(x, keys)))
  if (is_mask(x, keys)) return(result)
  single <- which(vapply(keys, function(key) is_number(key) && key > 0, NA))
  if (!drop || length(single) == 0) return(result)
  call_operation("view", list(result, as.numeric(dim(result)[-single])))
}

`[[.th_tensor` <- `[.th_tensor`

`[<-.th_tensor` <- function(x, ..., value) {
  keys <- evaluated(as.list(substitute(list(...)))[-1], parent.frame())
  if (!is_tensor(value)) value <- make_tensor(value, type_of(x))
  call_operation("index_put_", list(x, select_by(x, keys), value))
}

# --- methods that are no operations ----------------------------------------------------------------------------

conversion <- function(type) function(t) if (type_of(t) == type) t else call_operation("to", list(t, type))

methods <- list(
  type = type_of,
  # The value of a tensor of one element.
  item = function(t) {
    value <- as.array(t)
    if (length(value) != 1) stop("item: the tensor has to have one element, and its size is ", toString(dim(t)), call. = FALSE)
    as.vector(value)
  },
  # All sizes, or that of a dimension, which counts from 0 or, negative, from behind.
  size = function(t, dim = NULL) {
    sizes <- dim(t)
    if (is.null(dim)) return(sizes)
    at <- if (dim < 0) length(sizes) + dim else dim
    if (at < 0 || at >= length(sizes)) stop("size: dim is ", dim, ", and the tensor has ", length(sizes), " dimensions", call. = FALSE)
    sizes[[at + 1]]
  },
  numel = function(t) length(t),
  float = conversion("float32"), double = conversion("float64"), half = conversion("float16"), bfloat16 = conversion("bfloat16"),
  long = conversion("int64"), int = conversion("int32"), bool = conversion("bool"),
  storage = function(t) .Call(thr_storage, t),
  # Calls f(gradient) with each gradient that is complete; what it returns, unless NULL, replaces the gradient.
  register_hook = function(t, f) {
    hook <- function(gradient) f(gradient)
    .Call(thr_addHook, t, hook)
    is_there <- TRUE
    list(remove = function() {
      if (is_there) .Call(thr_removeHook, t, hook)
      is_there <<- FALSE
      invisible(NULL)
    })
  },
  requires_grad_ = function(t, wanted = TRUE) if (wanted) .Call(thr_requiresGrad, t) else .Call(thr_detachIn, t),
  detach_ = function(t) .Call(thr_detachIn, t),
  requires_grad = function(t) .Call(thr_wantsGrad, t),
  grad = function(t) .Call(thr_grad, t),
  set_grad = function(t, grad = NULL) invisible(.Call(thr_setGrad, t, grad)),
  backward = function(t, gradient = NULL, retain_graph = FALSE) invisible(.Call(thr_backward, t, gradient, retain_graph))
)
