/* Kernels of factors L D L^H of Hermitian matrices, which cuSOLVER does not have: the steps, and so the pivots, are
 * those of LAPACK's hetf2 and hetrs, of the lower triangle.  Matrices lie by columns. */
#include "at_kernel.h"

struct Complex {
  real re, im;
};

THC_DEVICE Complex times(Complex a, Complex b)
{
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

THC_DEVICE Complex conjugate(Complex a)
{
  return {a.re, -a.im};
}

THC_DEVICE Complex minus(Complex a, Complex b)
{
  return {a.re - b.re, a.im - b.im};
}

THC_DEVICE Complex scaled(Complex a, real factor)
{
  return {a.re * factor, a.im * factor};
}

/* a / b, divided by the larger part of b first, so that nothing overflows on the way. */
THC_DEVICE Complex over(Complex a, Complex b)
{
  if (THMath_(abs)(b.re) >= THMath_(abs)(b.im)) {
    const real ratio = b.im / b.re, size = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
  }
  const real ratio = b.re / b.im, size = b.im + b.re * ratio;
  return {(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
}

/* What LAPACK compares pivots by. */
THC_DEVICE real size_of(Complex a)
{
  return THMath_(abs)(a.re) + THMath_(abs)(a.im);
}

THC_DEVICE void exchange(Complex *a, Complex *b)
{
  const Complex x = *a;
  *a = *b;
  *b = x;
}

/* A matrix by columns. */
struct Matrix {
  Complex *a;
  int64_t n;
  __device__ Complex &operator()(int64_t i, int64_t j) const
  {
    return a[i + j * n];
  }
};

/* --- pivots ---------------------------------------------------------------------------------- */

/* Whether pivots are rows of a matrix, negative ones in pairs: returns 0, or 1 + the index of a pivot that is not. */
THC_DEVICE int64_t wrong_pivot(const int64_t *pivots, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    const int64_t pivot = pivots[k];
    const bool isPair = pivot < 0;
    if (pivot == 0 || pivot > n || pivot < -n)
      return k + 1;
    if (isPair && (k + 1 == n || pivots[k + 1] >= 0 || pivots[k + 1] < -n))
      return k + 1;
    k += isPair;
  }
  return 0;
}

/* Pivots of a matrix that are not valid are reported, and replaced by pivots that exchange nothing. */
__global__ static void check_pivots(at_ldl_pivots_work w)
{
  THC_GRID_LOOP(matrix, w.count)
  {
    int64_t *const pivots = w.pivots + matrix * w.n;
    const int64_t wrong = wrong_pivot(pivots, w.n);
    if (!wrong)
      continue;
    at_report(w.report, 2, -w.n, w.n, matrix * w.n + wrong - 1, pivots[wrong - 1]);
    for (int64_t k = 0; k < w.n; k++)
      pivots[k] = k + 1;
  }
}

AT_LAUNCHER(ldlPivots, at_ldl_pivots_work)
{
  THC_LAUNCH(check_pivots, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

/* --- factors --------------------------------------------------------------------------------- */

/* What a thread found. */
struct Found {
  real value;
  int64_t at;
};

/* The largest of them over the block; of equal ones the first. */
static __device__ Found largest(Found own, Found *shared)
{
  shared[threadIdx.x] = own;
  __syncthreads();
  for (int rest = THC_BLOCK / 2; rest > 0; rest /= 2) {
    if (threadIdx.x < (unsigned)rest) {
      const Found a = shared[threadIdx.x], b = shared[threadIdx.x + rest];
      shared[threadIdx.x] = b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
    }
    __syncthreads();
  }
  const Found found = shared[0];
  __syncthreads();
  return found;
}

/* Column k below row k. */
static __device__ Found largest_below(const Matrix &m, int64_t k, Found *shared)
{
  Found own = {-1, m.n};
  for (int64_t i = k + 1 + threadIdx.x; i < m.n; i += THC_BLOCK) {
    const real size = size_of(m(i, k));
    if (size > own.value)
      own = {size, i};
  }
  return largest(own, shared);
}

/* Row and column i from column k on, but for the diagonal. */
static __device__ real largest_across(const Matrix &m, int64_t k, int64_t i, Found *shared)
{
  Found own = {-1, m.n};
  for (int64_t j = k + threadIdx.x; j < m.n; j += THC_BLOCK) {
    const real size = j == i ? -1 : size_of(j < i ? m(i, j) : m(j, i));
    if (size > own.value)
      own = {size, j};
  }
  return largest(own, shared).value;
}

/* A step: rows k, or k and k + 1 of a pair, whose last one is exchanged with row p. */
struct Step {
  int64_t p;
  int rows; /* 0: the column has nothing but zeros, or NaN */
};

/* Chooses the pivot of step k, after Bunch and Kaufman. */
static __device__ Step choose(const Matrix &m, int64_t k, Found *shared)
{
  const real alpha = (real)0.6403882032022076; /* (1 + sqrt(17)) / 8 */
  const real own = THMath_(abs)(m(k, k).re);
  const Found below = largest_below(m, k, shared);
  const real column = below.value > 0 ? below.value : 0;
  if (own != own || (own == 0 && column == 0))
    return {k, 0};
  if (own >= alpha * column)
    return {k, 1};
  const real row = largest_across(m, k, below.at, shared);
  if (own >= alpha * column * (column / row))
    return {k, 1};
  return {below.at, THMath_(abs)(m(below.at, below.at).re) >= alpha * row ? 1 : 2};
}

/* Exchanges rows and columns q and p > q of what is left from column k on. */
static __device__ void exchange_rows(const Matrix &m, int64_t k, int64_t q, int64_t p)
{
  for (int64_t i = q + 1 + threadIdx.x; i < m.n; i += THC_BLOCK) {
    if (i > p) {
      exchange(&m(i, q), &m(i, p));
    } else if (i < p) {
      const Complex x = conjugate(m(i, q));
      m(i, q) = conjugate(m(p, i));
      m(p, i) = x;
    } else {
      m(p, q) = conjugate(m(p, q));
    }
  }
  if (threadIdx.x == 0) {
    const real own = m(q, q).re;
    m(q, q) = {m(p, p).re, 0};
    m(p, p) = {own, 0};
    if (q != k)
      exchange(&m(q, k), &m(p, k));
  }
  __syncthreads();
}

/* Subtracts the part of row k of D from the matrix below and right of it; column k becomes column k of L. */
static __device__ void eliminate_one(const Matrix &m, int64_t k)
{
  const real factor = 1 / m(k, k).re;
  const int64_t rest = m.n - k - 1;
  for (int64_t t = threadIdx.x; t < rest * rest; t += THC_BLOCK) {
    const int64_t i = k + 1 + t % rest, j = k + 1 + t / rest;
    if (i < j)
      continue;
    const Complex next = minus(m(i, j), scaled(times(m(i, k), conjugate(m(j, k))), factor));
    m(i, j) = i == j ? Complex{next.re, 0} : next;
  }
  __syncthreads();
  for (int64_t i = k + 1 + threadIdx.x; i < m.n; i += THC_BLOCK)
    m(i, k) = scaled(m(i, k), factor);
  __syncthreads();
}

/* eliminate_one for rows k and k + 1 of D, a pair; work has space for two columns. */
static __device__ void eliminate_two(const Matrix &m, int64_t k, Complex *work)
{
  const Complex corner = m(k + 1, k);
  const real size = (real)hypot((double)corner.re, (double)corner.im);
  const real d11 = m(k + 1, k + 1).re / size, d22 = m(k, k).re / size;
  const real factor = 1 / (d11 * d22 - 1) / size;
  const Complex d21 = {corner.re / size, corner.im / size};
  const int64_t rest = m.n - k - 2;
  for (int64_t j = k + 2 + threadIdx.x; j < m.n; j += THC_BLOCK) {
    const Complex x = m(j, k), y = m(j, k + 1);
    work[j] = scaled(minus(scaled(x, d11), times(d21, y)), factor);
    work[m.n + j] = scaled(minus(scaled(y, d22), times(conjugate(d21), x)), factor);
  }
  __syncthreads();
  for (int64_t t = threadIdx.x; t < rest * rest; t += THC_BLOCK) {
    const int64_t i = k + 2 + t % rest, j = k + 2 + t / rest;
    if (i < j)
      continue;
    Complex next = minus(m(i, j), times(m(i, k), conjugate(work[j])));
    next = minus(next, times(m(i, k + 1), conjugate(work[m.n + j])));
    m(i, j) = i == j ? Complex{next.re, 0} : next;
  }
  __syncthreads();
  for (int64_t j = k + 2 + threadIdx.x; j < m.n; j += THC_BLOCK) {
    m(j, k) = work[j];
    m(j, k + 1) = work[m.n + j];
  }
  __syncthreads();
}

static __device__ void factor(const Matrix &m, Complex *work, int *pivots, int *status,
                              Found *shared)
{
  int found = 0;
  for (int64_t k = 0; k < m.n;) {
    const Step step = choose(m, k, shared);
    __syncthreads(); /* what has been read changes */
    const int64_t rows = step.rows == 2 ? 2 : 1, q = k + rows - 1;
    if (step.p > q) {
      exchange_rows(m, k, q, step.p);
    } else if (threadIdx.x == 0) {
      m(q, q).im = 0;
    }
    if (threadIdx.x == 0) {
      m(k, k).im = 0;
      for (int64_t i = k; i <= q; i++)
        pivots[i] = (int)(rows == 2 ? -(step.p + 1) : step.p + 1);
    }
    __syncthreads();
    if (step.rows == 0 && !found)
      found = (int)k + 1;
    if (step.rows == 1)
      eliminate_one(m, k);
    else if (step.rows == 2)
      eliminate_two(m, k, work);
    k += rows;
  }
  if (threadIdx.x == 0)
    *status = found;
}

/* A block for each matrix: each step depends on those before. */
__global__ static void hermitian_factors(at_hermitian_work w)
{
  __shared__ Found shared[THC_BLOCK];
  for (int64_t i = blockIdx.x; i < w.count; i += gridDim.x)
    factor({(Complex *)w.a + i * w.n * w.n, w.n}, (Complex *)w.work + 2 * i * w.n,
           w.pivots + i * w.n, w.status + i, shared);
}

AT_LAUNCHER(hermitianFactors, at_hermitian_work)
{
  const int64_t blocks = work->count < INT32_MAX ? work->count : INT32_MAX;
  THC_LAUNCH(hermitian_factors, (unsigned)blocks, THC_BLOCK, 0, stream, *work);
}

/* --- solutions ------------------------------------------------------------------------------- */

/* b -= column k of L * factor, below that row. */
THC_DEVICE void subtract_column(const Matrix &m, int64_t k, int64_t from, Complex factor,
                                Complex *b)
{
  for (int64_t i = from; i < m.n; i++)
    b[i] = minus(b[i], times(m(i, k), factor));
}

/* The sum of conjugate elements of column k, below that row, times b. */
THC_DEVICE Complex column_times(const Matrix &m, int64_t k, int64_t from, const Complex *b)
{
  Complex sum = {0, 0};
  for (int64_t i = from; i < m.n; i++) {
    const Complex term = times(conjugate(m(i, k)), b[i]);
    sum = {sum.re + term.re, sum.im + term.im};
  }
  return sum;
}

/* The rows k and k + 1 of b over the block of D. */
THC_DEVICE void divide_pair(const Matrix &m, int64_t k, Complex *b)
{
  const Complex corner = m(k + 1, k), one = {1, 0};
  const Complex first = over(m(k, k), conjugate(corner)), second = over(m(k + 1, k + 1), corner);
  const Complex all = minus(times(first, second), one);
  const Complex x = over(b[k], conjugate(corner)), y = over(b[k + 1], corner);
  b[k] = over(minus(times(second, x), y), all);
  b[k + 1] = over(minus(times(first, y), x), all);
}

THC_DEVICE void solve(const Matrix &m, const int64_t *pivots, Complex *b)
{
  int64_t k = 0;
  while (k < m.n) {
    const bool isPair = pivots[k] < 0;
    const int64_t q = k + isPair, p = (isPair ? -pivots[k] : pivots[k]) - 1;
    if (p != q)
      exchange(&b[q], &b[p]);
    for (int64_t i = k; i <= q; i++)
      subtract_column(m, i, q + 1, b[i], b);
    if (isPair)
      divide_pair(m, k, b);
    else
      b[k] = scaled(b[k], 1 / m(k, k).re);
    k = q + 1;
  }
  for (k = m.n - 1; k >= 0;) {
    const bool isPair = pivots[k] < 0;
    const int64_t p = (isPair ? -pivots[k] : pivots[k]) - 1;
    const Complex last = column_times(m, k, k + 1, b);
    if (isPair)
      b[k - 1] = minus(b[k - 1], column_times(m, k - 1, k + 1, b));
    b[k] = minus(b[k], last);
    if (p != k)
      exchange(&b[k], &b[p]);
    k -= 1 + isPair;
  }
}

/* A thread for each column of b. */
__global__ static void hermitian_solve(at_hermitian_work w)
{
  THC_GRID_LOOP(t, w.count * w.columns)
  {
    const int64_t i = t / w.columns;
    solve({(Complex *)w.a + i * w.n * w.n, w.n}, w.rows + i * w.n, (Complex *)w.b + t * w.n);
  }
}

AT_LAUNCHER(hermitianSolve, at_hermitian_work)
{
  THC_LAUNCH(hermitian_solve, THC_blocks(work->count * work->columns), THC_BLOCK, 0, stream, *work);
}
