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

/* The kernels of a row of src/ops/activations.h; THNN/activation/Pointwise.h lists a row's inputs. */
typedef struct THCUNNPointwise {
  THCKernel forward;   /* operands: output, inputs */
  THCKernel gradient;  /* operands: gradInput, gradOutput, inputs */
  THCKernel gradient2; /* of a gate, the gradient of w; operands: gradW, gradOutput, inputs */
  THCUNNSum sum;       /* of a loss: its sum */
} THCUNNPointwise;

/* --- windows -------------------------------------------------------------------------------- */

/* Pooling of all planes: one window for each element of the output planes.  No kernel uses all fields. */
typedef struct THCUNNPool {
  THNNWindow axis[3];
  int64_t planes;        /* number of planes */
  int64_t input, output; /* elements of an input plane and of an output plane */
  THNNDivide divide;
  int64_t base;     /* the index of the first element: 0 or 1 */
  int ofFrames;     /* planes are frames x features; indices count the frames of a window */
  int samples;      /* fractional pooling: random numbers of a plane in with[0] */
  int64_t channels; /* if not 0: with[0] and with[1] have a weight and a bias for each channel */
  int ofFeatures;   /* the channel is the column; otherwise plane % channels */
  double power; /* LP pooling: the power; backward, with[0] and with[1] are its input and output */
  const void *x, *with[2];
  void *y, *scratch;
  const int64_t *from; /* indices that are read */
  int64_t *to;         /* indices that are written */
} THCUNNPool;

/* Planes whose elements are sums over up to three axes: element k of an axis has the terms first[k]
 * ... first[k + 1] - 1, each an index of x and a weight (1 where weight is NULL). */
typedef struct THCUNNGather {
  int64_t planes;
  int64_t from[3], to[3];             /* sizes of a plane of x and of a plane of y */
  const int64_t *first[3], *index[3]; /* the terms of each axis */
  const void *weight[3];              /* weights of the terms, of the type of sums, or NULL */
  const void *x;
  void *y;
} THCUNNGather;

/* Grid sampling of batch images, with planes each, at points. */
typedef struct THCUNNGrid {
  int axes, padding; /* padding: THNN_ZEROS ... */
  int64_t batch, planes, points, in[3];
  const void *x, *grid, *g; /* input, grid and gradOutput */
  void *y, *gradInput, *gradGrid;
  void *sums; /* gradInput, or memory of as many elements if sums have another type */
} THCUNNGrid;

/* im2col, to columns of planes x taps x positions, and col2im. */
typedef struct THCUNNColumns {
  THNNWindow axis[3];
  int64_t planes;       /* planes of an image */
  int64_t imagesAtOnce; /* images whose positions follow each other in a line of columns; 0: one */
  const void *bias;     /* col2im: a bias for each plane, or NULL */
  const void *from;
  void *to;
} THCUNNColumns;

/* Direct convolutions.  The fields ...Step are strides. */
typedef struct THCUNNDirect {
  THNNWindow axis[3];
  int64_t batch, planes, outputs, groups;
  int64_t xStep[3], yStep[3]; /* strides of images, planes, positions */
  int64_t weightStep[4]; /* strides of outputs, planes of a group, taps, positions (0: shared) */
  int64_t biasStep[2];   /* forward: strides of outputs and positions; backward: 1 for planes */
  double scale;          /* factor of the gradient that is added to weight */
  const void *bias;      /* may be NULL */
  void *x, *y, *weight;  /* one of them is the result */
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

/* A lookup table, and `count` indices of its rows; a bag is a run of indices. */
typedef struct THCUNNTable {
  int64_t rows, columns, count, bags, base;
  int64_t padding; /* the index whose row gets no gradient */
  int byFrequency; /* the gradient of a row is divided by the number of times that its index occurs */
  int mode;        /* THCUNN_BAG_SUM or THCUNN_BAG_MEAN */
  double scale, maxNorm, normType;
  const int64_t *index, *offsets;
  const int64_t *givenBag;     /* the bag of each entry, or NULL */
  const int64_t *givenLengths; /* the length of each bag, or NULL */
  const void *g; /* gradients that are added to the table: a row for each index or bag */
  void *table, *y;
  int64_t *bag, *lengths; /* results */
} THCUNNTable;

/* A linear layer of keys and values; the fields are those of THNN's IndexWork. */
typedef struct THCUNNKeys {
  const int64_t *key;
  const int64_t *first; /* the first entry of each list; then the number of all entries */
  int64_t count, rows, batch, width, outputs, keysOffset;
  int extra;
  double scale, decay;
  const void *value, *bias, *g, *d;
  void *weight, *y;
} THCUNNKeys;

/* A linear layer of sparse inputs.  An entry is row, column and value.  In the legacy form an entry is column
 * and value, and each row of the batch has `each` entries. */
typedef struct THCUNNSparse {
  const void *entries;
  int64_t count, each, batch, inputs, outputs;
  int legacy;
  double scale, decay;
  const void *weight, *bias; /* updateParameters: the gradients of weight and bias */
  const void *g;             /* gradOutput */
  void *y, *dWeight, *dBias;
} THCUNNSparse;

/* --- targets -------------------------------------------------------------------------------- */

/* Reports a value out of range that is not `allowed`.  Other kernels skip such values: a target is ignored, a
 * label ends its list, rows and keys are left out, an index reads 0, lists get the keys that are left, a
 * sample counts as 0. */
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
  int p;    /* MultiMarginCriterion: the power of the terms, 1 or 2 */
  int each; /* one loss per input instead of their sum */
  double margin, factor;
  const int64_t *target;
  const void *weights; /* may be NULL */
  const void *x;
  void *isTarget; /* MultiLabelMarginCriterion: whether each class is right */
  void *loss;
  const void *g; /* backward */
  void *dx;
  void *sums; /* forward: two doubles for each part of the sum; NULL: one block */
} THCUNNMargin;

/* --- of each floating type -------------------------------------------------------------------- */

#define OF_REAL(NAME) THCUNN_##NAME##_Float
#include "thcunn_launchers.h"
#define OF_REAL(NAME) THCUNN_##NAME##_Double
#include "thcunn_launchers.h"
#define OF_REAL(NAME) THCUNN_##NAME##_Half
#include "thcunn_launchers.h"

#ifdef __cplusplus
}
#endif

#endif
