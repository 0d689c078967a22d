/* The layers that ATen does not have (for the others see tests/ATen/cuda/ladder.c), for lines, planes, windows and
 * lists of 1 to 1025 elements, on a device and by THNN in double precision. */
#include "THC.h"
#include "THNN/THNN.h"

#include "THCUNN/THCUNN.h"
#include "THTemplate.h"

#include "pairs.h"

#define FULL(...)  THTest_(pair)(TH_CONTIGUOUS, __COUNTER__, TH_SHAPE(__VA_ARGS__))
#define NOTHING()  THTest_(nothing)()
#define SAME(PAIR) THTest_(same)(#PAIR, PAIR)

/* Calls THCUNN's function and THNN's with the same arguments: D(pair) and W(pair) become the device's tensor or
 * the host's. */
#define D(PAIR) (PAIR).d
#define W(PAIR) (PAIR).w
#define CALL(NAME, ARGUMENTS)            \
  do {                                   \
    THCState *const state = thc_state(); \
    DEVICE(NAME)(state, ARGUMENTS(D));   \
    HOST(NAME)(NULL, ARGUMENTS(W));      \
  } while (0)

/* count indices below limit, in some order. */
typedef struct {
  THCudaLongTensor *d;
  THLongTensor *w;
} THTest_(Longs);
#define Longs THTest_(Longs)

static Longs THTest_(longs)(int64_t count, int64_t limit, int64_t step)
{
  Longs l = {THCudaLongTensor_newWithSize1d(thc_state(), count), THLongTensor_newWithSize1d(count)};
  for (int64_t i = 0; i < count; i++)
    THLongTensor_set1d(l.w, i, i * step % limit + TH_INDEX_BASE);
  THCudaLongTensor_copyLong(thc_state(), l.d, l.w);
  return l;
}

static void THTest_(freeLongs)(Longs l)
{
  THCudaLongTensor_free(thc_state(), l.d);
  THLongTensor_free(l.w);
}

/* --- tables ------------------------------------------------------------------------------------- */

static void THTest_(lookup)(int64_t n)
{
  Longs few = THTest_(longs)(n, 7, 5), many = THTest_(longs)(n, n, 11);
  Pair g = FULL(n, 3), dw = FULL(7, 3), table = FULL(n, 3), dt = FULL(n, 3);
#define ACCUMULATE(X) X(few), X(g), X(dw), NULL, NULL, NULL, true, TH_INDEX_BASE - 1, 2
  CALL(LookupTable_accGradParameters, ACCUMULATE);
  SAME(dw);
#define ACCUMULATE_MANY(X) X(many), X(g), X(dt), NULL, NULL, NULL, false, TH_INDEX_BASE - 1, 1
  CALL(LookupTable_accGradParameters, ACCUMULATE_MANY);
  SAME(dt);
#define RENORM(X) X(many), X(table), 1.5, 2
  CALL(LookupTable_renorm, RENORM);
  SAME(table);
  FREE(&g, &dw, &table, &dt);
  THTest_(freeLongs)(few);
  THTest_(freeLongs)(many);
}

/* --- convolutions and windows ------------------------------------------------------------------- */

static void THTest_(local)(int64_t n)
{
  Pair x = FULL(2, 2, 2, n), w = FULL(1, n, 3, 2, 2, 1), b = FULL(3, 1, n);
  Pair g = FULL(2, 3, 1, n), y = NOTHING(), dx = NOTHING(), dw = FULL(1, n, 3, 2, 2, 1);
  Pair db = FULL(3, 1, n), columns = NOTHING(), more = NOTHING();
#define WINDOW    1, 2, 1, 1, 0, 0, n, 2, n, 1
#define OUTPUT(X) X(x), X(y), X(w), X(b), X(columns), X(more), WINDOW
  CALL(SpatialConvolutionLocal_updateOutput, OUTPUT);
  SAME(y);
#define GRADIENT(X) X(x), X(g), X(dx), X(w), X(columns), X(more), WINDOW
  CALL(SpatialConvolutionLocal_updateGradInput, GRADIENT);
  SAME(dx);
#define PARAMETERS(X) X(x), X(g), X(dw), X(db), X(columns), X(more), WINDOW, 0.5
  CALL(SpatialConvolutionLocal_accGradParameters, PARAMETERS);
  SAME(dw);
  SAME(db);
  FREE(&x, &w, &b, &g, &y, &dx, &dw, &db, &columns, &more);
#undef OUTPUT
#undef GRADIENT
#undef PARAMETERS
}

/* n frames of 3 features, and frames of n features. */
static void THTest_(frames)(int64_t frames, int64_t features)
{
  Pair x = FULL(2, frames, features), w = FULL(4, 2 * features), b = FULL(4);
  Pair g = FULL(2, frames - 1, 4), y = NOTHING(), dx = NOTHING(), dw = FULL(4, 2 * features);
  Pair db = FULL(4), rows = FULL(features, 1, 2), drows = FULL(features, 1, 2);
  Pair each = FULL(2, frames - 1, features), columns = NOTHING(), more = NOTHING();
#define OUTPUT(X) X(x), X(y), X(w), X(b), 2, 1, (int)features, 4
  CALL(TemporalConvolution_updateOutput, OUTPUT);
  SAME(y);
#define GRADIENT(X) X(x), X(g), X(dx), X(w), 2, 1
  CALL(TemporalConvolution_updateGradInput, GRADIENT);
  SAME(dx);
#define PARAMETERS(X) X(x), X(g), X(dw), X(db), 2, 1, 0.5
  CALL(TemporalConvolution_accGradParameters, PARAMETERS);
  SAME(dw);
  SAME(db);
#define ROWS(X) X(x), X(y), X(rows), NULL, X(columns), X(more), 2, 1, 0, false
  CALL(TemporalRowConvolution_updateOutput, ROWS);
  SAME(y);
#define ROW_PARAMETERS(X) X(x), X(each), X(drows), NULL, X(columns), X(more), 2, 1, 0, false, 2
  CALL(TemporalRowConvolution_accGradParameters, ROW_PARAMETERS);
  SAME(drows);
  FREE(&x, &w, &b, &g, &y, &dx, &dw, &db, &rows, &drows, &each, &columns, &more);
#undef OUTPUT
#undef GRADIENT
#undef PARAMETERS
}

static void THTest_(temporal)(int64_t n)
{
  THTest_(frames)(n + 1, 3);
  THTest_(frames)(3, n);
}

static void THTest_(subsample)(int64_t planes, int64_t width)
{
  Pair x = FULL(planes, 2, width), w = FULL(planes), b = FULL(planes), y = NOTHING();
  Pair g = FULL(planes, 1, width), dx = NOTHING(), dw = FULL(planes), db = FULL(planes);
#define OUTPUT(X) X(x), X(y), X(w), X(b), 1, 2, 1, 1
  CALL(SpatialSubSampling_updateOutput, OUTPUT);
  SAME(y);
#define GRADIENT(X) X(x), X(g), X(dx), X(w), 1, 2, 1, 1
  CALL(SpatialSubSampling_updateGradInput, GRADIENT);
  SAME(dx);
#define PARAMETERS(X) X(x), X(g), X(dw), X(db), 1, 2, 1, 1, 0.5
  CALL(SpatialSubSampling_accGradParameters, PARAMETERS);
  SAME(dw);
  SAME(db);
  FREE(&x, &w, &b, &y, &g, &dx, &dw, &db);
#undef OUTPUT
#undef GRADIENT
#undef PARAMETERS
}

static void THTest_(subsamples)(int64_t n)
{
  THTest_(subsample)(n, 3);
  THTest_(subsample)(3, n);
}

static void THTest_(norms)(int64_t n)
{
  Pair x = FULL(2, n + 1, 3), y = NOTHING(), g = FULL(2, n, 3), dx = NOTHING();
#define OUTPUT(X) X(x), X(y), 2, 2, 1, true
  CALL(FeatureLPPooling_updateOutput, OUTPUT);
  SAME(y);
#define GRADIENT(X) X(g), X(x), X(y), X(dx), 2, 2, 1, true
  CALL(FeatureLPPooling_updateGradInput, GRADIENT);
  SAME(dx);
  FREE(&x, &y, &g, &dx);
#undef OUTPUT
#undef GRADIENT
}

/* --- normalization and cells -------------------------------------------------------------------- */

static void THTest_(normalize)(int64_t batch, int64_t channels)
{
  Pair x = FULL(batch, channels, 2), g = FULL(batch, channels, 2), y = NOTHING(), dx = NOTHING();
  Pair w = FULL(channels), b = FULL(channels), dw = FULL(channels), db = FULL(channels);
  Pair mean = FULL(channels), variance = FULL(channels), m = NOTHING(), s = NOTHING();
#define OUTPUT(X) X(x), X(y), X(w), X(b), X(mean), X(variance), X(m), X(s), true, 0.25, 0.5
  CALL(BatchNormalization_updateOutput, OUTPUT);
  SAME(y);
  SAME(mean);
  SAME(variance);
  SAME(m);
  SAME(s);
#define GRADIENT(X) \
  X(x), X(g), X(dx), X(dw), X(db), X(w), X(mean), X(variance), X(m), X(s), true, 0.5, 0.5
  CALL(BatchNormalization_backward, GRADIENT);
  SAME(dx);
  SAME(dw);
  SAME(db);
  FREE(&x, &g, &y, &dx, &w, &b, &dw, &db, &mean, &variance, &m, &s);
#undef OUTPUT
#undef GRADIENT
}

static void THTest_(batchNorm)(int64_t n)
{
  THTest_(normalize)(n, 2);
  THTest_(normalize)(2, n);
}

static void THTest_(gru)(int64_t rows, int64_t n)
{
  Pair x = FULL(rows, 3 * n), h = FULL(rows, 3 * n), b = FULL(1, 3 * n), c = FULL(1, 3 * n);
  Pair hx = FULL(rows, n), y = NOTHING(), memory = FULL(rows, 5 * n), g = FULL(rows, n);
  Pair dx = FULL(rows, 3 * n), dh = FULL(rows, 3 * n), dhx = FULL(rows, n);
#define OUTPUT(X) X(x), X(h), X(b), X(c), X(hx), X(y), X(memory)
  CALL(GRUFused_updateOutput, OUTPUT);
  SAME(y);
#define GRADIENT(X) X(dx), X(dh), X(g), X(dhx), X(memory)
  CALL(GRUFused_updateGradInput, GRADIENT);
  SAME(dx);
  SAME(dh);
  SAME(dhx);
  FREE(&x, &h, &b, &c, &hx, &y, &memory, &g, &dx, &dh, &dhx);
#undef OUTPUT
#undef GRADIENT
}

static void THTest_(lstm)(int64_t rows, int64_t n)
{
  Pair x = FULL(rows, 4 * n), h = FULL(rows, 4 * n), b = FULL(1, 4 * n), c = FULL(1, 4 * n);
  Pair cx = FULL(rows, n), y = NOTHING(), cy = NOTHING(), g = FULL(rows, n), gc = FULL(rows, n);
  Pair gates = FULL(rows, 4 * n), dcx = FULL(rows, n);
#define OUTPUT(X) X(x), X(h), X(b), X(c), X(cx), X(y), X(cy)
  CALL(LSTMFused_updateOutput, OUTPUT);
  SAME(y);
  SAME(cy);
#define GRADIENT(X) X(x), X(gates), X(cx), X(cy), X(g), X(gc), X(dcx)
  CALL(LSTMFused_updateGradInput, GRADIENT);
  SAME(gates);
  SAME(dcx);
  FREE(&x, &h, &b, &c, &cx, &y, &cy, &g, &gc, &gates, &dcx);
#undef OUTPUT
#undef GRADIENT
}

static void THTest_(cells)(int64_t n)
{
  THTest_(gru)(n, 2);
  THTest_(gru)(2, n);
  THTest_(lstm)(n, 2);
  THTest_(lstm)(2, n);
}

/* --- sparse inputs ------------------------------------------------------------------------------ */

static void THTest_(keys)(int64_t n)
{
  Longs keys = THTest_(longs)(n, 7, 3), size = THTest_(longs)(1, 1, 1);
  THLongTensor_fill(size.w, n);
  THCudaLongTensor_fill(thc_state(), size.d, n);
  Pair values = FULL(n), w = FULL(7, 2), b = FULL(2), y = NOTHING(), normalized = NOTHING();
  Pair g = FULL(1, 2), dw = FULL(n, 2), db = FULL(2);
#define OUTPUT(X) X(keys), 0, X(values), X(size), NULL, X(y), X(w), X(b), X(normalized), 0
  CALL(IndexLinear_updateOutput, OUTPUT);
  SAME(y);
#define PARAMETERS(X) \
  X(keys), 0, X(values), X(size), NULL, X(g), X(dw), X(db), X(w), X(b), NULL, 0.125, 2
  CALL(IndexLinear_accGradParameters, PARAMETERS);
  SAME(dw);
  SAME(db);
#define STEP(X) X(dw), X(db), X(w), X(b), X(keys), NULL, 0, 0.125, 0.5
  CALL(IndexLinear_updateParameters, STEP);
  SAME(w);
  FREE(&values, &w, &b, &y, &normalized, &g, &dw, &db);
  THTest_(freeLongs)(keys);
  THTest_(freeLongs)(size);
#undef OUTPUT
#undef PARAMETERS
}

/* n entries of a batch of 3 inputs of 7 elements. */
static void THTest_(sparse)(int64_t n)
{
  Pair x = FULL(n, 3), w = FULL(2, 7), b = FULL(2), y = FULL(3, 2), g = FULL(3, 2);
  Pair dw = FULL(2, 7), db = FULL(2);
  for (int64_t i = 0; i < n; i++) {
    const int64_t row = i == n - 1 ? 3 : i * 3 / n + 1, column = i * 5 % 7 + 1;
    THDoubleTensor_set2d(x.w, i, 0, (double)row);
    THDoubleTensor_set2d(x.w, i, 1, (double)column);
    THCTensor_(set2d)(thc_state(), x.d, i, 0, (real)row);
    THCTensor_(set2d)(thc_state(), x.d, i, 1, (real)column);
  }
#define OUTPUT(X) X(x), X(y), X(w), X(b)
  CALL(SparseLinear_updateOutput, OUTPUT);
  SAME(y);
#define PARAMETERS(X) X(x), X(g), X(dw), X(db), X(w), X(b), 0.25, 2
  CALL(SparseLinear_accGradParameters, PARAMETERS);
  SAME(dw);
  SAME(db);
#define CHANGE(X) X(w), X(b), X(dw), X(db), X(x), 0.5
  CALL(SparseLinear_updateParameters, CHANGE);
  SAME(w);
#define CLEAR(X) X(dw), X(db), X(x)
  CALL(SparseLinear_zeroGradParameters, CLEAR);
  SAME(dw);
  FREE(&x, &w, &b, &y, &g, &dw, &db);
}

/* --- the ladder --------------------------------------------------------------------------------- */

#define FOR_EACH(X) \
  X(lookup)         \
  X(local) X(temporal) X(subsamples) X(norms) X(batchNorm) X(cells) X(keys) X(sparse)

static void THTest_(ladder)(void)
{
  static const int64_t sizes[] = {1, 2, 31, 32, 33, 1023, 1025};
#define ROW(NAME) {#NAME, THTest_(NAME)},
  static const struct {
    const char *name;
    void (*run)(int64_t n);
  } rows[] = {FOR_EACH(ROW)};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      th_note("%s of %lld", rows[i].name, (long long)sizes[s]);
      rows[i].run(sizes[s]);
    }
}

TH_TESTS(THTest_(ladder))
