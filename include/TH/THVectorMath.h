/* Mathematical functions for vector loops.
 *
 *     #pragma omp simd
 *     for (ptrdiff_t i = 0; i < n; i++)
 *       y[i] = THFloatMath_exp(x[i]);
 *
 * Plain C without branches, calls or tables, which compilers turn into vectors of any width; the
 * bits do not depend on whether they did.  Each exists as THFloatMath_name and THDoubleMath_name.
 * They err by less than 1 unit in the last place, exp, tanh, sin, cos, tan and expm1 by less than
 * 0.7, unless their comment says more; docs/vector-math.md has the largest errors found.  NaN,
 * infinities, zeros and denormal numbers are exact, as in Annex F of C.  Where the processor
 * multiplies and adds in one step (__FMA__) the last bit may differ from where it does not.
 *
 * Compile with -fno-math-errno -fno-trapping-math, and not with -ffast-math: the functions rely on
 * the order of sums.  The coefficients come from tools/vector-math/coefficients.py. */
#ifndef TH_VECTOR_MATH_H
#define TH_VECTOR_MATH_H

#include "THGeneral.h"

#define THMath_(NAME) TH_CONCAT_4(TH, Real, Math_, NAME)
#define THMathPair    TH_CONCAT_3(TH, Real, MathPair)
#define THMathPower   TH_CONCAT_3(TH, Real, MathPower)

/* Functions called in a vector loop must be inlined into it. */
#define TH_MATH static inline __attribute__((always_inline))

/* c0 + c1 x + c2 x^2 + ..., x a variable: by pairs, (c0 + c1 x) + x^2 ((c2 + c3 x) + x^2 (...)),
 * for shorter waits than one step after the other. */
#define TH_POLY(X, ...)                                                                           \
  TH_POLY_PICK(__VA_ARGS__, TH_POLY_20, TH_POLY_19, TH_POLY_18, TH_POLY_17, TH_POLY_16,           \
               TH_POLY_15, TH_POLY_14, TH_POLY_13, TH_POLY_12, TH_POLY_11, TH_POLY_10, TH_POLY_9, \
               TH_POLY_8, TH_POLY_7, TH_POLY_6, TH_POLY_5, TH_POLY_4, TH_POLY_3, TH_POLY_2,       \
               TH_POLY_1, TH_POLY_0, )                                                            \
  (X, X * X, __VA_ARGS__)
#define TH_POLY_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, NAME, ...) NAME
#define TH_POLY_0(x, z, c)                                                                     (c)
#define TH_POLY_1(x, z, c, d)                                                                  THMath_(mad)(d, x, c)
#define TH_POLY_2(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_0(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_3(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_1(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_4(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_2(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_5(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_3(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_6(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_4(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_7(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_5(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_8(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_6(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_9(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_7(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_10(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_8(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_11(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_9(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_12(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_10(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_13(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_11(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_14(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_12(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_15(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_13(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_16(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_14(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_17(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_15(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_18(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_16(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_19(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_17(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))
#define TH_POLY_20(x, z, c, d, ...) \
  THMath_(mad)(TH_POLY_18(x, z, __VA_ARGS__), z, THMath_(mad)(d, x, c))

#define TH_GENERIC_FILE "generic/THVectorMath.h"
#include "THGenerateFloatTypes.h"

/* Functions that float computes in double, and their counterparts for double. */
#include "types/Double.h"
#include "vector/Double.h"
#include "vector/Trig.h"
#include "vector/Special.h"
#include "vector/Mod.h"
#include "vector/Power.h"
#include "vector/undefine.h"
#include "types/undefine.h"

#define TH_GENERIC_FILE "vector/Pow.h"
#include "THGenerateFloatTypes.h"

#endif
