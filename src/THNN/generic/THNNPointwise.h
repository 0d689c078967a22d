/* What the kernels get as scalars. */
typedef struct {
  real a, b;
  real scale; /* of a loss's gradient */
} THNN_(Scalars);

typedef struct {
  THKernel forward;  /* output, input */
  THKernel gradient; /* gradInput, gradOutput, input or output */
} THNN_(Activation);

typedef struct {
  THKernel forward;  /* output, input, target */
  THKernel gradient; /* gradInput, gradOutput, input, target: times scale */
  accreal (*sum)(ptrdiff_t n, const real *x, const real *t, const THNN_(Scalars) * scalars);
} THNN_(Loss);

extern const THNN_(Activation) * THNN_(activations);
extern const THNN_(Loss) * THNN_(losses);
