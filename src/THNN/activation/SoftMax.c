/* SoftMax and LogSoftMax over any dimension. */
#include "TH/loop/THPlan.h"
#include "THKernel.h"
#include "TH/loop/THStream.h"

#include "THNN/layer/Template.h"

TH_DISPATCH(THNN_(SoftMaxKernels), THNN_(softMax))

/* A contiguous tensor as outer x count x inner, with sequences along count; inner is cut into
 * blocks of lanes. */
typedef struct {
  const THNN_(SoftMaxKernels) * kernels;
  const real *g, *x; /* g is NULL forward */
  real *y;
  ptrdiff_t count, inner, blocks; /* blocks: for each of outer; for short rows, outer */
  int streams;
} THNN_(SoftMaxWork);

static void THNN_(softMaxBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SoftMaxWork) *w = context;
  const ptrdiff_t rows = w->inner == 1 ? end - begin : 1; /* rows, each of one block */
  for (ptrdiff_t i = begin; i < end; i += rows) {
    const ptrdiff_t lane = i % w->blocks * THNN_SOFT_MAX_LANES;
    const ptrdiff_t at = i / w->blocks * w->count * w->inner + lane;
    const ptrdiff_t lanes = w->inner == 1 ? rows : THMin(THNN_SOFT_MAX_LANES, w->inner - lane);
    if (w->g)
      w->kernels->gradient(w->count, w->inner, lanes, w->g + at, w->x + at, w->y + at);
    else
      w->kernels->forward(w->count, w->inner, lanes, w->x + at, w->y + at, w->streams);
  }
  if (w->streams)
    THStream_finish();
}

/* Rows of up to SHORT_ROW elements would not fill vectors: blocks of rows are transposed
 * instead. */
enum { SHORT_ROW = 8 };

static void THNN_(softMaxShortRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SoftMaxWork) *w = context;
  enum { LANES = THNN_SOFT_MAX_LANES };
  real x[SHORT_ROW * LANES], y[SHORT_ROW * LANES];
  const ptrdiff_t n = w->count;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t at = i * LANES * n, rows = THMin(LANES, w->blocks - i * LANES);
    for (ptrdiff_t r = 0; r < rows; r++)
      for (ptrdiff_t k = 0; k < n; k++)
        x[k * LANES + r] = w->x[at + r * n + k];
    w->kernels->forward(n, LANES, rows, x, y, 0);
    for (ptrdiff_t r = 0; r < rows; r++)
      for (ptrdiff_t k = 0; k < n; k++)
        w->y[at + r * n + k] = y[k * LANES + r];
  }
}

/* y from x; or, backward, the gradient y from the output x and its gradient g. */
static void THNN_(softMaxRun)(int log, THTensor *g, THTensor *x, THTensor *y, int64_t dim)
{
  THNN_(SoftMaxWork)
  w = {.kernels = &TH_DISPATCHED(THNN_(softMax))[log], .count = x->size[dim], .inner = 1};
  ptrdiff_t outer = 1;
  for (int64_t d = 0; d < dim; d++)
    outer *= x->size[d];
  for (int64_t d = dim + 1; d < x->nDimension; d++)
    w.inner *= x->size[d];
  w.blocks = (w.inner + THNN_SOFT_MAX_LANES - 1) / THNN_SOFT_MAX_LANES;

  THNN_(Call) call;
  THNN_(begin)(&call);
  x = THNN_(source)(&call, x);
  g = THNN_(source)(&call, g);
  y = THNN_(result)(&call, y, x->nDimension, x->size);
  THNN_(start)(&call);
  w.g = g ? THTensor_(data)(g) : NULL;
  w.x = THTensor_(data)(x);
  w.y = THTensor_(data)(y);
  const ptrdiff_t row = w.count * (ptrdiff_t)sizeof(real);
  w.streams = !g && w.inner == 1 && row >= TH_STREAM_BLOCK && outer * row >= THPlan_streamBytes();
  const ptrdiff_t lanes = THNN_SOFT_MAX_LANES;
  if (!g && w.inner == 1 && w.count <= SHORT_ROW && outer > SHORT_ROW) {
    w.blocks = outer;
    THParallel_for((outer + lanes - 1) / lanes, THMax(1, TH_LOOP_GRAIN / 8 / (w.count * lanes)),
                   THNN_(softMaxShortRows), &w);
  } else {
    const ptrdiff_t work = w.count * THMin(w.inner, lanes);
    THParallel_for(outer * w.blocks, THMax(1, TH_LOOP_GRAIN / 8 / work), THNN_(softMaxBlocks), &w);
  }
  THNN_(finish)(&call);
}

static void THNN_(softMaxCheck)(THTensor *tensor, int64_t dim, int arg)
{
  THArgCheck(dim >= 0 && dim < tensor->nDimension, arg,
             "dimension %lld is out of range of a tensor of size %s",
             (long long)dim + TH_INDEX_BASE, THTensor_(sizeDesc)(tensor).str);
}

void THNN_(SoftMax_updateOutput)(THNNState *state, THTensor *input, THTensor *output, int64_t dim)
{
  THNN_(softMaxCheck)(input, dim, 4);
  THNN_(softMaxRun)(0, NULL, input, output, dim);
}

void THNN_(SoftMax_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                    THTensor *gradInput, THTensor *output, int64_t dim)
{
  THNN_CHECK_SHAPE(output, gradOutput);
  THNN_(softMaxCheck)(output, dim, 6);
  THNN_(softMaxRun)(0, gradOutput, output, gradInput, dim);
}

void THNN_(LogSoftMax_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                    int64_t dim)
{
  THNN_(softMaxCheck)(input, dim, 4);
  THNN_(softMaxRun)(1, NULL, input, output, dim);
}

void THNN_(LogSoftMax_updateGradInput)(THNNState *state, THTensor *input, THTensor *gradOutput,
                                       THTensor *gradInput, THTensor *output, int64_t dim)
{
  THNN_CHECK_SHAPE(output, gradOutput);
  THNN_(softMaxCheck)(output, dim, 6);
  THNN_(softMaxRun)(1, gradOutput, output, gradInput, dim);
}
