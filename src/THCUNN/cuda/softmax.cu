/* Kernels of SoftMax and LogSoftMax.
 *
 * The largest element is taken off first, so that nothing overflows.  A NaN, or only infinities,
 * make a whole sequence NaN. */
#include "thcunn_template.h"

/* What thread `first` of `threads` does for a sequence; with room, threads of a block share it. */
THC_DEVICE real together(real value, real *room, int largest)
{
  return room ? block_reduce(value, room, largest) : value;
}

THC_DEVICE void forward(int logarithm, const element *x, element *y, int64_t n, int64_t step,
                        int64_t first, int64_t threads, real *room)
{
  real most = -(real)INFINITY, sum = 0;
  for (int64_t i = first; i < n; i += threads)
    most = THC_LOAD(x[i * step]) > most ? THC_LOAD(x[i * step]) : most;
  most = together(most, room, 1);
  for (int64_t i = first; i < n; i += threads)
    sum += THMath_(exp)(THC_LOAD(x[i * step]) - most);
  sum = together(sum, room, 0);
  const real last = logarithm ? THMath_(log)(sum) : 1 / sum;
  for (int64_t i = first; i < n; i += threads) {
    const real z = THC_LOAD(x[i * step]) - most;
    y[i * step] = THC_STORE(logarithm ? z - last : THMath_(exp)(z) * last);
  }
}

THC_DEVICE void gradient(int logarithm, const element *g, const element *y, element *d, int64_t n,
                         int64_t step, int64_t first, int64_t threads, real *room)
{
  real sum = 0;
  for (int64_t i = first; i < n; i += threads)
    sum += logarithm ? THC_LOAD(g[i * step]) : THC_LOAD(g[i * step]) * THC_LOAD(y[i * step]);
  sum = together(sum, room, 0);
  for (int64_t i = first; i < n; i += threads) {
    const real gi = THC_LOAD(g[i * step]), yi = THC_LOAD(y[i * step]);
    d[i * step] = THC_STORE(logarithm ? gi - THMath_(exp)(yi) * sum : yi * (gi - sum));
  }
}

/* A block for each sequence that lies in one piece. */
__global__ static void rows(int logarithm, const element *g, const element *x, element *y,
                            int64_t count, int64_t n)
{
  __shared__ real room[THC_BLOCK];
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x)
    if (g)
      gradient(logarithm, g + i * n, x + i * n, y + i * n, n, 1, threadIdx.x, blockDim.x, room);
    else
      forward(logarithm, x + i * n, y + i * n, n, 1, threadIdx.x, blockDim.x, room);
}

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
  if (inner == 1 && count >= 64)
    THC_LAUNCH(rows, (unsigned)(sequences < INT32_MAX ? sequences : INT32_MAX), THC_BLOCK, 0,
               stream, logarithm, (const element *)g, (const element *)x, (element *)y, sequences,
               count);
  else
    THC_LAUNCH(lanes, THC_blocks(sequences), THC_BLOCK, 0, stream, logarithm, (const element *)g,
               (const element *)x, (element *)y, sequences, count, inner);
}
