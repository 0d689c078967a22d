/* Counts calls of the simulator and of its libraries through the linker's --wrap; thc_counts_test in
 * tests/CMakeLists.txt has the same names. */
#include "th_counts.h"

#include <stdio.h>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "cusim_calls.h"
#include "th_test.h"

static Counts counts;

/* NAME(PARAMETERS) adds 1 to MEMBER. */
#define COUNTED(RETURNS, MEMBER, NAME, PARAMETERS, ARGUMENTS) \
  RETURNS __real_##NAME PARAMETERS;                           \
  RETURNS __wrap_##NAME PARAMETERS;                           \
  RETURNS __wrap_##NAME PARAMETERS                            \
  {                                                           \
    counts.MEMBER++;                                          \
    return __real_##NAME ARGUMENTS;                           \
  }

void __real_cusim_launch(const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic,
                         cudaStream_t stream);
void __wrap_cusim_launch(const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic,
                         cudaStream_t stream);
void __wrap_cusim_launch(const CusimKernel *kernel, dim3 grid, dim3 block, size_t dynamic,
                         cudaStream_t stream)
{
  const int blocks = (int)(grid.x * grid.y * grid.z);
  counts.launches++;
  counts.blocks = blocks > counts.blocks ? blocks : counts.blocks;
  __real_cusim_launch(kernel, grid, block, dynamic, stream);
}

COUNTED(cudaError_t, copies, cudaMemcpyAsync,
        (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, from, size, kind, stream))
COUNTED(cudaError_t, copies, cudaMemcpy2DAsync,
        (void *to, size_t pitch, const void *from, size_t fromPitch, size_t width, size_t height,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, pitch, from, fromPitch, width, height, kind, stream))
COUNTED(cudaError_t, waits, cudaStreamSynchronize, (cudaStream_t stream), (stream))
COUNTED(cudaError_t, waits, cudaEventSynchronize, (cudaEvent_t event), (event))
COUNTED(cudaError_t, waits, cudaDeviceSynchronize, (void), ())
COUNTED(cublasStatus_t, products, cublasGemmEx,
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
         const void *alpha, const void *a, cudaDataType typeA, int lda, const void *b,
         cudaDataType typeB, int ldb, const void *beta, void *c, cudaDataType typeC, int ldc,
         cublasComputeType_t compute, cublasGemmAlgo_t algorithm),
        (handle, ta, tb, m, n, k, alpha, a, typeA, lda, b, typeB, ldb, beta, c, typeC, ldc, compute,
         algorithm))
COUNTED(cublasStatus_t, products, cublasGemmStridedBatchedEx,
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
         const void *alpha, const void *a, cudaDataType typeA, int lda, long long int strideA,
         const void *b, cudaDataType typeB, int ldb, long long int strideB, const void *beta,
         void *c, cudaDataType typeC, int ldc, long long int strideC, int count,
         cublasComputeType_t compute, cublasGemmAlgo_t algorithm),
        (handle, ta, tb, m, n, k, alpha, a, typeA, lda, strideA, b, typeB, ldb, strideB, beta, c,
         typeC, ldc, strideC, count, compute, algorithm))
COUNTED(cublasStatus_t, products, cublasSgemv_v2,
        (cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha,
         const float *a, int lda, const float *x, int incx, const float *beta, float *y, int incy),
        (handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy))
COUNTED(cublasStatus_t, products, cublasSdot_v2,
        (cublasHandle_t handle, int n, const float *x, int incx, const float *y, int incy,
         float *result),
        (handle, n, x, incx, y, incy, result))

Counts counts_of(void (*call)(void *operands), void *operands)
{
  call(operands);
  counts = (Counts){0};
  call(operands);
  return counts;
}

int counts_differ(const CountsRow *rows, int count, void *operands)
{
  int differ = 0;
  for (int i = 0; i < count; i++) {
    const CountsRow *row = &rows[i];
    th_note("%s", row->name);
    const Counts got = counts_of(row->call, operands), want = row->want;
    if (got.launches == want.launches && got.waits == want.waits && got.products == want.products &&
        got.copies == want.copies && (!want.blocks || got.blocks == want.blocks))
      continue;
    differ++;
    print_error(
        "%s: %d launches of at most %d blocks, %d waits, %d products, %d copies; the table "
        "says %d, %d, %d, %d, %d\n",
        row->name, got.launches, got.blocks, got.waits, got.products, got.copies, want.launches,
        want.blocks, want.waits, want.products, want.copies);
  }
  return differ;
}
