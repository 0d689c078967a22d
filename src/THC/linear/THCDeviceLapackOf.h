/* The functions of THCDeviceLapack.h for the type T, TYPE as CUDA names it, whose functions have the LETTER; PART is
 * the real type of complex ones. */

#define SOLVER(NAME)   TH_CONCAT_2(LETTER, NAME)
#define FUNCTION(NAME) TH_CONCAT_2(NAME, LETTER)

static void FUNCTION(lu)(int m, int n, void *a, int *pivots, int *status)
{
  WITH_WORK(SOLVER(getrf_bufferSize), (m, n, a, m), SOLVER(getrf), m, n, a, m, work, pivots,
            status);
}

static void FUNCTION(cholesky)(int upper, int n, void *a, int *status)
{
  WITH_WORK(SOLVER(potrf_bufferSize), (triangle_of(upper), n, a, n), SOLVER(potrf),
            triangle_of(upper), n, a, n, work, size, status);
}

static void FUNCTION(indefinite)(int n, void *a, int *pivots, int *status)
{
  WITH_WORK(SOLVER(sytrf_bufferSize), (n, a, n), SOLVER(sytrf), CUBLAS_FILL_MODE_LOWER, n, a, n,
            pivots, work, size, status);
}

/* The scratch on the host may be read until the call is done: then the host waits. */
static void FUNCTION(indefiniteSolve)(int n, int columns, const void *a, const int64_t *pivots,
                                      void *b, int *status)
{
  THCSolver solver;
  THGuard memory, buffer;
  size_t device = 0, host = 0;
  THCSolver_open(&solver);
  THC_SOLVE(&solver, Xsytrs_bufferSize, CUBLAS_FILL_MODE_LOWER, n, columns, TYPE, a, n, pivots,
            TYPE, b, n, &device, &host);
  void *const work = THC_scratch(&memory, THMax(device, (size_t)1));
  THGuard_enter(&buffer, THFree);
  buffer.what = host ? THAlloc((ptrdiff_t)host) : NULL;
  THC_SOLVE(&solver, Xsytrs, CUBLAS_FILL_MODE_LOWER, n, columns, TYPE, a, n, pivots, TYPE, b, n,
            work, device, buffer.what, host, status);
  if (host)
    THCudaCheck(cudaStreamSynchronize(solver.stream));
  THGuard_leave(&buffer);
  THGuard_leave(&memory);
  THCSolver_leave(&solver);
}

static void FUNCTION(triangular)(int upper, int transposes, int unit, int n, int columns,
                                 const void *a, void *b)
{
  THC_solveTriangle(THC_using, TYPE, upper, transposes, unit, n, columns, a, n, b, n);
}

#ifdef PART

/* --- orthogonal matrices ---------------------------------------------------------------------- */

static void FUNCTION(reflectors)(int m, int n, void *a, void *tau, int *status)
{
  WITH_WORK(SOLVER(geqrf_bufferSize), (m, n, a, m), SOLVER(geqrf), m, n, a, m, tau, work, size,
            status);
}

static void FUNCTION(orthogonal)(int m, int n, int k, void *a, const void *tau, int *status)
{
  WITH_WORK(SOLVER(ungqr_bufferSize), (m, n, k, a, m, tau), SOLVER(ungqr), m, n, k, a, m, tau, work,
            size, status);
}

static void FUNCTION(orthogonalTimes)(int left, int adjoint, int m, int n, int k, void *a,
                                      const void *tau, void *c, int *status)
{
  const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  const cublasOperation_t how = adjoint ? CUBLAS_OP_C : CUBLAS_OP_N;
  const int rows = left ? m : n;
  WITH_WORK(SOLVER(unmqr_bufferSize), (side, how, m, n, k, a, rows, tau, c, m), SOLVER(unmqr), side,
            how, m, n, k, a, rows, tau, c, m, work, size, status);
}

/* --- eigenvalues and singular values ---------------------------------------------------------- */

static void FUNCTION(hermitian)(int upper, int n, void *a, void *values, int *status)
{
  WITH_WORK(SOLVER(heevd_bufferSize),
            (CUSOLVER_EIG_MODE_VECTOR, triangle_of(upper), n, a, n, values), SOLVER(heevd),
            CUSOLVER_EIG_MODE_VECTOR, triangle_of(upper), n, a, n, values, work, size, status);
}

static void FUNCTION(eigen)(int n, void *a, void *values, void *vectors, int *status)
{
  THCSolver solver;
  THCSolver_open(&solver);
  THCSolver_general(&solver, TYPE, n, a, values, vectors, n, status);
  THCSolver_leave(&solver);
}

static void FUNCTION(singular)(int all, int m, int n, void *a, void *s, void *u, void *v,
                               int *status)
{
  THCSolver solver;
  THGuard memory, jacobi;
  int size = 0;
  THCSolver_open(&solver);
  THCSolver_enterJacobi(&solver, &jacobi);
  THC_SOLVE(&solver, SOLVER(gesvdj_bufferSize), CUSOLVER_EIG_MODE_VECTOR, !all, m, n, a, m, s, u, m,
            v, n, &size, solver.jacobi);
  T *const work = THC_scratch(&memory, (size_t)THMax(size, 1) * sizeof(T));
  THC_SOLVE(&solver, SOLVER(gesvdj), CUSOLVER_EIG_MODE_VECTOR, !all, m, n, a, m, s, u, m, v, n,
            work, size, status, solver.jacobi);
  THGuard_leave(&memory);
  THGuard_leave(&jacobi);
  THCSolver_leave(&solver);
}

static const THCDeviceLapack FUNCTION(table) = {
    FUNCTION(lu),         FUNCTION(cholesky),   FUNCTION(indefinite), FUNCTION(indefiniteSolve),
    FUNCTION(triangular), FUNCTION(reflectors), FUNCTION(orthogonal), FUNCTION(orthogonalTimes),
    FUNCTION(hermitian),  FUNCTION(eigen),      FUNCTION(singular)};

#else
static const THCDeviceLapack FUNCTION(table) = {.lu = FUNCTION(lu),
                                                .cholesky = FUNCTION(cholesky),
                                                .indefinite = FUNCTION(indefinite),
                                                .indefiniteSolve = FUNCTION(indefiniteSolve),
                                                .triangular = FUNCTION(triangular)};
#endif

#undef SOLVER
#undef FUNCTION
#undef T
#undef LETTER
#undef TYPE
#undef PART
