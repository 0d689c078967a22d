/* Devices, their properties, and errors. */
#define _GNU_SOURCE
#include "internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* --- the lock ----------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void cusim_lock(void)
{
  pthread_mutex_lock(&lock);
}

void cusim_unlock(void)
{
  pthread_mutex_unlock(&lock);
}

void cusim_wait(pthread_cond_t *condition)
{
  pthread_cond_wait(condition, &lock);
}

_Thread_local bool cusim_in_host_function;

void cusim_enter(void)
{
  if (cusim_in_host_function)
    cusim_complain("a host function in a stream calls the CUDA runtime");
  cusim_lock();
}

/* --- errors ------------------------------------------------------------------------------- */

static _Thread_local cudaError_t last_error;

cudaError_t cusim_remember(cudaError_t status)
{
  if (status != cudaSuccess)
    last_error = status;
  return status;
}

cudaError_t cusim_leave(cudaError_t status)
{
  cusim_unlock();
  return cusim_remember(status);
}

cudaError_t cudaGetLastError(void)
{
  const cudaError_t status = last_error;
  last_error = cudaSuccess;
  return status;
}

cudaError_t cudaPeekAtLastError(void)
{
  return last_error;
}

/* The errors that the simulator gives, and some that programs compare with. */
#define ERRORS(X)                                                                                  \
  X(cudaSuccess, "no error")                                                                       \
  X(cudaErrorInvalidValue, "invalid argument")                                                     \
  X(cudaErrorMemoryAllocation, "out of memory")                                                    \
  X(cudaErrorInitializationError, "initialization error")                                          \
  X(cudaErrorCudartUnloading, "driver shutting down")                                              \
  X(cudaErrorInvalidConfiguration, "invalid configuration argument")                               \
  X(cudaErrorInvalidPitchValue, "invalid pitch argument")                                          \
  X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                          \
  X(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version")   \
  X(cudaErrorInvalidDeviceFunction, "invalid device function")                                     \
  X(cudaErrorNoDevice, "no CUDA-capable device is detected")                                       \
  X(cudaErrorInvalidDevice, "invalid device ordinal")                                              \
  X(cudaErrorInvalidResourceHandle, "invalid resource handle")                                     \
  X(cudaErrorNotReady, "device not ready")                                                         \
  X(cudaErrorIllegalAddress, "an illegal memory access was encountered")                           \
  X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")                      \
  X(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled")                           \
  X(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled")                             \
  X(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices")      \
  X(cudaErrorAssert, "device-side assert triggered")                                               \
  X(cudaErrorHostMemoryAlreadyRegistered,                                                          \
    "part or all of the requested memory range is already mapped")                                 \
  X(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region") \
  X(cudaErrorLaunchFailure, "unspecified launch failure")                                          \
  X(cudaErrorNotPermitted, "operation not permitted")                                              \
  X(cudaErrorNotSupported, "operation not supported")                                              \
  X(cudaErrorUnknown, "unknown error")

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
#define ROW(ERROR, TEXT) {ERROR, #ERROR, TEXT},
    ERRORS(ROW)
#undef ROW
};

const char *cudaGetErrorName(cudaError_t error)
{
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error)
      return errors[i].name;
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error)
      return errors[i].text;
  return "unrecognized error code";
}

/* --- devices ------------------------------------------------------------------------------ */

static _Thread_local int current;

/* Which device has access to which device's memory. */
static bool peer[CUSIM_MOST_DEVICES][CUSIM_MOST_DEVICES];

int cusim_device_count(void)
{
  static int count = -1;
  if (count < 0) {
    count = (int)cusim_setting("CUSIM_DEVICES", 2);
    if (count > CUSIM_MOST_DEVICES)
      cusim_complain("CUSIM_DEVICES=%d is more than %d", count, CUSIM_MOST_DEVICES);
  }
  return count;
}

int cusim_device(void)
{
  return current;
}

bool cusim_is_device(int device)
{
  return device >= 0 && device < cusim_device_count();
}

static cudaError_t check(int device)
{
  return !cusim_device_count()      ? cudaErrorNoDevice
         : !cusim_is_device(device) ? cudaErrorInvalidDevice
                                    : cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
  cusim_enter();
  *count = cusim_device_count();
  return cusim_leave(*count ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device)
{
  cusim_enter();
  const cudaError_t status = check(device);
  if (!status)
    current = device;
  return cusim_leave(status);
}

cudaError_t cudaGetDevice(int *device)
{
  cusim_enter();
  *device = current;
  return cusim_leave(check(current));
}

cudaError_t cudaDeviceReset(void)
{
  return cudaDeviceSynchronize();
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
  (void)flags;
  return cudaSuccess;
}

/* Properties of an H100 that a tensor library reads.  There are few multiprocessors, so that in
 * grids sized by their number a thread has several elements. */
static const struct cudaDeviceProp model = {
    .name = "CUDA simulator",
    .sharedMemPerBlock = 49152,
    .regsPerBlock = 65536,
    .warpSize = 32,
    .memPitch = 2147483647,
    .maxThreadsPerBlock = 1024,
    .maxThreadsDim = {1024, 1024, 64},
    .maxGridSize = {2147483647, 65535, 65535},
    .totalConstMem = 65536,
    .major = 9,
    .minor = 0,
    .textureAlignment = 512,
    .texturePitchAlignment = 32,
    .multiProcessorCount = 4,
    .canMapHostMemory = 1,
    .maxTexture1D = 131072,
    .concurrentKernels = 1,
    .asyncEngineCount = 3,
    .unifiedAddressing = 1,
    .memoryBusWidth = 5120,
    .l2CacheSize = 4 << 20,
    .maxThreadsPerMultiProcessor = 2048,
    .streamPrioritiesSupported = 1,
    .globalL1CacheSupported = 1,
    .localL1CacheSupported = 1,
    .sharedMemPerMultiprocessor = 233472,
    .regsPerMultiprocessor = 65536,
    .managedMemory = 1,
    .hostNativeAtomicSupported = 0,
    .concurrentManagedAccess = 1,
    .sharedMemPerBlockOptin = 232448,
    .maxBlocksPerMultiProcessor = 32,
    .reservedSharedMemPerBlock = 1024,
    .hostRegisterSupported = 1,
};

size_t cusim_device_memory(void)
{
  return (size_t)cusim_setting("CUSIM_MEMORY", 4096) << 20;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
  cusim_enter();
  const cudaError_t status = check(device);
  if (!status) {
    *properties = model;
    properties->totalGlobalMem = cusim_device_memory();
    properties->pciBusID = device + 1;
    properties->uuid.bytes[0] = (char)device;
  }
  return cusim_leave(status);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
  const struct {
    enum cudaDeviceAttr attribute;
    int value;
  } known[] = {
      {cudaDevAttrMaxThreadsPerBlock, model.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, model.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, model.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, model.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, model.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, model.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, model.maxGridSize[2]},
      {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28},
      {cudaDevAttrMaxSharedMemoryPerBlock, (int)model.sharedMemPerBlock},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)model.sharedMemPerBlockOptin},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)model.sharedMemPerMultiprocessor},
      {cudaDevAttrWarpSize, model.warpSize},
      {cudaDevAttrMultiProcessorCount, model.multiProcessorCount},
      {cudaDevAttrMaxThreadsPerMultiProcessor, model.maxThreadsPerMultiProcessor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, model.maxBlocksPerMultiProcessor},
      {cudaDevAttrComputeCapabilityMajor, model.major},
      {cudaDevAttrComputeCapabilityMinor, model.minor},
      {cudaDevAttrL2CacheSize, model.l2CacheSize},
      {cudaDevAttrUnifiedAddressing, model.unifiedAddressing},
      {cudaDevAttrCanMapHostMemory, model.canMapHostMemory},
      {cudaDevAttrManagedMemory, model.managedMemory},
      {cudaDevAttrStreamPrioritiesSupported, model.streamPrioritiesSupported},
  };
  cusim_enter();
  cudaError_t status = check(device);
  if (!status) {
    status = cudaErrorNotSupported;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      if (known[i].attribute == attribute) {
        *value = known[i].value;
        status = cudaSuccess;
      }
  }
  return cusim_leave(status);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
  *version = cusim_device_count() ? CUDART_VERSION : 0;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
  cusim_enter();
  cudaError_t status = check(device);
  if (!status && snprintf(text, (size_t)length, "0000:%02X:00.0", device + 1) >= length)
    status = cudaErrorInvalidValue;
  return cusim_leave(status);
}

/* --- peers -------------------------------------------------------------------------------- */

/* With CUSIM_PEERS=0 devices have no access to each other's memory. */
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other)
{
  cusim_enter();
  cudaError_t status = check(device);
  if (!status)
    status = check(other);
  if (!status)
    *can = device != other && cusim_setting("CUSIM_PEERS", 1);
  return cusim_leave(status);
}

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
  cusim_enter();
  cudaError_t status = check(other);
  if (status || other == current)
    status = cudaErrorInvalidDevice;
  else if (flags)
    status = cudaErrorInvalidValue;
  else if (!cusim_setting("CUSIM_PEERS", 1))
    status = cudaErrorPeerAccessUnsupported;
  else if (peer[current][other])
    status = cudaErrorPeerAccessAlreadyEnabled;
  else
    peer[current][other] = true;
  return cusim_leave(status);
}

cudaError_t cudaDeviceDisablePeerAccess(int other)
{
  cusim_enter();
  cudaError_t status = check(other);
  if (!status && !peer[current][other])
    status = cudaErrorPeerAccessNotEnabled;
  if (!status)
    peer[current][other] = false;
  return cusim_leave(status);
}

bool cusim_reaches(int device, int other)
{
  return device == other || peer[device][other];
}
