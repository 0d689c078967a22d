/* Sorting and selecting, against sorting by counting: where an element goes is how many others come
 * before it. */
#include "THTemplate.h"

#include "th_layouts.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define TH_REAL_IS_FLOATING
#endif

/* --- the order, as the header describes it --------------------------------------------------- */

static int THTest_(isNan)(real x)
{
#if defined(TH_REAL_IS_FLOATING)
  return isnan(x);
#else
  return 0;
#endif
}

/* a comes strictly before b in ascending order. */
static int THTest_(precedes)(real a, real b)
{
  if (THTest_(isNan)(a) || THTest_(isNan)(b))
    return !THTest_(isNan)(a) && THTest_(isNan)(b);
  return a < b;
}

/* order[i] is the index of the element that belongs at position i. */
static void THTest_(order)(const real *x, ptrdiff_t n, ptrdiff_t step, int descending,
                           ptrdiff_t *order)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    ptrdiff_t rank = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
      const real a = x[j * step], b = x[i * step];
      const int first = descending ? THTest_(precedes)(b, a) : THTest_(precedes)(a, b);
      const int last = descending ? THTest_(precedes)(a, b) : THTest_(precedes)(b, a);
      rank += first || (!last && j < i);
    }
    order[rank] = i;
  }
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

/* Checks that both have the same bits: 0 and -0 differ, NaN equals itself. */
static void THTest_(checkSame)(real actual, real expected, int64_t index, int64_t expectedIndex)
{
  if (memcmp(&actual, &expected, sizeof actual))
    CHECK_MSG(0, "value is %s, not %s", TH_TEXT(actual), TH_TEXT(expected));
  if (index != expectedIndex)
    CHECK_EQ(index, expectedIndex);
}

/* --- one line after the other ---------------------------------------------------------------- */

typedef enum {
  ASCENDING,
  DESCENDING,
  TOP,
  BOTTOM,
  TOP_UNSORTED,
  KTH,
  MEDIAN,
  MODE,
  SELECTIONS
} Selection;

static void THTest_(select)(Selection op, THTensor *values, THLongTensor *indices, THTensor *t,
                            int64_t k, int dim, int keepdim)
{
  switch (op) {
    case ASCENDING:
    case DESCENDING:
      THTensor_(sort)(values, indices, t, dim, op == DESCENDING);
      break;
    case TOP:
    case BOTTOM:
    case TOP_UNSORTED:
      THTensor_(topk)(values, indices, t, k, dim, op != BOTTOM, op != TOP_UNSORTED);
      break;
    case KTH:
      THTensor_(kthvalue)(values, indices, t, k, dim, keepdim);
      break;
    case MEDIAN:
      THTensor_(median)(values, indices, t, dim, keepdim);
      break;
    case MODE:
      THTensor_(mode)(values, indices, t, dim, keepdim);
      break;
    case SELECTIONS:
      break;
  }
}

static int THTest_(reduces)(Selection op)
{
  return op >= KTH;
}

/* The index of the mode of n elements: by counting. */
static ptrdiff_t THTest_(naiveMode)(const real *x, ptrdiff_t n, ptrdiff_t step)
{
  ptrdiff_t best = -1, most = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    ptrdiff_t equal = 0;
    for (ptrdiff_t j = 0; j < n; j++)
      equal += j == i || x[j * step] == x[i * step];
    const int smaller = best >= 0 && THTest_(precedes)(x[i * step], x[best * step]);
    const int same = best >= 0 && !THTest_(isNan)(x[i * step]) && x[i * step] == x[best * step];
    if (equal > most || (equal == most && (smaller || same))) {
      most = equal;
      best = i;
    }
  }
  return best;
}

/* Lines of t along dim, before in x, against what values and indices say. */
static void THTest_(checkLines)(Selection op, const real *x, const THTensor *t, THTensor *values,
                                THLongTensor *indices, int64_t k, int dim)
{
  ptrdiff_t inner = 1, length = t->size[dim], count = THTest_(count)(t);
  for (int d = dim + 1; d < t->nDimension; d++)
    inner *= t->size[d];
  const ptrdiff_t taken = op <= DESCENDING ? length : THTest_(reduces)(op) ? 1 : k;
  ptrdiff_t *order = malloc((size_t)length * sizeof *order);
  for (ptrdiff_t line = 0; line < count / length; line++) {
    const ptrdiff_t outer = line / inner, within = line % inner;
    const real *from = x + outer * inner * length + within;
    THTest_(order)(from, length, inner, op == DESCENDING || op == TOP || op == TOP_UNSORTED, order);
    if (op == TOP_UNSORTED) /* in the order of the line */
      for (ptrdiff_t i = 1; i < taken; i++)
        for (ptrdiff_t j = i; j > 0 && order[j] < order[j - 1]; j--) {
          const ptrdiff_t swap = order[j];
          order[j] = order[j - 1];
          order[j - 1] = swap;
        }
    ptrdiff_t first_nan = 0;
    while (first_nan < length && !THTest_(isNan)(from[first_nan * inner]))
      first_nan++;
    if (op == KTH)
      order[0] = order[k - 1];
    if (op == MEDIAN)
      order[0] = first_nan < length ? first_nan : order[(length - 1) / 2];
    if (op == MODE)
      order[0] = THTest_(naiveMode)(from, length, inner);
    for (ptrdiff_t i = 0; i < taken; i++) {
      const ptrdiff_t at = outer * inner * taken + i * inner + within;
      THTest_(checkSame)(*THTest_(at)(values, at), from[order[i] * inner],
                         THTest_(indexAt)(indices, at), order[i]);
    }
  }
  free(order);
}

/* Many equal elements and every special value. */
static void THTest_(spoil)(THTensor *t, uint64_t seed)
{
  th_random random = {seed};
  for (ptrdiff_t i = 0; i < t->storage->size; i++) {
    const int64_t kind = th_random_below(&random, 12);
    real *x = t->storage->data + i;
    if (kind < 5)
      *x = (real)th_random_below(&random, 4);
#if defined(TH_REAL_IS_FLOATING)
    const real special[] = {(real)NAN, -(real)NAN, 0, -(real)0.0, (real)INFINITY, -(real)INFINITY};
    if (kind >= 9)
      *x = special[th_random_below(&random, 6)];
#endif
  }
}

static void THTest_(sortLayouts)(void)
{
  for (int op = 0; op < SELECTIONS; op++)
    for (int layout = 0; layout < TH_EMPTY; layout++)
      for (int dim = 0; dim < 3; dim++)
        for (int spoilt = 0; spoilt < 2; spoilt++) {
          THTensor *t = THTest_(tensor)(layout, 3 + spoilt, TH_SHAPE(6, 5, 4));
          THTensor *values = THTensor_(new)();
          THLongTensor *indices = THLongTensor_new();
          if (spoilt)
            THTest_(spoil)(t, th_seed() + (uint64_t)layout);
          if (dim < t->nDimension) {
            real *x = THTest_(values)(t);
            const int64_t k = THMin(3, t->size[dim]);
            th_note("selection %d, layout %s, dimension %d, spoilt %d", op, th_layout_names[layout],
                    dim, spoilt);
            THTest_(select)(op, values, indices, t, k, dim, 1);
            for (int d = 0; d < t->nDimension; d++) {
              const int64_t size = d != dim || op <= DESCENDING ? t->size[d]
                                   : THTest_(reduces)(op)       ? 1
                                                                : k;
              CHECK(values->size[d] == size && indices->size[d] == size);
            }
            THTest_(checkLines)(op, x, t, values, indices, k, dim);
            if (THTest_(reduces)(op)) {
              THTest_(select)(op, values, indices, t, k, dim, 0);
              CHECK_EQ(values->nDimension, THMax(1, t->nDimension - 1));
              THTest_(checkLines)(op, x, t, values, indices, k, dim);
            }
            free(x);
          }
          THLongTensor_free(indices);
          THTensor_(free)(values);
          THTensor_(free)(t);
        }
}

/* So many lines across memory that they are sorted in a copy. */
static void THTest_(sortAcross)(void)
{
  for (int op = 0; op < SELECTIONS; op++)
    for (int layout = 0; layout < 2; layout++)
      for (int dim = 0; dim < 3; dim++) {
        THTensor *t = layout ? THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(50, 3, 70))
                             : THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(70, 3, 50));
        if (layout)
          THTensor_(transpose)(t, NULL, 0, 2);
        THTest_(spoil)(t, th_seed());
        real *x = THTest_(values)(t);
        THTensor *values = THTensor_(new)();
        THLongTensor *indices = THLongTensor_new();
        th_note("selection %d, layout %d, dimension %d", op, layout, dim);
        THTest_(select)(op, values, indices, t, 2, dim, layout);
        THTest_(checkLines)(op, x, t, values, indices, 2, dim);
        THLongTensor_free(indices);
        THTensor_(free)(values);
        THTensor_(free)(t);
        free(x);
      }
}

/* Long enough for each way to sort: runs, digits of 8 bits. */
static void THTest_(sortLengths)(void)
{
  static const int64_t lengths[] = {1, 2, 12, 13, 47, 130, 256, 257, 300, 600, 1100, 2500};
  THTensor *values = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
    const int64_t n = lengths[l];
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 70 + l, 1, &n);
    for (int spoilt = 0; spoilt < 2; spoilt++) {
      if (spoilt)
        THTest_(spoil)(t, th_seed() + l);
      for (int op = 0; op < 2 * SELECTIONS; op++) {
        const int few = op >= SELECTIONS; /* so few that most of a long line is passed by */
        const int64_t k = few ? THMin(3, n) : op == TOP ? n : (n + 1) / 3 + (n < 2);
        th_note("selection %d, length %lld, spoilt %d", op, (long long)n, spoilt);
        THTest_(select)(op % SELECTIONS, values, indices, t, k, 0, 0);
        THTest_(checkLines)(op % SELECTIONS, t->storage->data, t, values, indices, k, 0);
      }
    }
    THTensor_(free)(t);
  }
  THLongTensor_free(indices);
  THTensor_(free)(values);
}

/* Sorts t both ways: in order, stable, each element once. */
static void THTest_(checkSorted)(THTensor *t)
{
  const ptrdiff_t n = THTest_(count)(t);
  const real *x = t->storage->data;
  THTensor *values = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  char *seen = malloc((size_t)n);
  for (int descending = 0; descending < 2; descending++) {
    memset(seen, 0, (size_t)n);
    THTensor_(sort)(values, indices, t, 0, descending);
    const real *v = values->storage->data;
    const int64_t *at = indices->storage->data;
    for (ptrdiff_t i = 0; i < n; i++) {
      const int64_t rank = at[i];
      if (rank < 0 || rank >= n || seen[rank]++ || memcmp(v + i, x + rank, sizeof *v))
        CHECK_MSG(0, "rank %td has index %lld", i, (long long)rank);
      if (i == 0)
        continue;
      const int less = THTest_(precedes)(v[i - 1], v[i]), more = THTest_(precedes)(v[i], v[i - 1]);
      if (descending ? less : more)
        CHECK_MSG(0, "positions %td and %td are out of order", i - 1, i);
      if (!less && !more && at[i - 1] > at[i])
        CHECK_MSG(0, "positions %td and %td are equal and have been swapped", i - 1, i);
    }
  }
  free(seen);
  THLongTensor_free(indices);
  THTensor_(free)(values);
}

/* Sorts by merging, in the order that the header describes; spare has room for as many. */
static void THTest_(mergeSort)(real *x, real *spare, ptrdiff_t n, int descending)
{
  if (n < 2)
    return;
  const ptrdiff_t half = n / 2;
  THTest_(mergeSort)(x, spare, half, descending);
  THTest_(mergeSort)(x + half, spare, n - half, descending);
  memcpy(spare, x, (size_t)n * sizeof *x);
  for (ptrdiff_t i = 0, a = 0, b = half; i < n; i++) {
    int second = a == half;
    if (a < half && b < n)
      second = descending ? THTest_(precedes)(spare[a], spare[b])
                          : THTest_(precedes)(spare[b], spare[a]);
    x[i] = second ? spare[b++] : spare[a++];
  }
}

/* The values alone, into results that lie in order and ones that do not, and into t. */
static void THTest_(checkAlone)(THTensor *t)
{
  const ptrdiff_t n = THTest_(count)(t);
  real *expected = malloc((size_t)n * sizeof *expected), *spare = malloc((size_t)n * sizeof *spare);
  THTensor *wide = THTensor_(newWithSize2d)(n, 2);
  THTensor *results[] = {THTensor_(new)(), THTensor_(newSelect)(wide, 1, 1),
                         THTensor_(newClone)(t)};
  for (int descending = 0; descending < 2; descending++) {
    memcpy(expected, t->storage->data, (size_t)n * sizeof *expected);
    THTest_(mergeSort)(expected, spare, n, descending);
    for (int r = 0; r < 3; r++) {
      if (r == 2)
        THTensor_(copy)(results[r], t);
      THTensor_(sort)(results[r], NULL, r == 2 ? results[r] : t, 0, descending);
      CHECK_EQ(results[r]->size[0], (int64_t)n);
      for (ptrdiff_t i = 0; i < n; i++) {
        const real *value =
            results[r]->storage->data + results[r]->storageOffset + i * results[r]->stride[0];
        if (memcmp(value, expected + i, sizeof *value))
          CHECK_MSG(0, "result %d, descending %d: value %td is %s, not %s", r, descending, i,
                    TH_TEXT(*value), TH_TEXT(expected[i]));
      }
    }
  }
  for (int r = 0; r < 3; r++)
    THTensor_(free)(results[r]);
  THTensor_(free)(wide);
  free(spare);
  free(expected);
}

/* Every length up to what registers hold and a little more, and those near where ways change. */
static void THTest_(sortValues)(void)
{
  static const ptrdiff_t more[] = {511,  512,  513,   1000,  2047,  4095,
                                   4096, 4097, 16384, 16385, 30011, 40000};
  enum { SHORT = 290, LENGTHS = SHORT + sizeof more / sizeof *more };
  th_random random = {th_seed()};
  for (int l = 0; l < LENGTHS; l++) {
    const ptrdiff_t n = l < SHORT ? l + 1 : more[l - SHORT];
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 12 + (uint64_t)l, TH_SHAPE(n));
    real *x = t->storage->data;
    for (int kind = 0; kind < 5; kind++) {
      th_note("length %td, kind %d", n, kind);
      if (kind == 1)
        THTest_(spoil)(t, th_seed() + (uint64_t)l);
      for (ptrdiff_t i = 0; kind > 1 && i < n; i++) {
        const uint64_t bits = th_random_next(&random);
        if (kind == 2)
          memcpy(x + i, &bits, sizeof *x);
        else
          x[i] = (real)(kind == 3 ? bits >> 40 & 1 : (uint64_t)(i % 100));
      }
      THTest_(checkAlone)(t);
    }
    THTensor_(free)(t);
  }
  THTensor *none = THTensor_(newWithSize2d)(3, 2);
  THTensor_(resize1d)(none, 1);
  THTensor *r = THTensor_(new)();
  THTensor_(sort)(r, NULL, none, 0, 0);
  CHECK_EQ(r->size[0], (int64_t)1);
  THTensor_(free)(r);
  THTensor_(free)(none);
}

/* Lines for registers, for vectors, for digits of 8 and of 11 bits: of any bits, of few and of no
 * different values, in some order already, and most of them nearly the same. */
static void THTest_(sortOrders)(void)
{
  static const ptrdiff_t lengths[] = {9, 64, 65, 128, 129, 257, 1000, 4095, 8192, 8193};
  th_random random = {th_seed()};
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
    const ptrdiff_t n = lengths[l];
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 12, TH_SHAPE(n));
    real *x = t->storage->data;
    for (int kind = 0; kind < 9; kind++) {
      th_note("length %td, kind %d", n, kind);
      for (ptrdiff_t i = 0; i < n; i++) {
        const uint64_t bits = th_random_next(&random);
        const ptrdiff_t orders[] = {i, n - i, THMin(i, n - i), i % 37, 7, i & 1, i % 64 * (n - i)};
        if (kind == 7)
          memcpy(x + i, &bits, sizeof *x);
        else if (kind < 7)
          x[i] = (real)orders[kind];
        else if (i % 50 == 20)
          x[i] = (real)(i % 3 == 0 ? THInf : -THInf);
        else { /* the number of 1, or a small one, and a little */
          x[i] = 1;
          uint64_t near = 0;
          memcpy(&near, x + i, sizeof *x);
          near += bits % 50 + (bits >> 32) % 3 * 60000;
          memcpy(x + i, &near, sizeof *x);
        }
      }
      THTest_(checkSorted)(t);
    }
    THTensor_(free)(t);
  }
}

/* Too long for the caches; what is number k and in the middle. */
static void THTest_(sortLong)(void)
{
  const ptrdiff_t n = 270000;
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 12, TH_SHAPE(n)), *values = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  THTest_(checkSorted)(t);
  THTensor_(sort)(values, indices, t, 0, 0);
  THTensor *one = THTensor_(new)();
  THLongTensor *oneIndex = THLongTensor_new();
  for (int64_t k = 1; k <= n; k += 67499) {
    THTensor_(kthvalue)(one, oneIndex, t, k, 0, 0);
    CHECK_EQ(one->storage->data[0], values->storage->data[k - 1]);
    CHECK_EQ(oneIndex->storage->data[0], indices->storage->data[k - 1]);
  }
  CHECK_EQ(THTensor_(medianall)(t), values->storage->data[(n - 1) / 2]);
  static const int64_t few[] = {1, 10, 100, 2000, 9000};
  for (size_t f = 0; f < sizeof few / sizeof *few; f++)
    for (ptrdiff_t part = 1000; part <= n; part += n - part ? THMin(n - part, 40000) : 1) {
      if (few[f] > part)
        continue;
      th_note("the first %lld of %td", (long long)few[f], part);
      THTensor *some = THTensor_(newNarrow)(t, 0, 3 * (n - part) / 4, part);
      THTensor_(sort)(values, indices, some, 0, 0);
      THTensor_(topk)(one, oneIndex, some, few[f], 0, 0, 1);
      for (int64_t i = 0; i < few[f]; i++)
        THTest_(checkSame)(one->storage->data[i], values->storage->data[i],
                           oneIndex->storage->data[i], indices->storage->data[i]);
      THTensor_(free)(some);
    }
  THLongTensor_free(oneIndex);
  THTensor_(free)(one);
  THLongTensor_free(indices);
  THTensor_(free)(values);
  THTensor_(free)(t);
}

static void THTest_(medianOfAll)(void)
{
  for (int layout = 0; layout < TH_EMPTY; layout++) {
    THTensor *t = THTest_(tensor)(layout, 6, TH_SHAPE(7, 4, 3));
    real *x = THTest_(values)(t);
    const ptrdiff_t n = THTest_(count)(t);
    ptrdiff_t *order = malloc((size_t)n * sizeof *order);
    THTest_(order)(x, n, 1, 0, order);
    th_note("layout %s", th_layout_names[layout]);
    CHECK_EQ(THTensor_(medianall)(t), x[order[(n - 1) / 2]]);
#if defined(TH_REAL_IS_FLOATING)
    *THTest_(at)(t, n / 3) = (real)NAN;
    CHECK(isnan(THTensor_(medianall)(t)));
#endif
    free(order);
    free(x);
    THTensor_(free)(t);
  }
  THTensor *empty = THTensor_(new)();
  CHECK_RAISES(1, "no elements", THTensor_(medianall)(empty));
  THTensor_(free)(empty);
}

/* Results in their own strides, around which nothing changes; results that are the operand. */
static void THTest_(sortResults)(void)
{
  for (int op = 0; op < SELECTIONS; op++) {
    const int64_t k = 3;
    const int64_t size = op <= DESCENDING ? 6 : THTest_(reduces)(op) ? 1 : k;
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(6, 5));
    real *x = THTest_(values)(t);
    for (int layout = 0; layout < TH_ONE; layout++) {
      if (!th_layout_keeps_shape(layout) || !th_layout_is_writable(layout))
        continue;
      th_note("selection %d, result %s", op, th_layout_names[layout]);
      THTensor *values = THTest_(tensor)(layout, 8, TH_SHAPE(size, 5));
      THLongTensor *whole = THLongTensor_newWithSize3d(size, 5, 2);
      for (ptrdiff_t i = 0; i < whole->storage->size; i++)
        whole->storage->data[i] = -7;
      THLongTensor *indices = THLongTensor_newSelect(whole, 2, 1);
      real *before = THTest_(storageValues)(values);
      THTest_(select)(op, values, indices, t, k, 0, 1);
      THTest_(checkLines)(op, x, t, values, indices, k, 0);
      CHECK_OUTSIDE(values, before);
      for (ptrdiff_t i = 0; i < whole->storage->size; i += 2)
        CHECK_EQ(whole->storage->data[i], (int64_t)-7);
      free(before);
      THLongTensor_free(indices);
      THLongTensor_free(whole);
      THTensor_(free)(values);
    }
    THLongTensor *indices = THLongTensor_new();
    th_note("selection %d into its operand", op);
    THTensor *shape = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(6, 5));
    THTest_(select)(op, t, indices, t, k, 0, 1);
    THTest_(checkLines)(op, x, shape, t, indices, k, 0);
    THTensor_(free)(shape);
    THLongTensor_free(indices);
    free(x);
    THTensor_(free)(t);
  }
#if defined(TH_REAL_IS_LONG)
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(6, 5)), *values = THTensor_(new)();
  THTensor *shape = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(6, 5));
  real *x = THTest_(values)(t);
  THTensor_(sort)(values, t, t, 0, 1);
  THTest_(checkLines)(DESCENDING, x, shape, values, t, 0, 0);
  CHECK_RAISES(2, "share memory", THTensor_(sort)(values, values, t, 0, 1));
  free(x);
  THTensor_(free)(shape);
  THTensor_(free)(values);
  THTensor_(free)(t);
#endif
}

/* A result that is not yet of its size, further on in the operand's memory: lines must not be
 * overwritten before they are read. */
static void THTest_(sortIntoOperand)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(40, 30));
  THTensor *shape = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(40, 30));
  THTensor *r = THTensor_(newWithStorage1d)(t->storage, 600, 1, 1);
  THLongTensor *indices = THLongTensor_new();
  THTensor_(kthvalue)(r, indices, t, 7, 1, 0);
  THTest_(checkLines)(KTH, shape->storage->data, shape, r, indices, 7, 1);
  CHECK(r->storage == t->storage && r->storageOffset == 600);
  THLongTensor_free(indices);
  THTensor_(free)(r);
  THTensor_(free)(shape);
  THTensor_(free)(t);
}

static void THTest_(sortErrors)(void)
{
  static const int dims[] = {-1, 2, INT_MAX, INT_MIN};
  static const int64_t ks[] = {0, -1, 5, INT64_MAX, INT64_MIN};
  static const int dimArg[SELECTIONS] = {4, 4, 5, 5, 5, 5, 4, 4};
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(4, 5));
  THTensor *values = THTest_(tensor)(TH_CONTIGUOUS, 9, TH_SHAPE(2)), *empty = THTensor_(new)();
  THLongTensor *indices = THLongTensor_newWithSize1d(2);
  for (int op = 0; op < SELECTIONS; op++) {
    for (int i = 0; i < 4; i++)
      CHECK_RAISES(dimArg[op], "out of range",
                   THTest_(select)(op, values, indices, t, 1, dims[i], 0));
    CHECK_RAISES(dimArg[op], "out of range", THTest_(select)(op, values, indices, empty, 1, 0, 0));
    if (op >= TOP && op <= KTH)
      for (int i = 0; i < 5; i++)
        CHECK_RAISES(4, "k is", THTest_(select)(op, values, indices, t, ks[i], 0, 0));
    CHECK(values->nDimension == 1 && values->size[0] == 2 && indices->size[0] == 2);
    CHECK_EQ(*THTest_(at)(values, 1), THTest_(value)(9, 1));
  }
  THLongTensor_free(indices);
  THTensor_(free)(empty);
  THTensor_(free)(values);
  THTensor_(free)(t);
}

/* Results have the same bits with one thread and with two. */
static void THTest_(sortThreads)(void)
{
  const int before = THGetNumThreads();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(300, 200));
  for (int op = 0; op < SELECTIONS; op++)
    for (int dim = 0; dim < 2; dim++) {
      THTensor *values[2];
      THLongTensor *indices[2];
      for (int k = 0; k < 2; k++) {
        values[k] = THTensor_(new)();
        indices[k] = THLongTensor_new();
        THSetNumThreads(k + 1);
        THTest_(select)(op, values[k], indices[k], t, 20, dim, 0);
      }
      const size_t n = (size_t)THTest_(count)(values[0]);
      CHECK(!memcmp(values[0]->storage->data, values[1]->storage->data, n * sizeof(real)));
      CHECK(!memcmp(indices[0]->storage->data, indices[1]->storage->data, n * sizeof(int64_t)));
      for (int k = 0; k < 2; k++) {
        THTensor_(free)(values[k]);
        THLongTensor_free(indices[k]);
      }
    }
  THSetNumThreads(before);
  THTensor_(free)(t);
}

TH_TESTS(THTest_(sortLayouts), THTest_(sortLengths), THTest_(sortAcross), THTest_(sortValues),
         THTest_(sortOrders), THTest_(sortLong), THTest_(medianOfAll), THTest_(sortResults),
         THTest_(sortIntoOperand), THTest_(sortErrors), THTest_(sortThreads))
