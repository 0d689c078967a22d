/* Products of tensors against the obvious loops, in all layouts and aliases. */
#include "THTemplate.h"

#include "th_products.h"

/* --- dot ------------------------------------------------------------------------------------- */

static void THTest_(dot)(void)
{
  for (int lt = 0; lt < TH_LAYOUTS; lt++)
    for (int ls = 0; ls < TH_LAYOUTS; ls++) {
      if (!th_layouts_agree(lt, ls))
        continue;
      th_note("%s, %s", th_layout_names[lt], th_layout_names[ls]);
      THTensor *t = THTest_(tensor)(lt, 2, TH_SHAPE(7, 5, 3));
      THTensor *s = THTest_(tensor)(ls, 9, TH_SHAPE(7, 5, 3));
      TH_UNUSED double sum = 0, size = 0;
      TH_UNUSED uint64_t whole = 0;
      for (ptrdiff_t i = 0; i < THTest_(count)(t); i++) {
        const real x = *THTest_(at)(t, i), y = *THTest_(at)(s, i);
        sum += (double)x * (double)y;
        size += fabs((double)x * (double)y);
        whole += (uint64_t)(int64_t)x * (uint64_t)(int64_t)y;
      }
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
      CHECK_NEAR(THTensor_(dot)(t, s), sum, 1e-6 * size);
#else
      CHECK_EQ(THTensor_(dot)(t, s), (accreal)whole);
#endif
      THTensor_(free)(t);
      THTensor_(free)(s);
    }
  /* Other shapes of as many elements. */
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 2, TH_SHAPE(6, 4));
  THTensor *s = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(3, 8));
  accreal sum = 0;
  for (ptrdiff_t i = 0; i < 24; i++)
    sum += (accreal)*THTest_(at)(t, i) * (accreal)*THTest_(at)(s, i);
  CHECK_NEAR(THTensor_(dot)(t, s), sum, 1e-4);
  THTensor *u = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(5));
  CHECK_RAISES(2, "[5]", THTensor_(dot)(t, u));
  THTensor_(free)(t);
  THTensor_(free)(s);
  THTensor_(free)(u);
}

/* --- products -------------------------------------------------------------------------------- */

typedef void (*THTest_(Product))(THTensor *r, real beta, THTensor *t, real alpha, THTensor *a,
                                 THTensor *b);

static const THTest_(Product) THTest_(products)[] = {
    THTensor_(addmv), THTensor_(addmm), THTensor_(addr), THTensor_(addbmm), THTensor_(baddbmm)};

/* Small wholes, so that every result is exact. */
static void THTest_(small)(THTensor *t, th_random *random)
{
  for (ptrdiff_t i = 0; t->storage && i < t->storage->size; i++)
    t->storage->data[i] = (real)(th_random_below(random, 7) - 3);
}

/* Element (b, i, j) of the product, from contiguous values. */
static double THTest_(productAt)(int which, const Shape *shape, const real *x, const real *y,
                                 int64_t b, int64_t i, int64_t j)
{
  const int64_t *sx = shape[1].size, *sy = shape[2].size;
  double sum = 0;
  switch (which) {
    case ADDMV:
      for (int64_t l = 0; l < sx[1]; l++)
        sum += (double)x[i * sx[1] + l] * (double)y[l];
      return sum;
    case ADDMM:
      for (int64_t l = 0; l < sx[1]; l++)
        sum += (double)x[i * sx[1] + l] * (double)y[l * sy[1] + j];
      return sum;
    case ADDR:
      return (double)x[i] * (double)y[j];
    case ADDBMM:
      for (int64_t c = 0; c < sx[0]; c++)
        for (int64_t l = 0; l < sx[2]; l++)
          sum += (double)x[(c * sx[1] + i) * sx[2] + l] * (double)y[(c * sy[1] + l) * sy[2] + j];
      return sum;
    default:
      for (int64_t l = 0; l < sx[2]; l++)
        sum += (double)x[(b * sx[1] + i) * sx[2] + l] * (double)y[(b * sy[1] + l) * sy[2] + j];
      return sum;
  }
}

/* r's values, which come from these of t, a and b. */
static void THTest_(checkProduct)(int which, const Shape *shape, const THTensor *r, real beta,
                                  const real *t, real alpha, const real *x, const real *y)
{
  const Shape *s = &shape[0];
  CHECK(THSize_isSameSizeAs(r->size, r->nDimension, s->size, s->dims));
  const int64_t columns = s->dims > 1 ? s->size[s->dims - 1] : 1;
  const int64_t rows = s->dims > 1 ? s->size[s->dims - 2] : s->size[0];
  for (ptrdiff_t at = 0; at < THTest_(count)(r); at++) {
    const double product = THTest_(productAt)(which, shape, x, y, at / columns / rows,
                                              at / columns % rows, at % columns);
    const double want = (double)alpha * product + (beta == 0 ? 0 : (double)beta * (double)t[at]);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
    CHECK_EQ(*THTest_(at)(r, at), (real)want);
#else
    CHECK_EQ(*THTest_(at)(r, at), (real)(int64_t)want);
#endif
  }
}

static void THTest_(allProducts)(void)
{
  th_random random = {th_seed()};
  for (int which = 0; which < PRODUCTS; which++)
    for (size_t n = 0; n < PRODUCT_SIZES; n++)
      for (int round = 0; round < 300; round++) {
        const ProductTrial trial = product_trial(which, n, &random);
        const Shape *shape = trial.shape;
        const int *layout = trial.layout, alias = trial.alias;
        const real alpha = (real)trial.alpha, beta = (real)trial.beta;

        THTensor *x[3];
        real *values[3];
        for (int i = 0; i < 3; i++) {
          x[i] = THTest_(tensor)(layout[i + 1], 1, shape[i].dims, shape[i].size);
          THTest_(small)(x[i], &random);
        }
        THTensor *r;
        if (alias < 3 && th_layout_is_writable(layout[alias + 1])) {
          r = x[alias];
          THTensor_(retain)(r);
        } else if (alias == 3) {
          r = THTensor_(new)();
        } else {
          r = THTest_(tensor)(layout[0], 7, shape[0].dims, shape[0].size);
        }
        for (int i = 0; i < 3; i++)
          values[i] = THTest_(values)(x[i]);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
        if (beta == 0 && r != x[1] && r != x[2])
          for (ptrdiff_t i = 0; i < THTest_(count)(x[0]); i++)
            *THTest_(at)(x[0], i) = NAN;
#endif
        real *before = THTest_(storageValues)(r);
        const int fits = THSize_isSameSizeAs(r->size, r->nDimension, shape[0].size, shape[0].dims);
        THTest_(products)[which](r, beta, x[0], alpha, x[1], x[2]);
        THTest_(checkProduct)(which, shape, r, beta, values[0], alpha, values[1], values[2]);
        if (fits)
          CHECK_OUTSIDE(r, before);
        free(before);
        THTensor_(free)(r);
        for (int i = 0; i < 3; i++) {
          THTensor_(free)(x[i]);
          free(values[i]);
        }
      }
}

/* r is a view of an operand's storage, at another offset or of another shape. */
static void THTest_(productsOverlap)(void)
{
  th_random random = {th_seed()};
  for (int offset = 0; offset < 3; offset++)
    for (int columns = 3; columns < 5; columns++) {
      th_note("from %d on, %d columns", offset, columns);
      THTensor *a = THTest_(tensor)(0, 1, TH_SHAPE(3, 3)),
               *t = THTest_(tensor)(0, 2, TH_SHAPE(3, 3));
      THTest_(small)(a, &random);
      THTest_(small)(t, &random);
      Shape shape[3];
      product_shapes(ADDMM, 1, 3, 3, 3, shape);
      real *x = THTest_(values)(a), *s = THTest_(values)(t);
      THTensor *r = THTensor_(newWithStorage2d)(a->storage, offset, 2, columns, columns - 1, 1);
      THTensor_(addmm)(r, 2, t, 1, a, a);
      THTest_(checkProduct)(ADDMM, shape, r, 2, s, 1, x, x);
      free(x);
      free(s);
      THTensor_(free)(a);
      THTensor_(free)(t);
      THTensor_(free)(r);
    }
}

static void THTest_(productErrors)(void)
{
  THTensor *m34 = THTest_(tensor)(0, 1, TH_SHAPE(3, 4)),
           *m45 = THTest_(tensor)(0, 1, TH_SHAPE(4, 5));
  THTensor *m35 = THTest_(tensor)(0, 1, TH_SHAPE(3, 5)), *v3 = THTest_(tensor)(0, 1, TH_SHAPE(3));
  THTensor *v4 = THTest_(tensor)(0, 1, TH_SHAPE(4)), *b = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 4));
  THTensor *c = THTest_(tensor)(0, 1, TH_SHAPE(2, 4, 5)),
           *d = THTest_(tensor)(0, 1, TH_SHAPE(3, 4, 5));
  THTensor *r = THTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(3, 5));
  real *before = THTest_(storageValues)(r);
  CHECK_RAISES(5, "[3]", THTensor_(addmv)(r, 1, v3, 1, v3, v4));
  CHECK_RAISES(6, "size mismatch: a matrix of size [3 x 4]",
               THTensor_(addmv)(r, 1, v3, 1, m34, v3));
  CHECK_RAISES(3, "size mismatch: t has size [4]", THTensor_(addmv)(r, 1, v4, 1, m34, v4));
  CHECK_RAISES(5, "[2 x 3 x 4]", THTensor_(addmm)(r, 1, m35, 1, b, m45));
  CHECK_RAISES(6, "size mismatch: matrices of size [3 x 4]",
               THTensor_(addmm)(r, 1, m35, 1, m34, m35));
  CHECK_RAISES(3, "size mismatch: t has size [3 x 4]", THTensor_(addmm)(r, 1, m34, 1, m34, m45));
  CHECK_RAISES(5, "[3 x 4]", THTensor_(addr)(r, 1, m34, 1, m34, v4));
  CHECK_RAISES(3, "size mismatch: t has size [3 x 5]", THTensor_(addr)(r, 1, m35, 1, v3, v4));
  CHECK_RAISES(5, "[3 x 4]", THTensor_(addbmm)(r, 1, m35, 1, m34, c));
  CHECK_RAISES(6, "size mismatch: batches of size [2 x 3 x 4]",
               THTensor_(addbmm)(r, 1, m35, 1, b, d));
  CHECK_RAISES(3, "size mismatch: t has size [3 x 4]", THTensor_(addbmm)(r, 1, m34, 1, b, c));
  CHECK_RAISES(5, "[3 x 4]", THTensor_(baddbmm)(r, 1, m35, 1, m34, c));
  CHECK_RAISES(6, "size mismatch: batches of size [2 x 3 x 4]",
               THTensor_(baddbmm)(r, 1, m35, 1, b, d));
  CHECK_RAISES(3, "size mismatch: t has size [3 x 5]", THTensor_(baddbmm)(r, 1, m35, 1, b, c));
  CHECK(r->size[0] == 3 && r->stride[0] == 0);
  CHECK(!memcmp(before, r->storage->data, (size_t)r->storage->size * sizeof(real)));
  free(before);
  THTensor *all[] = {m34, m45, m35, v3, v4, b, c, d, r};
  for (int i = 0; i < 9; i++)
    THTensor_(free)(all[i]);
}

TH_TESTS(THTest_(dot), THTest_(allProducts), THTest_(productsOverlap), THTest_(productErrors))
