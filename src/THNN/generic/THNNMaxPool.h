/* One plane: y, and where in x each of its elements comes from.  w are the windows of its depth,
 * height and width; each of them holds a place of x. */
typedef void (*THNN_(MaxPoolKernel))(const THNNWindow w[3], const real *x, real *y, int64_t *index);

extern const THNN_(MaxPoolKernel) * THNN_(maxPool);

/* The same for windows of any kind. */
void THNN_(maxOfSpans)(const THNNPlanes *planes, const THNNSpans *spans, const real *x, real *y,
                       int64_t *index);

/* Adds the gradient of each output element to that of the input element that it came from. */
void THNN_(maxPoolBack)(const THNNPlanes *planes, THTensor *gradOutput, THTensor *gradInput,
                        THIndexTensor *indices);
