/* Operations along one dimension: maxima, medians and sorting, with indices; cumulative sums; and
 * histograms. */
#include <float.h>
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "ATen/random/drawn.h"

static const at_ints noDims;

static void check_floating(const at_tensor *t)
{
  if (!at_isFloating(t->type->scalarType))
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be of a floating type",
             at_scalarTypeName(t->type->scalarType));
}

/* --- values and their indices ---------------------------------------------------------------- */

typedef struct {
  int dim, keepdim;
  int64_t k;
  bool option, sorted;
} Options;

typedef struct at_picker {
  const char *name;
  bool takesBool;
  bool keepsDim; /* the dimension remains, with its size or with size k */
  bool alone;    /* there are no indices */
  bool counts;   /* there is a k */
  int64_t least; /* the smallest k that is allowed */
  void (*call)(const at_type *type, void *r, void *indices, void *x, const Options *o);
} Picking;

/* clang-format off */
#define PICKING(NAME, ...)                                                                        \
  static void NAME##_call(const at_type *type, void *r, void *indices, void *x, const Options *o) \
  { AT_OF(type, NAME)(r, indices, x, __VA_ARGS__); }
/* clang-format on */
PICKING(max, o->dim, o->keepdim)
PICKING(min, o->dim, o->keepdim)
PICKING(median, o->dim, o->keepdim)
PICKING(mode, o->dim, o->keepdim)
PICKING(kthvalue, o->k, o->dim, o->keepdim)
PICKING(sort, o->dim, o->option) /* indices may be NULL */
PICKING(topk, o->k, o->dim, o->option, o->sorted)

/* clang-format off */
#define ROW(OBJECT, ...) static const Picking OBJECT##_row = {__VA_ARGS__}; const at_picking OBJECT = &OBJECT##_row;
/* clang-format on */
ROW(AT_PICK_MAX, "maximum", true, false, .call = max_call)
ROW(AT_PICK_MIN, "minimum", true, false, .call = min_call)
ROW(AT_PICK_MEDIAN, "median", false, false, .call = median_call)
ROW(AT_PICK_MODE, "mode", true, false, .call = mode_call)
ROW(AT_PICK_KTH, "k-th value", false, false, .counts = true, .least = 1, .call = kthvalue_call)
ROW(AT_PICK_SORT, "order", true, true, .call = sort_call)
ROW(AT_PICK_SORT_VALUES, "order", true, true, .alone = true, .call = sort_call)
ROW(AT_PICK_TOP, "top", false, true, .counts = true, .call = topk_call)

/* Whether TH can write directly to out. */
static bool takes_result(const at_tensor *out, const at_type *type, at_ints sizes,
                         const at_tensor *self)
{
  return out && out->type == type && at_sameSizes(at_sizesOf(out), sizes) &&
         at_overlap(out, self) == TH_OVERLAP_NONE;
}

void at_pick(at_tensor **out, at_picking how, at_tensor *self, int64_t k, int64_t dim, bool keepdim,
             bool option, bool sorted)
{
  const at_ints own = at_sizesOf(self);
  const Options options = {at_wrapDim(dim, own.count), keepdim, k, option, sorted};
  const int64_t length = own.count > 0 ? own.data[options.dim] : 1;
  if (self->type->scalarType == AT_BOOL && !how->takesBool)
    at_raise(AT_ERROR_TYPE, "there is no %s of booleans", how->name);
  if (length == 0 && !how->keepsDim)
    at_raise(AT_ERROR_ARGUMENT, "dimension %d of a tensor of size (%s) has no elements",
             options.dim, at_sizeDesc(own).str);
  if (how->counts && (k < how->least || k > length))
    at_raise(AT_ERROR_ARGUMENT, "k is %lld, and dimension %d of self has %lld elements",
             (long long)k, options.dim, (long long)length);

  int64_t buffer[AT_MOST_DIMS];
  at_ints sizes = {buffer, 0};
  for (int d = 0; d < own.count; d++)
    if (d != options.dim)
      buffer[sizes.count++] = own.data[d];
    else if (how->keepsDim || keepdim)
      buffer[sizes.count++] = !how->keepsDim ? 1 : how->counts ? k : length;
  const at_type *indices = at_toScalarType(self->type, AT_LONG);
  const bool alone = how->alone;
  if (out[0])
    at_checkResult(out[0], NULL, sizes, self->type->scalarType);
  if (out[0] && !alone)
    at_checkResult(out[1], NULL, sizes, indices->scalarType);

  at_pool pool;
  at_pool_enter(&pool);
  const at_type *compute = at_computesIn(self->type);
  const bool direct = takes_result(out[0], compute, sizes, self) &&
                      (alone || (takes_result(out[1], indices, sizes, self) &&
                                 at_overlap(out[0], out[1]) == TH_OVERLAP_NONE));
  at_tensor *made[] = {direct ? out[0] : at_hold(&pool, at_newShape(compute, sizes)), NULL};
  if (!alone || at_hostType(compute) != compute) /* THC always computes indices */
    made[1] = direct && !alone ? out[1] : at_hold(&pool, at_newShape(indices, sizes));
  if (at_numel(made[0]) > 0 && own.count > 0) {
    at_tensor *x = at_cast(&pool, self, compute);
    how->call(compute, made[0]->th, made[1] ? (void *)made[1]->th : NULL, x->th, &options);
  } else if (own.count == 0) { /* the only element, even if k is 0 */
    at_copyFrom(made[0], self);
    if (made[1])
      at_fillWith(made[1], at_scalar_long(0));
  }
  if (direct) {
    at_pool_leave(&pool);
    return;
  }
  made[0] = at_cast(&pool, made[0], self->type);
  at_finish(&pool, alone ? 1 : 2, out, made);
}

at_tensor *at_argReduce(at_tensor *out, at_picking how, at_tensor *self, int64_t dim, bool keepdim)
{
  if (self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "self is of Bool, for which there is no index of the %s", how->name);
  static const int64_t all[] = {-1};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *x = self;
  if (dim == AT_NONE) {
    if (at_numel(self) == 0)
      at_raise(AT_ERROR_ARGUMENT, "a tensor of size (%s) has no elements",
               at_sizeDesc(at_sizesOf(self)).str);
    x = at_hold(&pool, at_reshaped(self, (at_ints){all, 1}));
  }
  at_tensor *made[] = {NULL, NULL};
  at_pick(made, how, x, 0, dim == AT_NONE ? 0 : dim, keepdim && dim != AT_NONE, false, false);
  at_hold(&pool, made[0]);
  at_hold(&pool, made[1]);
  if (dim == AT_NONE && keepdim) {
    int64_t ones[AT_MOST_DIMS];
    const int dims = at_sizesOf(self).count;
    for (int d = 0; d < dims; d++)
      ones[d] = 1;
    at_resizeTo(made[1], (at_ints){ones, dims});
  }
  return at_finishOne(&pool, out, made[1]);
}

at_tensor *at_medianOf(at_tensor *out, at_tensor *self)
{
  const bool isFloating = at_isFloating(self->type->scalarType);
  if (self->type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there is no median of booleans");
  if (at_numel(self) == 0 && !isFloating)
    at_raise(AT_ERROR_ARGUMENT, "there is no median of no integers, and self has size (%s)",
             at_sizeDesc(at_sizesOf(self)).str);
  if (out)
    at_checkResult(out, NULL, noDims, self->type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  at_scalar number = at_scalar_double(NAN);
  if (at_numel(self) > 0 && !at_isOnHost(self->type)) { /* the result stays on the device */
    const int64_t all = at_numel(self);
    at_tensor *made[2] = {NULL, NULL};
    at_pick(made, AT_PICK_MEDIAN, at_hold(&pool, at_reshaped(self, (at_ints){&all, 1})), 0, 0,
            false, false, false);
    at_hold(&pool, made[1]);
    return at_finishOne(&pool, out, at_hold(&pool, made[0]));
  }
  if (at_numel(self) > 0) {
    at_tensor *x = at_cast(&pool, self, at_computesIn(self->type));
    number = AT_OF(x->type, medianall)(x->th);
  }
  return at_finishOne(&pool, out, at_hold(&pool, at_newScalar(self->type, number)));
}

/* --- cumulative sums ------------------------------------------------------------------------- */

at_tensor *at_accumulate(at_tensor *out, bool product, at_tensor *self, int64_t dim,
                         const at_type *type)
{
  const bool isFloating = at_category(self->type->scalarType) >= 2;
  const int along = at_wrapDim(dim, at_sizesOf(self).count);
  const at_type *result =
      type  ? type
      : out ? out->type
            : at_toScalarType(self->type, isFloating ? self->type->scalarType : AT_LONG);
  if (at_isComplex(result->scalarType))
    return at_accumulateComplex(out, product, self, along, result);
  if (result->scalarType == AT_BOOL && at_numel(self) > 0)
    at_raise(AT_ERROR_TYPE, "cumulative sums are not computed in Bool");
  if (out == self && result != self->type)
    at_raise(AT_ERROR_TYPE, "self is of %s, and would become %s",
             at_scalarTypeName(self->type->scalarType), at_scalarTypeName(result->scalarType));
  if (out)
    at_checkResult(out, NULL, at_sizesOf(self), result->scalarType);
  const at_type *compute = at_computesIn(result);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *x = at_cast(&pool, self, compute);
  const bool direct =
      out && out->type == compute && at_sameSizes(at_sizesOf(out), at_sizesOf(self));
  at_tensor *r = direct ? out : at_hold(&pool, at_newShape(compute, at_sizesOf(self)));
  if (at_numel(r) > 0)
    (product ? AT_OF(compute, cumprod) : AT_OF(compute, cumsum))(r->th, x->th, along);
  if (!direct)
    return at_finishOne(&pool, out, at_cast(&pool, r, result));
  at_pool_leave(&pool);
  return out;
}

/* --- floating types -------------------------------------------------------------------------- */

at_tensor *at_renormed(at_tensor *out, at_tensor *self, at_scalar p, int64_t dim, at_scalar maxnorm)
{
  const at_ints sizes = at_sizesOf(self);
  check_floating(self);
  if (sizes.count < 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to have two dimensions or more",
             at_sizeDesc(sizes).str);
  const int along = at_wrapDim(dim, sizes.count);
  if (!(at_scalar_toDouble(p) > 0) || !(at_scalar_toDouble(maxnorm) >= 0))
    at_raise(AT_ERROR_ARGUMENT, "p is %g, and has to be above 0; maxnorm is %g, and not below 0",
             at_scalar_toDouble(p), at_scalar_toDouble(maxnorm));
  if (out)
    at_checkResult(out, self, sizes, self->type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *compute = at_computesIn(self->type);
  at_tensor *r = at_hold(&pool, at_newShape(compute, sizes)), *x = at_cast(&pool, self, compute);
  if (at_numel(r) > 0)
    AT_OF(compute, renorm)(r->th, x->th, p, along, maxnorm);
  return at_finishOne(&pool, out, at_cast(&pool, r, self->type));
}

/* The smallest or largest element, in memory of the device; nothing waits for the check that it is finite. */
static const void *bound(at_pool *pool, at_tensor *x, at_reducing which)
{
  static const at_draw_rule rule = {"histc", "the range has the end %g, and has to be finite", 1,
                                    -DBL_MAX, DBL_MAX};
  at_tensor *const end =
      at_hold(pool, at_reduce(NULL, which, x, (at_ints){0}, false, NULL, at_scalar_long(0)));
  at_checkDrawn(pool, end, &rule);
  return at_data(end);
}

/* The counts on a device, in Long.  Without a range it is that of the elements. */
static at_tensor *device_histogram(at_pool *pool, at_tensor *x, int64_t bins, double low,
                                   double high)
{
  const bool isGiven = low != high;
  const double most = x->type->scalarType == AT_FLOAT ? (double)FLT_MAX : DBL_MAX;
  if (isGiven && !(fabs(low) <= most && fabs(high) <= most && high - low <= most))
    at_raise(AT_ERROR_ARGUMENT, "the range from %g to %g is not finite", low, high);
  const at_type *const type = at_toScalarType(x->type, AT_LONG);
  at_tensor *const counts =
      at_hold(pool, at_makeFilled(type, (at_ints){&bins, 1}, at_scalar_long(0)));
  const at_histogram_work work = {.count = at_numel(x),
                                  .bins = bins,
                                  .low = low,
                                  .high = high,
                                  .least = isGiven ? NULL : bound(pool, x, AT_MIN),
                                  .most = isGiven ? NULL : bound(pool, x, AT_MAX),
                                  .x = at_data(at_hold(pool, at_makeContiguous(x))),
                                  .counts = at_data(counts)};
  at_cuda()->launch(AT_KERNEL_histogram, x->type->held, &work);
  return counts;
}

at_tensor *at_histcOf(at_tensor *out, at_tensor *self, int64_t bins, at_scalar min, at_scalar max)
{
  check_floating(self);
  if (bins < 1)
    at_raise(AT_ERROR_ARGUMENT, "bins is %lld, and has to be 1 or more", (long long)bins);
  if (!(at_scalar_toDouble(min) <= at_scalar_toDouble(max)))
    at_raise(AT_ERROR_ARGUMENT, "min is %g and max is %g", at_scalar_toDouble(min),
             at_scalar_toDouble(max));
  const at_ints sizes = {&bins, 1};
  if (out)
    at_checkResult(out, NULL, sizes, self->type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *compute = at_computesIn(self->type);
  at_tensor *r = at_hold(&pool, at_newShape(compute, sizes)), *x = at_cast(&pool, self, compute);
  if (at_numel(x) == 0)
    at_fillWith(r, at_scalar_long(0));
  else if (at_isOnHost(compute))
    AT_OF(compute, histc)(r->th, x->th, bins, min, max);
  else
    r = device_histogram(&pool, x, bins, at_scalar_toDouble(min), at_scalar_toDouble(max));
  return at_finishOne(&pool, out, at_cast(&pool, r, self->type));
}
