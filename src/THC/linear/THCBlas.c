/* cuBLAS on the current stream, by a handle of that stream: checks of arguments, and cuBLAS's functions for all
 * types. */
#include "THCBlas.h"

#include <limits.h>

#include "THCProduct.h"
#include "thc_integers.h"

/* --- handles -------------------------------------------------------------------------------- */

/* The workspace that cuBLAS recommends; larger from compute capability 9 on. */
static size_t workspace_bytes(int device)
{
  return (size_t)(THC_using->deviceProperties[device].major >= 9 ? 32 : 4) << 20;
}

static void destroy_handle(void *handle)
{
  cublasDestroy(handle);
}

/* A handle on the stream, with the stream's workspace. */
static void *make_handle(THCStream *stream)
{
  const size_t bytes = workspace_bytes(stream->device);
  void *workspace = THCStream_memory(stream, THC_STREAM_BLAS, bytes);
  cublasHandle_t handle;
  THGuard guard;
  THGuard_enter(&guard, destroy_handle);
  THCublasCheck(cublasCreate(&handle));
  guard.what = handle;
  THCublasCheck(cublasSetStream(handle, stream->stream));
  THCublasCheck(cublasSetWorkspace(handle, workspace, bytes)); /* cublasSetStream has reset it */
  return THGuard_keep(&guard);
}

/* The handle of the current stream, until the guard is left. */
static cublasHandle_t open_handle(THGuard *locked, THCState *state)
{
  return THCStream_handle(locked, THCState_getStream(state), THC_STREAM_CUBLAS, make_handle);
}

void *THC_blasHandle(THGuard *locked, THCState *state, size_t *bytes)
{
  *bytes = workspace_bytes(THCState_getStream(state)->device);
  return open_handle(locked, state);
}

void THC_needBlas(THCState *state)
{
  THGuard locked;
  open_handle(&locked, state);
  THGuard_leave(&locked);
}

/* --- checks --------------------------------------------------------------------------------- */

static int to_int(int64_t value, int64_t least, const char *name, int arg)
{
  THArgCheck(value >= least, arg, "%s is %lld, and has to be at least %lld", name, (long long)value,
             (long long)least);
  THArgCheck(value <= INT_MAX, arg, "%s is %lld, more than cuBLAS can count", name,
             (long long)value);
  return (int)value;
}

static int to_size(int64_t value, const char *name, int arg)
{
  return to_int(value, 0, name, arg);
}

/* The leading dimension of a matrix of one column is not used, and may be any number. */
static int to_leading(int64_t ld, int64_t rows, int64_t columns, const char *name, int arg)
{
  return columns <= 1 ? (int)THMax(1, rows) : to_int(ld, THMax(1, rows), name, arg);
}

static int to_step(int64_t step, int64_t n, const char *name, int arg)
{
  if (n <= 1)
    return 1;
  THArgCheck(step != 0 && step >= -INT_MAX, arg, "%s is %lld, which is not a step of cuBLAS", name,
             (long long)step);
  return step < 0 ? (int)step : to_int(step, 1, name, arg);
}

static int transposes(char trans, const char *name, int arg)
{
  const int yes = trans == 't' || trans == 'T' || trans == 'c' || trans == 'C';
  THArgCheck(yes || trans == 'n' || trans == 'N', arg, "%s is '%c', and has to be 'n', 't' or 'c'",
             name, trans);
  return yes;
}

static cublasOperation_t operation(int transposed)
{
  return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* --- products, their numbers checked -------------------------------------------------------- */

void THC_multiply(THCState *state, const THCProduct *p)
{
  const int is_double = p->type == CUDA_R_64F;
  const cublasComputeType_t sums = is_double ? CUBLAS_COMPUTE_64F
                                   : p->type == CUDA_R_32F && THCState_getAllowTF32(state)
                                       ? CUBLAS_COMPUTE_32F_FAST_TF32
                                       : CUBLAS_COMPUTE_32F;
  const float alpha = (float)p->alpha, beta = (float)p->beta;
  const void *by = is_double ? (const void *)&p->alpha : &alpha;
  const void *keep = is_double ? (const void *)&p->beta : &beta;
  const cublasOperation_t opa = operation(p->transposesA), opb = operation(p->transposesB);
  const int m = to_size(p->m, "m", 0), n = to_size(p->n, "n", 0), k = to_size(p->k, "k", 0);
  const int count = to_size(p->count, "the number of products", 0);
  const int lda =
      p->transposesA ? to_leading(p->lda, k, m, "lda", 0) : to_leading(p->lda, m, k, "lda", 0);
  const int ldb =
      p->transposesB ? to_leading(p->ldb, n, k, "ldb", 0) : to_leading(p->ldb, k, n, "ldb", 0);
  const int ldc = to_leading(p->ldc, m, n, "ldc", 0);
  if (m == 0 || n == 0 || count == 0)
    return;

  THGuard locked;
  cublasHandle_t handle = open_handle(&locked, state);
  if (p->as)
    THCublasCheck(cublasGemmBatchedEx(handle, opa, opb, m, n, k, by, p->as, p->type, lda, p->bs,
                                      p->type, ldb, keep, p->cs, p->resultType, ldc, count, sums,
                                      CUBLAS_GEMM_DEFAULT));
  else if (count == 1)
    THCublasCheck(cublasGemmEx(handle, opa, opb, m, n, k, by, p->a, p->type, lda, p->b, p->type,
                               ldb, keep, p->c, p->resultType, ldc, sums, CUBLAS_GEMM_DEFAULT));
  else
    THCublasCheck(cublasGemmStridedBatchedEx(handle, opa, opb, m, n, k, by, p->a, p->type, lda,
                                             p->strideA, p->b, p->type, ldb, p->strideB, keep, p->c,
                                             p->resultType, ldc, p->strideC, count, sums,
                                             CUBLAS_GEMM_DEFAULT));
  THGuard_leave(&locked);
}

void THC_multiplyVector(THCState *state, cudaDataType type, int transposed, int64_t m, int64_t n,
                        double alpha, const void *a, int64_t lda, const void *x, int64_t incx,
                        double beta, void *y, int64_t incy)
{
  if (type == CUDA_R_16F) { /* y' = x' a', a product of matrices of one row */
    const THCProduct product = {.type = type,
                                .resultType = type,
                                .transposesB = !transposed,
                                .m = 1,
                                .n = transposed ? n : m,
                                .k = transposed ? m : n,
                                .alpha = alpha,
                                .beta = beta,
                                .a = x,
                                .lda = incx,
                                .b = a,
                                .ldb = lda,
                                .c = y,
                                .ldc = incy,
                                .count = 1};
    THC_multiply(state, &product);
    return;
  }
  const int rows = to_size(m, "m", 0), columns = to_size(n, "n", 0);
  const int ld = to_leading(lda, m, n, "lda", 0);
  const int stepX = to_step(incx, transposed ? m : n, "incx", 0);
  const int stepY = to_step(incy, transposed ? n : m, "incy", 0);
  const float by = (float)alpha, keep = (float)beta;
  THGuard locked;
  cublasHandle_t handle = open_handle(&locked, state);
  if (type == CUDA_R_64F)
    THCublasCheck(cublasDgemv(handle, operation(transposed), rows, columns, &alpha, a, ld, x, stepX,
                              &beta, y, stepY));
  else
    THCublasCheck(cublasSgemv(handle, operation(transposed), rows, columns, &by, a, ld, x, stepX,
                              &keep, y, stepY));
  THGuard_leave(&locked);
}

void THC_solveTriangle(THCState *state, cudaDataType type, int upper, int transposes, int unit,
                       int n, int columns, const void *a, int lda, void *b, int ldb)
{
  const cublasFillMode_t triangle = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasDiagType_t diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const float single = 1;
  const double both = 1;
  const cuComplex pair = {1, 0};
  const cuDoubleComplex widePair = {1, 0};
  THGuard locked;
  cublasHandle_t handle = open_handle(&locked, state);
#define TRSM(LETTER, ONE)                                                                       \
  THCublasCheck(cublas##LETTER##trsm(handle, CUBLAS_SIDE_LEFT, triangle, operation(transposes), \
                                     diagonal, n, columns, &(ONE), a, lda, b, ldb))
  if (type == CUDA_R_64F)
    TRSM(D, both);
  else if (type == CUDA_C_32F)
    TRSM(C, pair);
  else if (type == CUDA_C_64F)
    TRSM(Z, widePair);
  else
    TRSM(S, single);
#undef TRSM
  THGuard_leave(&locked);
}

static void free_memory(void *memory)
{
  THCudaFree(THC_using, memory);
}

/* A dot product.  The sum goes through device memory, so that the lock is not held while the host
 * waits for the sum. */
double THC_dot(THCState *state, cudaDataType type, int64_t n, const void *x, int64_t incx,
               const void *y, int64_t incy)
{
  union {
    float single;
    double both;
  } sum;
  const int is_double = type == CUDA_R_64F;
  const size_t bytes = is_double ? sizeof(double) : sizeof(float);
  const int stepX = to_step(incx, n, "incx", 3), stepY = to_step(incy, n, "incy", 5);
  const int count = to_size(n, "n", 1);
  if (n == 0)
    return 0;
  THC_needBlas(state);
  THGuard guard;
  THGuard_enter(&guard, free_memory);
  THCDeviceAllocator *allocator = state->cudaDeviceAllocator;
  void *result = guard.what = THC_allocate(state, allocator, allocator->state, bytes);
  if (type == CUDA_R_16F) {
    THArgCheck(stepX > 0 && stepY > 0, 3, "steps of %d and %d go backward, which half cannot",
               stepX, stepY);
    const THCProduct product = {.type = type,
                                .resultType = CUDA_R_32F,
                                .transposesB = 1,
                                .m = 1,
                                .n = 1,
                                .k = n,
                                .alpha = 1,
                                .a = x,
                                .lda = stepX,
                                .b = y,
                                .ldb = stepY,
                                .c = result,
                                .ldc = 1,
                                .count = 1};
    THC_multiply(state, &product);
  } else {
    THGuard locked;
    cublasHandle_t handle = open_handle(&locked, state);
    THCublasCheck(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    const cublasStatus_t status = is_double ? cublasDdot(handle, count, x, stepX, y, stepY, result)
                                            : cublasSdot(handle, count, x, stepX, y, stepY, result);
    THCublasCheck(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    THCublasCheck(status);
    THGuard_leave(&locked);
  }
  const cudaStream_t stream = THCState_getCurrentStream(state);
  THCudaCheck(cudaMemcpyAsync(&sum, result, bytes, cudaMemcpyDeviceToHost, stream));
  THC_wait(state);
  THGuard_leave(&guard);
  return is_double ? sum.both : (double)sum.single;
}

int64_t THC_dotIntegers(THCState *state, THScalarType type, ptrdiff_t n, const void *x,
                        int64_t incx, const void *y, int64_t incy)
{
  if (n == 0)
    return 0;
  const cudaStream_t stream = THCState_getCurrentStream(state);
  int64_t sum;
  THGuard guard;
  int64_t *result = THC_scratch(&guard, sizeof *result);
  THCudaCheck(cudaMemsetAsync(result, 0, sizeof *result, stream));
  THCKernel_dotIntegers(type, n, x, incx, y, incy, result, stream);
  THCudaCheck(cudaGetLastError());
  THCudaCheck(cudaMemcpyAsync(&sum, result, sizeof sum, cudaMemcpyDeviceToHost, stream));
  THC_wait(state);
  THGuard_leave(&guard);
  return sum;
}

/* --- the public functions: their arguments checked by number -------------------------------- */

float THCudaBlas_Sdot(THCState *state, int64_t n, float *x, int64_t incx, float *y, int64_t incy)
{
  THC_enter(state);
  return (float)THC_dot(state, CUDA_R_32F, n, x, incx, y, incy);
}

double THCudaBlas_Ddot(THCState *state, int64_t n, double *x, int64_t incx, double *y, int64_t incy)
{
  THC_enter(state);
  return THC_dot(state, CUDA_R_64F, n, x, incx, y, incy);
}

#ifdef TH_COMPAT_TORCH7
float THCudaBlas_Hdot(THCState *state, int64_t n, half *x, int64_t incx, half *y, int64_t incy)
{
  THC_enter(state);
  return (float)THC_dot(state, CUDA_R_16F, n, x, incx, y, incy);
}
#else
half THCudaBlas_Hdot(THCState *state, int64_t n, half *x, int64_t incx, half *y, int64_t incy)
{
  THC_enter(state);
  return THC_float2half((float)THC_dot(state, CUDA_R_16F, n, x, incx, y, incy));
}
#endif

static void gemv(THCState *state, cudaDataType type, char trans, int64_t m, int64_t n, double alpha,
                 const void *a, int64_t lda, const void *x, int64_t incx, double beta, void *y,
                 int64_t incy)
{
  THC_enter(state);
  const int transposed = transposes(trans, "trans", 1);
  to_size(m, "m", 2);
  to_size(n, "n", 3);
  to_leading(lda, m, n, "lda", 6);
  to_step(incx, transposed ? m : n, "incx", 8);
  to_step(incy, transposed ? n : m, "incy", 11);
  THC_multiplyVector(state, type, transposed, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

/* The arguments of ger as cuBLAS takes them. */
typedef struct {
  int m, n, incx, incy, lda;
} Ger;

static Ger to_ger(int64_t m, int64_t n, int64_t incx, int64_t incy, int64_t lda)
{
  const int rows = to_size(m, "m", 1), columns = to_size(n, "n", 2);
  const int stepX = to_step(incx, m, "incx", 5), stepY = to_step(incy, n, "incy", 7);
  return (Ger){rows, columns, stepX, stepY, to_leading(lda, m, n, "lda", 9)};
}

/* strided: errors number the arguments behind a as in the function with strides. */
static void gemm(THCState *state, char transa, char transb, int strided, THCProduct p)
{
  THC_enter(state);
  p.resultType = p.type;
  p.transposesA = transposes(transa, "transa", 1);
  p.transposesB = transposes(transb, "transb", 2);
  to_size(p.m, "m", 3);
  to_size(p.n, "n", 4);
  to_size(p.k, "k", 5);
  to_leading(p.lda, p.transposesA ? p.k : p.m, p.transposesA ? p.m : p.k, "lda", 8);
  to_leading(p.ldb, p.transposesB ? p.n : p.k, p.transposesB ? p.k : p.n, "ldb", strided ? 11 : 10);
  to_leading(p.ldc, p.m, p.n, "ldc", strided ? 15 : 13);
  to_size(p.count, "batchCount", strided ? 17 : 14);
  if (strided) {
    THArgCheck(p.strideA >= 0, 9, "strideA is %lld, below 0", (long long)p.strideA);
    THArgCheck(p.strideB >= 0, 12, "strideB is %lld, below 0", (long long)p.strideB);
    THArgCheck(p.count < 2 || p.strideC > 0, 16, "strideC is %lld: the results would share memory",
               (long long)p.strideC);
  }
  THC_multiply(state, &p);
}

/* --- factorisations of batches -------------------------------------------------------------- */

static void check_getrf(THCState *state, int n, int lda, int batchSize)
{
  THC_enter(state);
  to_size(n, "n", 1);
  to_int(lda, THMax(1, n), "lda", 3);
  to_size(batchSize, "batchSize", 6);
}

static cublasOperation_t check_getrs(THCState *state, char transa, int n, int nrhs, int lda,
                                     int ldb, int batchSize)
{
  THC_enter(state);
  const cublasOperation_t op = operation(transposes(transa, "transa", 1));
  to_size(n, "n", 2);
  to_size(nrhs, "nrhs", 3);
  to_int(lda, THMax(1, n), "lda", 5);
  to_int(ldb, THMax(1, n), "ldb", 8);
  to_size(batchSize, "batchSize", 10);
  return op;
}

static void check_getri(THCState *state, int n, int lda, int ldc, int batchSize)
{
  THC_enter(state);
  to_size(n, "n", 1);
  to_int(lda, THMax(1, n), "lda", 3);
  to_int(ldc, THMax(1, n), "ldc", 6);
  to_size(batchSize, "batchSize", 8);
}

/* --- the functions of each type -------------------------------------------------------------- */

#define AS_IS(X) (X)

#define T      float
#define LETTER S
#define TYPE   CUDA_R_32F
#define NUMBER AS_IS
#include "THCBlasReal.h"

#define T      double
#define LETTER D
#define TYPE   CUDA_R_64F
#define NUMBER AS_IS
#include "THCBlasReal.h"

#define T             half
#define LETTER        H
#define TYPE          CUDA_R_16F
#define NUMBER        THC_half2float
#define PRODUCTS_ONLY 1
#include "THCBlasReal.h"
