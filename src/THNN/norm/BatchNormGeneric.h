/* Kernels for a panel: some channels of all images.  Arguments other than x, g and y have an element for each
 * channel of the panel. */
typedef struct {
  /* mean = the mean of x, square = the sum of (x - mean)^2 */
  void (*moments)(const THNNPanel *panel, const real *x, accreal *mean, accreal *square);
  /* sum = the sum of g, dot = the sum of g * (x - mean) */
  void (*products)(const THNNPanel *panel, const real *x, const real *g, const accreal *mean,
                   accreal *sum, accreal *dot);
  /* y = (x - shift) * factor + offset */
  void (*scale)(const THNNPanel *panel, const real *x, const real *shift, const real *factor,
                const real *offset, real *y);
  /* y = g * slope + ((x - shift) * factor + offset) */
  void (*gradient)(const THNNPanel *panel, const real *x, const real *g, const real *slope,
                   const real *shift, const real *factor, const real *offset, real *y);
} THNN_(BatchNormKernels);

extern const THNN_(BatchNormKernels) *const THNN_(batchNorm)[];
