/* One plane: y, and the index in x of each of its elements.  w are the windows along depth, height
 * and width; each of them holds an element of x. */
typedef void (*THNN_(MaxPoolKernel))(const THNNWindow w[3], const real *x, real *y, int64_t *index);

extern const THNN_(MaxPoolKernel) *const THNN_(maxPool)[];

/* Row row of the output, counted over all slices, of a channels-last image with count planes;
 * windows of any kind.  A plane has no more than INT32_MAX elements. */
typedef void (*THNN_(MaxNhwcKernel))(const THNNPlanes *planes, const THNNSpans *spans,
                                     ptrdiff_t count, const real *x, ptrdiff_t row, real *y,
                                     int64_t *index);

extern const THNN_(MaxNhwcKernel) *const THNN_(maxPoolNhwc)[];

/* One plane, window by window; the elements of a window's row are neighbours.  NULL at levels
 * without vectors for that.  The plane has no more than INT32_MAX elements. */
typedef void (*THNN_(MaxSpansKernel))(const THNNPlanes *planes, const THNNSpans *spans,
                                      const real *x, real *y, int64_t *index);

extern const THNN_(MaxSpansKernel) *const THNN_(maxSpans)[];

/* One plane with windows of any kind. */
void THNN_(maxOfSpans)(const THNNPlanes *planes, const THNNSpans *spans, const real *x, real *y,
                       int64_t *index);

/* The gradient y of a plane, from g and the windows' indices; streams: y is too large for the
 * caches.  Returns 0, whatever y then holds, unless these are windows of 2 or 3, two apart, of an
 * image of up to INT32_MAX / 4 elements, and each took one of its own.  NULL where there are no
 * vectors for that. scratch is maxPoolBackwardScratch elements. */
typedef int (*THNN_(MaxPoolBackwardKernel))(const THNNWindow w[3], int streams, const real *g,
                                            const int64_t *index, real *y, real *scratch);

extern const THNN_(MaxPoolBackwardKernel) *const THNN_(maxPoolBackwardKernel)[];

/* Windows of a row, in whole vectors, and a vector on both sides. */
static inline ptrdiff_t THNN_(maxPoolBackwardPitch)(const THNNWindow w[3])
{
  enum { LANES = 64 / sizeof(real) };
  return (THMax(w[2].output, w[2].input / 2 + 1) + LANES - 1) / LANES * LANES + 2 * LANES;
}

static inline ptrdiff_t THNN_(maxPoolBackwardScratch)(const THNNWindow w[3])
{
  return 2 * THNN_POOL_ROWS * THNN_(maxPoolBackwardPitch)(w) + 2 * THNN_POOL_ROWS * w[2].input +
         THNN_STREAM_BYTES / (ptrdiff_t)sizeof(real);
}
