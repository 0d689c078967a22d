typedef struct {
  /* y = bias (if there is one) + the sums of the terms of the flat image x.  The weights are
   * packed: for each block of outputs, for each term, one for each output. */
  void (*convolve)(const THNNDirect *d, const real *x, const real *weights, const real *bias,
                   real *y);
  /* x += the products of all windows of y, for the planes of one whole block.  The weights are
   * packed: for each element of a window, for each term, one for each plane of the block. */
  void (*scatter)(const THNNScatter *s, const real *y, const real *weights, real *x);
  /* sums[output][term] += the products of the terms of the flat images x with g, over a few images,
   * nextX and nextG apart.  The planes of g are planeG apart and have rows of pitch elements.  mask
   * has all bits set where a position is, and none elsewhere. */
  void (*correlate)(const THNNDirect *d, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                    const real *g, ptrdiff_t planeG, ptrdiff_t nextG, const real *mask, real *sums);
  /* The sum of n elements. */
  accreal (*sum)(const real *x, ptrdiff_t n);
  /* sums[j] += x[i][j] for i < rows and j < n, a small n; rows are next apart. */
  void (*sumRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t next, accreal *sums);
  /* One plane of an image with one window, or with THNN_SLIDING of them: the windows are contiguous,
   * and so are the planes of their results.  NULL where there are no such kernels.  Windows are 3 x
   * 3 or 5 x 5, with a step of 1 and a padding of less than their size.  y is not x. */
  void (*slide)(const THNNWindow *axis, const real *x, ptrdiff_t windows, const real *weight,
                const real *bias, real *y);
  /* The same with a step of 2, and one window. */
  void (*slideByTwo)(const THNNWindow *axis, const real *x, const real *weight, const real *bias,
                     real *y);
  /* The gradient of such a window with a step of 1: sums[element] += the products of the elements of x in the image
   * with g, over some images, nextX and nextG apart. */
  void (*slideSums)(const THNNWindow *axis, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                    const real *g, ptrdiff_t nextG, real *sums);
  /* A row of windows (counted over slices) of a channels-last image, each plane with a window of
   * its own, of any size, step and dilation: weights[element][plane], and the results of windows
   * are next apart from y on.  bias may be NULL.  isFar: neither x nor y is in the caches, and the
   * lines of the next row are prefetched. */
  void (*slideNhwc)(const THNNWindow *axis, ptrdiff_t planes, const real *x, const real *weights,
                    const real *bias, ptrdiff_t row, real *y, ptrdiff_t next, int isFar);
  /* The gradient of the weights: sums[element][plane] += the products of a row of windows with g,
   * the gradients of their results, for so many of the next planes that the image has. */
  void (*slideNhwcSums)(const THNNWindow *axis, ptrdiff_t planes, const real *x, ptrdiff_t next,
                        const real *g, ptrdiff_t row, real *sums);
} THNN_(Direct);

extern const THNN_(Direct) *const THNN_(direct)[];
