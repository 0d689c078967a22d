/* Elements by indices.  A negative index counts from the end. */
#include <math.h>

#include "../Runs.h"
#include "../Detection.h"

static at_tensor *longs(at_tensor *t)
{
  return at_to(t, at_cpuType(AT_LONG));
}

/* Indices into a dimension of that size, from 0 on. */
static at_tensor *from_zero(at_tensor *index, int64_t size)
{
  at_tensor *const wide = longs(index);
  return at_where(at_lt(wide, 0), at_add(wide, size), wide);
}

void at_runGather(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const index = at_onnxInput(c, 1);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x));
  const at_ints sizes = at_sizes(x), own = at_sizes(index);
  at_onnxList made = {.count = sizes.count - 1 + own.count};
  if (made.count > AT_MOST_DIMS)
    AT_ONNX_FAILS(c, "the result would have %d dimensions", made.count);
  for (int d = 0; d < made.count; d++)
    made.data[d] = d < axis               ? sizes.data[d]
                   : d < axis + own.count ? own.data[d - axis]
                                          : sizes.data[d - own.count + 1];
  at_tensor *const flat = at_reshape(from_zero(index, sizes.data[axis]), AT_INTS(-1));
  at_onnxGive(c, 0, at_reshape(at_index_select(x, axis, flat), at_listed(&made)));
}

void at_runGatherElements(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x));
  at_onnxGive(c, 0, at_gather(x, axis, from_zero(at_onnxInput(c, 1), at_size(x, axis))));
}

/* --- tuples of indices ------------------------------------------------------------------------ */

/* For tuples along the last dimension of index, which count dimensions of x from first on: one index
 * for each into those dimensions as a single one. */
static at_tensor *flat_indices(at_onnxCall *c, const at_tensor *x, int first, at_tensor *index,
                               int tuple)
{
  at_tensor *flat = NULL;
  for (int k = 0; k < tuple; k++) {
    const int64_t size = at_size(x, first + k);
    at_tensor *const part = from_zero(at_select(index, -1, k), size);
    if (at_numel(part) > 0 &&
        (at_item_long(at_min(part)) < 0 || at_item_long(at_max(part)) >= size))
      AT_ONNX_FAILS(c, "an index into dimension %d is outside of its size %lld", first + k,
                    (long long)size);
    flat = flat ? at_add(at_mul(flat, size), part) : part;
  }
  return flat;
}

/* Checks the indices, and returns the length of a tuple. */
static int tuple_of(at_onnxCall *c, const at_tensor *x, const at_tensor *index, int batch)
{
  const int64_t tuple = at_dim(index) > 0 ? at_size(index, -1) : 0;
  if (tuple < 1 || tuple > at_dim(x) - batch || batch < 0 || batch >= at_dim(index))
    AT_ONNX_FAILS(c, "indices of size %s are no tuples for a tensor of size %s",
                  at_sizeDesc(at_sizes(index)).str, at_sizeDesc(at_sizes(x)).str);
  return (int)tuple;
}

void at_runGatherNd(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const index = at_onnxInput(c, 1);
  const int64_t given = at_onnxInt(c, "batch_dims", 0);
  const int batch = given < 0 || given > at_dim(x) ? -1 : (int)given,
            tuple = tuple_of(c, x, index, batch);
  const at_ints sizes = at_sizes(x), own = at_sizes(index);
  at_onnxList made = {.count = 0};
  for (int d = 0; d < own.count - 1; d++)
    made.data[made.count++] = own.data[d];
  for (int d = batch + tuple; d < sizes.count && made.count < AT_MOST_DIMS; d++)
    made.data[made.count++] = sizes.data[d];
  const int64_t batches = at_onnxProduct(c, sizes, 0, batch),
                inner = at_onnxProduct(c, sizes, batch, batch + tuple),
                rest = at_onnxProduct(c, sizes, batch + tuple, sizes.count);
  at_tensor *flat = at_reshape(flat_indices(c, x, batch, longs(index), tuple),
                               AT_SHAPE(batches, batches ? at_numel(index) / tuple / batches : 0));
  at_tensor *const offsets =
      at_mul(at_unsqueeze(at_arange(batches, .type = at_cpuType(AT_LONG)), 1), inner);
  flat = at_reshape(at_add(flat, offsets), AT_INTS(-1));
  at_tensor *const rows = at_reshape(x, AT_SHAPE(at_onnxProduct(c, sizes, 0, batch + tuple), rest));
  at_onnxGive(c, 0, at_reshape(at_index_select(rows, 0, flat), at_listed(&made)));
}

/* --- scattering ------------------------------------------------------------------------------- */

/* x with source put at the indices along a dimension, or combined with what is there. */
static at_tensor *scattered(at_onnxCall *c, at_tensor *x, int axis, at_tensor *index,
                            at_tensor *source)
{
  static const char *const names[][2] = {
      {"add", "sum"}, {"mul", "prod"}, {"max", "amax"}, {"min", "amin"}};
  const char *const reduction = at_onnxText(c, "reduction", "none");
  if (!strcmp(reduction, "none"))
    return at_scatter(x, axis, index, source);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i][0], reduction))
      return at_scatter_reduce(x, axis, index, source, names[i][1]);
  AT_ONNX_FAILS(c, "reduction is '%.40s'", reduction);
}

void at_runScatterElements(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x));
  at_onnxGive(c, 0,
              scattered(c, x, axis, from_zero(at_onnxInput(c, 1), at_size(x, axis)),
                        at_onnxInput(c, 2)));
}

void at_runScatterNd(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const index = at_onnxInput(c, 1);
  const int tuple = tuple_of(c, x, index, 0);
  const at_ints sizes = at_sizes(x);
  const int64_t outer = at_onnxProduct(c, sizes, 0, tuple),
                rest = at_onnxProduct(c, sizes, tuple, sizes.count);
  at_tensor *const flat = at_reshape(flat_indices(c, x, 0, longs(index), tuple), AT_INTS(-1));
  const int64_t count = at_numel(flat);
  at_tensor *const where = at_expand(at_unsqueeze(flat, 1), AT_SHAPE(count, rest)),
                   *const source = at_reshape(at_onnxInput(c, 2), AT_SHAPE(count, rest));
  at_tensor *const rows = at_reshape(x, AT_SHAPE(outer, rest));
  at_onnxGive(c, 0, at_reshape(scattered(c, rows, 0, where, source), sizes));
}

/* Writes a part of a sequence into the caches of each batch, from an index on. */
void at_runTensorScatter(at_onnxCall *c)
{
  at_tensor *const cache = at_onnxInput(c, 0), *const part = at_onnxInput(c, 1),
                   *const positions = at_onnxMaybe(c, 2);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", -2), at_dim(cache));
  const int64_t size = at_size(cache, axis);
  at_tensor *at = at_arange(at_size(part, axis), .type = at_cpuType(AT_LONG));
  for (int d = axis + 1; d < at_dim(part); d++)
    at = at_unsqueeze(at, -1);
  if (positions) {
    at_tensor *start = longs(positions);
    while (at_dim(start) < at_dim(part))
      start = at_unsqueeze(start, -1);
    at = at_add(at, start);
  }
  if (!strcmp(at_onnxText(c, "mode", "linear"), "circular"))
    at = at_remainder(at, size);
  at_onnxGive(c, 0, at_scatter(cache, axis, at_expand(at, at_sizes(part)), part));
}

/* --- by values -------------------------------------------------------------------------------- */

void at_runCompress(at_onnxCall *c)
{
  at_tensor *x = at_onnxInput(c, 0);
  at_tensor *const picks = at_squeeze_dim(at_nonzero(at_onnxInput(c, 1)), 1);
  int axis = 0;
  if (at_onnxHas(c, "axis"))
    axis = at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x));
  else
    x = at_reshape(x, AT_INTS(-1));
  at_onnxGive(c, 0, at_index_select(x, axis, picks));
}

/* The first, or the last if wanted, of the largest or smallest elements. */
void at_runArgMax(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x));
  const bool keeps = at_onnxInt(c, "keepdims", 1) != 0,
             isLast = at_onnxInt(c, "select_last_index", 0) != 0,
             isMost = strstr(c->node->target, "ArgMax") != NULL;
  at_tensor *const from = isLast ? at_flip(x, AT_INTS(axis)) : x;
  at_tensor *const found = isMost ? at_argmax(from, .dim = axis, .keepdim = keeps)
                                  : at_argmin(from, .dim = axis, .keepdim = keeps);
  at_onnxGive(c, 0, isLast ? at_add(at_mul(found, -1), at_size(x, axis) - 1) : found);
}

/* Values in the order of where they are first if not sorted. */
void at_runUnique(at_onnxCall *c)
{
  at_tensor *x = at_onnxInput(c, 0);
  const bool hasAxis = at_onnxHas(c, "axis"), isSorted = at_onnxInt(c, "sorted", 1) != 0;
  const int axis = hasAxis ? at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x)) : 0;
  if (!hasAxis)
    x = at_reshape(x, AT_INTS(-1));
  const at_values_inverse_counts u =
      at_unique_dim(x, axis, .return_inverse = true, .return_counts = true);
  at_tensor *values = u.values, *inverse = at_reshape(u.inverse, AT_INTS(-1)), *counts = u.counts;
  const int64_t size = at_size(x, axis), count = at_numel(counts);
  at_tensor *const positions = at_arange(size, .type = at_cpuType(AT_LONG));
  at_tensor *first = at_scatter_reduce(at_full(AT_SHAPE(count), size, .type = at_cpuType(AT_LONG)),
                                       0, inverse, positions, "amin");
  if (!isSorted) {
    at_tensor *const order = at_argsort(first);
    values = at_index_select(values, axis, order);
    first = at_index_select(first, 0, order);
    counts = at_index_select(counts, 0, order);
    inverse = at_index_select(at_argsort(order), 0, inverse);
  }
  at_onnxGive(c, 0, values);
  at_onnxGive(c, 1, first);
  at_onnxGive(c, 2, inverse);
  at_onnxGive(c, 3, counts);
}

static double overlap(const at_boxes *b, int64_t i, int64_t k)
{
  double low[2][2], high[2][2], inner = 1, area[2] = {1, 1};
  const int64_t which[2] = {i, k};
  for (int box = 0; box < 2; box++)
    for (int d = 0; d < 2; d++) {
      const float *const at = b->box + 4 * which[box];
      const double p = at[d], q = at[d + 2];
      low[box][d] = b->isCentered ? p - q / 2 : THMin(p, q);
      high[box][d] = b->isCentered ? p + q / 2 : THMax(p, q);
      area[box] *= high[box][d] - low[box][d];
    }
  for (int d = 0; d < 2; d++)
    inner *= THMax(THMin(high[0][d], high[1][d]) - THMax(low[0][d], low[1][d]), 0);
  const double outer = area[0] + area[1] - inner;
  return outer > 0 ? inner / outer : 0;
}

int64_t at_suppress(const at_boxes *b, const int64_t *order, const float *scores, double least,
                    int64_t most, int64_t *kept)
{
  int64_t count = 0;
  for (int64_t i = 0; i < b->count && count < most; i++) {
    bool isFree = !scores || scores[order[i]] > least;
    for (int64_t k = 0; k < count && isFree; k++)
      isFree = overlap(b, order[i], kept[k]) <= b->threshold;
    if (isFree)
      kept[count++] = order[i];
  }
  return count;
}

static double number_in(const at_onnxCall *c, int index, double otherwise)
{
  const at_tensor *const t = at_onnxMaybe(c, index);
  return t ? at_item_double(t) : otherwise;
}

/* NonMaxSuppression: of each class and batch the boxes with the best scores that do not overlap too much. */
void at_runNonMaxSuppression(at_onnxCall *c)
{
  at_tensor *const boxes = at_contiguous(at_onnxInput(c, 0)), *const scores =
                                                                  at_contiguous(at_onnxInput(c, 1));
  if (!at_defined(boxes) || !at_defined(scores) || boxes->type->scalarType != AT_FLOAT ||
      scores->type->scalarType != AT_FLOAT || at_dim(boxes) != 3 || at_dim(scores) != 3 ||
      at_size(boxes, 2) != 4 || at_size(boxes, 0) != at_size(scores, 0) ||
      at_size(boxes, 1) != at_size(scores, 2))
    AT_ONNX_FAILS(c, "boxes of size %s do not go with scores of size %s",
                  at_sizeDesc(at_sizes(boxes)).str, at_sizeDesc(at_sizes(scores)).str);
  const int64_t batches = at_size(scores, 0), classes = at_size(scores, 1),
                count = at_size(scores, 2);
  const double most = number_in(c, 2, 0);
  at_boxes b = {NULL, count, at_onnxInt(c, "center_point_box", 0) != 0, number_in(c, 3, 0)};
  at_tensor *const order =
      at_contiguous(at_sort(scores, .dim = -1, .descending = true, .stable = true).indices);
  at_tensor *const kept = at_empty(AT_SHAPE(batches * classes, count), .type = at_cpuType(AT_LONG)),
                   *made = at_empty(AT_SHAPE(0, 3), .type = at_cpuType(AT_LONG));
  if (!at_defined(order) || !at_defined(kept))
    AT_ONNX_FAILS(c, "it failed");
  for (int64_t i = 0; i < batches * classes && count > 0; i++) {
    int64_t *const to = (int64_t *)at_hostData(kept) + i * count;
    b.box = (const float *)at_hostData(boxes) + i / classes * count * 4;
    const int64_t found =
        at_suppress(&b, (const int64_t *)at_hostData(order) + i * count,
                    (const float *)at_hostData(scores) + i * count, number_in(c, 4, -INFINITY),
                    most > 0 && most < (double)count ? (int64_t)most
                    : most > 0                       ? count
                                                     : 0,
                    to);
    if (found == 0)
      continue;
    at_tensor *const column = at_slice(at_select(kept, 0, i), .end = found);
    at_tensor *const batch = at_full_like(column, i / classes), *const class =
                                                                    at_full_like(column,
                                                                                 i % classes);
    made = at_cat(AT_TENSORS(made, at_stack(AT_TENSORS(batch, class, column), .dim = 1)));
  }
  at_onnxGive(c, 0, made);
}
