/* A row of the batch of n hidden values; what is wider has its gates one after the other; bias may
 * be NULL. */
typedef struct {
  /* gates: reset, update and new, 3n of each; bias: n each of the first two's sums, of the new
   * one's own and of what the reset gate scales; kept, 5n: the gates, h, and what that gate scales
   */
  void (*gru)(ptrdiff_t n, const real *input, const real *hidden, const real *bias, const real *h,
              real *y, real *kept);
  void (*gruBackward)(ptrdiff_t n, const real *g, const real *kept, real *dInput, real *dHidden,
                      real *dh);
  /* gates: input, forget, cell and output, 4n; they take the place of what is given */
  void (*lstm)(ptrdiff_t n, real *gates, const real *hidden, const real *bias, const real *c,
               real *y, real *yc);
  void (*lstmBackward)(ptrdiff_t n, const real *gates, const real *c, const real *yc, const real *g,
                       const real *gc, real *dGates, real *dc);
} THNN_(FusedCellKernels);

extern const THNN_(FusedCellKernels) * THNN_(fusedCells);
