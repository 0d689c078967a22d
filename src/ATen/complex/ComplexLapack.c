/* LAPACK's functions of complex matrices, with scratch of the size that they ask for. */
#include <math.h>

#include "lapack.h"

#include "TH/linear/THLapackComplex.h"
#include "TH/linear/THWork.h"

#include "THTemplate.h"

#ifdef TH_REAL_IS_DOUBLE
#define PAIRS   AT_COMPLEX_DOUBLE
#define REALS   AT_DOUBLE
#define EPSILON 0x1p-53
#else
#define PAIRS   AT_COMPLEX_FLOAT
#define REALS   AT_FLOAT
#define EPSILON 0x1p-24
#endif

#define ROWS(N) THMax(N, 1)

/* Scratch for count elements, at least one. */
static void *scratch(at_pool *pool, at_scalar_type type, int64_t count)
{
  count = THMax(count, 1);
  return at_hostData(at_hold(pool, at_newShape(AT_CPU(type), (at_ints){&count, 1})));
}

/* Calls LAPACK once for the size of its scratch, which it wants to be at least LEAST, and once more. */
#define WITH_SCRATCH(POOL, NAME, LEAST, ...)                                   \
  do {                                                                         \
    real query[2] = {0};                                                       \
    real *work = query;                                                        \
    int lwork = -1;                                                            \
    CALL(NAME, __VA_ARGS__);                                                   \
    lwork = THWork_scratch((double)query[0], EPSILON, THMax(LEAST, 1), #NAME); \
    work = scratch(POOL, PAIRS, lwork);                                        \
    CALL(NAME, __VA_ARGS__);                                                   \
  } while (0)
#define CALL(NAME, ...) THLapack_(complex_##NAME)(__VA_ARGS__)

static int lu(int m, int n, void *a, int *pivots)
{
  int info = 0;
  THLapack_(complex_getrf)(m, n, a, ROWS(m), pivots, &info);
  return info;
}

static int cholesky(char uplo, int n, void *a)
{
  int info = 0;
  THLapack_(complex_potrf)(uplo, n, a, ROWS(n), &info);
  return info;
}

/* --- orthogonal matrices ---------------------------------------------------------------------- */

static int reflectors(int m, int n, void *a, void *tau)
{
  int info = 0;
  at_pool pool;
  at_pool_enter(&pool);
  WITH_SCRATCH(&pool, geqrf, n, m, n, a, ROWS(m), tau, work, lwork, &info);
  at_pool_leave(&pool);
  return info;
}

static int orthogonal(int m, int n, int k, void *a, void *tau)
{
  int info = 0;
  at_pool pool;
  at_pool_enter(&pool);
  WITH_SCRATCH(&pool, ungqr, n, m, n, k, a, ROWS(m), tau, work, lwork, &info);
  at_pool_leave(&pool);
  return info;
}

static int orthogonalTimes(char side, char trans, int m, int n, int k, void *a, void *tau, void *c)
{
  const int rows = ROWS(side == 'L' ? m : n), least = side == 'L' ? n : m;
  int info = 0;
  at_pool pool;
  at_pool_enter(&pool);
  WITH_SCRATCH(&pool, unmqr, least, side, trans, m, n, k, a, rows, tau, c, ROWS(m), work, lwork,
               &info);
  at_pool_leave(&pool);
  return info;
}

/* --- eigenvalues and singular values ---------------------------------------------------------- */

static int hermitian(char uplo, int n, void *a, void *values)
{
  int info = 0;
  at_pool pool;
  at_pool_enter(&pool);
  real *const rwork = scratch(&pool, REALS, 3 * (int64_t)n);
  WITH_SCRATCH(&pool, heev, 2 * (int64_t)n, 'V', uplo, n, a, ROWS(n), values, work, lwork, rwork,
               &info);
  at_pool_leave(&pool);
  return info;
}

static int eigen(int n, void *a, void *values, void *vectors)
{
  int info = 0;
  at_pool pool;
  at_pool_enter(&pool);
  real *const rwork = scratch(&pool, REALS, 2 * (int64_t)n);
  WITH_SCRATCH(&pool, geev, 2 * (int64_t)n, 'N', 'V', n, a, ROWS(n), values, NULL, 1, vectors,
               ROWS(n), work, lwork, rwork, &info);
  at_pool_leave(&pool);
  return info;
}

static int singular(char job, int m, int n, void *a, void *s, void *u, void *vh, int rowsOfVh)
{
  const int64_t least = THMin(m, n), most = THMax(m, n);
  int info = 0;
  at_pool pool;
  at_pool_enter(&pool);
  real *const rwork = scratch(&pool, REALS, least * (5 * least + 2 * most + 8));
  int *const iwork = scratch(&pool, AT_INT, 8 * least);
  WITH_SCRATCH(&pool, gesdd, least * least + 3 * least + most, job, m, n, a, ROWS(m), s, u, ROWS(m),
               vh, ROWS(rowsOfVh), work, lwork, rwork, iwork, &info);
  at_pool_leave(&pool);
  return info;
}

/* --- symmetric and Hermitian matrices --------------------------------------------------------- */

static int indefinite(bool isHermitian, int n, void *a, int *pivots)
{
  int info = 0;
  at_pool pool;
  at_pool_enter(&pool);
  if (isHermitian)
    WITH_SCRATCH(&pool, hetrf, n, 'L', n, a, ROWS(n), pivots, work, lwork, &info);
  else
    WITH_SCRATCH(&pool, sytrf, n, 'L', n, a, ROWS(n), pivots, work, lwork, &info);
  at_pool_leave(&pool);
  return info;
}

static int indefiniteSolve(bool isHermitian, int n, int columns, void *a, int *pivots, void *b)
{
  int info = 0;
  if (isHermitian)
    THLapack_(complex_hetrs)('L', n, columns, a, ROWS(n), pivots, b, ROWS(n), &info);
  else
    THLapack_(complex_sytrs)('L', n, columns, a, ROWS(n), pivots, b, ROWS(n), &info);
  return info;
}

static bool isFinite(int64_t count, const void *a)
{
  const real *const parts = a;
  for (int64_t i = 0; i < 2 * count; i++)
    if (!isfinite(parts[i]))
      return false;
  return true;
}

const at_complex_lapack TH_CONCAT_2(at_complexLapack, Real) = {
    lu,    cholesky, reflectors, orthogonal,      orthogonalTimes, hermitian,
    eigen, singular, indefinite, indefiniteSolve, isFinite};
