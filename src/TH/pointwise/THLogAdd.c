/* Sums of numbers that are known by their logarithms. */
#include "THLogAdd.h"

const double THLog2Pi = 1.83787706640934548356;
const double THLogZero = -DBL_MAX;
const double THLogOne = 0;

double THLogAdd(double log_a, double log_b)
{
  if (isnan(log_a) || isnan(log_b))
    return log_a + log_b;
  const double high = fmax(log_a, log_b), low = fmin(log_a, log_b);
  if (isinf(high)) /* also if both are -inf, whose difference is NaN */
    return high;
  return high + log1p(exp(low - high));
}

double THLogSub(double log_a, double log_b)
{
  THArgCheck(!(log_b > log_a), 2, "log_b is %g, more than log_a, which is %g", log_b, log_a);
  if (log_a == log_b)
    return THLogZero;
  /* 1 - exp(d), accurate on either side of exp(d) = 1/2. */
  const double d = log_b - log_a;
  return log_a + (d > -M_LN2 ? log(-expm1(d)) : log1p(-exp(d)));
}

double THExpMinusApprox(const double x)
{
  return exp(-x);
}
