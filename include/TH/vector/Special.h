/* The inverse of the error function and the derivatives of log(gamma), of float.  The element type
 * is double here: float is computed in it. */

/* x p(w) with w = -log(1 - x^2), and far out a polynomial in the root of w. */
TH_MATH float THFloatMath_erfinv(float x)
{
  const double a = THMath_(abs)(x), w = -THMath_(log)((1 - a) * (1 + a));
  const double t = w - 2.5, s = THMath_(sqrt)(w) - 3.125;
  const double near =
      x * TH_POLY(t, 0x1.805c5cfd01923p+0, 0x1.f91e8991a926ap-3, -0x1.11c3c441aea63p-8,
                  -0x1.4863c8819ea2dp-10, 0x1.c9b4a102791c2p-13, -0x1.4f4fad5923b1cp-18,
                  -0x1.caac0f3c0d22p-19, 0x1.0129d1953f6c6p-21, 0x1.d92aeff57ed37p-27,
                  -0x1.7848a93f1b873p-27, 0x1.c3941cc320992p-31, 0x1.2a1266bcee72cp-33,
                  -0x1.6a72b274871e7p-36, -0x1.5d94c6d291293p-41);
  const double far = TH_POLY(s, 0x1.7aa773f4f4f67p+1, 0x1.011497b81972ep+0, 0x1.72928e0b69aa2p-8,
                             -0x1.7d563cf7e0be7p-9, 0x1.05e04f2538efcp-10, -0x1.e8534e95a841dp-13,
                             0x1.592c8fe07d5d4p-19, 0x1.1b89e5d1fb68ap-15, -0x1.544b3cde56c17p-16,
                             0x1.48677e59e7c2ap-18, 0x1.cf40c27d4ab0ep-20, -0x1.50bd7332669b2p-20);
  const double y = THMath_(flipped)(a == 1 ? (double)INFINITY : far, x);
  return (float)(w < 5 ? near : y);
}

/* For negative numbers by reflection: pi cot(pi x) and (pi / sin(pi x))^2 are of x - n as they are
 * of x.  Below 8 (5), where the asymptotic series is not good, sums over 1 / (y + k), k from 0 to 7
 * (4), as quotients of polynomials that have only positive coefficients. */
TH_MATH float THFloatMath_digamma(float x)
{
  const double r = x - THMath_(round)(x), y = x < 0 ? 1 - (double)x : (double)x;
  const double turn = THMath_(tanNear)(M_PI * r), mirror = x < 0 ? M_PI / turn : 0;
  const int near = y < 8;
  const double above = TH_POLY(y, 5040., 26136., 39396., 27076., 9800., 1932., 196., 8.);
  const double below = y * TH_POLY(y, 5040., 13068., 13132., 6769., 1960., 322., 28., 1.);
  const double head = near ? above / below : 0, inverse = 1 / (near ? y + 8 : y);
  const double z = inverse * inverse;
  const double tail = z * TH_POLY(z, 1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132,
                                  -691. / 32760, 1. / 12, -3617. / 8160);
  const double sum = THMath_(log)(near ? y + 8 : y) - 0.5 * inverse - tail;
  return (float)(((x < 0) & (r == 0)) ? (double)NAN : sum - head - mirror);
}

TH_MATH float THFloatMath_trigamma(float x)
{
  const double r = x - THMath_(round)(x), y = x < 0 ? 1 - (double)x : (double)x;
  const double mirror = M_PI / THFloatMath_sinOfHalfTurn(M_PI * r);
  const int near = y < 5;
  const double above = TH_POLY(y, 576., 2400., 5000., 6040., 4435., 2000., 540., 80., 5.);
  const double below = y * TH_POLY(y, 24., 50., 35., 10., 1.);
  const double head = near ? above / (below * below) : 0, inverse = 1 / (near ? y + 5 : y);
  const double z = inverse * inverse;
  const double tail = TH_POLY(z, 1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66);
  const double sum = head + (inverse + z * (0.5 + inverse * tail));
  return (float)(x < 0 ? mirror * mirror - sum : sum);
}
