/* Layers whose kernels compute vectors along a row, against the obvious loop: rows with remainders
 * of all sizes, long rows, and results written by non-temporal stores. */
#include <math.h>

#include "THNN/layer/THNN2018.h"
#include "THTemplate.h"

#include "th_layouts.h"

#ifdef TH_COMPAT_TORCH7 /* torch7.c tests the other form */
#include "THNN/torch7/THNNRename.h"
#endif

#define EPS (sizeof(real) == 4 ? 0x1p-23 : 0x1p-52)

static double pseudo(int64_t i, int64_t salt)
{
  const double x = sin((double)(i * 7 + salt * 13 + 1)) * 1e4;
  return 2 * (x - floor(x)) - 1;
}

static THTensor *numbers(int64_t salt, double scale, int dims, const int64_t *size)
{
  THTensor *t = THTest_(tensor)(0, 1, dims, size);
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
    THTensor_(data)(t)[i] = (real)(scale * pseudo(i, salt));
  return t;
}

/* --- softmax --------------------------------------------------------------------------------- */

/* SoftMax of a sequence of n elements, step apart; outputs are y, or their logarithms. */
static void check_sequence(ptrdiff_t n, ptrdiff_t step, const real *x, const real *y, const real *l,
                           const real *g, const real *dy, const real *dl)
{
  const double least = sizeof(real) == 4 ? 1e-44 : 0; /* the precision of subnormal floats */
  double most = -INFINITY, size = 0;
  long double sum = 0, dot = 0, all = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    most = fmax(most, (double)x[i * step]);
  for (ptrdiff_t i = 0; i < n; i++)
    sum += expl((long double)x[i * step] - most);
  for (ptrdiff_t i = 0; i < n; i++) {
    const double far = most - (double)x[i * step], e = (double)(expl(-(long double)far) / sum);
    /* A difference is rounded once. */
    CHECK_NEAR(y[i * step], e, EPS * e * (8 + fmin(far, 1e3)) + least);
    if (isfinite(far))
      CHECK_NEAR(l[i * step], -far - (double)logl(sum), EPS * (8 + far + fabs(most)));
    else
      CHECK_EQ(l[i * step], -INFINITY);
    dot += (long double)g[i * step] * y[i * step];
    size += fabs((double)g[i * step]);
    all += g[i * step];
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    const double v = (double)y[i * step], w = (double)g[i * step];
    CHECK_NEAR(dy[i * step], v * (double)(w - dot), EPS * v * (4 + 4 * size) + least);
    CHECK_NEAR(dl[i * step], (double)(w - expl(l[i * step]) * all), EPS * (4 + 4 * size));
  }
}

static void THTest_(softMaxRows)(void)
{
  static const int64_t counts[] = {1, 2, 3, 7, 8, 9, 16, 17, 79, 259, 1037, 5003};
  static const int64_t inners[] = {1, 3, 64, 77};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t k = 0; k < sizeof inners / sizeof *inners; k++)
      for (int kind = 0; kind < 3; kind++) {
        const int64_t n = counts[c], inner = inners[k],
                      outer = inner > 1 || n > 300 ? 2
                              : n < 10             ? 150
                                                   : 37;
        if (n * inner > 10000)
          continue;
        th_note("%lld in %lld lanes, kind %d", (long long)n, (long long)inner, kind);
        /* Values near each other, far apart, and sequences where one value dominates. */
        THTensor *x = numbers(n, kind == 1 ? 300 : 3, TH_SHAPE(outer, n, inner));
        for (ptrdiff_t i = 0; kind == 2 && i < outer * n * inner; i++)
          if (i / inner % n % 3 == 1)
            THTensor_(data)(x)[i] = -INFINITY;
        THTensor *g = numbers(n + 1, 1, TH_SHAPE(outer, n, inner));
        THTensor *y = THTensor_(new)(), *l = THTensor_(new)();
        THTensor *dy = THTensor_(new)(), *dl = THTensor_(new)();
        THNN_(SoftMax_updateOutput)(NULL, x, y, 1);
        THNN_(LogSoftMax_updateOutput)(NULL, x, l, 1);
        THNN_(SoftMax_updateGradInput)(NULL, x, g, dy, y, 1);
        THNN_(LogSoftMax_updateGradInput)(NULL, x, g, dl, l, 1);
        for (int64_t i = 0; i < outer * inner; i++) {
          const ptrdiff_t at = i / inner * n * inner + i % inner;
          check_sequence(n, inner, THTensor_(data)(x) + at, THTensor_(data)(y) + at,
                         THTensor_(data)(l) + at, THTensor_(data)(g) + at, THTensor_(data)(dy) + at,
                         THTensor_(data)(dl) + at);
        }
        /* A NaN makes its own sequence NaN, and no other. */
        THTensor_(data)(x)[(n - 1) * inner] = NAN;
        THNN_(SoftMax_updateOutput)(NULL, x, dy, 1);
        THNN_(LogSoftMax_updateOutput)(NULL, x, dl, 1);
        for (ptrdiff_t i = 0; i < outer * n * inner; i++) {
          const int hit = i < n * inner && i % inner == 0;
          CHECK(hit ? isnan(THTensor_(data)(dy)[i])
                    : THTensor_(data)(dy)[i] == THTensor_(data)(y)[i]);
          CHECK(hit ? isnan(THTensor_(data)(dl)[i])
                    : THTensor_(data)(dl)[i] == THTensor_(data)(l)[i]);
        }
        THTensor *own[] = {x, g, y, l, dy, dl};
        for (int i = 0; i < 6; i++)
          THTensor_(free)(own[i]);
      }
}

/* --- batch normalization --------------------------------------------------------------------- */

static void check_channel(int64_t batch, int64_t channels, int64_t inner, int64_t c, const real *x,
                          const real *g, const real *y, const real *d, const real *dw,
                          const real *db)
{
  const double count = (double)(batch * inner);
  long double mean = 0, square = 0, sum = 0, dot = 0;
  for (int pass = 0; pass < 3; pass++)
    for (int64_t i = 0; i < batch * inner; i++) {
      const ptrdiff_t at = (i / inner * channels + c) * inner + i % inner;
      const long double v = x[at];
      if (pass == 0)
        mean += v / count;
      else if (pass == 1)
        square += (v - mean) * (v - mean);
      else
        sum += g[at], dot += g[at] * (v - mean);
    }
  const double std = (double)(1 / sqrtl(square / count + 1e-3));
  CHECK_NEAR(dw[c], (double)dot * std, EPS * 8 * (1 + count));
  CHECK_NEAR(db[c], (double)sum, EPS * 8 * (1 + count));
  for (int64_t i = 0; i < batch * inner; i++) {
    const ptrdiff_t at = (i / inner * channels + c) * inner + i % inner;
    const double z = (double)(x[at] - mean) * std;
    const double own = (double)(sum / count + z * std * dot / count);
    CHECK_NEAR(y[at], z, EPS * 16);
    CHECK_NEAR(d[at], std * ((double)g[at] - own), EPS * 64 * std);
  }
}

static void THTest_(batchNormRows)(void)
{
  static const int64_t inners[] = {1, 2, 5, 7, 8, 9, 15, 31, 32, 33, 49, 255, 256, 300, 1100, 5003};
  for (size_t k = 0; k < sizeof inners / sizeof *inners; k++)
    for (int64_t batch = 1; batch < 5; batch += 3) {
      const int64_t inner = inners[k], channels = 3;
      if (batch * inner == 1)
        continue;
      th_note("%lld rows of %lld", (long long)batch, (long long)inner);
      THTensor *x = numbers(inner, 2, TH_SHAPE(batch, channels, inner));
      THTensor *g = numbers(inner + 1, 1, TH_SHAPE(batch, channels, inner));
      THTensor *y = THTensor_(new)(), *d = THTensor_(new)(), *z = THTensor_(new)();
      THTensor *mean = THTensor_(new)(), *std = THTensor_(new)();
      THTensor *dw = THTensor_(newWithSize1d)(channels), *db = THTensor_(newWithSize1d)(channels);
      THTensor_(zero)(dw);
      THTensor_(zero)(db);
      THNN_(BatchNormalization_updateOutput)(NULL, x, y, NULL, NULL, NULL, NULL, mean, std, true, 0,
                                             1e-3);
      THNN_(BatchNormalization_backward)(NULL, x, g, d, dw, db, NULL, NULL, NULL, mean, std, true,
                                         1, 1e-3);
      for (int64_t c = 0; c < channels; c++)
        check_channel(batch, channels, inner, c, THTensor_(data)(x), THTensor_(data)(g),
                      THTensor_(data)(y), THTensor_(data)(d), THTensor_(data)(dw),
                      THTensor_(data)(db));
      /* Normalization with given statistics: std is used as a variance. */
      THNN_(BatchNormalization_updateOutput)(NULL, x, z, NULL, NULL, mean, std, NULL, NULL, false,
                                             0, 0);
      for (ptrdiff_t i = 0; i < batch * channels * inner; i++) {
        const ptrdiff_t c = i / inner % channels;
        const double m = (double)THTensor_(data)(mean)[c], v = (double)THTensor_(data)(std)[c];
        CHECK_NEAR(THTensor_(data)(z)[i], ((double)THTensor_(data)(x)[i] - m) / sqrt(v),
                   EPS * 16 / sqrt(v));
      }
      THTensor *own[] = {x, g, y, d, z, mean, std, dw, db};
      for (int i = 0; i < 9; i++)
        THTensor_(free)(own[i]);
    }
}

/* --- upsampling and downsampling of volumes -------------------------------------------------- */

typedef struct {
  int64_t in[3], out[3];
  int scale; /* 0: linear */
} Sizes;

/* The sources of index i of an axis: the first of two neighbours, and the weight of the second. */
static int64_t source_of(const Sizes *s, int axis, int64_t i, double *weight)
{
  const int64_t in = s->in[axis] - 1, out = s->out[axis] > 1 ? s->out[axis] - 1 : 1;
  *weight = s->scale ? 0 : (double)(i * in % out) / (double)out;
  return s->scale ? i / s->scale : i * in / out;
}

/* One plane: y from x, and d from g. */
static void resample(const Sizes *s, const real *x, const real *g, double *y, double *d)
{
  double weight[3];
  for (int64_t i = 0; i < s->out[0]; i++)
    for (int64_t j = 0; j < s->out[1]; j++)
      for (int64_t k = 0; k < s->out[2]; k++, y++, g++) {
        const int64_t z = source_of(s, 0, i, &weight[0]), h = source_of(s, 1, j, &weight[1]);
        const int64_t c = source_of(s, 2, k, &weight[2]);
        *y = 0;
        for (int corner = 0; corner < 8; corner++) {
          double w = 1;
          for (int a = 0; a < 3; a++)
            w *= corner >> a & 1 ? weight[a] : 1 - weight[a];
          const int64_t row = (z + (corner & 1)) * s->in[1] + h + (corner >> 1 & 1);
          const int64_t at = row * s->in[2] + c + (corner >> 2 & 1);
          if (w != 0) {
            *y += w * (double)x[at];
            d[at] += w * (double)*g;
          }
        }
      }
}

/* Upsampling of that kind, forward and backward. */
static void THTest_(resampleRows)(const Sizes *s, int flat, THTensor *x, THTensor *y, THTensor *g,
                                  THTensor *d)
{
  if (flat && s->scale) {
    THNN_(SpatialUpSamplingNearest_updateOutput)(NULL, x, y, s->scale);
    THNN_(SpatialUpSamplingNearest_updateGradInput)(NULL, x, g, d, s->scale);
  } else if (flat) {
    THNN_(SpatialUpSamplingBilinear_updateOutput)(NULL, x, y, (int)s->out[1], (int)s->out[2]);
    THNN_(SpatialUpSamplingBilinear_updateGradInput)(NULL, g, d, 1, 2, (int)s->in[1], (int)s->in[2],
                                                     (int)s->out[1], (int)s->out[2]);
  } else if (s->scale) {
    THNN_(VolumetricUpSamplingNearest_updateOutput)(NULL, x, y, s->scale);
    THNN_(VolumetricUpSamplingNearest_updateGradInput)(NULL, x, g, d, s->scale);
  } else {
    THNN_(VolumetricUpSamplingTrilinear_updateOutput)(NULL, x, y, (int)s->out[0], (int)s->out[1],
                                                      (int)s->out[2]);
    THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(NULL, g, d, 1, 2, (int)s->in[0],
                                                         (int)s->in[1], (int)s->in[2],
                                                         (int)s->out[0], (int)s->out[1],
                                                         (int)s->out[2]);
  }
}

/* The last ones are planes that do not fill whole cache lines, with rows of one, two and four
 * vectors. */
static void THTest_(resamplingRows)(void)
{
  static const Sizes all[] = {
      {{1, 1, 5}, {1, 1, 37}, 0},     {{1, 3, 56}, {1, 7, 112}, 0},  {{2, 5, 17}, {3, 9, 70}, 0},
      {{1, 40, 61}, {1, 13, 20}, 0},  {{2, 3, 100}, {2, 3, 3}, 0},   {{5, 4, 33}, {3, 8, 1}, 0},
      {{1, 1, 700}, {1, 3, 2000}, 0}, {{3, 4, 33}, {6, 8, 66}, 2},   {{1, 2, 7}, {40, 80, 280}, 40},
      {{2, 1, 19}, {6, 3, 57}, 3},    {{1, 1, 1}, {2, 50, 300}, 0},  {{4, 3, 90}, {4, 3, 90}, 1},
      {{1, 28, 28}, {1, 56, 56}, 0},  {{1, 9, 28}, {1, 18, 56}, 2},  {{1, 4, 13}, {1, 9, 16}, 0},
      {{1, 6, 31}, {1, 5, 64}, 0},    {{1, 7, 40}, {1, 21, 40}, 0},  {{1, 5, 33}, {1, 12, 21}, 0},
      {{1, 3, 16}, {1, 9, 48}, 3},    {{1, 2, 7}, {1, 10, 35}, 5},   {{1, 6, 90}, {1, 11, 230}, 0},
      {{1, 40, 5}, {1, 121, 11}, 0},  {{1, 70, 7}, {1, 140, 14}, 2}, {{1, 33, 15}, {1, 66, 29}, 0},
      {{1, 45, 13}, {1, 90, 26}, 2},  {{1, 33, 30}, {1, 66, 61}, 0}, {{1, 31, 25}, {1, 62, 50}, 2},
      {{1, 20, 61}, {1, 33, 50}, 0},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    const Sizes *s = &all[k];
    th_note("size %d", (int)k);
    const ptrdiff_t in = (ptrdiff_t)(s->in[0] * s->in[1] * s->in[2]);
    const ptrdiff_t out = (ptrdiff_t)(s->out[0] * s->out[1] * s->out[2]);
    const int64_t inSize[] = {1, 2, s->in[0], s->in[1], s->in[2]};
    const int64_t outSize[] = {1, 2, s->out[0], s->out[1], s->out[2]};
    const int flat = s->in[0] == 1 && s->out[0] == 1; /* an image of two planes */
    THTensor *x =
        flat ? numbers(3, 2, 4, (int64_t[]){1, 2, s->in[1], s->in[2]}) : numbers(3, 2, 5, inSize);
    THTensor *g = flat ? numbers(4, 1, 4, (int64_t[]){1, 2, s->out[1], s->out[2]})
                       : numbers(4, 1, 5, outSize);
    THTensor *y = THTensor_(new)(), *d = THTensor_(new)();
    THTensor_(data)(x)[in / 2] = INFINITY; /* reaches the outputs where its weight is not 0 */
    THTensor_(data)(g)[out / 2] = INFINITY;
    THTest_(resampleRows)(s, flat, x, y, g, d);
    double *wantY = calloc((size_t)out, sizeof *wantY), *wantD = calloc((size_t)in, sizeof *wantD);
    for (int plane = 0; plane < 2; plane++) {
      memset(wantD, 0, (size_t)in * sizeof *wantD);
      resample(s, THTensor_(data)(x) + plane * in, THTensor_(data)(g) + plane * out, wantY, wantD);
      for (ptrdiff_t i = 0; i < out; i++)
        CHECK_NEAR(THTensor_(data)(y)[plane * out + i], wantY[i], EPS * 16);
      const double most = (double)out / (double)in + 1; /* gradients of one element */
      for (ptrdiff_t i = 0; i < in; i++)
        CHECK_NEAR(THTensor_(data)(d)[plane * in + i], wantD[i], EPS * (16 + 8 * most));
    }
    free(wantY);
    free(wantD);
    THTensor *own[] = {x, g, y, d};
    for (int i = 0; i < 4; i++)
      THTensor_(free)(own[i]);
  }
}

/* Channels-last images with that many planes; each of two images has those sizes. */
static THTensor *channels_last(int64_t planes, const int64_t size[3], int64_t salt)
{
  THTensor *t = numbers(salt, 2, 5, (int64_t[]){2, size[0], size[1], size[2], planes});
  for (int d = 4; d > 1; d--)
    THTensor_(transpose)(t, NULL, d, d - 1);
  return t;
}

static void call_nhwc(const Sizes *s, int64_t planes, THTensor *x, THTensor *g, THTensor *y,
                      THTensor *d)
{
  if (s->scale) {
    THNN_(VolumetricUpSamplingNearest_updateOutput)(NULL, x, y, s->scale);
    THNN_(VolumetricUpSamplingNearest_updateGradInput)(NULL, x, g, d, s->scale);
    return;
  }
  THNN_(VolumetricUpSamplingTrilinear_updateOutput)(NULL, x, y, (int)s->out[0], (int)s->out[1],
                                                    (int)s->out[2]);
  THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(NULL, g, d, 2, (int)planes, (int)s->in[0],
                                                       (int)s->in[1], (int)s->in[2], (int)s->out[0],
                                                       (int)s->out[1], (int)s->out[2]);
}

/* Against the definition, and with the same bits for any number of threads; some are
 * downsampled. */
static void THTest_(resamplingNhwc)(void)
{
  static const Sizes all[] = {{{1, 1, 9}, {1, 1, 23}, 0},   {{1, 7, 6}, {1, 14, 12}, 0},
                              {{1, 7, 6}, {2, 14, 12}, 2},  {{2, 3, 5}, {5, 7, 8}, 0},
                              {{2, 3, 5}, {6, 9, 15}, 3},   {{3, 9, 20}, {2, 4, 5}, 0},
                              {{1, 5, 30}, {1, 12, 31}, 0}, {{1, 4, 3}, {1, 4, 3}, 1},
                              {{2, 6, 7}, {1, 1, 1}, 0},    {{1, 2, 2}, {1, 50, 9}, 0}};
  static const int64_t counts[] = {8, 11, 16, 37, 64, 130};
  const int threads = THGetNumThreads();
  for (size_t k = 0; k < sizeof all / sizeof *all * 6; k++) {
    const Sizes *s = &all[k / 6];
    const int64_t planes = counts[k % 6];
    th_note("size %d, %d planes", (int)(k / 6), (int)planes);
    const ptrdiff_t in = (ptrdiff_t)(s->in[0] * s->in[1] * s->in[2]);
    const ptrdiff_t out = (ptrdiff_t)(s->out[0] * s->out[1] * s->out[2]);
    THTensor *x = channels_last(planes, s->in, 3), *g = channels_last(planes, s->out, 4);
    THTensor_(data)(x)[in / 2 * planes] =
        INFINITY; /* reaches the outputs where its weight is not 0 */
    THTensor_(data)(g)[out / 2 * planes + 5] = INFINITY;
    THTensor *y[2], *d[2];
    for (int i = 0; i < 2; i++) {
      y[i] = channels_last(planes, s->out, 5);
      d[i] = channels_last(planes, s->in, 6);
      THSetNumThreads(1 + 2 * i);
      call_nhwc(s, planes, x, g, y[i], d[i]);
      CHECK(y[i]->stride[1] == 1 && d[i]->stride[1] == 1); /* layouts are kept */
    }
    THSetNumThreads(threads);
    CHECK(!memcmp(THTensor_(data)(y[0]), THTensor_(data)(y[1]),
                  (size_t)(2 * out * planes) * sizeof(real)));
    CHECK(!memcmp(THTensor_(data)(d[0]), THTensor_(data)(d[1]),
                  (size_t)(2 * in * planes) * sizeof(real)));
    double *plane = calloc((size_t)(2 * in + 2 * out), sizeof *plane), *back = plane + in + out;
    real *single = calloc((size_t)(in + out), sizeof *single);
    const double most = (double)out / (double)in + 1; /* gradients of one element */
    for (int64_t n = 0; n < 2 * planes; n++) {
      const ptrdiff_t image = n / planes, at = n % planes;
      const real *from = THTensor_(data)(x) + image * in * planes + at;
      const real *made = THTensor_(data)(y[0]) + image * out * planes + at;
      for (ptrdiff_t i = 0; i < in; i++)
        single[i] = from[i * planes];
      from = THTensor_(data)(g) + image * out * planes + at;
      for (ptrdiff_t i = 0; i < out; i++)
        single[in + i] = from[i * planes];
      memset(back, 0, (size_t)in * sizeof *back);
      resample(s, single, single + in, plane, back);
      for (ptrdiff_t i = 0; i < out; i++)
        CHECK_NEAR(made[i * planes], plane[i], EPS * 16);
      made = THTensor_(data)(d[0]) + image * in * planes + at;
      for (ptrdiff_t i = 0; i < in; i++)
        CHECK_NEAR(made[i * planes], back[i], EPS * (16 + 8 * most));
    }
    free(plane);
    free(single);
    THTensor *own[] = {x, g, y[0], y[1], d[0], d[1]};
    for (int i = 0; i < 6; i++)
      THTensor_(free)(own[i]);
  }
}

/* Elements that are repeated keep their bits, also those of a NaN. */
static void THTest_(repeatedBits)(void)
{
  static const int64_t sizes[][3] = {{1, 3, 5},  {1, 4, 16}, {1, 2, 28},    {1, 5, 61},
                                     {2, 3, 17}, {1, 1, 90}, {1, 1, 33000}, {2, 2, 9}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes * 6; k++) {
    const int64_t *in = sizes[k / 6];
    const int scale = 1 + (int)(k % 3), flat = in[0] == 1;
    const int64_t planes = k % 2 ? 9 : 3, width = in[2] * scale, height = in[1] * scale;
    th_note("size %d, by %d, %d planes", (int)(k / 6), scale, (int)planes);
    THTensor *x = k % 2 ? channels_last(planes, in, 7)
                        : numbers(7, 2, 5, (int64_t[]){2, planes, in[0], in[1], in[2]});
    unsigned char *bytes = (unsigned char *)THTensor_(data)(x);
    for (ptrdiff_t i = 0; i < THTest_(count)(x); i++) {
      const size_t last = (size_t)(i + 1) * sizeof(real);
      bytes[last - 1] = i % 3 == 0 ? 0x7f : i % 3 == 1 ? 0xff : 0x80;
      bytes[last - 2] = i % 3 == 2 ? 0 : sizeof(real) == 4 ? 0x80 + i % 7 : 0xf0 + i % 7;
      if (i % 6 == 2) /* 0, but for its sign */
        memset(bytes + last - sizeof(real), 0, sizeof(real) - 2);
    }
    const int64_t size[3] = {in[0] * scale, height, width};
    THTensor *y = k % 2 ? channels_last(planes, size, 8) : THTensor_(new)();
    if (flat && !(k % 2)) {
      THTensor_(resize4d)(x, 2, planes, in[1], in[2]);
      THNN_(SpatialUpSamplingNearest_updateOutput)(NULL, x, y, scale);
    } else {
      THNN_(VolumetricUpSamplingNearest_updateOutput)(NULL, x, y, scale);
    }
    const int64_t positions = THTest_(count)(y) / (2 * planes), step = k % 2 ? planes : 1;
    const int64_t inPlaces = in[0] * in[1] * in[2];
    for (int64_t n = 0; n < 2 * planes; n++)
      for (int64_t i = 0; i < positions; i++) {
        const int64_t z = i / (height * width), r = i / width % height, c = i % width;
        const int64_t from = ((z / scale) * in[1] + r / scale) * in[2] + c / scale;
        const int64_t image = n / planes, plane = n % planes;
        const int64_t at = k % 2 ? image * positions * planes + plane : n * positions;
        const int64_t of = k % 2 ? image * inPlaces * planes + plane : n * inPlaces;
        CHECK(!memcmp(THTensor_(data)(y) + at + i * step, THTensor_(data)(x) + of + from * step,
                      sizeof(real)));
      }
    THTensor_(free)(x);
    THTensor_(free)(y);
  }
}

/* An output with a single source is copied without rounding, and other elements do not affect
 * it. */
static void THTest_(resampledAlone)(void)
{
  static const int64_t widths[] = {2, 5, 9, 17, 28, 33, 61, 120};
  const real tiny = sizeof(real) == 4 ? (real)0x1p-149 : (real)0x1p-1074;
  for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
    const int64_t n = widths[k], m = 2 * n - 1;
    th_note("%lld", (long long)n);
    THTensor *x = numbers(5, 1, TH_SHAPE(1, 1, 3, n)), *y = THTensor_(new)();
    for (int64_t i = 0; i < n; i++) {
      THTensor_(data)(x)[i] = (real)(2 * i + 1) * tiny;
      THTensor_(data)(x)[2 * n + i] = i % 2 ? (real)INFINITY : (real)(i + 1);
    }
    THNN_(SpatialUpSamplingBilinear_updateOutput)(NULL, x, y, 5, (int)m);
    for (int64_t row = 0; row < 3; row++)
      for (int64_t i = 0; i < n; i++)
        CHECK_EQ(THTensor_(data)(y)[2 * row * m + 2 * i], THTensor_(data)(x)[row * n + i]);
    THTensor_(free)(x);
    THTensor_(free)(y);
  }
}

TH_TESTS(THTest_(softMaxRows), THTest_(batchNormRows), THTest_(resamplingRows),
         THTest_(resamplingNhwc), THTest_(repeatedBits), THTest_(resampledAlone))
