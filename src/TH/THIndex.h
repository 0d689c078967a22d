/* Index tensors and masks: what functions that take them share, and their kernels.
 *
 * An operation with indices walks three operands of one shape: an indexed one, whose stride along
 * the dimension is 0 so that the kernel sees where each line begins; the indices; and a dense one.
 * index* functions are the same with the indices repeated, with stride 0, over the other
 * dimensions. */
#ifndef TH_INDEX_H
#define TH_INDEX_H

#include "THKernel.h"
#include "THTensor.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has its own, of the same names */

/* --- checks ---------------------------------------------------------------------------------- */

/* Whether each of the n numbers is one of first ... first + count - 1; count is 1 or more. */
TH_API int THIndex_areInside(const int64_t *index, ptrdiff_t n, int64_t first, int64_t count);

/* An error about argument arg unless every element of index is an index into dimension dim, which
 * has size elements. */
TH_API void THIndex_check(THLongTensor *index, int arg, int dim, int64_t size);

/* The same for places among count elements; negative ones count from the end, where -1 is. */
TH_API void THIndex_checkFlat(THLongTensor *index, int arg, ptrdiff_t count);

/* An error about argument arg unless every element of the mask is 0 or 1. */
TH_API void THIndex_checkMask(THByteTensor *mask, int arg);

/* --- elements that are selected, in row-major order ------------------------------------------ */

/* A loop in order, of fixed blocks, is run twice: to count what each block selects, and, once it is
 * known where each block's part begins, to move it.  A kernel gets the selection as its scalars. */
typedef struct THSelection {
  ptrdiff_t total;
  ptrdiff_t *at;   /* of each block: how many it selects, then the number of the next one */
  ptrdiff_t *seen; /* how many elements it has, then the number of the next one */
  int *bad;        /* set where a mask is neither 0 nor 1 */
  THGuard guard;

  char *data; /* what selected elements come from or go to */
  ptrdiff_t step,
      jump;            /* in elements: from one to the next; nonzero: from subscript to subscript */
  int dims;            /* nonzero: dimensions that are not of size 1, innermost first, */
  const int64_t *size; /* their sizes, */
  const int64_t *to;   /* and where in a row of subscripts they are */

  /* nonzero of elements that lie side by side, first being the first of them: how many words of
   * bits are kept, which the count finds, so that the elements are read once; and the bits. */
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

/* Of each element type. */
typedef enum THIndexKernel {
  TH_INDEX_gather, /* dense, index, indexed: dense = what index says */
  TH_INDEX_copy,   /* indexed, index, dense: what index says = dense */
  TH_INDEX_add,
  TH_INDEX_fill,  /* indexed, index */
  TH_MASK_fill,   /* tensor, mask; the scalars are the value */
  TH_MASK_select, /* mask, tensor: selected elements go to the selection's data */
  TH_MASK_copy,   /* mask, tensor: selected elements come from there */
  TH_NONZERO_count,
  TH_NONZERO_list, /* tensor: subscripts go to the selection's data */
  TH_INDEX_KERNELS
} THIndexKernel;

/* The scalars of gather, copy, add and fill. */
typedef struct THIndexed {
  ptrdiff_t stride; /* of the indexed operand along the dimension */
  int far;          /* what one gathers is more than the second cache holds */
  const void *value;
} THIndexed;

/* Whatever the element type. */
typedef struct THIndexScans {
  /* operand 0 is indices; the scalars are a THIndexRange */
  THKernel check;
  /* operand 0 is a mask; the scalars are a selection, whose at may be NULL */
  THKernel mask;
} THIndexScans;

/* Good are first .. first + count - 1, but for the hole; the least number of all is not.  The
 * kernel knows a count of up to 2^63. */
typedef struct THIndexRange {
  int64_t first, hole;
  uint64_t count;
  int *bad; /* set where one is not good */
} THIndexRange;

extern const THIndexScans *THIndex_scans; /* one entry: the level in use */

/* Of each byte: the numbers of the bits that are 1, ascending, each in a byte, the first one in the
 * lowest. */
extern const uint64_t THIndex_fronts[256];

#endif
