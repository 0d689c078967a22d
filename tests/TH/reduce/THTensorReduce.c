/* Reductions over all elements and along each dimension, against the obvious loop. */
#include "THTemplate.h"

#include "th_layouts.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define TH_REAL_IS_FLOATING
#endif

/* --- what is tested: every reduction along a dimension --------------------------------------- */

typedef enum {
  SUM,
  PROD,
  MAX,
  MIN,
  AMAX,
  AMIN,
#if defined(TH_REAL_IS_FLOATING)
  MEAN,
  VAR,
  VAR_BIASED,
  STD,
  NORM_0,
  NORM_1,
  NORM_2,
  NORM_3,
  NORM_INF,
  NORM_MINUS_INF,
#endif
  REDUCTIONS
} Reduction;

static int THTest_(hasIndex)(Reduction op)
{
  return op == MAX || op == MIN;
}

static int THTest_(cancels)(Reduction op)
{
#if defined(TH_REAL_IS_FLOATING)
  if (op == MEAN)
    return 1;
#endif
  return op == SUM;
}

/* The unbiased variance of one element is NaN, which a test of its own looks at. */
static int THTest_(needsTwo)(Reduction op)
{
#if defined(TH_REAL_IS_FLOATING)
  return op == VAR || op == STD;
#else
  return 0;
#endif
}

static void THTest_(reduce)(Reduction op, THTensor *r, THLongTensor *indices, THTensor *t, int dim,
                            int keepdim)
{
  switch (op) {
    case SUM:
      THTensor_(sum)(r, t, dim, keepdim);
      break;
    case PROD:
      THTensor_(prod)(r, t, dim, keepdim);
      break;
    case MAX:
      THTensor_(max)(r, indices, t, dim, keepdim);
      break;
    case MIN:
      THTensor_(min)(r, indices, t, dim, keepdim);
      break;
    case AMAX:
      THTensor_(amax)(r, t, dim, keepdim);
      break;
    case AMIN:
      THTensor_(amin)(r, t, dim, keepdim);
      break;
#if defined(TH_REAL_IS_FLOATING)
    case MEAN:
      THTensor_(mean)(r, t, dim, keepdim);
      break;
    case VAR:
      THTensor_(var)(r, t, dim, 0, keepdim);
      break;
    case VAR_BIASED:
      THTensor_(var)(r, t, dim, 1, keepdim);
      break;
    case STD:
      THTensor_(std)(r, t, dim, 0, keepdim);
      break;
    case NORM_0:
      THTensor_(norm)(r, t, 0, dim, keepdim);
      break;
    case NORM_1:
      THTensor_(norm)(r, t, 1, dim, keepdim);
      break;
    case NORM_2:
      THTensor_(norm)(r, t, 2, dim, keepdim);
      break;
    case NORM_3:
      THTensor_(norm)(r, t, 3, dim, keepdim);
      break;
    case NORM_INF:
      THTensor_(norm)(r, t, (real)INFINITY, dim, keepdim);
      break;
    case NORM_MINUS_INF:
      THTensor_(norm)(r, t, (real)-INFINITY, dim, keepdim);
      break;
#endif
    case REDUCTIONS:
      break;
  }
}

#if defined(TH_REAL_IS_FLOATING)
/* Means, variances and norms; mean is that of the elements. */
static long double THTest_(naiveStatistic)(Reduction op, const real *x, ptrdiff_t n, ptrdiff_t step,
                                           long double mean)
{
  long double squares = 0, most = 0, least = INFINITY, powers = 0;
  const int p = op == NORM_0 ? 0 : op == NORM_1 ? 1 : op == NORM_2 ? 2 : 3;
  for (ptrdiff_t i = 0; i < n; i++) {
    const long double v = fabsl(x[i * step]);
    squares += (x[i * step] - mean) * (x[i * step] - mean);
    most = v > most ? v : most;
    least = v < least ? v : least;
    powers += p == 0 ? v != 0 : p == 1 ? v : p == 2 ? v * v : v * v * v;
  }
  switch (op) {
    case MEAN:
      return mean;
    case VAR:
      return squares / (n - 1);
    case VAR_BIASED:
      return squares / n;
    case STD:
      return sqrtl(squares / (n - 1));
    case NORM_INF:
      return most;
    case NORM_MINUS_INF:
      return least;
    default:
      return p == 0 ? powers : powl(powers, 1.0L / p);
  }
}
#endif

/* The obvious loop over n elements, step apart. */
static long double THTest_(naive)(Reduction op, const real *x, ptrdiff_t n, ptrdiff_t step,
                                  ptrdiff_t *index)
{
  long double sum = 0, product = 1;
#if !defined(TH_REAL_IS_FLOATING)
  uint64_t wholeSum = 0, wholeProduct = 1; /* integers wrap around */
#endif
  ptrdiff_t largest = 0, smallest = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const real v = x[i * step];
    sum += v;
    if (op == PROD)
      product *= v;
#if !defined(TH_REAL_IS_FLOATING)
    wholeSum += (uint64_t)(int64_t)v;
    wholeProduct *= (uint64_t)(int64_t)v;
#endif
    if (v > x[largest * step])
      largest = i;
    if (v < x[smallest * step])
      smallest = i;
  }
#if !defined(TH_REAL_IS_FLOATING)
  sum = (real)wholeSum;
  product = (real)wholeProduct;
#endif
  if (op == SUM)
    return sum;
  if (op == PROD)
    return product;
  if (op == AMAX || op == AMIN)
    return x[(op == AMAX ? largest : smallest) * step];
  if (op == MAX || op == MIN) {
    *index = op == MAX ? largest : smallest;
    return x[*index * step];
  }
#if defined(TH_REAL_IS_FLOATING)
  return THTest_(naiveStatistic)(op, x, n, step, sum / n);
#else
  return 0;
#endif
}

static int64_t THTest_(indexAt)(const THLongTensor *t, ptrdiff_t index)
{
  const int64_t *at = t->storage->data + t->storageOffset;
  for (int d = t->nDimension - 1; d >= 0; d--) {
    at += index % t->size[d] * t->stride[d];
    index /= t->size[d];
  }
  return *at;
}

static double THTest_(sumOfMagnitudes)(const real *x, ptrdiff_t n, ptrdiff_t step)
{
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    sum += fabs((double)x[i * step]);
  return sum;
}

/* Within a few units in the last place of what cannot cancel.  (The checks print both numbers
 * before they compare them: too slow for every element.) */
static void THTest_(checkNumber)(Reduction op, real actual, long double expected, double magnitude)
{
#if defined(TH_REAL_IS_FLOATING)
  const double epsilon = sizeof(real) == 4 ? FLT_EPSILON : 64 * DBL_EPSILON;
  const accreal wanted = (real)expected;
  double allowed = epsilon * fabs(wanted) + FLT_MIN;
  if (THTest_(cancels)(op))
    allowed += 32 * DBL_EPSILON * magnitude;
  else if (op == VAR || op == VAR_BIASED)
    allowed += 1e-25; /* of equal elements the obvious loop is not exact */
  else if (op == STD)
    allowed += 1e-12;
  if (!(fabs(actual - wanted) <= allowed))
    CHECK_NEAR(actual, wanted, allowed);
#else
  if (actual != (real)expected)
    CHECK_EQ(actual, (real)expected);
#endif
}

/* t reduced along every dimension, against the naive result on a copy of its elements. */
static void THTest_(checkTensor)(Reduction op, THTensor *t, THTensor *r, THLongTensor *indices,
                                 int dim, int keepdim)
{
  real *x = THTest_(values)(t);
  const int n = t->nDimension;
  ptrdiff_t inner = 1, count = THTest_(count)(t), length = t->size[dim];
  for (int d = dim + 1; d < n; d++)
    inner *= t->size[d];
  int64_t size[TH_TEST_DIMS];
  int dims = 0;
  for (int d = 0; d < n; d++)
    if (d != dim || keepdim || n == 1)
      size[dims++] = d == dim ? 1 : t->size[d];

  THTest_(reduce)(op, r, indices, t, dim, keepdim);
  CHECK(THSize_isSameSizeAs(r->size, r->nDimension, size, dims));
  if (THTest_(hasIndex)(op))
    CHECK(THSize_isSameSizeAs(indices->size, indices->nDimension, size, dims));
  for (ptrdiff_t k = 0; k < count / length; k++) {
    const real *line = x + k / inner * inner * length + k % inner;
    ptrdiff_t index = 0;
    const long double expected = THTest_(naive)(op, line, length, inner, &index);
    THTest_(checkNumber)(op, *THTest_(at)(r, k), expected,
                         THTest_(cancels)(op) ? THTest_(sumOfMagnitudes)(line, length, inner)
                                              : fabs((double)expected));
    if (THTest_(hasIndex)(op) && THTest_(indexAt)(indices, k) != index)
      CHECK_EQ(THTest_(indexAt)(indices, k), (int64_t)index);
  }
  free(x);
}

static void THTest_(reduceDimensions)(void)
{
  THTensor *r = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  for (int op = 0; op < REDUCTIONS; op++)
    for (int layout = 0; layout < TH_EMPTY; layout++)
      for (int keepdim = 0; keepdim < 2; keepdim++) {
        THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(7, 5, 3));
        for (int dim = 0; dim < t->nDimension; dim++) {
          if (t->size[dim] == 1 && THTest_(needsTwo)(op))
            continue;
          th_note("reduction %d, layout %s, dimension %d, keepdim %d", op, th_layout_names[layout],
                  dim, keepdim);
          THTest_(checkTensor)(op, t, r, indices, dim, keepdim);
        }
        THTensor_(free)(t);
      }
  THLongTensor_free(indices);
  THTensor_(free)(r);
}

/* Shapes that are cut, folded and grouped in every way; long products leave the range of numbers.
 */
static void THTest_(reduceLargeShapes)(void)
{
  static const int64_t shapes[][3] = {{1, 1, 140000}, {9000, 1, 1},  {9000, 1, 3},  {3, 1, 9000},
                                      {5, 700, 4},    {20, 3, 1500}, {2, 300, 260}, {1500, 2, 9},
                                      {130, 129, 2},  {2, 4999, 17}, {1, 3, 2100},  {12, 3, 2100}};
  static const int layouts[] = {TH_CONTIGUOUS, TH_TRANSPOSED, TH_NARROWED, TH_EXPANDED, TH_STRIDED};
  THTensor *r = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (size_t l = s % 2; l < sizeof layouts / sizeof *layouts; l += 2) {
      THTensor *t = THTest_(tensor)(layouts[l], 5 + s, 3, shapes[s]);
      for (int op = 0; op < REDUCTIONS; op++)
        for (int dim = 0; dim < 3; dim++) {
          if ((t->size[dim] == 1 && THTest_(needsTwo)(op)) || (t->size[dim] > 200 && op == PROD))
            continue;
          th_note("reduction %d, layout %s, shape %zu, dimension %d", op,
                  th_layout_names[layouts[l]], s, dim);
          THTest_(checkTensor)(op, t, r, indices, dim, 0);
        }
      THTensor_(free)(t);
    }
  THLongTensor_free(indices);
  THTensor_(free)(r);
}

/* Lines of few elements, of which many are reduced at once, or a few that are no vector of them:
 * every length about that of vectors, and some up to where lines are reduced one by one. */
static void THTest_(reduceShortLines)(void)
{
  static const int layouts[] = {TH_CONTIGUOUS, TH_NARROWED, TH_EXPANDED};
  THTensor *r = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  for (int64_t n = 2; n < 2300; n += n < 36 ? 1 : n < 140 ? 13 : n < 440 ? 57 : 331)
    for (int op = 0; op < REDUCTIONS; op++) {
      const int layout = layouts[(n + op) % 3];
      const int64_t lines = (n + op) % 4 == 0 ? 5 : n % 2 ? 70 : 131;
      THTensor *t = THTest_(tensor)(layout, (uint64_t)n, TH_SHAPE(lines, n));
      if (t->size[1] > 1 && !(n > 200 && op == PROD)) {
        th_note("reduction %d, layout %s, lines of %lld", op, th_layout_names[layout],
                (long long)n);
        THTest_(checkTensor)(op, t, r, indices, 1, 0);
      }
      THTensor_(free)(t);
    }
  THLongTensor_free(indices);
  THTensor_(free)(r);
}

/* --- over all elements ----------------------------------------------------------------------- */

static void THTest_(checkAll)(THTensor *t)
{
  real *x = THTest_(values)(t);
  const ptrdiff_t n = THTest_(count)(t);
  ptrdiff_t index;
  CHECK_EQ(THTensor_(numel)(t), n);
  CHECK_EQ(THTensor_(maxall)(t), (real)THTest_(naive)(MAX, x, n, 1, &index));
  CHECK_EQ(THTensor_(minall)(t), (real)THTest_(naive)(MIN, x, n, 1, &index));
#if defined(TH_REAL_IS_FLOATING)
  const double magnitude = THTest_(sumOfMagnitudes)(x, n, 1);
  CHECK_NEAR(THTensor_(sumall)(t), (double)THTest_(naive)(SUM, x, n, 1, NULL), 1e-14 * magnitude);
  CHECK_NEAR(THTensor_(meanall)(t), (double)THTest_(naive)(MEAN, x, n, 1, NULL),
             1e-14 * magnitude / (double)n);
  if (n > 1) {
    const double v = (double)THTest_(naive)(VAR, x, n, 1, NULL);
    CHECK_NEAR(THTensor_(varall)(t, 0), v, 1e-13 * v + 1e-25);
    CHECK_NEAR(THTensor_(stdall)(t, 0), sqrt(v), 1e-13 * sqrt(v) + 1e-12);
    const double u = (double)THTest_(naive)(VAR_BIASED, x, n, 1, NULL);
    CHECK_NEAR(THTensor_(varall)(t, 1), u, 1e-13 * u + 1e-25);
  }
  CHECK_EQ(THTensor_(normall)(t, 0), (double)THTest_(naive)(NORM_0, x, n, 1, NULL));
  CHECK_CLOSE(THTensor_(normall)(t, 1), (double)THTest_(naive)(NORM_1, x, n, 1, NULL), 1e-13);
  CHECK_CLOSE(THTensor_(normall)(t, 2), (double)THTest_(naive)(NORM_2, x, n, 1, NULL), 1e-13);
  CHECK_CLOSE(THTensor_(normall)(t, 3), (double)THTest_(naive)(NORM_3, x, n, 1, NULL), 1e-13);
  CHECK_EQ(THTensor_(normall)(t, (real)INFINITY), (double)THTest_(naive)(NORM_INF, x, n, 1, NULL));
  CHECK_EQ(THTensor_(normall)(t, (real)-INFINITY),
           (double)THTest_(naive)(NORM_MINUS_INF, x, n, 1, NULL));
  if (n <= 200)
    CHECK_CLOSE(THTensor_(prodall)(t), (double)THTest_(naive)(PROD, x, n, 1, NULL), 1e-13);
#else
  uint64_t sum = 0, product = 1;
  for (ptrdiff_t i = 0; i < n; i++) {
    sum += (uint64_t)(int64_t)x[i];
    product *= (uint64_t)(int64_t)x[i];
  }
  CHECK_EQ(THTensor_(sumall)(t), (int64_t)sum);
  CHECK_EQ(THTensor_(prodall)(t), (int64_t)product);
#endif
  free(x);
}

static void THTest_(reduceAll)(void)
{
  static const int64_t shapes[][3] = {{7, 5, 3},     {1, 1, 1000},  {1, 1, 100000},
                                      {40000, 3, 1}, {3, 1, 40000}, {300, 40, 10},
                                      {2, 2, 9000},  {9000, 2, 2},  {20, 30, 300}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int layout = 0; layout < TH_EMPTY; layout++) {
      th_note("layout %s, shape %zu", th_layout_names[layout], s);
      THTensor *t = THTest_(tensor)(layout, 11 + s, 3, shapes[s]);
      THTest_(checkAll)(t);
      THTensor_(free)(t);
    }
}

static void THTest_(reduceNothing)(void)
{
  THTensor *t = THTensor_(new)();
  CHECK_EQ(THTensor_(numel)(t), (ptrdiff_t)0);
  CHECK_EQ(THTensor_(sumall)(t), (accreal)0);
  CHECK_EQ(THTensor_(prodall)(t), (accreal)1);
  CHECK_RAISES(1, "no elements", THTensor_(maxall)(t));
  CHECK_RAISES(1, "no elements", THTensor_(minall)(t));
#if defined(TH_REAL_IS_FLOATING)
  CHECK_EQ(THTensor_(normall)(t, 2), (accreal)0);
  CHECK_RAISES(1, "no elements", THTensor_(meanall)(t));
  CHECK_RAISES(1, "no elements", THTensor_(varall)(t, 1));
  CHECK_RAISES(1, "no elements", THTensor_(stdall)(t, 1));
#elif defined(TH_REAL_IS_BYTE)
  CHECK_EQ(THTensor_(logicalall)(t), 1);
  CHECK_EQ(THTensor_(logicalany)(t), 0);
#endif
  THTensor_(free)(t);
}

/* --- results --------------------------------------------------------------------------------- */

/* Results of the right shape keep their strides and nothing around them changes. */
static void THTest_(reduceStrided)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(6, 5, 4));
  for (int op = 0; op < REDUCTIONS; op++)
    for (int layout = 0; layout < TH_ONE; layout++) {
      if (!th_layout_keeps_shape(layout) || !th_layout_is_writable(layout))
        continue;
      th_note("reduction %d, result %s", op, th_layout_names[layout]);
      THTensor *r = THTest_(tensor)(layout, 8, TH_SHAPE(6, 4));
      THLongTensor *whole = THLongTensor_newWithSize3d(6, 4, 2);
      THLongTensor *indices = THLongTensor_newSelect(whole, 2, 1);
      for (ptrdiff_t i = 0; i < 48; i++)
        whole->storage->data[i] = -7;
      real *before = THTest_(storageValues)(r);
      int64_t *stride = r->stride, first = stride[0], second = stride[1];
      THTest_(checkTensor)(op, t, r, indices, 1, 0);
      CHECK(r->stride[0] == first && r->stride[1] == second);
      CHECK_OUTSIDE(r, before);
      for (ptrdiff_t i = 0; i < 48; i += 2)
        CHECK_EQ(whole->storage->data[i], (int64_t)-7);
      free(before);
      THLongTensor_free(indices);
      THLongTensor_free(whole);
      THTensor_(free)(r);
    }
  THTensor_(free)(t);
}

/* The result is the operand, or lies within it. */
static void THTest_(reduceAliased)(void)
{
  for (int op = 0; op < REDUCTIONS; op++)
    for (int dim = 0; dim < 2; dim++) {
      th_note("reduction %d, dimension %d", op, dim);
      THTensor *fresh = THTensor_(new)();
      THLongTensor *freshIndices = THLongTensor_new(), *indices = THLongTensor_new();
      THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(6, 6));
      THTest_(reduce)(op, fresh, freshIndices, t, dim, 0);
      THTensor *row = THTensor_(newSelect)(t, 0, 2);
      real *expected = THTest_(values)(fresh);
      THTest_(reduce)(op, row, indices, t, dim, 0);
      CHECK_VALUES(row, expected);
      THTensor_(free)(row);
      THTensor_(free)(t);

      t = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(6, 6));
      THTest_(reduce)(op, fresh, freshIndices, t, dim, 0);
      free(expected);
      expected = THTest_(values)(fresh);
      THTest_(reduce)(op, t, indices, t, dim, 0);
      CHECK(THTensor_(isSameSizeAs)(t, fresh));
      CHECK_VALUES(t, expected);
      if (THTest_(hasIndex)(op))
        for (ptrdiff_t k = 0; k < 6; k++)
          CHECK_EQ(THTest_(indexAt)(indices, k), THTest_(indexAt)(freshIndices, k));
      free(expected);
      THTensor_(free)(t);
      THLongTensor_free(indices);
      THLongTensor_free(freshIndices);
      THTensor_(free)(fresh);
    }
}

#if defined(TH_REAL_IS_LONG)
static void THTest_(reduceIndicesInOperand)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(4, 5)), *r = THTensor_(new)();
  THTensor *fresh = THTensor_(new)(), *freshIndices = THTensor_(new)();
  THTensor_(max)(fresh, freshIndices, t, 0, 0);
  THTensor_(max)(r, t, t, 0, 0);
  for (ptrdiff_t k = 0; k < 5; k++) {
    CHECK_EQ(*THTest_(at)(r, k), *THTest_(at)(fresh, k));
    CHECK_EQ(*THTest_(at)(t, k), *THTest_(at)(freshIndices, k));
  }
  THTensor_(resize2d)(t, 4, 5);
  CHECK_RAISES(2, "share memory", THTensor_(max)(r, r, t, 0, 0));
  THTensor_(free)(freshIndices);
  THTensor_(free)(fresh);
  THTensor_(free)(r);
  THTensor_(free)(t);
}
#endif

/* Results that still have the dimension, with size 1: a column of a matrix.  They are written where
 * they lie, nothing beside them is, and then they lose the dimension. */
static void THTest_(reduceToColumn)(void)
{
  enum { MEDIAN = REDUCTIONS, MODE, KTH, ALL };
  for (int op = 0; op < ALL; op++)
    for (int dim = 0; dim < 3; dim++)
      for (int layout = 0; layout < TH_WITH_ONES; layout++) {
        int64_t size[] = {5, 4, 3};
        THTensor *t = THTest_(tensor)(TH_PERMUTED, 3, 3, size);
        THTensor *want = THTensor_(new)();
        size[dim] = 1;
        THTensor *r = THTest_(tensor)(layout, 9, 3, size);
        real *before = THTest_(storageValues)(r);
        int64_t stride[2];
        for (int d = 0, k = 0; d < 3; d++)
          if (d != dim)
            stride[k++] = r->stride[d];
        /* Every third index of a storage full of -5. */
        const int64_t count = THTest_(count)(r);
        THLongTensor *whole = THLongTensor_newWithSize1d(3 * count),
                     *wantIndices = THLongTensor_new();
        THLongTensor *indices =
            THLongTensor_newWithStorage3d(whole->storage, 1, size[0], 3 * size[1] * size[2],
                                          size[1], 3 * size[2], size[2], 3);
        THLongTensor_fill(whole, -5);
        th_note("reduction %d, dimension %d, %s", op, dim, th_layout_names[layout]);
        for (int k = 0; k < 2; k++) {
          THTensor *to = k ? r : want;
          THLongTensor *at = k ? indices : wantIndices;
          if (op == MEDIAN)
            THTensor_(median)(to, at, t, dim, 0);
          else if (op == MODE)
            THTensor_(mode)(to, at, t, dim, 0);
          else if (op == KTH)
            THTensor_(kthvalue)(to, at, t, 2, dim, 0);
          else
            THTest_(reduce)(op, to, at, t, dim, 0);
        }
        CHECK(THTensor_(isSameSizeAs)(r, want));
        CHECK(r->stride[0] == stride[0] && r->stride[1] == stride[1]);
        for (ptrdiff_t i = 0; i < count; i++)
          CHECK(!memcmp(THTest_(at)(r, i), THTest_(at)(want, i), sizeof(real)));
        CHECK_OUTSIDE(r, before);
        if (op >= MEDIAN || THTest_(hasIndex)(op)) {
          CHECK_EQ(indices->nDimension, 2);
          for (ptrdiff_t i = 0; i < 3 * count; i++)
            CHECK_EQ(whole->storage->data[i], i % 3 == 1 ? wantIndices->storage->data[i / 3] : -5);
        } else {
          CHECK_EQ(indices->nDimension, 3);
        }
        THLongTensor_free(indices);
        THLongTensor_free(wantIndices);
        THLongTensor_free(whole);
        free(before);
        THTensor_(free)(r);
        THTensor_(free)(want);
        THTensor_(free)(t);
      }
}

static void THTest_(reduceErrors)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(4, 5));
  THTensor *r = THTest_(tensor)(TH_CONTIGUOUS, 9, TH_SHAPE(2));
  THTensor *empty = THTensor_(new)();
  THLongTensor *indices = THLongTensor_newWithSize1d(2);
  const int dims[] = {-1, 2, INT_MAX, INT_MIN};
  for (int op = 0; op < REDUCTIONS; op++) {
#if defined(TH_REAL_IS_FLOATING)
    const int norm = op >= NORM_0;
#else
    const int norm = 0;
#endif
    const int arg = THTest_(hasIndex)(op) || norm ? 4 : 3;
    for (int i = 0; i < 4; i++)
      CHECK_RAISES(arg, "out of range", THTest_(reduce)(op, r, indices, t, dims[i], 0));
    CHECK_RAISES(arg, "out of range", THTest_(reduce)(op, r, indices, empty, 0, 0));
    CHECK(r->nDimension == 1 && r->size[0] == 2 && indices->size[0] == 2);
    CHECK_EQ(*THTest_(at)(r, 1), THTest_(value)(9, 1));
  }
  THLongTensor_free(indices);
  THTensor_(free)(empty);
  THTensor_(free)(r);
  THTensor_(free)(t);
}

static void THTest_(preserveReduceDimSemantics)(void)
{
  THTensor *r = THTensor_(newWithSize2d)(3, 4);
  THTensor_(preserveReduceDimSemantics)(r, 3, 1, 1);
  CHECK_EQ(r->nDimension, 2);
  THTensor_(preserveReduceDimSemantics)(r, 4, 1, 0);
  CHECK_EQ(r->nDimension, 2);
  THTensor_(preserveReduceDimSemantics)(NULL, 4, 1, 0);
  THTensor_(preserveReduceDimSemantics)(r, 3, 1, 0);
  CHECK_EQ(r->nDimension, 3);
  CHECK(r->size[0] == 3 && r->size[1] == 1 && r->size[2] == 4);
  THTensor_(free)(r);
}

/* --- threads --------------------------------------------------------------------------------- */

/* Bit by bit: 0 and -0 differ. */
static void THTest_(reduceThreads)(void)
{
  static const int64_t shapes[][2] = {{1, 300000}, {300000, 1}, {500, 700}, {60000, 5}, {5, 60000}};
  const int before = THGetNumThreads();
  THTensor *r[2] = {THTensor_(new)(), THTensor_(new)()};
  THLongTensor *indices[2] = {THLongTensor_new(), THLongTensor_new()};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, 2, shapes[s]);
    for (int op = 0; op < REDUCTIONS; op++)
      for (int dim = 0; dim < 2; dim++) {
        th_note("reduction %d, shape %zu, dimension %d", op, s, dim);
        for (int k = 0; k < 2; k++) {
          THSetNumThreads(k + 1);
          THTest_(reduce)(op, r[k], indices[k], t, dim, 0);
        }
        CHECK(!memcmp(r[0]->storage->data, r[1]->storage->data,
                      (size_t)THTest_(count)(r[0]) * sizeof(real)));
        if (THTest_(hasIndex)(op))
          CHECK(!memcmp(indices[0]->storage->data, indices[1]->storage->data,
                        (size_t)THTest_(count)(r[0]) * sizeof(int64_t)));
      }
    accreal sum[2];
    for (int k = 0; k < 2; k++) {
      THSetNumThreads(k + 1);
      sum[k] = THTensor_(sumall)(t);
    }
    CHECK(!memcmp(&sum[0], &sum[1], sizeof(accreal)));
    THTensor_(free)(t);
  }
  THSetNumThreads(before);
  for (int k = 0; k < 2; k++) {
    THLongTensor_free(indices[k]);
    THTensor_(free)(r[k]);
  }
}

/* Of equal values of a line the first counts, however far apart they are: the second one is also
 * where loops over vectors look at it first. */
static void THTest_(reducePlaces)(void)
{
  enum { PEAKS = 5, LINES = PEAKS * PEAKS };
  static const int64_t lengths[] = {300, 1025, 5000, 20480, 70001};
  THTensor *r = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
    for (int largest = 0; largest < 2; largest++) {
      const int64_t n = lengths[l];
      const int64_t peaks[PEAKS] = {n / 7, n / 3, n / 2, n / 5 * 4 / 256 * 256, n - 1};
      th_note("length %lld, largest %d", (long long)n, largest);
      THTensor *t = THTensor_(newWithSize2d)(LINES, n);
      THTensor_(fill)(t, 10);
      for (int k = 0; k < LINES; k++) {
        THTensor_(set2d)(t, k, peaks[k / PEAKS], (real)(largest ? 20 : 5));
        THTensor_(set2d)(t, k, peaks[k % PEAKS], (real)(largest ? 20 : 5));
      }
      (largest ? THTensor_(max) : THTensor_(min))(r, indices, t, 1, 0);
      for (int k = 0; k < LINES; k++) {
        const int64_t first = THMin(peaks[k / PEAKS], peaks[k % PEAKS]);
        CHECK_EQ(*THTest_(at)(r, k), (real)(largest ? 20 : 5));
        CHECK_EQ(indices->storage->data[k], first);
      }
      THTensor_(free)(t);
    }
  THLongTensor_free(indices);
  THTensor_(free)(r);
}

/* --- NaN, accuracy, truth -------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOATING)

/* One NaN or two among n elements, at the first, a middle and the last index: max and min give NaN
 * and the index of the first. */
static void THTest_(reduceNan)(void)
{
  static const int64_t lengths[] = {1, 2, 17, 130, 3000, 100000};
  THTensor *r = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
    for (int position = 0; position < 3; position++)
      for (int wide = 0; wide < 2; wide++) { /* along the row, across rows */
        const int64_t n = lengths[l], where = position == 0 ? 0 : position == 1 ? n / 2 : n - 1;
        th_note("length %lld, index %lld, wide %d", (long long)n, (long long)where, wide);
        THTensor *t = THTest_(tensor)(wide ? TH_CONTIGUOUS : TH_TRANSPOSED, 4, TH_SHAPE(3, n));
        for (int k = 1; k < 3; k++)
          THTensor_(set2d)(t, k, where, k == 1 ? (real)NAN : -(real)NAN);
        THTensor_(set2d)(t, 2, n - 1, (real)NAN);
        CHECK(isnan(THTensor_(maxall)(t)));
        CHECK(isnan(THTensor_(minall)(t)));
        for (int largest = 0; largest < 2; largest++) {
          (largest ? THTensor_(max) : THTensor_(min))(r, indices, t, 1, 0);
          CHECK(!isnan(*THTest_(at)(r, 0)));
          for (int k = 1; k < 3; k++) {
            CHECK(isnan(*THTest_(at)(r, k)));
            CHECK_EQ(indices->storage->data[k], where);
          }
        }
        THTensor_(norm)(r, t, (real)INFINITY, 1, 0);
        CHECK(!isnan(*THTest_(at)(r, 0)) && isnan(*THTest_(at)(r, 1)));
        THTensor_(norm)(r, t, (real)-INFINITY, 1, 0);
        CHECK(!isnan(*THTest_(at)(r, 0)) && isnan(*THTest_(at)(r, 1)));
        THTensor_(free)(t);
      }
  THLongTensor_free(indices);
  THTensor_(free)(r);
}

/* Maxima without indices in lines that are reduced many at a time, one NaN in every other line. */
static void THTest_(reduceNanOfMany)(void)
{
  enum { LINES = 70, SEED = 17 };
  THTensor *r = THTensor_(new)();
  for (int64_t n = 1; n <= 2100; n += n < 40 ? 1 : n < 400 ? 59 : 297)
    for (int64_t where = 0; where < n; where += 1 + n / SEED) {
      th_note("length %lld, index %lld", (long long)n, (long long)where);
      THTensor *t = THTensor_(newWithSize2d)(LINES, n);
      for (int64_t k = 0; k < LINES; k++) {
        for (int64_t i = 0; i < n; i++)
          THTensor_(set2d)(t, k, i, (real)(i * SEED % 50 - 100));
        THTensor_(set2d)(t, k, where, k % 2 ? (real)NAN : k % 4 ? (real)INFINITY : 100);
      }
      THTensor_(amax)(r, t, 1, 0);
      for (int64_t k = 0; k < LINES; k++)
        CHECK(k % 2 ? isnan(*THTest_(at)(r, k))
                    : *THTest_(at)(r, k) == (k % 4 ? (real)INFINITY : 100));
      for (int64_t k = 0; k < LINES; k += 2)
        THTensor_(set2d)(t, k, where, k % 4 ? -(real)INFINITY : -101);
      THTensor_(amin)(r, t, 1, 0);
      for (int64_t k = 0; k < LINES; k++)
        CHECK(k % 2 ? isnan(*THTest_(at)(r, k))
                    : *THTest_(at)(r, k) == (k % 4 ? -(real)INFINITY : -101));
      THTensor_(free)(t);
    }
  THTensor_(free)(r);
}

/* Nothing but the worst value that there is: it still has an index. */
static void THTest_(reduceInfinities)(void)
{
  THTensor *t = THTensor_(newWithSize2d)(2, 1000), *r = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  for (int i = 0; i < 2000; i++)
    t->storage->data[i] = i < 1000 ? (real)-INFINITY : (real)INFINITY;
  THTensor_(max)(r, indices, t, 1, 0);
  CHECK_EQ(*THTest_(at)(r, 0), -(real)INFINITY);
  CHECK_EQ(indices->storage->data[0], 0);
  THTensor_(min)(r, indices, t, 1, 0);
  CHECK_EQ(*THTest_(at)(r, 1), (real)INFINITY);
  CHECK_EQ(indices->storage->data[1], 0);
  CHECK_EQ(THTensor_(maxall)(t), (real)INFINITY);
  THLongTensor_free(indices);
  THTensor_(free)(r);
  THTensor_(free)(t);
}

/* Equal elements vary by exactly 0; one element does by 0, or NaN if nothing is left to divide by.
 */
static void THTest_(reduceVariance)(void)
{
  static const int64_t shapes[][2] = {{1000, 3}, {3, 1000}, {1, 200000}, {200000, 1}, {300, 300}};
  THTensor *r = THTensor_(new)();
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    THTensor *t = THTensor_(newWithSize2d)(shapes[s][0], shapes[s][1]);
    for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
      t->storage->data[i] = (real)0.1;
    CHECK_EQ(THTensor_(varall)(t, 0), (accreal)0);
    for (int dim = 0; dim < 2; dim++) {
      THTensor_(var)(r, t, dim, 1, 0);
      for (ptrdiff_t k = 0; k < THTest_(count)(r); k++)
        CHECK_EQ(*THTest_(at)(r, k), (real)0);
      if (t->size[dim] == 1) {
        THTensor_(var)(r, t, dim, 0, 0);
        CHECK(isnan(*THTest_(at)(r, 0)));
      }
    }
    /* A large mean does not hide small deviations. */
    for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
      t->storage->data[i] = 65536 + (real)(i % 2);
    if (THTest_(count)(t) % 2 == 0)
      CHECK_CLOSE(THTensor_(varall)(t, 1), 0.25, 1e-12);
    /* Nor does a first element that lies apart. */
    t->storage->data[0] = 0;
    const ptrdiff_t n = THTest_(count)(t);
    long double mean = 0, squares = 0;
    for (ptrdiff_t i = 0; i < n; i++)
      mean += (long double)t->storage->data[i] / n;
    for (ptrdiff_t i = 0; i < n; i++) {
      const long double apart = t->storage->data[i] - mean;
      squares += apart * apart;
    }
    CHECK_CLOSE(THTensor_(varall)(t, 1), (double)(squares / n), 1e-12);
    THTensor_(free)(t);
  }
  THTensor_(free)(r);
}

/* So large that wide rows of columns are cut as well: columns where pieces begin and end. */
/* Squares that no number of the type of sums holds: infinite of finite elements, NaN of others. */
static void THTest_(reduceVastVariance)(void)
{
  const double most = sizeof(real) == 4 ? FLT_MAX : DBL_MAX,
               large = sizeof(real) == 4 ? 1e30 : 1e200;
  const double inf = INFINITY;
  const struct {
    double x[4], want;
  } cases[] = {{{large, -large, large, -large}, inf},
               {{most, -most, -most, most}, inf},
               {{0, 0, large, 0}, inf},
               {{-most, most, 0, 0}, inf},
               {{1, 2, -most, most}, inf},
               {{large, -inf, 0, -large}, NAN},
               {{inf, 1, large, -large}, NAN},
               {{NAN, large, -large, large}, NAN},
               {{large, -large, 0, NAN}, NAN}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int length = 4; length < 3000; length *= 6)
      for (int lines = 1; lines < 20; lines += 6)
        for (int dim = 0; dim < 2; dim++) {
          th_note("case %zu, %d lines of %d, dimension %d", c, lines, length, dim);
          THTensor *t = dim ? THTensor_(newWithSize2d)(lines, length)
                            : THTensor_(newWithSize2d)(length, lines);
          THTensor *r = THTensor_(new)();
          for (ptrdiff_t i = 0; i < (ptrdiff_t)length * lines; i++) {
            const ptrdiff_t position = dim ? i % length : i / lines;
            t->storage->data[i] = (real)cases[c].x[position * 4 / length];
          }
          for (int std = 0; std < 2; std++) {
            (std ? THTensor_(std) : THTensor_(var))(r, t, dim, 0, 0);
            for (ptrdiff_t i = 0; i < lines; i++) {
              const double got = (double)*THTest_(at)(r, i);
              const int finite = std && sizeof(real) == 4 && cases[c].want == inf;
              CHECK_MSG(isnan(cases[c].want) ? isnan(got)
                        : finite             ? got > 1e29
                                             : got == inf,
                        "%g, not %g", got, cases[c].want);
            }
          }
          const double all = (double)THTensor_(varall)(t, 0);
          if (sizeof(real) == 8)
            CHECK_MSG(isnan(cases[c].want) ? isnan(all) : all == inf, "%g of all", all);
          THTensor_(free)(r);
          THTensor_(free)(t);
        }
}

static void THTest_(reduceWideVariance)(void)
{
  enum { ROWS = 2900, COLUMNS = 2050 };
  static const int columns[] = {0, 1023, 1024, 2047, 2048, 2049};
  THTensor *t = THTensor_(newWithSize2d)(ROWS, COLUMNS), *r = THTensor_(new)();
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
    t->storage->data[i] = (real)(i * 7919 % 1009) / 64 + (real)(i % COLUMNS);
  THTensor_(var)(r, t, 0, 0, 0);
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
    const real *x = t->storage->data + columns[k];
    long double mean = 0, squares = 0;
    for (ptrdiff_t i = 0; i < ROWS; i++)
      mean += (long double)x[i * COLUMNS] / ROWS;
    for (ptrdiff_t i = 0; i < ROWS; i++) {
      const long double apart = x[i * COLUMNS] - mean;
      squares += apart * apart;
    }
    CHECK_CLOSE(*THTest_(at)(r, columns[k]), (double)(squares / (ROWS - 1)),
                sizeof(real) < 8 ? 1e-6 : 1e-12);
  }
  THTensor_(free)(r);
  THTensor_(free)(t);
}

/* A million elements: a slow sum in long double, which is good to 1e-16 of the magnitudes. */
static void THTest_(reduceAccuracy)(void)
{
  const int64_t n = 1000000;
  THTensor *t = THTensor_(newWithSize1d)(n), *r = THTensor_(new)();
  th_random random = {th_seed()};
  for (int kind = 0; kind < 3; kind++) {
    long double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++) {
      const double u = (double)(th_random_next(&random) >> 11) * 0x1p-53;
      const real x = (real)(kind == 0 ? 0.1 : kind == 1 ? u : (u - 0.5) * exp(40 * u));
      t->storage->data[i] = x;
      sum += x;
      magnitude += fabsl(x);
    }
    th_note("kind %d, seed %llu", kind, (unsigned long long)th_seed());
    CHECK_NEAR(THTensor_(sumall)(t), (double)sum, 1e-14 * (double)magnitude);
    CHECK_NEAR(THTensor_(meanall)(t), (double)(sum / n), 1e-14 * (double)magnitude / (double)n);
    THTensor_(resize2d)(t, n, 1);
    THTensor_(sum)(r, t, 0, 0);
    CHECK_NEAR(*THTest_(at)(r, 0), (double)sum, 1e-7 * (double)magnitude);
    THTensor_(resize2d)(t, n / 4, 4);
    THTensor_(sum)(r, t, 0, 0);
    CHECK_NEAR(THTensor_(sumall)(r), (double)sum, 1e-7 * (double)magnitude);
    THTensor_(resize1d)(t, n);
  }
  THTensor_(free)(r);
  THTensor_(free)(t);
}

#endif

#if defined(TH_REAL_IS_BYTE)
static void THTest_(reduceTruth)(void)
{
  for (int layout = 0; layout < TH_ONE; layout++) {
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(70, 51, 30));
    CHECK_EQ(THTensor_(logicalall)(t), 1);
    CHECK_EQ(THTensor_(logicalany)(t), 1);
    *THTest_(at)(t, THTest_(count)(t) / 2) = 0;
    CHECK_EQ(THTensor_(logicalall)(t), 0);
    for (ptrdiff_t i = 0; i < t->storage->size; i++)
      t->storage->data[i] = 0;
    CHECK_EQ(THTensor_(logicalany)(t), 0);
    *THTest_(at)(t, THTest_(count)(t) - 1) = 4;
    CHECK_EQ(THTensor_(logicalany)(t), 1);
    THTensor_(free)(t);
  }
}
#endif

#if defined(TH_REAL_IS_FLOATING)
TH_TESTS(THTest_(reduceToColumn), THTest_(reduceDimensions), THTest_(reduceLargeShapes),
         THTest_(reduceShortLines), THTest_(reduceAll), THTest_(reduceNothing),
         THTest_(reduceStrided), THTest_(reduceAliased), THTest_(reduceErrors),
         THTest_(preserveReduceDimSemantics), THTest_(reduceThreads), THTest_(reducePlaces),
         THTest_(reduceNan), THTest_(reduceNanOfMany), THTest_(reduceInfinities),
         THTest_(reduceVariance), THTest_(reduceWideVariance), THTest_(reduceVastVariance),
         THTest_(reduceAccuracy))
#elif defined(TH_REAL_IS_BYTE)
TH_TESTS(THTest_(reduceToColumn), THTest_(reduceDimensions), THTest_(reduceLargeShapes),
         THTest_(reduceShortLines), THTest_(reduceAll), THTest_(reduceNothing),
         THTest_(reduceStrided), THTest_(reduceAliased), THTest_(reduceErrors),
         THTest_(preserveReduceDimSemantics), THTest_(reduceThreads), THTest_(reducePlaces),
         THTest_(reduceTruth))
#elif defined(TH_REAL_IS_LONG)
TH_TESTS(THTest_(reduceToColumn), THTest_(reduceDimensions), THTest_(reduceLargeShapes),
         THTest_(reduceShortLines), THTest_(reduceAll), THTest_(reduceNothing),
         THTest_(reduceStrided), THTest_(reduceAliased), THTest_(reduceErrors),
         THTest_(preserveReduceDimSemantics), THTest_(reduceThreads), THTest_(reducePlaces),
         THTest_(reduceIndicesInOperand))
#else
TH_TESTS(THTest_(reduceToColumn), THTest_(reduceDimensions), THTest_(reduceLargeShapes),
         THTest_(reduceShortLines), THTest_(reduceAll), THTest_(reduceNothing),
         THTest_(reduceStrided), THTest_(reduceAliased), THTest_(reduceErrors),
         THTest_(preserveReduceDimSemantics), THTest_(reduceThreads), THTest_(reducePlaces))
#endif
