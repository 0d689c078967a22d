/* The layers of a first network: linear, pooling, convolution, activations and losses. */
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "layers.h"

/* --- element by element ---------------------------------------------------------------------- */

CALL(tanhForward, THNN_(Tanh_updateOutput)(NULL, o->input, o->output))
CALL(tanhBackward, THNN_(Tanh_updateGradInput)(NULL, o->gradOutput, o->gradInput, o->output))
static void tanhRandom(Operands *o)
{
  o->input = any_shape(o);
}
static void THTest_(Tanh)(void)
{
  static const Layer layer = {"Tanh", tanhForward, tanhBackward, .random = tanhRandom};
  check_layer(&layer);
}

CALL(thresholdForward,
     THNN_(Threshold_updateOutput)(NULL, o->input, o->output, o->args[0], o->args[1], false))
CALL(thresholdBackward,
     THNN_(Threshold_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->args[0],
                                      o->args[1], false))
/* args: threshold, val */
static void thresholdRandom(Operands *o)
{
  o->input = any_shape(o);
  o->args[0] = 0.25 * (double)between(o, -4, 4);
  o->args[1] = (double)between(o, -2, 2);
}
static void THTest_(Threshold)(void)
{
  static const Layer layer = {"Threshold", thresholdForward, thresholdBackward,
                              .random = thresholdRandom};
  check_layer(&layer);
}

/* A layer in place: input and output end as the same tensor, and so do gradOutput and gradInput. */
static void THTest_(ThresholdInPlace)(void)
{
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    if (!th_layout_is_writable(layout))
      continue;
    th_note("%s", th_layout_names[layout]);
    THTensor *x = THTest_(tensor)(layout, 4, TH_SHAPE(7, 5, 3)), *g = THTensor_(newClone)(x);
    THTensor *y = THTensor_(new)(), *d = THTensor_(new)();
    real *before = THTest_(values)(x), *around = THTest_(storageValues)(x);
    THNN_(Threshold_updateGradInput)(NULL, x, g, d, 0.25, 7, true);
    THNN_(Threshold_updateOutput)(NULL, x, y, 0.25, 7, true);
    CHECK(THTensor_(isSetTo)(y, x) || layout == TH_EMPTY);
    CHECK(THTensor_(isSetTo)(d, g) || layout == TH_EMPTY);
    for (ptrdiff_t i = 0; i < THTest_(count)(x); i++) {
      CHECK_EQ(*THTest_(at)(x, i), before[i] > 0.25 ? before[i] : 7);
      CHECK_EQ(*THTest_(at)(g, i), before[i] > 0.25 ? before[i] : 0);
    }
    CHECK_OUTSIDE(x, around);
    free(before);
    free(around);
    THTensor_(free)(x);
    THTensor_(free)(y);
    THTensor_(free)(g);
    THTensor_(free)(d);
  }
}

CALL(mseForward,
     THNN_(MSECriterion_updateOutput)(NULL, o->input, o->target, o->output, BOOL(0), BOOL(1)))
CALL(mseBackward, THNN_(MSECriterion_updateGradInput)(NULL, o->input, o->target, o->gradOutput,
                                                      o->gradInput, BOOL(0), BOOL(1)))
/* args: sizeAverage, reduce */
static void mseRandom(Operands *o)
{
  o->input = any_shape(o);
  o->target = any(o, o->input->nDimension, o->input->size);
  o->args[0] = one_in(o, 2);
  o->args[1] = one_in(o, 2);
}
static void THTest_(MSECriterion)(void)
{
  static const Layer layer = {"MSECriterion", mseForward, mseBackward, .random = mseRandom};
  check_layer(&layer);
}

/* --- over a dimension ------------------------------------------------------------------------ */

CALL(softMaxForward, THNN_(SoftMax_updateOutput)(NULL, o->input, o->output, INT(0)))
CALL(softMaxBackward,
     THNN_(SoftMax_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->output, INT(0)))
/* args: dim */
static void softMaxRandom(Operands *o)
{
  o->input = any_shape(o);
  o->args[0] = (double)between(o, 0, o->input->nDimension - 1);
}
static void THTest_(SoftMax)(void)
{
  static const Layer layer = {"SoftMax", softMaxForward, softMaxBackward, .random = softMaxRandom};
  check_layer(&layer);
}

CALL(logSoftMaxForward, THNN_(LogSoftMax_updateOutput)(NULL, o->input, o->output, INT(0)))
CALL(logSoftMaxBackward, THNN_(LogSoftMax_updateGradInput)(NULL, o->input, o->gradOutput,
                                                           o->gradInput, o->output, INT(0)))
static void THTest_(LogSoftMax)(void)
{
  static const Layer layer = {"LogSoftMax", logSoftMaxForward, logSoftMaxBackward,
                              .random = softMaxRandom};
  check_layer(&layer);
}

/* args: sizeAverage, ignore_index from 0, reduce */
CALL(nllForward,
     THNN_(ClassNLLCriterion_updateOutput)(NULL, o->input, o->index, o->output, BOOL(0), o->weight,
                                           o->total, INT(1) + TH_INDEX_BASE, BOOL(2)))
CALL(nllBackward,
     THNN_(ClassNLLCriterion_updateGradInput)(NULL, o->input, o->index, o->gradOutput, o->gradInput,
                                              BOOL(0), o->weight, o->total, INT(1) + TH_INDEX_BASE,
                                              BOOL(2)))
static void nllRandom(Operands *o)
{
  const int64_t classes = between(o, 1, 6), batch = between(o, 1, 7);
  const int single = one_in(o, 4);
  o->input = single ? any(o, TH_SHAPE(classes)) : any(o, TH_SHAPE(batch, classes));
  o->weight = one_in(o, 2) ? any_in(o, 0.2, 2, TH_SHAPE(classes)) : NULL;
  o->index = THIndexTensor_(newWithSize1d)(single ? 1 : batch);
  for (int64_t i = 0; i < o->index->size[0]; i++)
    o->index->storage->data[i] = between(o, 0, classes - 1) + TH_INDEX_BASE;
  o->args[0] = one_in(o, 2);
  o->args[1] = one_in(o, 2) ? (double)between(o, 0, classes - 1) : -100;
  o->args[2] = one_in(o, 2);
}
static void THTest_(ClassNLLCriterion)(void)
{
  static const Layer layer = {"ClassNLLCriterion", nllForward, nllBackward, .random = nllRandom};
  check_layer(&layer);
}

/* Without reduce nothing is averaged, so the loss of a single input keeps its weight. */
static void THTest_(ClassNLLSingle)(void)
{
  THTensor *x = THTensor_(newWithSize1d)(2), *w = THTensor_(newWithSize1d)(2);
  THTensor *one = THTensor_(newWithSize1d)(1), *y = THTensor_(new)(), *d = THTensor_(new)();
  THTensor *total = THTensor_(new)();
  THIndexTensor *class = THIndexTensor_(newWithSize1d)(1);
  THTensor_(set1d)(x, 0, (real)-0.5);
  THTensor_(set1d)(x, 1, -2);
  THTensor_(set1d)(w, 0, 1);
  THTensor_(set1d)(w, 1, 3);
  THTensor_(fill)(one, 1);
  THIndexTensor_(fill)(class, 1 + TH_INDEX_BASE);
  for (int average = 0; average < 2; average++)
    for (int reduce = 0; reduce < 2; reduce++) {
      const int averaged = average && reduce;
      THNN_(ClassNLLCriterion_updateOutput)(NULL, x, class, y, average, w, total, -100, reduce);
      THNN_(ClassNLLCriterion_updateGradInput)(NULL, x, class, one, d, average, w, total, -100,
                                               reduce);
      CHECK_EQ(*THTest_(at)(total, 0), 3);
      CHECK_EQ(*THTest_(at)(y, 0), averaged ? 2 : 6);
      CHECK_EQ(*THTest_(at)(d, 0), 0);
      CHECK_EQ(*THTest_(at)(d, 1), averaged ? -1 : -3);
    }
  THTensor *all[] = {x, w, one, y, d, total};
  for (int k = 0; k < 6; k++)
    THTensor_(free)(all[k]);
  THIndexTensor_(free)(class);
}

/* --- linear ---------------------------------------------------------------------------------- */

#ifndef TH_TEMPLATE_DEVICE /* THCUNN has no Linear */
CALL(linearForward, THNN_(Linear_updateOutput)(NULL, o->input, o->output, o->weight, o->bias, NULL))
CALL(linearBackward,
     THNN_(Linear_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->weight))
CALL(linearAccumulate,
     THNN_(Linear_accGradParameters)(NULL, o->input, o->gradOutput, NULL, o->weight, o->bias,
                                     o->gradWeight, o->gradBias, NULL, o->scale))
static void linearRandom(Operands *o)
{
  const int64_t inputs = between(o, 1, 8), outputs = between(o, 1, 8);
  o->input = one_in(o, 4) ? any(o, TH_SHAPE(inputs)) : any(o, TH_SHAPE(between(o, 1, 9), inputs));
  o->weight = any(o, TH_SHAPE(outputs, inputs));
  o->bias = one_in(o, 3) ? NULL : any(o, TH_SHAPE(outputs));
}
static void THTest_(Linear)(void)
{
  static const Layer layer = {"Linear", linearForward, linearBackward, linearAccumulate,
                              .random = linearRandom};
  check_layer(&layer);
}
#else
static void THTest_(Linear)(void)
{
}
#endif

/* --- images ---------------------------------------------------------------------------------- */

/* args: kW, kH, dW, dH, padW, padH */
#define WINDOW INT(0), INT(1), INT(2), INT(3), INT(4), INT(5)

/* Half of the windows have 1 element or are one step apart, which is computed in other ways.
 * half: the padding is at most half a window. */
static void random_window(Operands *o, int half)
{
  for (int i = 0; i < 2; i++) {
    o->args[i] = (double)(one_in(o, 4) ? 1 : between(o, 1, 4));
    o->args[2 + i] = (double)(one_in(o, 3) ? 1 : between(o, 1, 3));
    o->args[4 + i] = (double)between(o, 0, half ? INT(i) / 2 : 3);
  }
}

/* Images that hold at least one window, with its padding; in a batch or not. */
static THTensor *random_images(Operands *o, int64_t planes)
{
  int64_t size[2];
  for (int i = 0; i < 2; i++) {
    const int64_t least = INT(i) - 2 * INT(4 + i);
    size[i] = between(o, least > 1 ? least : 1, 6);
  }
  if (one_in(o, 3))
    return any(o, TH_SHAPE(planes, size[1], size[0]));
  return any(o, TH_SHAPE(between(o, 1, 3), planes, size[1], size[0]));
}

CALL(convolutionForward,
     THNN_(SpatialConvolutionMM_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                              o->buffer1, o->buffer2, WINDOW))
CALL(convolutionBackward,
     THNN_(SpatialConvolutionMM_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                 o->weight, o->buffer1, o->buffer2, WINDOW))
CALL(convolutionAccumulate,
     THNN_(SpatialConvolutionMM_accGradParameters)(NULL, o->input, o->gradOutput, o->gradWeight,
                                                   o->gradBias, o->buffer1, o->buffer2, WINDOW,
                                                   o->scale))
static void convolutionRandom(Operands *o)
{
  const int64_t planes = between(o, 1, 3), outputs = between(o, 1, 4);
  random_window(o, 0);
  o->input = random_images(o, planes);
  o->weight = one_in(o, 3) ? any(o, TH_SHAPE(outputs, planes * INT(1) * INT(0)))
                           : any(o, TH_SHAPE(outputs, planes, INT(1), INT(0)));
  o->bias = one_in(o, 3) ? NULL : any(o, TH_SHAPE(outputs));
}
static const Layer convolutionLayer = {"SpatialConvolutionMM", convolutionForward,
                                       convolutionBackward, convolutionAccumulate,
                                       .random = convolutionRandom};
static void THTest_(SpatialConvolutionMM)(void)
{
  check_layer(&convolutionLayer);
}

/* args: as convolution, ceil_mode */
CALL(maxPoolForward,
     THNN_(SpatialMaxPooling_updateOutput)(NULL, o->input, o->output, o->index, WINDOW, BOOL(6)))
CALL(maxPoolBackward,
     THNN_(SpatialMaxPooling_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->index,
                                              WINDOW, BOOL(6)))
static void maxPoolRandom(Operands *o)
{
  random_window(o, 1);
  o->args[6] = one_in(o, 2);
  o->input = random_images(o, between(o, 1, 3));
}
static void THTest_(SpatialMaxPooling)(void)
{
  static const Layer layer = {"SpatialMaxPooling", maxPoolForward, maxPoolBackward, .givesIndex = 1,
                              .random = maxPoolRandom};
  check_layer(&layer);
}

/* --- against the obvious loops, on random shapes --------------------------------------------- */

/* The whole convolution, element by element, in double: output, gradInput, gradWeight, gradBias. */
typedef struct Image {
  int64_t batch, planes, outputs, height, width, rows, columns;
  int k[2], d[2], pad[2]; /* height, width */
} Image;

/* The operands, and what the obvious loops find: gradients, and the sums of their terms'
 * magnitudes. */
typedef struct {
  const real *xs, *ws, *gs;
  double *wantX, *sumX, *wantW, *sumW;
} ImageValues;

static Image THTest_(randomImage)(th_random *random, int round)
{
  Image m = {.batch = 1 + th_random_below(random, round % 7 == 1 ? 40 : 5),
             .planes = 1 + th_random_below(random, round % 6 ? 5 : 40),
             .outputs = 1 + th_random_below(random, round % 5 ? 9 : 50)};
  for (int i = 0; i < 2; i++) {
    m.k[i] = 1 + (int)th_random_below(random, 5);
    m.d[i] = 1 + (int)th_random_below(random, 3);
    m.pad[i] = (int)th_random_below(random, 4);
  }
  if (round % 4 == 0)
    m.k[0] = m.k[1] = m.d[0] = m.d[1] = 1, m.pad[0] = m.pad[1] = 0;
  m.height = m.k[0] + th_random_below(random, 20);
  m.width = m.k[1] + th_random_below(random, 20);
  m.rows = (m.height + 2 * m.pad[0] - m.k[0]) / m.d[0] + 1;
  m.columns = (m.width + 2 * m.pad[1] - m.k[1]) / m.d[1] + 1;
  return m;
}

/* The obvious loops: checks the output and adds up the gradients. */
static void THTest_(naiveImage)(const Image *m, const ImageValues *v, THTensor *y, THTensor *b,
                                double unit)
{
  for (int64_t n = 0; n < m->batch; n++)
    for (int64_t o = 0; o < m->outputs; o++)
      for (int64_t r = 0; r < m->rows; r++)
        for (int64_t c = 0; c < m->columns; c++) {
          const ptrdiff_t at = ((n * m->outputs + o) * m->rows + r) * m->columns + c;
          double sum = *THTest_(at)(b, o), size = fabs(sum);
          for (int64_t p = 0; p < m->planes; p++)
            for (int i = 0; i < m->k[0]; i++)
              for (int j = 0; j < m->k[1]; j++) {
                const int64_t h = r * m->d[0] + i - m->pad[0], w = c * m->d[1] + j - m->pad[1];
                if (h < 0 || h >= m->height || w < 0 || w >= m->width)
                  continue;
                const ptrdiff_t ix = ((n * m->planes + p) * m->height + h) * m->width + w;
                const ptrdiff_t iw = ((o * m->planes + p) * m->k[0] + i) * m->k[1] + j;
                sum += (double)v->ws[iw] * (double)v->xs[ix];
                size += fabs((double)v->ws[iw] * (double)v->xs[ix]);
                v->wantX[ix] += (double)v->ws[iw] * (double)v->gs[at];
                v->sumX[ix] += fabs((double)v->ws[iw] * (double)v->gs[at]);
                v->wantW[iw] += (double)v->xs[ix] * (double)v->gs[at];
                v->sumW[iw] += fabs((double)v->xs[ix] * (double)v->gs[at]);
              }
          CHECK_NEAR(*THTest_(at)(y, at), sum, 16 * unit * size);
        }
}

static void THTest_(checkBias)(const Image *m, const ImageValues *v, THTensor *db, THTensor *b,
                               double unit)
{
  for (int64_t o = 0; o < m->outputs; o++) {
    double sum = 0, size = 0;
    for (int64_t n = 0; n < m->batch; n++)
      for (int64_t i = 0; i < m->rows * m->columns; i++) {
        sum += (double)v->gs[(n * m->outputs + o) * m->rows * m->columns + i];
        size += fabs((double)v->gs[(n * m->outputs + o) * m->rows * m->columns + i]);
      }
    CHECK_NEAR(*THTest_(at)(db, o), *THTest_(at)(b, o) + sum / 2, 16 * unit * (size + 10));
  }
}

static void THTest_(convolutionShapes)(void)
{
  th_random random = {th_seed()};
  for (int round = 0; round < 60; round++) {
    const Image m = THTest_(randomImage)(&random, round);
    th_note("%lld x %lld x %lld x %lld to %lld, k %d x %d, d %d x %d, pad %d x %d; seed %llu",
            (long long)m.batch, (long long)m.planes, (long long)m.height, (long long)m.width,
            (long long)m.outputs, m.k[0], m.k[1], m.d[0], m.d[1], m.pad[0], m.pad[1],
            (unsigned long long)th_seed());
    const int layout = round % 3 ? TH_CONTIGUOUS : TH_PERMUTED;
    THTensor *x = THTest_(tensor)(layout, 1, TH_SHAPE(m.batch, m.planes, m.height, m.width));
    THTensor *w = THTest_(tensor)(0, 2, TH_SHAPE(m.outputs, m.planes, m.k[0], m.k[1]));
    THTensor *b = THTest_(tensor)(0, 3, TH_SHAPE(m.outputs));
    THTensor *g = THTest_(tensor)(layout, 4, TH_SHAPE(m.batch, m.outputs, m.rows, m.columns));
    THTensor *y = THTensor_(new)(), *dx = THTensor_(new)();
    THTensor *dw = THTensor_(newClone)(w), *db = THTensor_(newClone)(b);
    real *xs = THTest_(values)(x), *ws = THTest_(values)(w), *gs = THTest_(values)(g);
    const ptrdiff_t nx = THTest_(count)(x), nw = THTest_(count)(w);
    double *wantX = calloc((size_t)nx, sizeof(double)), *sumX = calloc((size_t)nx, sizeof(double));
    double *wantW = calloc((size_t)nw, sizeof(double)), *sumW = calloc((size_t)nw, sizeof(double));

    THNN_(SpatialConvolutionMM_updateOutput)(NULL, x, y, w, b, NULL, NULL, m.k[1], m.k[0], m.d[1],
                                             m.d[0], m.pad[1], m.pad[0]);
    THNN_(SpatialConvolutionMM_updateGradInput)(NULL, x, g, dx, w, NULL, NULL, m.k[1], m.k[0],
                                                m.d[1], m.d[0], m.pad[1], m.pad[0]);
    THNN_(SpatialConvolutionMM_accGradParameters)(NULL, x, g, dw, db, NULL, NULL, m.k[1], m.k[0],
                                                  m.d[1], m.d[0], m.pad[1], m.pad[0], 0.5);

    const double unit = sizeof(real) == 4 ? 0x1p-23 : 0x1p-52; /* times terms and magnitude */
    const ImageValues v = {xs, ws, gs, wantX, sumX, wantW, sumW};
    THTest_(naiveImage)(&m, &v, y, b, unit);
    for (ptrdiff_t i = 0; i < nx; i++)
      CHECK_NEAR(*THTest_(at)(dx, i), wantX[i], 16 * unit * sumX[i]);
    for (ptrdiff_t i = 0; i < nw; i++)
      CHECK_NEAR(*THTest_(at)(dw, i), ws[i] + wantW[i] / 2,
                 16 * unit * (sumW[i] + fabs((double)ws[i])));
    THTest_(checkBias)(&m, &v, db, b, unit);
    free(xs), free(ws), free(gs), free(wantX), free(sumX), free(wantW), free(sumW);
    THTensor *all[] = {x, w, b, g, y, dx, dw, db};
    for (int i = 0; i < 8; i++)
      THTensor_(free)(all[i]);
  }
}

/* An infinity affects the windows that it lies in, and no others. */
static void THTest_(convolutionInfinity)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(9, 2, 4, 5));
  THTensor *g = THTest_(tensor)(0, 2, TH_SHAPE(9, 3, 4, 4));
  THTensor *w = THTest_(tensor)(0, 3, TH_SHAPE(3, 2, 1, 2));
  for (ptrdiff_t row = 0; row < 4; row++)
    *THTest_(at)(x, row * 5 + 4) = INFINITY; /* the last column is never the first of two */
  THNN_(SpatialConvolutionMM_accGradParameters)(NULL, x, g, w, NULL, NULL, NULL, 2, 1, 1, 1, 0, 0,
                                                1);
  for (ptrdiff_t i = 0; i < 12; i++)
    CHECK_EQ(isfinite(*THTest_(at)(w, i)) != 0, i % 4 != 1);
  THTensor_(free)(x);
  THTensor_(free)(g);
  THTensor_(free)(w);
}

/* Rows with more windows than a vector or a block, and windows of all steps. */
static void THTest_(maxPoolShapes)(void)
{
  th_random random = {th_seed()};
  for (int round = 0; round < 60; round++) {
    const int kH = 1 + (int)th_random_below(&random, 4), kW = 1 + (int)th_random_below(&random, 7);
    const int dH = 1 + (int)th_random_below(&random, 3), dW = 1 + (int)th_random_below(&random, 7);
    const int lH = 1 + (int)th_random_below(&random, 3), lW = 1 + (int)th_random_below(&random, 3);
    const int padH = (int)th_random_below(&random, kH / 2 + 1);
    const int padW = (int)th_random_below(&random, kW / 2 + 1);
    const int64_t height = (kH - 1) * lH + 1 + th_random_below(&random, 5);
    const int64_t width = (kW - 1) * lW + 1 + th_random_below(&random, round % 2 ? 300 : 20);
    const int64_t rows = (height + 2 * padH - (kH - 1) * lH - 1) / dH + 1;
    const int64_t columns = (width + 2 * padW - (kW - 1) * lW - 1) / dW + 1;
    th_note("%lld x %lld, k %d x %d, d %d x %d, pad %d x %d, dilation %d x %d; seed %llu",
            (long long)height, (long long)width, kH, kW, dH, dW, padH, padW, lH, lW,
            (unsigned long long)th_seed());
    THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(3, height, width)), *y = THTensor_(new)();
    if (round % 5 == 0)
      *THTest_(at)(x, height * width / 2) = NAN;
    THIndexTensor *index = THIndexTensor_(new)();
    THNN_(SpatialDilatedMaxPooling_updateOutput)(NULL, x, y, index, kW, kH, dW, dH, padW, padH, lW,
                                                 lH, false);
    for (ptrdiff_t at = 0; at < 3 * rows * columns; at++) {
      const int64_t plane = at / columns / rows, r = at / columns % rows, c = at % columns;
      real most = -(real)INFINITY;
      int64_t best = -1;
      for (int64_t i = r * dH - padH; i < r * dH - padH + kH * lH; i += lH)
        for (int64_t j = c * dW - padW; j < c * dW - padW + kW * lW; j += lW) {
          if (i < 0 || i >= height || j < 0 || j >= width)
            continue;
          const real value = *THTest_(at)(x, (plane * height + i) * width + j);
          if (value > most || value != value) {
            most = value;
            best = i * width + j;
          }
        }
      CHECK_EQ(*THTest_(at)(y, at), most);
      CHECK_EQ(index->storage->data[at], best + TH_INDEX_BASE);
    }
    THIndexTensor_(free)(index);
    THTensor_(free)(x);
    THTensor_(free)(y);
  }
}

/* --- the same bits for any number of threads ------------------------------------------------- */

static void THTest_(layerThreads)(void)
{
  const int threads = THGetNumThreads();
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(13, 3, 28, 28));
  THTensor *w = THTest_(tensor)(0, 2, TH_SHAPE(7, 3, 5, 5));
  THTensor *g = THTest_(tensor)(0, 3, TH_SHAPE(13, 7, 24, 24));
  THTensor *t = THTest_(tensor)(0, 4, TH_SHAPE(13, 3, 28, 28));
  real *first[5];
  THSetDeterministic(1);
  for (int n = 1; n <= 4; n++) {
    THSetNumThreads(n);
    THTensor *r[5];
    for (int i = 0; i < 5; i++)
      r[i] = THTensor_(new)();
    THTensor_(resizeAs)(r[2], w);
    for (ptrdiff_t i = 0; i < THTest_(count)(w); i++)
      r[2]->storage->data[i] = 0;
    THNN_(SpatialConvolutionMM_updateOutput)(NULL, x, r[0], w, NULL, NULL, NULL, 5, 5, 1, 1, 0, 0);
    THNN_(SpatialConvolutionMM_updateGradInput)(NULL, x, g, r[1], w, NULL, NULL, 5, 5, 1, 1, 0, 0);
    THNN_(SpatialConvolutionMM_accGradParameters)(NULL, x, g, r[2], NULL, NULL, NULL, 5, 5, 1, 1, 0,
                                                  0, 1);
    THNN_(LogSoftMax_updateOutput)(NULL, x, r[3], 2);
    THNN_(MSECriterion_updateOutput)(NULL, x, t, r[4], true, true);
    for (int i = 0; i < 5; i++) {
      if (n == 1)
        first[i] = THTest_(storageValues)(r[i]);
      CHECK(!memcmp(first[i], r[i]->storage->data, (size_t)THTest_(count)(r[i]) * sizeof(real)));
      THTensor_(free)(r[i]);
    }
  }
  for (int i = 0; i < 5; i++)
    free(first[i]);
  THSetDeterministic(0);
  THSetNumThreads(threads);
  THTensor_(free)(x);
  THTensor_(free)(w);
  THTensor_(free)(g);
  THTensor_(free)(t);
}

/* --- errors ---------------------------------------------------------------------------------- */

#define FORWARD(W, B, ...) \
  THNN_(SpatialConvolutionMM_updateOutput)(NULL, x, y, W, B, NULL, NULL, __VA_ARGS__)
#define POOL(...) THNN_(SpatialMaxPooling_updateOutput)(NULL, x, y, indices, __VA_ARGS__)

/* Activations, a loss, softmax. */
static void THTest_(wrongElements)(THTensor *x, THTensor *x2, THTensor *five, THTensor *y,
                                   THTensor *flat)
{
  CHECK_RAISES(0, "[2 x 3]", THNN_(Tanh_updateGradInput)(NULL, x, y, x2));
  CHECK_RAISES(0, "[2 x 3 x 6 x 6]", THNN_(Threshold_updateGradInput)(NULL, x2, x, y, 0, 0, false));
  CHECK_RAISES(0, "share memory", THNN_(Tanh_updateOutput)(NULL, x2, flat));
  CHECK_RAISES(0, "share memory", THNN_(Threshold_updateOutput)(NULL, flat, y, 0, 0, true));
  CHECK_RAISES(0, "[5]", THNN_(MSECriterion_updateOutput)(NULL, x2, five, y, true, true));
  CHECK_RAISES(0, "[5]", THNN_(MSECriterion_updateGradInput)(NULL, x2, x2, five, y, true, true));
  CHECK_RAISES(0, "[5]", THNN_(MSECriterion_updateGradInput)(NULL, x2, x2, five, y, true, false));
  CHECK_RAISES(4, "out of range", THNN_(SoftMax_updateOutput)(NULL, x2, y, 2));
  CHECK_RAISES(4, "out of range", THNN_(LogSoftMax_updateOutput)(NULL, x2, y, -1));
  CHECK_RAISES(0, "[5]", THNN_(SoftMax_updateGradInput)(NULL, x2, five, y, x2, 1));
  CHECK_RAISES(6, "out of range", THNN_(LogSoftMax_updateGradInput)(NULL, x2, x2, y, x2, 2));
}

static void THTest_(wrongLinear)(THTensor *x, THTensor *x2, THTensor *w2, THTensor *five,
                                 THTensor *four, THTensor *y)
{
#ifndef TH_TEMPLATE_DEVICE /* THCUNN has no Linear */
  CHECK_RAISES(2, "[2 x 3 x 6 x 6]", THNN_(Linear_updateOutput)(NULL, x, y, w2, four, NULL));
  CHECK_RAISES(2, "[5]", THNN_(Linear_updateOutput)(NULL, five, y, w2, four, NULL));
  CHECK_RAISES(4, "[5]", THNN_(Linear_updateOutput)(NULL, x2, y, five, four, NULL));
  CHECK_RAISES(5, "[5]", THNN_(Linear_updateOutput)(NULL, x2, y, w2, five, NULL));
  CHECK_RAISES(3, "[5]", THNN_(Linear_updateGradInput)(NULL, x2, five, y, w2));
  CHECK_RAISES(3, "[5]",
               THNN_(Linear_accGradParameters)(NULL, x2, five, y, w2, four, w2, four, NULL, 1));
  CHECK_RAISES(7, "[5]",
               THNN_(Linear_accGradParameters)(NULL, x2, x2, y, w2, four, five, four, NULL, 1));
#endif
}

static void THTest_(wrongClasses)(THTensor *x, THTensor *x2, THTensor *w2, THTensor *five,
                                  THTensor *y, THTensor *one, THTensor *total, THIndexTensor *index)
{
  index->storage->data[0] = TH_INDEX_BASE;
  for (int bad = 0; bad < 2; bad++) {
    index->storage->data[1] = bad ? 3 + TH_INDEX_BASE : TH_INDEX_BASE - 1;
    for (int reduce = 0; reduce < 2; reduce++) {
      CHECK_RAISES(3, "out of range",
                   THNN_(ClassNLLCriterion_updateOutput)(NULL, x2, index, y, true, NULL, total,
                                                         -100, reduce));
      CHECK_RAISES(3, "out of range",
                   THNN_(ClassNLLCriterion_updateGradInput)(NULL, x2, index, one, y, true, NULL,
                                                            total, -100, reduce));
    }
  }
  index->storage->data[1] = TH_INDEX_BASE;
  CHECK_RAISES(2, "[2 x 3 x 6 x 6]",
               THNN_(ClassNLLCriterion_updateOutput)(NULL, x, index, y, true, NULL, total, -100,
                                                     true));
  CHECK_RAISES(3, "[4 x 3]",
               THNN_(ClassNLLCriterion_updateOutput)(NULL, w2, index, y, true, NULL, total, -100,
                                                     true));
  CHECK_RAISES(6, "[5]",
               THNN_(ClassNLLCriterion_updateOutput)(NULL, x2, index, y, true, five, total, -100,
                                                     true));
  CHECK_RAISES(4, "[5]",
               THNN_(ClassNLLCriterion_updateGradInput)(NULL, x2, index, five, y, true, NULL, total,
                                                        -100, true));
  CHECK_RAISES(8, "[5]",
               THNN_(ClassNLLCriterion_updateGradInput)(NULL, x2, index, one, y, true, NULL, five,
                                                        -100, true));
}

static void THTest_(wrongConvolution)(THTensor *x, THTensor *x2, THTensor *w, THTensor *w2,
                                      THTensor *five, THTensor *four, THTensor *y)
{
  CHECK_RAISES(2, "[2 x 3]",
               THNN_(SpatialConvolutionMM_updateOutput)(NULL, x2, y, w, four, NULL, NULL, 2, 2, 1,
                                                        1, 0, 0));
  CHECK_RAISES(0, "kW is 0", FORWARD(w, four, 0, 2, 1, 1, 0, 0));
  CHECK_RAISES(0, "kH is -1", FORWARD(w, four, 2, -1, 1, 1, 0, 0));
  CHECK_RAISES(0, "dW is 0", FORWARD(w, four, 2, 2, 0, 1, 0, 0));
  CHECK_RAISES(0, "dH is -7", FORWARD(w, four, 2, 2, 1, -7, 0, 0));
  CHECK_RAISES(0, "padW is -1", FORWARD(w, four, 2, 2, 1, 1, -1, 0));
  CHECK_RAISES(0, "padH is -1", FORWARD(w, four, 2, 2, 1, 1, 0, -1));
  CHECK_RAISES(0, "[4 x 3 x 2 x 2]", FORWARD(w, four, 2, 3, 1, 1, 0, 0));
  CHECK_RAISES(0, "[4 x 3]", FORWARD(w2, four, 2, 2, 1, 1, 0, 0));
  CHECK_RAISES(0, "[5]", FORWARD(w, five, 2, 2, 1, 1, 0, 0));
  CHECK_RAISES(0, "too small", FORWARD(w, four, 7, 2, 1, 1, 0, 0));
  CHECK_RAISES(0, "[2 x 4 x 5 x 5]",
               THNN_(SpatialConvolutionMM_updateGradInput)(NULL, x, x, y, w, NULL, NULL, 2, 2, 1, 1,
                                                           0, 0));
  CHECK_RAISES(0, "[2 x 4 x 5 x 5]",
               THNN_(SpatialConvolutionMM_accGradParameters)(NULL, x, x, w, four, NULL, NULL, 2, 2,
                                                             1, 1, 0, 0, 1));
}

static void THTest_(wrongPooling)(THTensor *x, THTensor *x2, THTensor *y, THIndexTensor *index,
                                  THIndexTensor *indices)
{
  CHECK_RAISES(2, "[2 x 3]",
               THNN_(SpatialMaxPooling_updateOutput)(NULL, x2, y, indices, 2, 2, 1, 1, 0, 0,
                                                     false));
  CHECK_RAISES(0, "kW is 0", POOL(0, 2, 1, 1, 0, 0, false));
  CHECK_RAISES(0, "dH is 0", POOL(2, 2, 1, 0, 0, 0, false));
  CHECK_RAISES(0, "half", POOL(2, 2, 1, 1, 2, 0, false));
  CHECK_RAISES(0, "too small", POOL(9, 2, 1, 1, 0, 0, false));
  CHECK(indices->nDimension == 0);
  CHECK_RAISES(0, "[2 x 3 x 3 x 3]",
               THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, x, y, indices, 2, 2, 2, 2, 0, 0,
                                                        false));
  THTensor *g = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 3, 3));
  CHECK_RAISES(0, "[2 x 3 x 3 x 3]",
               THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, g, y, indices, 2, 2, 2, 2, 0, 0,
                                                        false));
  THIndexTensor_(resize4d)(indices, 2, 3, 3, 3);
  THIndexTensor *all = indices;
  for (ptrdiff_t i = 0; i < 54; i++)
    all->storage->data[i] = TH_INDEX_BASE;
#ifndef TH_TEMPLATE_DEVICE /* a device gathers gradients, and does not use an index that is wrong */
  for (int bad = 0; bad < 2; bad++) {
    all->storage->data[40] = bad ? 36 + TH_INDEX_BASE : TH_INDEX_BASE - 1;
    CHECK_RAISES(0, "not an index",
                 THNN_(SpatialMaxPooling_updateGradInput)(NULL, x, g, y, indices, 2, 2, 2, 2, 0, 0,
                                                          false));
  }
#endif
  THTensor_(free)(g);
}

static void THTest_(layerErrors)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 6, 6)),
           *x2 = THTest_(tensor)(0, 1, TH_SHAPE(2, 3));
  THTensor *w = THTest_(tensor)(0, 2, TH_SHAPE(4, 3, 2, 2)),
           *w2 = THTest_(tensor)(0, 2, TH_SHAPE(4, 3));
  THTensor *five = THTest_(tensor)(0, 3, TH_SHAPE(5)), *four = THTest_(tensor)(0, 3, TH_SHAPE(4));
  THTensor *y = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(3, 2)),
           *one = THTest_(tensor)(0, 5, TH_SHAPE(1));
  THTensor *total = THTest_(tensor)(0, 5, TH_SHAPE(1));
  THTensor *flat = THTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(2, 3));
  THIndexTensor *index = THIndexTensor_(newWithSize1d)(2), *indices = THIndexTensor_(new)();
  WATCH(y);

  THTest_(wrongElements)(x, x2, five, y, flat);
  THTest_(wrongLinear)(x, x2, w2, five, four, y);
  THTest_(wrongClasses)(x, x2, w2, five, y, one, total, index);
  THTest_(wrongConvolution)(x, x2, w, w2, five, four, y);
  THTest_(wrongPooling)(x, x2, y, index, indices);
  th_watch_check(1);
  th_watch_forget();
  THTensor *tensors[] = {x, x2, w, w2, five, four, y, one, total, flat};
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
    THTensor_(free)(tensors[i]);
  THIndexTensor_(free)(index);
  THIndexTensor_(free)(indices);
}

TH_TESTS(THTest_(Tanh), THTest_(Threshold), THTest_(ThresholdInPlace), THTest_(MSECriterion),
         THTest_(SoftMax), THTest_(LogSoftMax), THTest_(ClassNLLCriterion), THTest_(ClassNLLSingle),
         THTest_(Linear), THTest_(SpatialConvolutionMM), THTest_(SpatialMaxPooling),
         THTest_(convolutionShapes), THTest_(convolutionInfinity), THTest_(maxPoolShapes),
         THTest_(layerThreads), THTest_(layerErrors))
