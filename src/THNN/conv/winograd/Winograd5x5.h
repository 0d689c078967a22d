/* The algorithm winograd5x5: 5 x 5 convolutions with stride 1, with 64 products instead of 400 for 4 x 4
 * results (Winograd's F(4 x 4, 5 x 5)), and their gradients, for few planes and small images: a lane of
 * each vector has a row of tiles, of several images at once.  (winograd3x3 has planes or results in the
 * lanes, and needs more of them.)
 *
 * A tile is 8 x 8 elements of x and belongs to 4 x 4 elements of y; neighbouring tiles begin 4 elements
 * apart.  x, y and the weight are each transformed to 64 values for each tile: in one dimension, the
 * values at eight points (0, 1/2, -1/2, 1, -1, 2, -2 and infinity), as polynomials.  Any two of the three
 * give the third:
 *
 *     y = sum over planes of x * weight
 *     gradient of x = sum over outputs of y * weight, by the transposed transforms
 *     gradient of weight = sum over tiles of x * y
 *
 * Results are off by 2e-6 of their norm, gradients of weights by 3e-6.
 *
 * There are kernels for floats with AVX. */
#ifndef THNN_WINOGRAD5X5_H
#define THNN_WINOGRAD5X5_H

#include "THKernel.h"
#include "THNN/conv/gemm/ImplicitGemm.h"

enum {
  THNN_TILE_SIDE = 8, /* elements, and points, of a tile in a dimension */
  THNN_TILE_STEP = 4, /* results of a tile in a dimension, and the distance of tiles */
  THNN_TILE_SIZE = 5, /* taps of a filter in a dimension */
  THNN_TILE_VALUES = THNN_TILE_SIDE * THNN_TILE_SIDE
};

/* Images and their tiles. */
typedef struct {
  ptrdiff_t planes, outputs;
  ptrdiff_t high, wide;       /* rows and columns of x */
  ptrdiff_t padHigh, padWide; /* padding of x */
  ptrdiff_t highY, wideY;     /* rows and columns of y */
  ptrdiff_t down, across;     /* rows of tiles of an image, and tiles of a row */
  ptrdiff_t pitch;            /* columns of a row of tiles, rounded up to whole vectors */
  ptrdiff_t valueStride;      /* stride of the 64 values of x; a value has [plane][tile][lane] */
  ptrdiff_t filters;          /* outputs * planes, rounded up to whole vectors */
} THNNTileRows;

#define TH_GENERIC_FILE "THNN/conv/winograd/Winograd5x5Generic.h"
#include "THGenerateFloatTypes.h"

#endif
