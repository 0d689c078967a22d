/* Other shapes of tensors: views with other dimensions, and what is joined, split or scattered by
 * them. */
#include <string.h>

#include "ATen/core/ATenOperations.h"

static const at_scalar one = {.value.integer = 1};

at_tensor *at_copied(at_tensor *out, at_tensor *view)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const t = at_hold(&pool, view);
  return at_finishOne(&pool, out, out ? t : at_hold(&pool, at_newCast(t, t->type)));
}

/* --- views ------------------------------------------------------------------------------------ */

at_tensor *at_viewMoved(at_tensor *self, at_ints source, at_ints destination)
{
  const int dims = at_sizesOf(self).count;
  int64_t order[AT_MOST_DIMS];
  bool taken[AT_MOST_DIMS] = {false}, filled[AT_MOST_DIMS] = {false};
  if (source.count != destination.count || source.count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "source has %d dimensions, destination %d", source.count,
             destination.count);
  for (int i = 0; i < source.count; i++) {
    const int from = at_wrapDim(source.data[i], dims), to = at_wrapDim(destination.data[i], dims);
    if (taken[from] || filled[to])
      at_raise(AT_ERROR_ARGUMENT, "dimension %d is moved twice, or %d filled twice", from, to);
    taken[from] = filled[to] = true;
    order[to] = from;
  }
  for (int to = 0, from = 0; to < dims; to++) {
    if (filled[to])
      continue;
    while (taken[from])
      from++;
    order[to] = from++;
  }
  return at_viewPermute(self, (at_ints){order, dims});
}

at_tensor *at_viewUnflattened(at_tensor *self, int64_t dim, at_ints sizes)
{
  const at_ints own = at_sizesOf(self);
  const int d = at_wrapDim(dim, own.count), count = own.count - 1 + sizes.count;
  int64_t buffer[AT_MOST_DIMS], known = 1;
  if (sizes.count == 0 || own.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "sizes is empty, or self has no dimensions");
  at_checkDims(count);
  int unknown = -1;
  for (int i = 0; i < sizes.count; i++) {
    buffer[d + i] = sizes.data[i];
    if (sizes.data[i] == -1 && unknown < 0)
      unknown = d + i;
    else if (sizes.data[i] < 0 || __builtin_mul_overflow(known, sizes.data[i], &known))
      at_raise(AT_ERROR_ARGUMENT, "sizes (%s) is no shape", at_sizeDesc(sizes).str);
  }
  if (unknown >= 0 && known > 0)
    buffer[unknown] = own.data[d] / known;
  if (unknown >= 0 ? known == 0 || own.data[d] % known != 0 : known != own.data[d])
    at_raise(AT_ERROR_ARGUMENT, "sizes (%s) does not fit dimension %d of size %lld",
             at_sizeDesc(sizes).str, d, (long long)own.data[d]);
  for (int e = 0; e < own.count; e++)
    if (e != d)
      buffer[e < d ? e : e - 1 + sizes.count] = own.data[e];
  return at_viewAs(self, (at_ints){buffer, count});
}

at_tensor *at_viewDiagonal(at_tensor *self, int64_t offset, int64_t dim1, int64_t dim2)
{
  const at_ints own = at_sizesOf(self);
  int64_t size[AT_MOST_DIMS], stride[AT_MOST_DIMS];
  int count = 0;
  if (own.count < 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have 2 dimensions or more",
             at_sizeDesc(own).str);
  const int a = at_wrapDim(dim1, own.count), b = at_wrapDim(dim2, own.count);
  if (a == b)
    at_raise(AT_ERROR_ARGUMENT, "dim1 and dim2 both name dimension %d", a);
  for (int d = 0; d < own.count; d++)
    if (d != a && d != b) {
      size[count] = own.data[d];
      stride[count++] = self->th->stride[d];
    }
  const int64_t rows = own.data[a], columns = own.data[b];
  const int64_t row = offset < 0 ? (offset < -rows ? rows : -offset) : 0;
  const int64_t column = offset > 0 ? THMin(offset, columns) : 0;
  size[count] = THMin(rows - row, columns - column);
  stride[count] = self->th->stride[a] + self->th->stride[b];
  const ptrdiff_t begin =
      size[count] > 0 ? row * self->th->stride[a] + column * self->th->stride[b] : 0;
  const at_ints sizes = {size, count + 1};
  return at_family_see(self, at_newView(self, self->th->storageOffset + begin, sizes, stride));
}

at_tensor *at_diagonalsOf(at_tensor *out, at_tensor *self, int64_t offset, int64_t dim1,
                          int64_t dim2)
{
  const at_ints own = at_sizesOf(self);
  int64_t size[AT_MOST_DIMS], length;
  const int count = own.count + 1;
  if (own.count < 1)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions, and the last one becomes diagonals");
  at_checkDims(count);
  const int a = at_wrapDim(dim1, count), b = at_wrapDim(dim2, count);
  if (a == b)
    at_raise(AT_ERROR_ARGUMENT, "dim1 and dim2 both name dimension %d", a);
  const int64_t away = offset < 0 ? -(uint64_t)offset : offset;
  if (away < 0 || __builtin_add_overflow(own.data[own.count - 1], away, &length))
    at_raise(AT_ERROR_ARGUMENT, "offset is %lld", (long long)offset);
  for (int d = 0, e = 0; d < count; d++)
    size[d] = d == a || d == b ? length : own.data[e++];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made =
      at_hold(&pool, at_makeFilled(self->type, (at_ints){size, count}, at_scalar_long(0)));
  at_tensor *const diagonal = at_hold(&pool, at_viewDiagonal(made, offset, a, b));
  if (at_numel(self) > 0)
    at_convert(diagonal, self);
  return at_finishOne(&pool, out, made);
}

at_tensor *at_diagonalFlat(at_tensor *self, int64_t offset)
{
  const int64_t all = at_numel(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const flat = at_hold(&pool, at_reshaped(self, (at_ints){&all, 1}));
  at_tensor *const r = at_diagonalsOf(NULL, flat, offset, 0, 1);
  at_pool_leave(&pool);
  return r;
}

/* t with at least dims dimensions: of three the last is added behind, all others in front. */
at_tensor *at_viewAtLeast(at_tensor *self, int dims)
{
  const at_ints own = at_sizesOf(self);
  int64_t buffer[3] = {1, 1, 1};
  if (own.count >= dims)
    return at_newAlias(self);
  const int first = dims == 1 || own.count == 0 ? 0 : dims == 2 ? 1 : own.count == 1;
  for (int d = 0; d < own.count; d++)
    buffer[first + d] = own.data[d];
  return at_viewAs(self, (at_ints){buffer, dims});
}

/* --- lists ------------------------------------------------------------------------------------ */

const at_tensors *at_broadcastAll(at_tensors tensors)
{
  int64_t buffer[AT_MOST_DIMS], last[AT_MOST_DIMS];
  at_ints sizes = {buffer, 0};
  for (int i = 0; i < tensors.count; i++) {
    const at_ints both[] = {sizes, at_sizesOf(tensors.data[i])};
    const at_ints wider = at_broadcastSizes(2, both, last);
    memcpy(buffer, last, (size_t)wider.count * sizeof *buffer);
    sizes.count = wider.count;
  }
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  at_tensors *const list = guard.what = at_newList(tensors.count);
  for (int i = 0; i < tensors.count; i++)
    ((at_tensor **)list->data)[i] = at_newExpanded(tensors.data[i], sizes);
  return THGuard_keep(&guard);
}

/* Tensor i of a mesh: its elements along dimension i, the first two exchanged by "xy". */
static at_tensor *mesh(at_tensors tensors, int i, at_ints sizes, bool swaps)
{
  int64_t one_each[AT_MOST_DIMS];
  const int d = swaps && i < 2 ? 1 - i : i;
  for (int e = 0; e < sizes.count; e++)
    one_each[e] = e == d ? sizes.data[e] : 1;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const line =
      at_hold(&pool, at_viewAs(tensors.data[i], (at_ints){one_each, sizes.count}));
  at_tensor *const r = at_newExpanded(line, sizes);
  at_pool_leave(&pool);
  return r;
}

const at_tensors *at_meshOf(at_tensors tensors, const char *indexing)
{
  int64_t buffer[AT_MOST_DIMS];
  const bool swaps = !strcmp(indexing, "xy") && tensors.count > 1;
  if (strcmp(indexing, "xy") && strcmp(indexing, "ij"))
    at_raise(AT_ERROR_ARGUMENT, "indexing is \"%s\", and has to be \"ij\" or \"xy\"", indexing);
  if (tensors.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "tensors is empty");
  at_checkDims(tensors.count);
  for (int i = 0; i < tensors.count; i++) {
    if (at_sizesOf(tensors.data[i]).count > 1 || tensors.data[i]->type != tensors.data[0]->type)
      at_raise(AT_ERROR_ARGUMENT,
               "tensors[%d] is of %s and of size (%s), and has to be a vector of "
               "%s",
               i, at_scalarTypeName(tensors.data[i]->type->scalarType),
               at_sizeDesc(at_sizesOf(tensors.data[i])).str,
               at_scalarTypeName(tensors.data[0]->type->scalarType));
    buffer[swaps && i < 2 ? 1 - i : i] = at_numel(tensors.data[i]);
  }
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  at_tensors *const list = guard.what = at_newList(tensors.count);
  for (int i = 0; i < tensors.count; i++)
    ((at_tensor **)list->data)[i] = mesh(tensors, i, (at_ints){buffer, tensors.count}, swaps);
  return THGuard_keep(&guard);
}

at_tensor *at_joinedAtLeast(at_tensor *out, at_tensors tensors, int dims, int dim, bool columns)
{
  if (tensors.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "tensors is empty");
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  at_tensors *const list = guard.what = at_newList(tensors.count);
  for (int i = 0; i < tensors.count; i++) {
    at_tensor *const t = tensors.data[i];
    const int64_t column[] = {at_numel(t), 1};
    ((at_tensor **)list->data)[i] = columns && at_sizesOf(t).count < 2
                                        ? at_reshaped(t, (at_ints){column, 2})
                                        : at_viewAtLeast(t, dims);
  }
  /* hstack joins vectors along their only dimension */
  const int along = dims == 1 && at_sizesOf(list->data[0]).count == 1 ? 0 : dim;
  at_tensor *const r = at_joined(out, *list, along);
  THGuard_leave(&guard);
  return r;
}

enum { MOST_SECTIONS = 1 << 20 };

const at_tensors *at_sections(at_tensor *self, int64_t sections, int64_t dim)
{
  if (self->isScalar)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions");
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  if (sections < 1 || sections > MOST_SECTIONS)
    at_raise(AT_ERROR_ARGUMENT, "sections is %lld, and has to be from 1 to %d", (long long)sections,
             MOST_SECTIONS);
  const int64_t size = at_sizesOf(self).data[d], each = size / sections, longer = size % sections;
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  at_tensors *const list = guard.what = at_newList((int)sections);
  int64_t at = 0;
  for (int i = 0; i < list->count; i++) {
    const int64_t length = each + (i < longer);
    ((at_tensor **)list->data)[i] = at_viewNarrow(self, d, at, length);
    at += length;
  }
  return THGuard_keep(&guard);
}

const at_tensors *at_sectionsAt(at_tensor *self, at_ints indices, int64_t dim)
{
  if (self->isScalar)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions");
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_list_release);
  at_tensors *const list = guard.what = at_newList(indices.count + 1);
  for (int i = 0; i <= indices.count; i++) {
    const int64_t start = i == 0 ? 0 : indices.data[i - 1];
    const int64_t end = i == indices.count ? INT64_MAX : indices.data[i];
    ((at_tensor **)list->data)[i] = at_viewSlice(self, d, start, end, 1);
  }
  return THGuard_keep(&guard);
}

int at_dimToSplit(const at_tensor *self, int which, int64_t sections)
{
  static const int least[] = {1, 2, 3};
  const at_ints own = at_sizesOf(self);
  const int d = which == 0 ? (own.count > 1 ? 1 : 0) : which == 1 ? 0 : 2;
  if (own.count < least[which])
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have %d dimensions or more",
             at_sizeDesc(own).str, least[which]);
  if (sections != AT_NONE && (sections < 1 || own.data[d] % sections != 0))
    at_raise(AT_ERROR_ARGUMENT, "dimension %d of size %lld is not divided into %lld sections", d,
             (long long)own.data[d], (long long)sections);
  return d;
}

/* --- scattering ------------------------------------------------------------------------------- */

static void check_fits(const at_tensor *src, const at_tensor *view)
{
  if (!at_sameSizes(at_sizesOf(src), at_sizesOf(view)))
    at_raise(AT_ERROR_ARGUMENT, "src has size (%s), and has to have (%s)",
             at_sizeDesc(at_sizesOf(src)).str, at_sizeDesc(at_sizesOf(view)).str);
}

/* Ends a scattering: copies src to the view of made. */
static at_tensor *scatter_to(at_pool *pool, at_tensor *out, at_tensor *made, at_tensor *view,
                             at_tensor *src)
{
  at_hold(pool, view);
  check_fits(src, view);
  if (at_numel(src) > 0)
    at_convert(view, src);
  return at_finishOne(pool, out, made);
}

at_tensor *at_scatterSelect(at_tensor *out, at_tensor *self, at_tensor *src, int64_t dim,
                            int64_t index)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_newCast(self, self->type));
  return scatter_to(&pool, out, made, at_viewSelect(made, dim, index), src);
}

at_tensor *at_scatterSlice(at_tensor *out, at_tensor *self, at_tensor *src, int64_t dim,
                           int64_t start, int64_t end, int64_t step)
{
  const int64_t first = start == AT_NONE ? 0 : start, last = end == AT_NONE ? INT64_MAX : end;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_newCast(self, self->type));
  return scatter_to(&pool, out, made, at_viewSlice(made, dim, first, last, step), src);
}

at_tensor *at_scatterDiagonal(at_tensor *out, at_tensor *self, at_tensor *src, int64_t offset,
                              int64_t dim1, int64_t dim2)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_newCast(self, self->type));
  return scatter_to(&pool, out, made, at_viewDiagonal(made, offset, dim1, dim2), src);
}

at_tensor *at_copyLike(at_tensor *self, at_tensor *src)
{
  at_checkBroadcast(src, at_sizesOf(self));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const wide = at_hold(&pool, at_newExpanded(src, at_sizesOf(self)));
  at_tensor *const r = at_newCast(wide, self->type);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_filledBy(at_tensor *out, at_tensor *self, at_tensor *value)
{
  const bool isComplex =
      at_isComplex(self->type->scalarType) && at_isComplex(value->type->scalarType);
  const bool isOnDevice = !at_isOnHost(self->type) && !at_isOnHost(value->type);
  if ((isComplex && at_numel(value) == 1) || (isOnDevice && value->isScalar)) {
    at_tensor *const one = at_copyLike(self, value);
    if (!out)
      return one;
    at_pool pool;
    at_pool_enter(&pool);
    at_convert(out, at_hold(&pool, one));
    at_pool_leave(&pool);
    return out;
  }
  const at_scalar number = at_numberIn(value);
  return out ? at_fillWith(out, number) : at_filledLike(self, NULL, number);
}

/* --- indices ---------------------------------------------------------------------------------- */

/* The rows of a matrix, where the lower triangle up to a diagonal begins to have columns (begin), and
 * where it has all (full): row i has i + shift of them between. */
typedef struct {
  int64_t row, col, shift, begin, full;
} Triangle;

static int64_t columns_below(const Triangle *t, int64_t i)
{
  return i < t->begin ? 0 : i >= t->full ? t->col : i + t->shift;
}

/* The number of elements of the lower triangle, at most row * col. */
static int64_t count_below(const Triangle *t)
{
  const uint64_t between = t->full - t->begin; /* columns grow by one in these rows */
  const uint64_t twice = between * (uint64_t)(2 * t->shift + t->begin + t->full - 1);
  return (int64_t)(twice / 2) + (t->row - t->full) * t->col;
}

/* Stores the indices of one triangle. */
static void list_triangle(const Triangle *t, bool upper, int64_t *rows, int64_t *columns)
{
  int64_t at = 0;
  for (int64_t i = upper ? 0 : t->begin; i < (upper ? t->full : t->row); i++) {
    const int64_t below = columns_below(t, i);
    for (int64_t j = upper ? below : 0; j < (upper ? t->col : below); j++, at++) {
      rows[at] = i;
      columns[at] = j;
    }
  }
}

at_tensor *at_triangleIndices(const at_type *type, int64_t row, int64_t col, int64_t offset,
                              bool upper)
{
  int64_t total;
  if (row < 0 || col < 0 || __builtin_mul_overflow(row, col, &total))
    at_raise(AT_ERROR_ARGUMENT, "row is %lld and col %lld", (long long)row, (long long)col);
  type = type ? type : at_getType(AT_BACKEND_CPU, AT_LONG);
  if (type->scalarType != AT_LONG && type->scalarType != AT_INT)
    at_raise(AT_ERROR_TYPE, "type is %s, and has to be Long or Int", type->name);
  Triangle t = {row, col, THMin(THMax(offset, -row - 1), col + 1) + !upper, 0, 0};
  t.begin = THMin(THMax(-t.shift, 0), row);
  t.full = THMin(THMax(col - t.shift, 0), row);
  const int64_t below = count_below(&t), sizes[] = {2, upper ? total - below : below};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made =
      at_hold(&pool, at_newShape(at_toScalarType(at_hostType(type), AT_LONG), (at_ints){sizes, 2}));
  if (sizes[1] > 0)
    list_triangle(&t, upper, at_hostData(made), (int64_t *)at_hostData(made) + sizes[1]);
  return at_finishOne(&pool, NULL, at_cast(&pool, made, type));
}

at_tensor *at_oneHot(at_tensor *self, int64_t num_classes)
{
  const at_ints own = at_sizesOf(self);
  int64_t buffer[AT_MOST_DIMS], outside;
  if (self->type->scalarType != AT_LONG)
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be of Long",
             at_scalarTypeName(self->type->scalarType));
  if (num_classes < -1 || num_classes == 0 || (num_classes == -1 && at_numel(self) == 0))
    at_raise(AT_ERROR_ARGUMENT, "num_classes is %lld, self has size (%s)", (long long)num_classes,
             at_sizeDesc(own).str);
  at_checkDims(own.count + 1);
  if (num_classes == -1)
    num_classes = AT_OF(self->type, maxall)(self->th).value.integer + 1;
  if (at_findOutside(self, 0, num_classes, &outside))
    at_raise(AT_ERROR_ARGUMENT, "self has the class %lld, and there are %lld", (long long)outside,
             (long long)num_classes);
  for (int d = 0; d < own.count; d++)
    buffer[d] = own.data[d];
  buffer[own.count] = num_classes;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_makeFilled(self->type, (at_ints){buffer, own.count + 1},
                                                       at_scalar_long(0)));
  at_tensor *const index = at_hold(&pool, at_viewUnsqueeze(self, -1));
  if (at_numel(self) > 0)
    at_scatterFill(made, made, -1, index, one);
  return at_pool_keep(&pool, made);
}

/* --- pixels and channels ---------------------------------------------------------------------- */

/* t as sizes, permuted, and reshaped to result, as a tensor of its own. */
static at_tensor *shuffled(at_tensor *t, at_ints sizes, at_ints order, at_ints result)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_hold(&pool, at_reshaped(t, sizes));
  r = at_hold(&pool, at_viewPermute(r, order));
  r = at_hold(&pool, at_newCast(r, r->type));
  return at_pool_keep(&pool, at_hold(&pool, at_viewAs(r, result)));
}

/* The dimensions before the last count, as given. */
static int copy_batch(const at_tensor *self, int count, int64_t *a, int64_t *order, int64_t *b)
{
  const at_ints own = at_sizesOf(self);
  const int batch = own.count - count;
  if (batch < 0 || own.count + count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have %d dimensions or more",
             at_sizeDesc(own).str, count);
  for (int d = 0; d < batch; d++) {
    a[d] = b[d] = own.data[d];
    order[d] = d;
  }
  return batch;
}

at_tensor *at_shuffledToSpace(at_tensor *self, int64_t factor)
{
  int64_t a[AT_MOST_DIMS], order[AT_MOST_DIMS], b[AT_MOST_DIMS], square, height, width;
  const int n = copy_batch(self, 3, a, order, b);
  const int64_t *const own = at_sizesOf(self).data + n;
  if (factor < 1 || __builtin_mul_overflow(factor, factor, &square) || own[0] % square != 0 ||
      __builtin_mul_overflow(own[1], factor, &height) ||
      __builtin_mul_overflow(own[2], factor, &width))
    at_raise(AT_ERROR_ARGUMENT, "upscale_factor is %lld, self has size (%s)", (long long)factor,
             at_sizeDesc(at_sizesOf(self)).str);
  const int64_t from[] = {own[0] / square, factor, factor, own[1], own[2]};
  const int64_t moved[] = {0, 3, 1, 4, 2}, to[] = {own[0] / square, height, width};
  for (int d = 0; d < 5; d++) {
    a[n + d] = from[d];
    order[n + d] = n + moved[d];
  }
  memcpy(b + n, to, sizeof to);
  return shuffled(self, (at_ints){a, n + 5}, (at_ints){order, n + 5}, (at_ints){b, n + 3});
}

at_tensor *at_shuffledToDepth(at_tensor *self, int64_t factor)
{
  int64_t a[AT_MOST_DIMS], order[AT_MOST_DIMS], b[AT_MOST_DIMS], planes;
  const int n = copy_batch(self, 3, a, order, b);
  const int64_t *const own = at_sizesOf(self).data + n;
  if (factor < 1 || own[1] % factor != 0 || own[2] % factor != 0 ||
      __builtin_mul_overflow(own[0], factor, &planes) ||
      __builtin_mul_overflow(planes, factor, &planes))
    at_raise(AT_ERROR_ARGUMENT, "downscale_factor is %lld, self has size (%s)", (long long)factor,
             at_sizeDesc(at_sizesOf(self)).str);
  const int64_t from[] = {own[0], own[1] / factor, factor, own[2] / factor, factor};
  const int64_t moved[] = {0, 2, 4, 1, 3}, to[] = {planes, from[1], from[3]};
  for (int d = 0; d < 5; d++) {
    a[n + d] = from[d];
    order[n + d] = n + moved[d];
  }
  memcpy(b + n, to, sizeof to);
  return shuffled(self, (at_ints){a, n + 5}, (at_ints){order, n + 5}, (at_ints){b, n + 3});
}

at_tensor *at_shuffledChannels(at_tensor *self, int64_t groups)
{
  const at_ints own = at_sizesOf(self);
  int64_t rest = 1;
  if (own.count < 3 || groups < 1 || own.data[1] % groups != 0)
    at_raise(AT_ERROR_ARGUMENT, "groups is %lld, self has size (%s): its channels are divided",
             (long long)groups, at_sizeDesc(own).str);
  for (int d = 2; d < own.count; d++)
    rest *= own.data[d];
  const int64_t from[] = {own.data[0], groups, own.data[1] / groups, rest};
  const int64_t order[] = {0, 2, 1, 3};
  return shuffled(self, (at_ints){from, 4}, (at_ints){order, 4}, own);
}
