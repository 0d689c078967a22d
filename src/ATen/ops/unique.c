/* The distinct elements of a tensor, or the distinct slices along a dimension.
 *
 * Equal elements are adjacent after sorting; integers of a small range are counted in a table
 * instead.  NaN is different from every element. */
#include "ATen/core/ATenOperations.h"
#include "unique.h"
#include "uniqueDevice.h"

static const at_unique_elements *elements_of(const at_type *type)
{
  switch (type->scalarType) {
    case AT_CHAR:
      return &at_uniqueElements_Char;
    case AT_SHORT:
      return &at_uniqueElements_Short;
    case AT_INT:
      return &at_uniqueElements_Int;
    case AT_LONG:
      return &at_uniqueElements_Long;
    case AT_FLOAT:
      return &at_uniqueElements_Float;
    case AT_DOUBLE:
      return &at_uniqueElements_Double;
    default: /* Bool's elements are Byte's */
      return &at_uniqueElements_Byte;
  }
}

/* --- results --------------------------------------------------------------------------------- */

/* The results: the distinct elements and, if wanted, the inverse (the number of the distinct
 * element that each element equals) and the counts. */
typedef struct {
  at_pool *pool;
  at_tensor *self, *made[3];
  const at_type *longType; /* on the host */
  bool wanted[3];
} Unique;

static at_tensor *vector(Unique *u, const at_type *type, int64_t n)
{
  return at_hold(u->pool, at_newShape(type, (at_ints){&n, 1}));
}

static int64_t *longs(at_tensor *t)
{
  return at_data(t);
}

/* Makes the inverse, of that size, if it is wanted. */
static int64_t *begin_inverse(Unique *u, at_ints sizes)
{
  if (u->wanted[1])
    u->made[1] = at_hold(u->pool, at_newShape(u->longType, sizes));
  return u->wanted[1] ? longs(u->made[1]) : NULL;
}

/* Writes the inverse and the counts for groups that begin at first.  order has the original indices
 * of the sorted elements, or is NULL if the elements are in their original order. */
static void write_groups(Unique *u, const int64_t *first, int64_t count, int64_t n,
                         const int64_t *order, int64_t *numbers)
{
  int64_t *counts = NULL;
  if (u->wanted[2]) {
    u->made[2] = vector(u, u->longType, count);
    counts = longs(u->made[2]);
  }
  for (int64_t g = 0; g < count; g++) {
    const int64_t end = g + 1 < count ? first[g + 1] : n;
    if (counts)
      counts[g] = end - first[g];
    for (int64_t i = first[g]; numbers && i < end; i++)
      numbers[order ? order[i] : i] = g;
  }
}

static void begin(Unique *u, at_pool *pool, at_tensor **out, const bool *wanted, at_tensor *self,
                  bool inverse, bool counts)
{
  *u = (Unique){.pool = pool,
                .self = self,
                .longType = at_toScalarType(at_hostType(self->type), AT_LONG),
                .wanted = {true, out[0] ? wanted[1] : inverse, out[0] ? wanted[2] : counts}};
  at_pool_enter(pool);
}

/* Converts results computed on the host in another type, and delivers them. */
static void end(Unique *u, at_tensor **out)
{
  const at_type *longType = at_toScalarType(u->self->type, AT_LONG);
  for (int i = 0; i < 3; i++)
    if (u->made[i])
      u->made[i] = at_cast(u->pool, u->made[i], i == 0 ? u->self->type : longType);
  at_layerEndAll(u->pool, 3, out, u->made);
}

/* Computes the results for rows on a device: x is n rows of any shape.  The distinct ones get the sizes of
 * x but for their number, or are a vector. */
static void run_on_device(Unique *u, at_tensor *x, bool sorted, int64_t n, bool isVector)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(x);
  const int64_t flat[] = {n, n > 0 ? at_numel(x) / n : 1};
  at_tensor *const rows = at_hold(u->pool, at_reshaped(x, (at_ints){flat, 2}));
  at_uniqueOnDevice(u->pool, rows, sorted, u->wanted[1], u->wanted[2], u->made);
  for (int d = 1; d < own.count; d++)
    buffer[d] = own.data[d];
  buffer[0] = at_sizesOf(u->made[0]).data[0];
  u->made[0] =
      at_hold(u->pool, at_reshaped(u->made[0], (at_ints){buffer, isVector ? 1 : own.count}));
}

/* --- elements -------------------------------------------------------------------------------- */

/* Finds distinct integers by a table of the range from least on. */
static void look_up(Unique *u, const at_unique_elements *of, at_tensor *x, int64_t least,
                    int64_t range)
{
  const int64_t n = at_numel(x);
  int64_t *const numbers = begin_inverse(u, at_sizesOf(u->self)), count = 0;
  at_tensor *table = vector(u, u->longType, range);
  int64_t *const there = memset(longs(table), 0, (size_t)range * sizeof *there);
  uint8_t *const marks = (uint8_t *)there;
  if (numbers || u->wanted[2])
    of->tally(there, at_data(x), n, least);
  else
    of->mark(marks, at_data(x), n, least);
  const bool tallied = numbers || u->wanted[2];
  for (int64_t v = 0; v < range; v++)
    count += tallied ? there[v] > 0 : marks[v];
  u->made[0] = vector(u, x->type, count);
  int64_t *counts = NULL;
  if (u->wanted[2]) {
    u->made[2] = vector(u, u->longType, count);
    counts = longs(u->made[2]);
  }
  count = 0;
  for (int64_t v = 0; v < range; v++) {
    if (!(tallied ? there[v] > 0 : marks[v]))
      continue;
    of->put(at_data(u->made[0]), count, (int64_t)((uint64_t)least + (uint64_t)v));
    if (counts)
      counts[count] = there[v];
    if (tallied)
      there[v] = count;
    count++;
  }
  if (numbers)
    of->look(numbers, at_data(x), n, least, there);
}

/* Whether elements are integers of a range so small that a table is faster than sorting. */
static bool is_dense(const at_tensor *x, int64_t *least, int64_t *range)
{
  enum { MAX_RANGE = 1 << 17, MIN_RANGE = 256 }; /* below MIN_RANGE a table always wins */
  const int64_t n = at_numel(x);
  if (at_isFloating(x->type->scalarType) || n == 0)
    return false;
  *least = AT_OF(x->type, minall)(x->th).value.integer;
  const uint64_t above = (uint64_t)AT_OF(x->type, maxall)(x->th).value.integer - (uint64_t)*least;
  *range = (int64_t)(above < MAX_RANGE ? above + 1 : 0);
  return above < MAX_RANGE && above < (uint64_t)THMax(MIN_RANGE, n);
}

void at_uniqueOf(at_tensor **out, const bool *wanted, bool sorted, at_tensor *self, bool inverse,
                 bool counts)
{
  static const int64_t all[] = {-1};
  Unique u;
  at_pool pool;
  begin(&u, &pool, out, wanted, self, inverse, counts);
  if (!at_isOnHost(self->type)) {
    run_on_device(&u, at_cast(&pool, self, at_computesIn(self->type)), sorted, at_numel(self),
                  true);
    if (u.made[1])
      u.made[1] = at_hold(&pool, at_reshaped(u.made[1], at_sizesOf(self)));
    end(&u, out);
    return;
  }
  const at_type *compute = at_computesIn(self->type);
  const at_type *type =
      compute->scalarType == AT_BOOL ? at_toScalarType(compute, AT_BYTE) : compute;
  const at_unique_elements *of = elements_of(type);
  const int64_t n = at_numel(self);
  at_tensor *x = at_hold(&pool, at_makeContiguous(at_cast(&pool, self, type)));
  x = at_hold(&pool, at_reshaped(x, (at_ints){all, 1}));
  int64_t least, range;
  if (sorted && is_dense(x, &least, &range)) {
    look_up(&u, of, x, least, range);
    end(&u, out);
    return;
  }
  int64_t *const numbers = begin_inverse(&u, at_sizesOf(self));
  at_tensor *values = vector(&u, type, n), *order = NULL, *first = NULL;
  const void *from = at_data(values);
  if (sorted && n > 0) {
    if (numbers)
      order = vector(&u, u.longType, n);
    AT_OF(type, sort)(values->th, order ? (void *)order->th : NULL, x->th, 0, 0);
  } else if (n > 0) {
    from = at_data(x);
  }
  if (numbers || u.wanted[2])
    first = vector(&u, u.longType, n);
  const int64_t count = of->groups(at_data(values), first ? longs(first) : NULL, from, n);
  if (count > n / 2)
    at_resizeTo(values, (at_ints){&count, 1});
  else /* a copy, so that the unused memory is released */
    values = at_hold(&pool, at_makeCopy(at_hold(&pool, at_viewNarrow(values, 0, 0, count)), NULL));
  u.made[0] = values;
  if (first)
    write_groups(&u, longs(first), count, n, order ? longs(order) : NULL, numbers);
  end(&u, out);
}

/* --- slices along a dimension ---------------------------------------------------------------- */

/* Contiguous rows of length elements, which take bytes bytes each. */
typedef struct {
  const at_unique_elements *of;
  const char *at;
  int64_t length;
  ptrdiff_t bytes;
} Rows;

static int compare_rows(const Rows *rows, int64_t a, int64_t b)
{
  return rows->of->compare(rows->at + a * rows->bytes, rows->at + b * rows->bytes, rows->length);
}

/* Sorts the indices of n rows by a merge sort, which is stable. */
static void sort_rows(const Rows *rows, int64_t *order, int64_t *spare, int64_t n)
{
  if (n < 2)
    return;
  const int64_t half = n / 2;
  sort_rows(rows, order, spare, half);
  sort_rows(rows, order + half, spare, n - half);
  memcpy(spare, order, (size_t)half * sizeof *order);
  int64_t a = 0, b = half, i = 0;
  while (a < half && b < n)
    order[i++] = compare_rows(rows, order[b], spare[a]) < 0 ? order[b++] : spare[a++];
  while (a < half)
    order[i++] = spare[a++];
}

void at_uniqueSlices(at_tensor **out, const bool *wanted, bool sorted, at_tensor *self, int64_t dim,
                     bool inverse, bool counts)
{
  const at_ints sizes = at_sizesOf(self);
  const int along = at_wrapDim(dim, sizes.count);
  if (sizes.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "self has no dimensions");
  const int64_t n = sizes.data[along];
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] == 0 && d != along)
      at_raise(AT_ERROR_ARGUMENT, "self has size (%s): slices along dimension %d have no elements",
               at_sizeDesc(sizes).str, along);
  Unique u;
  at_pool pool;
  begin(&u, &pool, out, wanted, self, inverse, counts);
  const at_type *compute = at_computesIn(self->type);
  int64_t toFront[AT_MOST_DIMS], back[AT_MOST_DIMS];
  for (int d = 0; d < sizes.count; d++) {
    toFront[d] = d == 0 ? along : d <= along ? d - 1 : d;
    back[toFront[d]] = d;
  }
  at_tensor *x = at_hold(&pool, at_viewPermute(at_cast(&pool, self, compute),
                                               (at_ints){toFront, sizes.count}));
  at_tensor *rows = at_hold(&pool, at_makeContiguous(x));
  if (!at_isOnHost(self->type)) {
    run_on_device(&u, rows, sorted, n, false);
    u.made[0] = at_hold(&pool, at_viewPermute(u.made[0], (at_ints){back, sizes.count}));
    end(&u, out);
    return;
  }
  const int64_t length = n > 0 ? at_numel(rows) / n : 0;
  const Rows how = {elements_of(compute), n > 0 ? at_data(rows) : NULL, length,
                    length * (ptrdiff_t)at_type_elementSize(compute)};
  int64_t *const numbers = begin_inverse(&u, (at_ints){&n, 1}), count = 0;
  at_tensor *order = vector(&u, u.longType, n), *first = vector(&u, u.longType, n);
  at_tensor *kept = vector(&u, u.longType, n);
  for (int64_t i = 0; i < n; i++)
    longs(order)[i] = i;
  if (sorted)
    sort_rows(&how, longs(order), longs(kept), n);
  for (int64_t i = 0; i < n; i++) {
    const int64_t row = longs(order)[i];
    if (i > 0 &&
        how.of->same(how.at + longs(order)[i - 1] * how.bytes, how.at + row * how.bytes, length))
      continue;
    longs(first)[count] = i;
    longs(kept)[count++] = row;
  }
  at_tensor *some = at_hold(&pool, at_viewNarrow(kept, 0, 0, count));
  u.made[0] = at_hold(&pool, n == 0 ? at_makeCopy(x, NULL) : at_indexSelect(NULL, rows, 0, some));
  u.made[0] = at_hold(&pool, at_viewPermute(u.made[0], (at_ints){back, sizes.count}));
  u.made[0] = at_hold(&pool, at_makeContiguous(u.made[0]));
  write_groups(&u, longs(first), count, n, longs(order), numbers);
  end(&u, out);
}
