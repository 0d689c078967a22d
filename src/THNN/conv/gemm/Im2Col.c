/* The layers Im2Col and Col2Im, which are each other's gradients, and Torch's functions for one image.
 * The convolution algorithm im2col is in Im2ColConv.c. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

/* Describes im2col or col2im of images of height image[0] and width image[1]; text shows the image in
 * errors. */
static THNN_(ImageColumns)
    THNN_(columnsOf)(int64_t batch, int batched, int64_t planes, const int64_t *image,
                     const THNNLayer *windows, const char *text)
{
  THNNLayer layer = *windows;
  THNNLayer_count(&layer, image, text);
  THNNConvolution c = {.batch = batch, .groups = 1, .planes = planes, .outputs = 1};
  memcpy(c.at, layer.at, sizeof c.at);
  THNNConvolution_complete(&c);
  THNN_(ImageColumns)
  w = {.batch = batch,
       .planes = planes,
       .image = c.image,
       .columns = c.taps * c.positions,
       .dims = 2 + batched};
  memcpy(w.at, layer.at, sizeof w.at);
  w.columnSize[0] = w.imageSize[0] = batch;
  w.columnSize[batched] = c.terms;
  w.columnSize[batched + 1] = c.positions;
  w.imageSize[batched] = planes;
  w.imageSize[batched + 1] = image[0];
  w.imageSize[batched + 2] = image[1];
  return w;
}

static THNN_(ImageColumns) THNN_(columnsOfImages)(THTensor *input, const THNNLayer *windows)
{
  const int batched = input->nDimension == 4;
  THArgCheck(batched || input->nDimension == 3, 2,
             "input has size %s, and has to be planes x height x width, or a batch of that",
             THTensor_(sizeDesc)(input).str);
  return THNN_(columnsOf)(batched ? input->size[0] : 1, batched, input->size[batched],
                          input->size + batched + 1, windows, THTensor_(sizeDesc)(input).str);
}

/* Checks that columns can be the columns of images of height x width, and describes col2im; name is the
 * argument's name in errors. */
static THNN_(ImageColumns) THNN_(columnsOfColumns)(THTensor *columns, int height, int width,
                                                   const THNNLayer *windows, const char *name)
{
  const int batched = columns->nDimension == 3;
  const int64_t image[2] = {height, width};
  THArgCheck(batched || columns->nDimension == 2, 2,
             "%s has size %s, and has to be (planes * kH * kW) x windows, or a batch of that", name,
             THTensor_(sizeDesc)(columns).str);
  THArgCheck(height > 0 && width > 0, 4, "an image of %d x %d has no elements", height, width);
  const THDescBuff text = _THSizeDesc(image, 2);
  THNNLayer layer = *windows;
  THNNLayer_count(&layer, image, text.str);
  const int64_t taps = layer.at[1].size * layer.at[2].size, terms = columns->size[batched];
  const THNN_(ImageColumns) w = THNN_(columnsOf)(batched ? columns->size[0] : 1, batched,
                                                 terms / taps, image, windows, text.str);
  THArgCheck(terms % taps == 0 && w.columnSize[batched + 1] == columns->size[batched + 1], 2,
             "%s has size %s, for images of %d x %d and windows of %lld x %lld it has to be "
             "(planes "
             "* %lld) x %lld",
             name, THTensor_(sizeDesc)(columns).str, height, width, (long long)layer.at[1].size,
             (long long)layer.at[2].size, (long long)taps, (long long)w.columnSize[batched + 1]);
  return w;
}

#ifndef TH_TEMPLATE_DEVICE /* THCUNN has its own eachPlane */
static void THNN_(planesOfColumns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(ImageColumns) *w = context;
  for (ptrdiff_t p = begin; p < end; p++) {
    real *x = w->x + p * w->image, *columns = w->unfolded + p * w->columns;
    if (w->fold)
      TH_DISPATCHED(THNN_(im2col))->fold(w->at, columns, x);
    else
      TH_DISPATCHED(THNN_(im2col))->unfold(w->at, x, columns);
  }
}

void THNN_(eachPlane)(THNN_(ImageColumns) * w, THTensor *image, THTensor *columns)
{
  w->x = THTensor_(data)(image);
  w->unfolded = THTensor_(data)(columns);
  if (w->fold && w->zero)
    memset(w->x, 0, (size_t)(w->batch * w->planes * w->image) * sizeof(real));
  THParallel_for(w->batch * w->planes, THMax(1, TH_LOOP_GRAIN / THMax(1, w->columns)),
                 THNN_(planesOfColumns), w);
}
#endif

static void THNN_(imagesToColumns)(THNN_(ImageColumns) w, THTensor *images, THTensor *columns)
{
  THNN_(Call) call;
  THNN_(begin)(&call);
  images = THNN_(source)(&call, images);
  columns = THNN_(result)(&call, columns, w.dims, w.columnSize);
  THNN_(start)(&call);
  THNN_(eachPlane)(&w, images, columns);
  THNN_(finish)(&call);
}

static void THNN_(columnsToImages)(THNN_(ImageColumns) w, THTensor *columns, THTensor *images)
{
  THNN_(Call) call;
  THNN_(begin)(&call);
  columns = THNN_(source)(&call, columns);
  images = THNN_(result)(&call, images, w.dims + 1, w.imageSize);
  THNN_(start)(&call);
  w.fold = w.zero = 1;
  THNN_(eachPlane)(&w, images, columns);
  THNN_(finish)(&call);
}

void THNN_(Im2Col_updateOutput)(THNNState *state, THTensor *input, THTensor *output, int kH, int kW,
                                int dH, int dW, int padH, int padW, int sH, int sW)
{
  THNN_ENTER(state, input, output);
  const THNNLayer layer = THNNLayer_spatial(kW, kH, sW, sH, padW, padH, dW, dH);
  THNN_(imagesToColumns)(THNN_(columnsOfImages)(input, &layer), input, output);
}

void THNN_(Im2Col_updateGradInput)(THNNState *state, THTensor *gradOutput, THTensor *gradInput,
                                   int inputHeight, int inputWidth, int kH, int kW, int dH, int dW,
                                   int padH, int padW, int sH, int sW)
{
  THNN_ENTER(state, gradOutput, gradInput);
  const THNNLayer layer = THNNLayer_spatial(kW, kH, sW, sH, padW, padH, dW, dH);
  THNN_(columnsToImages)(THNN_(columnsOfColumns)(gradOutput, inputHeight, inputWidth, &layer,
                                                 "gradOutput"),
                         gradOutput, gradInput);
}

void THNN_(Col2Im_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                int outputHeight, int outputWidth, int kH, int kW, int dH, int dW,
                                int padH, int padW, int sH, int sW)
{
  THNN_ENTER(state, input, output);
  const THNNLayer layer = THNNLayer_spatial(kW, kH, sW, sH, padW, padH, dW, dH);
  THNN_(columnsToImages)(THNN_(columnsOfColumns)(input, outputHeight, outputWidth, &layer, "input"),
                         input, output);
}

void THNN_(Col2Im_updateGradInput)(THNNState *state, THTensor *gradOutput, THTensor *gradInput,
                                   int kH, int kW, int dH, int dW, int padH, int padW, int sH,
                                   int sW)
{
  THNN_ENTER(state, gradOutput, gradInput);
  const THNNLayer layer = THNNLayer_spatial(kW, kH, sW, sH, padW, padH, dW, dH);
  THNN_(imagesToColumns)(THNN_(columnsOfImages)(gradOutput, &layer), gradOutput, gradInput);
}

#ifndef TH_TEMPLATE_DEVICE

/* --- one image ------------------------------------------------------------------------------- */

/* Describes im2col or col2im of one image.  rows x columns is the caller's number of windows; elements
 * of windows beyond the image are padding. */
static THNN_(ImageColumns)
    THNN_(columnsOfOne)(THTensor *finput, THTensor *input, THNNLayer layer, int planes, int width,
                        int height, int columns, int rows)
{
  const int64_t image[2] = {height, width};
  THArgCheck(planes > 0 && width > 0 && height > 0, 9, "an image of %d x %d x %d has no elements",
             planes, height, width);
  THArgCheck(columns > 0 && rows > 0, 12, "%d x %d windows are none", rows, columns);
  for (int d = 1; d < 3; d++)
    THNNWindow_check(&layer.at[d], d == 1 ? "H" : "W");
  THNNConvolution c = {.batch = 1, .groups = 1, .planes = planes, .outputs = 1};
  memcpy(c.at, layer.at, sizeof c.at);
  c.at[0].input = c.at[0].output = 1;
  for (int d = 1; d < 3; d++)
    c.at[d].input = image[d - 1];
  c.at[1].output = rows;
  c.at[2].output = columns;
  THNNConvolution_complete(&c);
  if (THTensor_(nElement)(input) != planes * c.image)
    THError("input has size %s, and has to have the elements of %d x %d x %d",
            THTensor_(sizeDesc)(input).str, planes, height, width);
  if (THTensor_(nElement)(finput) != c.terms * c.positions)
    THError("finput has size %s, and has to have the elements of %td x %td",
            THTensor_(sizeDesc)(finput).str, c.terms, c.positions);
  THNN_(ImageColumns)
  w = {.batch = 1, .planes = planes, .image = c.image, .columns = c.taps * c.positions};
  memcpy(w.at, c.at, sizeof w.at);
  return w;
}

void THNN_(unfolded_copy)(THTensor *finput, THTensor *input, int kW, int kH, int dW, int dH,
                          int padW, int padH, int nInputPlane, int inputWidth, int inputHeight,
                          int outputWidth, int outputHeight)
{
  THNN_(ImageColumns)
  w = THNN_(columnsOfOne)(finput, input, THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1),
                          nInputPlane, inputWidth, inputHeight, outputWidth, outputHeight);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  finput = THNN_(result)(&call, finput, finput->nDimension, finput->size);
  THNN_(start)(&call);
  THNN_(eachPlane)(&w, input, finput);
  THNN_(finish)(&call);
}

void THNN_(unfolded_acc)(THTensor *finput, THTensor *input, int kW, int kH, int dW, int dH,
                         int padW, int padH, int nInputPlane, int inputWidth, int inputHeight,
                         int osizeW, int outputHeight)
{
  THNN_(ImageColumns)
  w = THNN_(columnsOfOne)(finput, input, THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1),
                          nInputPlane, inputWidth, inputHeight, osizeW, outputHeight);
  THNN_(Call) call;
  THNN_(begin)(&call);
  finput = THNN_(source)(&call, finput);
  input = THNN_(sum)(&call, input);
  THNN_(start)(&call);
  w.fold = 1;
  THNN_(eachPlane)(&w, input, finput);
  THNN_(finish)(&call);
}

#endif
