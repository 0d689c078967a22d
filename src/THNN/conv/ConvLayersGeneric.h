/* The functions that compute layers of convolutions, besides the operations of ConvolutionGeneric.h; the
 * processor and devices define them. */

/* --- im2col and col2im ----------------------------------------------------------------------- */

typedef struct {
  THNNWindow at[3];
  int64_t batch, planes;
  ptrdiff_t image;       /* elements of a plane */
  ptrdiff_t columns;     /* elements of the columns of a plane */
  int dims;              /* dimensions of the columns: 2, or 3 with a batch */
  int64_t columnSize[3]; /* size of the tensor of columns */
  int64_t imageSize[4];  /* size of the tensor of images, dims + 1 numbers */
  int fold;              /* col2im instead of im2col */
  int zero;              /* col2im overwrites x instead of adding to it */
  real *x, *unfolded;    /* elements of the images and of the columns */
} THNN_(ImageColumns);

/* Runs im2col, or col2im if w->fold is set, on all planes. */
void THNN_(eachPlane)(THNN_(ImageColumns) * w, THTensor *image, THTensor *columns);

/* --- sequences whose frames are rows --------------------------------------------------------- */

/* A call of TemporalConvolution. */
typedef struct {
  int dims;         /* dimensions of input: 2, or 3 with a batch */
  int64_t batch;    /* number of sequences */
  int64_t frame;    /* elements of a frame of input */
  int64_t outputs;  /* elements of a frame of output */
  THNNWindow w;     /* the windows along the frames */
  int64_t terms;    /* elements of a window: size * frame */
  int64_t interval; /* windows k and k + interval do not overlap */
  int byFrame;      /* a product takes one frame of all windows; otherwise whole windows */
  int64_t products; /* number of products of matrices */
  int64_t size[3];  /* size of output */
  real *x, *y, *weight, *bias;
  accreal scale;
  ptrdiff_t chunk;  /* outputs whose gradients are summed up together */
  real *memory;     /* scratch memory, a part for each thread */
  ptrdiff_t rows;   /* rows of a block of sums */
  ptrdiff_t width;  /* columns of a block of sums, which are in the lanes */
  ptrdiff_t blocks; /* number of blocks of columns */
  int threads;
  int implicit;    /* products are by the kernels of implicit_gemm; otherwise by BLAS */
  ptrdiff_t items; /* items of work of the parallel loop */
  void *sums;      /* memory for the gradient of bias: THNN_(sumMemory) */
} THNN_(Sequence);

/* Reserves the scratch memory of a pass. */
void THNN_(prepareSequence)(THNN_(Sequence) * s, THNNPass pass, THNN_(Call) * call);

/* Computes a pass with x, y, weight and bias of s, which may be NULL if the pass does not need them. */
void THNN_(runSequence)(THNN_(Sequence) * s, THNNPass pass);

/* --- weights that differ from position to position ------------------------------------------- */

/* A call of SpatialConvolutionLocal. */
typedef struct {
  THNNConvolution c;
  ptrdiff_t imagesAtOnce; /* images whose windows are gathered together */
  ptrdiff_t chunk;        /* planes whose gradients are computed together */
  ptrdiff_t buffer;       /* elements of scratch for each thread */
  int threads;
  ptrdiff_t items; /* items of work of the parallel loop */
  real *x, *y, *weight, *bias;
  real *scratch; /* for each thread: the windows of imagesAtOnce images, then their outputs */
  accreal scale;
  void *sums; /* memory for the gradient of bias: THNN_(sumMemory) */
} THNN_(Local);

/* Reserves the scratch memory of a pass. */
void THNN_(prepareLocal)(THNN_(Local) * l, THNNPass pass, THNN_(Call) * call);

/* Computes a pass with x, y, weight and bias of l, which may be NULL if the pass does not need them. */
void THNN_(runLocal)(THNN_(Local) * l, THNNPass pass);

/* --- sequences of frames x features, each feature by itself ---------------------------------- */

/* A call of TemporalRowConvolution. */
typedef struct {
  THNNLayer layer;
  int dims;        /* dimensions of input: 2, or 3 with a batch */
  int64_t size[3]; /* size of output */
  int64_t batch, features;
} THNN_(Rows);

/* Computes y from x, or with `backward` the gradient of x from the gradient of y.  size: the size of
 * the result `to`. */
void THNN_(framesConvolve)(const THNN_(Rows) * r, THTensor *from, THTensor *weight, THTensor *bias,
                           THTensor *to, int backward, const int64_t *size);

/* gradWeight and gradBias += scale * their gradients. */
void THNN_(framesGradParameters)(const THNN_(Rows) * r, THTensor *input, THTensor *gradOutput,
                                 THTensor *gradWeight, THTensor *gradBias, accreal scale);
