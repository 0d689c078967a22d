/* How kernels find the elements of strided operands.  The host makes a THCWalk; kernels take it by
 * value.
 *
 * The host finds one shape that all operands have in common, drops and merges dimensions
 * (THPlan.h), and splits large operands so that kernels compute offsets with 32 bits.  A walk is
 * packed if all operands are contiguous: kernels then move 16 bytes at a time and use only the
 * THCFlat. */
#ifndef THC_WALK_H
#define THC_WALK_H

#include <stddef.h>
#include <stdint.h>

enum {
  THC_WALK_OPERANDS = 5, /* operand 0 is the result */
  THC_WALK_DIMS = 25     /* operands with more dimensions are split */
};

#define MAX_CUTORCH_DIMS THC_WALK_DIMS
#define CUTORCH_DIM_WARNING \
  "tensor too large or too many (>" TH_STRING_OF(MAX_CUTORCH_DIMS) ") dimensions"

/* Division of numbers below 2^31 by an invariant divisor: a multiplication and a shift. */
typedef struct THCDivisor {
  uint32_t number, factor, shift;
} THCDivisor;

/* Operands without gaps. */
typedef struct THCFlat {
  ptrdiff_t count;
  void *data[THC_WALK_OPERANDS];
} THCFlat;

typedef struct THCWalk {
  THCFlat flat; /* count (below 2^31 unless packed), and the first element of each operand */
  int packed;   /* all operands are contiguous and begin at multiples of 16 bytes */
  int dims;     /* at least 1, innermost first */
  THCDivisor size[THC_WALK_DIMS];
  uint32_t stride[THC_WALK_OPERANDS][THC_WALK_DIMS]; /* in elements */
} THCWalk;

/* Device functions; and those of a struct that have a this. */
#ifdef __CUDACC__
#define THC_MEMBER __device__ __forceinline__
#define THC_DEVICE static __device__ __forceinline__
#else
#define THC_MEMBER inline
#define THC_DEVICE static inline
#endif

/* Before a loop that the compiler must not unroll: loops over dimensions and over a grid have few
 * rounds, and unrolled code costs more than it saves. */
#ifdef __CUDACC__
#define THC_ROLL _Pragma("unroll 1")
#else
#define THC_ROLL
#endif

/* The divisor for a number from 1 to 2^31. */
static inline THCDivisor THCDivisor_of(uint32_t number)
{
  uint32_t shift = 0;
  while (shift < 32 && (UINT64_C(1) << shift) < number)
    shift++;
  const uint64_t factor = ((UINT64_C(1) << 32) * ((UINT64_C(1) << shift) - number)) / number + 1;
  const THCDivisor divisor = {number, (uint32_t)factor, shift};
  return divisor;
}

/* n / divisor, for n below 2^31.  (Granlund and Montgomery, Division by invariant integers using
 * multiplication, PLDI 1994, figure 4.1) */
THC_DEVICE uint32_t THCDivisor_divide(const THCDivisor *divisor, uint32_t n)
{
  const uint32_t high = (uint32_t)((uint64_t)n * divisor->factor >> 32);
  return (high + n) >> divisor->shift;
}

/* at[k] = the offset of element i in operand k, in elements, for the first n operands. */
THC_DEVICE void THCWalk_find(const THCWalk *walk, int n, uint32_t i, uint32_t *at)
{
  for (int k = 0; k < n; k++)
    at[k] = 0;
  THC_ROLL
  for (int d = 0; d < walk->dims - 1; d++) {
    const uint32_t rest = THCDivisor_divide(&walk->size[d], i);
    const uint32_t here = i - rest * walk->size[d].number;
    for (int k = 0; k < n; k++)
      at[k] += here * walk->stride[k][d];
    i = rest;
  }
  for (int k = 0; k < n; k++)
    at[k] += i * walk->stride[k][walk->dims - 1];
}

#ifdef __cplusplus
/* THCWalk_find for the operands of at, and for a walk that may be packed. */
template <int N>
THC_DEVICE void THCWalk_offsets(const THCWalk &walk, ptrdiff_t i, ptrdiff_t (&at)[N])
{
  if (walk.packed) {
    for (int k = 0; k < N; k++)
      at[k] = i;
  } else {
    uint32_t found[N];
    THCWalk_find(&walk, N, (uint32_t)i, found);
    for (int k = 0; k < N; k++)
      at[k] = found[k];
  }
}
#endif

#endif
