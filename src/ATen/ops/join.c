/* Joining tensors into one, and splitting a tensor into views. */
#include "ATen/core/ATenOperations.h"

/* --- joining ---------------------------------------------------------------------------------- */

static bool is_nothing(const at_tensor *t)
{
  return !t->isScalar && t->th->nDimension == 1 && t->th->size[0] == 0;
}

/* The first tensor that is not an empty vector, or else the first tensor. */
static at_tensor *pattern(at_tensors tensors)
{
  for (int i = 0; i < tensors.count; i++)
    if (!is_nothing(tensors.data[i]))
      return tensors.data[i];
  return tensors.data[0];
}

/* The sizes of the tensors joined along dim, in buffer. */
static at_ints joined_sizes(at_tensors tensors, int dim, int64_t *buffer)
{
  const at_ints like = at_sizesOf(pattern(tensors)), sizes = {buffer, like.count};
  for (int d = 0; d < like.count; d++)
    buffer[d] = d == dim ? 0 : like.data[d];
  for (int i = 0; i < tensors.count; i++) {
    const at_ints own = at_sizesOf(tensors.data[i]);
    if (is_nothing(tensors.data[i]))
      continue;
    bool agrees = own.count == like.count;
    for (int d = 0; d < own.count && agrees; d++)
      agrees = d == dim || own.data[d] == like.data[d];
    if (!agrees || __builtin_add_overflow(buffer[dim], own.data[dim], &buffer[dim]))
      at_raise(AT_ERROR_ARGUMENT, "tensors[%d] of size (%s) does not fit (%s), dimension %d apart",
               i, at_sizeDesc(own).str, at_sizeDesc(like).str, dim);
  }
  return sizes;
}

/* Whether t shares memory with one of the tensors. */
static bool overlaps(const at_tensor *t, at_tensors tensors)
{
  for (int i = 0; i < tensors.count; i++)
    if (at_overlap(t, tensors.data[i]) != TH_OVERLAP_NONE)
      return true;
  return false;
}

/* The tensor to join in: out itself if it has the type and size and overlaps no operand. */
static at_tensor *result_for(at_pool *pool, at_tensor *out, at_tensors tensors, at_ints sizes)
{
  const at_type *type =
      at_toScalarType(tensors.data[0]->type, at_resultType(tensors.count, tensors.data, NULL));
  if (out)
    at_checkResult(out, NULL, sizes, type->scalarType);
  if (out && out->type == type && at_sameSizes(at_sizesOf(out), sizes) && !overlaps(out, tensors))
    return out;
  return at_hold(pool, at_newShape(type, sizes));
}

/* Copies t to piece, a view of the result, whose reference this takes over. */
static void take(at_tensor *piece, at_tensor *t)
{
  THGuard guard;
  at_guard(&guard);
  guard.what = piece;
  if (at_numel(t) > 0)
    at_convert(piece, t);
  THGuard_leave(&guard);
}

/* Joins the tensors in one call, if all are of the type of the result, which must be contiguous. */
static bool join_alike(at_tensor *result, at_tensors tensors, int dim)
{
  void *onStack[16], **parts = onStack;
  int count = 0;
  if (!at_isContiguous(result) || at_isComplex(result->type->scalarType))
    return false;
  for (int i = 0; i < tensors.count; i++)
    if (tensors.data[i]->type != result->type)
      return false;
  THGuard guard;
  THGuard_enter(&guard, THFree);
  if (tensors.count > 16)
    parts = guard.what = THAlloc(tensors.count * (ptrdiff_t)sizeof *parts);
  for (int i = 0; i < tensors.count; i++)
    if (at_numel(tensors.data[i]) > 0)
      parts[count++] = tensors.data[i]->th;
  if (count)
    AT_OF(at_movesAs(result->type), catArray)(result->th, parts, count, dim);
  THGuard_leave(&guard);
  return true;
}

at_tensor *at_joined(at_tensor *out, at_tensors tensors, int64_t dim)
{
  int64_t buffer[AT_MOST_DIMS];
  if (tensors.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "tensors is empty");
  for (int i = 0; i < tensors.count; i++)
    if (tensors.data[i]->isScalar)
      at_raise(AT_ERROR_ARGUMENT, "tensors[%d] has no dimensions", i);
  const at_tensor *like = pattern(tensors);
  const int d = is_nothing(like) ? 0 : at_wrapDim(dim, at_sizesOf(like).count);
  const at_ints sizes = joined_sizes(tensors, d, buffer);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *result = result_for(&pool, out, tensors, sizes);
  if (result == out)
    at_checkWritable(out);
  const int pieces = join_alike(result, tensors, d) ? 0 : tensors.count;
  int64_t at = 0;
  for (int i = 0; i < pieces; i++) {
    if (is_nothing(tensors.data[i]))
      continue;
    const int64_t length = at_sizesOf(tensors.data[i]).data[d];
    take(at_viewNarrow(result, d, at, length), tensors.data[i]);
    at += length;
  }
  return at_finishOne(&pool, out, result);
}

/* join_alike for a new dimension dim of a contiguous result: dim is merged with the dimension after
 * it, along which the tensors are joined.  Strides of dimensions of size 1 may have any value. */
static bool stack_alike(at_pool *pool, at_tensor *result, at_tensors tensors, int dim)
{
  int64_t buffer[AT_MOST_DIMS], strides[AT_MOST_DIMS];
  const at_ints sizes = at_sizesOf(result), joined = {buffer, sizes.count - 1};
  if (dim == joined.count || at_numel(result) == 0)
    return join_alike(result, tensors, dim);
  if (!at_isContiguous(result))
    return false;
  int64_t stride = 1;
  for (int d = joined.count - 1; d >= 0; d--) {
    buffer[d] = d < dim ? sizes.data[d] : sizes.data[d + 1];
    buffer[d] *= d == dim ? sizes.data[d] : 1;
    strides[d] = stride;
    stride *= buffer[d];
  }
  at_tensor *flat = at_hold(pool, at_newView(result, result->th->storageOffset, joined, strides));
  return join_alike(flat, tensors, dim);
}

at_tensor *at_stacked(at_tensor *out, at_tensors tensors, int64_t dim)
{
  int64_t buffer[AT_MOST_DIMS];
  if (tensors.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "tensors is empty");
  const at_ints own = at_sizesOf(tensors.data[0]), sizes = {buffer, own.count + 1};
  if (own.count == AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "tensors[0] has %d dimensions, the most there can be", own.count);
  const int d = at_wrapDim(dim, own.count + 1);
  for (int i = 1; i < tensors.count; i++)
    if (!at_sameSizes(at_sizesOf(tensors.data[i]), own))
      at_raise(AT_ERROR_ARGUMENT, "tensors[%d] has size (%s), tensors[0] (%s)", i,
               at_sizeDesc(at_sizesOf(tensors.data[i])).str, at_sizeDesc(own).str);
  for (int e = 0; e <= own.count; e++)
    buffer[e] = e < d ? own.data[e] : e == d ? tensors.count : own.data[e - 1];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *result = result_for(&pool, out, tensors, sizes);
  if (result == out)
    at_checkWritable(out);
  const int pieces = stack_alike(&pool, result, tensors, d) ? 0 : tensors.count;
  for (int i = 0; i < pieces; i++)
    take(at_viewSelect(result, d, i), tensors.data[i]);
  return at_finishOne(&pool, out, result);
}

/* The result is viewed with two dimensions for each of its own, the index of the copy and the index
 * within a copy; self is expanded along the former. */
at_tensor *at_repeated(at_tensor *self, at_ints repeats)
{
  const at_ints own = at_sizesOf(self);
  const int more = repeats.count - own.count;
  int64_t buffer[AT_MOST_DIMS], size[AT_MOST_DIMS + 1], to[AT_MOST_DIMS + 1],
      from[AT_MOST_DIMS + 1];
  if (more < 0 || repeats.count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "repeats has %d numbers, self has %d dimensions", repeats.count,
             own.count);
  for (int d = 0; d < repeats.count; d++) {
    const int64_t length = d < more ? 1 : own.data[d - more];
    if (repeats.data[d] < 0 || __builtin_mul_overflow(repeats.data[d], length, &buffer[d]))
      at_raise(AT_ERROR_ARGUMENT, "repeats is (%s), self has size (%s)", at_sizeDesc(repeats).str,
               at_sizeDesc(own).str);
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *result = at_hold(&pool, at_newShape(self->type, (at_ints){buffer, repeats.count}));
  int dims = 0;
  for (int d = 0; d < repeats.count && at_numel(result) > 0; d++) {
    const int64_t length = d < more ? 1 : own.data[d - more], step = result->th->stride[d];
    if (dims + 2 > AT_MOST_DIMS)
      at_raise(AT_ERROR_ARGUMENT, "repeats has %d numbers, more than can be", repeats.count);
    if (repeats.data[d] > 1)
      size[dims] = repeats.data[d], to[dims] = length * step, from[dims++] = 0;
    if (length > 1)
      size[dims] = length, to[dims] = step, from[dims++] = self->th->stride[d - more];
  }
  if (at_numel(result) > 0) {
    const at_ints sizes = {size, dims};
    at_tensor *all = at_hold(&pool, at_newView(result, 0, sizes, to));
    at_convert(all, at_hold(&pool, at_newView(self, self->th->storageOffset, sizes, from)));
  }
  return at_pool_keep(&pool, result);
}

/* --- splitting -------------------------------------------------------------------------------- */

static int dim_to_cut(const at_tensor *self, int64_t dim)
{
  if (self->isScalar)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions");
  return at_wrapDim(dim, at_sizesOf(self).count);
}

/* Splits into count views, of the given sizes or all of size, but for the last ones. */
static const at_tensors *cut(at_tensor *self, int dim, int64_t count, int64_t size,
                             const int64_t *sizes)
{
  const int64_t own = at_sizesOf(self).data[dim];
  if (count > INT32_MAX)
    at_raise(AT_ERROR_ARGUMENT, "%lld pieces are too many", (long long)count);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  at_tensors *list = guard.what = at_newList((int)count);
  int64_t at = 0;
  for (int i = 0; i < list->count; i++) {
    const int64_t length = sizes ? sizes[i] : THMin(size, own - at);
    ((at_tensor **)list->data)[i] = at_viewNarrow(self, dim, at, length);
    at += length;
  }
  return THGuard_keep(&guard);
}

const at_tensors *at_pieces(at_tensor *self, int64_t size, int64_t dim)
{
  const int d = dim_to_cut(self, dim);
  const int64_t own = at_sizesOf(self).data[d];
  if (size < 0 || (size == 0 && own > 0))
    at_raise(AT_ERROR_ARGUMENT, "split_size is %lld, dimension %d has %lld", (long long)size, d,
             (long long)own);
  const int64_t count = own == 0 ? 1 : own / size + (own % size != 0);
  return cut(self, d, count, size, NULL);
}

const at_tensors *at_chunks(at_tensor *self, int64_t chunks, int64_t dim)
{
  const int d = dim_to_cut(self, dim);
  const int64_t own = at_sizesOf(self).data[d];
  if (chunks < 1)
    at_raise(AT_ERROR_ARGUMENT, "chunks is %lld, and has to be at least 1", (long long)chunks);
  if (own == 0)
    return cut(self, d, chunks, 0, NULL);
  return at_pieces(self, own / chunks + (own % chunks != 0), d);
}

const at_tensors *at_piecesOf(at_tensor *self, at_ints sizes, int64_t dim)
{
  const int d = dim_to_cut(self, dim);
  const int64_t own = at_sizesOf(self).data[d];
  int64_t rest = own;
  for (int i = 0; i < sizes.count && rest >= 0; i++)
    rest = sizes.data[i] < 0 || sizes.data[i] > rest ? -1 : rest - sizes.data[i];
  if (rest != 0)
    at_raise(AT_ERROR_ARGUMENT, "split_sizes do not sum to %lld, the size of dimension %d",
             (long long)own, d);
  return cut(self, d, sizes.count, 0, sizes.data);
}

const at_tensors *at_slices(at_tensor *self, int64_t dim)
{
  const int d = dim_to_cut(self, dim);
  const int64_t count = at_sizesOf(self).data[d];
  if (count > INT32_MAX)
    at_raise(AT_ERROR_ARGUMENT, "%lld slices are too many", (long long)count);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  at_tensors *list = guard.what = at_newList((int)count);
  for (int i = 0; i < list->count; i++)
    ((at_tensor **)list->data)[i] = at_viewSelect(self, d, i);
  return THGuard_keep(&guard);
}

const at_tensors *at_copiesOf(const at_tensors *views)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  guard.what = (void *)views;
  for (int i = 0; i < views->count; i++) {
    at_tensor *const view = views->data[i];
    ((at_tensor **)views->data)[i] = at_newCast(view, view->type);
    at_release(view);
  }
  return THGuard_keep(&guard);
}
