/* Every acquisition from CUDA's runtime fails once. */
#include "th_test.h"

#include <cublas_v2.h>
#include <cusparse.h>

#include "th_fail.h"

static void *device, *pinned;
static cudaStream_t stream;
static cudaEvent_t event;
static cublasHandle_t blas;
static cusparseHandle_t sparse;

static void acquire(void *context)
{
  device = pinned = NULL;
  stream = NULL;
  event = NULL;
  blas = NULL;
  sparse = NULL;
  const int failed = cudaMalloc(&device, 100) || cudaHostAlloc(&pinned, 100, 0) ||
                     cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
                     cudaEventCreateWithFlags(&event, cudaEventDisableTiming) ||
                     cublasCreate(&blas) || cusparseCreate(&sparse);
  if (sparse)
    cusparseDestroy(sparse);
  if (blas)
    cublasDestroy(blas);
  if (event)
    cudaEventDestroy(event);
  if (stream)
    cudaStreamDestroy(stream);
  cudaFreeHost(pinned);
  cudaFree(device);
  THArgCheck(!failed, 1, "an acquisition failed: %s", cudaGetErrorString(cudaGetLastError()));
}

static void each_fails(void **state)
{
  CHECK_EQ(th_fail_each(acquire, NULL), 6);
}

static void last_error(void **state)
{
  CHECK_EQ((int)cudaGetLastError(), (int)cudaSuccess);
  CHECK_EQ((int)cudaMalloc(&device, SIZE_MAX / 2), (int)cudaErrorMemoryAllocation);
  CHECK_EQ((int)cudaPeekAtLastError(), (int)cudaErrorMemoryAllocation);
  CHECK_EQ((int)cudaGetLastError(), (int)cudaErrorMemoryAllocation);
  CHECK_EQ((int)cudaGetLastError(), (int)cudaSuccess);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(last_error),
      cmocka_unit_test(each_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
