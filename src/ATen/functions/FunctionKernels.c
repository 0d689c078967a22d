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

typedef real Element(real x, real y, real z, real a, real b, real c);

TH_MATH void each_element(const THRun *run, const at_function_scalars *s, int inputs,
                          Element *element)
{
  /* Copies, which the stores to r cannot change. */
  real *r = (real *)run->at[0];
  const real *at1 = (const real *)run->at[1], *at2 = (const real *)run->at[2];
  const real *at3 = (const real *)run->at[3];
  const ptrdiff_t n = run->n;
  const real a = (real)s->a, b = (real)s->b, c = (real)s->c;
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    r[i] = element(at1[i], inputs > 1 ? at2[i] : 0, inputs > 2 ? at3[i] : 0, a, b, c);
}

/* clang-format off */
#define AT_FUNCTION(INPUTS, NAME, EXPRESSION)                                                    \
  TH_MATH real NAME##_element(real x, real y, real z, real a, real b, real c) { return EXPRESSION; } \
  TH_UNUSED static void NAME##_kernel(const THRun *run, const void *scalars)                     \
  { each_element(run, scalars, INPUTS, NAME##_element); }
/* clang-format on */
#include "ops/functions.h"

#ifdef TH_REAL_IS_FLOAT
#include "FunctionsAvx512.h"
#endif

/* A function's WIDE_ replacement if it has one, else the loop above. */
#define SECOND(FIRST, SECOND_ONE, ...) SECOND_ONE
#define SECOND_OF(...)                 SECOND(__VA_ARGS__)
#define CHOSEN(NAME)                   SECOND_OF(WIDE_##NAME, NAME##_kernel, )

#define AT_FUNCTION(INPUTS, NAME, ...) [AT_FUNCTION_##NAME] = CHOSEN(NAME),
const THKernel TH_LEVEL_(TH_CONCAT_2(at_functionKernels, Real))[AT_FUNCTION_COUNT] = {
#include "ops/functions.h"
};
