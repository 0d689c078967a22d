/* The reductions that are TH's template, compiled for the device: one row each.
 *
 *     ROW(result, name, (parameters), (arguments), (number of tensors, tensors))
 *
 * As THC_TENSOR_CALLS; the current device must have access to the tensors. */
#define THC_REDUCE_CALLS(ROW)                                                                     \
  ROW(accreal, sumall, (THCTensor * self), (self), (1, self))                                     \
  ROW(accreal, prodall, (THCTensor * self), (self), (1, self))                                    \
  ROW(accreal, meanall, (THCTensor * self), (self), (1, self))                                    \
  ROW(real, minall, (THCTensor * self), (self), (1, self))                                        \
  ROW(real, maxall, (THCTensor * self), (self), (1, self))                                        \
  ROW(void, sum, (THCTensor * self, THCTensor * src, THCDim dim, int keepdim),                    \
      (self, src, THC_dim(dim), keepdim), (2, self, src))                                         \
  ROW(void, prod, (THCTensor * self, THCTensor * src, THCDim dim, int keepdim),                   \
      (self, src, THC_dim(dim), keepdim), (2, self, src))                                         \
  ROW(void, mean, (THCTensor * self, THCTensor * src, THCDim dim, int keepdim),                   \
      (self, src, THC_dim(dim), keepdim), (2, self, src))                                         \
  ROW(void, min,                                                                                  \
      (THCTensor * values, THCudaLongTensor * indices, THCTensor * src, THCDim dim, int keepdim), \
      (values, indices, src, THC_dim(dim), keepdim), (3, values, indices, src))                   \
  ROW(void, max,                                                                                  \
      (THCTensor * values, THCudaLongTensor * indices, THCTensor * src, THCDim dim, int keepdim), \
      (values, indices, src, THC_dim(dim), keepdim), (3, values, indices, src))

#define THC_FLOAT_REDUCE_CALLS(ROW)                                                               \
  ROW(void, std, (THCTensor * self, THCTensor * src, THCDim dim, int biased, int keepdim),        \
      (self, src, THC_dim(dim), biased, keepdim), (2, self, src))                                 \
  ROW(void, var, (THCTensor * self, THCTensor * src, THCDim dim, int biased, int keepdim),        \
      (self, src, THC_dim(dim), biased, keepdim), (2, self, src))                                 \
  ROW(void, norm, (THCTensor * self, THCTensor * src, real value, THCDim dimension, int keepdim), \
      (self, src, value, THC_dim(dimension), keepdim), (2, self, src))                            \
  ROW(void, renorm,                                                                               \
      (THCTensor * self, THCTensor * src, real value, THCDim dimension, real max_norm),           \
      (self, src, value, THC_dim(dimension), max_norm), (2, self, src))                           \
  ROW(accreal, dist, (THCTensor * self, THCTensor * src, real value), (self, src, value),         \
      (2, self, src))                                                                             \
  ROW(accreal, stdall, (THCTensor * self, int biased), (self, biased), (1, self))                 \
  ROW(accreal, varall, (THCTensor * self, int biased), (self, biased), (1, self))                 \
  ROW(accreal, normall, (THCTensor * self, real value), (self, value), (1, self))
