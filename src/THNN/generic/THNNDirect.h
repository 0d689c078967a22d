typedef struct {
  /* y = bias (if there is one) + the sums of the terms of the flat image x.  The weights are
   * packed: for each block of outputs, for each term, one for each output. */
  void (*convolve)(const THNNDirect *d, const real *x, const real *weights, const real *bias,
                   real *y);
  /* x += what all windows of y add, for the planes of one block, all of which are there.  The
   * weights are packed: for each element of a window, for each term, one for each plane of the
   * block. */
  void (*spread)(const THNNSpread *s, const real *y, const real *weights, real *x);
  /* sums[output][term] += the products of the terms of the flat images x with g, over a few images,
   * nextX and nextG apart.  The planes of g are planeG apart and have rows of pitch elements.  mask
   * has all bits set where a position is, and none elsewhere. */
  void (*correlate)(const THNNDirect *d, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                    const real *g, ptrdiff_t planeG, ptrdiff_t nextG, const real *mask, real *sums);
  /* The sum of n elements. */
  accreal (*sum)(const real *x, ptrdiff_t n);
} THNN_(Direct);

extern const THNN_(Direct) * THNN_(direct);
