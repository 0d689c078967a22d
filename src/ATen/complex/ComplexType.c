/* The functions of a complex Type: those that make, reshape and free tensors and storages. */
#include "pairs.h"

#include "ATen/core/device.h"

#include "THTemplate.h"

/* Also compiled for a device, whose functions are known when it is loaded. */
#ifdef AT_DEVICE
#define REALS     (*at_cuda()->memory[TH_CONCAT_2(THScalar, Real)])
#define AT_MEMORY at_cudaMemory_Complex
#else
#define REALS     TH_CONCAT_2(at_memory_, Real)
#define AT_MEMORY at_memory_Complex
#endif

static void *newShape(void *of, ptrdiff_t offset, int dims, const int64_t *size,
                      const int64_t *stride)
{
  at_reals r;
  at_realsOf(&r, offset, dims, size, stride);
  void *th = REALS.newShape(of, r.offset, dims + 1, r.size, r.stride);
  at_countPairs(th);
  return th;
}

static void setShape(void *t, ptrdiff_t offset, int dims, const int64_t *size,
                     const int64_t *stride)
{
  at_reals r;
  at_realsOf(&r, offset, dims, size, stride);
  REALS.setShape(t, r.offset, dims + 1, r.size, r.stride);
  at_countPairs(t);
}

static void exchange(void *a, void *b)
{
  REALS.exchange(a, b);
}

static void freeTensor(void *t)
{
  REALS.free(t);
}

static void *newStorage(ptrdiff_t count)
{
  return REALS.newStorage(at_twice(count));
}

static void freeStorage(void *storage)
{
  REALS.freeStorage(storage);
}

const at_memory TH_CONCAT_2(AT_MEMORY, Real) = {.newShape = newShape,
                                                .setShape = setShape,
                                                .exchange = exchange,
                                                .free = freeTensor,
                                                .newStorage = newStorage,
                                                .freeStorage = freeStorage};
