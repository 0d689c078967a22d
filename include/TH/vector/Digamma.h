/* THMath.h includes this for an arithmetic type TH_T: TH_DIGAMMA(y, lost) is the derivative of log(gamma(x))
 * at x = y + lost > 0, TH_T_LOG the logarithm of a TH_T, and TH_DIGAMMA_(NAME) the name of a function for TH_T.
 *
 * On [1, 2] a rational approximation (error 1e-19, fitted at Chebyshev nodes) times the distance
 * from the zero of digamma, which is known to twice the precision: so values near that zero are
 * accurate too.  From there up to 10 by the recurrence, beyond by the asymptotic series. */
static inline TH_T TH_DIGAMMA_(Polynomial)(const TH_T *terms, int count, TH_T x)
{
  TH_T sum = terms[0];
  for (int i = 1; i < count; i++)
    sum = sum * x + terms[i];
  return sum;
}

/* Where y is 10 or more. */
static inline TH_T TH_DIGAMMA_(Far)(TH_T y)
{
  static const TH_T series[] = {-3617.0L / 8160, 1.0L / 12,  -691.0L / 32760, 1.0L / 132,
                                -1.0L / 240,     1.0L / 252, -1.0L / 120,     1.0L / 12};
  const TH_T z = 1 / (y * y);
  return TH_T_LOG(y) - ((TH_T)0.5 / y + z * TH_DIGAMMA_(Polynomial)(series, 8, z));
}

/* On [1, 2]. */
static inline TH_T TH_DIGAMMA_(Near)(TH_T y, TH_T lost)
{
  static const TH_T numerator[] = {-0.00004622758139095330790086L, -0.002276821745292440005786L,
                                   -0.03308082961720958580071L,    -0.1979917303542514897624L,
                                   -0.5181949196382483295091L,     -0.5054533638180584810956L,
                                   -0.04894412396816712028895L};
  static const TH_T denominator[] = {0.0000466495907868604398848L,
                                     0.002503184236078687874277L,
                                     0.04137831448082715300247L,
                                     0.2978119036558110893115L,
                                     1.031933367635262478683L,
                                     1.67182362053955538031L,
                                     1};
  const TH_T zero = 1.4616321449683622, zero_rest = 9.5499954299656977e-17, t = y - (TH_T)1.5;
  const TH_T distance = (y - zero) - (zero_rest - lost);
  const TH_T slope =
      TH_DIGAMMA_(Polynomial)(numerator, 7, t) / TH_DIGAMMA_(Polynomial)(denominator, 7, t);
  return distance + distance * slope;
}

static inline TH_T TH_DIGAMMA(TH_T y, TH_T lost)
{
  if (y < 1 || y >= 10)
    return y < 1 ? -1 / y + TH_DIGAMMA_(Near)(y + 1, lost + (y - (y + 1 - 1)))
                 : TH_DIGAMMA_(Far)(y);
  TH_T sum = 0;
  for (; y > 2; y -= 1)
    sum += 1 / (y - 1);
  return sum + TH_DIGAMMA_(Near)(y, lost);
}
