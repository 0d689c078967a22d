/* The one engine that walks tensors.
 *
 * A loop takes a few strided operands with the same number of elements and hands blocks of rows to
 * a kernel, which alone knows the types:
 *
 *     static void add(const THRun *run, const void *unused)       one block: rows of n elements
 *     {
 *       for (ptrdiff_t j = 0; j < run->rows; j++) {
 *         float *r = (float *)run->at[0] + j * run->rowStride[0];
 *         const float *a = (const float *)run->at[1] + j * run->rowStride[1];
 *         for (ptrdiff_t i = 0; i < run->n; i++)
 *           r[i * run->stride[0]] = a[i * run->stride[1]] + 1;
 *       }
 *     }
 *
 *     THLoop loop;
 *     THLoop_init(&loop);
 *     THLoop_tensor(&loop, r);
 *     THLoop_tensor(&loop, a);
 *     THLoop_run(&loop, add, NULL);
 *
 * Operands of one shape are walked in the order that suits memory best, the first operand's strides
 * deciding: dimensions of size 1 are dropped, neighbours merged, operands that are transposed
 * relative to each other walked in tiles.  Operands of different shapes are walked element by
 * element in row-major order.  A broadcast operand has stride 0.  Large loops are cut for threads.
 * Nothing is allocated and nothing can fail but a wrong number of elements. */
#ifndef TH_LOOP_H
#define TH_LOOP_H

#include "THGeneral.h"

enum {
  TH_LOOP_OPERANDS = 8,
  /* Dimensions of size 1 are dropped, and the rest multiply to less than 2^63: no tensor has more.
   */
  TH_LOOP_DIMS = 64,
  TH_LOOP_GRAIN = 32768 /* elements per thread that pay for starting one */
};

/* A block of rows x n elements of each operand.  Strides are in elements. */
typedef struct THRun {
  ptrdiff_t n, rows;
  char *at[TH_LOOP_OPERANDS];
  ptrdiff_t stride[TH_LOOP_OPERANDS];    /* from an element of a row to the next */
  ptrdiff_t rowStride[TH_LOOP_OPERANDS]; /* from a row to the next */
  int streams;     /* operand 0 is too large for the caches and no input: use non-temporal stores */
  ptrdiff_t block; /* of a loop of fixed blocks: the number of this one, from 0 */
} THRun;

/* Computes a block; scalars are whatever the caller of THLoop_run passed.  Must not raise. */
typedef void (*THKernel)(const THRun *run, const void *scalars);

typedef struct THLoop {
  int operands;
  int inOrder;     /* set before running: row-major order; one thread unless fixed */
  int fixed;       /* set before running: blocks are numbered and depend on the shapes alone */
  ptrdiff_t grain; /* set before running: fewer elements than this are not worth a thread */
  char *data[TH_LOOP_OPERANDS];
  ptrdiff_t itemSize[TH_LOOP_OPERANDS];
  int nDimension[TH_LOOP_OPERANDS];
  const int64_t *size[TH_LOOP_OPERANDS]; /* borrowed until the loop has run */
  const int64_t *stride[TH_LOOP_OPERANDS];
} THLoop;

static inline void THLoop_init(THLoop *loop)
{
  loop->operands = 0;
  loop->inOrder = 0;
  loop->fixed = 0;
  loop->grain = TH_LOOP_GRAIN;
}

static inline void THLoop_operand(THLoop *loop, void *data, size_t itemSize, int nDimension,
                                  const int64_t *size, const int64_t *stride)
{
  const int i = loop->operands++;
  loop->data[i] = (char *)data;
  loop->itemSize[i] = (ptrdiff_t)itemSize;
  loop->nDimension[i] = nDimension;
  loop->size[i] = size;
  loop->stride[i] = stride;
}

/* Adds a tensor of any type. */
#define THLoop_tensor(LOOP, TENSOR)                                                            \
  THLoop_operand((LOOP),                                                                       \
                 (TENSOR)->storage ? (TENSOR)->storage->data + (TENSOR)->storageOffset : NULL, \
                 sizeof *(TENSOR)->storage->data, (TENSOR)->nDimension, (TENSOR)->size,        \
                 (TENSOR)->stride)

/* Walks all elements.  An error if the operands' numbers of elements differ. */
TH_API void THLoop_run(THLoop *loop, THKernel kernel, const void *scalars);

/* The number of blocks of a loop of fixed blocks.  It does not depend on the number of threads, so
 * that a reduction can keep one partial result per block.  A kernel may be called several times for
 * one block, by one thread and in order.  With inOrder too, consecutive blocks hold consecutive
 * elements in row-major order. */
TH_API ptrdiff_t THLoop_blocks(const THLoop *loop);

/* --- overlap --------------------------------------------------------------------------------- */

typedef enum THOverlap {
  TH_OVERLAP_NONE, /* no byte in common */
  TH_OVERLAP_SAME, /* element for element the same memory */
  TH_OVERLAP_MIXED /* anything else, or unknown */
} THOverlap;

/* How the memory of operand a of the loop relates to that of operand b. */
TH_API THOverlap THLoop_overlap(const THLoop *loop, int a, int b);

/* Whether two elements of the operand share memory, so that the one written last counts. */
TH_API int THLoop_overlapsItself(const THLoop *loop, int a);

#endif
