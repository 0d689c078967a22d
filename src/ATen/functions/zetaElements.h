/* Hurwitz's zeta function of one element, for the host and for kernels. */
#ifndef ATEN_ZETA_ELEMENTS_H
#define ATEN_ZETA_ELEMENTS_H

/* The sum of (q + k)^-s over k from 0 on, s above 1 and q above 0: the first terms, then the formula
 * of Euler and Maclaurin. */
AT_ELEMENT double at_zetaAbove(double s, double q)
{
  const double coefficients[] = {/* Bernoulli's numbers over factorials */
                                 1.0 / 12,          -1.0 / 720,
                                 1.0 / 30240,       -1.0 / 1209600,
                                 1.0 / 47900160,    -691 / 1307674368000.0,
                                 1 / 74724249600.0, -3617 / 10670622842880000.0};
  double sum = 0;
  for (int k = 0; k < 9 || q <= 12; k++, q += 1)
    sum += pow(q, -s);
  const double last = pow(q, -s);
  double product = s, power = last / q;
  sum += last * (q / (s - 1) + 0.5);
  for (int j = 0; j < 8; j++) {
    sum += coefficients[j] * product * power;
    product *= (s + 2 * j + 1) * (s + 2 * j + 2);
    power /= q * q;
  }
  return sum;
}

/* Hurwitz' zeta function of any q.  The sum of terms below 0 is a difference of two sums above 0; only whole s have
 * such terms. */
AT_ELEMENT double at_hurwitzZeta(double s, double q)
{
  if (s == 1)
    return INFINITY;
  if (!(s > 1) || q != q)
    return NAN;
  if (q <= 0 && q == floor(q))
    return INFINITY;
  if (q == INFINITY)
    return 0;
  if (q > 0)
    return at_zetaAbove(s, q);
  if (s != floor(s))
    return NAN;
  const double above = q - floor(q), below = 1 - above;
  const double sign = fmod(s, 2.0) == 0 ? 1 : -1;
  return sign * (at_zetaAbove(s, below) - at_zetaAbove(s, 1 - q)) + at_zetaAbove(s, above);
}

#endif
