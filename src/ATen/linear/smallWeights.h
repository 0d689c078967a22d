/* Products of float matrices with weights that are kept in fewer bits, and become floats again in
 * registers: a product with few rows takes as long as it takes to read the weights.
 *
 * Weights of int8 have a scale for each output, max |w| / 127, of which a weight is the multiple
 * nearest to it, the even one of two; those of bfloat16 are rounded.  Outputs are packed in blocks,
 * whose words of 32 bits have 4 weights of int8 or 2 of bfloat16 that belong to the same term of the
 * sums: word l of a term has outputs l, l + lanes and so on, the first in the lowest bits. */
#ifndef ATEN_SMALL_WEIGHTS_H
#define ATEN_SMALL_WEIGHTS_H

#include "ATen/core/ATenCore.h"
#include "THKernel.h"

typedef enum at_smallKind { AT_SMALL_INT8, AT_SMALL_BFLOAT16, AT_SMALL_KINDS } at_smallKind;

typedef struct at_smallWeights {
  at_tensor *words;  /* Int, blocks x terms x words of a term */
  at_tensor *scales; /* Float, one for each output */
} at_smallWeights;

/* Packs a matrix of Float, outputs x terms, or terms x outputs if it isTransposed.  An output with a
 * weight that is not finite has NaN as its scale. */
at_smallWeights at_packSmall(at_smallKind kind, at_tensor *weight, bool isTransposed);

/* x weight^T + bias for the last dimension of x, as at_linear; bias, a vector, may be NULL. */
at_tensor *at_multiplySmall(at_tensor *x, const at_smallWeights *weights, at_tensor *bias);

enum { AT_SMALL_VECTORS = 4, AT_MOST_SMALL_ROWS = 4, AT_MOST_SMALL_OUTPUTS = 64 };

/* Of a block of lanes * AT_SMALL_VECTORS outputs, sums of terms products for so many rows of x, which
 * are next elements apart; rows of sums are AT_MOST_SMALL_OUTPUTS apart.  Scales are left out. */
typedef void at_smallMultiply(ptrdiff_t terms, int rows, const float *x, ptrdiff_t next,
                              const int32_t *words, float *sums);

/* The weights of a block times scales: a row of the panel for each term. */
typedef void at_smallUnpack(ptrdiff_t terms, const int32_t *words, const float *scales,
                            float *panel, ptrdiff_t next);

typedef struct at_smallKernels {
  int lanes, rows; /* rows: the most at a time */
  at_smallMultiply *multiply[AT_SMALL_KINDS];
  at_smallUnpack *unpack[AT_SMALL_KINDS];
} at_smallKernels;

extern const at_smallKernels *at_smallProducts;

#endif
