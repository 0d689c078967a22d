/* Embeddings: indices select rows of a table, one by one or in bags. */
#include "ATen/core/ATenOperations.h"
#include "THKernel.h"
#include "TH/THParallel.h"
#include "TH/loop/THPlan.h"
#include "embedding.h"
#include "embeddingBackward.h"

TH_DISPATCH(at_embedding_backward_kernels, at_embeddingBackwardFloat)
TH_DISPATCH(at_embedding_backward_kernels, at_embeddingBackwardDouble)

static void check_table(const at_tensor *weight)
{
  if (at_sizesOf(weight).count != 2)
    at_raise(AT_ERROR_ARGUMENT, "the table has size (%s), and has to have two dimensions",
             at_sizeDesc(at_sizesOf(weight)).str);
}

static void not_sparse(bool sparse)
{
  if (sparse)
    at_raise(AT_ERROR_ARGUMENT, "sparse is true, and there are no sparse gradients");
}

/* The elements of t as a contiguous vector of Long. */
static at_tensor *indices_of(at_pool *pool, at_tensor *t, const char *name)
{
  const int64_t rest = -1;
  t = at_layerIndices(pool, t, name, AT_INT);
  t = at_hold(pool, at_reshaped(t, (at_ints){&rest, 1}));
  return at_hold(pool, at_makeContiguous(t));
}

/* Raises unless all indices are rows of a table of that many rows; returns their data. */
static const int64_t *check_rows(at_tensor *indices, int64_t rows)
{
  const int64_t *index = at_hostData(indices);
  for (int64_t i = 0; i < at_numel(indices); i++)
    if (index[i] < 0 || index[i] >= rows)
      at_raise(AT_ERROR_ARGUMENT, "index %lld is %lld, out of range of %lld rows", (long long)i,
               (long long)index[i], (long long)rows);
  return index;
}

/* --- one by one ------------------------------------------------------------------------------ */

at_tensor *at_nnEmbedding(at_tensor *out, at_tensor *weight, at_tensor *indices)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(indices), sizes = {buffer, own.count + 1};
  check_table(weight);
  if (sizes.count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "indices has %d dimensions, and the result one more", own.count);
  for (int d = 0; d < own.count; d++)
    buffer[d] = own.data[d];
  buffer[own.count] = weight->th->size[1];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *row = indices_of(&pool, indices, "indices");
  at_tensor *rows = at_hold(&pool, at_indexSelect(NULL, weight, 0, row));
  return at_finishOne(&pool, out, at_hold(&pool, at_viewAs(rows, sizes)));
}

static at_tensor *new_row(at_pool *pool, const at_type *type, int64_t count)
{
  return at_layerNew(pool, at_toScalarType(type, AT_LONG), (at_ints){&count, 1});
}

/* Whether the gradient can be computed in out itself, which must not overlap the operands. */
static bool holds_gradient(const at_tensor *out, const at_tensor *grad, const at_tensor *row,
                           at_ints sizes)
{
  return out && out->type == grad->type && at_sameSizes(at_sizesOf(out), sizes) &&
         at_isContiguous(out) && at_overlap(out, grad) == TH_OVERLAP_NONE &&
         at_overlap(out, row) == TH_OVERLAP_NONE;
}

/* Links the indices of each row of the table, for wide rows. */
static void list_indices(at_pool *pool, at_embedding_sums *t, at_tensor *row, int64_t rows)
{
  int64_t *first = at_hostData(new_row(pool, row->type, rows));
  int64_t *next = at_hostData(new_row(pool, row->type, t->count));
  for (int64_t r = 0; r < rows; r++)
    first[r] = -1;
  for (ptrdiff_t i = t->count - 1; i >= 0; i--)
    if (t->index[i] != t->padding) {
      next[i] = first[t->index[i]];
      first[t->index[i]] = i;
    }
  t->first = first;
  t->next = next;
}

static void count_indices(at_pool *pool, at_embedding_sums *t, at_tensor *row, int64_t rows)
{
  at_tensor *counts = at_fillWith(new_row(pool, row->type, rows), at_scalar_long(0));
  int64_t *times = at_hostData(counts);
  for (ptrdiff_t i = 0; i < t->count; i++)
    times[t->index[i]]++;
  t->times = times;
}

typedef struct {
  const at_embedding_backward_kernels *kernels;
  const at_embedding_sums *table;
} Gradient;

static void sum_up_rows(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Gradient *g = context;
  g->kernels->rows(g->table, begin, end);
}

/* The gradient of the table: row i of grad, which is of the type that computes, is added to row
 * row[i].  The result is computed in out, which may be NULL, if possible. */
static at_tensor *embedding_gradient(at_pool *pool, at_tensor *out, at_tensor *grad, at_tensor *row,
                                     int64_t num_weights, int64_t columns, int64_t padding_idx,
                                     bool scale_grad_by_freq)
{
  if (num_weights < 0)
    at_raise(AT_ERROR_ARGUMENT, "num_weights is %lld", (long long)num_weights);
  const int64_t sizes[] = {num_weights, columns};
  const ptrdiff_t wide = columns * (ptrdiff_t)grad->type->elementSize;
  const bool isOnHost = at_isOnHost(grad->type);
  at_embedding_sums t = {.count = at_numel(row),
                         .columns = columns,
                         .index = isOnHost ? check_rows(row, num_weights) : NULL,
                         .padding = padding_idx};
  at_tensor *g = at_hold(pool, at_makeContiguous(grad)), *r = out;
  if (!holds_gradient(out, grad, row, (at_ints){sizes, 2}) || !isOnHost)
    r = at_layerNew(pool, grad->type, (at_ints){sizes, 2});
  if (!isOnHost) {
    at_embeddingSums(pool, r, g, row, padding_idx, scale_grad_by_freq);
    return r;
  }
  if (wide >= AT_WIDE_ROW_BYTES)
    list_indices(pool, &t, row, num_weights);
  if (scale_grad_by_freq)
    count_indices(pool, &t, row, num_weights);
  t.g = at_hostData(g);
  t.table = at_hostData(r);
  t.stream = num_weights * wide >= THPlan_streamBytes();
  Gradient gradient = {grad->type->scalarType == AT_DOUBLE
                           ? TH_DISPATCHED(at_embeddingBackwardDouble)
                           : TH_DISPATCHED(at_embeddingBackwardFloat),
                       &t};
  const ptrdiff_t each = columns * (1 + t.count / THMax(1, num_weights));
  if (at_numel(r) > 0)
    THParallel_for(num_weights, 1 + TH_LOOP_GRAIN / each, sum_up_rows, &gradient);
  return r;
}

at_tensor *at_nnEmbeddingBackward(at_tensor *out, at_tensor *grad, at_tensor *indices,
                                  int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq,
                                  bool sparse)
{
  const at_type *compute = at_layerType(grad);
  const at_ints sizes = at_sizesOf(grad);
  not_sparse(sparse);
  const int64_t columns = sizes.count > 0 ? sizes.data[sizes.count - 1] : 0;
  if (sizes.count == 0 || at_numel(grad) != at_numel(indices) * columns)
    at_raise(AT_ERROR_ARGUMENT, "grad has size (%s), indices (%s): a row for each is expected",
             at_sizeDesc(sizes).str, at_sizeDesc(at_sizesOf(indices)).str);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *row = indices_of(&pool, indices, "indices");
  at_tensor *r = embedding_gradient(&pool, out, at_cast(&pool, grad, compute), row, num_weights,
                                    columns, padding_idx, scale_grad_by_freq);
  return at_finishOne(&pool, out, at_cast(&pool, r, grad->type));
}

at_tensor *at_nnEmbeddingRenorm(at_tensor *self, at_tensor *indices, double max_norm,
                                double norm_type)
{
  const at_type *compute = at_layerType(self);
  check_table(self);
  at_checkWritable(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *row = indices_of(&pool, indices, "indices");
  at_tensor *table = at_cast(&pool, self, compute);
  if (at_isOnHost(compute)) /* a device's function checks them */
    check_rows(row, self->th->size[0]);
  if (at_numel(row) > 0 && at_numel(self) > 0)
    AT_OF(compute, LookupTable_renorm)((THLongTensor *)row->th, table->th,
                                       at_scalar_double(max_norm), at_scalar_double(norm_type));
  if (table != self)
    at_deliver(self, table);
  at_pool_leave(&pool);
  return self;
}

/* --- bags ------------------------------------------------------------------------------------ */

/* The indices, without padding, in the order of their bags. */
typedef struct {
  at_tensor *kept, *bag; /* indices, and the bag of each */
  at_tensor *bagOfAll, *size;
  int64_t count, bags;
} Bags;

static void check_bags(at_tensor *indices, at_tensor *offsets, bool include_last_offset)
{
  const at_ints i = at_sizesOf(indices), o = at_sizesOf(offsets);
  if (i.count != 1 || o.count != 1 || (include_last_offset && o.data[0] == 0))
    at_raise(AT_ERROR_ARGUMENT,
             "indices has size (%s) and offsets (%s): one dimension is expected%s",
             at_sizeDesc(i).str, at_sizeDesc(o).str,
             include_last_offset ? ", and a last offset" : "");
}

/* Raises unless the offsets ascend from 0. */
static void check_offsets(const int64_t *offset, int64_t bags, int64_t count)
{
  for (int64_t b = 0; b < bags; b++)
    if (offset[b] < (b ? offset[b - 1] : 0) || offset[b] > (b ? count : 0))
      at_raise(AT_ERROR_ARGUMENT,
               "offset %lld is %lld: offsets have to ascend from 0 and end at %lld at most",
               (long long)b, (long long)offset[b], (long long)count);
}

static Bags bags_of(at_pool *pool, const at_bag_call *call)
{
  const int64_t n = at_numel(call->row), padding_idx = call->padding;
  Bags bags = {.bags = call->bags};
  const int64_t *offset = at_hostData(call->offsets);
  check_offsets(offset, bags.bags, n);
  if (call->endsWithCount && offset[bags.bags] != n)
    at_raise(AT_ERROR_ARGUMENT, "the last offset is %lld, and has to be the %lld indices' end",
             (long long)offset[bags.bags], (long long)n);
  const int64_t *index = check_rows(call->row, call->weight->th->size[0]);
  bags.bagOfAll = new_row(pool, call->weight->type, n);
  bags.size = at_fillWith(new_row(pool, call->weight->type, bags.bags), at_scalar_long(0));
  int64_t *bagOfAll = at_hostData(bags.bagOfAll), *size = at_hostData(bags.size);
  for (int64_t i = 0, b = -1; i < n; i++) {
    while (b + 1 < bags.bags && offset[b + 1] <= i)
      b++;
    bagOfAll[i] = b;
    const bool keeps = b >= 0 && (padding_idx < 0 || index[i] != padding_idx);
    bags.count += keeps;
    if (keeps)
      size[b]++;
  }
  bags.kept = new_row(pool, call->weight->type, bags.count);
  bags.bag = new_row(pool, call->weight->type, bags.count);
  int64_t *kept = at_hostData(bags.kept), *bag = at_hostData(bags.bag);
  for (int64_t i = 0, k = 0; i < n && k < bags.count; i++)
    if (padding_idx < 0 || index[i] != padding_idx) {
      kept[k] = index[i];
      bag[k++] = bagOfAll[i];
    }
  return bags;
}

/* Multiplies or divides row i of r by element i of of. */
static void scale_rows(at_pool *pool, at_row row, at_tensor *r, at_tensor *of)
{
  const int64_t column[] = {at_numel(of), 1};
  at_tensor *factor = at_hold(pool, at_reshaped(of, (at_ints){column, 2}));
  factor = at_brought(pool, factor, at_sizesOf(r), r->type);
  if (at_numel(r) > 0)
    at_rowOf(r->type, row)(r->th, r->th, factor->th, NULL, at_scalar_long(1), at_scalar_long(0));
}

/* The sizes of bags as divisors: 1 for an empty bag. */
static at_tensor *divisors(at_pool *pool, at_tensor *size)
{
  const at_number none = {.is_none = true};
  return at_hold(pool, at_clamped(NULL, size, at_scalar_long(1), none));
}

/* r = the maximum of each column of each bag; from = the rows of the table that the maxima are
 * from. */
static void max_of_bags(const Bags *bags, at_tensor *rows, at_tensor *r, at_tensor *from)
{
  const int64_t *size = at_hostData(bags->size), *kept = at_hostData(bags->kept);
  const int64_t columns = r->th->size[1], one[] = {1, columns};
  int64_t *to = at_hostData(from);
  at_pool pool, each;
  at_pool_enter(&pool);
  at_tensor *values = at_layerNew(&pool, r->type, (at_ints){one, 2});
  at_tensor *argmax = at_layerNew(&pool, from->type, (at_ints){one, 2});
  const int64_t *indexInBag = at_hostData(argmax);
  for (int64_t b = 0, begin = 0; b < bags->bags; begin += size[b++]) {
    if (size[b] == 0)
      continue;
    at_pool_enter(&each);
    at_tensor *bag = at_hold(&each, at_viewNarrow(rows, 0, begin, size[b]));
    AT_OF(r->type, max)(values->th, (THLongTensor *)argmax->th, bag->th, 0, 1);
    at_copyFrom(at_hold(&each, at_viewNarrow(r, 0, b, 1)), values);
    for (int64_t c = 0; c < columns; c++)
      to[b * columns + c] = kept[begin + indexInBag[c]];
    at_pool_leave(&each);
  }
  at_pool_leave(&pool);
}

static void check_mode(int64_t mode, bool scale_grad_by_freq, const at_tensor *per_sample_weights)
{
  if (mode < AT_BAG_SUM || mode > AT_BAG_MAX)
    at_raise(AT_ERROR_ARGUMENT, "mode is %lld, and has to be 0 (sum), 1 (mean) or 2 (max)",
             (long long)mode);
  if (mode == AT_BAG_MAX && scale_grad_by_freq)
    at_raise(AT_ERROR_ARGUMENT, "scale_grad_by_freq is true, and has no meaning for a maximum");
  if (mode != AT_BAG_SUM && per_sample_weights)
    at_raise(AT_ERROR_ARGUMENT, "per_sample_weights are given, and mode %lld is not the sum",
             (long long)mode);
}

/* Raises unless there is a weight of table's type for each index. */
static void check_sample_weights(const at_tensor *table, const at_tensor *indices,
                                 const at_tensor *per_sample_weights)
{
  if (!per_sample_weights)
    return;
  at_layerSame(table, per_sample_weights, "per_sample_weights");
  if (!at_sameSizes(at_sizesOf(per_sample_weights), at_sizesOf(indices)))
    at_raise(AT_ERROR_ARGUMENT, "per_sample_weights has size (%s), and has to have indices', (%s)",
             at_sizeDesc(at_sizesOf(per_sample_weights)).str, at_sizeDesc(at_sizesOf(indices)).str);
}

/* The weights of the indices that are not padding. */
static at_tensor *kept_weights(at_pool *pool, const at_bag_call *call, const Bags *bags)
{
  if (bags->count == at_numel(call->row))
    return call->per_sample_weights;
  at_tensor *keptIndex = new_row(pool, call->row->type, bags->count);
  const int64_t *index = at_hostData(call->row);
  const int64_t *bagOfAll = at_hostData(bags->bagOfAll);
  int64_t *to = at_hostData(keptIndex);
  for (int64_t i = 0, k = 0; k < bags->count; i++)
    if (bagOfAll[i] >= 0 && (call->padding < 0 || index[i] != call->padding))
      to[k++] = i;
  return at_hold(pool, at_indexSelect(NULL, call->per_sample_weights, 0, keptIndex));
}

/* at_embeddingBags on the CPU. */
static void host_bags(at_pool *pool, const at_bag_call *call, const at_type *compute,
                      at_tensor *made[4])
{
  const Bags bags = bags_of(pool, call);
  const int64_t columns = call->weight->th->size[1], sizes[] = {bags.bags, columns};
  const at_type *const index = at_toScalarType(compute, AT_LONG);
  at_tensor *rows = at_hold(pool, at_indexSelect(NULL, call->weight, 0, bags.kept));
  rows = at_cast(pool, rows, compute);
  at_tensor *r = at_fillWith(at_layerNew(pool, compute, (at_ints){sizes, 2}), at_scalar_long(0));
  const int64_t nothing[] = {0, 0};
  const bool isMax = call->mode == AT_BAG_MAX;
  at_tensor *from = at_layerNew(pool, index, (at_ints){isMax ? sizes : nothing, 2});
  at_fillWith(from, at_scalar_long(0));
  if (call->per_sample_weights)
    scale_rows(pool, AT_ROW_cmul, rows, kept_weights(pool, call, &bags));
  if (at_numel(rows) > 0 && isMax)
    max_of_bags(&bags, rows, r, from);
  else if (at_numel(rows) > 0)
    AT_OF(compute, indexAdd)(r->th, 0, (THLongTensor *)bags.bag->th, rows->th);
  if (call->mode == AT_BAG_MEAN)
    scale_rows(pool, AT_ROW_cdiv, r, divisors(pool, bags.size));
  made[0] = r;
  made[1] = bags.bagOfAll;
  made[2] = bags.size;
  made[3] = from;
}

void at_nnEmbeddingBag(at_tensor **out, at_tensor *weight, at_tensor *indices, at_tensor *offsets,
                       bool scale_grad_by_freq, int64_t mode, at_tensor *per_sample_weights,
                       bool include_last_offset, int64_t padding_idx)
{
  const at_type *compute = at_layerType(weight);
  check_table(weight);
  check_mode(mode, scale_grad_by_freq, per_sample_weights);
  check_sample_weights(weight, indices, per_sample_weights);
  check_bags(indices, offsets, include_last_offset);
  at_pool pool;
  at_pool_enter(&pool);
  const at_bag_call call = {.weight = weight,
                            .row = indices_of(&pool, indices, "indices"),
                            .offsets = indices_of(&pool, offsets, "offsets"),
                            .per_sample_weights = per_sample_weights,
                            .bags = at_numel(offsets) - include_last_offset,
                            .mode = mode,
                            .padding = padding_idx,
                            .endsWithCount = include_last_offset};
  at_tensor *made[4];
  (at_isOnHost(compute) ? host_bags : at_embeddingBags)(&pool, &call, compute, made);
  const bool areInts = indices->type->scalarType == AT_INT && offsets->type->scalarType == AT_INT;
  for (int i = 0; i < 4; i++)
    made[i] = at_cast(&pool, made[i],
                      i == 0    ? weight->type
                      : areInts ? indices->type
                                : made[i]->type);
  at_finish(&pool, 4, out, made);
}

/* The gradient of maxima: each element of g is added to the row that its maximum is from.  Empty
 * bags contribute nothing. */
static at_tensor *max_backward(at_pool *pool, at_tensor *g, at_tensor *bag_size,
                               at_tensor *maximum_indices, int64_t num_weights)
{
  const int64_t bags = g->th->size[0], columns = g->th->size[1];
  if (!maximum_indices)
    at_raise(AT_ERROR_NULL, "maximum_indices is not given, and is needed for a maximum");
  if (!at_sameSizes(at_sizesOf(maximum_indices), at_sizesOf(g)))
    at_raise(AT_ERROR_ARGUMENT, "maximum_indices has size (%s), and has to have grad's, (%s)",
             at_sizeDesc(at_sizesOf(maximum_indices)).str, at_sizeDesc(at_sizesOf(g)).str);
  if (num_weights < 0)
    at_raise(AT_ERROR_ARGUMENT, "num_weights is %lld", (long long)num_weights);
  at_tensor *row = at_layerIndices(pool, maximum_indices, "maximum_indices", AT_INT);
  const int64_t sizes[] = {num_weights, columns}, column[] = {bags, 1};
  at_tensor *isEmpty =
      at_hold(pool, at_compareScalar(NULL, AT_ROW_eqValue, bag_size, at_scalar_long(0)));
  at_tensor *mask = at_hold(pool, at_viewAs(isEmpty, (at_ints){column, 2}));
  at_tensor *kept = at_hold(pool, at_maskedFill(NULL, g, mask, at_scalar_long(0)));
  at_tensor *r = at_fillWith(at_layerNew(pool, g->type, (at_ints){sizes, 2}), at_scalar_long(0));
  if (at_numel(g) > 0 && num_weights == 0)
    at_raise(AT_ERROR_ARGUMENT, "num_weights is 0, and there are %lld bags", (long long)bags);
  if (at_numel(g) > 0)
    AT_OF(g->type, scatterAdd)(r->th, 0, (THLongTensor *)row->th, kept->th);
  return r;
}

at_tensor *at_nnEmbeddingBagBackward(at_tensor *out, at_tensor *grad, at_tensor *indices,
                                     at_tensor *offset2bag, at_tensor *bag_size,
                                     int64_t num_weights, bool scale_grad_by_freq, int64_t mode,
                                     bool sparse, at_tensor *maximum_indices,
                                     at_tensor *per_sample_weights, int64_t padding_idx)
{
  const at_type *compute = at_layerType(grad);
  not_sparse(sparse);
  check_table(grad);
  check_mode(mode, scale_grad_by_freq, per_sample_weights);
  check_sample_weights(grad, indices, per_sample_weights);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *row = indices_of(&pool, indices, "indices");
  at_tensor *bag = indices_of(&pool, offset2bag, "offset2bag");
  at_tensor *size = indices_of(&pool, bag_size, "bag_size");
  if (at_numel(bag) != at_numel(row) || at_numel(size) != grad->th->size[0])
    at_raise(AT_ERROR_ARGUMENT,
             "offset2bag has %lld elements for %lld indices, and bag_size %lld for %lld bags",
             (long long)at_numel(bag), (long long)at_numel(row), (long long)at_numel(size),
             (long long)grad->th->size[0]);
  at_tensor *g = at_cast(&pool, grad, compute), *r;
  if (mode == AT_BAG_MAX) {
    r = max_backward(&pool, g, size, maximum_indices, num_weights);
  } else {
    at_tensor *rows = at_hold(&pool, at_indexSelect(NULL, g, 0, bag));
    if (mode == AT_BAG_MEAN) {
      at_tensor *divisor = divisors(&pool, size);
      scale_rows(&pool, AT_ROW_cdiv, rows, at_hold(&pool, at_indexSelect(NULL, divisor, 0, bag)));
    }
    if (per_sample_weights)
      scale_rows(&pool, AT_ROW_cmul, rows, per_sample_weights);
    r = embedding_gradient(&pool, NULL, rows, row, num_weights, grad->th->size[1], padding_idx,
                           scale_grad_by_freq);
  }
  return at_finishOne(&pool, out, at_cast(&pool, r, grad->type));
}
