/* Histograms, distances, renormalisation: against the obvious loops, and against PyTorch. */
#include "THTemplate.h"

#include "th_golden.h"
#include "th_layouts.h"

static const double epsilon = sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON;

/* --- histograms ------------------------------------------------------------------------------ */

/* Values in the middle of their interval: in which one they are does not depend on rounding. */
static void THTest_(fillMiddles)(THTensor *t, int64_t bins)
{
  th_random random = {th_seed()};
  for (ptrdiff_t i = 0; i < t->storage->size; i++) /* some lie outside of [-1, 3] */
    t->storage->data[i] =
        (real)(-1 + 4 * ((double)(th_random_below(&random, bins + 4) - 2) + 0.5) / (double)bins);
}

static void THTest_(histc)(void)
{
  THTensor *hist = THTensor_(new)();
  for (int layout = 0; layout < TH_LAYOUTS; layout++)
    for (int64_t bins = 1; bins < 2000; bins = 3 * bins + 1) {
      THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(70, 40, 30));
      if (t->nDimension > 0)
        THTest_(fillMiddles)(t, bins);
      real *x = THTest_(values)(t);
      int64_t *counts = calloc((size_t)bins, sizeof *counts);
      for (ptrdiff_t i = 0; i < THTest_(count)(t); i++) {
        const int64_t bin = (int64_t)floor(((double)x[i] + 1) / 4 * (double)bins);
        if (bin >= 0 && bin < bins)
          counts[bin]++;
      }
      th_note("layout %s, %lld bins", th_layout_names[layout], (long long)bins);
      THTensor_(histc)(hist, t, bins, -1, 3);
      CHECK_EQ(hist->nDimension, 1);
      CHECK_EQ(hist->size[0], bins);
      for (int64_t b = 0; b < bins; b++)
        CHECK_EQ(*THTest_(at)(hist, b), (real)counts[b]);
      free(counts);
      free(x);
      THTensor_(free)(t);
    }
  THTensor_(free)(hist);
}

static THTensor *THTest_(vector)(int n, const double *values)
{
  THTensor *t = THTensor_(newWithSize1d)(n);
  for (int i = 0; i < n; i++)
    t->storage->data[i] = (real)values[i];
  return t;
}

#define CHECK_HISTOGRAM(T, LOW, HIGH, ...)                         \
  do {                                                             \
    const double expected_[] = {__VA_ARGS__};                      \
    const int bins_ = (int)(sizeof expected_ / sizeof *expected_); \
    THTensor_(histc)(hist, (T), bins_, (real)(LOW), (real)(HIGH)); \
    for (int b_ = 0; b_ < bins_; b_++)                             \
      CHECK_EQ(*THTest_(at)(hist, b_), (real)expected_[b_]);       \
  } while (0)

/* Ends, ranges taken from the data, NaN; by hand. */
static void THTest_(histogramRanges)(void)
{
  THTensor *hist = THTensor_(new)();
  THTensor *t = THTest_(vector)(5, (double[]){1, 2, 3, 4, NAN});
  CHECK_HISTOGRAM(t, 1, 3, 1, 0, 1, 1);
  CHECK_HISTOGRAM(t, 0, 8, 1, 2, 1, 0);
  CHECK_RAISES(4, "not finite", THTensor_(histc)(hist, t, 4, 0, 0));
  t->storage->data[4] = 5;
  CHECK_HISTOGRAM(t, 0, 0, 1, 1, 1, 2);
  t->storage->data[4] = (real)INFINITY;
  CHECK_RAISES(4, "not finite", THTensor_(histc)(hist, t, 4, 2, 2));
  CHECK_RAISES(4, "not finite", THTensor_(histc)(hist, t, 4, 0, (real)INFINITY));
  CHECK_RAISES(4, "not finite", THTensor_(histc)(hist, t, 4, (real)NAN, 1));
  CHECK_RAISES(5, "not above", THTensor_(histc)(hist, t, 4, 2, 1));
  CHECK_RAISES(3, "nbins", THTensor_(histc)(hist, t, 0, 0, 1));
  CHECK_RAISES(3, "nbins", THTensor_(histc)(hist, t, -1, 0, 1));
  CHECK_RAISES(3, "nbins", THTensor_(histc)(hist, t, INT64_MIN, 0, 1));
  CHECK_RAISES(3, "nbins", THTensor_(histc)(hist, t, INT64_MAX, 0, 1));
  CHECK_EQ(hist->size[0], (int64_t)4);
  THTensor_(free)(t);

  t = THTest_(vector)(2, (double[]){2, 2}); /* one value: the range goes from 1 to 3 */
  CHECK_HISTOGRAM(t, 0, 0, 0, 0, 2, 0);
  THTensor_(histc)(t, t, 3, 0, 6); /* into its operand */
  CHECK(t->size[0] == 3 && *THTest_(at)(t, 0) == 0 && *THTest_(at)(t, 1) == 2);
  THTensor_(free)(t);
  THTensor_(free)(hist);
}

static void THTest_(bhistc)(void)
{
  for (int layout = 0; layout < TH_WITH_ONES; layout++) {
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(6, 50)), *hist = THTensor_(new)();
    THTensor *row = THTensor_(new)(), *rowHist = THTensor_(new)();
    THTest_(fillMiddles)(t, 7);
    THTensor_(bhistc)(hist, t, 7, -1, 3);
    CHECK(hist->nDimension == 2 && hist->size[0] == 6 && hist->size[1] == 7);
    for (int64_t i = 0; i < 6; i++) {
      THTensor_(select)(row, t, 0, i);
      THTensor_(histc)(rowHist, row, 7, -1, 3);
      for (int64_t b = 0; b < 7; b++)
        CHECK_EQ(*THTest_(at)(hist, i * 7 + b), *THTest_(at)(rowHist, b));
    }
    THTensor_(bhistc)(hist, row, 7, -1, 3);
    CHECK(hist->nDimension == 2 && hist->size[0] == 1 && hist->size[1] == 7);
    CHECK_EQ(*THTest_(at)(hist, 3), *THTest_(at)(rowHist, 3));
    THTensor_(resize3d)(row, 2, 2, 2);
    CHECK_RAISES(2, "neither", THTensor_(bhistc)(hist, row, 7, -1, 3));
    THTensor_(free)(rowHist);
    THTensor_(free)(row);
    THTensor_(free)(hist);
    THTensor_(free)(t);
  }
}

/* --- norms ----------------------------------------------------------------------------------- */

static double THTest_(norm)(double sum, double p)
{
  return p == 0 || isinf(p) ? sum : pow(sum, 1 / p);
}

static double THTest_(term)(double sum, double x, double p)
{
  return p == 0 ? sum + (x != 0) : isinf(p) ? fmax(sum, fabs(x)) : sum + pow(fabs(x), p);
}

static const double powers[] = {0, 1, 2, 3, 1.5, INFINITY};

static void THTest_(dist)(void)
{
  for (int la = 0; la < TH_LAYOUTS; la++)
    for (int lb = 0; lb < TH_LAYOUTS; lb++) {
      THTensor *a = THTest_(tensor)(la, 3, TH_SHAPE(6, 5, 4));
      THTensor *b = THTest_(tensor)(lb, 4, TH_SHAPE(6, 5, 4));
      th_note("layouts %s, %s", th_layout_names[la], th_layout_names[lb]);
      if (!th_layouts_agree(la, lb)) {
        CHECK_RAISES(2, "elements", THTensor_(dist)(a, b, 2));
      } else {
        real *x = THTest_(values)(a), *y = THTest_(values)(b);
        for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
          double sum = 0;
          for (ptrdiff_t i = 0; i < THTest_(count)(a); i++)
            sum = THTest_(term)(sum, (double)(real)(x[i] - y[i]), powers[k]);
          CHECK_CLOSE(THTensor_(dist)(a, b, (real)powers[k]), THTest_(norm)(sum, powers[k]), 1e-13);
        }
        free(y);
        free(x);
      }
      THTensor_(free)(b);
      THTensor_(free)(a);
    }
}

/* r against slices of x, the elements of t, each scaled down on its own. */
static void THTest_(checkRenorm)(const real *x, const THTensor *t, const THTensor *r, double p,
                                 int dim, double most)
{
  ptrdiff_t inner = 1;
  const ptrdiff_t count = THTest_(count)(t), size = t->size[dim];
  for (int d = dim + 1; d < t->nDimension; d++)
    inner *= t->size[d];
  for (ptrdiff_t slice = 0; slice < size; slice++) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < count; i++)
      if (i / inner % size == slice)
        sum = THTest_(term)(sum, (double)x[i], p);
    const double norm = THTest_(norm)(sum, p), factor = norm > most ? most / (norm + 1e-7) : 1;
    for (ptrdiff_t i = 0; i < count; i++)
      if (i / inner % size == slice)
        CHECK_CLOSE(*THTest_(at)(r, i), factor * (double)x[i], 8 * epsilon);
  }
}

static void THTest_(renorm)(void)
{
  THTensor *r = THTensor_(new)();
  for (int layout = 0; layout < TH_ONE; layout++)
    for (int dim = 0; dim < 3; dim++)
      for (size_t k = 1; k < sizeof powers / sizeof *powers; k++) {
        THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(5, 4, 3));
        real *x = THTest_(values)(t);
        const double most = powers[k] == 1 ? 60 : 8; /* some slices are above it */
        th_note("layout %s, dimension %d, norm %g", th_layout_names[layout], dim, powers[k]);
        THTensor_(renorm)(r, t, (real)powers[k], dim, (real)most);
        CHECK(THTensor_(isSameSizeAs)(r, t));
        THTest_(checkRenorm)(x, t, r, powers[k], dim, most);
        if (th_layout_is_writable(layout)) {
          THTensor_(renorm)(t, t, (real)powers[k], dim, (real)most);
          THTest_(checkRenorm)(x, r, t, powers[k], dim, most);
        }
        free(x);
        THTensor_(free)(t);
      }
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(5, 4));
  THTensor *line = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(5));
  THTensor_(resize1d)(r, 2);
  CHECK_RAISES(2, "slices", THTensor_(renorm)(r, line, 2, 0, 1));
  CHECK_RAISES(3, "not above", THTensor_(renorm)(r, t, 0, 0, 1));
  CHECK_RAISES(3, "not above", THTensor_(renorm)(r, t, (real)NAN, 0, 1));
  CHECK_RAISES(4, "out of range", THTensor_(renorm)(r, t, 2, -1, 1));
  CHECK_RAISES(4, "out of range", THTensor_(renorm)(r, t, 2, 2, 1));
  CHECK_RAISES(4, "out of range", THTensor_(renorm)(r, t, 2, INT_MAX, 1));
  CHECK_RAISES(5, "maxnorm", THTensor_(renorm)(r, t, 2, 0, -1));
  CHECK(r->nDimension == 1 && r->size[0] == 2);
  THTensor_(free)(line);
  THTensor_(free)(t);
  THTensor_(free)(r);
}

/* --- PyTorch --------------------------------------------------------------------------------- */

#define GOLDEN_(NAME) TH_CONCAT_2(th_golden_new, NAME)

static void THTest_(checkGolden)(const THGoldenFile *file, const char *name, int dim,
                                 const THTensor *actual, double relative)
{
  const THGolden *want = th_golden(file, "%s/%s/%d", TH_STRING_OF(Real), name, dim);
  th_note("%s, dimension %d", name, dim);
  CHECK_EQ(THTest_(count)(actual), want->count);
  for (ptrdiff_t i = 0; i < want->count; i++)
    CHECK_NEAR((double)*THTest_(at)(actual, i), th_golden_number(want, i),
               relative * (fabs(th_golden_number(want, i)) + 1));
}

static void THTest_(checkGoldenIndices)(const THGoldenFile *file, const char *name, int dim,
                                        const THLongTensor *actual)
{
  const THGolden *want = th_golden(file, "%s/%s/%d", TH_STRING_OF(Real), name, dim);
  th_note("%s, dimension %d", name, dim);
  for (ptrdiff_t i = 0; i < want->count; i++)
    CHECK_EQ(actual->storage->data[i], want->values[i].integer);
}

static void THTest_(reductionsOfPyTorch)(void)
{
  THGoldenFile *file = th_golden_open("reductions.txt");
  THTensor *t = GOLDEN_(Real)(th_golden(file, "%s/input", TH_STRING_OF(Real)));
  THTensor *r = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  const double close = 4 * epsilon;
  for (int dim = 0; dim < t->nDimension; dim++) {
    THTensor_(sum)(r, t, dim, 0);
    THTest_(checkGolden)(file, "sum", dim, r, close);
    THTensor_(prod)(r, t, dim, 0);
    THTest_(checkGolden)(file, "prod", dim, r, 8 * close);
    THTensor_(mean)(r, t, dim, 0);
    THTest_(checkGolden)(file, "mean", dim, r, close);
    THTensor_(var)(r, t, dim, 0, 0);
    THTest_(checkGolden)(file, "var", dim, r, close);
    THTensor_(std)(r, t, dim, 1, 0);
    THTest_(checkGolden)(file, "std_biased", dim, r, close);
    THTensor_(norm)(r, t, 2, dim, 0);
    THTest_(checkGolden)(file, "norm2", dim, r, close);
    THTensor_(norm)(r, t, (real)2.5, dim, 0);
    THTest_(checkGolden)(file, "norm2.5", dim, r, 8 * close);
    THTensor_(cumsum)(r, t, dim);
    THTest_(checkGolden)(file, "cumsum", dim, r, 8 * close);
    THTensor_(cumprod)(r, t, dim);
    THTest_(checkGolden)(file, "cumprod", dim, r, 8 * close);
    THTensor_(renorm)(r, t, 2, dim, 1);
    THTest_(checkGolden)(file, "renorm", dim, r, close);

    THTensor_(max)(r, indices, t, dim, 0);
    THTest_(checkGolden)(file, "max", dim, r, 0);
    THTest_(checkGoldenIndices)(file, "max_index", dim, indices);
    THTensor_(min)(r, indices, t, dim, 0);
    THTest_(checkGolden)(file, "min", dim, r, 0);
    THTest_(checkGoldenIndices)(file, "min_index", dim, indices);
    THTensor_(sort)(r, indices, t, dim, 0);
    THTest_(checkGolden)(file, "sort", dim, r, 0);
    THTest_(checkGoldenIndices)(file, "sort_index", dim, indices);
    THTensor_(sort)(r, indices, t, dim, 1);
    THTest_(checkGolden)(file, "sort_down", dim, r, 0);
    THTest_(checkGoldenIndices)(file, "sort_down_index", dim, indices);
    THTensor_(topk)(r, indices, t, 2, dim, 1, 1);
    THTest_(checkGolden)(file, "topk", dim, r, 0);
    THTensor_(kthvalue)(r, indices, t, 2, dim, 0);
    THTest_(checkGolden)(file, "kthvalue", dim, r, 0);
    THTensor_(median)(r, indices, t, dim, 0);
    THTest_(checkGolden)(file, "median", dim, r, 0);
    THTensor_(mode)(r, indices, t, dim, 0);
    THTest_(checkGolden)(file, "mode", dim, r, 0);
    THTest_(checkGoldenIndices)(file, "mode_index", dim, indices);
  }
  THTensor_(histc)(r, t, 6, 0, 0);
  THTest_(checkGolden)(file, "histc", 0, r, 0);
  THTensor_(histc)(r, t, 5, -1, 2);
  THTest_(checkGolden)(file, "histc_range", 0, r, 0);
  THLongTensor_free(indices);
  THTensor_(free)(r);
  THTensor_(free)(t);
  th_golden_close(file);
}

TH_TESTS(THTest_(histc), THTest_(histogramRanges), THTest_(bhistc), THTest_(dist), THTest_(renorm),
         THTest_(reductionsOfPyTorch))
