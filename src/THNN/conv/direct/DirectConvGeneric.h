/* Kernels of the algorithms direct, scatter, depthwise_nchw (slide...) and depthwise_nhwc
 * (slideNhwc...). */
typedef struct {
  /* y = bias (NULL: 0) + the sums of the terms of the flat image x, which go through d->activation unless it is
   * NULL.  The weights are packed as weights[block][term][output of the block]. */
  void (*convolve)(const THNNDirect *d, const real *x, const real *weights, const real *bias,
                   real *y);
  /* x += the products of y, for the planes of x of one block.  The weights are packed as
   * weights[tap][term][plane of the block]. */
  void (*scatter)(const THNNScatter *s, const real *y, const real *weights, real *x);
  /* sums[output][term] += the sum over all positions, of a few images, of term * g[output].  The
   * images of x and g are nextX and nextG apart, the planes of g planeG apart, its rows d->pitch.
   * mask has all bits set at a position, and none in the gaps between rows. */
  void (*correlate)(const THNNDirect *d, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                    const real *g, ptrdiff_t planeG, ptrdiff_t nextG, const real *mask, real *sums);
  /* The sum of n elements. */
  accreal (*sum)(const real *x, ptrdiff_t n);
  /* sums[j] += x[i][j] for i < rows and j < n, for a small n; next is the stride of rows. */
  void (*sumRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t next, accreal *sums);
  /* Convolves each of some planes x with `filters` filters of 3 x 3 or 5 x 5, with stride 1 or 2 and less
   * padding than their size.  Planes, filters, biases (NULL: 0) and results are contiguous; y must not
   * be x.  Results go through the activation unless it is NULL, here and in slideNhwc.  slide and
   * slideSums are NULL without masks for vectors (AVX-512). */
  void (*slide)(const THNNWindow *axis, ptrdiff_t planes, const real *x, ptrdiff_t filters,
                const real *weight, const real *bias, const THNNActivation *activation, real *y);
  /* The gradient of a filter that slide takes: sums[tap] += the sum of x[...] * g[...] over the
   * positions of some images, whose planes x and g are nextX and nextG apart. */
  void (*slideSums)(const THNNWindow *axis, ptrdiff_t images, const real *x, ptrdiff_t nextX,
                    const real *g, ptrdiff_t nextG, real *sums);
  /* Computes row `row` of the positions (rows are counted on over slices) of a channels-last image; each plane
   * has a filter of its own, of any size, stride and dilation: weights[tap][plane].  Results go to
   * y on, positions `next` apart.  bias may be NULL.  isFar: x and y come from memory, not from a
   * cache, so the lines of the next row are prefetched. */
  void (*slideNhwc)(const THNNWindow *axis, ptrdiff_t planes, const real *x, const real *weights,
                    const real *bias, const THNNActivation *activation, ptrdiff_t row, real *y,
                    ptrdiff_t next, int isFar);
  /* The gradient of the weights: sums[tap][plane] += x[...] * g[...] over row `row` of the positions,
   * for `planes` planes of an image x whose neighbouring elements are `next` apart.  g is the
   * gradient of the outputs of this row, with the same stride. */
  void (*slideNhwcSums)(const THNNWindow *axis, ptrdiff_t planes, const real *x, ptrdiff_t next,
                        const real *g, ptrdiff_t row, real *sums);
} THNN_(Direct);

extern const THNN_(Direct) *const THNN_(direct)[];
