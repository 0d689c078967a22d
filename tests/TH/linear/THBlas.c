/* BLAS of every type against the obvious loops, in all transpositions, sizes, increments and
 * leading dimensions. */
#include "THTemplate.h"

#include "th_layouts.h"

/* Values small enough for every sum to be exact: results are compared as they are. */
static real THTest_(small)(th_random *random)
{
#if defined(TH_REAL_IS_BYTE)
  return (real)th_random_below(random, 256); /* wraps around */
#else
  return (real)(th_random_below(random, 9) - 4);
#endif
}

static real *THTest_(smalls)(th_random *random, ptrdiff_t count)
{
  real *x = malloc((size_t)(count + 1) * sizeof *x);
  for (ptrdiff_t i = 0; i <= count; i++)
    x[i] = THTest_(small)(random);
  return x;
}

static real *THTest_(duplicate)(const real *x, ptrdiff_t count)
{
  real *y = malloc((size_t)(count + 1) * sizeof *y);
  memcpy(y, x, (size_t)(count + 1) * sizeof *y);
  return y;
}

/* alpha * sum + beta * old in the type, wrapped around. */
static real THTest_(wrapped)(double alpha, double sum, double beta, double old)
{
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  return (real)(alpha * sum + (beta == 0 ? 0 : beta * old));
#else
  return (real)(int64_t)(alpha * sum + beta * old);
#endif
}

/* --- vectors --------------------------------------------------------------------------------- */

static ptrdiff_t THTest_(offset)(int64_t n, int64_t inc, int64_t i)
{
  return inc < 0 ? (i - (n - 1)) * inc : i * inc;
}

static void THTest_(blasVectors)(void)
{
  static const int64_t counts[] = {0, 1, 2, 7, 64, 511, 512, 513, 1100};
  static const int64_t incs[] = {1, 2, 3, -1, -2};
  th_random random = {th_seed()};
  for (int c = 0; c < 9; c++)
    for (int ix = 0; ix < 5; ix++)
      for (int iy = 0; iy < 5; iy++) {
        const int64_t n = counts[c], dx = incs[ix], dy = incs[iy];
        th_note("n %lld, incx %lld, incy %lld", (long long)n, (long long)dx, (long long)dy);
        const ptrdiff_t length = 3 * n;
        real *x = THTest_(smalls)(&random, length), *y = THTest_(smalls)(&random, length);
        real *x0 = THTest_(duplicate)(x, length), *y0 = THTest_(duplicate)(y, length);
        real *want = THTest_(duplicate)(y, length);
        const real a = THTest_(small)(&random);

        double sum = 0;
        for (int64_t i = 0; i < n; i++)
          sum += (double)x[THTest_(offset)(n, dx, i)] * (double)y[THTest_(offset)(n, dy, i)];
        CHECK_EQ(THBlas_(dot)(n, x, dx, y, dy), THTest_(wrapped)(1, sum, 0, 0));

        for (int64_t i = 0; i < n; i++) {
          real *at = want + THTest_(offset)(n, dy, i);
          *at = THTest_(wrapped)((double)a, (double)x[THTest_(offset)(n, dx, i)], 1, (double)*at);
        }
        THBlas_(axpy)(n, a, x, dx, y, dy);
        CHECK(!memcmp(y, want, (size_t)(length + 1) * sizeof *y));

        for (int64_t i = 0; i < n; i++)
          want[THTest_(offset)(n, dy, i)] = x[THTest_(offset)(n, dx, i)];
        THBlas_(copy)(n, x, dx, y, dy);
        CHECK(!memcmp(y, want, (size_t)(length + 1) * sizeof *y));

        memcpy(y, y0, (size_t)(length + 1) * sizeof *y);
        THBlas_(swap)(n, x, dx, y, dy);
        for (int64_t i = 0; i < n; i++) {
          CHECK_EQ(x[THTest_(offset)(n, dx, i)], y0[THTest_(offset)(n, dy, i)]);
          CHECK_EQ(y[THTest_(offset)(n, dy, i)], x0[THTest_(offset)(n, dx, i)]);
        }

        memcpy(want, x, (size_t)(length + 1) * sizeof *x);
        for (int64_t i = 0; i < n; i++) {
          real *at = want + THTest_(offset)(n, dx, i);
          *at = THTest_(wrapped)((double)a, (double)*at, 0, 0);
        }
        THBlas_(scal)(n, a, x, dx);
        for (ptrdiff_t i = 0; i <= length; i++)
          CHECK_EQ(x[i], want[i]);
        free(x), free(y), free(x0), free(y0), free(want);
      }
}

/* The sum of a long vector has the same bits whatever its increment and the number of threads. */
static void THTest_(blasDot)(void)
{
  enum { N = 200001 };
  const int threads = THGetNumThreads();
  real *x = malloc(2 * N * sizeof *x), *y = malloc(3 * N * sizeof *y);
  real *x1 = malloc(N * sizeof *x1), *y1 = malloc(N * sizeof *y1);
  TH_UNUSED double sum = 0, size = 0;
  for (ptrdiff_t i = 0; i < N; i++) {
    x1[i] = x[2 * i] = THTest_(value)(1, i);
    y1[i] = y[3 * i] = THTest_(value)(2, i);
    sum += (double)x1[i] * (double)y1[i];
    size += fabs((double)x1[i] * (double)y1[i]);
  }
  THSetNumThreads(1);
  const real first = THBlas_(dot)(N, x1, 1, y1, 1);
  for (int n = 1; n <= 3; n++) {
    THSetNumThreads(n);
    CHECK_EQ(THBlas_(dot)(N, x, 2, y, 3), first);
    CHECK_EQ(THBlas_(dot)(N, x1, 1, y, 3), first);
  }
  THSetNumThreads(threads);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  CHECK_NEAR(first, sum, (sizeof(real) == 4 ? 1e-6 : 1e-13) * size);
#else
  CHECK_EQ(first, (real)(int64_t)sum);
#endif
  free(x), free(y), free(x1), free(y1);
}

/* --- matrices -------------------------------------------------------------------------------- */

static void THTest_(blasGemm)(void)
{
  static const int64_t sizes[][3] = {
      {0, 3, 2},      {3, 0, 2},     {3, 2, 0},     {1, 1, 1},      {2, 3, 4},    {1, 7, 5},
      {7, 1, 5},      {7, 5, 1},     {13, 11, 9},   {33, 25, 17},   {65, 13, 3},  {130, 7, 300},
      {300, 130, 20}, {5, 250, 270}, {45, 500, 33}, {530, 26, 258}, {16, 3, 515}, {1, 70, 40},
      {70, 1, 40},    {3, 29, 300},  {29, 6, 1100}, {140, 2, 19},   {3, 270, 9},  {67, 100, 3},
      {100, 67, 30},  {8, 9, 100},   {1100, 3, 12}};
  static const char ops[] = "nNtTcC";
  th_random random = {th_seed()};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int op = 0; op < 36; op++) {
      const int64_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
      if (m * n * k > 10000 && op % 5)
        continue;
      const int ta = op / 6 > 1, tb = op % 6 > 1;
      const int64_t ra = ta ? k : m, ca = ta ? m : k, rb = tb ? n : k, cb = tb ? k : n;
      const int64_t lda = THMax(ra, 1) + op % 3, ldb = THMax(rb, 1) + s % 2,
                    ldc = THMax(m, 1) + op % 2;
      real *a = THTest_(smalls)(&random, lda * ca), *b = THTest_(smalls)(&random, ldb * cb);
      real *c = THTest_(smalls)(&random, ldc * n), *c0 = THTest_(duplicate)(c, ldc * n);
      const real alpha = op % 4 ? THTest_(small)(&random) : 1;
      const real beta = op % 3 ? (op % 3 == 1 ? 1 : THTest_(small)(&random)) : 0;
      th_note("%c%c, %lld x %lld x %lld, alpha %g, beta %g", ops[op / 6], ops[op % 6], (long long)m,
              (long long)n, (long long)k, (double)alpha, (double)beta);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
      if (beta == 0)
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i < m; i++)
            c[i + j * ldc] = NAN;
#endif
      /* Of one column, the leading dimension means nothing. */
      THBlas_(gemm)(ops[op / 6], ops[op % 6], m, n, k, alpha, a, ca == 1 ? 0 : lda, b,
                    cb == 1 ? -5 : ldb, beta, c, n == 1 ? 0 : ldc);
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < ldc; i++) {
          double sum = 0;
          for (int64_t l = 0; l < k && i < m; l++)
            sum += (double)a[ta ? l + i * lda : i + l * lda] *
                   (double)b[tb ? j + l * ldb : l + j * ldb];
          const ptrdiff_t at = i + j * ldc;
          CHECK_EQ(c[at], i < m ? THTest_(wrapped)((double)alpha, sum, (double)beta, (double)c0[at])
                                : c0[at]);
        }
      free(a), free(b), free(c), free(c0);
    }
}

/* Whatever the number of threads, the same bits, where a library has to keep to one. */
static void THTest_(blasGemmThreads)(void)
{
  static const int64_t sizes[][3] = {{200, 100, 70}, {3, 4003, 90},  {4003, 2, 91},
                                     {2, 4003, 92},  {517, 1025, 3}, {300, 30, 300}};
  th_random random = {th_seed()};
  const int threads = THGetNumThreads(), deterministic = THGetDeterministic();
  THSetDeterministic(1);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int op = 0; op < 4; op++) {
      const int64_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
      real *a = THTest_(smalls)(&random, m * k), *b = THTest_(smalls)(&random, k * n);
      real *c[2];
      for (int i = 0; i < m * k; i++)
        a[i] = (real)(a[i] * (real)3 / (real)7);
      for (int t = 0; t < 2; t++) {
        c[t] = malloc((size_t)(m * n) * sizeof(real));
        THSetNumThreads(1 + 2 * t);
        THBlas_(gemm)(op & 1 ? 't' : 'n', op & 2 ? 't' : 'n', m, n, k, 1, a, op & 1 ? k : m, b,
                      op & 2 ? n : k, 0, c[t], m);
      }
      th_note("%d, %lld x %lld x %lld", op, (long long)m, (long long)n, (long long)k);
      CHECK(!memcmp(c[0], c[1], (size_t)(m * n) * sizeof(real)));
      free(a), free(b), free(c[0]), free(c[1]);
    }
  THSetNumThreads(threads);
  THSetDeterministic(deterministic);
}

static void THTest_(blasGemv)(void)
{
  static const int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1},    {5, 7},
                                     {7, 1}, {1, 7}, {130, 40}, {40, 600}};
  static const int64_t incs[] = {1, 2, -1, -3, 0};
  th_random random = {th_seed()};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int variant = 0; variant < 40; variant++) {
      const int64_t m = sizes[s][0], n = sizes[s][1], lda = THMax(m, 1) + variant % 3;
      const int transposed = variant % 2;
      const int64_t nx = transposed ? m : n, ny = transposed ? n : m;
      const int64_t dx = incs[variant / 2 % 5], dy = incs[variant / 10];
      real *a = THTest_(smalls)(&random, lda * n), *x = THTest_(smalls)(&random, 3 * nx);
      real *y = THTest_(smalls)(&random, 3 * ny), *y0 = THTest_(duplicate)(y, 3 * ny);
      const real alpha = THTest_(small)(&random), beta = variant % 3 ? THTest_(small)(&random) : 0;
      th_note("gemv %d, %lld x %lld, incx %lld, incy %lld", transposed, (long long)m, (long long)n,
              (long long)dx, (long long)dy);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
      if (beta == 0)
        for (int64_t i = 0; i < ny; i++)
          y[THTest_(offset)(ny, dy, i)] = NAN;
#endif
      THBlas_(gemv)(transposed ? 't' : 'n', m, n, alpha, a, n == 1 ? 0 : lda, x, dx, beta, y, dy);
      for (int64_t i = 0; i < ny; i++) {
        double sum = 0;
        for (int64_t j = 0; j < nx; j++)
          sum += (double)a[transposed ? j + i * lda : i + j * lda] *
                 (double)x[THTest_(offset)(nx, dx, j)];
        const ptrdiff_t at = THTest_(offset)(ny, dy, i);
        CHECK_EQ(y[at], THTest_(wrapped)((double)alpha, sum, (double)beta, (double)y0[at]));
      }

      /* ger on the same matrix */
      real *a0 = THTest_(duplicate)(a, lda * n);
      real *u = THTest_(smalls)(&random, 3 * m), *v = THTest_(smalls)(&random, 3 * n);
      THBlas_(ger)(m, n, alpha, u, dx, v, dy, a, n == 1 ? 0 : lda);
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < lda; i++) {
          const double product =
              i < m ? (double)u[THTest_(offset)(m, dx, i)] * (double)v[THTest_(offset)(n, dy, j)]
                    : 0;
          CHECK_EQ(a[i + j * lda],
                   THTest_(wrapped)((double)alpha, product, 1, (double)a0[i + j * lda]));
        }
      free(a), free(x), free(y), free(y0), free(a0), free(u), free(v);
    }
}

/* A large matrix times one vector after the other, as recurrent networks compute: its lines are read in turn from
 * either end. */
static void THTest_(blasGemvAgain)(void)
{
  static const int64_t sizes[][2] = {{1300, 1037}, {5000, 267}}; /* terms, lines */
  th_random random = {th_seed()};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int64_t m = sizes[s][0], n = sizes[s][1];
    real *const a = THTest_(smalls)(&random, m * n), *const y = THTest_(smalls)(&random, n);
    for (int time = 0; time < 3; time++) {
      real *const x = THTest_(smalls)(&random, m);
      THBlas_(gemv)('t', m, n, 1, a, m, x, 1, 0, y, 1);
      for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++)
          sum += (double)a[j + i * m] * (double)x[j];
        CHECK_MSG(y[i] == THTest_(wrapped)(1, sum, 0, 0), "time %d: line %lld", time, (long long)i);
      }
      free(x);
    }
    free(a), free(y);
  }
}

static void THTest_(blasErrors)(void)
{
  real a[64] = {0}, b[64] = {0}, c[64] = {0};
  CHECK_RAISES(1, "'x'", THBlas_(gemm)('x', 'n', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2));
  CHECK_RAISES(2, "trans", THBlas_(gemm)('n', 0, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2));
  CHECK_RAISES(3, "m is -1", THBlas_(gemm)('n', 'n', -1, 2, 2, 1, a, 2, b, 2, 0, c, 2));
  CHECK_RAISES(4, "n is -2", THBlas_(gemm)('n', 'n', 2, -2, 2, 1, a, 2, b, 2, 0, c, 2));
  CHECK_RAISES(5, "k is -3", THBlas_(gemm)('n', 'n', 2, 2, -3, 1, a, 2, b, 2, 0, c, 2));
  CHECK_RAISES(8, "lda is 3", THBlas_(gemm)('n', 'n', 4, 2, 5, 1, a, 3, b, 5, 0, c, 4));
  CHECK_RAISES(8, "5 rows", THBlas_(gemm)('t', 'n', 4, 2, 5, 1, a, 4, b, 5, 0, c, 4));
  CHECK_RAISES(10, "ldb is 4", THBlas_(gemm)('n', 'n', 4, 2, 5, 1, a, 4, b, 4, 0, c, 4));
  CHECK_RAISES(10, "ldb is 1", THBlas_(gemm)('n', 't', 4, 2, 5, 1, a, 4, b, 1, 0, c, 4));
  CHECK_RAISES(13, "ldc is 3", THBlas_(gemm)('n', 'n', 4, 2, 5, 1, a, 4, b, 5, 0, c, 3));
  CHECK_RAISES(1, "'q'", THBlas_(gemv)('q', 3, 3, 1, a, 3, b, 1, 0, c, 1));
  CHECK_RAISES(2, "m is -1", THBlas_(gemv)('n', -1, 3, 1, a, 3, b, 1, 0, c, 1));
  CHECK_RAISES(3, "n is -1", THBlas_(gemv)('n', 3, -1, 1, a, 3, b, 1, 0, c, 1));
  CHECK_RAISES(6, "lda is 2", THBlas_(gemv)('n', 3, 3, 1, a, 2, b, 1, 0, c, 1));
  CHECK_RAISES(11, "incy is 0", THBlas_(gemv)('n', 3, 3, 1, a, 3, b, 1, 0, c, 0));
  CHECK_RAISES(1, "m is -1", THBlas_(ger)(-1, 3, 1, a, 1, b, 1, c, 3));
  CHECK_RAISES(2, "n is -1", THBlas_(ger)(3, -1, 1, a, 1, b, 1, c, 3));
  CHECK_RAISES(9, "lda is 1", THBlas_(ger)(3, 3, 1, a, 1, b, 1, c, 1));
}

TH_TESTS(THTest_(blasVectors), THTest_(blasDot), THTest_(blasGemm), THTest_(blasGemmThreads),
         THTest_(blasGemv), THTest_(blasGemvAgain), THTest_(blasErrors))
