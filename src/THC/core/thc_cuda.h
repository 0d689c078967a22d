/* The layer between kernels and the compiler: nvcc, or g++ for the simulator.  Every .cu file
 * includes this header first.
 *
 *     #include "thc_cuda.h"
 *
 *     __global__ static void fill(float *r, ptrdiff_t n, float value)
 *     {
 *       THC_GRID_LOOP(i, n)
 *         r[i] = value;
 *     }
 *
 *     extern "C" cudaError_t THCKernel_fill(float *r, ptrdiff_t n, float value, cudaStream_t
 * stream)
 *     {
 *       if (n > 0)
 *         THC_LAUNCH(fill, THC_blocks(n), THC_BLOCK, 0, stream, r, n, value);
 *       return cudaGetLastError();
 *     }
 *
 * nvcc compiles such a file for the GPU.  With TH_CUDA_SIM, g++ compiles it for the simulator of
 * tests/cusim, which runs kernels on the CPU.  So that both compilers take the same source, kernels
 * contain no inline PTX, and launch and use dynamic shared memory only through the macros here.
 * __shared__ variables are declared in functions that are no templates: g++ before 14 ignores the
 * section of a template's variable, and the simulator finds shared memory by its section. */
#ifndef THC_CUDA_H
#define THC_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef TH_CUDA_SIM
#include "cusim.h"
#else
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#endif

#include "THHalf.h"
#include "THC/walk/thc_walk.h"

/* --- launches ----------------------------------------------------------------------------- */

/* THC_LAUNCH(kernel, grid, block, dynamic, stream, arguments...): grid and block are numbers or
 * dim3, dynamic is the number of bytes of dynamic shared memory.  Errors are left to
 * cudaGetLastError. */
#ifdef TH_CUDA_SIM
#define THC_LAUNCH CUSIM_LAUNCH
#else
#define THC_LAUNCH(kernel, grid, block, dynamic, stream, ...) \
  kernel<<<(grid), (block), (dynamic), (stream)>>>(__VA_ARGS__)
#endif

/* Threads of a block, unless a kernel has a reason for another number. */
#define THC_BLOCK 256

/* Blocks for n > 0 elements with a thread each, limited to the largest first dimension of a grid.
 * THC_GRID_LOOP covers the elements beyond that limit. */
static inline unsigned THC_blocks(ptrdiff_t n)
{
  const ptrdiff_t blocks = (n + THC_BLOCK - 1) / THC_BLOCK;
  return blocks < INT32_MAX ? (unsigned)blocks : (unsigned)INT32_MAX;
}

/* Grid-stride loop: i takes each index below n that belongs to this thread. */
#define THC_GRID_LOOP(i, n)                                            \
  THC_ROLL                                                             \
  for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x, \
                 thc_step = (ptrdiff_t)gridDim.x * blockDim.x;         \
       i < (n); i += thc_step)

/* Before a short loop over a thread's local array: unrolled, the array stays in registers. */
#ifdef TH_CUDA_SIM
#define THC_UNROLL
#else
#define THC_UNROLL _Pragma("unroll")
#endif

/* --- shared memory ------------------------------------------------------------------------ */

/* THC_DYNAMIC_SHARED(float, sums); declares float *sums, the block's dynamic shared memory. */
#ifdef TH_CUDA_SIM
#define THC_DYNAMIC_SHARED(type, name) type *name = (type *)cusim_dynamic_shared()
#else
#define THC_DYNAMIC_SHARED(type, name)                                \
  extern __shared__ __align__(16) unsigned char thc_dynamic_shared[]; \
  type *name = (type *)thc_dynamic_shared
#endif

/* --- half --------------------------------------------------------------------------------- */

/* A THHalf has the same bits as CUDA's __half.  Arithmetic is done in float. */
static __device__ __forceinline__ __half THC_native(THHalf h)
{
  return __ushort_as_half(h.x);
}

static __device__ __forceinline__ THHalf THC_fromNative(__half h)
{
  THHalf result;
  result.x = __half_as_ushort(h);
  return result;
}

static __device__ __forceinline__ float THC_halfToFloat(THHalf h)
{
  return __half2float(THC_native(h));
}

static __device__ __forceinline__ THHalf THC_floatToHalf(float f)
{
  return THC_fromNative(__float2half_rn(f));
}

/* --- atomic functions for types without CUDA atomics --------------------------------------- */

/* atomicCAS for a byte.  On a GPU the compare-and-swap is on the word around the byte, and is
 * repeated when only other bytes of the word changed. */
static __device__ inline unsigned char THC_atomicCASByte(unsigned char *address,
                                                         unsigned char expected,
                                                         unsigned char value)
{
#ifdef TH_CUDA_SIM
  return atomicCAS(address, expected, value);
#else
  unsigned *word = (unsigned *)((uintptr_t)address & ~(uintptr_t)3);
  const unsigned shift = (unsigned)((uintptr_t)address & 3) * 8;
  unsigned old = *(volatile unsigned *)word;
  for (;;) {
    const unsigned char byte = (unsigned char)(old >> shift);
    if (byte != expected)
      return byte;
    const unsigned assumed = old;
    old = atomicCAS(word, assumed, (assumed & ~(0xFFu << shift)) | (unsigned)value << shift);
    if (old == assumed)
      return expected;
  }
#endif
}

/* THC_atomicAdd(address, value) adds and returns the old value; for each element type. */
static __device__ inline unsigned char THC_atomicAdd(unsigned char *address, unsigned char value)
{
  unsigned char old = *(volatile unsigned char *)address, assumed;
  do {
    assumed = old;
    old = THC_atomicCASByte(address, assumed, (unsigned char)(assumed + value));
  } while (old != assumed);
  return old;
}

static __device__ inline signed char THC_atomicAdd(signed char *address, signed char value)
{
  return (signed char)THC_atomicAdd((unsigned char *)address, (unsigned char)value);
}

static __device__ inline char THC_atomicAdd(char *address, char value)
{
  return (char)THC_atomicAdd((unsigned char *)address, (unsigned char)value);
}

static __device__ inline int16_t THC_atomicAdd(int16_t *address, int16_t value)
{
  unsigned short *bits = (unsigned short *)address, old = *(volatile unsigned short *)bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, (unsigned short)(assumed + (unsigned short)value));
  } while (old != assumed);
  return (int16_t)old;
}

static __device__ inline int32_t THC_atomicAdd(int32_t *address, int32_t value)
{
  return atomicAdd(address, value);
}

static __device__ inline int64_t THC_atomicAdd(int64_t *address, int64_t value)
{
  return (int64_t)atomicAdd((unsigned long long *)address, (unsigned long long)value);
}

static __device__ inline float THC_atomicAdd(float *address, float value)
{
  return atomicAdd(address, value);
}

static __device__ inline double THC_atomicAdd(double *address, double value)
{
  return atomicAdd(address, value);
}

static __device__ inline THHalf THC_atomicAdd(THHalf *address, THHalf value)
{
  return THC_fromNative(atomicAdd((__half *)address, THC_native(value)));
}

#endif
