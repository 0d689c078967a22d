/* Included first by the files of the kernels of kernels.h, which are compiled for Float and Double:
 * element types and functions (thc_math.h), sums of lines, and launchers. */
#ifndef ATEN_CUDA_KERNEL_H
#define ATEN_CUDA_KERNEL_H

#include "THC/pointwise/thc_math.h"

#include "kernels.h"

/* AT_LAUNCHER(name, work type) { ... work, stream ... } defines the launcher of a kernel. */
#define AT_LAUNCHER(NAME, WORK)                                                               \
  static void NAME##_launch(const WORK *work, cudaStream_t stream);                           \
  extern "C" void TH_CONCAT_4(at_cuda_, NAME, _, Real)(const void *work, cudaStream_t stream) \
  {                                                                                           \
    NAME##_launch((const WORK *)work, stream);                                                \
  }                                                                                           \
  static void NAME##_launch(const WORK *work, cudaStream_t stream)

/* Reports that a value, at that position of an argument, is not one of first ... last. */
THC_DEVICE void at_report(THCReport report, int arg, int64_t first, int64_t last, int64_t at,
                          int64_t value)
{
  report.fault.arg = arg;
  report.fault.first = first;
  report.fault.last = last;
  THC_report(report, THC_FAULT_RANGE, at, value);
}

/* The sum, or the largest, of a value over the WIDTH threads that work together: a warp, or a whole
 * block of THC_BLOCK.  All of them get it.  shared has a value for each warp. */
template <int WIDTH, bool LARGEST>
THC_DEVICE real at_line_reduce(real value, real *shared)
{
  for (int offset = 16; offset > 0; offset /= 2) {
    const real other = __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    value = LARGEST ? (other > value ? other : value) : value + other;
  }
  if (WIDTH == 32)
    return value;
  __syncthreads(); /* shared may still be read */
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[0];
  for (int w = 1; w < WIDTH / 32; w++)
    value = LARGEST ? (shared[w] > value ? shared[w] : value) : value + shared[w];
  return value;
}

/* Lines up to so many elements are those of a warp; longer ones of a block. */
enum { AT_WARP_LINE = 1024, AT_WARPS = THC_BLOCK / 32 };

/* A loop over the lines of this warp or block: line takes each of count. */
#define AT_EACH_LINE(line, count)                                                  \
  THC_ROLL                                                                         \
  for (ptrdiff_t line = ((ptrdiff_t)blockIdx.x * THC_BLOCK + threadIdx.x) / WIDTH, \
                 step = (ptrdiff_t)gridDim.x * (THC_BLOCK / WIDTH);                \
       line < (count); line += step)

/* The blocks for that. */
static inline unsigned at_line_blocks(ptrdiff_t count, ptrdiff_t length)
{
  return THC_blocks(count * (length <= AT_WARP_LINE ? 32 : THC_BLOCK));
}

#endif
