# Runs a program that torch.export.save wrote.
#
# usage: Rscript run.R PROGRAM.pt2 INPUTS.npz
#
# The inputs are the arrays input0, input1 and so on.
library(thaten)

arguments <- commandArgs(trailingOnly = TRUE)
net <- th$program(arguments[[1]])
stored <- th$load(arguments[[2]])
inputs <- stored[paste0("input", seq_along(th$inputs(net)) - 1)]
for (output in do.call(th$run, c(list(net), unname(inputs)))) print(output)
