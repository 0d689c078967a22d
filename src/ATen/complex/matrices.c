/* Factorizations of one complex matrix, by columns: by LAPACK on the CPU, and by cuSOLVER on a device. */
#include <limits.h>
#include <math.h>

#include "complex.h"
#include "lapack.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/functions/functions.h"
#include "ATen/ops/rearrange.h"

const at_complex_lapack *at_complexLapack(const at_type *type)
{
  if (!at_isOnHost(type))
    return type->scalarType == AT_COMPLEX_DOUBLE ? &at_complexDeviceLapackDouble
                                                 : &at_complexDeviceLapackFloat;
  return type->scalarType == AT_COMPLEX_DOUBLE ? &at_complexLapackDouble : &at_complexLapackFloat;
}

/* A matrix by columns: memory is its transpose, without gaps. */
typedef struct {
  int rows, columns;
  at_tensor *memory;
  const at_complex_lapack *lapack;
} Columns;

static Columns new_columns(at_pool *pool, const at_type *type, int64_t rows, int64_t columns)
{
  const int64_t sizes[] = {columns, rows};
  return (Columns){(int)rows, (int)columns, at_hold(pool, at_newShape(type, (at_ints){sizes, 2})),
                   at_complexLapack(type)};
}

/* A copy of a, which is a matrix that LAPACK can count. */
static Columns columns_of(at_pool *pool, at_tensor *a, const char *name)
{
  const at_ints sizes = at_sizesOf(a);
  if (!at_isComplex(a->type->scalarType))
    at_raise(AT_ERROR_TYPE, "%s is of %s, and the matrix of a complex type", name,
             at_scalarTypeName(a->type->scalarType));
  if (sizes.count != 2 || sizes.data[0] > INT_MAX || sizes.data[1] > INT_MAX)
    at_raise(AT_ERROR_ARGUMENT, "%s is of size %s, and has to be a matrix", name,
             at_sizeDesc(sizes).str);
  at_tensor *const view = at_hold(pool, at_viewTranspose(a, 0, 1));
  return (Columns){(int)sizes.data[0], (int)sizes.data[1], at_hold(pool, at_newCast(view, a->type)),
                   at_complexLapack(a->type)};
}

static Columns square(at_pool *pool, at_tensor *a, const char *name)
{
  const Columns r = columns_of(pool, a, name);
  if (r.rows != r.columns)
    at_raise(AT_ERROR_ARGUMENT, "%s is of size %s, and has to be a square matrix", name,
             at_sizeDesc(at_sizesOf(a)).str);
  return r;
}

static void *data(Columns m)
{
  return at_data(m.memory);
}

static at_tensor *matrix(at_pool *pool, Columns m)
{
  return at_hold(pool, at_viewTranspose(m.memory, 0, 1));
}

/* Ends a function with count results, which the pool holds. */
static void finish(at_pool *pool, int count, at_tensor **out, at_tensor *first, at_tensor *second,
                   at_tensor *third)
{
  at_tensor *made[] = {first, second, third};
  at_finish(pool, count, out, made);
}

/* The diagonal of a square matrix, on the host. */
static at_tensor *diagonal_of(at_pool *pool, Columns m)
{
  at_tensor *const diagonal = at_hold(pool, at_viewDiagonal(m.memory, 0, 0, 1));
  return at_hold(pool, at_newCast(diagonal, at_hostType(diagonal->type)));
}

static bool is_finite(at_pool *pool, Columns m)
{
  if (at_isOnHost(m.memory->type))
    return m.lapack->isFinite((int64_t)m.rows * m.columns, data(m));
  at_tensor *const each = at_hold(pool, at_testOf(AT_FUNCTION_isfinite, m.memory));
  at_tensor *const all =
      at_hold(pool, at_reduce(NULL, AT_ALL, each, (at_ints){0}, false, NULL, at_scalar_long(0)));
  return at_scalar_toLong(at_elementAt(all, 0)) != 0;
}

static void check_finite(at_pool *pool, Columns m, const char *name)
{
  if (m.rows > 0 && m.columns > 0 && !is_finite(pool, m))
    at_raise(AT_ERROR_ARGUMENT, "%s has a NaN or an infinity", name);
}

static at_tensor *vector(at_pool *pool, const at_type *type, int64_t size)
{
  return at_hold(pool, at_newShape(type, (at_ints){&size, 1}));
}

/* --- triangles -------------------------------------------------------------------------------- */

void at_checkComplexDiagonal(at_tensor *a, const char *name)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = square(&pool, a, name);
  at_tensor *const diagonal = diagonal_of(&pool, m);
  for (int i = 0; i < m.rows; i++) {
    double re, im;
    at_parts(diagonal, i, &re, &im);
    if (re == 0 && im == 0)
      at_raise(AT_ERROR_ARGUMENT, "element (%d,%d) of %s is zero, the matrix is singular", i + 1,
               i + 1, name);
  }
  at_pool_leave(&pool);
}

at_tensor *at_complexCholesky(at_tensor *out, at_tensor *a, bool upper)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = square(&pool, a, "self");
  const int info = m.rows > 0 ? m.lapack->cholesky(upper ? 'U' : 'L', m.rows, data(m)) : 0;
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: the leading minor of order %d is not positive definite",
             info);
  return at_finishOne(&pool, out, at_hold(&pool, at_triangle(NULL, matrix(&pool, m), 0, !upper)));
}

/* --- orthogonal matrices ---------------------------------------------------------------------- */

static at_tensor *tau_of(at_pool *pool, at_tensor *tau, Columns reflectors)
{
  const at_ints sizes = at_sizesOf(tau);
  if (tau->type != reflectors.memory->type || sizes.count != 1 ||
      sizes.data[0] < THMin(reflectors.rows, reflectors.columns))
    at_raise(AT_ERROR_ARGUMENT, "tau is of %s and of size %s, and self has %d reflectors",
             at_scalarTypeName(tau->type->scalarType), at_sizeDesc(sizes).str,
             THMin(reflectors.rows, reflectors.columns));
  return at_hold(pool, at_newCast(tau, reflectors.memory->type));
}

/* Reflectors and tau, which the pool holds. */
static Columns reflectors_of(at_pool *pool, at_tensor *a, at_tensor **tau)
{
  const Columns m = columns_of(pool, a, "self");
  *tau = vector(pool, a->type, THMin(m.rows, m.columns));
  if (at_numel(a) > 0)
    m.lapack->reflectors(m.rows, m.columns, data(m), at_data(*tau));
  return m;
}

void at_complexReflectors(at_tensor **out, at_tensor *a)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *tau;
  const Columns m = reflectors_of(&pool, a, &tau);
  finish(&pool, 2, out, matrix(&pool, m), tau, NULL);
}

/* The first columns of Q, in the memory of the reflectors. */
static at_tensor *orthogonal_of(at_pool *pool, Columns m, at_tensor *tau)
{
  const int k = THMin(m.rows, m.columns);
  if (k > 0)
    m.lapack->orthogonal(m.rows, k, k, data(m), at_data(tau));
  return at_hold(pool, at_viewNarrow(matrix(pool, m), 1, 0, k));
}

at_tensor *at_complexOrthogonalOf(at_tensor *out, at_tensor *a, at_tensor *tau)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = columns_of(&pool, a, "self");
  return at_finishOne(&pool, out, orthogonal_of(&pool, m, tau_of(&pool, tau, m)));
}

void at_complexOrthogonal(at_tensor **out, at_tensor *a)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *tau;
  const Columns m = reflectors_of(&pool, a, &tau);
  at_tensor *const top =
      at_hold(&pool, at_viewNarrow(matrix(&pool, m), 0, 0, THMin(m.rows, m.columns)));
  at_tensor *const r = at_hold(&pool, at_triangle(NULL, top, 0, false));
  finish(&pool, 2, out, orthogonal_of(&pool, m, tau), r, NULL);
}

at_tensor *at_complexOrthogonalTimes(at_tensor *out, at_tensor *a, at_tensor *tau, at_tensor *c,
                                     bool left, bool adjoint)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = columns_of(&pool, a, "self"), r = columns_of(&pool, c, "input3");
  at_tensor *const factors = tau_of(&pool, tau, m);
  at_checkType(c, "input3", a->type);
  if ((left ? r.rows : r.columns) != m.rows)
    at_raise(AT_ERROR_ARGUMENT, "input3 is of size %s, and Q has %d rows and columns",
             at_sizeDesc(at_sizesOf(c)).str, m.rows);
  if (at_numel(c) > 0)
    m.lapack->orthogonalTimes(left ? 'L' : 'R', adjoint ? 'C' : 'N', r.rows, r.columns,
                              THMin(m.rows, m.columns), data(m), at_data(factors), data(r));
  return at_finishOne(&pool, out, matrix(&pool, r));
}

/* --- eigenvalues and singular values ---------------------------------------------------------- */

void at_complexHermitianEigen(at_tensor **out, at_tensor *a, bool upper)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const read = at_hold(&pool, at_triangle(NULL, a, 0, !upper));
  const Columns m = square(&pool, read, "self");
  at_tensor *const values = vector(&pool, at_realType(a->type), m.rows);
  check_finite(&pool, m, "self");
  const int info =
      m.rows == 0 ? 0 : m.lapack->hermitian(upper ? 'U' : 'L', m.rows, data(m), at_data(values));
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: %d elements off the diagonal did not converge to zero",
             info);
  finish(&pool, 2, out, values, matrix(&pool, m), NULL);
}

void at_complexEigen(at_tensor **out, at_tensor *a)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = square(&pool, a, "self");
  const Columns vectors = new_columns(&pool, a->type, m.rows, m.rows);
  at_tensor *const values = vector(&pool, a->type, m.rows);
  check_finite(&pool, m, "self");
  const int info =
      m.rows == 0 ? 0 : m.lapack->eigen(m.rows, data(m), at_data(values), data(vectors));
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: only the eigenvalues from %d + 1 on were found", info);
  finish(&pool, 2, out, values, matrix(&pool, vectors), NULL);
}

/* V of a device, which lies where V^H would. */
static at_tensor *matrix_v(at_pool *pool, Columns vh)
{
  const int64_t sizes[] = {vh.columns, vh.rows}, strides[] = {1, vh.columns};
  return at_hold(pool,
                 at_newView(vh.memory, vh.memory->th->storageOffset, (at_ints){sizes, 2}, strides));
}

void at_complexSingularValues(at_tensor **out, at_tensor *a, bool some)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = columns_of(&pool, a, "self");
  const int k = THMin(m.rows, m.columns);
  const Columns u = new_columns(&pool, a->type, m.rows, some ? k : m.rows);
  const Columns vh = new_columns(&pool, a->type, some ? k : m.columns, m.columns);
  at_tensor *const s = vector(&pool, at_realType(a->type), k);
  check_finite(&pool, m, "self");
  int info = 0;
  if (k > 0)
    info = m.lapack->singular(some ? 'S' : 'A', m.rows, m.columns, data(m), at_data(s), data(u),
                              data(vh), vh.rows);
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: its singular values did not converge");
  if (k == 0 && !some) {
    at_copyFrom(u.memory, at_hold(&pool, at_identity(NULL, u.memory->type, u.rows, u.rows)));
    at_copyFrom(vh.memory, at_hold(&pool, at_identity(NULL, vh.memory->type, vh.rows, vh.rows)));
  }
  at_tensor *const v =
      at_isOnHost(a->type) ? at_hold(&pool, at_adjointOf(matrix(&pool, vh))) : matrix_v(&pool, vh);
  finish(&pool, 3, out, matrix(&pool, u), s, v);
}

/* --- determinants ----------------------------------------------------------------------------- */

void at_complexDeterminant(at_tensor **out, at_tensor *a, bool whole)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = square(&pool, a, "A");
  const int64_t n = m.rows;
  at_tensor *const pivots = vector(&pool, at_toScalarType(a->type, AT_INT), n);
  if (n > 0)
    m.lapack->lu(m.rows, m.rows, data(m), at_data(pivots));
  at_tensor *const moves = at_hold(&pool, at_newCast(pivots, AT_CPU(AT_INT)));
  at_tensor *const diagonal = diagonal_of(&pool, m);
  double re = 1, im = 0, log_size = 0;
  for (int64_t i = 0; i < n; i++) {
    double x, y;
    at_parts(diagonal, i, &x, &y);
    const double size = hypot(x, y), sign = ((int *)at_hostData(moves))[i] == i + 1 ? 1 : -1;
    const double unitX = size > 0 ? sign * x / size : 0, unitY = size > 0 ? sign * y / size : 0;
    const double before = re;
    re = before * unitX - im * unitY;
    im = before * unitY + im * unitX;
    log_size += log(size);
  }
  const double scale = whole && (re != 0 || im != 0) ? exp(log_size) : 1;
  at_tensor *const sign =
      at_hold(&pool, at_makeFilled(m.memory->type, (at_ints){NULL, 0}, at_scalar_long(0)));
  at_fillComplex(sign, re * scale, im * scale);
  at_tensor *const log_abs =
      at_hold(&pool, at_newScalar(at_realType(m.memory->type), at_scalar_double(log_size)));
  finish(&pool, whole ? 1 : 2, out, sign, log_abs, NULL);
}
