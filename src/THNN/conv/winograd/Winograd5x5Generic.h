/* Rows of tiles are counted on from image to image: from first on rows of them, at most as many as
 * there are lanes.  x and y are where the first image's planes begin; scratch is memory of a thread.
 */
typedef struct {
  /* Elements of scratch: for images and gradients if sums is set, else for the others. */
  ptrdiff_t (*scratchSize)(const THNNTileRows *t, int sums);
  /* m[25][window], of that many whole vectors, become u[64][window]; and transposed, for the
   * gradient: of u[set][64][all] as many windows as are wanted, added up over the sets in their
   * order, become m[25][window]. */
  void (*windows)(ptrdiff_t windows, const real *m, real *u);
  void (*taps)(ptrdiff_t windows, ptrdiff_t all, ptrdiff_t sets, const real *u, real *m);
  /* y = bias (0 if it is NULL) + the convolution of x, for weights u[64][plane][output]. */
  void (*convolve)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *x,
                   const real *u, const real *bias, real *y, real *scratch);
  /* x = bias (0 if it is NULL) + the products with y, for weights u[64][output][plane], as far as
   * windows reach.  Rows of tiles of the same images go with the same scratch, from 0 on. */
  void (*backward)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *y,
                   const real *u, const real *bias, real *x, real *scratch);
  /* v[64][plane][tile][lane], numberX apart, of x; lanes without a row are 0. */
  void (*images)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *x, real *v,
                 real *scratch);
  /* sums[64][plane][output], outputs width apart, += the sums over tiles of products of v (the
   * numbers of x) with those of y, for as many outputs as there are lanes: their positions follow
   * each other in y, a vector each. */
  void (*gradients)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *v,
                    const real *y, real *sums, ptrdiff_t width, real *scratch);
} THNN_(TileRows);

extern const THNN_(TileRows) *const THNN_(tileRows)[];
