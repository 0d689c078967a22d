/* The gradient of interpolation: along each axis, each result gives its taps their share. */
#include "ATen/autograd/Formulas.h"

/* The taps of an axis as tensors: number t of result i is at t * results + i. */
typedef struct {
  int64_t count;
  at_tensor *index, *weight;
} Taps;

static Taps taps_of(const at_resized_axis *axis)
{
  const int64_t count = at_tapsOf(axis);
  const Taps taps = {count, at_empty(AT_SHAPE(count, axis->out), .type = AT_CPU(AT_LONG)),
                     at_empty(AT_SHAPE(count, axis->out), .type = AT_CPU(AT_DOUBLE))};
  at_tensor *const indices = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  at_tensor *const weights = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_DOUBLE));
  if (!at_defined(taps.index) || !at_defined(taps.weight) || !at_defined(indices) ||
      !at_defined(weights))
    return (Taps){0, at_undefined(), at_undefined()};
  int64_t *const index = (int64_t *)at_data(taps.index), *const own = (int64_t *)at_data(indices);
  double *const weight = (double *)at_data(taps.weight), *const w = (double *)at_data(weights);
  for (int64_t i = 0; i < axis->out; i++) {
    at_findTaps(axis, i, own, w);
    for (int64_t t = 0; t < count; t++) {
      index[t * axis->out + i] = own[t];
      weight[t * axis->out + i] = w[t];
    }
  }
  return taps;
}

/* The gradient before dimension d was resized. */
static at_tensor *along(at_tensor *grad, int d, const at_resized_axis *axis)
{
  int64_t sizes[5], shape[5];
  const int dims = at_dim(grad);
  for (int e = 0; e < dims; e++) {
    sizes[e] = e == d ? axis->in : at_size(grad, e);
    shape[e] = e == d ? axis->out : 1;
  }
  const Taps taps = taps_of(axis);
  const at_type *const indices = at_toScalarType(at_typeOf(grad), AT_LONG);
  at_tensor *r = at_new_zeros(grad, ((at_ints){sizes, dims}));
  for (int64_t t = 0; t < taps.count; t++) {
    at_tensor *const weight = at_typed(at_select(taps.weight, 0, t), grad);
    at_tensor *const part = at_mul(grad, at_reshape(weight, ((at_ints){shape, dims})));
    r = at_index_add(r, d, at_to(at_select(taps.index, 0, t), indices), part);
  }
  return r;
}

at_tensor *at_interpolateGrad(at_tensor *grad, at_ints sizes, at_interpolation how, bool aligns,
                              at_doubles scales)
{
  at_tensor *r = grad;
  if (!at_defined(grad) || at_dim(grad) != sizes.count || at_numel(grad) == 0)
    return at_new_zeros(grad, sizes);
  for (int d = 2; d < sizes.count; d++) {
    const double scale = scales.count > 0 ? scales.data[d - 2] : 0;
    const at_resized_axis axis =
        at_axisOf(how, sizes.data[d], at_sizesOf(grad).data[d], aligns, scale);
    if (!at_isKeptAxis(&axis))
      r = along(r, d, &axis);
  }
  return r;
}
