/* --- masks: as many elements as the tensor, paired in row-major order -------------------------
 *
 * maskedCopy and maskedSelect wait for the number of ones. */

THC_API void THCTensor_(maskedFill)(THCState *state, THCTensor *tensor, THCudaByteTensor *mask,
                                    real value);
THC_API void THCTensor_(maskedCopy)(THCState *state, THCTensor *tensor, THCudaByteTensor *mask,
                                    THCTensor *src);
THC_API void THCTensor_(maskedSelect)(THCState *state, THCTensor *tensor, THCTensor *src,
                                      THCudaByteTensor *mask);

/* The functions above with a mask on the host, which is checked before anything is done. */
THC_API void THCTensor_(maskedFillByte)(THCState *state, THCTensor *tensor,
                                        struct THByteTensor *mask, real value);
THC_API void THCTensor_(maskedCopyByte)(THCState *state, THCTensor *tensor,
                                        struct THByteTensor *mask, THCTensor *src);
THC_API void THCTensor_(maskedSelectByte)(THCState *state, THCTensor *tensor, THCTensor *src,
                                          struct THByteTensor *mask);
