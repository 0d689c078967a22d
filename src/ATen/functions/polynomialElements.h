/* Orthogonal polynomials of one element, in Double, for the host and for kernels.  The degree n is
 * truncated; below 0 the polynomial is 0. */

/* The four kinds of Chebyshev's: T, U, V and W. */
typedef enum { AT_CHEBYSHEV_T, AT_CHEBYSHEV_U, AT_CHEBYSHEV_V, AT_CHEBYSHEV_W } at_chebyshev_kind;

AT_ELEMENT bool at_isOdd(double n)
{
  return fmod(n, 2.0) != 0;
}

/* At 1 and -1. */
AT_ELEMENT double at_chebyshevEnd(at_chebyshev_kind kind, bool isBelow, double n)
{
  const double sign = isBelow && at_isOdd(n) ? -1 : 1;
  const bool isLong = kind == (isBelow ? AT_CHEBYSHEV_V : AT_CHEBYSHEV_W);
  return sign * (kind == AT_CHEBYSHEV_U ? n + 1 : isLong ? 2 * n + 1 : 1);
}

/* Chebyshev polynomials by circular functions inside of 1, by hyperbolic ones outside; of x
 * below 0 by those above, where V stands for W and W for V. */
AT_ELEMENT double at_chebyshevFar(at_chebyshev_kind of, double x, double n)
{
  const bool isBelow = x < 0, isInside = fabs(x) < 1, isPair = of >= AT_CHEBYSHEV_V;
  const bool isV = isPair && (of == AT_CHEBYSHEV_V) != isBelow;
  const double sign = isBelow && at_isOdd(n) ? -1 : 1, z = fabs(x);
  const double a = isInside ? acos(z) : acosh(z), b = a * (n + 0.5);
  double value;
  if (of == AT_CHEBYSHEV_T)
    value = isInside ? cos(n * a) : cosh(n * a);
  else if (of == AT_CHEBYSHEV_U)
    value = isInside ? sin((n + 1) * a) / sin(a) : sinh((n + 1) * a) / sinh(a);
  else if (isV)
    value = isInside ? cos(b) / cos(a / 2) : cosh(b) / cosh(a / 2);
  else
    value = isInside ? sin(b) / sin(a / 2) : sinh(b) / sinh(a / 2);
  return sign * value;
}

/* Three terms make the next one: c p(k + 1) = a p(k) - b p(k - 1). */
typedef enum {
  AT_BY_CHEBYSHEV, /* a = 2 x, b = c = 1 */
  AT_BY_HERMITE,   /* for physicists: a = 2 x, b = 2 k, c = 1 */
  AT_BY_HERMITE_E, /* for statisticians: a = x, b = k, c = 1 */
  AT_BY_LAGUERRE,  /* a = 2 k + 1 - x, b = k, c = k + 1 */
  AT_BY_LEGENDRE   /* a = (2 k + 1) x, b = k, c = k + 1 */
} at_polynomial_kind;

/* p(n) from p(0) = 1 and p(1) = first; n is whole and not negative. */
AT_ELEMENT double at_polynomial(at_polynomial_kind by, double x, double first, double n)
{
  double before = 1, last = first;
  for (int k = 1; k < n; k++) {
    const double a = by == AT_BY_LAGUERRE    ? 2 * k + 1 - x
                     : by == AT_BY_LEGENDRE  ? (2 * k + 1) * x
                     : by == AT_BY_HERMITE_E ? x
                                             : 2 * x;
    const double b = by == AT_BY_CHEBYSHEV ? 1 : by == AT_BY_HERMITE ? 2 * k : k;
    const double next = a * last - b * before;
    before = last;
    last = by >= AT_BY_LAGUERRE ? next / (k + 1) : next;
  }
  return n == 0 ? before : last;
}

AT_ELEMENT double at_chebyshev(at_chebyshev_kind kind, double x, double degree)
{
  const double n = trunc(degree);
  if (x != x || degree != degree)
    return NAN;
  if (n < 0)
    return 0;
  if (fabs(x) == 1)
    return at_chebyshevEnd(kind, x < 0, n);
  if (n > 8)
    return at_chebyshevFar(kind, x, n);
  const double first = kind == AT_CHEBYSHEV_T ? x : 2 * x;
  return at_polynomial(AT_BY_CHEBYSHEV, x,
                       first + (kind == AT_CHEBYSHEV_W) - (kind == AT_CHEBYSHEV_V), n);
}

/* Hermite's, for physicists (scale 2) or for statisticians (scale 1). */
AT_ELEMENT double at_hermite(double scale, double x, double degree)
{
  const double n = trunc(degree);
  if (x != x || degree != degree || n > 512)
    return NAN;
  if (n <= 0)
    return n == 0;
  return at_polynomial(scale == 2 ? AT_BY_HERMITE : AT_BY_HERMITE_E, x, scale * x, n);
}

/* The largest degree of the polynomials of Laguerre and Legendre; each takes so many steps. */
#define AT_MOST_DEGREE 65536

AT_ELEMENT double at_laguerre(double x, double degree)
{
  const double n = trunc(degree);
  if (x != x || degree != degree || n > AT_MOST_DEGREE)
    return NAN;
  if (n <= 0)
    return n == 0;
  return at_polynomial(AT_BY_LAGUERRE, x, 1 - x, n);
}

AT_ELEMENT double at_legendre(double x, double degree)
{
  const double n = trunc(degree);
  if (x != x || degree != degree || n > AT_MOST_DEGREE)
    return NAN;
  if (n <= 0)
    return n == 0;
  if (fabs(x) == 1)
    return x < 0 && at_isOdd(n) ? -1 : 1;
  return at_polynomial(AT_BY_LEGENDRE, x, x, n);
}
