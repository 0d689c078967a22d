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

/* An unsigned integer of that many bytes. */
template <int SIZE>
struct word_of;
template <>
struct word_of<1> {
  typedef uint8_t type;
};
template <>
struct word_of<2> {
  typedef uint16_t type;
};
template <>
struct word_of<4> {
  typedef uint32_t type;
};
template <>
struct word_of<8> {
  typedef uint64_t type;
};

/* Stores an element that other threads may store, too, where indices repeat: one of the values stays, whole. */
static __device__ __forceinline__ void store_whole(real *to, real value)
{
  typename word_of<sizeof(real)>::type word;
  memcpy(&word, &value, sizeof word);
  *(volatile typename word_of<sizeof(real)>::type *)to = word;
}

/* --- along a dimension ----------------------------------------------------------------------- */

__global__ static void gather_kernel(THCWalk walk, THCIndexed indexed)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[3];
    THCWalk_offsets(walk, i, at);
    const int64_t k = ELEMENT(int64_t, 1) - TH_INDEX_BASE;
    at[2] += k * indexed.stride;
    ELEMENT(real, 0) = (uint64_t)k < (uint64_t)indexed.size ? ELEMENT(real, 2) : none();
  }
}

KERNEL(gather)
{
  LAUNCH(gather_kernel, *(const THCIndexed *)scalars);
}

/* Every type's templates have the same names: the namespace keeps them apart. */
namespace
{

struct copy_op {
  enum { OPERANDS = 3 };
  THC_DEVICE void store(const THCWalk &walk, const ptrdiff_t *at, const THCIndexed &)
  {
    store_whole(&ELEMENT(real, 0), ELEMENT(real, 2));
  }
};

struct add_op {
  enum { OPERANDS = 3 };
  THC_DEVICE void store(const THCWalk &walk, const ptrdiff_t *at, const THCIndexed &)
  {
    THC_atomicAdd(&ELEMENT(real, 0), ELEMENT(real, 2));
  }
};

struct fill_op {
  enum { OPERANDS = 2 };
  THC_DEVICE void store(const THCWalk &walk, const ptrdiff_t *at, const THCIndexed &indexed)
  {
    store_whole(&ELEMENT(real, 0), value_of(indexed.value));
  }
};

template <class Op>
THC_DEVICE void scatter(const THCWalk &walk, const THCIndexed &indexed)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[Op::OPERANDS];
    THCWalk_offsets(walk, i, at);
    const int64_t k = ELEMENT(int64_t, 1) - TH_INDEX_BASE;
    at[0] += k * indexed.stride;
    if ((uint64_t)k < (uint64_t)indexed.size)
      Op::store(walk, at, indexed);
  }
}

template <class Op>
__global__ void scatter_kernel(THCWalk walk, THCIndexed indexed)
{
  scatter<Op>(walk, indexed);
}

}  // namespace

KERNEL(copy)
{
  LAUNCH(scatter_kernel<copy_op>, *(const THCIndexed *)scalars);
}

KERNEL(add)
{
  LAUNCH(scatter_kernel<add_op>, *(const THCIndexed *)scalars);
}

KERNEL(fill)
{
  LAUNCH(scatter_kernel<fill_op>, *(const THCIndexed *)scalars);
}

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
    THCWalk_offsets(walk, i, at);
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
    THCWalk_offsets(walk, i, at);
    real *to = element_at(&tensor, ELEMENT(int64_t, 0));
    if (!to)
      continue;
    if (tensor.accumulate)
      THC_atomicAdd(to, ELEMENT(real, 1));
    else
      store_whole(to, ELEMENT(real, 1));
  }
}

KERNEL(put)
{
  LAUNCH(put_kernel, *(const THCTakePut *)scalars);
}

/* --- additions in order ---------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)

#ifdef TH_REAL_IS_HALF
#define LOAD  THC_halfToFloat
#define STORE THC_floatToHalf
#else
#define LOAD
#define STORE
#endif

__global__ static void list_add(THCWalk walk, THCIndexed indexed, THCAdding adding)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[3];
    THCWalk_offsets(walk, i, at);
    const int64_t k = ELEMENT(int64_t, 1) - TH_INDEX_BASE;
    at[0] += k * indexed.stride;
    adding.to[adding.done + i] = (uint64_t)k < (uint64_t)indexed.size
                                     ? (int64_t)(uintptr_t)&ELEMENT(real, 0)
                                     : THC_ADD_NOWHERE;
    ((real *)adding.values)[adding.done + i] = ELEMENT(real, 2);
  }
}

__global__ static void list_put(THCWalk walk, THCTakePut tensor, THCAdding adding)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2];
    THCWalk_offsets(walk, i, at);
    real *to = element_at(&tensor, ELEMENT(int64_t, 0));
    adding.to[adding.done + i] = to ? (int64_t)(uintptr_t)to : THC_ADD_NOWHERE;
    ((real *)adding.values)[adding.done + i] = ELEMENT(real, 1);
  }
}

#define LIST(NAME, KERNEL_NAME, SCALARS)                                               \
  KERNEL(NAME)                                                                         \
  {                                                                                    \
    THCAdding *adding = *(THCAdding *const *)scalars;                                  \
    THC_LAUNCH(KERNEL_NAME, THC_blocks(walk->flat.count), THC_BLOCK, 0, stream, *walk, \
               *(const SCALARS *)adding->scalars, *adding);                            \
    adding->done += walk->flat.count;                                                  \
  }

LIST(listAdd, list_add, THCIndexed)
LIST(listPut, list_put, THCTakePut)

/* The first of those for one element adds them all. */
__global__ static void add_sorted(THCAdding adding)
{
  THC_GRID_LOOP(i, adding.done)
  {
    const int64_t to = adding.sorted[i];
    if (to == THC_ADD_NOWHERE || (i > 0 && adding.sorted[i - 1] == to))
      continue;
    real *const at = (real *)(uintptr_t)to;
    auto sum = LOAD(*at);
    for (ptrdiff_t j = i; j < adding.done && adding.sorted[j] == to; j++)
      sum += LOAD(((const real *)adding.values)[adding.order[j] - TH_INDEX_BASE]);
    *at = STORE(sum);
  }
}

extern "C" void THC_NAME(THCAdding_add_)(const THCAdding *adding, cudaStream_t stream)
{
  THC_LAUNCH(add_sorted, THC_blocks(adding->done), THC_BLOCK, 0, stream, *adding);
}

#else
#define listAdd NULL
#define listPut NULL
#endif

/* --- masks ------------------------------------------------------------------------------------ */

__global__ static void mask_fill_kernel(THCWalk walk, THCIndexed indexed)
{
  THC_GRID_LOOP(i, walk.flat.count)
  {
    ptrdiff_t at[2];
    THCWalk_offsets(walk, i, at);
    if (ELEMENT(uint8_t, 1))
      ELEMENT(real, 0) = value_of(indexed.value);
  }
}

KERNEL(mask_fill)
{
  LAUNCH(mask_fill_kernel, *(const THCIndexed *)scalars);
}

/* The launch of a selection, which advances the scalars to the next launch. */
#define LAUNCH_SELECTION(KERNEL_NAME, SHARED)                                                     \
  THCSelecting *selecting = *(THCSelecting *const *)scalars;                                      \
  THC_LAUNCH(KERNEL_NAME, THC_SELECT_BLOCKS(walk), THC_BLOCK, SHARED, stream, *walk, *selecting); \
  THC_SELECT_NEXT(selecting, walk)

namespace
{

/* Calls Op::use for each selected element of the block, with its index among all selected
 * elements. */
template <class Op>
THC_DEVICE void select_elements(const THCWalk &walk, const THCSelecting &selecting, int *warps)
{
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  int64_t before = selecting.counts[selecting.block + blockIdx.x];
  for (int round = 0; round < THC_SELECT_CHUNK; round += THC_BLOCK) {
    const ptrdiff_t i = (ptrdiff_t)blockIdx.x * THC_SELECT_CHUNK + round + threadIdx.x;
    ptrdiff_t at[2] = {0};
    int selected = 0;
    if (i < walk.flat.count) {
      THCWalk_offsets(walk, i, at);
      selected = Op::selects(walk, at);
    }
    const unsigned votes = __ballot_sync(0xFFFFFFFFu, selected);
    if (lane == 0)
      warps[warp] = __popc(votes);
    __syncthreads();
    int64_t number = before + __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < THC_BLOCK / 32; w++) {
      if (w < warp)
        number += warps[w];
      before += warps[w];
    }
    if (selected)
      Op::use(walk, at, selecting, number, i);
    __syncthreads();
  }
}

struct mask_select_op {
  THC_DEVICE int selects(const THCWalk &walk, const ptrdiff_t *at)
  {
    return ELEMENT(uint8_t, 0) != 0;
  }
  THC_DEVICE void use(const THCWalk &walk, const ptrdiff_t *at, const THCSelecting &selecting,
                      int64_t number, ptrdiff_t)
  {
    ((real *)selecting.data)[number * selecting.step] = ELEMENT(real, 1);
  }
};

struct mask_copy_op : mask_select_op {
  THC_DEVICE void use(const THCWalk &walk, const ptrdiff_t *at, const THCSelecting &selecting,
                      int64_t number, ptrdiff_t)
  {
    if (number < selecting.limit)
      ELEMENT(real, 1) = ((const real *)selecting.data)[number];
    else
      THC_report(selecting.report, THC_FAULT_ONES, number, number);
  }
};

template <class Op>
__global__ void select_kernel(THCWalk walk, THCSelecting selecting)
{
  THC_DYNAMIC_SHARED(int, warps);
  select_elements<Op>(walk, selecting, warps);
}

template <class Op>
void selection(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  LAUNCH_SELECTION(select_kernel<Op>, THC_BLOCK / 32 * sizeof(int));
}

}  // namespace

/* --- nonzero ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ int is_one(real x)
{
#ifdef TH_REAL_IS_HALF
  return (x.x & 0x7FFF) != 0;
#else
  return x != 0;
#endif
}

namespace
{

struct nonzero_list_op {
  THC_DEVICE int selects(const THCWalk &walk, const ptrdiff_t *at)
  {
    return is_one(ELEMENT(real, 1));
  }

  /* Writes the index of the element in each dimension as row `number`. */
  THC_DEVICE void use(const THCWalk &, const ptrdiff_t *, const THCSelecting &selecting,
                      int64_t number, ptrdiff_t i)
  {
    int64_t position = selecting.done + i;
    int64_t *row = (int64_t *)selecting.data + number * selecting.jump;
    for (int d = selecting.dims - 1; d >= 0; d--) {
      row[d * selecting.step] = position % selecting.size[d] + TH_INDEX_BASE;
      position /= selecting.size[d];
    }
  }
};

}  // namespace

__global__ static void nonzero_count_kernel(THCWalk walk, THCSelecting selecting)
{
  int count = 0;
  for (int round = 0; round < THC_SELECT_CHUNK; round += THC_BLOCK) {
    const ptrdiff_t i = (ptrdiff_t)blockIdx.x * THC_SELECT_CHUNK + round + threadIdx.x;
    ptrdiff_t at[2];
    int selected = 0;
    if (i < walk.flat.count) {
      THCWalk_offsets(walk, i, at);
      selected = is_one(ELEMENT(real, 1));
    }
    count += __syncthreads_count(selected);
  }
  if (threadIdx.x == 0)
    selecting.counts[selecting.block + blockIdx.x] = count;
}

KERNEL(nonzero_count)
{
  LAUNCH_SELECTION(nonzero_count_kernel, 0);
}

/* --- the table, in the order of THIndexKernel and THCIndexKernel ---------------------------- */

extern "C" const THCKernel THC_NAME(THCIndexKernels_)[THC_INDEX_KERNELS];
const THCKernel THC_NAME(THCIndexKernels_)[THC_INDEX_KERNELS] = {gather,
                                                                 copy,
                                                                 add,
                                                                 fill,
                                                                 mask_fill,
                                                                 selection<mask_select_op>,
                                                                 selection<mask_copy_op>,
                                                                 nonzero_count,
                                                                 selection<nonzero_list_op>,
                                                                 take,
                                                                 put,
                                                                 listAdd,
                                                                 listPut};
