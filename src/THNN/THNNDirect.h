/* Convolutions whose windows are one step apart, without unfolding them.
 *
 * The planes of an image are laid out flat: rows of pitch elements, with the padding, one after the
 * other.  Then element (a, b) of all windows is the flat plane shifted by a * pitch + b, and a sum
 * of shifted planes, each times a weight, is the convolution: vectors run across the ends of rows,
 * where they compute a few elements that nobody wants. */
#ifndef THNN_DIRECT_H
#define THNN_DIRECT_H

#include "THKernel.h"
#include "THNN.h"

enum {
  THNN_DIRECT_OUTPUTS = 6, /* output planes, and */
  THNN_DIRECT_TAPS = 4,    /* elements of a window, that are computed together */
  THNN_DIRECT_SLACK = 64   /* elements that may be read beyond a plane */
};

typedef struct {
  ptrdiff_t planes, outputs;
  ptrdiff_t height, width;    /* of the windows */
  ptrdiff_t rows, columns;    /* of the output */
  ptrdiff_t pitch, plane;     /* of the flat input: a row, and a plane with its slack */
  ptrdiff_t length, sumPlane; /* flat output positions; the same with slack, for sums */
} THNNDirect;

static inline THNNDirect THNNDirect_of(ptrdiff_t planes, ptrdiff_t outputs, ptrdiff_t height,
                                       ptrdiff_t width, ptrdiff_t rows, ptrdiff_t columns)
{
  THNNDirect d = {planes, outputs, height, width, rows, columns, columns + width - 1, 0, 0, 0};
  d.plane = (rows + height - 1) * d.pitch + width - 1 + THNN_DIRECT_SLACK;
  d.length = (rows - 1) * d.pitch + columns;
  d.sumPlane = d.length + THNN_DIRECT_SLACK;
  return d;
}

static inline ptrdiff_t THNNDirect_blocks(const THNNDirect *d)
{
  return (d->outputs + THNN_DIRECT_OUTPUTS - 1) / THNN_DIRECT_OUTPUTS;
}

#define TH_GENERIC_FILE "generic/THNNDirect.h"
#include "THGenerateFloatTypes.h"

#endif
