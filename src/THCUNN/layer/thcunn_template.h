/* Included first by THCUNN's kernels: element types (thc_math.h), indices, and sums of a block. */
#ifndef THCUNN_CU_TEMPLATE_H
#define THCUNN_CU_TEMPLATE_H

#include "THC/pointwise/thc_math.h"

#include "thcunn_kernels.h"

#define THCUNN_(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

/* --- indices of elements -------------------------------------------------------------------- */

enum { MOST_DIGITS = 7 };

/* Splits the row-major index of an element into one digit for each dimension, innermost first.  The
 * quotient that remains is the index in the outer dimensions. */
typedef struct Digits {
  int narrow; /* all indices are below 2^31 */
  int64_t size[MOST_DIGITS];
  THCDivisor divisor[MOST_DIGITS];
} Digits;

/* Of indices below count; n sizes, innermost first. */
static inline Digits digits_of(int64_t count, int n, const int64_t *size)
{
  Digits digits = {};
  digits.narrow = count <= INT32_MAX;
  for (int k = 0; k < n; k++) {
    digits.size[k] = size[k];
    if (digits.narrow && count > 0)
      digits.divisor[k] = THCDivisor_of((uint32_t)size[k]);
  }
  return digits;
}

/* Returns digit k of *number and divides *number by its size. */
THC_DEVICE int64_t digit_of(const Digits &digits, int k, int64_t *number)
{
  const int64_t rest = digits.narrow
                           ? (int64_t)THCDivisor_divide(&digits.divisor[k], (uint32_t)*number)
                           : *number / digits.size[k];
  const int64_t digit = *number - rest * digits.size[k];
  *number = rest;
  return digit;
}

/* --- sums of blocks ------------------------------------------------------------------------- */

/* The sum, or the maximum, of the values of a block's THC_BLOCK threads; all threads get it. */
template <class T>
static __device__ inline T block_reduce(T value, T *room, int largest)
{
  room[threadIdx.x] = value;
  __syncthreads();
  for (int rest = THC_BLOCK / 2; rest > 0; rest /= 2) {
    if (threadIdx.x < (unsigned)rest) {
      const T other = room[threadIdx.x + rest];
      if (largest)
        room[threadIdx.x] = other > room[threadIdx.x] ? other : room[threadIdx.x];
      else
        room[threadIdx.x] += other;
    }
    __syncthreads();
  }
  const T result = room[0];
  __syncthreads(); /* before room is used again */
  return result;
}

/* The terms begin ... end - 1 of a block's part of a sum: line blockIdx.x / parts of as many parts. */
typedef struct Part {
  int64_t line, number, begin, end;
} Part;

THC_DEVICE Part part_of(int64_t block, int64_t parts, int64_t length)
{
  const int64_t line = block / parts, number = block - line * parts;
  const int64_t size = (length + parts - 1) / parts, begin = number * size;
  const Part part = {line, number, begin < length ? begin : length,
                     begin + size < length ? begin + size : length};
  return part;
}

/* The sum of every second of the numbers of a line's parts, for all threads of a block. */
static __device__ inline double join_parts(const double *sums, int64_t parts, double *room)
{
  double sum = 0;
  for (int64_t p = threadIdx.x; p < parts; p += THC_BLOCK)
    sum += sums[2 * p];
  return block_reduce(sum, room, 0);
}

#endif
