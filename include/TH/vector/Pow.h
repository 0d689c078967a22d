/* pow, with all its special cases.  One comparison per choice: x or y may be constant in a whole
 * loop, and compilers cannot combine a condition on the loop with one on an element. */

/* x^y, p being |x|^y where neither is special. */
TH_MATH real THMath_(powFrom)(real p, real x, real y)
{
  p = THMath_(abs)(x) == 1 ? 1 : p;
  /* A negative number has no power that is not an integer; minus infinity has. */
  const real whole = THMath_(round)(y) == y ? 0 : (real)NAN;
  real root = x < 0 ? whole : 0;
  root = x == -(real)INFINITY ? 0 : root;
  /* Of odd numbers the half is 1/2 away from an integer. */
  const real half = y * (real)0.5, odd = THMath_(abs)(half - THMath_(round)(half));
  const real sign = odd == (real)0.5 ? x : 1;
  p = THMath_(flipped)(p + root, sign);
  p = y == y ? p : y;
  p = x == 1 ? 1 : p;
  return y == 0 ? 1 : p;
}

TH_MATH real THMath_(pow)(real x, real y)
{
  return THMath_(powFrom)(THMath_(powOfPositive)(THMath_(abs)(x), y), x, y);
}
