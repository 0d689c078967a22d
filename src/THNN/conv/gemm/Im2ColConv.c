/* The algorithm im2col: BLAS multiplies the weights with the columns that im2col writes. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

TH_DISPATCH(THNN_(Im2ColKernels), THNN_(im2col))

int THNN_(supportsIm2Col)(const THNNConvolution *c, THNNPass pass)
{
  return !c->channelsLast;
}

double THNN_(costOfIm2Col)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan)
{
  return THNN_ALWAYS;
}

/* A call of the algorithm im2col. */
typedef struct {
  const THNNConvolution *c;
  real *x, *y, *weight, *bias;
  real *columns; /* columns of an image for each thread; NULL if x itself is the columns */
  int threads;
  ptrdiff_t chunk; /* planes of x whose weights' gradients are computed together */
  real scale;
} THNN_(Columns);

static void THNN_(unfoldPlanes)(const THNNConvolution *c, const real *x, ptrdiff_t planes,
                                real *columns)
{
  for (ptrdiff_t p = 0; p < planes; p++)
    TH_DISPATCHED(THNN_(im2col))
        ->unfold(c->at, x + p * c->image, columns + p * c->taps * c->positions);
}

static void THNN_(columnImages)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Columns) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t group = i % c->groups;
    real *x = w->x + i * planes * c->image, *y = w->y + i * outputs * c->positions;
    real *columns = x;
    if (w->columns) {
      columns = THNN_(ofThread)(w->columns, c->terms * c->positions, w->threads);
      THNN_(unfoldPlanes)(c, x, planes, columns);
    }
    if (w->bias)
      THNN_(fillPlanes)(y, outputs, c->positions, w->bias + group * outputs);
    THBlas_(gemm)('n', 'n', c->positions, outputs, c->terms, 1, columns, c->positions,
                  w->weight + group * outputs * c->terms, c->terms, w->bias ? 1 : 0, y,
                  c->positions);
  }
}

static void THNN_(columnImagesBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Columns) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t group = i % c->groups;
    real *x = w->x + i * planes * c->image, *y = w->y + i * outputs * c->positions;
    real *columns =
        w->columns ? THNN_(ofThread)(w->columns, c->terms * c->positions, w->threads) : x;
    const real *bias = w->bias ? w->bias + group * planes : NULL;
    if (w->columns || bias)
      THNN_(fillPlanes)(x, planes, c->image, bias);
    THBlas_(gemm)('n', 't', c->positions, c->terms, outputs, 1, y, c->positions,
                  w->weight + group * outputs * c->terms, c->terms, !w->columns && bias ? 1 : 0,
                  columns, c->positions);
    if (w->columns)
      for (ptrdiff_t p = 0; p < planes; p++)
        TH_DISPATCHED(THNN_(im2col))
            ->fold(c->at, columns + p * c->taps * c->positions, x + p * c->image);
  }
}

/* Computes the gradient of the weights for chunks of planes of a group.  The sums do not depend on the
 * number of threads. */
static void THNN_(columnChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Columns) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  const ptrdiff_t chunks = (planes + w->chunk - 1) / w->chunk;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t group = i / chunks, first = i % chunks * w->chunk;
    const ptrdiff_t count = THMin(w->chunk, planes - first);
    real *sums = w->weight + group * outputs * c->terms + first * c->taps;
    for (int64_t image = 0; image < c->batch; image++) {
      real *x = w->x + ((image * c->groups + group) * planes + first) * c->image;
      real *y = w->y + (image * c->groups + group) * outputs * c->positions, *columns = x;
      if (w->columns) {
        columns = THNN_(ofThread)(w->columns, w->chunk * c->taps * c->positions, w->threads);
        THNN_(unfoldPlanes)(c, x, count, columns);
      }
      THBlas_(gemm)('t', 'n', count * c->taps, outputs, c->positions, w->scale, columns,
                    c->positions, y, c->positions, 1, sums, c->terms);
    }
  }
}

void THNN_(convolveByIm2Col)(const THNNConvolution *c, int backward, THTensor *from,
                             THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  const ptrdiff_t items = c->batch * c->groups;
  THNN_(Columns) w = {.c = c, .threads = THParallel_threads(items, 1)};
  if (!THNNConvolution_areElements(c))
    w.columns = THNN_(scratch)(&call, w.threads * c->terms * c->positions);
  THNN_(needBlas)();
  THNN_(start)(&call);
  w.x = THTensor_(data)(backward ? to : from);
  w.y = THTensor_(data)(backward ? from : to);
  w.weight = THTensor_(data)(weight);
  w.bias = bias ? THTensor_(data)(bias) : NULL;
  THParallel_for(items, 1, backward ? THNN_(columnImagesBackward) : THNN_(columnImages), &w);
  THNN_(finish)(&call);
}

void THNN_(weightsByIm2Col)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  const ptrdiff_t planes = c->planes / c->groups;
  THNN_(Columns) w = {.c = c, .chunk = THMax((planes + 7) / 8, THMin(planes, 16))};
  const ptrdiff_t chunks = c->groups * ((planes + w.chunk - 1) / w.chunk);
  w.threads = THParallel_threads(chunks, 1);
  if (!THNNConvolution_areElements(c))
    w.columns = THNN_(scratch)(&g->call, w.threads * w.chunk * c->taps * c->positions);
  THNN_(needBlas)();
  THNN_(start)(&g->call);
  w.x = THTensor_(data)(g->x);
  w.y = THTensor_(data)(g->y);
  w.weight = THTensor_(data)(g->gradWeight);
  w.scale = (real)g->scale;
  THParallel_for(chunks, 1, THNN_(columnChunks), &w);
}
