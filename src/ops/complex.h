/* Pointwise operations of complex numbers: X(OF, WRITES, INPUTS, name, expression).
 *
 * OF says whose name it is: ROW of pointwise.h, FUNCTION of functions.h, OWN of this table.  WRITES
 * is PAIRS, REALS or BOOLEANS, as the elements of the result are complex, real or booleans.  INPUTS are
 * 1 to 3 complex numbers x, y, z, or with REAL_2 two real ones; a and b are real scalars.  The
 * functions in capitals are those of src/ATen/complex/complexElements.h. */
#ifndef AT_OPS_COMPLEX_H
#define AT_OPS_COMPLEX_H

/* clang-format off */
#define AT_FOR_EACH_COMPLEX(X)                                                  \
  /* arithmetic */                                                              \
  X(ROW, PAIRS, 1, neg,        -x)                                              \
  X(ROW, PAIRS, 1, cinv,       DIVIDE(1, x))                                    \
  X(ROW, PAIRS, 1, add,        x + a)                                           \
  X(ROW, PAIRS, 1, sub,        x - a)                                           \
  X(ROW, PAIRS, 1, add_scaled, x + a * b)                                       \
  X(ROW, PAIRS, 1, sub_scaled, x - a * b)                                       \
  X(ROW, PAIRS, 1, mul,        x * a)                                           \
  X(ROW, PAIRS, 1, div,        x / a)                                           \
  X(ROW, PAIRS, 2, cadd,       x + a * y)                                       \
  X(ROW, PAIRS, 2, csub,       x - a * y)                                       \
  X(ROW, PAIRS, 2, cmul,       TIMES(x, y))                                     \
  X(ROW, PAIRS, 2, cdiv,       DIVIDE(x, y))                                    \
  X(ROW, PAIRS, 2, lerp,       x + a * (y - x))                                 \
  X(ROW, PAIRS, 3, addcmul,    x + TIMES(a * y, z))                             \
  X(ROW, PAIRS, 3, addcdiv,    x + DIVIDE(a * y, z))                            \
  /* functions */                                                               \
  X(ROW, PAIRS, 1, sqrt,       COMPLEX(sqrt)(x))                                  \
  X(ROW, PAIRS, 1, rsqrt,      DIVIDE(1, COMPLEX(sqrt)(x)))                       \
  X(ROW, PAIRS, 1, exp,        COMPLEX(exp)(x))                                   \
  X(ROW, PAIRS, 1, expm1,      EXPM1(x))                                        \
  X(ROW, PAIRS, 1, log,        COMPLEX(log)(x))                                   \
  X(ROW, PAIRS, 1, log1p,      LOG1P(x))                                        \
  X(ROW, PAIRS, 1, sigmoid,    DIVIDE(1, (real)1 + COMPLEX(exp)(-x)))                   \
  X(ROW, PAIRS, 1, tanh,       COMPLEX(tanh)(x))                                  \
  X(ROW, PAIRS, 1, sinh,       COMPLEX(sinh)(x))                                  \
  X(ROW, PAIRS, 1, cosh,       COMPLEX(cosh)(x))                                  \
  X(ROW, PAIRS, 1, sin,        COMPLEX(sin)(x))                                   \
  X(ROW, PAIRS, 1, cos,        COMPLEX(cos)(x))                                   \
  X(ROW, PAIRS, 1, tan,        COMPLEX(tan)(x))                                   \
  X(ROW, PAIRS, 1, asin,       COMPLEX(asin)(x))                                  \
  X(ROW, PAIRS, 1, acos,       COMPLEX(acos)(x))                                  \
  X(ROW, PAIRS, 1, atan,       COMPLEX(atan)(x))                                  \
  X(ROW, PAIRS, 1, pow,        POWER(x, a))                                     \
  X(ROW, PAIRS, 1, tpow,       POWER(a, x))                                     \
  X(ROW, PAIRS, 2, cpow,       POWER(x, y))                                     \
  X(FUNCTION, PAIRS, 1, exp2,  COMPLEX(exp)(x * (real)M_LN2))                     \
  X(FUNCTION, PAIRS, 1, log2,  COMPLEX(log)(x) * (real)M_LOG2E)                   \
  X(FUNCTION, PAIRS, 1, log10, COMPLEX(log)(x) * (real)M_LOG10E)                  \
  X(FUNCTION, PAIRS, 1, asinh, COMPLEX(asinh)(x))                                 \
  X(FUNCTION, PAIRS, 1, acosh, COMPLEX(acosh)(x))                                 \
  X(FUNCTION, PAIRS, 1, atanh, COMPLEX(atanh)(x))                                 \
  /* parts */                                                                   \
  X(OWN, PAIRS, 1, conj,       CONJ(x))                                   \
  X(OWN, PAIRS, 1, sgn,        SIGN(x))                                         \
  X(OWN, REALS, 1, abs,        ABS(x))                                   \
  X(OWN, REALS, 1, angle,      ARG(x))                                   \
  X(OWN, PAIRS, REAL_2, pair,  PAIR(x, y))                                      \
  X(OWN, PAIRS, REAL_2, polar, PAIR(x * LIBM(cos)(y), x * LIBM(sin)(y)))        \
  /* tests */                                                                   \
  X(ROW, BOOLEANS, 1, eqValue,   x == a)                                          \
  X(ROW, BOOLEANS, 1, neValue,   x != a)                                          \
  X(ROW, BOOLEANS, 2, eqTensor,  x == y)                                          \
  X(ROW, BOOLEANS, 2, neTensor,  x != y)                                          \
  X(FUNCTION, BOOLEANS, 1, isinf,    isinf(RE(x)) || isinf(IM(x)))                \
  X(FUNCTION, BOOLEANS, 1, isfinite, isfinite(RE(x)) && isfinite(IM(x)))
/* clang-format on */

#endif
