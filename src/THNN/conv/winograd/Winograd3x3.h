/* Convolutions of 3 x 3 windows with a step of 1, with 36 products instead of 144 for 4 x 4 results
 * (Winograd's F(4 x 4, 3 x 3)), and their gradients: backward data, windows are rotated by 180
 * degrees; for the weights tiles are multiplied with the gradients of their 4 x 4 results.
 *
 * A tile is 6 x 6 elements of the source, 4 apart, and makes 4 x 4 of the result.  In one dimension
 * a tile and a window are polynomials, their values at six points (5/8, -5/8, 0, infinity, 3/2 and
 * -3/2) are multiplied, and the result follows from the six products.  In two dimensions there
 * are six times six, and for each of them the sums over the planes of the source (for the weights:
 * over the tiles) are a product of matrices: of tiles x planes with planes x results.  These points
 * lose less than whole numbers do: with 64 to 512 planes results are off by 1e-6 of their norm, 1,
 * -1, 2 and -2 by twice that.
 *
 * Of the last tile in a dimension one or two results may be all that is there: such a short tile
 * makes two, from four elements, which need the first four points alone.  Windows are transformed
 * as for the others: what their scale differs by goes into the transform of the tile.
 *
 * Dilated windows see every second (third, ...) row and column of an image: the rows and columns of
 * each phase are an image of their own, which is read and written where it lies.
 *
 * What is computed at a time is limited by memory: some rows of the 6 x 6 (of which the results are
 * the sum), some of the result planes, and a run of tiles for each thread. */
#ifndef THNN_WINOGRAD3X3_H
#define THNN_WINOGRAD3X3_H

#include "THKernel.h"
#include "THNN/conv/gemm/ImplicitGemm.h"

enum {
  THNN_WINOGRAD_SIDE = 6, /* of a tile, */
  THNN_WINOGRAD_STEP = 4, /* from one to the next, */
  THNN_WINOGRAD_SIZE = 3, /* of a window, */
  THNN_WINOGRAD_SHORT = 4 /* and points of a short tile */
};

/* The tiles of a run: rows of tiles of one image, or all those of some. */
typedef struct {
  ptrdiff_t images, down, across;
  int isLow, isNarrow; /* whether the last tiles down and across are short */
} THNNTiles;

/* Those that need a point. */
static inline ptrdiff_t THNNTiles_down(const THNNTiles *t, int point)
{
  return t->down - (t->isLow && point >= THNN_WINOGRAD_SHORT);
}

static inline ptrdiff_t THNNTiles_across(const THNNTiles *t, int point)
{
  return t->across - (t->isNarrow && point >= THNN_WINOGRAD_SHORT);
}

/* Those that need point a down and point b across. */
static inline ptrdiff_t THNNTiles_ofPoints(const THNNTiles *t, int a, int b)
{
  return t->images * THNNTiles_down(t, a) * THNNTiles_across(t, b);
}

static inline ptrdiff_t THNNTiles_count(const THNNTiles *t)
{
  return t->images * t->down * t->across;
}

/* Where the tiles of row i of an image begin among those that need these points. */
static inline ptrdiff_t THNNTiles_before(const THNNTiles *t, ptrdiff_t image, ptrdiff_t i, int a,
                                         int b)
{
  return (image * THNNTiles_down(t, a) + i) * THNNTiles_across(t, b);
}

/* Whether the tiles of a row are short. */
static inline int THNNTiles_isLow(const THNNTiles *t, ptrdiff_t i)
{
  return t->isLow && i == t->down - 1;
}

/* Elements of a row of tiles. */
static inline ptrdiff_t THNNTiles_columns(const THNNTiles *t)
{
  return THNN_WINOGRAD_STEP * (t->across - 1) + THNN_WINOGRAD_SIDE;
}

#define TH_GENERIC_FILE "THNN/conv/winograd/Winograd3x3Generic.h"
#include "THGenerateFloatTypes.h"

#endif
