/* The pointwise operations, one row each: KIND(types, name, expression).
 *
 * In an expression x, y and z are elements of the first, second and third input, a and b the scalar
 * arguments, all of type real.  Whoever includes this file defines what a row of each kind becomes;
 * the definitions are forgotten at its end.  The types are ALL (but Half), FLOAT, INTEGER or SIGNED
 * (all but Byte and Char), macros that keep or drop their argument.  Integers wrap.
 *
 *   kind                function                                 inputs and scalars
 *   FILL                f(r, value)                              a
 *   UNARY               f(r, t)                                  x
 *   SCALAR              f(r, t, value)                           x, a
 *   SCALAR2             f(r, t, value1, value2)                  x, a, b
 *   SCALAR_FIRST        f(r, value, t)                           x, a
 *   BINARY              f(r, t, src)                             x, y
 *   BINARY_SCALED       f(r, t, value, src)                      x, a, y
 *   BINARY_WEIGHTED     f(r, t, src, value)                      x, y, a
 *   TERNARY_SCALED      f(r, t, value, src1, src2)               x, a, y, z
 *   COMPARE             fValue(r, t, value), fTensor(r, t, src)  x, y; r of Byte, or of t's type
 * (T)
 *
 * What must hold before anything is written stands behind the kind: DIVIDES says that the divisor
 * (the last scalar or the last input) must not be 0 in an integer type; BITS that there are no bits
 * in a floating type. */

FILL(ALL, fill, a)

/* --- one input ---------------------------------------------------------------------------- */

UNARY(ALL, neg, -x)
UNARY(SIGNED, abs, TH_ABS(x))
UNARY(ALL, sign, (x > 0) - (x < 0))
UNARY(FLOAT, cinv, 1 / x)
UNARY(FLOAT, sqrt, TH_MATH(sqrt)(x))
UNARY(FLOAT, rsqrt, 1 / TH_MATH(sqrt)(x))
UNARY(FLOAT, ceil, TH_MATH(ceil)(x))
UNARY(FLOAT, floor, TH_MATH(floor)(x))
UNARY(FLOAT, round, TH_MATH(rint)(x))
UNARY(FLOAT, trunc, TH_MATH(trunc)(x))
UNARY(FLOAT, frac, x - TH_MATH(trunc)(x))

/* --- an input and scalars ------------------------------------------------------------------ */

SCALAR(ALL, add, x + a)
SCALAR(ALL, sub, x - a)
SCALAR2(ALL, add_scaled, x + a * b)
SCALAR2(ALL, sub_scaled, x - a * b)
SCALAR(ALL, mul, x *a)
SCALAR_DIVIDES(ALL, div, TH_DIVIDE(x, a))
SCALAR_DIVIDES(ALL, fmod, TH_FMOD(x, a))
SCALAR_DIVIDES(ALL, remainder, TH_REMAINDER(x, a))
SCALAR(ALL, lshift, TH_LSHIFT(x, a))
SCALAR(ALL, rshift, TH_RSHIFT(x, a))
SCALAR_BITS(INTEGER, bitand, x &a)
SCALAR_BITS(INTEGER, bitor, x | a)
SCALAR_BITS(INTEGER, bitxor, x ^ a)
SCALAR2(ALL, clamp, TH_MIN(TH_MAX(x, a), b))
SCALAR(ALL, cmaxValue, TH_MAX(x, a))
SCALAR(ALL, cminValue, TH_MIN(x, a))

/* --- two inputs --------------------------------------------------------------------------- */

BINARY_SCALED(ALL, cadd, x + a * y)
BINARY_SCALED(ALL, csub, x - a * y)
BINARY(ALL, cmul, x *y)
BINARY_DIVIDES(ALL, cdiv, TH_DIVIDE(x, y))
BINARY_DIVIDES(ALL, cfmod, TH_FMOD(x, y))
BINARY_DIVIDES(ALL, cremainder, TH_REMAINDER(x, y))
BINARY(ALL, clshift, TH_LSHIFT(x, y))
BINARY(ALL, crshift, TH_RSHIFT(x, y))
BINARY_BITS(INTEGER, cbitand, x &y)
BINARY_BITS(INTEGER, cbitor, x | y)
BINARY_BITS(INTEGER, cbitxor, x ^ y)
BINARY(ALL, cmax, TH_MAX(x, y))
BINARY(ALL, cmin, TH_MIN(x, y))
BINARY_WEIGHTED(FLOAT, lerp, x + a * (y - x))

/* --- three inputs ------------------------------------------------------------------------- */

TERNARY_SCALED(ALL, addcmul, x + a * y * z)
TERNARY_SCALED_DIVIDES(ALL, addcdiv, x + TH_DIVIDE(a * y, z))

/* --- comparisons -------------------------------------------------------------------------- */

COMPARE(ALL, lt, x < y)
COMPARE(ALL, le, x <= y)
COMPARE(ALL, gt, x > y)
COMPARE(ALL, ge, x >= y)
COMPARE(ALL, ne, x != y)
COMPARE(ALL, eq, x == y)

#undef FILL
#undef UNARY
#undef SCALAR
#undef SCALAR_DIVIDES
#undef SCALAR_BITS
#undef SCALAR2
#undef SCALAR_FIRST
#undef BINARY
#undef BINARY_DIVIDES
#undef BINARY_BITS
#undef BINARY_SCALED
#undef BINARY_WEIGHTED
#undef TERNARY_SCALED
#undef TERNARY_SCALED_DIVIDES
#undef COMPARE
