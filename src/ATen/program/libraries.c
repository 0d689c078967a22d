/* What nodes do that is several operations of the table: detection of torchvision, and functions of
 * PyTorch that are forms of others. */
#include <math.h>

#include "ATen/onnx/Detection.h"
#include "ATenOps.h"

/* --- detection -------------------------------------------------------------------------------- */

/* nms(dets, scores, iou_threshold): the indices of the boxes that are kept, the best first. */
void at_computeSuppress(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const dets = at_inputTensor(frame, node, "dets", 0), *const scores =
                                                                      at_inputTensor(frame, node,
                                                                                     "scores", 1);
  const int64_t count = at_dim(dets) == 2 && at_size(dets, 1) == 4 ? at_size(dets, 0) : -1;
  if (count < 0 || at_dim(scores) != 1 || at_size(scores, 0) != count)
    at_nodeFails(node, "boxes of size %s do not go with scores of size %s",
                 at_sizeDesc(at_sizes(dets)).str, at_sizeDesc(at_sizes(scores)).str);
  at_tensor *const box = at_contiguous(at_to(dets, AT_CPU(AT_FLOAT))),
                   *const order =
                       at_contiguous(at_sort(scores, .dim = 0, .descending = true, .stable = true)
                                         .indices),
                   *const kept = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  int64_t found = 0;
  if (count > 0 && at_defined(box) && at_defined(order) && at_defined(kept)) {
    const at_boxes boxes = {at_hostData(box), count, false,
                            at_inputNumber(frame, node, "iou_threshold", 2, 0)};
    found = at_suppress(&boxes, at_hostData(order), NULL, 0, count, at_hostData(kept));
  }
  at_giveOutput(frame, node, 0, at_defined(order) ? at_slice(kept, .end = found) : order);
}

/* The version of CUDA that torchvision was built with: none. */
void at_computeNoCuda(at_frame *frame, const at_graphNode *node)
{
  at_giveInt(frame, node, -1);
}

/* The rois of a node, each an image and two corners; raises if they are no such rows. */
static at_tensor *rois_of(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const rois = at_inputTensor(frame, node, "rois", 1);
  if (at_dim(rois) != 2 || at_size(rois, 1) != 5)
    at_nodeFails(node, "rois is of size %s, and has to be of N x 5",
                 at_sizeDesc(at_sizes(rois)).str);
  return rois;
}

/* Gives the channel of the image that each position-sensitive cell is of, as the second output. */
static void give_channels(at_frame *frame, const at_graphNode *node, const at_tensor *rois,
                          const at_tensor *input, int64_t rows, int64_t columns)
{
  const int64_t channels = at_cellChannels(node, input, rows, columns);
  if (node->outputCount < 2)
    return;
  at_tensor *const each = at_arange(at_size(input, 1), .type = at_cpuType(AT_INT));
  at_giveOutput(frame, node, 1,
                at_expand(at_reshape(each, AT_INTS(channels, rows, columns)),
                          AT_INTS(at_size(rois, 0), channels, rows, columns)));
}

/* roi_align(input, rois, ...), and ps_roi_align, whose cells are position-sensitive (Dai and others,
 * R-FCN, 2016). */
void at_computeRoiAlign(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const bool isPositionSensitive = strstr(node->target, ".ps_roi_align") != NULL;
  at_tensor *const rois = rois_of(frame, node), *const input =
                                                    at_inputTensor(frame, node, "input", 0);
  const at_cellsWanted wanted = {
      .scale = at_inputNumber(frame, node, "spatial_scale", 2, 1),
      .rows = at_inputInt(frame, node, "pooled_height", 3),
      .columns = at_inputInt(frame, node, "pooled_width", 4),
      .ratio = at_inputInt(frame, node, "sampling_ratio", 5),
      .offset = isPositionSensitive || at_inputBool(frame, node, "aligned", 6, false) ? 0.5 : 0,
      .isPositionSensitive = isPositionSensitive};
  at_giveOutput(frame, node, 0,
                at_sampledRegions(node, input, at_slice(rois, .dim = 1, .start = 1),
                                  at_select(rois, 1, 0), &wanted));
  if (isPositionSensitive)
    give_channels(frame, node, rois, input, wanted.rows, wanted.columns);
}

/* The pixels of a cell along an axis, of a region from first to last; the last pixel of the image is
 * none, as in torchvision. */
static void pixels_of(int64_t i, int64_t cells, const double *corner, double scale, int64_t size,
                      int64_t *begin, int64_t *end)
{
  const double first = round(corner[0] * scale), last = round(corner[2] * scale),
               cell = fmax(last - first, 1) / (double)cells;
  *begin = (int64_t)fmin(fmax(floor((double)i * cell) + first, 0), (double)(size - 1));
  *end = (int64_t)fmin(fmax(ceil((double)(i + 1) * cell) + first, 0), (double)(size - 1));
}

/* The mean of each position-sensitive cell of a region; 0 if it has no pixel. */
static void average_cells(const double *image, const double *corners, double scale,
                          const int64_t size[2], const int64_t made[3], double *to)
{
  int64_t top, bottom, left, right;
  for (int64_t k = 0; k < made[0] * made[1] * made[2]; k++) {
    const double *const plane = image + k * size[0] * size[1];
    double sum = 0;
    pixels_of(k / made[2] % made[1], made[1], corners + 1, scale, size[0], &top, &bottom);
    pixels_of(k % made[2], made[2], corners, scale, size[1], &left, &right);
    for (int64_t y = top; y < bottom; y++)
      for (int64_t x = left; x < right; x++)
        sum += plane[y * size[1] + x];
    to[k] = bottom > top && right > left ? sum / (double)((bottom - top) * (right - left)) : 0;
  }
}

/* ps_roi_pool(input, rois, spatial_scale, pooled_height, pooled_width) */
void at_computePositionPool(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const rois = rois_of(frame, node), *const input =
                                                    at_inputTensor(frame, node, "input", 0);
  const int64_t rows = at_inputInt(frame, node, "pooled_height", 3),
                columns = at_inputInt(frame, node, "pooled_width", 4), count = at_size(rois, 0);
  const int64_t made[] = {at_cellChannels(node, input, rows, columns), rows, columns},
                size[] = {at_size(input, 2), at_size(input, 3)}, all = at_size(input, 1);
  at_tensor *const cells =
      at_empty(AT_SHAPE(count, made[0], rows, columns), .type = AT_CPU(AT_DOUBLE));
  at_tensor *const pixels = at_contiguous(at_to(input, AT_CPU(AT_DOUBLE))),
                   *const given = at_contiguous(at_to(rois, AT_CPU(AT_DOUBLE)));
  if (at_defined(cells) && at_defined(pixels) && at_defined(given))
    for (int64_t k = 0; k < count; k++) {
      const double *const roi = (const double *)at_hostData(given) + 5 * k;
      const double image = roi[0];
      if (!(image >= 0 && image < (double)at_size(input, 0)) ||
          !isfinite(roi[1] + roi[2] + roi[3] + roi[4]) || at_numel(input) == 0)
        at_nodeFails(node, "region %lld, (%g, %g) to (%g, %g) of image %g, is none of %s",
                     (long long)k, roi[1], roi[2], roi[3], roi[4], image,
                     at_sizeDesc(at_sizes(input)).str);
      average_cells((const double *)at_hostData(pixels) + (int64_t)image * all * size[0] * size[1],
                    roi + 1, at_inputNumber(frame, node, "spatial_scale", 2, 1), size, made,
                    (double *)at_hostData(cells) + k * all);
    }
  at_giveOutput(frame, node, 0, at_defined(given) ? at_to(cells, input->type) : given);
  give_channels(frame, node, rois, input, rows, columns);
}

/* deform_conv2d(input, weight, offset, mask, bias, strides, paddings, dilations, groups, groups of
 * offsets, whether the mask counts) */
void at_computeDeformed(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  static const char *const names[][2] = {
      {"stride_h", "stride_w"}, {"pad_h", "pad_w"}, {"dilation_h", "dilation_w"}};
  at_deformed given = {.x = at_inputTensor(frame, node, "input", 0),
                       .filters = at_inputTensor(frame, node, "weight", 1),
                       .offsets = at_inputTensor(frame, node, "offset", 2),
                       .bias = at_inputTensor(frame, node, "bias", 4),
                       .groups = at_inputInt(frame, node, "offset_groups", 12)};
  if (at_inputBool(frame, node, "use_mask", 13, false))
    given.mask = at_inputTensor(frame, node, "mask", 3);
  for (int i = 0; i < 2; i++) {
    given.kernel[i] = at_dim(given.filters) == 4 ? at_size(given.filters, 2 + i) : 0;
    given.stride[i] = at_inputInt(frame, node, names[0][i], 5 + i);
    given.before[i] = given.after[i] = at_inputInt(frame, node, names[1][i], 7 + i);
    given.dilation[i] = at_inputInt(frame, node, names[2][i], 9 + i);
  }
  given.parts = at_inputInt(frame, node, "groups", 11);
  at_giveOutput(frame, node, 0, at_deformedConvolution(node, &given));
}

/* --- other forms ------------------------------------------------------------------------------ */

void at_computeWindow(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const int64_t count = at_inputInt(frame, node, "window_length", 0);
  const bool sym = !at_inputBool(frame, node, "periodic", 1, true);
  const at_type *const type = at_inputType(node, "dtype", AT_FLOAT);
  const char *const name = node->target + strlen("aten.");
  const double parts[] = {at_inputNumber(frame, node, "alpha", 2, 0.54),
                          at_inputNumber(frame, node, "beta", 3, 0.46)};
  const at_doubles hamming = {parts, 2};
  at_tensor *made;
  if (!strncmp(name, "hann", 4))
    made = at_signal_windows_hann(count, .sym = sym, .type = type);
  else if (!strncmp(name, "hamming", 7))
    made = at_signal_windows_general_cosine(count, hamming, .sym = sym, .type = type);
  else if (!strncmp(name, "blackman", 8))
    made = at_signal_windows_blackman(count, .sym = sym, .type = type);
  else if (!strncmp(name, "bartlett", 8))
    made = at_signal_windows_bartlett(count, .sym = sym, .type = type);
  else
    made = at_signal_windows_kaiser(count, .beta = at_inputNumber(frame, node, "beta", 2, 12),
                                    .sym = sym, .type = type);
  at_giveOutput(frame, node, 0, made);
}

/* Dropout of channels, and dropout that keeps mean and variance; outside of training its input. */
void at_computeDropout(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x =
      at_inputTensor(frame, node, at_inputOf(node, "self", -1) ? "self" : "input", 0);
  const double p = at_inputNumber(frame, node, "p", 1, 0.5);
  const bool isAlpha = strstr(node->target, "alpha") != NULL;
  at_tensor *made = NULL;
  if (p == 0 || !at_inputBool(frame, node, "train", 2, false))
    made = at_alias(x);
  else if (!strstr(node->target, "feature"))
    made = at_alpha_dropout(x, p, true);
  else
    made = isAlpha ? at_feature_alpha_dropout(x, p, true) : at_feature_dropout(x, p, true);
  at_giveOutput(frame, node, 0, made);
}

at_tensor *at_bitsAs(const at_graphNode *node, at_tensor *t, const at_type *type)
{
  at_tensor *const self = at_contiguous(t);
  int64_t sizes[AT_MOST_DIMS];
  if (!at_defined(self))
    at_nodeFails(node, "it failed");
  const int dims = at_dim(self);
  const size_t from = self->type->elementSize, to = type->elementSize;
  for (int d = 0; d < dims; d++)
    sizes[d] = at_size(self, d);
  if (from != to && (dims == 0 || sizes[dims - 1] * (int64_t)from % (int64_t)to != 0))
    at_nodeFails(node, "self of size %s and %s is no whole number of elements of %s",
                 at_sizeDesc(at_sizes(self)).str, at_scalarTypeName(self->type->scalarType),
                 at_scalarTypeName(type->scalarType));
  if (from != to)
    sizes[dims - 1] = sizes[dims - 1] * (int64_t)from / (int64_t)to;
  at_tensor *const made = at_empty(((at_ints){sizes, dims}), .type = type);
  if (at_defined(made) && at_numel(made) > 0)
    memcpy(at_hostData(made), at_hostData(self), (size_t)at_numel(self) * from);
  return made;
}

/* view(dtype), as a copy. */
void at_computeBits(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_giveOutput(frame, node, 0,
                at_bitsAs(node, at_inputTensor(frame, node, "self", 0),
                          at_inputType(node, "dtype", AT_FLOAT)));
}

at_ints at_inputSizes(const at_frame *frame, const at_graphNode *node, int64_t *sizes)
{
  const at_given *const size = at_inputOf(node, "size", -1);
  if (!size || size->count > AT_MOST_DIMS || size->kind == AT_GIVEN_TENSOR)
    at_nodeFails(node, "size is no list of sizes");
  for (int32_t i = 0; i < size->count; i++) {
    const at_cell cell = at_frame_get(frame, &size->parts[i]);
    if (cell.kind != AT_CELL_INT || cell.is.integer < 0)
      at_nodeFails(node, "size is no list of sizes");
    sizes[i] = cell.is.integer;
  }
  return (at_ints){sizes, size->count};
}

/* randint(low = 0, high, size), or of the sizes of self: integers from low to below high. */
void at_computeRandint(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  int64_t sizes[AT_MOST_DIMS];
  const bool isLike = at_inputOf(node, "self", -1) != NULL;
  at_tensor *const self = isLike ? at_inputTensor(frame, node, "self", 0) : NULL;
  const at_ints whole = isLike ? at_sizesOf(self) : at_inputSizes(frame, node, sizes);
  const at_scalar_type otherwise = isLike ? self->type->scalarType : AT_LONG;
  const int64_t low = at_inputOf(node, "low", -1) ? at_inputInt(frame, node, "low", -1) : 0;
  at_tensor *const made = at_empty(whole, .type = at_inputType(node, "dtype", otherwise));
  at_giveOutput(frame, node, 0,
                at_random_between_(made, low, at_inputInt(frame, node, "high", -1)));
}

/* normal(mean, std, size) */
void at_computeNormal(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  int64_t sizes[AT_MOST_DIMS];
  const at_ints whole = at_inputSizes(frame, node, sizes);
  at_tensor *const made = at_empty(whole, .type = at_inputType(node, "dtype", AT_FLOAT));
  at_giveOutput(frame, node, 0,
                at_normal_(made, .mean = at_inputNumber(frame, node, "mean", 0, 0),
                           .std = at_inputNumber(frame, node, "std", 1, 1)));
}

void at_computeAffineGrid(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  int64_t sizes[AT_MOST_DIMS];
  at_giveOutput(frame, node, 0,
                at_affineGrid(node, at_inputTensor(frame, node, "theta", 0),
                              at_inputSizes(frame, node, sizes),
                              at_inputBool(frame, node, "align_corners", 2, false)));
}

/* grid_sampler of images or volumes. */
void at_computeGridSampler(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x = at_inputTensor(frame, node, "input", 0), *const grid =
                                                                    at_inputTensor(frame, node,
                                                                                   "grid", 1);
  const int64_t mode = at_inputInt(frame, node, "interpolation_mode", 2),
                padding = at_inputInt(frame, node, "padding_mode", 3);
  const bool aligns = at_inputBool(frame, node, "align_corners", 4, false);
  at_giveOutput(frame, node, 0,
                at_dim(x) == 5
                    ? at_grid_sampler_3d(x, grid, .interpolation_mode = mode,
                                         .padding_mode = padding, .align_corners = aligns)
                    : at_grid_sampler_2d(x, grid, .interpolation_mode = mode,
                                         .padding_mode = padding, .align_corners = aligns));
}

/* A product of matrices of Char, in Int. */
void at_computeIntProduct(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_giveOutput(frame, node, 0,
                at_mm(at_to(at_inputTensor(frame, node, "self", 0), AT_CPU(AT_INT)),
                      at_to(at_inputTensor(frame, node, "mat2", 1), AT_CPU(AT_INT))));
}

/* where(condition): the indices of what is true, a tensor for each dimension. */
void at_computeWhere(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const given =
      at_inputTensor(frame, node, at_inputOf(node, "self", -1) ? "self" : "condition", 0);
  at_tensor *const found = at_nonzero(at_atleast_1d(given));
  for (int32_t i = 0; i < node->outputCount; i++)
    at_giveOutput(frame, node, i, at_defined(found) ? at_select(found, 1, i) : found);
}

/* scatter with a reduction, "add" or "multiply", of a tensor or a number. */
void at_computeScatter(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const self = at_inputTensor(frame, node, "self", 0), *const index =
                                                                      at_inputTensor(frame, node,
                                                                                     "index", 2);
  const at_given *const reduce = at_inputOf(node, "reduce", -1);
  const char *const how = reduce && reduce->kind == AT_GIVEN_TEXT ? reduce->text : "";
  if (strcmp(how, "add") && strcmp(how, "multiply"))
    at_nodeFails(node, "reduce is \"%.20s\", and has to be \"add\" or \"multiply\"", how);
  const at_given *const value = at_inputOf(node, "value", -1);
  at_tensor *const src =
      value ? at_expand(at_to(at_wrappedNumber(frame, node, value), self->type), at_sizes(index))
            : at_inputTensor(frame, node, "src", 3);
  const int64_t dim = at_inputInt(frame, node, "dim", 1);
  const bool adds = !strcmp(how, "add");
  at_giveOutput(frame, node, 0,
                adds && at_isComplex(self->type->scalarType)
                    ? at_scatter_add(self, dim, index, src)
                    : at_scatter_reduce(self, dim, index, src, adds ? "sum" : "prod"));
}

/* vander(x, N, increasing): the powers of each element, the highest first unless increasing. */
void at_computeVander(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x = at_inputTensor(frame, node, "x", 0);
  const int64_t count = at_inputOf(node, "N", 1) ? at_inputInt(frame, node, "N", 1) : at_numel(x);
  at_tensor *const powers = at_linalg_vander(x, .N = count);
  at_giveOutput(frame, node, 0,
                at_inputBool(frame, node, "increasing", 2, false) ? powers
                                                                  : at_flip(powers, AT_INTS(-1)));
}

/* Inserts the dimensions that the argument lists. */
static at_tensor *expanded(at_frame *frame, const at_graphNode *node, at_tensor *t,
                           const char *list)
{
  const at_given *const dims = at_inputOf(node, list, -1);
  for (int32_t i = 0; dims && i < dims->count; i++) {
    const at_cell cell = at_frame_get(frame, &dims->parts[i]);
    if (cell.kind != AT_CELL_INT)
      at_nodeFails(node, "%s is no list of dimensions", list);
    t = at_unsqueeze(t, cell.is.integer);
  }
  return t;
}

/* _trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim): the sum of products of three tensors. */
void at_computeTrilinear(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const a = expanded(frame, node, at_inputTensor(frame, node, "i1", 0), "expand1"),
                   *const b =
                       expanded(frame, node, at_inputTensor(frame, node, "i2", 1), "expand2"),
                   *const c =
                       expanded(frame, node, at_inputTensor(frame, node, "i3", 2), "expand3");
  const at_given *const given = at_inputOf(node, "sumdim", 6);
  int64_t dims[AT_MOST_DIMS];
  if (!given || given->kind != AT_GIVEN_NUMBERS || given->count > AT_MOST_DIMS)
    at_nodeFails(node, "sumdim is no list of dimensions");
  for (int32_t i = 0; i < given->count; i++)
    dims[i] = at_frame_get(frame, &given->parts[i]).is.integer;
  at_giveOutput(frame, node, 0,
                at_sum_dim(at_mul(at_mul(a, b), c), ((at_ints){dims, given->count}),
                           .keepdim = false));
}

/* --- filters ----------------------------------------------------------------------------------- */

/* The recursive part of a filter of one sequence: y, which begins with count - 1 earlier results, gets one more
 * for each number of x. */
static void filter(const double *x, const double *a, double *y, int64_t steps, int64_t count)
{
  for (int64_t t = 0; t < steps; t++) {
    double sum = x[t];
    for (int64_t k = 0; k < count; k++)
      sum -= a[k] * y[t + k];
    y[t + count - 1] = sum;
  }
}

/* _lfilter_core_loop(input_signal_windows, a_coeff_flipped, padded_output_waveform): changes and returns the last
 * one.  (torchaudio: functional/filtering.py) */
void at_computeFilterLoop(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x = at_inputTensor(frame, node, "input_signal_windows", 0),
                   *const a = at_inputTensor(frame, node, "a_coeff_flipped", 1),
                   *const y = at_inputTensor(frame, node, "padded_output_waveform", 2);
  bool fits = at_dim(x) == 3 && at_dim(a) == 2 && at_dim(y) == 3 && at_size(a, 1) > 0;
  fits = fits && at_size(a, 0) == at_size(x, 1) && at_size(y, 0) == at_size(x, 0) &&
         at_size(y, 1) == at_size(x, 1) && at_size(y, 2) - at_size(a, 1) + 1 == at_size(x, 2);
  if (!fits)
    at_nodeFails(node, "sequences of size %s, coefficients of %s and results of %s do not fit",
                 at_sizeDesc(at_sizes(x)).str, at_sizeDesc(at_sizes(a)).str,
                 at_sizeDesc(at_sizes(y)).str);
  const at_type *const wide = AT_CPU(AT_DOUBLE);
  at_tensor *const from = at_contiguous(at_to(x, wide)),
                   *const factors = at_contiguous(at_to(a, wide)),
                   *const to = at_clone(at_contiguous(at_to(y, wide)));
  const int64_t channels = at_size(x, 1), steps = at_size(x, 2), count = at_size(a, 1);
  if (at_defined(from) && at_defined(factors) && at_defined(to) && at_numel(from) > 0)
    for (int64_t i = 0; i < at_size(x, 0) * channels; i++)
      filter((const double *)at_hostData(from) + i * steps,
             (const double *)at_hostData(factors) + i % channels * count,
             (double *)at_hostData(to) + i * (steps + count - 1), steps, count);
  at_giveOutput(frame, node, 0, at_alias(at_copy_(y, to)));
}

/* _overdrive_core_loop(waveform, temp, last_in, last_out, output_waveform): adds the high frequencies of temp to the
 * waveform, a row after the other; changes and returns the last three.  (torchaudio: functional/filtering.py) */
void at_computeOverdrive(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  enum { WAVEFORM, TEMP, LAST_IN, LAST_OUT, OUTPUT, OPERANDS };
  static const char *const names[OPERANDS] = {"waveform", "temp", "last_in", "last_out",
                                              "output_waveform"};
  at_tensor *given[OPERANDS], *own[OPERANDS];
  double *of[OPERANDS];
  for (int i = 0; i < OPERANDS; i++) {
    given[i] = at_inputTensor(frame, node, names[i], i);
    const bool isRow = i == LAST_IN || i == LAST_OUT;
    if (at_dim(given[i]) != 2 - isRow || at_size(given[i], 0) != at_size(given[0], 0) ||
        (!isRow && at_size(given[i], 1) != at_size(given[0], 1)))
      at_nodeFails(node, "%s of size %s does not fit a waveform of %s", names[i],
                   at_sizeDesc(at_sizes(given[i])).str, at_sizeDesc(at_sizes(given[0])).str);
    own[i] = at_clone(at_contiguous(at_to(given[i], AT_CPU(AT_DOUBLE))));
    if (!at_defined(own[i]))
      at_nodeFails(node, "it failed");
    of[i] = at_hostData(own[i]);
  }
  const int64_t steps = at_size(given[0], 1), count = at_numel(given[0]);
  for (int64_t k = 0; k < count; k++) {
    double *const in = &of[LAST_IN][k / steps], *const out = &of[LAST_OUT][k / steps];
    *out = of[TEMP][k] - *in + 0.995 * *out;
    *in = of[TEMP][k];
    of[OUTPUT][k] = of[WAVEFORM][k] * 0.5 + *out * 0.75;
  }
  for (int i = LAST_IN; i < OPERANDS; i++)
    at_giveOutput(frame, node, i - LAST_IN, at_alias(at_copy_(given[i], own[i])));
}
