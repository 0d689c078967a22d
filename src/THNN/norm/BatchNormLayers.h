/* The functions that compute batch normalization; the processor and devices define them. */

/* A call, for contiguous operands of size batch x channels x inner.  Operands that are not given are NULL; all
 * but x, g and y have an element for each channel. */
typedef struct {
  int64_t batch, channels, inner;
  ptrdiff_t block; /* channels that are computed together (in the lanes of vectors if inner is 1) */
  bool train;
  int streams;
  double momentum, eps, scale;
  const real *x, *g, *weight, *bias, *givenMean, *givenVar, *givenStd;
  real *y, *runningMean, *runningVar, *saveMean, *saveStd, *gradWeight, *gradBias;
  void *sums; /* memory by THNN_(sumMemory) */
} THNN_(BatchNorm);

/* Normalizes all channels, or computes the gradients if b->g is not NULL. */
void THNN_(batchNormRun)(THNN_(BatchNorm) * b);
