/* The kernels of libATenCUDA for single operations: what libATen asks for by name, and what each of
 * them takes.  All arrays are contiguous and on the current device; those without a type are of
 * Float or Double, as the call says. */
#ifndef ATEN_CUDA_KERNELS_H
#define ATEN_CUDA_KERNELS_H

#include <stdbool.h>

#include "ATen/nn/layerNorm.h"

/* X(name, type of the description) */
#define AT_KERNELS(X)                         \
  X(layerNorm, at_layer_norm_work)            \
  X(layerNormBackward, at_layer_norm_work)    \
  X(layerNormParameters, at_layer_norm_work)  \
  X(embeddingSums, at_embedding_sums_work)    \
  X(embeddingBagCheck, at_embedding_bag_work) \
  X(embeddingBag, at_embedding_bag_work)

typedef enum at_kernel {
#define AT_KERNEL(NAME, WORK) AT_KERNEL_##NAME,
  AT_KERNELS(AT_KERNEL)
#undef AT_KERNEL
      AT_KERNEL_COUNT
} at_kernel;

/* --- normalization --------------------------------------------------------------------------- */

/* count lines.  weight and bias of the lines may be NULL, which stand for 1 and 0.  weights and
 * biases get a row of n sums for each piece of so many lines. */
typedef struct at_layer_norm_work {
  at_lines_normalized lines;
  ptrdiff_t count, piece;
  void *weights, *biases;
} at_layer_norm_work;

/* --- embeddings ------------------------------------------------------------------------------ */

/* Row row[i] of the table becomes the sum of the rows from[i] of g, for ascending row; other rows
 * stay as they are, and so does the row padding. */
typedef struct at_embedding_sums_work {
  ptrdiff_t count, columns;
  const int64_t *row, *from;
  int64_t padding;
  bool means; /* the sums are divided by how many they are of */
  const void *g;
  void *table;
} at_embedding_sums_work;

/* Reduces bags of rows: bag b has the indices from offsets[b] to the next offset. */
typedef struct at_embedding_bag_work {
  ptrdiff_t count, bags, columns;
  int64_t rows, padding; /* an index of padding is left out */
  int mode;              /* an at_bag_mode: sum, mean, maximum */
  bool endsWithCount;    /* there is one more offset, which has to be count */
  bool isGathered;       /* row i of the table belongs to index i, and not to its value */
  const int64_t *index, *offsets;
  const void *table, *weights; /* weights of the indices, or NULL */
  void *y;
  int64_t *bag, *size, *from; /* of each index; of each bag; the row of each maximum, or NULL */
  /* Of the check: the position of the first index out of range, and of the first wrong offset;
   * they stay where they are if they are lower. */
  int64_t *wrong;
} at_embedding_bag_work;

#endif
