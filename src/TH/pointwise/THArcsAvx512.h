/* The angle of a point, asin and acos, of 16 floats or 8 doubles: included once for each, by
 * THMathAvx512.h and THDoubleMathAvx512.h, which define the macros used here.
 *
 * TYPED(name) is the function's name, Vector, Integers, Pair, Mask and Element are the types,
 * OP(name) is THFloats_name or THDoubles_name. */

/* base + atan(a / b), and base - atan(a / b) where less, 0 <= a <= b; base is the value at t, a
 * number near the quotient: a - t b is exact, or t is 0. */
TH_MATH Vector TYPED(angle)(Vector a, Vector b, Vector t, Mask less, Pair base)
{
  const Vector n = TYPED(minusWhere)(less, OP(negMulAdd)(t, b, a)), d = OP(mulAdd)(t, a, b);
  const Vector lost = OP(mulAdd)(t, a, b - d), inverse = INVERSE(d), r = n * inverse;
  const Vector rest = OP(negMulAdd)(r, lost, OP(negMulAdd)(r, d, n));
  const Vector z = r * r, square = z * z;
  const Vector p = POLY(z, square, ATAN_TERMS);
  const Vector tail = OP(mulAdd)(rest, inverse, r * z * p), y = base.hi + r;
  return y + (((r - (y - base.hi)) + base.lo) + tail);
}

/* The multiple of STEP nearest to q, but less than 1; the last bits of i become its number. */
TH_MATH Vector TYPED(step)(Vector q, Integers *i)
{
  const Vector rounder = EACH(STEP_ROUNDER), biased = OP(min)(q, EACH(LAST_STEP)) + rounder;
  *i = (Integers)biased;
  return biased - rounder;
}

/* The angle of the point (x, y), as THMath_(atan2). */
TH_MATH Vector TYPED(atanOfPoint)(Vector y, Vector x)
{
  const Vector zero = EACH(0), one = EACH(1), endless = EACH((Element)INFINITY);
  Vector a = OP(abs)(y), b = OP(abs)(x);
  const Mask nan = OP(unordered)(x, y);
  const Mask highest = OP(equal)(a, endless);
  const Mask widest = OP(equal)(b, endless), any = highest | widest;
  const Mask none = OP(equal)(OP(max)(a, b), zero);
  a = OP(select)(any, OP(keep)(highest, one), a);
  b = OP(select)(any | none, OP(keep)(widest | none, one), b);
  /* Scaled so that neither sum nor inverse overflows. */
  const Vector top = OP(max)(a, b);
  const Mask large = OP(greater)(top, EACH(BIG));
  const Mask small = OP(less)(top, one);
  const Vector some = OP(select)(small, EACH(BIG), one);
  const Vector scale = OP(select)(large, EACH(1 / BIG), some);
  a *= scale;
  b *= scale;
  const Vector least = OP(min)(a, b), most = OP(max)(a, b);
  const Mask steep = OP(greater)(a, b);
  const Mask left = OP(signs)(x), less = steep ^ left;
  Integers i;
  const Vector t = TYPED(step)(least * OP(inverseNear)(most), &i);
  /* 0, pi/2 or pi, plus or minus the table's angle. */
  const Vector side = OP(keep)(left, EACH(PI_HIGH));
  const Vector sideLow = OP(keep)(left, EACH(PI_LOW));
  const Vector from = OP(select)(steep, EACH(PI_HIGH / 2), side);
  const Vector fromLow = OP(select)(steep, EACH(PI_LOW / 2), sideLow);
  const Vector angle = TYPED(minusWhere)(less, TYPED(pick)(ANGLES[0], i));
  const Vector low = TYPED(minusWhere)(less, TYPED(pick)(ANGLES[1], i));
  const Vector sum = from + angle;
  const Pair base = {sum, (angle - (sum - from)) + (fromLow + low)};
  const Vector r = TYPED(signed)(TYPED(angle)(least, most, t, less, base), y);
  return OP(select)(nan, x + y, r);
}

/* Reduced arguments of asin and acos: z = x^2 and v = |x| up to 1/2, above 1/2 z = (1 - |x|) / 2
 * and v + low = 2 sqrt(z); asin(v) = v + v z p(z). */
typedef struct Arc {
  Vector v, low, z;
  Mask far;
} Arc;

TH_MATH Arc TYPED(arc)(Vector x)
{
  const Vector a = OP(abs)(x), z = OP(negMulAdd)(a, EACH((Element)0.5), EACH((Element)0.5));
  const Mask far = OP(notGreater)(a, EACH((Element)0.5));
  const Pair s = TYPED(root)(z);
  const Arc arc = {OP(select)(far, s.hi + s.hi, a), OP(keep)(far, s.lo + s.lo),
                   OP(select)((Mask)~far, a * a, z), far};
  return arc;
}

/* base + asin(v + low), or base - asin(v + low) where less. */
TH_MATH Vector TYPED(ofArc)(Arc arc, Mask less, Vector base, Vector baseLow)
{
  const Vector v = TYPED(minusWhere)(less, arc.v), low = TYPED(minusWhere)(less, arc.low);
  const Vector square = arc.z * arc.z, y = base + v;
  const Vector p = POLY(arc.z, square, ASIN_TERMS);
  return y + ((v - (y - base)) + OP(mulAdd)(v * arc.z, p, baseLow + low));
}

TH_MATH Vector TYPED(asin)(Vector x)
{
  const Arc arc = TYPED(arc)(x);
  const Vector base = OP(keep)(arc.far, EACH(PI_HIGH / 2));
  const Vector low = OP(keep)(arc.far, EACH(PI_LOW / 2));
  return TYPED(signed)(TYPED(ofArc)(arc, arc.far, base, low), x);
}

/* pi/2 - asin(x); for |x| above 1/2, 2 asin(s) or pi - 2 asin(s). */
TH_MATH Vector TYPED(acos)(Vector x)
{
  const Arc arc = TYPED(arc)(x);
  const Mask minus = OP(signs)(x), near = (Mask)~arc.far;
  const Vector left = OP(keep)(minus, EACH(PI_HIGH));
  const Vector leftLow = OP(keep)(minus, EACH(PI_LOW));
  const Vector base = OP(select)(near, EACH(PI_HIGH / 2), left);
  const Vector low = OP(select)(near, EACH(PI_LOW / 2), leftLow);
  return TYPED(ofArc)(arc, near ^ minus, base, low);
}

#undef ANGLES
#undef ASIN_TERMS
#undef ATAN_TERMS
#undef Arc
#undef BIG
#undef EACH
#undef Element
#undef INVERSE
#undef LAST_STEP
#undef Mask
#undef Integers
#undef OP
#undef PI_HIGH
#undef PI_LOW
#undef POLY
#undef Pair
#undef STEP_ROUNDER
#undef TYPED
#undef Vector
