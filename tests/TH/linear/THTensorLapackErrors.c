/* LAPACK on tensors: every error, after which nothing has changed, and the smallest operands. */
#include "THTemplate.h"

#include "th_layouts.h"

/* --- what errors leave as it was ------------------------------------------------------------- */

/* Results: a matrix that nobody asked for, three times. */
static THTensor *r, *s, *t;
static THIntTensor *i, *j;

static THTensor *matrix(uint64_t seed, int64_t rows, int64_t columns)
{
  return THTest_(tensor)(TH_CONTIGUOUS, seed, TH_SHAPE(rows, columns));
}

static THTensor *vector(uint64_t seed, int64_t size)
{
  return THTest_(tensor)(TH_CONTIGUOUS, seed, TH_SHAPE(size));
}

/* A tensor of rows x columns, all one element. */
static THTensor *expanded(int64_t rows, int64_t columns)
{
  THTensor *one = matrix(9, 1, 1), *wide;
  THLongStorage *size = THLongStorage_newWithSize2(rows, columns);
  wide = THTensor_(newExpand)(one, size);
  THLongStorage_free(size);
  THTensor_(free)(one);
  return wide;
}

/* Has a size of 0, which no function for programs makes. */
static THTensor *without(int64_t rows, int64_t columns)
{
  THTensor *none = matrix(9, THMax(rows, 1), THMax(columns, 1));
  none->size[0] = rows;
  none->size[1] = columns;
  return none;
}

static void open_results(void)
{
  r = matrix(1, 3, 2);
  s = matrix(2, 3, 2);
  t = matrix(3, 3, 2);
  i = THIntTensor_newWithSize2d(1, 2);
  j = THIntTensor_newWithSize2d(1, 2);
  THIntTensor_fill(i, 11);
  THIntTensor_fill(j, 12);
}

static void close_results(void)
{
  THTensor_(free)(r);
  THTensor_(free)(s);
  THTensor_(free)(t);
  THIntTensor_free(i);
  THIntTensor_free(j);
}

static void check_unchanged(int line)
{
  THTensor *const results[] = {r, s, t};
  THIntTensor *const ints[] = {i, j};
  for (int k = 0; k < 3; k++) {
    if (results[k]->nDimension != 2 || results[k]->stride[0] != 2 || results[k]->size[0] != 3 ||
        results[k]->storage->size != 6)
      th_fail_at(__FILE__, line, "the shape of result %d has changed", k);
    for (int e = 0; e < 6; e++)
      if (results[k]->storage->data[e] != THTest_(value)((uint64_t)k + 1, e))
        th_fail_at(__FILE__, line, "element %d of result %d has changed", e, k);
  }
  for (int k = 0; k < 2; k++)
    if (ints[k]->nDimension != 2 || ints[k]->storage->size != 2 ||
        ints[k]->storage->data[1] != 11 + k)
      th_fail_at(__FILE__, line, "int result %d has changed", k);
}

#define FAILS(ARGUMENT, TEXT, ...)             \
  do {                                         \
    CHECK_RAISES(ARGUMENT, TEXT, __VA_ARGS__); \
    check_unchanged(__LINE__);                 \
  } while (0)

/* --- shapes ---------------------------------------------------------------------------------- */

/* What has to be a matrix, or a square one. */
static void THTest_(notSquare)(THTensor *a, THTensor *b, THTensor *tall, THTensor *v,
                               THTensor *cube, THTensor *none)
{
  THTensor *const notSquare[] = {cube, none, v, tall};
  for (int k = 0; k < 4; k++) {
    th_note("not square %d", k);
    THTensor *const x = notSquare[k];
    const char *text = k < 3 ? "not a matrix" : "[4 x 3], it is not square";
    FAILS(4, text, THTensor_(gesv)(r, s, b, x));
    FAILS(4, text, THTensor_(trtrs)(r, s, b, x, "U", "N", "N"));
    FAILS(3, text, THTensor_(syev)(r, s, x, "V", "U"));
    FAILS(3, text, THTensor_(geev)(r, s, x, "V"));
    FAILS(2, text, THTensor_(getri)(r, x));
    FAILS(2, text, THTensor_(potrf)(r, x, "U"));
    FAILS(3, text, THTensor_(potrs)(r, b, x, "U"));
    FAILS(2, text, THTensor_(potri)(r, x, "U"));
    FAILS(3, text, THTensor_(pstrf)(r, i, x, "U", -1));
    if (x == tall)
      continue;
    FAILS(4, text, THTensor_(gels)(r, s, b, x));
    FAILS(4, text, THTensor_(gesvd)(r, s, t, x, "S"));
    FAILS(5, text, THTensor_(gesvd2)(r, s, t, none, x, "S"));
    FAILS(3, text, THTensor_(qr)(r, s, x));
    FAILS(3, text, THTensor_(geqrf)(r, s, x));
    FAILS(2, text, THTensor_(orgqr)(r, x, v));
    FAILS(2, text, THTensor_(ormqr)(r, x, v, b, "L", "N"));
    FAILS(4, text, THTensor_(ormqr)(r, a, v, x, "L", "N"));
  }
}

static void THTest_(wrongBatches)(THTensor *a, THTensor *b, THTensor *v, THTensor *cube)
{
  THIntTensor *pivots = THIntTensor_newWithSize2d(2, 4), *few = THIntTensor_newWithSize2d(2, 3);
  THIntTensor_fill(pivots, 4);
  FAILS(5, "batch of square", THTensor_(btrifact)(r, i, j, 1, a));
  THTensor *wide = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 4, 3));
  FAILS(5, "[2 x 4 x 3]", THTensor_(btrifact)(r, i, j, 1, wide));
  FAILS(4, "pivot", THTensor_(btrifact)(r, i, j, 0, cube));
  FAILS(3, "batch of square", THTensor_(btrisolve)(r, wide, a, pivots));
  FAILS(2, "[4 x 2], atf has [2 x 4 x 4]", THTensor_(btrisolve)(r, b, cube, pivots));
  FAILS(2, "[4]", THTensor_(btrisolve)(r, v, cube, pivots));
  FAILS(4, "[2 x 3], atf has [2 x 4 x 4]", THTensor_(btrisolve)(r, wide, cube, few));
  const int bad[] = {0, 5, -1, INT_MAX, INT_MIN};
  for (int k = 0; k < 5; k++) {
    THIntTensor_set2d(pivots, 1, 2, bad[k]);
    FAILS(4, "none of the rows 1 to 4", THTensor_(btrisolve)(r, wide, cube, pivots));
  }

  THIntTensor_free(pivots);
  THIntTensor_free(few);
  THTensor_(free)(wide);
}

static void THTest_(lapackShapes)(void)
{
  open_results();
  THTensor *a = matrix(5, 4, 4), *b = matrix(6, 4, 2), *tall = matrix(7, 4, 3), *v = vector(8, 4);
  THTensor *cube = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 4, 4)), *none = THTensor_(new)();
  THTensor *five = matrix(5, 5, 2), *v3 = vector(8, 3);

  THTest_(notSquare)(a, b, tall, v, cube, none);
  FAILS(3, "[5 x 2], a has 4 rows", THTensor_(gesv)(r, s, five, a));
  FAILS(3, "[5 x 2], a has 4 rows", THTensor_(trtrs)(r, s, five, a, "U", "N", "N"));
  FAILS(3, "[5 x 2], a has 4 rows", THTensor_(gels)(r, s, five, tall));
  FAILS(2, "[5 x 2], a has 4 rows", THTensor_(potrs)(r, five, a, "U"));
  FAILS(3, "[3], a has 4 rows", THTensor_(gesv)(r, s, v3, a));
  FAILS(3, "neither a matrix nor a vector", THTensor_(gesv)(r, s, cube, a));
  FAILS(3, "neither a matrix nor a vector", THTensor_(gels)(r, s, none, a));
  FAILS(3, "[3], a has 4 reflectors", THTensor_(orgqr)(r, a, v3));
  FAILS(3, "[4 x 4], a has 4 reflectors", THTensor_(orgqr)(r, a, a));
  FAILS(3, "a has 3 reflectors", THTensor_(ormqr)(r, tall, none, b, "L", "N"));
  FAILS(4, "Q has 4 rows", THTensor_(ormqr)(r, tall, v, five, "L", "N"));
  FAILS(4, "Q has 4 rows", THTensor_(ormqr)(r, tall, v, b, "R", "N"));

  THTest_(wrongBatches)(a, b, v, cube);
  THTensor *const made[] = {a, b, tall, v, cube, none, five, v3};
  for (int k = 0; k < 8; k++)
    THTensor_(free)(made[k]);
  close_results();
}

/* LAPACK counts in int: more is an error before anything is allocated. */
static void THTest_(lapackTooLarge)(void)
{
  const int64_t many = (int64_t)INT_MAX + 1;
  open_results();
  THTensor *a = matrix(5, 1, 1), *square = expanded(many, many), *tall = expanded(many, 1);
  THTensor *wide = expanded(1, many);
  FAILS(4, "more than LAPACK can count", THTensor_(gesv)(r, s, a, square));
  FAILS(3, "more than LAPACK can count", THTensor_(gesv)(r, s, wide, a));
  FAILS(4, "more than LAPACK can count", THTensor_(gels)(r, s, tall, tall));
  FAILS(4, "more than LAPACK can count", THTensor_(gesvd)(r, s, t, wide, "S"));
  FAILS(3, "more than LAPACK can count", THTensor_(qr)(r, s, tall));
  FAILS(4, "more than LAPACK can count", THTensor_(ormqr)(r, a, a, wide, "L", "N"));
  THLongStorage *size = THLongStorage_newWithSize3(1, many, many);
  THTensor *batch = THTensor_(newExpand)(a, size);
  FAILS(5, "more than LAPACK can count", THTensor_(btrifact)(r, i, j, 1, batch));
  THLongStorage_free(size);
  THTensor_(free)(batch);
  THTensor_(free)(a);
  THTensor_(free)(square);
  THTensor_(free)(tall);
  THTensor_(free)(wide);
  close_results();
}

/* --- letters --------------------------------------------------------------------------------- */

static void THTest_(lapackLetters)(void)
{
  static const char *const wrong[] = {"X", "", "?U", NULL, "\xff", "1"};
  open_results();
  THTensor *a = matrix(5, 4, 4), *b = matrix(6, 4, 2), *v = vector(8, 4);
  for (int k = 0; k < 6; k++) {
    const char *w = wrong[k], *text = w ? "neither of the letters" : "NULL";
    FAILS(5, text, THTensor_(trtrs)(r, s, b, a, w, "N", "N"));
    FAILS(6, text, THTensor_(trtrs)(r, s, b, a, "U", w, "N"));
    FAILS(7, text, THTensor_(trtrs)(r, s, b, a, "U", "N", w));
    FAILS(4, text, THTensor_(syev)(r, s, a, w, "U"));
    FAILS(5, text, THTensor_(syev)(r, s, a, "V", w));
    FAILS(4, text, THTensor_(geev)(r, s, a, w));
    FAILS(5, text, THTensor_(gesvd)(r, s, t, a, w));
    FAILS(6, text, THTensor_(gesvd2)(r, s, t, t, a, w));
    FAILS(3, text, THTensor_(potrf)(r, a, w));
    FAILS(4, text, THTensor_(potrs)(r, b, a, w));
    FAILS(3, text, THTensor_(potri)(r, a, w));
    FAILS(4, text, THTensor_(pstrf)(r, i, a, w, -1));
    FAILS(5, text, THTensor_(ormqr)(r, a, v, b, w, "N"));
    FAILS(6, text, THTensor_(ormqr)(r, a, v, b, "L", w));
  }
  FAILS(5, "\"O\"", THTensor_(gesvd)(r, s, t, a, "O"));
  THTensor_(free)(a);
  THTensor_(free)(b);
  THTensor_(free)(v);
  close_results();
}

/* --- no solution ----------------------------------------------------------------------------- */

/* 4 x 4: twos on the diagonal, ones elsewhere, except a zero at the given position. */
static THTensor *with_zero(int row)
{
  THTensor *a = matrix(5, 4, 4);
  for (int k = 0; k < 16; k++)
    a->storage->data[k] = k / 4 == k % 4 ? (k / 4 == row ? 0 : 2) : 0;
  return a;
}

static void THTest_(lapackSingular)(void)
{
  open_results();
  THTensor *b = matrix(6, 4, 2);
  THTensor *second = with_zero(1), *last = with_zero(3);
  FAILS(0, "gesv: U(2,2) is zero", THTensor_(gesv)(r, s, b, second));
  FAILS(0, "gesv: U(4,4) is zero", THTensor_(gesv)(r, s, b, last));
  FAILS(0, "trtrs: a(2,2) is zero", THTensor_(trtrs)(r, s, b, second, "U", "N", "N"));
  FAILS(0, "trtrs: a(4,4) is zero", THTensor_(trtrs)(r, s, b, last, "L", "T", "N"));
  THTensor *x = THTensor_(new)();
  THTensor_(trtrs)(x, t, b, second, "U", "N", "U"); /* its diagonal is not read */
  close_results();
  open_results();
  FAILS(0, "gels: diagonal element 4", THTensor_(gels)(r, s, b, last));
  FAILS(0, "U(2,2) is zero", THTensor_(getri)(r, second));
  FAILS(0, "potrf: the leading minor of order 2", THTensor_(potrf)(r, second, "U"));
  FAILS(0, "potrf: the leading minor of order 4", THTensor_(potrf)(r, last, "L"));
  FAILS(0, "potrs: element (2,2)", THTensor_(potrs)(r, b, second, "U"));
  FAILS(0, "potri: element (4,4)", THTensor_(potri)(r, last, "L"));
  FAILS(0, "3 columns of 4", THTensor_(pstrf)(r, i, second, "U", -1));
  THTensor_(mul)(last, last, -1);
  FAILS(0, "potrf: the leading minor of order 1", THTensor_(potrf)(r, last, "L"));
  FAILS(0, "pstrf", THTensor_(pstrf)(r, i, last, "L", -1));

  /* A tolerance stops pstrf where LAPACK's own would not. */
  THTensor_(eye)(last, 4, 4);
  THTensor_(set2d)(last, 2, 2, (real)0.25);
  FAILS(0, "3 columns of 4", THTensor_(pstrf)(r, i, last, "L", (real)0.5));
  THTensor_(pstrf)(x, i, last, "L", (real)0.125);
  CHECK_EQ(THTensor_(get2d)(x, 3, 3), (real)0.5);
  CHECK_EQ(THIntTensor_get1d(i, 3), 3);

  THTensor_(free)(x);
  THTensor_(free)(b);
  THTensor_(free)(second);
  THTensor_(free)(last);
  close_results();
}

/* One singular matrix of a batch: its info says where, and the others have their factors. */
static void THTest_(lapackSingularBatch)(void)
{
  open_results();
  THTensor *batch = THTensor_(newWithSize3d)(3, 4, 4), *f = THTensor_(new)();
  for (int k = 0; k < 3; k++) {
    THTensor *one = with_zero(k == 1 ? 2 : 9), *at = THTensor_(newSelect)(batch, 0, k);
    THTensor_(copy)(at, one);
    THTensor_(free)(one);
    THTensor_(free)(at);
  }
  THIntTensor *pivots = THIntTensor_new(), *info = THIntTensor_new();
  THTensor_(btrifact)(f, pivots, info, 1, batch);
  const int expected[] = {0, 3, 0};
  for (int k = 0; k < 3; k++)
    CHECK_EQ(THIntTensor_get1d(info, k), expected[k]);
  CHECK_EQ(THTensor_(get3d)(f, 2, 3, 3), (real)2);
  char text[64];
  snprintf(text, sizeof text, "U(3,3) of matrix %d is zero", 1 + TH_INDEX_BASE);
  FAILS(0, text, THTensor_(btrifact)(r, i, NULL, 1, batch));
  THTensor *b = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(3, 4));
  FAILS(0, text, THTensor_(btrisolve)(r, b, f, pivots));
  THTensor_(free)(b);
  THTensor_(free)(batch);
  THTensor_(free)(f);
  THIntTensor_free(pivots);
  THIntTensor_free(info);
  close_results();
}

/* --- NaN and infinities ---------------------------------------------------------------------- */

static void THTest_(lapackNotFinite)(void)
{
  const real values[] = {(real)NAN, (real)INFINITY, (real)-INFINITY};
  open_results();
  THTensor *a = matrix(5, 4, 4), *b = matrix(6, 4, 2), *x = THTensor_(new)(), *y = THTensor_(new)();
  char text[64];
  snprintf(text, sizeof text, "in row %d, column %d", 1 + TH_INDEX_BASE, 2 + TH_INDEX_BASE);
  for (int k = 0; k < 3; k++) {
    const real kept = THTensor_(get2d)(a, 1, 2);
    THTensor_(set2d)(a, 1, 2, values[k]);
    FAILS(3, text, THTensor_(syev)(r, s, a, "V", "U"));
    FAILS(3, text, THTensor_(geev)(r, s, a, "V"));
    FAILS(4, text, THTensor_(gesvd)(r, s, t, a, "S"));
    FAILS(4, text, THTensor_(gels)(r, s, b, a));
    THTensor_(syev)(x, y, a, "V", "L"); /* does not read that triangle */
    CHECK(isfinite(THTensor_(get1d)(x, 0)));

    /* The others give what they give, and come to an end. */
    THTensor_(gesv)(x, y, b, a);
    CHECK(!isfinite(THTensor_(sumall)(x)) || k > 0);
    THTensor_(getri)(x, a);
    THTensor_(qr)(x, y, a);
    THTensor_(set2d)(a, 1, 2, kept);
    THTensor_(set2d)(b, 2, 1, values[k]);
    FAILS(3, "b is ", THTensor_(gels)(r, s, b, a));
    THTensor_(gesv)(x, y, b, a);
    CHECK(!isfinite(THTensor_(get2d)(x, 0, 1)) && isfinite(THTensor_(get2d)(x, 0, 0)));
    THTensor_(set2d)(b, 2, 1, 1);
  }
  for (int k = 0; k < 3; k++) {
    THTensor_(fill)(a, values[k]);
    THTry attempt; /* an error or not, as LAPACK has it */
    TH_TRY(attempt)
    {
      THTensor_(potrf)(x, a, "U");
    }
    TH_TRY(attempt)
    {
      THTensor_(pstrf)(x, i, a, "U", -1);
    }
    TH_TRY(attempt)
    {
      THTensor_(gesv)(x, y, b, a);
    }
    FAILS(4, "not finite", THTensor_(gesvd)(r, s, t, a, "A"));
  }
  THTensor_(free)(a);
  THTensor_(free)(b);
  THTensor_(free)(x);
  THTensor_(free)(y);
  close_results();
}

/* --- operands that are not given, vectors, sizes of 0 ---------------------------------------- */

/* a_ and b_ NULL: the results are the operands. */
static void THTest_(lapackNull)(void)
{
  THTensor *a = with_zero(9), *b = matrix(6, 4, 2), *e = THTensor_(new)(), *x = THTensor_(new)();
  THTensor_(fill)(b, 6);
  THTensor_(gesv)(b, a, NULL, NULL);
  CHECK_EQ(THTensor_(get2d)(b, 3, 1), (real)3);
  THTensor_(trtrs)(b, a, NULL, NULL, "U", "N", "N");
  CHECK_EQ(THTensor_(get2d)(b, 3, 1), (real)1.5);
  THTensor_(getri)(a, NULL);
  CHECK_EQ(THTensor_(get2d)(a, 3, 3), (real)0.5);
  THTensor_(potrf)(a, NULL, "U");
  CHECK_CLOSE(THTensor_(get2d)(a, 3, 3), sqrt(0.5), 1e-6);
  THTensor_(potri)(a, NULL, "U");
  CHECK_CLOSE(THTensor_(get2d)(a, 3, 3), 2, 1e-6);
  THTensor_(syev)(e, a, NULL, "N", "U");
  CHECK_CLOSE(THTensor_(get1d)(e, 0), 2, 1e-6);
  THTensor_(eye)(a, 4, 4);
  THTensor_(geev)(e, a, NULL, "V");
  CHECK_EQ(THTensor_(get2d)(e, 3, 0), (real)1);
  THTensor_(gesvd2)(x, e, b, a, NULL, "S");
  CHECK_CLOSE(THTensor_(get1d)(e, 3), 1, 1e-6);
  THTensor_(free)(a);
  THTensor_(free)(b);
  THTensor_(free)(e);
  THTensor_(free)(x);
}

/* A b that is a vector gives a column, in place too. */
static void THTest_(lapackVector)(void)
{
  THTensor *a = with_zero(9), *x = THTensor_(new)(), *y = THTensor_(new)();
  for (int in = 0; in < 2; in++)
    for (int which = 0; which < 4; which++) {
      THTensor *b = THTest_(tensor)(TH_STRIDED, 7, TH_SHAPE(4)), *to = in ? b : x;
      real *values = THTest_(values)(b);
      if (which == 0)
        THTensor_(gesv)(to, y, b, a);
      else if (which == 1)
        THTensor_(trtrs)(to, y, b, a, "L", "N", "N");
      else if (which == 2)
        THTensor_(gels)(to, y, b, a);
      else
        THTensor_(potrs)(to, b, a, "U");
      CHECK_EQ(to->nDimension, 2);
      CHECK_EQ(to->size[0], 4);
      CHECK_EQ(to->size[1], 1);
      for (int k = 0; k < 4; k++)
        CHECK_CLOSE(THTensor_(get2d)(to, k, 0), values[k] / (which == 3 ? 4 : 2), 1e-5);
      free(values);
      THTensor_(free)(b);
    }
  THTensor_(free)(a);
  THTensor_(free)(x);
  THTensor_(free)(y);
}

static void check_size(int line, const THTensor *result, int64_t rows, int64_t columns)
{
  if (result->nDimension != 2 || result->size[0] != rows || result->size[1] != columns)
    th_fail_at(__FILE__, line, "the result has size %s, not [%lld x %lld]",
               THTensor_(sizeDesc)(result).str, (long long)rows, (long long)columns);
}
#define CHECK_SIZE(RESULT, ROWS, COLUMNS) check_size(__LINE__, RESULT, ROWS, COLUMNS)

static void THTest_(emptyBatch)(void)
{
  THTensor *batch = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 3, 3));
  THTensor *right = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 3, 1));
  batch->size[0] = right->size[0] = 0;
  THTensor_(btrifact)(r, i, j, 1, batch);
  CHECK_EQ(r->nDimension, 3);
  CHECK_EQ(r->size[0], 0);
  CHECK_EQ(i->size[0], 0);
  CHECK_EQ(i->size[1], 3);
  CHECK_EQ(j->size[0], 0);
  THTensor_(btrisolve)(r, right, batch, i);
  CHECK_EQ(r->size[1], 3);
  THTensor_(free)(batch);
  THTensor_(free)(right);
}

/* Decompositions of matrices without columns or rows. */
static void THTest_(emptyDecompositions)(THTensor *b, THTensor *c, THTensor *full, THTensor *tau)
{
  THTensor_(qr)(r, s, c);
  CHECK_SIZE(r, 4, 0);
  CHECK_SIZE(s, 0, 0);
  THTensor_(qr)(r, s, b);
  CHECK_SIZE(r, 0, 0);
  CHECK_SIZE(s, 0, 3);
  THTensor_(geqrf)(r, s, c);
  CHECK_SIZE(r, 4, 0);
  CHECK_EQ(s->size[0], 0);
  THTensor_(orgqr)(r, c, tau);
  CHECK_SIZE(r, 4, 0);
  THTensor_(ormqr)(r, c, tau, full, "L", "N"); /* no reflectors: Q is the identity */
  CHECK(THTensor_(equal)(r, full));
  THTensor_(gesvd)(r, s, t, c, "S");
  CHECK_SIZE(r, 4, 0);
  CHECK_EQ(s->size[0], 0);
  CHECK_SIZE(t, 0, 0);
  THTensor_(gesvd)(r, s, t, c, "A");
  CHECK_SIZE(r, 4, 4);
  for (int k = 0; k < 16; k++)
    CHECK_EQ(*THTest_(at)(r, k), (real)(k % 5 == 0));
}

static void THTest_(lapackEmpty)(void)
{
  THTensor *a = without(0, 0), *b = without(0, 3), *c = without(4, 0), *full = matrix(5, 4, 4);
  THTensor *tau = vector(5, 4);
  open_results();
  THTensor_(gesv)(r, s, b, a);
  CHECK_SIZE(r, 0, 3);
  CHECK_SIZE(s, 0, 0);
  THTensor_(gesv)(r, s, c, full); /* no columns */
  CHECK_SIZE(r, 4, 0);
  CHECK_SIZE(s, 4, 4);
  THTensor_(trtrs)(r, s, b, a, "U", "N", "N");
  CHECK_SIZE(r, 0, 3);
  THTensor_(potrs)(r, b, a, "U");
  CHECK_SIZE(r, 0, 3);
  THTensor_(getri)(r, a);
  CHECK_SIZE(r, 0, 0);
  THTensor_(potrf)(r, a, "L");
  THTensor_(potri)(r, a, "L");
  THTensor_(pstrf)(r, i, a, "L", -1);
  CHECK_EQ(i->size[0], 0);
  THTensor_(syev)(r, s, a, "V", "U");
  CHECK_EQ(r->size[0], 0);
  CHECK_SIZE(s, 0, 0);
  THTensor_(geev)(r, s, a, "V");
  CHECK_SIZE(r, 0, 2);
  THTensor_(gels)(r, s, b, b); /* 0 x 3 */
#ifdef TH_COMPAT_TORCH7
  CHECK_SIZE(r, 3, 3);
#else
  CHECK_SIZE(r, 3, 3);
  for (int k = 0; k < 9; k++)
    CHECK_EQ(*THTest_(at)(r, k), (real)0);
#endif
  THTest_(emptyDecompositions)(b, c, full, tau);
  THTest_(emptyBatch)();
  THTensor *const made[] = {a, b, c, full, tau};
  for (int k = 0; k < 5; k++)
    THTensor_(free)(made[k]);
  close_results();
}

TH_TESTS(THTest_(lapackShapes), THTest_(lapackTooLarge), THTest_(lapackLetters),
         THTest_(lapackSingular), THTest_(lapackSingularBatch), THTest_(lapackNotFinite),
         THTest_(lapackNull), THTest_(lapackVector), THTest_(lapackEmpty))
