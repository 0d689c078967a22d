/* Losses of classes. */
#include "../Runs.h"

/* The negative logarithm of probabilities in x, N x C x ..., of the classes that labels name. */
static void give_loss(at_onnxCall *c, at_tensor *x, at_tensor *labels, at_tensor *weights)
{
  const char *const reduction = at_onnxText(c, "reduction", "mean");
  at_tensor *const classes = at_to(labels, at_cpuType(AT_LONG));
  const int64_t ignored = at_onnxInt(c, "ignore_index", -1);
  at_tensor *counts = at_onnxHas(c, "ignore_index")
                          ? at_ne(classes, ignored)
                          : at_ones_like(classes, .type = at_cpuType(AT_BOOL));
  at_tensor *const known = at_where(counts, classes, at_zeros_like(classes));
  at_tensor *const picked = at_squeeze_dim(at_gather(x, 1, at_unsqueeze(known, 1)), 1);
  at_tensor *weight = at_type_as(counts, x);
  if (weights)
    weight = at_mul(weight, at_reshape(at_index_select(weights, 0, at_reshape(known, AT_INTS(-1))),
                                       at_sizes(known)));
  at_tensor *const loss = at_mul(at_mul(picked, -1), weight);
  at_onnxGive(c, 0,
              !strcmp(reduction, "none")  ? loss
              : !strcmp(reduction, "sum") ? at_sum(loss)
                                          : at_div(at_sum(loss), at_sum(weight)));
}

void at_runNll(at_onnxCall *c)
{
  give_loss(c, at_onnxInput(c, 0), at_onnxInput(c, 1), at_onnxMaybe(c, 2));
}

void at_runCrossEntropy(at_onnxCall *c)
{
  at_tensor *const logs = at_log_softmax(at_onnxInput(c, 0), 1);
  give_loss(c, logs, at_onnxInput(c, 1), at_onnxMaybe(c, 2));
  at_onnxGive(c, 1, logs);
}
