/* Batch normalization over the batches of several processes. */
#include <stdlib.h>
#include <string.h>

#include "ATenGrad.h"
#include "ATenLayerFields.h"

enum { WEIGHT, BIAS, MEAN = 0, VARIANCE, COUNT };

_Static_assert(sizeof(at_SyncBatchNorm_fields) == sizeof(at_BatchNorm1d_fields) &&
                   sizeof(at_SyncBatchNorm_fields) == sizeof(at_BatchNorm2d_fields) &&
                   sizeof(at_SyncBatchNorm_fields) == sizeof(at_BatchNorm3d_fields),
               "one becomes the other");

/* --- sums over processes ---------------------------------------------------------------------- */

typedef struct Sum {
  at_module_summing function;
  void *context;
} Sum;

static at_tensor *sum_forward(void *context, at_tensors inputs)
{
  const Sum *const sum = context;
  at_tensor *const made = at_clone(inputs.data[0]);
  return at_defined(made) && sum->function(made, sum->context) ? made : at_undefined();
}

static at_tensor *summed(Sum sum, at_tensor *t);

/* An element of one process is part of all sums: its gradient is the sum of theirs. */
static bool sum_backward(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  (void)count;
  at_tensor *const made = summed(*(const Sum *)context, grad);
  gradients[0] = at_defined(made) ? at_retain(made) : NULL;
  return at_defined(made);
}

static at_tensor *summed(Sum sum, at_tensor *t)
{
  static const at_grad_function function = {"sum over processes", sum_forward, sum_backward, free};
  if (!sum.function || !at_defined(t))
    return t;
  Sum *const own = at_moduleAlloc("SyncBatchNorm", 1, sizeof *own);
  if (!own)
    return at_undefined();
  *own = sum;
  return at_apply(&function, own, AT_TENSORS(t));
}

/* --- the layer -------------------------------------------------------------------------------- */

/* t (channels) for each element of x. */
static at_tensor *for_each(at_tensor *t, at_tensor *x)
{
  int64_t sizes[AT_LAYER_DIMS] = {1, -1};
  for (int i = 2; i < at_dim(x); i++)
    sizes[i] = 1;
  return at_reshape(t, ((at_ints){sizes, at_dim(x)}));
}

/* The sums of t over all dimensions but that of the channels. */
static at_tensor *channel_sums(at_tensor *t)
{
  int64_t others[AT_LAYER_DIMS] = {0};
  for (int i = 2; i < at_dim(t); i++)
    others[i - 1] = i;
  return at_sum_dim(t, ((at_ints){others, at_dim(t) - 1}));
}

/* Moves the statistics towards those of this batch, of count elements a channel. */
static void remember(at_module *self, at_tensor *mean, at_tensor *variance, at_tensor *count,
                     double momentum)
{
  AT_NO_GRAD
  {
    at_tensor *const tracked = at_bufferAt(self, COUNT);
    at_add_(tracked, 1);
    const double part = momentum != momentum ? 1 / at_item_double(tracked) : momentum;
    at_tensor *const of[] = {mean, at_mul(variance, at_div(count, at_sub(count, 1)))};
    for (int i = 0; i < 2; i++) {
      at_tensor *const to = at_bufferAt(self, MEAN + i);
      at_lerp_(to, at_to(of[i], at_typeOf(to)), part);
    }
  }
}

static at_tensor *normalized(at_module *self, at_tensor *input, double momentum, double eps)
{
  const Sum sum = {self->sum, self->sumContext};
  const at_type *const type = at_typeOf(input);
  const at_scalar_type wide = at_type_scalarType(type) == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT;
  at_tensor *const x = at_to(input, at_toScalarType(type, wide));
  if (!at_defined(x))
    return x;
  const int64_t channels = at_size(x, 1);
  const double own = channels ? (double)(at_numel(x) / channels) : 0;
  at_tensor *const sums =
      summed(sum,
             at_cat(AT_TENSORS(channel_sums(x), at_full(AT_INTS(1), own, .type = at_typeOf(x)))));
  at_tensor *const count = at_detach(at_narrow(sums, 0, channels, 1));
  if (at_item_double(count) < 2) {
    at_misfit(self, "there is one number for each channel in training, in all processes together");
    return at_undefined();
  }
  at_tensor *const mean = at_div(at_narrow(sums, 0, 0, channels), count);
  at_tensor *const away = at_sub(x, for_each(mean, x));
  at_tensor *const variance = at_div(summed(sum, channel_sums(at_mul(away, away))), count);
  at_tensor *made = at_mul(away, for_each(at_rsqrt(at_add(variance, eps)), x));
  at_tensor *const weight = at_parameterAt(self, WEIGHT), *const bias = at_parameterAt(self, BIAS);
  made = weight ? at_mul(made, for_each(weight, x)) : made;
  made = bias ? at_add(made, for_each(bias, x)) : made;
  if (at_bufferAt(self, MEAN) && self->training && at_defined(made))
    remember(self, mean, variance, count, momentum);
  return at_to(made, type);
}

at_tensor *at_normalizeTogether(at_module *self, at_tensor *input, double momentum, double eps)
{
  at_tensor *const mean = at_bufferAt(self, MEAN);
  const at_SyncBatchNorm_fields *const own = at_module_own(self);
  if (at_dim(input) < 2 || at_dim(input) > AT_LAYER_DIMS ||
      at_size(input, 1) != own->num_features) {
    at_misfit(self, "input is of size %s, and has to be batch x %lld x ...",
              at_sizeDesc(at_sizesOf(input)).str, (long long)own->num_features);
    return at_undefined();
  }
  if (self->training || !mean)
    return normalized(self, input, momentum, eps);
  return at_batch_norm(input, at_parameterAt(self, WEIGHT), at_parameterAt(self, BIAS), mean,
                       at_bufferAt(self, VARIANCE), false, 0, eps, true);
}

/* --- conversion ------------------------------------------------------------------------------- */

static void convert(at_module *module, void *context)
{
  const Sum *const sum = context;
  const at_module_kind *const kind = module->kind;
  if (kind == &at_kind_BatchNorm1d || kind == &at_kind_BatchNorm2d || kind == &at_kind_BatchNorm3d)
    module->kind = &at_kind_SyncBatchNorm;
  if (module->kind == &at_kind_SyncBatchNorm)
    module->sum = sum->function, module->sumContext = sum->context;
}

bool at_module_sync_batchnorm(at_module *self, at_module_summing sum, void *context)
{
  Sum how = {sum, context};
  if (!at_acceptModule("module_sync_batchnorm", self) ||
      !at_acceptPointer("module_sync_batchnorm", "sum", (const void *)sum))
    return false;
  at_module_apply(self, convert, &how);
  return true;
}
