# Calls operations of ATen's table by their names.

# By the number of at_kind: whether a value is exactly of the kind, and whether it can stand for it.
is_tensor <- function(v) inherits(v, "th_tensor")
is_number <- function(v) is.numeric(v) && length(v) == 1
is_whole <- function(v) is.numeric(v) && all(v == floor(v))
is_list_of <- function(v, accepts) is.list(v) && !is.object(v) && all(vapply(v, accepts, NA))
is_missing_or_tensor <- function(v) is.null(v) || is_tensor(v)
is_numbers <- function(v) is.numeric(v) && !inherits(v, "th_number")

exact <- list(
  is_tensor,                                              # TENSOR
  is_tensor,                                              # OPTIONAL_TENSOR
  function(v) is_list_of(v, is_tensor),                   # TENSORS
  function(v) is_list_of(v, is_missing_or_tensor),        # OPTIONAL_TENSORS
  is_number,                                              # SCALAR
  function(v) is_number(v) && is_whole(v),                # LONG
  is_number,                                              # DOUBLE
  function(v) is.logical(v) && length(v) == 1,            # BOOL
  function(v) is_numbers(v) && length(v) != 1 && is_whole(v), # INTS
  function(v) is.character(v) && length(v) == 1 && v %in% th_types, # TYPE
  function(v) inherits(v, "th_generator"),                # GENERATOR
  function(v) inherits(v, "th_storage"),                  # STORAGE
  function(v) is.character(v) && length(v) == 1,          # STRING
  function(v) is_numbers(v) && length(v) != 1             # DOUBLES
)
loose <- exact
loose[[5]] <- function(v) is_number(v) || (is_tensor(v) && length(dim(v)) == 0)
loose[[9]] <- function(v) is_numbers(v) && is_whole(v) # a number is a list of one
loose[[14]] <- is_numbers

th_types <- c("uint8", "int8", "int16", "int32", "int64", "float32", "float64", "float16", "bool", "bfloat16",
              "complex64", "complex128", "uint16", "uint32", "uint64")

# Other names for arguments, which are taken where no argument has the name itself.
other_names <- list(input = "self", self = "input", dtype = "type", size = "sizes", shape = "sizes", axis = c("dim", "dims"),
                    keepdims = "keepdim")

index_of <- function(row, name, bound) {
  for (candidate in c(name, other_names[[name]])) {
    i <- match(candidate, row$names)
    if (!is.na(i)) return(if (is.null(bound[[i]])) i else NA)
  }
  NA
}

# The arguments in the order of the operation, or NULL if they do not fit.
bind <- function(row, given, accepts) {
  count <- length(row$names)
  bound <- vector("list", count)
  names <- names(given)
  named <- if (is.null(names)) rep(FALSE, length(given)) else nzchar(names)
  positional <- given[!named]
  if (length(positional) > count) return(NULL)
  put <- function(i, value) {
    if (is.null(value)) return(row$optional[[i]])
    if (!accepts[[row$kinds[[i]]]](value)) return(FALSE)
    bound[[i]] <<- value
    TRUE
  }
  for (i in seq_along(positional)) if (!put(i, positional[[i]])) return(NULL)
  for (name in names[named]) {
    i <- index_of(row, name, bound)
    if (is.na(i) || !put(i, given[[name]])) return(NULL)
  }
  for (i in seq_len(count)) if (row$required[[i]] && is.null(bound[[i]])) return(NULL)
  bound
}

known <- new.env()

# The overloads of a name, or an empty list.
overloads <- function(name) {
  if (is.null(known[[name]])) known[[name]] <- .Call(thr_describe, name)
  known[[name]]
}

call_operation <- function(name, given) {
  rows <- overloads(name)
  for (accepts in list(exact, loose)) {
    for (row in rows) {
      bound <- bind(row, given, accepts)
      if (!is.null(bound)) return(.Call(thr_call, row$index, bound))
    }
  }
  kinds <- vapply(given, function(v) if (is_tensor(v)) "tensor" else class(v)[[1]], "")
  words <- names(kinds)
  if (!is.null(words)) kinds <- ifelse(nzchar(words), paste(words, "=", kinds), kinds)
  stop(name, "(", paste(kinds, collapse = ", "), ") fits none of\n",
       paste0("  ", vapply(rows, function(row) row$schema, ""), collapse = "\n"), call. = FALSE)
}

operation <- function(name) {
  if (length(overloads(name)) == 0) stop("there is no operation ", name, call. = FALSE)
  function(...) call_operation(name, list(...))
}
