/* LAPACK's functions on the device, by cuSOLVER and cuBLAS. */
#define TH_TEMPLATE_DEVICE "THC/linear/THCLapack.h"
#include "THTemplate.h"

#include "TH/linear/THTensorWork.h"
#include "THCProduct.h"
#include "thc_matrix.h"

#if defined(TH_REAL_IS_DOUBLE)
#define SOLVER(NAME) D##NAME
#define TYPE         CUDA_R_64F
#else
#define SOLVER(NAME) S##NAME
#define TYPE         CUDA_R_32F
#endif

/* Whether there is nothing to compute. */
static int is_empty(int size, real *work, int lwork, int *info)
{
  *info = 0;
  if (size == 0 && lwork == -1)
    *work = 1;
  return size == 0;
}

/* How much scratch cuSOLVER asks for. */
#define QUERY(NAME, ...)                                \
  __extension__({                                       \
    THCSolver th_solver;                                \
    int th_size = 0;                                    \
    THCSolver_open(&th_solver);                         \
    THC_SOLVE(&th_solver, NAME, __VA_ARGS__, &th_size); \
    THCSolver_leave(&th_solver);                        \
    th_size;                                            \
  })

/* The answer to LAPACK's question for scratch, an element: THWork_scratch has to find no less. */
static real answer(int size, const char *function)
{
  if (ceil((double)(real)size * (1 + TH_WORK_EPSILON)) > INT_MAX)
    THError("%s: the scratch of %d elements is more than can be counted", function, size);
  return (real)size;
}

#define ANSWER(NAME, ...)                                         \
  if (lwork == -1) {                                              \
    *work = answer(QUERY(NAME, __VA_ARGS__), TH_STRING_OF(NAME)); \
    return;                                                       \
  }

static cublasFillMode_t triangle_of(char uplo)
{
  return uplo == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}

static cublasOperation_t operation_of(char trans)
{
  return trans == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T;
}

static void transpose(real *r, int64_t ldr, const real *t, int64_t ldt, int64_t rows,
                      int64_t columns)
{
  const THCMatrixCopy how = {r, t, rows, columns, 1, ldr, ldt, 1, THC_MATRIX_ALL};
  TH_CONCAT_2(THCMatrix_copy_, Real)(&how, THCState_getCurrentStream(THC_using));
  THCudaCheck(cudaGetLastError());
}

/* --- general matrices ------------------------------------------------------------------------- */

void THLapack_(getrf)(int m, int n, real *a, int lda, int *ipiv, int *info)
{
  if (is_empty(THMin(m, n), NULL, 0, info))
    return;
  THGuard memory;
  THCSolver solver;
  const int size = QUERY(SOLVER(getrf_bufferSize), m, n, a, lda);
  real *scratch = THC_scratch(&memory, (size_t)THMax(size, 1) * sizeof(real));
  THCSolver_open(&solver);
  THC_SOLVE(&solver, SOLVER(getrf), m, n, a, lda, scratch, ipiv, solver.status);
  *info = THCSolver_close(&solver);
  THGuard_leave(&memory);
}

void THLapack_(getrs)(char trans, int n, int nrhs, real *a, int lda, int *ipiv, real *b, int ldb,
                      int *info)
{
  if (is_empty(THMin(n, nrhs), NULL, 0, info))
    return;
  THCSolver solver;
  THCSolver_open(&solver);
  THC_SOLVE(&solver, SOLVER(getrs), operation_of(trans), n, nrhs, a, lda, ipiv, b, ldb,
            solver.status);
  THCSolver_leave(&solver);
}

void THLapack_(gesv)(int n, int nrhs, real *a, int lda, int *ipiv, real *b, int ldb, int *info)
{
  THLapack_(getrf)(n, n, a, lda, ipiv, info);
  if (*info == 0)
    THLapack_(getrs)('N', n, nrhs, a, lda, ipiv, b, ldb, info);
}

/* The inverse solves a system whose right side is the identity. */
void THLapack_(getri)(int n, real *a, int lda, int *ipiv, real *work, int lwork, int *info)
{
  if (is_empty(n, work, lwork, info))
    return;
  if (lwork == -1) {
    *work = 1;
    return;
  }
  THGuard memory;
  real *factors = THC_scratch(&memory, (size_t)n * (size_t)n * sizeof(real));
  THTensor_(copyRows)(factors, n, a, lda, n, n);
  THTensor_(setIdentity)(a, n);
  THLapack_(getrs)('N', n, n, factors, n, ipiv, a, lda, info);
  THGuard_leave(&memory);
}

/* --- triangular matrices ---------------------------------------------------------------------- */

static void solve_triangle(char uplo, char trans, char diag, int n, int nrhs, const real *a,
                           int lda, real *b, int ldb)
{
  THC_solveTriangle(THC_using, TYPE, uplo == 'U', trans != 'N', diag == 'U', n, nrhs, a, lda, b,
                    ldb);
}

void THLapack_(trtrs)(char uplo, char trans, char diag, int n, int nrhs, real *a, int lda, real *b,
                      int ldb, int *info)
{
  if (is_empty(n, NULL, 0, info))
    return;
  if (diag == 'N')
    *info = THTensor_(zeroOnDiagonal)(a, lda, n);
  if (*info == 0 && nrhs)
    solve_triangle(uplo, trans, diag, n, nrhs, a, lda, b, ldb);
}

/* --- positive definite matrices --------------------------------------------------------------- */

/* The factor, or from it the inverse. */
static void positive(int isInverse, char uplo, int n, real *a, int lda, int *info)
{
  if (is_empty(n, NULL, 0, info))
    return;
  THGuard memory;
  THCSolver solver;
  const cublasFillMode_t triangle = triangle_of(uplo);
  const int size = isInverse ? QUERY(SOLVER(potri_bufferSize), triangle, n, a, lda)
                             : QUERY(SOLVER(potrf_bufferSize), triangle, n, a, lda);
  real *scratch = THC_scratch(&memory, (size_t)THMax(size, 1) * sizeof(real));
  THCSolver_open(&solver);
  if (isInverse)
    THC_SOLVE(&solver, SOLVER(potri), triangle, n, a, lda, scratch, size, solver.status);
  else
    THC_SOLVE(&solver, SOLVER(potrf), triangle, n, a, lda, scratch, size, solver.status);
  *info = THCSolver_close(&solver);
  THGuard_leave(&memory);
}

void THLapack_(potrf)(char uplo, int n, real *a, int lda, int *info)
{
  positive(0, uplo, n, a, lda, info);
}

void THLapack_(potri)(char uplo, int n, real *a, int lda, int *info)
{
  positive(1, uplo, n, a, lda, info);
}

void THLapack_(potrs)(char uplo, int n, int nrhs, real *a, int lda, real *b, int ldb, int *info)
{
  if (is_empty(THMin(n, nrhs), NULL, 0, info))
    return;
  THCSolver solver;
  THCSolver_open(&solver);
  THC_SOLVE(&solver, SOLVER(potrs), triangle_of(uplo), n, nrhs, a, lda, b, ldb, solver.status);
  THCSolver_leave(&solver);
}

/* --- orthogonal matrices ---------------------------------------------------------------------- */

void THLapack_(geqrf)(int m, int n, real *a, int lda, real *tau, real *work, int lwork, int *info)
{
  if (is_empty(THMin(m, n), work, lwork, info))
    return;
  ANSWER(SOLVER(geqrf_bufferSize), m, n, a, lda)
  THCSolver solver;
  THCSolver_open(&solver);
  THC_SOLVE(&solver, SOLVER(geqrf), m, n, a, lda, tau, work, lwork, solver.status);
  THCSolver_leave(&solver);
}

void THLapack_(orgqr)(int m, int n, int k, real *a, int lda, real *tau, real *work, int lwork,
                      int *info)
{
  if (is_empty(THMin(n, k), work, lwork, info))
    return;
  ANSWER(SOLVER(orgqr_bufferSize), m, n, k, a, lda, tau)
  THCSolver solver;
  THCSolver_open(&solver);
  THC_SOLVE(&solver, SOLVER(orgqr), m, n, k, a, lda, tau, work, lwork, solver.status);
  THCSolver_leave(&solver);
}

void THLapack_(ormqr)(char side, char trans, int m, int n, int k, real *a, int lda, real *tau,
                      real *c, int ldc, real *work, int lwork, int *info)
{
  if (is_empty(THMin(THMin(m, n), k), work, lwork, info))
    return;
  const cublasSideMode_t where = side == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  ANSWER(SOLVER(ormqr_bufferSize), where, operation_of(trans), m, n, k, a, lda, tau, c, ldc)
  THCSolver solver;
  THCSolver_open(&solver);
  THC_SOLVE(&solver, SOLVER(ormqr), where, operation_of(trans), m, n, k, a, lda, tau, c, ldc, work,
            lwork, solver.status);
  THCSolver_leave(&solver);
}

/* --- least squares ---------------------------------------------------------------------------- */

/* geqrf and ormqr with scratch of their own. */
static void factor(int m, int n, real *a, int lda, real *tau, int *info)
{
  THGuard memory;
  real size = 0;
  THLapack_(geqrf)(m, n, a, lda, tau, &size, -1, info);
  const int count = THWork_scratch((double)size, TH_WORK_EPSILON, n, "geqrf");
  real *scratch = THC_scratch(&memory, (size_t)count * sizeof(real));
  THLapack_(geqrf)(m, n, a, lda, tau, scratch, count, info);
  THGuard_leave(&memory);
}

static void multiply(char trans, int m, int nrhs, int k, real *a, int lda, real *tau, real *b,
                     int ldb, int *info)
{
  THGuard memory;
  real size = 0;
  THLapack_(ormqr)('L', trans, m, nrhs, k, a, lda, tau, b, ldb, &size, -1, info);
  const int count = THWork_scratch((double)size, TH_WORK_EPSILON, nrhs, "ormqr");
  real *scratch = THC_scratch(&memory, (size_t)count * sizeof(real));
  THLapack_(ormqr)('L', trans, m, nrhs, k, a, lda, tau, b, ldb, scratch, count, info);
  THGuard_leave(&memory);
}

/* Solves for a of full column rank: a = Q R, and R x = Q' b. */
static void solve_tall(int m, int n, int nrhs, real *a, int lda, real *b, int ldb, real *tau,
                       int *info)
{
  factor(m, n, a, lda, tau, info);
  if (*info == 0)
    multiply('T', m, nrhs, n, a, lda, tau, b, ldb, info);
  if (*info == 0)
    THLapack_(trtrs)('U', 'N', 'N', n, nrhs, a, lda, b, ldb, info);
}

/* The shortest of several: a' = Q R, R' y = b, x = Q y, where b has zeros below its m rows.  a
 * becomes the transpose of these factors, which is what LAPACK's gelqf leaves. */
static void solve_wide(int m, int n, int nrhs, real *a, int lda, real *b, int ldb, real *tau,
                       int *info)
{
  THGuard memory;
  real *t = THC_scratch(&memory, (size_t)m * (size_t)n * sizeof(real));
  transpose(t, n, a, lda, n, m);
  factor(n, m, t, n, tau, info);
  if (*info == 0 && (*info = THTensor_(zeroOnDiagonal)(t, n, m)) == 0) {
    solve_triangle('U', 'T', 'N', m, nrhs, t, n, b, ldb);
    multiply('N', n, nrhs, m, t, n, tau, b, ldb, info);
    transpose(a, lda, t, n, m, n);
  }
  THGuard_leave(&memory);
}

/* work holds tau: min(m, n) elements. */
void THLapack_(gels)(char trans, int m, int n, int nrhs, real *a, int lda, real *b, int ldb,
                     real *work, int lwork, int *info)
{
  if (is_empty(THMin(THMin(m, n), nrhs), work, lwork, info))
    return;
  if (lwork == -1)
    *work = (real)THMin(m, n);
  else if (m >= n)
    solve_tall(m, n, nrhs, a, lda, b, ldb, work, info);
  else
    solve_wide(m, n, nrhs, a, lda, b, ldb, work, info);
}

/* --- eigenvalues, singular values ------------------------------------------------------------- */

void THLapack_(syev)(char jobz, char uplo, int n, real *a, int lda, real *w, real *work, int lwork,
                     int *info)
{
  if (is_empty(n, work, lwork, info))
    return;
  const cusolverEigMode_t mode =
      jobz == 'V' ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  ANSWER(SOLVER(syevd_bufferSize), mode, triangle_of(uplo), n, a, lda, w)
  THCSolver solver;
  THCSolver_open(&solver);
  THC_SOLVE(&solver, SOLVER(syevd), mode, triangle_of(uplo), n, a, lda, w, work, lwork,
            solver.status);
  *info = THCSolver_close(&solver);
}

/* The real parts, then the imaginary ones, follow each other in wr. */
void THLapack_(geev)(char jobvl, char jobvr, int n, real *a, int lda, real *wr, real *wi, real *vl,
                     int ldvl, real *vr, int ldvr, real *work, int lwork, int *info)
{
  if (is_empty(n, work, lwork, info))
    return;
  if (lwork == -1) {
    *work = 1;
    return;
  }
  THCSolver solver;
  THCSolver_open(&solver);
  THCSolver_general(&solver, TYPE, n, a, wr, jobvr == 'V' ? vr : NULL, ldvr, solver.status);
  *info = THCSolver_wait(&solver);
  THCSolver_leave(&solver);
}

/* Singular values by Jacobi's method, which has V where LAPACK has its transpose.  A status of min(m, n) + 1 says
 * that it has not converged. */
#define JACOBI mode, jobu == 'S', m, n, a, lda, s, u, THMax(ldu, m), v, n

void THLapack_(gesvd)(char jobu, char jobvt, int m, int n, real *a, int lda, real *s, real *u,
                      int ldu, real *vt, int ldvt, real *work, int lwork, int *info)
{
  const int k = THMin(m, n), rows = jobu == 'A' ? n : k;
  if (is_empty(k, work, lwork, info))
    return;
  const cusolverEigMode_t mode =
      jobu == 'N' ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR;
  THCSolver solver;
  THGuard memory, jacobi;
  real *v = THC_scratch(&memory, (size_t)n * (size_t)(jobu == 'N' ? 1 : rows) * sizeof(real));
  THCSolver_open(&solver);
  THCSolver_enterJacobi(&solver, &jacobi);
  if (lwork == -1) {
    int size = 0;
    THC_SOLVE(&solver, SOLVER(gesvdj_bufferSize), JACOBI, &size, solver.jacobi);
    *work = answer(size, "gesvdj");
  } else {
    THC_SOLVE(&solver, SOLVER(gesvdj), JACOBI, work, lwork, solver.status, solver.jacobi);
    *info = THMin(THCSolver_wait(&solver), k);
    if (jobu != 'N')
      transpose(vt, ldvt, v, n, rows, n);
  }
  THGuard_leave(&jacobi);
  THCSolver_leave(&solver);
  THGuard_leave(&memory);
}
