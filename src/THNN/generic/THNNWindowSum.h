/* One plane; memory as much as the windows' sum says.
 *
 * Forward y is the sum of each window divided by the counts of its spans; backward each element of
 * x is spread over its window in y in the same proportion. */
typedef void (*THNN_(WindowSumKernel))(const THNNPlanes *planes, const THNNWindowSum *sum,
                                       const real *x, real *y, void *memory);

/* [THNN_WINDOW_SUM], [THNN_WINDOW_SPREAD] */
extern const THNN_(WindowSumKernel) * THNN_(windowSum);

/* Row row of the result, of all slices, for all of that many planes, which are the last dimension
 * of x and y; back, an element may be in THNN_SUM_MOST windows. */
typedef void (*THNN_(SumNhwcKernel))(const THNNPlanes *planes, const THNNSpans *spans,
                                     ptrdiff_t count, const real *x, ptrdiff_t row, real *y,
                                     real *memory);

/* [THNN_WINDOW_SUM], [THNN_WINDOW_SPREAD] */
extern const THNN_(SumNhwcKernel) * THNN_(sumNhwc);

/* The same for all planes of source. */
void THNN_(sumWindows)(const THNNPlanes *planes, const THNNSpans *spans, int back, THTensor *source,
                       THTensor *result);
