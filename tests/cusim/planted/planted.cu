/* See planted.h. */
#include "THC/core/thc_cuda.h"

#include "planted.h"

const char *planted_mode(void)
{
#if defined(__SANITIZE_ADDRESS__)
  return "asan";
#elif defined(__SANITIZE_THREAD__)
  return "race";
#else
  return "plain";
#endif
}

enum { N = 256 };

/* The last thread writes one element too far. */
__global__ static void global_bounds(float *x, int wrong)
{
  x[threadIdx.x + (wrong && threadIdx.x == N - 1)] = 1;
}

void planted_global_bounds(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(global_bounds, 1, N, 0, stream, x, wrong);
}

__global__ static void shared_bounds(float *x, int wrong)
{
  __shared__ float own[N];
  float *at = own;
  at[threadIdx.x + (wrong && threadIdx.x == N - 1)] = 1;
  __syncthreads();
  x[threadIdx.x] = own[N - 1 - threadIdx.x];
}

void planted_shared_bounds(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(shared_bounds, 1, N, 0, stream, x, wrong);
}

__global__ static void dynamic_bounds(float *x, int wrong)
{
  THC_DYNAMIC_SHARED(float, own);
  own[threadIdx.x + (wrong && threadIdx.x == N - 1)] = 1;
  __syncthreads();
  x[threadIdx.x] = own[N - 1 - threadIdx.x];
}

void planted_dynamic_bounds(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(dynamic_bounds, 1, N, N * sizeof(float), stream, x, wrong);
}

/* Reads what another thread has written, with or without a barrier between. */
__global__ static void barrier(float *x, int wrong)
{
  __shared__ float own[N];
  own[threadIdx.x] = 1;
  if (!wrong)
    __syncthreads();
  x[threadIdx.x] = own[(threadIdx.x + 64) % N];
}

void planted_barrier(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(barrier, 1, N, 0, stream, x, wrong);
}

/* Reads what another thread of the warp has written, with or without a barrier of the warp between. */
__global__ static void warp_barrier(float *x, int wrong)
{
  __shared__ float own[N];
  own[threadIdx.x] = 1;
  if (!wrong)
    __syncwarp();
  x[threadIdx.x] = own[threadIdx.x ^ 1];
}

void planted_warp_barrier(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(warp_barrier, 1, N, 0, stream, x, wrong);
}

__global__ static void count(float *x, int wrong)
{
  if (wrong)
    x[threadIdx.x % 4] += 1;
  else
    atomicAdd(&x[threadIdx.x % 4], 1.0f);
}

void planted_atomic(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(count, 1, N, 0, stream, x, wrong);
}

/* Blocks write their own part, or parts that overlap by one element. */
__global__ static void parts(float *x, int wrong)
{
  const unsigned i = blockIdx.x * 64 + threadIdx.x;
  if (i < N && threadIdx.x < 64 + wrong)
    x[i] = 1;
}

void planted_blocks(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(parts, N / 64, 96, 0, stream, x, wrong);
}

__global__ static void divergent(float *x, int wrong)
{
  if (wrong && threadIdx.x == 77)
    return;
  __syncthreads();
  x[threadIdx.x] = 1;
}

void planted_divergent(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(divergent, 1, N, 0, stream, x, wrong);
}

__global__ static void two_barriers(float *x, int wrong)
{
  if (wrong && threadIdx.x >= 128)
    __syncthreads();
  else
    __syncthreads();
  x[threadIdx.x] = 1;
}

void planted_two_barriers(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(two_barriers, 1, N, 0, stream, x, wrong);
}

/* Half of the warp shuffles with a mask that names all of it. */
__global__ static void mask(float *x, int wrong)
{
  float value = (float)threadIdx.x;
  if (threadIdx.x % 32 < 16)
    value = __shfl_xor_sync(wrong ? 0xFFFFFFFFu : 0x0000FFFFu, value, 1);
  x[threadIdx.x] = value;
}

void planted_mask(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(mask, 1, N, 0, stream, x, wrong);
}

/* Takes the value of a lane that the mask does not name. */
__global__ static void lane(float *x, int wrong)
{
  float value = (float)threadIdx.x;
  if (threadIdx.x % 32 < 16)
    value = __shfl_sync(0x0000FFFFu, value, wrong ? 20 : 10);
  x[threadIdx.x] = value;
}

void planted_lane(int wrong, float *x, cudaStream_t stream)
{
  THC_LAUNCH(lane, 1, N, 0, stream, x, wrong);
}

__global__ static void fill(float *x, float value)
{
  x[threadIdx.x] = value;
}

void planted_fill(float *x, float value, cudaStream_t stream)
{
  THC_LAUNCH(fill, 1, N, 0, stream, x, value);
}

__global__ static void copy(float *y, const float *x)
{
  y[threadIdx.x] = x[threadIdx.x];
}

void planted_copy(float *y, const float *x, cudaStream_t stream)
{
  THC_LAUNCH(copy, 1, N, 0, stream, y, x);
}
