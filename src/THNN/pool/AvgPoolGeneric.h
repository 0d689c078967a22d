/* A kernel for one plane; memory has sum->bytes bytes.
 *
 * Forward, y is the sum of each window divided by the counts of its spans.  Backward, each element
 * of x, divided by the same counts, is added to the elements of its window in y. */
typedef void (*THNN_(WindowSumKernel))(const THNNPlanes *planes, const THNNWindowSum *sum,
                                       const real *x, real *y, void *memory);

/* [THNN_WINDOW_SUM], [THNN_WINDOW_BACKWARD] */
extern const THNN_(WindowSumKernel) *const THNN_(windowSum)[];

/* A kernel for row `row` of the result, counted over all slices, of a channels-last image with count
 * planes.  Backward, an element may be in THNN_SUM_MOST windows at most. */
typedef void (*THNN_(SumNhwcKernel))(const THNNPlanes *planes, const THNNSpans *spans,
                                     ptrdiff_t count, const real *x, ptrdiff_t row, real *y,
                                     real *memory);

/* [THNN_WINDOW_SUM], [THNN_WINDOW_BACKWARD] */
extern const THNN_(SumNhwcKernel) *const THNN_(sumNhwc)[];

/* Average pooling of all planes of source, or with `backward` its gradient. */
void THNN_(sumWindows)(const THNNPlanes *planes, const THNNSpans *spans, int backward,
                       THTensor *source, THTensor *result);
