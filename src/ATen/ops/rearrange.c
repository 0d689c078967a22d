/* Padding, rolling, flipping and repeating. */
#include "rearrange.h"

#include <string.h>

#include "ATen/core/ATenOperations.h"

static const at_scalar one = {.value.integer = 1};

/* --- indices ---------------------------------------------------------------------------------- */

/* The indices of a dimension, on the host, to be stored by the caller. */
static at_tensor *new_indices(at_pool *pool, const at_tensor *like, int64_t count)
{
  const at_type *type = at_toScalarType(at_hostType(like->type), AT_LONG);
  return at_hold(pool, at_newShape(type, (at_ints){&count, 1}));
}

/* The slices of t along dim that the indices name. */
static at_tensor *picked(at_pool *pool, at_tensor *t, int dim, at_tensor *indices)
{
  indices = at_cast(pool, indices, at_toScalarType(t->type, AT_LONG));
  return at_hold(pool, at_indexSelect(NULL, t, dim, indices));
}

/* Ends a function whose result the guard holds. */
static at_tensor *finish(THGuard *held, at_tensor *out)
{
  at_tensor *const r = out ? at_deliver(out, held->what) : at_retain(held->what);
  THGuard_leave(held);
  return r;
}

/* --- padding ---------------------------------------------------------------------------------- */

/* The numbers before and after dimension d. */
static int64_t pad_of(at_ints pad, int dims, int d, int which)
{
  const int at = 2 * (dims - 1 - d) + which;
  return at < pad.count ? pad.data[at] : 0;
}

static void check_pad(const at_tensor *self, at_ints pad)
{
  const at_ints own = at_sizesOf(self);
  if (pad.count % 2 != 0 || pad.count / 2 > own.count)
    at_raise(AT_ERROR_ARGUMENT,
             "pad has %d numbers, and self of size (%s) takes pairs for up to %d", pad.count,
             at_sizeDesc(own).str, own.count);
}

static at_ints padded_sizes(const at_tensor *self, at_ints pad, int64_t *buffer)
{
  const at_ints own = at_sizesOf(self);
  for (int d = 0; d < own.count; d++) {
    const int64_t before = pad_of(pad, own.count, d, 0), after = pad_of(pad, own.count, d, 1);
    if (__builtin_add_overflow(own.data[d], before, &buffer[d]) ||
        __builtin_add_overflow(buffer[d], after, &buffer[d]) || buffer[d] < 0)
      at_raise(AT_ERROR_ARGUMENT, "dimension %d of self, of size (%s), is padded by %lld and %lld",
               d, at_sizeDesc(own).str, (long long)before, (long long)after);
  }
  return (at_ints){buffer, own.count};
}

/* The part of t that lies inside what is padded by these numbers, or if outer is false, the part of
 * what is padded that they do not cut off. */
static at_tensor *inside(at_pool *pool, at_tensor *t, at_ints pad, bool outer)
{
  const at_ints own = at_sizesOf(t);
  int64_t size[AT_MOST_DIMS];
  ptrdiff_t offset = t->th->storageOffset;
  bool isEmpty = false;
  for (int d = 0; d < own.count; d++) {
    const int64_t sign = outer ? 1 : -1;
    const int64_t before = THMax(sign * pad_of(pad, own.count, d, 0), 0);
    const int64_t after = THMax(sign * pad_of(pad, own.count, d, 1), 0);
    size[d] = THMax(own.data[d] - before - after, 0);
    isEmpty |= size[d] == 0;
    offset += before * t->th->stride[d];
  }
  return at_hold(pool, at_newView(t, isEmpty ? t->th->storageOffset : offset,
                                  (at_ints){size, own.count}, t->th->stride));
}

at_tensor *at_padConstant(at_tensor *out, at_tensor *self, at_ints pad, at_scalar value)
{
  int64_t buffer[AT_MOST_DIMS];
  check_pad(self, pad);
  const at_ints sizes = padded_sizes(self, pad, buffer);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_makeFilled(self->type, sizes, value));
  at_tensor *const from = inside(&pool, self, pad, false), *const to =
                                                               inside(&pool, made, pad, true);
  if (at_numel(from) > 0)
    at_convert(to, from);
  return at_finishOne(&pool, out, made);
}

typedef enum { REFLECT, REPLICATE, CIRCULAR, MODES } Mode;

/* The index in a dimension of that size of what stands at an index outside of it. */
static int64_t folded(Mode mode, int64_t i, int64_t size)
{
  if (mode == CIRCULAR)
    return i < 0 ? i + size : i >= size ? i - size : i;
  if (mode == REPLICATE)
    return THMin(THMax(i, 0), size - 1);
  return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
}

/* t padded in dimension d by what it holds. */
static at_tensor *pad_dim(at_tensor *t, int d, Mode mode, int64_t before, int64_t after)
{
  const int64_t size = t->th->size[d];
  const int64_t most = mode == REFLECT ? size - 1 : mode == CIRCULAR ? size : INT64_MAX / 4;
  if (before > most || after > most || before < -size || after < -size ||
      size + before + after < 1 || size == 0)
    at_raise(AT_ERROR_ARGUMENT,
             "dimension %d of self has size %lld, and is padded by %lld and %lld", d,
             (long long)size, (long long)before, (long long)after);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const indices = new_indices(&pool, t, size + before + after);
  int64_t *const at = at_hostData(indices);
  /* What is cut off does not come back at the other end. */
  const int64_t first = mode == CIRCULAR ? THMax(-before, 0) : 0;
  const int64_t whole = mode == CIRCULAR ? size - first - THMax(-after, 0) : size;
  for (int64_t i = 0; i < size + before + after; i++)
    at[i] = first + folded(mode, i - before - first, whole);
  return at_pool_keep(&pool, picked(&pool, t, d, indices));
}

/* Padding by what self holds, of its last dimensions. */
static at_tensor *pad_around(at_tensor *out, at_tensor *self, at_ints pad, Mode mode)
{
  const int dims = at_sizesOf(self).count, padded = pad.count / 2;
  check_pad(self, pad);
  if (padded < 1 || padded > 3 || dims < padded + 1 || dims > padded + 2)
    at_raise(AT_ERROR_ARGUMENT,
             "pad has %d numbers for self of size (%s), and is possible for the "
             "last 1 to 3 dimensions behind one or two others",
             pad.count, at_sizeDesc(at_sizesOf(self)).str);
  THGuard held;
  at_guard(&held);
  held.what = at_retain(self);
  for (int d = dims - padded; d < dims; d++)
    at_replaceHeld(&held,
                   pad_dim(held.what, d, mode, pad_of(pad, dims, d, 0), pad_of(pad, dims, d, 1)));
  return finish(&held, out);
}

at_tensor *at_padBy(at_tensor *self, at_ints pad, const char *mode, at_scalar value)
{
  static const char *const names[MODES] = {"reflect", "replicate", "circular"};
  if (!strcmp(mode, "constant"))
    return at_padConstant(NULL, self, pad, value.is_none ? at_scalar_long(0) : value);
  for (int i = 0; i < MODES; i++)
    if (!strcmp(mode, names[i]) && !value.is_none && at_scalar_toDouble(value) != 0)
      at_raise(AT_ERROR_ARGUMENT, "value is %g, for mode \"%s\", which has none",
               at_scalar_toDouble(value), mode);
    else if (!strcmp(mode, names[i]))
      return pad_around(NULL, self, pad, (Mode)i);
  at_raise(AT_ERROR_ARGUMENT,
           "mode is \"%s\", and has to be \"constant\", \"reflect\", "
           "\"replicate\" or \"circular\"",
           mode);
}

at_tensor *at_padReflected(at_tensor *out, at_tensor *self, at_ints pad)
{
  int64_t buffer[6];
  if (pad.count != 1 && pad.count != 6)
    at_raise(AT_ERROR_ARGUMENT, "padding has %d numbers, and has to have 6", pad.count);
  return pad_around(out, self, at_intsOr(pad, 6, AT_NONE, buffer), REFLECT);
}

/* --- rolling and flipping --------------------------------------------------------------------- */

/* A copy of t with its elements moved by shift along dimension d. */
static at_tensor *roll_dim(at_tensor *t, int d, int64_t shift)
{
  const int64_t size = t->th->size[d];
  const int64_t by = size > 0 ? (shift % size + size) % size : 0;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_newShape(t->type, at_sizesOf(t)));
  for (int part = 0; part < 2; part++) {
    const int64_t length = part ? by : size - by;
    at_tensor *const to = at_hold(&pool, at_viewNarrow(made, d, part ? 0 : by, length));
    at_tensor *const from = at_hold(&pool, at_viewNarrow(t, d, part ? size - by : 0, length));
    if (at_numel(from) > 0)
      at_convert(to, from);
  }
  return at_pool_keep(&pool, made);
}

/* All elements rolled as a vector. */
static at_tensor *roll_flat(at_tensor *t, int64_t shift)
{
  const int64_t all = at_numel(t);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const flat = at_hold(&pool, at_reshaped(t, (at_ints){&all, 1}));
  at_tensor *const rolled = at_hold(&pool, roll_dim(flat, 0, shift));
  return at_pool_keep(&pool, at_hold(&pool, at_viewAs(rolled, at_sizesOf(t))));
}

at_tensor *at_rolled(at_tensor *out, at_tensor *self, at_ints shifts, at_ints dims)
{
  const int count = at_sizesOf(self).count;
  const bool isFlat = dims.count == 0 && shifts.count == 1;
  if (shifts.count == 0 || (!isFlat && shifts.count != dims.count))
    at_raise(AT_ERROR_ARGUMENT, "shifts has %d numbers, dims %d", shifts.count, dims.count);
  if (!isFlat && self->isScalar)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions, and dims names one");
  THGuard held;
  at_guard(&held);
  held.what = isFlat ? roll_flat(self, shifts.data[0]) : at_retain(self);
  for (int i = 0; i < dims.count; i++)
    at_replaceHeld(&held, roll_dim(held.what, at_wrapDim(dims.data[i], count), shifts.data[i]));
  return finish(&held, out);
}

static at_tensor *flip_dim(at_tensor *t, int d)
{
  const int64_t size = t->th->size[d];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const indices = new_indices(&pool, t, size);
  for (int64_t i = 0; i < size; i++)
    ((int64_t *)at_hostData(indices))[i] = size - 1 - i;
  return at_pool_keep(&pool, picked(&pool, t, d, indices));
}

at_tensor *at_flipped(at_tensor *out, at_tensor *self, at_ints dims)
{
  const at_ints own = at_sizesOf(self);
  bool flips[AT_MOST_DIMS] = {false};
  for (int i = 0; i < dims.count; i++) {
    const int d = at_wrapDim(dims.data[i], own.count);
    if (flips[d])
      at_raise(AT_ERROR_ARGUMENT, "dims names dimension %d twice", d);
    flips[d] = true;
  }
  THGuard held;
  at_guard(&held);
  held.what = at_retain(self);
  for (int d = 0; d < own.count; d++)
    if (flips[d] && own.data[d] > 1)
      at_replaceHeld(&held, flip_dim(held.what, d));
  if (held.what == self)
    at_replaceHeld(&held, at_newCast(self, self->type));
  return finish(&held, out);
}

at_tensor *at_flipAlong(at_tensor *out, at_tensor *self, int64_t dim)
{
  if (at_sizesOf(self).count <= dim)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and no dimension %lld",
             at_sizeDesc(at_sizesOf(self)).str, (long long)dim);
  return at_flipped(out, self, (at_ints){&dim, 1});
}

at_tensor *at_rotated(at_tensor *out, at_tensor *self, int64_t k, at_ints dims)
{
  const int64_t usual[] = {0, 1};
  const int count = at_sizesOf(self).count;
  dims = dims.count == 0 ? (at_ints){usual, 2} : dims;
  if (count < 2 || dims.count != 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s) and dims %d numbers: two dimensions are turned",
             at_sizeDesc(at_sizesOf(self)).str, dims.count);
  const int64_t a = at_wrapDim(dims.data[0], count), b = at_wrapDim(dims.data[1], count);
  if (a == b)
    at_raise(AT_ERROR_ARGUMENT, "dims names dimension %lld twice", (long long)a);
  const int turns = (int)((k % 4 + 4) % 4);
  const int64_t both[] = {a, b}, *const flips = turns == 3 ? &both[0] : &both[1];
  at_pool pool;
  at_pool_enter(&pool);
  if (turns == 0)
    return at_finishOne(&pool, out, at_hold(&pool, at_newCast(self, self->type)));
  at_tensor *const t =
      at_hold(&pool, at_flipped(NULL, self, turns == 2 ? (at_ints){both, 2} : (at_ints){flips, 1}));
  at_tensor *const r = turns == 2 ? t : at_hold(&pool, at_viewTranspose(t, a, b));
  return at_finishOne(&pool, out, at_hold(&pool, at_newCast(r, r->type)));
}

/* --- repeating -------------------------------------------------------------------------------- */

at_tensor *at_tiled(at_tensor *self, at_ints dims)
{
  int64_t buffer[AT_MOST_DIMS];
  const int count = THMax(dims.count, at_sizesOf(self).count), missing = count - dims.count;
  at_checkDims(count);
  for (int d = 0; d < count; d++)
    buffer[d] = d < missing ? 1 : dims.data[d - missing];
  return at_repeated(self, (at_ints){buffer, count});
}

/* A copy of the vector of repeats on the host, in Long; stores their sum. */
static const int64_t *repeats_of(at_pool *pool, at_tensor *repeats, int64_t *sum)
{
  if (at_sizesOf(repeats).count > 1 || !at_isIndex(repeats))
    at_raise(AT_ERROR_ARGUMENT,
             "repeats is of %s and of size (%s), and has to be a vector of Long "
             "or Int",
             at_scalarTypeName(repeats->type->scalarType), at_sizeDesc(at_sizesOf(repeats)).str);
  at_tensor *const longs =
      at_cast(pool, repeats, at_toScalarType(at_hostType(repeats->type), AT_LONG));
  const int64_t *const each = at_hostData(at_hold(pool, at_makeContiguous(longs)));
  *sum = 0;
  for (int64_t i = 0; i < at_numel(repeats); i++)
    if (each[i] < 0 || __builtin_add_overflow(*sum, each[i], sum))
      at_raise(AT_ERROR_ARGUMENT, "repeats has %lld at index %lld", (long long)each[i],
               (long long)i);
  return each;
}

static void check_output(int64_t output_size, int64_t sum)
{
  if (output_size != AT_NONE && output_size != sum)
    at_raise(AT_ERROR_ARGUMENT, "output_size is %lld, and the repeats sum to %lld",
             (long long)output_size, (long long)sum);
}

/* Each index of 0 ... n - 1 as often as each says, or as all says if each is NULL. */
static at_tensor *indices_of(at_pool *pool, const at_tensor *like, int64_t n, const int64_t *each,
                             int64_t all, int64_t sum)
{
  at_tensor *const indices = new_indices(pool, like, sum);
  int64_t *at = at_hostData(indices);
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = each ? each[i] : all; k > 0; k--)
      *at++ = i;
  return indices;
}

/* self as it is repeated along *dim: flat, if no dimension is given. */
static at_tensor *to_repeat(at_pool *pool, at_tensor *self, int64_t *dim)
{
  const int64_t all = at_numel(self);
  if (*dim != AT_NONE && !self->isScalar) {
    *dim = at_wrapDim(*dim, at_sizesOf(self).count);
    return self;
  }
  if (*dim != AT_NONE)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions, and dim is %lld", (long long)*dim);
  *dim = 0;
  return at_hold(pool, at_reshaped(self, (at_ints){&all, 1}));
}

at_tensor *at_repeatedEach(at_tensor *self, int64_t repeats, int64_t dim, int64_t output_size)
{
  int64_t sum;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const t = to_repeat(&pool, self, &dim);
  const int64_t n = t->th->size[dim];
  if (repeats < 0 || __builtin_mul_overflow(n, repeats, &sum))
    at_raise(AT_ERROR_ARGUMENT, "repeats is %lld", (long long)repeats);
  check_output(output_size, sum);
  return at_pool_keep(&pool,
                      picked(&pool, t, (int)dim, indices_of(&pool, self, n, NULL, repeats, sum)));
}

at_tensor *at_repeatedBy(at_tensor *self, at_tensor *repeats, int64_t dim, int64_t output_size)
{
  int64_t sum;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const t = to_repeat(&pool, self, &dim);
  const int64_t n = t->th->size[dim], *each = repeats_of(&pool, repeats, &sum);
  const bool same = at_numel(repeats) == 1;
  if (!same && at_numel(repeats) != n)
    at_raise(AT_ERROR_ARGUMENT, "repeats has %lld elements, dimension %lld %lld",
             (long long)at_numel(repeats), (long long)dim, (long long)n);
  if (same && __builtin_mul_overflow(n, each[0], &sum))
    at_raise(AT_ERROR_ARGUMENT, "repeats is %lld", (long long)each[0]);
  check_output(output_size, sum);
  at_tensor *const indices =
      indices_of(&pool, self, n, same ? NULL : each, each ? each[0] : 0, sum);
  return at_pool_keep(&pool, picked(&pool, t, (int)dim, indices));
}

at_tensor *at_repeatIndices(at_tensor *repeats, int64_t output_size)
{
  int64_t sum;
  at_pool pool;
  at_pool_enter(&pool);
  if (at_sizesOf(repeats).count != 1)
    at_raise(AT_ERROR_ARGUMENT, "repeats has size (%s), and has to be a vector",
             at_sizeDesc(at_sizesOf(repeats)).str);
  const int64_t *const each = repeats_of(&pool, repeats, &sum);
  check_output(output_size, sum);
  at_tensor *const indices = indices_of(&pool, repeats, at_numel(repeats), each, 0, sum);
  return at_finishOne(&pool, NULL, at_cast(&pool, indices, repeats->type));
}

/* --- differences and selections along a dimension --------------------------------------------- */

/* The differences of neighbors along d; of Bool whether they differ. */
static at_tensor *differences(at_pool *pool, at_tensor *t, int d)
{
  const int64_t size = t->th->size[d], less = THMax(size - 1, 0);
  at_tensor *const later = at_hold(pool, at_viewNarrow(t, d, THMin(size, 1), less));
  at_tensor *const sooner = at_hold(pool, at_viewNarrow(t, d, 0, less));
  if (t->type->scalarType == AT_BOOL)
    return at_hold(pool, at_logical(NULL, AT_ROW_cbitxor, later, sooner));
  return at_hold(pool, at_binary(NULL, AT_ROW_csub, later, sooner, one));
}

/* prepend, self and append joined, where they are given. */
static at_tensor *joined(at_tensor *prepend, at_tensor *self, at_tensor *append, int d)
{
  at_tensor *parts[3];
  int count = 0;
  at_tensor *const all[] = {prepend, self, append};
  for (int i = 0; i < 3; i++)
    if (all[i])
      parts[count++] = all[i];
  return count > 1 ? at_joined(NULL, (at_tensors){parts, count}, d) : at_retain(self);
}

at_tensor *at_difference(at_tensor *out, at_tensor *self, int64_t n, int64_t dim,
                         at_tensor *prepend, at_tensor *append)
{
  if (self->isScalar)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions, and there are no differences");
  if (n < 0)
    at_raise(AT_ERROR_ARGUMENT, "n is %lld, and has to be 0 or more", (long long)n);
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  THGuard held;
  at_guard(&held);
  held.what = n > 0 ? joined(prepend, self, append, d) : at_retain(self);
  const int64_t steps = THMin(n, ((at_tensor *)held.what)->th->size[d]);
  for (int64_t i = 0; i < steps; i++) {
    at_pool step;
    at_pool_enter(&step);
    at_replaceHeld(&held, at_pool_keep(&step, differences(&step, held.what, d)));
  }
  if (held.what == self)
    at_replaceHeld(&held, at_newCast(self, self->type));
  return finish(&held, out);
}

at_tensor *at_takenAlong(at_tensor *out, at_tensor *self, at_tensor *indices, int64_t dim)
{
  at_pool pool;
  at_pool_enter(&pool);
  if (indices->type->scalarType != AT_LONG)
    at_raise(AT_ERROR_TYPE, "indices is of %s, and has to be of Long",
             at_scalarTypeName(indices->type->scalarType));
  if (dim == AT_NONE) {
    const int64_t all = at_numel(self), wanted = at_numel(indices);
    at_tensor *const flat = at_hold(&pool, at_reshaped(self, (at_ints){&all, 1}));
    indices = at_hold(&pool, at_reshaped(indices, (at_ints){&wanted, 1}));
    at_tensor *const r = at_gathered(out, flat, 0, indices);
    at_pool_leave(&pool);
    return r;
  }
  const at_ints own = at_sizesOf(self), others = at_sizesOf(indices);
  int64_t buffer[AT_MOST_DIMS], sizes[2][AT_MOST_DIMS];
  if (own.count != others.count || own.count == 0)
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s) and indices (%s): as many dimensions are "
             "expected",
             at_sizeDesc(own).str, at_sizeDesc(others).str);
  const int d = at_wrapDim(dim, own.count);
  for (int e = 0; e < own.count; e++) {
    sizes[0][e] = e == d ? 1 : own.data[e];
    sizes[1][e] = e == d ? 1 : others.data[e];
  }
  const at_ints both[] = {{sizes[0], own.count}, {sizes[1], own.count}};
  const at_ints all = at_broadcastSizes(2, both, buffer);
  buffer[d] = own.data[d];
  self = at_hold(&pool, at_newExpanded(self, all));
  buffer[d] = others.data[d];
  indices = at_hold(&pool, at_newExpanded(indices, all));
  if (own.data[d] > 0) /* indices count modulo the size, as in PyTorch */
    indices = at_hold(&pool, at_binaryScalar(NULL, AT_ROW_remainder, indices,
                                             at_scalar_long(own.data[d]), at_scalar_long(1)));
  at_tensor *const r = at_gathered(out, self, d, indices);
  at_pool_leave(&pool);
  return r;
}
