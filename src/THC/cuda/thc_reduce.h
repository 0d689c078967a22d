/* How the host asks for a reduction: what reduce.cu is given, and what it defines per type. */
#ifndef THC_REDUCE_KERNELS_H
#define THC_REDUCE_KERNELS_H

#include <cuda_runtime_api.h>

#include "thc_lines.h"

enum {
  THC_REDUCE_THREADS = 256,
  THC_REDUCE_MOST_STATE = 32, /* bytes */
  THC_REDUCE_PACK = 32        /* of so many elements chunks are multiples */
};

/* One launch.  A block has THC_REDUCE_THREADS threads for `lanes` lines, each of which is shared by
 * `share` threads: neighbours (along), or threads that are `lanes` apart (across).  Both are powers
 * of two.  Lines are cut into chunks, one for each blockIdx.y. */
typedef struct THCReduceWork {
  const void *from;
  int walked;  /* the elements of the one line are those of walk */
  int grouped; /* the elements of a line lie side by side: a thread takes several such at a time */
  int packed;  /* besides, each line begins at a multiple of 16 bytes */
  int across;
  int lanes, share;
  ptrdiff_t chunk, chunks;
  double p;        /* of the p-norm; of var: what is subtracted from count */
  ptrdiff_t count; /* elements reduced to one result */

  /* What becomes of the states: with chunks to be joined, states[chunk * lines + line]. */
  void *states;
  void *result;   /* of type real, operand 1 of the lines */
  int64_t *index; /* operand 2 of the lines, or NULL */
  void *total;    /* of type accreal: of one line alone; NULL otherwise */
  void *before;   /* of one line alone: a state that is joined too, and is what was joined after */
  int fresh;      /* there is no state before yet */
} THCReduceWork;

typedef struct THCReduction {
  size_t itemSize, stateSize, totalSize; /* of an element, of a state, and of an accreal */
  /* Elements to states, or, where there is one chunk and no states are asked for, to results. */
  void (*reduce)(const THCReduceWork *work, const THCLines *lines, const THCWalk *walk,
                 cudaStream_t stream);
  /* The states of chunks to results. */
  void (*join)(const THCReduceWork *work, const THCLines *lines, cudaStream_t stream);
} THCReduction;

#endif
