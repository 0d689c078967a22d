/* Pointwise operations of complex numbers.  Every file that handles them includes these rows, and defines what a row
 * becomes: AT_COMPLEX(OF, WRITES, INPUTS, name, expression).
 *
 * OF says whose name it is: ROW of pointwise.h, FUNCTION of functions.h, OWN of this table.  WRITES
 * is PAIRS, REALS or BOOLEANS, as the elements of the result are complex, real or booleans.  INPUTS are
 * 1 to 3 complex numbers x, y, z, or with REAL_2 two real ones; a and b are real scalars.  The
 * functions in capitals are those of src/ATen/complex/complexElements.h. */

/* clang-format off */
/* arithmetic */
AT_COMPLEX(ROW, PAIRS, 1, neg,        -x)
AT_COMPLEX(ROW, PAIRS, 1, cinv,       DIVIDE(1, x))
AT_COMPLEX(ROW, PAIRS, 1, add,        x + a)
AT_COMPLEX(ROW, PAIRS, 1, sub,        x - a)
AT_COMPLEX(ROW, PAIRS, 1, add_scaled, x + a * b)
AT_COMPLEX(ROW, PAIRS, 1, sub_scaled, x - a * b)
AT_COMPLEX(ROW, PAIRS, 1, mul,        x * a)
AT_COMPLEX(ROW, PAIRS, 1, div,        x / a)
AT_COMPLEX(ROW, PAIRS, 2, cadd,       x + a * y)
AT_COMPLEX(ROW, PAIRS, 2, csub,       x - a * y)
AT_COMPLEX(ROW, PAIRS, 2, cmul,       TIMES(x, y))
AT_COMPLEX(ROW, PAIRS, 2, cdiv,       DIVIDE(x, y))
AT_COMPLEX(ROW, PAIRS, 2, lerp,       x + a * (y - x))
AT_COMPLEX(ROW, PAIRS, 3, addcmul,    x + TIMES(a * y, z))
AT_COMPLEX(ROW, PAIRS, 3, addcdiv,    x + DIVIDE(a * y, z))
/* functions */
AT_COMPLEX(ROW, PAIRS, 1, sqrt,       COMPLEX(sqrt)(x))
AT_COMPLEX(ROW, PAIRS, 1, rsqrt,      DIVIDE(1, COMPLEX(sqrt)(x)))
AT_COMPLEX(ROW, PAIRS, 1, exp,        COMPLEX(exp)(x))
AT_COMPLEX(ROW, PAIRS, 1, expm1,      EXPM1(x))
AT_COMPLEX(ROW, PAIRS, 1, log,        COMPLEX(log)(x))
AT_COMPLEX(ROW, PAIRS, 1, log1p,      LOG1P(x))
AT_COMPLEX(ROW, PAIRS, 1, sigmoid,    DIVIDE(1, (real)1 + COMPLEX(exp)(-x)))
AT_COMPLEX(ROW, PAIRS, 1, tanh,       COMPLEX(tanh)(x))
AT_COMPLEX(ROW, PAIRS, 1, sinh,       COMPLEX(sinh)(x))
AT_COMPLEX(ROW, PAIRS, 1, cosh,       COMPLEX(cosh)(x))
AT_COMPLEX(ROW, PAIRS, 1, sin,        COMPLEX(sin)(x))
AT_COMPLEX(ROW, PAIRS, 1, cos,        COMPLEX(cos)(x))
AT_COMPLEX(ROW, PAIRS, 1, tan,        COMPLEX(tan)(x))
AT_COMPLEX(ROW, PAIRS, 1, asin,       COMPLEX(asin)(x))
AT_COMPLEX(ROW, PAIRS, 1, acos,       COMPLEX(acos)(x))
AT_COMPLEX(ROW, PAIRS, 1, atan,       COMPLEX(atan)(x))
AT_COMPLEX(ROW, PAIRS, 1, pow,        POWER(x, a))
AT_COMPLEX(ROW, PAIRS, 1, tpow,       POWER(a, x))
AT_COMPLEX(ROW, PAIRS, 2, cpow,       POWER(x, y))
AT_COMPLEX(FUNCTION, PAIRS, 1, exp2,  COMPLEX(exp)(x * (real)M_LN2))
AT_COMPLEX(FUNCTION, PAIRS, 1, log2,  COMPLEX(log)(x) * (real)M_LOG2E)
AT_COMPLEX(FUNCTION, PAIRS, 1, log10, COMPLEX(log)(x) * (real)M_LOG10E)
AT_COMPLEX(FUNCTION, PAIRS, 1, asinh, COMPLEX(asinh)(x))
AT_COMPLEX(FUNCTION, PAIRS, 1, acosh, COMPLEX(acosh)(x))
AT_COMPLEX(FUNCTION, PAIRS, 1, atanh, COMPLEX(atanh)(x))
/* parts */
AT_COMPLEX(OWN, PAIRS, 1, conj,       CONJ(x))
AT_COMPLEX(OWN, PAIRS, 1, sgn,        SIGN(x))
AT_COMPLEX(OWN, REALS, 1, abs,        ABS(x))
AT_COMPLEX(OWN, REALS, 1, angle,      ARG(x))
AT_COMPLEX(OWN, PAIRS, REAL_2, pair,  PAIR(x, y))
AT_COMPLEX(OWN, PAIRS, REAL_2, polar, PAIR(x * LIBM(cos)(y), x * LIBM(sin)(y)))
/* tests */
AT_COMPLEX(ROW, BOOLEANS, 1, eqValue,   x == a)
AT_COMPLEX(ROW, BOOLEANS, 1, neValue,   x != a)
AT_COMPLEX(ROW, BOOLEANS, 2, eqTensor,  x == y)
AT_COMPLEX(ROW, BOOLEANS, 2, neTensor,  x != y)
AT_COMPLEX(FUNCTION, BOOLEANS, 1, isinf,    isinf(RE(x)) || isinf(IM(x)))
AT_COMPLEX(FUNCTION, BOOLEANS, 1, isfinite, isfinite(RE(x)) && isfinite(IM(x)))
/* clang-format on */

#undef AT_COMPLEX
