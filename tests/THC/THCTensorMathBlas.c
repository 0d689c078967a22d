/* Products of device tensors against TH's in double precision, in all layouts and aliases; and
 * batches of equations. */
#include "THC.h"
#include "THTemplate.h"

#include "thc_test.h"

#include "th_products.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define SOLVES
#endif

/* What double has exactly, in the type: integers wrap around.  What is not read is SPOILT. */
#if defined(SOLVES) || defined(TH_REAL_IS_HALF)
#define AS_REAL(X) (X)
#define SPOILT     NAN
#else
#define AS_REAL(X) ((double)(real)(int64_t)(X))
#define SPOILT     77
#endif

/* Small wholes, so that every result is exact in every type, or wraps around. */
static void THTest_(small)(THTensor *t, th_random *random)
{
  for (ptrdiff_t i = 0; t->storage && i < t->storage->size; i++)
    t->storage->data[i] = TH_CONVERT_ACCREAL_TO_REAL((accreal)(th_random_below(random, 7) - 3));
}

static THDoubleTensor *THTest_(asDouble)(THTensor *t)
{
  THDoubleTensor *copy = THDoubleTensor_new();
  THLongStorage *size = THTensor_(newSizeOf)(t);
  THDoubleTensor_resize(copy, size, NULL);
  THLongStorage_free(size);
  TH_CONCAT_2(THDoubleTensor_copy, Real)(copy, t);
  return copy;
}

/* --- dot ------------------------------------------------------------------------------------- */

static void THTest_(dot)(void)
{
  THCState *state = thc_state();
  th_random random = {th_seed()};
  for (int lt = 0; lt < TH_LAYOUTS; lt++)
    for (int ls = 0; ls < TH_LAYOUTS; ls++) {
      if (!th_layouts_agree(lt, ls))
        continue;
      th_note("%s, %s", th_layout_names[lt], th_layout_names[ls]);
      THTensor *t = THTest_(tensor)(lt, 2, TH_SHAPE(7, 5, 3));
      THTensor *s = THTest_(tensor)(ls, 9, TH_SHAPE(7, 5, 3));
      THTest_(small)(t, &random);
      THTest_(small)(s, &random);
      THCTensor *dt = THCTest_(upload)(t), *ds = THCTest_(upload)(s);
      THDoubleTensor *wt = THTest_(asDouble)(t), *ws = THTest_(asDouble)(s);
      CHECK_EQ((double)THCTensor_(dot)(state, dt, ds), THDoubleTensor_dot(wt, ws));
      THDoubleTensor_free(wt);
      THDoubleTensor_free(ws);
      THCTensor_(free)(state, dt);
      THCTensor_(free)(state, ds);
      THTensor_(free)(t);
      THTensor_(free)(s);
    }
  THCTensor *t = THCTest_(tensor)(0, 1, TH_SHAPE(7)), *s = THCTest_(tensor)(0, 1, TH_SHAPE(2, 3));
  CHECK_RAISES(2, "src has 6 elements ([2 x 3]), t has 7 ([7])", THCTensor_(dot)(state, t, s));
  THCTensor_(free)(state, t);
  THCTensor_(free)(state, s);
}

/* --- products -------------------------------------------------------------------------------- */

typedef void (*THTest_(Product))(THCState *state, THCTensor *r, real beta, THCTensor *t, real alpha,
                                 THCTensor *a, THCTensor *b);
typedef void (*THTest_(Reference))(THDoubleTensor *r, double beta, THDoubleTensor *t, double alpha,
                                   THDoubleTensor *a, THDoubleTensor *b);

static const struct {
  THTest_(Product) run;
  THTest_(Reference) reference;
} THTest_(products)[PRODUCTS] = {
    {THCTensor_(addmv), THDoubleTensor_addmv},     {THCTensor_(addmm), THDoubleTensor_addmm},
    {THCTensor_(addr), THDoubleTensor_addr},       {THCTensor_(addbmm), THDoubleTensor_addbmm},
    {THCTensor_(baddbmm), THDoubleTensor_baddbmm},
};

static void THTest_(oneProduct)(const ProductTrial *trial, th_random *random)
{
  THCState *state = thc_state();
  const Shape *shape = trial->shape;
  const int *layout = trial->layout, which = trial->which, alias = trial->alias;
  const int alpha = trial->alpha, beta = trial->beta;

  THTensor *host[3];
  THCTensor *x[3];
  THDoubleTensor *wide[3];
  for (int i = 0; i < 3; i++) {
    host[i] = THTest_(tensor)(layout[i + 1], 1, shape[i].dims, shape[i].size);
    THTest_(small)(host[i], random);
    wide[i] = THTest_(asDouble)(host[i]);
    const int is_r = alias == i && th_layout_is_writable(layout[i + 1]);
    const int is_shared = (alias == 1 || alias == 2) && th_layout_is_writable(layout[alias + 1]);
    if (i == 0 && beta == 0 && !(is_shared && !is_r)) /* the result is not read */
      for (ptrdiff_t k = 0; k < THTest_(count)(host[0]); k++)
        *THTest_(at)(host[0], k) = TH_CONVERT_ACCREAL_TO_REAL((accreal)SPOILT);
    x[i] = THCTest_(upload)(host[i]);
  }
  THCTensor *r;
  if (alias < 3 && th_layout_is_writable(layout[alias + 1])) {
    r = x[alias];
    THCTensor_(retain)(state, r);
  } else if (alias == 3) {
    r = THCTensor_(new)(state);
  } else {
    r = THCTest_(tensor)(layout[0], 7, shape[0].dims, shape[0].size);
  }
  THTensor *before = THCTest_(twin)(r);
  real *outside = THTest_(storageValues)(before);
  const int fits = THSize_isSameSizeAs(r->size, r->nDimension, shape[0].size, shape[0].dims);

  THTest_(products)[which].run(state, r, TH_CONVERT_ACCREAL_TO_REAL((accreal)beta), x[0],
                               TH_CONVERT_ACCREAL_TO_REAL((accreal)alpha), x[1], x[2]);
  THDoubleTensor *want = THDoubleTensor_new();
  THTest_(products)[which].reference(want, beta, wide[0], alpha, wide[1], wide[2]);
  THTensor *got = THCTest_(twin)(r);
  CHECK(THSize_isSameSizeAs(got->size, got->nDimension, want->size, want->nDimension));
  for (ptrdiff_t i = 0; i < THTest_(count)(got); i++)
    CHECK_EQ((double)TH_CONVERT_REAL_TO_ACCREAL(*THTest_(at)(got, i)),
             AS_REAL(want->storage->data[i]));
  if (fits)
    CHECK_OUTSIDE(got, outside);

  free(outside);
  THTensor_(free)(before);
  THTensor_(free)(got);
  THDoubleTensor_free(want);
  THCTensor_(free)(state, r);
  for (int i = 0; i < 3; i++) {
    THTensor_(free)(host[i]);
    THCTensor_(free)(state, x[i]);
    THDoubleTensor_free(wide[i]);
  }
}

static void THTest_(allProducts)(void)
{
  th_random random = {th_seed()};
  for (int which = 0; which < PRODUCTS; which++)
    for (size_t n = 0; n < PRODUCT_SIZES; n++)
      for (int round = 0; round < 60; round++) {
        const ProductTrial trial = product_trial(which, n, &random);
        THTest_(oneProduct)(&trial, &random);
      }
}

/* Sums of half are kept in float: the product of 4,096 pairs of ones would stop at 2,048. */
static void THTest_(longSums)(void)
{
  THCState *state = thc_state();
  THTensor *ones = THTensor_(newWithSize2d)(1, 4096);
  for (int i = 0; i < 4096; i++)
    ones->storage->data[i] = TH_CONVERT_ACCREAL_TO_REAL((accreal)1);
  THCTensor *row = THCTest_(upload)(ones), *r = THCTensor_(newWithSize2d)(state, 1, 1);
  THCTensor *column = THCTensor_(newTranspose)(state, row, 0, 1);
  const real zero = TH_CONVERT_ACCREAL_TO_REAL((accreal)0);
  THCTensor_(addmm)(state, r, zero, r, *ones->storage->data, row, column);
  CHECK_EQ((double)TH_CONVERT_REAL_TO_ACCREAL(THCTensor_(get2d)(state, r, 0, 0)), AS_REAL(4096));
  CHECK_EQ((double)THCTensor_(dot)(state, row, column), 4096);
  THTensor_(free)(ones);
  THCTensor_(free)(state, row);
  THCTensor_(free)(state, column);
  THCTensor_(free)(state, r);
}

/* Matrices of several tiles of the device's kernels, against TH's product. */
static void THTest_(tiles)(void)
{
  THCState *state = thc_state();
  const real one = TH_CONVERT_ACCREAL_TO_REAL((accreal)1);
  th_random random = {th_seed()};
  THTensor *host[] = {THTest_(tensor)(0, 1, TH_SHAPE(2, 33, 18)),
                      THTest_(tensor)(TH_TRANSPOSED, 2, TH_SHAPE(2, 33, 35)),
                      THTest_(tensor)(0, 3, TH_SHAPE(2, 35, 18))};
  THDoubleTensor *wide[3], *want = THDoubleTensor_new();
  THCTensor *x[3];
  for (int i = 0; i < 3; i++) {
    THTest_(small)(host[i], &random);
    wide[i] = THTest_(asDouble)(host[i]);
    x[i] = THCTest_(upload)(host[i]);
  }
  THDoubleTensor_baddbmm(want, 1, wide[0], 1, wide[1], wide[2]);
  THCTensor_(baddbmm)(state, x[0], one, x[0], one, x[1], x[2]);
  THTensor *got = THCTest_(twin)(x[0]);
  for (ptrdiff_t i = 0; i < THTest_(count)(got); i++)
    CHECK_EQ((double)TH_CONVERT_REAL_TO_ACCREAL(*THTest_(at)(got, i)),
             AS_REAL(want->storage->data[i]));
  THTensor_(free)(got);
  THDoubleTensor_free(want);
  for (int i = 0; i < 3; i++) {
    THTensor_(free)(host[i]);
    THDoubleTensor_free(wide[i]);
    THCTensor_(free)(state, x[i]);
  }
}

static void THTest_(productErrors)(void)
{
  THCState *state = thc_state();
  const real one = TH_CONVERT_ACCREAL_TO_REAL((accreal)1);
  THCTensor *m34 = THCTest_(tensor)(0, 1, TH_SHAPE(3, 4));
  THCTensor *m45 = THCTest_(tensor)(0, 1, TH_SHAPE(4, 5));
  THCTensor *m35 = THCTest_(tensor)(0, 1, TH_SHAPE(3, 5));
  THCTensor *v4 = THCTest_(tensor)(0, 1, TH_SHAPE(4));
  THCTensor *b = THCTest_(tensor)(0, 1, TH_SHAPE(2, 3, 4));
  THCTensor *c = THCTest_(tensor)(0, 1, TH_SHAPE(2, 4, 5));
  THCTensor *r = THCTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(3, 5));
  CHECK_RAISES(3, "[4]", THCTensor_(addmv)(state, r, one, v4, one, m34, v4));
  CHECK_RAISES(6, "[3 x 5]", THCTensor_(addmm)(state, r, one, m35, one, m34, m35));
  CHECK_RAISES(3, "[3 x 4]", THCTensor_(addmm)(state, r, one, m34, one, m34, m45));
  CHECK_RAISES(1, "share memory", THCTensor_(addmm)(state, r, one, m35, one, m34, m45));
  CHECK_RAISES(3, "[3 x 5]", THCTensor_(addr)(state, r, one, m35, one, v4, v4));
  CHECK_RAISES(3, "[3 x 4]", THCTensor_(addbmm)(state, r, one, m34, one, b, c));
  CHECK_RAISES(3, "[3 x 5]", THCTensor_(baddbmm)(state, r, one, m35, one, b, c));
  CHECK(r->size[0] == 3 && r->stride[0] == 0);
  if (thc_devices() > 1) {
    CHECK_CUDA(cudaSetDevice(1));
    CHECK_RAISES(0, "device", THCTensor_(addmm)(state, m35, one, m35, one, m34, m45));
    CHECK_CUDA(cudaSetDevice(0));
  }
  THCTensor *all[] = {m34, m45, m35, v4, b, c, r};
  for (int i = 0; i < 7; i++)
    THCTensor_(free)(state, all[i]);
}

/* --- equations ------------------------------------------------------------------------------- */

#ifdef SOLVES
enum { COUNT = 3, N = 4, K = 2 };

/* a x is b again. */
static void THTest_(checkSolution)(THTensor *a, THTensor *got, THTensor *b)
{
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++) {
        double sum = 0;
        for (int l = 0; l < N; l++)
          sum += (double)*THTest_(at)(a, (i * N + j) * N + l) *
                 (double)*THTest_(at)(got, (i * N + l) * K + k);
        CHECK_NEAR(sum, (double)*THTest_(at)(b, (i * N + j) * K + k),
                   sizeof(real) == 4 ? 1e-3 : 1e-10);
      }
}

/* The factors are TH's. */
static void THTest_(checkFactors)(THTensor *a, THCTensor *lu, THCudaIntTensor *pivots)
{
  THCState *state = thc_state();
  THTensor *wanted = THTensor_(new)();
  THIntTensor *rows = THIntTensor_new(), *zeros = THIntTensor_new();
  THTensor_(btrifact)(wanted, rows, zeros, 1, a);
  THTensor *factors = THCTest_(twin)(lu);
  for (int i = 0; i < COUNT * N * N; i++)
    CHECK_NEAR((double)*THTest_(at)(factors, i), (double)*THTest_(at)(wanted, i),
               sizeof(real) == 4 ? 1e-3 : 1e-10);
  for (int i = 0; i < COUNT * N; i++)
    CHECK_EQ(THCudaIntTensor_get2d(state, pivots, i / N, i % N),
             THIntTensor_get2d(rows, i / N, i % N));
  THTensor_(free)(factors);
  THTensor_(free)(wanted);
  THIntTensor_free(rows);
  THIntTensor_free(zeros);
}
#endif

static void THTest_(equations)(void)
{
  THCState *state = thc_state();
#ifndef SOLVES
  THCTensor *t = THCTensor_(new)(state);
  CHECK_RAISES(0, "btrifact of " TH_STRING_OF(Real),
               THCTensor_(btrifact)(state, t, NULL, NULL, 1, t));
  CHECK_RAISES(0, "btrisolve of " TH_STRING_OF(Real), THCTensor_(btrisolve)(state, t, t, t, NULL));
  THCTensor_(free)(state, t);
#else
  for (int pivot = 0; pivot < 2; pivot++)
    for (int layout = 0; layout < TH_ONE; layout++) {
      if (!th_layout_keeps_shape(layout) || !th_layout_is_writable(layout))
        continue;
      th_note("%s, pivot %d", th_layout_names[layout], pivot);
      THTensor *a = THTest_(tensor)(layout, 5, TH_SHAPE(COUNT, N, N));
      for (int i = 0; !pivot && i < COUNT * N; i++) /* as good without exchanges */
        *THTest_(at)(a, i / N * N * N + i % N * (N + 1)) += 40;
      THTensor *b = THTest_(tensor)(layout, 6, TH_SHAPE(COUNT, N, K));
      THCTensor *da = THCTest_(upload)(a), *db = THCTest_(upload)(b);
      THCTensor *lu = THCTest_(tensor)(layout, 7, TH_SHAPE(COUNT, N, N));
      THCTensor *x = THCTensor_(new)(state);
      THCudaIntTensor *pivots = THCudaIntTensor_new(state), *info = THCudaIntTensor_new(state);
      THCTensor_(btrifact)(state, lu, pivots, info, pivot, da);
      for (int i = 0; i < COUNT; i++)
        CHECK_EQ(THCudaIntTensor_get1d(state, info, i), 0);
      THCTensor_(btrisolve)(state, x, db, lu, pivots);
      THTensor *got = THCTest_(twin)(x);
      THTest_(checkSolution)(a, got, b);
      if (pivot)
        THTest_(checkFactors)(a, lu, pivots);
      THTensor_(free)(got);
      THTensor_(free)(a);
      THTensor_(free)(b);
      THCTensor_(free)(state, da);
      THCTensor_(free)(state, db);
      THCTensor_(free)(state, lu);
      THCTensor_(free)(state, x);
      THCudaIntTensor_free(state, pivots);
      THCudaIntTensor_free(state, info);
    }
#endif
}

#ifdef SOLVES
static void THTest_(equationErrors)(void)
{
  THCState *state = thc_state();
  THTensor *zeros = THTest_(tensor)(0, 1, TH_SHAPE(2, 3, 3));
  for (int i = 0; i < 9; i++)
    zeros->storage->data[9 + i] = i < 3;
  THCTensor *a = THCTest_(upload)(zeros), *r = THCTest_(tensor)(0, 2, TH_SHAPE(2));
  THCTensor *wide = THCTest_(tensor)(0, 3, TH_SHAPE(2, 3, 4));
  THCTensor *r2 = THCTest_(tensor)(0, 2, TH_SHAPE(2));
  THCudaIntTensor *pivots = THCudaIntTensor_new(state), *info = THCudaIntTensor_new(state);
  CHECK_RAISES(5, "[2 x 3 x 4]", THCTensor_(btrifact)(state, r, pivots, info, 1, wide));
  CHECK_RAISES(0, "U(2,2)", THCTensor_(btrifact)(state, r, pivots, NULL, 1, a));
  CHECK_EQ(r->nDimension, 1);
  CHECK_EQ(pivots->nDimension, 0);
  THCTensor_(btrifact)(state, r, pivots, info, 1, a);
  CHECK_EQ(THCudaIntTensor_get1d(state, info, 0), 0);
  CHECK_EQ(THCudaIntTensor_get1d(state, info, 1), 2);
  CHECK_RAISES(0, "is zero, the matrix is singular",
               THCTensor_(btrisolve)(state, wide, a, r, pivots));
  CHECK_RAISES(2, "[2]", THCTensor_(btrisolve)(state, wide, r2, a, pivots));
  THCudaIntTensor_set2d(state, pivots, 0, 1, 4);
  CHECK_RAISES(4, "have 4", THCTensor_(btrisolve)(state, wide, a, a, pivots));
  CHECK_EQ(wide->size[2], 4);
  THTensor_(free)(zeros);
  THCTensor_(free)(state, a);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, wide);
  THCTensor_(free)(state, r2);
  THCudaIntTensor_free(state, pivots);
  THCudaIntTensor_free(state, info);
}

TH_TESTS(THTest_(dot), THTest_(allProducts), THTest_(longSums), THTest_(tiles),
         THTest_(productErrors), THTest_(equations), THTest_(equationErrors))

#else

TH_TESTS(THTest_(dot), THTest_(allProducts), THTest_(longSums), THTest_(tiles),
         THTest_(productErrors), THTest_(equations))

#endif
