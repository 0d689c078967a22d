/* The pointwise operations of src/ops/pointwise.h as functions on arrays. */
#include "THTemplate.h"

#include "THKernel.h"
#include "THPointwise.h"

/* Declares the kernels of the rows, at each level; not every type has all rows. */
#define ROW(TYPES, COST, NAME, ...) \
  extern const THPointwiseKernel *const THTensor_(pointwise_##NAME)[];
#include "ops/pointwise.h"

#define CALL(OP, N, R, X, Y, C)                                                        \
  do {                                                                                 \
    const real scalars[2] = {C};                                                       \
    (*TH_DISPATCHED(THTensor_(pointwise_##OP)))((N), (R), (X), (Y), NULL, scalars, 0); \
  } while (0)

/* clang-format off */
#define ONE(NAME) void THVector_(NAME)(real *y, const real *x, const ptrdiff_t n) { CALL(NAME, n, y, x, NULL, 0); }

#define ONE_AND_SCALAR(NAME, OP)                                                                                \
  void THVector_(NAME)(real *y, const real *x, const real c, const ptrdiff_t n) { CALL(OP, n, y, x, NULL, c); }
/* clang-format on */

static void THVector_(checkDivisors)(const real *y, ptrdiff_t n, int argument)
{
#if !defined(TH_REAL_IS_FLOAT) && !defined(TH_REAL_IS_DOUBLE)
  for (ptrdiff_t i = 0; i < n; i++)
    THArgCheck(y[i] != 0, argument, "integer division by 0, element %td of the divisors", i);
#endif
}

void THVector_(fill)(real *x, const real c, const ptrdiff_t n)
{
  CALL(fill, n, x, NULL, NULL, c);
}

void THVector_(copy)(real *y, const real *x, const ptrdiff_t n)
{
  if (n > 0)
    memmove(y, x, (size_t)n * sizeof(real));
}

void THVector_(cadd)(real *z, const real *x, const real *y, const real c, const ptrdiff_t n)
{
  CALL(cadd, n, z, x, y, c);
}

void THVector_(cmul)(real *z, const real *x, const real *y, const ptrdiff_t n)
{
  CALL(cmul, n, z, x, y, 0);
}

void THVector_(cdiv)(real *z, const real *x, const real *y, const ptrdiff_t n)
{
  THVector_(checkDivisors)(y, n, 3);
  CALL(cdiv, n, z, x, y, 0);
}

void THVector_(divs)(real *y, const real *x, const real c, const ptrdiff_t n)
{
  THVector_(checkDivisors)(&c, 1, 3);
  CALL(div, n, y, x, NULL, c);
}

ONE_AND_SCALAR(adds, add)
ONE_AND_SCALAR(muls, mul)
ONE(neg)
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
ONE(abs)
#endif

void THVector_(normal_fill)(real *data, const int64_t size, struct THGenerator *generator,
                            const real mean, const real stddev)
{
  if (size <= 0)
    return;
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  THGuard ofStorage, ofTensor;
  THGuard_enter(&ofStorage, (THUndo)THStorage_(free));
  THStorage *storage = ofStorage.what = THStorage_(newWithData)(data, size);
  THStorage_(clearFlag)(storage, TH_STORAGE_FREEMEM);
  THGuard_enter(&ofTensor, (THUndo)THTensor_(free));
  THTensor *tensor = ofTensor.what = THTensor_(newWithStorage1d)(storage, 0, size, 1);
  THTensor_(normal)(tensor, generator, mean, stddev);
  THGuard_leave(&ofTensor);
  THGuard_leave(&ofStorage);
#else
  for (int64_t i = 0; i < size; i++)
    data[i] = (real)(int64_t)THRandom_normal(generator, mean, stddev);
#endif
}

void THVector_(vectorDispatchInit)(void)
{
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
ONE(exp)
ONE(expm1)
ONE(log)
ONE(log1p)
ONE(sigmoid)
ONE(sin)
ONE(cos)
ONE(tan)
ONE(asin)
ONE(acos)
ONE(atan)
ONE(sinh)
ONE(cosh)
ONE(tanh)
ONE(erf)
ONE(erfinv)
ONE(lgamma)
ONE(digamma)
ONE(trigamma)
ONE(sqrt)
ONE(rsqrt)
ONE(cinv)
ONE(ceil)
ONE(floor)
ONE(round)
ONE(trunc)
ONE(frac)
ONE_AND_SCALAR(pow, pow)
#endif
