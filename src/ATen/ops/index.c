/* Indexing with tensors.  The selection of a list of indices is converted to one vector of offsets
 * along one dimension of a view of self, on which TH functions work. */
#include "ATen/core/ATenOperations.h"

/* --- selections ------------------------------------------------------------------------------- */

typedef struct {
  at_tensor *offsets; /* along dimension lead of the view; of Long, in the indices' common shape */
  int lead; /* the number of dimensions before the indexed ones, in the view and in the result */
  bool overlaps; /* elements of the view share memory, although those of self may not */
  int dims;      /* of the view of self */
  int64_t size[AT_MOST_DIMS], stride[AT_MOST_DIMS];
  int64_t buffer[AT_MOST_DIMS];
  at_ints sizes; /* of the result */
} Selection;

static bool is_mask(const at_tensor *index)
{
  return index->type->scalarType == AT_BOOL || index->type->scalarType == AT_BYTE;
}

/* Converts a mask to indices of the selected elements for the dimensions from dim on. */
static void expand_mask(at_tensor *self, at_tensor *mask, int dim, at_tensor **of)
{
  const at_ints own = at_sizesOf(self), sizes = at_sizesOf(mask);
  bool fits = sizes.count > 0;
  for (int d = 0; d < sizes.count; d++)
    fits = fits && sizes.data[d] == own.data[dim + d];
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT, "a mask of size (%s) does not fit dimension %d of size (%s)",
             at_sizeDesc(sizes).str, dim, at_sizeDesc(own).str);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *list = at_hold(&pool, at_nonzeros(NULL, mask));
  at_tensor *columns = at_hold(&pool, at_viewTranspose(list, 0, 1));
  columns = at_hold(&pool, at_newCast(columns, columns->type));
  for (int d = 0; d < sizes.count; d++)
    of[dim + d] = at_viewSelect(columns, 0, d);
  at_pool_leave(&pool);
}

/* Stores an entry for each dimension of self to of: a contiguous tensor of Long, or NULL. */
static void expand(at_tensor *self, at_tensors indices, at_tensor **of)
{
  const int dims = at_sizesOf(self).count;
  int dim = 0;
  if (indices.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "indices is empty");
  for (int i = 0; i < indices.count; i++) {
    at_tensor *index = indices.data[i];
    const int takes = index && is_mask(index) ? at_sizesOf(index).count : 1;
    if (dim + takes > dims)
      at_raise(AT_ERROR_ARGUMENT, "indices are for more than the %d dimensions of self", dims);
    if (index && is_mask(index))
      expand_mask(self, index, dim, of);
    else if (index && at_isIndex(index))
      of[dim] = at_newCast(index, at_toScalarType(index->type, AT_LONG));
    else if (index)
      at_raise(AT_ERROR_TYPE, "indices[%d] is of %s, and has to be of Long, Int, Bool or Byte", i,
               at_scalarTypeName(index->type->scalarType));
    dim += takes;
  }
}

/* Checks the indices of dimension dim, and converts them to offsets, which are multiples of
 * step. */
static void scale_indices(at_tensor *self, at_tensor *index, int dim, int64_t step)
{
  const int64_t size = at_sizesOf(self).data[dim];
  int64_t outside;
  if (at_findOutside(index, -size, size, &outside))
    at_raise(AT_ERROR_ARGUMENT, "index %lld is out of range for dimension %d of size (%s)",
             (long long)outside, dim, at_sizeDesc(at_sizesOf(self)).str);
  at_wrapIndices(index, size, step);
}

/* Computes the step of each indexed dimension along dimension lead of the view.  If the strides of
 * the indexed dimensions fit each other, they are merged to that dimension; otherwise it covers all
 * memory that self spans, and the view overlaps itself. */
static void measure(const at_tensor *self, at_tensor *const *of, int dims, int64_t *step,
                    Selection *s)
{
  const int64_t *size = self->th->size, *stride = self->th->stride;
  int64_t count = 1, unit = -1, span = 1;
  s->overlaps = false;
  for (int d = dims - 1; d >= 0; d--) {
    if (!of[d])
      continue;
    step[d] = size[d] == 1 ? 0 : count;
    if (size[d] == 1)
      continue;
    if (unit < 0)
      unit = stride[d];
    s->overlaps = s->overlaps || stride[d] != unit * count;
    count *= size[d];
    span += (size[d] - 1) * stride[d];
  }
  s->size[s->lead] = s->overlaps ? span : count;
  s->stride[s->lead] = s->overlaps || unit < 0 ? 1 : unit;
  for (int d = 0; d < dims && s->overlaps; d++)
    if (of[d])
      step[d] = stride[d];
}

/* The sum of the offsets of all indexed dimensions; the guard holds it. */
static at_tensor *add_offsets(THGuard *guard, at_tensor *self, at_tensor *const *of, int dims,
                              const int64_t *step)
{
  at_guard(guard);
  for (int d = 0; d < dims; d++) {
    if (!of[d])
      continue;
    scale_indices(self, of[d], d, step[d]);
    if (!guard->what) {
      guard->what = at_retain(of[d]);
      continue;
    }
    at_tensor *sum = at_binary(NULL, AT_ROW_cadd, guard->what, of[d], at_scalar_long(1));
    at_release(guard->what);
    guard->what = sum;
  }
  return guard->what;
}

/* Sets the dimensions of the view and of the result; offsets are the sizes of the indices. */
static void set_shapes(const at_tensor *self, at_tensor *const *of, int dims, at_ints offsets,
                       Selection *s)
{
  const int64_t size = s->size[s->lead], stride = s->stride[s->lead];
  int others = 0, count = 0;
  for (int d = 0; d < dims; d++)
    others += !of[d];
  if (others + offsets.count > AT_MOST_DIMS || others + 1 > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "the result would have %d dimensions, at most %d are possible",
             others + offsets.count, AT_MOST_DIMS);
  s->dims = 0;
  for (int d = 0, before = 0; d <= dims; d++) {
    if (before == s->lead && s->dims == s->lead) {
      s->size[s->dims] = size;
      s->stride[s->dims++] = stride;
      for (int e = 0; e < offsets.count; e++)
        s->buffer[count++] = offsets.data[e];
    }
    if (d < dims && !of[d]) {
      s->size[s->dims] = self->th->size[d];
      s->stride[s->dims++] = self->th->stride[d];
      s->buffer[count++] = self->th->size[d];
      before++;
    }
  }
  s->sizes = (at_ints){s->buffer, count};
}

/* Opens the selection of indices from self; the pool holds its offsets. */
static void open_selection(Selection *s, at_pool *pool, at_tensor *self, at_tensors indices)
{
  const int dims = at_sizesOf(self).count;
  THGuard list, sum;
  THGuard_enter(&list, (THUndo)at_list_release);
  at_tensors *const entries = list.what = at_newList(dims);
  at_tensor **const of = (at_tensor **)entries->data;
  expand(self, indices, of);

  int first = 0, last = dims - 1;
  while (first < dims && !of[first])
    first++;
  if (first == dims)
    at_raise(AT_ERROR_ARGUMENT, "indices has no index");
  while (!of[last])
    last--;
  bool adjacent = true;
  for (int d = first; d <= last; d++)
    adjacent = adjacent && of[d];
  s->lead = adjacent ? first : 0;
  int64_t step[AT_MOST_DIMS];
  measure(self, of, dims, step, s);
  s->offsets = add_offsets(&sum, self, of, dims, step);
  set_shapes(self, of, dims, at_sizesOf(s->offsets), s);
  at_hold(pool, at_retain(s->offsets));
  THGuard_leave(&sum);
  THGuard_leave(&list);
}

/* --- reading and writing selections ----------------------------------------------------------- */

static at_tensor *view_of(const Selection *s, at_tensor *self)
{
  const at_ints sizes = {s->size, s->dims};
  return at_newView(self, self->th->storageOffset, sizes, s->stride);
}

/* t, of the result's size, with the indexed dimensions merged to one: a view, or a copy. */
static at_tensor *along_offsets(const Selection *s, at_tensor *t)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = {buffer, s->dims};
  for (int d = 0; d < s->dims; d++)
    buffer[d] = s->size[d];
  buffer[s->lead] = at_numel(s->offsets);
  return at_reshaped(t, sizes);
}

static at_tensor *flat(at_tensor *contiguous)
{
  const int64_t size = at_numel(contiguous), stride = 1;
  return at_newView(contiguous, contiguous->th->storageOffset, (at_ints){&size, 1}, &stride);
}

at_tensor *at_indexed(at_tensor *out, at_tensor *self, at_tensors indices)
{
  if (at_isComplex(self->type->scalarType))
    return at_indexedPairs(out, self, indices);
  at_pool pool;
  Selection s;
  at_pool_enter(&pool);
  open_selection(&s, &pool, self, indices);
  at_tensor *result = at_resultOf(&pool, out, self->type, s.sizes);
  if (at_numel(result) > 0) {
    at_tensor *to = at_hold(&pool, along_offsets(&s, result));
    at_tensor *from = at_hold(&pool, view_of(&s, self));
    at_tensor *offsets = at_hold(&pool, flat(s.offsets));
    AT_OF(at_movesAs(self->type), indexSelect)(to->th, from->th, s.lead, (void *)offsets->th);
  }
  return at_finishOne(&pool, out, result);
}

/* The offsets in memory, from self's first element on, of all selected elements: the sums of the
 * offsets of the indices and of the dimensions without index. */
static at_tensor *all_offsets(at_pool *pool, const Selection *s)
{
  const int offsets = at_sizesOf(s->offsets).count;
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = {buffer, s->sizes.count};
  for (int d = 0; d < sizes.count; d++)
    buffer[d] = d >= s->lead && d < s->lead + offsets ? s->sizes.data[d] : 1;
  THGuard sum;
  at_guard(&sum);
  sum.what = at_viewAs(s->offsets, sizes);
  for (int d = 0; d < s->dims; d++) {
    if (d == s->lead)
      continue;
    for (int e = 0; e < sizes.count; e++)
      buffer[e] = 1;
    buffer[d < s->lead ? d : d - 1 + offsets] = s->size[d];
    at_pool step;
    at_pool_enter(&step);
    at_tensor *own = at_hold(&step, at_newShape(at_hostType(s->offsets->type), sizes));
    for (int64_t i = 0; i < s->size[d]; i++)
      ((int64_t *)at_hostData(own))[i] = i * s->stride[d];
    own = at_cast(&step, own, s->offsets->type);
    at_tensor *next = at_binary(NULL, AT_ROW_cadd, sum.what, own, at_scalar_long(1));
    at_pool_leave(&step);
    at_release(sum.what);
    sum.what = next;
  }
  return at_hold(pool, THGuard_keep(&sum));
}

/* All memory that t spans, as a vector. */
static at_tensor *span_of(at_tensor *t)
{
  int64_t count = 1;
  const int64_t stride = 1;
  for (int d = 0; d < t->th->nDimension; d++)
    count += (t->th->size[d] - 1) * t->th->stride[d];
  return at_newView(t, t->th->storageOffset, (at_ints){&count, 1}, &stride);
}

static void put_selected(at_pool *pool, const Selection *s, at_tensor *self, at_tensor *values,
                         bool adds)
{
  const at_type *const moves = at_movesAs(self->type);
  values = at_hold(pool, at_newExpanded(values, s->sizes));
  if (s->overlaps) {
    at_tensor *offsets = all_offsets(pool, s);
    AT_OF(moves, put)(at_hold(pool, span_of(self))->th, (void *)offsets->th, values->th, adds);
    return;
  }
  at_tensor *offsets = at_hold(pool, flat(s->offsets));
  at_tensor *view = at_hold(pool, view_of(s, self)),
            *from = at_hold(pool, along_offsets(s, values));
  (adds ? AT_OF(moves, indexAdd) : AT_OF(moves, indexCopy))(view->th, s->lead, (void *)offsets->th,
                                                            from->th);
}

at_tensor *at_indexPut(at_tensor *out, at_tensor *self, at_tensors indices, at_tensor *values,
                       bool accumulate)
{
  if (at_isComplex(self->type->scalarType))
    return at_indexPutPairs(out, self, indices, values, accumulate);
  at_pool pool;
  Selection s;
  at_checkType(values, "values", self->type);
  if (out == self)
    at_checkWritable(self);
  at_pool_enter(&pool);
  const at_type *type = accumulate ? at_addsAs(self->type) : self->type;
  at_tensor *changed = at_beginChange(&pool, out, self, type);
  open_selection(&s, &pool, changed, indices);
  at_checkBroadcast(values, s.sizes);
  if (values->type != type)
    values = at_hold(&pool, at_newCast(values, type));
  int64_t count = 1;
  for (int d = 0; d < s.sizes.count; d++)
    count *= s.sizes.data[d];
  if (count > 0)
    put_selected(&pool, &s, changed, values, accumulate);
  return at_endChange(&pool, out, self, changed);
}
