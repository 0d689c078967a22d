/* A call that computes the gradient of the weights, and of the bias unless gradBias is NULL. */
typedef struct {
  const THNNConvolution *c; /* in the layout that the algorithm computes in */
  THNN_(Call) call;
  THTensor *x, *y; /* y is gradOutput; of a transposed layer x is gradOutput, and y the input */
  THTensor *gradWeight, *gradBias;
  int biasOfX;     /* gradBias sums the planes of x instead of y: the layer is transposed */
  accreal scale;   /* factor of both gradients */
  accreal *totals; /* NULL, or sums of y, [set of images][output], that the algorithm fills in */
  int isBiasAdded; /* the algorithm itself has added the gradient of the bias to gradBias */
} THNN_(Gradient);

/* Gradients of weights are summed up for each set of images, then over the sets in order: so the sums
 * do not depend on the threads.  The number of sets. */
ptrdiff_t THNN_(setsOf)(const THNNConvolution *c);

/* The elements of x or y, whichever has more. */
ptrdiff_t THNN_(elementsOfLarger)(const THNNConvolution *c);

/* Whether the weights' sums of all sets together have no more elements than elementsOfLarger. */
int THNN_(fitSets)(const THNNConvolution *c);

/* How many images of `elements` elements a kernel sums up in registers before it adds to memory. */
ptrdiff_t THNN_(imagesThatFit)(ptrdiff_t elements);

/* Reserves g->totals, all 0, if the gradient of the bias is wanted; otherwise returns NULL.  An
 * algorithm that has y in the cache anyway adds the sums of y to g->totals. */
accreal *THNN_(totalsOfSets)(THNN_(Gradient) * g);

/* A row of the table in Algorithm.c. */
typedef struct {
  const char *name;
  /* Whether the algorithm computes this pass, in the layout that c->channelsLast says. */
  int (*supports)(const THNNConvolution *c, THNNPass pass);
  /* The cost (Algorithm.h) for a convolution that the algorithm supports; INFINITY if it would take
   * too much memory.  Winograd3x3 also writes its plan to *plan, which its function `weights` then
   * uses; the others ignore plan. */
  double (*cost)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan);
  /* Computes y from x, or with `backward` x from y: to = bias (NULL: 0) + the convolution of from. */
  void (*convolve)(const THNNConvolution *c, int backward, THTensor *from, THTensor *weight,
                   THTensor *bias, THTensor *to);
  /* g->gradWeight += g->scale * the gradient.  g->call has begun; this function starts it.  NULL if
   * the algorithm does not compute the gradient of the weights. */
  void (*weights)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan);
} THNN_(Algorithm);

#define THNN_ROW(NAME)                                                                             \
  int THNN_(supports##NAME)(const THNNConvolution *c, THNNPass pass);                              \
  double THNN_(costOf##NAME)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan); \
  void THNN_(convolveBy##NAME)(const THNNConvolution *c, int backward, THTensor *from,             \
                               THTensor *weight, THTensor *bias, THTensor *to);
#define THNN_ROW_WITH_WEIGHTS(NAME) \
  THNN_ROW(NAME)                    \
  void THNN_(weightsBy##NAME)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan);
THNN_ROW_WITH_WEIGHTS(DepthwiseNchw)
THNN_ROW_WITH_WEIGHTS(DepthwiseNhwc)
THNN_ROW_WITH_WEIGHTS(Winograd3x3)
THNN_ROW_WITH_WEIGHTS(Winograd5x5)
THNN_ROW(Scatter)
THNN_ROW(ColumnPanels)
THNN_ROW_WITH_WEIGHTS(ImplicitGemm)
THNN_ROW_WITH_WEIGHTS(Direct)
THNN_ROW_WITH_WEIGHTS(Im2Col)
#undef THNN_ROW_WITH_WEIGHTS
#undef THNN_ROW

/* The choice for a convolution: a row of the table, and the convolution in the row's layout. */
typedef struct {
  const THNN_(Algorithm) * row;
  const THNNConvolution *c;
  THNNConvolution nhwc;     /* what c points to if the row computes channels-last */
  THNN_(WinogradPlan) plan; /* set if the row is winograd3x3 */
} THNN_(Choice);

/* Whether t has this size and is channels-last, but not also contiguous. */
int THNN_(isNhwc)(const THNNConvolution *c, THTensor *t, const int64_t *size);

/* A view of t whose last dimension is the channels; the guard, which is entered here, frees it. */
THTensor *THNN_(viewNhwc)(const THNNConvolution *c, THGuard *guard, THTensor *t);

/* c for views by viewNhwc. */
THNNConvolution THNN_(toNhwc)(const THNNConvolution *c);
