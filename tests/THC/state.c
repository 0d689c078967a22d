/* The state: devices, streams, handles, scratch space, memory and its collector. */
#define _GNU_SOURCE /* pthread_timedjoin_np */
#include "thc_test.h"

#include <pthread.h>
#include <time.h>

#include "THC/linear/THCProduct.h"

static void devices(void **unused)
{
  THCState *state = thc_state();
  int count, device;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  CHECK_EQ(THCState_getNumDevices(state), count);
  CHECK_EQ(state->numDevices, count);
  CHECK(THCState_getDeviceProperties(state, 0) == THCState_getCurrentDeviceProperties(state));
  CHECK_RAISES(1, "there is no device", THCState_getDeviceProperties(state, count));
  CHECK_RAISES(1, "there is no device", THCState_getCurrentStreamOnDevice(state, -1));
  CHECK_RAISES(0, "initialised already", THCudaInit(state));
  CHECK_RAISES(0, "MAGMA", THCMagma_init(state));
  CHECK_RAISES(0, "cudaErrorInvalidValue", THCudaCheck(cudaErrorInvalidValue));
  CHECK_RAISES(0, "cuBLAS", THCublasCheck(CUBLAS_STATUS_ALLOC_FAILED));
  CHECK_RAISES(0, "cuSPARSE", THCusparseCheck(CUSPARSE_STATUS_ALLOC_FAILED));
  THCudaCheckWarn(cudaSuccess);
  CHECK(THCState_getRngState(state)->num_devices == count);

  CHECK_EQ(THCState_getPeerToPeerAccess(state, 0, 0), 1);
  CHECK_RAISES(3, "its own memory", THCState_setPeerToPeerAccess(state, 0, 0, 0));
  if (count > 1) {
    int can;
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK_EQ(THCState_getPeerToPeerAccess(state, 0, 1), can);
    THCState_setPeerToPeerAccess(state, 0, 1, 0);
    CHECK_EQ(THCState_getPeerToPeerAccess(state, 0, 1), 0);
    if (can)
      THCState_setPeerToPeerAccess(state, 0, 1, 1);
    else
      CHECK_RAISES(2, "no access", THCState_setPeerToPeerAccess(state, 0, 1, 1));
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_EQ(device, 0);
  }
}

static void *other_thread(void *state)
{
  CHECK(THCState_getCurrentStream(state) == NULL);
  CHECK_EQ(THCState_getCurrentBlasHandleIndex(state), 1);
  THCStream *own = THCStream_new(cudaStreamDefault);
  THCState_setStream(state, own);
  THCStream_free(own); /* the thread's end frees it */
  CHECK(THCState_getCurrentStream(state) != NULL);
  return NULL;
}

static void streams(void **unused)
{
  THCState *state = thc_state();
  CHECK(THCState_getCurrentStream(state) == NULL);
  CHECK_EQ(THCState_getCurrentStreamIndex(state), 0);
  THCState_reserveStreams(state, 2, 1);
  THCState_reserveStreams(state, 1, 0); /* there are more already */
  CHECK_EQ(THCState_getNumStreams(state), 2);
  THCState_setCurrentStreamIndex(state, 2);
  CHECK_EQ(THCState_getCurrentStreamIndex(state), 2);
  CHECK(THCState_getCurrentStream(state) == THCState_getDeviceStream(state, 0, 2));
  CHECK(THCState_getDeviceStream(state, 0, 1) != THCState_getDeviceStream(state, 0, 2));
  unsigned flags;
  CHECK_CUDA(cudaStreamGetFlags(THCState_getCurrentStream(state), &flags));
  CHECK_EQ(flags, (unsigned)cudaStreamNonBlocking);
  CHECK_RAISES(1, "there is no stream 3", THCState_setCurrentStreamIndex(state, 3));
  CHECK_RAISES(2, "there is no stream -1", THCState_getDeviceStream(state, 0, -1));
  if (thc_devices() > 1) {
    CHECK(THCState_getCurrentStreamOnDevice(state, 1) == THCState_getDeviceStream(state, 1, 2));
    CHECK_EQ(THCState_getStream(state)->device, 0);
    CHECK_CUDA(cudaSetDevice(1));
    CHECK_EQ(THCState_getStream(state)->device, 1);
    CHECK_CUDA(cudaSetDevice(0));
  }

  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, other_thread, state), 0);
  CHECK_EQ(pthread_join(thread, NULL), 0);

  THCStream *own = THCStream_newWithPriority(cudaStreamNonBlocking, 0);
  CHECK_EQ(own->refcount, 1);
  THCState_setStream(state, own);
  CHECK_EQ(own->refcount, 2);
  CHECK_EQ(THCState_getCurrentStreamIndex(state), -1);
  CHECK(THCState_getStream(state) == own);
  void *scratch = THCState_getCurrentDeviceScratchSpace(state);
  CHECK(scratch && scratch == THCState_getCurrentDeviceScratchSpace(state));
  CHECK_CUDA(cudaMemset(scratch, 0, THCState_getCurrentDeviceScratchSpaceSize(state)));
  THCStream_free(own);
  THCState_setStream(state, THCStream_defaultStream(0));
  THCState_setCurrentStreamIndex(state, 0);
  void *first = THCState_getDeviceScratchSpace(state, 0, 1);
  CHECK(first != THCState_getDeviceScratchSpace(state, 0, 0));
  CHECK(state->resourcesPerDevice[0].devScratchSpacePerStream[1] == first);
  CHECK(THCState_getDeviceScratchSpaceSize(state, 0) >= 32768 * sizeof(float));
  CHECK_RAISES(1, "NULL", THCState_setStream(state, NULL));
  CHECK_RAISES(1, "there is no device", THCStream_defaultStream(1000));
}

static void handles(void **unused)
{
  THCState *state = thc_state();
  cublasHandle_t first = THCState_getCurrentBlasHandle(state);
  CHECK(first && first == THCState_getDeviceBlasHandle(state, 0, 1));
  CHECK_RAISES(2, "no cuBLAS handle 2", THCState_getDeviceBlasHandle(state, 0, 2));
  THCState_reserveBlasHandles(state, 3);
  CHECK_EQ(THCState_getNumBlasHandles(state), 3);
  THCState_setCurrentBlasHandleIndex(state, 3);
  CHECK_EQ(THCState_getCurrentBlasHandleIndex(state), 3);
  CHECK(THCState_getCurrentBlasHandle(state) != first);
  CHECK_EQ(state->resourcesPerDevice[0].numBlasHandles, 3);
  CHECK_RAISES(1, "no cuBLAS handle 4", THCState_setCurrentBlasHandleIndex(state, 4));
  THCState_setCurrentBlasHandleIndex(state, 1);
  CHECK(THCState_getCurrentBlasHandle(state) == first);

  cusparseHandle_t sparse = THCState_getCurrentSparseHandle(state);
  CHECK(sparse && sparse == THCState_getDeviceSparseHandle(state, 0, 1));
  THCState_reserveSparseHandles(state, 2);
  CHECK_EQ(THCState_getNumSparseHandles(state), 2);
  THCState_setCurrentSparseHandleIndex(state, 2);
  CHECK_EQ(THCState_getCurrentSparseHandleIndex(state), 2);
  CHECK(THCState_getCurrentSparseHandle(state) != sparse);
  THCState_setCurrentSparseHandleIndex(state, 1);
}

/* --- memory --------------------------------------------------------------------------------- */

static THCudaByteStorage *held;
static int collections;

static void collect(void *data)
{
  collections++;
  CHECK(data == &collections);
  THCudaByteStorage_free(thc_state(), held);
  held = NULL;
}

static void collector(void **unused)
{
  THCState *state = thc_state();
  THCSetGCHandler(state, collect, &collections);
  collections = 0;
  const ptrdiff_t large = (ptrdiff_t)200 << 20;
  held = THCudaByteStorage_newWithSize(state, large);
  CHECK_EQ(collections, 0);
  THCudaByteStorage *next = THCudaByteStorage_newWithSize(state, large); /* 400 MB in all */
  CHECK_EQ(collections, 1);
  CHECK(held == NULL);
  THCudaByteStorage_free(state, next);

  held = THCudaByteStorage_newWithSize(state, 100); /* memory that is not there */
  CHECK_RAISES(0, "no device memory", THCudaByteStorage_newWithSize(state, PTRDIFF_MAX / 8));
  CHECK(collections > 1);
  CHECK(held == NULL);
  THCSetGCHandler(state, NULL, NULL);
  THCHeapUpdate(state, 10);
  THCHeapUpdate(state, -10);
}

static void memory(void **unused)
{
  THCState *state = thc_state();
  size_t available, total, largest, now;
  CHECK_CUDA(THCudaMemGetInfoCached(state, &available, &total, &largest));
  CHECK(available <= total && largest <= total);
  void *block;
  CHECK_CUDA(THCudaMalloc(state, &block, 1 << 22));
  CHECK_CUDA(THCudaMemGetInfo(state, &now, &total));
  CHECK(now < available);
  CHECK_CUDA(THCudaFree(state, block));
  CHECK_CUDA(THCudaMemGetInfo(state, &now, &total));
  CHECK_EQ(now, available);
  CHECK_CUDA(THCudaMalloc(state, &block, 0));
  CHECK(block == NULL);
  CHECK_CUDA(THCudaFree(state, NULL));

  char *pinned = THCudaHostAlloc(state, 100);
  memset(pinned, 1, 100);
  THCudaHostRecord(state, pinned);
  THCudaHostFree(state, pinned);
  CHECK(THCudaHostAlloc(state, 0) == NULL);
  CHECK(THCState_getCudaHostAllocator(state)->malloc != NULL);
  CHECK(THCState_getCudaUVAAllocator(state) == &THCUVAAllocator);
  CHECK(THCState_isCachingAllocatorEnabled(state));
  CHECK_RAISES(1, "malloc and free", THCState_setDeviceAllocator(state, NULL));
  THCDeviceAllocator own = *THCState_getDeviceAllocator(state);
  THCState_setDeviceAllocator(state, &own);
  CHECK(!THCState_isCachingAllocatorEnabled(state));
  THCState_setDeviceAllocator(state, THCCachingAllocator_get());

  THFloatStorage *managed = THFloatStorage_newWithAllocator(10, &THCUVAAllocator, NULL);
  THFloatStorage_fill(managed, 2.5f);
  THFloatStorage_free(managed);
  THFloatStorage *host = THFloatStorage_newWithAllocator(10, &THCudaHostAllocator, NULL);
  THFloatStorage_fill(host, 2.5f);
  THFloatStorage_free(host);
  CHECK_RAISES(0, "-1 bytes", THCudaHostAllocator.malloc(NULL, -1));
  CHECK_RAISES(0, "-1 bytes", THCUVAAllocator.malloc(NULL, -1));
}

static void halves(void **unused)
{
  THCState *state = thc_state();
  CHECK(THC_nativeHalfInstructions(state) >= THC_fastHalfInstructions(state));
  enum { N = 1000 };
  THFloatTensor *x = THFloatTensor_newWithSize1d(N);
  for (int i = 0; i < N; i++)
    x->storage->data[i] = (float)(i - 500) * 1.37e-3f * (float)i;
  THCudaTensor *d = THCudaTensor_newWithSize1d(state, N);
  THCudaHalfTensor *h = THCudaHalfTensor_newWithSize1d(state, N);
  THCudaTensor_copyFloat(state, d, x);
  THCFloat2Half(state, THCudaHalfTensor_data(state, h), THCudaTensor_data(state, d), N);
  THCudaStorage_fill(state, d->storage, 0);
  THCHalf2Float(state, THCudaTensor_data(state, d), THCudaHalfTensor_data(state, h), N);
  THFloatTensor *back = THFloatTensor_newWithSize1d(N);
  THFloatTensor_copyCudaFloat(state, back, d);
  for (int i = 0; i < N; i++)
    CHECK_EQ(back->storage->data[i], TH_half2float(TH_float2half(x->storage->data[i])));
  CHECK_EQ(THC_half2float(THC_float2half(1.5f)), 1.5f);
  CHECK_RAISES(3, "len is -1", THCHalf2Float(state, NULL, NULL, -1));
  CHECK_RAISES(1, "NULL", THCHalf2Float(state, NULL, NULL, 4));
  THCHalf2Float(state, NULL, NULL, 0);
  THFloatTensor_free(back);
  THCudaHalfTensor_free(state, h);
  THCudaTensor_free(state, d);
  THFloatTensor_free(x);
}

static void sleeping(void **unused)
{
  THC_sleep(thc_state(), 1000);
  THC_sleep(thc_state(), -1);
  CHECK_CUDA(cudaDeviceSynchronize());
}

static void locals(void **unused)
{
  THCThreadLocal local = THCThreadLocal_alloc();
  CHECK(THCThreadLocal_get(local) == NULL);
  THCThreadLocal_set(local, &local);
  CHECK(THCThreadLocal_get(local) == &local);
  THCThreadLocal_free(local);
}

/* A product on a stream of the thread's own: the handle that another thread has of its stream is no hindrance. */
static void *multiply_elsewhere(void *other)
{
  THCState *const state = thc_state();
  THCStream *const own = THCStream_new(cudaStreamNonBlocking);
  THCState_setStream(state, own);
  THCudaTensor *const t = THCudaTensor_newWithSize2d(state, 3, 3);
  THCudaTensor_fill(state, t, 2);
  THCudaTensor *const r = THCudaTensor_newWithSize2d(state, 3, 3);
  THCudaTensor_addmm(state, r, 0, r, 1, t, t);
  CHECK_EQ(THCudaTensor_get2d(state, r, 1, 2), 12);
  THGuard locked;
  size_t bytes;
  CHECK(THC_blasHandle(&locked, state, &bytes) != other);
  THGuard_leave(&locked);
  THCudaTensor_free(state, t);
  THCudaTensor_free(state, r);
  THCStream_free(own);
  return NULL;
}

static void handles_of_streams(void **unused)
{
  THGuard locked;
  size_t bytes;
  void *const handle = THC_blasHandle(&locked, thc_state(), &bytes);
  pthread_t thread;
  struct timespec end;
  CHECK_EQ(pthread_create(&thread, NULL, multiply_elsewhere, handle), 0);
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 60;
  CHECK_EQ(pthread_timedjoin_np(thread, NULL, &end), 0); /* it does not wait for this one */
  THGuard_leave(&locked);
}

/* A second state, from beginning to end; the first one goes on. */
static void states(void **unused)
{
  THCState *state = THCState_alloc();
  CHECK_RAISES(0, "no allocator", THCudaFree(state, NULL));
  THCudaInit(state);
  THCudaTensor *t = THCudaTensor_newWithSize1d(state, 10);
  THCState_reserveStreams(state, 2, 0);
  THCState_getCurrentBlasHandle(state);
  THCudaTensor_free(state, t);
  THCudaShutdown(state);
  CHECK_EQ(state->numDevices, 0);
  THCudaShutdown(state);
  THCudaInit(state); /* and once more */
  THCudaShutdown(state);
  THCState_free(state);
  THCudaTensor *u = THCudaTensor_newWithSize1d(thc_state(), 10);
  THCudaTensor_free(thc_state(), u);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices),  cmocka_unit_test(streams),
      cmocka_unit_test(handles),  cmocka_unit_test(collector),
      cmocka_unit_test(memory),   cmocka_unit_test(halves),
      cmocka_unit_test(sleeping), cmocka_unit_test(locals),
      cmocka_unit_test(states),   cmocka_unit_test(handles_of_streams),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
