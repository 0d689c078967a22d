/* Statistics: compositions of reductions and sorting. */
#include "lineElements.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "ATen/random/drawn.h"

static const at_scalar one = {.value.integer = 1}, zero;

/* --- moments and extremes --------------------------------------------------------------------- */

void at_momentsOf(at_tensor **out, at_reducing name, at_tensor *self, at_ints dims,
                  at_scalar correction, bool keepdim)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made[] = {
      at_hold(&pool, at_variance(NULL, name, self, dims, correction, keepdim)),
      at_hold(&pool, at_reduce(NULL, AT_MEAN, self, dims, keepdim, NULL, zero))};
  at_finish(&pool, 2, out, made);
}

void at_extremesOf(at_tensor **out, at_tensor *self, int64_t dim, bool keepdim)
{
  const at_ints dims = {&dim, dim != AT_NONE};
  if (at_numel(self) == 0 && dim == AT_NONE)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and no elements",
             at_sizeDesc(at_sizesOf(self)).str);
  int64_t all[AT_MOST_DIMS];
  for (int d = 0; d < at_sizesOf(self).count; d++)
    all[d] = d;
  const at_ints every = {all, at_sizesOf(self).count};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made[2];
  for (int i = 0; i < 2; i++)
    made[i] = at_hold(&pool, at_reduce(NULL, i == 0 ? AT_MIN : AT_MAX, self,
                                       dim == AT_NONE ? every : dims, keepdim, NULL, zero));
  at_finish(&pool, 2, out, made);
}

at_tensor *at_countNonzero(at_tensor *self, at_ints dims)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const isSet = at_hold(&pool, at_compareScalar(NULL, AT_ROW_neValue, self, zero));
  return at_pool_keep(&pool,
                      at_hold(&pool, at_reduce(NULL, AT_SUM, isSet, dims, false, NULL, zero)));
}

/* --- without NaN ------------------------------------------------------------------------------ */

/* self with 0 for NaN. */
static at_tensor *zeroed(at_pool *pool, at_tensor *self)
{
  if (!at_isFloating(self->type->scalarType))
    return self;
  const at_function_scalars scalars = {0, (double)INFINITY, (double)-INFINITY};
  return at_hold(pool, at_function(NULL, AT_FUNCTION_nan_to_num, AT_REAL, 1, &self, scalars));
}

at_tensor *at_sumWithoutNaN(at_tensor *out, at_tensor *self, at_ints dims, bool keepdim,
                            const at_type *type)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const r = at_reduce(out, AT_SUM, zeroed(&pool, self), dims, keepdim, type, zero);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_meanWithoutNaN(at_tensor *out, at_tensor *self, at_ints dims, bool keepdim,
                             const at_type *type)
{
  if (!at_isFloating(self->type->scalarType))
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be of a floating type",
             at_scalarTypeName(self->type->scalarType));
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const isNumber = at_hold(&pool, at_compare(NULL, AT_ROW_eqTensor, self, self));
  at_tensor *const count =
      at_hold(&pool, at_reduce(NULL, AT_SUM, isNumber, dims, keepdim, NULL, zero));
  at_tensor *const sum = at_hold(&pool, at_sumWithoutNaN(NULL, self, dims, keepdim, type));
  at_tensor *const r = at_binaryFloat(out, AT_ROW_cdiv, sum, count);
  at_pool_leave(&pool);
  return r;
}

/* --- quantiles -------------------------------------------------------------------------------- */

static at_quantile_kind interpolation_of(const char *name)
{
  static const char *const names[AT_QUANTILE_KINDS] = {"linear", "lower", "higher", "nearest",
                                                       "midpoint"};
  for (int i = 0; i < (int)AT_QUANTILE_KINDS; i++)
    if (!strcmp(name, names[i]))
      return (at_quantile_kind)i;
  at_raise(AT_ERROR_ARGUMENT,
           "interpolation is \"%s\", and has to be linear, lower, higher, nearest "
           "or midpoint",
           name);
}

/* self as lines along dim, sorted, of Double: flat, if no dimension is given. */
static at_tensor *sorted_lines(at_pool *pool, at_tensor *self, int64_t *dim)
{
  const int64_t all = at_numel(self);
  at_tensor *t = self;
  if (*dim == AT_NONE || self->isScalar) {
    *dim = *dim == AT_NONE ? AT_NONE : at_wrapDim(*dim, 0);
    t = at_hold(pool, at_reshaped(self, (at_ints){&all, 1}));
  } else {
    *dim = at_wrapDim(*dim, at_sizesOf(self).count);
    t = at_hold(pool, at_viewTranspose(self, *dim, -1));
  }
  at_tensor *made = NULL;
  at_tensor *const lines = at_hold(pool, at_newCast(t, at_toScalarType(self->type, AT_DOUBLE)));
  at_pick(&made, AT_PICK_SORT_VALUES, lines, 0, -1, true, false, false);
  return at_hold(pool, at_makeContiguous(at_hold(pool, made)));
}

static void check_quantile(const at_tensor *self, const at_tensor *q)
{
  const at_scalar_type type = self->type->scalarType;
  if ((type != AT_FLOAT && type != AT_DOUBLE) || q->type->scalarType != type)
    at_raise(AT_ERROR_TYPE, "self is of %s and q of %s: both have to be of Float, or of Double",
             at_scalarTypeName(type), at_scalarTypeName(q->type->scalarType));
  if (at_numel(self) == 0 || at_sizesOf(q).count > 1)
    at_raise(AT_ERROR_ARGUMENT,
             "self has size (%s), and q (%s), which has to be a number or a vector",
             at_sizeDesc(at_sizesOf(self)).str, at_sizeDesc(at_sizesOf(q)).str);
}

/* The sizes of the result: those of q, then those of self without dim. */
static at_ints quantile_sizes(const at_tensor *self, const at_tensor *q, int64_t dim, bool keepdim,
                              int64_t *buffer)
{
  const at_ints own = at_sizesOf(self);
  int count = 0;
  if (!q->isScalar)
    buffer[count++] = at_numel(q);
  at_checkDims(own.count + count);
  for (int d = 0; d < own.count; d++) {
    const bool reduced = dim == AT_NONE || d == dim;
    if (!reduced || keepdim)
      buffer[count++] = reduced ? 1 : own.data[d];
  }
  return (at_ints){buffer, count};
}

/* What the kernel does, on the device of that type; raises if a point is known to be none. */
static void find_quantiles(const at_type *type, at_quantiles_work w)
{
  const char *const message = "q has %g, and has to be from 0 to 1";
  if (!at_isOnHost(type) && w.points > 0) {
    THCFault fault;
    w.report.fault.function = "quantile";
    if (at_cuda()->check(AT_KERNEL_quantileCheck, THScalarDouble, &w, &w.report, &fault)) {
      double number;
      memcpy(&number, &fault.value, sizeof number);
      at_raise(AT_ERROR_ARGUMENT, message, number);
    }
    at_cuda()->launch(AT_KERNEL_quantiles, THScalarDouble, &w);
  }
  for (int64_t i = 0; i < w.points && at_isOnHost(type); i++) {
    if (!(w.point[i] >= 0 && w.point[i] <= 1))
      at_raise(AT_ERROR_ARGUMENT, message, w.point[i]);
    for (int64_t k = 0; k < w.lines; k++)
      w.to[i * w.lines + k] = at_quantileIn(w.from + k * w.n, w.n, w.point[i],
                                            (at_quantile_kind)w.interpolation, w.ignoresNaN);
  }
}

at_tensor *at_quantileOf(at_tensor *out, at_tensor *self, at_tensor *q, int64_t dim, bool keepdim,
                         const char *interpolation, bool ignoresNaN)
{
  const at_quantile_kind how = interpolation_of(interpolation);
  int64_t buffer[AT_MOST_DIMS];
  check_quantile(self, q);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const lines = sorted_lines(&pool, self, &dim);
  const at_ints sizes = quantile_sizes(self, q, dim, keepdim, buffer);
  at_tensor *const points = at_hold(&pool, at_newCast(q, lines->type));
  at_tensor *const made = at_hold(&pool, at_newShape(lines->type, sizes));
  const int64_t n = lines->th->size[lines->th->nDimension - 1], count = at_numel(lines) / n;
  find_quantiles(lines->type, (at_quantiles_work){.points = at_numel(q),
                                                  .lines = count,
                                                  .n = n,
                                                  .interpolation = (int)how,
                                                  .ignoresNaN = ignoresNaN,
                                                  .point = at_data(points),
                                                  .from = at_data(lines),
                                                  .to = at_data(made)});
  /* The lines are those of self with dim and the last dimension exchanged. */
  at_tensor *t = made;
  const int last = at_sizesOf(self).count - 1;
  if (dim != AT_NONE && last > 0 && dim != last) {
    int64_t moved[AT_MOST_DIMS];
    int m = 0;
    if (!q->isScalar)
      moved[m++] = at_numel(q);
    for (int d = 0; d < last; d++)
      moved[m++] = at_sizesOf(self).data[d == dim ? last : d];
    t = at_hold(&pool, at_viewAs(made, (at_ints){moved, m}));
    const int64_t from = dim + (!q->isScalar), to = m - 1;
    t = at_hold(&pool, at_viewMoved(t, (at_ints){&from, 1}, (at_ints){&to, 1}));
    if (keepdim)
      t = at_hold(&pool, at_viewUnsqueeze(t, dim + (!q->isScalar)));
  }
  return at_finishOne(&pool, out, at_hold(&pool, at_newCast(t, self->type)));
}

at_tensor *at_quantileAt(at_tensor *out, at_tensor *self, double q, int64_t dim, bool keepdim,
                         const char *interpolation, bool ignoresNaN)
{
  at_pool pool;
  at_pool_enter(&pool);
  if (!(q >= 0 && q <= 1))
    at_raise(AT_ERROR_ARGUMENT, "q is %g, and has to be from 0 to 1", q);
  at_tensor *const point = at_hold(&pool, at_newScalar(self->type, at_scalar_double(q)));
  at_tensor *const r = at_quantileOf(out, self, point, dim, keepdim, interpolation, ignoresNaN);
  at_pool_leave(&pool);
  return r;
}

/* --- covariance ------------------------------------------------------------------------------- */

/* Weights have to be 0 or more; on a device nothing waits. */
static void check_weights(at_pool *pool, at_tensor *w, bool second)
{
  static const at_draw_rule rules[] = {
      {"cov", "fweights has the element %g, and has to be 0 or more", 3, 0, (double)INFINITY},
      {"cov", "aweights has the element %g, and has to be 0 or more", 4, 0, (double)INFINITY}};
  if (!at_isOnHost(w->type)) {
    at_checkDrawn(pool, w, &rules[second]);
    return;
  }
  const double least = at_scalar_toDouble(AT_OF(w->type, minall)(w->th));
  if (!(least >= 0))
    at_raise(AT_ERROR_ARGUMENT, rules[second].message, least);
}

/* The product of both weights, in Double; NULL if there are none. */
static at_tensor *weights_of(at_pool *pool, const at_tensor *self, at_tensor *fweights,
                             at_tensor *aweights, int64_t n)
{
  at_tensor *w = NULL;
  at_tensor *const given[] = {fweights, aweights};
  for (int i = 0; i < 2; i++) {
    if (!given[i])
      continue;
    const bool floats = at_isFloating(given[i]->type->scalarType);
    if (at_sizesOf(given[i]).count > 1 || at_numel(given[i]) != n || floats != (i == 1))
      at_raise(AT_ERROR_ARGUMENT, "%s is of %s and of size (%s), and has to be a vector of %lld %s",
               i == 0 ? "fweights" : "aweights", at_scalarTypeName(given[i]->type->scalarType),
               at_sizeDesc(at_sizesOf(given[i])).str, (long long)n,
               i == 0 ? "integers" : "floating numbers");
    at_tensor *const one_of = at_cast(pool, given[i], at_toScalarType(self->type, AT_DOUBLE));
    if (at_numel(given[i]) > 0)
      check_weights(pool, one_of, i == 1);
    w = w ? at_hold(pool, at_binary(NULL, AT_ROW_cmul, w, one_of, one)) : one_of;
  }
  return w;
}

/* The sum of all elements of t. */
static at_tensor *sum_of(at_pool *pool, at_tensor *t)
{
  return at_hold(pool, at_reduce(NULL, AT_SUM, t, (at_ints){0}, false, NULL, zero));
}

/* What the sum of products is divided by, of weights with that sum. */
static at_tensor *divisor_of(at_pool *pool, at_tensor *w, at_tensor *sum, at_tensor *aweights,
                             int64_t correction)
{
  at_tensor *less = at_hold(pool, at_makeFilled(w->type, (at_ints){0}, at_scalar_long(1)));
  if (aweights && correction != 0) {
    at_tensor *const a = at_cast(pool, aweights, w->type);
    less = sum_of(pool, at_hold(pool, at_binary(NULL, AT_ROW_cmul, w, a, one)));
    less = at_binaryFloat(less, AT_ROW_cdiv, less, sum);
  }
  less = at_hold(pool, at_subtracted(NULL, sum, less, at_scalar_long(correction)));
  return at_binaryScalar(less, AT_ROW_cmaxValue, less, at_scalar_double(0), zero);
}

/* x divided by a number, or by that in a tensor of one element. */
static at_tensor *divided(at_pool *pool, at_tensor *x, at_tensor *by, double number)
{
  if (!by)
    return at_binaryFloatScalar(x, AT_ROW_div, x, at_scalar_double(number));
  return at_binaryFloat(x, AT_ROW_cdiv, x, at_cast(pool, by, x->type));
}

at_tensor *at_covariance(at_tensor *self, int64_t correction, at_tensor *fweights,
                         at_tensor *aweights)
{
  const at_ints own = at_sizesOf(self);
  if (own.count > 2 || self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_ARGUMENT, "self is of %s and of size (%s), and has to be a matrix of numbers",
             at_scalarTypeName(self->type->scalarType), at_sizeDesc(own).str);
  const int64_t n = own.count == 0 ? 1 : own.data[own.count - 1];
  const int64_t rows = own.count == 2 ? own.data[0] : 1, two[] = {rows, n}, last = 1;
  at_pool pool;
  at_pool_enter(&pool);
  const bool isDouble = self->type->scalarType == AT_DOUBLE;
  const at_type *const type = at_isFloating(self->type->scalarType)
                                  ? self->type
                                  : at_toScalarType(self->type, at_defaultType());
  const at_type *const compute = at_toScalarType(type, isDouble ? AT_DOUBLE : AT_FLOAT);
  at_tensor *const w = weights_of(&pool, self, fweights, aweights, n);
  at_tensor *x = at_hold(&pool, at_reshaped(self, (at_ints){two, 2}));
  x = at_cast(&pool, x, compute);
  at_tensor *const share = w ? at_cast(&pool, w, compute) : NULL;
  at_tensor *weighed = share ? at_hold(&pool, at_binary(NULL, AT_ROW_cmul, x, share, one)) : x;
  at_tensor *mean =
      at_hold(&pool, at_reduce(NULL, AT_SUM, weighed, (at_ints){&last, 1}, true, NULL, zero));
  at_tensor *const sum = w ? sum_of(&pool, w) : NULL;
  mean = divided(&pool, mean, sum, (double)n);
  x = at_hold(&pool, at_subtracted(NULL, x, mean, one));
  weighed = share ? at_hold(&pool, at_binary(NULL, AT_ROW_cmul, x, share, one)) : x;
  at_tensor *const right = at_hold(&pool, at_viewTranspose(weighed, 0, 1));
  at_tensor *r = at_hold(&pool, at_product(NULL, AT_MATRIX_MATRIX, NULL, x, right, zero, one));
  at_tensor *const divisor = w ? divisor_of(&pool, w, sum, aweights, correction) : NULL;
  r = divided(&pool, r, divisor, fmax(0, (double)n - (double)correction));
  if (rows == 1)
    r = at_hold(&pool, at_viewSqueeze(r));
  return at_finishOne(&pool, NULL, at_hold(&pool, at_newCast(r, type)));
}

at_tensor *at_correlation(at_tensor *self)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const c = at_hold(&pool, at_covariance(self, 1, NULL, NULL));
  if (c->isScalar) /* of one variable: 1, or NaN */
    return at_finishOne(&pool, NULL, at_hold(&pool, at_binaryFloat(NULL, AT_ROW_cdiv, c, c)));
  at_tensor *const root =
      at_hold(&pool, at_unaryFloat(NULL, AT_ROW_sqrt, at_hold(&pool, at_viewDiagonal(c, 0, 0, 1))));
  at_tensor *const column = at_hold(&pool, at_viewUnsqueeze(root, 1));
  at_tensor *r = at_hold(&pool, at_binaryFloat(NULL, AT_ROW_cdiv, c, column));
  r = at_binaryFloat(r, AT_ROW_cdiv, r, root);
  return at_pool_keep(&pool, at_clamped(r, r, at_scalar_double(-1), at_scalar_double(1)));
}

at_tensor *at_orderOf(at_tensor *self, int64_t dim, bool descending)
{
  at_tensor *made[2] = {NULL};
  at_pick(made, AT_PICK_SORT, self, 0, dim, true, descending, true);
  at_release(made[0]);
  return made[1];
}

at_tensor *at_sortedFirst(at_tensor *out, at_tensor *self)
{
  at_pick(&out, AT_PICK_SORT_VALUES, self, 0, 0, true, false, true);
  return out;
}
