/* pow, with all its special cases. */

TH_MATH real THMath_(pow)(real x, real y)
{
  const real a = THMath_(abs)(x), half = y * (real)0.5;
  const int integer = THMath_(round)(y) == y, even = THMath_(round)(half) == half;
  const int odd = integer & !even;
  real p = THMath_(powOfPositive)(a, y);
  p = ((a == 1) & (THMath_(abs)(y) == (real)INFINITY)) ? 1 : p;
  p = ((x < 0) & (a < (real)INFINITY) & !integer) ? (real)NAN : p;
  p = odd ? THMath_(flipped)(p, x) : p;
  p = ((x == x) & (y == y)) ? p : (real)NAN;
  return ((y == 0) | (x == 1)) ? 1 : p;
}
