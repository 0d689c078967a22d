/* What LAPACK's functions on tensors compute: products of the results give the operands again, and
 * what is unique is PyTorch's. */
#include "THTemplate.h"

#include "th_golden.h"
#include "th_layouts.h"

#if defined(TH_REAL_IS_FLOAT)
#define EPSILON FLT_EPSILON
#else
#define EPSILON DBL_EPSILON
#endif

/* --- what a case makes, freed at its end ------------------------------------------------------ */

enum { POOL = 1000 };

static void *block[POOL];
static THTensor *tensor[POOL];
static int blocks, tensors;

static THTensor *keep(THTensor *t)
{
  CHECK(tensors < POOL);
  return tensor[tensors++] = t;
}

static THTensor *fresh(void)
{
  return keep(THTensor_(new)());
}

static void free_all(void)
{
  while (blocks)
    free(block[--blocks]);
  while (tensors)
    THTensor_(free)(tensor[--tensors]);
}

/* --- plain matrices, row by row -------------------------------------------------------------- */

typedef struct Matrix {
  int rows, columns;
  long double *at;
} Matrix;

static Matrix new_matrix(int rows, int columns)
{
  CHECK(blocks < POOL);
  block[blocks] = calloc((size_t)rows * (size_t)columns + 1, sizeof(long double));
  return (Matrix){rows, columns, block[blocks++]};
}

/* What a tensor of one or two dimensions holds; a vector is a column. */
static Matrix of(const THTensor *t)
{
  CHECK(t->nDimension == 1 || t->nDimension == 2);
  Matrix m = new_matrix((int)t->size[0], t->nDimension == 2 ? (int)t->size[1] : 1);
  for (int i = 0; i < m.rows * m.columns; i++)
    m.at[i] = *THTest_(at)(t, i);
  return m;
}

static Matrix transpose(Matrix a)
{
  Matrix t = new_matrix(a.columns, a.rows);
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < a.columns; j++)
      t.at[j * a.rows + i] = a.at[i * a.columns + j];
  return t;
}

static Matrix times(Matrix a, Matrix b)
{
  CHECK_EQ(a.columns, b.rows);
  Matrix c = new_matrix(a.rows, b.columns);
  for (int i = 0; i < a.rows; i++)
    for (int k = 0; k < a.columns; k++)
      for (int j = 0; j < b.columns; j++)
        c.at[i * c.columns + j] += a.at[i * a.columns + k] * b.at[k * b.columns + j];
  return c;
}

/* The elements of the upper or the lower triangle, zeros elsewhere. */
static Matrix triangle(Matrix a, char uplo)
{
  Matrix t = new_matrix(a.rows, a.columns);
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < a.columns; j++)
      if (i == j || (uplo == 'U') == (j > i))
        t.at[i * a.columns + j] = a.at[i * a.columns + j];
  return t;
}

static Matrix diagonal(Matrix values)
{
  const int n = values.rows;
  Matrix d = new_matrix(n, n);
  for (int i = 0; i < n; i++)
    d.at[i * n + i] = values.at[i];
  return d;
}

static Matrix identity(int n)
{
  Matrix one = new_matrix(n, n);
  for (int i = 0; i < n; i++)
    one.at[i * n + i] = 1;
  return one;
}

static Matrix columns(Matrix a, int from, int count)
{
  Matrix c = new_matrix(a.rows, count);
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < count; j++)
      c.at[i * count + j] = a.at[i * a.columns + from + j];
  return c;
}

static Matrix rows(Matrix a, int from, int count)
{
  return transpose(columns(transpose(a), from, count));
}

static long double largest(Matrix a)
{
  long double most = 0;
  for (int i = 0; i < a.rows * a.columns; i++)
    most = fmaxl(most, fabsl(a.at[i]));
  return most;
}

/* a and b differ by no more than 20 roundings in each of the terms of their sums of products of
 * magnitude scale: what LAPACK's users' guide calls a small backward error. */
static void check_same(int line, Matrix a, Matrix b, long double scale)
{
  CHECK_EQ(a.rows, b.rows);
  CHECK_EQ(a.columns, b.columns);
  const int n = THMax(THMax(a.rows, a.columns), 4);
  const double most = (double)(20 * EPSILON * n * scale);
  for (int i = 0; i < a.rows * a.columns; i++)
    if (!(fabsl(a.at[i] - b.at[i]) <= most))
      th_fail_at(__FILE__, line, "row %d, column %d: %Lg and %Lg differ by more than %g",
                 i / a.columns, i % a.columns, a.at[i], b.at[i], most);
}
#define CHECK_SAME(A, B, SCALE) check_same(__LINE__, A, B, SCALE)

/* a b is c. */
static void check_product(int line, Matrix a, Matrix b, Matrix c)
{
  check_same(line, times(a, b), c, a.columns * largest(a) * largest(b) + largest(c));
}
#define CHECK_PRODUCT(A, B, C) check_product(__LINE__, A, B, C)

/* --- operands -------------------------------------------------------------------------------- */

static uint64_t seed;

static THTensor *general(int m, int n)
{
  th_note("seed %llu, %d x %d", (unsigned long long)seed, m, n);
  return keep(THTest_(tensor)(TH_TRANSPOSED, seed++, TH_SHAPE(m, n)));
}

/* a a' + 1 */
static THTensor *definite(int n)
{
  THTensor *a = general(n, n), *d = keep(THTensor_(newWithSize2d)(n, n));
  const Matrix m = of(a), square = times(m, transpose(m));
  for (int i = 0; i < n * n; i++)
    d->storage->data[i] = (real)square.at[i] + (i % (n + 1) == 0);
  return d;
}

static const int sizes[] = {1, 2, 3, 8, 33, 70};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Runs the body for each of the sizes, with m x n rectangles of many proportions, and frees. */
#define FOR_EACH_SIZE(M, N)                            \
  seed = th_seed();                                    \
  for (int th_i = 0; th_i < SIZES; free_all(), th_i++) \
    for (int th_j = 0, M = sizes[th_i], N; th_j < SIZES && (N = sizes[th_j], 1); free_all(), th_j++)

/* --- systems of equations -------------------------------------------------------------------- */

static void THTest_(lapackGesv)(void)
{
  FOR_EACH_SIZE(n, k)
  {
    THTensor *a = general(n, n), *b = general(n, k);
    THTensor *x = fresh(), *lu = fresh();
    THTensor_(gesv)(x, lu, b, a);
    CHECK_PRODUCT(of(a), of(x), of(b));
    CHECK_EQ(lu->size[0], n);
    CHECK_EQ(lu->size[1], n);
  }
}

static void THTest_(lapackTrtrs)(void)
{
  static const char *const triangles[] = {"U", "L", "u", "l"}, *const ops[] = {"N", "T", "t"},
                           *const units[] = {"N", "U", "u"};
  seed = th_seed();
  for (int which = 0; which < 36; which++, free_all()) {
    const char *uplo = triangles[which % 4], *trans = ops[which / 4 % 3], *unit = units[which / 12];
    const int n = 12;
    THTensor *a = general(n, n), *b = general(n, 5);
    for (int i = 0; i < n; i++)
      THTensor_(set2d)(a, i, i,
                       50 + i); /* so that the system is a mild one, also with ones there */
    for (int i = 0; *unit != 'N' && i < n * n; i++)
      if (i % (n + 1))
        *THTest_(at)(a, i) /= 50;
    THTensor *x = fresh(), *copy = fresh();
    THTensor_(trtrs)(x, copy, b, a, uplo, trans, unit);
    Matrix t = triangle(of(a), *uplo == 'U' || *uplo == 'u' ? 'U' : 'L');
    for (int i = 0; *unit != 'N' && i < n; i++)
      t.at[i * (n + 1)] = 1;
    CHECK_PRODUCT(*trans == 'N' ? t : transpose(t), of(x), of(b));
    CHECK_SAME(of(copy), of(a), 0);
  }
}

/* The residual of a least-squares solution is orthogonal to the columns of a; a shortest solution
 * is a combination of its rows. */
static void THTest_(lapackGels)(void)
{
  FOR_EACH_SIZE(m, n)
  {
    if (m == n)
      continue; /* random square ones may be too close to singular */
    const int k = 3;
    THTensor *a = general(m, n), *b = general(m, k);
    THTensor *result = fresh(), *factors = fresh();
    THTensor_(gels)(result, factors, b, a);
    CHECK_EQ(result->nDimension, 2);
    CHECK_EQ(result->size[1], k);
    CHECK_EQ(factors->size[0], m);
    CHECK_EQ(factors->size[1], n);
    const Matrix at = of(a), full = of(result), x = rows(full, 0, n), ax = times(at, x);
    Matrix residual = of(b);
    for (int i = 0; i < m * k; i++)
      residual.at[i] -= ax.at[i];
    const long double scale = n * largest(at) * largest(x) + largest(of(b));
    if (m > n) {
      CHECK_SAME(times(transpose(at), residual), new_matrix(n, k), m * largest(at) * scale);
    } else {
      CHECK_SAME(residual, new_matrix(m, k), scale);
      /* x = a' y, where y solves a a' y = b. */
      THTensor *square = keep(THTensor_(newWithSize2d)(m, m)), *y = fresh();
      const Matrix product = times(at, transpose(at));
      for (int i = 0; i < m * m; i++)
        square->storage->data[i] = (real)product.at[i];
      THTensor_(gesv)(y, square, b, square);
      const Matrix shortest = times(transpose(at), of(y));
      for (int i = 0; i < n * k; i++)
        CHECK_NEAR((double)x.at[i], (double)shortest.at[i], 1e5 * EPSILON * (double)largest(x));
    }
#ifndef TH_COMPAT_TORCH7
    /* The rows below x measure the distance. */
    CHECK_EQ(result->size[0], THMax(m, n));
    for (int j = 0; m > n && j < k; j++) {
      long double below = 0, distance = 0;
      for (int i = n; i < m; i++)
        below += full.at[i * k + j] * full.at[i * k + j];
      for (int i = 0; i < m; i++)
        distance += residual.at[i * k + j] * residual.at[i * k + j];
      CHECK_CLOSE((double)below, (double)distance, 1e4 * EPSILON);
    }
#else
    CHECK_EQ(result->size[0], n);
#endif
  }
}

/* --- inverses, positive definite matrices ---------------------------------------------------- */

static void THTest_(lapackGetri)(void)
{
  seed = th_seed();
  for (int i = 0; i < SIZES; i++, free_all()) {
    THTensor *a = definite(sizes[i]), *inverse = fresh();
    THTensor_(getri)(inverse, a);
    CHECK_PRODUCT(of(inverse), of(a), identity(sizes[i]));
  }
}

static void THTest_(lapackPotrf)(void)
{
  seed = th_seed();
  for (int i = 0; i < 2 * SIZES; i++, free_all()) {
    const int n = sizes[i / 2], upper = i % 2;
    const char *uplo = upper ? "U" : "l";
    THTensor *a = definite(n), *b = general(n, 4), *half = fresh();
    THTensor *f = fresh(), *inverse = fresh(), *x = fresh();
    /* Only one triangle is read. */
    THTensor_(resizeAs)(half, a);
    THTensor_(copy)(half, a);
    for (int j = 0; j < n * n; j++)
      if (upper ? j % n < j / n : j % n > j / n)
        *THTest_(at)(half, j) = NAN;
    THTensor_(potrf)(f, half, uplo);
    const Matrix factor = of(f), other = transpose(factor);
    CHECK_PRODUCT(upper ? other : factor, upper ? factor : other, of(a));
    for (int j = 0; j < n * n; j++)
      if (upper ? j % n < j / n : j % n > j / n)
        CHECK_EQ(*THTest_(at)(f, j), (real)0);
    THTensor_(potri)(inverse, f, uplo);
    CHECK_PRODUCT(of(inverse), of(a), identity(n));
    THTensor_(potrs)(x, b, f, uplo);
    CHECK_PRODUCT(of(a), of(x), of(b));
  }
}

static void THTest_(lapackPstrf)(void)
{
  seed = th_seed();
  for (int i = 0; i < 2 * SIZES; i++, free_all()) {
    const int n = sizes[i / 2], upper = i % 2;
    THTensor *a = definite(n), *f = fresh();
    THIntTensor *pivots = THIntTensor_new();
    THTensor_(pstrf)(f, pivots, a, upper ? "U" : "L", -1);
    CHECK_EQ(pivots->nDimension, 1);
    CHECK_EQ(pivots->size[0], n);
    const Matrix factor = of(f), other = transpose(factor), whole = of(a);
    Matrix ordered = new_matrix(n, n);
    for (int j = 0; j < n * n; j++)
      ordered.at[j] =
          whole.at[(pivots->storage->data[j / n] - 1) * n + pivots->storage->data[j % n] - 1];
    CHECK_PRODUCT(upper ? other : factor, upper ? factor : other, ordered);
    CHECK_SAME(triangle(factor, upper ? 'U' : 'L'), factor, 0);
    THIntTensor_free(pivots);
  }
}

/* --- orthogonal matrices --------------------------------------------------------------------- */

static void THTest_(lapackQr)(void)
{
  FOR_EACH_SIZE(m, n)
  {
    const int k = THMin(m, n);
    THTensor *a = general(m, n), *q = fresh(), *r = fresh();
    THTensor *f = fresh(), *tau = fresh(), *q2 = fresh();
    THTensor_(qr)(q, r, a);
    const Matrix orthogonal = of(q), right = of(r);
    CHECK_EQ(orthogonal.columns, k);
    CHECK_PRODUCT(orthogonal, right, of(a));
    CHECK_PRODUCT(transpose(orthogonal), orthogonal, identity(k));
    CHECK_SAME(triangle(right, 'U'), right, 0);

    THTensor_(geqrf)(f, tau, a);
    CHECK_EQ(tau->nDimension, 1);
    CHECK_EQ(tau->size[0], k);
    CHECK_SAME(rows(triangle(of(f), 'U'), 0, k), right, largest(right));
    THTensor_(orgqr)(q2, f, tau);
    CHECK_EQ(q2->size[1], n);
    CHECK_SAME(columns(of(q2), 0, k), orthogonal, 1);
    CHECK_SAME(columns(of(q2), k, n - k), columns(of(f), k, n - k), 0);

    /* The whole of Q, from the reflectors, and its products. */
    THTensor *one = keep(THTensor_(newWithSize2d)(m, m)), *whole = fresh();
    THTensor_(eye)(one, m, m);
    THTensor_(ormqr)(whole, f, tau, one, "L", "N");
    const Matrix all = of(whole);
    CHECK_PRODUCT(transpose(all), all, identity(m));
    CHECK_SAME(columns(all, 0, k), orthogonal, 1);
    for (int which = 0; which < 4; which++) {
      const int left = which % 2, straight = which / 2;
      THTensor *c = left ? general(m, 4) : general(4, m), *product = fresh();
      THTensor_(ormqr)(product, f, tau, c, left ? "L" : "r", straight ? "n" : "T");
      const Matrix op = straight ? all : transpose(all);
      CHECK_PRODUCT(left ? op : of(c), left ? of(c) : op, of(product));
    }
  }
}

/* --- eigenvalues, singular values ------------------------------------------------------------ */

static void THTest_(lapackSyev)(void)
{
  seed = th_seed();
  for (int i = 0; i < 2 * SIZES; i++, free_all()) {
    const int n = sizes[i / 2], upper = i % 2;
    THTensor *a = general(n, n), *e = fresh(), *v = fresh();
    /* The triangle that is not used holds something else. */
    Matrix whole = triangle(of(a), upper ? 'U' : 'L');
    const Matrix other = transpose(whole);
    for (int j = 0; j < n * n; j++)
      whole.at[j] += j % (n + 1) ? other.at[j] : 0;
    THTensor_(syev)(e, v, a, "V", upper ? "U" : "L");
    CHECK_EQ(e->nDimension, 1);
    const Matrix vectors = of(v);
    CHECK_SAME(times(whole, vectors), times(vectors, diagonal(of(e))), n * largest(whole));
    CHECK_PRODUCT(transpose(vectors), vectors, identity(n));
    for (int j = 1; j < n; j++)
      CHECK(*THTest_(at)(e, j - 1) <= *THTest_(at)(e, j));

    THTensor *e2 = fresh();
    THTensor_(syev)(e2, v, a, "n", upper ? "u" : "l");
    CHECK_SAME(of(e2), of(e), n * largest(whole));
    CHECK_SAME(of(v), new_matrix(n, n), 0);
  }
}

static void THTest_(lapackGeev)(void)
{
  seed = th_seed();
  int pairs = 0;
  for (int i = 0; i < SIZES; i++, free_all()) {
    const int n = sizes[i];
    THTensor *a = general(n, n), *e = fresh(), *v = fresh();
    THTensor_(geev)(e, v, a, "V");
    const Matrix values = of(e), vectors = of(v), moved = times(of(a), vectors);
    CHECK_EQ(values.rows, n);
    CHECK_EQ(values.columns, 2);
    /* The operator on a pair of columns is a rotation and a stretch. */
    Matrix expected = new_matrix(n, n);
    for (int j = 0; j < n; j++) {
      const long double re = values.at[2 * j], im = values.at[2 * j + 1];
      if (im > 0) {
        pairs++;
        CHECK_EQ((real)values.at[2 * j + 2], (real)re);
        CHECK_EQ((real)values.at[2 * j + 3], (real)-im);
      }
      for (int row = 0; row < n; row++) {
        const long double *at = vectors.at + row * n + j;
        expected.at[row * n + j] = im == 0  ? re * at[0]
                                   : im > 0 ? re * at[0] - im * at[1]
                                            : re * at[0] - im * at[-1];
      }
    }
    CHECK_SAME(moved, expected, n * largest(of(a)));

    THTensor *e2 = fresh(), *untouched = fresh();
    THTensor_(geev)(e2, untouched, a, "N");
    CHECK_EQ(untouched->nDimension, 0);
    CHECK_SAME(of(e2), values, 1e3L * n * largest(of(a)));
  }
  CHECK(pairs > 5);
}

static void THTest_(lapackGesvd)(void)
{
  FOR_EACH_SIZE(m, n)
  {
    const int k = THMin(m, n);
    THTensor *a = general(m, n), *rest = fresh(), *only = fresh();
    for (int all = 0; all < 2; all++) {
      THTensor *u = fresh(), *s = fresh(), *v = fresh();
      if (all)
        THTensor_(gesvd)(u, s, v, a, "A");
      else
        THTensor_(gesvd2)(u, s, v, rest, a, "s");
      const Matrix left = of(u), values = of(s), right = of(v);
      CHECK_EQ(s->nDimension, 1);
      CHECK_EQ(left.rows, m);
      CHECK_EQ(left.columns, all ? m : k);
      CHECK_EQ(right.rows, n);
      CHECK_EQ(right.columns, all ? n : k);
      CHECK_PRODUCT(transpose(left), left, identity(left.columns));
      CHECK_PRODUCT(transpose(right), right, identity(right.columns));
      CHECK_SAME(times(times(columns(left, 0, k), diagonal(values)),
                       transpose(columns(right, 0, k))),
                 of(a), n * largest(of(a)));
      for (int i = 0; i < k; i++)
        CHECK(values.at[i] >= 0 && (i == 0 || values.at[i - 1] >= values.at[i]));

      THTensor_(gesvd)(NULL, only, NULL, a, "N");
      CHECK_SAME(of(only), values, n * largest(of(a)));
    }
    CHECK_EQ(rest->size[0], m);
    CHECK_EQ(rest->size[1], n);
  }
}

/* --- batches --------------------------------------------------------------------------------- */

static void THTest_(lapackBatches)(void)
{
  static const int counts[] = {1, 2, 50};
  seed = th_seed();
  for (int which = 0; which < 3 * SIZES; which++, free_all()) {
    const int n = sizes[which / 3], count = counts[which % 3], k = 3;
    if (count * n > 400)
      continue;
    THTensor *a = keep(THTest_(tensor)(TH_PERMUTED, seed, TH_SHAPE(count, n, n)));
    THTensor *b = keep(THTest_(tensor)(TH_TRANSPOSED, seed + 1, TH_SHAPE(count, n, k)));
    THTensor *b1 = keep(THTensor_(newSelect)(b, 2, 1));
    THTensor *f = fresh(), *x = fresh(), *x1 = fresh();
    THIntTensor *pivots = THIntTensor_new(), *info = THIntTensor_new();
    THTensor_(btrifact)(f, pivots, info, 1, a);
    THTensor_(btrisolve)(x, b, f, pivots);
    THTensor_(btrisolve)(x1, b1, f, pivots);
    CHECK_EQ(x->nDimension, 3);
    CHECK_EQ(x1->nDimension, 2);
    CHECK_EQ(info->size[0], count);
    CHECK_EQ(pivots->size[0], count);
    CHECK_EQ(pivots->size[1], n);
    for (int i = 0; i < count; i++) {
      THTensor *ai = keep(THTensor_(newSelect)(a, 0, i)), *fi = keep(THTensor_(newSelect)(f, 0, i));
      THTensor *bi = keep(THTensor_(newSelect)(b, 0, i)), *xi = keep(THTensor_(newSelect)(x, 0, i));
      CHECK_EQ(info->storage->data[i], 0);
      CHECK_PRODUCT(of(ai), of(xi), of(bi));
      for (int j = 0; j < n; j++)
        CHECK_NEAR(THTensor_(get2d)(x1, i, j), THTensor_(get2d)(xi, j, 1),
                   1e3 * EPSILON * (double)largest(of(xi)));
      /* L U is a with its rows exchanged one after the other. */
      Matrix low = triangle(of(fi), 'L'), exchanged = of(ai);
      for (int j = 0; j < n; j++) {
        low.at[j * (n + 1)] = 1;
        const int pivot = pivots->storage->data[i * n + j] - 1;
        for (int c = 0; c < n; c++) {
          const long double kept = exchanged.at[j * n + c];
          exchanged.at[j * n + c] = exchanged.at[pivot * n + c];
          exchanged.at[pivot * n + c] = kept;
        }
      }
      CHECK_PRODUCT(low, triangle(of(fi), 'U'), exchanged);
    }
    THIntTensor_free(pivots);
    THIntTensor_free(info);
    seed += 2;
  }
}

/* --- PyTorch's values ------------------------------------------------------------------------ */

static THTensor *golden_tensor(const THGoldenFile *file, const char *name)
{
  return keep(TH_CONCAT_2(th_golden_new, Real)(th_golden(file, "%s/%s", TH_STRING_OF(Real), name)));
}

static void check_golden(const THGoldenFile *file, const char *name, const THTensor *actual)
{
  const THGolden *want = th_golden(file, "%s/%s", TH_STRING_OF(Real), name);
  th_note("%s", name);
  double most = 0;
  for (ptrdiff_t i = 0; i < want->count; i++)
    most = fmax(most, fabs(th_golden_number(want, i)));
  CHECK_EQ(THTest_(count)(actual), want->count);
  for (ptrdiff_t i = 0; i < want->count; i++)
    CHECK_NEAR(*THTest_(at)(actual, i), th_golden_number(want, i), 1e3 * EPSILON * most);
}

static void THTest_(lapackGolden)(void)
{
  THGoldenFile *file = th_golden_open("lapack.txt");
  THTensor *a = golden_tensor(file, "a"), *b = golden_tensor(file, "b");
  THTensor *wide = golden_tensor(file, "wide"), *tall = golden_tensor(file, "tall");
  THTensor *d = golden_tensor(file, "definite"), *lower = fresh();
  THTensor *r = fresh(), *other = fresh(), *third = fresh();
  THTensor *part = fresh(), *right = keep(THTensor_(newNarrow)(b, 0, 0, 3));

  THTensor_(gesv)(r, other, b, a);
  check_golden(file, "solve", r);
  check_golden(file, "lu", other);
  THTensor_(getri)(r, a);
  check_golden(file, "inverse", r);
  THTensor_(trtrs)(r, other, b, a, "U", "N", "N");
  check_golden(file, "upper_solve", r);
  THTensor_(potrf)(lower, d, "L");
  check_golden(file, "cholesky", lower);
  THTensor_(potri)(r, lower, "L");
  check_golden(file, "cholesky_inverse", r);
  THTensor_(potrs)(r, b, lower, "L");
  check_golden(file, "cholesky_solve", r);
  THTensor_(gels)(r, other, b, tall);
  THTensor_(narrow)(part, r, 0, 0, 3);
  check_golden(file, "least_squares", part);
  THTensor_(gels)(r, other, right, wide);
  check_golden(file, "shortest", r);
  THTensor_(syev)(r, other, d, "N", "U");
  check_golden(file, "symmetric_values", r);
  THTensor_(gesvd)(r, other, third, wide, "S");
  check_golden(file, "singular_values", other);

  THIntTensor *pivots = THIntTensor_new();
  THTensor *batch = keep(THTensor_(newWithTensor)(a));
  THTensor_(unsqueeze1d)(batch, NULL, 0);
  THTensor_(btrifact)(r, pivots, NULL, 1, batch);
  check_golden(file, "lu", r);
  const THGolden *want = th_golden(file, "%s/pivots", TH_STRING_OF(Real));
  for (int i = 0; i < 5; i++)
    CHECK_EQ(THIntTensor_get2d(pivots, 0, i), (int)th_golden_number(want, i));

  THIntTensor_free(pivots);
  free_all();
  th_golden_close(file);
}

TH_TESTS(THTest_(lapackGesv), THTest_(lapackTrtrs), THTest_(lapackGels), THTest_(lapackGetri),
         THTest_(lapackPotrf), THTest_(lapackPstrf), THTest_(lapackQr), THTest_(lapackSyev),
         THTest_(lapackGeev), THTest_(lapackGesvd), THTest_(lapackBatches), THTest_(lapackGolden))
