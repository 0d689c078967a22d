/* The launchers of THCUNN's kernels: C functions that queue a launch, for the host's files.  All
 * tensors are contiguous, except those of THCKernels, which take a walk (thc_kernels.h). */
#ifndef THCUNN_KERNELS_H
#define THCUNN_KERNELS_H

#include "THC/core/thc_fault.h"
#include "THC/core/thc_kernels.h"
#include "ops/windows.h"
#ifdef __cplusplus
extern "C" {
#endif

/* --- the rows of src/ops/activations.h ------------------------------------------------------ */

/* Sums of many terms are added up by several blocks, a part each, and then the parts in order. */
enum {
  THCUNN_PARTS = 256,      /* parts of all sums of a launch: enough blocks to occupy a device */
  THCUNN_PART_TERMS = 1024 /* terms that justify a block */
};

/* How many parts each of `lines` sums of `length` terms has. */
static inline int64_t THCUNN_parts(int64_t lines, int64_t length)
{
  const int64_t most = lines > 0 ? THCUNN_PARTS / lines : 1;
  const int64_t parts = (length + THCUNN_PART_TERMS - 1) / THCUNN_PART_TERMS;
  return most < 2 || parts < 2 ? 1 : parts < most ? parts : most;
}

/* The kernels' scalars. */
typedef struct THCUNNFloatScalars {
  float a, b, scale;
} THCUNNFloatScalars;
typedef struct THCUNNDoubleScalars {
  double a, b, scale;
} THCUNNDoubleScalars;
typedef THCUNNFloatScalars THCUNNHalfScalars;

/* The sums of the parts of a loss of the n elements of x, t and w, in the type of sums.  t and w
 * may be NULL: all their elements are 1. */
typedef void (*THCUNNSum)(const void *x, const void *t, const void *w, ptrdiff_t n,
                          const void *scalars, int parts, void *sums, cudaStream_t stream);

/* The inputs of a row are those that THNN's Pointwise.h says. */
typedef struct THCUNNPointwise {
  THCKernel forward;   /* operands: output, inputs */
  THCKernel gradient;  /* operands: gradInput, gradOutput, inputs */
  THCKernel gradient2; /* the same with respect to a gate's w */
  THCUNNSum sum;       /* only of a loss */
} THCUNNPointwise;

/* --- windows -------------------------------------------------------------------------------- */

/* Pooling of all planes: one window for each element of the smaller planes.  The kernels say which
 * of the rest they use. */
typedef struct THCUNNPool {
  THNNWindow axis[3];
  int64_t planes, input, output; /* planes, and elements of one */
  THNNDivide divide;
  int64_t base;     /* of indices */
  int ofFrames;     /* planes are frames x features; indices count the frames of a window */
  int samples;      /* numbers of a plane that spread its windows: with[0] */
  int64_t channels; /* with a weight, with[0], and a bias, with[1], each: planes, */
  int ofFeatures;   /* or columns */
  double power;     /* of a norm; backward, with are its input and output */
  const void *x, *with[2];
  void *y, *scratch;
  const int64_t *from; /* indices that are given, or made */
  int64_t *to;
} THCUNNPool;

/* Planes whose elements are sums over up to three axes: element k of an axis has the terms first[k]
 * ... first[k + 1] - 1, each an index of x and a weight (1 where weight is NULL). */
typedef struct THCUNNGather {
  int64_t planes, from[3], to[3]; /* sizes of planes */
  const int64_t *first[3], *index[3];
  const void *weight[3]; /* of the type of sums */
  const void *x;
  void *y;
} THCUNNGather;

/* Grid sampling of batch images, with planes each, at points. */
typedef struct THCUNNGrid {
  int axes, padding; /* padding: THNN_ZEROS ... */
  int64_t batch, planes, points, in[3];
  const void *x, *grid, *g; /* input, grid and gradOutput */
  void *y, *gradInput, *gradGrid;
  void *sums; /* of the type of sums: gradInput, or memory of as many elements */
} THCUNNGrid;

/* Planes as columns, planes x window x windows, and columns as sums in planes. */
typedef struct THCUNNColumns {
  THNNWindow axis[3];
  int64_t planes;       /* of an image */
  int64_t imagesAtOnce; /* images whose windows follow each other in each line of columns; 0: one */
  const void *bias;     /* of sums, an element for each plane; may be NULL */
  const void *from;
  void *to;
} THCUNNColumns;

/* Convolutions as sums over windows.  Steps are from one element to the next. */
typedef struct THCUNNDirect {
  THNNWindow axis[3];
  int64_t batch, planes, outputs, groups;
  int64_t xStep[3], yStep[3]; /* of images, planes, positions */
  int64_t weightStep[4];      /* of outputs, planes of a group, taps, windows (0: they share) */
  int64_t biasStep[2];  /* of outputs and windows, forward; backward, planes follow each other */
  double scale;         /* of the gradient that is added to weight */
  const void *bias;     /* may be NULL */
  void *x, *y, *weight; /* one of them is the result */
} THCUNNDirect;

/* --- norms and cells ------------------------------------------------------------------------ */

/* The channels of batch x channels x inner.  All but x, g and y have an element for each channel;
 * operands that are not given are NULL. */
typedef struct THCUNNBatchNorm {
  int64_t batch, channels, inner;
  int train;
  double momentum, eps, scale;
  const void *x, *g, *weight, *bias, *mean, *variance, *std; /* g: backward */
  void *y, *runningMean, *runningVar, *saveMean, *saveStd, *gradWeight, *gradBias;
  void *sums; /* two doubles for each part of each channel; NULL: one block for each */
} THCUNNBatchNorm;

/* scale = k + alpha * the mean square of size planes; y = x / scale ^ beta. */
typedef struct THCUNNCrossMap {
  int64_t batch, planes, inner, size;
  double alpha, beta, k;
  const void *x, *g;
  void *scale, *y, *dx; /* backward, scale and y are read */
} THCUNNCrossMap;

/* Fused cells, of rows of n hidden values. */
typedef struct THCUNNCells {
  int64_t rows, n;
  const void *input, *hidden, *bias1, *bias2, *h, *g, *c, *yc, *gc, *kept;
  void *gates, *y, *newCell, *keep, *dInput, *dHidden, *dh;
} THCUNNCells;

/* --- tables --------------------------------------------------------------------------------- */

enum { THCUNN_BAG_SUM, THCUNN_BAG_MEAN };

/* Rows that count indices select; bags are runs of them. */
typedef struct THCUNNTable {
  int64_t rows, columns, count, bags, base;
  int64_t padding; /* an index that nothing is added for */
  int byFrequency; /* what is added is divided by how often the index occurs */
  int mode;        /* of bags */
  double scale, maxNorm, normType;
  const int64_t *index, *offsets;
  const int64_t *givenBag, *givenLengths; /* of the entries, and of the bags; may be NULL */
  const void *g;                          /* rows to be added: one of each index or bag */
  void *table, *y;
  int64_t *bag, *lengths; /* results */
} THCUNNTable;

/* A linear layer of keys and values: those of THNN's IndexWork. */
typedef struct THCUNNKeys {
  const int64_t *key, *first; /* first: of each list, and behind the last */
  int64_t count, rows, batch, width, outputs, keysOffset;
  int extra;
  double scale, decay;
  const void *value, *bias, *g, *d;
  void *weight, *y;
} THCUNNKeys;

/* A linear layer of sparse inputs: entries of row, column and value or, in the legacy form, of column
 * and value, each of them for each row of the batch. */
typedef struct THCUNNSparse {
  const void *entries;
  int64_t count, each, batch, inputs, outputs;
  int legacy;
  double scale, decay;
  const void *weight, *bias, *g; /* of a step: the gradients of the weights */
  void *y, *dWeight, *dBias;
} THCUNNSparse;

/* --- targets -------------------------------------------------------------------------------- */

/* Reports a value out of range that is not the one allowed.  The other kernels pass over what is out of
 * range: a target counts as one that is ignored, a label ends its list, rows and keys are left out, what an
 * index would pick is 0, lists get what is left of the keys, a sample is 0. */
void THCUNN_findOutside(const int64_t *values, int64_t count, int64_t allowed,
                        const THCReport *report, cudaStream_t stream);

typedef struct THCUNNNll {
  int64_t batch, classes, inner; /* the input is batch x classes x inner */
  int64_t ignore, base;
  int each; /* one loss per target instead of their sum */
  int average;
  const int64_t *target;
  const void *weights;     /* may be NULL */
  const void *x;           /* forward: the input */
  void *loss, *totalOut;   /* forward: the loss and the sum of weights */
  const void *g, *totalIn; /* backward */
  void *dx;                /* backward: gradInput, filled with 0 */
  void *sums;              /* forward: two doubles for each part of the sum; NULL: one block */
} THCUNNNll;

/* Margins between the scores of right classes and others. */
typedef struct THCUNNMargin {
  int64_t batch, classes, base;
  int p;    /* for one right class: the power of the terms, 1 or 2 */
  int each; /* one loss per input instead of their sum */
  double margin, factor;
  const int64_t *target;
  const void *weights; /* may be NULL */
  const void *x;
  void *isTarget; /* for lists of right classes */
  void *loss;
  const void *g; /* backward */
  void *dx;
  void *sums; /* forward: as of THCUNNNll */
} THCUNNMargin;

/* --- of each floating type -------------------------------------------------------------------- */

#define FOR_EACH_FLOAT(DECLARE) DECLARE(Float) DECLARE(Double) DECLARE(Half)

/* The kernels of the rows of src/ops/activations.h: activations, gates, losses. */
#define POINTWISE(Real) extern const THCUNNPointwise THCUNN_pointwise_##Real[];
FOR_EACH_FLOAT(POINTWISE)

/* y = slopes * x; slopes are drawn from the stream of that seed, from that offset on. */
#define RRELU(Real)                                                                               \
  void THCUNN_rrelu_##Real(int64_t n, uint64_t seed, uint64_t offset, double lower, double upper, \
                           const void *x, void *slopes, void *y, cudaStream_t stream);
FOR_EACH_FLOAT(RRELU)

/* Forward (g is NULL): y from the input x.  Backward: the gradient y from the output x and its
 * gradient g.  A sequence has count elements that are inner apart. */
#define SOFTMAX(Real)                                                                             \
  void THCUNN_softMax_##Real(int logarithm, const void *g, const void *x, void *y, int64_t outer, \
                             int64_t count, int64_t inner, cudaStream_t stream);
FOR_EACH_FLOAT(SOFTMAX)

#define NLL(Real)                                                    \
  void THCUNN_nll_##Real(const THCUNNNll *nll, cudaStream_t stream); \
  void THCUNN_nllBackward_##Real(const THCUNNNll *nll, cudaStream_t stream);
FOR_EACH_FLOAT(NLL)

/* One right class for each input, and a list of them. */
#define MARGIN(Real)                                                                  \
  void THCUNN_margin_##Real(const THCUNNMargin *margin, cudaStream_t stream);         \
  void THCUNN_marginBackward_##Real(const THCUNNMargin *margin, cudaStream_t stream); \
  void THCUNN_labels_##Real(const THCUNNMargin *margin, cudaStream_t stream);         \
  void THCUNN_labelsBackward_##Real(const THCUNNMargin *margin, cudaStream_t stream);
FOR_EACH_FLOAT(MARGIN)

/* Pooling; channelDots adds scale * the sum of x * g over each channel to dots, and that of g to
 * sums. */
#define POOL_KERNEL(NAME, Real) \
  void THCUNN_##NAME##_##Real(const THCUNNPool *pool, cudaStream_t stream);
#define POOL(Real)                   \
  POOL_KERNEL(maxPool, Real)         \
  POOL_KERNEL(maxPoolBackward, Real) \
  POOL_KERNEL(unpool, Real)          \
  POOL_KERNEL(unpoolBackward, Real)  \
  POOL_KERNEL(average, Real)         \
  POOL_KERNEL(averageBackward, Real) \
  POOL_KERNEL(norm, Real)            \
  POOL_KERNEL(normBackward, Real)
FOR_EACH_FLOAT(POOL)
#define CHANNEL_DOTS(Real)                                                                      \
  void THCUNN_channelDots_##Real(int64_t outer, int64_t channels, int64_t inner, const void *x, \
                                 const void *g, double scale, void *dots, void *sums,           \
                                 void *memory, cudaStream_t stream);
FOR_EACH_FLOAT(CHANNEL_DOTS)

#define GATHER(Real) void THCUNN_gather_##Real(const THCUNNGather *gather, cudaStream_t stream);
FOR_EACH_FLOAT(GATHER)

#define GRID(Real)                                                            \
  void THCUNN_sampleGrid_##Real(const THCUNNGrid *grid, cudaStream_t stream); \
  void THCUNN_sampleGridBackward_##Real(const THCUNNGrid *grid, cudaStream_t stream);
FOR_EACH_FLOAT(GRID)

#define NORMS(Real)                                                                       \
  void THCUNN_batchNorm_##Real(const THCUNNBatchNorm *norm, cudaStream_t stream);         \
  void THCUNN_batchNormBackward_##Real(const THCUNNBatchNorm *norm, cudaStream_t stream); \
  void THCUNN_crossMap_##Real(const THCUNNCrossMap *map, cudaStream_t stream);            \
  void THCUNN_crossMapBackward_##Real(const THCUNNCrossMap *map, cudaStream_t stream);
FOR_EACH_FLOAT(NORMS)
#define CELLS(Real)                                                              \
  void THCUNN_gru_##Real(const THCUNNCells *cells, cudaStream_t stream);         \
  void THCUNN_gruBackward_##Real(const THCUNNCells *cells, cudaStream_t stream); \
  void THCUNN_lstm_##Real(const THCUNNCells *cells, cudaStream_t stream);        \
  void THCUNN_lstmBackward_##Real(const THCUNNCells *cells, cudaStream_t stream);
FOR_EACH_FLOAT(CELLS)
/* Adds rows of g to the table; gives its rows at most maxNorm; sums up bags. */
#define TABLE(Real)                                                             \
  void THCUNN_addRows_##Real(const THCUNNTable *table, cudaStream_t stream);    \
  void THCUNN_renormRows_##Real(const THCUNNTable *table, cudaStream_t stream); \
  void THCUNN_sumBags_##Real(const THCUNNTable *table, cudaStream_t stream);
FOR_EACH_FLOAT(TABLE)
/* Reports an entry out of range, by its index; those are ignored.  The output; gradients; a step of the entries'
 * columns, or 0 in them where weight is NULL. */
#define SPARSE(Real)                                                              \
  void THCUNN_sparseCheck_##Real(const THCUNNSparse *s, const THCReport *report,  \
                                 cudaStream_t stream);                            \
  void THCUNN_sparseOutput_##Real(const THCUNNSparse *s, cudaStream_t stream);    \
  void THCUNN_sparseGradients_##Real(const THCUNNSparse *s, cudaStream_t stream); \
  void THCUNN_sparseChange_##Real(const THCUNNSparse *s, cudaStream_t stream);
FOR_EACH_FLOAT(SPARSE)
/* first[j] = how many of count entries come before list j, as sizes say, and first[batch]; reports sizes that
 * are negative or too large, or sum up to another number.  y = normalized values; the output; the gradients of the
 * weights.  y += scale * the sums of g's columns.  A step of weight for each entry. */
#define KEYS(Real)                                                                                 \
  void THCUNN_keysBegin_##Real(const int64_t *sizes, int64_t batch, int64_t count, int64_t *first, \
                               const THCReport *report, cudaStream_t stream);                      \
  void THCUNN_keysNormalize_##Real(const THCUNNKeys *k, int train, cudaStream_t stream);           \
  void THCUNN_keysOutput_##Real(const THCUNNKeys *k, cudaStream_t stream);                         \
  void THCUNN_keysBias_##Real(const THCUNNKeys *k, cudaStream_t stream);                           \
  void THCUNN_keysGradients_##Real(const THCUNNKeys *k, cudaStream_t stream);                      \
  void THCUNN_keysSteps_##Real(const THCUNNKeys *k, int direct, cudaStream_t stream);
FOR_EACH_FLOAT(KEYS)
#define COLUMNS(Real)                                                                           \
  void THCUNN_im2col_##Real(const THCUNNColumns *columns, int64_t planes, cudaStream_t stream); \
  void THCUNN_col2im_##Real(const THCUNNColumns *columns, int64_t planes, cudaStream_t stream);
FOR_EACH_FLOAT(COLUMNS)
#define DIRECT(Real)                                                                      \
  void THCUNN_direct_##Real(const THCUNNDirect *direct, cudaStream_t stream);             \
  void THCUNN_directBackwardData_##Real(const THCUNNDirect *direct, cudaStream_t stream); \
  void THCUNN_directBackwardWeights_##Real(const THCUNNDirect *direct, cudaStream_t stream);
FOR_EACH_FLOAT(DIRECT)

/* Reports an element that is not from 0 to 1. */
#define UNIT(Real)                                                                          \
  void THCUNN_findOutsideUnit_##Real(const void *x, int64_t count, const THCReport *report, \
                                     cudaStream_t stream);
FOR_EACH_FLOAT(UNIT)

/* Sets the n elements of each plane of batch images to the plane's bias. */
#define FILL_PLANES(Real)                                                                   \
  void THCUNN_fillPlanes_##Real(int64_t batch, int64_t planes, int64_t n, const void *bias, \
                                void *y, cudaStream_t stream);
FOR_EACH_FLOAT(FILL_PLANES)

/* sums[plane] += scale * the sum of the n elements of this plane in all images of the batch, added up
 * in memory (sumMemory); *y = scale * the sum of count parts. */
#define SUMS(Real)                                                                              \
  void THCUNN_addPlaneSums_##Real(int64_t batch, int64_t planes, int64_t n, const void *x,      \
                                  double scale, void *sums, void *memory, cudaStream_t stream); \
  void THCUNN_addParts_##Real(const void *parts, int count, double scale, void *y,              \
                              cudaStream_t stream);
FOR_EACH_FLOAT(SUMS)

#undef POINTWISE
#undef RRELU
#undef SOFTMAX
#undef NLL
#undef MARGIN
#undef POOL
#undef POOL_KERNEL
#undef CHANNEL_DOTS
#undef GATHER
#undef GRID
#undef COLUMNS
#undef SPARSE
#undef TABLE
#undef NORMS
#undef CELLS
#undef DIRECT
#undef UNIT
#undef FILL_PLANES
#undef SUMS
#undef FOR_EACH_FLOAT

#ifdef __cplusplus
}
#endif

#endif
