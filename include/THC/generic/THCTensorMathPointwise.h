/* Functions of each element by itself, as in THTensorPointwise.h: what they compute, the shapes,
 * and which operands may share memory.  They are queued on the current stream.
 *
 * All operands lie on the current device, or on devices that it reaches; anything else is an error.
 * Half is computed in float and rounded once.  The functions from exp on are CUDA's, whose errors
 * the programming guide lists; some units in the last place at most.
 *
 * Where TH raises for divisors of 0 among the elements of integers, a device does not look for
 * them: the quotient is 0 there and the remainder the dividend.  A scalar of 0 is an error. */

THC_API void THCTensor_(neg)(THCState *state, THCTensor *self, THCTensor *src);

/* -1, 0 or 1; 0 for NaN. */
THC_API void THCTensor_(sign)(THCState *state, THCTensor *self, THCTensor *src);

THC_API void THCTensor_(abs)(THCState *state, THCTensor *self, THCTensor *src);

/* The larger and the smaller of src and value; NaN if either is. */
THC_API void THCTensor_(cmaxValue)(THCState *state, THCTensor *self, THCTensor *src, real value);
THC_API void THCTensor_(cminValue)(THCState *state, THCTensor *self, THCTensor *src, real value);
/* The smaller of max_value and the larger of src and min_value. */
THC_API void THCTensor_(clamp)(THCState *state, THCTensor *self, THCTensor *src, real min_value,
                               real max_value);

#if defined(THC_REAL_IS_HALF) || defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)
/* 1 / src */
THC_API void THCTensor_(cinv)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(sqrt)(THCState *state, THCTensor *self, THCTensor *src);
/* 1 / sqrt(src) */
THC_API void THCTensor_(rsqrt)(THCState *state, THCTensor *self, THCTensor *src);

THC_API void THCTensor_(ceil)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(floor)(THCState *state, THCTensor *self, THCTensor *src);
/* Halves to the even neighbour. */
THC_API void THCTensor_(round)(THCState *state, THCTensor *self, THCTensor *src);
/* Towards 0. */
THC_API void THCTensor_(trunc)(THCState *state, THCTensor *self, THCTensor *src);
/* src - trunc(src) */
THC_API void THCTensor_(frac)(THCState *state, THCTensor *self, THCTensor *src);

THC_API void THCTensor_(exp)(THCState *state, THCTensor *self, THCTensor *src);
/* exp(src) - 1, accurate near 0. */
THC_API void THCTensor_(expm1)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(log)(THCState *state, THCTensor *self, THCTensor *src);
/* log(1 + src), accurate near 0. */
THC_API void THCTensor_(log1p)(THCState *state, THCTensor *self, THCTensor *src);
/* 1 / (1 + exp(-src)) */
THC_API void THCTensor_(sigmoid)(THCState *state, THCTensor *self, THCTensor *src);

THC_API void THCTensor_(sin)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(cos)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(tan)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(asin)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(acos)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(atan)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(sinh)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(cosh)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(tanh)(THCState *state, THCTensor *self, THCTensor *src);

THC_API void THCTensor_(erf)(THCState *state, THCTensor *self, THCTensor *src);
/* The x with erf(x) = src: infinite at 1 and -1, NaN beyond. */
THC_API void THCTensor_(erfinv)(THCState *state, THCTensor *self, THCTensor *src);
/* log(|gamma(src)|), its derivative without the absolute value, and the derivative of that. */
THC_API void THCTensor_(lgamma)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(digamma)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(trigamma)(THCState *state, THCTensor *self, THCTensor *src);
/* digamma for n 0, trigamma for n 1; any other n is an error. */
THC_API void THCTensor_(polygamma)(THCState *state, THCTensor *self, int64_t n, THCTensor *src);

/* src to the power of value, and value to the power of src. */
THC_API void THCTensor_(pow)(THCState *state, THCTensor *self, THCTensor *src, real value);
THC_API void THCTensor_(tpow)(THCState *state, THCTensor *self, real value, THCTensor *src);

/* The angle of the point (ty, tx): atan(tx / ty) with the quadrant of both. */
THC_API void THCTensor_(atan2)(THCState *state, THCTensor *r_, THCTensor *tx, THCTensor *ty);
/* a + w * (b - a), exactly a at w 0 and b at w 1. */
THC_API void THCTensor_(lerp)(THCState *state, THCTensor *result, THCTensor *a, THCTensor *b,
                              real w);
#endif

/* --- two and three inputs ------------------------------------------------------------------ */

/* src1 + value * src2, src1 - value * src2 */
THC_API void THCTensor_(cadd)(THCState *state, THCTensor *self, THCTensor *src1, real value,
                              THCTensor *src2);
THC_API void THCTensor_(csub)(THCState *state, THCTensor *self, THCTensor *src1, real value,
                              THCTensor *src2);
THC_API void THCTensor_(cmul)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2);
/* Integers: the integer part of the exact power, wrapped around. */
THC_API void THCTensor_(cpow)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2);

THC_API void THCTensor_(cdiv)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2);
/* The remainder with the sign of src1, and the one with the sign of src2. */
THC_API void THCTensor_(cfmod)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2);
THC_API void THCTensor_(cremainder)(THCState *state, THCTensor *self, THCTensor *src1,
                                    THCTensor *src2);
THC_API void THCTensor_(cmax)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2);
THC_API void THCTensor_(cmin)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2);

/* lshift and so on with the elements of src2 instead of a scalar. */
THC_API void THCTensor_(clshift)(THCState *state, THCTensor *self, THCTensor *src1,
                                 THCTensor *src2);
THC_API void THCTensor_(crshift)(THCState *state, THCTensor *self, THCTensor *src1,
                                 THCTensor *src2);
THC_API void THCTensor_(cbitand)(THCState *state, THCTensor *self, THCTensor *src1,
                                 THCTensor *src2);
THC_API void THCTensor_(cbitor)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2);
THC_API void THCTensor_(cbitxor)(THCState *state, THCTensor *self, THCTensor *src1,
                                 THCTensor *src2);

/* t + value * src1 * src2, t + value * src1 / src2, from left to right. */
THC_API void THCTensor_(addcmul)(THCState *state, THCTensor *self, THCTensor *t, real value,
                                 THCTensor *src1, THCTensor *src2);
THC_API void THCTensor_(addcdiv)(THCState *state, THCTensor *self, THCTensor *t, real value,
                                 THCTensor *src1, THCTensor *src2);

/* The vector products of the 3-vectors that lie along dimension in src1 and src2, which have the
 * same size; below 0: along the first dimension of size 3. */
THC_API void THCTensor_(cross)(THCState *state, THCTensor *self, THCTensor *src1, THCTensor *src2,
                               int dimension);
