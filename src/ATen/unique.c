/* The different ones: of elements, and of slices along a dimension.
 *
 * What is equal lies together once it is sorted; integers of a small range are looked up in a table
 * instead.  NaN equals nothing. */
#include "ATenOperations.h"

/* --- for each element type ------------------------------------------------------------------- */

/* Elements as their type has them.  x has n of them. */
typedef struct {
  /* Those that differ from the one before go to r, which may be x and has room for n, and where
   * they are to first, which may be NULL.  Returns how many there are. */
  int64_t (*groups)(void *r, int64_t *first, const void *x, int64_t n);

  /* Of integers, by how far they are above the least: marks them, counts them, says the numbers of
   * all elements, and makes elements of those that are there. */
  void (*mark)(uint8_t *marks, const void *x, int64_t n, int64_t least);
  void (*tally)(int64_t *counts, const void *x, int64_t n, int64_t least);
  void (*look)(int64_t *numbers, const void *x, int64_t n, int64_t least, const int64_t *table);
  void (*put)(void *r, int64_t place, int64_t value);

  /* Below, above or (0) in the order of neither, NaN being above all else; whether all are equal.
   */
  int (*compare)(const void *a, const void *b, int64_t n);
  bool (*same)(const void *a, const void *b, int64_t n);
} Elements;

#define ELEMENTS(Real, real, accreal)                                                  \
  static int64_t groups##Real(void *to, int64_t *first, const void *from, int64_t n)   \
  {                                                                                    \
    const real *x = from;                                                              \
    real *r = to, last = 0;                                                            \
    int64_t count = 0;                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                  \
      const real one = x[i];                                                           \
      r[count] = one;                                                                  \
      if (first)                                                                       \
        first[count] = i;                                                              \
      count += i == 0 || !(one == last);                                               \
      last = one;                                                                      \
    }                                                                                  \
    return count;                                                                      \
  }                                                                                    \
  static void mark##Real(uint8_t *marks, const void *from, int64_t n, int64_t least)   \
  {                                                                                    \
    const real *x = from;                                                              \
    for (int64_t i = 0; i < n; i++)                                                    \
      marks[(uint64_t)(int64_t)x[i] - (uint64_t)least] = 1;                            \
  }                                                                                    \
  static void tally##Real(int64_t *counts, const void *from, int64_t n, int64_t least) \
  {                                                                                    \
    const real *x = from;                                                              \
    for (int64_t i = 0; i < n; i++)                                                    \
      counts[(uint64_t)(int64_t)x[i] - (uint64_t)least]++;                             \
  }                                                                                    \
  static void look##Real(int64_t *numbers, const void *from, int64_t n, int64_t least, \
                         const int64_t *table)                                         \
  {                                                                                    \
    const real *x = from;                                                              \
    for (int64_t i = 0; i < n; i++)                                                    \
      numbers[i] = table[(uint64_t)(int64_t)x[i] - (uint64_t)least];                   \
  }                                                                                    \
  static void put##Real(void *r, int64_t place, int64_t value)                         \
  {                                                                                    \
    ((real *)r)[place] = (real)value;                                                  \
  }                                                                                    \
  static int compare##Real(const void *first, const void *second, int64_t n)           \
  {                                                                                    \
    const real *a = first, *b = second;                                                \
    for (int64_t i = 0; i < n; i++) {                                                  \
      if (a[i] == b[i])                                                                \
        continue;                                                                      \
      const int below = a[i] < b[i] || (a[i] == a[i] && b[i] != b[i]);                 \
      const int above = a[i] > b[i] || (a[i] != a[i] && b[i] == b[i]);                 \
      if (below || above)                                                              \
        return above - below;                                                          \
    }                                                                                  \
    return 0;                                                                          \
  }                                                                                    \
  static bool same##Real(const void *first, const void *second, int64_t n)             \
  {                                                                                    \
    const real *a = first, *b = second;                                                \
    int64_t i = 0;                                                                     \
    while (i < n && a[i] == b[i])                                                      \
      i++;                                                                             \
    return i == n;                                                                     \
  }
TH_FOR_EACH_TYPE_BUT_HALF(ELEMENTS)
#undef ELEMENTS

static const Elements *elements_of(const at_type *type)
{
#define ELEMENTS(Real, real, accreal)                                                     \
  static const Elements of##Real = {groups##Real, mark##Real,    tally##Real, look##Real, \
                                    put##Real,    compare##Real, same##Real};
  TH_FOR_EACH_TYPE_BUT_HALF(ELEMENTS)
#undef ELEMENTS
  switch (type->scalarType) {
    case AT_CHAR:
      return &ofChar;
    case AT_SHORT:
      return &ofShort;
    case AT_INT:
      return &ofInt;
    case AT_LONG:
      return &ofLong;
    case AT_FLOAT:
      return &ofFloat;
    case AT_DOUBLE:
      return &ofDouble;
    default: /* Bool's elements are Byte's */
      return &ofByte;
  }
}

/* --- results --------------------------------------------------------------------------------- */

/* What is wanted besides the different ones: the number of each element, how many of each. */
typedef struct {
  at_pool *pool;
  at_tensor *self, *made[3];
  const at_type *places;
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

/* sizes are those of the result that says numbers. */
static int64_t *begin_numbers(Unique *u, at_ints sizes)
{
  if (u->wanted[1])
    u->made[1] = at_hold(u->pool, at_newShape(u->places, sizes));
  return u->wanted[1] ? longs(u->made[1]) : NULL;
}

/* Numbers and counts of groups that begin at first; places says where elements were, if not in that
 * order. */
static void say_groups(Unique *u, const int64_t *first, int64_t count, int64_t n,
                       const int64_t *places, int64_t *numbers)
{
  int64_t *counts = NULL;
  if (u->wanted[2]) {
    u->made[2] = vector(u, u->places, count);
    counts = longs(u->made[2]);
  }
  for (int64_t g = 0; g < count; g++) {
    const int64_t end = g + 1 < count ? first[g + 1] : n;
    if (counts)
      counts[g] = end - first[g];
    for (int64_t i = first[g]; numbers && i < end; i++)
      numbers[places ? places[i] : i] = g;
  }
}

static void begin(Unique *u, at_pool *pool, at_tensor **out, const bool *wanted, at_tensor *self,
                  bool inverse, bool counts)
{
  *u = (Unique){.pool = pool,
                .self = self,
                .places = at_toScalarType(at_hostType(self->type), AT_LONG),
                .wanted = {true, out[0] ? wanted[1] : inverse, out[0] ? wanted[2] : counts}};
  at_pool_enter(pool);
}

/* What was computed on the host in another type becomes self's. */
static void end(Unique *u, at_tensor **out)
{
  const at_type *places = at_toScalarType(u->self->type, AT_LONG);
  for (int i = 0; i < 3; i++)
    if (u->made[i])
      u->made[i] = at_cast(u->pool, u->made[i], i == 0 ? u->self->type : places);
  at_layerEndAll(u->pool, 3, out, u->made);
}

/* --- elements -------------------------------------------------------------------------------- */

/* Integers from least on, of a range that is not large. */
static void look_up(Unique *u, const Elements *of, at_tensor *x, int64_t least, int64_t range)
{
  const int64_t n = at_numel(x);
  int64_t *const numbers = begin_numbers(u, at_sizesOf(u->self)), count = 0;
  at_tensor *table = vector(u, u->places, range);
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
    u->made[2] = vector(u, u->places, count);
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

/* Whether elements are integers of a range that a table is sooner for than sorting. */
static bool is_dense(const at_tensor *x, int64_t *least, int64_t *range)
{
  enum { MOST = 1 << 17, FEW = 256 };
  const int64_t n = at_numel(x);
  if (at_isFloating(x->type->scalarType) || n == 0)
    return false;
  const at_functions *f = x->type->functions;
  *least = f->minall(x->th).value.integer;
  const uint64_t above = (uint64_t)f->maxall(x->th).value.integer - (uint64_t)*least;
  *range = (int64_t)(above < MOST ? above + 1 : 0);
  return above < MOST && above < (uint64_t)THMax(FEW, n);
}

void at_uniqueOf(at_tensor **out, const bool *wanted, bool sorted, at_tensor *self, bool inverse,
                 bool counts)
{
  static const int64_t all[] = {-1};
  Unique u;
  at_pool pool;
  begin(&u, &pool, out, wanted, self, inverse, counts);
  const at_type *compute = at_computesIn(at_hostType(self->type));
  const at_type *type =
      compute->scalarType == AT_BOOL ? at_toScalarType(compute, AT_BYTE) : compute;
  const Elements *of = elements_of(type);
  const int64_t n = at_numel(self);
  at_tensor *x = at_hold(&pool, at_makeContiguous(at_cast(&pool, self, type)));
  x = at_hold(&pool, at_reshaped(x, (at_ints){all, 1}));
  int64_t least, range;
  if (sorted && is_dense(x, &least, &range)) {
    look_up(&u, of, x, least, range);
    end(&u, out);
    return;
  }
  int64_t *const numbers = begin_numbers(&u, at_sizesOf(self));
  at_tensor *values = vector(&u, type, n), *places = NULL, *first = NULL;
  const void *from = at_data(values);
  if (sorted && n > 0) {
    if (numbers)
      places = vector(&u, u.places, n);
    type->functions->sort(values->th, places ? (void *)places->th : NULL, x->th, 0, 0);
  } else if (n > 0) {
    from = at_data(x);
  }
  if (numbers || u.wanted[2])
    first = vector(&u, u.places, n);
  const int64_t count = of->groups(at_data(values), first ? longs(first) : NULL, from, n);
  if (count > n / 2)
    at_resizeTo(values, (at_ints){&count, 1});
  else /* not to keep what is not needed */
    values = at_hold(&pool, at_makeCopy(at_hold(&pool, at_viewNarrow(values, 0, 0, count)), NULL));
  u.made[0] = values;
  if (first)
    say_groups(&u, longs(first), count, n, places ? longs(places) : NULL, numbers);
  end(&u, out);
}

/* --- slices along a dimension ---------------------------------------------------------------- */

/* Rows of so many elements, of so many bytes each. */
typedef struct {
  const Elements *of;
  const char *at;
  int64_t length;
  ptrdiff_t bytes;
} Rows;

static int compare_rows(const Rows *rows, int64_t a, int64_t b)
{
  return rows->of->compare(rows->at + a * rows->bytes, rows->at + b * rows->bytes, rows->length);
}

/* The numbers of n rows, in order: merges halves, so that equal ones stay as they are. */
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
  const at_type *compute = at_computesIn(at_hostType(self->type));
  int64_t toFront[AT_MOST_DIMS], back[AT_MOST_DIMS];
  for (int d = 0; d < sizes.count; d++) {
    toFront[d] = d == 0 ? along : d <= along ? d - 1 : d;
    back[toFront[d]] = d;
  }
  at_tensor *x = at_hold(&pool, at_viewPermute(at_cast(&pool, self, compute),
                                               (at_ints){toFront, sizes.count}));
  at_tensor *rows = at_hold(&pool, at_makeContiguous(x));
  const int64_t length = n > 0 ? at_numel(rows) / n : 0;
  const Rows how = {elements_of(compute), n > 0 ? at_data(rows) : NULL, length,
                    length * (ptrdiff_t)at_type_elementSize(compute)};
  int64_t *const numbers = begin_numbers(&u, (at_ints){&n, 1}), count = 0;
  at_tensor *order = vector(&u, u.places, n), *first = vector(&u, u.places, n);
  at_tensor *kept = vector(&u, u.places, n);
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
  say_groups(&u, longs(first), count, n, longs(order), numbers);
  end(&u, out);
}
