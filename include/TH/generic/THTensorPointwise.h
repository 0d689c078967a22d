/* Functions of each element by itself.
 *
 *     THFloatTensor_exp(r, t);                   r = exp(t)
 *     THFloatTensor_cadd(r, a, 0.5, b);          r = a + 0.5 b
 *     THFloatTensor_gtValue(mask, a, 0);         mask = 1 where a > 0, else 0
 *
 * r_ takes the shape of the first input; the others need as many elements, in any shape, and are
 * paired with its elements in row-major order.  r_ may be any of the inputs, or share their memory:
 * where writing it would change what is still to be read, the input is copied first.  Integers wrap
 * around; arithmetic of those narrower than int is done in int, as in C.  It is an error, after
 * which nothing has changed, if numbers of elements differ or a divisor of integers is 0 anywhere.
 *
 * The bits of a result depend on neither layout nor threads.  Of the functions from exp to tpow and
 * atan2 they may depend on the instruction set; THVectorMath.h says how accurate those are. */

/* --- values ------------------------------------------------------------------------------- */

TH_API void THTensor_(fill)(THTensor *r_, real value);
TH_API void THTensor_(zero)(THTensor *r_);

/* --- one input ---------------------------------------------------------------------------- */

TH_API void THTensor_(neg)(THTensor *self, THTensor *src);

/* -1, 0 or 1; 0 for NaN. */
TH_API void THTensor_(sign)(THTensor *r_, THTensor *t);

#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
TH_API void THTensor_(abs)(THTensor *r_, THTensor *t);
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
/* 1 / src */
TH_API void THTensor_(cinv)(THTensor *self, THTensor *src);
TH_API void THTensor_(sqrt)(THTensor *r_, THTensor *t);
/* 1 / sqrt(t), the root rounded first. */
TH_API void THTensor_(rsqrt)(THTensor *r_, THTensor *t);

TH_API void THTensor_(ceil)(THTensor *r_, THTensor *t);
TH_API void THTensor_(floor)(THTensor *r_, THTensor *t);
/* Halves to the even neighbour; where TH_COMPAT_TORCH7 is defined, away from 0. */
TH_API void THTensor_(round)(THTensor *r_, THTensor *t);
/* Towards 0. */
TH_API void THTensor_(trunc)(THTensor *r_, THTensor *t);
/* t - trunc(t) */
TH_API void THTensor_(frac)(THTensor *r_, THTensor *t);

TH_API void THTensor_(exp)(THTensor *r_, THTensor *t);
/* exp(t) - 1, accurate near 0. */
TH_API void THTensor_(expm1)(THTensor *r_, THTensor *t);
TH_API void THTensor_(log)(THTensor *r_, THTensor *t);
/* log(1 + t), accurate near 0. */
TH_API void THTensor_(log1p)(THTensor *r_, THTensor *t);
/* 1 / (1 + exp(-t)) */
TH_API void THTensor_(sigmoid)(THTensor *r_, THTensor *t);

TH_API void THTensor_(sin)(THTensor *r_, THTensor *t);
TH_API void THTensor_(cos)(THTensor *r_, THTensor *t);
TH_API void THTensor_(tan)(THTensor *r_, THTensor *t);
TH_API void THTensor_(asin)(THTensor *r_, THTensor *t);
TH_API void THTensor_(acos)(THTensor *r_, THTensor *t);
TH_API void THTensor_(atan)(THTensor *r_, THTensor *t);
TH_API void THTensor_(sinh)(THTensor *r_, THTensor *t);
TH_API void THTensor_(cosh)(THTensor *r_, THTensor *t);
TH_API void THTensor_(tanh)(THTensor *r_, THTensor *t);

TH_API void THTensor_(erf)(THTensor *r_, THTensor *t);
/* The x with erf(x) = t: infinite at 1 and -1, NaN beyond. */
TH_API void THTensor_(erfinv)(THTensor *r_, THTensor *t);
/* log(|gamma(t)|), its derivative without the absolute value, and the derivative of that. */
TH_API void THTensor_(lgamma)(THTensor *r_, THTensor *t);
TH_API void THTensor_(digamma)(THTensor *r_, THTensor *t);
TH_API void THTensor_(trigamma)(THTensor *r_, THTensor *t);
/* digamma for n 0, trigamma for n 1; any other n is an error. */
TH_API void THTensor_(polygamma)(THTensor *r_, int64_t n, THTensor *t);
#endif

/* --- an input and scalars ------------------------------------------------------------------ */

TH_API void THTensor_(add)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(sub)(THTensor *r_, THTensor *t, real value);
/* t + value * alpha, t - value * alpha */
TH_API void THTensor_(add_scaled)(THTensor *r_, THTensor *t, real value, real alpha);
TH_API void THTensor_(sub_scaled)(THTensor *r_, THTensor *t, real value, real alpha);
TH_API void THTensor_(mul)(THTensor *r_, THTensor *t, real value);

/* The quotient; of integers without its fraction, and the least integer divided by -1 is itself. */
TH_API void THTensor_(div)(THTensor *r_, THTensor *t, real value);
/* The remainder with the sign of t, and the one with the sign of value. */
TH_API void THTensor_(fmod)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(remainder)(THTensor *r_, THTensor *t, real value);

/* Integers: shifted by value bits, all of them if value is negative or not below the width; bits
 * that come in from the left are the sign (0 where TH_COMPAT_TORCH7 is defined).  Floating: times,
 * or divided by, 2 to the value. */
TH_API void THTensor_(lshift)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(rshift)(THTensor *r_, THTensor *t, real value);

/* clang-format off */
/* Bits of integers; for floating types these raise. */
TH_API void THTensor_(bitand)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(bitor)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(bitxor)(THTensor *r_, THTensor *t, real value);
/* clang-format on */

/* The larger and the smaller of t and value; NaN if either is. */
TH_API void THTensor_(cmaxValue)(THTensor *r, THTensor *t, real value);
TH_API void THTensor_(cminValue)(THTensor *r, THTensor *t, real value);
/* The smaller of max_value and the larger of t and min_value. */
TH_API void THTensor_(clamp)(THTensor *r_, THTensor *t, real min_value, real max_value);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
/* t to the power of value, and value to the power of t. */
TH_API void THTensor_(pow)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(tpow)(THTensor *r_, real value, THTensor *t);
#endif

/* --- two inputs --------------------------------------------------------------------------- */

/* t + value * src */
TH_API void THTensor_(cadd)(THTensor *r_, THTensor *t, real value, THTensor *src);
/* src1 - value * src2 */
TH_API void THTensor_(csub)(THTensor *self, THTensor *src1, real value, THTensor *src2);
TH_API void THTensor_(cmul)(THTensor *r_, THTensor *t, THTensor *src);
/* Integers: the integer part of the exact power, wrapped around; 0 for powers below 0 of other
 * numbers than 1 and -1. */
TH_API void THTensor_(cpow)(THTensor *r_, THTensor *t, THTensor *src);

/* div, fmod and remainder with the elements of src instead of a scalar. */
TH_API void THTensor_(cdiv)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cfmod)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cremainder)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(clshift)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(crshift)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cbitand)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cbitor)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cbitxor)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cmax)(THTensor *r, THTensor *t, THTensor *src);
TH_API void THTensor_(cmin)(THTensor *r, THTensor *t, THTensor *src);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
/* The angle of the point (ty, tx): atan(tx / ty) with the quadrant of both. */
TH_API void THTensor_(atan2)(THTensor *r_, THTensor *tx, THTensor *ty);
/* a + weight * (b - a), exactly a at weight 0 and b at weight 1. */
TH_API void THTensor_(lerp)(THTensor *r_, THTensor *a, THTensor *b, real weight);
#endif

/* --- three inputs ------------------------------------------------------------------------- */

/* t + value * src1 * src2, t + value * src1 / src2, from left to right. */
TH_API void THTensor_(addcmul)(THTensor *r_, THTensor *t, real value, THTensor *src1,
                               THTensor *src2);
TH_API void THTensor_(addcdiv)(THTensor *r_, THTensor *t, real value, THTensor *src1,
                               THTensor *src2);

/* --- comparisons: 1 where they hold, else 0; in bytes, or (T) in elements like t's ----------- */

TH_API void THTensor_(ltValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(ltValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(ltTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(ltTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(leValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(leValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(leTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(leTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(gtValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(gtValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(gtTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(gtTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(geValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(geValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(geTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(geTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(neValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(neValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(neTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(neTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(eqValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(eqValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(eqTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(eqTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
