/* Gradients of Dirichlet samples, against their definition (computed by mpmath) and PyTorch's. */
#include "THTemplate.h"

#include "th_golden.h"
#include "th_layouts.h"

static THTensor *THTest_(newGolden)(const THGoldenFile *file, const char *name)
{
  const THGolden *golden = th_golden(file, "%s", name);
  THTensor *t = THTensor_(newWithSize1d)(golden->count);
  for (ptrdiff_t i = 0; i < golden->count; i++)
    t->storage->data[i] = (real)th_golden_number(golden, i);
  return t;
}

static void THTest_(dirichletGolden)(void)
{
  THGoldenFile *file = th_golden_open("dirichlet.txt");
  THTensor *x = THTest_(newGolden)(file, "x"), *alpha = THTest_(newGolden)(file, "alpha");
  THTensor *total = THTest_(newGolden)(file, "total"), *r = THTensor_(new)();
  const THGolden *exact = th_golden(file, "gradient"), *pytorch = th_golden(file, "PyTorch");
  const THGolden *sampled = th_golden(file, "sampled");
  CHECK(exact->count > 100);
  THTensor_(dirichlet_grad)(r, x, alpha, total);
  CHECK_EQ(THTest_(count)(r), exact->count);
  for (ptrdiff_t i = 0; i < exact->count; i++) {
    th_note("x %.17g, alpha %.17g, total %.17g", (double)x->storage->data[i],
            (double)alpha->storage->data[i], (double)total->storage->data[i]);
    CHECK_CLOSE((double)r->storage->data[i], th_golden_number(exact, i),
                sizeof(real) == 4 ? 1e-7 : 1e-11);
    if (th_golden_number(sampled, i) == 1) /* PyTorch keeps to three digits */
      CHECK_CLOSE((double)r->storage->data[i], th_golden_number(pytorch, i), 0.002);
  }
  THTensor_(free)(r);
  THTensor_(free)(total);
  THTensor_(free)(alpha);
  THTensor_(free)(x);
  th_golden_close(file);
}

/* Where there is a formula: of Beta(a, 1), F = x^a; of Beta(1, b), what is seen from x = 1. */
static void THTest_(dirichletFormula)(void)
{
  THTensor *x = THTensor_(newWithSize1d)(1), *a = THTensor_(newWithSize1d)(1);
  THTensor *total = THTensor_(newWithSize1d)(1), *r = THTensor_(new)();
  for (double sample = 0x1p-20; sample < 1; sample += 0x1p-4)
    for (double alpha = 0x1p-6; alpha < 5000; alpha *= 3) {
      *x->storage->data = (real)sample;
      *a->storage->data = (real)alpha;
      *total->storage->data = (real)(alpha + 1);
      const double z = (double)*x->storage->data, c = (double)*a->storage->data;
      const double b = (double)*total->storage->data - c;
      if (b != 1)
        continue;
      th_note("x %.17g, alpha %.17g", z, c);
      THTensor_(dirichlet_grad)(r, x, a, total);
      CHECK_CLOSE((double)*r->storage->data, -z * log(z) / c / (1 - z),
                  sizeof(real) == 4 ? 1e-7 : 1e-11);
    }

  static const double ends[][4] = {{0, 2, 5, 0},     {1, 1, 3, 0.75},    {-0.5, 1, 3, NAN},
                                   {1.5, 1, 3, NAN}, {NAN, 1, 3, NAN},   {0.5, 0, 3, NAN},
                                   {0.5, 3, 3, NAN}, {0.5, NAN, 3, NAN}, {0.5, 3, INFINITY, NAN}};
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    *x->storage->data = (real)ends[k][0];
    *a->storage->data = (real)ends[k][1];
    *total->storage->data = (real)ends[k][2];
    THTensor_(dirichlet_grad)(r, x, a, total);
    CHECK_NEAR((double)*r->storage->data, ends[k][3], 1e-7);
  }
  THTensor_(free)(r);
  THTensor_(free)(total);
  THTensor_(free)(a);
  THTensor_(free)(x);
}

/* x in (0, 1), alpha in (0, 8), total above it; in any layout. */
static void THTest_(setRange)(THTensor *t, double low, double high)
{
  th_random random = {th_seed() + (uint64_t)high};
  for (ptrdiff_t i = 0; t->storage && i < t->storage->size; i++)
    t->storage->data[i] =
        (real)(low + (high - low) * (double)(1 + th_random_below(&random, 998)) / 1000);
}

static void THTest_(dirichletLayouts)(void)
{
  const int threads = THGetNumThreads();
  for (int lx = 0; lx < TH_LAYOUTS; lx++)
    for (int la = 0; la < TH_LAYOUTS; la++) {
      THTensor *x = THTest_(tensor)(lx, 1, TH_SHAPE(8, 9, 10));
      THTensor *alpha = THTest_(tensor)(la, 1, TH_SHAPE(8, 9, 10));
      THTensor *total = THTest_(tensor)(lx, 1, TH_SHAPE(8, 9, 10)), *r = THTensor_(new)();
      THTest_(setRange)(x, 0, 1);
      THTest_(setRange)(alpha, 0, 8);
      THTest_(setRange)(total, 8, 20);
      th_note("layouts %s and %s", th_layout_names[lx], th_layout_names[la]);
      if (!th_layouts_agree(lx, la)) {
        CHECK_RAISES(3, "alpha has", THTensor_(dirichlet_grad)(r, x, alpha, total));
        CHECK_RAISES(4, "total has", THTensor_(dirichlet_grad)(r, x, x, alpha));
        CHECK_EQ(THTest_(count)(r), 0);
      } else {
        THSetNumThreads(1 + la % 3);
        THTensor_(dirichlet_grad)(r, x, alpha, total);
        CHECK(THTensor_(isSameSizeAs)(r, x));
        THTensor *one[4];
        for (int k = 0; k < 4; k++)
          one[k] = THTensor_(newWithSize1d)(1);
        for (ptrdiff_t i = 0; i < THTest_(count)(r); i++) {
          *one[1]->storage->data = *THTest_(at)(x, i);
          *one[2]->storage->data = *THTest_(at)(alpha, i);
          *one[3]->storage->data = *THTest_(at)(total, i);
          THTensor_(dirichlet_grad)(one[0], one[1], one[2], one[3]);
          CHECK_EQ(*THTest_(at)(r, i), *one[0]->storage->data);
        }
        for (int k = 0; k < 4; k++)
          THTensor_(free)(one[k]);
        if (th_layout_is_writable(la)) { /* into an input */
          real *expected = THTest_(values)(r);
          THTensor_(dirichlet_grad)(alpha, x, alpha, total);
          CHECK_VALUES(alpha, expected);
          free(expected);
        } else if (lx == la) { /* whose elements share memory: the last one counts */
          const real last = *THTest_(at)(r, THTest_(count)(r) - 1);
          THTensor_(dirichlet_grad)(alpha, x, alpha, total);
          CHECK_EQ(*THTest_(at)(alpha, THTest_(count)(r) - 1), last);
        }
      }
      THTensor_(free)(r);
      THTensor_(free)(total);
      THTensor_(free)(alpha);
      THTensor_(free)(x);
    }
  THSetNumThreads(threads);
}

TH_TESTS(THTest_(dirichletGolden), THTest_(dirichletFormula), THTest_(dirichletLayouts))
