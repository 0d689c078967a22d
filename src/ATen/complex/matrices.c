/* Factorizations of one complex matrix, which LAPACK computes on the host, by columns,
 * also those of a device. */
#include <limits.h>
#include <math.h>

#include "complex.h"
#include "lapack.h"

#include "ATen/core/ATenOperations.h"

const at_complex_lapack *at_complexLapack(const at_type *type)
{
  return type->scalarType == AT_COMPLEX_DOUBLE ? &at_complexLapackDouble : &at_complexLapackFloat;
}

/* A matrix by columns: memory is its transpose, on the host and without gaps.  home is the Type of what
 * it was made of, which may be on a device. */
typedef struct {
  int rows, columns;
  const at_type *home;
  at_tensor *memory;
  const at_complex_lapack *lapack;
} Columns;

static Columns new_columns(at_pool *pool, const at_type *type, int64_t rows, int64_t columns)
{
  const int64_t sizes[] = {columns, rows};
  const at_type *const host = AT_CPU(type->scalarType);
  return (Columns){(int)rows, (int)columns, type,
                   at_hold(pool, at_newShape(host, (at_ints){sizes, 2})), at_complexLapack(type)};
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
  return (Columns){(int)sizes.data[0], (int)sizes.data[1], a->type,
                   at_hold(pool, at_newCast(view, AT_CPU(a->type->scalarType))),
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
  return at_hostData(m.memory);
}

static at_tensor *matrix(at_pool *pool, Columns m)
{
  return at_hold(pool, at_viewTranspose(m.memory, 0, 1));
}

/* t, which is on the host, on the device of m's home. */
static at_tensor *brought_home(at_pool *pool, at_tensor *t, Columns m)
{
  const at_type *const type = at_toScalarType(m.home, t->type->scalarType);
  return type == t->type ? t : at_hold(pool, at_newCast(t, type));
}

/* Ends a function of m with count results, which the pool holds and are on the host. */
static void finish(at_pool *pool, int count, at_tensor **out, Columns m, at_tensor *first,
                   at_tensor *second, at_tensor *third)
{
  at_tensor *made[] = {first, second, third};
  for (int i = 0; i < count; i++)
    made[i] = brought_home(pool, made[i], m);
  at_finish(pool, count, out, made);
}

static at_tensor *finish_one(at_pool *pool, at_tensor *out, Columns m, at_tensor *made)
{
  return at_finishOne(pool, out, brought_home(pool, made, m));
}

static void check_finite(Columns m, const char *name)
{
  if (!m.lapack->isFinite((int64_t)m.rows * m.columns, data(m)))
    at_raise(AT_ERROR_ARGUMENT, "%s has a NaN or an infinity", name);
}

static at_tensor *vector(at_pool *pool, const at_type *type, int64_t size)
{
  return at_hold(pool, at_newShape(AT_CPU(type->scalarType), (at_ints){&size, 1}));
}

/* --- triangles -------------------------------------------------------------------------------- */

void at_complexSolveTriangular(at_tensor **out, at_tensor *b, at_tensor *a, bool upper,
                               bool transpose, bool ones)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns triangle = square(&pool, a, "A"), x = columns_of(&pool, b, "self");
  at_checkType(b, "self", a->type);
  if (x.rows != triangle.rows)
    at_raise(AT_ERROR_ARGUMENT, "A is of size %s, and self of %s", at_sizeDesc(at_sizesOf(a)).str,
             at_sizeDesc(at_sizesOf(b)).str);
  int info = 0;
  if (x.rows > 0 && x.columns > 0)
    info = x.lapack->triangular(upper ? 'U' : 'L', transpose ? 'T' : 'N', ones ? 'U' : 'N', x.rows,
                                x.columns, data(triangle), data(x));
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "element (%d,%d) of A is zero, the matrix is singular", info, info);
  at_tensor *const copy = at_hold(&pool, at_newCast(a, x.memory->type));
  finish(&pool, 2, out, x, matrix(&pool, x), copy, NULL);
}

at_tensor *at_complexCholesky(at_tensor *out, at_tensor *a, bool upper)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = square(&pool, a, "self");
  const int info = m.lapack->cholesky(upper ? 'U' : 'L', m.rows, data(m));
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: the leading minor of order %d is not positive definite",
             info);
  return finish_one(&pool, out, m, at_hold(&pool, at_triangle(NULL, matrix(&pool, m), 0, !upper)));
}

/* --- orthogonal matrices ---------------------------------------------------------------------- */

static at_tensor *tau_of(at_pool *pool, at_tensor *tau, Columns reflectors)
{
  const at_ints sizes = at_sizesOf(tau);
  if (tau->type != reflectors.home || sizes.count != 1 ||
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
    m.lapack->reflectors(m.rows, m.columns, data(m), at_hostData(*tau));
  return m;
}

void at_complexReflectors(at_tensor **out, at_tensor *a)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *tau;
  const Columns m = reflectors_of(&pool, a, &tau);
  finish(&pool, 2, out, m, matrix(&pool, m), tau, NULL);
}

/* The first columns of Q, in the memory of the reflectors. */
static at_tensor *orthogonal_of(at_pool *pool, Columns m, at_tensor *tau)
{
  const int k = THMin(m.rows, m.columns);
  if (k > 0)
    m.lapack->orthogonal(m.rows, k, k, data(m), at_hostData(tau));
  return at_hold(pool, at_viewNarrow(matrix(pool, m), 1, 0, k));
}

at_tensor *at_complexOrthogonalOf(at_tensor *out, at_tensor *a, at_tensor *tau)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = columns_of(&pool, a, "self");
  return finish_one(&pool, out, m, orthogonal_of(&pool, m, tau_of(&pool, tau, m)));
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
  finish(&pool, 2, out, m, orthogonal_of(&pool, m, tau), r, NULL);
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
                              THMin(m.rows, m.columns), data(m), at_hostData(factors), data(r));
  return finish_one(&pool, out, r, matrix(&pool, r));
}

/* --- eigenvalues and singular values ---------------------------------------------------------- */

void at_complexHermitianEigen(at_tensor **out, at_tensor *a, bool upper)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const read = at_hold(&pool, at_triangle(NULL, a, 0, !upper));
  const Columns m = square(&pool, read, "self");
  at_tensor *const values = vector(&pool, at_realType(a->type), m.rows);
  check_finite(m, "self");
  const int info =
      m.rows == 0 ? 0
                  : m.lapack->hermitian(upper ? 'U' : 'L', m.rows, data(m), at_hostData(values));
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: %d elements off the diagonal did not converge to zero",
             info);
  finish(&pool, 2, out, m, values, matrix(&pool, m), NULL);
}

void at_complexEigen(at_tensor **out, at_tensor *a)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = square(&pool, a, "self");
  const Columns vectors = new_columns(&pool, a->type, m.rows, m.rows);
  at_tensor *const values = vector(&pool, a->type, m.rows);
  check_finite(m, "self");
  const int info =
      m.rows == 0 ? 0 : m.lapack->eigen(m.rows, data(m), at_hostData(values), data(vectors));
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: only the eigenvalues from %d + 1 on were found", info);
  finish(&pool, 2, out, m, values, matrix(&pool, vectors), NULL);
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
  check_finite(m, "self");
  int info = 0;
  if (k > 0)
    info = m.lapack->singular(some ? 'S' : 'A', m.rows, m.columns, data(m), at_hostData(s), data(u),
                              data(vh), vh.rows);
  if (info > 0)
    at_raise(AT_ERROR_ARGUMENT, "self: its singular values did not converge");
  if (k == 0 && !some) {
    at_copyFrom(u.memory, at_hold(&pool, at_identity(NULL, u.memory->type, u.rows, u.rows)));
    at_copyFrom(vh.memory, at_hold(&pool, at_identity(NULL, vh.memory->type, vh.rows, vh.rows)));
  }
  at_tensor *const v = at_hold(&pool, at_adjointOf(matrix(&pool, vh)));
  finish(&pool, 3, out, m, matrix(&pool, u), s, v);
}

/* --- determinants ----------------------------------------------------------------------------- */

void at_complexDeterminant(at_tensor **out, at_tensor *a, bool whole)
{
  at_pool pool;
  at_pool_enter(&pool);
  const Columns m = square(&pool, a, "A");
  const int64_t n = m.rows;
  at_tensor *const pivots = vector(&pool, AT_CPU(AT_INT), n);
  if (n > 0)
    m.lapack->lu(m.rows, m.rows, data(m), at_hostData(pivots));
  double re = 1, im = 0, log_size = 0;
  for (int64_t i = 0; i < n; i++) {
    double x, y;
    at_parts(m.memory, i * (n + 1), &x, &y);
    const double size = hypot(x, y), sign = ((int *)at_hostData(pivots))[i] == i + 1 ? 1 : -1;
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
  finish(&pool, whole ? 1 : 2, out, m, sign, log_abs, NULL);
}
