/* One plane: y, and where in x each of its elements comes from.  w are the windows of its depth,
 * height and width; each of them holds a place of x. */
typedef void (*THNN_(MaxPoolKernel))(const THNNWindow w[3], const real *x, real *y, int64_t *index);

extern const THNN_(MaxPoolKernel) * THNN_(maxPool);

/* Row row of the output, of all slices, for all of that many planes, which are the last dimension
 * of x, y and index. */
typedef void (*THNN_(MaxLastKernel))(const THNNWindow w[3], ptrdiff_t planes, const real *x,
                                     ptrdiff_t row, real *y, int64_t *index);

extern const THNN_(MaxLastKernel) * THNN_(maxPoolLast);

/* The same for windows one by one, whose elements are neighbours in a row; NULL where there are no
 * vectors for that.  The plane has no more than INT32_MAX elements. */
typedef void (*THNN_(MaxSpansKernel))(const THNNPlanes *planes, const THNNSpans *spans,
                                      const real *x, real *y, int64_t *index);

extern const THNN_(MaxSpansKernel) * THNN_(maxSpans);

/* The same for windows of any kind. */
void THNN_(maxOfSpans)(const THNNPlanes *planes, const THNNSpans *spans, const real *x, real *y,
                       int64_t *index);

/* Adds the gradient of each output element to that of the input element that it came from. */
void THNN_(maxPoolBack)(const THNNPlanes *planes, THTensor *gradOutput, THTensor *gradInput,
                        THIndexTensor *indices);
