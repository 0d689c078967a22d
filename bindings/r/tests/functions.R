# Hooks, functions of one's own, loss scalers and packed sequences.
library(thaten)

equal <- function(got, want) {
  if (inherits(got, "th_tensor")) got <- as.vector(got)
  if (!isTRUE(all.equal(got, want, tolerance = 1e-6, check.attributes = FALSE))) stop(toString(got), " for ", toString(want))
}
fails <- function(words, expression) {
  message <- tryCatch({
    force(expression)
    NULL
  }, error = conditionMessage)
  if (is.null(message) || !grepl(words, message, fixed = TRUE)) stop(toString(message), " for an error with ", words)
}
leaf <- function(...) th$tensor(c(...))$requires_grad_()

# errors of R's functions come as they are
failing <- th$Function(forward = function(ctx, x) x * 2, backward = function(ctx, g) stop("inside of backward"))
equal(tryCatch(sum(failing(leaf(1)))$backward(), error = conditionMessage), "inside of backward")

# plain functions: d/dx x^3 along (1, 10, 100) is 3 x^2 times that
p <- leaf(0, 1, 2)
cubes <- list(p^3)
equal(th$jvp(cubes, list(p), list(th$tensor(c(1, 10, 100))), FALSE)[[1]], c(0, 30, 1200))
fails("size", th$jvp(cubes, list(p), list(th$ones(2)), FALSE))
fails("jvp takes inputs", th$jvp(cubes))
equal(th$autocast_setCache(FALSE), TRUE)
equal(th$autocast_setCache(TRUE), FALSE)
generator <- th$generator(4)
state <- th$generator_state(generator)
drawn <- as.vector(th$rand(3, generator = generator))
th$generator_setState(generator, state)
equal(th$rand(3, generator = generator), drawn)
fails("count", th$setNumThreads(0))
equal(th$isLeaf(th$retain_grad(p * 2)), FALSE)

# y = 3 x sees the gradient 2 and makes it 20
x <- leaf(1)
y <- x * 3
seen <- NULL
hook <- y$register_hook(function(g) {
  seen <<- as.vector(g)
  g * 10
})
quiet <- y$register_hook(function(g) NULL)
sum(y * 2)$backward(retain_graph = TRUE)
equal(seen, 2)
equal(x$grad(), 60)
hook$remove()
hook$remove()
quiet$remove()
sum(y * 2)$backward()
equal(x$grad(), 66)
failing <- x$register_hook(function(g) stop("inside"))
fails("inside", sum(x * 2)$backward())
failing$remove()
failing <- x$register_hook(function(g) "word")
fails("a tensor or NULL", sum(x * 2)$backward())
failing$remove()
equal(x$grad(), 66)
fails("gradient", th$ones(1)$register_hook(function(g) NULL))
# one that removes itself and the one behind it
z <- x * 1
own <- z$register_hook(function(g) {
  own$remove()
  following$remove()
  g * 2
})
following <- z$register_hook(function(g) g * 100)
for (expected in c(68, 69)) {
  sum(z)$backward(retain_graph = TRUE)
  equal(x$grad(), expected)
}

# x cubed times a number, whose backward says 10 times its gradient
cube <- th$Function(
  forward = function(ctx, x, times) {
    ctx$x <- x
    ctx$times <- times
    ctx$result <- x * x * x * times
    ctx$result
  },
  backward = function(ctx, g) ctx$x * ctx$x * (30 * ctx$times) * g
)
x <- leaf(2)
y <- cube(x, 2)
equal(y, 16)
equal(y$requires_grad(), TRUE)
sum(y)$backward()
equal(x$grad(), 240)
equal(cube(th$tensor(3), 1), 27)
equal(th$no_grad(cube(x, 1)$requires_grad()), FALSE)
fails("returns a tensor", th$Function(function(ctx, x) 1, function(ctx, g) g)(x))
fails("wrong", th$Function(function(ctx, x) stop("wrong"), function(ctx, g) g)(x))
fails("back", sum(th$Function(function(ctx, x) x * 1, function(ctx, g) stop("back"))(x))$backward())
fails("tensor or NULL", sum(th$Function(function(ctx, x) x * 1, function(ctx, g) "word")(x))$backward())

# several results: x x, the order of x, x y and x / 2 in double; d/dx (x x) = 2 x, d/dx (x y) = y, d/dy (x y) = x
reached <- c(0, 0, 0, 0)
several <- th$Function(
  forward = function(ctx, a, b) {
    ctx$a <- a
    ctx$b <- b
    ctx$squares <- a * a
    list(squares = ctx$squares, order = a$argsort(), a * b, half = (a * 0.5)$to("float64"))
  },
  backward = function(ctx, g1, g2, g3, g4) {
    reached <<- reached + !vapply(list(g1, g2, g3, g4), is.null, NA)
    of_a <- ctx$a * 0
    if (!is.null(g1)) of_a <- of_a + ctx$a * 2 * g1
    if (!is.null(g3)) of_a <- of_a + ctx$b * g3
    if (!is.null(g4)) of_a <- of_a + (g4 * 0.5)$to("float32")
    list(of_a, if (!is.null(g3)) ctx$a * g3)
  }
)
x <- leaf(2, -3)
y <- leaf(5, 7)
r <- several(x, y)
stopifnot(identical(names(r), c("squares", "order", "", "half")))
equal(r$squares, c(4, 9))
equal(r$order, c(1, 0))
equal(r[[3]], c(10, -21))
equal(r$half, c(1, -1.5))
equal(vapply(unname(r), function(t) t$type(), ""), c("float32", "int64", "float32", "float64"))
equal(vapply(unname(r), function(t) t$requires_grad(), NA), c(TRUE, FALSE, TRUE, TRUE))
sum(r$half)$backward(retain_graph = TRUE)
equal(x$grad(), c(0.5, 0.5))
stopifnot(is.null(y$grad()))
equal(reached, c(0, 0, 0, 1))
(sum(r$squares) + sum(r[[3]]) * 10)$backward()
equal(x$grad(), c(0.5 + 4 + 50, 0.5 - 6 + 70))
equal(y$grad(), c(20, -30))
equal(reached, c(1, 0, 1, 1))
equal(th$Function(function(ctx, x) list(x * 2), function(ctx, g) g)(x)[[1]], c(4, -6))
# 3 x is doubled in place, is a result beside the other argument, and has the gradient 3 * 2
doubled <- th$Function(function(ctx, a, factor, b) list(a$mul_(factor), b), function(ctx, g, h) list(g * 2, NULL, h))
x <- leaf(2, -3)
y <- leaf(1, 1)
z <- x * 3
r <- doubled(z, 2, y)
stopifnot(identical(r[[1]], z), !identical(r[[2]], y), r[[2]]$requires_grad())
equal(z, c(12, -18))
(sum(z) + sum(r[[2]]) * 4)$backward()
equal(x$grad(), c(6, 6))
equal(y$grad(), c(4, 4))
fails("leaf", doubled(y, 2, x))
# wrong ones
of_forward <- function(f) th$Function(f, function(ctx, ...) NULL)(x)
fails("list of tensors", of_forward(function(ctx, a) list(a * 1, 1)))
fails("list of tensors", of_forward(function(ctx, a) list(NULL, a * 1)))
fails("returned 0", of_forward(function(ctx, a) list()))
fails("more than 256", of_forward(function(ctx, a) rep(list(a), 257)))
fails("wrong", of_forward(function(ctx, a) stop("wrong")))
of_backward <- function(f) sum(th$Function(function(ctx, a) list(a * 1, a * 2), f)(x)[[2]])$backward()
fails("2 gradients for 1 arguments", of_backward(function(ctx, g, h) list(g, h)))
fails("0 gradients for 1 arguments", of_backward(function(ctx, g, h) list()))
fails("of another size than the operand", of_backward(function(ctx, g, h) th$ones(3)))
fails("tensor or NULL", of_backward(function(ctx, g, h) "word"))
fails("inside of it", of_backward(function(ctx, g, h) stop("inside of it")))
equal(x$grad(), c(6, 6))
of_backward(function(ctx, g, h) h)
equal(x$grad(), c(7, 7))

# of w = 1 with the gradient 3, a step of 0.1 is one to 0.7, and none where the gradient is infinite
w <- leaf(1)
sgd <- th$optim$sgd(list(w), lr = 0.1)
scaler <- th$scaler(init_scale = 8, growth_interval = 1)
scaler$scale(sum(w * 3))$backward()
equal(w$grad(), 24)
scaler$unscale(sgd)
equal(w$grad(), 3)
fails("unscale", scaler$unscale(sgd))
scaler$step(sgd)
scaler$update()
equal(w, 0.7)
equal(scaler$get_scale(), 16)
sgd$zero_grad()
scaler$scale(sum(w * Inf))$backward()
scaler$step(sgd)
scaler$update()
equal(w, 0.7)
equal(scaler$get_scale(), 8)
path <- tempfile(fileext = ".pt")
scaler$save(path)
other <- th$scaler()
equal(other$get_scale(), 65536)
other$load(path)
equal(other$get_scale(), 8)

# packed sequences give what each sequence gives alone
th$manual_seed(3)
lstm <- th$nn$LSTM(2, 3)
sequences <- lapply(c(4, 2, 3), function(n) th$rand(c(n, 2)))
padded <- th$nn$pad_sequence(sequences)
equal(dim(padded), c(4, 3, 2))
packed <- th$nn$pack_padded_sequence(padded, th$tensor(c(4L, 2L, 3L)), enforce_sorted = FALSE)
equal(packed$batch_sizes, c(3, 3, 2, 1))
equal(packed$sorted_indices, c(0, 2, 1))
r <- th$nn$LSTM_forward_packed(lstm, packed$data, packed$batch_sizes, unsorted_indices = packed$unsorted_indices)
back <- th$nn$pad_packed_sequence(r$output, packed$batch_sizes, unsorted_indices = packed$unsorted_indices)
equal(back$lengths, c(4, 2, 3))
for (i in 1:3) {
  sequence <- sequences[[i]]
  alone <- lstm$forward(sequence$unsqueeze(1))
  part <- back$padded$select(1, i - 1)$narrow(0, 0, dim(sequence)[[1]])
  stopifnot(th$allclose(part, alone$output$squeeze(1)), th$allclose(r$h_n$select(1, i - 1), alone$h_n$squeeze(1)))
}
fails("LSTM", th$nn$LSTM_forward_packed(th$nn$GRU(2, 3), packed$data, packed$batch_sizes))
equal(th$nn$init$gain("relu"), sqrt(2))
path <- tempfile(fileext = ".npz")
th$save(path, list(a = th$tensor(c(1, 2))))
equal(th$load(path)$a, c(1, 2))
fails("th_tensor", th$run(th$program(file.path(Sys.getenv("TH_GOLDEN"), "programs", "mobile.pt2")), list(1)))
