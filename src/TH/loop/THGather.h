/* Copies strided elements to contiguous memory: for copies, conversions and pointwise operations
 * whose operands are strided or transposed relative to the result. */
#ifndef TH_GATHER_H
#define TH_GATHER_H

#include "THKernel.h"

/* For elements of 1, 2, 4 or 8 bytes, whatever their type; the index is the logarithm of the
 * size. */
enum { TH_GATHER_SIZES = 4 };

typedef struct THGatherKernels {
  /* to[j * pitch + i] = from[i * step + j] for rows j of n elements i; if ahead is not 0, elements
   * so many further on are prefetched. */
  void (*across[TH_GATHER_SIZES])(void *to, ptrdiff_t pitch, const void *from, ptrdiff_t step,
                                  ptrdiff_t n, ptrdiff_t rows, ptrdiff_t ahead);
  /* to[i] = from[i * step] */
  void (*stepped[TH_GATHER_SIZES])(void *to, const void *from, ptrdiff_t step, ptrdiff_t n);
} THGatherKernels;

extern const THGatherKernels *const THGather_kernels[]; /* one entry: the level in use */

/* Computes a row of a result from a contiguous source; streams: with non-temporal stores. */
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

/* Computes a block whose result is contiguous and whose source is not: fills a buffer in L1 with
 * elements of the source and calls row with the buffer. */
void THGather_rows(const THRun *run, size_t resultSize, size_t sourceSize, THGatherRow row);

#endif
