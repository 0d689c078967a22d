/* Special functions of one element, in Double, for the host and for kernels.  The including file has
 * defined how a function begins (AT_ELEMENT). */
#include "ATen/functions/besselElements.h"
#include "ATen/functions/polynomialElements.h"
#include "ATen/functions/zetaElements.h"

/* exp(x^2) erfc(x): above 2 the continued fraction of erfc, which has converged after 50 steps. */
AT_ELEMENT double at_erfcxElement(double x)
{
  if (x < 2)
    return exp(x * x) * erfc(x);
  double rest = x;
  for (int k = 50; k > 0; k--)
    rest = x + k / (2 * rest);
  return M_2_SQRTPI / 2 / rest;
}

/* The logarithm of the normal distribution's probability up to x. */
AT_ELEMENT double at_logNdtr(double x)
{
  return x < -1 ? log(at_erfcxElement(-x * M_SQRT1_2) / 2) - x * x / 2
                : log1p(-erfc(x * M_SQRT1_2) / 2);
}

/* The x whose probability is p: Newton's steps on the logarithm, which is concave, from the
 * approximation 26.2.22 of Abramowitz and Stegun. */
AT_ELEMENT double at_ndtriElement(double p)
{
  if (!(p > 0 && p < 1))
    return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  const double tail = p < 0.5 ? p : 1 - p, wanted = log(tail);
  const double t = sqrt(-2 * wanted);
  double x = (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t) - t;
  for (int k = 0; k < 5; k++)
    x -= (at_logNdtr(x) - wanted) * at_erfcxElement(-x * M_SQRT1_2) / (M_2_SQRTPI * M_SQRT1_2);
  return p < 0.5 ? x : -x;
}

/* x^a exp(-x) / Gamma(a + 1); of large a by Stirling's series. */
AT_ELEMENT double at_gammaFactor(double a, double x)
{
  if (a < 20)
    return exp(a * log(x) - x - lgamma(a + 1));
  const double difference = (x - a) / a, b = 1 / (a * a);
  const double rest = (1.0 / 12 - b * (1.0 / 360 - b * (1.0 / 1260 - b / 1680))) / a;
  return exp(a * (log1p(difference) - difference) - rest) / sqrt(2 * M_PI * a);
}

/* The regularized incomplete gamma functions, below x (isUpper false) or above: a series of
 * positive terms where x is below a + 1, else Legendre's continued fraction by Lentz's method. */
AT_ELEMENT double at_gammaPart(bool isUpper, double a, double x)
{
  const int most = 20000; /* steps: they are a few times the root of a */
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == INFINITY && x == INFINITY))
    return NAN;
  if (a == 0 || x == INFINITY || x == 0 || a == INFINITY)
    return isUpper == (x == 0 || a == INFINITY);
  if (a > 1e7) { /* the cube root of x / a is nearly normal (Wilson and Hilferty) */
    const double z = (cbrt(x / a) - 1 + 1 / (9 * a)) * 3 * sqrt(a);
    return erfc((isUpper ? z : -z) * M_SQRT1_2) / 2;
  }
  if (x < a + 1) {
    double term = 1, sum = 1;
    for (int n = 1; n < most && term > sum * 0x1p-55; n++) {
      term *= x / (a + n);
      sum += term;
    }
    const double below = at_gammaFactor(a, x) * sum;
    return isUpper ? 1 - below : below;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int n = 1; n < most; n++) {
    const double step = -n * (n - a);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    h *= d * c;
    if (fabs(d * c - 1) < 0x1p-52)
      break;
  }
  const double above = at_gammaFactor(a, x) * a * h;
  return isUpper ? above : 1 - above;
}

/* Fraction and exponent of a number: x = fraction * 2^exponent. */
AT_ELEMENT double at_fractionOf(double x)
{
  int exponent;
  return frexp(x, &exponent);
}

AT_ELEMENT double at_exponentOf(double x)
{
  int exponent = 0;
  frexp(x, &exponent);
  return isfinite(x) ? exponent : 0;
}
