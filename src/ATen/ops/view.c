/* Views: tensors that share the storage of another. */
#include "ATen/core/ATenOperations.h"

/* Sizes and strides of a view under construction. */
typedef struct {
  int count;
  ptrdiff_t offset;
  int64_t size[AT_MOST_DIMS], stride[AT_MOST_DIMS];
} View;

static void view_of(View *v, const at_tensor *t)
{
  v->count = at_sizesOf(t).count;
  v->offset = t->th->storageOffset;
  for (int d = 0; d < v->count; d++) {
    v->size[d] = t->th->size[d];
    v->stride[d] = t->th->stride[d];
  }
}

static at_tensor *made(at_tensor *t, const View *v)
{
  const at_ints sizes = {v->size, v->count};
  return at_family_see(t, at_newView(t, v->offset, sizes, v->stride));
}

at_tensor *at_newAlias(at_tensor *t)
{
  View v;
  view_of(&v, t);
  return made(t, &v);
}

at_tensor *at_newDetached(at_tensor *t)
{
  View v;
  view_of(&v, t);
  return at_newView(t, v.offset, (at_ints){v.size, v.count}, v.stride);
}

int at_wrapDim(int64_t dim, int dims)
{
  const int64_t count = THMax(dims, 1);
  if (dim < -count || dim >= count)
    at_raise(AT_ERROR_ARGUMENT, "dim is %lld, and has to be between %lld and %lld", (long long)dim,
             (long long)-count, (long long)count - 1);
  return (int)(dim < 0 ? dim + count : dim);
}

/* dim as an index from 0 on; raises if t has no such dimension. */
static int dim_of(const at_tensor *t, int64_t dim)
{
  const int dims = at_sizesOf(t).count;
  if (dims == 0)
    at_raise(AT_ERROR_ARGUMENT, "a tensor of no dimensions has no dimension %lld", (long long)dim);
  return at_wrapDim(dim, dims);
}

static void remove_dim(View *v, int dim)
{
  v->count--;
  for (int d = dim; d < v->count; d++) {
    v->size[d] = v->size[d + 1];
    v->stride[d] = v->stride[d + 1];
  }
}

at_tensor *at_viewSelect(at_tensor *self, int64_t dim, int64_t index)
{
  View v;
  view_of(&v, self);
  const int d = dim_of(self, dim);
  const int64_t size = v.size[d];
  if (index < -size || index >= size)
    at_raise(AT_ERROR_ARGUMENT, "index is %lld, dimension %d of size %s has %lld", (long long)index,
             d, at_sizeDesc(at_sizesOf(self)).str, (long long)size);
  v.offset += (index < 0 ? index + size : index) * v.stride[d];
  remove_dim(&v, d);
  return made(self, &v);
}

/* start and end as in Python: negative ones count from the end, and both are limited to the
 * size. */
at_tensor *at_viewSlice(at_tensor *self, int64_t dim, int64_t start, int64_t end, int64_t step)
{
  View v;
  view_of(&v, self);
  const int d = dim_of(self, dim);
  const int64_t size = v.size[d];
  if (step < 1)
    at_raise(AT_ERROR_ARGUMENT, "step is %lld, and has to be at least 1", (long long)step);
  start = THMin(THMax(start < 0 ? start + size : start, 0), size);
  end = THMin(THMax(end < 0 ? end + size : end, start), size);
  v.offset += start * v.stride[d];
  v.size[d] = (end - start) / step + ((end - start) % step != 0);
  if (v.size[d] > 1)
    v.stride[d] *= step;
  return made(self, &v);
}

at_tensor *at_viewNarrow(at_tensor *self, int64_t dim, int64_t start, int64_t length)
{
  View v;
  view_of(&v, self);
  const int d = dim_of(self, dim);
  const int64_t size = v.size[d], first = start < 0 ? start + size : start;
  if (first < 0 || first > size || length < 0 || length > size - first)
    at_raise(AT_ERROR_ARGUMENT, "start is %lld and length %lld, dimension %d of size %s has %lld",
             (long long)start, (long long)length, d, at_sizeDesc(at_sizesOf(self)).str,
             (long long)size);
  v.offset += first * v.stride[d];
  v.size[d] = length;
  return made(self, &v);
}

at_tensor *at_viewTranspose(at_tensor *self, int64_t dim0, int64_t dim1)
{
  View v;
  view_of(&v, self);
  const int a = at_wrapDim(dim0, v.count), b = at_wrapDim(dim1, v.count);
  const int64_t size = v.size[a], stride = v.stride[a];
  if (v.count > 0) {
    v.size[a] = v.size[b], v.stride[a] = v.stride[b];
    v.size[b] = size, v.stride[b] = stride;
  }
  return made(self, &v);
}

at_tensor *at_viewPermute(at_tensor *self, at_ints dims)
{
  View from;
  view_of(&from, self);
  View v = from;
  bool used[AT_MOST_DIMS] = {false};
  if (dims.count != v.count)
    at_raise(AT_ERROR_ARGUMENT, "dims names %d dimensions of %d", dims.count, v.count);
  for (int i = 0; i < dims.count; i++) {
    const int d = at_wrapDim(dims.data[i], v.count);
    if (used[d])
      at_raise(AT_ERROR_ARGUMENT, "dims names dimension %d twice", d);
    used[d] = true;
    v.size[i] = from.size[d];
    v.stride[i] = from.stride[d];
  }
  return made(self, &v);
}

at_tensor *at_viewSqueeze(at_tensor *self)
{
  View v;
  view_of(&v, self);
  for (int d = v.count - 1; d >= 0; d--)
    if (v.size[d] == 1)
      remove_dim(&v, d);
  return made(self, &v);
}

at_tensor *at_viewSqueezeDim(at_tensor *self, int64_t dim)
{
  View v;
  view_of(&v, self);
  const int d = at_wrapDim(dim, v.count);
  if (v.count > 0 && v.size[d] == 1)
    remove_dim(&v, d);
  return made(self, &v);
}

at_tensor *at_viewUnsqueeze(at_tensor *self, int64_t dim)
{
  View v;
  view_of(&v, self);
  if (v.count == AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "self has %d dimensions, the most there can be", v.count);
  const int d = at_wrapDim(dim, v.count + 1);
  for (int e = v.count; e > d; e--) {
    v.size[e] = v.size[e - 1];
    v.stride[e] = v.stride[e - 1];
  }
  v.stride[d] = d < v.count ? v.size[d + 1] * v.stride[d + 1] : 1;
  v.size[d] = 1;
  v.count++;
  return made(self, &v);
}

at_tensor *at_viewSqueezeDims(at_tensor *self, at_ints dims)
{
  View v;
  view_of(&v, self);
  bool named[AT_MOST_DIMS] = {false};
  for (int i = 0; i < dims.count; i++) {
    const int d = at_wrapDim(dims.data[i], v.count);
    if (named[d])
      at_raise(AT_ERROR_ARGUMENT, "dims names dimension %d twice", d);
    named[d] = true;
  }
  for (int d = v.count - 1; d >= 0; d--)
    if (named[d] && v.size[d] == 1)
      remove_dim(&v, d);
  return made(self, &v);
}

at_tensor *at_viewMatrixTransposed(at_tensor *self)
{
  const int dims = at_sizesOf(self).count;
  if (dims > 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have at most 2 dimensions",
             at_sizeDesc(at_sizesOf(self)).str);
  return dims < 2 ? at_newAlias(self) : at_viewTranspose(self, 0, 1);
}

at_tensor *at_viewMatricesTransposed(at_tensor *self)
{
  if (at_sizesOf(self).count < 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have at least 2 dimensions",
             at_sizeDesc(at_sizesOf(self)).str);
  return at_viewTranspose(self, -2, -1);
}

at_tensor *at_viewReversed(at_tensor *self)
{
  View v;
  view_of(&v, self);
  for (int d = 0; d < v.count; d++) {
    v.size[d] = at_sizesOf(self).data[v.count - 1 - d];
    v.stride[d] = at_strides(self).data[v.count - 1 - d];
  }
  return made(self, &v);
}

at_tensor *at_viewUnfold(at_tensor *self, int64_t dimension, int64_t size, int64_t step)
{
  View v;
  view_of(&v, self);
  const int dims = v.count, d = at_wrapDim(dimension, dims);
  const int64_t own = dims > 0 ? v.size[d] : 1, stride = dims > 0 ? v.stride[d] : 1;
  if (size < 0 || size > own)
    at_raise(AT_ERROR_ARGUMENT, "size is %lld, dimension %d of size (%s) has %lld", (long long)size,
             d, at_sizeDesc(at_sizesOf(self)).str, (long long)own);
  if (step < 1)
    at_raise(AT_ERROR_ARGUMENT, "step is %lld, and has to be at least 1", (long long)step);
  if (dims == AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "self has %d dimensions, the most there can be", dims);
  if (dims > 0) {
    v.size[d] = (own - size) / step + 1;
    int64_t wide;
    v.stride[d] = __builtin_mul_overflow(stride, step, &wide) ? stride : wide;
  }
  v.size[dims] = size;
  v.stride[dims] = stride;
  v.count++;
  return made(self, &v);
}

/* --- any strides ------------------------------------------------------------------------------ */

void at_checkStrides(at_ints sizes, at_ints strides)
{
  if (sizes.count != strides.count)
    at_raise(AT_ERROR_ARGUMENT, "sizes has %d dimensions, strides has %d", sizes.count,
             strides.count);
  if (sizes.count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "sizes has %d dimensions, at most %d are possible", sizes.count,
             AT_MOST_DIMS);
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] < 0 || strides.data[d] < 0)
      at_raise(AT_ERROR_ARGUMENT, "sizes (%s) and strides (%s) have to be 0 or more",
               at_sizeDesc(sizes).str, at_sizeDesc(strides).str);
}

/* Whether all elements are within a storage of count elements. */
static bool fits(at_ints sizes, at_ints strides, int64_t offset, int64_t count)
{
  int64_t last = offset, reach;
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] == 0)
      return true;
  for (int d = 0; d < sizes.count; d++)
    if (__builtin_mul_overflow(sizes.data[d] - 1, strides.data[d], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return false;
  return last < count;
}

at_tensor *at_viewStrided(at_tensor *out, at_tensor *self, at_ints sizes, at_ints strides,
                          int64_t storage_offset)
{
  const int64_t offset = storage_offset == AT_NONE ? self->th->storageOffset : storage_offset;
  const int64_t count = self->th->storage ? self->th->storage->size / at_partsOf(self->type) : 0;
  if (out)
    at_checkType(out, "result", self->type);
  at_checkStrides(sizes, strides);
  if (offset < 0 || !fits(sizes, strides, offset, count))
    at_raise(AT_ERROR_ARGUMENT,
             "sizes (%s) and strides (%s) from %lld on do not fit a storage of %lld elements",
             at_sizeDesc(sizes).str, at_sizeDesc(strides).str, (long long)offset, (long long)count);
  return at_become(out, at_family_see(self, at_newView(self, offset, sizes, strides.data)));
}

at_tensor *at_become(at_tensor *self, at_tensor *view)
{
  if (!self)
    return view;
  at_exchange(self, view);
  at_release(view);
  return self;
}

/* --- other shapes of the same elements ------------------------------------------------------ */

at_tensor *at_viewExpand(at_tensor *self, at_ints sizes)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(self), wanted = {buffer, sizes.count};
  const int missing = sizes.count - own.count;
  if (missing < 0 || sizes.count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "sizes has %d dimensions, self has %d %s", sizes.count, own.count,
             at_sizeDesc(own).str);
  for (int d = 0; d < sizes.count; d++) {
    const bool keeps = sizes.data[d] == -1 && d >= missing;
    buffer[d] = keeps ? own.data[d - missing] : sizes.data[d];
    if (buffer[d] < 0)
      at_raise(AT_ERROR_ARGUMENT, "sizes is %s: %lld is no size of dimension %d",
               at_sizeDesc(sizes).str, (long long)sizes.data[d], d);
  }
  at_checkBroadcast(self, wanted);
  return at_newExpanded(self, wanted);
}

/* sizes with a -1, of which there may be one, replaced so that there are count elements. */
static at_ints inferred(at_ints sizes, int64_t count, int64_t *buffer)
{
  const at_ints result = {buffer, sizes.count};
  int64_t known = 1;
  int unknown = -1;
  if (sizes.count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "sizes has %d dimensions, at most %d are possible", sizes.count,
             AT_MOST_DIMS);
  for (int d = 0; d < sizes.count; d++) {
    buffer[d] = sizes.data[d];
    if (buffer[d] == -1 && unknown < 0)
      unknown = d;
    else if (buffer[d] < 0 || __builtin_mul_overflow(known, buffer[d], &known))
      at_raise(AT_ERROR_ARGUMENT, "sizes %s is no shape", at_sizeDesc(sizes).str);
  }
  if (unknown >= 0 && known > 0 && count % known == 0)
    buffer[unknown] = count / known;
  else if (unknown >= 0 || known != count)
    at_raise(AT_ERROR_ARGUMENT, "sizes %s does not fit %lld elements", at_sizeDesc(sizes).str,
             (long long)count);
  return result;
}

/* Computes strides that view the same elements in the same order with sizes; false if there are
 * none. */
static bool strides_for(const at_tensor *t, at_ints sizes, int64_t *strides)
{
  const at_ints own = at_sizesOf(t);
  const int64_t *const own_strides = t->th->stride;
  int e = own.count - 1;
  int64_t step = 1; /* the stride of the next dimension */
  int64_t left = 1; /* elements of the current run not yet assigned to a dimension */
  for (int d = sizes.count - 1; d >= 0; d--) {
    const int64_t size = sizes.data[d];
    if (left == 1 && size != 1) {
      while (e >= 0 && own.data[e] == 1)
        e--;
      step = e >= 0 ? own_strides[e] : 1;
      for (int64_t next = step; e >= 0 && (own.data[e] == 1 || own_strides[e] == next); e--) {
        left *= own.data[e];
        next *= own.data[e];
      }
    }
    strides[d] = step;
    step *= size;
    const int64_t rest = left == size ? 1 : left / size; /* usually without a division */
    if (rest * size != left)
      return false;
    left = rest;
  }
  return true;
}

/* Row-major strides. */
static void plain_strides(at_ints sizes, int64_t *strides)
{
  int64_t step = 1;
  for (int d = sizes.count - 1; d >= 0; d--) {
    strides[d] = step;
    step *= THMax(sizes.data[d], 1);
  }
}

/* A view of those sizes, or NULL if there is none; self has count elements. */
static at_tensor *view_as(at_tensor *self, at_ints sizes, int64_t count)
{
  int64_t strides[AT_MOST_DIMS];
  if (count == 0)
    plain_strides(sizes, strides);
  else if (!strides_for(self, sizes, strides))
    return NULL;
  return at_family_see(self, at_newView(self, self->th->storageOffset, sizes, strides));
}

at_tensor *at_viewAs(at_tensor *self, at_ints sizes)
{
  int64_t buffer[AT_MOST_DIMS];
  const int64_t count = at_numel(self);
  const at_ints wanted = inferred(sizes, count, buffer);
  at_tensor *view = view_as(self, wanted, count);
  if (!view)
    at_raise(AT_ERROR_ARGUMENT,
             "sizes %s is no view of a tensor of size %s with strides %s: reshape copies",
             at_sizeDesc(wanted).str, at_sizeDesc(at_sizesOf(self)).str,
             at_sizeDesc(at_strides(self)).str);
  return view;
}

at_tensor *at_reshaped(at_tensor *self, at_ints sizes)
{
  int64_t buffer[AT_MOST_DIMS];
  const int64_t count = at_numel(self);
  const at_ints wanted = inferred(sizes, count, buffer);
  at_tensor *view = view_as(self, wanted, count);
  if (view)
    return view;
  THGuard guard;
  at_guard(&guard);
  guard.what = at_newCast(self, self->type);
  view = view_as(guard.what, wanted, count);
  THGuard_leave(&guard);
  return view;
}

at_tensor *at_flattened(at_tensor *self, int64_t start_dim, int64_t end_dim)
{
  const at_ints own = at_sizesOf(self);
  const int first = at_wrapDim(start_dim, own.count), last = at_wrapDim(end_dim, own.count);
  int64_t buffer[AT_MOST_DIMS] = {1};
  at_ints sizes = {buffer, own.count == 0 ? 1 : own.count - (last - first)};
  if (first > last)
    at_raise(AT_ERROR_ARGUMENT, "start_dim is %d and end_dim %d", first, last);
  for (int d = 0; d < own.count; d++) {
    const int to = d <= first ? d : d <= last ? first : d - (last - first);
    buffer[to] = d > first && d <= last ? buffer[to] * own.data[d] : own.data[d];
  }
  return at_reshaped(self, sizes);
}
