/* Arguments of the kernels with indices and masks (index.cu, select.cu). */
#ifndef THC_INDEX_KERNELS_H
#define THC_INDEX_KERNELS_H

#include "THC/core/thc_fault.h"
#include "THC/core/thc_kernels.h"

/* The kernels of an element type: those of THIndexKernel, in its order, then the following. */
typedef enum THCIndexKernel {
  THC_INDEX_own = 9,
  THC_INDEX_take = THC_INDEX_own, /* operands: result, flat index */
  THC_INDEX_put,                  /* operands: flat index, src */
  THC_INDEX_listAdd,              /* operands as of add; lists what add would add (THCAdding) */
  THC_INDEX_listPut,              /* operands as of put; lists what put would add */
  THC_INDEX_KERNELS
} THCIndexKernel;

/* The scalars of gather, copy, add and fill.  An index out of range writes nothing, and reads 0. */
typedef struct THCIndexed {
  ptrdiff_t stride, size; /* of the indexed operand along the dimension */
  uint64_t value;         /* the bits of an element */
} THCIndexed;

/* The scalars of take and put: the tensor that flat indices refer to, innermost dimension first. */
typedef struct THCTakePut {
  void *data;
  ptrdiff_t count;
  int dims, accumulate;
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS];
} THCTakePut;

/* The scalars of check: valid indices, or elements of a mask, are those of the report, except for the
 * hole. */
typedef struct THCIndexRange {
  THCReport report;
  int64_t hole;
} THCIndexRange;

/* A selection of elements in row-major order.  Operand 0 of the loop is contiguous (nonzero has a
 * dummy operand for this reason), so that a walk keeps the order.  Each block of a launch has
 * THC_SELECT_CHUNK elements. */
enum { THC_SELECT_CHUNK = 2048 };

typedef struct THCSelecting {
  int64_t *counts; /* selected elements of each block; later of the blocks before it; then of all */
  ptrdiff_t block; /* index of the launch's first block; launchers advance it */
  ptrdiff_t done;  /* index of the launch's first element; launchers advance it */
  THCReport report; /* of an element of a mask that is neither 0 nor 1 */
  void *data;       /* selected elements are copied from or to this memory */
  ptrdiff_t limit;  /* mask_copy only: how many there are to be copied */
  ptrdiff_t step, jump;
  int dims;            /* nonzero only: dimensions of the tensor */
  const int64_t *size; /* nonzero only: sizes of the tensor, in device memory */
} THCSelecting;

/* Additions to floating elements in the order of the indices: a list of them, sorted by where they go.  The scalars
 * of the kernels that list are a pointer to one. */
typedef struct THCAdding {
  const void *scalars; /* the scalars of add or put */
  ptrdiff_t done;      /* index of the launch's first element; launchers advance it */
  int64_t *to;         /* addresses; THC_ADD_NOWHERE for an index out of range */
  void *values;
  const int64_t *sorted, *order;
} THCAdding;

#define THC_ADD_NOWHERE INT64_MAX

/* Offsets of an advanced index.  index[d] is NULL if dimension d is taken whole. */
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

/* Adds the number of elements to done. */
void THCAdding_count(const THCWalk *walk, const void *adding, cudaStream_t stream);

void THCOffsets_kernel(const THCOffsets *offsets, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

/* Blocks of a launch of a selection, and the step to the next launch. */
#define THC_SELECT_BLOCKS(WALK) \
  ((unsigned)(((WALK)->flat.count + THC_SELECT_CHUNK - 1) / THC_SELECT_CHUNK))
#define THC_SELECT_NEXT(SELECTING, WALK)           \
  do {                                             \
    (SELECTING)->block += THC_SELECT_BLOCKS(WALK); \
    (SELECTING)->done += (WALK)->flat.count;       \
  } while (0)

#endif
