/* The part of cuSPARSE that THC uses: its handle. */
#include "internal.h"

#include <cusparse.h>
#include <stdlib.h>

struct cusparseContext {
  cudaStream_t stream;
  cusparsePointerMode_t pointers;
};

cusparseStatus_t cusparseCreate(cusparseHandle_t *result)
{
  cusim_enter();
  *result = cusim_device_count() ? calloc(1, sizeof **result) : NULL;
  cusim_leave(cudaSuccess);
  return *result ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_INITIALIZED;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
  free(handle);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
  if (!handle)
    return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
  if (!handle)
    return CUSPARSE_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
  if (!handle)
    return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->pointers = mode;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
  if (!handle)
    return CUSPARSE_STATUS_NOT_INITIALIZED;
  *mode = handle->pointers;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
  (void)handle;
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}

const char *cusparseGetErrorName(cusparseStatus_t status)
{
  return status == CUSPARSE_STATUS_SUCCESS           ? "CUSPARSE_STATUS_SUCCESS"
         : status == CUSPARSE_STATUS_NOT_INITIALIZED ? "CUSPARSE_STATUS_NOT_INITIALIZED"
                                                     : "unknown cuSPARSE status";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
  return status == CUSPARSE_STATUS_SUCCESS           ? "success"
         : status == CUSPARSE_STATUS_NOT_INITIALIZED ? "initialization error"
                                                     : "unknown error";
}
