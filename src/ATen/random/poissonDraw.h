/* A draw of the Poisson distribution, for the host and for kernels.  The including file has defined
 * how a function begins (AT_POISSON), the type of what is drawn from (AT_POISSON_SOURCE), the
 * function that draws from it a uniform number in [0, 1) (AT_POISSON_UNIT), and the logarithm of the
 * gamma function (AT_POISSON_LGAMMA). */
#include <math.h>

/* Hoermann's transformed rejection with squeeze (PTRS), for rates of at least 10. */
AT_POISSON double at_poissonLarge(AT_POISSON_SOURCE *source, double rate)
{
  const double root = sqrt(rate), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverseAlpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = AT_POISSON_UNIT(source) - 0.5;
    const double v = AT_POISSON_UNIT(source);
    const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= vr)
      return k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (log(v) + log(inverseAlpha) - log(a / (us * us) + b) <=
        -rate + k * log(rate) - AT_POISSON_LGAMMA(k + 1))
      return k;
  }
}

/* Multiplies uniform numbers until the product is below exp(-rate); the result is one less than
 * their number. */
AT_POISSON double at_poissonSmall(AT_POISSON_SOURCE *source, double rate)
{
  const double end = exp(-rate);
  double count = 0, product = AT_POISSON_UNIT(source);
  for (; product > end; count++)
    product *= AT_POISSON_UNIT(source);
  return count;
}

AT_POISSON double at_drawPoisson(AT_POISSON_SOURCE *source, double rate)
{
  return rate >= 10 ? at_poissonLarge(source, rate) : rate > 0 ? at_poissonSmall(source, rate) : 0;
}
