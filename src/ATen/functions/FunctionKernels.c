/* The kernels of src/ops/functions.h: loops over adjacent elements. */
#include <math.h>

#include "THVectorMath.h"

#include "THTemplate.h"

#include "TH/simd/THElement.h"
#include "functions.h"

/* Rows that call the C library stay scalar. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define AT_ELEMENT static inline /* a call of one costs little against what it computes */
#include "specialElements.h"
#undef AT_ELEMENT
#define AT_ELEMENT TH_MATH
#include "functionElements.h"

#define INPUTS_1 TH_UNUSED const real x = at1[i];
#define INPUTS_2 INPUTS_1 TH_UNUSED const real y = at2[i];
#define INPUTS_3 INPUTS_2 TH_UNUSED const real z = at3[i];

/* Copies, which the stores to r cannot change. */
#define OPERANDS                                        \
  real *r = (real *)run->at[0];                         \
  TH_UNUSED const real *at1 = (const real *)run->at[1]; \
  TH_UNUSED const real *at2 = (const real *)run->at[2]; \
  TH_UNUSED const real *at3 = (const real *)run->at[3]; \
  const ptrdiff_t n = run->n;                           \
  const at_function_scalars *s = scalars;               \
  TH_UNUSED const real a = (real)s->a, b = (real)s->b, c = (real)s->c;

#define KERNEL(INPUTS, NAME, EXPRESSION)                                     \
  TH_UNUSED static void NAME##_kernel(const THRun *run, const void *scalars) \
  {                                                                          \
    OPERANDS                                                                 \
    TH_PRAGMA(omp simd) for (ptrdiff_t i = 0; i < n; i++)                    \
    {                                                                        \
      INPUTS_##INPUTS r[i] = EXPRESSION;                                     \
    }                                                                        \
  }
AT_FOR_EACH_FUNCTION(KERNEL)

#ifdef TH_REAL_IS_FLOAT
#include "FunctionsAvx512.h"
#endif

/* A function's WIDE_ replacement if it has one, else the loop above. */
#define SECOND(FIRST, SECOND_ONE, ...) SECOND_ONE
#define SECOND_OF(...)                 SECOND(__VA_ARGS__)
#define CHOSEN(NAME)                   SECOND_OF(WIDE_##NAME, NAME##_kernel, )

#define ENTRY(INPUTS, NAME, ...) [AT_FUNCTION_##NAME] = CHOSEN(NAME),
const THKernel TH_LEVEL_(TH_CONCAT_2(at_functionKernels, Real))[AT_FUNCTION_COUNT] = {
    AT_FOR_EACH_FUNCTION(ENTRY)};
