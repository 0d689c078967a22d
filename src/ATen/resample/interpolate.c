/* Interpolation of images: each axis by itself, with the positions and weights of PyTorch. */
#include "interpolate.h"
#include "THKernel.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

TH_DISPATCH(at_interpolate_kernel, at_interpolateFloat)
TH_DISPATCH(at_interpolate_kernel, at_interpolateDouble)

typedef at_resized_axis Axis;

static bool is_cubic(at_interpolation how)
{
  return how == AT_CUBIC || how == AT_CUBIC_WIDE;
}

static bool is_wide(at_interpolation how)
{
  return how == AT_LINEAR_WIDE || how == AT_CUBIC_WIDE;
}

Axis at_axisOf(at_interpolation how, int64_t in, int64_t out, bool align, double scale)
{
  Axis a = {how, in, out, align, scale > 0 ? 1 / scale : (double)in / (double)out};
  if (!(a.scale < 0x1p31))
    at_raise(AT_ERROR_ARGUMENT, "a scale is %g, which is too small", scale);
  if (align)
    a.scale = out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
  return a;
}

/* --- positions and weights -------------------------------------------------------------------- */

static double cubic(double x, double a)
{
  x = fabs(x);
  return x < 1   ? ((a + 2) * x - (a + 3)) * x * x + 1
         : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
                 : 0;
}

/* The filter at a distance, of antialiasing. */
static double filter(at_interpolation how, double x)
{
  return is_cubic(how) ? cubic(x, -0.5) : fmax(0, 1 - fabs(x));
}

/* The nearest element, computed in float as PyTorch does. */
static int64_t nearest(const Axis *a, int64_t i)
{
  const float scale = (float)a->scale;
  const float at = a->how == AT_NEAREST_EXACT ? ((float)i + 0.5f) * scale : (float)i * scale;
  return THMin((int64_t)floorf(at), a->in - 1);
}

/* The taps of linear and cubic interpolation. */
static void narrow_taps(const Axis *a, int64_t i, int64_t *index, double *weight)
{
  const bool isCubic = is_cubic(a->how);
  double at = a->align ? (double)i * a->scale : ((double)i + 0.5) * a->scale - 0.5;
  at = isCubic ? at : fmax(at, 0);
  const int64_t first = (int64_t)floor(at);
  const double t = at - (double)first;
  const int taps = isCubic ? 4 : 2, before = isCubic ? 1 : 0;
  for (int k = 0; k < taps; k++) {
    index[k] = THMin(THMax(first - before + k, 0), a->in - 1);
    weight[k] = isCubic ? cubic(t + before - k, -0.75) : k == 0 ? 1 - t : t;
  }
}

/* Half the width of the filter of antialiasing, in elements of the input. */
static double support_of(const Axis *a)
{
  return (is_cubic(a->how) ? 2 : 1) * fmax(a->scale, 1);
}

/* The taps of antialiasing; those beyond the filter have weight 0. */
static void wide_taps(const Axis *a, int64_t i, int64_t taps, int64_t *index, double *weight)
{
  const double center = a->scale * ((double)i + 0.5), support = support_of(a);
  const int64_t first = THMax((int64_t)(center - support + 0.5), 0);
  const int64_t count = THMin(THMin((int64_t)(center + support + 0.5), a->in) - first, taps);
  double sum = 0;
  for (int64_t k = 0; k < taps; k++) {
    index[k] = THMin(first + k, a->in - 1);
    weight[k] =
        k < count ? filter(a->how, ((double)(k + first) - center + 0.5) / fmax(a->scale, 1)) : 0;
    sum += weight[k];
  }
  for (int64_t k = 0; k < taps && sum != 0; k++)
    weight[k] /= sum;
}

static bool is_nearest(at_interpolation how)
{
  return how == AT_NEAREST || how == AT_NEAREST_EXACT;
}

int64_t at_tapsOf(const Axis *a)
{
  return is_nearest(a->how) ? 1
         : is_wide(a->how)  ? THMin(2 * (int64_t)ceil(support_of(a)) + 1, THMax(a->in, 1))
         : is_cubic(a->how) ? 4
                            : 2;
}

void at_findTaps(const Axis *a, int64_t i, int64_t *index, double *weight)
{
  if (is_nearest(a->how)) {
    index[0] = nearest(a, i);
    weight[0] = 1;
  } else if (is_wide(a->how)) {
    wide_taps(a, i, at_tapsOf(a), index, weight);
  } else {
    narrow_taps(a, i, index, weight);
  }
}

bool at_isKeptAxis(const Axis *a)
{
  return (a->how == AT_LINEAR || is_wide(a->how)) && a->in == a->out;
}

/* --- passes ----------------------------------------------------------------------------------- */

typedef struct {
  at_interpolate_kernel kernel;
  at_taps axis;
  ptrdiff_t from, inner;
  const void *x;
  void *y;
} Pass;

static void run(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Pass *const p = context;
  p->kernel(&p->axis, begin, end, p->from, p->inner, p->x, p->y);
}

/* t, which is contiguous, with dimension d resized; a new reference. */
static at_tensor *weighed(at_tensor *t, int d, const Axis *a)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(t);
  const int64_t sizes[] = {a->out, at_tapsOf(a)};
  int64_t outer = 1, inner = 1;
  for (int e = 0; e < own.count; e++) {
    buffer[e] = e == d ? a->out : own.data[e];
    if (e != d)
      *(e < d ? &outer : &inner) *= own.data[e];
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_newShape(t->type, (at_ints){buffer, own.count}));
  const at_type *const host = at_hostType(t->type);
  at_tensor *index =
      at_hold(&pool, at_newShape(at_toScalarType(host, AT_LONG), (at_ints){sizes, 2}));
  at_tensor *weight =
      at_hold(&pool, at_newShape(at_toScalarType(host, AT_DOUBLE), (at_ints){sizes, 2}));
  int64_t *const at = at_hostData(index);
  double *const w = at_hostData(weight);
  for (int64_t i = 0; i < a->out; i++)
    at_findTaps(a, i, at + i * sizes[1], w + i * sizes[1]);
  if (!at_isOnHost(t->type)) {
    index = at_cast(&pool, index, at_toScalarType(t->type, AT_LONG));
    weight = at_cast(&pool, weight, at_toScalarType(t->type, AT_DOUBLE));
    const at_interpolate_work work = {{a->out, sizes[1], at_data(index), at_data(weight)},
                                      outer * a->out,
                                      a->in,
                                      inner,
                                      at_data(t),
                                      at_data(made)};
    at_cuda()->launch(AT_KERNEL_interpolate, t->type->held, &work);
    return at_pool_keep(&pool, made);
  }
  const bool isDouble = t->type->scalarType == AT_DOUBLE;
  Pass pass = {
      isDouble ? *TH_DISPATCHED(at_interpolateDouble) : *TH_DISPATCHED(at_interpolateFloat),
      {a->out, sizes[1], at, w},
      a->in,
      inner,
      at_hostData(t),
      at_hostData(made)};
  THParallel_for(outer * a->out, 1 + TH_LOOP_GRAIN / (inner * sizes[1]), run, &pass);
  return at_pool_keep(&pool, made);
}

/* t with dimension d made of its nearest elements; a new reference. */
static at_tensor *picked(at_tensor *t, int d, const Axis *a)
{
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *const host = at_toScalarType(at_hostType(t->type), AT_LONG);
  at_tensor *index = at_hold(&pool, at_newShape(host, (at_ints){&a->out, 1}));
  for (int64_t i = 0; i < a->out; i++)
    ((int64_t *)at_hostData(index))[i] = nearest(a, i);
  index = at_cast(&pool, index, at_toScalarType(t->type, AT_LONG));
  at_tensor *const r = at_indexSelect(NULL, t, d, index);
  at_pool_leave(&pool);
  return r;
}

/* Raises unless self is a batch of images, and sizes are those of a result. */
static void check_images(const at_tensor *self, int axes, at_ints output_size)
{
  const at_ints own = at_sizesOf(self);
  bool fits = own.count == axes + 2 && output_size.count == axes;
  for (int d = 1; fits && d < own.count; d++)
    fits = own.data[d] > 0;
  for (int d = 0; fits && d < axes; d++)
    fits = output_size.data[d] > 0;
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), and has to be batch x planes x %d axes; the "
             "output size is (%s)",
             at_sizeDesc(own).str, axes, at_sizeDesc(output_size).str);
}

at_tensor *at_interpolated(at_tensor *out, at_tensor *self, at_interpolation how, int axes,
                           at_ints output_size, bool align_corners, const double *scales)
{
  const bool isNearest = is_nearest(how);
  const bool isBytes = !isNearest && axes == 2 && self->type->scalarType == AT_BYTE;
  const at_type *const compute = isNearest || isBytes ? self->type : at_layerType(self);
  check_images(self, axes, output_size);
  THGuard held;
  at_guard(&held);
  held.what = at_newCast(self, compute);
  for (int d = axes - 1; d >= 0 && at_numel(self) > 0; d--) {
    at_tensor *const t = held.what;
    /* An axis that keeps its size is not interpolated linearly, whatever its scale is. */
    const Axis a =
        at_axisOf(how, t->th->size[d + 2], output_size.data[d], align_corners, scales[d]);
    if (at_isKeptAxis(&a) || (isBytes && a.in == a.out))
      continue;
    at_tensor *const next = isNearest ? picked(t, d + 2, &a)
                            : isBytes ? at_weighedBytes(t, d + 2, &a)
                                      : weighed(t, d + 2, &a);
    at_release(t);
    held.what = next;
  }
  int64_t buffer[5] = {self->th->size[0], self->th->size[1]};
  for (int d = 0; d < axes; d++)
    buffer[2 + d] = output_size.data[d];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_numel(self) > 0
                     ? at_hold(&pool, at_retain(held.what))
                     : at_hold(&pool, at_newShape(self->type, (at_ints){buffer, axes + 2}));
  r = at_finishOne(&pool, out, at_cast(&pool, r, self->type));
  THGuard_leave(&held);
  return r;
}

at_tensor *at_interpolatedBy(at_tensor *self, at_interpolation how, int axes, at_ints output_size,
                             bool align_corners, at_doubles scale_factors)
{
  double scales[3] = {0};
  int64_t buffer[3];
  if ((output_size.count > 0) == (scale_factors.count > 0))
    at_raise(AT_ERROR_ARGUMENT,
             "output_size has %d numbers and scale_factors %d: one of both is given",
             output_size.count, scale_factors.count);
  if (scale_factors.count > 0) {
    if (scale_factors.count != axes || at_sizesOf(self).count != axes + 2)
      at_raise(AT_ERROR_ARGUMENT, "scale_factors has %d numbers for %d axes, self size (%s)",
               scale_factors.count, axes, at_sizeDesc(at_sizesOf(self)).str);
    for (int d = 0; d < axes; d++) {
      const double size = (double)self->th->size[d + 2] * scale_factors.data[d];
      if (!(size >= 1 && size < 0x1p62))
        at_raise(AT_ERROR_ARGUMENT, "scale_factors has %g for a size of %lld",
                 scale_factors.data[d], (long long)self->th->size[d + 2]);
      buffer[d] = (int64_t)size;
      scales[d] = scale_factors.data[d];
    }
    output_size = (at_ints){buffer, axes};
  }
  return at_interpolated(NULL, self, how, axes, output_size, align_corners, scales);
}
