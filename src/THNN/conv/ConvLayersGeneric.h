/* What the layers of convolutions call besides the operations of ConvolutionGeneric.h, on the
 * processor and on devices. */

/* --- windows as columns ---------------------------------------------------------------------- */

typedef struct {
  THNNWindow at[3];
  int64_t batch, planes;
  ptrdiff_t image, columns; /* elements of a plane, and of its columns */
  int dims;                 /* of the columns: 2, or 3 with a batch */
  int64_t columnSize[3], imageSize[4];
  int fold, zero; /* zero: what was in the images is gone */
  real *x, *unfolded;
} THNN_(ImageColumns);

/* Unfolds all planes, or folds them. */
void THNN_(eachPlane)(THNN_(ImageColumns) * w, THTensor *image, THTensor *columns);

/* --- sequences whose frames are rows --------------------------------------------------------- */

typedef struct {
  int dims; /* of input: 2, or 3 with a batch */
  int64_t batch, frame, outputs;
  THNNWindow w;
  int64_t depth;    /* elements of a window */
  int64_t interval; /* windows from one to the next that does not overlap */
  int byFrame;      /* a product is with one frame of all windows, not with whole windows */
  int64_t products;
  int64_t size[3]; /* of output */
  real *x, *y, *weight, *bias;
  accreal scale;
  ptrdiff_t chunk; /* outputs whose gradients are summed up together */
  real *memory;    /* a part for each thread */
  ptrdiff_t rows, width,
      blocks; /* of sums; blocks of width columns are in the lanes, one at a time */
  int threads;
  int implicit;    /* products are not BLAS's */
  ptrdiff_t items; /* of work */
  void *sums;      /* of the gradient of bias: sumMemory */
} THNN_(Sequence);

/* One pass: reserves scratch memory, and computes with x, y, weight and bias, which may be NULL. */
void THNN_(prepareSequence)(THNN_(Sequence) * s, THNNPass pass, THNN_(Call) * call);
void THNN_(runSequence)(THNN_(Sequence) * s, THNNPass pass);

/* --- weights of their own for each window ---------------------------------------------------- */

typedef struct {
  THNNConvolution c;
  ptrdiff_t imagesAtOnce; /* images whose windows are gathered together */
  ptrdiff_t chunk;        /* planes whose gradients are computed together */
  ptrdiff_t buffer;
  int threads;
  ptrdiff_t items; /* of work */
  real *x, *y, *weight, *bias;
  real *scratch; /* for each thread: windows of these images, then their outputs */
  accreal scale;
  void *sums; /* of the gradient of bias: sumMemory */
} THNN_(Local);

/* One pass, as above. */
void THNN_(prepareLocal)(THNN_(Local) * l, THNNPass pass, THNN_(Call) * call);
void THNN_(runLocal)(THNN_(Local) * l, THNNPass pass);

/* --- sequences of frames x features, each feature by itself ---------------------------------- */

typedef struct {
  THNNLayer layer;
  int dims;
  int64_t size[3]; /* of output */
  int64_t batch, features;
} THNN_(Rows);

/* y from x, or backward the gradient of x from that of y, of that size. */
void THNN_(framesConvolve)(const THNN_(Rows) * r, THTensor *from, THTensor *weight, THTensor *bias,
                           THTensor *to, int backward, const int64_t *size);
void THNN_(framesGradParameters)(const THNN_(Rows) * r, THTensor *input, THTensor *gradOutput,
                                 THTensor *gradWeight, THTensor *gradBias, accreal scale);
