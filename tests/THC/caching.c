/* The caching allocators: which blocks are reused, when, and the counts. */
#include "thc_test.h"

#include <pthread.h>

#define MALLOC(SIZE, STREAM)                                          \
  __extension__({                                                     \
    void *th_block;                                                   \
    CHECK_CUDA(allocator->malloc(NULL, &th_block, (SIZE), (STREAM))); \
    th_block;                                                         \
  })
#define FREE(BLOCK) CHECK_CUDA(allocator->free(NULL, BLOCK))

static THCDeviceAllocator *allocator;

static int set_up(void **unused)
{
  thc_state();
  allocator = THCCachingAllocator_get();
  THCCachingAllocator_setCaching(1);
  CHECK_CUDA(allocator->emptyCache(NULL));
  return 0;
}

static void reuse(void **unused)
{
  const uint64_t before = THCCachingAllocator_currentMemoryAllocated(0);
  CHECK_EQ(THCCachingAllocator_currentMemoryCached(0), 0);
  char *a = MALLOC(1000, NULL), *b = MALLOC(3000, NULL), *c = MALLOC(100, NULL);
  CHECK_EQ((uintptr_t)a % 512, 0);
  CHECK_EQ(b - a, 1024); /* cut from one segment */
  CHECK_EQ(c - b, 3072);
  CHECK_EQ(THCCachingAllocator_currentMemoryAllocated(0) - before, 1024 + 3072 + 512);
  CHECK_EQ(THCCachingAllocator_currentMemoryCached(0), 2 << 20);
  size_t size, cached, largest;
  CHECK(THCCachingAllocator_getBaseAllocation(c, &size) == a);
  CHECK_EQ(size, (size_t)2 << 20);
  FREE(b);
  CHECK_CUDA(allocator->cacheInfo(NULL, 0, &cached, &largest));
  CHECK_EQ(cached, (2 << 20) - 1024 - 512);
  CHECK_EQ(largest, (2 << 20) - 1024 - 3072 - 512);
  CHECK(MALLOC(2900, NULL) == (void *)b); /* the hole */
  FREE(a);
  FREE(b); /* merged with what was a */
  CHECK(MALLOC(4096, NULL) == (void *)a);
  FREE(a);
  FREE(c);
  CHECK_CUDA(allocator->cacheInfo(NULL, 0, &cached, &largest));
  CHECK_EQ(largest, 2 << 20); /* one block again */
  CHECK_EQ(THCCachingAllocator_currentMemoryAllocated(0), before);
  CHECK(THCCachingAllocator_maxMemoryAllocated(0) >= before + 4608);
  CHECK(THCCachingAllocator_maxMemoryCached(0) >= 2 << 20);
  CHECK_CUDA(allocator->emptyCache(NULL));
  CHECK_EQ(THCCachingAllocator_currentMemoryCached(0), 0);
}

static void large(void **unused)
{
  char *a = MALLOC(30 << 20, NULL);
  CHECK_EQ(THCCachingAllocator_currentMemoryCached(0), 30 << 20);
  FREE(a);
  CHECK(MALLOC(29 << 20, NULL) == (void *)a); /* a rest of 1 MB is not split off */
  FREE(a);
  char *b = MALLOC(12 << 20, NULL);
  CHECK(b == a);
  char *c = MALLOC(13 << 20, NULL);
  CHECK(c == a + (12 << 20));
  FREE(b);
  FREE(c);
  char *d = MALLOC(3 << 20, NULL), *e = MALLOC(15 << 20, NULL);
  CHECK(d >= a && d < a + (30 << 20));
  CHECK(e >= a && e < a + (30 << 20));
  FREE(d);
  FREE(e);
  CHECK_CUDA(allocator->emptyCache(NULL));
}

/* Streams have their own blocks; one that another stream uses waits for that. */
static void streams(void **unused)
{
  THCStream *one = THCStream_new(cudaStreamNonBlocking),
            *two = THCStream_new(cudaStreamNonBlocking);
  void *a = MALLOC(5000, one->stream);
  FREE(a);
  void *b = MALLOC(5000, two->stream);
  CHECK(b != a);
  FREE(b);
  a = MALLOC(5000, one->stream);
  THCCachingAllocator_recordStream(a, two);
  THCCachingAllocator_recordStream(a, one); /* its own: nothing to remember */
  CHECK_EQ(two->refcount, 2);
  CHECK_CUDA(cudaMemsetAsync(a, 1, 5000, two->stream));
  FREE(a);
  CHECK_EQ(two->refcount, 1);
  CHECK_EQ((int)allocator->free(NULL, a), (int)cudaErrorInvalidDevicePointer);
  void *c = MALLOC(5000, one->stream); /* two may still be writing */
  CHECK(c != a);
  CHECK_CUDA(cudaStreamSynchronize(two->stream));
  void *d;
  for (int tries = 0; (d = MALLOC(5000, one->stream)) != a && tries < 5; tries++)
    ;
  CHECK(d == a);
  THCCachingAllocator_recordStream(NULL, one);
  CHECK_RAISES(1, "not the address", THCCachingAllocator_recordStream((char *)d + 512, one));
  CHECK_RAISES(2, "NULL", THCCachingAllocator_recordStream(d, NULL));
  CHECK_RAISES(1, "not the address", THCCachingAllocator_getBaseAllocation(&d, NULL));
  FREE(d);
  FREE(c);
  CHECK_CUDA(allocator->emptyCache(NULL));
  THCStream_free(one);
  THCStream_free(two);
}

/* If the device has no memory left, cached segments are returned to it. */
static void retries(void **unused)
{
  size_t available, total;
  CHECK_CUDA(cudaMemGetInfo(&available, &total));
  const size_t most = available / (32 << 20) * (32 << 20);
  void *a = MALLOC(most / 2, NULL), *b = MALLOC(most / 4, NULL);
  FREE(a);
  FREE(b);
  void *c = MALLOC(most / 8 * 7, NULL);
  void *d;
  CHECK_EQ((int)allocator->malloc(NULL, &d, most, NULL), (int)cudaErrorMemoryAllocation);
  CHECK(d == NULL);
  CHECK_CUDA(cudaGetLastError());
  FREE(c);
  CHECK_CUDA(allocator->emptyCache(NULL));
}

static void devices(void **unused)
{
  size_t cached, largest;
  CHECK_RAISES(1, "there is no device", THCCachingAllocator_maxMemoryCached(-1));
  CHECK_EQ((int)allocator->cacheInfo(NULL, 1000, &cached, &largest), (int)cudaErrorInvalidDevice);
  if (thc_devices() < 2)
    return;
  CHECK_CUDA(cudaSetDevice(1));
  void *a = MALLOC(5000, NULL);
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_EQ(THCCachingAllocator_currentMemoryAllocated(1), 5120);
  FREE(a);
  void *b = MALLOC(5000, NULL);
  CHECK(b != a);
  FREE(b);
  CHECK_CUDA(allocator->emptyCache(NULL));
}

/* Without keeping, blocks have exactly their size, and are gone when they are freed. */
static void nothing_kept(void **unused)
{
  CHECK_EQ(THCCachingAllocator_setCaching(0), 1);
  const uint64_t before = THCCachingAllocator_currentMemoryCached(0);
  void *a = MALLOC(1001, NULL);
  size_t size;
  CHECK(THCCachingAllocator_getBaseAllocation(a, &size) == a);
  CHECK_EQ(size, 1001);
  CHECK_EQ(THCCachingAllocator_currentMemoryCached(0) - before, 1001);
  THCStream *stream = THCStream_new(cudaStreamNonBlocking);
  THCCachingAllocator_recordStream(a, stream);
  CHECK_CUDA(cudaMemsetAsync(a, 1, 1001, stream->stream));
  FREE(a);
  CHECK_EQ(THCCachingAllocator_currentMemoryCached(0), before);
  THCStream_free(stream);
  CHECK_EQ(THCCachingAllocator_setCaching(1), 0);
}

static void *churn(void *seed)
{
  th_random random = {(uint64_t)(uintptr_t)seed};
  void *blocks[16] = {NULL};
  size_t sizes[16];
  for (int i = 0; i < 2000; i++) {
    const int k = (int)th_random_below(&random, 16);
    if (blocks[k]) {
      FREE(blocks[k]);
      blocks[k] = NULL;
    } else {
      sizes[k] = (size_t)th_random_below(&random, i % 7 ? 100000 : 5000000) + 1;
      blocks[k] = MALLOC(sizes[k], NULL);
    }
    for (int j = 0; j < 16; j++) /* no two blocks share memory */
      for (int l = 0; l < j; l++)
        CHECK(!blocks[j] || !blocks[l] || (char *)blocks[j] + sizes[j] <= (char *)blocks[l] ||
              (char *)blocks[l] + sizes[l] <= (char *)blocks[j]);
  }
  for (int k = 0; k < 16; k++)
    FREE(blocks[k]);
  return NULL;
}

static void threads(void **unused)
{
  const uint64_t before = THCCachingAllocator_currentMemoryAllocated(0);
  pthread_t others[3];
  for (uintptr_t i = 0; i < 3; i++)
    CHECK_EQ(pthread_create(&others[i], NULL, churn, (void *)(i + 1 + (uintptr_t)th_seed())), 0);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(pthread_join(others[i], NULL), 0);
  CHECK_EQ(THCCachingAllocator_currentMemoryAllocated(0), before);
  CHECK_CUDA(allocator->emptyCache(NULL));
  CHECK_EQ(THCCachingAllocator_currentMemoryCached(0), 0);
}

/* --- pinned memory -------------------------------------------------------------------------- */

static void pinned(void **unused)
{
  THCCachingHostAllocator_emptyCache();
  THAllocator *host = &THCCachingHostAllocator;
  void *a = host->malloc(NULL, 10000);
  host->free(NULL, a);
  void *b = host->malloc(NULL, 9000);
  CHECK(b == a);
  THCStream *stream = THCStream_new(cudaStreamNonBlocking);
  void *device = MALLOC(9000, NULL);
  CHECK_CUDA(cudaMemcpyAsync(device, b, 9000, cudaMemcpyHostToDevice, stream->stream));
  CHECK_CUDA(THCCachingHostAllocator_recordEvent(b, stream));
  host->free(NULL, b);
  void *c = host->malloc(NULL, 9000);
  CHECK(c != b); /* the copy still reads it */
  CHECK_CUDA(cudaStreamSynchronize(stream->stream));
  void *d = NULL, *waiting[5];
  int tries = 0;
  for (; tries < 5 && d != b; tries++)
    waiting[tries] = d = host->malloc(NULL, 9000);
  CHECK(d == b);
  while (tries--)
    host->free(NULL, waiting[tries]);
  host->free(NULL, c);
  FREE(device);
  THCStream_free(stream);

  CHECK(THCCachingAllocator_getCudaFreeMutex() != NULL);
  CHECK(host->malloc(NULL, 0) == NULL);
  host->free(NULL, NULL);
  CHECK_RAISES(0, "-5 bytes", host->malloc(NULL, -5));
  CHECK_RAISES(0, "no pinned memory", host->malloc(NULL, PTRDIFF_MAX / 2));
  int outside;
  CHECK_RAISES(0, "cudaErrorInvalidValue", host->free(NULL, &outside));
  CHECK_CUDA(THCCachingHostAllocator_recordEvent(&outside, THCStream_defaultStream(0)));
  THCCachingHostAllocator_emptyCache();
}

int main(void)
{
  setenv("CUSIM_MEMORY", "256", 0); /* the simulator's devices: soon full */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(reuse, set_up),   cmocka_unit_test_setup(large, set_up),
      cmocka_unit_test_setup(streams, set_up), cmocka_unit_test_setup(retries, set_up),
      cmocka_unit_test_setup(devices, set_up), cmocka_unit_test_setup(nothing_kept, set_up),
      cmocka_unit_test_setup(threads, set_up), cmocka_unit_test_setup(pinned, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
