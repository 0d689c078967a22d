/* Copies between storages on the host and on devices, of any types; both have as many elements.
 * Elements are converted as THStorage_(copy) does. */

/* Copies size(storage) elements from src, which is in device memory too. */
THC_API void THCStorage_(rawCopy)(THCState *state, THCStorage *storage, real *src);

/* Copies from the same type: on a device (copy, copyCuda), and on the host. */
THC_API void THCStorage_(copy)(THCState *state, THCStorage *storage, THCStorage *src);
THC_API void THCStorage_(copyCuda)(THCState *state, THCStorage *self, THCStorage *src);
THC_API void THCStorage_(copyCPU)(THCState *state, THCStorage *self, THStorage *src);

/* Copies from the host. */
THC_API void THCStorage_(copyByte)(THCState *state, THCStorage *storage, struct THByteStorage *src);
THC_API void THCStorage_(copyChar)(THCState *state, THCStorage *storage, struct THCharStorage *src);
THC_API void THCStorage_(copyShort)(THCState *state, THCStorage *storage,
                                    struct THShortStorage *src);
THC_API void THCStorage_(copyInt)(THCState *state, THCStorage *storage, struct THIntStorage *src);
THC_API void THCStorage_(copyLong)(THCState *state, THCStorage *storage, struct THLongStorage *src);
THC_API void THCStorage_(copyFloat)(THCState *state, THCStorage *storage,
                                    struct THFloatStorage *src);
THC_API void THCStorage_(copyDouble)(THCState *state, THCStorage *storage,
                                     struct THDoubleStorage *src);
THC_API void THCStorage_(copyHalf)(THCState *state, THCStorage *storage, struct THHalfStorage *src);

/* Copies from a device. */
THC_API void THCStorage_(copyCudaByte)(THCState *state, THCStorage *storage,
                                       struct THCudaByteStorage *src);
THC_API void THCStorage_(copyCudaChar)(THCState *state, THCStorage *storage,
                                       struct THCudaCharStorage *src);
THC_API void THCStorage_(copyCudaShort)(THCState *state, THCStorage *storage,
                                        struct THCudaShortStorage *src);
THC_API void THCStorage_(copyCudaInt)(THCState *state, THCStorage *storage,
                                      struct THCudaIntStorage *src);
THC_API void THCStorage_(copyCudaLong)(THCState *state, THCStorage *storage,
                                       struct THCudaLongStorage *src);
THC_API void THCStorage_(copyCudaFloat)(THCState *state, THCStorage *storage,
                                        struct THCudaStorage *src);
THC_API void THCStorage_(copyCudaDouble)(THCState *state, THCStorage *storage,
                                         struct THCudaDoubleStorage *src);
THC_API void THCStorage_(copyCudaHalf)(THCState *state, THCStorage *storage,
                                       struct THCudaHalfStorage *src);

/* Copies to the host: into the same type, and into any. */
THC_API void THStorage_(copyCuda)(THCState *state, THStorage *self, THCStorage *src);
THC_API void TH_CONCAT_2(THByteStorage_copyCuda, Real)(THCState *state, THByteStorage *self,
                                                       struct THCStorage *src);
THC_API void TH_CONCAT_2(THCharStorage_copyCuda, Real)(THCState *state, THCharStorage *self,
                                                       struct THCStorage *src);
THC_API void TH_CONCAT_2(THShortStorage_copyCuda, Real)(THCState *state, THShortStorage *self,
                                                        struct THCStorage *src);
THC_API void TH_CONCAT_2(THIntStorage_copyCuda, Real)(THCState *state, THIntStorage *self,
                                                      struct THCStorage *src);
THC_API void TH_CONCAT_2(THLongStorage_copyCuda, Real)(THCState *state, THLongStorage *self,
                                                       struct THCStorage *src);
THC_API void TH_CONCAT_2(THFloatStorage_copyCuda, Real)(THCState *state, THFloatStorage *self,
                                                        struct THCStorage *src);
THC_API void TH_CONCAT_2(THDoubleStorage_copyCuda, Real)(THCState *state, THDoubleStorage *self,
                                                         struct THCStorage *src);
THC_API void TH_CONCAT_2(THHalfStorage_copyCuda, Real)(THCState *state, THHalfStorage *self,
                                                       struct THCStorage *src);
