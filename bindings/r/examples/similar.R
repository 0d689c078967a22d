# Runs a program of PyTorch on a batch of its own, ranks what comes out, and compares the rows: which are alike?
#
# usage: Rscript similar.R PROGRAM.pt2 INPUTS.npz
library(thaten)

arguments <- commandArgs(trailingOnly = TRUE)
net <- th$program(arguments[[1]])
image <- th$load(arguments[[2]])$input0
cat("input of", toString(dim(image)), "\n")

# The input itself, turned around, darker, and with noise.
th$manual_seed(0)
one <- image[1, , , , drop = FALSE]
variants <- list(same = one, mirrored = th$flip(one, 3), darker = one * 0.5, noisy = one + 0.1 * th$randn_like(one))
scores <- lapply(variants, function(v) th$run(net, th$cat(rep(list(v), nrow(image)), dim = 0))[[1]][1, ])

probabilities <- th$softmax(th$stack(scores), dim = 1)
stopifnot(all(abs(rowSums(as.array(probabilities)) - 1) < 1e-5))
best <- th$topk(probabilities, 3, dim = 1)
for (i in seq_along(variants)) {
  cat(sprintf("%-9s %s\n", names(variants)[i],
              paste(sprintf("class %d %.3f", as.array(best$indices)[i, ], as.array(best$values)[i, ]), collapse = "  ")))
}

# Cosines of the angles between the rows, as a matrix of R.
unit <- th$normalize(th$stack(scores), dim = 1)
cosines <- as.array(th$mm(unit, t(unit)))
dimnames(cosines) <- list(names(variants), names(variants))
print(round(cosines, 3))
stopifnot(isSymmetric(unname(cosines), tol = 1e-5), all(abs(diag(cosines) - 1) < 1e-5))
