/* The gradients of grid sampling, made of operations, so that they can be differentiated again; and
 * the short-time Fourier transform. */
#include <math.h>

#include "ATen/autograd/Formulas.h"

enum { ZEROS, BORDER, REFLECTION }; /* paddings */
enum { MOST_AXES = 3 };

/* Along one axis, for each position of the grid: the first of two neighbours, how far the position
 * is from that, and the derivative of the position. */
typedef struct {
  int64_t size, stride;
  at_tensor *first, *beyond, *slope;
} Axis;

/* x where it is reflected at 0 and last. */
static at_tensor *reflected(at_tensor *x, double last)
{
  at_tensor *const position = at_detach(at_abs(x)), *const whole = at_mul(at_abs(x), 1);
  if (last == 0)
    return at_mul(x, 0);
  at_tensor *const turns = at_floor(at_div(position, last));
  at_tensor *const rest = at_sub(whole, at_mul(turns, last));
  at_tensor *const isOdd = at_ne(at_fmod(turns, 2), 0);
  return at_where(isOdd, at_rsub(rest, last), rest);
}

static Axis axis_of(at_tensor *grid, int which, int64_t size, int64_t stride, int64_t padding)
{
  const double last = (double)(size - 1);
  at_tensor *const at = at_select(grid, -1, which);
  at_tensor *const leaf = at_mul(at_add(at, 1), last / 2);
  at_tensor *x = leaf, *slope = at_mul(at_ones_like(leaf), last / 2);
  if (padding == REFLECTION) {
    at_tensor *const isOdd =
        at_ne(at_fmod(at_floor(at_div(at_detach(at_abs(leaf)), last == 0 ? 1 : last)), 2), 0);
    slope = at_mul(slope, at_sign(at_detach(leaf)));
    slope = at_where(isOdd, at_neg(slope), slope);
    x = reflected(leaf, last);
  }
  if (padding != ZEROS) {
    at_tensor *const isOut = at_logical_or(at_le(x, 0), at_ge(x, last));
    slope = at_masked_fill(slope, isOut, 0);
    x = at_clamp(x, .min = 0, .max = last);
  }
  at_tensor *const first = at_detach(at_floor(x));
  return (Axis){size, stride, first, at_sub(x, first), slope};
}

/* What one corner of the cells around the positions has. */
typedef struct {
  at_tensor *index, *isInside; /* in a plane */
  at_tensor *weight, *slopes[MOST_AXES];
} Corner;

static Corner corner_of(const Axis *axes, int count, int bits)
{
  Corner c = {NULL};
  at_tensor *each[MOST_AXES];
  for (int d = 0; d < count; d++) {
    const Axis *const a = &axes[d];
    const bool isSecond = bits >> d & 1;
    at_tensor *const position = isSecond ? at_add(a->first, 1) : a->first;
    at_tensor *const isIn =
        at_logical_and(at_ge(position, 0), at_le(position, (double)(a->size - 1)));
    at_tensor *const index =
        at_mul(at_clamp(position, .min = 0, .max = (double)(a->size - 1)), (double)a->stride);
    c.index = c.index ? at_add(c.index, index) : index;
    c.isInside = c.isInside ? at_logical_and(c.isInside, isIn) : isIn;
    each[d] = isSecond ? a->beyond : at_rsub(a->beyond, 1);
    c.weight = c.weight ? at_mul(c.weight, each[d]) : each[d];
  }
  for (int d = 0; d < count; d++) {
    c.slopes[d] = bits >> d & 1 ? axes[d].slope : at_neg(axes[d].slope);
    for (int e = 0; e < count; e++)
      if (e != d)
        c.slopes[d] = at_mul(c.slopes[d], each[e]);
  }
  return c;
}

/* t (batch x positions) for each channel, with the positions as one dimension. */
static at_tensor *for_channels(at_tensor *t, at_ints sizes)
{
  const at_ints flat = AT_INTS(sizes.data[0], 1, -1);
  return at_expand(at_reshape(t, flat), sizes);
}

at_grad_input_grad_grid at_gridBackwardOf(at_tensor *grad, at_tensor *input, at_tensor *grid,
                                          int64_t mode, int64_t padding, bool aligns, at_ints mask)
{
  if (mode != 0 || !aligns) {
    at_fail(AT_ERROR_ARGUMENT, "grid_sampler_backward",
            "grid_sampler_backward: interpolation_mode is %lld and align_corners %d: its gradient "
            "is that of linear interpolation with aligned corners (0, true) alone",
            (long long)mode, aligns);
    return (at_grad_input_grad_grid){at_undefined(), at_undefined()};
  }
  if (!at_defined(grad) || !at_defined(input) || !at_defined(grid))
    return (at_grad_input_grad_grid){at_undefined(), at_undefined()};
  if (at_numel(grad) == 0)
    return (at_grad_input_grad_grid){mask.data[0] ? at_zeros_like(input) : NULL,
                                     mask.data[1] ? at_zeros_like(grid) : NULL};
  const int count = at_dim(input) - 2;
  Axis axes[MOST_AXES];
  int64_t stride = 1;
  for (int d = 0; d < count; d++) { /* x is the last axis */
    axes[d] = axis_of(grid, d, at_size(input, -1 - d), stride, padding);
    stride *= at_size(input, -1 - d);
  }
  const int64_t batch = at_size(input, 0), channels = at_size(input, 1);
  const int64_t positions = at_numel(grad) / (batch * channels);
  const at_ints sizes = AT_INTS(batch, channels, positions);
  const at_type *const longs = at_toScalarType(at_typeOf(input), AT_LONG);
  at_tensor *const g = at_reshape(grad, sizes);
  at_tensor *const planes = at_reshape(input, AT_INTS(batch, channels, -1));
  at_tensor *made = at_zeros_like(planes), *slopes[MOST_AXES] = {NULL};
  for (int bits = 0; bits < 1 << count; bits++) {
    const Corner c = corner_of(axes, count, bits);
    at_tensor *const index = for_channels(at_to(c.index, longs), sizes);
    at_tensor *const own = at_mul(g, for_channels(c.isInside, sizes));
    made = at_scatter_add(made, 2, index, at_mul(own, for_channels(c.weight, sizes)));
    at_tensor *const along = at_sum_dim(at_mul(own, at_gather(planes, 2, index)), AT_INTS(1));
    for (int d = 0; d < count; d++) {
      at_tensor *const part = at_mul(along, at_reshape(c.slopes[d], AT_INTS(batch, -1)));
      slopes[d] = slopes[d] ? at_add(slopes[d], part) : part;
    }
  }
  at_tensor *const ofGrid = at_stack(((at_tensors){slopes, count}), .dim = -1);
  return (at_grad_input_grad_grid){mask.data[0] ? at_reshape(made, at_sizes(input)) : NULL,
                                   mask.data[1] ? at_reshape(ofGrid, at_sizes(grid)) : NULL};
}

/* --- Fourier ---------------------------------------------------------------------------------- */

at_tensor *at_stftOf(at_tensor *self, int64_t length, int64_t hop, int64_t size, bool oneSided,
                     at_tensor *window, int64_t pad)
{
  at_tensor *const whole = at_constant_pad_nd(self, AT_INTS(0, pad));
  at_tensor *frames = at_unfold(whole, -1, length, hop);
  if (window)
    frames = at_mul(frames, window);
  const int64_t count = oneSided ? size / 2 + 1 : size;
  const at_type *const wide = at_toScalarType(at_typeOf(self), AT_DOUBLE);
  at_tensor *const times = at_unsqueeze(at_arange(length, .type = wide), -1);
  at_tensor *const turns = at_fmod(at_mul(times, at_arange(count, .type = wide)), (double)size);
  at_tensor *const angles = at_mul(turns, -2 * M_PI / (double)size);
  return at_stack(AT_TENSORS(at_matmul(frames, at_typed(at_cos(angles), self)),
                             at_matmul(frames, at_typed(at_sin(angles), self))),
                  .dim = -1);
}
