/* The tables of LAPACK's functions on memory of a device. */
#include "THCDeviceLapack.h"

#include "THC/core/THCPrivate.h"

#include "THCBlas.h"
#include "THCProduct.h"
#include "THCSolver.h"

/* Ends a call with scratch: what a guard holds is freed before the solver is left. */
static void leave(THGuard *memory, THCSolver *solver)
{
  THGuard_leave(memory);
  THCSolver_leave(solver);
}

/* A call with scratch: how much it asks for, and the call itself, in which work and size are the scratch. */
#define WITH_WORK(BUFFER, ASKED, NAME, ...)                                   \
  do {                                                                        \
    THCSolver solver;                                                         \
    THGuard memory;                                                           \
    int size = 0;                                                             \
    THCSolver_open(&solver);                                                  \
    THC_SOLVE(&solver, BUFFER, UNPACK ASKED, &size);                          \
    T *const work = THC_scratch(&memory, (size_t)THMax(size, 1) * sizeof(T)); \
    THC_SOLVE(&solver, NAME, __VA_ARGS__);                                    \
    leave(&memory, &solver);                                                  \
  } while (0)
#define UNPACK(...) __VA_ARGS__

static cublasFillMode_t triangle_of(int upper)
{
  return upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}

#define T      float
#define LETTER S
#define TYPE   CUDA_R_32F
#include "THCDeviceLapackOf.h"

#define T      double
#define LETTER D
#define TYPE   CUDA_R_64F
#include "THCDeviceLapackOf.h"

#define T      cuComplex
#define LETTER C
#define TYPE   CUDA_C_32F
#define PART   float
#include "THCDeviceLapackOf.h"

#define T      cuDoubleComplex
#define LETTER Z
#define TYPE   CUDA_C_64F
#define PART   double
#include "THCDeviceLapackOf.h"

const THCDeviceLapack *THCDeviceLapack_of(int isDouble, int isComplex)
{
  static const THCDeviceLapack *const tables[2][2] = {{&tableS, &tableC}, {&tableD, &tableZ}};
  return tables[isDouble != 0][isComplex != 0];
}
