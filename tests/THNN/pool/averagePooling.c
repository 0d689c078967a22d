/* Average pooling of random volumes, and its gradient, against the obvious loops: windows of all
 * sizes, steps and paddings, planes narrower and wider than vectors, and elements in no window.
 */
#include "THNN.h"
#include "THTemplate.h"

#include "th_test.h"

typedef struct Pool {
  int size[3], step[3], pad[3], ceil, padCounts; /* T, H, W */
  int64_t input[3];
} Pool;

static int between(th_random *random, int least, int most)
{
  return least + (int)th_random_below(random, most - least + 1);
}

static Pool any_pool(th_random *random, int number)
{
  static const int widest[] = {5, 20, 40, 90};
  Pool p = {.ceil = between(random, 0, 1), .padCounts = between(random, 0, 1)};
  const int flat = between(random, 0, 1); /* mostly images: a slice of one */
  for (int d = 0; d < 3; d++) {
    const int wide = d == 2 && number % 10 == 9;
    p.size[d] = wide ? between(random, 14, 60) : between(random, 1, d > 0 ? 5 : flat ? 1 : 3);
    p.step[d] = between(random, 1, 3);
    p.pad[d] = between(random, 0, p.size[d] / 2);
    p.input[d] = p.size[d] + between(random, 0,
                                     d == 2   ? widest[number % 4]
                                     : d == 1 ? 12
                                     : flat   ? 0
                                              : 3);
  }
  return p;
}

/* An image with small windows; it may be too high to be computed at once. */
static Pool any_image(th_random *random)
{
  Pool p = {.size = {1, between(random, 1, 4), between(random, 2, 3)},
            .step = {1, between(random, 1, 3), between(random, 1, 2)},
            .ceil = between(random, 0, 1),
            .padCounts = between(random, 0, 1),
            .input = {1, between(random, 4, 120), between(random, 3, 130)}};
  for (int d = 1; d < 3; d++)
    p.pad[d] = between(random, 0, p.size[d] / 2);
  return p;
}

/* One window that is the whole plane, perhaps with padding, or all columns of some of its rows. */
static Pool whole(th_random *random)
{
  Pool p = {.padCounts = between(random, 0, 1)};
  const int pad = between(random, 0, 2) == 0;
  for (int d = 0; d < 3; d++) {
    p.input[d] = between(random, 1, d == 2 ? 40 : 9);
    p.pad[d] = pad;
    p.size[d] = p.step[d] = (int)p.input[d] + 2 * pad;
    if (d < 2 && between(random, 0, 2) == 0)
      p.input[d] *= 2;
  }
  return p;
}

/* The part of window i along dimension d that lies in the image, and the number to divide by. */
static int64_t part_of(const Pool *p, int d, int64_t i, int64_t *begin, int64_t *end)
{
  const int64_t start = i * p->step[d] - p->pad[d], last = start + p->size[d];
  *begin = THMax(start, 0);
  *end = THMin(last, p->input[d]);
  return p->padCounts ? THMin(last, p->input[d] + p->pad[d]) - start : *end - *begin;
}

static void check_pool(const Pool *p, int planes, th_random *random)
{
  const accreal bound = 32 * (sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON);
  THTensor *x = THTensor_(newWithSize4d)(planes, p->input[0], p->input[1], p->input[2]);
  THTensor *y = THTensor_(new)(), *g = THTensor_(new)(), *d = THTensor_(new)();
  const ptrdiff_t count = THTensor_(nElement)(x);
  for (ptrdiff_t i = 0; i < count; i++)
    THTensor_(data)(x)[i] = (real)between(random, 1, 1000) / 7;
  const int *k = p->size, *s = p->step, *pad = p->pad;
  THNN_(VolumetricAveragePooling_updateOutput)(NULL, x, y, k[0], k[2], k[1], s[0], s[2], s[1],
                                               pad[0], pad[2], pad[1], p->ceil, p->padCounts);
  THTensor_(resizeAs)(g, y);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(g); i++)
    THTensor_(data)(g)[i] = (real)between(random, 1, 1000) / 7;
  THNN_(VolumetricAveragePooling_updateGradInput)(NULL, x, g, d, k[0], k[2], k[1], s[0], s[2], s[1],
                                                  pad[0], pad[2], pad[1], p->ceil, p->padCounts);

  accreal *gradient = THAlloc(count * (ptrdiff_t)sizeof *gradient);
  memset(gradient, 0, (size_t)count * sizeof *gradient);
  ptrdiff_t at = 0;
  for (ptrdiff_t n = 0; n < planes; n++)
    for (ptrdiff_t a = 0; a < y->size[1]; a++)
      for (ptrdiff_t b = 0; b < y->size[2]; b++)
        for (ptrdiff_t c = 0; c < y->size[3]; c++, at++) {
          int64_t begin[3], end[3], elements = 1;
          elements *= part_of(p, 0, a, &begin[0], &end[0]);
          elements *= part_of(p, 1, b, &begin[1], &end[1]);
          elements *= part_of(p, 2, c, &begin[2], &end[2]);
          accreal sum = 0;
          for (int64_t z = begin[0]; z < end[0]; z++)
            for (int64_t r = begin[1]; r < end[1]; r++)
              for (int64_t j = begin[2]; j < end[2]; j++) {
                const ptrdiff_t from = ((n * p->input[0] + z) * p->input[1] + r) * p->input[2] + j;
                sum += (accreal)THTensor_(data)(x)[from];
                gradient[from] += (accreal)THTensor_(data)(g)[at] / (accreal)elements;
              }
          CHECK_NEAR(THTensor_(data)(y)[at], sum / (accreal)elements,
                     bound * sum / (accreal)elements);
        }
  for (ptrdiff_t i = 0; i < count; i++)
    CHECK_NEAR(THTensor_(data)(d)[i], gradient[i], bound * gradient[i]);
  THFree(gradient);
  THTensor *all[] = {x, y, g, d};
  for (int i = 0; i < 4; i++)
    THTensor_(free)(all[i]);
}

/* A copy of t whose first dimension is the last in memory. */
static THTensor *with_channels_last(THTensor *t)
{
  THTensor *last = THTensor_(newWithSize4d)(t->size[1], t->size[2], t->size[3], t->size[0]);
  for (int d = 2; d >= 0; d--)
    THTensor_(transpose)(last, NULL, d, d + 1);
  THTensor_(copy)(last, t);
  return last;
}

/* The gradient of channels-last images against that of contiguous ones, for a number of threads. */
static void check_nhwc_backward(const Pool *p, THTensor *image, THTensor *y, int most,
                                th_random *random)
{
  const accreal bound = 64 * (sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON);
  const int *k = p->size, *s = p->step, *pad = p->pad;
  const int threads = THGetNumThreads();
  THTensor *g = THTensor_(newClone)(y), *d = THTensor_(new)();
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(g); i++)
    THTensor_(data)(g)[i] = (real)between(random, 1, 1000) / 7;
  THNN_(VolumetricAveragePooling_updateGradInput)(NULL, image, g, d, k[0], k[2], k[1], s[0], s[2],
                                                  s[1], pad[0], pad[2], pad[1], p->ceil,
                                                  p->padCounts);
  THTensor *x = with_channels_last(image), *nhwcG = with_channels_last(g);
  THTensor *found[] = {with_channels_last(d), with_channels_last(d)};
  for (int i = 0; i < 2; i++) {
    THSetNumThreads(i ? most : 1);
    THTensor_(fill)(found[i], -1);
    THNN_(VolumetricAveragePooling_updateGradInput)(NULL, x, nhwcG, found[i], k[0], k[2], k[1],
                                                    s[0], s[2], s[1], pad[0], pad[2], pad[1],
                                                    p->ceil, p->padCounts);
    CHECK_EQ(found[i]->stride[0], 1);
  }
  THSetNumThreads(threads);
  const ptrdiff_t planes = d->size[0], positions = d->stride[0];
  CHECK(!memcmp(THTensor_(data)(found[0]), THTensor_(data)(found[1]),
                (size_t)(planes * positions) * sizeof(real)));
  for (ptrdiff_t i = 0; i < planes * positions; i++)
    CHECK_NEAR(THTensor_(data)(found[0])[i % positions * planes + i / positions],
               THTensor_(data)(d)[i], bound * THTensor_(data)(d)[i]);
  THTensor *all[] = {g, d, x, nhwcG, found[0], found[1]};
  for (int i = 0; i < 6; i++)
    THTensor_(free)(all[i]);
}

/* Checks channels-last images: the result is channels-last too, and as accurate. */
static void check_nhwc(const Pool *p, int planes, th_random *random)
{
  const accreal bound = 64 * (sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON);
  THTensor *rows = THTensor_(newWithSize4d)(p->input[0], p->input[1], p->input[2], planes);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(rows); i++)
    THTensor_(data)(rows)[i] = (real)between(random, 1, 1000) / 7;
  THTensor *x = THTensor_(newWithTensor)(rows), *y = THTensor_(new)(), *last = THTensor_(new)();
  for (int d = 0; d < 3; d++)
    THTensor_(transpose)(x, NULL, d, 3);
  THTensor *image = THTensor_(newContiguous)(x);
  const int *k = p->size, *s = p->step, *pad = p->pad;
  THNN_(VolumetricAveragePooling_updateOutput)(NULL, image, y, k[0], k[2], k[1], s[0], s[2], s[1],
                                               pad[0], pad[2], pad[1], p->ceil, p->padCounts);
  THTensor_(resize4d)(last, y->size[1], y->size[2], y->size[3], planes);
  for (int d = 0; d < 3; d++)
    THTensor_(transpose)(last, NULL, d, 3);
  THNN_(VolumetricAveragePooling_updateOutput)(NULL, x, last, k[0], k[2], k[1], s[0], s[2], s[1],
                                               pad[0], pad[2], pad[1], p->ceil, p->padCounts);
  CHECK_EQ(last->stride[0], 1); /* the layout is kept */
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(y); i++) {
    const ptrdiff_t windows = y->stride[0], at = i % windows * planes + i / windows;
    CHECK_NEAR(THTensor_(data)(last)[at], THTensor_(data)(y)[i], bound * THTensor_(data)(y)[i]);
  }
  check_nhwc_backward(p, image, y, between(random, 0, 9) ? 1 : 3, random);
  THTensor *all[] = {rows, x, y, last, image};
  for (int i = 0; i < 5; i++)
    THTensor_(free)(all[i]);
}

/* Windows of an image that overlap little or not at all: neighbours are in the same windows. */
static Pool side_by_side(th_random *random)
{
  Pool p = any_image(random);
  for (int d = 1; d < 3; d++) {
    p.size[d] = between(random, 2, 6);
    p.step[d] = between(random, p.size[d] - 1, p.size[d] + 2);
    p.pad[d] = between(random, 0, p.size[d] / 2);
    p.input[d] = between(random, p.size[d], 40);
  }
  return p;
}

static void THTest_(averagePooling)(void)
{
  enum { POOLS = 200, IMAGES = 60, PLANES = 2 };
  th_random random = {th_seed()};
  for (int i = 0; i < POOLS; i++) {
    const Pool p = any_pool(&random, i);
    check_pool(&p, PLANES, &random);
  }
  for (int i = 0; i < IMAGES; i++) {
    const Pool p = any_image(&random), one = whole(&random);
    check_pool(&p, PLANES, &random);
    check_pool(&one, between(&random, 1, 24), &random);
    check_nhwc(&p, between(&random, 2, 80), &random);
    check_nhwc(&one, between(&random, 2, 80), &random);
    const Pool apart = side_by_side(&random);
    check_nhwc(&apart, between(&random, 2, 150), &random);
  }
}

TH_TESTS(THTest_(averagePooling))
