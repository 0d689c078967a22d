/* Activations. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/random/drawn.h"
#include "THNN/activation/Pointwise.h"

static const at_scalar none;

/* --- element by element ---------------------------------------------------------------------- */

typedef void (*Layer)(const at_type *type, void *r, void *const *in, at_scalar a, at_scalar b);

/* A layer: its name, the kernel of THNN (its row and direction), THNN's function, and its arguments: the
 * result r, the operands in and the scalars a and b. */
/* clang-format off */
#define LAYER(NAME, ROW, DIRECTION, FUNCTION, ...)                                                  \
  static void layer_##NAME(const at_type *type, void *r, void *const *in, at_scalar a, at_scalar b) \
  { AT_OF(type, FUNCTION)(__VA_ARGS__); }
#define FOR_EACH_LAYER(X)                                                                                \
  X(ELU,                  ELU,        forward,  ELU_updateOutput, in[0], r, a, b, false)                 \
  X(ELU_BACKWARD,         ELU,        gradient, ELU_updateGradInput, in[0], r, in[1], a, b)              \
  X(HARDSHRINK,           HardShrink, forward,  HardShrink_updateOutput, in[0], r, a)                    \
  X(HARDSHRINK_BACKWARD,  HardShrink, gradient, HardShrink_updateGradInput, in[1], in[0], r, a)          \
  X(HARDTANH_BACKWARD,    HardTanh,   gradient, HardTanh_updateGradInput, in[1], in[0], r, a, b, false)  \
  X(LEAKY_RELU,           LeakyReLU,  forward,  LeakyReLU_updateOutput, in[0], r, a, false)              \
  X(LEAKY_RELU_BACKWARD,  LeakyReLU,  gradient, LeakyReLU_updateGradInput, in[1], in[0], r, a, false)    \
  X(LOG_SIGMOID,          LogSigmoid, forward,  LogSigmoid_updateOutput, in[0], r, NULL)                 \
  X(LOG_SIGMOID_BACKWARD, LogSigmoid, gradient, LogSigmoid_updateGradInput, in[1], in[0], r, NULL)       \
  X(SIGMOID_BACKWARD,     Sigmoid,    gradient, Sigmoid_updateGradInput, in[0], r, in[1])                \
  X(SOFTPLUS,             SoftPlus,   forward,  SoftPlus_updateOutput, in[0], r, a, b)                   \
  X(SOFTPLUS_BACKWARD,    SoftPlus,   gradient, SoftPlus_updateGradInput, in[1], in[0], r, NULL, a, b)   \
  X(SOFTSHRINK,           SoftShrink, forward,  SoftShrink_updateOutput, in[0], r, a)                    \
  X(SOFTSHRINK_BACKWARD,  SoftShrink, gradient, SoftShrink_updateGradInput, in[1], in[0], r, a)          \
  X(TANH_BACKWARD,        Tanh,       gradient, Tanh_updateGradInput, in[0], r, in[1])                   \
  X(THRESHOLD,            Threshold,  forward,  Threshold_updateOutput, in[0], r, a, b, false)           \
  X(THRESHOLD_BACKWARD,   Threshold,  gradient, Threshold_updateGradInput, in[1], in[0], r, a, b, false)
/* clang-format on */
FOR_EACH_LAYER(LAYER)

#define ENTRY(NAME, ...) [AT_LAYER_##NAME] = layer_##NAME,
static const Layer layers[AT_LAYERS] = {FOR_EACH_LAYER(ENTRY)};

static THKernel kernel_of(at_layer layer)
{
  switch (layer) {
    /* clang-format off */
#define KERNEL(NAME, ROW, DIRECTION, ...) case AT_LAYER_##NAME: return THNN_floatKernels(THNN_##ROW)->DIRECTION;
    /* clang-format on */
    FOR_EACH_LAYER(KERNEL)
    case AT_LAYERS:
      break;
  }
  return NULL;
}

/* Computes Half and BFloat16 in Float block by block: each block is converted, computed and
 * converted back. */
static at_tensor *activate_mixed(at_tensor *out, at_layer layer, const at_type *result,
                                 at_ints sizes, int count, at_tensor *const *in, at_scalar a,
                                 at_scalar b)
{
  const THNN_FloatScalars scalars = {
      .a = (float)at_scalar_toDouble(a), .b = (float)at_scalar_toDouble(b), .scale = 1};
  const bool direct = out && out->type == result && at_sameSizes(at_sizesOf(out), sizes);
  at_tensor *expanded[AT_INPUTS] = {NULL};
  at_pool pool;
  at_pool_enter(&pool);
  for (int i = 0; i < count; i++)
    expanded[i] = at_brought(&pool, in[i], sizes, in[i]->type);
  at_tensor *const r = direct ? out : at_hold(&pool, at_newFor(result, sizes, count, in));
  if (at_numel(r) > 0)
    at_layerMixed(r, kernel_of(layer), &scalars, at_computesIn(result), count, expanded);
  return at_finishOne(&pool, out, r);
}

/* in: the input; or in backward, the gradient of the output, and the input or output. */
static at_tensor *activate(at_tensor *out, at_layer layer, int count, at_tensor *const *in,
                           at_scalar a, at_scalar b)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_broadcast(count, in, buffer);
  const at_scalar_type type = at_resultType(count, in, NULL);
  const at_type *compute = at_layerTypeOf(in[0]->type, type);
  if (type != compute->scalarType && at_isOnHost(compute)) {
    if (out)
      at_checkResult(out, NULL, sizes, type);
    return activate_mixed(out, layer, at_toScalarType(compute, type), sizes, count, in, a, b);
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_layerResultFor(&pool, out, type, compute, sizes, count, in);
  void *operands[AT_INPUTS] = {NULL};
  for (int i = 0; i < count; i++)
    operands[i] = at_layerInAs(&pool, in[i], compute, sizes);
  if (at_numel(r) > 0)
    layers[layer](compute, r->th, operands, a, b);
  return at_layerEnd(&pool, out, r, type);
}

at_tensor *at_nnActivate(at_tensor *out, at_layer layer, at_tensor *self, at_scalar a, at_scalar b)
{
  return activate(out, layer, 1, &self, a, b);
}

at_tensor *at_nnActivateBackward(at_tensor *out, at_layer layer, at_tensor *grad_output,
                                 at_tensor *self, at_scalar a, at_scalar b)
{
  at_tensor *const in[] = {grad_output, self};
  return activate(out, layer, 2, in, a, b);
}

at_tensor *at_nnEluBackward(at_tensor *out, at_tensor *grad_output, at_scalar alpha,
                            at_scalar scale, at_tensor *output)
{
  if (at_scalar_toDouble(alpha) < 0)
    at_raise(AT_ERROR_ARGUMENT, "alpha is %g: the output does not tell where the input is negative",
             at_scalar_toDouble(alpha));
  return at_nnActivateBackward(out, AT_LAYER_ELU_BACKWARD, grad_output, output, alpha, scale);
}

at_tensor *at_nnSoftShrink(at_tensor *out, at_tensor *self, at_scalar lambd)
{
  if (!(at_scalar_toDouble(lambd) >= 0))
    at_raise(AT_ERROR_ARGUMENT, "lambd is %g, and has to be at least 0", at_scalar_toDouble(lambd));
  return at_nnActivate(out, AT_LAYER_SOFTSHRINK, self, lambd, none);
}

/* --- those that integers have, too ----------------------------------------------------------- */

static void not_of_bool(const at_tensor *self)
{
  if (self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of Bool");
}

/* The integer part of a, limited to the range of type. */
static at_scalar nearest(const at_type *type, at_scalar a)
{
  const int bits = 8 * (int)type->elementSize;
  const bool isByte = type->scalarType == AT_BYTE;
  const int64_t most = isByte ? UINT8_MAX : INT64_MAX >> (64 - bits);
  const int64_t least = isByte ? 0 : -most - 1;
  const double number = at_scalar_toDouble(a);
  if (a.is_float && !(fabs(number) < 0x1p63))
    return at_scalar_long(number < 0 ? least : most);
  return at_scalar_long(THMin(THMax(at_scalar_toLong(a), least), most));
}

at_tensor *at_nnHardTanh(at_tensor *out, at_tensor *self, at_scalar min_val, at_scalar max_val)
{
  not_of_bool(self);
  if (!at_isFloating(self->type->scalarType)) {
    min_val = nearest(self->type, min_val);
    max_val = nearest(self->type, max_val);
  }
  return at_pointwise(out, AT_ROW_clamp, self->type->scalarType, 1, &self, min_val, max_val);
}

at_tensor *at_nnRelu(at_tensor *out, at_tensor *self)
{
  not_of_bool(self);
  return at_pointwise(out, AT_ROW_cmaxValue, self->type->scalarType, 1, &self, at_scalar_long(0),
                      none);
}

/* x in type, and value where self is at most threshold. */
static at_tensor *masked(at_tensor *out, at_tensor *x, at_tensor *self, at_scalar_type type,
                         at_scalar threshold, at_scalar value)
{
  int64_t buffer[AT_MOST_DIMS];
  at_tensor *const in[] = {x, self};
  const at_ints sizes = at_broadcast(2, in, buffer);
  const at_type *compute = at_toScalarType(x->type, type);
  if (out)
    at_checkResult(out, x, sizes, type);
  if (threshold.is_float)
    threshold = at_scalar_long(at_scalar_toLong(threshold));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_layerNew(&pool, compute, sizes);
  at_tensor *mask = at_layerNew(&pool, at_toScalarType(compute, AT_BYTE), sizes);
  at_copyFrom(r, x);
  if (at_numel(r) > 0) {
    AT_OF(compute, leValue)((THByteTensor *)mask->th, at_layerInAs(&pool, self, compute, sizes),
                            threshold);
    AT_OF(compute, maskedFill)(r->th, (THByteTensor *)mask->th, value);
  }
  return at_finishOne(&pool, out, r);
}

at_tensor *at_nnThreshold(at_tensor *out, at_tensor *self, at_scalar threshold, at_scalar value)
{
  not_of_bool(self);
  if (at_isFloating(self->type->scalarType))
    return at_nnActivate(out, AT_LAYER_THRESHOLD, self, threshold, value);
  return masked(out, self, self, self->type->scalarType, threshold, value);
}

at_tensor *at_nnThresholdBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                                  at_scalar threshold)
{
  at_tensor *const in[] = {grad_output, self};
  const at_scalar_type type = at_resultType(2, in, NULL);
  if (type == AT_BOOL)
    not_of_bool(self);
  if (at_isFloating(type))
    return at_nnActivateBackward(out, AT_LAYER_THRESHOLD_BACKWARD, grad_output, self, threshold,
                                 none);
  return masked(out, grad_output, self, type, threshold, at_scalar_long(0));
}

/* --- LogSigmoid ------------------------------------------------------------------------------ */

void at_nnLogSigmoid(at_tensor **out, at_tensor *self)
{
  const at_type *compute = at_layerType(self);
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute);
  at_tensor *r = at_hold(&pool, at_newLike(compute, self));
  at_tensor *buffer = at_hold(&pool, at_newLike(compute, self));
  if (at_numel(self) > 0) {
    AT_OF(compute, LogSigmoid_updateOutput)(x, r->th, NULL);
    at_rowOf(compute, AT_ROW_abs)(buffer->th, x, NULL, NULL, none, none);
    at_rowOf(compute, AT_ROW_neg)(buffer->th, buffer->th, NULL, NULL, none, none);
    at_rowOf(compute, AT_ROW_exp)(buffer->th, buffer->th, NULL, NULL, none, none);
  }
  at_tensor *const made[] = {at_layerCast(&pool, r, self->type),
                             at_layerCast(&pool, buffer, self->type)};
  at_finish(&pool, 2, out, made);
}

/* --- GatedLinear ----------------------------------------------------------------------------- */

static int gated_dim(const at_tensor *self, int64_t dim)
{
  const at_ints sizes = at_sizesOf(self);
  if (sizes.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions, and one is cut in halves");
  const int d = at_wrapDim(dim, sizes.count);
  if (sizes.data[d] % 2 != 0)
    at_raise(AT_ERROR_ARGUMENT, "dimension %d of self, of size (%s), has no halves", d,
             at_sizeDesc(sizes).str);
  return d;
}

at_tensor *at_nnGlu(at_tensor *out, at_tensor *self, int64_t dim)
{
  const at_type *compute = at_layerType(self);
  const int d = gated_dim(self, dim);
  int64_t buffer[AT_MOST_DIMS];
  at_ints sizes = at_sizesOf(self);
  for (int i = 0; i < sizes.count; i++)
    buffer[i] = i == d ? sizes.data[i] / 2 : sizes.data[i];
  sizes.data = buffer;
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute);
  at_tensor *r = at_layerResult(&pool, out, self->type->scalarType, compute, sizes);
  if (at_numel(r) > 0)
    AT_OF(compute, GatedLinear_updateOutput)(x, r->th, d);
  return at_layerEnd(&pool, out, r, self->type->scalarType);
}

at_tensor *at_nnGluBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self, int64_t dim)
{
  const at_type *compute = at_layerType(self);
  const int d = gated_dim(self, dim);
  at_layerSame(self, grad_output, "grad_output");
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute), *g = at_layerIn(&pool, grad_output, compute);
  at_tensor *r = at_layerResult(&pool, out, self->type->scalarType, compute, at_sizesOf(self));
  if (at_numel(r) > 0)
    AT_OF(compute, GatedLinear_updateGradInput)(x, g, r->th, d);
  return at_layerEnd(&pool, out, r, self->type->scalarType);
}

/* --- SoftMax --------------------------------------------------------------------------------- */

at_tensor *at_nnSoftMax(at_tensor *out, bool log, at_tensor *self, int64_t dim, const at_type *type)
{
  const at_scalar_type to = type ? type->scalarType : self->type->scalarType;
  const at_type *compute = at_layerTypeOf(self->type, to);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute);
  at_tensor *r = at_layerResult(&pool, out, to, compute, at_sizesOf(self));
  if (at_numel(r) > 0 && log)
    AT_OF(compute, LogSoftMax_updateOutput)(x, r->th, d);
  else if (at_numel(r) > 0)
    AT_OF(compute, SoftMax_updateOutput)(x, r->th, d);
  return at_layerEnd(&pool, out, r, to);
}

const at_type *at_halfToFloat(const at_tensor *self, bool half_to_float)
{
  if (half_to_float && (at_isOnHost(self->type) || self->type->scalarType != AT_HALF))
    at_raise(AT_ERROR_ARGUMENT,
             "half_to_float is true, and self a %s: only Half of CUDA is so "
             "converted",
             self->type->name);
  return half_to_float ? at_toScalarType(self->type, AT_FLOAT) : NULL;
}

at_tensor *at_nnSoftMaxBackward(at_tensor *out, bool log, at_tensor *grad_output, int64_t dim,
                                at_tensor *output)
{
  const at_type *compute = at_layerType(output);
  const at_ints sizes = at_sizesOf(output);
  const int d = at_wrapDim(dim, sizes.count);
  if (grad_output->type != output->type || !at_sameSizes(at_sizesOf(grad_output), sizes))
    at_raise(AT_ERROR_ARGUMENT,
             "grad_output is of %s and of size (%s), and has to be of %s and of size (%s)",
             at_scalarTypeName(grad_output->type->scalarType),
             at_sizeDesc(at_sizesOf(grad_output)).str, at_scalarTypeName(output->type->scalarType),
             at_sizeDesc(sizes).str);
  at_pool pool;
  at_pool_enter(&pool);
  void *y = at_layerIn(&pool, output, compute), *g = at_layerIn(&pool, grad_output, compute);
  at_tensor *r = at_layerResult(&pool, out, output->type->scalarType, compute, sizes);
  if (at_numel(r) > 0 && log)
    AT_OF(compute, LogSoftMax_updateGradInput)(y, g, r->th, y, d);
  else if (at_numel(r) > 0)
    AT_OF(compute, SoftMax_updateGradInput)(y, g, r->th, y, d);
  return at_layerEnd(&pool, out, r, output->type->scalarType);
}

/* --- PReLU ----------------------------------------------------------------------------------- */

static void prelu_check(const at_tensor *self, const at_tensor *weight)
{
  const at_ints sizes = at_sizesOf(self), weights = at_sizesOf(weight);
  at_layerSame(self, weight, "weight");
  const int64_t planes = sizes.count > 1 ? sizes.data[1] : 1;
  if (weights.count > 1 || (at_numel(weight) != 1 && at_numel(weight) != planes))
    at_raise(AT_ERROR_ARGUMENT,
             "weight has size (%s), self has (%s): one weight, or one for each of %lld planes is "
             "expected",
             at_sizeDesc(weights).str, at_sizeDesc(sizes).str, (long long)planes);
}

at_tensor *at_nnPRelu(at_tensor *out, at_tensor *self, at_tensor *weight)
{
  const at_type *compute = at_layerType(self);
  prelu_check(self, weight);
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute), *w = at_layerIn(&pool, weight, compute);
  at_tensor *r =
      at_layerResultFor(&pool, out, self->type->scalarType, compute, at_sizesOf(self), 1, &self);
  if (at_numel(r) > 0)
    AT_OF(compute, PReLU_updateOutput)(x, r->th, w);
  return at_layerEnd(&pool, out, r, self->type->scalarType);
}

void at_nnPReluBackward(at_tensor **out, const bool *wanted, at_tensor *grad_output,
                        at_tensor *self, at_tensor *weight, at_ints mask)
{
  const at_type *compute = at_layerType(self);
  prelu_check(self, weight);
  at_layerSame(self, grad_output, "grad_output");
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute), *w = at_layerIn(&pool, weight, compute);
  void *g = at_layerInAs(&pool, grad_output, compute, at_sizesOf(self));
  at_tensor *made[2] = {NULL};
  if (wanted[0] && mask.data[0])
    made[0] = at_hold(&pool, at_newLike(compute, self));
  if (wanted[1] && mask.data[1])
    made[1] = at_fillWith(at_layerNew(&pool, compute, at_sizesOf(weight)), at_scalar_long(0));
  if (made[0] && at_numel(self) > 0)
    AT_OF(compute, PReLU_updateGradInput)(x, g, made[0]->th, w);
  if (made[1] && at_numel(self) > 0)
    AT_OF(compute, PReLU_accGradParameters)(x, g, NULL, w, made[1]->th, at_scalar_long(1));
  for (int i = 0; i < 2; i++)
    made[i] = at_layerCast(&pool, made[i], self->type);
  at_layerEndAll(&pool, 2, out, made);
}

/* --- RReLU ----------------------------------------------------------------------------------- */

static void rrelu_check(const at_tensor *self, const at_tensor *noise)
{
  if (!noise)
    return;
  at_layerSame(self, noise, "noise");
  if (!at_sameSizes(at_sizesOf(noise), at_sizesOf(self)))
    at_raise(AT_ERROR_ARGUMENT, "noise has size (%s), and has to have self's, (%s)",
             at_sizeDesc(at_sizesOf(noise)).str, at_sizeDesc(at_sizesOf(self)).str);
}

at_tensor *at_nnRRelu(at_tensor *out, at_tensor *self, at_tensor *noise, at_scalar lower,
                      at_scalar upper, bool training, at_generator *generator)
{
  const at_type *compute = at_layerType(self);
  rrelu_check(self, noise);
  THGenerator *const from = at_drawnFrom(self->type, generator);
  at_pool pool;
  at_pool_enter(&pool);
  void *x = at_layerIn(&pool, self, compute);
  at_tensor *slopes = training ? at_layerNew(&pool, compute, at_sizesOf(self)) : NULL;
  at_tensor *r = at_layerNew(&pool, compute, at_sizesOf(self));
  if (at_numel(r) > 0)
    AT_OF(compute, RReLU_updateOutput)(x, r->th, slopes ? slopes->th : NULL, lower, upper, training,
                                       false, from);
  r = at_layerCast(&pool, r, self->type);
  if (noise && slopes) {
    at_tensor *const to[] = {noise, out}, *const made[] = {slopes, r};
    at_deliverAll(out ? 2 : 1, to, made);
  } else if (out) {
    at_deliver(out, r);
  }
  if (!out)
    return at_pool_keep(&pool, r);
  at_pool_leave(&pool);
  return out;
}

/* noise holds the slope of every element, also where it is 1. */
at_tensor *at_nnRReluBackward(at_tensor *out, at_tensor *grad_output, at_tensor *self,
                              at_tensor *noise, at_scalar lower, at_scalar upper, bool training)
{
  at_layerType(self);
  rrelu_check(self, noise);
  if (training)
    return at_binary(out, AT_ROW_cmul, grad_output, noise, at_scalar_long(1));
  const double mean = (at_scalar_toDouble(lower) + at_scalar_toDouble(upper)) / 2;
  return at_nnActivateBackward(out, AT_LAYER_LEAKY_RELU_BACKWARD, grad_output, self,
                               at_scalar_double(mean), none);
}
