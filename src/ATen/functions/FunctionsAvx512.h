/* Activations of src/ops/functions.h for 16 floats at once, by the functions of THMathAvx512.h: they
 * replace the loops that compilers vectorise, which take two to four times as long
 * (docs/notes/functions.md).  Included by FunctionKernels.c. */
#include "TH/pointwise/THMathAvx512.h"

#ifdef TH_WIDE_LOOP

#define EACH THFloats_all

/* 1 + e^-x, infinite for x below -89 or so. */
TH_MATH THFloats wide_oneAndExp(THFloats x)
{
  return EACH(1) + THWide_exp(-x);
}

TH_MATH THFloats wide_siluSlope(THFloats x)
{
  const THFloats s = EACH(1) / wide_oneAndExp(x);
  return s * (EACH(1) + x * (EACH(1) - s));
}

TH_MATH THFloats wide_normal(THFloats x)
{
  return EACH(0.5f) * (EACH(1) + THWide_erf(x * EACH((float)M_SQRT1_2)));
}

TH_MATH THFloats wide_density(THFloats x)
{
  return THWide_exp(x * x * EACH(-0.5f)) * EACH(0.3989422804014327f); /* 1 / sqrt(2 pi) */
}

TH_MATH THFloats wide_geluTanh(THFloats x)
{
  const THFloats inner = x + EACH(0.044715f) * x * x * x;
  return THWide_tanh(EACH(0.7978845608028654f) * inner); /* sqrt(2 / pi) */
}

TH_MATH THFloats wide_geluTanhSlope(THFloats x)
{
  const THFloats t = wide_geluTanh(x);
  const THFloats inner = EACH(0.7978845608028654f) * (EACH(1) + EACH(3 * 0.044715f) * x * x);
  return EACH(0.5f) * (EACH(1) + t + x * (EACH(1) - t * t) * inner);
}

/* x min(max(x + 3, 0), 6) / 6: the error of the product with 1/6 is added, which gives the bits of the
 * quotient in less time, but for numbers near the largest ones. */
TH_MATH THFloats wide_hardSwish(THFloats x)
{
  const THFloats six = EACH(6), inverse = EACH(1 / 6.f);
  const THFloats y = x * THFloats_min(six, THFloats_max(EACH(0), x + EACH(3)));
  const THFloats q = y * inverse, rest = THFloats_negMulAdd(q, six, y);
  const THFloats sum = THFloats_orSign(THFloats_mulAdd(rest, inverse, q), x); /* -0 stays */
  return THFloats_select(THFloats_less(THFloats_abs(q), EACH(0x1p126f)), sum, q);
}

#define WIDE_KERNEL(NAME, OPERANDS, EXPRESSION)                  \
  static void wide_##NAME(const THRun *run, const void *scalars) \
  {                                                              \
    float *r = (float *)run->at[0];                              \
    const ptrdiff_t n = run->n;                                  \
    TH_WIDE_LOOP(OPERANDS, r, 0, n, EXPRESSION)                  \
  }
#define OF_X  TH_WIDE(x, run->at[1])
#define OF_XY TH_WIDE(x, run->at[1]) TH_WIDE(y, run->at[2])

/* clang-format off */
WIDE_KERNEL(gelu, OF_X, x * wide_normal(x))
WIDE_KERNEL(gelu_dx, OF_XY, x * (wide_normal(y) + y * wide_density(y)))
WIDE_KERNEL(gelu_tanh, OF_X, x * EACH(0.5f) * (EACH(1) + wide_geluTanh(x)))
WIDE_KERNEL(gelu_tanh_dx, OF_XY, x * wide_geluTanhSlope(y))
WIDE_KERNEL(silu, OF_X, x / wide_oneAndExp(x))
WIDE_KERNEL(silu_dx, OF_XY, x * wide_siluSlope(y))
WIDE_KERNEL(hardswish, OF_X, wide_hardSwish(x))
WIDE_KERNEL(ndtr, OF_X, wide_normal(x))
/* clang-format on */
#undef OF_X
#undef OF_XY
#undef EACH

#define WIDE_gelu         ~, wide_gelu
#define WIDE_gelu_dx      ~, wide_gelu_dx
#define WIDE_gelu_tanh    ~, wide_gelu_tanh
#define WIDE_gelu_tanh_dx ~, wide_gelu_tanh_dx
#define WIDE_silu         ~, wide_silu
#define WIDE_silu_dx      ~, wide_silu_dx
#define WIDE_hardswish    ~, wide_hardswish
#define WIDE_ndtr         ~, wide_ndtr

#endif
