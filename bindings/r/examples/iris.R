# Tells three kinds of iris apart by their measures: data frames, batches, a schedule, a network in a file.
#
# usage: Rscript iris.R [NETWORK.safetensors]
library(thaten)

th$manual_seed(2)
set.seed(2)
measures <- scale(as.matrix(iris[, 1:4]))
classes <- as.integer(iris$Species) - 1L
held <- sample(nrow(iris), 30)

x <- th$tensor(measures[-held, ])
y <- th$tensor(classes[-held])
network <- function() {
  th$nn$Sequential(th$nn$Linear(4, 16), th$nn$ReLU(), th$nn$Dropout(p = 0.1), th$nn$Linear(16, 3))
}
net <- network()
adam <- th$optim$adamw(net$parameters(), lr = 0.02)
schedule <- th$schedule$cosine_lr(adam, 30)
loader <- th$data$loader(th$data$tensors(x, y), batch_size = 20, shuffle = TRUE)
losses <- numeric()
for (epoch in 1:30) {
  total <- 0
  while (!is.null(batch <- loader$next_batch())) {
    adam$zero_grad()
    loss <- th$cross_entropy_loss(net$forward(batch[[1]]), batch[[2]])
    loss$backward()
    adam$step()
    total <- total + loss$item() * nrow(batch[[1]])
  }
  schedule$step()
  losses[epoch] <- total / nrow(x)
}
cat(sprintf("loss %.3f at first and %.3f at last, rate %g\n", losses[1], losses[30], adam$get("lr")))
stopifnot(losses[30] < losses[1] / 3)

# The flowers that were held out: a table of what they are and what they are taken for.
predict_species <- function(net, measures) {
  net$eval()
  scores <- th$no_grad(net$forward(th$tensor(measures)))
  levels(iris$Species)[as.array(scores$argmax(dim = 1)) + 1]
}
taken <- predict_species(net, measures[held, ])
print(table(species = iris$Species[held], taken))
right <- mean(taken == iris$Species[held])
stopifnot(right > 0.85)

# In which direction a measure speaks for virginica: the gradient of its score, at each flower.
flowers <- th$tensor(measures[held, ])$requires_grad_()
net$forward(flowers)[, 3]$sum()$backward()
slope <- colMeans(as.array(flowers$grad()))
names(slope) <- colnames(measures)
print(round(slope, 2))
stopifnot(slope[["Petal.Length"]] > 0)

arguments <- commandArgs(trailingOnly = TRUE)
path <- if (length(arguments)) arguments[[1]] else tempfile(fileext = ".safetensors")
th$save(path, net$state_dict())
again <- network()
again$load(path)
stopifnot(identical(predict_species(again, measures[held, ]), taken))
