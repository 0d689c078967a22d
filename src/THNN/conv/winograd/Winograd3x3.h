/* The algorithm winograd3x3: 3 x 3 convolutions with stride 1, with 36 products instead of 144 for 4 x 4
 * results (Winograd's F(4 x 4, 3 x 3)), and their gradients.  Backward data rotates the filters by 180
 * degrees; for the gradient of the weights, tiles are multiplied with the gradients of their 4 x 4
 * results.
 *
 * A tile is 6 x 6 elements of the source and makes 4 x 4 elements of the result; neighbouring tiles
 * begin 4 elements apart.  In one dimension a tile and a filter are transformed to their values at six
 * points (5/8, -5/8, 0, infinity, 3/2 and -3/2), as polynomials.  The values are multiplied, and the
 * result follows from the six products.  In two dimensions there are 36 values.  For each of them the
 * sums over the planes of the source (for the weights: over the tiles) are a product of matrices:
 * tiles x planes times planes x results.  These points lose fewer digits than whole numbers: with 64 to
 * 512 planes, results are off by 1e-6 of their norm; with the points 1, -1, 2 and -2 by twice as much.
 *
 * If only one or two results are left in a dimension, the last tile is short: it makes two results from
 * four elements, with the first four points.  Filters are transformed as for whole tiles; the transform
 * of a short tile makes up for the different scale.
 *
 * A dilated convolution reads every second (third, ...) row and column of an image: the rows and columns
 * of each phase are an image of their own, which is read and written in place.
 *
 * Memory limits what is computed at a time: some of the six points down (here a pass, which is no THNNPass;
 * the results are the sum over the passes), some blocks of result planes, and a run of tiles for each
 * thread. */
#ifndef THNN_WINOGRAD3X3_H
#define THNN_WINOGRAD3X3_H

#include "THKernel.h"
#include "THNN/conv/gemm/ImplicitGemm.h"

enum {
  THNN_WINOGRAD_SIDE = 6, /* elements, and points, of a tile in a dimension */
  THNN_WINOGRAD_STEP = 4, /* results of a tile in a dimension, and the distance of tiles */
  THNN_WINOGRAD_SIZE = 3, /* taps of a filter in a dimension */
  THNN_WINOGRAD_SHORT = 4 /* elements, and points, of a short tile in a dimension */
};

/* The tiles of a run: some rows of tiles of one image, or all rows of several images. */
typedef struct {
  ptrdiff_t images, down, across; /* numbers of images, of rows of tiles, of tiles of a row */
  int isLow;                      /* the last row of tiles is short */
  int isNarrow;                   /* the last tile of each row is short */
} THNNTiles;

/* The number of tiles down that have a point: short tiles have the first four only. */
static inline ptrdiff_t THNNTiles_down(const THNNTiles *t, int point)
{
  return t->down - (t->isLow && point >= THNN_WINOGRAD_SHORT);
}

/* The number of tiles across that have a point. */
static inline ptrdiff_t THNNTiles_across(const THNNTiles *t, int point)
{
  return t->across - (t->isNarrow && point >= THNN_WINOGRAD_SHORT);
}

/* The number of tiles of a run that have point a down and point b across. */
static inline ptrdiff_t THNNTiles_ofPoints(const THNNTiles *t, int a, int b)
{
  return t->images * THNNTiles_down(t, a) * THNNTiles_across(t, b);
}

static inline ptrdiff_t THNNTiles_count(const THNNTiles *t)
{
  return t->images * t->down * t->across;
}

/* How many of the tiles that have point a down and point b across come before row i of an image. */
static inline ptrdiff_t THNNTiles_before(const THNNTiles *t, ptrdiff_t image, ptrdiff_t i, int a,
                                         int b)
{
  return (image * THNNTiles_down(t, a) + i) * THNNTiles_across(t, b);
}

/* Whether row i of tiles is short. */
static inline int THNNTiles_isLow(const THNNTiles *t, ptrdiff_t i)
{
  return t->isLow && i == t->down - 1;
}

/* The columns of the source under a row of tiles. */
static inline ptrdiff_t THNNTiles_columns(const THNNTiles *t)
{
  return THNN_WINOGRAD_STEP * (t->across - 1) + THNN_WINOGRAD_SIDE;
}

#define TH_GENERIC_FILE "THNN/conv/winograd/Winograd3x3Generic.h"
#include "THGenerateFloatTypes.h"

#endif
