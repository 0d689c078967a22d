typedef struct {
  /* y = bias (if there is one) + the convolution of the flat planes x.  The weights are packed: for
   * each block of outputs, for each plane and element of the window, one for each output. */
  void (*convolve)(const THNNDirect *d, const real *x, const real *weights, const real *bias,
                   real *y);
  /* sums[output][plane, row, column of the window] += the products of the flat planes x with g,
   * whose planes are sumPlane apart and have rows of pitch elements, over a few images.  mask has
   * all bits set where an output is, and none elsewhere. */
  void (*correlate)(const THNNDirect *d, ptrdiff_t images, const real *x, const real *g,
                    const real *mask, real *sums);
} THNN_(Direct);

extern const THNN_(Direct) * THNN_(direct);
