/* Functions of matrices: powers, exponentials, pseudoinverses, norms. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ATen/complex/complex.h"
#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "ATen/functions/functions.h"
#include "linalg.h"

static const at_scalar one = {.value.integer = 1}, zero;

/* x y for batches of matrices; the pool holds it. */
static at_tensor *times(at_pool *pool, at_tensor *x, at_tensor *y)
{
  return at_hold(pool, at_matrixProduct(NULL, x, y));
}

static void check_square(const at_tensor *a, const char *name)
{
  const at_ints sizes = at_sizesOf(a);
  if (!at_isFloating(a->type->scalarType) && !at_isComplex(a->type->scalarType))
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of a floating or complex type", name,
             at_scalarTypeName(a->type->scalarType));
  if (sizes.count < 2 || sizes.data[sizes.count - 1] != sizes.data[sizes.count - 2])
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to be square matrices", name,
             at_sizeDesc(sizes).str);
}

/* The identity in the size and type of each matrix of a; a new tensor. */
static at_tensor *identity_like(at_tensor *a)
{
  const at_ints sizes = at_sizesOf(a);
  const int64_t n = sizes.data[sizes.count - 1];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const one_of = at_hold(&pool, at_identity(NULL, a->type, n, n));
  at_tensor *const r = at_copied(NULL, at_newExpanded(one_of, sizes));
  at_pool_leave(&pool);
  return r;
}

/* --- pseudoinverses and ranks ----------------------------------------------------------------- */

/* The singular values that count: above the largest times rtol, by default the machine's epsilon
 * times the larger size. */
static double relative(const at_tensor *a, double rtol)
{
  const at_ints sizes = at_sizesOf(a);
  const int64_t most = THMax(sizes.data[sizes.count - 1], sizes.data[sizes.count - 2]);
  const bool isComplex = at_isComplex(a->type->scalarType);
  const at_scalar_type type = (isComplex ? at_realType(a->type) : a->type)->scalarType;
  const double epsilon = type == AT_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
  return isnan(rtol) ? epsilon * (double)most : rtol;
}

/* Whether each of s counts, of Bool: is above atol and rtol times the largest. */
static at_tensor *counts(at_pool *pool, at_tensor *s, double atol, double rtol)
{
  const int64_t last = -1;
  at_tensor *const top =
      at_hold(pool, at_reduce(NULL, AT_MAX, s, (at_ints){&last, 1}, true, NULL, zero));
  at_tensor *const least =
      at_hold(pool, at_binaryScalar(NULL, AT_ROW_mul, top, at_scalar_double(rtol), one));
  at_binaryScalar(least, AT_ROW_cmaxValue, least, at_scalar_double(atol), zero);
  return at_hold(pool, at_compare(NULL, AT_ROW_gtTensor, s, least));
}

/* The adjoint of a; of real matrices a view. */
static at_tensor *adjoint(at_pool *pool, at_tensor *a)
{
  return at_hold(pool,
                 at_isComplex(a->type->scalarType) ? at_adjointOf(a) : at_viewTranspose(a, -1, -2));
}

/* a, or with hermitian the symmetric matrices of its lower triangles. */
static at_tensor *mirrored(at_pool *pool, at_tensor *a, bool hermitian)
{
  if (!hermitian)
    return a;
  check_square(a, "A");
  at_tensor *const lower = at_hold(pool, at_triangle(NULL, a, 0, true));
  at_tensor *const below = at_hold(pool, at_triangle(NULL, a, -1, true));
  if (at_isComplex(a->type->scalarType)) { /* the imaginary part of the diagonal does not count */
    at_tensor *half = at_hold(pool, at_binary(NULL, AT_ROW_cadd, lower, below, one));
    half = at_hold(pool, at_binaryScalar(NULL, AT_ROW_mul, half, at_scalar_double(0.5), one));
    return at_hold(pool, at_binary(NULL, AT_ROW_cadd, half, adjoint(pool, half), one));
  }
  at_tensor *const above = adjoint(pool, below);
  return at_hold(pool, at_binary(NULL, AT_ROW_cadd, lower, above, one));
}

/* Transposed matrices without elements. */
static at_tensor *none_transposed(at_tensor *a)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_sizesOf(a);
  memcpy(buffer, sizes.data, (size_t)sizes.count * sizeof *buffer);
  buffer[sizes.count - 1] = sizes.data[sizes.count - 2];
  buffer[sizes.count - 2] = sizes.data[sizes.count - 1];
  return at_newShape(a->type, (at_ints){buffer, sizes.count});
}

at_tensor *at_pseudoInverses(at_tensor *a, double atol, double rtol, bool hermitian)
{
  at_checkMatrices(a, "A", false);
  if (at_numel(a) == 0)
    return none_transposed(a);
  at_tensor *made[3] = {NULL};
  at_pool pool;
  at_pool_enter(&pool);
  at_singulars(made, mirrored(&pool, a, hermitian), false);
  for (int i = 0; i < 3; i++)
    at_hold(&pool, made[i]);
  if (isnan(rtol) && atol > 0)
    rtol = 0;
  at_tensor *const s = made[1], *const isKept = counts(&pool, s, atol, relative(a, rtol));
  at_tensor *inverse = at_hold(&pool, at_unaryFloat(NULL, AT_ROW_cinv, s));
  inverse = at_hold(&pool, at_choose(NULL, isKept, inverse, zero, NULL, at_scalar_double(0)));
  at_tensor *const column = at_hold(&pool, at_viewUnsqueeze(inverse, -1));
  at_tensor *const ut = adjoint(&pool, made[0]);
  at_tensor *const v = adjoint(&pool, made[2]);
  at_tensor *const scaled = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, ut, column, one));
  return at_pool_keep(&pool, times(&pool, v, scaled));
}

at_tensor *at_matrixRanks(at_tensor *out, at_tensor *a, at_scalar tol, bool hermitian)
{
  const int64_t last = -1;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const s = at_hold(&pool, at_singularsOf(NULL, mirrored(&pool, a, hermitian)));
  const at_ints values = at_sizesOf(s);
  if (values.data[values.count - 1] == 0) /* there is no largest one */
    tol = zero;
  at_tensor *const isKept = tol.is_none
                                ? counts(&pool, s, 0, relative(a, (double)NAN))
                                : at_hold(&pool, at_compareScalar(NULL, AT_ROW_gtValue, s, tol));
  at_tensor *const r = at_reduce(out, AT_SUM, isKept, (at_ints){&last, 1}, false, NULL, zero);
  at_pool_leave(&pool);
  return r;
}

/* --- powers and exponentials ------------------------------------------------------------------ */

/* The power by squaring; base is the tensor to square, which this takes over. */
static at_tensor *power(at_tensor *base, uint64_t n)
{
  THGuard square, product;
  at_guard(&square);
  square.what = base;
  at_guard(&product);
  for (; n > 0; n >>= 1) {
    if (n & 1)
      at_replaceHeld(&product, product.what ? at_matrixProduct(NULL, product.what, square.what)
                                            : at_retain(square.what));
    if (n > 1)
      at_replaceHeld(&square, at_matrixProduct(NULL, square.what, square.what));
  }
  at_tensor *const r = at_retain(product.what);
  THGuard_leave(&product);
  THGuard_leave(&square);
  return r;
}

at_tensor *at_matrixPowers(at_tensor *out, at_tensor *a, int64_t n)
{
  check_square(a, "self");
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r;
  if (n == 0)
    r = at_hold(&pool, identity_like(a));
  else
    r = at_hold(&pool, power(n < 0 ? at_inverses(NULL, a) : at_newCast(a, a->type),
                             n < 0 ? -(uint64_t)n : (uint64_t)n));
  return at_finishOne(&pool, out, r);
}

/* Scaling and squaring: the series of exp(a / 2^s), squared s times, with a scaled norm of at most 1/2,
 * where the terms up to POWERS * PARTS reach the precision of Double.  On a device, where s is not known to
 * the host, WITHOUT_HOST products are made and taken where they are wanted; norms that need more are rare,
 * and a kernel makes the rest. */
enum { POWERS = 4, PARTS = 4, WITHOUT_HOST = 16, MOST_SQUARINGS = 1030 };

/* The number s of each matrix, in 1 x 1 matrices of Double. */
static at_tensor *squarings_of(at_pool *pool, at_tensor *x)
{
  const int64_t rows = -2, columns = -1;
  at_tensor *s = at_hold(pool, at_absoluteOf(NULL, x));
  s = at_hold(pool, at_reduce(NULL, AT_SUM, s, (at_ints){&rows, 1}, true, NULL, zero));
  s = at_hold(pool, at_reduce(NULL, AT_MAX, s, (at_ints){&columns, 1}, true, NULL, zero));
  s = at_hold(pool, at_floatingOf(NULL, AT_FUNCTION_log2, s));
  s = at_hold(pool, at_unary(NULL, AT_ROW_ceil, s));
  s = at_hold(pool, at_binaryScalar(NULL, AT_ROW_add, s, at_scalar_long(1), one));
  s = at_hold(pool,
              at_binaryScalar(NULL, AT_ROW_cminValue, s, at_scalar_long(MOST_SQUARINGS), zero));
  at_tensor *const isAny = at_hold(pool, at_compareScalar(NULL, AT_ROW_gtValue, s, zero));
  return at_hold(pool, at_choose(NULL, isAny, s, zero, NULL, zero)); /* 0 of a norm that is NaN */
}

/* x / 2^s. */
static at_tensor *halved(at_pool *pool, at_tensor *x, at_tensor *s)
{
  at_tensor *const less = at_hold(pool, at_unary(NULL, AT_ROW_neg, s));
  at_tensor *const factor = at_hold(pool, at_floatingOf(NULL, AT_FUNCTION_exp2, less));
  return at_hold(pool, at_binary(NULL, AT_ROW_cmul, x, factor, one));
}

/* The sum of x^k / k! for k up to POWERS * PARTS, as a polynomial in x^POWERS of sums of lower powers. */
static at_tensor *exponential_series(at_pool *pool, at_tensor *x)
{
  at_tensor *power[POWERS + 1] = {at_hold(pool, identity_like(x)), x};
  double factorial = 1;
  for (int k = 2; k <= POWERS; k++)
    power[k] = times(pool, power[k - 1], x);
  for (int k = 2; k <= POWERS * PARTS; k++)
    factorial *= k; /* exact, and so are the quotients */
  at_tensor *sum = at_hold(pool, at_binaryScalar(NULL, AT_ROW_mul, power[POWERS],
                                                 at_scalar_double(1 / factorial), one));
  for (int k = POWERS * PARTS - 1; k >= 0; k--) {
    factorial /= k + 1;
    at_binary(sum, AT_ROW_cadd, sum, power[k % POWERS], at_scalar_double(1 / factorial));
    if (k > 0 && k % POWERS == 0)
      sum = times(pool, sum, power[POWERS]);
  }
  return sum;
}

/* Squares the matrices whose number in s is above `done`, so often, on a device. */
static at_tensor *squared_there(at_pool *pool, at_tensor *t, at_tensor *s, int done)
{
  at_tensor *const r = at_hold(pool, at_newCast(t, t->type));
  at_tensor *const space = at_hold(pool, at_newShape(t->type, at_sizesOf(t)));
  const at_ints sizes = at_sizesOf(t);
  const int64_t n = sizes.data[sizes.count - 1];
  const at_squarings_work work = {.count = at_numel(t) / (n * n),
                                  .n = n,
                                  .isComplex = at_isComplex(t->type->scalarType),
                                  .done = done,
                                  .squarings = at_data(s),
                                  .matrices = at_data(r),
                                  .space = at_data(space)};
  at_cuda()->launch(AT_KERNEL_squarings, THScalarDouble, &work);
  return r;
}

/* The largest element. */
static double largest_of(at_pool *pool, at_tensor *t)
{
  at_tensor *const top =
      at_hold(pool, at_reduce(NULL, AT_MAX, t, (at_ints){NULL, 0}, false, NULL, zero));
  return at_scalar_toDouble(at_elementAt(top, top->th->storageOffset));
}

at_tensor *at_matrixExponentials(at_tensor *a)
{
  check_square(a, "self");
  const bool isComplex = at_isComplex(a->type->scalarType), isHere = at_isOnHost(a->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *x =
      at_cast(&pool, a, at_toScalarType(a->type, isComplex ? AT_COMPLEX_DOUBLE : AT_DOUBLE));
  if (at_numel(a) == 0)
    return at_finishOne(&pool, NULL, at_hold(&pool, at_newCast(a, a->type)));
  at_tensor *const s = squarings_of(&pool, x);
  const double most = isHere ? largest_of(&pool, s) : WITHOUT_HOST;
  at_tensor *r = exponential_series(&pool, halved(&pool, x, s));
  for (int k = 0; k < most; k++) {
    at_pool inner;
    at_pool_enter(&inner);
    at_tensor *const square = times(&inner, r, r);
    at_tensor *const isWanted =
        at_hold(&inner, at_compareScalar(NULL, AT_ROW_gtValue, s, at_scalar_long(k)));
    at_choose(r, isWanted, square, zero, r, zero);
    at_pool_leave(&inner);
  }
  if (!isHere)
    r = squared_there(&pool, r, s, WITHOUT_HOST);
  return at_pool_keep(&pool, at_hold(&pool, at_newCast(r, a->type)));
}

/* --- products --------------------------------------------------------------------------------- */

at_tensor *at_productOfAll(at_tensor *out, at_tensors matrices)
{
  if (matrices.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "matrices is empty");
  THGuard product;
  at_guard(&product);
  product.what = at_retain(matrices.data[0]);
  for (int i = 1; i < matrices.count; i++) {
    const int dims = at_sizesOf(matrices.data[i]).count;
    if (dims < 1 || dims > 2 || (dims == 1 && i < matrices.count - 1))
      at_raise(AT_ERROR_ARGUMENT, "matrices[%d] has size (%s), and has to be a matrix", i,
               at_sizeDesc(at_sizesOf(matrices.data[i])).str);
    at_replaceHeld(&product, at_matrixProduct(NULL, product.what, matrices.data[i]));
  }
  if (matrices.count == 1)
    at_replaceHeld(&product, at_newCast(product.what, matrices.data[0]->type));
  at_tensor *const r = out ? at_deliver(out, product.what) : at_retain(product.what);
  THGuard_leave(&product);
  return r;
}

at_tensor *at_vectorDots(at_tensor *out, at_tensor *x, at_tensor *y, int64_t dim)
{
  if (x->type != y->type)
    at_checkType(y, "y", x->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const conjugate =
      at_isComplex(x->type->scalarType) ? at_hold(&pool, at_conjugated(NULL, x)) : x;
  at_tensor *const products = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, conjugate, y, one));
  at_tensor *const r = at_reduce(out, AT_SUM, products, (at_ints){&dim, 1}, false, x->type, zero);
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_powersOf(at_tensor *x, int64_t n)
{
  const at_ints own = at_sizesOf(x);
  if (n != AT_NONE && n < 0)
    at_raise(AT_ERROR_ARGUMENT, "x has size (%s), and N is %lld", at_sizeDesc(own).str,
             (long long)n);
  if (x->type->elementSize == 2 && at_isFloating(x->type->scalarType))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s",
             at_scalarTypeName(x->type->scalarType));
  const int64_t last = own.count > 0 ? own.data[own.count - 1] : 1;
  const int64_t columns = n == AT_NONE ? last : n;
  const bool integers = !at_isFloating(x->type->scalarType) && !at_isComplex(x->type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *const type = integers ? at_toScalarType(x->type, AT_LONG) : x->type;
  at_tensor *const exponents =
      at_hold(&pool, at_arangeFrom(NULL, at_toScalarType(x->type, AT_LONG), at_scalar_long(0),
                                   at_scalar_long(columns), one));
  at_tensor *base = at_hold(&pool, at_viewUnsqueeze(at_cast(&pool, x, type), -1));
  if (own.count == 0) /* a number is a vector of one */
    base = at_hold(&pool, at_viewUnsqueeze(base, -1));
  return at_pool_keep(&pool, at_hold(&pool, at_power(NULL, base, exponents)));
}

/* --- norms ------------------------------------------------------------------------------------ */

/* a with the two dimensions last, and their numbers. */
static at_tensor *with_last(at_pool *pool, at_tensor *a, at_ints dims, int at[2])
{
  const int64_t usual[] = {-2, -1};
  const int count = at_sizesOf(a).count;
  dims = dims.count == 0 ? (at_ints){usual, 2} : dims;
  if (dims.count != 2 || count < 2)
    at_raise(AT_ERROR_ARGUMENT, "dim has %d numbers, and has to have 2; A has size (%s)",
             dims.count, at_sizeDesc(at_sizesOf(a)).str);
  for (int i = 0; i < 2; i++)
    at[i] = at_wrapDim(dims.data[i], count);
  if (at[0] == at[1])
    at_raise(AT_ERROR_ARGUMENT, "dim names dimension %d twice", at[0]);
  const int64_t from[] = {at[0], at[1]};
  return at_hold(pool, at_viewMoved(a, (at_ints){from, 2}, (at_ints){usual, 2}));
}

/* r with dimensions of size 1 at both, if they are kept. */
static at_tensor *kept_dims(at_pool *pool, at_tensor *r, const int at[2], bool keepdim)
{
  const int first = THMin(at[0], at[1]), second = THMax(at[0], at[1]);
  if (!keepdim)
    return r;
  r = at_hold(pool, at_viewUnsqueeze(r, first));
  return at_hold(pool, at_viewUnsqueeze(r, second));
}

/* The largest along the last dimension, 0 of none, or the smallest. */
static at_tensor *extreme(at_pool *pool, at_tensor *t, bool largest)
{
  const int64_t last = -1;
  const at_ints sizes = at_sizesOf(t);
  if (largest && sizes.data[sizes.count - 1] == 0)
    return at_hold(pool, at_makeFilled(t->type, (at_ints){sizes.data, sizes.count - 1}, zero));
  return at_hold(pool, at_reduce(NULL, largest ? AT_MAX : AT_MIN, t, (at_ints){&last, 1}, false,
                                 NULL, zero));
}

at_tensor *at_matrixNorm(at_tensor *out, at_tensor *a, at_scalar ord, at_ints dims, bool keepdim)
{
  const double p = at_scalar_toDouble(ord), which = fabs(p);
  int at[2];
  const bool isComplex = at_isComplex(a->type->scalarType);
  if (!at_isFloating(a->type->scalarType) && !isComplex)
    at_raise(AT_ERROR_TYPE, "A is of %s, and has to be of a floating type",
             at_scalarTypeName(a->type->scalarType));
  if (which != 1 && which != 2 && !isinf(which))
    at_raise(AT_ERROR_ARGUMENT, "ord is %g, and has to be 1, 2, infinity, or one of them below 0",
             p);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *t = with_last(&pool, a, dims, at);
  if (which == 2) {
    t = at_hold(&pool, at_singularsOf(NULL, t));
  } else { /* sums of columns, or with infinity of rows */
    const int64_t along = isinf(which) ? -1 : -2;
    t = at_hold(&pool, at_absoluteOf(NULL, t));
    t = at_hold(&pool, at_reduce(NULL, AT_SUM, t, (at_ints){&along, 1}, false, NULL, zero));
  }
  t = kept_dims(&pool, extreme(&pool, t, p > 0), at, keepdim);
  return at_finishOne(&pool, out, t);
}

at_tensor *at_matrixNormBy(at_tensor *out, at_tensor *a, const char *ord, at_ints dims,
                           bool keepdim)
{
  const int64_t both[] = {-2, -1}, last = -1;
  int at[2];
  if (strcmp(ord, "fro") && strcmp(ord, "nuc"))
    at_raise(AT_ERROR_ARGUMENT, "ord is \"%s\", and has to be fro or nuc", ord);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *t = with_last(&pool, a, dims, at);
  if (ord[0] == 'f') {
    t = at_hold(&pool, at_normOf(NULL, t, at_scalar_long(2), (at_ints){both, 2}, false, NULL));
  } else {
    t = at_hold(&pool, at_singularsOf(NULL, t));
    t = at_hold(&pool, at_reduce(NULL, AT_SUM, t, (at_ints){&last, 1}, false, NULL, zero));
  }
  return at_finishOne(&pool, out, kept_dims(&pool, t, at, keepdim));
}

at_tensor *at_normBy(at_tensor *out, at_tensor *a, at_scalar ord, at_ints dims, bool keepdim,
                     const at_type *type)
{
  const at_ints own = at_sizesOf(a);
  if (ord.is_none)
    return at_vectorNorm(out, a, at_scalar_long(2), dims, keepdim, type);
  if (dims.count == 1 || (dims.count == 0 && own.count < 2))
    return at_vectorNorm(out, a, ord, dims, keepdim, type);
  if (dims.count != 2 && own.count != 2)
    at_raise(AT_ERROR_ARGUMENT,
             "A has size (%s) and dim %d numbers: ord is for vectors and matrices",
             at_sizeDesc(own).str, dims.count);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const t = type ? at_cast(&pool, a, type) : a;
  at_tensor *const r = at_matrixNorm(out, t, ord, dims, keepdim);
  at_pool_leave(&pool);
  return r;
}
