typedef struct {
  /* columns(l, p): element l of window p of one plane, 0 in the padding.  Windows have three
   * dimensions: slices, rows, columns. */
  void (*unfold)(const THNNWindow *windows, const real *x, real *columns);
  /* To each element of the plane is added what the windows have of it. */
  void (*fold)(const THNNWindow *windows, const real *columns, real *x);
} THNN_(Im2ColKernels);

extern const THNN_(Im2ColKernels) *const THNN_(im2col)[];
