/* The gradient of Dirichlet samples: a function of one element, for the host and for kernels.
 *
 * F is the distribution function of Beta(a, b) and w(t) = t^(a-1) (1-t)^(b-1).  A sample x whose
 * quantile F(x) stays the same changes with a by -(dF/da) / F'(x).  Let m be the mean of ln t.
 * Then this derivative is the integral of (m - ln t) w(t) / w(x) over t from 0 to x; since the
 * integral from 0 to 1 is 0, it is also that of (ln t - m) w(t) / w(x) from x to 1.  Both have
 * power series. */
#ifndef TH_DIRICHLET_H
#define TH_DIRICHLET_H

#include <math.h>

#ifdef __CUDACC__
#define TH_DIRICHLET static __device__
#else
#define TH_DIRICHLET static inline
#endif

/* digamma(z + d) - digamma(z) for z > 0 and z + d > 0, d >= -1: without the cancellation of a
 * difference. */
TH_DIRICHLET double TH_digammaStep(double z, double d)
{
  double sum = 0;
  for (; z < 20; z++)
    sum += d / (z * (z + d));
  const double p = 1 / z, q = 1 / (z + d), p2 = p * p, q2 = q * q, difference = d * p * q;
  const double series = 1.0 / 12 - (p2 + q2) / 120 + (p2 * p2 + p2 * q2 + q2 * q2) / 252 -
                        (p2 + q2) * (p2 * p2 + q2 * q2) / 240;
  return sum + log1p(d * p) + difference / 2 + difference * (p + q) * series;
}

enum { TH_DIRICHLET_TERMS = 500 };

/* The sum over k of c(k) (first + e(k)), where c(0) = 1, c(k+1) = c(k) z (total + k) / (c + 1 + k),
 * e(0) = 0 and e(k+1) = e(k) + (p + q k) / ((total + k) (c + 1 + k)).  Returns whether it converges
 * quickly and without cancellation. */
TH_DIRICHLET int TH_dirichletSeries(double z, double total, double c, double first, double p,
                                    double q, double *sum)
{
  double term = 1, extra = 0, all = 0, size = 0;
  for (int k = 0; k < TH_DIRICHLET_TERMS; k++) {
    const double above = total + k, below = c + 1 + k, inverse = 1 / (above * below);
    const double added = term * (fabs(first) + fabs(extra));
    all += term * (first + extra);
    size += added;
    if (added < 1e-17 * size && z * above < 0.9 * below) {
      *sum = all;
      return fabs(all) > 1e-4 * size;
    }
    extra += (p + q * k) * inverse;
    term *= z * above * above * inverse;
  }
  return 0;
}

/* ln of t^a (1-t)^b divided by its value at x, where ln(t / (1-t)) = ln(x / (1-x)) + s; *logT
 * becomes ln(t / x). */
TH_DIRICHLET double TH_dirichletWeight(double s, double x, double a, double b, double *logT)
{
  const double y = 1 - x, inner = s > 0 ? log1p(y * expm1(-s)) : log1p(x * expm1(s));
  *logT = s > 0 ? -inner : s - inner;
  return s > 0 ? -a * inner - b * (s + inner) : -a * (inner - s) - b * inner;
}

/* The integral on the side where ln t - m, which is first at x, does not change its sign.  The
 * variable is ln(t / (1-t)), in which the weight has one peak; the tanh-sinh rule. */
TH_DIRICHLET double TH_dirichletIntegral(double x, double a, double b, double first)
{
  const double side = first > 0 ? 1 : -1;
  double unused, end = 0x1p-40, peak = 0;
  for (;; end *= 2) {
    const double weight = TH_dirichletWeight(side * end, x, a, b, &unused);
    if (!(weight >= peak - 42))
      break;
    peak = fmax(peak, weight);
  }
  for (double cut = end / 4; cut > end / 64; cut /= 2) /* to an end not much farther than needed */
    if (TH_dirichletWeight(side * (end - cut), x, a, b, &unused) < peak - 42)
      end -= cut;

  double sum = 0;
  const double h = 0x1p-4;
  for (double at = -3.5; at <= 3.5; at += h) {
    const double e = exp(-M_PI * sinh(at)), q = 1 / (1 + e);
    double logT;
    const double weight = TH_dirichletWeight(side * end * q, x, a, b, &logT);
    sum += fabs(first + logT) * exp(weight) * cosh(at) * q * (e * q);
  }
  return sum * h * M_PI * end;
}

/* The gradient of sample x by a; total is a + b. */
TH_DIRICHLET double TH_dirichletSlope(double x, double a, double total)
{
  enum { LARGE = 1000 }; /* from here on the series are long */
  const double b = total - a;
  if (!(x >= 0 && x <= 1 && a > 0 && b > 0 && isfinite(total)))
    return NAN;
  if (x == 0)
    return 0;
  double sum;
  if (a > LARGE && b > LARGE)
    ;
  else if (x < 0.5) {
    if (TH_dirichletSeries(x, total, a, -log(x) - TH_digammaStep(a + 1, b - 1), b - 1, 0, &sum))
      return x / a * sum;
  } else if (TH_dirichletSeries(1 - x, total, b, log(x) + TH_digammaStep(a, b), b + 1, 1, &sum)) {
    return x / b * sum;
  }
  return x * TH_dirichletIntegral(x, a, b, log(x) + TH_digammaStep(a, b));
}

#endif
