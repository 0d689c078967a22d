/* Scaled dot-product attention, block by block: the whole matrix of scores never exists. */
#include "attention.h"
#include "THKernel.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "TH/core/THTeam.h"

TH_DISPATCH(at_attention_kernel, at_attentionFloat)
TH_DISPATCH(at_attention_kernel, at_attentionDouble)

/* The queries of a block: their scores are to stay in the L2 cache, of so many elements. */
enum { MOST_QUERIES = 64, LEAST_QUERIES = 8, SCORES = 128 << 10 };

/* The operands, expanded to one batch, and their common shape. */
typedef struct {
  at_tensor *query, *key, *value, *mask, *result;
  at_tensor *logSums; /* NULL if they are not wanted */
  at_attention how;
  int batchDims;
  int64_t batch[AT_MOST_DIMS], count; /* matrices */
  int64_t blocks, each;               /* blocks of a matrix, queries of a block */
  int64_t group;                      /* heads of query for each head of key */
  char *scores;
  int threads;
} Attention;

/* --- checks ----------------------------------------------------------------------------------- */

static void check_operand(const at_tensor *query, const at_tensor *t, const char *name)
{
  if (t->type != query->type)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of %s as query", name,
             at_scalarTypeName(t->type->scalarType), at_scalarTypeName(query->type->scalarType));
  if (at_sizesOf(t).count < 2)
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to have 2 dimensions or more", name,
             at_sizeDesc(at_sizesOf(t)).str);
}

static int64_t from_end(const at_tensor *t, int dim)
{
  const at_ints sizes = at_sizesOf(t);
  return sizes.data[sizes.count - dim];
}

static void check_shapes(const at_tensor *query, const at_tensor *key, const at_tensor *value)
{
  if (from_end(query, 1) != from_end(key, 1) || from_end(key, 2) != from_end(value, 2))
    at_raise(AT_ERROR_ARGUMENT,
             "query has size (%s), key (%s) and value (%s): the last size of query and key has to "
             "be one, and the number of keys that of values",
             at_sizeDesc(at_sizesOf(query)).str, at_sizeDesc(at_sizesOf(key)).str,
             at_sizeDesc(at_sizesOf(value)).str);
}

/* The number of heads of query that share one of key and value. */
static int64_t heads_of(const at_tensor *query, const at_tensor *key, const at_tensor *value)
{
  if (at_sizesOf(query).count < 3 || at_sizesOf(key).count < 3 || at_sizesOf(value).count < 3 ||
      from_end(key, 3) != from_end(value, 3) || from_end(key, 3) == 0 ||
      from_end(query, 3) % from_end(key, 3) != 0)
    at_raise(AT_ERROR_ARGUMENT,
             "query has size (%s), key (%s) and value (%s): the heads of query have to be a "
             "multiple of those of key and value",
             at_sizeDesc(at_sizesOf(query)).str, at_sizeDesc(at_sizesOf(key)).str,
             at_sizeDesc(at_sizesOf(value)).str);
  return from_end(query, 3) / from_end(key, 3);
}

/* --- operands --------------------------------------------------------------------------------- */

/* t in that type, with a contiguous last dimension. */
static at_tensor *with_lines(at_pool *pool, at_tensor *t, const at_type *type)
{
  t = at_cast(pool, t, type);
  const int64_t last = t->th->stride[t->th->nDimension - 1];
  const int64_t line = t->th->stride[t->th->nDimension - 2];
  const bool isPlain = (last == 1 || from_end(t, 1) == 1) && line >= THMax(1, from_end(t, 1));
  return isPlain ? t : at_hold(pool, at_newCast(t, type));
}

/* t expanded to the batch and its own last two sizes.  Of a grouped key the heads are expanded to
 * those of the query by the index, and not here. */
static at_tensor *batched(at_pool *pool, const Attention *a, at_tensor *t, int64_t group)
{
  int64_t sizes[AT_MOST_DIMS];
  for (int d = 0; d < a->batchDims; d++)
    sizes[d] = a->batch[d];
  if (group > 1)
    sizes[a->batchDims - 1] /= group;
  sizes[a->batchDims] = from_end(t, 2);
  sizes[a->batchDims + 1] = from_end(t, 1);
  return at_hold(pool, at_newExpanded(t, (at_ints){sizes, a->batchDims + 2}));
}

/* The offset of matrix i of t, in elements. */
static ptrdiff_t offset_of(const Attention *a, const at_tensor *t, int64_t i, int64_t group)
{
  ptrdiff_t offset = 0;
  for (int d = a->batchDims - 1; d >= 0; d--) {
    const int64_t index = i % a->batch[d];
    offset += (d == a->batchDims - 1 ? index / group : index) * t->th->stride[d];
    i /= a->batch[d];
  }
  return offset;
}

/* The mask, expanded to the scores: of Bool, or of the type that computes. */
static void take_mask(at_pool *pool, Attention *a, at_tensor *mask, const at_tensor *query,
                      const at_type *compute)
{
  int64_t sizes[AT_MOST_DIMS];
  if (!mask)
    return;
  a->how.isBoolean = mask->type->scalarType == AT_BOOL;
  if (!a->how.isBoolean && mask->type != query->type && mask->type != compute)
    at_raise(AT_ERROR_TYPE, "attn_mask is of %s, and has to be of Bool or of %s as query",
             at_scalarTypeName(mask->type->scalarType), at_scalarTypeName(query->type->scalarType));
  if (a->how.isCausal)
    at_raise(AT_ERROR_ARGUMENT, "attn_mask is given, and is_causal is true: one is possible");
  for (int d = 0; d < a->batchDims; d++)
    sizes[d] = a->batch[d];
  sizes[a->batchDims] = a->how.queries;
  sizes[a->batchDims + 1] = a->how.keys;
  const at_ints all = {sizes, a->batchDims + 2};
  at_checkBroadcast(mask, all);
  if (!a->how.isBoolean)
    mask = at_cast(pool, mask, compute);
  a->mask = at_hold(pool, at_newExpanded(mask, all));
  a->how.maskRow = a->mask->th->stride[a->batchDims];
  a->how.maskColumn = a->mask->th->stride[a->batchDims + 1];
}

/* A new result.  Of four dimensions (batch, heads, queries, width) it is stored with the heads next
 * to each other, so that they join without a copy. */
static at_tensor *new_result(at_pool *pool, const Attention *a, const at_type *type)
{
  int64_t sizes[AT_MOST_DIMS];
  for (int d = 0; d < a->batchDims; d++)
    sizes[d] = a->batch[d];
  sizes[a->batchDims] = a->how.queries;
  sizes[a->batchDims + 1] = a->how.width;
  if (a->batchDims != 2 || !at_isOnHost(type))
    return at_layerNew(pool, type, (at_ints){sizes, a->batchDims + 2});
  const int64_t joined[] = {sizes[0], sizes[2], sizes[1], sizes[3]};
  at_tensor *const t = at_layerNew(pool, type, (at_ints){joined, 4});
  return at_hold(pool, at_viewTranspose(t, 1, 2));
}

/* --- the loop --------------------------------------------------------------------------------- */

static void *address(const at_tensor *t, ptrdiff_t offset)
{
  return (char *)at_hostData(t) + offset * (ptrdiff_t)t->type->elementSize;
}

/* Every threads-th block from begin on. */
static void attend_blocks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Attention *const a = context;
  const bool isDouble = a->query->type->scalarType == AT_DOUBLE;
  const at_attention_kernel kernel =
      isDouble ? *TH_DISPATCHED(at_attentionDouble) : *TH_DISPATCHED(at_attentionFloat);
  const ptrdiff_t buffer = a->each * a->how.keys * (ptrdiff_t)a->query->type->elementSize;
  for (ptrdiff_t thread = begin; thread < end; thread++)
    for (int64_t k = thread; k < a->count * a->blocks; k += a->threads) {
      const int64_t i = k / a->blocks, first = k % a->blocks * a->each;
      const at_attention_block block = {
          .first = first,
          .count = THMin(a->each, a->how.queries - first),
          .query = address(a->query, offset_of(a, a->query, i, 1)),
          .key = address(a->key, offset_of(a, a->key, i, a->group)),
          .value = address(a->value, offset_of(a, a->value, i, a->group)),
          .mask = a->mask ? address(a->mask, offset_of(a, a->mask, i, 1)) : NULL,
          .result = address(a->result, offset_of(a, a->result, i, 1)),
          .scores = a->scores + thread * buffer,
          .logSums = a->logSums ? address(a->logSums, i * a->how.queries) : NULL};
      kernel(&a->how, &block);
    }
}

static void run(at_pool *pool, Attention *a, const at_type *compute)
{
  const int64_t fitting = SCORES / THMax(1, a->how.keys);
  a->each = THMin(THMin(MOST_QUERIES, THMax(LEAST_QUERIES, fitting)), a->how.queries);
  a->blocks = (a->how.queries + a->each - 1) / a->each;
  const int64_t work = a->each * a->how.keys * (a->how.depth + a->how.width);
  a->threads = THParallel_threads(a->count * a->blocks, 1 + TH_LOOP_GRAIN / THMax(1, work / 16));
  const int64_t sizes[] = {a->threads, a->each, a->how.keys};
  a->scores = at_hostData(at_layerNew(pool, compute, (at_ints){sizes, 3}));
  THParallel_for(a->threads, 1, attend_blocks, a);
}

/* --- on a device ------------------------------------------------------------------------------ */

/* The scores that exist at a time, in elements. */
enum { DEVICE_SCORES = 1 << 26 };

/* t, of the batch, as matrices x rows x width: the queries of heads that share a key are rows of
 * one matrix. */
static at_tensor *flattened(at_pool *pool, at_tensor *t, int64_t matrices)
{
  const int64_t width = from_end(t, 1);
  const int64_t sizes[] = {matrices, at_numel(t) / THMax(1, matrices * width), width};
  return at_hold(pool, at_reshaped(t, (at_ints){sizes, 3}));
}

/* What the kernel takes of the mask; the pool holds the mask in the form that it takes. */
static void describe_mask(at_pool *pool, const Attention *a, at_scores_work *work)
{
  at_tensor *mask = a->mask;
  if (!mask)
    return;
  int dims = a->batchDims;
  if (dims > AT_MASK_DIMS) {
    const int64_t sizes[] = {a->count, a->how.queries, a->how.keys};
    mask = at_hold(pool, at_reshaped(mask, (at_ints){sizes, 3}));
    dims = 1;
  }
  work->mask = at_data(mask);
  work->maskDims = dims;
  work->maskRow = mask->th->stride[dims];
  work->maskColumn = mask->th->stride[dims + 1];
  for (int d = 0; d < dims; d++) {
    work->maskSize[d] = mask->th->size[d];
    work->maskStride[d] = mask->th->stride[d];
  }
}

/* The part of a tensor of three dimensions: so many matrices, and rows of each. */
static at_tensor *part_of(at_pool *pool, at_tensor *t, int64_t first, int64_t count,
                          int64_t firstRow, int64_t rows)
{
  at_tensor *const matrices = at_hold(pool, at_viewNarrow(t, 0, first, count));
  return at_hold(pool, at_viewNarrow(matrices, 1, firstRow, rows));
}

/* The matrices and rows that the work says: two products, and the softmax between them. */
static void attend_part(const Attention *a, at_tensor *const flat[4], at_scores_work work)
{
  const at_scalar none = at_scalar_long(0);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *part[4];
  for (int i = 0; i < 4; i++)
    part[i] = part_of(&pool, flat[i], work.firstMatrix, work.matrices, i % 3 ? 0 : work.firstRow,
                      i % 3 ? a->how.keys : work.rows);
  at_tensor *const keys = at_hold(&pool, at_viewTranspose(part[1], 1, 2));
  at_tensor *scores = at_hold(&pool, at_product(NULL, AT_BATCHES, NULL, part[0], keys, none,
                                                at_scalar_double(a->how.scale)));
  work.scores = at_data(scores);
  at_cuda()->launch(AT_KERNEL_scores, scores->type->held, &work);
  at_product(part[3], AT_BATCHES, NULL, scores, part[2], none, at_scalar_long(1));
  at_pool_leave(&pool);
}

/* Computes the result, so many matrices or rows of one matrix at a time. */
static void run_on_device(at_pool *pool, const Attention *a)
{
  const int64_t matrices = a->count / a->group, rows = a->how.queries * a->group;
  const int64_t each = THMax(1, THMin(matrices, DEVICE_SCORES / (rows * a->how.keys)));
  const int64_t some = THMax(1, THMin(rows, DEVICE_SCORES / a->how.keys));
  at_tensor *const flat[] = {flattened(pool, a->query, matrices), flattened(pool, a->key, matrices),
                             flattened(pool, a->value, matrices),
                             flattened(pool, a->result, matrices)};
  at_scores_work work = {.queries = a->how.queries,
                         .keys = a->how.keys,
                         .group = a->group,
                         .logSums = a->logSums ? at_data(a->logSums) : NULL,
                         .isCausal = a->how.isCausal,
                         .isBoolean = a->how.isBoolean};
  describe_mask(pool, a, &work);
  for (int64_t m = 0; m < matrices; m += each)
    for (int64_t r = 0; r < rows; r += some) {
      work.firstMatrix = m;
      work.matrices = THMin(each, matrices - m);
      work.firstRow = r;
      work.rows = THMin(some, rows - r);
      attend_part(a, flat, work);
    }
}

/* The batch of all operands, and the strides of their matrices. */
static void open_batch(at_pool *pool, Attention *a, at_tensor *query, at_tensor *key,
                       at_tensor *value)
{
  at_ints batches[3];
  at_tensor *const in[] = {query, key, value};
  int64_t grouped[2][AT_MOST_DIMS];
  for (int i = 0; i < 3; i++) {
    batches[i] = (at_ints){in[i]->th->size, at_sizesOf(in[i]).count - 2};
    if (i == 0 || a->group == 1)
      continue;
    for (int d = 0; d < batches[i].count; d++)
      grouped[i - 1][d] = batches[i].data[d];
    grouped[i - 1][batches[i].count - 1] *= a->group;
    batches[i].data = grouped[i - 1];
  }
  const at_ints batch = at_broadcastSizes(3, batches, a->batch);
  a->batchDims = batch.count;
  a->count = 1;
  for (int d = 0; d < batch.count; d++)
    a->count *= batch.data[d];
  a->query = batched(pool, a, query, 1);
  a->key = batched(pool, a, key, a->group);
  a->value = batched(pool, a, value, a->group);
  a->how.queryStride = query->th->stride[query->th->nDimension - 2];
  a->how.keyStride = key->th->stride[key->th->nDimension - 2];
  a->how.valueStride = value->th->stride[value->th->nDimension - 2];
}

/* The logarithms of sums, of no keys minus infinity. */
static at_tensor *new_sums(at_pool *pool, const Attention *a, const at_type *type)
{
  int64_t sizes[AT_MOST_DIMS];
  for (int d = 0; d < a->batchDims; d++)
    sizes[d] = a->batch[d];
  sizes[a->batchDims] = a->how.queries;
  return at_fillWith(at_layerNew(pool, type, (at_ints){sizes, a->batchDims + 1}),
                     at_scalar_double(-(double)INFINITY));
}

/* Attends in a new result, which the pool holds. */
static void attend(at_pool *pool, Attention *a, at_tensor *query, at_tensor *key, at_tensor *value,
                   at_tensor *mask, double dropout_p, at_scalar scale, bool wantsSums)
{
  const at_type *const compute = at_layerType(query);
  if (dropout_p != 0)
    at_raise(AT_ERROR_ARGUMENT, "dropout_p is %g, and has to be 0: nothing is left out at random",
             dropout_p);
  a->how.queries = from_end(query, 2);
  a->how.keys = from_end(key, 2);
  a->how.depth = from_end(query, 1);
  a->how.width = from_end(value, 1);
  a->how.scale = scale.is_none ? 1 / sqrt((double)a->how.depth) : at_scalar_toDouble(scale);
  open_batch(pool, a, with_lines(pool, query, compute), with_lines(pool, key, compute),
             with_lines(pool, value, compute));
  take_mask(pool, a, mask, query, compute);
  a->result = new_result(pool, a, compute);
  a->logSums = wantsSums ? new_sums(pool, a, compute) : NULL;
  a->how.resultStride = a->result->th->stride[a->batchDims];
  if (a->how.keys == 0 || a->how.depth == 0)
    at_fillWith(a->result, at_scalar_long(0));
  else if (at_numel(a->result) > 0 && at_isOnHost(compute))
    run(pool, a, compute);
  else if (at_numel(a->result) > 0)
    run_on_device(pool, a);
}

static void check_operands(const at_tensor *query, const at_tensor *key, const at_tensor *value)
{
  at_layerType(query);
  check_operand(query, query, "query");
  check_operand(query, key, "key");
  check_operand(query, value, "value");
  check_shapes(query, key, value);
}

at_tensor *at_attend(at_tensor *query, at_tensor *key, at_tensor *value, at_tensor *mask,
                     double dropout_p, bool is_causal, at_scalar scale, bool grouped)
{
  Attention a = {.group = 1, .how.isCausal = is_causal};
  check_operands(query, key, value);
  if (grouped)
    a.group = heads_of(query, key, value);
  at_pool pool;
  at_pool_enter(&pool);
  attend(&pool, &a, query, key, value, mask, dropout_p, scale, false);
  return at_finishOne(&pool, NULL, at_cast(&pool, a.result, query->type));
}

void at_attendWithSums(at_tensor **out, at_tensor *query, at_tensor *key, at_tensor *value,
                       at_tensor *mask, double dropout_p, bool is_causal, at_scalar scale)
{
  Attention a = {.group = 1, .how.isCausal = is_causal};
  check_operands(query, key, value);
  at_pool pool;
  at_pool_enter(&pool);
  attend(&pool, &a, query, key, value, mask, dropout_p, scale, true);
  at_finish(&pool, 2, out, (at_tensor *[]){at_cast(&pool, a.result, query->type), a.logSums});
}
