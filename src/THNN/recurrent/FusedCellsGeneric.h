/* Kernels for one row of the batch, of n hidden values.  Rows of several gates have the n values of each gate
 * one after the other.  bias may be NULL. */
typedef struct {
  /* The gates are reset, update and new: 3n values of input and hidden.  bias has 4n: of reset, of
   * update, of new's input part, and of new's hidden part, which reset scales.  kept has 5n: the
   * gates, h, and new's hidden part. */
  void (*gru)(ptrdiff_t n, const real *input, const real *hidden, const real *bias, const real *h,
              real *y, real *kept);
  void (*gruBackward)(ptrdiff_t n, const real *g, const real *kept, real *dInput, real *dHidden,
                      real *dh);
  /* gates holds 4n sums for input, forget, cell and output, and is overwritten with the gates. */
  void (*lstm)(ptrdiff_t n, real *gates, const real *hidden, const real *bias, const real *c,
               real *y, real *yc);
  void (*lstmBackward)(ptrdiff_t n, const real *gates, const real *c, const real *yc, const real *g,
                       const real *gc, real *dGates, real *dc);
} THNN_(FusedCellKernels);

extern const THNN_(FusedCellKernels) *const THNN_(fusedCells)[];
