/* Depth-wise convolutions of random images, and their gradients, against the obvious loops: small
 * windows with steps of 1 and 2, padded by different amounts, planes narrower and wider than vectors,
 * several outputs of a plane, and an element that is infinite and must reach its own windows only. */
#include "THNN.h"
#include "THTemplate.h"

#include "th_test.h"

typedef struct Shape {
  int64_t batch, planes, outputs; /* outputs of a plane */
  int64_t input[2], output[2];
  int size[2], pad[2], step;
} Shape;

static int between(th_random *random, int least, int most)
{
  return least + (int)th_random_below(random, most - least + 1);
}

static Shape any_shape(th_random *random, int number)
{
  static const int widest[] = {9, 20, 40, 90, 600};
  Shape s = {
      .batch = between(random, 1, 10),
      .planes = between(random, 1, 3),
  };
  s.step = between(random, 1, 2);
  s.outputs = between(random, 1, 4) == 1 ? 2 : 1;
  const int size = between(random, 1, 3) == 1 ? 5 : 3;
  for (int d = 0; d < 2; d++) {
    s.size[d] = number % 8 ? size : between(random, 1, 5);
    s.pad[d] = between(random, 0, s.size[d]);
    s.input[d] = THMax(1, s.size[d] - 2 * s.pad[d]) +
                 between(random, 0, d ? widest[number % (number % 20 ? 4 : 5)] : 20);
    s.output[d] = (s.input[d] + 2 * s.pad[d] - s.size[d]) / s.step + 1;
  }
  return s;
}

static THTensor *any(th_random *random, int64_t a, int64_t b, int64_t c, int64_t d)
{
  THTensor *t = THTensor_(newWithSize4d)(a, b, c, d);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(t); i++)
    THTensor_(data)(t)[i] = (real)between(random, -8, 8) / 8; /* sums of products are exact */
  return t;
}

static void check_values(THTensor *t, const accreal *expected)
{
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(t); i++)
    CHECK_EQ(THTensor_(data)(t)[i], (real)expected[i]);
}

static void check_shape(const Shape *s, th_random *random)
{
  THTensor *x = any(random, s->batch, s->planes, s->input[0], s->input[1]);
  THTensor *w = any(random, s->outputs, s->planes, s->size[0], s->size[1]);
  THTensor *b = any(random, s->outputs, s->planes, 1, 1);
  THTensor *g = any(random, s->batch, s->planes * s->outputs, s->output[0], s->output[1]);
  THTensor *y = THTensor_(new)(), *gx = THTensor_(new)(), *f = THTensor_(new)();
  THTensor *gw = any(random, s->outputs, s->planes, s->size[0], s->size[1]);
  THTensor *gb = any(random, s->outputs, s->planes, 1, 1);
  const ptrdiff_t window = s->size[0] * s->size[1], image = s->input[0] * s->input[1];
  const ptrdiff_t windows = s->output[0] * s->output[1];
  accreal *ey = THAlloc(THTensor_(nElement)(g) * (ptrdiff_t)sizeof *ey);
  accreal *egx = THAlloc(THTensor_(nElement)(x) * (ptrdiff_t)sizeof *egx);
  accreal *egw = THAlloc(THTensor_(nElement)(w) * (ptrdiff_t)sizeof *egw);
  memset(egx, 0, (size_t)THTensor_(nElement)(x) * sizeof *egx);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(w); i++)
    egw[i] = (accreal)THTensor_(data)(gw)[i];
  if (between(random, 0, 1)) /* an element at the edge */
    THTensor_(data)(x)[between(random, 0, 1) ? 0 : image - 1] = (real)INFINITY;

  for (int64_t n = 0; n < s->batch; n++)
    for (int64_t p = 0; p < s->planes; p++)
      for (int64_t o = 0; o < s->outputs; o++)
        for (int64_t i = 0; i < s->output[0]; i++)
          for (int64_t j = 0; j < s->output[1]; j++) {
            const ptrdiff_t at =
                ((n * s->planes + p) * s->outputs + o) * windows + i * s->output[1] + j;
            accreal sum = (accreal)THTensor_(data)(b)[o * s->planes + p];
            for (int64_t k = 0; k < window; k++) {
              const int64_t r = i * s->step + k / s->size[1] - s->pad[0],
                            c = j * s->step + k % s->size[1] - s->pad[1];
              if (r < 0 || r >= s->input[0] || c < 0 || c >= s->input[1])
                continue;
              const ptrdiff_t from = (n * s->planes + p) * image + r * s->input[1] + c;
              const ptrdiff_t weight = (o * s->planes + p) * window + k;
              const accreal value = (accreal)THTensor_(data)(x)[from];
              const accreal grad = (accreal)THTensor_(data)(g)[at];
              sum += value * (accreal)THTensor_(data)(w)[weight];
              egx[from] += grad * (accreal)THTensor_(data)(w)[weight];
              egw[weight] += value * grad;
            }
            ey[at] = sum;
          }
  const int kH = s->size[0], kW = s->size[1], pH = s->pad[0], pW = s->pad[1], d = s->step;
  THNN_(SpatialDepthWiseConvolution_updateOutput)(NULL, x, y, w, b, f, f, kW, kH, d, d, pW, pH);
  THNN_(SpatialDepthWiseConvolution_updateGradInput)(NULL, x, g, gx, w, f, f, kW, kH, d, d, pW, pH);
  THNN_(SpatialDepthWiseConvolution_accGradParameters)(NULL, x, g, gw, gb, f, f, kW, kH, d, d, pW,
                                                       pH, 1);
  check_values(y, ey);
  check_values(gx, egx);
  check_values(gw, egw);
  THFree(ey);
  THFree(egx);
  THFree(egw);
  THTensor *all[] = {x, w, b, g, y, gx, f, gw, gb};
  for (int i = 0; i < 9; i++)
    THTensor_(free)(all[i]);
}

static void THTest_(depthWise)(void)
{
  enum { SHAPES = 100 };
  th_random random = {th_seed()};
  for (int i = 0; i < SHAPES; i++) {
    const Shape s = any_shape(&random, i);
    check_shape(&s, &random);
  }
}

TH_TESTS(THTest_(depthWise))
