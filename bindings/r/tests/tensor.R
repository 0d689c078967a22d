# Arrays, operators, indices, arguments, errors, gradients, files, programs; and that nothing leaks.
library(thaten)

equal <- function(got, want) {
  if (th$is_tensor(got)) got <- as.array(got)
  if (!isTRUE(all.equal(got, want, tolerance = 1e-6, check.attributes = !is.null(dim(want))))) {
    stop(paste(deparse(got), collapse = ""), " for ", paste(deparse(want), collapse = ""))
  }
}
fails <- function(pattern, expression) {
  message <- tryCatch({ force(expression); NULL }, error = conditionMessage)
  if (is.null(message) || !grepl(pattern, message)) stop("'", message, "' for an error with ", pattern)
}

# arrays, whose order is R's and whose indices stay what they are
a <- array(1:24, c(2, 3, 4))
equal(th$tensor(a), a)
equal(dim(th$tensor(a)), dim(a))
equal(th$sum(th$tensor(a), 0), apply(a, c(2, 3), sum))
equal(th$mm(th$tensor(matrix(1:6 + 0, 2)), th$tensor(matrix(1:12 + 0, 3))), matrix(1:6, 2) %*% matrix(1:12, 3))
equal(format(th$tensor(matrix(c(1.5, 2, 3, 4), 2))), "tensor([[1.5000, 3.0000],\n        [2.0000, 4.0000]])")
equal(as.array(th$tensor(2.5)), 2.5)
equal(th$tensor(c(TRUE, FALSE)), array(c(TRUE, FALSE)))
equal(th$tensor(numeric())$type(), "float32")
equal(th$tensor(1:3)$type(), "int64")
equal(th$tensor(c(300, -1), type = "uint8"), array(c(44, 255)))
equal(as.numeric(th$tensor(0.1, type = "float64")), 0.1)
fails("numbers", th$tensor("text"))
fails("NA", th$tensor(NA))

# complex numbers
z <- th$tensor(matrix(c(1+2i, -1i, 3, 0.5i), 2))
equal(z$type(), "complex64")
equal(as.array(z), matrix(c(1+2i, -1i, 3, 0.5i), 2))
equal(as.array(z * z), matrix(c(1+2i, -1i, 3, 0.5i), 2)^2)
equal(as.array(z * 2i + 1), matrix(c(1+2i, -1i, 3, 0.5i), 2) * 2i + 1)
equal(as.array(1i - z), 1i - matrix(c(1+2i, -1i, 3, 0.5i), 2))
equal(as.complex(th$tensor(0.1+1i, type = "complex128")), 0.1+1i)
equal(z$abs()[1, 1], sqrt(5))

# operators
x <- th$tensor(c(5, -7, 9)); y <- th$tensor(c(2, 4, -4))
equal(x + y, array(c(7, -3, 5)))
equal(x - 1, array(c(4, -8, 8)))
equal(1 - x, array(c(-4, 8, -8)))
equal(2 * x, array(c(10, -14, 18)))
equal(8 / y, array(c(4, 2, -2)))
equal(y^2, array(c(4, 16, 16)))
equal(2^y, array(c(4, 16, 0.0625)))
equal(-x, array(c(-5, 7, -9)))
equal(3 < y, array(c(FALSE, TRUE, FALSE)))
equal(!(x > y), array(c(FALSE, TRUE, FALSE)))
equal((th$tensor(1:2) + 2)$type(), "int64")
equal((th$tensor(1:2) + th$number(2))$type(), "float32")

# indices count from 1
t <- th$tensor(a)
equal(t[1, 2, 3], a[1, 2, 3])
equal(t[2, , ], a[2, , ])
equal(t[, c(3, 1), 2], a[, c(3, 1), 2])
equal(t[, c(TRUE, FALSE, TRUE), ], a[, c(TRUE, FALSE, TRUE), ])
t[1, , 2] <- 0
a[1, , 2] <- 0L
equal(t, a)
fails("not among", t[3, 1, 1])
fails("indices for", t[1])

# arguments and results
equal(th$add(x, y, alpha = 10), array(c(25, 33, -31)))
equal(x$add(y), array(c(7, -3, 5)))
r <- th$max(th$tensor(matrix(c(1, 5, 3, 2), 2)), 1)
equal(names(r), c("values", "indices"))
equal(r$values, array(c(3, 5)))
equal(r$indices, array(c(1, 0)))
equal(length(th$split(x, 2)), 2)
equal(th$cat(list(x, y)), array(c(5, -7, 9, 2, 4, -4)))
equal(th$conv1d(th$ones(c(1, 1, 5)), th$ones(c(1, 1, 3)), NULL, padding = 1), array(c(2, 3, 3, 3, 2), c(1, 1, 5)))
equal(th$equal(x, x$clone()), TRUE)
out <- th$empty(0)
th$add_out(out, x, y)
equal(out, array(c(7, -3, 5)))
th$manual_seed(3)
drawn <- as.array(th$rand(4))
equal(th$rand(4, generator = th$generator(3)), drawn)
equal(th$overload("max", "dim")(x, 0)$indices, 2)
equal("conv2d" %in% names(th), TRUE)

# errors
fails("add", x + th$ones(2))
fails("fits none of", th$add(x))
fails("fits none of", th$add(x, y, beta = 1))
fails("no operation", th$nothing)
fails("nothing.pt", th$load("nothing.pt"))
fails("nothing.pt2", th$program("nothing.pt2"))
equal(-th$ones(1), array(-1)) # no error is left

# gradients: of (w * a).sum() ^ 2 with respect to w is 2 * (w * a).sum() * a
w <- th$tensor(c(1, 2))$requires_grad_()
loss <- th$square(th$sum(w * th$tensor(c(3, -1))))
loss$backward()
equal(w$grad(), array(c(6, -2)))
w$set_grad()
equal(is.null(w$grad()), TRUE)
equal(th$no_grad((w * 2)$requires_grad()), FALSE)
square <- th$ones(c(2, 2))
equal(th$autocast(th$mm(square, square)$type()), "bfloat16")
equal(th$autocast(th$mm(square, square)$type(), type = "float16"), "float16")
fails("Double", th$autocast(square, type = "float64"))
equal(th$mm(square, square)$type(), "float32")
equal((w * 2)$requires_grad(), TRUE)
fails("", x$backward())

# what programs of R do with arrays
m <- th$tensor(matrix(1:6, 2))
equal(rbind(m, 7:9), rbind(matrix(1:6, 2), 7:9))
equal(cbind(m, m), cbind(matrix(1:6, 2), matrix(1:6, 2)))
equal(as.vector(range(m)), c(1, 6))
equal(m[[2, 3]], 6)
equal(as.vector(is.na(th$tensor(c(1, NaN)))), c(FALSE, TRUE))
equal(m$size(), c(2, 3))
equal(m$size(-1), 3)
fails("size: dim is 2", m$size(2))
equal(sum(m)$item(), 21)
fails("one element", m$item())
equal(m$float()$type(), "float32")
equal(m$numel(), 6)
fails("NA is no integer", th$tensor(c(1L, NA)))

# files and programs
path <- tempfile(fileext = ".safetensors")
th$save(path, list(a = x, net.w = y))
equal(names(th$load(path)), c("a", "net.w"))
equal(th$load(path)$net.w, as.array(y))
folder <- file.path(Sys.getenv("TH_GOLDEN"), "programs")
stopifnot(length(dir(folder, "pt2$")) > 10)
for (file in setdiff(dir(folder, "pt2$", full.names = TRUE), file.path(folder, c("own.pt2", "accumulated.pt2", "accumulated_core.pt2")))) { # which call own operations
  net <- th$program(file)
  data <- th$load(sub("pt2$", "npz", file))
  inputs <- data[paste0("input", seq_along(th$inputs(net)) - 1)]
  th$manual_seed(3) # of the one that draws
  outputs <- Filter(Negate(is.null), do.call(th$run, c(list(net), unname(inputs))))
  stopifnot(length(outputs) == sum(grepl("^output", names(data))))
  for (i in seq_along(outputs)) {
    want <- data[[paste0("output", i - 1)]]
    stopifnot(th$allclose(outputs[[i]]$to("float64"), want$to("float64"), rtol = 1e-4, atol = 1e-4))
  }
  fails("", th$run(net))
}

# inputs and outputs that are lists, or missing; the values are those that wrote the file
listed <- th$program(file.path(folder, "onnx", "listed.onnx"))
data <- th$load(file.path(folder, "onnx", "listed.npz"))
stored <- function(word, i) unname(data[grepl(paste0("^", word, i, "[.]"), names(data))])
check_lists <- function(results) {
  stopifnot(length(results) == 6, vapply(results, is.list, NA) == c(TRUE, TRUE, TRUE, FALSE, TRUE, FALSE))
  for (i in seq_along(results)) {
    got <- if (is.list(results[[i]])) results[[i]] else results[i]
    stopifnot(length(got) == length(stored("output", i - 1)))
    for (k in seq_along(got)) stopifnot(th$equal(got[[k]], stored("output", i - 1)[[k]]))
  }
}
inputs <- list(parts = stored("input", 0), others = stored("input", 1), x = stored("input", 2)[[1]], rest = stored("input", 3))
check_lists(do.call(th$run, c(list(listed), unname(inputs))))
results <- do.call(th$run, c(list(listed), rev(inputs)))
check_lists(results)
equal(names(results)[c(1, 6)], c("mapped", "count"))
pair <- list(th$ones(1), th$ones(2))
results <- th$run(listed, parts = pair, others = list(th$zeros(1), th$ones(1)))
stopifnot(is.null(results$kept), length(results$mapped) == 2, length(results$chosen) == 0)
equal(results$count$item(), 0)
equal(length(th$run(listed, list(), list(), NULL, list())[[1]]), 0)
fails("has no input ys", th$run(listed, ys = inputs$x))
fails("a list of 2 tensors", th$run(listed, inputs$parts, inputs$others, list(inputs$x, inputs$x), inputs$rest))
fails("th_tensor", th$run(listed, list(1), list(2), NULL, NULL))
fails("list of lists", th$program_runLists(listed, 3))
fails("index is 6", th$program_result(listed, 6))

# memory
resident <- function() as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1]][[2]]) * 4
m <- th$rand(c(64, 64))
round <- function() {
  m + 1
  th$max(m, 1)
  th$split(m, 16)
  try(m$view(7), silent = TRUE)
}
for (i in 1:500) round()
invisible(gc())
before <- resident()
for (i in 1:10000) round()
invisible(gc())
grown <- resident() - before
if (grown > 100 * 1024) stop(grown, " KB")

# R's functions, and indices that leave out or choose
a <- th$tensor(matrix(c(1, -4, 9, 2, 3, 5), 2))
b <- as.array(a)
stopifnot(isTRUE(all.equal(as.array(exp(a)), exp(b), tolerance = 1e-6)), identical(as.array(abs(a)), abs(b)),
          identical(as.array(ceiling(a / 2)), ceiling(b / 2)), identical(as.numeric(sum(a)), sum(b)), identical(as.numeric(max(a)), 9),
          isTRUE(all.equal(as.numeric(mean(a)), mean(b), tolerance = 1e-6)), identical(as.array(t(a)), t(b)), identical(as.vector(a), as.vector(b)),
          identical(as.array(a %/% 2), b %/% 2), identical(as.numeric(cumsum(th$tensor(c(1, 2, 3)))), c(1, 3, 6)),
          isTRUE(all.equal(as.array(log(abs(a), 2)), log(abs(b), 2), tolerance = 1e-6)), as.logical(any(a < 0)))
stopifnot(identical(as.array(a[-1, ]), b[-1, , drop = FALSE]), identical(as.array(a[, -2]), b[, -2]),
          identical(sort(as.numeric(a[a > 2])), sort(b[b > 2])), identical(sort(as.numeric(a[b > 2])), sort(b[b > 2])))
a[a < 0] <- 0
a[b > 8] <- -1
b[b < 0] <- 0
b[b > 8] <- -1
stopifnot(identical(as.array(a), b))
th$manual_seed(11)
stopifnot(identical(as.numeric(th$randint(0, 10, 5)), c(1, 9, 0, 7, 3)), identical(dim(th$normal(0, 1, c(2, 3))), c(2L, 3L)))
