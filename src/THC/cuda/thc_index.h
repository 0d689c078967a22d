/* What kernels with indices and masks are given (index.cu, select.cu). */
#ifndef THC_INDEX_KERNELS_H
#define THC_INDEX_KERNELS_H

#include "thc_kernels.h"

/* Of each element type, in the order of THIndexKernel up to THC_INDEX_own. */
typedef enum THCIndexKernel {
  THC_INDEX_own = 9,
  THC_INDEX_take = THC_INDEX_own, /* result, index: places of elements */
  THC_INDEX_put,                  /* index, src */
  THC_INDEX_KERNELS
} THCIndexKernel;

/* The scalars of gather, copy, add and fill.  An index that is out of range (where nobody has
 * checked) is passed over; what it says of a tensor is 0. */
typedef struct THCIndexed {
  ptrdiff_t stride, size; /* of the indexed operand along the dimension */
  uint64_t value;         /* the bits of an element */
} THCIndexed;

/* The scalars of take and put: a tensor whose elements have places, dimensions innermost first. */
typedef struct THCTakePut {
  void *data;
  ptrdiff_t count;
  int dims, accumulate;
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS];
} THCTakePut;

/* The scalars of check: good are first .. first + count - 1, but for the hole. */
typedef struct THCIndexRange {
  int64_t first, hole;
  uint64_t count;
  int *bad; /* set where one is not good; of a mask too */
} THCIndexRange;

/* Elements that are selected, in row-major order: operand 0 of the loop is contiguous (of nonzero
 * it is nothing else), so that a walk keeps the order.  Each block of a launch has THC_SELECT_CHUNK
 * elements. */
enum { THC_SELECT_CHUNK = 2048 };

typedef struct THCSelecting {
  int64_t *counts; /* of each block; then how many come before it; one more: all of them */
  ptrdiff_t block; /* number of the first block of the launch: moved on by launchers */
  ptrdiff_t done;  /* number of the first element of the launch: likewise */
  int *bad;        /* set where a mask is neither 0 nor 1 */
  void *data;      /* what selected elements come from or go to */
  ptrdiff_t step, jump;
  int dims;            /* nonzero: of the tensor, */
  const int64_t *size; /* whose sizes these are, in device memory */
} THCSelecting;

/* Offsets of an advanced index: of each dimension the indices, or NULL for all of them. */
typedef struct THCOffsets {
  int64_t *output;
  ptrdiff_t count, step, indices; /* step: of the output */
  int64_t base;
  int dims, first; /* first: the first dimension that has indices */
  const int64_t *index[THC_WALK_DIMS];
  int64_t size[THC_WALK_DIMS], stride[THC_WALK_DIMS];
} THCOffsets;

#ifdef __cplusplus
extern "C" {
#endif

void THCIndex_checkKernel(const THCWalk *walk, const void *range, cudaStream_t stream);
void THCMask_checkKernel(const THCWalk *walk, const void *range, cudaStream_t stream);

/* The scalars point to a THCSelecting, which changes. */
void THCSelect_blocks(const THCWalk *walk, const void *selecting, cudaStream_t stream);
void THCSelect_countMask(const THCWalk *walk, const void *selecting, cudaStream_t stream);
void THCSelect_sum(int64_t *counts, ptrdiff_t blocks, cudaStream_t stream);

void THCOffsets_kernel(const THCOffsets *offsets, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

/* Where element i of each of n operands lies. */
#define THC_OFFSETS_OF(WALK, N, I, AT)                 \
  do {                                                 \
    if ((WALK).packed) {                               \
      for (int thc_k = 0; thc_k < (N); thc_k++)        \
        (AT)[thc_k] = (I);                             \
    } else {                                           \
      uint32_t thc_at[N];                              \
      THCWalk_find(&(WALK), N, (uint32_t)(I), thc_at); \
      for (int thc_k = 0; thc_k < (N); thc_k++)        \
        (AT)[thc_k] = thc_at[thc_k];                   \
    }                                                  \
  } while (0)

/* The launch of a selection: each block THC_SELECT_CHUNK elements. */
#define THC_SELECT_BLOCKS(WALK) \
  ((unsigned)(((WALK)->flat.count + THC_SELECT_CHUNK - 1) / THC_SELECT_CHUNK))
#define THC_SELECT_NEXT(SELECTING, WALK)           \
  do {                                             \
    (SELECTING)->block += THC_SELECT_BLOCKS(WALK); \
    (SELECTING)->done += (WALK)->flat.count;       \
  } while (0)

#endif
