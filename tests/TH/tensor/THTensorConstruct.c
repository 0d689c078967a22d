/* Sequences, diagonals, triangles, joining, vectors: against their definitions. */
#include "THTemplate.h"

#include "th_layouts.h"

#define LAYOUT_LOOP(LAYOUT) for (int LAYOUT = 0; LAYOUT < TH_ONE; LAYOUT++)

static void THTest_(constants)(void)
{
  THLongStorage *size = THLongStorage_newWithSize2(3, 4);
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    if (!th_layout_is_writable(layout))
      continue;
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 2, TH_SHAPE(3, 4));
    THTensor *like = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(2, 3, 4));
    THTensor_(ones)(t, size);
    CHECK(THTensor_(isSize)(t, size));
    for (int i = 0; i < 12; i++)
      CHECK_EQ(*THTest_(at)(t, i), (real)1);
    THTensor_(zeros)(t, size);
    for (int i = 0; i < 12; i++)
      CHECK_EQ(*THTest_(at)(t, i), (real)0);
    THTensor_(onesLike)(t, like);
    CHECK(THTensor_(isSameSizeAs)(t, like));
    CHECK_EQ(*THTest_(at)(t, 23), (real)1);
    THTensor_(zerosLike)(t, like);
    CHECK_EQ(*THTest_(at)(t, 23), (real)0);
    THTensor_(free)(like);
    THTensor_(free)(t);
  }
  THLongStorage_free(size);
}

static void THTest_(eye)(void)
{
  static const int64_t sizes[][2] = {{3, 3}, {2, 5}, {5, 2}, {4, 0}, {4, -1}, {1, 1}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int64_t n = sizes[k][0], m = sizes[k][1] > 0 ? sizes[k][1] : n;
    THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 2, TH_SHAPE(n, m));
    THTensor_(eye)(t, n, sizes[k][1]);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < m; j++)
        CHECK_EQ(THTensor_(get2d)(t, i, j), (real)(i == j));
    THTensor_(free)(t);
  }
  THTensor *t = THTensor_(new)();
  CHECK_RAISES(2, "n is 0", THTensor_(eye)(t, 0, 3));
  CHECK_RAISES(0, "too large", THTensor_(eye)(t, INT64_MAX, 3));
  THTensor_(free)(t);
}

/* Sequences of whole numbers. */
static void THTest_(wholeSequences)(void)
{
  static const struct {
    int first, last, step, range[6], nrange, narange;
  } cases[] = {{0, 4, 1, {0, 1, 2, 3, 4}, 5, 4},
               {1, 8, 3, {1, 4, 7}, 3, 3},
               {1, 7, 3, {1, 4, 7}, 3, 2},
               {3, 3, 2, {3}, 1, 0},
#if !defined(TH_REAL_IS_BYTE)
               {5, -4, -3, {5, 2, -1, -4}, 4, 3}
#endif
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    th_note("from %d to %d by %d", cases[k].first, cases[k].last, cases[k].step);
    THTensor *t = THTensor_(new)();
    THTensor_(range)(t, cases[k].first, cases[k].last, cases[k].step);
    CHECK_EQ(THTest_(count)(t), cases[k].nrange);
    for (int i = 0; i < cases[k].nrange; i++)
      CHECK_EQ(*THTest_(at)(t, i), (real)cases[k].range[i]);
    THTensor_(arange)(t, cases[k].first, cases[k].last, cases[k].step);
    CHECK_EQ(THTest_(count)(t), cases[k].narange);
    for (int i = 0; i < cases[k].narange; i++)
      CHECK_EQ(*THTest_(at)(t, i), (real)cases[k].range[i]);
    THTensor_(free)(t);
  }
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
/* Where rounding decides how many there are. */
static void THTest_(roundedSequences)(void)
{
  /* PyTorch's counts, the sizes of torch.range and torch.arange in float64. */
  static const struct {
    double first, last, step;
    int nrange, narange;
  } rounded[] = {{0.1, 0.3, 0.1, 3, 2},   {0, 0.3, 0.1, 3, 3}, {0, 0.6, 0.2, 3, 3},
                 {1, 0.7, -0.1, 4, 4},    {0, 1, 0.1, 11, 10}, {0.5, 0.75, 0.125, 3, 2},
                 {-0.3, -0.1, 0.1, 3, 2}, {0, 0.7, 0.1, 7, 7}, {0.1, 0.7, 0.1, 6, 6}};
  for (size_t k = 0; k < sizeof rounded / sizeof *rounded; k++) {
    th_note("from %g to %g by %g", rounded[k].first, rounded[k].last, rounded[k].step);
    THTensor *t = THTensor_(new)();
    THTensor_(range)(t, rounded[k].first, rounded[k].last, rounded[k].step);
    CHECK_EQ(THTest_(count)(t), rounded[k].nrange);
    CHECK_CLOSE(*THTest_(at)(t, THTest_(count)(t) - 1),
                (real)(rounded[k].first + (rounded[k].nrange - 1) * rounded[k].step), 1e-6);
    THTensor_(arange)(t, rounded[k].first, rounded[k].last, rounded[k].step);
    CHECK_EQ(THTest_(count)(t), rounded[k].narange);
    THTensor_(free)(t);
  }
}
#endif

/* The values and their number, worked out by hand. */
static void THTest_(sequences)(void)
{
  THTest_(wholeSequences)();
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  THTest_(roundedSequences)();
#endif
  for (int layout = 0; layout < TH_WITH_ONES;
       layout++) { /* a result of that many keeps its shape */
    THTensor *t = THTest_(tensor)(layout, 2, TH_SHAPE(5, 4));
    real *before = THTest_(storageValues)(t);
    THTensor_(arange)(t, 3, 23, 1);
    CHECK_EQ(t->nDimension, 2);
    for (int i = 0; i < 20; i++)
      CHECK_EQ(*THTest_(at)(t, i), (real)(i + 3));
    CHECK_OUTSIDE(t, before);
    free(before);
    THTensor_(free)(t);
  }
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2, 3));
  THTensor *expanded = THTest_(tensor)(TH_EXPANDED, 2, TH_SHAPE(2, 3));
  CHECK_RAISES(4, "step is 0", THTensor_(arange)(t, 0, 3, 0));
  CHECK_RAISES(4, "does not lead", THTensor_(range)(t, 0, 3, -1));
  CHECK_RAISES(4, "does not lead", THTensor_(arange)(t, 3, 0, 1));
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  CHECK_RAISES(2, "finite", THTensor_(arange)(t, NAN, 3, 1));
  CHECK_RAISES(3, "finite", THTensor_(range)(t, 0, INFINITY, 1));
  CHECK_RAISES(4, "too many", THTensor_(range)(t, 0, 1e30, 1e-30));
#else
  CHECK_RAISES(4, "too many", THTensor_(range)(t, INT64_MIN, INT64_MAX, 1));
  THTensor_(range)(expanded, INT64_MIN, INT64_MAX, INT64_MAX); /* three of them: a new shape */
  CHECK_EQ(THTest_(count)(expanded), 3);
#endif
  CHECK_EQ(t->nDimension, 2);
  THTensor_(free)(expanded);
  THTensor_(free)(t);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
static void THTest_(spaced)(void)
{
  THTensor *t = THTensor_(new)();
  THTensor_(linspace)(t, -2, 3, 11);
  for (int i = 0; i < 11; i++)
    CHECK_EQ(*THTest_(at)(t, i), (real)(-2 + 0.5 * i));
  THTensor_(linspace)(t, (real)0.1, (real)0.9, 1001);
  CHECK_EQ(*THTest_(at)(t, 0), (real)0.1);
  CHECK_EQ(*THTest_(at)(t, 1000), (real)0.9);
  for (int i = 0; i < 1001; i++)
    CHECK_CLOSE(*THTest_(at)(t, i), (real)(0.1 + 0.0008 * i), 2e-7);
  THTensor_(logspace)(t, -2, 2, 5);
  for (int i = 0; i < 5; i++)
    CHECK_CLOSE(*THTest_(at)(t, i), ((const double[]){0.01, 0.1, 1, 10, 100})[i], 1e-7);
  const real most = sizeof(real) == 4 ? (real)FLT_MAX : (real)DBL_MAX; /* the way is no number */
  THTensor_(linspace)(t, -most, most, 5);
  CHECK_EQ(*THTest_(at)(t, 0), -most);
  CHECK_EQ(*THTest_(at)(t, 1), -most / 2);
  CHECK_EQ(*THTest_(at)(t, 2), 0);
  CHECK_EQ(*THTest_(at)(t, 3), most / 2);
  CHECK_EQ(*THTest_(at)(t, 4), most);
  THTensor_(linspace)(t, 4, 4, 1);
  CHECK_EQ(THTest_(count)(t), 1);
  CHECK_EQ(*THTest_(at)(t, 0), (real)4);
  CHECK_RAISES(4, "1 points", THTensor_(linspace)(t, 4, 5, 1));
  CHECK_RAISES(4, "0 points", THTensor_(logspace)(t, 4, 4, 0));
  CHECK_RAISES(4, "points", THTensor_(linspace)(t, 4, 5, INT64_MIN));
  CHECK_RAISES(0, "", THTensor_(linspace)(t, 4, 5, INT64_MAX));
  CHECK_EQ(THTest_(count)(t), 1);
  THTensor_(free)(t);
}
#else
static void THTest_(spaced)(void)
{
}
#endif

static void THTest_(diag)(void)
{
  for (int layout = 0; layout < TH_WITH_ONES; layout++)
    for (int k = -6; k <= 6; k++) {
      th_note("%s, diagonal %d", th_layout_names[layout], k);
      THTensor *m = THTest_(tensor)(layout, 2, TH_SHAPE(4, 5)), *r = THTensor_(new)();
      THTensor_(diag)(r, m, k);
      int64_t n = 0;
      for (int64_t i = 0; i < 4; i++)
        if (i + k >= 0 && i + k < 5)
          CHECK_EQ(*THTest_(at)(r, n++), THTensor_(get2d)(m, i, i + k));
      CHECK_EQ(THTest_(count)(r), n);
      THTensor_(free)(m);

      THTensor *v = THTest_(tensor)(layout, 3, TH_SHAPE(3));
      THTensor_(diag)(r, v, k);
      const int64_t side = 3 + abs(k);
      CHECK_EQ(r->size[0], side);
      CHECK_EQ(r->size[1], side);
      for (int64_t i = 0; i < side; i++)
        for (int64_t j = 0; j < side; j++)
          CHECK_EQ(THTensor_(get2d)(r, i, j),
                   j - i == k ? THTensor_(get1d)(v, k < 0 ? j : i) : (real)0);
      THTensor_(free)(v);
      THTensor_(free)(r);
    }
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(4, 4)); /* into itself */
  THTensor_(diag)(t, t, 1);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(THTensor_(get1d)(t, i), THTest_(value)(2, 5 * i + 1));
  THTensor *cube = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2, 2, 2));
  CHECK_RAISES(2, "[2 x 2 x 2]", THTensor_(diag)(t, cube, 0));
  THTensor_(free)(cube);
  THTensor_(free)(t);
}

static void THTest_(triangles)(void)
{
  static const int64_t diagonals[] = {-7, -5, -4, -2, -1, 0, 1, 3, 4, 5, 9, INT64_MIN, INT64_MAX};
  for (int layout = 0; layout < TH_WITH_ONES; layout++)
    for (size_t d = 0; d < sizeof diagonals / sizeof *diagonals; d++)
      for (int in_place = 0; in_place < 2; in_place++) {
        const int64_t k = diagonals[d];
        th_note("%s, diagonal %lld, in place %d", th_layout_names[layout], (long long)k, in_place);
        for (int upper = 0; upper < 2; upper++) {
          THTensor *t = THTest_(tensor)(layout, 2, TH_SHAPE(5, 4));
          real *values = THTest_(values)(t), *before = THTest_(storageValues)(t);
          THTensor *r = in_place ? t : THTensor_(new)();
          (upper ? THTensor_(triu) : THTensor_(tril))(r, t, k);
          for (int64_t i = 0; i < 5; i++)
            for (int64_t j = 0; j < 4; j++) {
              const int keeps = upper ? j - i >= k : j - i <= k;
              CHECK_EQ(THTensor_(get2d)(r, i, j), keeps ? values[4 * i + j] : (real)0);
            }
          if (in_place)
            CHECK_OUTSIDE(t, before);
          else
            THTensor_(free)(r);
          free(before);
          free(values);
          THTensor_(free)(t);
        }
      }
  /* rows longer than a block that is streamed, and enough for two threads */
  THTensor *t = THTest_(tensor)(TH_OFFSET, 2, TH_SHAPE(17, 5003)), *r = THTensor_(new)();
  for (int upper = 0; upper < 2; upper++) {
    (upper ? THTensor_(triu) : THTensor_(tril))(r, t, 2500);
    int agree = 1;
    for (int64_t i = 0; i < 17; i++)
      for (int64_t j = 0; j < 5003; j++)
        agree &= THTensor_(get2d)(r, i, j) ==
                 ((upper ? j - i >= 2500 : j - i <= 2500) ? THTensor_(get2d)(t, i, j) : (real)0);
    CHECK(agree);
  }
  THTensor_(free)(r);
  THTensor_(free)(t);
  THTensor *v = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(5));
  CHECK_RAISES(2, "[5]", THTensor_(tril)(v, v, 0));
  THTensor_(free)(v);
}

static void THTest_(reshape)(void)
{
  THLongStorage *size = THLongStorage_newWithSize2(4, 6);
  LAYOUT_LOOP(layout)
  {
    THTensor *t = THTest_(tensor)(layout, 2, TH_SHAPE(2, 3, 4)), *r = THTensor_(new)();
    real *values = THTest_(values)(t);
    THTensor_(reshape)(r, t, size);
    CHECK(THTensor_(isSize)(r, size));
    CHECK_VALUES(r, values);
    if (th_layout_is_writable(layout)) {
      THTensor_(reshape)(t, t, size);
      CHECK_VALUES(t, values);
    }
    free(values);
    THTensor_(free)(r);
    THTensor_(free)(t);
  }
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(5, 5));
  CHECK_RAISES(3, "24", THTensor_(reshape)(t, t, size));
  size->data[0] = -4;
  CHECK_RAISES(3, "no shape", THTensor_(reshape)(t, t, size));
  THTensor_(free)(t);
  THLongStorage_free(size);
}

/* Two tensors of three dimensions, and the first one once more, joined along dim. */
static void THTest_(catCase)(int la, int lb, int dim, const int64_t *of)
{
  th_note("%s and %s of size %s along %d", th_layout_names[la], th_layout_names[lb],
          _THSizeDesc(of, 3).str, dim);
  int64_t size[3] = {of[0], of[1], of[2]};
  THTensor *a = THTest_(tensor)(la, 2, 3, size);
  size[dim] = 5;
  THTensor *b = THTest_(tensor)(lb, 3, 3, size), *r = THTensor_(new)(), *none = THTensor_(new)();
  THTensor *inputs[] = {none, a, none, b, a};
  THTensor_(catArray)(r, inputs, 5, dim == 2 && la ? -1 - TH_INDEX_BASE : dim);
  CHECK_EQ(r->size[dim], 2 * a->size[dim] + 5);
  for (ptrdiff_t i = 0; i < THTest_(count)(r); i++) {
    int64_t x[3] = {i / (r->size[1] * r->size[2]), i / r->size[2] % r->size[1], i % r->size[2]};
    const THTensor *from = a;
    if (x[dim] >= a->size[dim] + 5)
      x[dim] -= a->size[dim] + 5;
    else if (x[dim] >= a->size[dim])
      x[dim] -= a->size[dim], from = b;
    CHECK_EQ(*THTest_(at)(r, i), THTensor_(get3d)(from, x[0], x[1], x[2]));
  }
  THTensor_(free)(none);
  THTensor_(free)(r);
  THTensor_(free)(a);
  THTensor_(free)(b);
}

/* Matrices of many layouts joined along their columns, or along a new dimension. */
static void THTest_(catColumns)(int64_t rows, const int *layouts, const int64_t *widths, int count,
                                int dim)
{
  th_note("%d from %s on, %lld rows, along %d", count, th_layout_names[layouts[0]], (long long)rows,
          dim);
  THTensor *inputs[300], *r = THTensor_(new)();
  for (int k = 0; k < count; k++)
    inputs[k] = THTest_(tensor)(layouts[k], (unsigned)k + 2, 2, (int64_t[]){rows, widths[k]});
  THTensor_(catArray)(r, inputs, count, dim);
  const real *y = THTensor_(data)(r);
  int agree = 1;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0, of = dim == 2 ? widths[0] : 1; j < of; j++)
      for (int k = 0; k < count; k++)
        for (int64_t c = 0; c < (dim == 2 ? 1 : widths[k]); c++)
          agree &= *y++ == THTensor_(get2d)(inputs[k], i, dim == 2 ? j : c);
  CHECK(agree);
  CHECK_EQ(y - THTensor_(data)(r), THTest_(count)(r));
  for (int k = 0; k < count; k++)
    THTensor_(free)(inputs[k]);
  THTensor_(free)(r);
}

static void THTest_(catOfColumns)(void)
{
  static const int layouts[] = {TH_TRANSPOSED, TH_CONTIGUOUS, TH_STRIDED, TH_WINDOWS,
                                TH_EXPANDED,   TH_NARROWED,   TH_OFFSET,  TH_TRANSPOSED};
  static const int64_t rows[] = {1, 2, 15, 333, 1500}, mixed[] = {3, 1, 1, 1, 1, 5, 1, 33},
                       ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, equal[] = {9, 9, 9, 9, 9, 9, 9, 9};
  const int threads = THGetNumThreads();
  for (int k = 0; k < 5; k++)
    for (int first = 0; first < 8; first++) {
      THSetNumThreads(first % 3 + 1);
      const int few = THMin(8 - first, k + 2);
      THTest_(catColumns)(rows[k], layouts + first, mixed + first, 8 - first, 1);
      THTest_(catColumns)(rows[k], layouts + first, ones + first, few, 1);
      THTest_(catColumns)(rows[k], layouts + first, equal + first, few, 2);
    }
  THSetNumThreads(threads);

  /* more than are woven at a time */
  int many[300];
  int64_t width[300];
  for (int k = 0; k < 300; k++)
    many[k] = k % 100 == 99 ? TH_STRIDED : TH_CONTIGUOUS, width[k] = 1;
  THTest_(catColumns)(77, many, width, 300, 1);
}

static void THTest_(cat)(void)
{
  for (int dim = 0; dim < 3; dim++)
    for (int la = 0; la < TH_WITH_ONES; la++)
      for (int lb = 0; lb < TH_WITH_ONES; lb++)
        THTest_(catCase)(la, lb, dim, (int64_t[]){2, 3, 4});
  /* enough for several groups of rows, and for several threads; rows of one element */
  static const int64_t large[][3] = {{37, 41, 60}, {300, 1, 250}, {7, 9000, 1}, {3, 5, 4000}};
  const int threads = THGetNumThreads();
  for (int k = 0; k < 4; k++)
    for (int dim = 1; dim < 3; dim++)
      for (int n = 1; n <= 3; n += 2) {
        THSetNumThreads(n);
        THTest_(catCase)(TH_CONTIGUOUS, TH_NARROWED, dim, large[k]);
        THTest_(catCase)(TH_CONTIGUOUS, TH_TRANSPOSED, dim, large[k]);
      }
  THSetNumThreads(threads);

  /* into an input; along a new dimension; nothing at all; what does not fit */
  THTensor *v = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(3)),
           *w = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(3));
  real *values = THTest_(values)(v), *others = THTest_(values)(w);
  THTensor_(cat)(v, v, v, 0);
  for (int i = 0; i < 6; i++)
    CHECK_EQ(THTensor_(get1d)(v, i), values[i % 3]);
  THTensor_(narrow)(v, NULL, 0, 0, 3);
  THTensor_(cat)(v, v, w, 1);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(THTensor_(get2d)(v, i, 0), values[i]);
    CHECK_EQ(THTensor_(get2d)(v, i, 1), others[i]);
  }
  CHECK_RAISES(0, "[3 x 2] and [3] (number", THTensor_(cat)(v, v, w, 0));
  static const int wrong[] = {INT_MIN, INT_MAX, -3, TH_INDEX_BASE ? -1 : -2};
  for (int i = 0; i < 4; i++)
    CHECK_RAISES(4, "out of range", THTensor_(cat)(v, v, w, wrong[i]));
  CHECK_RAISES(3, "numInputs is 0", THTensor_(catArray)(v, &w, 0, 0));
  CHECK_EQ(v->size[1], 2);
  THTensor *none = THTensor_(new)();
  THTensor_(cat)(v, none, none, 0);
  CHECK_EQ(v->nDimension, 0);
  free(values);
  free(others);
  THTensor_(free)(none);
  THTensor_(free)(v);
  THTensor_(free)(w);
}

static void THTest_(cross)(void)
{
  LAYOUT_LOOP(la)
  for (int dim = -1; dim < 3; dim += 2) {
    if (!th_layout_keeps_shape(la))
      continue;
    th_note("%s, dimension %d", th_layout_names[la], dim);
    THTensor *a = THTest_(tensor)(la, 2, TH_SHAPE(2, 3, 4)),
             *b = THTest_(tensor)(TH_PERMUTED, 3, TH_SHAPE(2, 3, 4));
    THTensor *r = dim < 0 || !th_layout_is_writable(la) ? THTensor_(new)() : a;
    real *x = THTest_(values)(a), *y = THTest_(values)(b);
    THTensor_(cross)(r, a, b, dim);
    for (int i = 0; i < 24; i++) {
      const int k = i / 4 % 3, k1 = i + ((k + 1) % 3 - k) * 4, k2 = i + ((k + 2) % 3 - k) * 4;
      CHECK_EQ(*THTest_(at)(r, i), (real)((real)(x[k1] * y[k2]) - (real)(x[k2] * y[k1])));
    }
    free(x);
    free(y);
    CHECK_RAISES(4, "of size 3", THTensor_(cross)(r, a, b, 2));
    CHECK_RAISES(4, "of size 3", THTensor_(cross)(r, a, b, INT_MAX));
    if (r != a)
      THTensor_(free)(r);
    THTensor_(free)(a);
    THTensor_(free)(b);
  }
  THTensor *a = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2, 4)),
           *b = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(4, 2));
  CHECK_RAISES(3, "[4 x 2]", THTensor_(cross)(a, a, b, -1));
  CHECK_RAISES(4, "no dimension", THTensor_(cross)(a, a, a, -1));
  THTensor_(free)(a);
  THTensor_(free)(b);
}

static void THTest_(match)(void)
{
  LAYOUT_LOOP(layout)
  {
    if (!th_layout_keeps_shape(layout))
      continue;
    th_note("%s", th_layout_names[layout]);
    THTensor *a = THTest_(tensor)(layout, 2, TH_SHAPE(3, 2, 3)),
             *b = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(4, 6));
    THTensor *r = THTensor_(new)();
    real *x = THTest_(values)(a), *y = THTest_(values)(b);
    THTensor_(match)(r, a, b, 3);
    CHECK_EQ(r->size[0], 3);
    CHECK_EQ(r->size[1], 4);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) {
        long double sum = 0;
        for (int k = 0; k < 6; k++)
          sum += ((long double)x[6 * i + k] - y[6 * j + k]) *
                 ((long double)x[6 * i + k] - y[6 * j + k]);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
        CHECK_CLOSE(THTensor_(get2d)(r, i, j), (double)(3 * sum), 1e-6);
#else
        CHECK_EQ(THTensor_(get2d)(r, i, j), (real)(int64_t)(3 * sum));
#endif
      }
    free(x);
    free(y);
    CHECK_RAISES(3, "rows of m2", THTensor_(match)(r, b, r, 1));
    THTensor_(free)(r);
    THTensor_(free)(a);
    THTensor_(free)(b);
  }
}

TH_TESTS(THTest_(constants), THTest_(eye), THTest_(sequences), THTest_(spaced), THTest_(diag),
         THTest_(triangles), THTest_(reshape), THTest_(cat), THTest_(catOfColumns), THTest_(cross),
         THTest_(match))
