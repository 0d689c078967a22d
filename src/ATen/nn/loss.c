/* Losses. */
#include <math.h>

#include "ATen/core/ATenOperations.h"

static const at_scalar none;
static const at_ints noSizes = {NULL, 0};

/* The loss of an empty input: 0 for a sum, 0 / 0 for a mean. */
static at_scalar of_nothing(at_summing how)
{
  return at_scalar_double(how.average ? (double)NAN : 0);
}

/* The first of two results; the second is not wanted. */
static at_tensor *first_of(at_tensor *out, at_tensor **made)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_hold(&pool, made[0]);
  at_hold(&pool, made[1]);
  return at_finishOne(&pool, out, made[0]);
}

static bool is_empty(at_ints sizes)
{
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] == 0)
      return true;
  return false;
}

/* The gradient of a loss in type compute: one element if the loss was summed, else of that size. */
static at_tensor *loss_gradient(at_pool *pool, at_tensor *grad_output, const at_type *compute,
                                bool single, at_ints sizes)
{
  at_tensor *g = at_layerCast(pool, grad_output, compute);
  if (single && at_numel(g) != 1)
    at_raise(AT_ERROR_ARGUMENT, "grad_output has size (%s), and the loss is one number",
             at_sizeDesc(at_sizesOf(g)).str);
  if (at_sameSizes(at_sizesOf(g), sizes) || (at_numel(g) == 1 && (single || sizes.count == 0)))
    return g;
  at_checkBroadcast(g, sizes);
  return at_hold(pool, at_newExpanded(g, sizes));
}

/* --- element by element ---------------------------------------------------------------------- */

/* The operands and the result of a loss: x, target, weight, and in backward the gradient g. */
typedef struct {
  void *x, *t, *w, *g, *r;
} Pair;

typedef void (*Loss)(const at_type *type, const Pair *p, at_summing how);

/* X(NAME, layer, the arguments after the tensors) */
#define FOR_EACH_LOSS(X)                                   \
  X(BCE, BCECriterion, how.average, p->w, how.reduce)      \
  X(KL_DIV, DistKLDivCriterion, how.average, how.reduce)   \
  X(L1, AbsCriterion, how.average, how.reduce)             \
  X(MSE, MSECriterion, how.average, how.reduce)            \
  X(SMOOTH_L1, SmoothL1Criterion, how.average, how.reduce) \
  X(SOFT_MARGIN, SoftMarginCriterion, how.average, how.reduce)

/* clang-format off */
#define FUNCTIONS(NAME, LAYER, ...)                                              \
  static void forward_##NAME(const at_type *type, const Pair *p, at_summing how) \
  { AT_OF(type, LAYER##_updateOutput)(p->x, p->t, p->r, __VA_ARGS__); }          \
  static void back_##NAME(const at_type *type, const Pair *p, at_summing how)    \
  { AT_OF(type, LAYER##_updateGradInput)(p->x, p->t, p->g, p->r, __VA_ARGS__); }
/* clang-format on */
FOR_EACH_LOSS(FUNCTIONS)

#define ENTRY(NAME, ...) [AT_LOSS_##NAME] = {forward_##NAME, back_##NAME},
static const struct {
  Loss forward, back;
} losses[AT_LOSSES] = {FOR_EACH_LOSS(ENTRY)};

/* The element type of the loss of self and target. */
static at_scalar_type loss_type(at_loss loss, at_tensor *self, at_tensor *target, at_tensor *weight)
{
  at_tensor *const in[] = {self, target};
  if (loss == AT_LOSS_BCE) {
    at_layerSame(self, target, "target");
    at_layerSame(self, weight, "weight");
  }
  if (loss == AT_LOSS_KL_DIV)
    at_layerType(target);
  return loss == AT_LOSS_SOFT_MARGIN ? self->type->scalarType : at_resultType(2, in, NULL);
}

at_tensor *at_nnLoss(at_tensor *out, at_loss loss, at_tensor *self, at_tensor *target,
                     at_tensor *weight, at_summing how)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {self, target};
  const at_ints sizes = at_broadcast(2, in, buffer);
  const at_scalar_type type = loss_type(loss, self, target, weight);
  const at_type *compute = at_layerTypeOf(self->type, type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = how.reduce ? at_layerResult(&pool, out, type, compute, noSizes)
                            : at_layerResultFor(&pool, out, type, compute, sizes, 2, in);
  const Pair p = {at_layerInAs(&pool, self, compute, sizes),
                  at_layerInAs(&pool, target, compute, sizes),
                  at_layerInAs(&pool, weight, compute, sizes), NULL, r->th};
  if (!is_empty(sizes))
    losses[loss].forward(compute, &p, how);
  else if (how.reduce)
    at_fillWith(r, of_nothing(how));
  return at_layerEnd(&pool, out, r, type);
}

at_tensor *at_nnLossBackward(at_tensor *out, at_loss loss, at_tensor *grad_output, at_tensor *self,
                             at_tensor *target, at_tensor *weight, at_summing how)
{
  const at_ints sizes = at_sizesOf(self);
  const at_scalar_type type = self->type->scalarType;
  const at_type *compute = at_layerTypeOf(self->type, loss_type(loss, self, target, weight));
  at_layerType(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_layerResultFor(&pool, out, type, compute, sizes, 1, &self);
  at_tensor *g = loss_gradient(&pool, grad_output, compute, how.reduce, sizes);
  const Pair p = {at_layerIn(&pool, self, compute), at_layerInAs(&pool, target, compute, sizes),
                  at_layerInAs(&pool, weight, compute, sizes), g->th, r->th};
  if (at_numel(r) > 0)
    losses[loss].back(compute, &p, how);
  return at_layerEnd(&pool, out, r, type);
}

/* self where target is not -1, plus max(0, margin - self) where target is not 1. */
at_tensor *at_nnHingeEmbedding(at_tensor *self, at_tensor *target, double margin, at_summing how)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {self, target};
  const at_ints sizes = at_broadcast(2, in, buffer);
  const at_type *compute = at_layerType(self);
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerInAs(&pool, self, compute, sizes);
  void *t = at_layerInAs(&pool, target, compute, sizes);
  at_tensor *r = at_layerNew(&pool, compute, sizes), *below = at_layerNew(&pool, compute, sizes);
  THByteTensor *mask =
      (THByteTensor *)at_layerNew(&pool, at_toScalarType(compute, AT_BYTE), sizes)->th;
  if (at_numel(r) > 0) {
    at_rowOf(compute, AT_ROW_mul)(r->th, x, NULL, NULL, at_scalar_long(1), none);
    AT_OF(compute, eqValue)(mask, t, at_scalar_long(-1));
    AT_OF(compute, maskedFill)(r->th, mask, at_scalar_long(0));
    at_rowOf(compute, AT_ROW_neg)(below->th, x, NULL, NULL, none, none);
    at_rowOf(compute, AT_ROW_add)(below->th, below->th, NULL, NULL, at_scalar_double(margin), none);
    at_rowOf(compute, AT_ROW_cmaxValue)(below->th, below->th, NULL, NULL, at_scalar_long(0), none);
    AT_OF(compute, eqValue)(mask, t, at_scalar_long(1));
    AT_OF(compute, maskedFill)(below->th, mask, at_scalar_long(0));
    at_rowOf(compute, AT_ROW_cadd)(r->th, r->th, below->th, NULL, at_scalar_long(1), none);
  }
  if (how.reduce && at_numel(r) == 0)
    r = at_fillWith(at_layerNew(&pool, compute, noSizes), of_nothing(how));
  else if (how.reduce)
    r = at_hold(&pool,
                at_reduce(NULL, how.average ? AT_MEAN : AT_SUM, r, noSizes, false, NULL, none));
  return at_layerEnd(&pool, NULL, r, self->type->scalarType);
}

/* --- the class of each input ----------------------------------------------------------------- */

/* Raises unless self has classes for each input, or for each pixel of an image, target a class for
 * each of them, and weight, if given, an element for each class. */
static void check_classes(const at_tensor *self, const at_tensor *target, const at_tensor *weight,
                          bool isImage, int fewest)
{
  const at_ints sizes = at_sizesOf(self), targets = at_sizesOf(target);
  const int dims = isImage ? 3 : 1;
  bool fits = sizes.count >= (isImage ? 4 : fewest) && sizes.count <= dims + 1;
  if (fits && sizes.count == dims + 1) {
    fits = targets.count == dims && targets.data[0] == sizes.data[0];
    for (int d = 1; fits && d < dims; d++)
      fits = targets.data[d] == sizes.data[d + 1];
  } else if (fits) {
    fits = targets.count < 2 && at_numel(target) == 1;
  }
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s) and target (%s): %s is expected",
             at_sizeDesc(sizes).str, at_sizeDesc(targets).str,
             isImage ? "batch x classes x height x width and batch x height x width"
                     : "classes or batch x classes and a class for each input");
  at_layerSame(self, weight, "weight");
  const int64_t classes = sizes.count == dims + 1 ? sizes.data[1] : at_numel(self);
  if (weight && (at_sizesOf(weight).count > 1 || at_numel(weight) != classes))
    at_raise(AT_ERROR_ARGUMENT,
             "weight has size (%s), self has (%s): one for each of %lld classes "
             "is expected",
             at_sizeDesc(at_sizesOf(weight)).str, at_sizeDesc(sizes).str, (long long)classes);
}

/* Whether self is a single input, not a batch. */
static bool is_single(const at_tensor *self)
{
  return at_sizesOf(self).count < 2;
}

/* The size of the loss. */
static at_ints loss_sizes(const at_tensor *self, const at_tensor *target, at_summing how)
{
  return how.reduce || is_single(self) ? noSizes : at_sizesOf(target);
}

/* The mean r, or NaN where the weights are 0 together; a device is not waited for. */
static at_tensor *mean_of_some(at_pool *pool, at_tensor *r, at_tensor *total)
{
  at_scalar sum;
  if (!at_isOnHost(r->type)) {
    at_tensor *const isSome =
        at_hold(pool, at_compareScalar(NULL, AT_ROW_neValue, total, at_scalar_long(0)));
    return at_hold(pool, at_choose(NULL, isSome, r, at_scalar_long(0), NULL,
                                   at_scalar_double((double)NAN)));
  }
  r->type->memory->first(total->th, &sum);
  return at_scalar_toDouble(sum) == 0 ? at_fillWith(r, at_scalar_double((double)NAN)) : r;
}

void at_nnNll(at_tensor **out, bool isImage, at_tensor *self, at_tensor *target, at_tensor *weight,
              int64_t ignore_index, at_summing how)
{
  const at_type *compute = at_layerType(self);
  check_classes(self, target, weight, isImage, 1);
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute), *w = at_layerIn(&pool, weight, compute);
  THLongTensor *t =
      (THLongTensor *)at_layerIndices(&pool, target, "target", isImage ? AT_LONG : AT_BYTE)->th;
  at_tensor *r = at_layerNew(&pool, compute, loss_sizes(self, target, how));
  at_tensor *total = at_fillWith(at_layerNew(&pool, compute, noSizes), at_scalar_long(0));
  if (at_numel(target) == 0 && how.reduce)
    at_fillWith(r, at_scalar_long(0));
  else if (at_numel(target) > 0 && isImage)
    AT_OF(compute, SpatialClassNLLCriterion_updateOutput)(x, t, r->th, how.average, w, total->th,
                                                          ignore_index, how.reduce);
  else if (at_numel(target) > 0)
    AT_OF(compute, ClassNLLCriterion_updateOutput)(x, t, r->th, how.average, w, total->th,
                                                   ignore_index, how.reduce);
  if (how.average)
    r = mean_of_some(&pool, r, total);
  at_tensor *const made[] = {at_layerCast(&pool, r, self->type),
                             at_layerCast(&pool, total, self->type)};
  at_finish(&pool, 2, out, made);
}

at_tensor *at_nnNllLoss(at_tensor *out, bool isImage, at_tensor *self, at_tensor *target,
                        at_tensor *weight, int64_t ignore_index, at_summing how)
{
  at_tensor *made[2] = {NULL};
  at_nnNll(made, isImage, self, target, weight, ignore_index, how);
  return first_of(out, made);
}

at_tensor *at_nnNllBackward(at_tensor *out, bool isImage, at_tensor *grad_output, at_tensor *self,
                            at_tensor *target, at_tensor *weight, int64_t ignore_index,
                            at_tensor *total_weight, at_summing how)
{
  const at_type *compute = at_layerType(self);
  check_classes(self, target, weight, isImage, 1);
  at_layerSame(self, grad_output, "grad_output");
  at_layerSame(self, total_weight, "total_weight");
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_layerResult(&pool, out, self->type->scalarType, compute, at_sizesOf(self));
  void *x = at_layerIn(&pool, self, compute), *w = at_layerIn(&pool, weight, compute);
  void *total = at_layerIn(&pool, total_weight, compute);
  void *g =
      loss_gradient(&pool, grad_output, compute, how.reduce || is_single(self), at_sizesOf(target))
          ->th;
  THLongTensor *t =
      (THLongTensor *)at_layerIndices(&pool, target, "target", isImage ? AT_LONG : AT_BYTE)->th;
  if (at_numel(self) > 0 && isImage)
    AT_OF(compute, SpatialClassNLLCriterion_updateGradInput)(x, t, g, r->th, how.average, w, total,
                                                             ignore_index, how.reduce);
  else if (at_numel(self) > 0)
    AT_OF(compute, ClassNLLCriterion_updateGradInput)(x, t, g, r->th, how.average, w, total,
                                                      ignore_index, how.reduce);
  return at_layerEnd(&pool, out, r, self->type->scalarType);
}

/* --- margins --------------------------------------------------------------------------------- */

static void not_without_classes(const at_tensor *self)
{
  const at_ints sizes = at_sizesOf(self);
  if (sizes.count > 0 && sizes.data[sizes.count - 1] == 0)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and so no classes", at_sizeDesc(sizes).str);
}

static int power_of(at_scalar p)
{
  const double power = trunc(at_scalar_toDouble(p));
  if (power != 1 && power != 2)
    at_raise(AT_ERROR_ARGUMENT, "p is %g, and has to be 1 or 2", at_scalar_toDouble(p));
  return (int)power;
}

at_tensor *at_nnMultiMargin(at_tensor *out, at_tensor *self, at_tensor *target, at_scalar p,
                            at_scalar margin, at_tensor *weight, at_summing how)
{
  const at_scalar_type type = self->type->scalarType;
  const int power = power_of(p);
  const at_type *compute = at_layerType(self);
  check_classes(self, target, weight, false, 0);
  not_without_classes(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r =
      at_layerResult(&pool, out, type, compute, how.reduce ? noSizes : at_sizesOf(target));
  void *x = at_layerIn(&pool, self, compute), *w = at_layerIn(&pool, weight, compute);
  THLongTensor *t = (THLongTensor *)at_layerIndices(&pool, target, "target", AT_LONG)->th;
  if (at_numel(self) > 0)
    AT_OF(compute, MultiMarginCriterion_updateOutput)(x, t, r->th, how.average, power, w, margin,
                                                      how.reduce);
  else if (how.reduce)
    at_fillWith(r, of_nothing(how));
  return at_layerEnd(&pool, out, r, type);
}

at_tensor *at_nnMultiMarginBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                                    at_tensor *target, at_scalar p, at_scalar margin,
                                    at_tensor *weight, at_summing how)
{
  const at_scalar_type type = self->type->scalarType;
  const int power = power_of(p);
  const at_type *compute = at_layerType(self);
  check_classes(self, target, weight, false, 0);
  not_without_classes(self);
  at_layerSame(self, grad_output, "grad_output");
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_layerResult(&pool, out, type, compute, at_sizesOf(self));
  void *x = at_layerIn(&pool, self, compute), *w = at_layerIn(&pool, weight, compute);
  void *g =
      loss_gradient(&pool, grad_output, compute, how.reduce || is_single(self), at_sizesOf(target))
          ->th;
  THLongTensor *t = (THLongTensor *)at_layerIndices(&pool, target, "target", AT_LONG)->th;
  if (at_numel(self) > 0)
    AT_OF(compute, MultiMarginCriterion_updateGradInput)(x, t, g, r->th, how.average, power, w,
                                                         margin, how.reduce);
  return at_layerEnd(&pool, out, r, type);
}

static void check_labels(const at_tensor *self, const at_tensor *target)
{
  const at_ints sizes = at_sizesOf(self), targets = at_sizesOf(target);
  not_without_classes(self);
  if (sizes.count > 2 || at_numel(self) != at_numel(target) ||
      (sizes.count == 2 ? !at_sameSizes(sizes, targets) : targets.count > 1))
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s) and target (%s): the same, classes or batch x classes, is "
             "expected",
             at_sizeDesc(sizes).str, at_sizeDesc(targets).str);
}

/* The size of the loss: none if it is summed or self is a single input, else the batch. */
static at_ints label_sizes(const at_tensor *self, at_summing how)
{
  const at_ints batch = {self->th->size, 1};
  return how.reduce || is_single(self) ? noSizes : batch;
}

void at_nnMultiLabel(at_tensor **out, at_tensor *self, at_tensor *target, at_summing how)
{
  const at_type *compute = at_layerType(self);
  check_labels(self, target);
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute);
  THLongTensor *t = (THLongTensor *)at_layerIndices(&pool, target, "target", AT_LONG)->th;
  at_tensor *r = at_layerNew(&pool, compute, label_sizes(self, how));
  at_tensor *is = at_layerNew(&pool, compute, at_sizesOf(target));
  if (at_numel(self) > 0)
    AT_OF(compute, MultiLabelMarginCriterion_updateOutput)(x, t, r->th, is->th, how.average,
                                                           how.reduce);
  else if (how.reduce)
    at_fillWith(r, of_nothing(how));
  at_tensor *const made[] = {at_layerCast(&pool, r, self->type),
                             at_layerCast(&pool, is, self->type)};
  at_finish(&pool, 2, out, made);
}

at_tensor *at_nnMultiLabelLoss(at_tensor *out, at_tensor *self, at_tensor *target, at_summing how)
{
  at_tensor *made[2] = {NULL};
  at_nnMultiLabel(made, self, target, how);
  return first_of(out, made);
}

at_tensor *at_nnMultiLabelBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                                   at_tensor *target, at_tensor *is_target, at_summing how)
{
  const at_scalar_type type = self->type->scalarType;
  const at_type *compute = at_layerType(self);
  check_labels(self, target);
  at_layerSame(self, grad_output, "grad_output");
  at_layerSame(self, is_target, "is_target");
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_layerResult(&pool, out, type, compute, at_sizesOf(self));
  void *x = at_layerIn(&pool, self, compute), *is = at_layerIn(&pool, is_target, compute);
  void *g = loss_gradient(&pool, grad_output, compute, how.reduce || is_single(self),
                          label_sizes(self, how))
                ->th;
  THLongTensor *t = (THLongTensor *)at_layerIndices(&pool, target, "target", AT_LONG)->th;
  if (at_numel(self) > 0)
    AT_OF(compute, MultiLabelMarginCriterion_updateGradInput)(x, t, g, r->th, is, how.average,
                                                              how.reduce);
  return at_layerEnd(&pool, out, r, type);
}
