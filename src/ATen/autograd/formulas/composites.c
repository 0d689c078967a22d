/* Operations made of others that have gradients. */
#include "ATen/autograd/Formulas.h"

at_tensor *at_innerOf(at_tensor *self, at_tensor *other)
{
  if (at_dim(self) == 0 || at_dim(other) == 0)
    return at_mul(self, other);
  int64_t sizes[2 * AT_MOST_DIMS];
  int count = 0;
  for (int d = 0; d < at_dim(self) - 1; d++)
    sizes[count++] = at_size(self, d);
  for (int d = 0; d < at_dim(other) - 1; d++)
    sizes[count++] = at_size(other, d);
  at_tensor *const made = at_mm(at_asRows(self), at_t(at_asRows(other)));
  return at_reshape(made, ((at_ints){sizes, count}));
}

at_tensor *at_bilinearOf(at_tensor *input1, at_tensor *input2, at_tensor *weight, at_tensor *bias)
{
  at_tensor *const x = at_unsqueeze(at_unsqueeze(input1, -2), -2);     /* ... x 1 x 1 x inputs1 */
  at_tensor *const product = at_squeeze_dim(at_matmul(x, weight), -2); /* ... x outputs x inputs2 */
  at_tensor *const made = at_sum_dim(at_mul(product, at_unsqueeze(input2, -2)), AT_INTS(-1));
  return bias ? at_add(made, bias) : made;
}

/* --- distances -------------------------------------------------------------------------------- */

at_tensor *at_similarityOf(at_tensor *x, at_tensor *y, int64_t dim, double eps)
{
  at_tensor *const lengths =
      at_mul(at_clamp_min(at_norm_dim(x, 2, AT_INTS(dim), .keepdim = true), eps),
             at_clamp_min(at_norm_dim(y, 2, AT_INTS(dim), .keepdim = true), eps));
  return at_sum_dim(at_div(at_mul(x, y), lengths), AT_INTS(dim));
}

at_tensor *at_distanceOf(at_tensor *x, at_tensor *y, double p, double eps, bool keepdim)
{
  return at_norm_dim(at_add(at_sub(x, y), eps), p, AT_INTS(-1), .keepdim = keepdim);
}

at_tensor *at_reducedLoss(at_tensor *loss, int64_t reduction)
{
  return reduction == 1 ? at_mean(loss) : reduction == 2 ? at_sum(loss) : loss;
}

at_tensor *at_hingeLossOf(at_tensor *self, at_tensor *target, double margin, int64_t reduction)
{
  at_tensor *const positive = at_where_other_scalar(at_ne(target, -1), self, at_scalar_long(0));
  at_tensor *const other = at_clamp_min(at_rsub(self, margin), 0);
  at_tensor *const negative = at_where_other_scalar(at_ne(target, 1), other, at_scalar_long(0));
  return at_reducedLoss(at_add(positive, negative), reduction);
}

at_tensor *at_tripletLossOf(at_tensor *anchor, at_tensor *positive, at_tensor *negative,
                            double margin, double p, double eps, bool swaps, int64_t reduction)
{
  at_tensor *const near = at_distanceOf(anchor, positive, p, eps, false);
  at_tensor *far = at_distanceOf(anchor, negative, p, eps, false);
  if (swaps)
    far = at_minimum(far, at_distanceOf(positive, negative, p, eps, false));
  return at_reducedLoss(at_clamp_min(at_add(at_sub(near, far), margin), 0), reduction);
}
