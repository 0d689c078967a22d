/* Losses with today's arguments, from functions of elements and reductions. */
#include "criteria.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/conversions.h"
#include "ATen/core/device.h"

static const at_scalar one = {.value.integer = 1}, zero;

typedef enum { NONE, MEAN, SUM } Reduction;

static Reduction reduction_of(int64_t reduction)
{
  if (reduction < NONE || reduction > SUM)
    at_raise(AT_ERROR_ARGUMENT, "reduction is %lld, and has to be 0 (none), 1 (mean) or 2 (sum)",
             (long long)reduction);
  return (Reduction)reduction;
}

at_summing at_summingFor(int64_t reduction)
{
  const Reduction how = reduction_of(reduction);
  return at_summingOf(how == MEAN, how != NONE);
}

/* Ends a loss whose elements are loss, which the pool holds. */
static at_tensor *reduced(at_pool *pool, at_tensor *out, at_tensor *loss, int64_t reduction)
{
  const Reduction how = reduction_of(reduction);
  if (how == NONE)
    return at_finishOne(pool, out, loss);
  at_tensor *const r =
      at_reduce(out, how == MEAN ? AT_MEAN : AT_SUM, loss, (at_ints){0}, false, NULL, zero);
  at_pool_leave(pool);
  return r;
}

/* --- of each element -------------------------------------------------------------------------- */

at_tensor *at_huber(at_tensor *out, at_tensor *self, at_tensor *target, int64_t reduction,
                    double delta)
{
  at_tensor *const in[] = {self, target};
  const at_function_scalars scalars = {.a = delta};
  reduction_of(reduction);
  if (!(delta > 0))
    at_raise(AT_ERROR_ARGUMENT, "delta is %g, and has to be above 0", delta);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const loss =
      at_hold(&pool, at_function(NULL, AT_FUNCTION_huber, AT_FLOATING, 2, in, scalars));
  return reduced(&pool, out, loss, reduction);
}

at_tensor *at_smoothL1(at_tensor *out, at_tensor *self, at_tensor *target, int64_t reduction,
                       double beta)
{
  at_tensor *const in[] = {self, target};
  const at_function_scalars scalars = {.a = beta};
  reduction_of(reduction);
  if (!(beta >= 0))
    at_raise(AT_ERROR_ARGUMENT, "beta is %g, and has to be 0 or more", beta);
  if (beta == 0)
    return at_nnLoss(out, AT_LOSS_L1, self, target, NULL, at_summingFor(reduction));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const loss =
      at_hold(&pool, at_function(NULL, AT_FUNCTION_smooth_l1, AT_FLOATING, 2, in, scalars));
  return reduced(&pool, out, loss, reduction);
}

at_tensor *at_crossEntropyOfLogits(at_tensor *self, at_tensor *target, at_tensor *weight,
                                   at_tensor *pos_weight, int64_t reduction)
{
  at_tensor *const in[] = {self, target, pos_weight};
  const at_function_scalars none = {0};
  reduction_of(reduction);
  if (!at_sameSizes(at_sizesOf(self), at_sizesOf(target)))
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), target (%s)",
             at_sizeDesc(at_sizesOf(self)).str, at_sizeDesc(at_sizesOf(target)).str);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *loss =
      at_hold(&pool,
              at_function(NULL, pos_weight ? AT_FUNCTION_bce_logits_w : AT_FUNCTION_bce_logits,
                          AT_FLOATING, pos_weight ? 3 : 2, in, none));
  if (weight)
    loss = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, loss, weight, one));
  return reduced(&pool, NULL, loss, reduction);
}

at_tensor *at_divergence(at_tensor *self, at_tensor *target, int64_t reduction, bool log_target)
{
  reduction_of(reduction);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *loss;
  if (log_target) {
    at_tensor *const difference = at_hold(&pool, at_subtracted(NULL, target, self, one));
    at_tensor *const share = at_hold(&pool, at_unaryFloat(NULL, AT_ROW_exp, target));
    loss = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, share, difference, one));
  } else {
    at_tensor *const own = at_hold(&pool, at_realOfTwo(NULL, AT_FUNCTION_xlogy, target, target));
    at_tensor *const other = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, target, self, one));
    loss = at_hold(&pool, at_subtracted(NULL, own, other, one));
  }
  return reduced(&pool, NULL, loss, reduction);
}

/* Stirling's approximation of log(target!), for targets above 1, else 0. */
static at_tensor *stirling(at_pool *pool, at_tensor *target)
{
  at_tensor *const log = at_hold(pool, at_unaryFloat(NULL, AT_ROW_log, target));
  at_tensor *r = at_hold(pool, at_binary(NULL, AT_ROW_cmul, target, log, one));
  r = at_hold(pool, at_subtracted(NULL, r, target, one));
  at_tensor *half =
      at_hold(pool, at_binaryScalar(NULL, AT_ROW_mul, target, at_scalar_double(2 * M_PI), one));
  half = at_hold(pool, at_unaryFloat(NULL, AT_ROW_log, half));
  r = at_hold(pool, at_binary(NULL, AT_ROW_cadd, r,
                              at_hold(pool, at_binaryScalar(NULL, AT_ROW_mul, half,
                                                            at_scalar_double(0.5), one)),
                              one));
  at_tensor *const isLarge = at_hold(pool, at_compareScalar(NULL, AT_ROW_gtValue, target, one));
  return at_hold(pool, at_choose(NULL, isLarge, r, zero, NULL, at_scalar_double(0)));
}

at_tensor *at_poissonLoss(at_tensor *input, at_tensor *target, bool log_input, bool full,
                          double eps, int64_t reduction)
{
  at_tensor *const in[] = {input, target};
  const at_function_scalars scalars = {.a = eps};
  reduction_of(reduction);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *loss =
      at_hold(&pool, at_function(NULL, log_input ? AT_FUNCTION_poisson_log : AT_FUNCTION_poisson,
                                 AT_REAL, 2, in, scalars));
  if (full)
    loss = at_hold(&pool, at_binary(NULL, AT_ROW_cadd, loss, stirling(&pool, target), one));
  return reduced(&pool, NULL, loss, reduction);
}

/* --- of classes ------------------------------------------------------------------------------- */

at_tensor *at_likelihoodOf(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction,
                           int64_t ignore_index)
{
  const at_summing how = at_summingFor(reduction);
  const at_ints own = at_sizesOf(self);
  if (own.count < 1 || at_sizesOf(target).count != own.count - 1)
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), target (%s): without the classes (dimension 1, "
             "or the only one) both have to be of one size",
             at_sizeDesc(own).str, at_sizeDesc(at_sizesOf(target)).str);
  if (own.count == 2)
    return at_nnNllLoss(NULL, false, self, target, weight, ignore_index, how);
  if (own.count == 4)
    return at_nnNllLoss(NULL, true, self, target, weight, ignore_index, how);
  int64_t rest = 1;
  for (int d = 2; d < own.count; d++)
    rest *= own.data[d];
  const int64_t batch = own.count == 1 ? 1 : own.data[0];
  const int64_t classes = own.data[own.count == 1 ? 0 : 1];
  const int64_t image[] = {batch, classes, 1, rest}, map[] = {batch, 1, rest};
  at_pool pool;
  at_pool_enter(&pool);
  for (int d = 0; d < own.count - 1; d++)
    if (at_sizesOf(target).data[d] != own.data[d == 0 ? 0 : d + 1])
      at_raise(AT_ERROR_ARGUMENT, "self has size (%s), target (%s)", at_sizeDesc(own).str,
               at_sizeDesc(at_sizesOf(target)).str);
  at_tensor *const x = at_hold(&pool, at_reshaped(self, (at_ints){image, 4}));
  at_tensor *const t = at_hold(&pool, at_reshaped(target, (at_ints){map, 3}));
  at_tensor *r = at_hold(&pool, at_nnNllLoss(NULL, true, x, t, weight, ignore_index, how));
  if (!how.reduce)
    r = at_hold(&pool, at_viewAs(r, at_sizesOf(target)));
  return at_finishOne(&pool, NULL, r);
}

/* weight as a factor for the classes of self. */
static at_tensor *along_classes(at_pool *pool, const at_tensor *self, at_tensor *weight)
{
  int64_t sizes[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(self);
  for (int d = 0; d < own.count; d++)
    sizes[d] = 1;
  sizes[own.count > 1] = at_numel(weight);
  if (at_sizesOf(weight).count != 1 || at_numel(weight) != own.data[own.count > 1])
    at_raise(AT_ERROR_ARGUMENT, "weight has size (%s), self (%s)",
             at_sizeDesc(at_sizesOf(weight)).str, at_sizeDesc(own).str);
  return at_hold(pool, at_reshaped(weight, (at_ints){sizes, own.count}));
}

/* -sum of shares * logs over the classes, in shares or with NULL of 1 each. */
static at_tensor *expected(at_pool *pool, at_tensor *logs, at_tensor *shares, at_tensor *weight)
{
  const int64_t classes = at_sizesOf(logs).count > 1;
  at_tensor *t = logs;
  if (weight)
    t = at_hold(pool, at_binary(NULL, AT_ROW_cmul, t, along_classes(pool, logs, weight), one));
  if (shares)
    t = at_hold(pool, at_binary(NULL, AT_ROW_cmul, t, shares, one));
  t = at_hold(pool, at_reduce(NULL, AT_SUM, t, (at_ints){&classes, 1}, false, NULL, zero));
  return at_hold(pool, at_unary(NULL, AT_ROW_neg, t));
}

/* The loss for probabilities of classes. */
static at_tensor *of_probabilities(at_pool *pool, at_tensor *logs, at_tensor *target,
                                   at_tensor *weight, int64_t reduction, double smoothing)
{
  const at_ints own = at_sizesOf(logs);
  if (smoothing > 0) {
    const double each = smoothing / (double)own.data[own.count > 1];
    target = at_hold(pool, at_binaryScalar(NULL, AT_ROW_mul, target,
                                           at_scalar_double(1 - smoothing), one));
    target = at_hold(pool,
                     at_binaryScalar(NULL, AT_ROW_add_scaled, target, at_scalar_double(each), one));
  }
  at_tensor *r = expected(pool, logs, target, weight);
  if (reduction == NONE)
    return at_finishOne(pool, NULL, r);
  r = at_hold(pool, at_reduce(NULL, AT_SUM, r, (at_ints){0}, false, NULL, zero));
  const double count = (double)at_numel(logs) / (double)own.data[own.count > 1];
  if (reduction == MEAN)
    r = at_hold(pool, at_binaryFloatScalar(NULL, AT_ROW_div, r, at_scalar_double(count)));
  return at_finishOne(pool, NULL, r);
}

/* The loss with which smoothing mixes: every class is expected equally, where target is not
 * ignored; the mean is by the weights of the targets. */
static at_tensor *smooth_part(at_pool *pool, at_tensor *logs, at_tensor *target, at_tensor *weight,
                              int64_t reduction, int64_t ignore_index)
{
  at_tensor *const all = expected(pool, logs, NULL, weight);
  at_tensor *const isIgnored =
      at_hold(pool, at_compareScalar(NULL, AT_ROW_eqValue, target, at_scalar_long(ignore_index)));
  at_tensor *r = at_hold(pool, at_choose(NULL, isIgnored, NULL, at_scalar_double(0), all, zero));
  if (reduction == NONE)
    return r;
  r = at_hold(pool, at_reduce(NULL, AT_SUM, r, (at_ints){0}, false, NULL, zero));
  if (reduction == SUM)
    return r;
  at_tensor *const isKept = at_hold(pool, at_logicalNot(NULL, isIgnored));
  at_tensor *share = at_cast(pool, isKept, logs->type);
  if (weight) {
    at_tensor *const safe = at_hold(pool, at_choose(NULL, isIgnored, NULL, zero, target, zero));
    const int64_t n = at_numel(safe);
    at_tensor *const flat = at_hold(pool, at_reshaped(safe, (at_ints){&n, 1}));
    at_tensor *own = at_hold(pool, at_indexSelect(NULL, weight, 0, flat));
    own = at_hold(pool, at_viewAs(own, at_sizesOf(target)));
    share = at_hold(pool, at_binary(NULL, AT_ROW_cmul, share, own, one));
  }
  share = at_hold(pool, at_reduce(NULL, AT_SUM, share, (at_ints){0}, false, NULL, zero));
  return at_hold(pool, at_binaryFloat(NULL, AT_ROW_cdiv, r, share));
}

at_tensor *at_crossEntropy(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction,
                           int64_t ignore_index, double label_smoothing)
{
  const at_ints own = at_sizesOf(self);
  reduction_of(reduction);
  if (own.count == 0 || !(label_smoothing >= 0 && label_smoothing <= 1))
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), and label_smoothing is %g, which has to be from "
             "0 to 1",
             at_sizeDesc(own).str, label_smoothing);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const logs = at_hold(&pool, at_nnSoftMax(NULL, true, self, own.count > 1, NULL));
  if (at_sameSizes(own, at_sizesOf(target))) {
    if (!at_isFloating(target->type->scalarType))
      at_raise(AT_ERROR_TYPE,
               "target is of %s, and has probabilities of classes, of a floating type",
               at_scalarTypeName(target->type->scalarType));
    return of_probabilities(&pool, logs, target, weight, reduction, label_smoothing);
  }
  at_tensor *r = at_hold(&pool, at_likelihoodOf(logs, target, weight, reduction, ignore_index));
  if (label_smoothing > 0) {
    const double each = label_smoothing / (double)own.data[own.count > 1];
    at_tensor *const smooth = smooth_part(&pool, logs, target, weight, reduction, ignore_index);
    r = at_hold(&pool,
                at_binaryScalar(NULL, AT_ROW_mul, r, at_scalar_double(1 - label_smoothing), one));
    r = at_hold(&pool, at_binary(NULL, AT_ROW_cadd, r, smooth, at_scalar_double(each)));
  }
  return at_finishOne(&pool, NULL, r);
}

/* The tensor, converted and brought together if need be. */
static void *brought(at_pool *pool, at_tensor *t, const at_type *type)
{
  return at_data(at_hold(pool, at_makeContiguous(at_cast(pool, t, type))));
}

at_tensor *at_crossEntropyDeviceGrad(at_tensor *grad, at_tensor *self, at_tensor *target,
                                     at_tensor *weight, int64_t reduction, int64_t ignored,
                                     double smoothing)
{
  const at_type *const type = at_computesIn(self->type);
  const at_ints own = at_sizesOf(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_newShape(type, own));
  const int64_t classes = own.data[own.count > 1], targets = at_numel(target);
  at_cross_entropy_work work = {.batch = own.count > 1 ? own.data[0] : 1,
                                .classes = classes,
                                .ignored = ignored,
                                .each = reduction == NONE,
                                .smoothing = smoothing,
                                .x = brought(&pool, self, type),
                                .grad = brought(&pool, grad, type),
                                .target = brought(&pool, target, at_toScalarType(type, AT_LONG)),
                                .dx = at_data(made)};
  if (weight)
    work.weight = brought(&pool, weight, type);
  if (reduction == MEAN) {
    const int64_t parts = THMin(targets / AT_CROSS_ENTROPY_PART + 1, AT_CROSS_ENTROPY_PARTS);
    work.parts = (int)parts;
    work.sums = at_data(at_hold(&pool, at_newShape(at_toScalarType(type, AT_DOUBLE),
                                                   (at_ints){&parts, 1})));
  }
  if (at_numel(made) > 0) {
    work.inner = targets / work.batch;
    at_cuda()->launch(AT_KERNEL_crossEntropyBackward, type->held, &work);
  }
  return at_finishOne(&pool, NULL, at_cast(&pool, made, self->type));
}

/* --- of pairs --------------------------------------------------------------------------------- */

/* max(0, t + margin) */
static at_tensor *above_margin(at_pool *pool, at_tensor *t, double margin)
{
  t = at_hold(pool, at_binaryScalar(NULL, AT_ROW_add_scaled, t, at_scalar_double(margin), one));
  return at_hold(pool, at_clamped(NULL, t, at_scalar_long(0), at_scalar_none()));
}

at_tensor *at_marginOfRanks(at_tensor *input1, at_tensor *input2, at_tensor *target, double margin,
                            int64_t reduction)
{
  reduction_of(reduction);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *t = at_hold(&pool, at_subtracted(NULL, input2, input1, one));
  t = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, t, target, one));
  return reduced(&pool, NULL, above_margin(&pool, t, margin), reduction);
}

/* t, of integers in Float. */
static at_tensor *as_floating(at_pool *pool, at_tensor *t)
{
  return at_isFloating(t->type->scalarType)
             ? t
             : at_cast(pool, t, at_toScalarType(t->type, at_defaultType()));
}

at_tensor *at_cosineEmbedding(at_tensor *input1, at_tensor *input2, at_tensor *target,
                              double margin, int64_t reduction)
{
  const int dims = at_sizesOf(target).count;
  reduction_of(reduction);
  if (dims > 1 || at_sizesOf(input1).count != dims + 1 || at_sizesOf(input2).count != dims + 1)
    at_raise(AT_ERROR_ARGUMENT,
             "target has size (%s), input1 (%s) and input2 (%s): a number for two "
             "vectors, or a vector for the rows of two matrices is expected",
             at_sizeDesc(at_sizesOf(target)).str, at_sizeDesc(at_sizesOf(input1)).str,
             at_sizeDesc(at_sizesOf(input2)).str);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const cosine =
      at_hold(&pool, at_cosineBetween(as_floating(&pool, input1), as_floating(&pool, input2), dims,
                                      1e-12));
  at_tensor *const isNear = at_hold(&pool, at_compareScalar(NULL, AT_ROW_eqValue, target, one));
  at_tensor *const isFar =
      at_hold(&pool, at_compareScalar(NULL, AT_ROW_eqValue, target, at_scalar_long(-1)));
  at_tensor *const far = above_margin(&pool, cosine, -margin);
  at_tensor *near = at_hold(&pool, at_unary(NULL, AT_ROW_neg, cosine));
  near = at_hold(&pool, at_binaryScalar(NULL, AT_ROW_add_scaled, near, one, one));
  at_tensor *r = at_hold(&pool, at_choose(NULL, isFar, far, zero, NULL, at_scalar_double(0)));
  r = at_hold(&pool, at_choose(NULL, isNear, near, zero, r, zero));
  return reduced(&pool, NULL, r, reduction);
}

at_tensor *at_tripletMargin(at_tensor *anchor, at_tensor *positive, at_tensor *negative,
                            double margin, double p, double eps, bool swap, int64_t reduction)
{
  reduction_of(reduction);
  if (!(margin > 0))
    at_raise(AT_ERROR_ARGUMENT, "margin is %g, and has to be above 0", margin);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const near = at_hold(&pool, at_pairDistance(anchor, positive, p, eps, false));
  at_tensor *far = at_hold(&pool, at_pairDistance(anchor, negative, p, eps, false));
  if (swap) {
    at_tensor *const other = at_hold(&pool, at_pairDistance(positive, negative, p, eps, false));
    far = at_hold(&pool, at_binary(NULL, AT_ROW_cmin, far, other, one));
  }
  at_tensor *const t = at_hold(&pool, at_subtracted(NULL, near, far, one));
  return reduced(&pool, NULL, above_margin(&pool, t, margin), reduction);
}
