/* Layers and losses on a device against THNN in double precision, forward and backward, in several
 * layouts, of single inputs and batches; and their errors. */
#include "THC.h"
#include "THNN/THNN.h"

#include "THCUNN/THCUNN.h"
#include "THTemplate.h"

#include "pairs.h"

/* --- element by element ---------------------------------------------------------------------- */

/* MORE: the arguments behind the tensors, with a comma in front, or nothing. */
#define OF_INPUT(NAME, ...)                                                                 \
  do {                                                                                      \
    BOTH(NAME##_updateOutput, (state, x.d, y.d __VA_ARGS__), (NULL, x.w, y.w __VA_ARGS__)); \
    THTest_(same)(#NAME, y);                                                                \
    BOTH(NAME##_updateGradInput, (state, x.d, g.d, dx.d __VA_ARGS__),                       \
         (NULL, x.w, g.w, dx.w __VA_ARGS__));                                               \
    THTest_(same)(#NAME " back", dx);                                                       \
  } while (0)

static void THTest_(thresholdInPlace)(Pair x, Pair y, Pair g)
{
  THCState *state = thc_state();
  BOTH(Threshold_updateOutput, (state, x.d, y.d, 0, 0, true), (NULL, x.w, y.w, 0, 0, true));
  THTest_(same)("Threshold in place", x);
  THTest_(same)("Threshold in place, output", y);
  BOTH(Threshold_updateGradInput, (state, x.d, g.d, g.d, 0, 0, true),
       (NULL, x.w, g.w, g.w, 0, 0, true));
  THTest_(same)("Threshold back in place", g);
}

static void THTest_(activations)(void)
{
  THCState *state = thc_state();
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    Pair x = THTest_(pair)(layout, 1, TH_SHAPE(3, 4, 5));
    Pair g = THTest_(pair)(layout < TH_ONE ? TH_TRANSPOSED : layout, 2, TH_SHAPE(3, 4, 5));
    Pair y = THTest_(nothing)(), dx = THTest_(nothing)(), buffer = THTest_(nothing)();
    if (layout == TH_WITH_ONES) { /* another shape with as many elements */
      FREE(&g);
      g = THTest_(pair)(TH_WITH_ONES, 2, TH_SHAPE(3, 4, 5));
    }
    OF_INPUT(Abs, );
    OF_INPUT(HardTanh, , -2, 3, false);
    OF_INPUT(LeakyReLU, , 0.25, false);
    OF_INPUT(SoftShrink, , 1.5);
    OF_INPUT(Square, );
    OF_INPUT(Threshold, , 0.5, -1, false);
    BOTH(LogSigmoid_updateOutput, (state, x.d, y.d, buffer.d), (NULL, x.w, y.w, buffer.w));
    THTest_(same)("LogSigmoid", y);
    BOTH(LogSigmoid_updateGradInput, (state, x.d, g.d, dx.d, buffer.d),
         (NULL, x.w, g.w, dx.w, buffer.w));
    THTest_(same)("LogSigmoid back", dx);
    BOTH(ELU_updateOutput, (state, x.d, y.d, 1.5, 2, false), (NULL, x.w, y.w, 1.5, 2, false));
    THTest_(same)("ELU", y);
    BOTH(ELU_updateGradInput, (state, g.d, dx.d, y.d, 1.5, 2), (NULL, g.w, dx.w, y.w, 1.5, 2));
    THTest_(same)("ELU back", dx);
    BOTH(SoftPlus_updateOutput, (state, x.d, y.d, 2, 5), (NULL, x.w, y.w, 2, 5));
    THTest_(same)("SoftPlus", y);
    BOTH(SoftPlus_updateGradInput, (state, x.d, g.d, dx.d, y.d, 2, 5),
         (NULL, x.w, g.w, dx.w, y.w, 2, 5));
    THTest_(same)("SoftPlus back", dx);
    BOTH(Tanh_updateOutput, (state, x.d, y.d), (NULL, x.w, y.w));
    THTest_(same)("Tanh", y);
    BOTH(Tanh_updateGradInput, (state, g.d, dx.d, y.d), (NULL, g.w, dx.w, y.w));
    THTest_(same)("Tanh back", dx);
    BOTH(Sigmoid_updateOutput, (state, x.d, y.d), (NULL, x.w, y.w));
    THTest_(same)("Sigmoid", y);
    BOTH(Sigmoid_updateGradInput, (state, g.d, dx.d, y.d), (NULL, g.w, dx.w, y.w));
    THTest_(same)("Sigmoid back", dx);
    BOTH(Square_updateOutput, (state, x.d, y.d), (NULL, x.w, y.w));
    BOTH(Sqrt_updateOutput, (state, y.d, y.d, 0), (NULL, y.w, y.w, 0));
    THTest_(same)("Sqrt", y);
    BOTH(Sqrt_updateGradInput, (state, x.d, g.d, dx.d, y.d), (NULL, x.w, g.w, dx.w, y.w));
    THTest_(same)("Sqrt back", dx);
    if (layout < TH_ONE && th_layout_is_writable(layout))
      THTest_(thresholdInPlace)(x, y, g);
    FREE(&x, &g, &y, &dx, &buffer);
  }
}

static void THTest_(activationErrors)(void)
{
  THCState *state = thc_state();
  Pair x = THTest_(pair)(0, 1, TH_SHAPE(3, 4)), g = THTest_(pair)(0, 1, TH_SHAPE(3, 5));
  Pair r = THTest_(pair)(TH_EXPANDED, 1, TH_SHAPE(3, 4));
  CHECK_RAISES(0, "[3 x 4]", DEVICE(Threshold_updateGradInput)(state, x.d, g.d, r.d, 0, 0, false));
  CHECK_RAISES(0, "[3 x 5]", DEVICE(Threshold_updateGradInput)(state, x.d, g.d, r.d, 0, 0, false));
  CHECK_RAISES(0, "share memory", DEVICE(Tanh_updateOutput)(state, x.d, r.d));
  CHECK_RAISES(0, "in place", DEVICE(Threshold_updateOutput)(state, r.d, x.d, 0, 0, true));
  FREE(&x, &g, &r);
}

/* The loss of all, their sum or their mean. */
#define LOSS_OF_ALL(NAME)                                                       \
  for (int average = 0; average < 2; average++) {                               \
    BOTH(NAME##_updateOutput, (state, x.d, t.d, y.d, average, true),            \
         (NULL, x.w, t.w, y.w, average, true));                                 \
    THTest_(same)(#NAME, y);                                                    \
    BOTH(NAME##_updateGradInput, (state, x.d, t.d, one.d, dx.d, average, true), \
         (NULL, x.w, t.w, one.w, dx.w, average, true));                         \
    THTest_(same)(#NAME " back", dx);                                           \
  }

#define LOSS_OF_EACH(NAME)                                                \
  BOTH(NAME##_updateOutput, (state, x.d, t.d, y.d, true, false),          \
       (NULL, x.w, t.w, y.w, true, false));                               \
  THTest_(same)(#NAME " of each", y);                                     \
  BOTH(NAME##_updateGradInput, (state, x.d, t.d, g.d, dx.d, true, false), \
       (NULL, x.w, t.w, g.w, dx.w, true, false));                         \
  THTest_(same)(#NAME " of each, back", dx);

#define LOSS(NAME)                                                                           \
  do {                                                                                       \
    LOSS_OF_ALL(NAME)                                                                        \
    LOSS_OF_EACH(NAME)                                                                       \
    CHECK_RAISES(0, "[2]", DEVICE(NAME##_updateOutput)(state, x.d, two.d, y.d, true, true)); \
    CHECK_RAISES(0, "[2]",                                                                   \
                 DEVICE(NAME##_updateGradInput)(state, x.d, t.d, two.d, dx.d, true, true));  \
  } while (0)

static void THTest_(losses)(void)
{
  THCState *state = thc_state();
  const int last = tolerance > 1e-3 ? 3 : 30; /* a sum of more is too large for half */
  for (int layout = 0; layout < TH_ONE; layout++) {
    th_note("%s", th_layout_names[layout]);
    Pair x = THTest_(pair)(layout, 1, TH_SHAPE(9, 8, last));
    Pair t = THTest_(pair)(TH_CONTIGUOUS, 2, TH_SHAPE(9, 8, last));
    Pair g = THTest_(pair)(TH_TRANSPOSED, 3, TH_SHAPE(9, 8, last));
    Pair one = THTest_(pair)(0, 4, TH_SHAPE(1)), two = THTest_(pair)(0, 4, TH_SHAPE(2));
    Pair y = THTest_(nothing)(), dx = THTest_(nothing)();
    if (layout == 0 && tolerance < 1e-3) {
      LOSS(AbsCriterion);
      LOSS(DistKLDivCriterion);
      LOSS(SmoothL1Criterion);
      LOSS(SoftMarginCriterion);
    }
    LOSS(MSECriterion);
    FREE(&x, &t, &g, &one, &two, &y, &dx);
  }
}

/* --- softmax --------------------------------------------------------------------------------- */

static void THTest_(softMax)(void)
{
  THCState *state = thc_state();
  for (int layout = 0; layout < TH_ONE; layout++)
    for (int dim = 0; dim < 3; dim++) {
      if (!th_layout_keeps_shape(layout))
        continue;
      th_note("%s, dimension %d", th_layout_names[layout], dim);
      Pair x = THTest_(pair)(layout, 1, TH_SHAPE(3, 4, 70));
      Pair g = THTest_(pair)(TH_TRANSPOSED, 2, TH_SHAPE(3, 4, 70));
      Pair y = THTest_(nothing)(), dx = THTest_(nothing)();
      BOTH(SoftMax_updateOutput, (state, x.d, y.d, dim), (NULL, x.w, y.w, dim));
      THTest_(same)("SoftMax", y);
      BOTH(SoftMax_updateGradInput, (state, x.d, g.d, dx.d, y.d, dim),
           (NULL, x.w, g.w, dx.w, y.w, dim));
      THTest_(same)("SoftMax back", dx);
      BOTH(LogSoftMax_updateOutput, (state, x.d, y.d, dim), (NULL, x.w, y.w, dim));
      THTest_(same)("LogSoftMax", y);
      BOTH(LogSoftMax_updateGradInput, (state, x.d, g.d, g.d, y.d, dim),
           (NULL, x.w, g.w, g.w, y.w, dim));
      THTest_(same)("LogSoftMax back in place", g);
      FREE(&x, &g, &y, &dx);
    }
  Pair x = THTest_(pair)(0, 1, TH_SHAPE(3, 4)), g = THTest_(pair)(0, 1, TH_SHAPE(3, 5));
  Pair y = THTest_(nothing)();
  CHECK_RAISES(4, "[3 x 4]", DEVICE(SoftMax_updateOutput)(state, x.d, y.d, 2));
  CHECK_RAISES(0, "[3 x 5]", DEVICE(SoftMax_updateGradInput)(state, x.d, g.d, y.d, x.d, 0));
  CHECK_EQ(y.d->nDimension, 0);
  FREE(&x, &g, &y);
}

/* --- the likelihood of classes --------------------------------------------------------------- */

static THCudaLongTensor *THTest_(indices)(THLongTensor *host)
{
  THCudaLongTensor *there = THCudaLongTensor_new(thc_state());
  THLongStorage *size = THLongTensor_newSizeOf(host);
  THCudaLongTensor_resize(thc_state(), there, size, NULL);
  THLongStorage_free(size);
  if (host->nDimension)
    THCudaLongTensor_copyLong(thc_state(), there, host);
  return there;
}

/* A batch, with the loss averaged or not, of all or of each, with weights or without. */
static void THTest_(batchNll)(int layout, int k, THLongTensor *target, THCudaLongTensor *to,
                              Pair weights)
{
  THCState *state = thc_state();
  const int64_t batch = target->size[0], classes = THCTensor_(size)(state, weights.d, 0);
  const bool average = k & 1, reduce = k & 2;
  const int weighted = k & 4, ignored = 2 + TH_INDEX_BASE;
  th_note("%s, average %d, reduce %d, weighted %d", th_layout_names[layout], average, reduce,
          weighted);
  Pair x = THTest_(pair)(layout, 1, TH_SHAPE(batch, classes));
  Pair g = THTest_(pair)(0, 3, TH_SHAPE(batch)), one = THTest_(pair)(0, 3, TH_SHAPE(1));
  Pair y = THTest_(nothing)(), all = THTest_(nothing)(), dx = THTest_(nothing)();
  Pair grad = reduce ? one : g;
  THCTensor *wd = weighted ? weights.d : NULL;
  THDoubleTensor *ww = weighted ? weights.w : NULL;
  BOTH(ClassNLLCriterion_updateOutput, (state, x.d, to, y.d, average, wd, all.d, ignored, reduce),
       (NULL, x.w, target, y.w, average, ww, all.w, ignored, reduce));
  THTest_(same)("loss", y);
  THTest_(same)("total weight", all);
  if (tolerance > 1e-3 && reduce) /* the sum of weights of half is rounded */
    THDoubleTensor_set1d(all.w, 0, TH_CONVERT_REAL_TO_ACCREAL(THCTensor_(get1d)(state, all.d, 0)));
  BOTH(ClassNLLCriterion_updateGradInput,
       (state, x.d, to, grad.d, dx.d, average, wd, all.d, ignored, reduce),
       (NULL, x.w, target, grad.w, dx.w, average, ww, all.w, ignored, reduce));
  THTest_(same)("gradient", dx);
  FREE(&x, &g, &one, &y, &all, &dx);
}

/* Targets that are none of the classes, and sizes that do not fit. */
static void THTest_(wrongTargets)(Pair x, Pair y, Pair all, THCudaLongTensor *to, int classes)
{
  THCState *state = thc_state();
  for (int k = 0; k < 2; k++) {
    const int64_t wrong = TH_INDEX_BASE + (k ? classes : -1);
    char text[32];
    snprintf(text, sizeof text, "is %d, out of range", (int)wrong);
    THCudaLongTensor_set1d(state, to, 0, wrong);
    THCTensor_(resize1d)(state, y.d, 2);
    CHECK_RAISES(3, text,
                 DEVICE(ClassNLLCriterion_updateOutput)(state, x.d, to, y.d, true, NULL, all.d,
                                                        -100, true));
    CHECK_RAISES(3, text,
                 DEVICE(ClassNLLCriterion_updateGradInput)(state, x.d, to, all.d, y.d, true, NULL,
                                                           all.d, -100, true));
    CHECK_EQ(y.d->size[0], 2);
  }
  CHECK_RAISES(6, "[5]",
               DEVICE(ClassNLLCriterion_updateOutput)(state, x.d, to, y.d, true, y.d, all.d, -100,
                                                      true));
  THCudaLongTensor_resize1d(state, to, 2);
  CHECK_RAISES(3, "[2]",
               DEVICE(ClassNLLCriterion_updateOutput)(state, x.d, to, y.d, true, NULL, all.d, -100,
                                                      true));
}

static void THTest_(classNll)(void)
{
  THCState *state = thc_state();
  enum { BATCH = 300, CLASSES = 5 };
  THLongTensor *target = THLongTensor_newWithSize1d(BATCH);
  for (int i = 0; i < BATCH; i++)
    target->storage->data[i] = i * 7 % CLASSES + TH_INDEX_BASE;
  THCudaLongTensor *to = THTest_(indices)(target);
  Pair weights = THTest_(pair)(0, 5, TH_SHAPE(CLASSES));
  BOTH(Square_updateOutput, (state, weights.d, weights.d), (NULL, weights.w, weights.w));
  TH_CONCAT_3(TH, Real, Tensor) *rounded = THCTest_(twin)(weights.d);
  TH_CONCAT_2(THDoubleTensor_copy, Real)(weights.w, rounded);
  THTensor_(free)(rounded);
  for (int layout = 0; layout < TH_ONE; layout++)
    for (int k = 0; th_layout_keeps_shape(layout) && k < 8; k++)
      THTest_(batchNll)(layout, k, target, to, weights);
  /* A single input. */
  Pair x = THTest_(pair)(0, 1, TH_SHAPE(CLASSES)), y = THTest_(nothing)(), all = THTest_(nothing)();
  THCudaLongTensor_resize1d(state, to, 1);
  THLongTensor_resize1d(target, 1);
  for (int reduce = 0; reduce < 2; reduce++) {
    Pair one = THTest_(pair)(0, 3, TH_SHAPE(1)), dx = THTest_(nothing)();
    BOTH(ClassNLLCriterion_updateOutput,
         (state, x.d, to, y.d, true, weights.d, all.d, -100, reduce),
         (NULL, x.w, target, y.w, true, weights.w, all.w, -100, reduce));
    THTest_(same)("a single input", y);
    BOTH(ClassNLLCriterion_updateGradInput,
         (state, x.d, to, one.d, dx.d, true, weights.d, all.d, -100, reduce),
         (NULL, x.w, target, one.w, dx.w, true, weights.w, all.w, -100, reduce));
    THTest_(same)("the gradient of a single input", dx);
    FREE(&one, &dx);
  }
  THTest_(wrongTargets)(x, y, all, to, CLASSES);
  FREE(&x, &y, &all, &weights);
  THLongTensor_free(target);
  THCudaLongTensor_free(state, to);
}

/* --- windows --------------------------------------------------------------------------------- */

static const struct {
  int kW, kH, dW, dH, padW, padH, dilationW, dilationH;
  bool ceil;
} windows[] = {
    {2, 2, 2, 2, 0, 0, 1, 1, false}, {3, 3, 1, 1, 1, 1, 1, 1, false},
    {3, 2, 2, 3, 1, 0, 1, 1, true},  {2, 3, 1, 2, 1, 1, 2, 2, false},
    {1, 1, 1, 1, 0, 0, 1, 1, false}, {1, 1, 2, 2, 0, 0, 1, 1, true},
};

static void THTest_(maxPooling)(void)
{
  THCState *state = thc_state();
  for (size_t k = 0; k < sizeof windows / sizeof *windows; k++)
    for (int layout = 0; layout < TH_ONE; layout++)
      for (int dims = 3; dims < 5; dims++) {
        if (!th_layout_keeps_shape(layout))
          continue;
        th_note("%s, windows %zu, %d dimensions", th_layout_names[layout], k, dims);
        const int64_t sizes[] = {2, 3, 7, 8};
        Pair x = THTest_(pair)(layout, 1, dims, sizes + 4 - dims);
        Pair y = THTest_(nothing)(), dx = THTest_(nothing)();
        THLongTensor *at = THLongTensor_new();
        THCudaLongTensor *there = THCudaLongTensor_new(state);
#define WINDOWS                                                                                 \
  windows[k].kW, windows[k].kH, windows[k].dW, windows[k].dH, windows[k].padW, windows[k].padH, \
      windows[k].dilationW, windows[k].dilationH, windows[k].ceil
        BOTH(SpatialDilatedMaxPooling_updateOutput, (state, x.d, y.d, there, WINDOWS),
             (NULL, x.w, y.w, at, WINDOWS));
        THTest_(same)("output", y);
        for (ptrdiff_t i = 0; i < THLongTensor_nElement(at); i++) {
          int64_t index;
          CHECK_CUDA(cudaMemcpy(&index, there->storage->data + i, sizeof index,
                                cudaMemcpyDeviceToHost));
          CHECK_EQ(index, at->storage->data[i]);
        }
        Pair g = THTest_(pair)(TH_TRANSPOSED, 2, y.d->nDimension, y.d->size);
        BOTH(SpatialDilatedMaxPooling_updateGradInput, (state, x.d, g.d, dx.d, there, WINDOWS),
             (NULL, x.w, g.w, dx.w, at, WINDOWS));
        THTest_(same)("gradient", dx);
        CHECK_RAISES(0, "gradOutput has size",
                     DEVICE(SpatialDilatedMaxPooling_updateGradInput)(state, x.d, x.d, dx.d, there,
                                                                      3, 3, 2, 2, 0, 0, 1, 1,
                                                                      false));
        FREE(&x, &y, &dx, &g);
        THLongTensor_free(at);
        THCudaLongTensor_free(state, there);
      }
  Pair x = THTest_(pair)(0, 1, TH_SHAPE(3, 4)), y = THTest_(nothing)();
  THCudaLongTensor *there = THCudaLongTensor_new(state);
  CHECK_RAISES(2, "[3 x 4]",
               DEVICE(SpatialMaxPooling_updateOutput)(state, x.d, y.d, there, 2, 2, 2, 2, 0, 0,
                                                      false));
  FREE(&x, &y);
  THCudaLongTensor_free(state, there);
}

static void THTest_(convolution)(void)
{
  THCState *state = thc_state();
  for (size_t k = 0; k < sizeof windows / sizeof *windows; k++)
    for (int layout = 0; layout < TH_ONE; layout++)
      for (int dims = 3; dims < 5; dims++) {
        if (!th_layout_keeps_shape(layout) || windows[k].dilationW > 1)
          continue;
        const int with_bias = layout % 2 == 0, flat = layout % 3 == 0;
        th_note("%s, windows %zu, %d dimensions", th_layout_names[layout], k, dims);
        const int64_t sizes[] = {2, 3, 7, 8};
        const int kW = windows[k].kW, kH = windows[k].kH;
        const int64_t deep[] = {4, 3, kH, kW}, wide[] = {4, 3 * kH * kW};
        Pair x = THTest_(pair)(layout, 1, dims, sizes + 4 - dims);
        Pair w = THTest_(pair)(layout, 2, flat ? 2 : 4, flat ? wide : deep);
        Pair dw = THTest_(pair)(TH_STRIDED, 4, flat ? 2 : 4, flat ? wide : deep);
        Pair b = THTest_(pair)(TH_STRIDED, 3, TH_SHAPE(4)), db = THTest_(pair)(0, 3, TH_SHAPE(4));
        Pair y = THTest_(nothing)(), dx = THTest_(nothing)();
#define STEPS NULL, NULL, kW, kH, windows[k].dW, windows[k].dH, windows[k].padW, windows[k].padH
        BOTH(SpatialConvolutionMM_updateOutput,
             (state, x.d, y.d, w.d, with_bias ? b.d : NULL, STEPS),
             (NULL, x.w, y.w, w.w, with_bias ? b.w : NULL, STEPS));
        THTest_(same)("output", y);
        Pair g = THTest_(pair)(TH_TRANSPOSED, 5, y.d->nDimension, y.d->size);
        BOTH(SpatialConvolutionMM_updateGradInput, (state, x.d, g.d, dx.d, w.d, STEPS),
             (NULL, x.w, g.w, dx.w, w.w, STEPS));
        THTest_(same)("gradInput", dx);
        BOTH(SpatialConvolutionMM_accGradParameters,
             (state, x.d, g.d, dw.d, with_bias ? db.d : NULL, STEPS, 0.5),
             (NULL, x.w, g.w, dw.w, with_bias ? db.w : NULL, STEPS, 0.5));
        THTest_(same)("gradWeight", dw);
        THTest_(same)("gradBias", db);
        FREE(&x, &w, &dw, &b, &db, &y, &dx, &g);
      }
  Pair x = THTest_(pair)(0, 1, TH_SHAPE(3, 5, 5)), w = THTest_(pair)(0, 1, TH_SHAPE(4, 3, 3, 3));
  Pair v = THTest_(pair)(0, 1, TH_SHAPE(3)), y = THTest_(nothing)();
  CHECK_RAISES(2, "[3]",
               DEVICE(SpatialConvolutionMM_updateOutput)(state, v.d, y.d, w.d, NULL, NULL, NULL, 3,
                                                         3, 1, 1, 0, 0));
  CHECK_RAISES(0, "[3 x 5 x 5]",
               DEVICE(SpatialConvolutionMM_updateOutput)(state, x.d, y.d, w.d, NULL, NULL, NULL, 2,
                                                         3, 1, 1, 0, 0));
  CHECK_RAISES(0, "[3]",
               DEVICE(SpatialConvolutionMM_updateOutput)(state, x.d, y.d, w.d, v.d, NULL, NULL, 3,
                                                         3, 1, 1, 0, 0));
  CHECK_RAISES(0, "gradOutput has size [3 x 5 x 5]",
               DEVICE(SpatialConvolutionMM_updateGradInput)(state, x.d, x.d, y.d, w.d, NULL, NULL,
                                                            3, 3, 1, 1, 0, 0));
  CHECK_RAISES(0, "state is NULL",
               DEVICE(SpatialConvolutionMM_updateOutput)(NULL, x.d, y.d, w.d, NULL, NULL, NULL, 3,
                                                         3, 1, 1, 0, 0));
  CHECK_EQ(y.d->nDimension, 0);
  FREE(&x, &w, &v, &y);
}

static void THTest_(columns)(void)
{
  THCState *state = thc_state();
  for (size_t k = 0; k < sizeof windows / sizeof *windows; k++)
    for (int layout = 0; layout < TH_ONE; layout++)
      for (int dims = 3; dims < 5; dims++) {
        if (!th_layout_keeps_shape(layout))
          continue;
        th_note("%s, windows %zu, %d dimensions", th_layout_names[layout], k, dims);
        const int64_t sizes[] = {2, 3, 7, 8};
        Pair x = THTest_(pair)(layout, 1, dims, sizes + 4 - dims);
        Pair y = THTest_(nothing)(), dx = THTest_(nothing)();
#define COLUMN_WINDOWS                                                                       \
  windows[k].kH, windows[k].kW, windows[k].dilationH, windows[k].dilationW, windows[k].padH, \
      windows[k].padW, windows[k].dH, windows[k].dW
        BOTH(Im2Col_updateOutput, (state, x.d, y.d, COLUMN_WINDOWS),
             (NULL, x.w, y.w, COLUMN_WINDOWS));
        THTest_(same)("Im2Col", y);
        BOTH(Col2Im_updateGradInput, (state, x.d, y.d, COLUMN_WINDOWS),
             (NULL, x.w, y.w, COLUMN_WINDOWS));
        THTest_(same)("Col2Im back", y);
        Pair g = THTest_(pair)(layout, 2, y.d->nDimension, y.d->size);
        BOTH(Im2Col_updateGradInput, (state, g.d, dx.d, 7, 8, COLUMN_WINDOWS),
             (NULL, g.w, dx.w, 7, 8, COLUMN_WINDOWS));
        THTest_(same)("Im2Col back", dx);
        BOTH(Col2Im_updateOutput, (state, g.d, dx.d, 7, 8, COLUMN_WINDOWS),
             (NULL, g.w, dx.w, 7, 8, COLUMN_WINDOWS));
        THTest_(same)("Col2Im", dx);
        CHECK_RAISES(2, "has size",
                     DEVICE(Col2Im_updateOutput)(state, g.d, dx.d, 6, 11, COLUMN_WINDOWS));
        FREE(&x, &y, &dx, &g);
      }
}

TH_TESTS(THTest_(activations), THTest_(activationErrors), THTest_(losses), THTest_(softMax),
         THTest_(classNll), THTest_(maxPooling), THTest_(convolution), THTest_(columns))
