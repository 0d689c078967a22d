/* The first line of THCUNN's kernels: numbers to compute with (thc_math.h), and sums of a block. */
#ifndef THCUNN_CU_TEMPLATE_H
#define THCUNN_CU_TEMPLATE_H

#include "thc_math.h"

#include "thcunn_kernels.h"

#define THCUNN_(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

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
