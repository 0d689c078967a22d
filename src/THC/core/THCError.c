/* Statuses of CUDA's libraries as errors. */
#include "THCPrivate.h"

_Thread_local THCState *THC_using __attribute__((tls_model("initial-exec")));
_Thread_local const char *THC_function __attribute__((tls_model("initial-exec")));

void THC_noState(void)
{
  THError("the state is NULL: THCState_alloc makes one, and THCudaInit finds its devices");
}

const char *THC_describe(cudaError_t status)
{
  int driver;
  if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
      driver == 0)
    return "there is no CUDA driver";
  return cudaGetErrorString(status);
}

/* The runtime also returns a failure from the next cudaGetLastError: this clears it. */
void __THCudaCheck(cudaError_t err, const char *file, const int line)
{
  if (err == cudaSuccess)
    return;
  cudaGetLastError();
  _THError(file, line, "CUDA error %d (%s): %s", (int)err, cudaGetErrorName(err),
           THC_describe(err));
}

void __THCudaCheckWarn(cudaError_t err, const char *file, const int line)
{
  if (err == cudaSuccess)
    return;
  cudaGetLastError();
  fprintf(stderr, "THC: warning: CUDA error %d (%s): %s at %s:%d\n", (int)err,
          cudaGetErrorName(err), THC_describe(err), file, line);
}

void __THCublasCheck(cublasStatus_t status, const char *file, const int line)
{
  if (status != CUBLAS_STATUS_SUCCESS)
    _THError(file, line, "cuBLAS error %d: %s", (int)status, cublasGetStatusString(status));
}

void THCMagma_init(THCState *state)
{
  THC_enter(state);
  THError("THC is built without MAGMA");
}

/* --- the current device --------------------------------------------------------------------- */

int THC_currentDevice(void)
{
  int device;
  THCudaCheck(cudaGetDevice(&device));
  return device;
}

static void go_back(void *what)
{
  THCudaCheckWarn(cudaSetDevice(((THCOnDevice *)what)->before));
}

void THCOnDevice_enter(THCOnDevice *on, int device)
{
  on->before = THC_currentDevice();
  if (on->before != device)
    THCudaCheck(cudaSetDevice(device));
  THGuard_enter(&on->guard, go_back);
  on->guard.what = on->before != device ? on : NULL;
}

void THCOnDevice_leave(THCOnDevice *on)
{
  THGuard_leave(&on->guard);
}
