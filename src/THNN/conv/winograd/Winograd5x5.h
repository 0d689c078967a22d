/* Convolutions of 5 x 5 windows with a step of 1, with 64 products instead of 400 for 4 x 4 results
 * (Winograd's F(4 x 4, 5 x 5)), and their gradients, where there are few planes and small images:
 * a lane of each vector has a row of tiles, of some images at once.  (Winograd3x3.h has outputs or
 * neighbouring tiles in the lanes, and needs more of them.)
 *
 * A tile is 8 x 8 elements of x, 4 apart, and belongs to 4 x 4 of y.  In one dimension a tile and a
 * window are polynomials, whose values at eight points (0, 1/2, -1/2, 1, -1, 2, -2 and infinity)
 * are multiplied.  x, y and windows have 64 numbers each that way, and three operations take two of
 * them to the third: y follows from the sums over planes of products of the numbers of x and of
 * windows; x, backward, from the sums over outputs of products of those of y and of windows,
 * through the same transforms transposed; and the gradient of windows from the sums over tiles of
 * products of those of x and of y.  Results are off by 2e-6 of their
 * norm, gradients of weights by 3e-6.
 *
 * There are kernels for floats, where there is AVX. */
#ifndef THNN_WINOGRAD5X5_H
#define THNN_WINOGRAD5X5_H

#include "THKernel.h"
#include "THNN/conv/gemm/ImplicitGemm.h"

enum {
  THNN_TILE_SIDE = 8, /* of a tile, */
  THNN_TILE_STEP = 4, /* from one to the next, and */
  THNN_TILE_SIZE = 5, /* of a window */
  THNN_TILE_NUMBERS = THNN_TILE_SIDE * THNN_TILE_SIDE
};

/* Images and their tiles. */
typedef struct {
  ptrdiff_t planes, outputs;
  ptrdiff_t high, wide, padHigh, padWide; /* of x */
  ptrdiff_t highY, wideY;
  ptrdiff_t down, across; /* tiles */
  ptrdiff_t pitch;        /* elements of a row of tiles, in whole vectors */
  ptrdiff_t numberX;      /* from one number of the tiles of x to the next: planes[tile][lane] */
  ptrdiff_t windows;      /* outputs x planes, in whole vectors */
} THNNTileRows;

#define TH_GENERIC_FILE "THNN/conv/winograd/Winograd5x5Generic.h"
#include "THGenerateFloatTypes.h"

#endif
