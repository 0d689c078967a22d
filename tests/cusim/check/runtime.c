/* The runtime as the documentation has it, and as adverse as that allows. */
#include "th_test.h"

#include "kernels.h"

#define CHECK_CUDA(CALL)       CHECK_EQ((int)(CALL), (int)cudaSuccess)
#define CHECK_FAILS(CALL, WHY) CHECK_EQ((int)(CALL), (int)(WHY))

enum { N = 64 };

static float *ones(cudaStream_t stream)
{
  static float values[N];
  float *x;
  for (int i = 0; i < N; i++)
    values[i] = 1;
  CHECK_CUDA(cudaMalloc((void **)&x, sizeof values));
  CHECK_CUDA(cudaMemcpyAsync(x, values, sizeof values, cudaMemcpyHostToDevice, stream));
  return x;
}

static float first_of(const float *x)
{
  float value;
  CHECK_CUDA(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static void devices(void **state)
{
  int count, device;
  struct cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  CHECK_EQ(count, 2);
  CHECK_CUDA(cudaSetDevice(1));
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_EQ(device, 1);
  CHECK_FAILS(cudaSetDevice(2), cudaErrorInvalidDevice);
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_EQ(device, 1);
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 1));
  CHECK_EQ(properties.warpSize, 32);
  CHECK_CUDA(cudaSetDevice(0));
  assert_string_equal(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidDevice");
}

/* Pinned memory is written when somebody waits, and not before. */
static void streams_run_late(void **state)
{
  cudaStream_t stream;
  float *pinned;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaHostAlloc((void **)&pinned, N * sizeof *pinned, 0));
  float *x = ones(stream);
  pinned[0] = 7;
  CHECK_CUDA(check_axpy(x, 2, x, N, stream));
  CHECK_CUDA(cudaMemcpyAsync(pinned, x, N * sizeof *x, cudaMemcpyDeviceToHost, stream));
  CHECK_EQ(pinned[0], 7.0f);
  CHECK_FAILS(cudaStreamQuery(stream), cudaErrorNotReady);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(pinned[0], 3.0f);
  CHECK_CUDA(cudaStreamQuery(stream));
  CHECK_CUDA(cudaFree(x));
  CHECK_CUDA(cudaFreeHost(pinned));
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_FAILS(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

/* The null stream waits for blocking streams, not for others, which is a race. */
static void null_stream(void **state)
{
  for (int blocking = check_has_race_hooks(); blocking < 2; blocking++) {
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream,
                                         blocking ? cudaStreamDefault : cudaStreamNonBlocking));
    float *x = ones(0);
    CHECK_EQ(first_of(x), 1.0f);
    CHECK_CUDA(cudaMemsetAsync(x, 0, N * sizeof *x, stream));
    CHECK_EQ(first_of(x), blocking ? 0.0f : 1.0f);
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_EQ(first_of(x), 0.0f);
    CHECK_CUDA(cudaFree(x));
    CHECK_CUDA(cudaStreamDestroy(stream));
  }
}

static void events(void **state)
{
  cudaStream_t a, b;
  cudaEvent_t event, timed[2];
  float milliseconds;
  CHECK_CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, -1));
  CHECK_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventQuery(event)); /* never recorded */
  float *x = ones(a);
  CHECK_CUDA(cudaEventRecord(event, a));
  CHECK_CUDA(check_axpy(x, 5, x, N, a)); /* after the event: b does not see it */
  CHECK_CUDA(cudaStreamWaitEvent(b, event, 0));
  float *pinned;
  CHECK_CUDA(cudaHostAlloc((void **)&pinned, sizeof *pinned, 0));
  CHECK_FAILS(cudaEventQuery(event), cudaErrorNotReady);
  CHECK_EQ((int)cudaGetLastError(), (int)cudaErrorNotReady);
  CHECK_CUDA(cudaEventSynchronize(event));
  CHECK_CUDA(cudaEventQuery(event));
  CHECK_FAILS(cudaStreamQuery(a), cudaErrorNotReady);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_EQ(first_of(x), 6.0f);

  CHECK_CUDA(cudaEventCreate(&timed[0]));
  CHECK_CUDA(cudaEventCreate(&timed[1]));
  CHECK_CUDA(cudaEventRecord(timed[0], a));
  CHECK_CUDA(cudaEventRecord(timed[1], a));
  CHECK_FAILS(cudaEventElapsedTime(&milliseconds, timed[0], timed[1]), cudaErrorNotReady);
  CHECK_CUDA(cudaEventSynchronize(timed[1]));
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, timed[0], timed[1]));
  CHECK_EQ(milliseconds >= 0, 1);
  CHECK_FAILS(cudaEventElapsedTime(&milliseconds, event, timed[1]), cudaErrorInvalidResourceHandle);
  CHECK_CUDA(cudaSetDevice(1)); /* a stream of another device takes no launch */
  CHECK_FAILS(check_axpy(x, 1, x, N, a), cudaErrorInvalidResourceHandle);
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_CUDA(cudaEventDestroy(event));
  CHECK_CUDA(cudaEventDestroy(timed[0]));
  CHECK_CUDA(cudaEventDestroy(timed[1]));
  CHECK_CUDA(cudaFree(x));
  CHECK_CUDA(cudaFreeHost(pinned));
  cudaGetLastError();
}

static void add_one(void *data)
{
  ++*(int *)data;
}

static void host_functions(void **state)
{
  int calls = 0;
  CHECK_CUDA(cudaLaunchHostFunc(0, add_one, &calls));
  CHECK_EQ(calls, 0);
  CHECK_CUDA(cudaStreamSynchronize(0));
  CHECK_EQ(calls, 1);
}

static void pointers(void **state)
{
  struct cudaPointerAttributes what;
  float *x, own[4], registered[4];
  CHECK_CUDA(cudaSetDevice(1));
  CHECK_CUDA(cudaMalloc((void **)&x, 4 * sizeof *x));
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_CUDA(cudaPointerGetAttributes(&what, x + 3));
  CHECK_EQ((int)what.type, (int)cudaMemoryTypeDevice);
  CHECK_EQ(what.device, 1);
  CHECK_CUDA(cudaPointerGetAttributes(&what, own));
  CHECK_EQ((int)what.type, (int)cudaMemoryTypeUnregistered);
  CHECK_CUDA(cudaHostRegister(registered, sizeof registered, 0));
  CHECK_FAILS(cudaHostRegister(registered, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
  CHECK_CUDA(cudaPointerGetAttributes(&what, registered + 1));
  CHECK_EQ((int)what.type, (int)cudaMemoryTypeHost);
  CHECK_CUDA(cudaHostUnregister(registered));
  CHECK_FAILS(cudaHostUnregister(registered), cudaErrorHostMemoryNotRegistered);

  /* Out of the block, in the wrong direction, freed twice. */
  CHECK_FAILS(cudaMemcpy(own, x + 1, sizeof own, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  CHECK_FAILS(cudaMemcpy(own, x, sizeof own, cudaMemcpyHostToDevice),
              cudaErrorInvalidMemcpyDirection);
  CHECK_FAILS(cudaFree(x + 1), cudaErrorInvalidValue);
  CHECK_CUDA(cudaFree(x));
  CHECK_FAILS(cudaFree(x), cudaErrorInvalidValue);
  cudaGetLastError();
}

static void memory_ends(void **state)
{
  size_t before, after, total;
  void *x, *y;
  CHECK_CUDA(cudaMemGetInfo(&before, &total));
  CHECK_CUDA(cudaMalloc(&x, 1 << 20));
  CHECK_CUDA(cudaMemGetInfo(&after, &total));
  CHECK_EQ(before - after, (size_t)1 << 20);
  CHECK_FAILS(cudaMalloc(&y, total), cudaErrorMemoryAllocation);
  CHECK_CUDA(cudaFree(x));
  CHECK_CUDA(cudaMalloc(&x, 0));
  assert_null(x);
  cudaGetLastError();
}

static void peers(void **state)
{
  float *x = ones(0), *y;
  int can;
  CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK_EQ(can, 1);
  CHECK_CUDA(cudaDeviceEnablePeerAccess(1, 0));
  CHECK_FAILS(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  CHECK_CUDA(cudaDeviceDisablePeerAccess(1));
  CHECK_FAILS(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  CHECK_CUDA(cudaSetDevice(1));
  CHECK_CUDA(cudaMalloc((void **)&y, N * sizeof *y));
  CHECK_CUDA(cudaMemcpyPeer(y, 1, x, 0, N * sizeof *y));
  CHECK_EQ(first_of(y), 1.0f);
  CHECK_FAILS(cudaMemcpyPeer(y, 0, x, 0, N * sizeof *y), cudaErrorInvalidValue);
  CHECK_CUDA(cudaFree(y));
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_CUDA(cudaFree(x));
  cudaGetLastError();
}

static void planes(void **state)
{
  float x[12], y[3][2] = {{0}};
  float *d;
  size_t pitch;
  for (int i = 0; i < 12; i++)
    x[i] = (float)i;
  CHECK_CUDA(cudaMallocPitch((void **)&d, &pitch, 4 * sizeof *x, 3));
  CHECK_CUDA(cudaMemcpy2D(d, pitch, x, 4 * sizeof *x, 4 * sizeof *x, 3, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy2D(y, sizeof y[0], d + 1, pitch, sizeof y[0], 3, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      CHECK_EQ(y[i][j], (float)(4 * i + j + 1));
  CHECK_CUDA(cudaFree(d));
}

static void launches(void **state)
{
  CHECK_FAILS(check_axpy(NULL, 1, NULL, 0, 0), cudaErrorInvalidConfiguration); /* no blocks */
  CHECK_EQ((int)cudaGetLastError(), (int)cudaSuccess); /* which the launcher has asked for */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices),        cmocka_unit_test(streams_run_late),
      cmocka_unit_test(null_stream),    cmocka_unit_test(events),
      cmocka_unit_test(host_functions), cmocka_unit_test(pointers),
      cmocka_unit_test(memory_ends),    cmocka_unit_test(peers),
      cmocka_unit_test(planes),         cmocka_unit_test(launches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
