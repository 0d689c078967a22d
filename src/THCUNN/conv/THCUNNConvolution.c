/* The operations of THNN's convolutions on a device: by cuDNN where it takes them, else by im2col and gemm, for as many
 * images at a time as MOST_COLUMNS allows, and in groups by direct kernels. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THC/conv/THCDnn.h"
#include "THCUNNGemm.h"

enum { MOST_COLUMNS = 64 << 20 }; /* bytes of columns at a time */

#define LAUNCH(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

/* --- by cuDNN -------------------------------------------------------------------------------- */

#if defined(THC_REAL_IS_DOUBLE)
#define DNN_TYPE THC_DNN_DOUBLE
#elif defined(THC_REAL_IS_HALF)
#define DNN_TYPE THC_DNN_HALF
#else
#define DNN_TYPE THC_DNN_FLOAT
#endif

/* The alignment of a tensor's elements in bytes, at most 16.  It is the least of the alignments of the
 * storage and of the offset in it, so it also holds for the same offset in another aligned storage. */
static int64_t THNN_(alignmentOf)(const THCTensor *t)
{
  const uintptr_t bits =
      t->storage ? (uintptr_t)t->storage->data | (uintptr_t)t->storageOffset * sizeof(real) : 0;
  return (int64_t)((bits | 16) & -(bits | 16));
}

/* Whether cuDNN computes the pass; dnn is open then.  Operands that are copied are aligned. */
static int THNN_(openDnn)(THCDnn *dnn, const THNNConvolution *c, THCDnnPass pass,
                          const THCTensor *x, const THCTensor *weight, const THCTensor *y)
{
  const int64_t alignment = THMin(THNN_(alignmentOf)(x), THNN_(alignmentOf)(y));
  THCDnnConvolution d = {.pass = pass,
                         .type = DNN_TYPE,
                         .alignment = THMin(alignment, THNN_(alignmentOf)(weight)),
                         .batch = c->batch,
                         .groups = c->groups,
                         .planes = c->planes,
                         .outputs = c->outputs};
  for (int a = 0; a < 3; a++)
    d.at[a] = (THCDnnAxis){c->at[a].input, c->at[a].output, c->at[a].size,
                           c->at[a].step,  c->at[a].pad,    c->at[a].dilation};
  return THCDnn_open(dnn, THCUNN_using, &d);
}

/* --- in groups ------------------------------------------------------------------------------- */

static THCUNNDirect THNN_(direct)(const THNNConvolution *c, void *x, void *y, void *weight,
                                  const void *bias)
{
  THCUNNDirect d = {.batch = c->batch,
                    .planes = c->planes,
                    .outputs = c->outputs,
                    .groups = c->groups,
                    .xStep = {c->planes * c->image, c->image, 1},
                    .yStep = {c->outputs * c->positions, c->positions, 1},
                    .weightStep = {c->terms, c->taps, 1, 0},
                    .biasStep = {1, 0},
                    .x = x,
                    .y = y,
                    .weight = weight,
                    .bias = bias};
  memcpy(d.axis, c->at, sizeof d.axis);
  return d;
}

/* --- im2col and gemm ------------------------------------------------------------------------- */

typedef struct {
  const THNNConvolution *c;
  THCUNNColumns w;
  int64_t chunk; /* images that are computed at a time */
  real *columns; /* columns of a chunk; NULL for 1 x 1 kernels: the image itself is the columns */
  real *rows;    /* gradient of the weights: outputs x positions of all images of a chunk */
} THNN_(Chunks);

/* Reserves the memory for chunks.  The gradient of the weights is one product for all images of a chunk,
 * whose positions are adjacent in columns and in rows. */
static THNN_(Chunks) THNN_(openChunks)(const THNNConvolution *c, int weights, THNN_(Call) * call)
{
  THNN_(Chunks) k = {.c = c, .w = {.planes = c->planes}, .chunk = c->batch};
  memcpy(k.w.axis, c->at, sizeof k.w.axis);
  const int direct = THNNConvolution_areElements(c);
  if (c->groups > 1 || (direct && !weights))
    return k;
  const int64_t elements = c->terms * c->positions, outputs = c->outputs * c->positions;
  k.chunk = MOST_COLUMNS / (ptrdiff_t)sizeof(real) / (weights ? elements + outputs : elements);
  k.chunk = THMax(1, THMin(c->batch, k.chunk));
  if (!direct || k.chunk > 1)
    k.columns = THNN_(scratch)(call, k.chunk * elements);
  if (weights && k.chunk > 1)
    k.rows = THNN_(scratch)(call, k.chunk * outputs);
  return k;
}

static const real *THNN_(unfoldImages)(const THNN_(Chunks) * k, const real *x, int64_t images)
{
  if (!k->columns)
    return x;
  THCUNNColumns w = k->w;
  w.from = x;
  w.to = k->columns;
  w.imagesAtOnce = k->rows ? images : 1;
  LAUNCH(im2col)(&w, images * k->c->planes, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  return k->columns;
}

/* The outputs of all images in rows, by im2col of windows of one element. */
static const real *THNN_(gatherRows)(const THNN_(Chunks) * k, const real *y, int64_t images)
{
  if (!k->rows)
    return y;
  const THNNWindow one = {1, 1, 1, 1, 0, 1, THNN_SLIDES};
  THCUNNColumns w = {.axis = {one, one, one},
                     .planes = k->c->outputs,
                     .imagesAtOnce = images,
                     .from = y,
                     .to = k->rows};
  w.axis[2].input = w.axis[2].output = k->c->positions;
  LAUNCH(im2col)(&w, images * k->c->outputs, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  return k->rows;
}

static void THNN_(foldImages)(const THNN_(Chunks) * k, const real *bias, real *x, int64_t images)
{
  THCUNNColumns w = k->w;
  w.from = k->columns;
  w.bias = bias;
  w.to = x;
  LAUNCH(col2im)(&w, images * k->c->planes, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}

static void THNN_(multiplyForward)(const THNN_(Chunks) * k, const real *x, const real *weight,
                                   const real *bias, real *y)
{
  const THNNConvolution *c = k->c;
  if (bias)
    LAUNCH(fillPlanes)(c->batch, c->outputs, c->positions, bias, y, THCUNN_STREAM);
  for (int64_t i = 0; i < c->batch; i += k->chunk) {
    const int64_t images = THMin(k->chunk, c->batch - i);
    const real *from = THNN_(unfoldImages)(k, x + i * c->planes * c->image, images);
    gemmMany(THCUNN_using, 'n', 'n', c->positions, c->outputs, c->terms, THNN_ELEMENT(1), from,
             c->positions, c->terms * c->positions, weight, c->terms, 0, THNN_ELEMENT(bias ? 1 : 0),
             y + i * c->outputs * c->positions, c->positions, c->outputs * c->positions, images);
  }
}

static void THNN_(multiplyBackward)(const THNN_(Chunks) * k, const real *y, const real *weight,
                                    const real *bias, real *x)
{
  const THNNConvolution *c = k->c;
  const int adds = bias && !k->columns;
  if (adds)
    LAUNCH(fillPlanes)(c->batch, c->planes, c->image, bias, x, THCUNN_STREAM);
  for (int64_t i = 0; i < c->batch; i += k->chunk) {
    const int64_t images = THMin(k->chunk, c->batch - i);
    real *to = x + i * c->planes * c->image;
    gemmMany(THCUNN_using, 'n', 't', c->positions, c->terms, c->outputs, THNN_ELEMENT(1),
             y + i * c->outputs * c->positions, c->positions, c->outputs * c->positions, weight,
             c->terms, 0, THNN_ELEMENT(adds), k->columns ? k->columns : to, c->positions,
             c->terms * c->positions, images);
    if (k->columns)
      THNN_(foldImages)(k, bias, to, images);
  }
}

static void THNN_(multiplyWeights)(const THNN_(Chunks) * k, const real *x, const real *y,
                                   accreal scale, real *weight)
{
  const THNNConvolution *c = k->c;
  for (int64_t i = 0; i < c->batch; i += k->chunk) {
    const int64_t images = THMin(k->chunk, c->batch - i), n = images * c->positions;
    const real *from = THNN_(unfoldImages)(k, x + i * c->planes * c->image, images);
    const real *rows = THNN_(gatherRows)(k, y + i * c->outputs * c->positions, images);
    gemm(THCUNN_using, 't', 'n', c->terms, c->outputs, n, THNN_ELEMENT(scale), (real *)from, n,
         (real *)rows, n, THNN_ELEMENT(1), weight, c->terms);
  }
}

/* --- the operations -------------------------------------------------------------------------- */

/* y from x, or backward x from y. */
static void THNN_(compute)(const THNN_(Chunks) * k, int backward, real *x, real *w, real *b,
                           real *y)
{
  const THNNConvolution *c = k->c;
  if (c->groups > 1) {
    const THCUNNDirect d = THNN_(direct)(c, x, y, w, b);
    (backward ? LAUNCH(directBackwardData) : LAUNCH(direct))(&d, THCUNN_STREAM);
  } else if (backward) {
    THNN_(multiplyBackward)(k, y, w, b, x);
  } else {
    THNN_(multiplyForward)(k, x, w, b, y);
  }
}

/* Computes a pass by cuDNN, and adds the bias afterwards, because cuDNN's convolution has none. */
static void THNN_(computeByDnn)(THCDnn *dnn, const THNNConvolution *c, int backward, real *x,
                                real *w, real *b, real *y)
{
  THCDnn_run(dnn, x, w, y);
  if (b)
    LAUNCH(addToPlanes)(c->batch, backward ? c->planes : c->outputs,
                        backward ? c->image : c->positions, b, 1, backward ? x : y, THCUNN_STREAM);
}

static void THNN_(convolveEither)(const THNNConvolution *c, int backward, THCTensor *from,
                                  THCTensor *weight, THCTensor *bias, THCTensor *to)
{
  THCDnn dnn;
  const int byDnn =
      THNN_(openDnn)(&dnn, c, backward ? THC_DNN_BACKWARD_DATA : THC_DNN_FORWARD, from, weight, to);
  THNN_(Call) call;
  THNN_(begin)(&call);
  from = THNN_(source)(&call, from);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  to = THNN_(result)(&call, to, c->dims, backward ? c->xSize : c->ySize);
  THNN_(Chunks) k = {.c = c};
  if (!byDnn)
    k = THNN_(openChunks)(c, 0, &call);
  THNN_(start)(&call);
  real *x = THTensor_(data)(backward ? to : from), *y = THTensor_(data)(backward ? from : to);
  real *w = THTensor_(data)(weight), *b = bias ? THTensor_(data)(bias) : NULL;
  if (byDnn)
    THNN_(computeByDnn)(&dnn, c, backward, x, w, b, y);
  else
    THNN_(compute)(&k, backward, x, w, b, y);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  if (byDnn)
    THCDnn_close(&dnn);
}

void THNN_(convolve)(const THNNConvolution *c, THCTensor *x, THCTensor *weight, THCTensor *bias,
                     THCTensor *y)
{
  THNN_(convolveEither)(c, 0, x, weight, bias, y);
}

void THNN_(convolveBackwardData)(const THNNConvolution *c, THCTensor *y, THCTensor *weight,
                                 THCTensor *bias, THCTensor *x)
{
  THNN_(convolveEither)(c, 1, y, weight, bias, x);
}

/* gradWeight += scale * products of x and y; fresh is memory for cuDNN's products, or NULL. */
static void THNN_(computeWeights)(const THNN_(Chunks) * k, THCDnn *dnn, real *fresh, real *x,
                                  real *y, accreal scale, real *gradWeight)
{
  const THNNConvolution *c = k->c;
  if (fresh) {
    THCDnn_run(dnn, x, fresh, y);
    LAUNCH(addToPlanes)(1, c->outputs * c->terms, 1, fresh, scale, gradWeight, THCUNN_STREAM);
  } else if (c->groups > 1) {
    THCUNNDirect d = THNN_(direct)(c, x, y, gradWeight, NULL);
    d.scale = scale;
    LAUNCH(directBackwardWeights)(&d, THCUNN_STREAM);
  } else {
    THNN_(multiplyWeights)(k, x, y, scale, gradWeight);
  }
}

void THNN_(convolveBackwardWeights)(const THNNConvolution *c, THCTensor *x, THCTensor *y,
                                    THCTensor *gradWeight, THCTensor *gradBias, int biasOfX,
                                    accreal scale)
{
  THNN_(Chunks) k = {.c = c};
  THCDnn dnn;
  const int byDnn =
      gradWeight && THNN_(openDnn)(&dnn, c, THC_DNN_BACKWARD_WEIGHTS, x, gradWeight, y);
  real *fresh = NULL;
  THNN_(Call) call;
  THNN_(begin)(&call);
  x = THNN_(source)(&call, x);
  y = THNN_(source)(&call, y);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  if (byDnn)
    fresh = THNN_(scratch)(&call, c->outputs * c->terms);
  else if (gradWeight)
    k = THNN_(openChunks)(c, 1, &call);
  const int64_t planes = biasOfX ? c->planes : c->outputs, n = biasOfX ? c->image : c->positions;
  void *sums = gradBias ? THNN_(sumMemory)(&call, planes, c->batch * n) : NULL;
  THNN_(start)(&call);
  if (gradWeight)
    THNN_(computeWeights)(&k, &dnn, fresh, THTensor_(data)(x), THTensor_(data)(y), scale,
                          THTensor_(data)(gradWeight));
  if (gradBias)
    LAUNCH(addPlaneSums)(c->batch, planes, n, THTensor_(data)(biasOfX ? x : y), scale,
                         THTensor_(data)(gradBias), sums, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  if (byDnn)
    THCDnn_close(&dnn);
}

/* --- columns as such ------------------------------------------------------------------------- */

void THNN_(eachPlane)(THNN_(ImageColumns) * w, THCTensor *image, THCTensor *columns)
{
  THCUNNColumns c = {.planes = w->planes,
                     .from = THTensor_(data)(w->fold ? columns : image),
                     .to = THTensor_(data)(w->fold ? image : columns)};
  memcpy(c.axis, w->at, sizeof c.axis);
  (w->fold ? LAUNCH(col2im) : LAUNCH(im2col))(&c, w->batch * w->planes, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}
