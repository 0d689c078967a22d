/* Cumulative sums and products along a dimension, as in THTensorReduce.h: kept in accreal, added in
 * groups. */
THC_API void THCTensor_(cumsum)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim);
THC_API void THCTensor_(cumprod)(THCState *state, THCTensor *self, THCTensor *src, THCDim dim);
