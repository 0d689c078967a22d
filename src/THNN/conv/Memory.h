/* What the algorithms share: memory that convolutions take besides their operands, the work that is
 * worth a thread, activations. */
#ifndef THNN_MEMORY_H
#define THNN_MEMORY_H

#include "Convolution.h"

/* The most elements that a convolution may take: as many as the largest of x, y, and the im2col
 * matrices of one image for each thread.  An eighth of that is left for lists, and for blocks that
 * are rounded up. */
static inline ptrdiff_t THNNConvolution_memory(const THNNConvolution *c, int threads)
{
  const ptrdiff_t images = c->batch * THMax(c->planes * c->image, c->outputs * c->positions);
  return THMax(images, c->groups * c->terms * c->positions * threads) / 8 * 7;
}

/* The most elements that an algorithm may take which keeps transformed weights: at least `each`
 * elements for each thread, however small the images are, as weights do not shrink with images. */
static inline ptrdiff_t THNNConvolution_memoryAtLeast(const THNNConvolution *c, int threads,
                                                      ptrdiff_t each)
{
  return THMax(THNNConvolution_memory(c, threads), each * threads);
}

/* The grain of a parallel loop over items that compute `each` elements of a depthwise convolution. */
static inline ptrdiff_t THNNConvolution_grain(const THNNConvolution *c, ptrdiff_t each)
{
  enum { PRODUCTS = 4 }; /* products that take about as long as an element of a pointwise loop */
  return THMax(1, TH_LOOP_GRAIN / THMax(1, each * THMax(1, c->taps / PRODUCTS)));
}

/* The activation of c, which the calling algorithm promises to compute with all results; NULL if c has
 * none, or in the backward pass. */
static inline const THNNActivation *THNNConvolution_activate(const THNNConvolution *c, int backward)
{
  if (!c->activation || backward)
    return NULL;
  c->activation->isDone = true;
  return c->activation;
}

#endif
