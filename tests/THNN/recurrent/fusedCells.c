/* The fused GRU and LSTM cells.  The order of the gates (r, z, n and i, f, g, o) and what each bias
 * belongs to are as in torch.gru_cell and torch.lstm_cell; golden values were compared with
 * these. */
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "../../TH/pointwise/vector_math.h"
#include "../layer/layers.h"

static void gates(Operands *o, int count, THTensor **hidden)
{
  const int64_t batch = between(o, 1, 4), n = one_in(o, 4) ? between(o, 15, 18) : between(o, 1, 5);
  o->cell = batch == 1 && one_in(o, 2) ? any(o, TH_SHAPE(n)) : any(o, TH_SHAPE(batch, n));
  int64_t size[] = {batch, count * n};
  const int dims = o->cell->nDimension;
  o->input = any(o, dims, size + 2 - dims);
  *hidden = any(o, dims, size + 2 - dims);
  if (one_in(o, 2)) {
    o->bias = any(o, TH_SHAPE(count * n));
    o->hiddenBias = any(o, TH_SHAPE(count * n));
  }
}

CALL(gruForward, THNN_(GRUFused_updateOutput)(NULL, o->input, o->hidden, o->bias, o->hiddenBias,
                                              o->cell, o->output, o->storage))
CALL(gruBackward, THNN_(GRUFused_updateGradInput)(NULL, o->gradInput, o->gradHidden, o->gradOutput,
                                                  o->gradCell, o->storage))
static void gruRandom(Operands *o)
{
  gates(o, 3, &o->hidden);
}
static void THTest_(GRUFused)(void)
{
  static const Layer layer = {"GRUFused", gruForward, gruBackward, .random = gruRandom,
                              .file = "cells.txt"};
  check_layer(&layer);
}

/* The layer overwrites its input, so a buffer is passed.  There is no gradient of the new cell
 * here. */
CALL(lstmForward, if (!o->buffer1) o->buffer1 = THTensor_(new)();
     THTensor_(resizeAs)(o->buffer1, o->input); THTensor_(copy)(o->buffer1, o->input);
     THNN_(LSTMFused_updateOutput)(NULL, o->buffer1, o->recurrent, o->bias, o->hiddenBias, o->cell,
                                   o->output, o->newCell))
CALL(lstmBackward,
     THNN_(LSTMFused_updateGradInput)(NULL, o->buffer1, o->gradInput, o->cell, o->newCell,
                                      o->gradOutput, o->gradNewCell, o->gradCell))
static void lstmRandom(Operands *o)
{
  gates(o, 4, &o->recurrent);
  o->gradNewCell = any(o, o->cell->nDimension, o->cell->size);
  THTensor_(zero)(o->gradNewCell);
}
static void THTest_(LSTMFused)(void)
{
  static const Layer layer = {"LSTMFused", lstmForward, lstmBackward, .random = lstmRandom,
                              .file = "cells.txt"};
  check_layer(&layer);
}

/* Gradients of both results; the gates replace the input. */
static void THTest_(lstmCell)(void)
{
  static const Layer layer = {"LSTMCell", lstmForward, lstmBackward, .file = "cells.txt"};
  Operands o;
  for (int number = 0; layer_open(&o, &layer, number, TH_TRANSPOSED, TH_EMPTY); number++) {
    th_note("case %d", number);
    real *around = THTest_(storageValues)(o.input);
    THNN_(LSTMFused_updateOutput)(NULL, o.input, o.recurrent, o.bias, o.hiddenBias, o.cell,
                                  o.output, o.newCell);
    layer_compare(&layer, number, "gates", o.input, NULL);
    layer_compare(&layer, number, "output", o.output, NULL);
    layer_compare(&layer, number, "newCell", o.newCell, NULL);
    CHECK_OUTSIDE(o.input, around);
    THNN_(LSTMFused_updateGradInput)(NULL, o.input, o.gradInput, o.cell, o.newCell, o.gradOutput,
                                     o.gradNewCell, o.gradCell);
    layer_compare(&layer, number, "gradInput", o.gradInput, NULL);
    layer_compare(&layer, number, "gradCell", o.gradCell, NULL);
    free(around);
    layer_close(&o);
  }
  th_golden_close(layer_file);
  layer_file = NULL;
}

static void THTest_(cellThreads)(void)
{
  const int threads = THGetNumThreads();
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(37, 400)),
           *h = THTest_(tensor)(0, 2, TH_SHAPE(37, 100));
  THTensor *x3 = THTest_(tensor)(0, 1, TH_SHAPE(37, 300));
  real *first[2] = {NULL};
  for (int n = 1; n <= 4; n++) {
    THSetNumThreads(n);
    THTensor *gate = THTensor_(newClone)(x), *y[2], *c = THTensor_(new)(), *s = THTensor_(new)();
    y[0] = THTensor_(new)();
    y[1] = THTensor_(new)();
    THNN_(LSTMFused_updateOutput)(NULL, gate, x, NULL, NULL, h, y[0], c);
    THNN_(GRUFused_updateOutput)(NULL, x3, x3, NULL, NULL, h, y[1], s);
    for (int k = 0; k < 2; k++) {
      if (first[k])
        CHECK(!memcmp(first[k], THTensor_(data)(y[k]), 3700 * sizeof(real)));
      else
        first[k] = THTest_(values)(y[k]);
      THTensor_(free)(y[k]);
    }
    THTensor_(free)(gate);
    THTensor_(free)(c);
    THTensor_(free)(s);
  }
  THSetNumThreads(threads);
  free(first[0]);
  free(first[1]);
  THTensor_(free)(x);
  THTensor_(free)(x3);
  THTensor_(free)(h);
}

/* A missing bias is a bias of 0, whichever of the two is missing. */
static void THTest_(cellBiases)(void)
{
  enum { ROWS = 3, UNITS = 37, CELLS = 2, WAYS = 5 };
  THTensor *h = THTest_(tensor)(0, 1, TH_SHAPE(ROWS, UNITS)), *none = NULL;
  for (int lstm = 0; lstm < CELLS; lstm++) {
    const int64_t gates = (3 + lstm) * UNITS;
    THTensor *x = THTest_(tensor)(0, 2, TH_SHAPE(ROWS, gates));
    THTensor *zeros = THTensor_(newWithSize1d)(gates), *ones = THTensor_(newWithSize1d)(gates);
    THTensor_(zero)(zeros);
    THTensor_(fill)(ones, 1);
    THTensor *const biases[WAYS][2] = {
        {none, none}, {zeros, none}, {none, zeros}, {zeros, zeros}, {ones, zeros}};
    THTensor *first[2] = {NULL};
    for (int way = 0; way < WAYS; way++) {
      THTensor *const a = biases[way][0], *const b = biases[way][1];
      THTensor *gate = THTensor_(newClone)(x), *made[2] = {THTensor_(new)(), THTensor_(new)()};
      if (lstm)
        THNN_(LSTMFused_updateOutput)(NULL, gate, x, a, b, h, made[0], made[1]);
      else
        THNN_(GRUFused_updateOutput)(NULL, x, x, a, b, h, made[0], made[1]);
      for (int k = 0; k < 2; k++) {
        if (way == 0)
          first[k] = THTensor_(newClone)(made[k]);
        CHECK_MSG(THTensor_(equal)(first[k], made[k]) == (a != ones),
                  "cell %d, biases %d, result %d", lstm, way, k);
        THTensor_(free)(made[k]);
      }
      THTensor_(free)(gate);
    }
    THTensor *all[] = {x, zeros, ones, first[0], first[1]};
    for (int k = 0; k < 5; k++)
      THTensor_(free)(all[k]);
  }
  THTensor_(free)(h);
}

static void THTest_(cellErrors)(void)
{
  THTensor *h = THTest_(tensor)(0, 1, TH_SHAPE(2, 3)), *x3 = THTest_(tensor)(0, 2, TH_SHAPE(2, 9));
  THTensor *x4 = THTest_(tensor)(0, 3, TH_SHAPE(2, 12)),
           *s = THTest_(tensor)(0, 4, TH_SHAPE(2, 15));
  THTensor *y = THTest_(tensor)(TH_STRIDED, 5, TH_SHAPE(3, 2)), *none = THTensor_(new)();
  THTensor *five = THTest_(tensor)(0, 6, TH_SHAPE(5)), *z = THTest_(tensor)(0, 7, TH_SHAPE(4));
  WATCH(y);
  WATCH(z);
  WATCH(x4);
#define GRU(...)  THNN_(GRUFused_updateOutput)(NULL, __VA_ARGS__)
#define LSTM(...) THNN_(LSTMFused_updateOutput)(NULL, __VA_ARGS__)
  CHECK_RAISES(2, "[2 x 12]", GRU(x4, x3, NULL, NULL, h, y, z));
  CHECK_RAISES(3, "[2 x 3]", GRU(x3, x4, NULL, NULL, h, y, z));
  CHECK_RAISES(4, "[5]", GRU(x3, x3, five, NULL, h, y, z));
  CHECK_RAISES(5, "[5]", GRU(x3, x3, NULL, five, h, y, z));
  CHECK_RAISES(6, "hidden size", GRU(x3, x3, NULL, NULL, none, y, z));
  CHECK_RAISES(6, "[2 x 12]", THNN_(GRUFused_updateGradInput)(NULL, y, y, h, z, x4));
  CHECK_RAISES(4, "hidden size", THNN_(GRUFused_updateGradInput)(NULL, y, y, none, z, s));
  CHECK_RAISES(2, "[2 x 9]", LSTM(x3, x4, NULL, NULL, h, y, z));
  CHECK_RAISES(3, "[2 x 9]", LSTM(x4, x3, NULL, NULL, h, y, z));
  CHECK_RAISES(4, "[5]", LSTM(x4, x4, five, NULL, h, y, z));
  CHECK_RAISES(5, "[5]", LSTM(x4, x4, NULL, five, h, y, z));
  CHECK_RAISES(6, "hidden size", LSTM(x4, x4, NULL, NULL, none, y, z));
#undef GRU
#undef LSTM
#define BACK(S, CX, CY, G, GC) THNN_(LSTMFused_updateGradInput)(NULL, S, y, CX, CY, G, GC, z)
  CHECK_RAISES(2, "[2 x 9]", BACK(x3, h, h, h, h));
  CHECK_RAISES(4, "hidden size", BACK(x4, none, h, h, h));
  CHECK_RAISES(5, "[5]", BACK(x4, h, five, h, h));
  CHECK_RAISES(6, "[5]", BACK(x4, h, h, five, h));
  CHECK_RAISES(7, "[5]", BACK(x4, h, h, h, five));
#undef BACK
  th_watch_check(1);
  th_watch_forget();
  THTensor *all[] = {h, x3, x4, s, y, none, five, z};
  for (int k = 0; k < 8; k++)
    THTensor_(free)(all[k]);
}

/* Sigmoid and tanh of the cells against long double, in units of the last place, and for special
 * values at any position of a row. */
static void THTest_(cellUnits)(void)
{
  enum { COUNT = 20003, SPECIALS = 6 };
  static const double special[SPECIALS] = {INFINITY, -INFINITY, NAN, 1e30, -1e30, 0};
  const int bits = sizeof(real) == 4 ? 24 : 53, least = sizeof(real) == 4 ? -149 : -1074;
  const double far = sizeof(real) == 4 ? 86 : 700;
  th_note("seed %llu", (unsigned long long)th_seed());
  th_random random = {th_seed()};
  THTensor *x = THTensor_(newWithSize1d)(4 * COUNT), *zeros = THTensor_(newWithSize1d)(4 * COUNT);
  THTensor *cell = THTensor_(newWithSize1d)(COUNT), *y = THTensor_(new)(),
           *after = THTensor_(new)();
  THTensor_(zero)(zeros);
  THTensor_(zero)(cell);
  for (int i = 0; i < COUNT; i++) {
    const double unit = (double)th_random_below(&random, 1 << 30) / (1 << 29) - 1;
    const double size = i % 2 ? far : ldexp(1, (int)th_random_below(&random, 30) - 25);
    const int k = i < 96 ? i % 16 : COUNT - 1 - i;
    for (int gate = 0; gate < 4; gate++)
      THTensor_(set1d)(x, gate * COUNT + i, (real)(k < SPECIALS ? special[k] : unit * size));
  }
  THTensor *gates = THTensor_(newClone)(x);
  THNN_(LSTMFused_updateOutput)(NULL, gates, zeros, NULL, NULL, cell, y, after);
  double worst[3] = {0}; /* hyperbolic tangents, sigmoids, tiny ones */
  for (int i = 0; i < 4 * COUNT; i++) {
    const long double v = (long double)THTensor_(get1d)(x, i), e = expl(-fabsl(v));
    const long double got = (long double)THTensor_(get1d)(gates, i);
    const int kind = i / COUNT == 2 ? 0 : v > -18 ? 1 : 2;
    const long double want = kind == 0 ? tanhl(v) : (v < 0 ? e : 1) / (1 + e);
    if (kind == 2 && v < -far)
      CHECK_MSG(got >= 0 && got < 1e-37L, "the sigmoid of %Lg is %Lg", v, got);
    else
      worst[kind] = fmax(worst[kind], units_off(got, want, bits, least));
  }
  printf("tanh %.3f, sigmoid %.3f, below -18 %.3f units off\n", worst[0], worst[1], worst[2]);
#ifdef TH_TEMPLATE_DEVICE /* CUDA's tanh */
  const double bound = 2.5;
#else
  const double bound = 1.2;
#endif
  CHECK_MSG(worst[0] < bound, "tanh is %.3f units off", worst[0]);
  CHECK_MSG(worst[1] < 5, "sigmoid is %.3f units off", worst[1]);
  CHECK_MSG(worst[2] < 7, "sigmoid far below 0 is %.3f units off", worst[2]);
  THTensor *all[] = {x, zeros, cell, y, after, gates};
  for (int k = 0; k < 6; k++)
    THTensor_(free)(all[k]);
}

TH_TESTS(THTest_(GRUFused), THTest_(LSTMFused), THTest_(lstmCell), THTest_(cellThreads),
         THTest_(cellBiases), THTest_(cellErrors), THTest_(cellUnits))
