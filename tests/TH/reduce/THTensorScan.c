/* Cumulative sums and products, diagonals, comparison. */
#include "THTemplate.h"

#include "th_layouts.h"

static void THTest_(scan)(int product, THTensor *r, THTensor *t, int dim)
{
  (product ? THTensor_(cumprod) : THTensor_(cumsum))(r, t, dim);
}

/* r against running totals of x, the elements of t, in the type of sums. */
static void THTest_(checkScan)(int product, const real *x, const THTensor *t, const THTensor *r,
                               int dim)
{
  ptrdiff_t inner = 1, length = t->size[dim];
  for (int d = dim + 1; d < t->nDimension; d++)
    inner *= t->size[d];
  for (ptrdiff_t line = 0; line < THTest_(count)(t) / length; line++) {
    const ptrdiff_t first = line / inner * inner * length + line % inner;
    accreal total = product;
    for (ptrdiff_t i = 0; i < length; i++) {
      const ptrdiff_t at = first + i * inner;
      total = product ? total * (accreal)x[at] : total + (accreal)x[at];
      CHECK_EQ(*THTest_(at)(r, at), (real)total);
    }
  }
}

static void THTest_(scans)(void)
{
  for (int product = 0; product < 2; product++)
    for (int layout = 0; layout < TH_EMPTY; layout++)
      for (int to = 0; to < TH_ONE; to++)
        for (int dim = 0; dim < 3; dim++) {
          if (!th_layout_keeps_shape(to) || !th_layout_is_writable(to))
            continue;
          THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(7, 5, 3));
          THTensor *r = THTest_(tensor)(to, 4, TH_SHAPE(7, 5, 3));
          if (dim < t->nDimension) {
            real *x = THTest_(values)(t), *before = THTest_(storageValues)(r);
            const int same = THTensor_(isSameSizeAs)(r, t);
            th_note("product %d, layout %s to %s, dimension %d", product, th_layout_names[layout],
                    th_layout_names[to], dim);
            THTest_(scan)(product, r, t, dim);
            CHECK(THTensor_(isSameSizeAs)(r, t));
            THTest_(checkScan)(product, x, t, r, dim);
            if (same)
              CHECK_OUTSIDE(r, before);
            if (th_layout_is_writable(layout)) {
              THTest_(scan)(product, t, t, dim);
              THTest_(checkScan)(product, x, r, t, dim);
            }
            free(before);
            free(x);
          }
          THTensor_(free)(r);
          THTensor_(free)(t);
        }
}

/* Lines of all lengths up to a few vectors, whose last totals must not be written beyond them. */
static void THTest_(shortScans)(void)
{
  for (int product = 0; product < 2; product++)
    for (int64_t length = 1; length < (product ? 20 : 40); length++)
      for (int layout = 0; layout < TH_ONE; layout++) {
        if (!th_layout_keeps_shape(layout) || !th_layout_is_writable(layout))
          continue;
        THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(3, length));
        THTensor *r = THTest_(tensor)(layout, 4, TH_SHAPE(3, length));
        real *before = THTest_(storageValues)(r);
        th_note("product %d, %d elements, to %s", product, (int)length, th_layout_names[layout]);
        THTest_(scan)(product, r, t, 1);
        THTest_(checkScan)(product, t->storage->data, t, r, 1);
        CHECK_OUTSIDE(r, before);
        free(before);
        THTensor_(free)(r);
        THTensor_(free)(t);
      }
}

/* Rows that make tiles, of whole lines of memory and not, and lines that go together; results that
 * begin with a line of memory and one element later. */
static void THTest_(longScans)(void)
{
  static const int64_t shapes[][2] = {{3, 5000}, {5, 3008}, {9, 304},    {700, 3},
                                      {900, 2},  {300, 4},  {500, 7},    {257, 300},
                                      {1, 9000}, {9000, 1}, {1, 140000}, {9, 1039}};
  const int before = THGetNumThreads();
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int threads = 1; threads < 3; threads++)
      for (int dim = 0; dim < 2; dim++)
        for (int later = 0; later < 2; later++) {
          const ptrdiff_t n = shapes[s][0] * shapes[s][1];
          THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 5, 2, shapes[s]);
          THTensor *whole = THTest_(tensor)(TH_CONTIGUOUS, 4, TH_SHAPE(n + 2));
          THTensor *r = THTensor_(newWithStorage2d)(whole->storage, later, shapes[s][0],
                                                    shapes[s][1], shapes[s][1], 1);
          real *outside = THTest_(storageValues)(r);
          THSetNumThreads(threads);
          th_note("shape %zu, dimension %d, %d threads, %d later", s, dim, threads, later);
          THTest_(scan)(0, r, t, dim);
          THTest_(checkScan)(0, t->storage->data, t, r, dim);
          CHECK_OUTSIDE(r, outside);
          free(outside);
          THTensor_(free)(r);
          THTensor_(free)(whole);
          THTensor_(free)(t);
        }
  THSetNumThreads(before);
}

/* Totals that depend on their order, which is that of the line, wherever the elements lie. */
static void THTest_(orderedScans)(void)
{
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  static const double most = sizeof(real) == 4 ? FLT_MAX : DBL_MAX, inf = INFINITY;
  const struct {
    int product;
    double x[4], want[4];
  } cases[] = {
      {0, {1, 1e16, -1e16, 1}, {1, 1e16, (double)(real)1e16 + (double)-(real)1e16, 1}},
      {0, {1, -1e30, 1e30, 3}, {1, -1e30, 0, 3}},
#if defined(TH_REAL_IS_DOUBLE)
      {0, {-most, 0, most, most}, {-most, -most, 0, most}},
      {0, {most, most, -most, 0}, {most, inf, inf, inf}},
      {1, {0.25, most, 2, 2}, {0.25, most / 4, most / 2, most}},
      {1, {1e-200, 1e200, 1e200, 1e200}, {1e-200, 1, 1e200, inf}},
#endif
      {1, {0.5, 3, 1.5, 0}, {0.5, 1.5, 2.25, 0}},
  };
  TH_UNUSED const double unused = inf + most;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int layout = 0; layout < TH_WITH_ONES; layout++)
      for (int lines = 1; lines < 20; lines += 3)
        for (int dim = 0; dim < 2; dim++) {
          th_note("case %zu, %s, %d lines, dimension %d", c, th_layout_names[layout], lines, dim);
          const int64_t rows = dim == 0 ? 4 : lines, columns = dim == 0 ? lines : 4;
          THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(rows, columns));
          THTensor *r = THTensor_(new)();
          for (ptrdiff_t i = 0; i < 4 * lines; i++)
            *THTest_(at)(t, i) = (real)cases[c].x[dim == 0 ? i / lines : i % 4];
          THTest_(scan)(cases[c].product, r, t, dim);
          for (ptrdiff_t i = 0; i < 4 * lines; i++)
            CHECK_EQ(*THTest_(at)(r, i), (real)cases[c].want[dim == 0 ? i / lines : i % 4]);
          THTensor_(free)(r);
          THTensor_(free)(t);
        }
#endif
}

static void THTest_(scanErrors)(void)
{
  static const int dims[] = {-1, 2, INT_MAX, INT_MIN};
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(4, 5));
  THTensor *r = THTest_(tensor)(TH_CONTIGUOUS, 9, TH_SHAPE(2));
  for (int product = 0; product < 2; product++) {
    for (int i = 0; i < 4; i++)
      CHECK_RAISES(3, "out of range", THTest_(scan)(product, r, t, dims[i]));
    CHECK(r->nDimension == 1 && r->size[0] == 2);
  }
  THTensor_(free)(r);
  THTensor_(free)(t);
}

static void THTest_(trace)(void)
{
  static const int64_t shapes[][2] = {{5, 5}, {4, 7}, {7, 4}, {1, 1}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int layout = 0; layout < TH_WITH_ONES; layout++) {
      THTensor *t = THTest_(tensor)(layout, 3, 2, shapes[s]);
      accreal sum = 0, magnitude = 0;
      for (int64_t i = 0; i < THMin(t->size[0], t->size[1]); i++) {
        const accreal x = (accreal)*THTest_(at)(t, i * t->size[1] + i);
        sum += x;
        magnitude += x < 0 ? -x : x;
      }
      CHECK_NEAR(THTensor_(trace)(t), sum, 1e-15 * (double)magnitude);
      THTensor_(free)(t);
    }
  THTensor *cube = THTensor_(newWithSize3d)(2, 2, 2), *empty = THTensor_(new)();
  CHECK_RAISES(1, "no matrix", THTensor_(trace)(cube));
  CHECK_RAISES(1, "no matrix", THTensor_(trace)(empty));
  THTensor_(free)(empty);
  THTensor_(free)(cube);
}

static void THTest_(equal)(void)
{
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(70, 5, 30)), *copy = THTensor_(newClone)(t);
    th_note("layout %s", th_layout_names[layout]);
    CHECK_EQ(THTensor_(equal)(t, copy), 1);
    CHECK_EQ(THTensor_(equal)(copy, t), 1);
    const ptrdiff_t n = THTest_(count)(t);
    for (int position = 0; position < 3 && n > 0; position++) {
      real *x = THTest_(at)(copy, position == 0 ? 0 : position == 1 ? n / 2 : n - 1);
      const real before = *x;
      *x = (real)(before + 1);
      CHECK_EQ(THTensor_(equal)(t, copy), 0);
      *x = before;
    }
    if (n > 1) {
      THTensor_(resize1d)(copy, n);
      CHECK_EQ(THTensor_(equal)(t, copy), 0); /* other sizes */
    }
    THTensor_(free)(copy);
    THTensor_(free)(t);
  }
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  THTensor *a = THTensor_(newWithSize1d)(1), *b = THTensor_(newWithSize1d)(1);
  a->storage->data[0] = 0;
  b->storage->data[0] = -(real)0.0;
  CHECK_EQ(THTensor_(equal)(a, b), 1);
  a->storage->data[0] = (real)NAN;
  CHECK_EQ(THTensor_(equal)(a, a), 0);
  THTensor_(free)(b);
  THTensor_(free)(a);
#endif
}

TH_TESTS(THTest_(scans), THTest_(orderedScans), THTest_(shortScans), THTest_(longScans),
         THTest_(scanErrors), THTest_(trace), THTest_(equal))
