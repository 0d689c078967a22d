/* Elements that do not lie in line are brought into line: what copies, conversions and pointwise
 * operations do with operands that are stepped, or run across the result. */
#ifndef TH_GATHER_H
#define TH_GATHER_H

#include "THKernel.h"

/* Whatever the element type, by the logarithm of its bytes: 1, 2, 4 or 8. */
enum { TH_GATHER_SIZES = 4 };

typedef struct THGatherKernels {
  /* to[j * pitch + i] = from[i * step + j] for rows j of n elements i; if ahead is not 0, what lies
   * so many elements further on is fetched into the cache. */
  void (*across[TH_GATHER_SIZES])(void *to, ptrdiff_t pitch, const void *from, ptrdiff_t step,
                                  ptrdiff_t n, ptrdiff_t rows, ptrdiff_t ahead);
  /* to[i] = from[i * step] */
  void (*stepped[TH_GATHER_SIZES])(void *to, const void *from, ptrdiff_t step, ptrdiff_t n);
} THGatherKernels;

extern const THGatherKernels *THGather_kernels; /* one entry: the level in use */

/* A row of a result, of a source in line; streams: around the caches. */
typedef void (*THGatherRow)(void *r, const void *x, ptrdiff_t n, int streams);

/* Operand 1 runs across the rows of the block. */
static inline int THGather_isAcross(const THRun *run)
{
  return run->rows > 1 && run->rowStride[1] == 1 && run->stride[1] != 1;
}

/* The bytes of elements as an index of kernels. */
static inline int THGather_size(size_t itemSize)
{
  return __builtin_ctz((unsigned)itemSize);
}

/* Computes a block whose result lies in line and whose source does not: a buffer in the first cache
 * is filled with elements of the source, and the row is called with what is in it. */
void THGather_rows(const THRun *run, size_t resultSize, size_t sourceSize, THGatherRow row);

#endif
