/* The algorithm direct: convolutions without im2col, as sums of shifted planes.
 *
 * The planes of an image are copied into flat planes: padded rows of pitch elements, one after the
 * other.  Tap (a, b) of all positions is then the flat plane shifted by a * pitch + b, and the
 * convolution is a sum of shifted planes, each times a weight.  Vectors run across the ends of rows,
 * where they compute a few elements that are not used.  With a stride above 1, a plane has a flat
 * plane for each phase: every step-th element of each row and column, so that neighbouring positions
 * are one element apart. */
#ifndef THNN_DIRECT_CONV_H
#define THNN_DIRECT_CONV_H

#include "THKernel.h"
#include "THNN/layer/Window.h"
#include "THNNGroups.h"

enum {
  /* A block has 6, 4, 3 or 1 output planes (THNNDirect_block). */
  THNN_DIRECT_OUTPUTS = 6,
  THNN_DIRECT_FOUR = 4,
  THNN_DIRECT_THREE = 3,
  THNN_DIRECT_TERMS = 4,  /* terms of a register tile of correlate */
  THNN_DIRECT_SLACK = 128 /* elements that may be read beyond a plane */
};

/* Some output planes at some of their positions, from a flat image. */
typedef struct {
  ptrdiff_t outputs;       /* number of output planes */
  ptrdiff_t terms;         /* products of an output: planes of the flat image times taps */
  ptrdiff_t block;         /* outputs that are packed together: THNNDirect_block of outputs */
  const ptrdiff_t *offset; /* for each term: the offset of position 0's element in the flat image */
  ptrdiff_t count[3];      /* numbers of positions: slices, rows, columns */
  ptrdiff_t pitch;         /* elements of a row of the flat image */
  ptrdiff_t rows;          /* rows of a slice of the flat image */
  ptrdiff_t length;        /* elements of the flat image from the first position to the last one */
  ptrdiff_t step[3];       /* strides of neighbouring positions in an output plane */
  ptrdiff_t plane;         /* stride of output planes */
  const THNNActivation *activation; /* of convolve, or NULL */
} THNNDirect;

/* Backward data by scattering: computes some planes of a flat image x from contiguous planes of y.
 * Each tap adds the sum of the planes of y, each times a weight, to x, shifted by the tap's offset.
 * In d the planes of x are the outputs, in blocks, the planes of y the terms, and the elements of a
 * plane of y the positions; step and plane are strides in the flat image. */
typedef struct {
  THNNDirect d;
  ptrdiff_t taps;       /* number of taps */
  const ptrdiff_t *tap; /* for each tap: the offset of position 0's element in the flat image */
} THNNScatter;

/* The number of outputs of a block. */
static inline ptrdiff_t THNNDirect_block(ptrdiff_t outputs)
{
  if (outputs <= THNN_DIRECT_THREE)
    return outputs == 1 ? 1 : THNN_DIRECT_THREE;
  /* Blocks of four where blocks of six would compute a sixteenth more. */
  const ptrdiff_t fours = (outputs + 3) / 4 * 4, sixes = (outputs + 5) / 6 * 6;
  return 16 * (sixes - fours) >= sixes ? THNN_DIRECT_FOUR : THNN_DIRECT_OUTPUTS;
}

/* The number of blocks of d's outputs. */
static inline ptrdiff_t THNNDirect_blocks(const THNNDirect *d)
{
  return (d->outputs + d->block - 1) / d->block;
}

#define TH_GENERIC_FILE "THNN/conv/direct/DirectConvGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
