/* Interface of reduce.cu: the arguments of a reduction, and the table of each type. */
#ifndef THC_REDUCE_KERNELS_H
#define THC_REDUCE_KERNELS_H

#include <cuda_runtime_api.h>

#include "THC/walk/thc_lines.h"

enum {
  THC_REDUCE_THREADS = 256,
  THC_REDUCE_MOST_STATE = 32, /* bytes */
  THC_REDUCE_PACK = 32        /* elements: the size of a chunk is a multiple */
};

/* One launch.  The THC_REDUCE_THREADS threads of a block reduce `lanes` lines, `share` threads
 * per line: neighbours, or with `across` threads that are `lanes` apart.  Both are powers of
 * two.  Lines are cut into chunks, one for each blockIdx.y. */
typedef struct THCReduceWork {
  const void *from;
  int walked;  /* there is one line, whose elements are found through walk */
  int grouped; /* a line is contiguous: a thread loads neighbouring elements */
  int packed;  /* grouped, and each line begins at a multiple of 16 bytes */
  int across;  /* neighbouring threads read neighbouring lines */
  int lanes, share;
  ptrdiff_t chunk, chunks;
  double p;        /* the exponent of a norm; for var and std, count - p is the divisor */
  ptrdiff_t count; /* elements reduced to one result */

  /* The output: states[chunk * lines + line] if chunks have to be joined, else results. */
  void *states;
  void *result;   /* of type real, operand 1 of the lines */
  int64_t *index; /* operand 2 of the lines, or NULL */
  void *total;    /* the result as an accreal, if all elements are one line; else NULL */
  void *before;   /* with total: the state of earlier launches, to which this one's is joined */
  int fresh;      /* there is no earlier launch */
} THCReduceWork;

typedef struct THCReduction {
  size_t itemSize, stateSize, totalSize; /* bytes of an element, a state, an accreal */
  /* Reduces elements to states, or to results if work->states is NULL. */
  void (*reduce)(const THCReduceWork *work, const THCLines *lines, const THCWalk *walk,
                 cudaStream_t stream);
  /* Joins the states of chunks to results. */
  void (*join)(const THCReduceWork *work, const THCLines *lines, cudaStream_t stream);
} THCReduction;

#endif
