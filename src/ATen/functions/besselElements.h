/* Modified Bessel functions and Airy's function of one element, in Double, for the host and for kernels. */

/* exp(-|x|) times the sum of (x / 2)^(2 k + order) / (k! (k + order)!), whose terms have one sign; of
 * large x the asymptotic series, whose terms are below 2^-53 before they grow. */
AT_ELEMENT double at_besselI(int order, double x)
{
  const double z = fabs(x), sign = order == 1 && x < 0 ? -1 : 1;
  if (!(z < INFINITY))
    return z == INFINITY ? 0 : x;
  if (z < 20) {
    double term = order == 1 ? z / 2 : 1, sum = term;
    for (int k = 1; term > sum * 0x1p-56; k++) {
      term *= z * z / 4 / k / (k + order);
      sum += term;
    }
    return sign * sum * exp(-z);
  }
  double term = 1, sum = 1;
  for (int k = 1; k < 30 && fabs(term) > 0x1p-56; k++) {
    const double odd = 2 * k - 1;
    term *= (odd * odd - 4 * order) / (8 * z * k);
    sum += term;
  }
  return sign * sum / sqrt(2 * M_PI * z);
}

AT_ELEMENT double at_besselIPlain(int order, double x)
{
  const double scaled = at_besselI(order, x), z = fabs(x);
  if (z == INFINITY)
    return order == 1 && x < 0 ? -INFINITY : INFINITY;
  return scaled * exp(z / 2) * exp(z / 2);
}

/* exp(x) K(x): the integral of exp(-x (cosh t - 1)) cosh(order t) over t from 0 on.  The trapezoidal
 * rule converges exponentially, since the integrand falls doubly exponentially and is analytic. */
AT_ELEMENT double at_besselK(double order, double x)
{
  if (!(x > 0))
    return x == 0 ? INFINITY : NAN;
  if (x == INFINITY)
    return 0;
  const double h = x > 8 ? 0.7 / sqrt(x) : 0.2;
  double sum = 0.5;
  for (int k = 1;; k++) {
    const double t = k * h, half = sinh(t / 2), exponent = 2 * x * half * half;
    const double value = exp(order * t - exponent) * (1 + exp(-2 * order * t)) / 2;
    sum += value;
    if (exponent > 40 + order * t)
      return sum * h;
  }
}

/* The power series: two sums of which each has one sign for x above 0. */
AT_ELEMENT double at_airySeries(double x)
{
  const double cube = x * x * x;
  double f = 1, g = x, sumF = 1, sumG = x;
  for (int k = 1; k < 60; k++) {
    f *= cube / ((3 * k - 1) * (3 * k));
    g *= cube / ((3 * k) * (3 * k + 1));
    sumF += f;
    sumG += g;
  }
  return 0.355028053887817239 * sumF - 0.258819403792806798 * sumG;
}

/* Below 0 far away: amplitude and phase by the asymptotic series in 1 / zeta. */
AT_ELEMENT double at_airyBelow(double z)
{
  const double zeta = 2 * z * sqrt(z) / 3;
  double term = 1, even = 0, odd = 0;
  for (int k = 0; k < 24; k++) {
    const double sign = k % 4 < 2 ? 1 : -1;
    *(k % 2 == 0 ? &even : &odd) += sign * term;
    const double next = term * (6 * k + 1) * (6 * k + 5) / (72 * (k + 1) * zeta);
    if (!(fabs(next) < fabs(term)))
      break;
    term = next;
  }
  const double angle = zeta - M_PI / 4;
  return (cos(angle) * even + sin(angle) * odd) / sqrt(M_PI * sqrt(z));
}

AT_ELEMENT double at_airy(double x)
{
  if (x > 1) {
    const double zeta = 2 * x * sqrt(x) / 3;
    return x == INFINITY ? 0 : sqrt(x / 3) / M_PI * exp(-zeta) * at_besselK(1.0 / 3, zeta);
  }
  if (x == -INFINITY)
    return 0;
  return x < -7 ? at_airyBelow(-x) : at_airySeries(x);
}
