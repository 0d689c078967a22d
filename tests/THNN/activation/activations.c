/* Activations, without a second operand and with one. */
#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "../../TH/pointwise/vector_math.h"
#include "../layer/layers.h"

/* args: the layer's parameters */
#define A (o->args[0])
#define B (o->args[1])

static void anyInput(Operands *o)
{
  o->input = any_shape(o);
}

/* Defines a test NAME of a layer with functions NAME_forward and NAME_backward. */
#define TEST(NAME, RANDOM)                                                                \
  static void THTest_(NAME)(void)                                                         \
  {                                                                                       \
    static const Layer layer = {#NAME, NAME##_forward, NAME##_backward, .random = RANDOM, \
                                .file = "elementwise.txt"};                               \
    check_layer(&layer);                                                                  \
  }

/* --- without parameters ---------------------------------------------------------------------- */

CALL(Abs_forward, THNN_(Abs_updateOutput)(NULL, o->input, o->output))
CALL(Abs_backward, THNN_(Abs_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput))
TEST(Abs, anyInput)

CALL(LogSigmoid_forward, THNN_(LogSigmoid_updateOutput)(NULL, o->input, o->output, o->buffer1))
CALL(LogSigmoid_backward,
     THNN_(LogSigmoid_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->buffer1))
TEST(LogSigmoid, anyInput)

CALL(Sigmoid_forward, THNN_(Sigmoid_updateOutput)(NULL, o->input, o->output))
CALL(Sigmoid_backward, THNN_(Sigmoid_updateGradInput)(NULL, o->gradOutput, o->gradInput, o->output))
TEST(Sigmoid, anyInput)

CALL(Square_forward, THNN_(Square_updateOutput)(NULL, o->input, o->output))
CALL(Square_backward, THNN_(Square_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput))
TEST(Square, anyInput)

static void positiveInput(Operands *o)
{
  THTensor *like = any_shape(o);
  o->input = any_in(o, 0.25, 2, like->nDimension, like->size);
  THTensor_(free)(like);
}
CALL(Sqrt_forward, THNN_(Sqrt_updateOutput)(NULL, o->input, o->output, A))
CALL(Sqrt_backward,
     THNN_(Sqrt_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->output))
TEST(Sqrt, positiveInput)

/* --- with parameters ------------------------------------------------------------------------- */

static void eluRandom(Operands *o)
{
  anyInput(o);
  A = 0.25 * (double)between(o, 1, 8);
  B = 0.5 * (double)between(o, 1, 4);
}
CALL(ELU_forward, THNN_(ELU_updateOutput)(NULL, o->input, o->output, A, B, false))
CALL(ELU_backward, THNN_(ELU_updateGradInput)(NULL, o->gradOutput, o->gradInput, o->output, A, B))
TEST(ELU, eluRandom)

static void lambdaRandom(Operands *o)
{
  anyInput(o);
  A = 0.25 * (double)between(o, 0, 6);
}
CALL(HardShrink_forward, THNN_(HardShrink_updateOutput)(NULL, o->input, o->output, A))
CALL(HardShrink_backward,
     THNN_(HardShrink_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, A))
TEST(HardShrink, lambdaRandom)

CALL(SoftShrink_forward, THNN_(SoftShrink_updateOutput)(NULL, o->input, o->output, A))
CALL(SoftShrink_backward,
     THNN_(SoftShrink_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, A))
TEST(SoftShrink, lambdaRandom)

static void hardTanhRandom(Operands *o)
{
  anyInput(o);
  A = 0.25 * (double)between(o, -6, 2);
  B = A + 0.25 * (double)between(o, 1, 6);
}
CALL(HardTanh_forward, THNN_(HardTanh_updateOutput)(NULL, o->input, o->output, A, B, false))
CALL(HardTanh_backward,
     THNN_(HardTanh_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, A, B, false))
TEST(HardTanh, hardTanhRandom)

static void leakyReLURandom(Operands *o)
{
  anyInput(o);
  A = 0.25 * (double)between(o, -4, 4);
}
CALL(LeakyReLU_forward, THNN_(LeakyReLU_updateOutput)(NULL, o->input, o->output, A, false))
CALL(LeakyReLU_backward,
     THNN_(LeakyReLU_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, A, false))
TEST(LeakyReLU, leakyReLURandom)

static void softPlusRandom(Operands *o)
{
  anyInput(o);
  A = 0.5 * (double)between(o, 1, 6);
  B = 20;
}
CALL(SoftPlus_forward, THNN_(SoftPlus_updateOutput)(NULL, o->input, o->output, A, B))
CALL(SoftPlus_backward,
     THNN_(SoftPlus_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->output, A, B))
TEST(SoftPlus, softPlusRandom)

/* --- with a second operand ------------------------------------------------------------------- */

/* args: dim */
static void gatedRandom(Operands *o)
{
  int64_t size[5];
  const int dims = (int)between(o, 1, 5), dim = (int)between(o, 0, dims - 1);
  for (int d = 0; d < dims; d++)
    size[d] = between(o, 1, 3) * (d == dim ? 2 : 1);
  o->input = any(o, dims, size);
  A = dim;
}
#define GATED_DIM (INT(0) + TH_INDEX_BASE)
CALL(GatedLinear_forward, THNN_(GatedLinear_updateOutput)(NULL, o->input, o->output, GATED_DIM))
CALL(GatedLinear_backward,
     THNN_(GatedLinear_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, GATED_DIM))
TEST(GatedLinear, gatedRandom)

static void preluRandom(Operands *o)
{
  o->input = any_shape(o);
  const int64_t planes = o->input->size[o->input->nDimension > 1];
  o->weight = any(o, TH_SHAPE(one_in(o, 3) ? 1 : planes));
}
CALL(PReLU_forward, THNN_(PReLU_updateOutput)(NULL, o->input, o->output, o->weight))
CALL(PReLU_backward,
     THNN_(PReLU_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput, o->weight))
CALL(PReLU_accumulate, THNN_(PReLU_accGradParameters)(NULL, o->input, o->gradOutput, o->gradInput,
                                                      o->weight, o->gradWeight, o->scale))
static void THTest_(PReLU)(void)
{
  static const Layer layer = {"PReLU",          PReLU_forward,         PReLU_backward,
                              PReLU_accumulate, .random = preluRandom, .file = "elementwise.txt"};
  check_layer(&layer);
}

/* args: lower, upper, train, seed; total is the noise */
static THGenerator *seeded(const Operands *o)
{
  static THGenerator generator;
  THRandom_manualSeed(&generator, (uint64_t)o->args[3]);
#ifdef TH_TEMPLATE_DEVICE /* a device has a generator of its own */
  THCRandom_manualSeed(thc_state(), (uint64_t)o->args[3]);
#endif
  return &generator;
}
static void rreluRandom(Operands *o)
{
  anyInput(o);
  A = 0.25 * (double)between(o, -4, 4);
  B = A + 0.25 * (double)between(o, 0, 4);
  o->args[2] = one_in(o, 2);
  o->args[3] = (double)between(o, 0, 1000);
}
CALL(RReLU_forward, THNN_(RReLU_updateOutput)(NULL, o->input, o->output, o->total, A, B, BOOL(2),
                                              false, seeded(o)))
CALL(RReLU_backward, THNN_(RReLU_updateGradInput)(NULL, o->input, o->gradOutput, o->gradInput,
                                                  o->total, A, B, BOOL(2), false))
#if defined(TH_COMPAT_TORCH7) || \
    defined(                     \
        TH_TEMPLATE_DEVICE) /* a device's draws differ from the golden values: see RReLUDraws */
static void THTest_(RReLU)(void)
{
  static const Layer layer = {"RReLU", RReLU_forward, RReLU_backward, .random = rreluRandom,
                              .file = "elementwise.txt"};
  layer_gradients(&layer);
  layer_failures(&layer);
  th_golden_close(layer_file);
  layer_file = NULL;
}
#else
TEST(RReLU, rreluRandom)
#endif

/* --- in place -------------------------------------------------------------------------------- */

/* Functions with an inplace flag, applied to x: y becomes x if it is set.  given is the input of
 * gradients. */
typedef struct InPlace {
  const char *name;
  void (*call)(THTensor *given, THTensor *x, THTensor *y, bool inplace);
} InPlace;

static THTensor *noise;

#define FORWARD(NAME, ...)                                                           \
  static void NAME##InPlace(THTensor *given, THTensor *x, THTensor *y, bool inplace) \
  {                                                                                  \
    THNN_(NAME##_updateOutput)(NULL, x, y, __VA_ARGS__);                             \
  }
#define BACKWARD(NAME, ...)                                                                  \
  static void NAME##BackwardInPlace(THTensor *given, THTensor *x, THTensor *y, bool inplace) \
  {                                                                                          \
    THNN_(NAME##_updateGradInput)(NULL, given, x, y, __VA_ARGS__);                           \
  }
#define SEEDED (seeded(&(Operands){.args = {0, 0, 0, 7}}))

static THTensor *slopesOf(THTensor *input)
{
  THTensor *unused = THTensor_(new)();
  THNN_(RReLU_updateOutput)(NULL, input, unused, noise, 0.25, 0.5, true, false, SEEDED);
  THTensor_(free)(unused);
  return noise;
}

FORWARD(ELU, 0.5, 2, inplace)
FORWARD(HardTanh, -1, 1.5, inplace)
BACKWARD(HardTanh, -1, 1.5, inplace)
FORWARD(LeakyReLU, 0.25, inplace)
BACKWARD(LeakyReLU, 0.25, inplace)
FORWARD(Threshold, 0.25, 7, inplace)
BACKWARD(Threshold, 0.25, 7, inplace)
FORWARD(RReLU, noise, 0.25, 0.5, true, inplace, SEEDED)
BACKWARD(RReLU, slopesOf(given), 0.25, 0.5, true, inplace)

/* Layers in place: the values are the same as in a new tensor, and x and y end as the same tensor. */
static void THTest_(inPlace)(void)
{
#define ROW(NAME) {#NAME, NAME##InPlace}
  static const InPlace rows[] = {ROW(ELU),
                                 ROW(HardTanh),
                                 ROW(HardTanhBackward),
                                 ROW(LeakyReLU),
                                 ROW(LeakyReLUBackward),
                                 ROW(Threshold),
                                 ROW(ThresholdBackward),
                                 ROW(RReLU),
                                 ROW(RReLUBackward)};
#undef ROW
  noise = THTensor_(new)();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int layout = 0; layout < TH_LAYOUTS; layout++)
      for (int other = 0; other < 2; other++) {
        if (!th_layout_is_writable(layout))
          continue;
        th_note("%s, %s, given %s", rows[i].name, th_layout_names[layout],
                other ? "permuted" : "contiguous");
        const int empty = layout == TH_EMPTY;
        THTensor *x = THTest_(tensor)(layout, 4, TH_SHAPE(7, 5, 3));
        const int layouts[] = {0, TH_PERMUTED};
        THTensor *given = empty ? THTensor_(newClone)(x)
                                : THTest_(tensor)(layouts[other], 5, x->nDimension, x->size);
        THTensor *same = THTensor_(newClone)(x), *want = THTensor_(new)(), *y = THTensor_(new)();
        real *around = THTest_(storageValues)(x);
        rows[i].call(given, same, want, false);
        rows[i].call(given, x, y, true);
        CHECK(THTensor_(isSetTo)(y, x) || empty);
        for (ptrdiff_t k = 0; k < THTest_(count)(x); k++)
          CHECK_EQ(*THTest_(at)(x, k), *THTest_(at)(want, k));
        CHECK_OUTSIDE(x, around);
        free(around);
        THTensor *all[] = {x, given, same, want, y};
        for (int k = 0; k < 5; k++)
          THTensor_(free)(all[k]);
      }
  THTensor_(free)(noise);
}

/* The gradient may replace the input, in place or not. */
static void THTest_(gradientOverInput)(void)
{
  for (int inplace = 0; inplace < 2; inplace++) {
    THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(4, 6)), *g = THTest_(tensor)(0, 2, TH_SHAPE(4, 6));
    THTensor *g2 = THTensor_(newClone)(g), *want = THTensor_(new)();
    THNN_(LeakyReLU_updateGradInput)(NULL, x, g, want, 0.25, false);
    THNN_(LeakyReLU_updateGradInput)(NULL, x, g2, x, 0.25, inplace);
    CHECK(THTensor_(equal)(x, want));
    THTensor *half = THTensor_(newNarrow)(g, 1, 0, 3);
    THNN_(GatedLinear_updateGradInput)(NULL, g, half, want, 1 + TH_INDEX_BASE);
    THNN_(GatedLinear_updateGradInput)(NULL, g, half, g, 1 + TH_INDEX_BASE);
    CHECK(THTensor_(equal)(g, want));
    THTensor *all[] = {x, g, g2, want, half};
    for (int k = 0; k < 5; k++)
      THTensor_(free)(all[k]);
  }
}

/* --- RReLU's draws, NaN ---------------------------------------------------------------------- */

/* One draw for each element up to 0, none for the others; nothing is drawn without training. */
static void THTest_(RReLUDraws)(void)
{
  THGenerator *one = THGenerator_new(), *two = THGenerator_new();
  THTensor *x = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(9, 11)), *y = THTensor_(new)();
  THTensor *slopes = THTensor_(new)();
  *THTest_(at)(x, 5) = 0;
  *THTest_(at)(x, 7) = NAN;
  THRandom_manualSeed(one, 5);
  THRandom_manualSeed(two, 5);
  THNN_(RReLU_updateOutput)(NULL, x, y, slopes, 0.25, 0.75, true, false, one);
  for (ptrdiff_t i = 0; i < 99; i++) {
    const real v = *THTest_(at)(x, i);
#ifdef TH_TEMPLATE_DEVICE
    const real want = *THTest_(at)(slopes, i);
    CHECK(v <= 0 ? want >= 0.25 && want <= 0.75 : want == 1);
#else
    const real want = v <= 0 ? (real)THRandom_uniform(two, 0.25, 0.75) : 1;
    CHECK_EQ(*THTest_(at)(slopes, i), want);
#endif
    CHECK_EQ(*THTest_(at)(y, i), want * v);
  }
  THNN_(RReLU_updateOutput)(NULL, x, y, slopes, 0.25, 0.75, false, false, one);
  CHECK(THRandom_random(one) == THRandom_random(two));
  THGenerator_free(one);
  THGenerator_free(two);
  THTensor_(free)(x);
  THTensor_(free)(y);
  THTensor_(free)(slopes);
}

/* --- nothing --------------------------------------------------------------------------------- */

/* An empty input gives an empty output. */
static void THTest_(emptyActivations)(void)
{
  THTensor *x = THTensor_(new)(), *w = THTest_(tensor)(0, 1, TH_SHAPE(1));
  const real before = *THTest_(at)(w, 0);
  for (int flags = 0; flags < 2; flags++) {
    THTensor *y = THTest_(tensor)(0, 1, TH_SHAPE(2, 3)), *d = THTest_(tensor)(0, 1, TH_SHAPE(2, 3));
    THTensor *slopes = THTest_(tensor)(0, 1, TH_SHAPE(2, 3));
    THNN_(ELU_updateOutput)(NULL, x, y, 1, 1, flags);
    THNN_(ELU_updateGradInput)(NULL, x, d, y, 1, 1);
    CHECK(y->nDimension == 0 && d->nDimension == 0);
    THTensor_(resize1d)(d, 2);
    THNN_(PReLU_updateOutput)(NULL, x, y, w);
    THNN_(PReLU_updateGradInput)(NULL, x, x, d, w);
    THNN_(PReLU_accGradParameters)(NULL, x, x, NULL, w, w, 1);
    CHECK_EQ(*THTest_(at)(w, 0), before);
    CHECK(y->nDimension == 0 && d->nDimension == 0);
    THTensor_(resize1d)(d, 2);
    THNN_(RReLU_updateOutput)(NULL, x, y, slopes, 0, 1, true, flags, SEEDED);
    THNN_(RReLU_updateGradInput)(NULL, x, x, d, slopes, 0, 1, true, flags);
    CHECK(y->nDimension == 0 && d->nDimension == 0 && slopes->nDimension == 0);
    THTensor_(free)(y);
    THTensor_(free)(d);
    THTensor_(free)(slopes);
  }
  THTensor_(free)(x);
  THTensor_(free)(w);
}

/* --- threads, errors ------------------------------------------------------------------------- */

static void THTest_(activationThreads)(void)
{
  const int threads = THGetNumThreads();
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(61, 2, 70, 70));
  THTensor *g = THTest_(tensor)(TH_PERMUTED, 3, TH_SHAPE(61, 2, 70, 70));
  THTensor *w = THTest_(tensor)(0, 2, TH_SHAPE(2)), *gw[2], *y[2];
  for (int i = 0; i < 2; i++) {
    THSetNumThreads(i ? 4 : 1);
    gw[i] = THTensor_(newClone)(w);
    y[i] = THTensor_(new)();
    THNN_(PReLU_accGradParameters)(NULL, x, g, NULL, w, gw[i], 0.5);
    THNN_(ELU_updateOutput)(NULL, g, y[i], 1, 1, false);
  }
  THSetNumThreads(threads);
  CHECK(THTensor_(equal)(gw[0], gw[1]));
  CHECK(THTensor_(equal)(y[0], y[1]));
  THTensor *all[] = {x, g, w, gw[0], gw[1], y[0], y[1]};
  for (int k = 0; k < 7; k++)
    THTensor_(free)(all[k]);
}

/* Rows long enough for non-temporal stores, which TH_STREAM_BYTES turns on, beginning with any
 * element. */
static void THTest_(longRows)(void)
{
  enum { LONGEST = 4100, ROOM = LONGEST + 8 };
  static const ptrdiff_t lengths[] = {511, 512, 2306, LONGEST};
  THTensor *whole[3], *part[3];
  for (int k = 0; k < 3; k++) {
    whole[k] = THTensor_(newWithSize1d)(ROOM);
    part[k] = THTensor_(new)();
  }
  real *x = THTensor_(data)(whole[0]), *g = THTensor_(data)(whole[1]),
       *y = THTensor_(data)(whole[2]);
  for (ptrdiff_t i = 0; i < ROOM; i++) {
    x[i] = (real)(i * 7 % 23 - 11) / 4;
    g[i] = (real)(i % 19);
  }
  for (int round = 0; round < 16; round++) {
    const ptrdiff_t n = lengths[round / 4], from = round % 4;
    for (int k = 0; k < 3; k++)
      THTensor_(narrow)(part[k], whole[k], 0, from + k, n);
    THTensor_(fill)(whole[2], 77);
    THNN_(HardTanh_updateOutput)(NULL, part[0], part[2], -1, 2, false);
    for (ptrdiff_t i = 0; i < n; i++)
      CHECK_EQ(y[from + 2 + i], x[from + i] < -1 ? -1 : x[from + i] > 2 ? 2 : x[from + i]);
    THNN_(SoftShrink_updateGradInput)(NULL, part[0], part[1], part[2], 1);
    for (ptrdiff_t i = 0; i < n; i++)
      CHECK_EQ(y[from + 2 + i], x[from + i] > 1 || x[from + i] < -1 ? g[from + 1 + i] : 0);
    for (ptrdiff_t i = 0; i < ROOM; i++)
      CHECK((i >= from + 2 && i < from + 2 + n) || y[i] == 77);
  }
  for (int k = 0; k < 3; k++) {
    THTensor_(free)(part[k]);
    THTensor_(free)(whole[k]);
  }
}

static void THTest_(activationErrors)(void)
{
  THTensor *x = THTest_(tensor)(0, 1, TH_SHAPE(2, 3)), *four = THTest_(tensor)(0, 2, TH_SHAPE(4));
  THTensor *y = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(3, 2)), *w = THTensor_(newClone)(four);
  THTensor *flat = THTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(2, 3));
  THGenerator never = {.seeded = 0};
  th_watch_tensor("y", y, sizeof(real));
  th_watch_tensor("w", w, sizeof(real));
  th_watch_tensor("x", x, sizeof(real));

  CHECK_RAISES(0, "[4]", THNN_(Abs_updateGradInput)(NULL, x, four, y));
  CHECK_RAISES(0, "[2 x 3]", THNN_(ELU_updateGradInput)(NULL, x, y, four, 1, 1));
  CHECK_RAISES(0, "share memory", THNN_(Square_updateOutput)(NULL, x, flat));
  CHECK_RAISES(0, "in place", THNN_(ELU_updateOutput)(NULL, flat, y, 1, 1, true));
  CHECK_RAISES(0, "in place", THNN_(HardTanh_updateGradInput)(NULL, x, flat, y, -1, 1, true));
  CHECK_RAISES(0, "[4]", THNN_(LogSigmoid_updateGradInput)(NULL, x, four, y, NULL));
  CHECK_RAISES(0, "[4]", THNN_(SoftPlus_updateGradInput)(NULL, x, four, y, x, 1, 20));
  CHECK_RAISES(0, "[4]", THNN_(Sqrt_updateGradInput)(NULL, x, four, y, x));
  CHECK_RAISES(0, "[4]", THNN_(Sigmoid_updateGradInput)(NULL, four, y, x));

  const int base = TH_INDEX_BASE;
  CHECK_RAISES(4, "out of range", THNN_(GatedLinear_updateOutput)(NULL, x, y, base + 2));
  CHECK_RAISES(4, "out of range", THNN_(GatedLinear_updateOutput)(NULL, x, y, base - 1));
  CHECK_RAISES(4, "out of range", THNN_(GatedLinear_updateOutput)(NULL, x, y, INT_MIN));
  CHECK_RAISES(2, "halves", THNN_(GatedLinear_updateOutput)(NULL, x, y, base + 1));
  CHECK_RAISES(3, "[1 x 3]", THNN_(GatedLinear_updateGradInput)(NULL, x, four, y, base));

  CHECK_RAISES(4, "[4]", THNN_(PReLU_updateOutput)(NULL, x, y, four));
  CHECK_RAISES(5, "[4]", THNN_(PReLU_updateGradInput)(NULL, x, x, y, four));
  CHECK_RAISES(0, "[4]", THNN_(PReLU_updateGradInput)(NULL, x, four, y, four));
  CHECK_RAISES(5, "[4]", THNN_(PReLU_accGradParameters)(NULL, x, x, NULL, four, w, 1));
  THTensor *three = THTest_(tensor)(0, 2, TH_SHAPE(3));
  CHECK_RAISES(0, "[4]", THNN_(PReLU_accGradParameters)(NULL, x, x, NULL, three, w, 1));
  CHECK_RAISES(0, "[4]", THNN_(PReLU_accGradParameters)(NULL, x, four, NULL, three, three, 1));

  CHECK_RAISES(5, "0.5", THNN_(RReLU_updateOutput)(NULL, x, y, w, 0.5, 0.25, true, false, &never));
  CHECK_RAISES(5, "nan", THNN_(RReLU_updateOutput)(NULL, x, y, w, NAN, 1, true, false, &never));
#ifndef TH_TEMPLATE_DEVICE /* a device's generator is always seeded */
  CHECK_RAISES(9, "seeded", THNN_(RReLU_updateOutput)(NULL, x, y, w, 0, 1, true, false, &never));
#endif
  CHECK_RAISES(0, "[4]", THNN_(RReLU_updateGradInput)(NULL, x, x, y, four, 0, 1, true, false));
  CHECK_RAISES(0, "[4]", THNN_(RReLU_updateGradInput)(NULL, x, four, y, x, 0, 1, true, true));

  th_watch_check(1);
  th_watch_forget();
  THTensor *all[] = {x, four, y, w, flat, three};
  for (int k = 0; k < 6; k++)
    THTensor_(free)(all[k]);
}

/* Activations with transcendental functions against long double, in units of the last place.
 * Sigmoid's subnormal results are 0. */
static void THTest_(activationUnits)(void)
{
#ifndef TH_TEMPLATE_DEVICE /* a device uses CUDA's functions, with other errors */
  enum { COUNT = 20000 };
  const int bits = sizeof(real) == 4 ? 24 : 53, least = sizeof(real) == 4 ? -149 : -1074;
  const double far = sizeof(real) == 4 ? 87 : 708;
  th_note("seed %llu", (unsigned long long)th_seed());
  th_random random = {th_seed()};
  THTensor *x = THTensor_(newWithSize1d)(COUNT), *y = THTensor_(new)(), *buffer = THTensor_(new)();
  for (int i = 0; i < COUNT; i++) {
    const double unit = (double)th_random_below(&random, 1 << 30) / (1 << 29) - 1;
    const double size = i % 2 ? far : ldexp(1, (int)th_random_below(&random, 30) - 25);
    THTensor_(set1d)(x, i, (real)(unit * size));
  }
  for (int k = 0; k < 3; k++) {
    static const char *const names[] = {"LogSigmoid", "SoftPlus", "Sigmoid"};
    static const double bounds[] = {2, 2, 3};
    if (k == 0)
      THNN_(LogSigmoid_updateOutput)(NULL, x, y, buffer);
    else if (k == 1)
      THNN_(SoftPlus_updateOutput)(NULL, x, y, 1, INFINITY);
    else
      THNN_(Sigmoid_updateOutput)(NULL, x, y);
    double worst = 0, at = 0;
    for (int i = 0; i < COUNT; i++) {
      const double v = THTensor_(get1d)(x, i), sign = k == 0 ? -1 : 1;
      const long double e = expl(-fabsl((long double)v)), plus = fmax(sign * v, 0) + log1pl(e);
      const long double want = k == 2 ? (v < 0 ? e : 1) / (1 + e) : sign * plus;
      const double off = units_off(THTensor_(get1d)(y, i), want, bits, least);
      at = off > worst ? v : at;
      worst = fmax(worst, off);
    }
    printf("%-10s %s: at most %.3f units off, for %a\n", names[k], TH_STRING_OF(Real), worst, at);
    CHECK_MSG(worst < bounds[k], "%s(%a) is %.3f units off", names[k], at, worst);
  }
  THTensor_(free)(x);
  THTensor_(free)(y);
  THTensor_(free)(buffer);
#endif
}

TH_TESTS(THTest_(Abs), THTest_(LogSigmoid), THTest_(Sigmoid), THTest_(Square), THTest_(Sqrt),
         THTest_(ELU), THTest_(HardShrink), THTest_(SoftShrink), THTest_(HardTanh),
         THTest_(LeakyReLU), THTest_(SoftPlus), THTest_(GatedLinear), THTest_(PReLU),
         THTest_(RReLU), THTest_(inPlace), THTest_(gradientOverInput), THTest_(RReLUDraws),
         THTest_(emptyActivations), THTest_(activationUnits), THTest_(activationThreads),
         THTest_(longRows), THTest_(activationErrors))
