/* Convolutions without columns: sums of shifted planes.
 *
 * The planes of an image are laid out flat: rows of pitch elements, with the padding, one after the
 * other.  Then element (a, b) of all windows is the flat plane shifted by a * pitch + b, and a sum
 * of shifted planes, each times a weight, is the convolution: vectors run across the ends of rows,
 * where they compute a few elements that nobody wants.  Windows that are step apart are one apart
 * in a plane of every step-th element: such planes, one for each place of the first element, are
 * laid out instead. */
#ifndef THNN_DIRECT_H
#define THNN_DIRECT_H

#include "THKernel.h"
#include "THNN/layer/Window.h"

enum {
  THNN_DIRECT_OUTPUTS = 6, /* output planes, or as many as these, and */
  THNN_DIRECT_FOUR = 4,
  THNN_DIRECT_FEW = 3,
  THNN_DIRECT_TAPS = 4,   /* terms, that are computed together */
  THNN_SLIDING = 2,       /* windows that slide together */
  THNN_DIRECT_SLACK = 128 /* elements that may be read beyond a plane */
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

/* The other way around: some planes of a flat image, from all windows of planes that lie side by
 * side.  What element l of a window adds to the image is the sum of these planes, each times a
 * weight, shifted by where the element is.  d has the planes of the image as outputs, in blocks,
 * the others as terms, and the windows as positions; step and plane are those of the flat image. */
typedef struct {
  THNNDirect d;
  ptrdiff_t taps;       /* elements of a window, and */
  const ptrdiff_t *tap; /* where the first window has them in the flat image */
} THNNSpread;

static inline ptrdiff_t THNNDirect_block(ptrdiff_t outputs)
{
  if (outputs <= THNN_DIRECT_FEW)
    return outputs == 1 ? 1 : THNN_DIRECT_FEW;
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
