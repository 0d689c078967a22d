/* Slices of a batch: nodes in a row that compute each image of a batch by itself run for a few images
 * after the others, so that what they make stays in the caches, and threads have images of their own. */
#ifndef ATEN_SLICES_H
#define ATEN_SLICES_H

#include "Passes.h"

/* What a tensor from before the nodes is to them. */
enum {
  AT_SLICE_IMAGES = 1, /* a batch of images: each slice reads its own */
  AT_SLICE_WHOLE = 2,  /* all slices read all of it, as of weights */
  AT_SLICE_OPERAND = 4 /* an operand of a chain: its sizes say which of the two */
};

typedef struct at_batchSlices {
  at_graph graph; /* the nodes; its slots are those of the graph around it */
  int32_t inputCount, outputCount;
  const uint8_t *roles; /* of the inputs of the node that has the slices, in their order */
  size_t *poolBytes;    /* of the storage pool that each thread needs; 0 if that is not known */
} at_batchSlices;

#endif
