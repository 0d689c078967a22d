/* Max pooling of one plane: y, and for each element of y its index in x.  w: the windows along depth,
 * height and width; each window holds an element of x. */
typedef void (*THNN_(MaxPoolKernel))(const THNNWindow w[3], const real *x, real *y, int64_t *index);

extern const THNN_(MaxPoolKernel) *const THNN_(maxPool)[];

/* Max pooling of row `row` of the output, counted over all slices, of a channels-last image with count
 * planes; windows of any kind.  A plane has at most INT32_MAX elements. */
typedef void (*THNN_(MaxNhwcKernel))(const THNNPlanes *planes, const THNNSpans *spans,
                                     ptrdiff_t count, const real *x, ptrdiff_t row, real *y,
                                     int64_t *index);

extern const THNN_(MaxNhwcKernel) *const THNN_(maxPoolNhwc)[];

/* Max pooling of one plane, window by window; the elements of a window's row have to be adjacent
 * (dilation 1).  The plane has at most INT32_MAX elements.  NULL at instruction sets without vectors for
 * this. */
typedef void (*THNN_(MaxSpansKernel))(const THNNPlanes *planes, const THNNSpans *spans,
                                      const real *x, real *y, int64_t *index);

extern const THNN_(MaxSpansKernel) *const THNN_(maxSpans)[];

/* Max pooling of one plane with windows of any kind. */
void THNN_(maxOfSpans)(const THNNPlanes *planes, const THNNSpans *spans, const real *x, real *y,
                       int64_t *index);

/* Computes the gradient y of a plane from g and the indices of the outputs.  streams: y is too large for the
 * caches.  Returns 1 if it has computed y.  Returns 0, and leaves y undefined, unless the windows are 2
 * or 3 wide with stride 2, the plane has at most INT32_MAX / 4 elements, and each index lies in its own
 * window.  scratch has maxPoolBackwardScratch elements.  NULL at instruction sets without vectors for
 * this. */
typedef int (*THNN_(MaxPoolBackwardKernel))(const THNNWindow w[3], int streams, const real *g,
                                            const int64_t *index, real *y, real *scratch);

extern const THNN_(MaxPoolBackwardKernel) *const THNN_(maxPoolBackwardKernel)[];

/* Elements for a row of windows: whole vectors, and one more vector on each side. */
static inline ptrdiff_t THNN_(maxPoolBackwardPitch)(const THNNWindow w[3])
{
  enum { LANES = 64 / sizeof(real) };
  return (THMax(w[2].output, w[2].input / 2 + 1) + LANES - 1) / LANES * LANES + 2 * LANES;
}

/* Elements of scratch memory of the backward kernel. */
static inline ptrdiff_t THNN_(maxPoolBackwardScratch)(const THNNWindow w[3])
{
  return 2 * THNN_POOL_ROWS * THNN_(maxPoolBackwardPitch)(w) + 2 * THNN_POOL_ROWS * w[2].input +
         THNN_STREAM_BYTES / (ptrdiff_t)sizeof(real);
}
