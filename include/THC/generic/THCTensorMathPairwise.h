/* A tensor and a number, element by element.  The header's name is cutorch's; functions of two tensors are in
 * THCTensorMathPointwise.h, which says what holds for both. */

THC_API void THCTensor_(add)(THCState *state, THCTensor *self, THCTensor *src, real value);
THC_API void THCTensor_(sub)(THCState *state, THCTensor *self, THCTensor *src, real value);
/* src + value * alpha, src - value * alpha */
THC_API void THCTensor_(add_scaled)(THCState *state, THCTensor *self, THCTensor *src, real value,
                                    real alpha);
THC_API void THCTensor_(sub_scaled)(THCState *state, THCTensor *self, THCTensor *src, real value,
                                    real alpha);
THC_API void THCTensor_(mul)(THCState *state, THCTensor *self, THCTensor *src, real value);

/* The quotient; of integers without its fraction, and the least integer divided by -1 is itself. */
THC_API void THCTensor_(div)(THCState *state, THCTensor *self, THCTensor *src, real value);
/* The remainder with the sign of src, and the one with the sign of value. */
THC_API void THCTensor_(fmod)(THCState *state, THCTensor *self, THCTensor *src, real value);
THC_API void THCTensor_(remainder)(THCState *state, THCTensor *self, THCTensor *src, real value);

/* Integers: shifted by value bits, all of them if value is negative or not below the width; bits
 * that come in from the left are the sign.  Float and double: times, or divided by, 2 to the value.
 * For Half these raise. */
THC_API void THCTensor_(lshift)(THCState *state, THCTensor *self, THCTensor *src, real value);
THC_API void THCTensor_(rshift)(THCState *state, THCTensor *self, THCTensor *src, real value);

/* clang-format off */
/* Bits of integers; for floating types these raise. */
THC_API void THCTensor_(bitand)(THCState *state, THCTensor *self, THCTensor *src, real value);
THC_API void THCTensor_(bitor)(THCState *state, THCTensor *self, THCTensor *src, real value);
THC_API void THCTensor_(bitxor)(THCState *state, THCTensor *self, THCTensor *src, real value);
/* clang-format on */

/* 1 where both have the same size and elements, else 0 (NaN is equal to nothing).  Waits for the
 * device. */
THC_API int THCTensor_(equal)(THCState *state, THCTensor *self, THCTensor *src);
