# Modules, optimizers and schedules.  The losses are PyTorch's from the same seed.
library(thaten)

near <- function(got, want) if (!isTRUE(all.equal(got, want, tolerance = 1e-5))) stop(toString(got), " for ", toString(want))
fails <- function(pattern, expression) {
  message <- tryCatch({ force(expression); NULL }, error = conditionMessage)
  if (is.null(message) || !grepl(pattern, message)) stop("'", message, "' for an error with ", pattern)
}
nn <- th$nn

th$manual_seed(5)
make <- function() nn$Sequential(nn$Linear(3, 4), nn$Tanh(), nn$Linear(4, 1, bias = FALSE))
net <- make()
adam <- th$optim$adam(net$parameters(), lr = 0.1, beta1 = 0.8)
schedule <- th$schedule$step_lr(adam, 1, gamma = 0.5)
x <- th$linspace(-1, 1, 15)$view(c(5, 3))
y <- x$sum(1, keepdim = TRUE)$sin()
losses <- numeric()
for (step in 1:3) {
  adam$zero_grad()
  loss <- th$mse_loss(net$forward(x), y)
  loss$backward()
  nn$clip_grad_norm(net$parameters(), 1)
  adam$step()
  schedule$step()
  losses[step] <- as.numeric(loss)
}
near(losses, c(0.231506109, 0.140786618, 0.132685423))
near(adam$get("lr"), 0.0125)
adam$set("lr", 0.5)
near(c(adam$get("lr"), adam$add_group(list(th$ones(1)))), c(0.5, 1))
stopifnot(identical(names(net$state_dict()), c("0.weight", "0.bias", "2.weight")), length(net$parameters()) == 3,
          format(net$child("2")) == "Linear(in_features=4, out_features=1, bias=False)", is.null(net$child("none")))

# files, modes, types
path <- tempfile(fileext = ".pt")
net$save(path)
other <- make()
other$load(path)
stopifnot(th$equal(other$eval()$forward(x), net$forward(x)))
stopifnot(other$to("float64")$forward(x$to("float64"))$type() == "float64")
reflect <- nn$Conv2d(1, 2, c(3, 3), padding = c(1, 1), padding_mode = "reflect")
stopifnot(identical(dim(reflect$forward(th$ones(c(1, 1, 4, 4)))), c(1L, 2L, 4L, 4L)))
layer <- nn$TransformerEncoderLayer(4, 2, dropout = 0, activation = "gelu")
encoder <- nn$TransformerEncoder(layer, 2, norm = nn$LayerNorm(4))
stopifnot(identical(dim(encoder$forward(th$ones(c(2, 1, 4)))), c(2L, 1L, 4L)))

# calls with several results, first values; the values are PyTorch's from the same seeds
sums <- function(...) vapply(list(...), function(t) as.numeric(sum(t)), 0)
th$manual_seed(5)
lstm <- nn$LSTM(3, 4, num_layers = 2)
x3 <- th$linspace(-1, 1, 18)$view(c(3, 2, 3))
r <- lstm$forward(x3)
near(sums(r$output, r$h_n, r$c_n, lstm$forward(x3, h_0 = r$h_n, c_0 = r$c_n)$output), c(-0.683112, -0.99456, -0.888156, -0.653838))
th$manual_seed(6)
attention <- nn$MultiheadAttention(4, 2)
q <- th$linspace(-1, 1, 24)$view(c(3, 2, 4))
r <- attention$forward(q, q, q)
near(c(sums(abs(r$output)), as.numeric(r$weights[1, 1, 1]), as.numeric(r$weights[2, 3, 2])), c(0.943133, 0.325966, 0.331916))
stopifnot(is.null(attention$forward(q, q, q, need_weights = FALSE)$weights))
th$manual_seed(7)
near(sums(nn$init$xavier_uniform_(th$empty(c(2, 3))), nn$init$kaiming_normal_(th$empty(c(2, 3)), nonlinearity = "relu")), c(-0.640505, -4.575136))

# closures, states of optimizers, schedules
p <- th$zeros(2)$requires_grad_()
lbfgs <- th$optim$lbfgs(list(p), lr = 0.1)
first <- lbfgs$step(function() {
  lbfgs$zero_grad()
  value <- sum((p - th$tensor(c(1, 2)))^2 * th$tensor(c(1, 10)))
  value$backward()
  value
})
near(c(first, as.numeric(p$detach())), c(41.0, 0.645154, 1.753063))
fails("thrown here", lbfgs$step(function() stop("thrown here")))
state <- tempfile(fileext = ".pt")
adam$set("lr", 0.25)
adam$save(state)
adam$set("lr", 3)
adam$load(state)
th$schedule$exponential_lr(adam, 0.5)$step()
near(adam$get("lr"), 0.125)

# modules of one's own
own <- nn$Module(fc = nn$Linear(2, 3), scale = th$ones(1), forward = function(self, x) self$fc$forward(x) * self$scale)
own$add_buffer("seen", th$zeros(1))
stopifnot(identical(names(own$state_dict()), c("scale", "seen", "fc.weight", "fc.bias")), identical(dim(own$fc$weight), c(3L, 2L)),
          identical(dim(own$forward(th$ones(c(1, 2)))), c(1L, 3L)), own$numel() == 10, identical(names(own$children()), "fc"))
copy <- own$fc$clone()
own$requires_grad_(FALSE)
stopifnot(!own$fc$weight$requires_grad(), copy$weight$requires_grad(), !own$eval()$is_training())
copy$load_state_dict(list(weight = th$ones(c(3, 2)), bias = th$zeros(3)))
near(as.vector(copy$forward(th$ones(c(1, 2)))), c(2, 2, 2))
fails("weight", copy$load_state_dict(list(bias = th$zeros(3))))
fails("no method or member nothing", own$nothing)

# batches, in PyTorch's order
th$manual_seed(8)
data <- th$data$tensors(th$arange(10)$view(c(5, 2)), th$arange(5))
loader <- th$data$loader(data, batch_size = 2, shuffle = TRUE)
order <- numeric()
for (pass in 1:2) while (!is.null(batch <- loader$next_batch())) order <- c(order, as.numeric(batch[[2]]))
near(order, c(0, 3, 1, 2, 4, 4, 3, 2, 0, 1))
stopifnot(length(data) == 5, loader$batches() == 3)
fails("th_dataset", th$data$loader(3))

# gradients of gradients
w <- th$tensor(c(0.5, 1))$requires_grad_()
sum(th$gradients(list(sum(w^3)), list(w), create_graph = TRUE)[[1]])$backward()
near(as.numeric(w$grad()), c(3.0, 6.0))

# losses, of two tensors
loss <- nn$CrossEntropyLoss(weight = th$ones(2), reduction = "sum")
near(as.numeric(loss$forward(th$zeros(c(2, 2)), th$zeros(2, type = "int64"))), 2 * log(2))
fails("called with 2 tensors", loss$forward(th$zeros(c(2, 2))))

# errors
fails("in_features", nn$Linear("a", 2))
fails("whole", nn$Linear(1.5, 2))
fails("out_features, which is missing", nn$Linear(1))
fails("no option biases", nn$Linear(1, 2, biases = TRUE))
fails("takes in_features", nn$Linear(1, 2, TRUE, NULL, 5))
fails("takes in_features", nn$Linear(1, 2, in_features = 5))
fails("TRUE or FALSE", nn$Linear(1, 2, bias = 1))
fails("string", nn$GELU(approximate = 1))
fails("name of a type", nn$Linear(1, 2, type = "float33"))
fails("-1", nn$Linear(-1, 2))
fails("list of tensors", th$optim$sgd(1))
fails("param", th$optim$sgd(list()))
fails("lr", th$optim$sgd(net$parameters(), lr = -1))
fails("none", adam$get("none"))
fails("th_tensor", net$forward(3))
fails("th_module", nn$Sequential(3))
fails("th_optimizer", th$schedule$step_lr(net, 1))
fails("no method", net$nothing)

# nothing is kept
resident <- function() as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1]][[2]]) * 4
work <- function() {
  one <- nn$Sequential(nn$Linear(60, 60), nn$Linear(60, 1))
  sgd <- th$optim$sgd(one$parameters())
  one$forward(th$ones(c(1, 60)))$sum()$backward()
  sgd$step()
  try(nn$Linear(-1, 2), silent = TRUE)
}
for (i in 1:300) work()
invisible(gc())
before <- resident()
for (i in 1:1500) work()
invisible(gc())
grown <- resident() - before
if (grown > 8000) stop(grown, " KB")

# States that are written one after the other to memory without gradient; the numbers are PyTorch's.
w <- th$tensor(c(1, 2, 3), type = "float64")$requires_grad_()
states <- th$zeros(c(4, 3), type = "float64")
last <- states$select(0, 3)
for (t in 1:3) states$select(0, t)$copy_(th$sin(states$select(0, t - 1) + w))
invisible(states$view(12)$slice(0, 9)$mul_(2))
(states$pow(2)$sum() + last$sum())$backward()
near(as.vector(as.array(w$grad())), c(-1.9985253958567846, -3.2202998230180584, -3.342609358059183))
near(as.vector(as.array(last)), c(1.8476861048841218, 1.5807010743752634, 0.28130415360773237))
