/* Layers that only a device has, against loops in double precision or THNN's other form of them. */
#include "THC.h"
#include "THNN/THNN.h"
#include "THNN/THNNGroups.h"

#include "THCUNN/THCUNN.h"
#include "THTemplate.h"

#include "pairs.h"

/* --- depth-wise convolutions: convolutions in as many groups as planes ----------------------- */

static void THTest_(depthwise)(void)
{
  THCState *state = thc_state();
  enum { PLANES = 3, OUTPUTS = 2, KW = 2, KH = 3, DW = 1, DH = 2, PADW = 1, PADH = 2 };
#define WINDOWS KW, KH, DW, DH, PADW, PADH, dilation, 1
  for (int layout = 0; layout < TH_ONE; layout++)
    for (int dilation = 1; dilation < 3; dilation++) {
      if (!th_layout_keeps_shape(layout))
        continue;
      th_note("%s, dilation %d", th_layout_names[layout], dilation);
      const THNNGroups how = {.axes = 2,
                              .groups = PLANES,
                              .size = {1, KH, KW},
                              .step = {1, DH, DW},
                              .pad = {0, PADH, PADW},
                              .dilation = {1, 1, dilation}};
      Pair x = THTest_(pair)(layout, 1, TH_SHAPE(2, PLANES, 6, 5));
      Pair w = THTest_(pair)(layout, 2, TH_SHAPE(PLANES * OUTPUTS, 1, KH, KW));
      Pair b = THTest_(pair)(TH_STRIDED, 3, TH_SHAPE(PLANES * OUTPUTS));
      Pair y = THTest_(nothing)(), dx = THTest_(nothing)();
      Pair dw = THTest_(pair)(0, 0, TH_SHAPE(PLANES * OUTPUTS, 1, KH, KW));
      DEVICE(SpatialDepthwiseConvolution_updateOutput)(state, x.d, y.d, w.d, b.d, WINDOWS);
      HOST(Groups_updateOutput)(NULL, &how, x.w, y.w, w.w, b.w);
      THTest_(same)("output", y);
      Pair g = THTest_(pair)(TH_TRANSPOSED, 5, y.d->nDimension, y.d->size);
      DEVICE(SpatialDepthwiseConvolution_updateGradInput)(state, x.d, g.d, dx.d, w.d, WINDOWS);
      HOST(Groups_updateGradInput)(NULL, &how, x.w, g.w, dx.w, w.w);
      THTest_(same)("gradInput", dx);
      DEVICE(SpatialDepthwiseConvolution_accGradParameters)(state, x.d, g.d, dw.d, WINDOWS);
      HOST(Groups_accGradParameters)(NULL, &how, x.w, g.w, dw.w, NULL, 1);
      THTest_(same)("gradWeight", dw);
      FREE(&x, &w, &b, &y, &dx, &dw, &g);
    }
  const int dilation = 1;
  Pair x = THTest_(pair)(0, 1, TH_SHAPE(2, 3, 6, 5)), w = THTest_(pair)(0, 1, TH_SHAPE(4, 1, 3, 2));
  Pair y = THTest_(nothing)();
  CHECK_RAISES(4, "[4 x 1 x 3 x 2]",
               DEVICE(SpatialDepthwiseConvolution_updateOutput)(state, x.d, y.d, w.d, NULL,
                                                                WINDOWS));
  CHECK_EQ(y.d->nDimension, 0);
  FREE(&x, &w, &y);
#undef WINDOWS
}

/* --- across planes --------------------------------------------------------------------------- */

/* Planes of the neighbours of a plane: [*first, *end). */
static void THTest_(neighbours)(int64_t plane, int64_t planes, int size, int64_t *first,
                                int64_t *end)
{
  *first = plane - (size - 1) / 2;
  *end = *first + size;
  *first = *first < 0 ? 0 : *first;
  *end = *end < planes ? *end : planes;
}

/* scale and y of x, and d, the gradient of x for the gradient g of y, by its definition: the
 * derivative of each y by each x. */
static void THTest_(crossMapLoop)(const double *x, const double *g, int64_t planes, int64_t inner,
                                  int size, double alpha, double beta, double k, double *scale,
                                  double *y, double *d)
{
  for (int64_t p = 0; p < planes; p++)
    for (int64_t i = 0; i < inner; i++) {
      int64_t first, end;
      double sum = 0;
      THTest_(neighbours)(p, planes, size, &first, &end);
      for (int64_t q = first; q < end; q++)
        sum += x[q * inner + i] * x[q * inner + i];
      scale[p * inner + i] = k + alpha / size * sum;
      y[p * inner + i] = x[p * inner + i] * pow(scale[p * inner + i], -beta);
    }
  for (int64_t j = 0; j < planes * inner; j++)
    d[j] = 0;
  for (int64_t p = 0; p < planes; p++)
    for (int64_t i = 0; i < inner; i++) {
      int64_t first, end;
      const double s = scale[p * inner + i], own = g[p * inner + i];
      THTest_(neighbours)(p, planes, size, &first, &end);
      d[p * inner + i] += own * pow(s, -beta);
      for (int64_t q = first; q < end; q++)
        d[q * inner + i] += own * x[p * inner + i] * -beta * pow(s, -beta - 1) * 2 * alpha / size *
                            x[q * inner + i];
    }
}

/* A batch of two images of planes x height x width. */
static void THTest_(crossMapOf)(int layout, int size, int64_t planes, int64_t height, int64_t width)
{
  THCState *state = thc_state();
  th_note("%s, size %d, %lld planes of %lld x %lld", th_layout_names[layout], size,
          (long long)planes, (long long)height, (long long)width);
  Pair x = THTest_(pair)(layout, 1, TH_SHAPE(2, planes, height, width));
  Pair g = THTest_(pair)(TH_TRANSPOSED, 2, TH_SHAPE(2, planes, height, width));
  Pair y = THTest_(pair)(0, 3, TH_SHAPE(2, planes, height, width));
  Pair d = THTest_(pair)(0, 3, TH_SHAPE(1));
  Pair scale = THTest_(pair)(0, 4, TH_SHAPE(2, planes, height, width));
  THDoubleTensor_resizeAs(d.w, y.w);
  THDoubleTensor *from = THDoubleTensor_newContiguous(x.w);
  THDoubleTensor *grad = THDoubleTensor_newContiguous(g.w);
  for (int n = 0; n < 2; n++) {
    const ptrdiff_t at = n * planes * height * width;
    THTest_(crossMapLoop)(THDoubleTensor_data(from) + at, THDoubleTensor_data(grad) + at, planes,
                          height * width, size, 0.5, 0.75, 1.5, THDoubleTensor_data(scale.w) + at,
                          THDoubleTensor_data(y.w) + at, THDoubleTensor_data(d.w) + at);
  }
  DEVICE(SpatialCrossMapLRN_updateOutput)(state, x.d, y.d, scale.d, size, 0.5, 0.75, 1.5);
  THTest_(same)("output", y);
  THTest_(same)("scale", scale);
  DEVICE(SpatialCrossMapLRN_updateGradInput)(state, x.d, g.d, d.d, scale.d, y.d, size, 0.5, 0.75,
                                             1.5);
  THTest_(same)("gradInput", d);
  THDoubleTensor_free(from);
  THDoubleTensor_free(grad);
  FREE(&x, &g, &y, &d, &scale);
}

static void THTest_(crossMap)(void)
{
  static const int64_t lengths[] = {1, 2, 31, 32, 33, 1023, 1025};
  THCState *state = thc_state();
  for (int layout = 0; layout < TH_ONE; layout++)
    for (int size = 1; size < 6; size++)
      if (th_layout_keeps_shape(layout))
        THTest_(crossMapOf)(layout, size, 7, 3, 4);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    THTest_(crossMapOf)(TH_CONTIGUOUS, 5, lengths[i], 1, 2);
    THTest_(crossMapOf)(TH_CONTIGUOUS, 3, 4, 1, lengths[i]);
  }
  Pair x = THTest_(pair)(0, 1, TH_SHAPE(2, 3)), y = THTest_(nothing)(), s = THTest_(nothing)();
  CHECK_RAISES(2, "[2 x 3]",
               DEVICE(SpatialCrossMapLRN_updateOutput)(state, x.d, y.d, s.d, 3, 1, 1, 1));
  CHECK_EQ(y.d->nDimension, 0);
  FREE(&x, &y, &s);
}

/* --- bags of rows ---------------------------------------------------------------------------- */

enum { ROWS = 6, COLUMNS = 5, ENTRIES = 9, BAGS = 4 };
static const int64_t entries[ENTRIES] = {3, 1, 3, 5, 0, 3, 2, 2, 4};
static const int64_t begins[BAGS] = {0, 3, 3, 7}; /* the second bag is empty */

static THCudaLongTensor *THTest_(uploaded)(const int64_t *values, int64_t count)
{
  THLongTensor *host = THLongTensor_newWithSize1d(count);
  for (int64_t i = 0; i < count; i++)
    THLongTensor_set1d(host, i, values[i] + TH_INDEX_BASE);
  THCudaLongTensor *there = THCudaLongTensor_newWithSize1d(thc_state(), count);
  THCudaLongTensor_copyLong(thc_state(), there, host);
  THLongTensor_free(host);
  return there;
}

static int64_t THTest_(endOf)(int bag)
{
  return bag + 1 < BAGS ? begins[bag + 1] : ENTRIES;
}

static void THTest_(bagsForward)(Pair table, THCudaLongTensor *index, THCudaLongTensor *offsets,
                                 THCudaLongTensor *bagOf, THCudaLongTensor *lengths, int mode)
{
  THCState *state = thc_state();
  Pair y = THTest_(nothing)();
  DEVICE(LookupTableBag_updateOutput)(state, index, offsets, table.d, y.d, bagOf, mode, lengths);
  THDoubleTensor_resize2d(y.w, BAGS, COLUMNS);
  for (int bag = 0; bag < BAGS; bag++) {
    const int64_t end = THTest_(endOf)(bag), length = end - begins[bag];
    CHECK_EQ(THCudaLongTensor_get1d(state, lengths, bag), length);
    for (int c = 0; c < COLUMNS; c++) {
      double sum = 0;
      for (int64_t i = begins[bag]; i < end; i++)
        sum += THDoubleTensor_get2d(table.w, entries[i], c);
      THDoubleTensor_set2d(y.w, bag, c, mode && length ? sum / (double)length : sum);
    }
    for (int64_t i = begins[bag]; i < end; i++)
      CHECK_EQ(THCudaLongTensor_get1d(state, bagOf, i), bag + TH_INDEX_BASE);
  }
  THTest_(same)("output", y);
  FREE(&y);
}

static void THTest_(bagsBackward)(Pair d, Pair g, THCudaLongTensor *index, THCudaLongTensor *bagOf,
                                  THCudaLongTensor *lengths, int mode, int byFrequency)
{
  for (int bag = 0; bag < BAGS; bag++)
    for (int64_t i = begins[bag]; i < THTest_(endOf)(bag); i++) {
      int times = 0;
      for (int k = 0; k < ENTRIES; k++)
        times += entries[k] == entries[i];
      const double length = mode ? (double)(THTest_(endOf)(bag) - begins[bag]) : 1;
      for (int c = 0; c < COLUMNS; c++)
        THDoubleTensor_set2d(d.w, entries[i], c,
                             THDoubleTensor_get2d(d.w, entries[i], c) +
                                 0.5 * THDoubleTensor_get2d(g.w, bag, c) / length /
                                     (byFrequency ? times : 1));
    }
  DEVICE(LookupTableBag_accGradParameters)(thc_state(), index, g.d, d.d, bagOf, NULL, NULL, NULL,
                                           byFrequency, mode, lengths, 0.5);
  THTest_(same)("gradWeight", d);
}

static void THTest_(bags)(void)
{
  THCState *state = thc_state();
  THCudaLongTensor *index = THTest_(uploaded)(entries, ENTRIES);
  THCudaLongTensor *offsets = THTest_(uploaded)(begins, BAGS);
  THCudaLongTensor *bagOf = THCudaLongTensor_new(state), *lengths = THCudaLongTensor_new(state);
  for (int layout = 0; layout < TH_ONE; layout++)
    for (int k = 0; k < 4; k++) {
      if (!th_layout_keeps_shape(layout))
        continue;
      th_note("%s, mode %d, by frequency %d", th_layout_names[layout], k & 1, k >> 1);
      Pair table = THTest_(pair)(layout, 1, TH_SHAPE(ROWS, COLUMNS));
      Pair g = THTest_(pair)(layout, 2, TH_SHAPE(BAGS, COLUMNS));
      Pair d = THTest_(pair)(TH_STRIDED, 3, TH_SHAPE(ROWS, COLUMNS));
      THTest_(bagsForward)(table, index, offsets, bagOf, lengths, k & 1);
      THTest_(bagsBackward)(d, g, index, bagOf, lengths, k & 1, k >> 1);
      FREE(&table, &g, &d);
    }
  Pair table = THTest_(pair)(0, 1, TH_SHAPE(ROWS, COLUMNS)), y = THTest_(nothing)();
  THCudaLongTensor_set1d(state, index, 4, ROWS + TH_INDEX_BASE);
  CHECK_RAISES(2, "out of range",
               DEVICE(LookupTableBag_updateOutput)(state, index, offsets, table.d, y.d, bagOf, 0,
                                                   lengths));
  THCudaLongTensor_set1d(state, index, 4, TH_INDEX_BASE);
  THCudaLongTensor_set1d(state, offsets, 1, ENTRIES + 1 + TH_INDEX_BASE);
  CHECK_RAISES(3, "out of range",
               DEVICE(LookupTableBag_updateOutput)(state, index, offsets, table.d, y.d, bagOf, 0,
                                                   lengths));
  CHECK_EQ(y.d->nDimension, 0);
  FREE(&table, &y);
  THCudaLongTensor_free(state, index);
  THCudaLongTensor_free(state, offsets);
  THCudaLongTensor_free(state, bagOf);
  THCudaLongTensor_free(state, lengths);
}

TH_TESTS(THTest_(depthwise), THTest_(crossMap), THTest_(bags))
