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
    made <- constructors(group)
    if (group == "nn") {
      made$Sequential <- function(...) .Call(thr_sequential, list(...))
      made$ModuleList <- function(...) .Call(thr_moduleList, list(...))
      made$clip_grad_norm <- function(parameters, max_norm) .Call(thr_clipGradNorm, parameters, max_norm)
    }
    groups[[group]] <- made
  }
  groups[[group]]
}

module_methods <- list(
  forward = function(module, ...) .Call(thr_forward, module, list(...)),
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
  step = function(optimizer) invisible(.Call(thr_step, optimizer)),
  zero_grad = function(optimizer) invisible(.Call(thr_zeroGrad, optimizer)),
  add_group = function(optimizer, parameters) .Call(thr_addGroup, optimizer, parameters),
  get = function(optimizer, option, group = 0) .Call(thr_getOption, optimizer, option, group),
  set = function(optimizer, option, value, group = 0) invisible(.Call(thr_setOption, optimizer, option, value, group))
)

schedule_methods <- list(step = function(schedule, metric = NULL) invisible(.Call(thr_scheduleStep, schedule, metric)))

method_of <- function(object, name, methods) {
  own <- methods[[name]]
  if (is.null(own)) stop("a ", class(object), " has no method ", name, call. = FALSE)
  function(...) own(object, ...)
}
`$.th_module` <- function(x, name) method_of(x, name, module_methods)
`$.th_optimizer` <- function(x, name) method_of(x, name, optimizer_methods)
`$.th_schedule` <- function(x, name) method_of(x, name, schedule_methods)

format.th_module <- function(x, ...) .Call(thr_moduleText, x)
print.th_module <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
