/* The first line of THCUNN's kernels: thc_template.h, numbers to compute with, and sums of a block.
 * An element is stored as `stored` and computed with as `real`: float, or double. */
#ifndef THCUNN_CU_TEMPLATE_H
#define THCUNN_CU_TEMPLATE_H

#include "thc_template.h"

#include "thcunn_kernels.h"

#define THCUNN_(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

typedef real stored;
#ifdef TH_REAL_IS_HALF
#undef real
#define real float
THC_DEVICE real from(stored x)
{
  return THC_halfToFloat(x);
}
THC_DEVICE stored to(real x)
{
  return THC_floatToHalf(x);
}
#else
THC_DEVICE real from(stored x)
{
  return x;
}
THC_DEVICE stored to(real x)
{
  return x;
}
#endif

/* The sum, or the largest, of the value that each thread of a block of THC_BLOCK has; in all of
 * them. */
static __device__ inline real block_reduce(real value, real *room, int largest)
{
  room[threadIdx.x] = value;
  __syncthreads();
  for (int rest = THC_BLOCK / 2; rest > 0; rest /= 2) {
    if (threadIdx.x < (unsigned)rest) {
      const real other = room[threadIdx.x + rest];
      if (largest)
        room[threadIdx.x] = other > room[threadIdx.x] ? other : room[threadIdx.x];
      else
        room[threadIdx.x] += other;
    }
    __syncthreads();
  }
  const real result = room[0];
  __syncthreads(); /* before room is used again */
  return result;
}

#endif
