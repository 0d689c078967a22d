/* The state that every function of THC takes: devices, streams, handles, memory. */
#ifndef THC_GENERAL_H
#define THC_GENERAL_H

#include "THCMacros.h"
#include "THCThreadLocal.h"

struct THCRNGState;
struct THCStream;

/* Device memory: malloc allocates on the current device, for use on the stream; realloc, emptyCache
 * and cacheInfo may be NULL.  ctx is state for the calls that THC makes itself, and the context of
 * a storage for those of the storage. */
typedef struct _THCDeviceAllocator {
  cudaError_t (*malloc)(void *ctx, void **ptr, size_t size, cudaStream_t stream);
  cudaError_t (*realloc)(void *ctx, void **ptr, size_t oldSize, size_t newSize,
                         cudaStream_t stream);
  cudaError_t (*free)(void *ctx, void *ptr);
  cudaError_t (*emptyCache)(void *ctx);
  cudaError_t (*cacheInfo)(void *ctx, int dev, size_t *cachedBytes, size_t *largestBlock);
  void *state;
} THCDeviceAllocator;

/* What the state has of each device.  Handles and scratch space are made when they are first asked
 * for. */
typedef struct _THCCudaResourcesPerDevice {
  struct THCStream **streams; /* slot 0 is the default stream */
  int numBlasHandles;
  int numSparseHandles;
  cublasHandle_t *blasHandles;
  cusparseHandle_t *sparseHandles;
  size_t scratchSpacePerStream; /* bytes */
  void **devScratchSpacePerStream;
} THCCudaResourcesPerDevice;

/* Read fields freely; the functions keep them consistent. */
typedef struct THCState {
  struct THCRNGState *rngState;
  struct cudaDeviceProp *deviceProperties;
  THCCudaResourcesPerDevice *resourcesPerDevice;
  int numDevices;
  int numUserStreams; /* reserved ones, of indices 1 ... numUserStreams */
  int numUserBlasHandles;
  int numUserSparseHandles;
  THAllocator *cudaHostAllocator;
  THAllocator *cudaUVAAllocator;
  THCDeviceAllocator *cudaDeviceAllocator;
  THCThreadLocal currentPerDeviceBlasHandle;   /* an index from 1 on; 0 is as 1 */
  THCThreadLocal currentPerDeviceSparseHandle; /* an index from 1 on; 0 is as 1 */
  THCThreadLocal *currentStreams;              /* of each device a THCStream; NULL is the default */
  int **p2pAccessEnabled;                      /* [i][j]: i may use j's memory; -1: not known yet */
  int p2pKernelAccessEnabled;
  void (*cutorchGCFunction)(void *data);
  void *cutorchGCData;
  ptrdiff_t heapSoftmax;
  ptrdiff_t heapDelta;
  int allowsTF32, isDeterministic, allowsDnn, measuresDnn;
} THCState;

/* --- beginning and end ----------------------------------------------------------------------- */

/* A state with nothing in it.  cudaDeviceAllocator may be set before THCudaInit. */
THC_API THCState *THCState_alloc(void);
THC_API void THCState_free(THCState *state); /* after THCudaShutdown, if there was a THCudaInit */

/* Finds the devices.  An error where there is no driver or no device; the state is then as it was.
 */
THC_API void THCudaInit(THCState *state);

/* Gives back what the state has made; storages and streams that are still in use stay valid, and
 * are freed with a state that was alive when they were made. */
THC_API void THCudaShutdown(THCState *state);

/* --- devices --------------------------------------------------------------------------------- */

THC_API int THCState_getNumDevices(THCState *state);
THC_API struct cudaDeviceProp *THCState_getCurrentDeviceProperties(THCState *state);
THC_API struct cudaDeviceProp *THCState_getDeviceProperties(THCState *state, int device);

/* Whether dev copies directly from and to the memory of devToAccess.  The first question enables it
 * where the machine can; enabling what it cannot is an error. */
THC_API int THCState_getPeerToPeerAccess(THCState *state, int dev, int devToAccess);
THC_API void THCState_setPeerToPeerAccess(THCState *state, int dev, int devToAccess, int enable);

/* Whether kernels too may use memory of devices that the current one has access to; else operands
 * on another device are an error. */
THC_API int THCState_getKernelPeerToPeerAccessEnabled(THCState *state);
THC_API void THCState_setKernelPeerToPeerAccessEnabled(THCState *state, int val);

THC_API struct THCRNGState *THCState_getRngState(THCState *state);

/* --- settings -------------------------------------------------------------------------------- */

/* Whether products of Float, and so convolutions, may round their operands to the 10 bits of TF32, which tensor
 * cores multiply; at first 0. */
THC_API int THCState_getAllowTF32(THCState *state);
THC_API void THCState_setAllowTF32(THCState *state, int allow);

/* Whether sums of floating elements at repeated indices (indexAdd, scatterAdd, put) are added up in the order of the
 * indices, with the same bits every time, which takes a sort; and whether cuDNN may only take what it calls
 * deterministic.  At first 0. */
THC_API int THCState_getDeterministic(THCState *state);
THC_API void THCState_setDeterministic(THCState *state, int deterministic);

/* Whether convolutions of layers are cuDNN's, where it is found (libcudnn.so.9, or the library that TH_CUDNN_LIBRARY
 * names) and takes them; at first 1, unless TH_CUDNN=0 is in the environment. */
THC_API int THCState_getAllowDnn(THCState *state);
THC_API void THCState_setAllowDnn(THCState *state, int allow);

/* Whether cuDNN's plans for a convolution are measured when its sizes are new to the stream, and the fastest is
 * kept; at first 0: cuDNN proposes one.  Measuring waits for the device; while a graph is recorded there is none. */
THC_API int THCState_getBenchmarkDnn(THCState *state);
THC_API void THCState_setBenchmarkDnn(THCState *state, int measure);

/* --- streams: each thread has a current one on each device, at first the default stream ------- */

/* The current stream of the current device; not counted once more. */
THC_API struct THCStream *THCState_getStream(THCState *state);

/* stream becomes the current one of its device, for the calling thread, and is counted once more.
 */
THC_API void THCState_setStream(THCState *state, struct THCStream *stream);
THC_API cudaStream_t THCState_getCurrentStream(THCState *state);
THC_API cudaStream_t THCState_getCurrentStreamOnDevice(THCState *state, int device);

/* Waits for the current device.  An error where kernels have found an index or class out of range, or what is
 * no probability, in the arguments of an earlier call: without TH_CUDA_CHECK_INDICES=1 in the environment
 * no call waits to see that.  Whatever else waits for the stream of that call raises the error too. */
THC_API void THCState_synchronize(THCState *state);

/* Streams by index: at least numStreams on each device, indices 1 ... numStreams; 0 is the default
 * stream.  The index of a current stream that was not reserved is -1. */
THC_API void THCState_reserveStreams(THCState *state, int numStreams, int nonBlocking);
THC_API int THCState_getNumStreams(THCState *state);
THC_API cudaStream_t THCState_getDeviceStream(THCState *state, int device, int stream);
THC_API int THCState_getCurrentStreamIndex(THCState *state);
THC_API void THCState_setCurrentStreamIndex(THCState *state, int stream);

/* --- handles: numbered from 1; each thread has a current number, at first 1 ----------------- */

/* Handles are for programs.  THC's own products use handles of the streams, so that threads on different streams do not
 * wait for each other. */

THC_API void THCState_reserveBlasHandles(THCState *state, int numHandles);
THC_API int THCState_getNumBlasHandles(THCState *state);
THC_API cublasHandle_t THCState_getDeviceBlasHandle(THCState *state, int device, int handle);
THC_API cublasHandle_t THCState_getCurrentBlasHandle(THCState *state);
THC_API int THCState_getCurrentBlasHandleIndex(THCState *state);
THC_API void THCState_setCurrentBlasHandleIndex(THCState *state, int handle);

THC_API void THCState_reserveSparseHandles(THCState *state, int numHandles);
THC_API int THCState_getNumSparseHandles(THCState *state);
THC_API cusparseHandle_t THCState_getDeviceSparseHandle(THCState *state, int device, int handle);
THC_API cusparseHandle_t THCState_getCurrentSparseHandle(THCState *state);
THC_API int THCState_getCurrentSparseHandleIndex(THCState *state);
THC_API void THCState_setCurrentSparseHandleIndex(THCState *state, int handle);

/* --- scratch space: memory of each stream that kernels use between each other --------------- */

/* For the current stream of the current device, whether it was reserved or not. */
THC_API void *THCState_getCurrentDeviceScratchSpace(THCState *state);
THC_API size_t THCState_getCurrentDeviceScratchSpaceSize(THCState *state);
THC_API void *THCState_getDeviceScratchSpace(THCState *state, int device, int stream);
THC_API size_t THCState_getDeviceScratchSpaceSize(THCState *state, int device);

/* --- memory ---------------------------------------------------------------------------------- */

THC_API THAllocator *THCState_getCudaHostAllocator(THCState *state);
THC_API THAllocator *THCState_getCudaUVAAllocator(THCState *state);
THC_API THCDeviceAllocator *THCState_getDeviceAllocator(THCState *state);
THC_API void THCState_setDeviceAllocator(THCState *state, THCDeviceAllocator *allocator);
THC_API int THCState_isCachingAllocatorEnabled(THCState *state);

/* Allocate and free by the state's allocator, on the current device and its current stream.  Where there is no
 * memory left, the collector is called and the request tried again. */
THC_API cudaError_t THCudaMalloc(THCState *state, void **ptr, size_t size);
THC_API cudaError_t THCudaFree(THCState *state, void *ptr);

/* Pinned host memory of the state's allocator; NULL for size 0.  An error where there is none. */
THC_API void *THCudaHostAlloc(THCState *state, size_t size);
THC_API void THCudaHostFree(THCState *state, void *ptr);

/* What is queued on the current stream comes before the next use of the pinned block at ptr. */
THC_API void THCudaHostRecord(THCState *state, void *ptr);

/* Bytes on the current device: those free, what the allocator keeps counted in; all; and the
 * largest block that can be had without asking the driver to move anything. */
THC_API cudaError_t THCudaMemGetInfo(THCState *state, size_t *freeBytes, size_t *totalBytes);
THC_API cudaError_t THCudaMemGetInfoCached(THCState *state, size_t *freeBytes, size_t *totalBytes,
                                           size_t *largestBlock);

/* torchGCHandlerFunction(data) is called, from inside an allocation, when device memory has grown
 * by much or has run out; it may free tensors.  NULL turns it off. */
THC_API void THCSetGCHandler(THCState *state, void (*torchGCHandlerFunction)(void *data),
                             void *data);

/* Tells the collector's accounting that size more bytes (less, if negative) are in use. */
THC_API void THCHeapUpdate(THCState *state, ptrdiff_t size);

/* Checks that the library of MAGMA is there: it is not, so this is an error. */
THC_API void THCMagma_init(THCState *state);

/* --- errors ---------------------------------------------------------------------------------- */

/* Raise an error with the library's text for a status that is not success. */
#define THCudaCheck(err)     __THCudaCheck(err, __FILE__, __LINE__)
#define THCublasCheck(err)   __THCublasCheck(err, __FILE__, __LINE__)
#define THCusparseCheck(err) __THCusparseCheck(err, __FILE__, __LINE__)

/* A warning on stderr with the library's text for a status that is not success. */
#define THCudaCheckWarn(err) __THCudaCheckWarn(err, __FILE__, __LINE__)

THC_API void __THCudaCheck(cudaError_t err, const char *file, const int line);
THC_API void __THCudaCheckWarn(cudaError_t err, const char *file, const int line);
THC_API void __THCublasCheck(cublasStatus_t status, const char *file, const int line);
THC_API void __THCusparseCheck(cusparseStatus_t status, const char *file, const int line);

/* An error unless expr, a call of checkGPU, is nonzero. */
#define THCAssertSameGPU(expr)                                                                  \
  do {                                                                                          \
    if (!(expr))                                                                                \
      THError("a tensor is on another device than the current one, which has no access to it"); \
  } while (0)

#endif
