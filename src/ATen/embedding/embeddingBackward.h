/* Kernels of an embedding's gradient: row i of g is added to row index[i] of a new table. */
#ifndef ATEN_EMBEDDING_BACKWARD_H
#define ATEN_EMBEDDING_BACKWARD_H

#include <stdbool.h>

#include "THKernel.h"

/* Rows of at least so many bytes are wide: each is written once.  Narrower rows share cache lines
 * with their neighbours, and are added to. */
enum { AT_WIDE_ROW_BYTES = 512 };

/* All arrays are contiguous, and g and table are of the kernels' type.  For wide rows, first and
 * next are linked lists of the i with index[i] == row, in ascending order: first[row],
 * next[first[row]], ... until -1.  Both are NULL for narrow rows. */
typedef struct at_embedding_sums {
  ptrdiff_t count, columns;
  const int64_t *index, *first, *next;
  const int64_t *times; /* how often each row is picked, by which its sum is divided, or NULL */
  int64_t padding;      /* the row that stays zero, or -1 */
  const void *g;
  void *table;
  bool stream; /* by non-temporal stores: the table is larger than the caches */
} at_embedding_sums;

typedef struct at_embedding_backward_kernels {
  /* Writes the rows from begin to end of the table. */
  void (*rows)(const at_embedding_sums *t, ptrdiff_t begin, ptrdiff_t end);
} at_embedding_backward_kernels;

extern const at_embedding_backward_kernels *const at_embeddingBackwardFloat[];
extern const at_embedding_backward_kernels *const at_embeddingBackwardDouble[];

#endif
