/* Interpolation of tensors, each dimension in turn: a row of weights for each element of the result,
 * which are applied by a product of matrices. */
#include <math.h>

#include "../Detection.h"
#include "../Runs.h"

enum { MOST_TAPS = 4 };

/* How a dimension is resized. */
typedef struct Axis {
  int64_t size, result;
  double scale;      /* result / size */
  double start, end; /* of the region, for tf_crop_and_resize */
} Axis;

typedef struct Resizing {
  const at_onnxCall *call;
  const char *mode, *transform, *nearest;
  double cubic, outside;
  bool excludes, antialias;
} Resizing;

/* --- positions -------------------------------------------------------------------------------- */

/* The position in the input of element i of the result. */
static double written_position(const Resizing *r, const Axis *a, int64_t i)
{
  const double x = (double)i, size = (double)a->size, result = (double)a->result;
  const char *const t = r->transform;
  if (!strcmp(t, "asymmetric"))
    return x / a->scale;
  if (!strcmp(t, "align_corners"))
    return a->result == 1 ? 0 : x * (size - 1) / (result - 1);
  if (!strcmp(t, "pytorch_half_pixel"))
    return a->result == 1 ? 0 : (x + 0.5) / a->scale - 0.5;
  if (!strcmp(t, "half_pixel_symmetric")) {
    const double ratio = result / (a->scale * size), center = size / 2;
    return center * (1 - ratio) + (x + 0.5) / a->scale - 0.5;
  }
  if (!strcmp(t, "tf_crop_and_resize"))
    return a->result > 1
               ? a->start * (size - 1) + x * (a->end - a->start) * (size - 1) / (result - 1)
               : 0.5 * (a->start + a->end) * (size - 1);
  if (strcmp(t, "half_pixel"))
    AT_ONNX_FAILS(r->call, "coordinate_transformation_mode is '%.40s'", t);
  return (x + 0.5) / a->scale - 0.5;
}

/* written_position, but no further outside than makes a difference, so that it fits an integer. */
static double position_of(const Resizing *r, const Axis *a, int64_t i)
{
  const double far = 0x1p40, position = written_position(r, a, i);
  return position > -far ? THMin(position, far) : -far;
}

static int64_t nearest_to(const Resizing *r, double x)
{
  if (!strcmp(r->nearest, "floor"))
    return (int64_t)floor(x);
  if (!strcmp(r->nearest, "ceil"))
    return (int64_t)ceil(x);
  if (!strcmp(r->nearest, "round_prefer_ceil"))
    return (int64_t)floor(x + 0.5);
  return (int64_t)ceil(x - 0.5);
}

/* --- weights ---------------------------------------------------------------------------------- */

/* The cubic kernel with parameter a at distance x. */
static double cubic_at(double a, double x)
{
  x = fabs(x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double linear_at(double x)
{
  return THMax(1 - fabs(x), 0);
}

/* Adds the weights of one element of the result to its row. */
static void fill_row(const Resizing *r, const Axis *a, double position, double *row)
{
  const bool isCubic = !strcmp(r->mode, "cubic");
  const double wide = r->antialias && a->scale < 1 ? 1 / a->scale : 1,
               reach = (isCubic ? 2 : 1) * wide;
  const int64_t from = (int64_t)floor(position - reach) + 1, to = (int64_t)ceil(position + reach);
  double sum = 0;
  for (int64_t k = from; k < to; k++) {
    const double x = ((double)k - position) / wide,
                 weight = isCubic ? cubic_at(r->cubic, x) : linear_at(x);
    const bool isInside = k >= 0 && k < a->size;
    if (!isInside && r->excludes)
      continue;
    row[THMin(THMax(k, 0), a->size - 1)] += weight;
    sum += weight;
  }
  for (int64_t k = 0; k < a->size && sum != 0 && (r->excludes || r->antialias); k++)
    row[k] /= sum;
}

static bool is_outside(const Resizing *r, const Axis *a, double position)
{
  return !strcmp(r->transform, "tf_crop_and_resize") &&
         (position < 0 || position > (double)(a->size - 1));
}

/* The weights as a matrix of result rows. */
static at_tensor *weights_of(const Resizing *r, const Axis *a)
{
  at_tensor *const w = at_zeros(AT_SHAPE(a->result, a->size), .type = at_cpuType(AT_DOUBLE));
  if (!at_defined(w))
    AT_ONNX_FAILS(r->call, "it failed");
  for (int64_t i = 0; i < a->result; i++)
    fill_row(r, a, position_of(r, a, i), (double *)at_hostData(w) + i * a->size);
  return w;
}

/* --- one dimension ---------------------------------------------------------------------------- */

static at_tensor *picked(const Resizing *r, const Axis *a, at_tensor *x, int d)
{
  at_tensor *const index = at_empty(AT_SHAPE(a->result), .type = at_cpuType(AT_LONG));
  if (!at_defined(index))
    AT_ONNX_FAILS(r->call, "it failed");
  for (int64_t i = 0; i < a->result; i++) {
    const int64_t at = nearest_to(r, position_of(r, a, i));
    ((int64_t *)at_hostData(index))[i] = THMin(THMax(at, 0), a->size - 1);
  }
  return at_index_select(x, d, index);
}

static at_tensor *weighted(const Resizing *r, const Axis *a, at_tensor *x, int d)
{
  at_tensor *const last = at_movedim_int(x, d, -1);
  return at_movedim_int(at_matmul(last, at_t(at_type_as(weights_of(r, a), x))), -1, d);
}

/* Elements whose position is outside of the input are a constant. */
static at_tensor *without_outside(const Resizing *r, const Axis *a, at_tensor *x, int d)
{
  at_tensor *mask = at_zeros(AT_SHAPE(a->result), .type = at_cpuType(AT_BOOL));
  bool isAny = false;
  for (int64_t i = 0; at_defined(mask) && i < a->result; i++) {
    const bool isOutside = is_outside(r, a, position_of(r, a, i));
    ((uint8_t *)at_hostData(mask))[i] = isOutside;
    isAny |= isOutside;
  }
  for (int k = d + 1; k < at_dim(x); k++)
    mask = at_unsqueeze(mask, -1);
  return isAny ? at_masked_fill(x, mask, r->outside) : x;
}

/* --- sizes ------------------------------------------------------------------------------------ */

static void set_scale(const at_onnxCall *c, Axis *a, double scale)
{
  const double result = floor((double)a->size * scale);
  if (!(scale > 0) || result > INT32_MAX)
    AT_ONNX_FAILS(c, "a scale is %g, of size %lld", scale, (long long)a->size);
  a->scale = scale;
  a->result = (int64_t)result;
}

/* The sizes that are wanted, or with an aspect ratio that is kept. */
static void set_sizes(const at_onnxCall *c, Axis *axes, const int *which, const at_onnxList *sizes)
{
  const char *const policy = at_onnxText(c, "keep_aspect_ratio_policy", "stretch");
  const bool isStretched = !strcmp(policy, "stretch"), isLarger = strcmp(policy, "not_larger") != 0;
  double common = 0;
  for (int i = 0; i < sizes->count; i++) {
    Axis *const a = &axes[which[i]];
    if (sizes->data[i] < 0 || sizes->data[i] > INT32_MAX || a->size < 1)
      AT_ONNX_FAILS(c, "size %lld is wanted of %lld", (long long)sizes->data[i],
                    (long long)a->size);
    const double scale = (double)sizes->data[i] / (double)a->size;
    common = i == 0 ? scale : isLarger ? THMax(common, scale) : THMin(common, scale);
    a->scale = scale;
    a->result = sizes->data[i];
  }
  for (int i = 0; i < sizes->count && !isStretched; i++) {
    Axis *const a = &axes[which[i]];
    a->scale = common;
    a->result = (int64_t)floor((double)a->size * common + 0.5);
  }
}

/* Whether the node is Upsample, or Resize of version 10. */
static bool is_old(const at_onnxCall *c)
{
  return strstr(c->node->target, "Upsample") || c->inputCount == 2;
}

/* The scales, which were an attribute first. */
static int read_scales(const at_onnxCall *c, double *to)
{
  return c->inputCount == 1 ? at_onnxFloats(c, "scales", to)
                            : at_onnxFloatsIn(c, is_old(c) ? 1 : 2, to);
}

/* Upsample has scales as input 1; Resize a region, scales and sizes. */
static void read_axes(const at_onnxCall *c, const at_tensor *x, Axis *axes)
{
  const bool isOld = is_old(c);
  const int dims = at_dim(x);
  double scales[AT_MOST_DIMS], region[AT_MOST_DIMS];
  int which[AT_MOST_DIMS];
  const at_onnxList chosen = at_onnxInts(c, "axes");
  const at_onnxList sizes = isOld ? (at_onnxList){.count = -1} : at_onnxIntsIn(c, 3);
  const int count = chosen.count < 0 ? dims : chosen.count, scaleCount = read_scales(c, scales),
            regionCount = isOld ? -1 : at_onnxFloatsIn(c, 1, region);
  for (int d = 0; d < dims; d++)
    axes[d] = (Axis){at_size(x, d), at_size(x, d), 1, 0, 1};
  for (int i = 0; i < count; i++)
    which[i] = at_onnxAxis(c, chosen.count < 0 ? i : chosen.data[i], dims);
  if (sizes.count > 0 ? sizes.count != count : scaleCount != count)
    AT_ONNX_FAILS(c, "%d scales and %d sizes are given for %d dimensions", scaleCount, sizes.count,
                  count);
  if (sizes.count > 0)
    set_sizes(c, axes, which, &sizes);
  for (int i = 0; i < count && sizes.count <= 0; i++)
    set_scale(c, &axes[which[i]], scales[i]);
  for (int i = 0; i < count && regionCount == 2 * count; i++) {
    axes[which[i]].start = region[i];
    axes[which[i]].end = region[i + count];
  }
}

void at_runResize(at_onnxCall *c)
{
  at_tensor *x = at_onnxInput(c, 0);
  const at_type *const type = x->type;
  const bool isOld = is_old(c);
  const Resizing r = {
      .call = c,
      .mode = at_onnxText(c, "mode", "nearest"),
      .transform =
          at_onnxText(c, "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel"),
      .nearest = at_onnxText(c, "nearest_mode", isOld ? "floor" : "round_prefer_floor"),
      .cubic = at_onnxFloat(c, "cubic_coeff_a", -0.75),
      .outside = at_onnxFloat(c, "extrapolation_value", 0),
      .excludes = at_onnxInt(c, "exclude_outside", 0) != 0,
      .antialias = at_onnxInt(c, "antialias", 0) != 0};
  const bool isNearest = !strcmp(r.mode, "nearest");
  Axis axes[AT_MOST_DIMS];
  read_axes(c, x, axes);
  if (!isNearest && !at_isFloating(type->scalarType))
    x = at_to(x, at_cpuType(AT_DOUBLE));
  for (int d = 0; d < at_dim(x); d++) {
    const bool isRegion =
        !strcmp(r.transform, "tf_crop_and_resize") && (axes[d].start != 0 || axes[d].end != 1);
    if (axes[d].result == axes[d].size && axes[d].scale == 1 && !isRegion)
      continue;
    x = isNearest ? picked(&r, &axes[d], x, d) : weighted(&r, &axes[d], x, d);
    if (isRegion)
      x = without_outside(&r, &axes[d], x, d);
  }
  at_onnxGive(c, 0, at_to(x, type));
}

void at_runGridSample(at_onnxCall *c)
{
  static const char *const modes[] = {"bilinear", "linear", "nearest", "bicubic", "cubic"},
                           *const borders[] = {"zeros", "border", "reflection"};
  static const int64_t modeNumbers[] = {0, 0, 1, 2, 2};
  at_tensor *const x = at_onnxInput(c, 0), *const grid = at_onnxInput(c, 1);
  const char *const mode = at_onnxText(c, "mode", "linear"), *const border =
                                                                 at_onnxText(c, "padding_mode",
                                                                             "zeros");
  int64_t modeNumber = -1, borderNumber = -1;
  for (int i = 0; i < 5; i++)
    if (!strcmp(modes[i], mode))
      modeNumber = modeNumbers[i];
  for (int i = 0; i < 3; i++)
    if (!strcmp(borders[i], border))
      borderNumber = i;
  if (modeNumber < 0 || borderNumber < 0)
    AT_ONNX_FAILS(c, "mode is '%.40s', and padding_mode '%.40s'", mode, border);
  const bool aligns = at_onnxInt(c, "align_corners", 0) != 0;
  at_onnxGive(c, 0,
              at_dim(x) == 5
                  ? at_grid_sampler_3d(x, grid, .interpolation_mode = modeNumber,
                                       .padding_mode = borderNumber, .align_corners = aligns)
                  : at_grid_sampler_2d(x, grid, .interpolation_mode = modeNumber,
                                       .padding_mode = borderNumber, .align_corners = aligns));
}

/* Positions from -1 to 1 along a dimension: of corners, or of the middles of pixels. */
static at_tensor *positions(const at_tensor *like, int64_t size, bool aligns)
{
  at_tensor *const at = at_arange(size, .type = at_cpuType(AT_DOUBLE));
  at_tensor *const made = aligns ? at_sub(at_div(at_mul(at, 2), THMax(size - 1, 1)), 1)
                                 : at_sub(at_div(at_add(at_mul(at, 2), 1), size), 1);
  return at_to(made, like->type);
}

at_tensor *at_affineGrid(const at_graphNode *node, at_tensor *theta, at_ints size, bool aligns)
{
  const int dims = size.count - 2;
  if ((dims != 2 && dims != 3) || at_dim(theta) != 3)
    at_nodeFails(node, "a size of %d numbers is wanted, and theta has %d dimensions", size.count,
                 at_dim(theta));
  const at_ints whole = {size.data + 2, dims};
  at_tensor *parts[4];
  for (int k = 0; k < dims; k++) { /* the last dimension is first in a position */
    const int d = dims - 1 - k;
    parts[k] = positions(theta, whole.data[d], aligns);
    for (int i = d + 1; i < dims; i++)
      parts[k] = at_unsqueeze(parts[k], -1);
    parts[k] = at_expand(parts[k], whole);
  }
  parts[dims] = at_ones_like(parts[0]);
  at_tensor *const base =
      at_reshape(at_stack(((at_tensors){parts, dims + 1}), .dim = -1), AT_INTS(1, -1, dims + 1));
  int64_t made[5] = {at_size(theta, 0)};
  memcpy(made + 1, whole.data, (size_t)dims * sizeof *made);
  made[dims + 1] = dims;
  const at_ints sizes = {made, dims + 2};
  return at_reshape(at_matmul(base, at_transpose(theta, 1, 2)), sizes);
}

void at_runAffineGrid(at_onnxCall *c)
{
  const at_onnxList size = at_onnxIntsIn(c, 1);
  at_onnxGive(c, 0,
              at_affineGrid(c->node, at_onnxInput(c, 0), at_listed(&size),
                            at_onnxInt(c, "align_corners", 0) != 0));
}
