/* Convolutions, by THNN's convolutions in groups.  Sequences are images of one row. */
#include "convolution.h"

#include "ATen/composed/Composed.h"
#include "ATen/core/ATenOperations.h"
#include "ATen/ops/rearrange.h"
#include "layerCall.h"

/* --- what a call is -------------------------------------------------------------------------- */

static void set(int *to, const char *name, at_ints given, int axes, int otherwise)
{
  const at_axes numbers = given.count > 0 ? at_axesOf(name, given, axes, otherwise)
                                          : (at_axes){{otherwise, otherwise, otherwise}};
  for (int a = 0; a < 3; a++)
    to[a] = numbers.at[a];
}

static THNNGroups groups_of(int axes, at_ints kernel, at_conv_options how)
{
  THNNGroups g = {.axes = THMax(axes, 2), .full = how.transposed};
  if (how.groups < 1)
    at_raise(AT_ERROR_ARGUMENT, "groups is %lld, and has to be at least 1", (long long)how.groups);
  g.groups = at_smallInt("groups", how.groups);
  set(g.size, "kernel_size", kernel, axes, 1);
  set(g.step, "stride", how.stride, axes, 1);
  set(g.pad, "padding", how.padding, axes, 0);
  set(g.dilation, "dilation", how.dilation, axes, 1);
  if (how.transposed)
    set(g.adjust, "output_padding", how.output_padding, axes, 0);
  return g;
}

/* The kernel sizes of weight.  Raises unless weight has `axes` of them (axes 0: 1, 2 or 3). */
static at_ints kernel_of(const at_tensor *weight, int axes)
{
  const at_ints sizes = at_sizesOf(weight);
  const int own = sizes.count - 2;
  if (own < 1 || own > 3 || (axes != 0 && own != axes))
    at_raise(AT_ERROR_ARGUMENT, "weight has size (%s), and has to have %s dimensions",
             at_sizeDesc(sizes).str,
             axes == 1   ? "3"
             : axes == 2 ? "4"
             : axes == 3 ? "5"
                         : "3, 4 or 5");
  return (at_ints){sizes.data + 2, own};
}

static void check_images(const at_layer_call *layer, const char *name, const at_tensor *t)
{
  const int dims = at_sizesOf(t).count;
  if (dims != layer->axes + 1 && dims != layer->axes + 2)
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to have %d dimensions, or %d", name,
             at_sizeDesc(at_sizesOf(t)).str, layer->axes + 1, layer->axes + 2);
}

static void begin(at_layer_call *layer, at_tensor *input, int axes, int results)
{
  at_layer_begin(layer, AT_LAYER_FLOATS, input, axes, results);
  layer->asRows = axes == 1;
  check_images(layer, "input", input);
}

/* A weight as THNN takes it: for sequences with a second axis of size 1. */
static at_tensor *rows(at_layer_call *layer, at_tensor *weight)
{
  return layer->asRows ? at_hold(&layer->pool, at_viewUnsqueeze(weight, -2)) : weight;
}

static void *weight_of(at_layer_call *layer, at_tensor *weight)
{
  return at_layer_operand(layer, "weight", rows(layer, weight));
}

/* --- forward --------------------------------------------------------------------------------- */

/* The size of what a layer makes of input; false if the layer would raise an error. */
static bool output_size(int axes, const THNNGroups *g, at_ints input, at_ints weight, int64_t *size)
{
  const int batch = input.count - axes - 1;
  if (weight.count != axes + 2 || batch < 0 || batch > 1)
    return false;
  size[0] = input.data[0];
  size[batch] = g->full ? weight.data[1] * g->groups : weight.data[0];
  bool fits = size[batch] > 0;
  for (int a = 3 - axes; a < 3; a++) {
    const int d = input.count - 3 + a;
    const int64_t reach = (int64_t)(g->size[a] - 1) * g->dilation[a] + 1 - 2 * (int64_t)g->pad[a];
    fits = fits && g->size[a] > 0 && g->step[a] > 0 && g->dilation[a] > 0 && g->pad[a] >= 0;
    int64_t sum;
    if (!g->full)
      size[d] = fits ? (input.data[d] - reach) / g->step[a] + (input.data[d] >= reach) : 0;
    else if (__builtin_mul_overflow(input.data[d] - 1, g->step[a], &sum) ||
             __builtin_add_overflow(sum, reach + g->adjust[a], &size[d]))
      return false;
    fits = fits && size[d] > 0;
  }
  int64_t all = 1;
  for (int d = 0; d < input.count; d++)
    fits = fits && !__builtin_mul_overflow(all, size[d], &all);
  return fits;
}

/* Computes with cuDNN and returns true.  Returns false if cuDNN does not support the convolution, or if an
 * argument is wrong: THNN then computes, or raises the error. */
static bool convolve_by_dnn(at_tensor **out, at_tensor *input, at_tensor *weight, at_tensor *bias,
                            int axes, const THNNGroups *g)
{
  int64_t size[AT_MOST_DIMS];
  const at_ints given = at_sizesOf(input);
  if (!at_convolvesByDnn(input, weight) || !output_size(axes, g, given, at_sizesOf(weight), size) ||
      (bias && (bias->type != input->type || at_numel(bias) != size[given.count - axes - 1])))
    return false;
  at_tensor *const made =
      at_convolveByDnn(input, weight, bias, axes, g, (at_ints){size, given.count});
  if (made)
    *out = at_finishComposed(*out, made);
  return made != NULL;
}

/* The convolution, by cuDNN or THNN.  Results after the first have no elements. */
static void convolve(at_tensor **out, int results, at_tensor *input, at_tensor *weight,
                     at_tensor *bias, int axes, const THNNGroups *g)
{
  if (bias && at_sizesOf(bias).count != 1)
    at_raise(AT_ERROR_ARGUMENT, "bias has size (%s), and has to have 1 dimension",
             at_sizeDesc(at_sizesOf(bias)).str);
  if (results == 1 && convolve_by_dnn(out, input, weight, bias, axes, g))
    return;
  at_layer_call layer;
  begin(&layer, input, axes, results);
  void *x = at_layer_take(&layer, "input", input, at_layer_batch(&layer, input));
  void *w = weight_of(&layer, weight), *b = at_layer_operand(&layer, "bias", bias);
  int64_t size[AT_MOST_DIMS];
  const bool nhwc = at_layer_areNhwc(&layer, input) &&
                    output_size(axes, g, at_sizesOf(input), at_sizesOf(weight), size);
  void *r = nhwc ? at_layer_resultNhwc(&layer, &out[0], (at_ints){size, at_sizesOf(input).count})
                 : at_layer_result(&layer, &out[0]);
  const at_ints none = {(int64_t[]){0}, 1};
  for (int i = 1; i < results; i++)
    at_layer_sum(&layer, &out[i], none);
  AT_OF(layer.called, groupsOutput)(g, x, r, w,
                                    b); /* THNN_(Groups_updateOutput), of input's type */
  at_layer_end(&layer);
}

at_tensor *at_convolve(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                       at_tensor *bias, at_conv_options how)
{
  if (at_isComplex(input->type->scalarType))
    return at_complexConvolve(out, axes, input, weight, bias, how);
  const at_ints kernel = kernel_of(weight, axes);
  THNNGroups g = groups_of(kernel.count, kernel, how);
  if (input->type->scalarType <= AT_LONG) {
    at_checkType(weight, "weight", input->type);
    if (bias)
      at_checkType(bias, "bias", input->type);
    return at_integerConvolution(input, weight, bias, how);
  }
  if (how.transformed && how.transformed->type == input->type && weight->type == input->type)
    g.transformed = how.transformed->th;
  g.activation = how.activation;
  convolve(&out, 1, input, weight, bias, kernel.count, &g);
  return out;
}

at_tensor *at_transformWeights(at_tensor *weight, at_conv_options how)
{
  const at_ints kernel = kernel_of(weight, 0), none = {(int64_t[]){0}, 1};
  const THNNGroups g = groups_of(kernel.count, kernel, how);
  at_tensor *const transformed = at_newShape(weight->type, none);
  if (kernel.count != 2 || !at_isOnHost(weight->type) || !AT_OF(weight->type, transformWeights))
    return transformed;
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_release);
  guard.what = transformed;
  AT_OF(weight->type, transformWeights)(&g, weight->th, transformed->th);
  guard.what = NULL;
  THGuard_leave(&guard);
  return transformed;
}

/* The padding "same" of an axis: half of the zeros on each side; *more is 1 if one more goes behind. */
static void padding_same(const THNNGroups *g, int axis, int64_t *before, int64_t *more)
{
  const int64_t reach = (int64_t)(g->size[axis] - 1) * g->dilation[axis];
  if (g->step[axis] != 1)
    at_raise(AT_ERROR_ARGUMENT, "stride is %d, and padding \"same\" takes strides of 1",
             g->step[axis]);
  *before = reach > 0 ? reach / 2 : 0;
  *more = reach > 0 ? reach % 2 : 0;
}

at_tensor *at_convolvePadded(at_tensor *out, int axes, at_tensor *input, at_tensor *weight,
                             at_tensor *bias, const char *padding, at_conv_options how)
{
  if (!strcmp(padding, "valid"))
    return at_convolve(out, axes, input, weight, bias, how);
  if (strcmp(padding, "same"))
    at_raise(AT_ERROR_ARGUMENT, "padding is \"%.40s\", and has to be \"valid\" or \"same\"",
             padding);
  const THNNGroups g = groups_of(axes, kernel_of(weight, axes), how);
  int64_t before[3], behind[6] = {0};
  bool isOdd = false;
  for (int a = 0; a < axes; a++) {
    int64_t *const more = &behind[2 * (axes - 1 - a) + 1];
    padding_same(&g, 3 - axes + a, &before[a], more);
    isOdd = isOdd || *more > 0;
  }
  how.padding = (at_ints){before, axes};
  if (!isOdd)
    return at_convolve(out, axes, input, weight, bias, how);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const longer =
      at_hold(&pool, at_padConstant(NULL, input, (at_ints){behind, 2 * axes}, at_scalar_long(0)));
  at_tensor *const result = at_convolve(out, axes, longer, weight, bias, how);
  at_pool_leave(&pool);
  return result;
}

/* --- backward -------------------------------------------------------------------------------- */

static void convolve_backward(at_tensor **out, const bool *wanted, at_tensor *grad,
                              at_tensor *input, at_tensor *weight, int axes, const THNNGroups *g,
                              at_ints mask)
{
  bool gives[3];
  for (int i = 0; i < 3; i++)
    gives[i] = wanted[i] && mask.data[i] != 0;
  if (at_convolvesByDnn(input, weight) && grad->type == input->type &&
      at_convolveBackwardByDnn(out, gives, grad, input, weight, axes, g))
    return;
  at_layer_call layer;
  begin(&layer, input, axes, 3);
  check_images(&layer, "grad_output", grad);
  const int batch = at_layer_batch(&layer, input);
  void *x = at_layer_take(&layer, "input", input, batch);
  void *y = at_layer_take(&layer, "grad_output", grad, batch), *w = weight_of(&layer, weight);

  void *r = NULL, *gradWeight = NULL;
  if (gives[0])
    r = at_layer_areNhwc(&layer, input) ? at_layer_resultNhwc(&layer, &out[0], at_sizesOf(input))
                                        : at_layer_result(&layer, &out[0]);
  void *gradBias = NULL;
  if (gives[1])
    gradWeight = rows(&layer, at_layer_sum(&layer, &out[1], at_sizesOf(weight)))->th;
  if (gives[2]) {
    const int64_t outputs = at_sizesOf(grad).data[batch];
    gradBias = at_layer_sum(&layer, &out[2], (at_ints){&outputs, 1})->th;
  }
  if (gives[0])
    AT_OF(layer.called, groupsGradInput)(g, x, y, r, w);
  if (gives[1] || gives[2])
    AT_OF(layer.called, groupsGradParameters)(g, x, y, gradWeight, gradBias);
  at_layer_end(&layer);
}

void at_convolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad, at_tensor *input,
                         at_tensor *weight, at_conv_options how, at_ints mask)
{
  if (at_isComplex(grad->type->scalarType)) {
    at_complexConvolveBackward(out, wanted, grad, input, weight, how, mask);
    return;
  }
  const at_ints kernel = kernel_of(weight, 0);
  const THNNGroups g = groups_of(kernel.count, kernel, how);
  convolve_backward(out, wanted, grad, input, weight, kernel.count, &g, mask);
}

/* --- double backward ------------------------------------------------------------------------- */

/* The gradient with respect to grad: the sum of what ggI, ggW and ggb contribute; NULL if all are NULL. */
static at_tensor *gradient_of_grad(at_pool *pool, at_tensor *ggI, at_tensor *ggW, at_tensor *ggb,
                                   at_tensor *grad, at_tensor *weight, at_tensor *input,
                                   at_conv_options how)
{
  at_tensor *sum = NULL;
  if (ggI)
    sum = at_hold(pool, at_convolve(NULL, 0, ggI, weight, ggb, how));
  if (ggW) {
    at_tensor *more = at_hold(pool, at_convolve(NULL, 0, input, ggW, ggI ? NULL : ggb, how));
    sum = sum ? at_hold(pool, at_binary(NULL, AT_ROW_cadd, sum, more, at_scalar_long(1))) : more;
  }
  if (sum || !ggb)
    return sum;
  const int planes = at_sizesOf(grad).count - (at_sizesOf(weight).count - 1);
  for (int d = planes + 1; d < at_sizesOf(grad).count; d++)
    ggb = at_hold(pool, at_viewUnsqueeze(ggb, -1));
  at_checkBroadcast(ggb, at_sizesOf(grad));
  return at_hold(pool, at_newCast(at_hold(pool, at_newExpanded(ggb, at_sizesOf(grad))), ggb->type));
}

/* Raises if one of them is of integers, which have no gradients. */
static void check_floating(int count, at_tensor *const *given, const char *const *names)
{
  for (int i = 0; i < count; i++)
    if (given[i] && at_category(given[i]->type->scalarType) < 2)
      at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of a floating type", names[i],
               at_scalarTypeName(given[i]->type->scalarType));
}

void at_convolveDoubleBackward(at_tensor **out, const bool *wanted, at_tensor *ggI, at_tensor *ggW,
                               at_tensor *ggb, at_tensor *grad, at_tensor *weight, at_tensor *input,
                               at_conv_options how, at_ints mask)
{
  static const bool all[] = {true, true, true};
  static const char *const names[] = {"ggI", "ggW", "ggb", "gO", "weight", "self"};
  const at_ints ofInput = {(int64_t[]){1, 0, 0}, 3}, ofWeight = {(int64_t[]){0, 1, 0}, 3};
  check_floating(6, (at_tensor *const[]){ggI, ggW, ggb, grad, weight, input}, names);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made[3] = {NULL}, *back[3] = {NULL};
  if (mask.data[0])
    made[0] = gradient_of_grad(&pool, ggI, ggW, ggb, grad, weight, input, how);
  if (mask.data[1] && ggW) {
    at_convolveBackward(back, all, grad, input, ggW, how, ofInput);
    made[1] = at_hold(&pool, back[0]);
  }
  if (mask.data[2] && ggI) {
    at_convolveBackward(back, all, grad, ggI, weight, how, ofWeight);
    made[2] = at_hold(&pool, back[1]);
  }
  for (int i = 0; i < 3; i++)
    out[i] = wanted[i] && made[i] ? at_retain(made[i]) : NULL;
  at_pool_leave(&pool);
}

/* --- as THNN's layers ------------------------------------------------------------------------ */

/* weight may be a matrix: then only the kernel's size says what its windows are. */
static void check_kernel(const at_tensor *weight, at_ints kernel_size, int axes)
{
  const at_ints sizes = at_sizesOf(weight);
  const at_axes kernel = at_axesOf("kernel_size", kernel_size, axes, 1);
  bool fits = sizes.count == 2 || sizes.count == axes + 2;
  for (int a = 0; fits && sizes.count > 2 && a < axes; a++)
    fits = sizes.data[2 + a] == kernel.at[3 - axes + a];
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT, "weight has size (%s), which does not fit kernel_size (%s)",
             at_sizeDesc(sizes).str, at_sizeDesc(kernel_size).str);
}

void at_layerConvolve(at_tensor **out, bool buffers, at_tensor *self, at_tensor *weight,
                      at_ints kernel_size, int axes, at_tensor *bias, at_conv_options how)
{
  check_kernel(weight, kernel_size, axes);
  const THNNGroups g = groups_of(axes, kernel_size, how);
  convolve(out, buffers ? 3 : 1, self, weight, bias, axes, &g);
}

at_tensor *at_layerConvolveOne(at_tensor *out, at_tensor *self, at_tensor *weight,
                               at_ints kernel_size, int axes, at_tensor *bias, at_conv_options how)
{
  at_layerConvolve(&out, false, self, weight, kernel_size, axes, bias, how);
  return out;
}

void at_layerConvolveBackward(at_tensor **out, const bool *wanted, at_tensor *grad, at_tensor *self,
                              at_tensor *weight, at_ints kernel_size, int axes, at_conv_options how,
                              at_ints mask)
{
  check_kernel(weight, kernel_size, axes);
  const THNNGroups g = groups_of(axes, kernel_size, how);
  convolve_backward(out, wanted, grad, self, weight, axes, &g, mask);
}

/* --- sequences in time ----------------------------------------------------------------------- */

/* Dimensions a, b and c of t. */
static at_tensor *permuted(at_pool *pool, at_tensor *t, int a, int b, int c)
{
  const at_ints dims = {(int64_t[]){a, b, c}, 3};
  return at_hold(pool, at_viewPermute(t, dims));
}

static at_tensor *copied(at_pool *pool, at_tensor *t)
{
  return at_hold(pool, at_newCast(t, t->type));
}

/* How many steps there are of output. */
static int64_t check_time(at_tensor *self, at_tensor *weight, at_tensor *bias, int64_t pad)
{
  const at_ints x = at_sizesOf(self), w = at_sizesOf(weight), b = at_sizesOf(bias);
  if (x.count != 3 || w.count != 3 || b.count != 1 || x.data[2] != w.data[1] ||
      b.data[0] != w.data[2])
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), weight (%s) and bias (%s): they have to be time x batch x "
             "channels, window x channels x outputs and outputs",
             at_sizeDesc(x).str, at_sizeDesc(w).str, at_sizeDesc(b).str);
  int64_t steps;
  if (pad < 0 || __builtin_mul_overflow(pad, 2, &steps) ||
      __builtin_add_overflow(steps, x.data[0] + 1 - w.data[0], &steps) || steps < 0)
    at_raise(AT_ERROR_ARGUMENT, "pad is %lld, for self of size (%s) and weight of size (%s)",
             (long long)pad, at_sizeDesc(x).str, at_sizeDesc(w).str);
  return steps;
}

static at_tensor *zeros_like(at_pool *pool, at_tensor *t)
{
  return at_hold(pool, at_makeFilled(t->type, at_sizesOf(t), at_scalar_long(0)));
}

at_tensor *at_convolveTime(at_tensor *self, at_tensor *weight, at_tensor *bias, int64_t pad)
{
  const int64_t steps = check_time(self, weight, bias, pad);
  const at_ints sizes = {(int64_t[]){steps, at_sizesOf(self).data[1], at_sizesOf(weight).data[2]},
                         3};
  at_layerSame(self, weight, "weight");
  at_layerSame(self, bias, "bias");
  at_layerType(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made;
  if (steps == 0 || at_numel(self) == 0) {
    made = copied(&pool, at_hold(&pool, at_newExpanded(bias, sizes)));
  } else {
    at_tensor *x = permuted(&pool, self, 1, 2, 0), *w = permuted(&pool, weight, 2, 1, 0);
    const at_conv_options how = {.padding = {&pad, 1}, .groups = 1};
    at_tensor *y = at_hold(&pool, at_convolve(NULL, 1, x, w, bias, how));
    made = copied(&pool, permuted(&pool, y, 2, 0, 1));
  }
  return at_finishOne(&pool, NULL, made);
}

void at_convolveTimeBackward(at_tensor **out, at_tensor *grad, at_tensor *input, at_tensor *weight,
                             at_tensor *bias, int64_t pad)
{
  static const bool all[] = {true, true, true};
  const int64_t steps = check_time(input, weight, bias, pad);
  const at_ints sizes = {(int64_t[]){steps, at_sizesOf(input).data[1], at_sizesOf(weight).data[2]},
                         3};
  if (!at_sameSizes(at_sizesOf(grad), sizes))
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have (%s)",
             at_sizeDesc(at_sizesOf(grad)).str, at_sizeDesc(sizes).str);
  at_layerSame(input, bias, "bias");
  at_layerSame(input, grad, "self");
  at_layerSame(input, weight, "weight");
  at_layerType(input);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made[3] = {NULL}, *back[3] = {NULL};
  if (at_numel(grad) == 0 || at_numel(input) == 0) {
    if (at_numel(grad) > 0)
      at_raise(AT_ERROR_ARGUMENT, "input has size (%s), and no elements",
               at_sizeDesc(at_sizesOf(input)).str);
    made[0] = zeros_like(&pool, input);
    made[1] = zeros_like(&pool, weight);
    made[2] = zeros_like(&pool, bias);
  } else {
    at_tensor *x = permuted(&pool, input, 1, 2, 0), *w = permuted(&pool, weight, 2, 1, 0);
    at_tensor *y = permuted(&pool, grad, 1, 2, 0);
    const at_conv_options how = {.padding = {&pad, 1}, .groups = 1};
    at_convolveBackward(back, all, y, x, w, how, (at_ints){(int64_t[]){1, 1, 1}, 3});
    for (int i = 0; i < 3; i++)
      at_hold(&pool, back[i]);
    made[0] = copied(&pool, permuted(&pool, back[0], 2, 0, 1));
    made[1] = copied(&pool, permuted(&pool, back[1], 2, 1, 0));
    made[2] = back[2];
  }
  at_finish(&pool, 3, out, made);
}
