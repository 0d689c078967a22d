/* What embeddings compute on a device; the checks of operands are those of the CPU. */
#ifndef ATEN_EMBEDDING_H
#define ATEN_EMBEDDING_H

#include "ATen/core/ATenCore.h"

/* Fills r, a table: row i of grad, which is contiguous and of r's type, is added to row row[i].
 * With means each sum is divided by the number of its rows.  Raises if an index is out of range. */
void at_embeddingSums(at_pool *pool, at_tensor *r, at_tensor *grad, at_tensor *row, int64_t padding,
                      bool means);

/* Bags of rows of a table: row and offsets are contiguous vectors of Long. */
typedef struct at_bag_call {
  at_tensor *weight, *row, *offsets, *per_sample_weights;
  int64_t bags, mode, padding;
  bool endsWithCount;
} at_bag_call;

/* made: the reduced bags in type compute, the bag of each index, the sizes of the bags, and the
 * rows that maxima are from.  Raises if an index or offset is out of range. */
void at_embeddingBags(at_pool *pool, const at_bag_call *call, const at_type *compute,
                      at_tensor *made[4]);

#endif
