/* Resources of CUDA's runtime, as acquisitions of th_fail.h.  CMakeLists.txt has the same list of
 * names. */
#include <stdint.h>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include "th_fail.h"

cudaError_t __real_cudaMalloc(void **result, size_t size);

/* Fails as if there had been no memory, cudaGetLastError included. */
static cudaError_t refuse(void)
{
  void *none;
  return __real_cudaMalloc(&none, SIZE_MAX / 2);
}

#define CALLER __builtin_return_address(0)

/* Notes what a call with that status has acquired. */
static cudaError_t acquired(cudaError_t status, void *result, size_t size, void *caller)
{
  if (!status && *(void **)result)
    th_fail_add(*(void **)result, size, caller);
  return status;
}

/* NAME(result, ...) acquires *result, of SIZE bytes. */
#define ACQUIRE(NAME, SIZE, PARAMETERS, ARGUMENTS)                  \
  cudaError_t __real_##NAME PARAMETERS;                             \
  cudaError_t __wrap_##NAME PARAMETERS;                             \
  cudaError_t __wrap_##NAME PARAMETERS                              \
  {                                                                 \
    if (th_fail_asked())                                            \
      return refuse();                                              \
    return acquired(__real_##NAME ARGUMENTS, result, SIZE, CALLER); \
  }

#define RELEASE(NAME, STATUS, TYPE) \
  STATUS __real_##NAME(TYPE thing); \
  STATUS __wrap_##NAME(TYPE thing); \
  STATUS __wrap_##NAME(TYPE thing)  \
  {                                 \
    th_fail_drop(thing);            \
    return __real_##NAME(thing);    \
  }

ACQUIRE(cudaMalloc, size, (void **result, size_t size), (result, size))
ACQUIRE(cudaMallocManaged, size, (void **result, size_t size, unsigned flags),
        (result, size, flags))
ACQUIRE(cudaHostAlloc, size, (void **result, size_t size, unsigned flags), (result, size, flags))
ACQUIRE(cudaMallocHost, size, (void **result, size_t size), (result, size))
RELEASE(cudaFree, cudaError_t, void *)
RELEASE(cudaFreeHost, cudaError_t, void *)

ACQUIRE(cudaStreamCreate, 0, (cudaStream_t * result), (result))
ACQUIRE(cudaStreamCreateWithFlags, 0, (cudaStream_t * result, unsigned flags), (result, flags))
ACQUIRE(cudaStreamCreateWithPriority, 0, (cudaStream_t * result, unsigned flags, int priority),
        (result, flags, priority))
RELEASE(cudaStreamDestroy, cudaError_t, cudaStream_t)

ACQUIRE(cudaEventCreate, 0, (cudaEvent_t * result), (result))
ACQUIRE(cudaEventCreateWithFlags, 0, (cudaEvent_t * result, unsigned flags), (result, flags))
RELEASE(cudaEventDestroy, cudaError_t, cudaEvent_t)

/* Memory of the program's own, by its address and one: it may be a block that th_fail knows. */
cudaError_t __real_cudaHostRegister(void *block, size_t size, unsigned flags);
cudaError_t __wrap_cudaHostRegister(void *block, size_t size, unsigned flags);
cudaError_t __wrap_cudaHostRegister(void *block, size_t size, unsigned flags)
{
  if (th_fail_asked())
    return refuse();
  const cudaError_t status = __real_cudaHostRegister(block, size, flags);
  if (!status)
    th_fail_add((char *)block + 1, size, CALLER);
  return status;
}

cudaError_t __real_cudaHostUnregister(void *block);
cudaError_t __wrap_cudaHostUnregister(void *block);
cudaError_t __wrap_cudaHostUnregister(void *block)
{
  th_fail_drop((char *)block + 1);
  return __real_cudaHostUnregister(block);
}

cublasStatus_t __real_cublasCreate_v2(cublasHandle_t *result);
cublasStatus_t __wrap_cublasCreate_v2(cublasHandle_t *result);
cublasStatus_t __wrap_cublasCreate_v2(cublasHandle_t *result)
{
  if (th_fail_asked())
    return CUBLAS_STATUS_ALLOC_FAILED;
  const cublasStatus_t status = __real_cublasCreate_v2(result);
  if (!status)
    th_fail_add(*result, 0, CALLER);
  return status;
}
RELEASE(cublasDestroy_v2, cublasStatus_t, cublasHandle_t)

cusparseStatus_t __real_cusparseCreate(cusparseHandle_t *result);
cusparseStatus_t __wrap_cusparseCreate(cusparseHandle_t *result);
cusparseStatus_t __wrap_cusparseCreate(cusparseHandle_t *result)
{
  if (th_fail_asked())
    return CUSPARSE_STATUS_ALLOC_FAILED;
  const cusparseStatus_t status = __real_cusparseCreate(result);
  if (!status)
    th_fail_add(*result, 0, CALLER);
  return status;
}
RELEASE(cusparseDestroy, cusparseStatus_t, cusparseHandle_t)
