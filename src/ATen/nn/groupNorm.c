/* Normalization of groups of channels, of instances, and by root mean squares. */
#include <float.h>
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "layerCall.h"

static const at_scalar one = {.value.integer = 1};

/* --- groups ----------------------------------------------------------------------------------- */

/* The shape of a group normalization: batch x channels x rest, in groups of channels. */
typedef struct {
  int64_t batch, channels, rest, groups;
} Groups;

static void check_groups(const Groups *g, const at_tensor *input, const at_tensor *weight,
                         const at_tensor *bias)
{
  int64_t count;
  if (g->groups < 1 || g->channels < 0 || g->channels % g->groups != 0)
    at_raise(AT_ERROR_ARGUMENT, "%lld channels are not divided into %lld groups",
             (long long)g->channels, (long long)g->groups);
  if (g->batch < 0 || g->rest < 0 || __builtin_mul_overflow(g->batch, g->channels, &count) ||
      __builtin_mul_overflow(count, g->rest, &count) || count != at_numel(input))
    at_raise(AT_ERROR_ARGUMENT, "input has size (%s), which is not %lld x %lld x %lld",
             at_sizeDesc(at_sizesOf(input)).str, (long long)g->batch, (long long)g->channels,
             (long long)g->rest);
  const at_tensor *const given[] = {weight, bias};
  for (int i = 0; i < 2; i++)
    if (given[i] && (at_sizesOf(given[i]).count != 1 || at_numel(given[i]) != g->channels))
      at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to have %lld elements",
               i == 0 ? "weight" : "bias", at_sizeDesc(at_sizesOf(given[i])).str,
               (long long)g->channels);
}

/* t of one number for each channel, as channels x 1. */
static at_tensor *column_of(at_pool *pool, at_tensor *t)
{
  return at_hold(pool, at_viewUnsqueeze(t, 1));
}

/* x, of batch x channels x rest, times weight plus bias, where they are given. */
static at_tensor *scaled(at_pool *pool, at_tensor *x, at_tensor *weight, at_tensor *bias)
{
  at_tensor *const w = weight ? column_of(pool, weight) : NULL;
  at_tensor *const b = bias ? column_of(pool, bias) : NULL;
  if (w && b)
    return at_hold(pool, at_ternary(NULL, AT_ROW_addcmul, b, x, w, one));
  if (w)
    return at_hold(pool, at_binary(NULL, AT_ROW_cmul, x, w, one));
  return b ? at_hold(pool, at_binary(NULL, AT_ROW_cadd, x, b, one)) : x;
}

void at_groupNormalize(at_tensor **out, int results, at_tensor *input, at_tensor *weight,
                       at_tensor *bias, int64_t N, int64_t C, int64_t HxW, int64_t group,
                       double eps)
{
  const Groups g = {N, C, HxW, group};
  const at_type *const compute = at_layerType(input);
  check_groups(&g, input, weight, bias);
  const int64_t lines[] = {1, N * group, group ? C / group * HxW : 0};
  const int64_t planes[] = {N, C, HxW}, of_groups[] = {N, group};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = at_cast(&pool, input, compute);
  at_tensor *made[3] = {NULL};
  if (at_numel(x) > 0) {
    /* Each group is a channel of one image, whose statistics are wanted. */
    at_nnBatchNorm(made, 3, at_hold(&pool, at_reshaped(x, (at_ints){lines, 3})), NULL, NULL, NULL,
                   NULL, true, 0, eps);
    for (int i = 0; i < 3; i++)
      at_hold(&pool, made[i]);
  } else {
    made[0] = at_layerNew(&pool, compute, (at_ints){planes, 3});
    for (int i = 1; i < 3; i++)
      made[i] =
          at_hold(&pool, at_makeFilled(compute, (at_ints){of_groups, 2},
                                       i == 1 ? at_scalar_long(0) : at_scalar_double((double)NAN)));
  }
  at_tensor *const y = at_hold(&pool, at_viewAs(made[0], (at_ints){planes, 3}));
  at_tensor *const w = at_layerCast(&pool, weight, compute);
  at_tensor *const b = at_layerCast(&pool, bias, compute);
  made[0] = at_hold(&pool, at_viewAs(scaled(&pool, y, w, b), at_sizesOf(input)));
  for (int i = 0; i < 3; i++) {
    if (i > 0)
      made[i] = at_hold(&pool, at_viewAs(made[i], (at_ints){of_groups, 2}));
    made[i] = at_cast(&pool, made[i], input->type);
  }
  at_finish(&pool, results, out, made);
}

at_tensor *at_groupNormalized(at_tensor *input, int64_t groups, at_tensor *weight, at_tensor *bias,
                              double eps)
{
  const at_ints sizes = at_sizesOf(input);
  at_tensor *out = NULL;
  if (sizes.count < 2)
    at_raise(AT_ERROR_ARGUMENT, "input has size (%s), and has to have 2 dimensions or more",
             at_sizeDesc(sizes).str);
  int64_t rest = 1;
  for (int d = 2; d < sizes.count; d++)
    rest *= sizes.data[d];
  at_groupNormalize(&out, 1, input, weight, bias, sizes.data[0], sizes.data[1], rest, groups, eps);
  return out;
}

/* --- instances -------------------------------------------------------------------------------- */

/* count copies of t, which may be NULL. */
static at_tensor *copies(at_pool *pool, at_tensor *t, int64_t count)
{
  return t ? at_hold(pool, at_repeated(t, (at_ints){&count, 1})) : NULL;
}

/* The mean of count copies of a running statistic. */
static at_tensor *mean_of(at_pool *pool, at_tensor *changed, int64_t count)
{
  const int64_t sizes[] = {count, at_numel(changed) / count}, first = 0;
  at_tensor *const rows = at_hold(pool, at_viewAs(changed, (at_ints){sizes, 2}));
  return at_hold(pool, at_reduce(NULL, AT_MEAN, rows, (at_ints){&first, 1}, false, NULL, one));
}

at_tensor *at_instanceNormalized(at_tensor *input, at_tensor *weight, at_tensor *bias,
                                 at_tensor *running_mean, at_tensor *running_var,
                                 bool use_input_stats, double momentum, double eps)
{
  const at_ints sizes = at_sizesOf(input);
  int64_t buffer[AT_MOST_DIMS];
  if (sizes.count < 2)
    at_raise(AT_ERROR_ARGUMENT, "input has size (%s), and has to have 2 dimensions or more",
             at_sizeDesc(sizes).str);
  if (at_numel(input) == 0)
    return at_nnBatchNormOrEmpty(input, weight, bias, running_mean, running_var, use_input_stats,
                                 momentum, eps);
  const int64_t batch = sizes.data[0];
  buffer[0] = 1;
  buffer[1] = batch * sizes.data[1];
  for (int d = 2; d < sizes.count; d++)
    buffer[d] = sizes.data[d];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = at_hold(&pool, at_reshaped(input, (at_ints){buffer, sizes.count}));
  at_tensor *const mean = copies(&pool, running_mean, batch);
  at_tensor *const variance = copies(&pool, running_var, batch);
  at_tensor *const y =
      at_hold(&pool, at_nnBatchNormOutput(NULL, x, copies(&pool, weight, batch),
                                          copies(&pool, bias, batch), mean, variance,
                                          use_input_stats, momentum, eps));
  at_tensor *const r = at_hold(&pool, at_viewAs(y, sizes));
  if (use_input_stats && mean) {
    at_tensor *const to[] = {running_mean, running_var};
    at_tensor *const made[] = {mean_of(&pool, mean, batch), mean_of(&pool, variance, batch)};
    at_deliverAll(2, to, made);
  }
  return at_pool_keep(&pool, r);
}

/* --- root mean squares ------------------------------------------------------------------------ */

at_tensor *at_rootNormalized(at_tensor *input, at_ints normalized_shape, at_tensor *weight,
                             at_scalar eps)
{
  const at_ints sizes = at_sizesOf(input);
  const at_type *const compute = at_layerType(input);
  const int first = sizes.count - normalized_shape.count;
  bool fits = normalized_shape.count > 0 && first >= 0;
  int64_t dims[AT_MOST_DIMS];
  for (int d = 0; fits && d < normalized_shape.count; d++) {
    fits = sizes.data[first + d] == normalized_shape.data[d];
    dims[d] = first + d;
  }
  if (!fits || (weight && !at_sameSizes(at_sizesOf(weight), normalized_shape)))
    at_raise(AT_ERROR_ARGUMENT,
             "normalized_shape is (%s), and has to be the last sizes of input's, (%s), and "
             "weight's",
             at_sizeDesc(normalized_shape).str, at_sizeDesc(sizes).str);
  const double least = compute->scalarType == AT_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
  const at_scalar added = at_scalar_double(eps.is_none ? least : at_scalar_toDouble(eps));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = at_cast(&pool, input, compute);
  at_tensor *const squares = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, x, x, one));
  at_tensor *r =
      at_hold(&pool, at_reduce(NULL, AT_MEAN, squares, (at_ints){dims, normalized_shape.count},
                               true, NULL, one));
  r = at_binaryScalar(r, AT_ROW_add_scaled, r, added, one);
  r = at_unary(r, AT_ROW_rsqrt, r);
  at_tensor *y = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, x, r, one));
  if (weight)
    y = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, y, at_cast(&pool, weight, compute), one));
  return at_finishOne(&pool, NULL, at_cast(&pool, y, input->type));
}
