/* A draw of the binomial distribution, for the host and for kernels.  The including file has defined what
 * poissonDraw.h asks for. */
#include <math.h>
#include <stdbool.h>

/* What Stirling's formula lacks of the logarithm of k!: from a table, or by its series. */
AT_POISSON double at_stirlingRest(double k)
{
  const double small[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                          0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                          0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                          0.00833056343336287};
  if (k <= 9)
    return small[(int)k];
  const double next = k + 1, square = next * next;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / next;
}

/* x as PyTorch keeps it where counts are of Float. */
AT_POISSON double at_keptAs(bool isSingle, double x)
{
  return isSingle ? (double)(float)x : x;
}

/* Hoermann's transformed rejection with squeeze (BTRS), for count * prob of at least 10; prob is at most
 * 1/2. */
AT_POISSON double at_binomialLarge(AT_POISSON_SOURCE *source, double count, double prob,
                                   bool isSingle)
{
  const double mean = at_keptAs(isSingle, count * prob), other = at_keptAs(isSingle, 1 - prob);
  const double deviation = sqrt(at_keptAs(isSingle, mean * other)), b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * prob, c = mean + 0.5;
  const double vr = 0.92 - 4.2 / b, odds = at_keptAs(isSingle, prob / other);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = floor(at_keptAs(isSingle, at_keptAs(isSingle, count + 1) * prob));
  for (;;) {
    const double u = AT_POISSON_UNIT(source) - 0.5;
    const double v = AT_POISSON_UNIT(source);
    const double us = 0.5 - fabs(u);
    const double k = at_keptAs(isSingle, floor((2 * a / us + b) * u + c));
    if (!(k >= 0 && k <= count))
      continue;
    if (us >= 0.07 && v <= vr)
      return k;
    const double most = (mode + 0.5) * log((mode + 1) / (odds * (count - mode + 1))) +
                        (count + 1) * log((count - mode + 1) / (count - k + 1)) +
                        (k + 0.5) * log(odds * (count - k + 1) / (k + 1)) + at_stirlingRest(mode) +
                        at_stirlingRest(count - mode) - at_stirlingRest(k) -
                        at_stirlingRest(count - k);
    if (log(v * alpha / (a / (us * us) + b)) <= most)
      return k;
  }
}

/* Adds up geometric numbers, the trials until the next success, as long as they are at most count. */
AT_POISSON double at_binomialSmall(AT_POISSON_SOURCE *source, double count, double prob)
{
  const double log_failure = log1p(-prob);
  double successes = 0, trials = ceil(log(AT_POISSON_UNIT(source)) / log_failure);
  for (; trials <= count; successes++)
    trials += ceil(log(AT_POISSON_UNIT(source)) / log_failure);
  return successes;
}

/* count is finite. */
AT_POISSON double at_drawBinomial(AT_POISSON_SOURCE *source, double count, double prob,
                                  bool isSingle)
{
  if (!(count > 0) || prob <= 0)
    return 0;
  if (prob >= 1)
    return count;
  if (isnan(prob))
    return prob;
  const double rare = prob <= 0.5 ? prob : at_keptAs(isSingle, 1 - prob);
  const double drawn = at_keptAs(isSingle, count * rare) >= 10
                           ? at_binomialLarge(source, count, rare, isSingle)
                           : at_binomialSmall(source, count, rare);
  return prob <= 0.5 ? drawn : count - drawn;
}
