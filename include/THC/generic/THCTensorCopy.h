/* Copies between tensors on the host and on devices, of any types, shapes and strides; both have as
 * many elements, which are taken in row-major order and converted as THTensor_(copy) does.
 *
 * Between devices and on one, the copy is queued: it comes after what is queued on the current
 * streams of both devices, and before what will be.  From and to the host it is done on return. */
THC_API void THCTensor_(copy)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(copyCuda)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(copyCPU)(THCState *state, THCTensor *self, THTensor *src);

/* As copy, into a tensor whose elements may share memory: which value such an element gets is not
 * said. */
THC_API void THCTensor_(copyIgnoringOverlaps)(THCState *state, THCTensor *self, THCTensor *src);

/* Copies from the host. */
THC_API void THCTensor_(copyByte)(THCState *state, THCTensor *self, struct THByteTensor *src);
THC_API void THCTensor_(copyChar)(THCState *state, THCTensor *self, struct THCharTensor *src);
THC_API void THCTensor_(copyShort)(THCState *state, THCTensor *self, struct THShortTensor *src);
THC_API void THCTensor_(copyInt)(THCState *state, THCTensor *self, struct THIntTensor *src);
THC_API void THCTensor_(copyLong)(THCState *state, THCTensor *self, struct THLongTensor *src);
THC_API void THCTensor_(copyFloat)(THCState *state, THCTensor *self, struct THFloatTensor *src);
THC_API void THCTensor_(copyDouble)(THCState *state, THCTensor *self, struct THDoubleTensor *src);
THC_API void THCTensor_(copyHalf)(THCState *state, THCTensor *self, struct THHalfTensor *src);

/* Copies from a device. */
THC_API void THCTensor_(copyCudaByte)(THCState *state, THCTensor *dst,
                                      struct THCudaByteTensor *src);
THC_API void THCTensor_(copyCudaChar)(THCState *state, THCTensor *dst,
                                      struct THCudaCharTensor *src);
THC_API void THCTensor_(copyCudaShort)(THCState *state, THCTensor *dst,
                                       struct THCudaShortTensor *src);
THC_API void THCTensor_(copyCudaInt)(THCState *state, THCTensor *dst, struct THCudaIntTensor *src);
THC_API void THCTensor_(copyCudaLong)(THCState *state, THCTensor *dst,
                                      struct THCudaLongTensor *src);
THC_API void THCTensor_(copyCudaFloat)(THCState *state, THCTensor *dst, struct THCudaTensor *src);
THC_API void THCTensor_(copyCudaDouble)(THCState *state, THCTensor *dst,
                                        struct THCudaDoubleTensor *src);
THC_API void THCTensor_(copyCudaHalf)(THCState *state, THCTensor *dst,
                                      struct THCudaHalfTensor *src);

/* Copies to the host: into the same type, and into any. */
THC_API void THTensor_(copyCuda)(THCState *state, THTensor *self, THCTensor *src);
THC_API void TH_CONCAT_2(THByteTensor_copyCuda, Real)(THCState *state, THByteTensor *self,
                                                      struct THCTensor *src);
THC_API void TH_CONCAT_2(THCharTensor_copyCuda, Real)(THCState *state, THCharTensor *self,
                                                      struct THCTensor *src);
THC_API void TH_CONCAT_2(THShortTensor_copyCuda, Real)(THCState *state, THShortTensor *self,
                                                       struct THCTensor *src);
THC_API void TH_CONCAT_2(THIntTensor_copyCuda, Real)(THCState *state, THIntTensor *self,
                                                     struct THCTensor *src);
THC_API void TH_CONCAT_2(THLongTensor_copyCuda, Real)(THCState *state, THLongTensor *self,
                                                      struct THCTensor *src);
THC_API void TH_CONCAT_2(THFloatTensor_copyCuda, Real)(THCState *state, THFloatTensor *self,
                                                       struct THCTensor *src);
THC_API void TH_CONCAT_2(THDoubleTensor_copyCuda, Real)(THCState *state, THDoubleTensor *self,
                                                        struct THCTensor *src);
THC_API void TH_CONCAT_2(THHalfTensor_copyCuda, Real)(THCState *state, THHalfTensor *self,
                                                      struct THCTensor *src);

/* Queued on the current stream of the device's tensor and not waited for: both tensors are
 * contiguous, and the one on the host stays as it is until the stream has come that far (pinned
 * memory of THCCachingHostAllocator may be freed before). */
THC_API void THCTensor_(copyAsyncCPU)(THCState *state, THCTensor *self, THTensor *src);
THC_API void THTensor_(copyAsyncCuda)(THCState *state, THTensor *self, THCTensor *src);
