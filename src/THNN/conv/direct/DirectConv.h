/* Convolutions without columns: sums of shifted planes.
 *
 * The planes of an image are copied into flat planes: rows of pitch elements, with the padding, one
 * after the other.  Then element (a, b) of all windows is the flat plane shifted by a * pitch + b,
 * and the convolution is a sum of shifted planes, each times a weight.  Vectors run across the ends
 * of rows, where they compute a few elements that are not used.  With a step, there is a flat plane
 * for each phase: it has every step-th element of each row and column, and in it the windows are one
 * element apart. */
#ifndef THNN_DIRECT_CONV_H
#define THNN_DIRECT_CONV_H

#include "THKernel.h"
#include "THNN/layer/Window.h"

enum {
  THNN_DIRECT_OUTPUTS = 6, /* output planes of a block: this number, */
  THNN_DIRECT_FOUR = 4,    /* or this, */
  THNN_DIRECT_THREE = 3,   /* or this, or one */
  THNN_DIRECT_TAPS = 4,    /* terms of a step of the loop over terms */
  THNN_SLIDING = 2,        /* windows of a call of slide, at most */
  THNN_DIRECT_SLACK = 128  /* elements that may be read beyond a plane */
};

/* Some output planes at some of their positions, from a flat image. */
typedef struct {
  ptrdiff_t outputs, terms;
  ptrdiff_t block;          /* outputs that are packed together: THNNDirect_block of outputs */
  const ptrdiff_t *offset;  /* of each term: where position 0 finds it in the flat image */
  ptrdiff_t count[3];       /* positions: slices, rows, columns */
  ptrdiff_t pitch, rows;    /* of the flat image: elements of a row, rows of a slice */
  ptrdiff_t length;         /* flat positions from the first to the last */
  ptrdiff_t step[3], plane; /* of the output, in elements */
} THNNDirect;

/* Backward data by scattering: some planes of a flat image x, from all windows of contiguous planes
 * of y.  Element l of the windows adds the sum of the planes of y, each times a weight, to the image,
 * shifted by the offset of the element.  d has the planes of x as outputs, in blocks, the planes of y
 * as terms, and the windows as positions; step and plane are those of the flat image. */
typedef struct {
  THNNDirect d;
  ptrdiff_t taps;       /* elements of a window, and */
  const ptrdiff_t *tap; /* where the first window has them in the flat image */
} THNNScatter;

static inline ptrdiff_t THNNDirect_block(ptrdiff_t outputs)
{
  if (outputs <= THNN_DIRECT_THREE)
    return outputs == 1 ? 1 : THNN_DIRECT_THREE;
  /* Fours, where sixes would compute a sixteenth more. */
  const ptrdiff_t fours = (outputs + 3) / 4 * 4, sixes = (outputs + 5) / 6 * 6;
  return 16 * (sixes - fours) >= sixes ? THNN_DIRECT_FOUR : THNN_DIRECT_OUTPUTS;
}

static inline ptrdiff_t THNNDirect_blocks(const THNNDirect *d)
{
  return (d->outputs + d->block - 1) / d->block;
}

#define TH_GENERIC_FILE "THNN/conv/direct/DirectConvGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
