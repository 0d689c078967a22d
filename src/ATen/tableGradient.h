/* Kernels of a table's gradient: rows that indices say are summed up in the rows of a new table. */
#ifndef ATEN_TABLE_GRADIENT_H
#define ATEN_TABLE_GRADIENT_H

#include <stdbool.h>

#include "THKernel.h"

/* Rows of fewer bytes share lines with their neighbours, and are added to one after the other. */
enum { AT_WIDE_ROW_BYTES = 512 };

/* All is contiguous, and g and table are of the kernels' type.  Index i is of row index[i] of the
 * table; padding is none of the rows that count.  Of wide rows, which indices a row has is a list,
 * in order: first[row], next[that one], ... until -1; both are NULL for narrow rows. */
typedef struct at_embedding_sums {
  ptrdiff_t count, columns;
  const int64_t *index, *first, *next;
  const int64_t *times; /* how often each row is picked, which divides what it gets, or NULL */
  int64_t padding;
  const void *g;
  void *table;
  bool sends; /* the table is too large for the caches */
} at_embedding_sums;

typedef struct at_embedding_backward_kernels {
  /* Rows begin to end of the table are written. */
  void (*rows)(const at_embedding_sums *t, ptrdiff_t begin, ptrdiff_t end);
} at_embedding_backward_kernels;

extern const at_embedding_backward_kernels *at_embeddingBackwardFloat, *at_embeddingBackwardDouble;

#endif
