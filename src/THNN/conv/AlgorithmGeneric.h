/* A call for the gradient of the weights, in the layout of c; gradBias may be NULL. */
typedef struct {
  const THNNConvolution *c;
  THNN_(Call) call;
  THTensor *x, *y, *gradWeight, *gradBias;
  int biasOfX; /* gradBias is of the planes of x */
  accreal scale;
  accreal *totals; /* of y: for each set of images and output, where the algorithm sums them up */
  int isBiasAdded; /* by the algorithm */
} THNN_(Gradient);

/* Gradients of weights are summed up for each set of images, then over the sets in order: the sums do
 * not depend on the threads.  The number of sets; whether the sums of all sets take no more memory
 * than the images themselves, whose elements imagesOf counts. */
ptrdiff_t THNN_(setsOf)(const THNNConvolution *c);
int THNN_(fitSets)(const THNNConvolution *c);
ptrdiff_t THNN_(imagesOf)(const THNNConvolution *c);

/* Images of so many elements that are summed up in registers before the sums are added. */
ptrdiff_t THNN_(imagesThatFit)(ptrdiff_t elements);

/* g->totals, all 0, if they are wanted: an algorithm that has the images in the cache anyway adds
 * the sums of y to them. */
accreal *THNN_(totalsOfSets)(THNN_(Gradient) * g);

/* A row of the table in Algorithm.c. */
typedef struct {
  const char *name;
  /* Whether it computes this pass, in the layout that c->channelsLast says. */
  int (*supports)(const THNNConvolution *c, THNNPass pass);
  /* Its time divided by that of the rows after it, for a convolution that it supports: less than
   * THNN_NEVER where it is the better one, INFINITY where it would take too much memory.  plan is
   * where winograd3x3 leaves the plan that its function weights goes by. */
  double (*cost)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan);
  /* y from x, or backward x from y: that = bias (0 if it is NULL) + the convolution. */
  void (*convolve)(const THNNConvolution *c, int backward, THTensor *from, THTensor *weight,
                   THTensor *bias, THTensor *to);
  /* g->gradWeight += g->scale * the gradient; g->call has begun, and is started here. */
  void (*weights)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan);
} THNN_(Algorithm);

#define THNN_ROW(NAME)                                                                             \
  int THNN_(supports##NAME)(const THNNConvolution *c, THNNPass pass);                              \
  double THNN_(costOf##NAME)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan); \
  void THNN_(convolveBy##NAME)(const THNNConvolution *c, int backward, THTensor *from,             \
                               THTensor *weight, THTensor *bias, THTensor *to);                    \
  void THNN_(weightsBy##NAME)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan);
THNN_ROW(DepthwiseNchw)
THNN_ROW(DepthwiseNhwc)
THNN_ROW(Winograd3x3)
THNN_ROW(Winograd5x5)
THNN_ROW(Scatter)
THNN_ROW(ColumnPanels)
THNN_ROW(ImplicitGemm)
THNN_ROW(Direct)
THNN_ROW(Im2Col)
#undef THNN_ROW

/* What is chosen: a row, and the convolution in the layout that it computes in. */
typedef struct {
  const THNN_(Algorithm) * row;
  const THNNConvolution *c;
  THNNConvolution nhwc; /* c, where that is channels-last */
  THNN_(WinogradPlan) plan;
} THNN_(Choice);

/* Whether t, of that size, lies channels-last in memory, and not in order as well; a view of it
 * whose last dimension are the planes; and c for such views. */
int THNN_(isNhwc)(const THNNConvolution *c, THTensor *t, const int64_t *size);
THTensor *THNN_(viewNhwc)(const THNNConvolution *c, THGuard *guard, THTensor *t);
THNNConvolution THNN_(toNhwc)(const THNNConvolution *c);
