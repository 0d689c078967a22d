/* Reductions on the device against TH's, over layouts, sizes and dimensions. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

/* The error bound of a float sum of n numbers below 8. */
static double THTest_(lost)(ptrdiff_t n)
{
  return IS_FLOATING
             ? 8 * (double)n * 0x1p-22 * (sizeof(accreal) == 8 && EPSILON < 1e-10 ? 1e-7 : 1)
             : 0;
}

/* Values whose products stay in range. */
static void THTest_(nearOne)(THTensor *t)
{
  for (ptrdiff_t i = 0; i < t->storage->size; i++)
    t->storage->data[i] =
        TO_REAL(IS_FLOATING ? 1 + ((double)(i * 7 % 13) - 6) / 4096 : (double)(i * 7 % 13 - 6));
}

/* A few NaN and infinities, and values that occur often. */
static void THTest_(odd)(THTensor *t)
{
  for (ptrdiff_t i = 0; i < t->storage->size; i++) {
    t->storage->data[i] = TO_REAL((double)(i * 31 % 17));
    if (IS_FLOATING && i % 11 == 4)
      t->storage->data[i] = TO_REAL(i % 2 ? NAN : i % 4 ? INFINITY : -INFINITY);
  }
}

/* Checks a result, and frees both. */
static void THTest_(checkFreed)(THCTensor *r, RTensor *expected, double relative, double absolute)
{
  CHECK_LIKE(r, expected, relative, absolute);
  RTensor_(free)(expected);
  THCTensor_(free)(thc_state(), r);
}

#define OF_DIM(NAME)                                                                        \
  static void THTest_(one_##NAME)(THTensor *t, RTensor *s, THCTensor *d, int dim, int keep, \
                                  double relative, double absolute)                         \
  {                                                                                         \
    THCTensor *r = THCTensor_(new)(thc_state());                                            \
    RTensor *expected = RTensor_(new)();                                                    \
    THCTensor_(NAME)(thc_state(), r, d, dim, keep);                                         \
    RTensor_(NAME)(expected, s, dim, keep);                                                 \
    THTest_(checkFreed)(r, expected, relative, absolute);                                   \
  }
OF_DIM(sum)
OF_DIM(prod)

/* Checks values and indices; TH counts indices from 0. */
static void THTest_(checkBest)(THCTensor *r, THCudaLongTensor *ri, RTensor *expected,
                               THLongTensor *indices)
{
  THTest_(checkFreed)(r, expected, 0, 0);
  THLongTensor_add(indices, indices, TH_INDEX_BASE);
  CHECK_LONGS(ri, indices);
  THLongTensor_free(indices);
  THCudaLongTensor_free(thc_state(), ri);
}

#define BEST(NAME)                                                             \
  static void THTest_(one_##NAME)(RTensor *s, THCTensor *d, int dim, int keep) \
  {                                                                            \
    THCTensor *r = THCTensor_(new)(thc_state());                               \
    THCudaLongTensor *ri = THCudaLongTensor_new(thc_state());                  \
    RTensor *expected = RTensor_(new)();                                       \
    THLongTensor *indices = THLongTensor_new();                                \
    THCTensor_(NAME)(thc_state(), r, ri, d, dim, keep);                        \
    RTensor_(NAME)(expected, indices, s, dim, keep);                           \
    THTest_(checkBest)(r, ri, expected, indices);                              \
  }
BEST(max)
BEST(min)
BEST(median)

#if IS_FLOATING
OF_DIM(mean)

static void THTest_(statistics)(RTensor *s, THCTensor *d, int dim, double absolute)
{
  static const double norms[] = {0, 1, 2, 3, 0.5, INFINITY, -INFINITY};
  THCState *state = thc_state();
  THCTensor *r = THCTensor_(new)(state);
  RTensor *expected = RTensor_(new)();
  for (int biased = 0; biased < 2; biased++) {
    THCTensor_(var)(state, r, d, dim, biased, 1);
    RTensor_(var)(expected, s, dim, biased, 1);
    CHECK_LIKE(r, expected, 4 * SUM_EPSILON, 1e-5);
    THCTensor_(std)(state, r, d, dim, biased, 0);
    RTensor_(std)(expected, s, dim, biased, 0);
    CHECK_LIKE(r, expected, 4 * SUM_EPSILON, 1e-5);
  }
  for (size_t k = 0; k < sizeof norms / sizeof *norms; k++) {
    th_note("norm %g", norms[k]);
    THCTensor_(norm)(state, r, d, TO_REAL(norms[k]), dim, 0);
    RTensor_(norm)(expected, s, (reference)norms[k], dim, 0);
    CHECK_LIKE(r, expected, 40 * SUM_EPSILON, absolute);
  }
  RTensor_(free)(expected);
  THCTensor_(free)(state, r);
}
#else
/* Means of integers. */
static void THTest_(one_mean)(THTensor *t, RTensor *s, THCTensor *d, int dim, int keep,
                              double relative, double absolute)
{
  THCState *state = thc_state();
  THCTensor *r = THCTensor_(new)(state);
  THLongTensor *longs = THLongTensor_new(), *expected = THLongTensor_new();
  THLongTensor_resizeNd(longs, s->nDimension, s->size, NULL);
  TH_CONCAT_2(THLongTensor_copy, Real)(longs, s);
  THLongTensor_sum(expected, longs, dim, keep);
  for (ptrdiff_t i = 0; i < THLongTensor_nElement(expected); i++)
    expected->storage->data[i] = (int64_t)(real)(expected->storage->data[i] / s->size[dim]);
  THTensor *narrow = THTensor_(new)();
  THTensor_(resizeNd)(narrow, expected->nDimension, expected->size, NULL);
  THTensor_(copyLong)(narrow, expected);
  THCTensor_(mean)(state, r, d, dim, keep);
  CHECK_LIKE(r, narrow, 0, 0);
  THTensor_(free)(narrow);
  THLongTensor_free(expected);
  THLongTensor_free(longs);
  THCTensor_(free)(state, r);
}
#endif

/* Everything along one dimension; the values of t are known to be such as its seed makes. */
static void THTest_(alongDim)(THTensor *t, int dim)
{
  THCState *state = thc_state();
  const ptrdiff_t n = t->size[dim];
  RTensor *s = THCTest_(reference)(t);
  THCTensor *d = THCTest_(upload)(t);
  for (int keep = 0; keep < 2; keep++) {
    THTest_(one_sum)(t, s, d, dim, keep, EPSILON, THTest_(lost)(n));
    THTest_(one_mean)(t, s, d, dim, keep, EPSILON, THTest_(lost)(1));
    THTest_(one_max)(s, d, dim, keep);
    THTest_(one_min)(s, d, dim, keep);
    if (keep)
      THTest_(one_median)(s, d, dim, keep);
  }
#if IS_FLOATING
  THTest_(statistics)(s, d, dim, THTest_(lost)(n));
#endif
  THCTensor_(free)(state, d);
  RTensor_(free)(s);

  THTest_(nearOne)(t);
  s = THCTest_(reference)(t);
  d = THCTest_(upload)(t);
  THTest_(one_prod)(t, s, d, dim, 0, EPSILON + (double)n * 0x1p-23 * IS_FLOATING, 0);
  THCTensor_(free)(state, d);
  RTensor_(free)(s);

  THTest_(odd)(t);
  s = THCTest_(reference)(t);
  d = THCTest_(upload)(t);
  THTest_(one_max)(s, d, dim, 0);
  THTest_(one_min)(s, d, dim, 0);
  THTest_(one_median)(s, d, dim, 0);
  THTest_(one_sum)(t, s, d, dim, 0, EPSILON, THTest_(lost)(n));
  THCTensor_(free)(state, d);
  RTensor_(free)(s);
}

static void THTest_(reduceLayouts)(void)
{
  for (int layout = 0; layout < TH_EMPTY; layout++)
    for (int dim = 0; dim < 3; dim++) {
      THTensor *t = THTest_(tensor)(layout, 7, TH_SHAPE(3, 5, 7));
      if (dim < t->nDimension) {
        th_note("%s, dimension %d", th_layout_names[layout], dim);
        THTest_(alongDim)(t, dim);
      }
      THTensor_(free)(t);
    }
}

/* Reduces lines that are cut in each way: along and across, few and many, with chunks and without. */
static void THTest_(reduceSizes)(void)
{
  static const int64_t shapes[][2] = {{1, 1},     {1, 31},    {1, 32},    {33, 1},
                                      {31, 33},   {1000, 33}, {33, 1000}, {2, 20011},
                                      {20011, 3}, {5000, 40}, {700, 7},   {7, 700}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int dim = 0; dim < 2; dim++)
      for (int turned = 0; turned < 2; turned++) {
        if (turned && shapes[k][0] * shapes[k][1] > 40000)
          continue;
        th_note("%lld x %lld, dimension %d, %s", (long long)shapes[k][0], (long long)shapes[k][1],
                dim, turned ? "turned" : "straight");
        THTensor *t = THTest_(tensor)(turned ? TH_TRANSPOSED : TH_CONTIGUOUS, 3 + k, 2, shapes[k]);
        THTest_(alongDim)(t, dim);
        THTensor_(free)(t);
      }
}

/* --- all elements ----------------------------------------------------------------------------- */

#ifdef TH_REAL_IS_HALF
#define NUMBER_OF(X) ((double)TH_half2float(X))
#else
#define NUMBER_OF(X) ((double)(X))
#endif

static void THTest_(near)(const char *what, double a, double b, double tolerance)
{
  if (!thc_is_near(a, b, tolerance))
    th_fail_at(__FILE__, __LINE__, "%s is %.12g, expected %.12g", what, a, b);
}

static void THTest_(allOf)(THTensor *t)
{
  THCState *state = thc_state();
  RTensor *s = THCTest_(reference)(t);
  THCTensor *d = THCTest_(upload)(t);
  const ptrdiff_t n = RTensor_(nElement)(s);
  TH_UNUSED const double lost = THTest_(lost)(n);
#if IS_FLOATING
  const double sum = RTensor_(sumall)(s);
  THTest_(near)("sumall", THCTensor_(sumall)(state, d), sum, lost);
#else
  CHECK_EQ(THCTensor_(sumall)(state, d), RTensor_(sumall)(s));
  CHECK_EQ(THCTensor_(prodall)(state, d), RTensor_(prodall)(s));
#endif
  if (n > 0) {
    CHECK_EQ(NUMBER_OF(THCTensor_(maxall)(state, d)), (double)RTensor_(maxall)(s));
    CHECK_EQ(NUMBER_OF(THCTensor_(minall)(state, d)), (double)RTensor_(minall)(s));
    CHECK_EQ(NUMBER_OF(THCTensor_(medianall)(state, d)), (double)RTensor_(medianall)(s));
#if IS_FLOATING
    THTest_(near)("meanall", THCTensor_(meanall)(state, d), RTensor_(meanall)(s), lost / (double)n);
    for (int biased = 0; biased < 2; biased++) {
      THTest_(near)("varall", THCTensor_(varall)(state, d, biased), RTensor_(varall)(s, biased),
                    1e-4);
      THTest_(near)("stdall", THCTensor_(stdall)(state, d, biased), RTensor_(stdall)(s, biased),
                    1e-4);
    }
    static const double norms[] = {0, 1, 2, 3, INFINITY, -INFINITY};
    for (size_t k = 0; k < sizeof norms / sizeof *norms; k++)
      THTest_(near)("normall", THCTensor_(normall)(state, d, TO_REAL(norms[k])),
                    RTensor_(normall)(s, (reference)norms[k]), lost);
#else
    CHECK_EQ(THCTensor_(meanall)(state, d), RTensor_(sumall)(s) / n);
#endif
  } else {
    CHECK_RAISES(1, "has no elements", THCTensor_(maxall)(state, d));
    CHECK_RAISES(1, "has no elements", THCTensor_(minall)(state, d));
    CHECK_RAISES(1, "has no elements", THCTensor_(meanall)(state, d));
    CHECK_RAISES(1, "has no elements", THCTensor_(medianall)(state, d));
    CHECK_EQ((double)THCTensor_(prodall)(state, d), 1);
  }
  THCTensor_(free)(state, d);
  RTensor_(free)(s);
#if IS_FLOATING
  if (n > 0) {
    THTest_(nearOne)(t);
    s = THCTest_(reference)(t);
    d = THCTest_(upload)(t);
    const double product = RTensor_(prodall)(s);
    THTest_(near)("prodall", THCTensor_(prodall)(state, d), product, product * (double)n * 0x1p-23);
    THCTensor_(free)(state, d);
    RTensor_(free)(s);
  }
#endif
}

static void THTest_(reduceAll)(void)
{
  static const int64_t sizes[] = {1, 2, 31, 32, 33, 1000, 5000, 100003};
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 5, TH_SHAPE(3, 5, 7));
    THTest_(allOf)(t);
    THTensor_(free)(t);
  }
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int layout = 0; layout <= TH_STRIDED; layout++) {
      if (layout == TH_TRANSPOSED || layout == TH_PERMUTED)
        continue;
      th_note("%lld elements, %s", (long long)sizes[k], th_layout_names[layout]);
      THTensor *t = THTest_(tensor)(layout, 5, 1, &sizes[k]);
      THTest_(allOf)(t);
      THTensor_(free)(t);
    }
  THTensor *wide = THTest_(tensor)(TH_NARROWED, 8, TH_SHAPE(70, 60, 9));
  THTest_(allOf)(wide);
  const ptrdiff_t most = THCWalk_most;
  THCWalk_most = 5000; /* in parts, as what is too large for one launch */
  THTest_(allOf)(wide);
  THCWalk_most = most;
  THTensor_(free)(wide);
}

static void THTest_(leastNan)(TH_UNUSED real *x)
{
#if defined(TH_REAL_IS_HALF)
  x->x = 0x7c01;
#elif IS_FLOATING
  const uint64_t bits = sizeof(real) == 4 ? 0x7f800001u : 0x7ff0000000000001u;
  memcpy(x, &bits, sizeof *x);
#endif
}

/* Elements whose keys are hardest to tell: zeros of either sign, infinities, the last numbers of
 * the type; with NaN the median is the first of these. */
static void THTest_(medians)(void)
{
  THCState *state = thc_state();
#if IS_FLOATING
  static const double odd[] = {0, -0.0, INFINITY, -INFINITY, 1, -1, 0x1p-14, -0x1p-14, 3, 65504};
#else
  const uint64_t top = (uint64_t)1 << (8 * sizeof(real) - 1);
  const real odd[] = {0, 1, 2, (real)top, (real)(top - 1), (real)-1, 3, 5};
#endif
  for (int64_t n = 1; n < 600; n += n < 20 ? 1 : 97)
    for (int nan = 0; nan <= IS_FLOATING; nan++) {
      th_note("%lld elements%s", (long long)n, nan ? ", NaN" : "");
      THTensor *t = THTensor_(newWithSize1d)(n);
      for (int64_t i = 0; i < n; i++)
        t->storage->data[i] = TO_REAL(odd[(i * 7 + i / 10) % (int64_t)(sizeof odd / sizeof *odd)]);
      if (nan) { /* of either sign, and the one next to infinity */
        t->storage->data[n / 2] = TO_REAL(-NAN);
        t->storage->data[n - 1] = TO_REAL(NAN);
        THTest_(leastNan)(&t->storage->data[n / 3]);
      }
      RTensor *s = THCTest_(reference)(t);
      THCTensor *d = THCTest_(upload)(t);
      THTest_(one_median)(s, d, 0, 0);
      const double median = NUMBER_OF(THCTensor_(medianall)(state, d)),
                   from = RTensor_(medianall)(s);
      CHECK(median == from || (median != median && from != from));
      THCTensor_(free)(state, d);
      RTensor_(free)(s);
      THTensor_(free)(t);
    }
}

#ifdef TH_REAL_IS_BYTE

static void THTest_(logical)(void)
{
  THCState *state = thc_state();
  THByteTensor *t = THByteTensor_newWithSize2d(70, 70);
  for (int kind = 0; kind < 4; kind++) {
    THByteTensor_fill(t, kind < 2 ? 2 : 0);
    if (kind % 2)
      THByteTensor_set2d(t, 69, 33, kind == 1 ? 0 : 4);
    THCudaByteTensor *d = THCTest_(upload)(t);
    CHECK_EQ(THCudaByteTensor_logicalall(state, d), kind == 0);
    CHECK_EQ(THCudaByteTensor_logicalany(state, d), kind != 2);
    THCudaByteTensor_free(state, d);
  }
  THByteTensor_free(t);
  THCudaByteTensor *none = THCudaByteTensor_new(state);
  CHECK_EQ(THCudaByteTensor_logicalall(state, none), 1);
  CHECK_EQ(THCudaByteTensor_logicalany(state, none), 0);
  THCudaByteTensor_free(state, none);
}

#else

static void THTest_(logical)(void)
{
}

#endif

/* A result that has the right number of elements, and still the dimension of size 1, is written
 * through its strides and then loses it: here a column of a matrix, whose other columns stay. */
typedef void THTest_(IntoColumn)(THCState *state, THCTensor *r, THCudaLongTensor *ri, THCTensor *t);

#define INTO_COLUMN(NAME, ...)                                                     \
  static void THTest_(column_##NAME)(THCState *state, THCTensor *r,                \
                                     TH_UNUSED THCudaLongTensor *ri, THCTensor *t) \
  {                                                                                \
    THCTensor_(NAME)(state, r, __VA_ARGS__);                                       \
  }
INTO_COLUMN(sum, t, 1, 0)
INTO_COLUMN(prod, t, 1, 0)
INTO_COLUMN(max, ri, t, 1, 0)
INTO_COLUMN(min, ri, t, 1, 0)
INTO_COLUMN(median, ri, t, 1, 0)
INTO_COLUMN(mean, t, 1, 0)
#if IS_FLOATING
INTO_COLUMN(var, t, 1, 0, 0)
INTO_COLUMN(std, t, 1, 0, 0)
INTO_COLUMN(norm, t, TO_REAL(2), 1, 0)
#endif
#undef INTO_COLUMN

static void THTest_(intoColumns)(void)
{
  enum { LINES = 4, LENGTH = 5, COLUMNS = 3 };
  static THTest_(IntoColumn) *const reduce[] = {
      THTest_(column_sum), THTest_(column_prod),   THTest_(column_max),
      THTest_(column_min), THTest_(column_median), THTest_(column_mean),
#if IS_FLOATING
      THTest_(column_var), THTest_(column_std),    THTest_(column_norm),
#endif
  };
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(LINES, LENGTH));
  THTest_(nearOne)(t);
  THCTensor *d = THCTest_(upload)(t);
  for (size_t k = 0; k < sizeof reduce / sizeof *reduce; k++) {
    th_note("reduction %zu", k);
    THCTensor *plain = THCTensor_(new)(state), *r = THCTensor_(new)(state);
    THCTensor *matrix = THCTensor_(newWithSize2d)(state, LINES, COLUMNS);
    THCudaLongTensor *plainIndices = THCudaLongTensor_new(state);
    THCudaLongTensor *table = THCudaLongTensor_newWithSize2d(state, LINES, COLUMNS);
    THCudaLongTensor *ri = THCudaLongTensor_new(state);
    THCTensor_(fill)(state, matrix, TO_REAL(77));
    THCudaLongTensor_fill(state, table, 77);
    THCTensor_(narrow)(state, r, matrix, 1, 1, 1);
    THCudaLongTensor_narrow(state, ri, table, 1, 1, 1);
    reduce[k](state, plain, plainIndices, d);
    reduce[k](state, r, ri, d);
    CHECK_EQ(r->nDimension, 1);
    CHECK_EQ(r->size[0], LINES);
    CHECK_EQ(r->stride[0], COLUMNS);
    const int hasIndices = plainIndices->nDimension > 0;
    for (int64_t i = 0; i < LINES; i++)
      for (int64_t j = 0; j < COLUMNS; j++) {
        const double is = TO_NUMBER(THCTensor_(get2d)(state, matrix, i, j));
        CHECK_EQ(is, j == 1 ? TO_NUMBER(THCTensor_(get1d)(state, plain, i)) : 77);
        CHECK_EQ(THCudaLongTensor_get2d(state, table, i, j),
                 j == 1 && hasIndices ? THCudaLongTensor_get1d(state, plainIndices, i) : 77);
      }
    THCudaLongTensor_free(state, ri);
    THCudaLongTensor_free(state, table);
    THCudaLongTensor_free(state, plainIndices);
    THCTensor_(free)(state, matrix);
    THCTensor_(free)(state, r);
    THCTensor_(free)(state, plain);
  }
  THCTensor_(free)(state, d);
  THTensor_(free)(t);
}

/* --- dist and renorm ------------------------------------------------------------------------ */

static void THTest_(distances)(void)
{
#if IS_FLOATING
  THCState *state = thc_state();
  static const double norms[] = {0, 1, 2, 3, INFINITY};
  for (int la = 0; la < TH_LAYOUTS; la++)
    for (int lb = 0; lb < TH_LAYOUTS; lb++) {
      if (!th_layouts_agree(la, lb))
        continue;
      th_note("%s, %s", th_layout_names[la], th_layout_names[lb]);
      THTensor *a = THTest_(tensor)(la, 1, TH_SHAPE(3, 5, 7)),
               *b = THTest_(tensor)(lb, 2, TH_SHAPE(3, 5, 7));
      RTensor *ra = THCTest_(reference)(a), *rb = THCTest_(reference)(b);
      THCTensor *da = THCTest_(upload)(a), *db = THCTest_(upload)(b);
      for (size_t k = 0; k < sizeof norms / sizeof *norms; k++)
        THTest_(near)("dist", THCTensor_(dist)(state, da, db, TO_REAL(norms[k])),
                      RTensor_(dist)(ra, rb, (reference)norms[k]),
                      THTest_(lost)(105) + 800 * EPSILON);
      THCTensor_(free)(state, da);
      THCTensor_(free)(state, db);
      RTensor_(free)(ra);
      RTensor_(free)(rb);
      THTensor_(free)(a);
      THTensor_(free)(b);
    }
  for (int layout = 0; layout < TH_WITH_ONES; layout++)
    for (int dim = 0; dim < 3; dim++)
      for (int p = 1; p < 4; p++) {
        th_note("%s, dimension %d, p %d", th_layout_names[layout], dim, p);
        THTensor *t = THTest_(tensor)(layout, 1, TH_SHAPE(3, 5, 7));
        RTensor *s = THCTest_(reference)(t), *expected = RTensor_(new)();
        THCTensor *d = THCTest_(upload)(t), *r = THCTensor_(new)(state);
        RTensor_(renorm)(expected, s, (reference)p, dim, (reference)20.5);
        THCTensor_(renorm)(state, r, d, TO_REAL(p), dim, TO_REAL(20.5));
        CHECK_LIKE(r, expected, 16 * EPSILON, 0);
        THCTensor_(renorm)(state, d, d, TO_REAL(p), dim, TO_REAL(20.5));
        CHECK_LIKE(d, expected, 16 * EPSILON, 0);
        THCTensor_(free)(state, r);
        THCTensor_(free)(state, d);
        RTensor_(free)(expected);
        RTensor_(free)(s);
        THTensor_(free)(t);
      }
#endif
}

/* --- cumulative sums and products ----------------------------------------------------------- */

static void THTest_(scanOf)(THTensor *t, int dim)
{
  THCState *state = thc_state();
  const double n = (double)t->size[dim];
  for (int product = 0; product < 2; product++) {
    if (product)
      THTest_(nearOne)(t);
    RTensor *s = THCTest_(reference)(t), *expected = RTensor_(new)();
    THCTensor *d = THCTest_(upload)(t), *r = THCTensor_(new)(state);
    (product ? RTensor_(cumprod) : RTensor_(cumsum))(expected, s, dim);
    (product ? THCTensor_(cumprod) : THCTensor_(cumsum))(state, r, d, dim);
    const double absolute = product ? 0 : THTest_(lost)(t->size[dim]);
    const double relative = EPSILON + (product ? n * 0x1p-23 * IS_FLOATING : 0);
    CHECK_LIKE(r, expected, relative, absolute);
    if (th_layout_is_writable(d->stride[0] == 0 ? TH_EXPANDED : TH_CONTIGUOUS) &&
        THTensor_(isContiguous)(t)) {
      (product ? THCTensor_(cumprod) : THCTensor_(cumsum))(state, d, d, dim);
      CHECK_LIKE(d, expected, relative, absolute);
    }
    THCTensor_(free)(state, r);
    THCTensor_(free)(state, d);
    RTensor_(free)(expected);
    RTensor_(free)(s);
  }
}

static void THTest_(scans)(void)
{
  static const int64_t shapes[][2] = {{1, 1},     {2, 31},    {33, 1000}, {1000, 33},
                                      {1, 20011}, {20011, 2}, {40, 5000}, {3, 5003}};
  for (int layout = 0; layout < TH_EMPTY; layout++)
    for (int dim = 0; dim < 3; dim++) {
      THTensor *t = THTest_(tensor)(layout, 7, TH_SHAPE(3, 5, 7));
      th_note("%s, dimension %d", th_layout_names[layout], dim);
      if (dim < t->nDimension)
        THTest_(scanOf)(t, dim);
      THTensor_(free)(t);
    }
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int dim = 0; dim < 2; dim++) {
      th_note("%lld x %lld, dimension %d", (long long)shapes[k][0], (long long)shapes[k][1], dim);
      THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3 + k, 2, shapes[k]);
      THTest_(scanOf)(t, dim);
      THTensor_(free)(t);
    }
}

/* --- results that share memory, errors ------------------------------------------------------ */

static void THTest_(reduceInPlace)(void)
{
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 4, TH_SHAPE(6, 5));
  RTensor *s = THCTest_(reference)(t), *expected = RTensor_(new)();
  THLongTensor *maxima = THLongTensor_new();
  RTensor_(max)(expected, maxima, s, 0, 0);
  THLongTensor_free(maxima);
  THCTensor *d = THCTest_(upload)(t);
  THCudaLongTensor *indices = THCudaLongTensor_new(state);
  THCTensor_(max)(state, d, indices, d, 0, 0);
  CHECK_LIKE(d, expected, 0, 0);
  THCudaLongTensor_free(state, indices);
  THCTensor_(free)(state, d);
  RTensor_(free)(expected);
  RTensor_(free)(s);
  THTensor_(free)(t);
}

static void THTest_(reduceErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *d = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3, 4));
  THCTensor *wide = THCTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(3, 4)), *r = THCTensor_(new)(state);
  THCudaLongTensor *indices = THCudaLongTensor_new(state);
  CHECK_RAISES(3, "is out of range of a tensor of size [3 x 4]",
               THCTensor_(sum)(state, r, d, 2, 1));
  CHECK_RAISES(3, "is out of range", THCTensor_(prod)(state, r, d, -1, 1));
  CHECK_RAISES(4, "is out of range", THCTensor_(max)(state, r, indices, d, 2, 1));
  CHECK_RAISES(4, "is out of range", THCTensor_(median)(state, r, indices, d, 2, 1));
  CHECK_RAISES(0, "state is NULL", THCTensor_(sum)(NULL, r, d, 0, 1));
  CHECK_EQ(r->nDimension, 0);
  THCTensor *last = THCTensor_(new)(state);
  THCTensor_(sum)(state, last, d, 1, 1);
  THCTensor *cube = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(2, 3, 4));
  CHECK_RAISES(1, "share memory", THCTensor_(sum)(state, wide, cube, 0, 0));
  THCTensor_(free)(state, cube);
#if IS_FLOATING
  CHECK_RAISES(2, "b has", THCTensor_(dist)(state, d, last, TO_REAL(2)));
  CHECK_RAISES(3, "not above 0", THCTensor_(renorm)(state, r, d, TO_REAL(0), 0, TO_REAL(1)));
  CHECK_RAISES(5, "maxnorm", THCTensor_(renorm)(state, r, d, TO_REAL(1), 0, TO_REAL(-1)));
#endif
  THCTensor_(free)(state, last);
  THCudaLongTensor_free(state, indices);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, wide);
  THCTensor_(free)(state, d);
}

TH_TESTS(THTest_(reduceLayouts), THTest_(reduceSizes), THTest_(reduceAll), THTest_(intoColumns),
         THTest_(medians), THTest_(logical), THTest_(distances), THTest_(scans),
         THTest_(reduceInPlace), THTest_(reduceErrors))
