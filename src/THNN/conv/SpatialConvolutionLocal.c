/* SpatialConvolutionLocal, whose weights differ from position to position.  Each position has a product of
 * matrices: the windows of some images times the weights of the position. */
#include "THNN/layer/Template.h"

/* Checks the operands.  sizes: the caller's inputWidth, inputHeight, outputWidth and outputHeight. */
static THNN_(Local) THNN_(localOf)(THTensor *input, THTensor *gradOutput, THTensor *weight,
                                   THTensor *bias, THNNLayer layer, const int64_t *sizes)
{
  THNN_(Local) l = {.c = THNN_(convolutionOf)(layer, input, NULL, NULL, NULL)};
  THNNConvolution *c = &l.c;
  const int batched = c->dims == 4;
  const THNNWindow *h = &c->at[1], *w = &c->at[2];
  if (sizes[0] != w->input || sizes[1] != h->input || sizes[2] != w->output ||
      sizes[3] != h->output)
    THError("input of size %s makes %lld x %lld windows, and not from %lld x %lld %lld x %lld",
            THTensor_(sizeDesc)(input).str, (long long)h->output, (long long)w->output,
            (long long)sizes[1], (long long)sizes[0], (long long)sizes[3], (long long)sizes[2]);
  if (weight) {
    const int64_t *s = weight->size;
    const int flat = weight->nDimension == 3 && s[0] == c->positions && s[2] == c->terms;
    if (!flat && !(weight->nDimension == 6 && s[0] == h->output && s[1] == w->output &&
                   s[3] == c->planes && s[4] == h->size && s[5] == w->size))
      THError(
          "weight has size %s, which does not fit input of size %s, %lld x %lld windows of "
          "%lld x %lld",
          THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str, (long long)h->output,
          (long long)w->output, (long long)h->size, (long long)w->size);
    c->outputs = flat ? s[1] : s[2];
  } else {
    c->outputs = gradOutput->nDimension == c->dims ? gradOutput->size[batched] : 0;
  }
  c->ySize[batched] = c->outputs;
  THNNConvolution_complete(c);
  const int64_t *ySize = c->ySize + batched;
  if (bias &&
      !(THTensor_(nElement)(bias) == c->outputs * c->positions &&
        (bias->nDimension != 3 || THSize_isSameSizeAs(bias->size, bias->nDimension, ySize, 3))))
    THError("bias has size %s, which does not fit output of %s", THTensor_(sizeDesc)(bias).str,
            _THSizeDesc(ySize, 3).str);
  if (gradOutput &&
      !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, c->ySize, c->dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(c->ySize, c->dims).str);

  l.imagesAtOnce = THMax(1, THMin(c->batch, c->positions));
  l.chunk = (c->planes + 7) / 8;
  l.buffer = l.imagesAtOnce * (c->terms + c->outputs);
  return l;
}

#ifndef TH_TEMPLATE_DEVICE /* THCUNN has kernels instead */

static void THNN_(localScratch)(THNN_(Local) * l, THNN_(Call) * call, ptrdiff_t items)
{
  l->threads = THParallel_threads(items, 1);
  l->scratch = THNN_(scratch)(call, l->threads * l->buffer);
}

/* The taps [first, end) along dimension w that are in the image at position p. */
static void THNN_(within)(const THNNWindow *w, ptrdiff_t p, ptrdiff_t *first, ptrdiff_t *end)
{
  const ptrdiff_t from = p * w->step - w->pad;
  *first = THMin(THMax(0, -from), w->size);
  *end = THMax(*first, THMin(w->size, w->input - from));
}

/* Copies the window of position p from some planes of an image, with zeros for the padding. */
static void THNN_(gather)(const THNNConvolution *c, const real *x, ptrdiff_t planes, ptrdiff_t p,
                          real *window)
{
  const THNNWindow *h = &c->at[1], *w = &c->at[2];
  const ptrdiff_t row = p / w->output, column = p % w->output;
  ptrdiff_t top, bottom, left, right;
  THNN_(within)(h, row, &top, &bottom);
  THNN_(within)(w, column, &left, &right);
  if (top > 0 || left > 0 || bottom < h->size || right < w->size)
    memset(window, 0, (size_t)(planes * c->taps) * sizeof *window);
  for (ptrdiff_t plane = 0; plane < planes; plane++, window += c->taps, x += c->image)
    for (ptrdiff_t i = top; i < bottom; i++) {
      const real *from = x + (row * h->step - h->pad + i) * w->input + column * w->step - w->pad;
      for (ptrdiff_t j = left; j < right; j++)
        window[i * w->size + j] = from[j];
    }
}

/* Adds a window to position p of some planes of an image. */
static void THNN_(addWindow)(const THNNConvolution *c, const real *window, ptrdiff_t planes,
                             ptrdiff_t p, real *x)
{
  const THNNWindow *h = &c->at[1], *w = &c->at[2];
  const ptrdiff_t row = p / w->output, column = p % w->output;
  ptrdiff_t top, bottom, left, right;
  THNN_(within)(h, row, &top, &bottom);
  THNN_(within)(w, column, &left, &right);
  for (ptrdiff_t plane = 0; plane < planes; plane++, window += c->taps, x += c->image)
    for (ptrdiff_t i = top; i < bottom; i++) {
      real *to = x + (row * h->step - h->pad + i) * w->input + column * w->step - w->pad;
      for (ptrdiff_t j = left; j < right; j++)
        to[j] += window[i * w->size + j];
    }
}

/* Gathers the elements of y at position p, of some images from `first` on. */
static void THNN_(gatherOutputs)(const THNN_(Local) * l, ptrdiff_t first, ptrdiff_t images,
                                 ptrdiff_t p, real *outputs)
{
  const real *y = l->y + first * l->c.outputs * l->c.positions + p;
  for (ptrdiff_t k = 0; k < images * l->c.outputs; k++)
    outputs[k] = y[k * l->c.positions];
}

static void THNN_(localPositions)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Local) *l = context;
  const THNNConvolution *c = &l->c;
  real *windows = THNN_(ofThread)(l->scratch, l->buffer, l->threads);
  real *outputs = windows + l->imagesAtOnce * c->terms;
  for (ptrdiff_t p = begin; p < end; p++)
    for (ptrdiff_t first = 0; first < c->batch; first += l->imagesAtOnce) {
      const ptrdiff_t images = THMin(l->imagesAtOnce, c->batch - first);
      for (ptrdiff_t k = 0; k < images; k++)
        THNN_(gather)(c, l->x + (first + k) * c->planes * c->image, c->planes, p,
                      windows + k * c->terms);
      THBlas_(gemm)('t', 'n', c->outputs, images, c->terms, 1,
                    l->weight + p * c->outputs * c->terms, c->terms, windows, c->terms, 0, outputs,
                    c->outputs);
      real *y = l->y + first * c->outputs * c->positions + p;
      for (ptrdiff_t k = 0; k < images; k++)
        for (ptrdiff_t o = 0; o < c->outputs; o++)
          y[(k * c->outputs + o) * c->positions] =
              outputs[k * c->outputs + o] + (l->bias ? l->bias[o * c->positions + p] : 0);
    }
}

/* Computes the gradient of some planes of x, position by position. */
static void THNN_(localPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Local) *l = context;
  const THNNConvolution *c = &l->c;
  real *windows = THNN_(ofThread)(l->scratch, l->buffer, l->threads);
  real *outputs = windows + l->imagesAtOnce * c->terms;
  for (ptrdiff_t chunk = begin; chunk < end; chunk++) {
    const ptrdiff_t plane = chunk * l->chunk, planes = THMin(l->chunk, c->planes - plane);
    for (int64_t i = 0; i < c->batch; i++)
      memset(l->x + (i * c->planes + plane) * c->image, 0,
             (size_t)(planes * c->image) * sizeof(real));
    for (ptrdiff_t p = 0; p < c->positions; p++)
      for (ptrdiff_t first = 0; first < c->batch; first += l->imagesAtOnce) {
        const ptrdiff_t images = THMin(l->imagesAtOnce, c->batch - first), terms = planes * c->taps;
        THNN_(gatherOutputs)(l, first, images, p, outputs);
        THBlas_(gemm)('n', 'n', terms, images, c->outputs, 1,
                      l->weight + p * c->outputs * c->terms + plane * c->taps, c->terms, outputs,
                      c->outputs, 0, windows, terms);
        for (ptrdiff_t k = 0; k < images; k++)
          THNN_(addWindow)(c, windows + k * terms, planes, p,
                           l->x + ((first + k) * c->planes + plane) * c->image);
      }
  }
}

static void THNN_(localWeights)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Local) *l = context;
  const THNNConvolution *c = &l->c;
  real *windows = THNN_(ofThread)(l->scratch, l->buffer, l->threads);
  real *outputs = windows + l->imagesAtOnce * c->terms;
  for (ptrdiff_t p = begin; p < end; p++) {
    for (ptrdiff_t first = 0; first < c->batch && l->weight; first += l->imagesAtOnce) {
      const ptrdiff_t images = THMin(l->imagesAtOnce, c->batch - first);
      for (ptrdiff_t k = 0; k < images; k++)
        THNN_(gather)(c, l->x + (first + k) * c->planes * c->image, c->planes, p,
                      windows + k * c->terms);
      THNN_(gatherOutputs)(l, first, images, p, outputs);
      THBlas_(gemm)('n', 't', c->terms, c->outputs, images, (real)l->scale, windows, c->terms,
                    outputs, c->outputs, 1, l->weight + p * c->outputs * c->terms, c->terms);
    }
    for (ptrdiff_t o = 0; o < c->outputs && l->bias; o++) {
      accreal sum = 0;
      for (int64_t i = 0; i < c->batch; i++)
        sum += (accreal)l->y[(i * c->outputs + o) * c->positions + p];
      real *to = l->bias + o * c->positions + p;
      *to = (real)(*to + l->scale * sum);
    }
  }
}

void THNN_(prepareLocal)(THNN_(Local) * l, THNNPass pass, THNN_(Call) * call)
{
  l->items = pass == THNN_BACKWARD_DATA ? (l->c.planes + l->chunk - 1) / l->chunk : l->c.positions;
  THNN_(localScratch)(l, call, l->items);
  THNN_(needBlas)();
}

void THNN_(runLocal)(THNN_(Local) * l, THNNPass pass)
{
  THParallel_for(l->items, 1,
                 pass == THNN_FORWARD         ? THNN_(localPositions)
                 : pass == THNN_BACKWARD_DATA ? THNN_(localPlanes)
                                              : THNN_(localWeights),
                 l);
}

#endif

#define LAYER THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1)
#define SIZES ((const int64_t[]){inputWidth, inputHeight, outputWidth, outputHeight})

void THNN_(SpatialConvolutionLocal_updateOutput)(THNNState *state, THTensor *input,
                                                 THTensor *output, THTensor *weight, THTensor *bias,
                                                 THTensor *finput, THTensor *fgradInput, int kW,
                                                 int kH, int dW, int dH, int padW, int padH,
                                                 int64_t inputWidth, int64_t inputHeight,
                                                 int64_t outputWidth, int64_t outputHeight)
{
  THNN_ENTER(state, input, output, weight, bias, finput, fgradInput);
  THNN_(Local) l = THNN_(localOf)(input, NULL, weight, bias, LAYER, SIZES);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  THTensor *out = THNN_(result)(&call, output, l.c.dims, l.c.ySize);
  THNN_(prepareLocal)(&l, THNN_FORWARD, &call);
  THNN_(start)(&call);
  l.x = THTensor_(data)(input);
  l.weight = THTensor_(data)(weight);
  l.bias = bias ? THTensor_(data)(bias) : NULL;
  l.y = THTensor_(data)(out);
  THNN_(runLocal)(&l, THNN_FORWARD);
  THNN_(finish)(&call);
}

void THNN_(SpatialConvolutionLocal_updateGradInput)(THNNState *state, THTensor *input,
                                                    THTensor *gradOutput, THTensor *gradInput,
                                                    THTensor *weight, THTensor *finput,
                                                    THTensor *fgradInput, int kW, int kH, int dW,
                                                    int dH, int padW, int padH, int64_t inputWidth,
                                                    int64_t inputHeight, int64_t outputWidth,
                                                    int64_t outputHeight)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight, finput, fgradInput);
  THNN_(Local) l = THNN_(localOf)(input, gradOutput, weight, NULL, LAYER, SIZES);
  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = THNN_(source)(&call, weight);
  THTensor *grad = THNN_(result)(&call, gradInput, l.c.dims, l.c.xSize);
  THNN_(prepareLocal)(&l, THNN_BACKWARD_DATA, &call);
  THNN_(start)(&call);
  l.y = THTensor_(data)(gradOutput);
  l.weight = THTensor_(data)(weight);
  l.x = THTensor_(data)(grad);
  THNN_(runLocal)(&l, THNN_BACKWARD_DATA);
  THNN_(finish)(&call);
}

void THNN_(SpatialConvolutionLocal_accGradParameters)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradWeight,
                                                      THTensor *gradBias, THTensor *finput,
                                                      THTensor *fgradInput, int kW, int kH, int dW,
                                                      int dH, int padW, int padH,
                                                      int64_t inputWidth, int64_t inputHeight,
                                                      int64_t outputWidth, int64_t outputHeight,
                                                      accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias, finput, fgradInput);
  THNN_(Local) l = THNN_(localOf)(input, gradOutput, gradWeight, gradBias, LAYER, SIZES);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(prepareLocal)(&l, THNN_BACKWARD_WEIGHTS, &call);
  if (gradBias)
    l.sums = THNN_(sumMemory)(&call, l.c.outputs * l.c.positions, l.c.batch);
  THNN_(start)(&call);
  l.x = THTensor_(data)(input);
  l.y = THTensor_(data)(gradOutput);
  l.weight = gradWeight ? THTensor_(data)(gradWeight) : NULL;
  l.bias = gradBias ? THTensor_(data)(gradBias) : NULL;
  l.scale = scale;
  THNN_(runLocal)(&l, THNN_BACKWARD_WEIGHTS);
  THNN_(finish)(&call);
}
