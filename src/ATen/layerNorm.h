/* Kernels of layer normalization: lines of n elements, each normalized by itself. */
#ifndef ATEN_LAYER_NORM_H
#define ATEN_LAYER_NORM_H

#include "THKernel.h"

/* All is contiguous and of the kernels' type; nothing of what is written is read. */
typedef struct at_lines_normalized {
  ptrdiff_t n;
  const void *x, *g;         /* lines; g is the gradient of the output, NULL going forward */
  const void *weight, *bias; /* of n elements; bias is NULL going back */
  void *y;                   /* the output, or the gradient of x, which may be NULL */
  void *mean, *rstd;         /* of each line; going back they are given */
  double eps;
} at_lines_normalized;

typedef struct at_layer_norm_kernels {
  /* Of some lines; at least one element each. */
  void (*forward)(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end);
  /* The gradients of weight and bias, as far as these lines make them, become weights and biases,
   * of n elements each or both NULL. */
  void (*backward)(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end, void *weights,
                   void *biases);
} at_layer_norm_kernels;

extern const at_layer_norm_kernels *at_layerNormFloat, *at_layerNormDouble;

#endif
