/* Kernels of sequences, linear algebra and Fourier transforms. */
#include "at_kernel.h"

/* --- sequences ------------------------------------------------------------------------------- */

__global__ static void steps(at_steps_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    if (w.isInteger)
      ((int64_t *)w.to)[i] = (int64_t)((uint64_t)w.start + (uint64_t)i * (uint64_t)w.step);
    else
      ((real *)w.to)[i] = (real)(w.first + (double)i * w.by);
  }
}

AT_LAUNCHER(steps, at_steps_work)
{
  THC_LAUNCH(steps, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

/* Each number is computed from the nearer end, so that both ends are exact. */
__global__ static void spaced(at_spaced_work w)
{
  const at_space &s = w.numbers;
  THC_GRID_LOOP(i, s.count)
  {
    const double x = i < s.count / 2 ? s.first + s.step * (double)i
                                     : s.last - s.step * (double)(s.count - 1 - i);
    ((real *)w.to)[i] = (real)(s.powers ? pow(s.base, x) : x);
  }
}

AT_LAUNCHER(spaced, at_spaced_work)
{
  THC_LAUNCH(spaced, THC_blocks(work->numbers.count), THC_BLOCK, 0, stream, *work);
}

/* As spaced, of ends that are in the device's memory. */
__global__ static void edges(at_edges_work w)
{
  const double around = *w.low == *w.high ? 0.5 : 0, bins = (double)w.count;
  const double low = *w.low - around, high = *w.high + around, way = high - low;
  const double step = isinf(way) ? high / bins - low / bins : way / bins;
  THC_GRID_LOOP(i, w.count + 1)
  {
    const double x =
        i < (w.count + 1) / 2 ? low + step * (double)i : high - step * (double)(w.count - i);
    ((real *)w.to)[i] = (real)x;
  }
}

AT_LAUNCHER(edges, at_edges_work)
{
  THC_LAUNCH(edges, THC_blocks(work->count + 1), THC_BLOCK, 0, stream, *work);
}

/* --- waves ----------------------------------------------------------------------------------- */

/* Angles are reduced as integers, which is exact. */
__global__ static void waves(at_waves_work w)
{
  THC_GRID_LOOP(k, w.length * w.frequencies)
  {
    const int64_t i = k / w.frequencies, frequency = k - i * w.frequencies;
    const int64_t at = i % w.size * frequency % w.size;
    double sine, cosine;
    sincospi(2 * ((double)at / (double)w.size), &sine, &cosine);
    const double factor = w.window ? (double)((const real *)w.window)[i] : 1;
    ((real *)w.to)[2 * k] = (real)(cosine * factor);
    ((real *)w.to)[2 * k + 1] = (real)(-sine * factor);
  }
}

AT_LAUNCHER(waves, at_waves_work)
{
  THC_LAUNCH(waves, THC_blocks(work->length * work->frequencies), THC_BLOCK, 0, stream, *work);
}

/* --- determinants ---------------------------------------------------------------------------- */

/* A thread multiplies a diagonal: the sign changes with each exchange of rows. */
__global__ static void determinants(at_determinants_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    const real *factors = (const real *)w.factors + i * w.n * w.n;
    const int *pivots = w.pivots + i * w.n;
    double product = 1, sign = 1, sum = 0;
    for (int64_t k = 0; k < w.n; k++) {
      const double factor = (pivots[k] == k + 1 ? 1 : -1) * (double)factors[k * (w.n + 1)];
      product *= factor;
      sign = factor == 0 ? 0 : factor < 0 ? -sign : sign;
      sum += log(fabs(factor));
    }
    if (w.to)
      ((real *)w.to)[i] = (real)product;
    if (w.sign)
      ((real *)w.sign)[i] = (real)sign;
    if (w.log)
      ((real *)w.log)[i] = (real)sum;
  }
}

THC_DEVICE void store_pair(void *to, int64_t i, double re, double im)
{
  ((real *)to)[2 * i] = (real)re;
  ((real *)to)[2 * i + 1] = (real)im;
}

/* determinants of complex numbers: sign is the product of the directions, log the sum of logarithms of the sizes. */
__global__ static void complex_determinants(at_determinants_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    const real *factors = (const real *)w.factors + 2 * i * w.n * w.n;
    const int *pivots = w.pivots + i * w.n;
    double re = 1, im = 0, sum = 0;
    for (int64_t k = 0; k < w.n; k++) {
      const double x = (double)factors[2 * k * (w.n + 1)],
                   y = (double)factors[2 * k * (w.n + 1) + 1];
      const double size = hypot(x, y), sign = pivots[k] == k + 1 ? 1 : -1;
      const double unitX = size > 0 ? sign * x / size : size,
                   unitY = size > 0 ? sign * y / size : size;
      const double before = re;
      re = before * unitX - im * unitY;
      im = before * unitY + im * unitX;
      sum += log(size);
    }
    const double scale = re != 0 || im != 0 ? exp(sum) : 1;
    if (w.to)
      store_pair(w.to, i, re * scale, im * scale);
    if (w.sign)
      store_pair(w.sign, i, re, im);
    if (w.log)
      ((real *)w.log)[i] = (real)sum;
  }
}

AT_LAUNCHER(determinants, at_determinants_work)
{
  if (work->isComplex)
    THC_LAUNCH(complex_determinants, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
  else
    THC_LAUNCH(determinants, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

/* --- repeated squares ------------------------------------------------------------------------- */

/* Element (row, column) of the product of matrix a with itself. */
THC_DEVICE real square_element(const real *a, int64_t n, int64_t row, int64_t column)
{
  real sum = 0;
  for (int64_t k = 0; k < n; k++)
    sum += a[row * n + k] * a[k * n + column];
  return sum;
}

/* The real part of an element of the product of a complex matrix with itself, or the imaginary part. */
THC_DEVICE real square_part(const real *a, int64_t n, int64_t row, int64_t column, bool imaginary)
{
  real sum = 0;
  for (int64_t k = 0; k < n; k++) {
    const real *const x = a + 2 * (row * n + k), *const y = a + 2 * (k * n + column);
    sum += imaginary ? x[0] * y[1] + x[1] * y[0] : x[0] * y[0] - x[1] * y[1];
  }
  return sum;
}

/* A block for each matrix: products go from its memory to the space and back. */
__global__ static void squarings(at_squarings_work w)
{
  const int64_t parts = w.isComplex ? 2 : 1, size = w.n * w.n * parts;
  for (int64_t i = blockIdx.x; i < w.count; i += gridDim.x) {
    real *from = (real *)w.matrices + i * size, *to = (real *)w.space + i * size;
    for (int k = w.done; k < w.squarings[i]; k++) {
      for (int64_t e = threadIdx.x; e < size; e += THC_BLOCK) {
        const int64_t row = e / parts / w.n, column = e / parts % w.n;
        to[e] = w.isComplex ? square_part(from, w.n, row, column, e % 2)
                            : square_element(from, w.n, row, column);
      }
      __syncthreads();
      real *const before = from;
      from = to, to = before;
    }
    if (from != (real *)w.matrices + i * size) /* the last product is in the space */
      for (int64_t e = threadIdx.x; e < size; e += THC_BLOCK)
        to[e] = from[e];
  }
}

AT_LAUNCHER(squarings, at_squarings_work)
{
  const unsigned blocks = work->count < INT32_MAX ? (unsigned)work->count : INT32_MAX;
  THC_LAUNCH(squarings, blocks, THC_BLOCK, 0, stream, *work);
}

/* --- Cholesky factors with pivots ------------------------------------------------------------ */

/* Element (i, j) of the lower triangle. */
THC_DEVICE real &at(const at_cholesky_work &w, int64_t i, int64_t j)
{
  return ((real *)w.a)[i * w.row + j * w.column];
}

/* What a thread found on the diagonal. */
struct Found {
  real value;
  int64_t at;
};

/* The larger of both; of equal ones the first. */
THC_DEVICE Found larger(Found a, Found b)
{
  return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
}

/* The largest rest of the diagonal from column j on, after what columns before j took from it: the
 * threads of the block get it. */
static __device__ Found find_pivot(const at_cholesky_work &w, int64_t j, Found *shared)
{
  Found best = {-(real)INFINITY, w.n};
  for (int64_t i = j + threadIdx.x; i < w.n; i += THC_BLOCK) {
    real *sum = (real *)w.sums + i;
    if (j > 0)
      *sum += at(w, i, j - 1) * at(w, i, j - 1);
    const Found own = {at(w, i, i) - (j > 0 ? *sum : 0), i};
    best = larger(best, own);
  }
  shared[threadIdx.x] = best;
  __syncthreads();
  for (int rest = THC_BLOCK / 2; rest > 0; rest /= 2) {
    if (threadIdx.x < (unsigned)rest)
      shared[threadIdx.x] = larger(shared[threadIdx.x], shared[threadIdx.x + rest]);
    __syncthreads();
  }
  best = shared[0];
  __syncthreads();
  return best;
}

THC_DEVICE void exchange(real *a, real *b)
{
  const real x = *a;
  *a = *b;
  *b = x;
}

/* Exchanges rows and columns j and p, of which j is the lower. */
static __device__ void exchange_pivots(const at_cholesky_work &w, int64_t j, int64_t p)
{
  for (int64_t k = threadIdx.x; k < w.n; k += THC_BLOCK) {
    if (k < j)
      exchange(&at(w, j, k), &at(w, p, k));
    else if (k > p)
      exchange(&at(w, k, j), &at(w, k, p));
    else if (k > j && k < p)
      exchange(&at(w, k, j), &at(w, p, k));
  }
  if (threadIdx.x == 0) {
    at(w, p, p) = at(w, j, j);
    ((real *)w.sums)[p] = ((real *)w.sums)[j];
    const int pivot = w.pivots[j];
    w.pivots[j] = w.pivots[p];
    w.pivots[p] = pivot;
  }
  __syncthreads();
}

/* Column j below its diagonal, which has the root of the pivot. */
static __device__ void compute_column(const at_cholesky_work &w, int64_t j, real root)
{
  for (int64_t i = j + 1 + threadIdx.x; i < w.n; i += THC_BLOCK) {
    real sum = at(w, i, j);
    for (int64_t k = 0; k < j; k++)
      sum -= at(w, i, k) * at(w, j, k);
    at(w, i, j) = sum / root;
  }
  if (threadIdx.x == 0)
    at(w, j, j) = root;
  __syncthreads();
}

/* One block does it all: each column depends on those before. */
__global__ static void cholesky_pivoted(at_cholesky_work w, real epsilon)
{
  __shared__ Found shared[THC_BLOCK];
  for (int64_t i = threadIdx.x; i < w.n; i += THC_BLOCK) {
    ((real *)w.sums)[i] = 0;
    w.pivots[i] = (int)i + 1;
  }
  __syncthreads();
  real least = (real)w.tolerance;
  int64_t j = 0;
  for (; j < w.n; j++) {
    const Found pivot = find_pivot(w, j, shared);
    if (j == 0 && w.tolerance < 0)
      least = (real)w.n * epsilon * pivot.value;
    if (!(pivot.value > (j == 0 ? 0 : least)))
      break;
    if (pivot.at != j)
      exchange_pivots(w, j, pivot.at);
    compute_column(w, j, THMath_(sqrt)(pivot.value));
  }
  for (int64_t k = threadIdx.x; k < w.n * w.n; k += THC_BLOCK)
    if (k / w.n < k % w.n)
      at(w, k / w.n, k % w.n) = 0;
  if (threadIdx.x == 0)
    *w.rank = (int)j;
}

__global__ static void pivot_order(at_pivots_work w)
{
  THC_GRID_LOOP(matrix, w.count)
  {
    int64_t *const order = w.order + matrix * w.rows;
    for (int64_t j = 0; j < w.rows; j++)
      order[j] = j;
    for (int64_t j = 0; j < w.pivotCount; j++) {
      const int64_t number = matrix * w.pivotCount + j, other = (int64_t)w.pivots[number] - 1;
      if (other < 0 || other >= w.rows) {
        at_report(w.report, 2, 1, w.rows, number, other + 1);
        continue;
      }
      const int64_t row = order[other];
      order[other] = order[j];
      order[j] = row;
    }
  }
}

AT_LAUNCHER(pivotOrder, at_pivots_work)
{
  THC_LAUNCH(pivot_order, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(choleskyPivoted, at_cholesky_work)
{
#ifdef TH_REAL_IS_DOUBLE
  const real epsilon = 0x1p-53;
#else
  const real epsilon = 0x1p-24f;
#endif
  THC_LAUNCH(cholesky_pivoted, 1, THC_BLOCK, 0, stream, *work, epsilon);
}
