/* Interpolation of images, axis by axis. */
#ifndef ATEN_INTERPOLATE_H
#define ATEN_INTERPOLATE_H

#include "ATen/core/ATenCore.h"
#include "THKernel.h"
#include "taps.h"

typedef enum at_interpolation {
  AT_NEAREST,
  AT_NEAREST_EXACT, /* the nearest center of a pixel */
  AT_LINEAR,
  AT_CUBIC,
  AT_LINEAR_WIDE, /* the filter covers all pixels that a result replaces: antialiasing */
  AT_CUBIC_WIDE
} at_interpolation;

/* How positions of one axis are computed. */
typedef struct at_resized_axis {
  at_interpolation how;
  int64_t in, out;
  bool align;
  double scale; /* in / out, as far as the caller gave another one */
} at_resized_axis;

/* The axis; a scale of 0 is none.  Raises if the scale is too small. */
at_resized_axis at_axisOf(at_interpolation how, int64_t in, int64_t out, bool align, double scale);

/* Whether the axis remains as it is. */
bool at_isKeptAxis(const at_resized_axis *axis);

/* How many taps each result has, and those of result i. */
int64_t at_tapsOf(const at_resized_axis *axis);
void at_findTaps(const at_resized_axis *axis, int64_t i, int64_t *index, double *weight);

/* Lines from begin to end of the result, each of inner elements: line o * size + i is from the from
 * lines o * from ... of x. */
typedef void (*at_interpolate_kernel)(const at_taps *axis, ptrdiff_t begin, ptrdiff_t end,
                                      ptrdiff_t from, ptrdiff_t inner, const void *x, void *y);

extern const at_interpolate_kernel *const at_interpolateFloat[];
extern const at_interpolate_kernel *const at_interpolateDouble[];

/* The last axes dimensions of self, resized to output_size, or if that is empty by the factors.
 * Where a scale is given (not 0), positions are computed with it. */
at_tensor *at_interpolated(at_tensor *out, at_tensor *self, at_interpolation how, int axes,
                           at_ints output_size, bool align_corners, const double *scales);
at_tensor *at_interpolatedBy(at_tensor *self, at_interpolation how, int axes, at_ints output_size,
                             bool align_corners, at_doubles scale_factors);

/* t, contiguous bytes, with dimension d resized; a new reference. */
at_tensor *at_weighedBytes(at_tensor *t, int d, const at_resized_axis *axis);

/* The value of an optional scale, 0 if it is not given. */
static inline double at_scaleOf(at_scalar scale)
{
  return scale.is_none ? 0 : at_scalar_toDouble(scale);
}

#endif
