/* Convolutions that Winograd's algorithm computes: how far they are from sums in double precision,
 * for any padding, sizes that tiles do not divide, groups, operands in other strides, and with the
 * same bits for any number of threads. */
#include "THKernel.h"
#include "THNN/THNNGroups.h"
#include "THTemplate.h"
#include "th_test.h"

#include "../layer/doubles.h"

/* The error that is allowed, relative to the norm. */
#ifdef TH_REAL_IS_FLOAT
static const double bound = 1e-5;
#else
static const double bound = 1e-13;
#endif

typedef struct {
  int64_t batch, groups, planes, outputs; /* planes and outputs of a group */
  int64_t high, wide;
  int padH, padW;
  int window;               /* rows and columns of it */
  int dilationH, dilationW; /* 0 for 1 */
} Shape;

/* More than a few planes and outputs, and enough tiles, the last of which have one to four results
 * in each dimension, either way. */
static const Shape shapes[] = {
    {2, 1, 64, 64, 20, 20, 1, 1, 3},       {1, 1, 33, 70, 27, 30, 0, 2, 3},
    {3, 2, 32, 48, 18, 21, 1, 0, 3},       {1, 1, 48, 48, 40, 12, 3, 4, 3},
    {8, 1, 64, 64, 16, 16, 1, 1, 3},       {4, 1, 64, 64, 19, 20, 1, 1, 3},
    {6, 1, 64, 64, 13, 14, 1, 1, 3},       {3, 1, 64, 80, 22, 17, 1, 1, 3},
    {5, 1, 20, 31, 16, 33, 2, 2, 3},       {1, 1, 32, 32, 9, 120, 1, 6, 3},
    {2, 1, 48, 64, 20, 22, 2, 2, 3, 2, 2}, {2, 1, 64, 64, 24, 27, 4, 4, 3, 4, 3},
    {1, 2, 48, 64, 24, 20, 3, 1, 3, 3, 2}, {2, 1, 64, 64, 14, 33, 1, 6, 3, 1, 6},
    {16, 1, 6, 16, 12, 12, 0, 0, 5},       {11, 1, 13, 30, 17, 15, 2, 2, 5},
    {9, 1, 16, 32, 27, 10, 0, 3, 5},       {16, 1, 12, 16, 13, 20, 5, 1, 5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint64_t state;

static int64_t between(int64_t least, int64_t most)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return least + (int64_t)((state >> 33) % (uint64_t)(most - least + 1));
}

typedef struct {
  Shape s;
  THNNGroups how;
  int64_t high, wide; /* rows and columns of y */
  THTensor *x, *weight, *bias, *y;
} Operands;

/* Numbers of that many steps to each side of 0, with the dimensions the other way around in
 * memory. */
static THTensor *new_numbers(const int64_t size[4], int64_t steps, double step)
{
  THTensor *t = THTensor_(newWithSize4d)(size[3], size[2], size[1], size[0]);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(t); i++)
    THTensor_(data)(t)[i] = (real)((double)between(-steps, steps) * step);
  THTensor_(transpose)(t, NULL, 0, 3);
  THTensor_(transpose)(t, NULL, 1, 2);
  return t;
}

static Operands new_operands(const Shape *s, int64_t steps, double step)
{
  const int apartH = THMax(1, s->dilationH), apartW = THMax(1, s->dilationW);
  Operands o = {.s = *s,
                .high = s->high + 2 * s->padH - (s->window - 1) * apartH,
                .wide = s->wide + 2 * s->padW - (s->window - 1) * apartW};
  o.how = (THNNGroups){.axes = 2,
                       .groups = (int)s->groups,
                       .size = {1, s->window, s->window},
                       .step = {1, 1, 1},
                       .pad = {0, s->padH, s->padW},
                       .dilation = {1, apartH, apartW}};
  const int64_t planes = s->groups * s->planes, outputs = s->groups * s->outputs;
  o.x = new_numbers((int64_t[]){s->batch, planes, s->high, s->wide}, steps, step);
  o.y = new_numbers((int64_t[]){s->batch, outputs, o.high, o.wide}, steps, step);
  o.weight = new_numbers((int64_t[]){outputs, s->planes, s->window, s->window}, steps, step);
  o.bias = THTensor_(newWithSize1d)(outputs);
  for (int64_t i = 0; i < outputs; i++)
    THTensor_(set1d)(o.bias, i, (real)((double)between(-steps, steps) * step));
  return o;
}

static void free_operands(Operands *o)
{
  THTensor *all[] = {o->x, o->weight, o->bias, o->y};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
}

/* The results of a convolution. */
typedef enum { OUTPUT, GRAD_INPUT, GRAD_WEIGHT, GRAD_BIAS, RESULTS } Result;
static const char *const names[] = {"output", "gradInput", "gradWeight", "gradBias"};
/* The factor of the gradients of weights and biases. */
static const double scale = -0.5;

/* A row of windows by an element of theirs: added to y or to x, or summed up.  One thread
 * alone reads and writes: ThreadSanitizer would take most of the time here. */
static __attribute__((no_sanitize("thread"))) double multiply_row(Result what, double w,
                                                                  double *restrict x,
                                                                  double *restrict y, int64_t n)
{
  double sum = 0;
  if (what == OUTPUT)
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
      y[j] += w * x[j];
  else if (what == GRAD_INPUT)
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
      x[j] += w * y[j];
  else
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < n; j++)
      sum += x[j] * y[j];
  return sum;
}

/* The obvious loops: y = bias + the convolution of x, or x from y, or the weights from both; biases
 * from y. */
static double *new_expected(const Operands *o, Result what)
{
  const Shape *s = &o->s;
  double *x = new_doubles(o->x), *weight = new_doubles(o->weight), *y = new_doubles(o->y);
  double *bias = new_doubles(o->bias);
  const int64_t planes = s->groups * s->planes, outputs = s->groups * s->outputs;
  const int64_t elements = s->batch * planes * s->high * s->wide;
  const int64_t windows = s->batch * outputs * o->high * o->wide;
  if (what == GRAD_INPUT)
    memset(x, 0, (size_t)elements * sizeof *x);
  if (what == OUTPUT)
    for (int64_t i = 0; i < windows; i++)
      y[i] = (double)THTensor_(get1d)(o->bias, i / (o->high * o->wide) % outputs);
  for (int64_t i = 0; i < windows; i++)
    bias[i / (o->high * o->wide) % outputs] += scale * y[i];
  for (int64_t n = 0; n < s->batch && what != GRAD_BIAS; n++)
    for (int64_t out = 0; out < outputs; out++)
      for (int64_t p = 0; p < s->planes; p++)
        for (int64_t a = 0; a < s->window; a++)
          for (int64_t b = 0; b < s->window; b++) {
            const int64_t atWeight = ((out * s->planes + p) * s->window + a) * s->window + b;
            const double w = weight[atWeight];
            double sum = 0;
            const int64_t plane = n * planes + out / s->outputs * s->planes + p;
            const int64_t down = a * o->how.dilation[1] - s->padH;
            const int64_t right = b * o->how.dilation[2] - s->padW, first = THMax(0, -right);
            const int64_t count = THMin(o->wide, s->wide - right) - first;
            for (int64_t i = THMax(0, -down); i < THMin(o->high, s->high - down); i++) {
              double *const atX = x + (plane * s->high + i + down) * s->wide + right + first;
              double *const atY = y + ((n * outputs + out) * o->high + i) * o->wide + first;
              sum += multiply_row(what, w, atX, atY, count);
            }
            weight[atWeight] += scale * sum;
          }
  double *all[] = {y, x, weight, bias};
  for (int i = 0; i < RESULTS; i++)
    if (i != (int)what)
      THFree(all[i]);
  return all[what];
}

/* Replaces *t by a tensor with the same elements that is channels-last in memory. */
static void lay_planes_last(THTensor **t)
{
  THTensor *last = THTensor_(newTranspose)(*t, 1, 2), *copy = THTensor_(new)();
  THTensor_(transpose)(last, NULL, 2, 3);
  THTensor_(resizeAs)(copy, last);
  THTensor_(copy)(copy, last);
  THTensor_(transpose)(copy, NULL, 2, 3);
  THTensor_(transpose)(copy, NULL, 1, 2);
  THTensor_(free)(last);
  THTensor_(free)(*t);
  *t = copy;
}

/* new_found for a result tensor that has its size already, and is channels-last in memory if isLast. */
static THTensor *new_found_so(const Operands *o, Result what, int isLast)
{
  THTensor *found = THTensor_(new)(), *like[] = {o->y, o->x, o->weight, o->bias};
  if (isLast) {
    THTensor_(resizeAs)(found, like[what]);
    lay_planes_last(&found);
  }
  if (what == OUTPUT)
    THNN_(Groups_updateOutput)(NULL, &o->how, o->x, found, o->weight, o->bias);
  else if (what == GRAD_INPUT)
    THNN_(Groups_updateGradInput)(NULL, &o->how, o->x, o->y, found, o->weight);
  else {
    THTensor *grad[] = {THTensor_(newClone)(o->weight), THTensor_(newClone)(o->bias)};
    THNN_(Groups_accGradParameters)(NULL, &o->how, o->x, o->y, grad[0], grad[1], scale);
    THTensor_(free)(found);
    found = grad[what == GRAD_BIAS];
    THTensor_(free)(grad[what != GRAD_BIAS]);
  }
  CHECK(THTensor_(isSameSizeAs)(found, like[what]));
  CHECK(!isLast || found->stride[1] == 1);
  return found;
}

static THTensor *new_found(const Operands *o, Result what)
{
  return new_found_so(o, what, 0);
}

/* The norm of the difference over the norm of what is expected. */
static double error_of(THTensor *found, const double *expected)
{
  double difference = 0, norm = 0;
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(found); i++) {
    const double d = (double)THTensor_(data)(found)[i] - expected[i];
    difference += d * d;
    norm += expected[i] * expected[i];
  }
  return sqrt(difference / norm);
}

static void check_error(const Shape *s, const char *what, double error)
{
  if (error <= bound)
    return;
  print_error(
      "%s off by %.2e of its norm: batch %d, %d groups, %d planes, %d outputs, %d x %d, "
      "pad %d %d, dilation %d %d\n",
      what, error, (int)s->batch, (int)s->groups, (int)s->planes, (int)s->outputs, (int)s->high,
      (int)s->wide, s->padH, s->padW, s->dilationH, s->dilationW);
  fail();
}

static void check_shape(const Shape *s)
{
  Operands o = new_operands(s, 1 << 20, 1. / (1 << 20));
  const int threads = THGetNumThreads();
  for (Result what = OUTPUT; what < RESULTS; what++) {
    double *expected = new_expected(&o, what);
    THSetNumThreads(1);
    THTensor *found = new_found(&o, what);
    check_error(s, names[what], error_of(found, expected));
    for (int t = 2; t <= 5; t += 1) {
      THSetNumThreads(t);
      THTensor *again = new_found(&o, what);
      CHECK(!memcmp(THTensor_(data)(again), THTensor_(data)(found),
                    (size_t)THTensor_(nElement)(found) * sizeof(real)));
      THTensor_(free)(again);
    }
    THSetNumThreads(threads);
    THTensor_(free)(found);
    THFree(expected);
  }
  free_operands(&o);
}

static void THTest_(winograd)(void)
{
  for (int i = 0; i < SHAPES; i++) {
    state = (uint64_t)i;
    check_shape(&shapes[i]);
  }
}

static void THTest_(winogradOfRandomShapes)(void)
{
  for (uint64_t seed = 1; seed <= 12; seed++) {
    state = seed;
    Shape s = {.batch = between(1, 5), .groups = between(1, 3), .window = 3};
    s.planes = between(16, 60);
    s.outputs = between(16, 80);
    s.padH = (int)between(0, 4);
    s.padW = (int)between(0, 4);
    s.high = between(THMax(1, 8 - 2 * s.padH), 16);
    s.wide = between(THMax(1, 8 - 2 * s.padW), 16);
    print_message("seed %d\n", (int)seed);
    check_shape(&s);
  }
}

/* Windows whose elements are apart: phases of all sizes, some of which are not there. */
static void THTest_(winogradOfDilations)(void)
{
  for (uint64_t seed = 1; seed <= 12; seed++) {
    state = seed;
    Shape s = {.batch = between(1, 3), .groups = between(1, 2), .window = 3};
    s.planes = between(16, 40);
    s.outputs = between(16, 50);
    s.dilationH = (int)between(1, 6);
    s.dilationW = (int)between(1, 6);
    s.padH = (int)between(0, 2 * s.dilationH + 2);
    s.padW = (int)between(0, 2 * s.dilationW + 2);
    s.high = between(THMax(1, 2 * (s.dilationH - s.padH) + 1), 24);
    s.wide = between(THMax(1, 2 * (s.dilationW - s.padW) + 1), 24);
    print_message("seed %d\n", (int)seed);
    check_shape(&s);
  }
}

/* Channels-last images are read where they are, padded or not, and results go there. */
static void THTest_(winogradChannelsLast)(void)
{
  for (int i = 0; i < SHAPES && shapes[i].window == 3; i++) {
    state = (uint64_t)i;
    Operands o = new_operands(&shapes[i], 1 << 20, 1. / (1 << 20));
    lay_planes_last(&o.x);
    lay_planes_last(&o.y);
    for (Result what = OUTPUT; what < RESULTS; what++) {
      double *expected = new_expected(&o, what);
      THTensor *found = new_found_so(&o, what, what <= GRAD_INPUT);
      THTensor *plain = THTensor_(newContiguous)(found);
      check_error(&shapes[i], names[what], error_of(plain, expected));
      THTensor_(free)(plain);
      THTensor_(free)(found);
      THFree(expected);
    }
    free_operands(&o);
  }
}

/* Any window of five rows, with many and few planes, and images that vectors have some of. */
static void THTest_(winogradOfFiveRows)(void)
{
  for (uint64_t seed = 1; seed <= 16; seed++) {
    state = seed;
    Shape s = {.batch = between(1, 20), .groups = 1, .window = 5};
    s.planes = between(1, 40);
    s.outputs = between(1, 40);
    s.padH = (int)between(0, 6);
    s.padW = (int)between(0, 6);
    s.high = between(THMax(1, 8 - 2 * s.padH), 20);
    s.wide = between(THMax(1, 8 - 2 * s.padW), 24);
    print_message("seed %d\n", (int)seed);
    check_shape(&s);
  }
}

/* An image has no part in what becomes of the others, although they share vectors. */
static void THTest_(winogradOfNaN)(void)
{
  for (int i = 0; i < SHAPES; i++) {
    state = (uint64_t)i;
    Operands o = new_operands(&shapes[i], 1 << 20, 1. / (1 << 20));
    THTensor *of[] = {o.x, o.y};
    for (Result what = OUTPUT; what <= GRAD_INPUT && shapes[i].batch > 1; what++) {
      THTensor *before = new_found(&o, what);
      const int64_t row = of[what]->size[2] / 2, column = of[what]->size[3] / 2;
      THTensor_(set4d)(of[what], 1, 0, row, column, (real)NAN);
      THTensor_(set4d)(of[what], 1, 0, row + 1, column, (real)INFINITY);
      THTensor *after = new_found(&o, what);
      const ptrdiff_t image = THTensor_(nElement)(after) / shapes[i].batch;
      ptrdiff_t other = 0;
      for (ptrdiff_t k = 0; k < THTensor_(nElement)(after); k++)
        if (k / image == 1)
          other += isnan((double)THTensor_(data)(after)[k]);
        else
          CHECK(THTensor_(data)(after)[k] == THTensor_(data)(before)[k]);
      CHECK(other > 0);
      THTensor_(free)(before);
      THTensor_(free)(after);
    }
    free_operands(&o);
  }
}

/* Sums of many planes. */
static void THTest_(winogradOfManyPlanes)(void)
{
  for (int64_t planes = 64; planes <= 512; planes *= 2) {
    state = (uint64_t)planes;
    const Shape s = {4, 1, planes, 32, 12, 12, 1, 1, 3};
    Operands o = new_operands(&s, 1 << 20, 1. / (1 << 20));
    double *expected = new_expected(&o, OUTPUT);
    THTensor *found = new_found(&o, OUTPUT);
    const double error = error_of(found, expected);
    print_message("%d planes: %.2e of the norm\n", (int)planes, error);
    check_error(&s, "output", error);
    THTensor_(free)(found);
    THFree(expected);
    free_operands(&o);
  }
}

/* Sums over many tiles. */
static void THTest_(winogradOfManyImages)(void)
{
  for (int64_t batch = 4; batch <= 64; batch *= 4) {
    state = (uint64_t)batch;
    const Shape s = {batch, 1, 32, 32, 28, 28, 1, 1, 3};
    Operands o = new_operands(&s, 1 << 20, 1. / (1 << 20));
    double *expected = new_expected(&o, GRAD_WEIGHT);
    THTensor *found = new_found(&o, GRAD_WEIGHT);
    const double error = error_of(found, expected);
    print_message("%d images: %.2e of the norm\n", (int)batch, error);
    check_error(&s, "gradWeight", error);
    THTensor_(free)(found);
    THFree(expected);
    free_operands(&o);
  }
}

/* Windows of five rows have kernels for vectors of eight floats and more. */
static int areFiveRowsToo(void)
{
#ifdef TH_REAL_IS_FLOAT
  return THCpu_level() > TH_CPU_DEFAULT;
#else
  return 0;
#endif
}

/* Few small images, which other ways are better for: windows are turned in vectors there. */
static void THTest_(winogradOfFewPositions)(void)
{
  for (uint64_t seed = 1; seed <= 24; seed++) {
    state = seed;
    Shape s = {.batch = between(1, 2), .groups = between(1, 2), .window = (int)between(2, 3)};
    s.planes = between(1, 40);
    s.outputs = between(4, 90);
    s.padH = (int)between(0, 1);
    s.padW = (int)between(0, 1);
    s.high = between(3, 9);
    s.wide = between(3, 9);
    print_message("seed %d\n", (int)seed);
    check_shape(&s);
  }
}

/* Sums that are added once to the weights are scaled and rounded there, whatever the scale. */
static void THTest_(winogradOfScales)(void)
{
  static const double scales[] = {1, 0.5, -0.3, 0};
  for (uint64_t seed = 1; seed <= 12; seed++) {
    state = seed;
    const Shape s = {1, 1, between(1, 15), between(16, 140), 7, between(5, 7), 1, 1, 3};
    Operands o = new_operands(&s, 1 << 20, 1. / (1 << 20));
    THTensor *sums = THTensor_(newClone)(o.weight), *gradBias = THTensor_(newClone)(o.bias);
    THTensor_(zero)(sums);
    THNN_(Groups_accGradParameters)(NULL, &o.how, o.x, o.y, sums, gradBias, 1);
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
      THTensor *found = THTensor_(newClone)(o.weight), *weight = THTensor_(newClone)(o.weight);
      THNN_(Groups_accGradParameters)(NULL, &o.how, o.x, o.y, found, gradBias, scales[k]);
      for (ptrdiff_t i = 0; i < THTensor_(nElement)(found); i++) {
        const accreal sum = (accreal)THTensor_(data)(sums)[i];
        const real start = THTensor_(data)(weight)[i];
        CHECK(THTensor_(data)(found)[i] == (real)(start + (accreal)scales[k] * sum));
      }
      THTensor_(free)(weight);
      THTensor_(free)(found);
    }
    THTensor_(free)(gradBias);
    THTensor_(free)(sums);
    free_operands(&o);
  }
}

/* Weights that are transformed once: for any number of threads, and where the planes are last. */
static void THTest_(winogradOfTransformed)(void)
{
  const int threads = THGetNumThreads();
  for (int i = 0; i < SHAPES && shapes[i].window == 3; i++) {
    state = (uint64_t)i;
    Operands o = new_operands(&shapes[i], 1 << 20, 1. / (1 << 20));
    double *expected = new_expected(&o, OUTPUT);
    THTensor *transformed = THTensor_(new)();
    THNN_(Groups_transformWeights)(NULL, &o.how, o.weight, transformed);
    CHECK(THTensor_(nElement)(transformed) >= 4 * THTensor_(nElement)(o.weight));
    o.how.transformed = transformed;
    THTensor_(zero)(o.weight); /* must not be read */
    THTensor *found = new_found(&o, OUTPUT);
    check_error(&shapes[i], "output", error_of(found, expected));
    for (int t = 1; t <= 5; t++) {
      THSetNumThreads(t);
      THTensor *again = new_found(&o, OUTPUT);
      CHECK(!memcmp(THTensor_(data)(again), THTensor_(data)(found),
                    (size_t)THTensor_(nElement)(found) * sizeof(real)));
      THTensor_(free)(again);
    }
    THSetNumThreads(threads);
    lay_planes_last(&o.x);
    lay_planes_last(&o.y);
    THTensor *last = new_found_so(&o, OUTPUT, 1), *plain = THTensor_(newContiguous)(last);
    check_error(&shapes[i], "channels-last output", error_of(plain, expected));
    THTensor *all[] = {transformed, found, last, plain};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      THTensor_(free)(all[k]);
    THFree(expected);
    free_operands(&o);
  }
}

/* Other convolutions have none, and those of other weights are an error. */
static void THTest_(winogradOfOthersTransformed)(void)
{
  const Shape five = {1, 1, 32, 32, 20, 20, 1, 1, 5}, few = {1, 1, 15, 32, 20, 20, 1, 1, 3},
              more = {1, 1, 32, 48, 20, 20, 1, 1, 3}, fine = {1, 1, 32, 32, 20, 20, 1, 1, 3};
  const Shape *const none[] = {&five, &few, &fine};
  THTensor *transformed = THTensor_(new)();
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    Operands o = new_operands(none[i], 3, 1);
    o.how.step[2] = none[i] == &fine ? 2 : 1;
    THTensor_(resize1d)(transformed, 7);
    THNN_(Groups_transformWeights)(NULL, &o.how, o.weight, transformed);
    CHECK_EQ(THTensor_(nElement)(transformed), 0);
    o.how.transformed = transformed;
    THTensor *y = THTensor_(new)();
    THNN_(Groups_updateOutput)(NULL, &o.how, o.x, y, o.weight, o.bias);
    CHECK_EQ(y->size[1], none[i]->outputs);
    THTensor_(free)(y);
    free_operands(&o);
  }
  Operands o = new_operands(&fine, 3, 1), other = new_operands(&more, 3, 1);
  THTensor *y = THTensor_(newWithSize1d)(1);
  THNN_(Groups_transformWeights)(NULL, &o.how, o.weight, transformed);
  other.how.transformed = transformed;
  CHECK_RAISES(2, "transformed has size",
               THNN_(Groups_updateOutput)(NULL, &other.how, other.x, y, other.weight, other.bias));
  CHECK_EQ(THTensor_(nElement)(y), 1);
  other.how.size[1] = 2;
  CHECK_RAISES(3, "weight has size",
               THNN_(Groups_transformWeights)(NULL, &other.how, other.weight, transformed));
  CHECK(THTensor_(nElement)(transformed) > 0);
  THTensor_(free)(y);
  THTensor_(free)(transformed);
  free_operands(&o);
  free_operands(&other);
}

/* Sums of products of whole numbers are exact, but not these: so the tests above have tested
 * Winograd's algorithm and not another one. */
static void THTest_(winogradIsChosen)(void)
{
  for (int i = 0; i < SHAPES; i++)
    for (Result what = OUTPUT; what <= GRAD_WEIGHT; what++) {
      state = (uint64_t)i;
      Operands o = new_operands(&shapes[i], 3, 1);
      double *expected = new_expected(&o, what);
      THTensor *found = new_found(&o, what);
      const double error = error_of(found, expected);
      if (!(error > 0) && (shapes[i].window == 3 || areFiveRowsToo())) {
        print_error("%s of shape %d is computed in another way\n", names[what], i);
        fail();
      }
      CHECK(error <= bound);
      THTensor_(free)(found);
      THFree(expected);
      free_operands(&o);
    }
}

TH_TESTS(THTest_(winograd), THTest_(winogradOfRandomShapes), THTest_(winogradOfDilations),
         THTest_(winogradChannelsLast), THTest_(winogradOfFewPositions), THTest_(winogradOfScales),
         THTest_(winogradOfFiveRows), THTest_(winogradOfNaN), THTest_(winogradOfManyPlanes),
         THTest_(winogradOfManyImages), THTest_(winogradOfTransformed),
         THTest_(winogradOfOthersTransformed), THTest_(winogradIsChosen))
