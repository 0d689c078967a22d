/* Grid sampling in all of PyTorch's modes, made of operations: nearest, bicubic, and corners that are
 * not aligned.  Linear sampling with aligned corners, for which THNN has kernels, is elsewhere. */
#include "ATen/core/ATenOperations.h"
#include "ATenGrad.h"
#include "ATenOps.h"

enum { LINEAR, NEAREST, CUBIC };
enum { ZEROS, BORDER, REFLECTION };
enum { MOST_TAPS = 4, MOST_AXES = 3 };

/* Positions along one axis are in pixels, the middle of the first is 0. */
typedef struct Axis {
  int64_t size, stride, mode, padding;
  bool aligns;
} Axis;

/* One of the pixels along an axis that a sample is made of: whether it is in the image, its index
 * times the stride, and its weight, which is 1 if it is NULL. */
typedef struct Tap {
  at_tensor *isInside, *index, *weight;
} Tap;

/* --- positions -------------------------------------------------------------------------------- */

/* The derivative of a position is that of a multiple of the grid everywhere; what is not finite is far outside. */
static at_tensor *positions(const Axis *a, at_tensor *grid, int which)
{
  const double far = 1e9, factor = (double)(a->aligns ? a->size - 1 : a->size) / 2;
  at_tensor *const x =
      at_nan_to_num(at_select(grid, -1, which), .nan = -far, .posinf = far, .neginf = -far);
  return at_clamp(at_add(at_mul(x, factor), (double)(a->size - 1) / 2), .min = -far, .max = far);
}

/* x where it is reflected at low and at low + span. */
static at_tensor *reflected(at_tensor *x, double low, double span)
{
  if (span == 0)
    return at_mul(x, 0);
  at_tensor *const from = at_abs(at_sub(x, low));
  at_tensor *const turns = at_floor(at_div(at_detach(from), span));
  at_tensor *const rest = at_sub(from, at_mul(turns, span));
  at_tensor *const isOdd = at_ne(at_fmod(turns, 2), 0);
  return at_add(at_where(isOdd, at_rsub(rest, span), rest), low);
}

/* x moved into the image as the padding says. */
static at_tensor *bounded(const Axis *a, at_tensor *x)
{
  const double last = (double)(a->size - 1);
  if (a->padding == ZEROS)
    return x;
  if (a->padding == REFLECTION)
    x = reflected(x, a->aligns ? 0 : -0.5, a->aligns ? last : last + 1);
  /* What is moved to a border, or lies there, has no derivative. */
  at_tensor *const isInside = at_logical_and(at_gt(x, 0), at_lt(x, last));
  return at_where(isInside, x, at_clamp(at_detach(x), .min = 0, .max = last));
}

/* --- taps ------------------------------------------------------------------------------------- */

static Tap tap_at(const Axis *a, at_tensor *position, at_tensor *weight)
{
  const double last = (double)(a->size - 1);
  at_tensor *const whole = at_clamp(position, .min = 0, .max = last);
  at_tensor *const index = at_to(whole, at_toScalarType(at_typeOf(position), AT_LONG));
  return (Tap){at_eq(position, whole), at_mul(index, a->stride), weight};
}

/* The weight of a pixel at that distance, by the cubic with a = -0.75: for distances up to 1, and for
 * those from 1 to 2.  (Keys, Cubic convolution interpolation, 1981) */
static at_tensor *cubic(at_tensor *t, bool isFar)
{
  const double a = -0.75;
  at_tensor *const square = at_mul(t, t);
  if (!isFar)
    return at_add(at_mul(square, at_sub(at_mul(t, a + 2), a + 3)), 1);
  return at_sub(at_add(at_mul(square, at_sub(at_mul(t, a), 5 * a)), at_mul(t, 8 * a)), 4 * a);
}

static int taps_of(const Axis *a, at_tensor *x, Tap *taps)
{
  if (a->mode != CUBIC)
    x = bounded(a, x);
  if (a->mode == NEAREST) {
    taps[0] = tap_at(a, at_detach(at_round(x)), NULL);
    return 1;
  }
  at_tensor *const first = at_detach(at_floor(x)), *const t = at_sub(x, first);
  if (a->mode == LINEAR) {
    taps[0] = tap_at(a, first, at_rsub(t, 1));
    taps[1] = tap_at(a, at_add(first, 1), t);
    return 2;
  }
  for (int k = 0; k < MOST_TAPS; k++) {
    at_tensor *const distance = k < 2 ? at_add(t, 1 - k) : at_rsub(t, k - 1);
    taps[k] =
        tap_at(a, at_detach(bounded(a, at_add(first, k - 1))), cubic(distance, k == 0 || k == 3));
  }
  return MOST_TAPS;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* The tap of all axes: one from each. */
static Tap joined(const Tap *a, const Tap *b)
{
  return (Tap){at_logical_and(a->isInside, b->isInside), at_add(a->index, b->index),
               a->weight && b->weight ? at_mul(a->weight, b->weight) : a->weight};
}

/* t (batch x points) for each channel. */
static at_tensor *for_channels(at_tensor *t, at_ints sizes)
{
  return at_expand(at_reshape(t, AT_INTS(sizes.data[0], 1, sizes.data[2])), sizes);
}

/* The sum over all taps of the pixels of planes (batch x channels x pixels). */
static at_tensor *summed(at_tensor *planes, at_ints sizes, int axes, const int *counts,
                         Tap taps[MOST_AXES][MOST_TAPS])
{
  at_tensor *sum = NULL;
  const int count = counts[0] * counts[1] * (axes == 3 ? counts[2] : 1);
  for (int i = 0; i < count; i++) {
    Tap tap = taps[0][i % counts[0]];
    for (int d = 1, rest = i / counts[0]; d < axes; rest /= counts[d++])
      tap = joined(&tap, &taps[d][rest % counts[d]]);
    at_tensor *const pixels = at_gather(planes, 2, for_channels(tap.index, sizes));
    at_tensor *part = at_where_other_scalar(for_channels(tap.isInside, sizes), pixels, 0);
    if (tap.weight)
      part = at_mul(part, for_channels(tap.weight, sizes));
    sum = sum ? at_add(sum, part) : part;
  }
  return sum;
}

at_tensor *at_gridSamples(int axes, at_tensor *input, at_tensor *grid, int64_t mode,
                          int64_t padding, bool aligns)
{
  const at_type *const type = at_typeOf(input), *const compute = at_computesIn(type);
  Tap taps[MOST_AXES][MOST_TAPS];
  int counts[MOST_AXES];
  int64_t stride = 1, points = 1, shape[AT_MOST_DIMS] = {at_size(input, 0), at_size(input, 1)};
  for (int d = 0; d < axes; d++) { /* x is the last axis */
    const Axis a = {at_size(input, -1 - d), stride, mode, padding, aligns};
    counts[d] = taps_of(&a, positions(&a, at_to(grid, compute), d), taps[d]);
    stride *= a.size;
    shape[2 + d] = at_size(grid, 1 + d);
    points *= shape[2 + d];
  }
  at_tensor *const planes = at_reshape(at_to(input, compute), AT_INTS(shape[0], shape[1], stride));
  at_tensor *const sum = summed(planes, AT_INTS(shape[0], shape[1], points), axes, counts, taps);
  return at_to(at_reshape(sum, (at_ints){shape, axes + 2}), type);
}

/* --- the operation ---------------------------------------------------------------------------- */

static void check(int axes, const at_tensor *input, const at_tensor *grid, int64_t mode,
                  int64_t padding)
{
  const at_ints sizes = at_sizesOf(input), points = at_sizesOf(grid);
  if (mode < LINEAR || mode > CUBIC || (mode == CUBIC && axes == 3))
    at_raise(AT_ERROR_ARGUMENT,
             "interpolation_mode is %lld, and has to be 0 (linear), 1 (nearest) or, of images, 2 "
             "(cubic)",
             (long long)mode);
  if (padding < ZEROS || padding > REFLECTION)
    at_raise(AT_ERROR_ARGUMENT,
             "padding_mode is %lld, and has to be 0 (zeros), 1 (border) or 2 (reflection)",
             (long long)padding);
  if (grid->type != input->type)
    at_raise(AT_ERROR_TYPE, "grid is of %s, and has to be of %s as input",
             at_scalarTypeName(grid->type->scalarType), at_scalarTypeName(input->type->scalarType));
  if (sizes.count != axes + 2 || points.count != axes + 2 || points.data[0] != sizes.data[0] ||
      points.data[axes + 1] != axes)
    at_raise(AT_ERROR_ARGUMENT,
             "input has size (%s) and grid (%s): both have %d dimensions, the same batch, and the "
             "grid ends in %d coordinates",
             at_sizeDesc(sizes).str, at_sizeDesc(points).str, axes + 2, axes);
  for (int d = 2; d < sizes.count; d++)
    if (sizes.data[d] == 0)
      at_raise(AT_ERROR_ARGUMENT, "input has size (%s), images without elements",
               at_sizeDesc(sizes).str);
}

at_tensor *at_gridSampledBy(int axes, at_tensor *input, at_tensor *grid, int64_t mode,
                            int64_t padding, bool aligns)
{
  at_tensor *made = NULL;
  check(axes, input, grid, mode, padding);
  AT_SCOPE
  {
    at_tensor *const r = at_gridSamples(axes, input, grid, mode, padding, aligns);
    made = at_defined(r) ? at_keep(r) : NULL;
  }
  if (!made)
    at_raise(at_error(), "it failed"); /* the error of the operation came first, and is kept */
  return made;
}

void at_gridGradientsBy(at_pool *pool, at_tensor **made, int axes, at_tensor *grad,
                        at_tensor *input, at_tensor *grid, int64_t mode, int64_t padding,
                        bool aligns)
{
  check(axes, input, grid, mode, padding);
  AT_SCOPE
  {
    at_tensor *leaves[] = {at_requires_grad_(at_detach(input)), at_requires_grad_(at_detach(grid))};
    const bool before = at_grad_setOn(true);
    at_tensor *const r = at_gridSamples(axes, leaves[0], leaves[1], mode, padding, aligns);
    at_grad_setOn(before);
    const at_gradients_options options = {.grad_outputs = AT_TENSORS(grad), .allow_unused = true};
    const at_tensors *const both = (at_gradients)(AT_TENSORS(r), (at_tensors){leaves, 2}, &options);
    for (int i = 0; i < both->count; i++)
      made[i] = at_retain(both->data[i]);
  }
  if (!made[0])
    at_raise(at_error(), "it failed");
  for (int i = 0; i < 2; i++)
    at_hold(pool, made[i]);
}
