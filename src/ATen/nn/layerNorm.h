/* Kernels of layer normalization: lines of n elements, each normalized by itself. */
#ifndef ATEN_LAYER_NORM_H
#define ATEN_LAYER_NORM_H

#include "THKernel.h"

/* All arrays are contiguous and of the kernels' type; results overlap no operand. */
typedef struct at_lines_normalized {
  ptrdiff_t n;
  const void *x, *g;         /* lines; g is the gradient of the output, NULL in forward */
  const void *weight, *bias; /* of n elements; bias is NULL in backward */
  void *y;                   /* the output, or the gradient of x, which may be NULL */
  void *mean, *rstd;         /* of each line; results of forward, operands of backward */
  double eps;
} at_lines_normalized;

typedef struct at_layer_norm_kernels {
  /* The lines from begin to end, which have at least one element each. */
  void (*forward)(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end);
  /* The share of these lines in the gradients of weight and bias is written to weights and biases,
   * which have n elements each or are both NULL. */
  void (*backward)(const at_lines_normalized *lines, ptrdiff_t begin, ptrdiff_t end, void *weights,
                   void *biases);
} at_layer_norm_kernels;

extern const at_layer_norm_kernels *const at_layerNormFloat[];
extern const at_layer_norm_kernels *const at_layerNormDouble[];

#endif
