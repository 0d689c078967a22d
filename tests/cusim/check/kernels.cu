/* One kernel of each kind, for GPUs and for the simulator alike. */
#include "THC/core/thc_cuda.h"

#include "kernels.h"

int check_has_race_hooks(void)
{
#ifdef __SANITIZE_THREAD__
  return 1;
#else
  return 0;
#endif
}

__global__ static void axpy(float *y, float a, const float *x, ptrdiff_t n)
{
  THC_GRID_LOOP(i, n)
  y[i] += a * x[i];
}

cudaError_t check_axpy(float *y, float a, const float *x, ptrdiff_t n, cudaStream_t stream)
{
  THC_LAUNCH(axpy, THC_blocks(n), THC_BLOCK, 0, stream, y, a, x, n);
  return cudaGetLastError();
}

__global__ static void axpy4(float4 *y, float a, const float4 *x, ptrdiff_t n)
{
  THC_GRID_LOOP(i, n)
  {
    const float4 from = x[i];
    float4 to = y[i];
    to.x += a * from.x;
    to.y += a * from.y;
    to.z += a * from.z;
    to.w += a * from.w;
    y[i] = to;
  }
}

cudaError_t check_axpy4(float *y, float a, const float *x, ptrdiff_t n, cudaStream_t stream)
{
  THC_LAUNCH(axpy4, THC_blocks(n / 4), THC_BLOCK, 0, stream, (float4 *)y, a, (const float4 *)x,
             n / 4);
  return cudaGetLastError();
}

__global__ static void sum_shuffled(float *sum, const float *x, ptrdiff_t n)
{
  float own = 0;
  THC_GRID_LOOP(i, n)
  own += x[i];
  for (int step = 16; step > 0; step /= 2)
    own += __shfl_down_sync(0xFFFFFFFFu, own, step);
  if (threadIdx.x % warpSize == 0)
    atomicAdd(sum, own);
}

cudaError_t check_sum(float *sum, const float *x, ptrdiff_t n, cudaStream_t stream)
{
  const unsigned blocks = THC_blocks(n);
  THC_LAUNCH(sum_shuffled, blocks < 64 ? blocks : 64, THC_BLOCK, 0, stream, sum, x, n);
  return cudaGetLastError();
}

__global__ static void tree(double *sums, const float *x, ptrdiff_t n)
{
  THC_DYNAMIC_SHARED(double, part);
  const ptrdiff_t i = (ptrdiff_t)blockIdx.x * 1024 + threadIdx.x;
  double own = 0;
  for (int k = 0; k < 4; k++)
    if (i + k * 256 < n)
      own += x[i + k * 256];
  part[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

cudaError_t check_tree(double *sums, const float *x, ptrdiff_t n, cudaStream_t stream)
{
  THC_LAUNCH(tree, (unsigned)((n + 1023) / 1024), 256, 256 * sizeof(double), stream, sums, x, n);
  return cudaGetLastError();
}

__global__ static void histogram(unsigned *counts, const uint8_t *x, ptrdiff_t n)
{
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  THC_GRID_LOOP(i, n)
  atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  if (own[threadIdx.x])
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

cudaError_t check_histogram(unsigned counts[256], const uint8_t *x, ptrdiff_t n,
                            cudaStream_t stream)
{
  THC_LAUNCH(histogram, 7, 256, 0, stream, counts, x, n);
  return cudaGetLastError();
}

__global__ static void transpose(float *r, const float *x, int m, int n)
{
  __shared__ float tile[32][33];
  for (int k = threadIdx.y; k < 32; k += blockDim.y) {
    const int row = blockIdx.y * 32 + k, column = blockIdx.x * 32 + threadIdx.x;
    if (row < m && column < n)
      tile[k][threadIdx.x] = x[(ptrdiff_t)row * n + column];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += blockDim.y) {
    const int row = blockIdx.x * 32 + k, column = blockIdx.y * 32 + threadIdx.x;
    if (row < n && column < m)
      r[(ptrdiff_t)row * m + column] = tile[threadIdx.x][k];
  }
}

cudaError_t check_transpose(float *r, const float *x, int m, int n, cudaStream_t stream)
{
  const dim3 grid((n + 31) / 32, (m + 31) / 32), block(32, 8);
  THC_LAUNCH(transpose, grid, block, 0, stream, r, x, m, n);
  return cudaGetLastError();
}

__global__ static void double_half(THHalf *r, const THHalf *x, ptrdiff_t n)
{
  THC_GRID_LOOP(i, n)
  r[i] = THC_floatToHalf(2 * THC_halfToFloat(x[i]));
}

cudaError_t check_double_half(THHalf *r, const THHalf *x, ptrdiff_t n, cudaStream_t stream)
{
  THC_LAUNCH(double_half, THC_blocks(n), THC_BLOCK, 0, stream, r, x, n);
  return cudaGetLastError();
}

__global__ static void warp_operations(uint32_t *found)
{
  const unsigned all = 0xFFFFFFFFu, lane = threadIdx.x % 32;
  uint32_t *own = found + threadIdx.x * CHECK_WARP_VALUES;
  own[0] = __shfl_sync(all, lane * 10, 5);
  own[1] = __shfl_sync(all, lane * 10, 5, 8);
  own[2] = __shfl_up_sync(all, lane * 10, 3u);
  own[3] = __shfl_down_sync(all, lane * 10, 3u, 16);
  own[4] = __shfl_xor_sync(all, lane * 10, 12);
  own[5] = __ballot_sync(all, lane % 3 == 0);
  own[6] = __any_sync(all, lane == 7 && threadIdx.x < 32);
  own[7] = __all_sync(all, lane < 32);
  own[8] = __match_any_sync(all, lane % 4);
  own[9] = __reduce_add_sync(all, lane);
  own[10] = __syncthreads_count(threadIdx.x % 5 == 0);
  own[11] = __syncthreads_or(threadIdx.x == 40);
  own[12] = __syncthreads_and(threadIdx.x != 40);
  /* Two parts of a warp, each by itself. */
  if (lane < 16)
    own[13] = (uint32_t)__shfl_xor_sync(0x0000FFFFu, (double)lane, 15);
  else
    own[13] = __shfl_xor_sync(0xFFFF0000u, lane, 1);
  __syncwarp();
}

cudaError_t check_warp(uint32_t *found, cudaStream_t stream)
{
  THC_LAUNCH(warp_operations, 1, 64, 0, stream, found);
  return cudaGetLastError();
}

#define DEFINE_COUNT(Real, real)                                 \
  __global__ static void count##Real(real *sums, real one)       \
  {                                                              \
    for (int i = 0; i < 7; i++)                                  \
      THC_atomicAdd(&sums[(i + threadIdx.x) % 7], one);          \
  }                                                              \
  cudaError_t check_count##Real(real *sums, cudaStream_t stream) \
  {                                                              \
    THC_LAUNCH(count##Real, 10, 100, 0, stream, sums, (real)1);  \
    return cudaGetLastError();                                   \
  }
CHECK_FOR_EACH_TYPE(DEFINE_COUNT)

__global__ static void countHalf(THHalf *sums)
{
  for (int i = 0; i < 7; i++)
    THC_atomicAdd(&sums[(i + threadIdx.x) % 7], THC_floatToHalf(1));
}

cudaError_t check_countHalf(THHalf *sums, cudaStream_t stream)
{
  THC_LAUNCH(countHalf, 10, 100, 0, stream, sums);
  return cudaGetLastError();
}
