/* Element by element.
 *
 * In all of these r_ takes the shape of the first input; further inputs have as many elements, in
 * any shape, and are walked beside it in row-major order.  r_ may be any of the inputs.  Integers
 * wrap around; a floating element is computed as C does.  Wrong numbers of elements, an integer
 * divisor of 0 (anywhere in it) and a result that overlaps itself are errors, after which nothing
 * has changed. */

/* r = value.  All elements of r may share memory. */
TH_API void THTensor_(fill)(THTensor *r_, real value);
TH_API void THTensor_(zero)(THTensor *r_);

/* --- one input ---------------------------------------------------------------------------- */

TH_API void THTensor_(neg)(THTensor *self, THTensor *src);
TH_API void THTensor_(sign)(THTensor *r_, THTensor *t); /* -1, 0 or 1; 0 of NaN */
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
TH_API void THTensor_(abs)(THTensor *r_, THTensor *t);
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
TH_API void THTensor_(cinv)(THTensor *self, THTensor *src); /* 1 / src */
TH_API void THTensor_(sqrt)(THTensor *r_, THTensor *t);
TH_API void THTensor_(rsqrt)(THTensor *r_, THTensor *t); /* 1 / sqrt(t) */
TH_API void THTensor_(ceil)(THTensor *r_, THTensor *t);
TH_API void THTensor_(floor)(THTensor *r_, THTensor *t);
TH_API void THTensor_(round)(THTensor *r_, THTensor *t); /* halves to even */
TH_API void THTensor_(trunc)(THTensor *r_, THTensor *t);
TH_API void THTensor_(frac)(THTensor *r_, THTensor *t); /* t - trunc(t) */
#endif

/* --- an input and scalars ------------------------------------------------------------------ */

TH_API void THTensor_(add)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(sub)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(add_scaled)(THTensor *r_, THTensor *t, real value,
                                  real alpha); /* t + value * alpha */
TH_API void THTensor_(sub_scaled)(THTensor *r_, THTensor *t, real value,
                                  real alpha); /* t - value * alpha */
TH_API void THTensor_(mul)(THTensor *r_, THTensor *t, real value);

/* Integers: the quotient cut towards 0, and the remainders that belong to it (fmod) or to the
 * quotient rounded down (remainder, which has the sign of value). */
TH_API void THTensor_(div)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(fmod)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(remainder)(THTensor *r_, THTensor *t, real value);

/* Integers: by value bits; all of them for a value below 0 or beyond the width.  Floating: t times,
 * or divided by, 2 to the power of value. */
TH_API void THTensor_(lshift)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(rshift)(THTensor *r_, THTensor *t, real value);

/* Integers only: floating types raise an error. */
TH_API void THTensor_ (bitand)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(bitor)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(bitxor)(THTensor *r_, THTensor *t, real value);

/* min(max(t, min_value), max_value): max_value where the bounds cross; NaN stays NaN. */
TH_API void THTensor_(clamp)(THTensor *r_, THTensor *t, real min_value, real max_value);

/* The larger and the smaller; NaN if either is. */
TH_API void THTensor_(cmaxValue)(THTensor *r, THTensor *t, real value);
TH_API void THTensor_(cminValue)(THTensor *r, THTensor *t, real value);

/* --- two inputs --------------------------------------------------------------------------- */

/* r = t + value * src, r = src1 - value * src2. */
TH_API void THTensor_(cadd)(THTensor *r_, THTensor *t, real value, THTensor *src);
TH_API void THTensor_(csub)(THTensor *self, THTensor *src1, real value, THTensor *src2);

/* As the functions of one input and a scalar, with src in its place. */
TH_API void THTensor_(cmul)(THTensor *r_, THTensor *t, THTensor *src);
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
TH_API void THTensor_(lerp)(THTensor *r_, THTensor *a, THTensor *b,
                            real weight); /* a + weight * (b - a) */
#endif

/* --- three inputs ------------------------------------------------------------------------- */

/* r = t + value * src1 * src2, r = t + value * src1 / src2. */
TH_API void THTensor_(addcmul)(THTensor *r_, THTensor *t, real value, THTensor *src1,
                               THTensor *src2);
TH_API void THTensor_(addcdiv)(THTensor *r_, THTensor *t, real value, THTensor *src1,
                               THTensor *src2);

/* --- comparisons: 1 where it holds, else 0, as bytes or (T) as elements of t's type -------------
 */

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
