/* Padding, upsampling and grid sampling of images, by THNN's layers. */
#include "resample.h"

#include "ATen/core/ATenOperations.h"

#include "ATen/nn/layerCall.h"

/* --- padding --------------------------------------------------------------------------------- */

typedef void (*Pad1)(void *, void *, int, int);
typedef void (*Pad2)(void *, void *, int, int, int, int);
typedef void (*Pad1Backward)(void *, void *, void *, int, int);
typedef void (*Pad2Backward)(void *, void *, void *, int, int, int, int);

static void pad(const at_type *type, bool reflects, int axes, void *x, void *y, const int *p)
{
  const Pad1 line = reflects ? AT_OF(type, TemporalReflectionPadding_updateOutput)
                             : AT_OF(type, TemporalReplicationPadding_updateOutput);
  const Pad2 plane = reflects ? AT_OF(type, SpatialReflectionPadding_updateOutput)
                              : AT_OF(type, SpatialReplicationPadding_updateOutput);
  if (axes == 1)
    line(x, y, p[0], p[1]);
  else if (axes == 2)
    plane(x, y, p[0], p[1], p[2], p[3]);
  else
    AT_OF(type, VolumetricReplicationPadding_updateOutput)(x, y, p[0], p[1], p[2], p[3], p[4],
                                                           p[5]);
}

static void pad_backward(const at_type *type, bool reflects, int axes, void *x, void *gy, void *gx,
                         const int *p)
{
  const Pad1Backward line = reflects ? AT_OF(type, TemporalReflectionPadding_updateGradInput)
                                     : AT_OF(type, TemporalReplicationPadding_updateGradInput);
  const Pad2Backward plane = reflects ? AT_OF(type, SpatialReflectionPadding_updateGradInput)
                                      : AT_OF(type, SpatialReplicationPadding_updateGradInput);
  if (axes == 1)
    line(x, gy, gx, p[0], p[1]);
  else if (axes == 2)
    plane(x, gy, gx, p[0], p[1], p[2], p[3]);
  else
    AT_OF(type, VolumetricReplicationPadding_updateGradInput)(x, gy, gx, p[0], p[1], p[2], p[3],
                                                              p[4], p[5]);
}

at_tensor *at_padImages(at_tensor *out, at_padding kind, int axes, at_tensor *grad, at_tensor *self,
                        at_ints padding)
{
  int p[6];
  if (padding.count != 2 * axes)
    at_raise(AT_ERROR_ARGUMENT, "padding has %d numbers, and has to have %d", padding.count,
             2 * axes);
  for (int i = 0; i < padding.count; i++)
    p[i] = at_smallInt("padding", padding.data[i]);
  at_layer_call layer;
  at_layer_begin(&layer, grad ? AT_LAYER_FLOATS : AT_LAYER_MOVES, self, axes, 1);
  const int batch = at_layer_batch(&layer, self);
  void *x = at_layer_take(&layer, "self", self, batch);
  void *g = grad ? at_layer_take(&layer, "grad_output", grad, batch) : NULL;
  void *r = at_layer_result(&layer, &out);
  if (grad)
    pad_backward(layer.called, kind == AT_PAD_REFLECTION, axes, x, g, r, p);
  else
    pad(layer.called, kind == AT_PAD_REFLECTION, axes, x, r, p);
  at_layer_end(&layer);
  return out;
}

/* --- upsampling ------------------------------------------------------------------------------ */

static void check_batch(const at_layer_call *layer, const char *name, const at_tensor *t)
{
  if (!at_layer_batch(layer, t))
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to have %d dimensions", name,
             at_sizeDesc(at_sizesOf(t)).str, layer->axes + 2);
}

/* Where a result computed from t is written: in channels-last layout if t is.  axis: the last sizes
 * of the result. */
static void *result_like(at_layer_call *layer, at_tensor **out, const at_tensor *t,
                         const int64_t axis[3])
{
  int64_t size[AT_MOST_DIMS];
  if (at_layer_sizeNhwc(layer, t, axis, size))
    return at_layer_resultNhwc(layer, out, (at_ints){size, at_sizesOf(t).count});
  return at_layer_result(layer, out);
}

at_tensor *at_upsampleNearest(at_tensor *out, int axes, at_tensor *grad, at_tensor *self,
                              int64_t scale_factor)
{
  const int scale = at_smallInt("scale_factor", scale_factor);
  at_layer_call layer;
  at_layer_begin(&layer, grad ? AT_LAYER_FLOATS : AT_LAYER_MOVES, self, axes, 1);
  check_batch(&layer, "self", self);
  void *x = at_layer_take(&layer, "self", self, 1);
  void *g = grad ? at_layer_take(&layer, "grad_output", grad, 1) : NULL;
  int64_t axis[3] = {0}; /* 0 if the product overflows: THNN then reports the size */
  for (int a = 3 - axes; a < 3; a++) {
    const int64_t size = at_sizesOf(self).data[axes - 1 + a];
    axis[a] = grad ? size : scale < 1 || size > INT64_MAX / scale ? 0 : size * scale;
  }
  void *r = result_like(&layer, &out, grad ? grad : self, axis);
  if (grad) {
    void (*const backward[])(void *, void *, void *, int) = {
        AT_OF(layer.called, TemporalUpSamplingNearest_updateGradInput),
        AT_OF(layer.called, SpatialUpSamplingNearest_updateGradInput),
        AT_OF(layer.called, VolumetricUpSamplingNearest_updateGradInput)};
    backward[axes - 1](x, g, r, scale);
  } else {
    void (*const forward[])(void *, void *, int) = {
        AT_OF(layer.called, TemporalUpSamplingNearest_updateOutput),
        AT_OF(layer.called, SpatialUpSamplingNearest_updateOutput),
        AT_OF(layer.called, VolumetricUpSamplingNearest_updateOutput)};
    forward[axes - 1](x, r, scale);
  }
  at_layer_end(&layer);
  return out;
}

at_tensor *at_upsampleLinear(at_tensor *out, int axes, at_tensor *self, at_ints output_size)
{
  const at_axes size = at_axesOf("output_size", output_size, axes, 1);
  const int *o = size.at;
  at_layer_call layer;
  at_layer_begin(&layer, AT_LAYER_FLOATS, self, axes, 1);
  check_batch(&layer, "self", self);
  void *x = at_layer_take(&layer, "self", self, 1);
  void *r = result_like(&layer, &out, self, (int64_t[]){o[0], o[1], o[2]});
  if (axes == 1)
    AT_OF(layer.called, TemporalUpSamplingLinear_updateOutput)(x, r, o[2]);
  else if (axes == 2)
    AT_OF(layer.called, SpatialUpSamplingBilinear_updateOutput)(x, r, o[1], o[2]);
  else
    AT_OF(layer.called, VolumetricUpSamplingTrilinear_updateOutput)(x, r, o[0], o[1], o[2]);
  at_layer_end(&layer);
  return out;
}

at_tensor *at_upsampleLinearBackward(at_tensor *out, int axes, at_tensor *grad, at_ints output_size,
                                     at_ints input_size)
{
  const at_axes size = at_axesOf("output_size", output_size, axes, 1);
  const int *o = size.at;
  int i[5] = {0};
  if (input_size.count != axes + 2)
    at_raise(AT_ERROR_ARGUMENT, "input_size has %d numbers, and has to have %d", input_size.count,
             axes + 2);
  at_layer_call layer;
  at_layer_begin(&layer, AT_LAYER_FLOATS, grad, axes, 1);
  check_batch(&layer, "grad_output", grad);
  void *g = at_layer_take(&layer, "grad_output", grad, 1);
  for (int d = 0; d < axes + 2; d++) {
    i[d] = at_smallInt("input_size", input_size.data[d]);
    if ((i[d] == 0) != (layer.empty >> d & 1))
      at_raise(AT_ERROR_ARGUMENT, "input_size is (%s), for grad_output of size (%s)",
               at_sizeDesc(input_size).str, at_sizeDesc(at_sizesOf(grad)).str);
    i[d] = THMax(i[d], layer.empty >> d & 1);
  }
  int64_t axis[3] = {0};
  for (int a = 3 - axes; a < 3; a++)
    axis[a] = i[axes - 1 + a];
  void *r = result_like(&layer, &out, grad, axis);
  if (axes == 1)
    AT_OF(layer.called, TemporalUpSamplingLinear_updateGradInput)(g, r, i[0], i[1], i[2], o[2]);
  else if (axes == 2)
    AT_OF(layer.called, SpatialUpSamplingBilinear_updateGradInput)(g, r, i[0], i[1], i[2], i[3],
                                                                   o[1], o[2]);
  else
    AT_OF(layer.called, VolumetricUpSamplingTrilinear_updateGradInput)(g, r, i[0], i[1], i[2], i[3],
                                                                       i[4], o[0], o[1], o[2]);
  at_layer_end(&layer);
  return out;
}

/* --- grid sampling --------------------------------------------------------------------------- */

/* Kernels are for the default mode, and for grids with points. */
static bool has_kernel(const at_tensor *input, const at_tensor *grid, int64_t interpolation_mode,
                       bool align_corners)
{
  const bool hasPoints = at_numel(grid) > 0 || at_numel(input) == 0;
  return interpolation_mode == 0 && align_corners && hasPoints;
}

static void check_types(const at_tensor *input, const at_tensor *grid)
{
  if (!at_isFloating(input->type->scalarType))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s",
             at_scalarTypeName(input->type->scalarType));
  at_checkType(grid, "grid", input->type);
}

/* A new tensor, written to out unless that is NULL. */
static at_tensor *sample_by_operations(at_tensor *out, int axes, at_tensor *input, at_tensor *grid,
                                       int64_t mode, int64_t padding, bool aligns)
{
  check_types(input, grid);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = at_hold(&pool, at_newAlias(input)), *const at =
                                                               at_hold(&pool, at_newAlias(grid));
  return at_finishOne(&pool, out,
                      at_hold(&pool, at_gridSampledBy(axes, x, at, mode, padding, aligns)));
}

at_tensor *at_gridSampler(at_tensor *out, int axes, at_tensor *input, at_tensor *grid,
                          int64_t interpolation_mode, int64_t padding_mode, bool align_corners)
{
  if (!has_kernel(input, grid, interpolation_mode, align_corners))
    return sample_by_operations(out, axes, input, grid, interpolation_mode, padding_mode,
                                align_corners);
  const int padding = at_smallInt("padding_mode", padding_mode);
  at_layer_call layer;
  at_layer_begin(&layer, AT_LAYER_FLOATS, input, axes, 1);
  void *x = at_layer_take(&layer, "input", input, 1), *g = at_layer_take(&layer, "grid", grid, 1);
  void *r = at_layer_result(&layer, &out);
  if (axes == 2)
    AT_OF(layer.called, SpatialGridSamplerBilinear_updateOutput)(x, g, r, padding);
  else
    AT_OF(layer.called, VolumetricGridSamplerBilinear_updateOutput)(x, g, r, padding);
  at_layer_end(&layer);
  return out;
}

typedef struct Sampling {
  at_tensor *grad, *input, *grid;
  int64_t mode, padding;
  bool aligns;
} Sampling;

/* The gradients that are asked for; the others stay as they are. */
static void grid_gradients(at_tensor **out, const bool *asked, int axes, Sampling s)
{
  at_tensor *made[2] = {NULL}, *to[2], *some[2];
  int count = 0;
  at_pool pool;
  at_pool_enter(&pool);
  at_gridGradientsBy(&pool, made, axes, s.grad, s.input, s.grid, s.mode, s.padding, s.aligns);
  for (int i = 0; i < 2; i++)
    if (asked[i]) {
      to[count] = out[i];
      some[count++] = made[i];
    }
  if (count == 0) {
    at_pool_leave(&pool);
    return;
  }
  at_finish(&pool, count, to, some);
  for (int i = 1; i >= 0; i--)
    if (asked[i])
      out[i] = to[--count];
}

void at_gridSamplerBackward(at_tensor **out, const bool *wanted, int axes, at_tensor *grad,
                            at_tensor *input, at_tensor *grid, int64_t interpolation_mode,
                            int64_t padding_mode, bool align_corners, at_ints output_mask)
{
  if (!has_kernel(input, grid, interpolation_mode, align_corners)) {
    check_types(input, grid);
    at_checkType(grad, "grad_output", input->type);
    const bool asked[] = {wanted[0] && output_mask.data[0], wanted[1] && output_mask.data[1]};
    grid_gradients(out, asked, axes,
                   (Sampling){grad, input, grid, interpolation_mode, padding_mode, align_corners});
    return;
  }
  const int padding = at_smallInt("padding_mode", padding_mode);
  at_layer_call layer;
  at_layer_begin(&layer, AT_LAYER_FLOATS, input, axes, 2);
  void *x = at_layer_take(&layer, "input", input, 1), *p = at_layer_take(&layer, "grid", grid, 1);
  void *g = at_layer_take(&layer, "grad_output", grad, 1), *r[2];
  for (int i = 0; i < 2; i++)
    r[i] = at_layer_optional(&layer, wanted[i] && output_mask.data[i], &out[i]);
  if (axes == 2)
    AT_OF(layer.called, SpatialGridSamplerBilinear_updateGradInput)(x, r[0], p, r[1], g, padding);
  else
    AT_OF(layer.called, VolumetricGridSamplerBilinear_updateGradInput)(x, r[0], p, r[1], g,
                                                                       padding);
  at_layer_end(&layer);
}
