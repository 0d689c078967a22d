/* Gradients of margin losses, and such losses, made of operations. */
#include "ATen/autograd/Formulas.h"

enum { NONE, MEAN, SUM }; /* reductions */

/* The gradient of each row's loss, as a column. */
static at_tensor *by_row(at_tensor *grad, int64_t rows, int64_t reduction)
{
  at_tensor *const one = at_reshape(grad, AT_INTS(-1, 1));
  return reduction == MEAN ? at_div(one, (double)rows) : one;
}

at_tensor *at_multiMarginGrad(at_tensor *grad, at_tensor *self, at_tensor *target, at_scalar p,
                              at_scalar margin, at_tensor *weight, int64_t reduction)
{
  if (!at_defined(self) || !at_defined(target))
    return at_undefined();
  at_tensor *const x = at_dim(self) == 2 ? self : at_reshape(self, AT_INTS(1, -1));
  at_tensor *const classes = at_reshape(target, AT_INTS(-1, 1));
  at_tensor *const excess = at_add(at_sub(x, at_gather(x, 1, classes)), margin);
  at_tensor *const violates = at_scatter_value(at_gt(excess, 0), 1, classes, 0);
  at_tensor *slope = at_scalar_toDouble(p) == 1 ? at_to(violates, at_typeOf(x))
                                                : at_mul(at_mul(excess, 2), violates);
  slope = at_div(slope, (double)at_size(x, 1));
  if (weight)
    slope = at_mul(slope, at_reshape(at_index_select(weight, 0, at_reshape(target, AT_INTS(-1))),
                                     AT_INTS(-1, 1)));
  slope = at_scatter_add(slope, 1, classes, at_neg(at_sumOver(slope, 1)));
  return at_reshape(at_mul(slope, by_row(grad, at_size(x, 0), reduction)), at_sizes(self));
}

at_tensor *at_multiLabelTwice(at_tensor *grad, at_tensor *like, at_tensor *self, at_tensor *target,
                              at_tensor *isTarget, bool sizeAverage, bool reduce)
{
  at_tensor *const slope =
      at_multilabel_margin_loss_backward(at_ones_like(like), self, target, isTarget,
                                         .size_average = sizeAverage, .reduce = reduce);
  at_tensor *const made = at_mul(grad, slope);
  return at_dim(like) == 1 ? at_sum_dim(made, AT_INTS(-1)) : made;
}

at_tensor *at_cosineLossOf(at_tensor *x, at_tensor *y, at_tensor *target, double margin,
                           int64_t reduction)
{
  at_tensor *const squares = at_mul(at_add(at_sum_dim(at_mul(x, x), AT_INTS(-1)), 1e-12),
                                    at_add(at_sum_dim(at_mul(y, y), AT_INTS(-1)), 1e-12));
  at_tensor *const cosine = at_div(at_sum_dim(at_mul(x, y), AT_INTS(-1)), at_sqrt(squares));
  at_tensor *const near =
      at_where_other_scalar(at_eq(target, 1), at_rsub(cosine, 1), at_scalar_long(0));
  at_tensor *const far =
      at_where_other_scalar(at_eq(target, -1), at_clamp_min(at_sub(cosine, margin), 0),
                            at_scalar_long(0));
  return at_reducedLoss(at_add(near, far), reduction);
}
