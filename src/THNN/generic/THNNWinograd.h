/* Row a of a transform, for a from first to below end, has six numbers for each tile or window: the
 * first one at the given address, the others next apart, those of the next row after them. */
typedef struct {
  /* Tiles of a plane of the source, at each position one: v[position].  flat is where the first
   * tile begins; what has no bits set in the mask of a row's pitch elements, and of a vector more,
   * counts as 0.  line is scratch memory of the elements of all rows, and eight vectors more. */
  void (*images)(const THNNTiles *t, int first, int end, const real *flat, const real *mask,
                 real *line, real *v, ptrdiff_t next);
  /* A row of tiles of planes that are last: v[tile][plane], tiles nextTile apart.  x is the first
   * element of the first tile, if there is no padding; elements of a row are apart, rows pitch.
   * Rows are there from row top to below row bottom of the tiles, columns from pad on, wide of
   * them; others are 0.  Vectors are filled up with zeros. */
  void (*tiles)(int first, int end, ptrdiff_t tiles, ptrdiff_t planes, const real *x,
                ptrdiff_t apart, ptrdiff_t pitch, ptrdiff_t top, ptrdiff_t bottom, ptrdiff_t pad,
                ptrdiff_t wide, real *v, ptrdiff_t nextTile, ptrdiff_t next);
  /* Windows: m[9][o] becomes u[o], for outputs o of that many vectors; turned by half a circle if
   * back. */
  void (*windows)(int first, int end, int back, ptrdiff_t vectors, const real *m, real *u,
                  ptrdiff_t next);
  /* A row of tiles: products[tile][o], width apart, become y[row * wide + column][o], which are
   * apart, for as many outputs as a vector has lanes and as many rows as are high, added to
   * start[o], or to what y is if that is NULL. */
  void (*results)(int first, int end, ptrdiff_t tiles, const real *products, ptrdiff_t width,
                  ptrdiff_t next, const real *start, ptrdiff_t high, ptrdiff_t wide, real *y,
                  ptrdiff_t apart);
  /* The other way, for gradients: a row of tiles of y[row * wide + column], of a vector each and
   * apart, as many rows as are high, becomes z[tile], width apart. */
  void (*gradients)(int first, int end, ptrdiff_t tiles, const real *y, ptrdiff_t apart,
                    ptrdiff_t high, ptrdiff_t wide, real *z, ptrdiff_t width, ptrdiff_t next);
  /* Sums of products of these with tiles of images, sums[o], become m[9][o], a window. */
  void (*taps)(int first, int end, ptrdiff_t vectors, const real *sums, ptrdiff_t next, real *m);
  /* y[i][j] = x[i][j]: rows of n elements, nextX and nextY apart. */
  void (*copyRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                   ptrdiff_t nextY);
  /* y[i][j] += x[i][j], likewise. */
  void (*addRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                  ptrdiff_t nextY);
} THNN_(Winograd);

extern const THNN_(Winograd) * THNN_(winograd);

/* Whether the convolution is better computed this way, forward or back, and in no more memory than
 * is allowed: the largest of x, y and the columns of one image for each thread. */
int THNN_(isWinograd)(const THNNConvolution *c, int back);

/* y = bias (if there is one) + the convolution of x; or back, x from y. */
void THNN_(convolveWinograd)(const THNNConvolution *c, int back, THTensor *from, THTensor *weight,
                             THTensor *bias, THTensor *to);

/* The gradient of the weights in a call that has begun: prepare before it starts, which returns
 * NULL if it is better computed in another way, then weights += scale * that. */
typedef struct THNN_(Tiled) THNN_(Tiled);

THNN_(Tiled) * THNN_(prepareWinogradWeights)(const THNNConvolution *c, THNN_(Call) * call);
void THNN_(addWinogradWeights)(THNN_(Tiled) * w, const real *x, const real *y, real *weights,
                               accreal scale);
