/* Convolutions of channels-last images and volumes, and their gradients, against
 * the obvious loops in double precision: any steps, dilations, paddings and groups, results that
 * stay where they lie, and the same bits for any number of threads. */
#include "THNN/THNNGroups.h"
#include "THTemplate.h"
#include "th_test.h"

#include "../layer/doubles.h"

/* The error that is allowed, relative to the norm: Winograd's algorithm may compute 3 x 3 windows. */
#ifdef TH_REAL_IS_FLOAT
static const double bound = 1e-5;
#else
static const double bound = 1e-13;
#endif

typedef struct {
  THNNGroups how;
  int64_t batch, planes, outputs; /* planes and outputs of a group */
  int64_t x[3], y[3];
} Shape;

static int64_t between(th_random *random, int64_t least, int64_t most)
{
  return least + (int64_t)th_random_below(random, (uint64_t)(most - least + 1));
}

static void set_output(Shape *s)
{
  for (int a = 0; a < 3; a++)
    s->y[a] = (s->x[a] + 2 * s->how.pad[a] - (s->how.size[a] - 1) * s->how.dilation[a] - 1) /
                  s->how.step[a] +
              1;
}

static Shape any_shape(th_random *random, int number)
{
  Shape s = {.how = {.axes = number % 6 == 5 ? 3 : 2, .groups = 1},
             .batch = between(random, 1, 3),
             .planes = between(random, 1, 40),
             .outputs = between(random, 1, 80)};
  if (number % 4 == 3) {
    s.how.groups = (int)between(random, 2, 5);
    s.planes = between(random, 1, 9);
    s.outputs = between(random, 1, 20);
  }
  if (number % 8 == 3) { /* a window for each plane */
    s.how.groups = (int)between(random, 2, 70);
    s.planes = s.outputs = 1;
  }
  const int plain = number % 5 < 2; /* windows of 3 x 3 or of 1 x 1 */
  for (int a = 0; a < 3; a++) {
    const int there = a >= 3 - s.how.axes;
    s.how.size[a] = !there ? 1 : plain ? (number % 5 ? 3 : 1) : (int)between(random, 1, 4);
    s.how.step[a] = !there || (plain && number % 3) ? 1 : (int)between(random, 1, 3);
    s.how.dilation[a] = there && !plain ? (int)between(random, 1, 2) : 1;
    s.how.pad[a] = there && number % 7 ? (int)between(random, 0, 3) : 0;
    const int64_t reach = (s.how.size[a] - 1) * s.how.dilation[a] + 1 - 2 * s.how.pad[a];
    s.x[a] = there ? THMax(1, reach) + between(random, 0, a ? 13 : 3) : 1;
    if (there && number % 9 == 4) { /* images of as many elements as windows are apart */
      s.how.dilation[a] = (int)between(random, 3, 8);
      s.how.pad[a] = (s.how.size[a] - 1) * s.how.dilation[a] / 2;
      s.x[a] = between(random, 1, a ? 13 : 3);
      while (s.x[a] + 2 * s.how.pad[a] <= (s.how.size[a] - 1) * s.how.dilation[a])
        s.x[a]++;
    }
  }
  set_output(&s);
  return s;
}

/* Numbers of images of those sizes.  Their planes are last if last. */
static THTensor *images(const Shape *s, th_random *random, int64_t planes, const int64_t *size,
                        int last)
{
  const int axes = s->how.axes;
  int64_t sizes[5] = {s->batch, planes};
  memcpy(sizes + 2, size + 3 - axes, (size_t)axes * sizeof *sizes);
  int64_t strides[5], stride = planes;
  for (int d = axes + 1; d >= 2; stride *= sizes[d--])
    strides[d] = stride;
  strides[0] = stride;
  strides[1] = 1;
  THTensor *t = THTensor_(new)();
  THTensor_(setStorageNd)(t, t->storage, 0, axes + 2, sizes, last ? strides : NULL);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(t); i++)
    THTensor_(data)(t)[i] = (real)((double)between(random, -1 << 20, 1 << 20) / (1 << 20));
  return t;
}

static THTensor *numbers(th_random *random, int dims, const int64_t *size)
{
  THTensor *t = THTensor_(newWithSize1d)(1);
  THTensor_(resizeNd)(t, dims, (int64_t *)size, NULL);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(t); i++)
    THTensor_(data)(t)[i] = (real)((double)between(random, -1 << 20, 1 << 20) / (1 << 20));
  return t;
}

typedef struct {
  THTensor *x, *y, *weight, *bias; /* y: the gradient of the output */
} Operands;

static const double scale = -0.5;

/* The index in a plane of the input of tap k of window i; -1 if the tap is in the padding. */
static int64_t element_of(const Shape *s, int64_t i, int64_t k)
{
  const THNNGroups *h = &s->how;
  const int64_t window[3] = {i / (s->y[1] * s->y[2]), i / s->y[2] % s->y[1], i % s->y[2]};
  const int64_t tap[3] = {k / (h->size[1] * h->size[2]), k / h->size[2] % h->size[1],
                          k % h->size[2]};
  int64_t at = 0;
  for (int a = 0; a < 3; a++) {
    const int64_t c = window[a] * h->step[a] + tap[a] * h->dilation[a] - h->pad[a];
    if (c < 0 || c >= s->x[a])
      return -1;
    at = at * s->x[a] + c;
  }
  return at;
}

/* out += the convolution, gx += the gradient of the input, gw += scale * the gradient of the weights, gb +=
 * scale * the gradient of the bias. */
static void compute(const Shape *s, const Operands *o, double *out, double *gx, double *gw,
                    double *gb)
{
  double *x = new_doubles(o->x), *y = new_doubles(o->y), *w = new_doubles(o->weight);
  const THNNGroups *h = &s->how;
  const int64_t window = (int64_t)h->size[0] * h->size[1] * h->size[2];
  const int64_t windows = s->y[0] * s->y[1] * s->y[2], plane = s->x[0] * s->x[1] * s->x[2];
  const int64_t outputs = s->outputs * h->groups, planes = s->planes * h->groups;
  for (int64_t i = 0; i < windows; i++)
    for (int64_t k = 0; k < window; k++) {
      const int64_t element = element_of(s, i, k);
      for (int64_t n = 0; n < s->batch * outputs && element >= 0; n++) {
        const int64_t output = n % outputs, group = output / s->outputs;
        const double g = y[n * windows + i];
        int64_t at = (n / outputs * planes + group * s->planes) * plane + element;
        int64_t weight = output * s->planes * window + k;
        double sum = 0;
        for (int64_t p = 0; p < s->planes; p++, at += plane, weight += window) {
          sum += w[weight] * x[at];
          gx[at] += w[weight] * g;
          gw[weight] += scale * g * x[at];
        }
        out[n * windows + i] += sum;
      }
    }
  for (int64_t n = 0; n < s->batch * outputs; n++)
    for (int64_t i = 0; i < windows; i++)
      gb[n % outputs] += scale * y[n * windows + i];
  THFree(x);
  THFree(y);
  THFree(w);
}

static void check_near(const Shape *s, const char *what, THTensor *found, double *expected)
{
  double *f = new_doubles(found), difference = 0, norm = 1e-30;
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(found); i++) {
    difference += (f[i] - expected[i]) * (f[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  THFree(f);
  THFree(expected);
  const double error = sqrt(difference / norm);
  if (error <= bound)
    return;
  print_error(
      "%s off by %.2e of its norm: batch %d, %d groups, %d planes, %d outputs, "
      "%d x %d x %d, windows of %d x %d x %d\n",
      what, error, (int)s->batch, s->how.groups, (int)s->planes, (int)s->outputs, (int)s->x[0],
      (int)s->x[1], (int)s->x[2], s->how.size[0], s->how.size[1], s->how.size[2]);
  fail();
}

static void check_shape(const Shape *s, th_random *random)
{
  const int64_t outputs = s->outputs * s->how.groups;
  int64_t weights[5] = {outputs, s->planes};
  for (int a = 0; a < s->how.axes; a++)
    weights[2 + a] = s->how.size[3 - s->how.axes + a];
  const int64_t planes = s->planes * s->how.groups;
  const int mixed = (int)between(random, 0, 3); /* one of the operands is in order */
  Operands o = {images(s, random, planes, s->x, mixed != 1),
                images(s, random, outputs, s->y, mixed != 2),
                numbers(random, s->how.axes + 2, weights), numbers(random, 1, &outputs)};
  double *out = new_doubles(o.y), *gx = new_doubles(o.x), *gw = new_doubles(o.weight);
  double *gb = new_doubles(o.bias);
  memset(gx, 0, (size_t)THTensor_(nElement)(o.x) * sizeof *gx);
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(o.y); i++)
    out[i] = (double)THTensor_(get1d)(o.bias, i / (s->y[0] * s->y[1] * s->y[2]) % outputs);
  compute(s, &o, out, gx, gw, gb);

  THTensor *found[5][4];
  const int threads = THGetNumThreads(), deterministic = THGetDeterministic();
  THSetDeterministic(1); /* the BLAS library computes some of these convolutions */
  for (int t = 0; t < 5; t += 2) {
    THSetNumThreads(1 + t);
    THTensor *y = found[t][0] = images(s, random, outputs, s->y, mixed != 3);
    THTensor *x = found[t][1] = images(s, random, planes, s->x, mixed != 3);
    found[t][2] = THTensor_(newClone)(o.weight);
    found[t][3] = THTensor_(newClone)(o.bias);
    real *memory[] = {THTensor_(data)(y), THTensor_(data)(x)};
    const int64_t stride[] = {y->stride[s->how.axes + 1], x->stride[s->how.axes + 1]};
    THNN_(Groups_updateOutput)(NULL, &s->how, o.x, y, o.weight, o.bias);
    THNN_(Groups_updateGradInput)(NULL, &s->how, o.x, o.y, x, o.weight);
    THNN_(Groups_accGradParameters)(NULL, &s->how, o.x, o.y, found[t][2], found[t][3], scale);
    CHECK(THTensor_(data)(y) == memory[0] && y->stride[s->how.axes + 1] == stride[0]);
    CHECK(THTensor_(data)(x) == memory[1] && x->stride[s->how.axes + 1] == stride[1]);
    for (int k = 0; t > 0 && k < 4; k++)
      CHECK(!memcmp(THTensor_(data)(found[t][k]), THTensor_(data)(found[0][k]),
                    (size_t)THTensor_(nElement)(found[0][k]) * sizeof(real)));
  }
  THSetNumThreads(threads);
  THSetDeterministic(deterministic);
  check_near(s, "output", found[0][0], out);
  check_near(s, "gradInput", found[0][1], gx);
  check_near(s, "gradWeight", found[0][2], gw);
  check_near(s, "gradBias", found[0][3], gb);
  for (int t = 0; t < 5; t += 2)
    for (int k = 0; k < 4; k++)
      THTensor_(free)(found[t][k]);
  THTensor *all[] = {o.x, o.y, o.weight, o.bias};
  for (int k = 0; k < 4; k++)
    THTensor_(free)(all[k]);
}

static void THTest_(channelsLast)(void)
{
  enum { SHAPES = 60 };
  th_random random = {th_seed()};
  for (int i = 0; i < SHAPES; i++) {
    const Shape s = any_shape(&random, i);
    check_shape(&s, &random);
  }
}

/* Enough tiles and planes for Winograd's algorithm, in one pass and in several, and products of
 * more rows, columns and outputs than are computed together; and depth-wise windows of images that
 * are larger than the caches. */
static void THTest_(largeChannelsLast)(void)
{
  static const struct {
    int64_t batch, planes, outputs, high, wide;
    int size, step, pad, groups;
  } large[] = {{3, 40, 50, 21, 18, 3, 1, 1, 1},   {2, 64, 64, 20, 20, 3, 1, 0, 1},
               {3, 160, 70, 9, 10, 3, 1, 1, 1},   {2, 20, 24, 18, 17, 3, 1, 2, 2},
               {2, 150, 130, 26, 24, 1, 1, 0, 1}, {3, 140, 65, 15, 14, 1, 2, 0, 1},
               {2, 3, 64, 40, 38, 7, 2, 3, 1},    {1, 1, 1, 19, 23, 3, 1, 1, 50},
               {2, 1, 1, 13, 31, 5, 2, 2, 37},    {1, 18, 19, 12, 12, 4, 3, 1, 3},
               {2, 40, 48, 61, 57, 1, 2, 0, 1},   {9, 1, 1, 7, 6, 3, 1, 1, 40},
               {2, 1, 1, 9, 17, 7, 3, 4, 33},     {1, 1, 1, 30, 9, 2, 4, 1, 24},
               {1, 1, 1, 181, 183, 3, 1, 1, 49},  {3, 1, 1, 183, 181, 3, 2, 1, 33}};
  th_random random = {th_seed()};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    const int size = large[i].size, step = large[i].step, pad = large[i].pad;
    Shape s = {.how = {.axes = 2,
                       .groups = large[i].groups,
                       .size = {1, size, size},
                       .step = {1, step, step},
                       .pad = {0, pad, pad},
                       .dilation = {1, 1, 1}},
               .batch = large[i].batch,
               .planes = large[i].planes,
               .outputs = large[i].outputs,
               .x = {1, large[i].high, large[i].wide}};
    set_output(&s);
    check_shape(&s, &random);
  }
}

TH_TESTS(THTest_(channelsLast), THTest_(largeChannelsLast))
