/* The angle of a point, asin and acos, of 16 floats or 8 doubles: included once for each, by
 * THMathAvx512.h and THDoubleMathAvx512.h, which define the macros used here.
 *
 * TYPED(name) is the function's name, Vector, Pair, Mask and Element are the types, OP(name) is the
 * instruction. */

/* base + atan(a / b), and base - atan(a / b) where less, 0 <= a <= b; base is the value at t, a
 * number near the quotient: a - t b is exact, or t is 0. */
TH_MATH Vector TYPED(angle)(Vector a, Vector b, Vector t, Mask less, Pair base)
{
  const Vector n = TYPED(minusWhere)(less, OP(fnmadd)(t, b, a)), d = OP(fmadd)(t, a, b);
  const Vector lost = OP(fmadd)(t, a, b - d), inverse = INVERSE(d), r = n * inverse;
  const Vector rest = OP(fnmadd)(r, lost, OP(fnmadd)(r, d, n));
  const Vector z = r * r, square = z * z;
  const Vector p = POLY(z, square, ATAN_TERMS);
  const Vector tail = OP(fmadd)(rest, inverse, r * z * p), y = base.hi + r;
  return y + (((r - (y - base.hi)) + base.lo) + tail);
}

/* The multiple of STEP nearest to q, but less than 1; the last bits of i become its number. */
TH_MATH Vector TYPED(step)(Vector q, __m512i *i)
{
  const Vector rounder = EACH(STEP_ROUNDER), biased = OP(min)(q, EACH(LAST_STEP)) + rounder;
  *i = WHOLE(biased);
  return biased - rounder;
}

/* The angle of the point (x, y), as THMath_(atan2). */
TH_MATH Vector TYPED(atanOfPoint)(Vector y, Vector x)
{
  const Vector zero = EACH(0), one = EACH(1), endless = EACH((Element)INFINITY);
  Vector a = OP(abs)(y), b = OP(abs)(x);
  const Mask nan = COMPARE(x, y, _CMP_UNORD_Q);
  const Mask highest = COMPARE(a, endless, _CMP_EQ_OQ);
  const Mask widest = COMPARE(b, endless, _CMP_EQ_OQ), any = highest | widest;
  const Mask none = COMPARE(OP(max)(a, b), zero, _CMP_EQ_OQ);
  a = OP(mask_mov)(a, any, OP(maskz_mov)(highest, one));
  b = OP(mask_mov)(b, any | none, OP(maskz_mov)(widest | none, one));
  /* Scaled so that neither sum nor inverse overflows. */
  const Vector top = OP(max)(a, b);
  const Mask large = COMPARE(top, EACH(BIG), _CMP_GT_OQ);
  const Mask small = COMPARE(top, one, _CMP_LT_OQ);
  const Vector some = OP(mask_mov)(one, small, EACH(BIG));
  const Vector scale = OP(mask_mov)(some, large, EACH(1 / BIG));
  a *= scale;
  b *= scale;
  const Vector least = OP(min)(a, b), most = OP(max)(a, b);
  const Mask steep = COMPARE(a, b, _CMP_GT_OQ);
  const Mask left = SIGNS(x), less = steep ^ left;
  __m512i i;
  const Vector t = TYPED(step)(least * OP(rcp14)(most), &i);
  /* 0, pi/2 or pi, plus or minus the table's angle. */
  const Vector side = OP(maskz_mov)(left, EACH(PI_HIGH));
  const Vector sideLow = OP(maskz_mov)(left, EACH(PI_LOW));
  const Vector from = OP(mask_mov)(side, steep, EACH(PI_HIGH / 2));
  const Vector fromLow = OP(mask_mov)(sideLow, steep, EACH(PI_LOW / 2));
  const Vector angle = TYPED(minusWhere)(less, TYPED(pick)(ANGLES[0], i));
  const Vector low = TYPED(minusWhere)(less, TYPED(pick)(ANGLES[1], i));
  const Vector sum = from + angle;
  const Pair base = {sum, (angle - (sum - from)) + (fromLow + low)};
  const Vector r = TYPED(signed)(TYPED(angle)(least, most, t, less, base), y);
  return OP(mask_add)(r, nan, x, y);
}

/* Reduced arguments of asin and acos: z = x^2 and v = |x| up to 1/2, above 1/2 z = (1 - |x|) / 2
 * and v + low = 2 sqrt(z); asin(v) = v + v z p(z). */
typedef struct Arc {
  Vector v, low, z;
  Mask far;
} Arc;

TH_MATH Arc TYPED(arc)(Vector x)
{
  const Vector a = OP(abs)(x), z = OP(fnmadd)(a, EACH((Element)0.5), EACH((Element)0.5));
  const Mask far = COMPARE(a, EACH((Element)0.5), _CMP_NLE_UQ);
  const Pair s = TYPED(root)(z);
  const Arc arc = {OP(mask_add)(a, far, s.hi, s.hi), OP(maskz_add)(far, s.lo, s.lo),
                   OP(mask_mul)(z, (Mask)~far, a, a), far};
  return arc;
}

/* base + asin(v + low), or base - asin(v + low) where less. */
TH_MATH Vector TYPED(ofArc)(Arc arc, Mask less, Vector base, Vector baseLow)
{
  const Vector v = TYPED(minusWhere)(less, arc.v), low = TYPED(minusWhere)(less, arc.low);
  const Vector square = arc.z * arc.z, y = base + v;
  const Vector p = POLY(arc.z, square, ASIN_TERMS);
  return y + ((v - (y - base)) + OP(fmadd)(v * arc.z, p, baseLow + low));
}

TH_MATH Vector TYPED(asin)(Vector x)
{
  const Arc arc = TYPED(arc)(x);
  const Vector base = OP(maskz_mov)(arc.far, EACH(PI_HIGH / 2));
  const Vector low = OP(maskz_mov)(arc.far, EACH(PI_LOW / 2));
  return TYPED(signed)(TYPED(ofArc)(arc, arc.far, base, low), x);
}

/* pi/2 - asin(x); for |x| above 1/2, 2 asin(s) or pi - 2 asin(s). */
TH_MATH Vector TYPED(acos)(Vector x)
{
  const Arc arc = TYPED(arc)(x);
  const Mask minus = SIGNS(x), near = (Mask)~arc.far;
  const Vector left = OP(maskz_mov)(minus, EACH(PI_HIGH));
  const Vector leftLow = OP(maskz_mov)(minus, EACH(PI_LOW));
  const Vector base = OP(mask_mov)(left, near, EACH(PI_HIGH / 2));
  const Vector low = OP(mask_mov)(leftLow, near, EACH(PI_LOW / 2));
  return TYPED(ofArc)(arc, near ^ minus, base, low);
}

#undef ANGLES
#undef ASIN_TERMS
#undef ATAN_TERMS
#undef Arc
#undef BIG
#undef COMPARE
#undef EACH
#undef Element
#undef INVERSE
#undef LAST_STEP
#undef Mask
#undef OP
#undef PI_HIGH
#undef PI_LOW
#undef POLY
#undef Pair
#undef SIGNS
#undef STEP_ROUNDER
#undef TYPED
#undef Vector
#undef WHOLE
