/* Convolutions of as many planes, outputs and images as networks have, against the obvious loops,
 * and with the same bits for any number of threads.  Operands are small whole numbers, so that no
 * sum is rounded but by Winograd's algorithm. */
#include "THNN.h"
#include "THTemplate.h"

#include "th_fail.h"
#include "th_test.h"

typedef struct Shape {
  int64_t batch, planes, outputs;
  int size[3], step[3], pad[3], dilation[3]; /* T, H, W */
  int64_t input[3], output[3];
  uint64_t state;
} Shape;

static int64_t between(Shape *s, int64_t least, int64_t most)
{
  s->state = s->state * 6364136223846793005u + 1442695040888963407u;
  return least + (int64_t)((s->state >> 33) % (uint64_t)(most - least + 1));
}

static THTensor *new_numbers(Shape *s, const int64_t *size, int nDimension)
{
  THTensor *t = THTensor_(new)();
  THTensor_(resizeNd)(t, nDimension, (int64_t *)size, NULL);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(t); i++)
    THTensor_(data)(t)[i] = (real)between(s, -3, 3);
  return t;
}

static THTensor *new_zeros(THTensor *like)
{
  THTensor *t = THTensor_(new)();
  THTensor_(resizeAs)(t, like);
  THTensor_(zero)(t);
  return t;
}

/* Calls work for each product that the convolution consists of: the numbers of the elements of x,
 * weight and y. */
static void each_product(const Shape *s,
                         void (*work)(ptrdiff_t x, ptrdiff_t w, ptrdiff_t y, void *context),
                         void *context)
{
  const int64_t *in = s->input, *out = s->output;
  const int *k = s->size;
  for (int64_t n = 0; n < s->batch; n++)
    for (int64_t o = 0; o < s->outputs; o++)
      for (int64_t p = 0; p < s->planes; p++)
        for (int64_t at = 0; at < out[0] * out[1] * out[2]; at++)
          for (int64_t l = 0; l < (int64_t)k[0] * k[1] * k[2]; l++) {
            const int64_t window[] = {at / out[2] / out[1], at / out[2] % out[1], at % out[2]};
            const int64_t element[] = {l / k[2] / k[1], l / k[2] % k[1], l % k[2]};
            ptrdiff_t x = n * s->planes + p;
            int inside = 1;
            for (int d = 0; d < 3; d++) {
              const int64_t position =
                  window[d] * s->step[d] + element[d] * s->dilation[d] - s->pad[d];
              inside &= position >= 0 && position < in[d];
              x = x * in[d] + position;
            }
            if (inside)
              work(x, (o * s->planes + p) * k[0] * k[1] * k[2] + l,
                   (n * s->outputs + o) * out[0] * out[1] * out[2] + at, context);
          }
}

typedef struct Sums {
  const real *x, *w, *y;    /* given */
  real *sumX, *sumW, *sumY; /* computed */
} Sums;

static void add_product(ptrdiff_t x, ptrdiff_t w, ptrdiff_t y, void *context)
{
  const Sums *s = context;
  s->sumX[x] += s->w[w] * s->y[y];
  s->sumW[w] += s->x[x] * s->y[y];
  s->sumY[y] += s->x[x] * s->w[w];
}

/* The error that is allowed.  Winograd's algorithm, which computes some of these convolutions, rounds; winograd.c
 * tests how much, relative to the norm. */
static double most_off(const Shape *s, THTensor *expected)
{
  if (s->planes < 16 || s->outputs < 16)
    return 0;
  for (int d = 0; d < 3; d++)
    if (s->size[d] != (d ? 3 : 1) || s->step[d] != 1)
      return 0;
  const double largest =
      THMax((double)THTensor_(maxall)(expected), -(double)THTensor_(minall)(expected));
#ifdef TH_REAL_IS_FLOAT
  return 1e-5 * largest;
#else
  return 1e-13 * largest;
#endif
}

static void check_same(const Shape *s, const char *what, THTensor *found, THTensor *expected,
                       double most)
{
  CHECK(THTensor_(isSameSizeAs)(found, expected));
  const real *a = THTensor_(data)(found), *b = THTensor_(data)(expected);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(expected); i++)
    if (!(fabs((double)a[i] - (double)b[i]) <= most)) {
      print_error(
          "%s, element %td: %g, expected %g; batch %d, %d planes, %d outputs, input %d x %d x %d, "
          "windows %d x %d x %d, step %d %d %d, pad %d %d %d, dilation %d %d %d\n",
          what, i, (double)a[i], (double)b[i], (int)s->batch, (int)s->planes, (int)s->outputs,
          (int)s->input[0], (int)s->input[1], (int)s->input[2], s->size[0], s->size[1], s->size[2],
          s->step[0], s->step[1], s->step[2], s->pad[0], s->pad[1], s->pad[2], s->dilation[0],
          s->dilation[1], s->dilation[2]);
      fail();
    }
}

#define WINDOWS                                                                                 \
  s->size[0], s->size[2], s->size[1], s->step[0], s->step[2], s->step[1], s->pad[0], s->pad[2], \
      s->pad[1], s->dilation[0], s->dilation[2], s->dilation[1]

/* Operands, and what is expected of them: y, and the gradients, that of b twice. */
typedef struct Case {
  THTensor *x, *w, *b, *g, *y, *gradX, *gradW, *gradB;
} Case;

static Case new_case(Shape *s)
{
  for (int d = 0; d < 3; d++)
    s->output[d] =
        (s->input[d] + 2 * s->pad[d] - s->dilation[d] * (s->size[d] - 1) - 1) / s->step[d] + 1;
  THTensor *x =
      new_numbers(s, (int64_t[]){s->batch, s->planes, s->input[0], s->input[1], s->input[2]}, 5);
  THTensor *w =
      new_numbers(s, (int64_t[]){s->outputs, s->planes, s->size[0], s->size[1], s->size[2]}, 5);
  THTensor *b = new_numbers(s, &s->outputs, 1);
  THTensor *g =
      new_numbers(s, (int64_t[]){s->batch, s->outputs, s->output[0], s->output[1], s->output[2]},
                  5);

  THTensor *y = new_zeros(g), *gradX = new_zeros(x), *gradW = new_zeros(w), *gradB = new_zeros(b);
  const ptrdiff_t n = s->output[0] * s->output[1] * s->output[2];
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(y); i++) {
    THTensor_(data)(y)[i] = THTensor_(data)(b)[i / n % s->outputs];
    THTensor_(data)(gradB)[i / n % s->outputs] += THTensor_(data)(g)[i];
  }
  Sums sums = {THTensor_(data)(x),     THTensor_(data)(w),     THTensor_(data)(g),
               THTensor_(data)(gradX), THTensor_(data)(gradW), THTensor_(data)(y)};
  each_product(s, add_product, &sums);
  /* Gradients of parameters are added, twice here. */
  THTensor_(add)(gradW, gradW, 1);
  THTensor_(mul)(gradB, gradB, 2);
  return (Case){x, w, b, g, y, gradX, gradW, gradB};
}

static void free_case(Case *c)
{
  THTensor *all[] = {c->x, c->w, c->b, c->g, c->y, c->gradX, c->gradW, c->gradB};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
}

static void check_shape(Shape *s)
{
  Case c = new_case(s);
  const int threads = THGetNumThreads();
  for (int t = 1; t <= 3; t += 2) {
    THSetNumThreads(t);
    THTensor *found = THTensor_(new)(), *foundW = new_zeros(c.w), *foundB = new_zeros(c.b);
    THNN_(VolumetricDilatedConvolution_updateOutput)(NULL, c.x, found, c.w, c.b, NULL, NULL,
                                                     WINDOWS);
    check_same(s, "output", found, c.y, most_off(s, c.y));
    THNN_(VolumetricDilatedConvolution_updateGradInput)(NULL, c.x, c.g, found, c.w, NULL, WINDOWS);
    check_same(s, "gradInput", found, c.gradX, most_off(s, c.gradX));
    THTensor_(fill)(foundW, 1);
    THNN_(VolumetricDilatedConvolution_accGradParameters)(NULL, c.x, c.g, foundW, foundB, NULL,
                                                          NULL, WINDOWS, 3);
    THNN_(VolumetricDilatedConvolution_accGradParameters)(NULL, c.x, c.g, foundW, NULL, NULL, NULL,
                                                          WINDOWS, -2);
    THNN_(VolumetricDilatedConvolution_accGradParameters)(NULL, c.x, c.g, NULL, foundB, NULL, NULL,
                                                          WINDOWS, -1);
    check_same(s, "gradWeight", foundW, c.gradW, most_off(s, c.gradW));
    check_same(s, "gradBias", foundB, c.gradB, 0);
    THTensor_(free)(found);
    THTensor_(free)(foundW);
    THTensor_(free)(foundB);
  }
  THSetNumThreads(threads);
  free_case(&c);
}

/* t of five dimensions, one of them planes and the last one frames, as the frames x planes that
 * sequences have, batch by batch; t is freed. */
static THTensor *frames_first(THTensor *t, int matrix)
{
  THTensor *turned = THTensor_(newTranspose)(t, 1, 4), *copy = THTensor_(newContiguous)(turned);
  const int64_t *size = copy->size;
  if (matrix)
    THTensor_(resize2d)(copy, size[0], size[1] * size[4]);
  else
    THTensor_(resize3d)(copy, size[0], size[1], size[4]);
  THTensor_(free)(turned);
  THTensor_(free)(t);
  return copy;
}

static void check_sequences(Shape *s)
{
  Case c = new_case(s);
  c.x = frames_first(c.x, 0);
  c.w = frames_first(c.w, 1);
  c.g = frames_first(c.g, 0);
  c.y = frames_first(c.y, 0);
  c.gradX = frames_first(c.gradX, 0);
  c.gradW = frames_first(c.gradW, 1);
  const int threads = THGetNumThreads(), k = s->size[2], step = s->step[2];
  for (int t = 1; t <= 3; t += 2) {
    THSetNumThreads(t);
    THTensor *found = THTensor_(new)(), *foundW = new_zeros(c.w), *foundB = new_zeros(c.b);
    THNN_(TemporalConvolution_updateOutput)(NULL, c.x, found, c.w, c.b, k, step, (int)s->planes,
                                            (int)s->outputs);
    check_same(s, "output", found, c.y, 0);
    THNN_(TemporalConvolution_updateGradInput)(NULL, c.x, c.g, found, c.w, k, step);
    check_same(s, "gradInput", found, c.gradX, 0);
    THTensor_(fill)(foundW, 1);
    THNN_(TemporalConvolution_accGradParameters)(NULL, c.x, c.g, foundW, foundB, k, step, 3);
    THNN_(TemporalConvolution_accGradParameters)(NULL, c.x, c.g, foundW, NULL, k, step, -2);
    THNN_(TemporalConvolution_accGradParameters)(NULL, c.x, c.g, NULL, foundB, k, step, -1);
    check_same(s, "gradWeight", foundW, c.gradW, 0);
    check_same(s, "gradBias", foundB, c.gradB, 0);
    THTensor_(free)(found);
    THTensor_(free)(foundW);
    THTensor_(free)(foundB);
  }
  THSetNumThreads(threads);
  free_case(&c);
}

/* Windows that share frames, are next to each other, and leave some out. */
static void THTest_(largeSequences)(void)
{
  static const Shape shapes[] = {
      {3, 70, 66, {1, 1, 9}, {1, 1, 1}, {0}, {1, 1, 1}, {1, 1, 90}},
      {2, 40, 33, {1, 1, 5}, {1, 1, 2}, {0}, {1, 1, 1}, {1, 1, 202}},
      {2, 24, 150, {1, 1, 7}, {1, 1, 7}, {0}, {1, 1, 1}, {1, 1, 216}},
      {2, 130, 20, {1, 1, 3}, {1, 1, 4}, {0}, {1, 1, 1}, {1, 1, 405}},
      {700, 64, 16, {1, 1, 3}, {1, 1, 1}, {0}, {1, 1, 1}, {1, 1, 4}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    Shape s = shapes[i];
    s.state = i + 1;
    check_sequences(&s);
  }
}

static void THTest_(largeConvolutions)(void)
{
  /* Layers of networks, smaller, and what lies at the limits of pieces and blocks. */
  static const Shape shapes[] = {
      {3, 20, 66, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}, {1, 7, 7}},
      {5, 40, 17, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}, {1, 9, 8}},
      {2, 3, 64, {1, 7, 7}, {1, 2, 2}, {0, 3, 3}, {1, 1, 1}, {1, 15, 14}},
      {1, 130, 40, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 23, 26}},
      {2, 9, 12, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 10, 13}}, /* flat planes: */
      {3, 6, 1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {2, 11, 12}},  /* few vectors */
      {3, 33, 130, {1, 1, 1}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}, {1, 7, 9}},
      {40, 140, 9, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
      {2, 17, 24, {2, 3, 2}, {2, 1, 3}, {1, 0, 1}, {1, 2, 2}, {4, 7, 6}},
      {9, 30, 70, {1, 5, 5}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 6, 6}},
      {2, 3, 70, {1, 7, 7}, {1, 2, 2}, {0, 3, 3}, {1, 1, 1}, {1, 32, 16}}, /* planes of whole */
      {3, 4, 9, {1, 5, 5}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 8, 12}},   /* cache lines */
      {5, 30, 64, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 4, 12}},
      {2, 20, 40, {1, 1, 1}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}, {1, 16, 15}},
      {2, 3, 64, {1, 7, 5}, {1, 1, 2}, {0, 3, 2}, {1, 1, 1}, {1, 17, 37}}, /* few planes, two */
      {1, 2, 60, {1, 5, 5}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 21, 22}}, /* parts of positions */
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    Shape s = shapes[i];
    s.state = i + 1;
    check_shape(&s);
  }
}

/* Windows much of which is padding, alike for neighbours: these are parts of their own, in all
 * dimensions or with vectors of positions, forward, back and in any step. */
static void THTest_(paddedConvolutions)(void)
{
  static const Shape shapes[] = {
      {3, 20, 66, {1, 3, 3}, {1, 1, 1}, {0, 6, 6}, {1, 6, 6}, {1, 13, 15}},
      {2, 24, 40, {1, 3, 3}, {1, 1, 1}, {0, 12, 12}, {1, 12, 12}, {1, 14, 9}},
      {2, 30, 33, {1, 3, 3}, {1, 1, 1}, {0, 9, 9}, {1, 9, 9}, {1, 8, 8}},   /* one tap inside */
      {2, 10, 32, {1, 2, 2}, {1, 1, 1}, {0, 9, 9}, {1, 10, 16}, {1, 6, 7}}, /* or no tap */
      {5, 9, 70, {1, 4, 3}, {1, 2, 3}, {0, 8, 7}, {1, 5, 4}, {1, 12, 17}},
      {6, 17, 40, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}, {1, 5, 6}},
      {5, 13, 35, {1, 3, 5}, {1, 2, 2}, {0, 1, 2}, {1, 1, 1}, {1, 5, 7}},
      {2, 12, 34, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {3, 6, 6}},
      {2, 11, 36, {3, 3, 3}, {2, 1, 2}, {3, 4, 2}, {2, 4, 1}, {4, 7, 5}},
      {2, 6, 4, {1, 3, 3}, {1, 1, 1}, {0, 16, 16}, {1, 16, 16}, {1, 40, 33}}, /* vectors */
      {2, 5, 6, {1, 3, 3}, {1, 2, 1}, {0, 20, 9}, {1, 13, 9}, {1, 37, 41}},
      {1, 4, 3, {3, 3, 3}, {1, 1, 1}, {4, 2, 1}, {4, 2, 1}, {6, 17, 20}},
      {1, 1, 1, {1, 2, 3}, {1, 1, 1}, {0, 29, 1}, {1, 1, 1}, {1, 5, 5}}, /* larger than the image */
      {2, 3, 2, {1, 3, 3}, {1, 2, 2}, {0, 40, 40}, {1, 1, 1}, {1, 5, 4}},
      {1, 2, 2, {1, 2, 1}, {1, 2, 2}, {0, 13, 0}, {1, 2, 1}, {1, 4, 5}},
      {2, 20, 40, {1, 2, 3}, {1, 1, 1}, {0, 33, 1}, {1, 1, 1}, {1, 5, 5}},
      {1, 2, 2, {2, 2, 1}, {1, 1, 1}, {19, 12, 0}, {1, 1, 1}, {3, 4, 5}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    Shape s = shapes[i];
    s.state = i + 1;
    check_shape(&s);
  }
}

/* Images that windows make much smaller, of few planes, with windows in rows of all lengths: going
 * back, elements of windows are added to the image (ScatterConv.c). */
static void THTest_(spreadConvolutions)(void)
{
  static const Shape shapes[] = {
      {3, 6, 16, {1, 5, 5}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 12, 12}},
      {2, 1, 20, {1, 5, 5}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 11, 35}},
      {2, 3, 33, {1, 4, 6}, {1, 1, 1}, {0, 1, 2}, {1, 1, 1}, {1, 6, 9}},
      {1, 4, 24, {1, 5, 3}, {1, 2, 1}, {0, 1, 1}, {1, 1, 3}, {1, 12, 30}},
      {2, 7, 40, {1, 6, 6}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 8, 8}},
      {2, 5, 30, {3, 4, 5}, {1, 1, 1}, {1, 0, 0}, {1, 1, 1}, {4, 7, 8}},
      {1, 6, 12, {1, 7, 7}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 16, 27}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    Shape s = shapes[i];
    s.state = i + 1;
    check_shape(&s);
  }
}

static void THTest_(randomConvolutions)(void)
{
  for (uint64_t seed = 1; seed <= 24; seed++) {
    Shape s = {.state = seed};
    s.batch = between(&s, 1, 5);
    s.planes = between(&s, 1, 40);
    s.outputs = between(&s, 1, 70);
    for (int d = 0; d < 3; d++) {
      s.size[d] = (int)(d ? between(&s, 1, 3) : between(&s, 1, 2));
      s.step[d] = (int)between(&s, 1, 3);
      s.dilation[d] = (int)between(&s, 1, 2);
      s.pad[d] = (int)between(&s, 0, s.size[d] - 1);
      s.input[d] = s.dilation[d] * (s.size[d] - 1) + between(&s, 1, d ? 6 : 2);
    }
    check_shape(&s);
  }
}

/* --- failing allocations --------------------------------------------------------------------- */

typedef struct Operands {
  THTensor *x, *w, *g, *y, *gradX, *gradW;
} Operands;

static void set_up(void *context)
{
  Shape s = {.state = 1};
  Operands *o = context;
  o->x = new_numbers(&s, (int64_t[]){3, 5, 6, 7}, 4);
  o->w = new_numbers(&s, (int64_t[]){33, 5, 3, 3}, 4);
  o->g = new_numbers(&s, (int64_t[]){3, 33, 6, 7}, 4);
  o->y = THTensor_(new)();
  o->gradX = THTensor_(new)();
  o->gradW = new_zeros(o->w);
}

static void compute(void *context)
{
  Operands *o = context;
  THNN_(SpatialConvolutionMM_updateOutput)(NULL, o->x, o->y, o->w, NULL, NULL, NULL, 3, 3, 1, 1, 1,
                                           1);
  THNN_(SpatialConvolutionMM_updateGradInput)(NULL, o->x, o->g, o->gradX, o->w, NULL, NULL, 3, 3, 1,
                                              1, 1, 1);
  THNN_(SpatialConvolutionMM_accGradParameters)(NULL, o->x, o->g, o->gradW, NULL, NULL, NULL, 3, 3,
                                                1, 1, 1, 1, 1);
}

/* gradW is changed last. */
static void look(void *context, int raised)
{
  Operands *o = context;
  CHECK_EQ(THTensor_(maxall)(o->gradW) != 0, !raised);
  CHECK(THTensor_(nDimension)(o->y) == 0 || THTensor_(nElement)(o->y) == 3 * 33 * 6 * 7);
}

static void tear_down(void *context)
{
  Operands *o = context;
  THTensor *all[] = {o->x, o->w, o->g, o->y, o->gradX, o->gradW};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
}

static void THTest_(largeConvolutionsFailing)(void)
{
  Operands o;
  CHECK(th_fail(&(THFailCase){set_up, compute, look, tear_down}, &o) > 7);
}

static void set_up_sequences(void *context)
{
  Shape s = {.state = 1};
  Operands *o = context;
  o->x = new_numbers(&s, (int64_t[]){2, 100, 48}, 3);
  o->w = new_numbers(&s, (int64_t[]){16, 3 * 48}, 2);
  o->g = new_numbers(&s, (int64_t[]){2, 98, 16}, 3);
  o->y = THTensor_(new)();
  o->gradX = THTensor_(new)();
  o->gradW = new_zeros(o->w);
}

static void compute_sequences(void *context)
{
  Operands *o = context;
  THNN_(TemporalConvolution_updateOutput)(NULL, o->x, o->y, o->w, NULL, 3, 1, 48, 16);
  THNN_(TemporalConvolution_updateGradInput)(NULL, o->x, o->g, o->gradX, o->w, 3, 1);
  THNN_(TemporalConvolution_accGradParameters)(NULL, o->x, o->g, o->gradW, NULL, 3, 1, 1);
}

static void look_at_sequences(void *context, int raised)
{
  Operands *o = context;
  CHECK_EQ(THTensor_(maxall)(o->gradW) != 0, !raised);
  CHECK(THTensor_(nDimension)(o->y) == 0 || THTensor_(nElement)(o->y) == 2 * 98 * 16);
}

static void THTest_(largeSequencesFailing)(void)
{
#ifdef TH_SANITIZED
  const int fewest = 4; /* two results, which have sizes and a storage each */
#else
  const int fewest = 5; /* what builds without sanitizers make: gradients reuse freed blocks */
#endif
  Operands o;
  CHECK(th_fail(&(THFailCase){set_up_sequences, compute_sequences, look_at_sequences, tear_down},
                &o) >= fewest);
}

TH_TESTS(THTest_(largeConvolutions), THTest_(paddedConvolutions), THTest_(spreadConvolutions),
         THTest_(randomConvolutions), THTest_(largeSequences), THTest_(largeConvolutionsFailing),
         THTest_(largeSequencesFailing))
