/* Convolutions of 3 x 3 windows, one apart, with 36 products instead of 144 for 4 x 4 results
 * (Winograd's F(4 x 4, 3 x 3)), and their gradients: going back windows are turned by half a
 * circle; for the weights tiles are multiplied with the gradients of their 4 x 4 results.
 *
 * A tile is 6 x 6 elements of the source, 4 apart, and makes 4 x 4 of the result.  In one dimension
 * a tile and a window are polynomials, their values at six points (0, 5/8, -5/8, 3/2, -3/2 and
 * infinity) are multiplied, and the result follows from the six products.  In two dimensions there
 * are six times six, and for each of them the sums over the planes of the source (for the weights:
 * over the tiles) are a product of matrices: of tiles x planes with planes x results.  These points
 * lose less than whole numbers do: with 64 to 512 planes results are off by 1e-6 of their norm, 1,
 * -1, 2 and -2 by twice that.
 *
 * What is computed at a time is limited by memory: some rows of the 6 x 6 (of which the results are
 * the sum), some of the result planes, and a run of tiles for each thread. */
#ifndef THNN_WINOGRAD_H
#define THNN_WINOGRAD_H

#include "THKernel.h"
#include "THNNImplicit.h"

enum {
  THNN_WINOGRAD_SIDE = 6, /* of a tile, */
  THNN_WINOGRAD_STEP = 4, /* from one to the next, and */
  THNN_WINOGRAD_SIZE = 3  /* of a window */
};

/* The tiles of a run: rows of tiles of one image, or all those of some.  Rows of the source that
 * they need lie one after the other, wide elements each, from image to image, and rows of 0 where
 * the padding is. */
typedef struct {
  ptrdiff_t images, down, across;
  ptrdiff_t wide;
} THNNTiles;

/* Elements of a row of tiles: those of one more than there are, so that positions of tiles can be
 * counted on from row to row. */
static inline ptrdiff_t THNNTiles_pitch(const THNNTiles *t)
{
  return THNN_WINOGRAD_STEP * (t->across + 1);
}

/* Rows that an image needs, and their elements. */
static inline ptrdiff_t THNNTiles_rows(const THNNTiles *t)
{
  return THNN_WINOGRAD_STEP * (t->down - 1) + THNN_WINOGRAD_SIDE;
}

static inline ptrdiff_t THNNTiles_plane(const THNNTiles *t)
{
  return THNNTiles_rows(t) * t->wide;
}

static inline ptrdiff_t THNNTiles_count(const THNNTiles *t)
{
  return t->images * t->down * t->across;
}

static inline ptrdiff_t THNNTiles_positions(const THNNTiles *t)
{
  return t->images * t->down * (t->across + 1);
}

#define TH_GENERIC_FILE "generic/THNNWinograd.h"
#include "THGenerateFloatTypes.h"

#endif
