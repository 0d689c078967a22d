/* Memory that convolutions take besides their operands, and the work that is worth a thread. */
#ifndef THNN_MEMORY_H
#define THNN_MEMORY_H

#include "Convolution.h"

/* Elements, at most: as many as the largest of x, y and the columns of one image for each thread;
 * an eighth is left for lists and for what blocks are rounded up by. */
static inline ptrdiff_t THNNConvolution_memory(const THNNConvolution *c, int threads)
{
  const ptrdiff_t images = c->batch * THMax(c->planes * c->image, c->outputs * c->windows);
  return THMax(images, c->groups * c->depth * c->windows * threads) / 8 * 7;
}

/* The grain of a loop over items that compute so many elements each, of a window of one plane. */
static inline ptrdiff_t THNNConvolution_grain(const THNNConvolution *c, ptrdiff_t each)
{
  enum { PRODUCTS = 4 }; /* which take about as long as an element of a pointwise loop */
  return THMax(1, TH_LOOP_GRAIN / THMax(1, each * THMax(1, c->window / PRODUCTS)));
}

#endif
