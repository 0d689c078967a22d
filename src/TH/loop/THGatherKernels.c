/* Copies strided elements to contiguous memory, by their size. */
#include "THGather.h"
#include "TH/simd/THTranspose.h"

/* Compilers have vector instructions for small constant strides: a loop for each of these. */
#define SMALL_STRIDES(X) X(2) X(3) X(4)

/* r[i] = x[i * STEP] */
#define STEPPED_BY(STEP)              \
  case STEP:                          \
    TH_PRAGMA(omp simd)               \
    for (ptrdiff_t i = 0; i < n; i++) \
      r[i] = x[STEP * i];             \
    return;

/* r[j * LINES + i] = x[i * step + j] for each i < LINES */
#define WOVEN_OF(LINES)                     \
  case LINES:                               \
    TH_PRAGMA(omp simd)                     \
    for (ptrdiff_t j = 0; j < rows; j++)    \
      for (ptrdiff_t i = 0; i < LINES; i++) \
        r[LINES * j + i] = x[i * step + j]; \
    return;

#define BITS 8
#include "THGatherBits.h"
#define BITS 16
#include "THGatherBits.h"
#define BITS 32
#include "THGatherBits.h"
#define BITS 64
#include "THGatherBits.h"

const THGatherKernels TH_LEVEL_(THGather_kernels)[] = {
    {.across = {across8, across16, across32, across64},
     .stepped = {stepped8, stepped16, stepped32, stepped64}}};
