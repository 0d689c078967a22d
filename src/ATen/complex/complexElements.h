/* Functions of complex numbers that the rows of src/ops/complex.h call, for the CPU and for kernels.
 *
 * The including file defines AT_ELEMENT, which begins a function; real and cell, the types of parts
 * and of numbers; PAIR(re, im), RE, IM, ABS, ARG and CONJ; LIBM(name) and COMPLEX(name), functions of
 * reals and of complex numbers.  No include guard: a file is compiled for one type. */

/* The product without C's second look at results that are NaN, as in PyTorch. */
AT_ELEMENT cell TIMES(cell x, cell y)
{
  return PAIR(RE(x) * RE(y) - IM(x) * IM(y), RE(x) * IM(y) + IM(x) * RE(y));
}

/* The divisor is scaled by its larger part, so that its square does not overflow. */
AT_ELEMENT cell DIVIDE(cell x, cell y)
{
  const real size = LIBM(fmax)(LIBM(fabs)(RE(y)), LIBM(fabs)(IM(y)));
  const real scale = size == 0 || isinf(size) ? 1 : size;
  const real c = RE(y) / scale, d = IM(y) / scale, square = c * c + d * d;
  return PAIR((RE(x) * c + IM(x) * d) / square / scale, (IM(x) * c - RE(x) * d) / square / scale);
}

AT_ELEMENT cell EXPM1(cell x)
{
  const real half = LIBM(sin)(IM(x) / 2);
  return PAIR(LIBM(expm1)(RE(x)) * LIBM(cos)(IM(x)) - 2 * half * half,
              LIBM(exp)(RE(x)) * LIBM(sin)(IM(x)));
}

/* The logarithm of the size of 1 + x is accurate where that is near 1. */
AT_ELEMENT cell LOG1P(cell x)
{
  const real re = RE(x), im = IM(x);
  const real over = re * (2 + re) + im * im;
  const real size =
      LIBM(fabs)(over) < (real)0.5 ? LIBM(log1p)(over) / 2 : LIBM(log)(LIBM(hypot)(1 + re, im));
  return PAIR(size, LIBM(atan2)(im, 1 + re));
}

AT_ELEMENT cell POWER(cell x, cell y)
{
  if (y == (real)0)
    return PAIR(1, 0);
  if (x == (real)0 && RE(y) > 0)
    return PAIR(0, 0);
  return y == (real)2 ? TIMES(x, x) : COMPLEX(pow)(x, y);
}

AT_ELEMENT cell SIGN(cell x)
{
  const real size = ABS(x);
  return size == 0 ? PAIR(0, 0) : x / size;
}
