/* Factorizations and systems of batches of matrices, which TH computes one by one. */
#include "linalg.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "ATen/complex/complex.h"
#include "ATen/complex/lapack.h"
#include "ATen/core/ATenOperations.h"

/* A function of one matrix a, and of b if it takes one; out[i] are new tensors. */
typedef struct Each Each;
struct Each {
  void (*call)(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b);
  int results;
  bool flag, other;
};

void at_checkMatrices(const at_tensor *a, const char *name, bool square)
{
  const at_ints sizes = at_sizesOf(a);
  const at_scalar_type type = a->type->scalarType;
  if (type != AT_FLOAT && type != AT_DOUBLE && !at_isComplex(type))
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of Float, Double or a complex type", name,
             at_scalarTypeName(type));
  if (sizes.count < 2 || (square && sizes.data[sizes.count - 1] != sizes.data[sizes.count - 2]))
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to be %smatrices", name,
             at_sizeDesc(sizes).str, square ? "square " : "");
}

/* Matrix i of t, whose batch is merged to one dimension; NULL stays NULL. */
static at_tensor *matrix_of(at_pool *pool, at_tensor *batch, int64_t i)
{
  return batch ? at_hold(pool, at_viewSelect(batch, 0, i)) : NULL;
}

static at_tensor *merged(at_pool *pool, at_tensor *t, int64_t count)
{
  const at_ints own = at_sizesOf(t);
  const int64_t sizes[] = {count, own.data[own.count - 2], own.data[own.count - 1]};
  return at_hold(pool, at_reshaped(t, (at_ints){sizes, 3}));
}

/* A new result for a batch of those that like is one of.  Not inline: the sizes are not to be on the
 * stack when LAPACK is called. */
static __attribute__((noinline)) at_tensor *new_batch(at_pool *pool, at_ints batch,
                                                      const at_tensor *like)
{
  int64_t sizes[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(like);
  at_checkDims(batch.count + own.count);
  for (int d = 0; d < batch.count; d++)
    sizes[d] = batch.data[d];
  for (int d = 0; d < own.count; d++)
    sizes[batch.count + d] = own.data[d];
  return at_hold(pool, at_newShape(like->type, (at_ints){sizes, batch.count + own.count}));
}

/* made, as count tensors of like's size, one after the other: copies like to tensor i. */
static __attribute__((noinline)) void store(at_tensor *made, int64_t count, int64_t i,
                                            at_tensor *like)
{
  int64_t sizes[AT_MOST_DIMS] = {count};
  const at_ints own = at_sizesOf(like);
  for (int d = 0; d < own.count; d++)
    sizes[1 + d] = own.data[d];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const all = at_hold(&pool, at_viewAs(made, (at_ints){sizes, own.count + 1}));
  if (at_numel(like) > 0)
    at_convert(at_hold(&pool, at_viewSelect(all, 0, i)), like);
  at_pool_leave(&pool);
}

/* Ends a function of one matrix whose results the pool holds. */
static void keep(at_pool *pool, int count, at_tensor **out, at_tensor *const *made)
{
  for (int i = 0; i < count; i++)
    out[i] = at_retain(made[i]);
  at_pool_leave(pool);
}

/* Calls the function for one matrix, or one like those of a batch that is empty. */
static void call_one(const Each *how, at_tensor **made, at_tensor *a, at_tensor *b, int64_t i,
                     int64_t count, at_ints batch, at_pool *results)
{
  at_tensor *one[AT_RESULTS] = {NULL};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x =
      count > 0 ? matrix_of(&pool, a, i)
                : at_hold(&pool, at_identity(NULL, a->type, a->th->size[1], a->th->size[2]));
  at_tensor *y = b && count > 0 ? matrix_of(&pool, b, i) : NULL;
  if (b && !y)
    y = at_hold(&pool, at_makeFilled(b->type, (at_ints){b->th->size + 1, 2}, at_scalar_long(0)));
  how->call(how, one, x, y);
  for (int k = 0; k < how->results; k++)
    at_hold(&pool, one[k]);
  for (int k = 0; k < how->results; k++) {
    if (i == 0)
      made[k] = new_batch(results, batch, one[k]);
    if (count > 0)
      store(made[k], count, i, one[k]);
  }
  at_pool_leave(&pool);
}

/* Calls the function for each matrix of a batch.  The pool holds the results. */
static void each(at_pool *pool, const Each *how, at_tensor **made, at_tensor *a, at_tensor *b)
{
  const at_ints batch = {a->th->size, at_sizesOf(a).count - 2};
  int64_t count = 1;
  for (int d = 0; d < batch.count; d++)
    count *= batch.data[d];
  at_tensor *const x = merged(pool, a, count), *const y = b ? merged(pool, b, count) : NULL;
  for (int64_t i = 0; i < THMax(count, 1); i++)
    call_one(how, made, x, y, i, count, batch, pool);
}

/* All results, for functions that take no b. */
static void each_result(at_tensor **out, const Each *how, at_tensor *a)
{
  at_tensor *made[AT_RESULTS] = {NULL};
  at_pool pool;
  at_pool_enter(&pool);
  each(&pool, how, made, a, NULL);
  at_finish(&pool, how->results, out, made);
}

/* The first result. */
static at_tensor *each_one(at_tensor *out, const Each *how, at_tensor *a, at_tensor *b)
{
  at_tensor *made[AT_RESULTS] = {NULL};
  at_pool pool;
  at_pool_enter(&pool);
  each(&pool, how, made, a, b);
  return at_finishOne(&pool, out, made[0]);
}

/* --- determinants and inverses ---------------------------------------------------------------- */

/* On the host, the determinant of factors by elimination, in Double: its sign, and the logarithm of its absolute
 * value. */
static double eliminated(double *a, int64_t n, double *sign)
{
  double sum = 0;
  *sign = 1;
  for (int64_t k = 0; k < n; k++) {
    int64_t top = k;
    for (int64_t i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[top * n + k]))
        top = i;
    const double pivot = a[top * n + k];
    if (top != k)
      *sign = -*sign;
    if (pivot < 0)
      *sign = -*sign;
    if (pivot == 0)
      *sign = 0;
    sum += log(fabs(pivot));
    for (int64_t j = 0; j < n && top != k; j++) {
      const double other = a[k * n + j];
      a[k * n + j] = a[top * n + j];
      a[top * n + j] = other;
    }
    for (int64_t i = k + 1; i < n && pivot != 0; i++)
      for (int64_t j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] / pivot * a[k * n + j];
    if (pivot == 0)
      return (double)-INFINITY;
  }
  return sum;
}

static void signed_log(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  double sign;
  if (at_isComplex(a->type->scalarType)) {
    at_complexDeterminant(out, a, how->flag);
    return;
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const wide = at_hold(&pool, at_newCast(a, at_toScalarType(a->type, AT_DOUBLE)));
  const double log = eliminated(at_hostData(wide), a->th->size[0], &sign);
  const double first = how->flag && sign != 0 ? sign * exp(log) : sign;
  at_tensor *const made[] = {at_hold(&pool, at_newScalar(a->type, at_scalar_double(first))),
                             at_hold(&pool, at_newScalar(a->type, at_scalar_double(log)))};
  keep(&pool, how->results, out, made);
}

at_tensor *at_determinants(at_tensor *out, at_tensor *a)
{
  const Each how = {signed_log, 1, .flag = true};
  at_checkMatrices(a, "A", true);
  if (at_isOnHost(a->type))
    return each_one(out, &how, a, NULL);
  at_pool pool;
  at_pool_enter(&pool);
  return at_finishOne(&pool, out, at_hold(&pool, at_determinant(NULL, a)));
}

void at_signedLogs(at_tensor **out, at_tensor *a)
{
  const Each how = {signed_log, 2};
  at_checkMatrices(a, "A", true);
  if (!at_isOnHost(a->type)) {
    at_signedLogsOnDevice(out, a);
    return;
  }
  each_result(out, &how, a);
}

at_tensor *at_logDeterminants(at_tensor *a)
{
  at_tensor *made[2] = {NULL};
  at_signedLogs(made, a);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const sign = at_hold(&pool, made[0]), *const log = at_hold(&pool, made[1]);
  if (at_isComplex(a->type->scalarType))
    return at_finishOne(&pool, NULL,
                        at_hold(&pool,
                                at_complexFrom(NULL, log, at_hold(&pool, at_angleOf(NULL, sign)))));
  at_tensor *const isNegative =
      at_hold(&pool, at_compareScalar(NULL, AT_ROW_ltValue, sign, at_scalar_long(0)));
  at_tensor *const r =
      at_choose(NULL, isNegative, NULL, at_scalar_double((double)NAN), log, at_scalar_long(0));
  at_pool_leave(&pool);
  return r;
}

static void inverse(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  out[0] = at_inverted(NULL, a);
}

at_tensor *at_inverses(at_tensor *out, at_tensor *a)
{
  const Each how = {inverse, 1};
  if (at_isComplex(a->type->scalarType))
    return at_complexInverses(out, a);
  at_checkMatrices(a, "A", true);
  return each_one(out, &how, a, NULL);
}

/* --- systems ---------------------------------------------------------------------------------- */

/* Only the first result of two. */
static void keep_first(at_tensor **out, at_tensor *const *made)
{
  out[0] = made[0];
  at_release(made[1]);
}

static void solve(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  at_tensor *made[2] = {NULL};
  at_solve(made, b, a);
  keep_first(out, made);
}

/* A new tensor, the solution for one triangular matrix, which is read as it lies if it has no gaps. */
static at_tensor *solved_triangle(at_tensor *a, at_tensor *b, bool upper, bool unit)
{
  const int64_t n = a->th->size[0], columns = b->th->size[1];
  if (n > INT_MAX || columns > INT_MAX)
    at_raise(AT_ERROR_ARGUMENT, "B has size (%s), more than LAPACK counts",
             at_sizeDesc(at_sizesOf(b)).str);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const turned = at_hold(&pool, at_viewTranspose(a, 0, 1));
  const bool byColumns = at_isContiguous(turned);
  at_tensor *const matrix = byColumns ? turned : at_hold(&pool, at_makeContiguous(a));
  at_tensor *const right = at_hold(&pool, at_viewTranspose(b, 0, 1));
  at_tensor *const x = at_hold(&pool, at_newCast(right, b->type));
  const at_triangle_of triangle = {upper == byColumns, !byColumns, unit};
  at_solveColumns(b->type, &triangle, (int)n, (int)columns, at_data(matrix), at_data(x));
  return at_pool_keep(&pool, at_hold(&pool, at_viewTranspose(x, 0, 1)));
}

static void solve_triangular(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  out[0] = solved_triangle(a, b, how->flag, how->other);
}

/* A is L L^H, and the factor L or with upper L^H. */
static at_tensor *solve_by_triangles(at_tensor *factor, at_tensor *b, bool upper)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const adjoint =
      at_hold(&pool, at_isComplex(factor->type->scalarType) ? at_adjointOf(factor)
                                                            : at_viewTranspose(factor, 0, 1));
  at_tensor *const half =
      at_hold(&pool, solved_triangle(upper ? adjoint : factor, b, false, false));
  return at_pool_keep(&pool,
                      at_hold(&pool, solved_triangle(upper ? factor : adjoint, half, true, false)));
}

static void solve_cholesky(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  out[0] = solve_by_triangles(a, b, how->flag);
}

static __attribute__((noinline)) void check_systems(const at_tensor *a, const at_tensor *b)
{
  const at_ints own = at_sizesOf(a), others = at_sizesOf(b);
  if (others.count < 2 || own.data[own.count - 1] != others.data[others.count - 2] ||
      a->type != b->type)
    at_raise(AT_ERROR_ARGUMENT, "A is of %s and of size (%s), B of %s and (%s)",
             at_scalarTypeName(a->type->scalarType), at_sizeDesc(own).str,
             at_scalarTypeName(b->type->scalarType), at_sizeDesc(others).str);
}

/* a and b with their batches broadcast to one; vectors: b is a batch of vectors. */
static at_tensor *solve_each(at_tensor *out, const Each *how, at_tensor *a, at_tensor *b,
                             bool vectors)
{
  int64_t buffer[AT_MOST_DIMS];
  at_pool pool;
  at_pool_enter(&pool);
  if (vectors)
    b = at_hold(&pool, at_viewUnsqueeze(b, -1));
  check_systems(a, b);
  const at_ints own = at_sizesOf(a), others = at_sizesOf(b);
  const at_ints batches[] = {{own.data, own.count - 2}, {others.data, others.count - 2}};
  const at_ints batch = at_broadcastSizes(2, batches, buffer);
  at_checkDims(batch.count + 2);
  at_tensor *wide[2];
  for (int i = 0; i < 2; i++) {
    const at_ints sizes = i == 0 ? own : others;
    buffer[batch.count] = sizes.data[sizes.count - 2];
    buffer[batch.count + 1] = sizes.data[sizes.count - 1];
    wide[i] = at_hold(&pool, at_newExpanded(i == 0 ? a : b, (at_ints){buffer, batch.count + 2}));
  }
  at_tensor *r = at_hold(&pool, each_one(NULL, how, wide[0], wide[1]));
  if (vectors)
    r = at_hold(&pool, at_viewSqueezeDim(r, -1));
  return at_finishOne(&pool, out, r);
}

/* X of X A = B, by the transposed system. */
static at_tensor *solve_right(at_tensor *out, const Each *how, at_tensor *a, at_tensor *b)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const ta = at_hold(&pool, at_viewTranspose(a, -1, -2));
  at_tensor *const tb = at_hold(&pool, at_viewTranspose(b, -1, -2));
  at_tensor *const x = at_hold(&pool, solve_each(NULL, how, ta, tb, false));
  return at_finishOne(&pool, out, at_hold(&pool, at_copied(NULL, at_viewTranspose(x, -1, -2))));
}

at_tensor *at_solutions(at_tensor *out, at_tensor *a, at_tensor *b, bool left)
{
  const Each how = {solve, 1};
  if (at_isComplex(a->type->scalarType))
    return at_complexSolutions(out, a, b, left);
  at_checkMatrices(a, "A", true);
  const at_ints own = at_sizesOf(a), others = at_sizesOf(b);
  /* B is vectors if it is one, or if without the last dimension A has B's size. */
  const bool vectors =
      others.count == 1 ||
      (own.count - 1 == others.count && at_sameSizes((at_ints){own.data, own.count - 1}, others));
  if (left)
    return solve_each(out, &how, a, b, vectors);
  if (vectors)
    at_raise(AT_ERROR_ARGUMENT, "B has size (%s), of vectors, and left is false",
             at_sizeDesc(others).str);
  return solve_right(out, &how, a, b);
}

at_tensor *at_triangularSolutions(at_tensor *out, at_tensor *a, at_tensor *b, bool upper, bool left,
                                  bool unitriangular)
{
  const Each how = {solve_triangular, 1, left ? upper : !upper, unitriangular};
  at_checkMatrices(a, "A", true);
  at_checkMatrices(b, "B", false);
  if (left)
    return solve_each(out, &how, a, b, false);
  return solve_right(out, &how, a, b);
}

at_tensor *at_choleskySolutions(at_tensor *out, at_tensor *b, at_tensor *factor, bool upper)
{
  const Each how = {solve_cholesky, 1, .flag = upper};
  at_checkMatrices(factor, "input2", true);
  at_checkMatrices(b, "self", false);
  return solve_each(out, &how, factor, b, false);
}

/* --- factorizations --------------------------------------------------------------------------- */

/* flag: the whole orthogonal matrix. */
static void orthogonal(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  at_tensor *factors[2] = {NULL};
  if (!how->flag || a->th->size[0] <= a->th->size[1]) {
    at_orthogonal(out, a);
    return;
  }
  at_reflectors(factors, a);
  at_pool pool;
  at_pool_enter(&pool);
  at_hold(&pool, factors[0]);
  at_hold(&pool, factors[1]);
  at_tensor *const eye = at_hold(&pool, at_identity(NULL, a->type, a->th->size[0], a->th->size[0]));
  at_tensor *const made[] = {
      at_hold(&pool, at_orthogonalTimes(NULL, factors[0], factors[1], eye, true, false)),
      at_hold(&pool, at_triangle(NULL, factors[0], 0, false))};
  keep(&pool, 2, out, made);
}

void at_orthogonals(at_tensor **out, at_tensor *a, const char *mode)
{
  const bool complete = !strcmp(mode, "complete"), onlyR = !strcmp(mode, "r");
  const Each how = {orthogonal, 2, .flag = complete};
  const int64_t nothing = 0;
  at_tensor *made[AT_RESULTS] = {NULL};
  if (!complete && !onlyR && strcmp(mode, "reduced"))
    at_raise(AT_ERROR_ARGUMENT, "mode is \"%s\", and has to be reduced, complete or r", mode);
  at_checkMatrices(a, "A", false);
  at_pool pool;
  at_pool_enter(&pool);
  each(&pool, &how, made, a, NULL);
  if (onlyR)
    made[0] = at_hold(&pool, at_newShape(a->type, (at_ints){&nothing, 1}));
  at_finish(&pool, 2, out, made);
}

static void reflect(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  at_reflectors(out, a);
}

void at_reflectorsOfAll(at_tensor **out, at_tensor *a)
{
  const Each how = {reflect, 2};
  at_checkMatrices(a, "self", false);
  each_result(out, &how, a);
}

/* flag: square orthogonal matrices. */
static void singular(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  at_tensor *made[3] = {NULL};
  at_singularValues(made, a, !how->flag);
  at_pool pool;
  at_pool_enter(&pool);
  for (int i = 0; i < 3; i++)
    at_hold(&pool, made[i]);
  made[2] = at_hold(&pool, at_isComplex(a->type->scalarType) ? at_adjointOf(made[2])
                                                             : at_viewTranspose(made[2], 0, 1));
  keep(&pool, 3, out, made);
}

void at_singulars(at_tensor **out, at_tensor *a, bool full_matrices)
{
  const Each how = {singular, 3, .flag = full_matrices};
  at_checkMatrices(a, "A", false);
  each_result(out, &how, a);
}

at_tensor *at_singularsOf(at_tensor *out, at_tensor *a)
{
  const Each how = {singular, 3};
  at_tensor *made[AT_RESULTS] = {NULL};
  at_checkMatrices(a, "A", false);
  at_pool pool;
  at_pool_enter(&pool);
  each(&pool, &how, made, a, NULL);
  return at_finishOne(&pool, out, made[1]);
}

static void symmetric(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  at_symmetricEigen(out, a, true, how->flag);
}

static void general(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  at_complexEigen(out, a);
}

void at_complexEigens(at_tensor **out, at_tensor *a)
{
  const Each how = {general, 2};
  at_checkMatrices(a, "self", true);
  each_result(out, &how, a);
}

at_tensor *at_complexEigenvalues(at_tensor *out, at_tensor *a)
{
  const Each how = {general, 2};
  at_checkMatrices(a, "self", true);
  return each_one(out, &how, a, NULL);
}

static bool is_upper(const char *triangle)
{
  if (strcmp(triangle, "L") && strcmp(triangle, "U"))
    at_raise(AT_ERROR_ARGUMENT, "UPLO is \"%s\", and has to be L or U", triangle);
  return triangle[0] == 'U';
}

void at_symmetricEigens(at_tensor **out, at_tensor *a, const char *triangle)
{
  const Each how = {symmetric, 2, .flag = is_upper(triangle)};
  at_checkMatrices(a, "A", true);
  each_result(out, &how, a);
}

at_tensor *at_symmetricEigenvalues(at_tensor *out, at_tensor *a, const char *triangle)
{
  const Each how = {symmetric, 2, .flag = is_upper(triangle)};
  at_checkMatrices(a, "A", true);
  return each_one(out, &how, a, NULL);
}

static void cholesky(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  out[0] = at_choleskyFactor(NULL, a, how->flag);
}

at_tensor *at_choleskies(at_tensor *out, at_tensor *a, bool upper)
{
  const Each how = {cholesky, 1, .flag = upper};
  at_checkMatrices(a, "A", true);
  return each_one(out, &how, a, NULL);
}

static void cholesky_inverse(const Each *how, at_tensor **out, at_tensor *a, at_tensor *b)
{
  if (!at_isComplex(a->type->scalarType)) {
    out[0] = at_choleskyInverse(NULL, a, how->flag);
    return;
  }
  at_checkComplexDiagonal(a, "self");
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const eye = at_hold(&pool, at_identity(NULL, a->type, a->th->size[0], a->th->size[0]));
  out[0] = solve_by_triangles(a, eye, how->flag);
  at_pool_leave(&pool);
}

at_tensor *at_choleskyInverses(at_tensor *out, at_tensor *factor, bool upper)
{
  const Each how = {cholesky_inverse, 1, .flag = upper};
  at_checkMatrices(factor, "self", true);
  return each_one(out, &how, factor, NULL);
}
