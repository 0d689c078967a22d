/* Products of float matrices with weights that are packed once, as they are or in fewer bits.  Those of
 * fewer bits become floats again in registers: a product with few rows takes as long as it takes to
 * read the weights.
 *
 * Weights of int8 have a scale for each output, max |w| / 127, of which a weight is the multiple
 * nearest to it, the even one of two; those of bfloat16 are rounded.  Outputs are packed in blocks,
 * whose words of 32 bits have one float, 4 weights of int8 or 2 of bfloat16 that belong to the same
 * term of the sums: word l of a term has outputs l, l + lanes and so on, the first in the lowest
 * bits. */
#ifndef ATEN_PACKED_WEIGHTS_H
#define ATEN_PACKED_WEIGHTS_H

#include "ATen/core/ATenCore.h"
#include "THKernel.h"

typedef enum at_packedKind {
  AT_PACKED_INT8,
  AT_PACKED_BFLOAT16,
  AT_PACKED_FLOAT,
  AT_PACKED_KINDS
} at_packedKind;

typedef struct at_packedWeights {
  at_tensor *words;  /* Int, blocks x terms x words of a term */
  at_tensor *scales; /* Float, one for each output */
} at_packedWeights;

/* Packs a matrix of Float, outputs x terms, or terms x outputs if it isTransposed.  An output with a
 * weight that is not finite has NaN as its scale. */
at_packedWeights at_packWeights(at_packedKind kind, at_tensor *weight, bool isTransposed);

/* x weight^T + bias for the last dimension of x, as at_linear; bias, a vector, may be NULL. */
at_tensor *at_multiplyPacked(at_tensor *x, const at_packedWeights *weights, at_tensor *bias);

enum { AT_PACKED_VECTORS = 4, AT_MOST_PACKED_ROWS = 6, AT_MOST_PACKED_OUTPUTS = 64 };

/* Of a block of lanes * AT_PACKED_VECTORS outputs, sums of terms products for so many rows of x, which
 * are next elements apart; rows of sums are AT_MOST_PACKED_OUTPUTS apart.  Scales are left out. */
typedef void at_packedMultiply(ptrdiff_t terms, int rows, const float *x, ptrdiff_t next,
                               const int32_t *words, float *sums);

/* result = start + the products of some terms with weights of AT_PACKED_FLOAT, for a block and so many
 * rows; those of x, start and result are so far apart.  With each term a cache line is prefetched, from
 * ahead on and so many floats further each time. */
typedef struct at_packedTile {
  const float *x, *words, *start;
  float *result;
  ptrdiff_t nextX, nextStart, nextResult;
  const float *ahead;
  ptrdiff_t nextAhead;
} at_packedTile;

typedef void at_packedAdd(ptrdiff_t terms, int rows, const at_packedTile *tile);

/* The weights of a block times scales: a row of the panel for each term. */
typedef void at_packedUnpack(ptrdiff_t terms, const int32_t *words, const float *scales,
                             float *panel, ptrdiff_t next);

/* Packs the weights of a block as they are: count outputs, which are output apart, of terms, which are
 * term apart; outputs that are not there are 0. */
typedef void at_packedFill(ptrdiff_t terms, ptrdiff_t count, const float *weight, ptrdiff_t output,
                           ptrdiff_t term, float *words);

typedef struct at_packedKernels {
  int lanes, rows, tileRows; /* rows: the most at a time, of multiply and of add */
  at_packedMultiply *multiply[AT_PACKED_KINDS];
  at_packedUnpack *unpack[AT_PACKED_KINDS];
  at_packedAdd *add;
  at_packedFill *fill;
} at_packedKernels;

extern const at_packedKernels *const at_packedProducts[];

#endif
