/* One plane: y, and where in x each of its elements comes from. */
typedef void (*THNN_(MaxPoolKernel))(const THNNWindow *h, const THNNWindow *w, const real *x,
                                     real *y, int64_t *index);

extern const THNN_(MaxPoolKernel) * THNN_(maxPool);
