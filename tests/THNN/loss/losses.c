/* Pointwise losses, and losses over classes. */
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "../layer/layers.h"

/* Defines a test NAME of a loss with functions NAME_forward and NAME_backward. */
#define TEST(NAME, RANDOM)                                                                \
  static void THTest_(NAME)(void)                                                         \
  {                                                                                       \
    static const Layer layer = {#NAME, NAME##_forward, NAME##_backward, .random = RANDOM, \
                                .file = "elementwise.txt"};                               \
    check_layer(&layer);                                                                  \
  }

/* --- of an input and a target ---------------------------------------------------------------- */

/* args: sizeAverage, reduce */
#define FLAGS BOOL(0), BOOL(1)

static void anyPair(Operands *o)
{
  o->input = any_shape(o);
  o->target = any(o, o->input->nDimension, o->input->size);
  o->args[0] = one_in(o, 2);
  o->args[1] = one_in(o, 2);
}

/* Averaged losses have small slopes, in which a kink would not be noticed: x is moved away from
 * kinks. */
static void away(real *x, double kink)
{
  if (fabs((double)*x - kink) < 0.05)
    *x = (real)(kink + 0.1);
}

static void absRandom(Operands *o)
{
  anyPair(o);
  for (ptrdiff_t i = 0; i < THTest_(count)(o->input); i++)
    away(THTest_(at)(o->input, i), (double)*THTest_(at)(o->target, i));
}

static void anySigned(Operands *o)
{
  anyPair(o);
  for (ptrdiff_t i = 0; i < THTest_(count)(o->target); i++)
    *THTest_(at)(o->target, i) = *THTest_(at)(o->target, i) > 0 ? 1 : -1;
}

CALL(AbsCriterion_forward,
     THNN_(AbsCriterion_updateOutput)(NULL, o->input, o->target, o->output, FLAGS))
CALL(AbsCriterion_backward, THNN_(AbsCriterion_updateGradInput)(NULL, o->input, o->target,
                                                                o->gradOutput, o->gradInput, FLAGS))
TEST(AbsCriterion, absRandom)

CALL(SmoothL1Criterion_forward,
     THNN_(SmoothL1Criterion_updateOutput)(NULL, o->input, o->target, o->output, FLAGS))
CALL(SmoothL1Criterion_backward,
     THNN_(SmoothL1Criterion_updateGradInput)(NULL, o->input, o->target, o->gradOutput,
                                              o->gradInput, FLAGS))
TEST(SmoothL1Criterion, anyPair)

CALL(SoftMarginCriterion_forward,
     THNN_(SoftMarginCriterion_updateOutput)(NULL, o->input, o->target, o->output, FLAGS))
CALL(SoftMarginCriterion_backward,
     THNN_(SoftMarginCriterion_updateGradInput)(NULL, o->input, o->target, o->gradOutput,
                                                o->gradInput, FLAGS))
TEST(SoftMarginCriterion, anySigned)

CALL(DistKLDivCriterion_forward,
     THNN_(DistKLDivCriterion_updateOutput)(NULL, o->input, o->target, o->output, FLAGS))
CALL(DistKLDivCriterion_backward,
     THNN_(DistKLDivCriterion_updateGradInput)(NULL, o->input, o->target, o->gradOutput,
                                               o->gradInput, FLAGS))
TEST(DistKLDivCriterion, anyPair) /* half of the targets are below 0 */

static void bceRandom(Operands *o)
{
  THTensor *like = any_shape(o);
  o->input = any_in(o, 0.15, 0.85, like->nDimension, like->size);
  o->target = any_in(o, 0, 1, like->nDimension, like->size);
  o->weight = one_in(o, 2) ? any_in(o, 0.5, 2, like->nDimension, like->size) : NULL;
  o->args[0] = one_in(o, 2);
  o->args[1] = one_in(o, 2);
  THTensor_(free)(like);
}
CALL(BCECriterion_forward, THNN_(BCECriterion_updateOutput)(NULL, o->input, o->target, o->output,
                                                            BOOL(0), o->weight, BOOL(1)))
CALL(BCECriterion_backward,
     THNN_(BCECriterion_updateGradInput)(NULL, o->input, o->target, o->gradOutput, o->gradInput,
                                         BOOL(0), o->weight, BOOL(1)))
TEST(BCECriterion, bceRandom)

/* Probabilities of 0 and 1. */
static void THTest_(BCEEdges)(void)
{
  static const Layer layer = {"BCEEdges", BCECriterion_forward, BCECriterion_backward,
                              .file = "elementwise.txt"};
  layer_golden(&layer);
  th_golden_close(layer_file);
  layer_file = NULL;
}

/* args: sizeAverage, margin */
static void marginRandom(Operands *o)
{
  anySigned(o);
  o->args[1] = 0.25 * (double)between(o, -2, 6);
  for (ptrdiff_t i = 0; i < THTest_(count)(o->input); i++)
    away(THTest_(at)(o->input, i), o->args[1] * (double)*THTest_(at)(o->target, i));
}
CALL(MarginCriterion_forward,
     THNN_(MarginCriterion_updateOutput)(NULL, o->input, o->target, o->output, BOOL(0), o->args[1]))
/* The function has no gradOutput. */
CALL(MarginCriterion_backward, const real g = *THTest_(at)(o->gradOutput, 0);
     THNN_(MarginCriterion_updateGradInput)(NULL, o->input, o->target, o->gradInput, BOOL(0),
                                            o->args[1]);
     THTensor_(mul)(o->gradInput, o->gradInput, g))
TEST(MarginCriterion, marginRandom)

static void anyInput(Operands *o)
{
  o->input = any_shape(o);
}
CALL(L1Cost_forward, THNN_(L1Cost_updateOutput)(NULL, o->input, o->output))
CALL(L1Cost_backward, THNN_(L1Cost_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput))
TEST(L1Cost, anyInput)

/* Without gradOutput, or with one as large as the input, the gradient is that of the sum. */
static void THTest_(L1CostAlone)(void)
{
  THTensor *x = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(3, 4)), *d = THTensor_(new)();
  *THTest_(at)(x, 3) = 0;
  for (int i = 0; i < 2; i++) {
    THNN_(L1Cost_updateGradInput)(NULL, x, i ? x : NULL, d);
    for (ptrdiff_t k = 0; k < 12; k++) {
      const real v = *THTest_(at)(x, k);
      CHECK_EQ(*THTest_(at)(d, k), (v > 0) - (v < 0));
    }
  }
  THTensor_(free)(x);
  THTensor_(free)(d);
}

/* The loss of no elements is 0, also on the average. */
static void THTest_(emptyLosses)(void)
{
  THTensor *x = THTensor_(new)(), *one = THTest_(tensor)(0, 1, TH_SHAPE(1));
  for (int reduce = 0; reduce < 2; reduce++) {
    THTensor *y = THTest_(tensor)(0, 1, TH_SHAPE(2, 3)), *d = THTest_(tensor)(0, 1, TH_SHAPE(2, 3));
    THNN_(BCECriterion_updateOutput)(NULL, x, x, y, true, NULL, reduce);
    THNN_(BCECriterion_updateGradInput)(NULL, x, x, reduce ? one : x, d, true, x, reduce);
    CHECK(d->nDimension == 0 && y->nDimension == reduce);
    CHECK(!reduce || *THTest_(at)(y, 0) == 0);
    THTensor_(resize1d)(d, 2);
    THNN_(L1Cost_updateOutput)(NULL, x, y);
    THNN_(L1Cost_updateGradInput)(NULL, x, NULL, d);
    CHECK(d->nDimension == 0 && y->nDimension == 1 && *THTest_(at)(y, 0) == 0);
    THTensor_(free)(y);
    THTensor_(free)(d);
  }
  THTensor_(free)(x);
  THTensor_(free)(one);
}

/* --- of classes ------------------------------------------------------------------------------ */

/* args: sizeAverage, ignore_index from 0, reduce */
#define IGNORED (INT(1) + TH_INDEX_BASE)

static THIndexTensor *anyClasses(Operands *o, int64_t classes, int dims, const int64_t *size)
{
  THIndexTensor *t = THIndexTensor_(new)();
  THIndexTensor_(resizeNd)(t, dims, (int64_t *)size, NULL);
  for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(t); i++)
    t->storage->data[i] = between(o, 0, classes - 1) + TH_INDEX_BASE;
  return t;
}

static void imageRandom(Operands *o)
{
  const int64_t batch = between(o, 1, 3), classes = between(o, 1, 4);
  const int64_t height = between(o, 1, 3), width = between(o, 1, 3);
  o->input = any(o, TH_SHAPE(batch, classes, height, width));
  o->weight = one_in(o, 2) ? any_in(o, 0.2, 2, TH_SHAPE(classes)) : NULL;
  o->index = anyClasses(o, classes, TH_SHAPE(batch, height, width));
  o->args[0] = one_in(o, 2);
  o->args[1] = one_in(o, 2) ? (double)between(o, 0, classes - 1) : -100;
  o->args[2] = one_in(o, 2);
}
CALL(SpatialClassNLLCriterion_forward,
     THNN_(SpatialClassNLLCriterion_updateOutput)(NULL, o->input, o->index, o->output, BOOL(0),
                                                  o->weight, o->total, IGNORED, BOOL(2)))
CALL(SpatialClassNLLCriterion_backward,
     THNN_(SpatialClassNLLCriterion_updateGradInput)(NULL, o->input, o->index, o->gradOutput,
                                                     o->gradInput, BOOL(0), o->weight, o->total,
                                                     IGNORED, BOOL(2)))
TEST(SpatialClassNLLCriterion, imageRandom)

/* Values whose differences are not near margin: multiples of a step; margin is an odd number of
 * half steps. */
static THTensor *spaced(Operands *o, double margin, int dims, const int64_t *size)
{
  const double step = margin > 0 ? margin / ((double)between(o, 1, 4) + 0.5) : 0.25;
  double count = 1;
  for (int d = 0; d < dims; d++)
    count *= (double)size[d];
  return any_in(o, 0, count * step, dims, size);
}

/* args: sizeAverage, p, margin, reduce */
static void multiMarginRandom(Operands *o)
{
  const int64_t classes = between(o, 1, 6), batch = between(o, 1, 7), single = one_in(o, 4);
  o->args[2] = 0.25 * (double)between(o, 0, 6);
  o->input = single ? spaced(o, o->args[2], TH_SHAPE(classes))
                    : spaced(o, o->args[2], TH_SHAPE(batch, classes));
  o->weight = one_in(o, 2) ? any_in(o, 0.2, 2, TH_SHAPE(classes)) : NULL;
  o->index = anyClasses(o, classes, TH_SHAPE(single ? 1 : batch));
  o->args[0] = one_in(o, 2);
  o->args[1] = (double)between(o, 1, 2);
  o->args[3] = one_in(o, 2);
}
CALL(MultiMarginCriterion_forward,
     THNN_(MultiMarginCriterion_updateOutput)(NULL, o->input, o->index, o->output, BOOL(0), INT(1),
                                              o->weight, o->args[2], BOOL(3)))
CALL(MultiMarginCriterion_backward,
     THNN_(MultiMarginCriterion_updateGradInput)(NULL, o->input, o->index, o->gradOutput,
                                                 o->gradInput, BOOL(0), INT(1), o->weight,
                                                 o->args[2], BOOL(3)))
TEST(MultiMarginCriterion, multiMarginRandom)

/* args: sizeAverage, reduce; total is isTarget */
static void multiLabelRandom(Operands *o)
{
  const int64_t classes = between(o, 1, 6), batch = between(o, 1, 5);
  o->input =
      one_in(o, 4) ? spaced(o, 1, TH_SHAPE(classes)) : spaced(o, 1, TH_SHAPE(batch, classes));
  o->index = anyClasses(o, classes, o->input->nDimension, o->input->size);
  for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(o->index); i++)
    o->index->storage->data[i] -= one_in(o, 3) ? o->index->storage->data[i] + 1 - TH_INDEX_BASE : 0;
  o->args[0] = one_in(o, 2);
  o->args[1] = one_in(o, 2);
}
CALL(MultiLabelMarginCriterion_forward,
     THNN_(MultiLabelMarginCriterion_updateOutput)(NULL, o->input, o->index, o->output, o->total,
                                                   BOOL(0), BOOL(1)))
CALL(MultiLabelMarginCriterion_backward,
     THNN_(MultiLabelMarginCriterion_updateGradInput)(NULL, o->input, o->index, o->gradOutput,
                                                      o->gradInput, o->total, BOOL(0), BOOL(1)))
TEST(MultiLabelMarginCriterion, multiLabelRandom)

/* Targets with any strides; the loss is that of contiguous targets. */
static void THTest_(stridedTargets)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(3, 4, 2, 5)), *y = THTensor_(new)();
  THTensor *want = THTensor_(new)(), *total = THTensor_(new)();
  THIndexTensor *t = THIndexTensor_(newWithSize3d)(5, 2, 3);
  for (ptrdiff_t i = 0; i < 30; i++)
    t->storage->data[i] = i * 7 % 4 + TH_INDEX_BASE;
  THIndexTensor_(transpose)(t, NULL, 0, 2);
  THIndexTensor *same = THIndexTensor_(newContiguous)(t);
  THNN_(SpatialClassNLLCriterion_updateOutput)(NULL, x, same, want, 0, NULL, total, -100, false);
  THNN_(SpatialClassNLLCriterion_updateOutput)(NULL, x, t, y, 0, NULL, total, -100, false);
  CHECK(THTensor_(equal)(y, want));
  for (ptrdiff_t i = 0; i < 30; i++) {
    const ptrdiff_t n = i / 10, position = i % 10;
    const int64_t class = same->storage->data[i] - TH_INDEX_BASE;
    CHECK_EQ(*THTest_(at)(y, i), -*THTest_(at)(x, (n * 4 + class) * 10 + position));
  }
  THIndexTensor_(free)(t);
  THIndexTensor_(free)(same);
  THTensor *all[] = {x, y, want, total};
  for (int k = 0; k < 4; k++)
    THTensor_(free)(all[k]);
}

/* --- threads, errors ------------------------------------------------------------------------- */

static void THTest_(lossThreads)(void)
{
  enum { LOSSES = 4 };
  const int threads = THGetNumThreads();
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(13, 3, 70, 70));
  THTensor *t = THTest_(tensor)(TH_PERMUTED, 3, TH_SHAPE(13, 3, 70, 70));
  THTensor *many = THTest_(tensor)(0, 1, TH_SHAPE(9000, 5)), *total = THTensor_(new)();
  THIndexTensor *class = THIndexTensor_(newWithSize1d)(9000);
  THIndexTensor *image = THIndexTensor_(newWithSize3d)(13, 70, 70);
  for (ptrdiff_t i = 0; i < 9000; i++)
    class->storage->data[i] = i * 7 % 5 + TH_INDEX_BASE;
  for (ptrdiff_t i = 0; i < 13 * 4900; i++)
    image->storage->data[i] = i * 7 % 3 + TH_INDEX_BASE;
  real first[LOSSES];
  for (int n = 1; n <= 4; n++) {
    THSetNumThreads(n);
    THTensor *y[LOSSES];
    for (int i = 0; i < LOSSES; i++)
      y[i] = THTensor_(new)();
    THNN_(AbsCriterion_updateOutput)(NULL, x, t, y[0], true, true);
    THNN_(L1Cost_updateOutput)(NULL, t, y[1]);
    THNN_(MultiMarginCriterion_updateOutput)(NULL, many, class, y[2], true, 2, NULL, 1, true);
    THNN_(SpatialClassNLLCriterion_updateOutput)(NULL, x, image, y[3], true, NULL, total, -100,
                                                 true);
    for (int i = 0; i < LOSSES; i++) {
      if (n == 1)
        first[i] = *THTest_(at)(y[i], 0);
      CHECK_EQ(*THTest_(at)(y[i], 0), first[i]);
      THTensor_(free)(y[i]);
    }
  }
  THSetNumThreads(threads);
  THIndexTensor_(free)(class);
  THIndexTensor_(free)(image);
  THTensor *all[] = {x, t, many, total};
  for (int k = 0; k < 4; k++)
    THTensor_(free)(all[k]);
}

#define SPATIAL(X, T, W) \
  THNN_(SpatialClassNLLCriterion_updateOutput)(NULL, X, T, y, true, W, z, -100, true)
#define SPATIAL_BACKWARD(G, W, TOTAL, REDUCE) \
  THNN_(SpatialClassNLLCriterion_updateGradInput)(NULL, x4, image, G, y, 1, W, TOTAL, -100, REDUCE)
#define MARGIN(X, T, P, W) \
  THNN_(MultiMarginCriterion_updateOutput)(NULL, X, T, y, true, P, W, 1, true)
#define MARGIN_BACKWARD(G, P, W, REDUCE) \
  THNN_(MultiMarginCriterion_updateGradInput)(NULL, x, class, G, y, true, P, W, 1, REDUCE)
#define LABELS(X, T) THNN_(MultiLabelMarginCriterion_updateOutput)(NULL, X, T, y, z, true, true)
#define LABELS_BACKWARD(G, IS, REDUCE) \
  THNN_(MultiLabelMarginCriterion_updateGradInput)(NULL, x, mask, G, y, IS, true, REDUCE)

/* Targets and gradients that do not fit, and what is no probability. */
static void THTest_(wrongPairs)(THTensor *x, THTensor *four, THTensor *y, THTensor *p,
                                THTensor *one)
{
  CHECK_RAISES(0, "[4]", THNN_(AbsCriterion_updateOutput)(NULL, x, four, y, true, true));
  CHECK_RAISES(0, "[4]", THNN_(SmoothL1Criterion_updateGradInput)(NULL, x, x, four, y, true, true));
  CHECK_RAISES(0, "[4]",
               THNN_(SoftMarginCriterion_updateGradInput)(NULL, x, x, four, y, true, false));
  CHECK_RAISES(0, "[4]", THNN_(MarginCriterion_updateOutput)(NULL, x, four, y, true, 1));
  CHECK_RAISES(0, "[4]", THNN_(MarginCriterion_updateGradInput)(NULL, x, four, y, true, 1));
  CHECK_RAISES(0, "[4]", THNN_(L1Cost_updateGradInput)(NULL, x, four, y));
  CHECK_RAISES(0, "[4]", THNN_(BCECriterion_updateOutput)(NULL, p, p, y, true, four, true));
  CHECK_RAISES(0, "[4]", THNN_(BCECriterion_updateGradInput)(NULL, p, p, one, y, 1, four, true));
  const double wrong[] = {-0.25, 1.25, NAN};
  for (int i = 0; i < 3; i++) {
    p->storage->data[4] = (real)wrong[i];
    CHECK_RAISES(2,
                 i == 0   ? "-0.25"
                 : i == 1 ? "1.25"
                          : "nan",
                 THNN_(BCECriterion_updateOutput)(NULL, p, p, y, true, NULL, i == 1));
  }
}

/* Classes of pixels. */
static void THTest_(wrongPixels)(THTensor *x, THTensor *four, THTensor *x4, THTensor *one,
                                 THIndexTensor *mask, THIndexTensor *image, THTensor *y,
                                 THTensor *z)
{
  CHECK_RAISES(2, "[2 x 3]", SPATIAL(x, image, NULL));
  CHECK_RAISES(3, "[2 x 3]", SPATIAL(x4, mask, NULL));
  CHECK_RAISES(6, "[4]", SPATIAL(x4, image, four));
  CHECK_RAISES(7, "[4]", SPATIAL_BACKWARD(one, four, one, true));
  CHECK_RAISES(4, "[4]", SPATIAL_BACKWARD(four, NULL, one, true));
  CHECK_RAISES(4, "[1]", SPATIAL_BACKWARD(one, NULL, one, false));
  CHECK_RAISES(8, "[4]", SPATIAL_BACKWARD(one, NULL, four, true));
}

/* Margins of classes. */
static void THTest_(wrongMargins)(THTensor *x, THTensor *four, THTensor *x4, THTensor *p,
                                  THTensor *one, THTensor *two, THIndexTensor *class,
                                  THIndexTensor *mask, THTensor *y)
{
  CHECK_RAISES(2, "[2 x 3 x 2 x 2]", MARGIN(x4, class, 1, NULL));
  CHECK_RAISES(3, "[2 x 3]", MARGIN(x, mask, 1, NULL));
  CHECK_RAISES(6, "p is 3", MARGIN(x, class, 3, NULL));
  CHECK_RAISES(7, "[4]", MARGIN(x, class, 1, four));
  CHECK_RAISES(8, "[4]", MARGIN_BACKWARD(one, 1, four, true));
  CHECK_RAISES(4, "[2]", MARGIN_BACKWARD(two, 1, NULL, true));
  CHECK_RAISES(4, "[1]", MARGIN_BACKWARD(one, 1, NULL, false));
}

/* Several labels. */
static void THTest_(wrongLabels)(THTensor *x, THTensor *four, THTensor *x4, THTensor *one,
                                 THTensor *two, THIndexTensor *class, THIndexTensor *mask,
                                 THTensor *y, THTensor *z)
{
  CHECK_RAISES(2, "[2 x 3 x 2 x 2]", LABELS(x4, mask));
  CHECK_RAISES(3, "[2]", LABELS(x, class));
  CHECK_RAISES(0, "[4]", LABELS_BACKWARD(one, four, true));
  CHECK_RAISES(4, "[2]", LABELS_BACKWARD(two, x, true));
  CHECK_RAISES(4, "[1]", LABELS_BACKWARD(one, x, false));
}

/* Classes out of range. */
static void THTest_(wrongClasses)(THTensor *x, THTensor *x4, THTensor *one, THIndexTensor *class,
                                  THIndexTensor *mask, THIndexTensor *image, THTensor *y,
                                  THTensor *z)
{
  for (int bad = 0; bad < 2; bad++) {
    image->storage->data[5] = class->storage->data[1] = bad ? 3 + TH_INDEX_BASE : TH_INDEX_BASE - 1;
    CHECK_RAISES(3, "out of range", SPATIAL(x4, image, NULL));
    CHECK_RAISES(3, "out of range", SPATIAL_BACKWARD(one, NULL, one, true));
    CHECK_RAISES(3, "out of range", MARGIN(x, class, 2, NULL));
    CHECK_RAISES(3, "out of range", MARGIN_BACKWARD(one, 2, NULL, true));
    mask->storage->data[4] = bad ? 3 + TH_INDEX_BASE : TH_INDEX_BASE - 2;
    CHECK_RAISES(3, "neither", LABELS(x, mask));
    CHECK_RAISES(3, "neither", LABELS_BACKWARD(one, x, true));
  }
}

static void THTest_(lossErrors)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 3)), *four = THTest_(tensor)(0, 2, TH_SHAPE(4));
  THTensor *y = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(3, 2)), *z = THTensor_(newClone)(four);
  THTensor *x4 = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 2, 2)), *p = THTensor_(newClone)(x);
  THTensor *one = THTest_(tensor)(0, 1, TH_SHAPE(1)), *two = THTest_(tensor)(0, 1, TH_SHAPE(2));
  THIndexTensor *class = THIndexTensor_(newWithSize1d)(2),
                *mask = THIndexTensor_(newWithSize2d)(2, 3);
  THIndexTensor *image = THIndexTensor_(newWithSize3d)(2, 2, 2);
  for (int i = 0; i < 8; i++)
    image->storage->data[i] = TH_INDEX_BASE;
  for (int i = 0; i < 6; i++) {
    mask->storage->data[i] = TH_INDEX_BASE;
    p->storage->data[i] = (real)0.5;
  }
  class->storage->data[0] = class->storage->data[1] = TH_INDEX_BASE;
  th_watch_tensor("y", y, sizeof(real));
  th_watch_tensor("z", z, sizeof(real));

  THTest_(wrongPairs)(x, four, y, p, one);
  THTest_(wrongPixels)(x, four, x4, one, mask, image, y, z);
  THTest_(wrongMargins)(x, four, x4, p, one, two, class, mask, y);
  THTest_(wrongLabels)(x, four, x4, one, two, class, mask, y, z);
  THTest_(wrongClasses)(x, x4, one, class, mask, image, y, z);
  th_watch_check(1);
  th_watch_forget();
  THTensor *all[] = {x, four, y, z, x4, p, one, two};
  for (int k = 0; k < 8; k++)
    THTensor_(free)(all[k]);
  THIndexTensor_(free)(class);
  THIndexTensor_(free)(mask);
  THIndexTensor_(free)(image);
}

TH_TESTS(THTest_(AbsCriterion), THTest_(SmoothL1Criterion), THTest_(SoftMarginCriterion),
         THTest_(DistKLDivCriterion), THTest_(BCECriterion), THTest_(BCEEdges),
         THTest_(MarginCriterion), THTest_(L1Cost), THTest_(L1CostAlone), THTest_(emptyLosses),
         THTest_(SpatialClassNLLCriterion), THTest_(MultiMarginCriterion),
         THTest_(MultiLabelMarginCriterion), THTest_(stridedTargets), THTest_(lossThreads),
         THTest_(lossErrors))
