/* Pooling of images, by THNN's layers. */
#include "pooling.h"

#include <limits.h>

#include "layerCall.h"
#include "ATen/composed/Composed.h"
#include "ATen/ops/rearrange.h"

/* Sequences are pooled as images of one row. */
static void begin(at_layer_call *layer, at_layer_kind kind, at_tensor *self, int axes, int results)
{
  at_layer_begin(layer, kind, self, axes, results);
  layer->asRows = axes == 1;
}

/* --- sliding windows ------------------------------------------------------------------------- */

/* at_windows with a value for each axis. */
typedef struct {
  at_axes size, stride, padding, dilation;
} Sliding;

static Sliding sliding(at_windows w, int axes)
{
  const at_axes ones = {{1, 1, 1}};
  return (Sliding){
      at_axesOf("kernel_size", w.size, axes, 1),
      w.stride.count > 0 ? at_axesOf("stride", w.stride, axes, 1)
                         : at_axesOf("kernel_size", w.size, axes, 1),
      at_axesOf("padding", w.padding, axes, 0),
      w.dilation.count > 0 ? at_axesOf("dilation", w.dilation, axes, 1) : ones,
  };
}

/* Where the gradient of self is written: in channels-last layout if all operands are. */
static void *gradient_like(at_layer_call *layer, at_tensor **out, const at_tensor *self,
                           const at_tensor *grad, const at_tensor *indices)
{
  if (at_layer_areNhwc(layer, self) && at_layer_fitNhwc(layer, grad) &&
      at_layer_fitNhwc(layer, indices))
    return at_layer_resultNhwc(layer, out, at_sizesOf(self));
  return at_layer_result(layer, out);
}

/* Whether the result is written in channels-last layout; size becomes its size.  As in THNN, the
 * last window begins in the image or in the padding before it.  Sizes that THNN may refuse return
 * false, so that THNN reports them. */
static bool slide_nhwc(const at_layer_call *layer, const at_tensor *self, const Sliding *s,
                       bool ceil, int64_t *size)
{
  enum { MAX_WINDOWS = 24 }; /* to which an element belongs, on average */
  const at_ints sizes = at_sizesOf(self);
  int64_t axis[3] = {0};
  double elements = 1, steps = 1;
  for (int a = 3 - layer->axes; a < 3 && sizes.count >= layer->axes; a++) {
    const int64_t in = sizes.data[sizes.count - 3 + a], step = s->stride.at[a],
                  pad = s->padding.at[a];
    if (in > INT_MAX || step < 1)
      return false;
    const int64_t capacity = in + 2 * pad - ((int64_t)s->size.at[a] - 1) * s->dilation.at[a] - 1;
    if (capacity < 0)
      return false;
    axis[a] = (capacity + (ceil ? step - 1 : 0)) / step + 1;
    axis[a] -= ceil && (axis[a] - 1) * step >= in + pad;
    elements *= (double)s->size.at[a];
    steps *= (double)step;
  }
  if (elements > MAX_WINDOWS * steps) /* kernels that share sums of rows are faster then */
    return false;
  return at_layer_sizeNhwc(layer, self, axis, size);
}

at_tensor *at_averagePool(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                          at_windows windows, bool count_include_pad)
{
  const Sliding s = sliding(windows, axes);
  if (self->type->scalarType == AT_LONG && !grad)
    return at_integerAverage(out, self, axes, windows, count_include_pad, AT_NONE);
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  const int batch = at_layer_batch(&layer, self);
  void *x = at_layer_take(&layer, "self", self, batch);
  void *g = grad ? at_layer_take(&layer, "grad_output", grad, batch) : NULL;
  int64_t size[AT_MOST_DIMS];
  const bool nhwc =
      slide_nhwc(&layer, self, &s, windows.ceil, size) && (!grad || at_layer_fitNhwc(&layer, grad));
  const at_ints sizes = grad ? at_sizesOf(self) : (at_ints){size, at_sizesOf(self).count};
  void *r = nhwc ? at_layer_resultNhwc(&layer, &out, sizes) : at_layer_result(&layer, &out);
  if (axes < 3 && !grad)
    AT_OF(layer.called, SpatialAveragePooling_updateOutput)(x, r, AT_SPATIAL(s.size),
                                                            AT_SPATIAL(s.stride),
                                                            AT_SPATIAL(s.padding), windows.ceil,
                                                            count_include_pad);
  else if (axes < 3)
    AT_OF(layer.called, SpatialAveragePooling_updateGradInput)(x, g, r, AT_SPATIAL(s.size),
                                                               AT_SPATIAL(s.stride),
                                                               AT_SPATIAL(s.padding), windows.ceil,
                                                               count_include_pad);
  else if (!grad)
    AT_OF(layer.called, VolumetricAveragePooling_updateOutput)(x, r, AT_VOLUMETRIC(s.size),
                                                               AT_VOLUMETRIC(s.stride),
                                                               AT_VOLUMETRIC(s.padding),
                                                               windows.ceil, count_include_pad);
  else
    AT_OF(layer.called, VolumetricAveragePooling_updateGradInput)(x, g, r, AT_VOLUMETRIC(s.size),
                                                                  AT_VOLUMETRIC(s.stride),
                                                                  AT_VOLUMETRIC(s.padding),
                                                                  windows.ceil, count_include_pad);
  at_layer_end(&layer);
  return out;
}

void at_maxPool(at_tensor **out, int axes, at_tensor *self, at_windows windows)
{
  const Sliding s = sliding(windows, axes);
  at_layer_call layer;
  begin(&layer, AT_LAYER_SCALARS, self, axes, 2);
  layer.only = out[0] && out[1] &&
               out[0]->type == self->type; /* both results are written directly, or none */
  void *x = at_layer_take(&layer, "self", self, at_layer_batch(&layer, self));
  int64_t size[AT_MOST_DIMS];
  const bool nhwc = slide_nhwc(&layer, self, &s, windows.ceil, size);
  const at_ints sizes = {size, at_sizesOf(self).count};
  void *r = nhwc ? at_layer_resultNhwc(&layer, &out[0], sizes) : at_layer_result(&layer, &out[0]);
  void *argmax = nhwc ? at_layer_indicesResultNhwc(&layer, &out[1], sizes)
                      : at_layer_indicesResult(&layer, &out[1]);
  if (axes < 3)
    AT_OF(layer.called,
          SpatialDilatedMaxPooling_updateOutput)(x, r, argmax, AT_SPATIAL(s.size),
                                                 AT_SPATIAL(s.stride), AT_SPATIAL(s.padding),
                                                 AT_SPATIAL(s.dilation), windows.ceil);
  else
    AT_OF(layer.called,
          VolumetricDilatedMaxPooling_updateOutput)(x, r, argmax, AT_VOLUMETRIC(s.size),
                                                    AT_VOLUMETRIC(s.stride),
                                                    AT_VOLUMETRIC(s.padding),
                                                    AT_VOLUMETRIC(s.dilation), windows.ceil);
  at_layer_end(&layer);
}

at_tensor *at_maxPoolBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                              at_windows windows, at_tensor *indices)
{
  const Sliding s = sliding(windows, axes);
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  const int batch = at_layer_batch(&layer, self);
  void *x = at_layer_take(&layer, "self", self, batch);
  void *g = at_layer_take(&layer, "grad_output", grad, batch);
  void *argmax = at_layer_indices(&layer, "indices", indices, batch);
  void *r = gradient_like(&layer, &out, self, grad, indices);
  if (axes < 3)
    AT_OF(layer.called,
          SpatialDilatedMaxPooling_updateGradInput)(x, g, r, argmax, AT_SPATIAL(s.size),
                                                    AT_SPATIAL(s.stride), AT_SPATIAL(s.padding),
                                                    AT_SPATIAL(s.dilation), windows.ceil);
  else
    AT_OF(layer.called,
          VolumetricDilatedMaxPooling_updateGradInput)(x, g, r, argmax, AT_VOLUMETRIC(s.size),
                                                       AT_VOLUMETRIC(s.stride),
                                                       AT_VOLUMETRIC(s.padding),
                                                       AT_VOLUMETRIC(s.dilation), windows.ceil);
  at_layer_end(&layer);
  return out;
}

/* --- adaptive windows ------------------------------------------------------------------------ */

/* The number of dimensions that may be of size 0.  As in PyTorch, the first one may be empty,
 * whether it is the batch or the channels, and in average pooling of images the channels too. */
enum { ANY_FIRST = 1 };

static int any_planes(const at_layer_call *layer, const at_tensor *t)
{
  return layer->axes == 3 ? ANY_FIRST : at_sizesOf(t).count - layer->axes;
}

at_tensor *at_adaptiveAverage(at_tensor *out, int axes, at_tensor *self, at_ints output_size)
{
  const at_axes size = at_axesOf("output_size", output_size, axes, 1);
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  void *x = at_layer_take(&layer, "self", self, any_planes(&layer, self));
  int64_t sizes[AT_MOST_DIMS];
  const bool nhwc =
      at_layer_sizeNhwc(&layer, self, (int64_t[]){size.at[0], size.at[1], size.at[2]}, sizes);
  void *r = nhwc ? at_layer_resultNhwc(&layer, &out, (at_ints){sizes, at_sizesOf(self).count})
                 : at_layer_result(&layer, &out);
  if (axes < 3)
    AT_OF(layer.called, SpatialAdaptiveAveragePooling_updateOutput)(x, r, AT_SPATIAL(size));
  else
    AT_OF(layer.called, VolumetricAdaptiveAveragePooling_updateOutput)(x, r, AT_VOLUMETRIC(size));
  at_layer_end(&layer);
  return out;
}

at_tensor *at_adaptiveAverageBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self)
{
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  const int mayBeEmpty = any_planes(&layer, self);
  void *x = at_layer_take(&layer, "self", self, mayBeEmpty);
  void *g = at_layer_take(&layer, "grad_output", grad, mayBeEmpty);
  const bool nhwc = at_layer_areManyNhwc(&layer, self) && at_layer_fitNhwc(&layer, grad);
  void *r =
      nhwc ? at_layer_resultNhwc(&layer, &out, at_sizesOf(self)) : at_layer_result(&layer, &out);
  if (axes < 3)
    AT_OF(layer.called, SpatialAdaptiveAveragePooling_updateGradInput)(x, g, r);
  else
    AT_OF(layer.called, VolumetricAdaptiveAveragePooling_updateGradInput)(x, g, r);
  at_layer_end(&layer);
  return out;
}

void at_adaptiveMax(at_tensor **out, int axes, at_tensor *self, at_ints output_size)
{
  const at_axes size = at_axesOf("output_size", output_size, axes, 1);
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 2);
  void *x = at_layer_take(&layer, "self", self, ANY_FIRST);
  int64_t sizes[AT_MOST_DIMS];
  const bool nhwc =
      at_layer_sizeNhwc(&layer, self, (int64_t[]){size.at[0], size.at[1], size.at[2]}, sizes);
  const at_ints whole = {sizes, at_sizesOf(self).count};
  void *r = nhwc ? at_layer_resultNhwc(&layer, &out[0], whole) : at_layer_result(&layer, &out[0]);
  void *argmax = nhwc ? at_layer_indicesResultNhwc(&layer, &out[1], whole)
                      : at_layer_indicesResult(&layer, &out[1]);
  if (axes < 3)
    AT_OF(layer.called, SpatialAdaptiveMaxPooling_updateOutput)(x, r, argmax, AT_SPATIAL(size));
  else
    AT_OF(layer.called, VolumetricAdaptiveMaxPooling_updateOutput)(x, r, argmax,
                                                                   AT_VOLUMETRIC(size));
  at_layer_end(&layer);
}

at_tensor *at_adaptiveMaxBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                                  at_tensor *indices)
{
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  void *x = at_layer_take(&layer, "self", self, ANY_FIRST);
  void *g = at_layer_take(&layer, "grad_output", grad, ANY_FIRST);
  void *argmax = at_layer_indices(&layer, "indices", indices, ANY_FIRST);
  void *r = gradient_like(&layer, &out, self, grad, indices);
  if (axes < 3)
    AT_OF(layer.called, SpatialAdaptiveMaxPooling_updateGradInput)(x, g, r, argmax);
  else
    AT_OF(layer.called, VolumetricAdaptiveMaxPooling_updateGradInput)(x, g, r, argmax);
  at_layer_end(&layer);
  return out;
}

/* --- fractional windows ---------------------------------------------------------------------- */

/* In the order of THNN's arguments for fractional windows, whose volumes are height x width x time. */
#define FRACTIONAL(A) (A).at[2], (A).at[1], (A).at[0]

void at_fractionalMax(at_tensor **out, int axes, at_tensor *self, at_ints kernel_size,
                      at_ints output_size, at_tensor *random_samples)
{
  const at_axes kernel = at_axesOf("kernel_size", kernel_size, axes, 1);
  const at_axes size = at_axesOf("output_size", output_size, axes, 1);
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 2);
  if (axes == 3) /* THNN's are those of the last dimension first */
    random_samples = at_hold(&layer.pool, at_flipAlong(NULL, random_samples, -1));
  const int batch = at_layer_batch(&layer, self);
  void *x = at_layer_take(&layer, "self", self, batch);
  void *samples = at_layer_take(&layer, "random_samples", random_samples, batch);
  void *r = at_layer_result(&layer, &out[0]), *argmax = at_layer_indicesResult(&layer, &out[1]);
  if (axes == 2)
    AT_OF(layer.called, SpatialFractionalMaxPooling_updateOutput)(x, r, AT_SPATIAL(size),
                                                                  AT_SPATIAL(kernel), argmax,
                                                                  samples);
  else
    AT_OF(layer.called, VolumetricFractionalMaxPooling_updateOutput)(x, r, FRACTIONAL(size),
                                                                     FRACTIONAL(kernel), argmax,
                                                                     samples);
  at_layer_end(&layer);
}

at_tensor *at_fractionalMaxBackward(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                                    at_ints kernel_size, at_ints output_size, at_tensor *indices)
{
  const at_axes kernel = at_axesOf("kernel_size", kernel_size, axes, 1);
  const at_axes size = at_axesOf("output_size", output_size, axes, 1);
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  const int batch = at_layer_batch(&layer, self);
  void *x = at_layer_take(&layer, "self", self, batch);
  void *g = at_layer_take(&layer, "grad_output", grad, batch);
  void *argmax = at_layer_indices(&layer, "indices", indices, batch);
  void *r = at_layer_result(&layer, &out);
  if (axes == 2)
    AT_OF(layer.called, SpatialFractionalMaxPooling_updateGradInput)(x, g, r, AT_SPATIAL(size),
                                                                     AT_SPATIAL(kernel), argmax);
  else
    AT_OF(layer.called, VolumetricFractionalMaxPooling_updateGradInput)(x, g, r, FRACTIONAL(size),
                                                                        FRACTIONAL(kernel), argmax);
  at_layer_end(&layer);
  return out;
}

/* --- unpooling ------------------------------------------------------------------------------- */

at_tensor *at_maxUnpool(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                        at_tensor *indices, at_ints output_size, at_ints stride, at_ints padding)
{
  const at_axes size = at_axesOf("output_size", output_size, axes, 1);
  at_layer_call layer;
  begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  const int batch = at_layer_batch(&layer, self);
  void *x = at_layer_take(&layer, "self", self, batch);
  void *argmax = at_layer_indices(&layer, "indices", indices, batch);
  void *g = grad ? at_layer_take(&layer, "grad_output", grad, batch) : NULL;
  void *r = at_layer_result(&layer, &out);
  if (axes == 2) {
    if (grad)
      AT_OF(layer.called, SpatialMaxUnpooling_updateGradInput)(x, g, r, argmax, AT_SPATIAL(size));
    else
      AT_OF(layer.called, SpatialMaxUnpooling_updateOutput)(x, r, argmax, AT_SPATIAL(size));
  } else {
    const at_axes step = at_axesOf("stride", stride, 3, 1);
    const at_axes pad = at_axesOf("padding", padding, 3, 0);
    if (grad)
      AT_OF(layer.called,
            VolumetricMaxUnpooling_updateGradInput)(x, g, r, argmax, AT_VOLUMETRIC(size),
                                                    AT_VOLUMETRIC(step), AT_VOLUMETRIC(pad));
    else
      AT_OF(layer.called, VolumetricMaxUnpooling_updateOutput)(x, r, argmax, AT_VOLUMETRIC(size),
                                                               AT_VOLUMETRIC(step),
                                                               AT_VOLUMETRIC(pad));
  }
  at_layer_end(&layer);
  return out;
}
