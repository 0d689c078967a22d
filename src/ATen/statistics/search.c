/* Searches in sorted sequences, counts, and scans along a dimension.  Elements are read as Double,
 * or where all are integers as Long. */
#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "lineElements.h"
#include "statistics.h"

static const at_scalar one = {.value.integer = 1};

/* The type in which elements of those types are compared. */
static at_scalar_type compared(const at_tensor *x, const at_tensor *y)
{
  const bool floats = at_isFloating(x->type->scalarType) || at_isFloating(y->type->scalarType);
  return floats ? AT_DOUBLE : AT_LONG;
}

/* The elements of t in that type, adjacent. */
static at_tensor *elements(at_pool *pool, at_tensor *t, at_scalar_type type)
{
  t = at_cast(pool, t, at_toScalarType(t->type, type));
  return at_hold(pool, at_makeContiguous(t));
}

/* --- sorted sequences ------------------------------------------------------------------------- */

static bool is_right(const char *side, bool right)
{
  if (strcmp(side, "left") && strcmp(side, "right") && strcmp(side, "none"))
    at_raise(AT_ERROR_ARGUMENT, "side is \"%s\", and has to be \"left\" or \"right\"", side);
  if (!strcmp(side, "left") && right)
    at_raise(AT_ERROR_ARGUMENT, "side is \"left\", and right is true");
  return right || !strcmp(side, "right");
}

/* Raises unless there is one sequence, or one for each line of values. */
static void check_lines(const at_tensor *sorted, const at_tensor *values, const at_tensor *sorter)
{
  const at_ints own = at_sizesOf(sorted), wanted = at_sizesOf(values);
  bool fits = own.count == 1 || (own.count == wanted.count && own.count > 0);
  for (int d = 0; fits && own.count > 1 && d < own.count - 1; d++)
    fits = own.data[d] == wanted.data[d];
  if (!fits)
    at_raise(AT_ERROR_ARGUMENT,
             "sorted_sequence has size (%s) and self (%s): one sequence, or one "
             "for each line of self is expected",
             at_sizeDesc(own).str, at_sizeDesc(wanted).str);
  if (sorter && (sorter->type->scalarType != AT_LONG || !at_sameSizes(at_sizesOf(sorter), own)))
    at_raise(AT_ERROR_ARGUMENT,
             "sorter is of %s and of size (%s), and has to be of Long and of "
             "sorted_sequence's, (%s)",
             at_scalarTypeName(sorter->type->scalarType), at_sizeDesc(at_sizesOf(sorter)).str,
             at_sizeDesc(own).str);
}

/* What the kernel does, on the device of that type. */
static void search(const at_type *type, const at_search_work *w)
{
  if (w->count > 0 && !at_isOnHost(type))
    at_cuda()->launch(AT_KERNEL_search, THScalarDouble, w);
  if (w->count == 0 || !at_isOnHost(type))
    return;
  at_sequence s = w->sequence;
  for (int64_t i = 0; i < w->count; i++) {
    if (i > 0 && i % w->line == 0) {
      s.data = (const char *)s.data + s.n * (ptrdiff_t)sizeof(int64_t);
      s.order = s.order ? s.order + s.n : NULL;
    }
    const char *const value = (const char *)w->values + i * (ptrdiff_t)sizeof(int64_t);
    if (w->found)
      w->found[i] = at_isIn(&s, value) != w->inverts;
    else
      w->indices[i] = at_placeIn(&s, value, w->right);
  }
}

at_tensor *at_searchSorted(at_tensor *out, at_tensor *sorted, at_tensor *values, bool out_int32,
                           bool right, const char *side, at_tensor *sorter)
{
  right = is_right(side, right);
  check_lines(sorted, values, sorter);
  const at_scalar_type type = compared(sorted, values);
  const int dims = at_sizesOf(sorted).count;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = elements(&pool, sorted, type), *const v = elements(&pool, values, type);
  at_tensor *const order = sorter ? elements(&pool, sorter, AT_LONG) : NULL;
  at_tensor *const made =
      at_hold(&pool, at_newShape(at_toScalarType(x->type, AT_LONG), at_sizesOf(v)));
  const at_sequence s = {at_data(x), order ? at_data(order) : NULL, x->th->size[dims - 1],
                         type == AT_DOUBLE};
  int64_t outside = 0;
  if (order && at_findOutside(order, 0, s.n, &outside))
    at_raise(AT_ERROR_ARGUMENT, "sorter has the index %lld of %lld", (long long)outside,
             (long long)s.n);
  const int64_t count = at_numel(v);
  search(x->type, &(at_search_work){.sequence = s,
                                    .count = count,
                                    .line = dims == 1 || count == 0 ? count : v->th->size[dims - 1],
                                    .right = right,
                                    .values = at_data(v),
                                    .indices = at_data(made)});
  const at_scalar_type result = out_int32 ? AT_INT : AT_LONG;
  if (out && out->type->scalarType != result)
    at_raise(AT_ERROR_TYPE, "the result is of %s, and has to be of %s",
             at_scalarTypeName(out->type->scalarType), at_scalarTypeName(result));
  return at_finishOne(&pool, out, at_cast(&pool, made, at_toScalarType(values->type, result)));
}

at_tensor *at_areIn(at_tensor *out, at_tensor *x, at_tensor *test, bool invert)
{
  at_tensor *sorted = NULL;
  const at_scalar_type type = compared(x, test);
  const int64_t n = at_numel(test);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const flat =
      at_hold(&pool, at_reshaped(elements(&pool, test, type), (at_ints){&n, 1}));
  at_pick(&sorted, AT_PICK_SORT_VALUES, flat, 0, -1, true, false, false);
  at_hold(&pool, sorted);
  at_tensor *const v = elements(&pool, x, type);
  at_tensor *const made =
      at_hold(&pool, at_newShape(at_toScalarType(v->type, AT_BOOL), at_sizesOf(v)));
  search(v->type, &(at_search_work){.sequence = {at_data(sorted), NULL, n, type == AT_DOUBLE},
                                    .count = at_numel(v),
                                    .line = at_numel(v),
                                    .inverts = invert,
                                    .values = at_data(v),
                                    .found = at_data(made)});
  return at_finishOne(&pool, out, at_cast(&pool, made, at_toScalarType(x->type, AT_BOOL)));
}

at_tensor *at_countsOf(at_tensor *self, at_tensor *weights, int64_t minlength)
{
  const at_scalar_type type = self->type->scalarType;
  if (at_sizesOf(self).count != 1 || at_isFloating(type) || type == AT_BOOL)
    at_raise(AT_ERROR_ARGUMENT,
             "self is of %s and of size (%s), and has to be a vector of integers",
             at_scalarTypeName(type), at_sizeDesc(at_sizesOf(self)).str);
  if (minlength < 0)
    at_raise(AT_ERROR_ARGUMENT, "minlength is %lld, and has to be 0 or more", (long long)minlength);
  if (weights && (at_sizesOf(weights).count != 1 || at_numel(weights) != at_numel(self)))
    at_raise(AT_ERROR_ARGUMENT, "weights has size (%s), self (%s)",
             at_sizeDesc(at_sizesOf(weights)).str, at_sizeDesc(at_sizesOf(self)).str);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const index = at_cast(&pool, self, at_toScalarType(self->type, AT_LONG));
  int64_t length = minlength, outside = 0;
  if (at_findOutside(index, 0, INT64_MAX, &outside))
    at_raise(AT_ERROR_ARGUMENT, "self has %lld, and counts numbers from 0 on", (long long)outside);
  if (at_numel(self) > 0)
    length = THMax(length, AT_OF(index->type, maxall)((void *)index->th).value.integer + 1);
  const at_type *sums = index->type;
  if (weights) /* Float remains, anything else is added in Double */
    sums =
        at_toScalarType(self->type, weights->type->scalarType == AT_FLOAT ? AT_FLOAT : AT_DOUBLE);
  at_tensor *const made =
      at_hold(&pool, at_makeFilled(sums, (at_ints){&length, 1}, at_scalar_long(0)));
  at_tensor *const each = weights ? at_cast(&pool, weights, sums)
                                  : at_hold(&pool, at_makeFilled(sums, at_sizesOf(self), one));
  if (at_numel(self) > 0)
    at_scattered(made, made, 0, index, each, true);
  return at_pool_keep(&pool, made);
}

/* --- scans ------------------------------------------------------------------------------------ */

/* t with dim as its last dimension, elements adjacent; and back. */
static at_tensor *lines_of(at_pool *pool, at_tensor *t, int dim, at_scalar_type type)
{
  const int last = at_sizesOf(t).count - 1;
  return elements(pool, last < 1 ? t : at_hold(pool, at_viewTranspose(t, dim, last)), type);
}

static at_tensor *from_lines(at_pool *pool, at_tensor *lines, int dim, const at_type *type)
{
  const int last = at_sizesOf(lines).count - 1;
  at_tensor *const t = last < 1 ? lines : at_hold(pool, at_viewTranspose(lines, dim, last));
  return at_hold(pool, at_newCast(t, type));
}

/* The extremes of a line and their indices, the last of several; NaN remains. */
static void extremes_long(int64_t *line, int64_t *index, int64_t n, bool smallest)
{
  for (int64_t i = 0, best = 0; i < n; i++) {
    const int64_t a = line[i], b = line[best];
    index[i] = best = (smallest ? a <= b : a >= b) ? i : best;
  }
  for (int64_t i = n; i-- > 0;)
    line[i] = line[index[i]];
}

static void extremes_double(double *line, int64_t *index, int64_t n, bool smallest)
{
  for (int64_t i = 0, best = 0; i < n; i++) {
    const double a = line[i], b = line[best];
    index[i] = best = isnan(a) || (smallest ? a <= b : a >= b) ? i : best;
  }
  for (int64_t i = n; i-- > 0;)
    line[i] = line[index[i]];
}

/* Queues a scan on the device of that type; few long lines are cut into chunks. */
static void scan_on_device(at_pool *pool, const at_type *type, at_kernel kernel, at_scan_work work)
{
  int64_t chunks = 1;
  if (work.lines < AT_SCAN_BUSY && work.n > AT_SCAN_CHUNK)
    chunks = THMin(AT_SCAN_BUSY / work.lines + 1, (work.n - 1) / AT_SCAN_CHUNK + 1);
  work.chunk = (work.n - 1) / chunks + 1;
  work.chunks = (work.n - 1) / work.chunk + 1;
  if (work.chunks > 1) {
    const int64_t sizes[] = {work.lines * work.chunks, 2};
    const at_type *const number = at_toScalarType(type, AT_LONG);
    work.totals = at_data(at_hold(pool, at_newShape(number, (at_ints){sizes, 2})));
  }
  at_cuda()->launch(kernel, THScalarDouble, &work);
}

void at_extremesUpTo(at_tensor **out, at_tensor *self, int64_t dim, bool smallest)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  const bool floats = at_isFloating(self->type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = lines_of(&pool, self, d, floats ? AT_DOUBLE : AT_LONG);
  at_tensor *const line = at_hold(&pool, at_newCast(x, x->type));
  at_tensor *const index =
      at_hold(&pool, at_newShape(at_toScalarType(x->type, AT_LONG), at_sizesOf(x)));
  const int64_t n = x->th->size[x->th->nDimension - 1], count = at_numel(x);
  if (count > 0 && !at_isOnHost(x->type))
    scan_on_device(&pool, x->type, AT_KERNEL_extremes,
                   (at_scan_work){.lines = count / n,
                                  .n = n,
                                  .floats = floats,
                                  .smallest = smallest,
                                  .from = at_data(x),
                                  .to = at_data(line),
                                  .index = at_data(index)});
  for (int64_t i = 0; i < count && at_isOnHost(x->type); i += n)
    if (floats)
      extremes_double((double *)at_data(line) + i, (int64_t *)at_data(index) + i, n, smallest);
    else
      extremes_long((int64_t *)at_data(line) + i, (int64_t *)at_data(index) + i, n, smallest);
  at_tensor *const made[] = {from_lines(&pool, line, d, self->type),
                             from_lines(&pool, index, d, at_toScalarType(self->type, AT_LONG))};
  at_finish(&pool, 2, out, made);
}

at_tensor *at_logSumsUpTo(at_tensor *out, at_tensor *self, int64_t dim)
{
  const int d = at_wrapDim(dim, at_sizesOf(self).count);
  if (!at_isFloating(self->type->scalarType))
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be of a floating type",
             at_scalarTypeName(self->type->scalarType));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = lines_of(&pool, self, d, AT_DOUBLE);
  at_tensor *const sums = at_hold(&pool, at_newCast(x, x->type));
  double *const s = at_data(sums);
  const int64_t n = x->th->size[x->th->nDimension - 1], count = at_numel(x);
  if (count > 0 && !at_isOnHost(x->type))
    scan_on_device(&pool, x->type, AT_KERNEL_logSums,
                   (at_scan_work){
                       .lines = count / n, .n = n, .from = at_data(x), .to = at_data(sums)});
  for (int64_t i = 0; i < count && at_isOnHost(x->type); i++) {
    if (i % n == 0)
      continue;
    const double a = s[i - 1], b = s[i], top = fmax(a, b);
    s[i] = isnan(a) || isnan(b) ? (double)NAN
           : a == b             ? a + log(2)
                                : top + log1p(exp(-fabs(a - b)));
  }
  return at_finishOne(&pool, out, from_lines(&pool, sums, d, self->type));
}
