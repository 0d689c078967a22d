/* Kernels that select, gather and scatter elements of one type. */
#include "THC/core/thc_template.h"

#include "thc_index.h"

#define KERNEL(NAME) static void NAME(const THCWalk *walk, const void *scalars, cudaStream_t stream)
#define LAUNCH(KERNEL_NAME, SCALARS) \
  THC_LAUNCH(KERNEL_NAME, THC_blocks(walk->flat.count), THC_BLOCK, 0, stream, *walk, SCALARS)
#define ELEMENT(TYPE, K) (((TYPE *)walk.flat.data[K])[at[K]])

static __device__ __forceinline__ real none(void)
{
#ifdef TH_REAL_IS_HALF
  return THC_floatToHalf(0);
#else
  return 0;
#endif
}

static __device__ __forceinline__ real value_of(uint64_t bits)
{
  real value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* --- along a dimension ----------------------------------------------------------------------- */

__global__ static void gather_kernel(THCWalk walk, THCIndexed indexed)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[3];
    THC_OFFSETS_OF(walk, 3, i, at);
    const int64_t k = ELEMENT(int64_t, 1) - TH_INDEX_BASE;
    at[2] += k * indexed.stride;
    ELEMENT(real, 0) = (uint64_t)k < (uint64_t)indexed.size ? ELEMENT(real, 2) : none();
  }
}

KERNEL(gather)
{
  LAUNCH(gather_kernel, *(const THCIndexed *)scalars);
}

#define SCATTER(NAME, OPERANDS, STATEMENT)                               \
  __global__ static void NAME##_kernel(THCWalk walk, THCIndexed indexed) \
  {                                                                      \
    THC_GRID_LOOP(i, walk.flat.count)                                    \
    {                                                                    \
      ptrdiff_t at[OPERANDS];                                            \
      THC_OFFSETS_OF(walk, OPERANDS, i, at);                             \
      const int64_t k = ELEMENT(int64_t, 1) - TH_INDEX_BASE;             \
      at[0] += k * indexed.stride;                                       \
      if ((uint64_t)k < (uint64_t)indexed.size)                          \
        STATEMENT;                                                       \
    }                                                                    \
  }                                                                      \
  KERNEL(NAME)                                                           \
  {                                                                      \
    LAUNCH(NAME##_kernel, *(const THCIndexed *)scalars);                 \
  }

SCATTER(copy, 3, ELEMENT(real, 0) = ELEMENT(real, 2))
SCATTER(add, 3, THC_atomicAdd(&ELEMENT(real, 0), ELEMENT(real, 2)))
SCATTER(fill, 2, ELEMENT(real, 0) = value_of(indexed.value))

/* --- by flat index ---------------------------------------------------------------------------- */

/* The element at a flat index; NULL if the index is out of range. */

static __device__ __forceinline__ real *element_at(const THCTakePut *tensor, int64_t index)
{
  int64_t rest = index < 0 ? index + tensor->count : index - TH_INDEX_BASE;
  if ((uint64_t)rest >= (uint64_t)tensor->count)
    return NULL;
  ptrdiff_t at = 0;
  THC_ROLL
  for (int d = 0; d < tensor->dims - 1; d++) {
    at += rest % tensor->size[d] * tensor->stride[d];
    rest /= tensor->size[d];
  }
  return (real *)tensor->data + at + rest * tensor->stride[tensor->dims - 1];
}

__global__ static void take_kernel(THCWalk walk, THCTakePut tensor)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2];
    THC_OFFSETS_OF(walk, 2, i, at);
    const real *from = element_at(&tensor, ELEMENT(int64_t, 1));
    ELEMENT(real, 0) = from ? *from : none();
  }
}

KERNEL(take)
{
  LAUNCH(take_kernel, *(const THCTakePut *)scalars);
}

__global__ static void put_kernel(THCWalk walk, THCTakePut tensor)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2];
    THC_OFFSETS_OF(walk, 2, i, at);
    real *to = element_at(&tensor, ELEMENT(int64_t, 0));
    if (!to)
      continue;
    if (tensor.accumulate)
      THC_atomicAdd(to, ELEMENT(real, 1));
    else
      *to = ELEMENT(real, 1);
  }
}

KERNEL(put)
{
  LAUNCH(put_kernel, *(const THCTakePut *)scalars);
}

/* --- masks ------------------------------------------------------------------------------------ */

__global__ static void mask_fill_kernel(THCWalk walk, THCIndexed indexed)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2];
    THC_OFFSETS_OF(walk, 2, i, at);
    if (ELEMENT(uint8_t, 1))
      ELEMENT(real, 0) = value_of(indexed.value);
  }
}

KERNEL(mask_fill)
{
  LAUNCH(mask_fill_kernel, *(const THCIndexed *)scalars);
}

/* Runs STATEMENT for each selected element; `number` is its index among the selected elements. */
#define SELECT(NAME, OPERANDS, SELECTED, STATEMENT)                                              \
  __global__ static void NAME##_kernel(THCWalk walk, THCSelecting selecting)                     \
  {                                                                                              \
    __shared__ int warps[THC_BLOCK / 32];                                                        \
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;                        \
    int64_t before = selecting.counts[selecting.block + blockIdx.x];                             \
    for (int round = 0; round < THC_SELECT_CHUNK; round += THC_BLOCK) {                          \
      const ptrdiff_t i = (ptrdiff_t)blockIdx.x * THC_SELECT_CHUNK + round + threadIdx.x;        \
      ptrdiff_t at[OPERANDS] = {0};                                                              \
      int selected = 0;                                                                          \
      if (i < walk.flat.count) {                                                                 \
        THC_OFFSETS_OF(walk, OPERANDS, i, at);                                                   \
        selected = SELECTED;                                                                     \
      }                                                                                          \
      const unsigned votes = __ballot_sync(0xFFFFFFFFu, selected);                               \
      if (lane == 0)                                                                             \
        warps[warp] = __popc(votes);                                                             \
      __syncthreads();                                                                           \
      int64_t number = before + __popc(votes & ((1u << lane) - 1));                              \
      for (int w = 0; w < THC_BLOCK / 32; w++) {                                                 \
        if (w < warp)                                                                            \
          number += warps[w];                                                                    \
        before += warps[w];                                                                      \
      }                                                                                          \
      if (selected) {                                                                            \
        STATEMENT;                                                                               \
      }                                                                                          \
      __syncthreads();                                                                           \
    }                                                                                            \
  }                                                                                              \
  KERNEL(NAME)                                                                                   \
  {                                                                                              \
    THCSelecting *selecting = *(THCSelecting *const *)scalars;                                   \
    THC_LAUNCH(NAME##_kernel, THC_SELECT_BLOCKS(walk), THC_BLOCK, 0, stream, *walk, *selecting); \
    THC_SELECT_NEXT(selecting, walk);                                                            \
  }

SELECT(mask_select, 2, ELEMENT(uint8_t, 0) != 0,
       ((real *)selecting.data)[number * selecting.step] = ELEMENT(real, 1))
SELECT(mask_copy, 2, ELEMENT(uint8_t, 0) != 0,
       ELEMENT(real, 1) = ((const real *)selecting.data)[number])

/* --- nonzero ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ int is_one(real x)
{
#ifdef TH_REAL_IS_HALF
  return (x.x & 0x7FFF) != 0;
#else
  return x != 0;
#endif
}

static __device__ __forceinline__ void list(const THCSelecting *selecting, int64_t number,
                                            int64_t position)
{
  int64_t *row = (int64_t *)selecting->data + number * selecting->jump;
  for (int d = selecting->dims - 1; d >= 0; d--) {
    row[d * selecting->step] = position % selecting->size[d] + TH_INDEX_BASE;
    position /= selecting->size[d];
  }
}

SELECT(nonzero_list, 2, is_one(ELEMENT(real, 1)), list(&selecting, number, selecting.done + i))

__global__ static void nonzero_count_kernel(THCWalk walk, THCSelecting selecting)
{
  int count = 0;
  for (int round = 0; round < THC_SELECT_CHUNK; round += THC_BLOCK) {
    const ptrdiff_t i = (ptrdiff_t)blockIdx.x * THC_SELECT_CHUNK + round + threadIdx.x;
    ptrdiff_t at[2];
    int selected = 0;
    if (i < walk.flat.count) {
      THC_OFFSETS_OF(walk, 2, i, at);
      selected = is_one(ELEMENT(real, 1));
    }
    count += __syncthreads_count(selected);
  }
  if (threadIdx.x == 0)
    selecting.counts[selecting.block + blockIdx.x] = count;
}

KERNEL(nonzero_count)
{
  THCSelecting *selecting = *(THCSelecting *const *)scalars;
  THC_LAUNCH(nonzero_count_kernel, THC_SELECT_BLOCKS(walk), THC_BLOCK, 0, stream, *walk,
             *selecting);
  THC_SELECT_NEXT(selecting, walk);
}

/* --- the table, in the order of THIndexKernel and THCIndexKernel ---------------------------- */

extern "C" const THCKernel THC_NAME(THCIndexKernels_)[THC_INDEX_KERNELS];
const THCKernel THC_NAME(THCIndexKernels_)[THC_INDEX_KERNELS] = {
    gather,    copy,          add,          fill, mask_fill, mask_select,
    mask_copy, nonzero_count, nonzero_list, take, put};
