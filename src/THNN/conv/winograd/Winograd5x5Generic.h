/* Kernels of winograd5x5.  They take the rows of tiles first ... first + rows - 1 (rows <= lanes), counted on
 * from image to image.  x and y begin with the first image; scratch is memory of a thread. */
typedef struct {
  /* The elements of scratch that `images` and `gradients` need if sums is set, or else the others. */
  ptrdiff_t (*scratchSize)(const THNNTileRows *t, int sums);
  /* Transforms filters: m[25][filter] become u[64][filter]; filters is a multiple of the lanes. */
  void (*filters)(ptrdiff_t filters, const real *m, real *u);
  /* The transpose of `filters`, for the gradient: u[set][64][all] are added up over the sets in order,
   * and the first `filters` of all become m[25][filter]. */
  void (*taps)(ptrdiff_t filters, ptrdiff_t all, ptrdiff_t sets, const real *u, real *m);
  /* y = bias (NULL: 0) + the convolution of x, for weights u[64][plane][output]. */
  void (*convolve)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *x,
                   const real *u, const real *bias, real *y, real *scratch);
  /* x = bias (NULL: 0) + the transposed convolution of y, for weights u[64][output][plane].  Elements of
   * x that no window reaches stay as they are.  All rows of tiles of the images have to be computed with
   * the same scratch, in order from 0 on. */
  void (*backward)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *y,
                   const real *u, const real *bias, real *x, real *scratch);
  /* Transforms x to v[64][plane][tile][lane], with the stride t->valueStride of the 64 values; lanes
   * without a row are 0. */
  void (*images)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *x, real *v,
                 real *scratch);
  /* sums[64][plane][output] += the sums over tiles of products of v, from `images`, with the values of
   * y, for a vector of outputs.  width is the stride of planes in sums.  y is packed: a vector of outputs
   * for each position. */
  void (*gradients)(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t rows, const real *v,
                    const real *y, real *sums, ptrdiff_t width, real *scratch);
} THNN_(TileRows);

extern const THNN_(TileRows) *const THNN_(tileRows)[];
