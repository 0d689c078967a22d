/* The polygamma functions, and the gradient of samples of the gamma distribution by its parameter:
 * functions of one element, for the host and for kernels.  The including file has defined how a
 * function begins (AT_ELEMENT), and has included THMath.h.
 *
 * At a constant value F(x) of the gamma distribution with parameter a, the derivative of the sample
 * x by a is -(dF/da) / F'(x).  With the density p and psi(a), the mean of ln t, this is the
 * integral of (psi - ln t) p(t) / p(x) over t from 0 to x.  The integral over all t is 0, so it is
 * also the integral of (ln t - psi) p(t) / p(x) from x on.  One of both integrands does not change
 * its sign. */

#include "ATen/functions/zetaElements.h"

/* The polygamma function of order n, 2 or more. */
AT_ELEMENT double at_polygammaElement(double n, double x)
{
  return (fmod(n, 2.0) == 0 ? -1 : 1) * tgamma(n + 1) * at_hurwitzZeta(n + 1, x);
}

/* For ln x < psi: t = x u gives a power series whose terms are all positive. */
AT_ELEMENT double at_gammaSeries(double a, double x, double distance)
{
  double term = 1 / a, harmonic = 1 / a, sum = term, weighted = term * harmonic;
  for (int n = 1; term > 1e-17 * sum; n++) {
    term *= x / (a + n);
    harmonic += 1 / (a + n);
    sum += term;
    weighted += term * harmonic;
  }
  return x * (weighted - distance * sum);
}

/* For ln x >= psi: t = x (1 + v), integrated over ln v, where the integrand has one peak, by
 * exp-sinh quadrature. */
AT_ELEMENT double at_gammaIntegral(double a, double x, double distance)
{
  const double h = 0x1p-4;
  double sum = 0;
  for (double s = -4.5; s <= 4.5; s += h) {
    const double v = exp(M_PI / 2 * sinh(s)), rise = log1p(v);
    sum += (distance + rise) * exp((a - 1) * rise - x * v) * v * cosh(s);
  }
  return x * sum * h * M_PI / 2;
}

/* For large a: the cube root of x / a is nearly normal (Wilson and Hilferty). */
AT_ELEMENT double at_gammaLarge(double a, double x)
{
  const double c = cbrt(x / a), z = (c - 1 + 1 / (9 * a)) * 3 * sqrt(a);
  return c * c * c + c * c * (1 / (3 * a) - z / (2 * sqrt(a)));
}

AT_ELEMENT double at_gammaSlope(double a, double x)
{
  if (!(a > 0) || !(x >= 0) || isinf(a) || isinf(x))
    return NAN;
  if (x == 0)
    return 0;
  if (a > 1e5)
    return at_gammaLarge(a, x);
  const double distance = log(x) - TH_digamma(a);
  return distance < 0 ? at_gammaSeries(a, x, distance) : at_gammaIntegral(a, x, distance);
}
