typedef struct {
  /* im2col of one plane: columns[tap][position] is the tap's element of x, 0 in the padding.  axis:
   * the windows of slices, rows and columns. */
  void (*unfold)(const THNNWindow *axis, const real *x, real *columns);
  /* col2im of one plane: adds columns[tap][position] to the tap's element of x. */
  void (*fold)(const THNNWindow *axis, const real *columns, real *x);
} THNN_(Im2ColKernels);

extern const THNN_(Im2ColKernels) *const THNN_(im2col)[];
