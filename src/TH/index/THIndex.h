/* Index tensors and masks: functions shared by operations that take them, and kernels.  An
 * operation with indices walks three operands of one shape: the indexed one, whose stride along the
 * dimension is 0 so that the kernel sees where each line begins; the indices; and the dense one.
 * index* functions are the same with the indices repeated, with stride 0, over the other
 * dimensions. */
#ifndef TH_INDEX_H
#define TH_INDEX_H

#include "THKernel.h"
#include "THTensor.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has its own functions of the same names */

/* --- checks ---------------------------------------------------------------------------------- */

/* Whether each of the n numbers is one of first ... first + count - 1; count is 1 or more. */
TH_API int THIndex_areInside(const int64_t *index, ptrdiff_t n, int64_t first, int64_t count);

/* An error about argument arg unless every element of index is an index into dimension dim, which
 * has size elements. */
TH_API void THIndex_check(THLongTensor *index, int arg, int dim, int64_t size);

/* THIndex_check for flat indices of count elements; negative ones count from the end: -1 is the last. */
TH_API void THIndex_checkFlat(THLongTensor *index, int arg, ptrdiff_t count);

/* An error about argument arg unless every element of the mask is 0 or 1. */
TH_API void THIndex_checkMask(THByteTensor *mask, int arg);

/* --- elements that are selected, in row-major order ------------------------------------------ */

/* A loop in order, of fixed blocks, is run twice: to count what each block selects, and, once it is
 * known where each block's part begins, to move it.  A kernel gets the selection as its scalars. */
typedef struct THSelection {
  ptrdiff_t total;
  /* of each block: how many elements it selects, then the index of its first one */
  ptrdiff_t *at;
  ptrdiff_t *seen; /* how many elements it has, then the index of its first one */
  int *bad;        /* set where a mask is neither 0 nor 1 */
  THGuard guard;

  char *data;                /* where selected elements come from or go to */
  ptrdiff_t step, rowStride; /* in elements; nonzero: along and between subscripts */
  int dims;                  /* nonzero: how many dimensions are not of size 1 */
  const int64_t *size;       /* nonzero: the sizes of these dimensions, innermost first */
  const int64_t *to;         /* nonzero: their columns in a row of subscripts */

  /* nonzero of contiguous elements, the first of which is at first: the bits that the count finds
   * are kept, so that elements are read only once; words is the number of words. */
  ptrdiff_t words;
  const void *first;
  uint64_t *bits;
} THSelection;

/* Runs the loop with the kernel, which counts; at and seen then say where parts begin. */
void THSelection_count(THSelection *selection, THLoop *loop, THKernel count);
void THSelection_close(THSelection *selection);

/* Counts by a mask, operand 0 of the loop and argument arg; an error unless it holds 0 and 1 only.
 */
void THSelection_countMask(THSelection *selection, THLoop *loop, THByteTensor *mask, int arg);

#endif

/* --- kernels --------------------------------------------------------------------------------- */

/* Kernels of each element type, with their operands. */
typedef enum THIndexKernel {
  TH_INDEX_gather, /* dense, index, indexed: dense = elements given by index */
  TH_INDEX_copy,   /* indexed, index, dense: elements given by index = dense */
  TH_INDEX_add,
  TH_INDEX_fill,  /* indexed, index */
  TH_MASK_fill,   /* tensor, mask; the scalars are the value */
  TH_MASK_select, /* mask, tensor: selected elements go to the selection's data */
  TH_MASK_copy,   /* mask, tensor: selected elements come from there */
  TH_NONZERO_count,
  TH_NONZERO_list /* tensor: subscripts go to the selection's data */
} THIndexKernel;

#ifndef TH_TEMPLATE_DEVICE
/* The kernel of type Real and the level in use.  Each has tables of its own (THKernel.h), which are named as it is. */
#define INDEX_KERNEL(NAME) (*TH_DISPATCHED(THTensor_(NAME)))
typedef THKernel IndexKernel;
#endif

/* The scalars of gather, copy, add and fill. */
typedef struct THIndexed {
  ptrdiff_t stride; /* of the indexed operand along the dimension */
  int far;          /* whether the gathered elements exceed L2 */
  const void *value;
} THIndexed;

/* Whatever the element type. */
typedef struct THIndexScans {
  /* operand 0 is indices; the scalars are a THIndexRange */
  THKernel check;
  /* operand 0 is a mask; the scalars are a selection, whose at may be NULL */
  THKernel mask;
} THIndexScans;

/* Valid indices are first .. first + count - 1 except hole; INT64_MIN is never valid.  count may be
 * up to 2^63. */
typedef struct THIndexRange {
  int64_t first, hole;
  uint64_t count;
  int *bad; /* set if an index is invalid */
} THIndexRange;

extern const THIndexScans *const THIndex_scans[]; /* one entry: the level in use */

/* For each byte: the numbers of its bits that are 1, ascending, one per byte of the word, the first
 * in the lowest. */
extern const uint64_t THIndex_fronts[256];

#endif
