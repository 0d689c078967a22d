/* Comparisons of two tensors: 1 where they hold, else 0; in bytes, or (T) in elements like src1's.
 * See THCTensorMathPointwise.h. */

THC_API void THCTensor_(ltTensor)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src1,
                                  THCTensor *src2);
THC_API void THCTensor_(gtTensor)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src1,
                                  THCTensor *src2);
THC_API void THCTensor_(leTensor)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src1,
                                  THCTensor *src2);
THC_API void THCTensor_(geTensor)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src1,
                                  THCTensor *src2);
THC_API void THCTensor_(eqTensor)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src1,
                                  THCTensor *src2);
THC_API void THCTensor_(neTensor)(THCState *state, struct THCudaByteTensor *self_, THCTensor *src1,
                                  THCTensor *src2);

THC_API void THCTensor_(ltTensorT)(THCState *state, THCTensor *self_, THCTensor *src1,
                                   THCTensor *src2);
THC_API void THCTensor_(gtTensorT)(THCState *state, THCTensor *self_, THCTensor *src1,
                                   THCTensor *src2);
THC_API void THCTensor_(leTensorT)(THCState *state, THCTensor *self_, THCTensor *src1,
                                   THCTensor *src2);
THC_API void THCTensor_(geTensorT)(THCState *state, THCTensor *self_, THCTensor *src1,
                                   THCTensor *src2);
THC_API void THCTensor_(eqTensorT)(THCState *state, THCTensor *self_, THCTensor *src1,
                                   THCTensor *src2);
THC_API void THCTensor_(neTensorT)(THCState *state, THCTensor *self_, THCTensor *src1,
                                   THCTensor *src2);
