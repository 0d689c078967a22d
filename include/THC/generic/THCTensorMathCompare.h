/* Comparisons with a number: 1 where they hold, else 0; in bytes, or (T) in elements like src's.
 * See THCTensorMathPointwise.h. */

THC_API void THCTensor_(ltValue)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src,
                                 real value);
THC_API void THCTensor_(gtValue)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src,
                                 real value);
THC_API void THCTensor_(leValue)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src,
                                 real value);
THC_API void THCTensor_(geValue)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src,
                                 real value);
THC_API void THCTensor_(eqValue)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src,
                                 real value);
THC_API void THCTensor_(neValue)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src,
                                 real value);

THC_API void THCTensor_(ltValueT)(THCState *state, THCTensor *self_, THCTensor *src, real value);
THC_API void THCTensor_(gtValueT)(THCState *state, THCTensor *self_, THCTensor *src, real value);
THC_API void THCTensor_(leValueT)(THCState *state, THCTensor *self_, THCTensor *src, real value);
THC_API void THCTensor_(geValueT)(THCState *state, THCTensor *self_, THCTensor *src, real value);
THC_API void THCTensor_(eqValueT)(THCState *state, THCTensor *self_, THCTensor *src, real value);
THC_API void THCTensor_(neValueT)(THCState *state, THCTensor *self_, THCTensor *src, real value);
