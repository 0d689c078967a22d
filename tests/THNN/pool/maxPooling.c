/* Max pooling of random volumes against the obvious loops: windows of all sizes, steps, paddings
 * and dilations, rows longer than a block of windows, and elements that are equal, infinite or NaN.
 * Indices are those of the first of the largest elements, or of the last NaN. */
#include "THNN.h"
#include "THTemplate.h"

#include "th_fail.h"
#include "th_test.h"

typedef struct Pool {
  int size[3], step[3], pad[3], dilation[3], ceil; /* T, H, W */
  int64_t input[3];
} Pool;

static int between(th_random *random, int least, int most)
{
  return least + (int)th_random_below(random, most - least + 1);
}

/* Planes with and without NaN, which are computed in different ways. */
static real any_element(th_random *random, int numbers)
{
  const int kind = between(random, numbers, 19);
  return kind == 0 ? (real)NAN : kind < 4 ? -(real)INFINITY : (real)(kind % 4);
}

static Pool any_pool(th_random *random, int number)
{
  static const int widest[] = {12, 40, 90, 300};
  Pool p = {.ceil = between(random, 0, 1)};
  for (int d = 0; d < 3; d++) {
    const int wide = d == 2 && number % 10 == 9; /* windows wider than a block */
    p.size[d] = wide ? between(random, 200, 1200) : between(random, 1, d == 0 ? 3 : 5);
    p.step[d] = between(random, 1, 5);
    p.dilation[d] = between(random, 0, 1) ? 1 : between(random, 1, 3);
    p.pad[d] = between(random, 0, p.size[d] / 2);
    const int least = (p.size[d] - 1) * p.dilation[d] + 1;
    p.input[d] = least + between(random, 0, d == 2 ? widest[number % 4] : d == 1 ? 12 : 3);
  }
  return p;
}

/* Windows of 2 x 2 side by side, in rows of few and of many vectors, and with an odd column. */
static Pool pairs(th_random *random, int number)
{
  static const int widest[] = {10, 20, 40, 90};
  Pool p = {.size = {1, 2, 2}, .step = {1, 2, 2}, .dilation = {1, 1, 1}};
  p.input[0] = between(random, 1, 2) / 2 + 1;
  p.input[1] = between(random, 2, 9);
  p.input[2] = between(random, 2, widest[number % 4]);
  return p;
}

/* Windows of 2 or 3, two apart, in an image. */
static Pool by_two(th_random *random, int number)
{
  static const int widest[] = {10, 40, 90, 300};
  const int size = between(random, 2, 3);
  Pool p = {.size = {1, size, size}, .step = {1, 2, 2}, .dilation = {1, 1, 1}};
  p.ceil = between(random, 0, 1);
  p.input[0] = 1;
  for (int d = 1; d < 3; d++) {
    p.pad[d] = between(random, 0, 1);
    p.input[d] = between(random, size, d == 2 ? widest[number % 4] : 40);
  }
  if (number % 4 == 0) { /* the last windows end one element after whole vectors */
    p.pad[2] = 0;
    p.input[2] = 16 * between(random, 1, 4) + 1;
  }
  return p;
}

/* The index of the largest element of window i, j, k in a plane. */
static ptrdiff_t arg_max_of(const Pool *p, const real *x, const ptrdiff_t *window)
{
  ptrdiff_t best = -1;
  for (int a = 0; a < p->size[0]; a++)
    for (int b = 0; b < p->size[1]; b++)
      for (int c = 0; c < p->size[2]; c++) {
        const int offset[] = {a, b, c};
        ptrdiff_t at = 0;
        int inside = 1;
        for (int d = 0; d < 3; d++) {
          const ptrdiff_t i = window[d] * p->step[d] + offset[d] * p->dilation[d] - p->pad[d];
          inside &= i >= 0 && i < p->input[d];
          at = at * p->input[d] + i;
        }
        if (inside && (best < 0 || x[at] > x[best] || x[at] != x[at]))
          best = at;
      }
  return best;
}

/* Elements for x: any, whole numbers, or with one NaN, anywhere or at the end of a row of that
 * length. */
static void fill_input(THTensor *x, ptrdiff_t row, th_random *random)
{
  const ptrdiff_t count = THTensor_(nElement)(x);
  const int numbers = between(random, 0, 1);
  for (ptrdiff_t i = 0; i < count; i++)
    THTensor_(data)(x)[i] = any_element(random, numbers);
  if (!numbers && between(random, 0, 1)) {
    const ptrdiff_t any = between(random, 0, (int)count - 1);
    const ptrdiff_t one = between(random, 0, 1) ? any : any / row * row + row - 1;
    for (ptrdiff_t i = 0; i < count; i++)
      THTensor_(data)(x)[i] = i == one ? (real)NAN : any_element(random, 1);
  }
}

static void check_pool(const Pool *p, th_random *random)
{
  enum { PLANES = 2 };
  THTensor *x = THTensor_(newWithSize4d)(PLANES, p->input[0], p->input[1], p->input[2]);
  THTensor *y = THTensor_(new)(), *g = THTensor_(new)(), *d = THTensor_(new)();
  THIndexTensor *index = THIndexTensor_(new)();
  const ptrdiff_t count = THTensor_(nElement)(x), plane = count / PLANES;
  fill_input(x, p->input[2], random);
  const int *k = p->size, *s = p->step, *pad = p->pad, *l = p->dilation;
  THNN_(VolumetricDilatedMaxPooling_updateOutput)(NULL, x, y, index, k[0], k[2], k[1], s[0], s[2],
                                                  s[1], pad[0], pad[2], pad[1], l[0], l[2], l[1],
                                                  p->ceil);
  THTensor_(resizeAs)(g, y);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(g); i++)
    THTensor_(data)(g)[i] = (real)between(random, -9, 9);
  THNN_(VolumetricDilatedMaxPooling_updateGradInput)(NULL, x, g, d, index, k[0], k[2], k[1], s[0],
                                                     s[2], s[1], pad[0], pad[2], pad[1], l[0], l[2],
                                                     l[1], p->ceil);

  real *gradient = THAlloc(count * (ptrdiff_t)sizeof *gradient);
  memset(gradient, 0, (size_t)count * sizeof *gradient);
  ptrdiff_t at = 0;
  for (ptrdiff_t n = 0; n < PLANES; n++)
    for (ptrdiff_t a = 0; a < y->size[1]; a++)
      for (ptrdiff_t b = 0; b < y->size[2]; b++)
        for (ptrdiff_t c = 0; c < y->size[3]; c++, at++) {
          const real *from = THTensor_(data)(x) + n * plane;
          const ptrdiff_t best = arg_max_of(p, from, (ptrdiff_t[]){a, b, c});
          CHECK_EQ(THIndexTensor_(data)(index)[at], best + TH_INDEX_BASE);
          CHECK_EQ(THTensor_(data)(y)[at], from[best]);
          gradient[n * plane + best] += THTensor_(data)(g)[at];
        }
  for (ptrdiff_t i = 0; i < count; i++)
    CHECK_EQ(THTensor_(data)(d)[i], gradient[i]);

  /* Indices are an operand, and may lie outside their windows, anywhere in the plane. */
  for (int moved = between(random, 1, 3); moved > 0; moved--) {
    const ptrdiff_t i = between(random, 0, (int)at - 1), own = i / (at / PLANES) * plane;
    int64_t *to = &THIndexTensor_(data)(index)[i];
    const ptrdiff_t other = between(random, 0, (int)plane - 1);
    gradient[own + *to - TH_INDEX_BASE] -= THTensor_(data)(g)[i];
    gradient[own + other] += THTensor_(data)(g)[i];
    *to = other + TH_INDEX_BASE;
  }
  THNN_(VolumetricDilatedMaxPooling_updateGradInput)(NULL, x, g, d, index, k[0], k[2], k[1], s[0],
                                                     s[2], s[1], pad[0], pad[2], pad[1], l[0], l[2],
                                                     l[1], p->ceil);
  for (ptrdiff_t i = 0; i < count; i++)
    CHECK_EQ(THTensor_(data)(d)[i], gradient[i]);
  THFree(gradient);
  THIndexTensor_(free)(index);
  THTensor *all[] = {x, y, g, d};
  for (int i = 0; i < 4; i++)
    THTensor_(free)(all[i]);
}

/* Checks channels-last images: the results are channels-last too, and equal to those of contiguous images. */
static void check_nhwc(const Pool *p, int planes, th_random *random)
{
  THTensor *rows = THTensor_(newWithSize4d)(p->input[0], p->input[1], p->input[2], planes);
  const ptrdiff_t count = THTensor_(nElement)(rows), plane = count / planes;
  for (ptrdiff_t i = 0; i < count; i++)
    THTensor_(data)(rows)[i] = any_element(random, 0);
  THTensor *x = THTensor_(newWithTensor)(rows), *y = THTensor_(new)(), *nhwcY = THTensor_(new)();
  THIndexTensor *index = THIndexTensor_(new)(), *nhwcIndex = THIndexTensor_(new)();
  for (int d = 0; d < 3; d++)
    THTensor_(transpose)(x, NULL, d, 3);
  THTensor *image = THTensor_(newContiguous)(x);
  const int *k = p->size, *s = p->step, *pad = p->pad, *l = p->dilation;
  THNN_(VolumetricDilatedMaxPooling_updateOutput)(NULL, image, y, index, k[0], k[2], k[1], s[0],
                                                  s[2], s[1], pad[0], pad[2], pad[1], l[0], l[2],
                                                  l[1], p->ceil);
  THTensor_(resize4d)(nhwcY, y->size[1], y->size[2], y->size[3], planes);
  THIndexTensor_(resize4d)(nhwcIndex, y->size[1], y->size[2], y->size[3], planes);
  for (int d = 0; d < 3; d++) {
    THTensor_(transpose)(nhwcY, NULL, d, 3);
    THIndexTensor_(transpose)(nhwcIndex, NULL, d, 3);
  }
  THNN_(VolumetricDilatedMaxPooling_updateOutput)(NULL, x, nhwcY, nhwcIndex, k[0], k[2], k[1], s[0],
                                                  s[2], s[1], pad[0], pad[2], pad[1], l[0], l[2],
                                                  l[1], p->ceil);
  CHECK_EQ(nhwcY->stride[0], 1); /* the layout is kept */
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(y); i++) {
    const ptrdiff_t windows = y->stride[0], n = i / windows, rest = i % windows;
    const ptrdiff_t window[] = {rest / y->stride[1], rest % y->stride[1] / y->stride[2],
                                rest % y->stride[2]};
    const real *from = THTensor_(data)(image) + n * plane;
    const ptrdiff_t best = arg_max_of(p, from, window);
    CHECK_EQ(THIndexTensor_(data)(nhwcIndex)[rest * planes + n], best + TH_INDEX_BASE);
    CHECK_EQ(THTensor_(data)(nhwcY)[rest * planes + n], from[best]);
  }
  THTensor *all[] = {rows, x, y, nhwcY, image};
  for (int i = 0; i < 5; i++)
    THTensor_(free)(all[i]);
  THIndexTensor_(free)(index);
  THIndexTensor_(free)(nhwcIndex);
}

/* The index of the largest element of window i, j, k, for adaptive windows. */
static ptrdiff_t arg_max_of_part(const int64_t *in, const int64_t *out, const ptrdiff_t *window,
                                 const real *x)
{
  ptrdiff_t begin[3], end[3], best = -1;
  for (int d = 0; d < 3; d++) {
    begin[d] = window[d] * in[d] / out[d];
    end[d] = ((window[d] + 1) * in[d] + out[d] - 1) / out[d];
  }
  for (ptrdiff_t a = begin[0]; a < end[0]; a++)
    for (ptrdiff_t b = begin[1]; b < end[1]; b++)
      for (ptrdiff_t c = begin[2]; c < end[2]; c++) {
        const ptrdiff_t at = (a * in[1] + b) * in[2] + c;
        if (best < 0 || x[at] > x[best] || x[at] != x[at])
          best = at;
      }
  return best;
}

/* A batch of channels-last volumes, with channels-last results, forward and backward. */
static void check_parts_nhwc(th_random *random)
{
  const int planes = between(random, 2, 150), batch = between(random, 1, 3);
  int64_t in[3], out[3];
  for (int d = 0; d < 3; d++) {
    in[d] = between(random, 1, d == 0 ? 3 : 12);
    out[d] = between(random, 1, d == 0 ? 3 : 9);
  }
  const ptrdiff_t plane = in[0] * in[1] * in[2], windows = out[0] * out[1] * out[2];
  THTensor *of[4]; /* x, y, gradients of y and of x */
  for (int i = 0; i < 4; i++) {
    const int64_t *size = i % 3 == 0 ? in : out;
    of[i] = THTensor_(new)();
    THTensor_(resize5d)(of[i], batch, size[0], size[1], size[2], planes);
    for (ptrdiff_t k = 0; k < THTensor_(nElement)(of[i]); k++)
      THTensor_(data)(of[i])[k] = i == 2 ? (real)between(random, -9, 9) : any_element(random, 0);
    for (int d = 4; d > 1; d--)
      THTensor_(transpose)(of[i], NULL, d - 1, d);
  }
  THIndexTensor *index = THIndexTensor_(new)();
  THIndexTensor_(resize5d)(index, batch, out[0], out[1], out[2], planes);
  for (int d = 4; d > 1; d--)
    THIndexTensor_(transpose)(index, NULL, d - 1, d);
  THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(NULL, of[0], of[1], index, (int)out[0],
                                                   (int)out[2], (int)out[1]);
  THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(NULL, of[0], of[2], of[3], index);
  CHECK_EQ(of[1]->stride[1], 1); /* layouts are kept */
  CHECK_EQ(of[3]->stride[1], 1);
  real *x = THAlloc(2 * plane * (ptrdiff_t)sizeof *x), *gradient = x + plane;
  for (ptrdiff_t n = 0; n < (ptrdiff_t)batch * planes; n++) {
    const ptrdiff_t first = n / planes * plane * planes + n % planes;
    for (ptrdiff_t i = 0; i < plane; i++) {
      x[i] = THTensor_(data)(of[0])[first + i * planes];
      gradient[i] = 0;
    }
    for (ptrdiff_t i = 0; i < windows; i++) {
      const ptrdiff_t window[] = {i / (out[1] * out[2]), i / out[2] % out[1], i % out[2]};
      const ptrdiff_t best = arg_max_of_part(in, out, window, x);
      const ptrdiff_t at = (n / planes * windows + i) * planes + n % planes;
      CHECK_EQ(THIndexTensor_(data)(index)[at], best + TH_INDEX_BASE);
      CHECK_EQ(THTensor_(data)(of[1])[at], x[best]);
      gradient[best] += THTensor_(data)(of[2])[at];
    }
    for (ptrdiff_t i = 0; i < plane; i++)
      CHECK_EQ(THTensor_(data)(of[3])[first + i * planes], gradient[i]);
  }
  THFree(x);
  THIndexTensor_(free)(index);
  for (int i = 0; i < 4; i++)
    THTensor_(free)(of[i]);
}

/* Windows of images that are far apart, or the only one in a row. */
static Pool apart(th_random *random)
{
  Pool p = {.size = {1, 1, 1}, .step = {1, 1, 1}, .dilation = {1, 1, 1}, .input = {1, 1, 1}};
  for (int d = 1; d < 3; d++) {
    p.size[d] = between(random, 1, 40);
    p.step[d] = between(random, 3, 20);
    p.pad[d] = between(random, 0, p.size[d] / 2);
    p.input[d] = p.size[d] + between(random, 0, 3) * between(random, 0, 20);
  }
  p.ceil = between(random, 0, 1);
  return p;
}

static void THTest_(maxPooling)(void)
{
  enum { POOLS = 200 };
  th_random random = {th_seed()};
  for (int i = 0; i < POOLS; i++) {
    const Pool p = any_pool(&random, i);
    check_pool(&p, &random);
  }
  for (int i = 0; i < POOLS / 4; i++) {
    const Pool p = pairs(&random, i), q = by_two(&random, i);
    check_pool(&p, &random);
    check_pool(&q, &random);
  }
  for (int i = 0; i < POOLS / 2; i++) {
    const Pool p = by_two(&random, 4 * i);
    check_pool(&p, &random);
  }
  for (int i = 0; i < POOLS / 4; i++) {
    const Pool p = apart(&random), q = any_pool(&random, i % 9), r = by_two(&random, 4 * i);
    check_pool(&p, &random);
    check_nhwc(&q, between(&random, 2, 20), &random);
    check_nhwc(&r, between(&random, 2, 150), &random);
    check_parts_nhwc(&random);
  }
}

TH_TESTS(THTest_(maxPooling))
