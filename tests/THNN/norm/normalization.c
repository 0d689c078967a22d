/* Batch normalization. */
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "../layer/layers.h"

/* args: train, momentum, eps.  Running statistics are not passed here where they would change. */
CALL(batchNormForward,
     THNN_(BatchNormalization_updateOutput)(NULL, o->input, o->output, o->weight, o->bias,
                                            BOOL(0) ? NULL : o->mean, BOOL(0) ? NULL : o->variance,
                                            o->saveMean, o->saveStd, BOOL(0), o->args[1],
                                            o->args[2]))
CALL(batchNormBackward,
     THNN_(BatchNormalization_backward)(NULL, o->input, o->gradOutput, o->gradInput, NULL, NULL,
                                        o->weight, o->mean, o->variance, o->saveMean, o->saveStd,
                                        BOOL(0), 1, o->args[2]))
CALL(batchNormAccumulate,
     THNN_(BatchNormalization_backward)(NULL, o->input, o->gradOutput, NULL, o->gradWeight,
                                        o->gradBias, o->weight, o->mean, o->variance, o->saveMean,
                                        o->saveStd, BOOL(0), o->scale, o->args[2]))
static void batchNormRandom(Operands *o)
{
  int64_t size[6];
  const int dims = (int)between(o, 2, 6);
  for (int d = 0; d < dims; d++)
    size[d] = between(o, d == 0 ? 3 : 1, 4 - (d > 2));
  if (dims == 2 && one_in(o, 4))
    size[1] = between(o, 60, 70);
  o->input = any(o, dims, size);
  if (one_in(o, 2))
    o->weight = any(o, 1, size + 1);
  if (one_in(o, 2))
    o->bias = any(o, 1, size + 1);
  o->mean = any(o, 1, size + 1);
  o->variance = any_in(o, 0.25, 2, 1, size + 1);
  o->args[0] = one_in(o, 2);
  o->args[1] = 0.25;
  o->args[2] = 1e-3;
}
static const Layer batchNorm = {"BatchNormalization",      batchNormForward,
                                batchNormBackward,         batchNormAccumulate,
                                .random = batchNormRandom, .file = "normalization.txt"};
static void THTest_(BatchNormalization)(void)
{
  check_layer(&batchNorm);
}

/* In training, running statistics change; save_mean and save_std are results. */
static void THTest_(batchNormRunning)(void)
{
  Operands o;
  for (int number = 0; layer_open(&o, &batchNorm, number, TH_STRIDED, TH_EMPTY); number++) {
    if (o.args[0]) {
      th_note("case %d", number);
      real *aroundMean = THTest_(storageValues)(o.mean);
      real *aroundVariance = THTest_(storageValues)(o.variance);
      THNN_(BatchNormalization_updateOutput)(NULL, o.input, o.output, o.weight, o.bias, o.mean,
                                             o.variance, o.saveMean, o.saveStd, true, o.args[1],
                                             o.args[2]);
      layer_compare(&batchNorm, number, "newMean", o.mean, NULL);
      layer_compare(&batchNorm, number, "newVariance", o.variance, NULL);
      layer_compare(&batchNorm, number, "output", o.output, NULL);
      CHECK_OUTSIDE(o.mean, aroundMean);
      CHECK_OUTSIDE(o.variance, aroundVariance);
      free(aroundMean);
      free(aroundVariance);
    }
    layer_close(&o);
  }
  th_golden_close(layer_file);
  layer_file = NULL;
}

/* A mean that is large compared to the spread loses no more digits than the input has lost. */
static void THTest_(batchNormShifted)(void)
{
  enum { BATCH = 5, INNER = 33 };
  const real shift = sizeof(real) == 4 ? (real)0x1p12 : (real)0x1p20;
  for (int flat = 0; flat < 2; flat++) {
    THTensor *x = flat ? THTest_(tensor)(0, 1, TH_SHAPE(BATCH * INNER, 1))
                       : THTest_(tensor)(0, 1, TH_SHAPE(BATCH, 1, INNER));
    THTensor *y = THTensor_(new)(), *mean = THTensor_(new)(), *std = THTensor_(new)();
    real *data = THTensor_(data)(x);
    double m = 0, v = 0;
    for (int i = 0; i < BATCH * INNER; i++) {
      data[i] = shift + (real)(i * 37 % 64) / 16;
      m += (double)(data[i] - shift) / (BATCH * INNER);
    }
    for (int i = 0; i < BATCH * INNER; i++)
      v += ((double)(data[i] - shift) - m) * ((double)(data[i] - shift) - m) / (BATCH * INNER);
    THNN_(BatchNormalization_updateOutput)(NULL, x, y, NULL, NULL, NULL, NULL, mean, std, true, 0,
                                           0);
    for (int i = 0; i < BATCH * INNER; i++)
      CHECK_NEAR(*THTest_(at)(y, i), ((double)(data[i] - shift) - m) / sqrt(v),
                 sizeof(real) == 4 ? 1e-6 : 1e-8);
    THTensor_(free)(x);
    THTensor_(free)(y);
    THTensor_(free)(mean);
    THTensor_(free)(std);
  }
}

/* Statistics take one pass only where a guess from some elements is good enough.  In some channels
 * these elements are all far from the others here, or infinite. */
static void THTest_(batchNormFar)(void)
{
  enum { CHANNELS = 21, ALL = 16000, EIGHTH = ALL / 8 };
  static const int64_t inner[] = {1, 4, 50};
  for (int k = 0; k < 3; k++) {
    const int64_t n = inner[k], batch = ALL / n;
    THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(batch, CHANNELS, n)), *y = THTensor_(new)();
    THTensor *mean = THTensor_(new)(), *std = THTensor_(new)();
    for (int64_t i = 0; i < ALL; i++)
      for (int c = 0; c < CHANNELS; c++) {
        real *at = THTest_(at)(x, (i / n * CHANNELS + c) * n + i % n);
        *at = (real)(((i * 37 + c) % 64) / 16.0 + c);
        if (c % 3 == 1 && i % EIGHTH == i / EIGHTH * n / 8)
          *at = (real)0x1p30;
        if (c == 5 && i == 0)
          *at = (real)INFINITY;
      }
    THNN_(BatchNormalization_updateOutput)(NULL, x, y, NULL, NULL, NULL, NULL, mean, std, true, 0,
                                           0);
    for (int c = 0; c < CHANNELS; c++) {
      long double m = 0, v = 0;
      for (int64_t i = 0; i < ALL; i++)
        m += (long double)*THTest_(at)(x, (i / n * CHANNELS + c) * n + i % n) / ALL;
      for (int64_t i = 0; i < ALL; i++) {
        const long double d = (long double)*THTest_(at)(x, (i / n * CHANNELS + c) * n + i % n) - m;
        v += d * d / ALL;
      }
      th_note("channel %d, %d", c, k);
      if (c == 5) {
        CHECK(isinf(*THTest_(at)(mean, c)) && isnan(*THTest_(at)(std, c)));
        continue;
      }
      CHECK_NEAR(*THTest_(at)(mean, c) / (double)m, 1, sizeof(real) == 4 ? 1e-7 : 1e-14);
      CHECK_NEAR(*THTest_(at)(std, c) * sqrt((double)v), 1, sizeof(real) == 4 ? 1e-7 : 1e-14);
    }
    THTensor_(free)(x);
    THTensor_(free)(y);
    THTensor_(free)(mean);
    THTensor_(free)(std);
  }
}

/* Equal values without eps. */
static void THTest_(batchNormEdges)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(4, 2, 3)), *y = THTensor_(new)();
  THTensor *mean = THTensor_(new)(), *std = THTensor_(new)();
  THTensor_(fill)(x, 3);
  THNN_(BatchNormalization_updateOutput)(NULL, x, y, NULL, NULL, NULL, NULL, mean, std, true, 0.5,
                                         0);
  for (int i = 0; i < 24; i++)
    CHECK_EQ(*THTest_(at)(y, i), 0);
  CHECK_EQ(*THTest_(at)(std, 1), 0);
  CHECK_EQ(*THTest_(at)(mean, 1), 3);
  THTensor_(free)(x);
  THTensor_(free)(y);
  THTensor_(free)(mean);
  THTensor_(free)(std);
}

/* Rows long enough for non-temporal stores, where results of any size use them; some begin and end
 * within cache lines.  Results and gradients against the definition, for both kinds of
 * statistics. */
static void THTest_(batchNormLongRows)(void)
{
  enum { BATCH = 3, CHANNELS = 3, ALL = BATCH * CHANNELS };
  static const int64_t inner[] = {256, 331, 500};
  const double eps = 1e-3, allowed = sizeof(real) == 4 ? 2e-6 : 1e-13;
  for (int k = 0; k < 6; k++) {
    const int64_t n = inner[k / 2];
    const bool train = k % 2;
    THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(BATCH, CHANNELS, n));
    THTensor *g = THTest_(tensor)(0, 2, TH_SHAPE(BATCH, CHANNELS, n));
    THTensor *w = THTest_(tensor)(0, 3, TH_SHAPE(CHANNELS)), *y = THTensor_(new)();
    THTensor *b = THTest_(tensor)(0, 4, TH_SHAPE(CHANNELS)), *d = THTensor_(new)();
    THTensor *mean = THTest_(tensor)(0, 5, TH_SHAPE(CHANNELS)), *saved = THTensor_(new)();
    THTensor *variance = THTest_(tensor)(0, 6, TH_SHAPE(CHANNELS)), *std = THTensor_(new)();
    THTensor_(fill)(variance, 2);
    for (int64_t i = 0; i < ALL * n; i++) {
      *THTest_(at)(x, i) = (real)((double)(i * 37 % 101) / 50 - 1);
      *THTest_(at)(g, i) = (real)((double)(i * 53 % 97) / 50 - 1);
    }
    THNN_(BatchNormalization_updateOutput)(NULL, x, y, w, b, train ? NULL : mean,
                                           train ? NULL : variance, saved, std, train, 0, eps);
    THNN_(BatchNormalization_backward)(NULL, x, g, d, NULL, NULL, w, mean, variance, saved, std,
                                       train, 1, eps);
    th_note("rows of %d, training %d", (int)n, train);
    for (int c = 0; c < CHANNELS; c++) {
      const double count = (double)(BATCH * n);
      double m = 0, v = 0, sum = 0, dot = 0;
      for (int64_t i = 0; i < BATCH * n; i++)
        m += (double)*THTest_(at)(x, (i / n * CHANNELS + c) * n + i % n) / count;
      if (!train)
        m = (double)*THTest_(at)(mean, c);
      for (int64_t i = 0; i < BATCH * n; i++) {
        const int64_t at = (i / n * CHANNELS + c) * n + i % n;
        const double away = (double)*THTest_(at)(x, at) - m;
        v += away * away / count;
        sum += (double)*THTest_(at)(g, at) / count;
        dot += (double)*THTest_(at)(g, at) * away / count;
      }
      const double r = 1 / sqrt((train ? v : 2) + eps), slope = r * (double)*THTest_(at)(w, c);
      for (int64_t i = 0; i < BATCH * n; i++) {
        const int64_t at = (i / n * CHANNELS + c) * n + i % n;
        const double away = (double)*THTest_(at)(x, at) - m, h = (double)*THTest_(at)(g, at);
        const double less = train ? sum + r * r * dot * away : 0;
        const double bias = (double)*THTest_(at)(b, c);
        CHECK_NEAR((double)*THTest_(at)(y, at), away * slope + bias, allowed * (1 + fabs(bias)));
        CHECK_NEAR((double)*THTest_(at)(d, at), (h - less) * slope, allowed * (1 + fabs(slope)));
      }
    }
    THTensor *all[] = {x, g, w, y, b, d, mean, saved, variance, std};
    for (int i = 0; i < 10; i++)
      THTensor_(free)(all[i]);
  }
}

/* Results have the same bits for any number of threads. */
static void THTest_(batchNormThreads)(void)
{
  static const int64_t sizes[][3] = {{6, 19, 700}, {300, 400, 1}, {70000, 64, 1}};
  const int threads = THGetNumThreads();
  for (int k = 0; k < 3; k++) {
    real *first[4] = {NULL};
    THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(sizes[k][0], sizes[k][1], sizes[k][2]));
    for (int n = 1; n <= 4; n++) {
      THSetNumThreads(n);
      THTensor *y = THTensor_(new)(), *z = THTensor_(new)(), *d = THTensor_(new)();
      THTensor *mean = THTensor_(new)(), *std = THTensor_(new)();
      THTensor *sum = THTest_(tensor)(0, 2, TH_SHAPE(sizes[k][1]));
      THNN_(BatchNormalization_updateOutput)(NULL, x, y, NULL, NULL, NULL, NULL, mean, std, true,
                                             0.5, 1e-5);
      THNN_(BatchNormalization_updateOutput)(NULL, x, z, NULL, NULL, mean, std, NULL, NULL, false,
                                             0.5, 1e-5);
      THNN_(BatchNormalization_backward)(NULL, x, z, d, sum, NULL, NULL, NULL, NULL, mean, std,
                                         true, 0.5, 1e-5);
      THTensor *results[] = {y, z, d, sum};
      for (int i = 0; i < 4; i++) {
        const size_t bytes = (size_t)THTest_(count)(results[i]) * sizeof(real);
        if (first[i])
          CHECK(!memcmp(first[i], THTensor_(data)(results[i]), bytes));
        else
          first[i] = THTest_(values)(results[i]);
        THTensor_(free)(results[i]);
      }
      THTensor_(free)(mean);
      THTensor_(free)(std);
    }
    for (int i = 0; i < 4; i++)
      free(first[i]);
    THTensor_(free)(x);
  }
  THSetNumThreads(threads);
}

static void THTest_(batchNormErrors)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(4, 2, 3)),
           *flat = THTest_(tensor)(0, 1, TH_SHAPE(2));
  THTensor *five = THTest_(tensor)(0, 1, TH_SHAPE(5)), *c = THTest_(tensor)(0, 2, TH_SHAPE(2));
  THTensor *y = THTest_(tensor)(TH_STRIDED, 3, TH_SHAPE(3, 2));
  THTensor *m = THTest_(tensor)(0, 4, TH_SHAPE(3)), *s = THTest_(tensor)(0, 5, TH_SHAPE(3));
  THTensor *single = THTest_(tensor)(0, 6, TH_SHAPE(1, 2, 1)),
           *pair = THTest_(tensor)(0, 7, TH_SHAPE(1, 2));
  WATCH(y);
  WATCH(m);
  WATCH(s);
  WATCH(c);
#define FORWARD(X, W, B, RM, RV, SM, SS, TRAIN) \
  THNN_(BatchNormalization_updateOutput)(NULL, X, y, W, B, RM, RV, SM, SS, TRAIN, 0.5, 1e-5)
  CHECK_RAISES(2, "[2]", FORWARD(flat, c, c, c, c, m, s, true));
  CHECK_RAISES(4, "weight has size [5]", FORWARD(x, five, c, c, c, m, s, true));
  CHECK_RAISES(5, "bias has size [5]", FORWARD(x, c, five, c, c, m, s, true));
  CHECK_RAISES(6, "running_mean has size [5]", FORWARD(x, c, c, five, c, m, s, true));
  CHECK_RAISES(7, "[4 x 2 x 3]", FORWARD(x, c, c, c, five, m, s, true));
  CHECK_RAISES(6, "NULL", FORWARD(x, c, c, NULL, c, m, s, false));
  CHECK_RAISES(7, "NULL", FORWARD(x, c, c, c, NULL, m, s, false));
  CHECK_RAISES(8, "NULL", FORWARD(x, c, c, c, c, NULL, s, true));
  CHECK_RAISES(9, "NULL", FORWARD(x, c, c, c, c, m, NULL, true));
  /* PyTorch refuses to train on one value for each channel, too. */
  CHECK_RAISES(2, "[1 x 2 x 1]", FORWARD(single, c, c, c, c, m, s, true));
  CHECK_RAISES(2, "[1 x 2]", FORWARD(pair, NULL, NULL, NULL, c, m, s, true));
#undef FORWARD
#define BACKWARD(G, GW, GB, W, RM, RV, SM, SS, TRAIN) \
  THNN_(BatchNormalization_backward)(NULL, x, G, y, GW, GB, W, RM, RV, SM, SS, TRAIN, 1, 1e-5)
  CHECK_RAISES(0, "[5]", BACKWARD(five, c, c, c, c, c, c, c, true));
  CHECK_RAISES(5, "[5]", BACKWARD(x, five, c, c, c, c, c, c, true));
  CHECK_RAISES(6, "[5]", BACKWARD(x, c, five, c, c, c, c, c, true));
  CHECK_RAISES(7, "[5]", BACKWARD(x, c, c, five, c, c, c, c, true));
  CHECK_RAISES(8, "[5]", BACKWARD(x, c, c, c, five, c, c, c, false));
  CHECK_RAISES(9, "NULL", BACKWARD(x, c, c, c, c, NULL, c, c, false));
  CHECK_RAISES(10, "NULL", BACKWARD(x, c, c, c, c, c, NULL, c, true));
  CHECK_RAISES(11, "[5]", BACKWARD(x, c, c, c, c, c, c, five, true));
#undef BACKWARD
  th_watch_check(1);
  th_watch_forget();
  THTensor_(free)(x);
  THTensor_(free)(single);
  THTensor_(free)(pair);
  THTensor_(free)(flat);
  THTensor_(free)(five);
  THTensor_(free)(c);
  THTensor_(free)(y);
  THTensor_(free)(m);
  THTensor_(free)(s);
}

TH_TESTS(THTest_(BatchNormalization), THTest_(batchNormRunning), THTest_(batchNormShifted),
         THTest_(batchNormFar), THTest_(batchNormEdges), THTest_(batchNormLongRows),
         THTest_(batchNormThreads), THTest_(batchNormErrors))
