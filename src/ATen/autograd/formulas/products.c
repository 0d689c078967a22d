/* Formulas of matrix products. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

at_tensor *at_asRows(at_tensor *t)
{
  if (!at_defined(t))
    return at_undefined();
  const int64_t size = at_dim(t) > 0 ? at_size(t, -1) : 1;
  return at_reshape(t, AT_INTS(size > 0 ? at_numel(t) / size : 0, size));
}

/* The transposes of the matrices of t. */
static at_tensor *transposed(at_tensor *t)
{
  return at_transpose(t, -2, -1);
}

at_tensor *at_matmulGrad(at_tensor *grad, at_tensor *other, at_ints sizes, bool isFirst)
{
  if (!at_defined(grad) || !at_defined(other))
    return at_undefined();
  const bool isVector = sizes.count == 1, isOtherVector = at_dim(other) == 1;
  if (isVector && isOtherVector)
    return at_mul(other, grad);
  /* vectors as matrices: a row in front, a column behind */
  at_tensor *const matrix = isOtherVector ? at_unsqueeze(other, isFirst ? 1 : 0) : other;
  at_tensor *wide = grad;
  if (isVector)
    wide = at_unsqueeze(grad, isFirst ? -2 : -1);
  else if (isOtherVector)
    wide = at_unsqueeze(grad, isFirst ? -1 : -2);
  at_tensor *made =
      isFirst ? at_matmul(wide, transposed(matrix)) : at_matmul(transposed(matrix), wide);
  if (!isVector)
    return made;
  const int64_t size = sizes.data[0];
  made = at_reshape(made, AT_INTS(-1, size));
  return at_sum_dim(made, AT_INTS(0));
}

at_tensor *at_linearInputGrad(at_tensor *grad, at_tensor *weight)
{
  return at_dim(weight) == 1 ? at_mul(at_unsqueeze(grad, -1), weight) : at_matmul(grad, weight);
}

at_tensor *at_linearWeightGrad(at_tensor *grad, at_tensor *input, bool isVector)
{
  if (isVector)
    return at_mv(at_t(at_asRows(input)), at_reshape(grad, AT_INTS(-1)));
  return at_mm(at_t(at_asRows(grad)), at_asRows(input));
}

/* The mask of scaled_dot_product_attention, added to the scores. */
static at_tensor *masked_scores(at_tensor *scores, at_tensor *mask, bool isCausal)
{
  at_tensor *r = scores;
  if (isCausal) {
    at_tensor *const ones =
        at_ones_like(at_select(at_reshape(r, AT_INTS(-1, at_size(r, -2), at_size(r, -1))), 0, 0));
    at_tensor *const behind = at_eq(at_tril(ones), 0);
    r = at_grad_isOn() ? at_masked_fill(r, behind, -INFINITY)
                       : at_masked_fill_(r, behind, -INFINITY);
  }
  if (!mask)
    return r;
  const bool isBool = at_type_scalarType(at_typeOf(mask)) == AT_BOOL;
  return isBool ? at_masked_fill(r, at_logical_not(mask), -INFINITY) : at_add(r, mask);
}

/* The heads of keys, each for as many heads of queries. */
static at_tensor *shared_heads(at_tensor *t, int64_t times)
{
  return times > 1 ? at_repeat_interleave(t, times, .dim = -3) : t;
}

/* The sum over the heads of queries that share one of keys. */
static at_tensor *sum_heads(at_tensor *t, int64_t times)
{
  if (times <= 1 || !at_defined(t))
    return t;
  int64_t sizes[AT_MOST_DIMS + 1];
  const int dims = at_dim(t), heads = dims - 3;
  for (int d = 0; d < dims; d++)
    sizes[d + (d > heads)] = at_size(t, d);
  sizes[heads] = at_size(t, heads) / times;
  sizes[heads + 1] = times;
  return at_sum_dim(at_reshape(t, ((at_ints){sizes, dims + 1})), AT_INTS(-3));
}

/* The gradients of query, key, value and mask; scores are multiplied by the factor. */
static at_several attention_grads(at_tensor *grad, at_tensor *query, at_tensor *keys,
                                  at_tensor *values, at_tensor *mask, bool isCausal, double factor)
{
  at_tensor *const scaled = at_mul(query, factor);
  at_tensor *const scores = at_matmul(scaled, transposed(keys));
  at_tensor *const weights = at_softmax(masked_scores(scores, mask, isCausal), -1);
  at_tensor *const part = at_matmul(grad, transposed(values));
  at_tensor *const ofScores = at_softmax_backward(part, weights, -1, weights);
  return (at_several){{at_mul(at_matmul(ofScores, keys), factor),
                       at_matmul(transposed(ofScores), scaled),
                       at_matmul(transposed(weights), grad), ofScores}};
}

/* How many matrices of scores are computed at once where all of them are many elements; 0: all.  Batches
 * of several sizes, and masks with a batch or a gradient, are not divided. */
static int64_t matrices_at_once(at_tensor *query, at_tensor *keys, at_tensor *values,
                                at_tensor *mask, bool wantsMask)
{
  enum { ELEMENTS = 1 << 20 }; /* of scores */
  const int dims = at_dim(query);
  if (at_grad_isOn() || dims < 3 || at_dim(keys) != dims || at_dim(values) != dims || wantsMask ||
      (mask && at_dim(mask) > 2))
    return 0;
  int64_t count = 1;
  for (int d = 0; d < dims - 2; d++) {
    if (at_size(keys, d) != at_size(query, d) || at_size(values, d) != at_size(query, d))
      return 0;
    count *= at_size(query, d);
  }
  const int64_t each = THMax(1, at_size(query, -2)) * THMax(1, at_size(keys, -2));
  return count > 1 && each * count > ELEMENTS ? THMax(1, ELEMENTS / each) : 0;
}

static at_tensor *as_matrices(at_tensor *t)
{
  return at_reshape(t, AT_INTS(-1, at_size(t, -2), at_size(t, -1)));
}

/* The gradients of attention, for atOnce matrices after the other, so that there are never many scores. */
static at_several attention_in_parts(at_tensor *grad, at_tensor *const *of, at_tensor *mask,
                                     bool isCausal, double factor, int64_t atOnce)
{
  at_tensor *parts[3], *made[3], *const grads = as_matrices(grad);
  for (int i = 0; i < 3; i++) {
    parts[i] = as_matrices(of[i]);
    made[i] = at_empty(at_sizes(parts[i]), .type = at_typeOf(parts[i]));
  }
  for (int64_t at = 0; at < at_size(parts[0], 0); at += atOnce)
    AT_SCOPE
    {
      const int64_t n = THMin(atOnce, at_size(parts[0], 0) - at);
      const at_several some =
          attention_grads(at_narrow(grads, 0, at, n), at_narrow(parts[0], 0, at, n),
                          at_narrow(parts[1], 0, at, n), at_narrow(parts[2], 0, at, n), mask,
                          isCausal, factor);
      for (int i = 0; i < 3; i++)
        at_copy_(at_narrow(made[i], 0, at, n), some.of[i]);
    }
  return (at_several){{at_reshape(made[0], at_sizes(of[0])), at_reshape(made[1], at_sizes(of[1])),
                       at_reshape(made[2], at_sizes(of[2])), NULL}};
}

at_several at_attentionGrad(at_tensor *grad, at_tensor *query, at_tensor *key, at_tensor *value,
                            at_tensor *mask, bool isCausal, at_scalar scale, bool sharesKeys,
                            const bool *wants)
{
  if (!at_defined(query) || !at_defined(key) || !at_defined(value))
    return (at_several){{at_undefined(), at_undefined(), at_undefined(), at_undefined()}};
  const int64_t times = sharesKeys ? at_size(query, -3) / THMax(at_size(key, -3), 1) : 1;
  const int64_t valueTimes = sharesKeys ? at_size(query, -3) / THMax(at_size(value, -3), 1) : 1;
  at_tensor *const keys = shared_heads(key, times), *const values = shared_heads(value, valueTimes);
  const double factor =
      scale.is_none ? 1 / sqrt((double)at_size(query, -1)) : at_scalar_toDouble(scale);
  const int64_t atOnce = matrices_at_once(query, keys, values, mask, mask && wants[3]);
  at_several made = atOnce ? attention_in_parts(grad, (at_tensor *const[]){query, keys, values},
                                                mask, isCausal, factor, atOnce)
                           : attention_grads(grad, query, keys, values, mask, isCausal, factor);
  made.of[1] = sum_heads(made.of[1], times);
  made.of[2] = sum_heads(made.of[2], valueTimes);
  return made;
}
