/* Kernels of SoftMax and LogSoftMax.
 *
 * The maximum is subtracted first, so that exp does not overflow.  A NaN makes a whole sequence
 * NaN; so do only negative infinities. */
#include "THCUNN/layer/thcunn_template.h"

/* The next two functions do the work of thread `first` of `threads` threads on one sequence.  With
 * shared, the threads of a block share the sequence; without, one thread does all the work. */
THC_DEVICE real reduced(real value, real *shared, int largest)
{
  return shared ? block_reduce(value, shared, largest) : value;
}

THC_DEVICE void forward(int logarithm, const element *x, element *y, int64_t n, int64_t step,
                        int64_t first, int64_t threads, real *shared)
{
  real most = -(real)INFINITY, sum = 0;
  for (int64_t i = first; i < n; i += threads)
    most = THC_LOAD(x[i * step]) > most ? THC_LOAD(x[i * step]) : most;
  most = reduced(most, shared, 1);
  for (int64_t i = first; i < n; i += threads)
    sum += THMath_(exp)(THC_LOAD(x[i * step]) - most);
  sum = reduced(sum, shared, 0);
  const real last = logarithm ? THMath_(log)(sum) : 1 / sum;
  for (int64_t i = first; i < n; i += threads) {
    const real z = THC_LOAD(x[i * step]) - most;
    y[i * step] = THC_STORE(logarithm ? z - last : THMath_(exp)(z) * last);
  }
}

THC_DEVICE void gradient(int logarithm, const element *g, const element *y, element *d, int64_t n,
                         int64_t step, int64_t first, int64_t threads, real *shared)
{
  real sum = 0;
  for (int64_t i = first; i < n; i += threads)
    sum += logarithm ? THC_LOAD(g[i * step]) : THC_LOAD(g[i * step]) * THC_LOAD(y[i * step]);
  sum = reduced(sum, shared, 0);
  for (int64_t i = first; i < n; i += threads) {
    const real gi = THC_LOAD(g[i * step]), yi = THC_LOAD(y[i * step]);
    d[i * step] = THC_STORE(logarithm ? gi - THMath_(exp)(yi) * sum : yi * (gi - sum));
  }
}

/* A block for each contiguous sequence. */
__global__ static void rows(int logarithm, const element *g, const element *x, element *y,
                            int64_t count, int64_t n)
{
  __shared__ real shared[THC_BLOCK];
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x)
    if (g)
      gradient(logarithm, g + i * n, x + i * n, y + i * n, n, 1, threadIdx.x, blockDim.x, shared);
    else
      forward(logarithm, x + i * n, y + i * n, n, 1, threadIdx.x, blockDim.x, shared);
}

/* --- contiguous short sequences: some threads of a warp each, values in registers ------------ */

THC_DEVICE real joined(real value, int threads, int largest)
{
  for (int bits = threads / 2; bits > 0; bits /= 2) {
    const real other = __shfl_xor_sync(0xFFFFFFFFu, value, bits);
    value = !largest ? value + other : other > value ? other : value;
  }
  return value;
}

/* Each of `threads` threads, a power of two, has EACH elements at most. */
template <int EACH>
__global__ static void short_rows(int logarithm, const element *g, const element *x, element *y,
                                  int64_t count, int n, int threads)
{
  const int64_t row = ((int64_t)blockIdx.x * THC_BLOCK + threadIdx.x) / threads;
  const int first = (int)threadIdx.x % threads, end = row < count ? n : 0;
  const int64_t at = row * n;
  real v[EACH], w[EACH], sum = 0;
  THC_UNROLL
  for (int k = 0; k < EACH; k++) {
    const int i = first + k * threads;
    v[k] = i < end ? THC_LOAD(x[at + i]) : -(real)INFINITY;
    w[k] = g && i < end ? THC_LOAD(g[at + i]) : 0;
  }
  if (g) {
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      if (first + k * threads < end)
        sum += logarithm ? w[k] : w[k] * v[k];
    sum = joined(sum, threads, 0);
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      w[k] = logarithm ? w[k] - THMath_(exp)(v[k]) * sum : v[k] * (w[k] - sum);
  } else {
    real most = -(real)INFINITY;
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      most = v[k] > most ? v[k] : most;
    most = joined(most, threads, 1);
    THC_UNROLL
    for (int k = 0; k < EACH; k++) {
      w[k] = THMath_(exp)(v[k] - most);
      if (first + k * threads < end)
        sum += w[k];
    }
    sum = joined(sum, threads, 0);
    const real last = logarithm ? THMath_(log)(sum) : 1 / sum;
    THC_UNROLL
    for (int k = 0; k < EACH; k++)
      w[k] = logarithm ? v[k] - most - last : w[k] * last;
  }
  THC_UNROLL
  for (int k = 0; k < EACH; k++)
    if (first + k * threads < end)
      y[at + first + k * threads] = THC_STORE(w[k]);
}

/* --- strided sequences ---------------------------------------------------------------------- */

/* A thread for each sequence. */
__global__ static void lanes(int logarithm, const element *g, const element *x, element *y,
                             int64_t count, int64_t n, int64_t inner)
{
  THC_GRID_LOOP(i, count)
  {
    const int64_t at = i / inner * inner * n + i % inner;
    if (g)
      gradient(logarithm, g + at, x + at, y + at, n, inner, 0, 1, NULL);
    else
      forward(logarithm, x + at, y + at, n, inner, 0, 1, NULL);
  }
}

extern "C" void THCUNN_(softMax)(int logarithm, const void *g, const void *x, void *y,
                                 int64_t outer, int64_t count, int64_t inner, cudaStream_t stream)
{
  const int64_t sequences = outer * inner;
  int threads = 1;
  while (threads < 32 && 4 * threads < count)
    threads *= 2;
  const int64_t blocks = (sequences + THC_BLOCK / threads - 1) / (THC_BLOCK / threads);
#define LAUNCH(NAME)                                                                      \
  THC_LAUNCH(NAME, (unsigned)blocks, THC_BLOCK, 0, stream, logarithm, (const element *)g, \
             (const element *)x, (element *)y, sequences, (int)count, threads)
  if (inner == 1 && count <= 4 * threads && blocks <= INT32_MAX)
    LAUNCH(short_rows<4>);
  else if (inner == 1 && count <= 8 * threads && blocks <= INT32_MAX)
    LAUNCH(short_rows<8>);
  else if (inner == 1 && count <= 32 * threads && blocks <= INT32_MAX)
    LAUNCH(short_rows<32>);
  else if (inner == 1)
    THC_LAUNCH(rows, (unsigned)(sequences < INT32_MAX ? sequences : INT32_MAX), THC_BLOCK, 0,
               stream, logarithm, (const element *)g, (const element *)x, (element *)y, sequences,
               count);
  else
    THC_LAUNCH(lanes, THC_blocks(sequences), THC_BLOCK, 0, stream, logarithm, (const element *)g,
               (const element *)x, (element *)y, sequences, count, inner);
}
