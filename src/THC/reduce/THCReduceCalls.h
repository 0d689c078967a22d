/* The reductions that are TH's template, compiled for the device: one row each.
 *
 *     REDUCE(result, name, (parameters), (arguments), (number of tensors, tensors))
 *     FLOAT_REDUCE(...)    the same, of floating types only
 *
 * The including file defines what a row becomes (THC_DEFINE_CALL of THCCalls.h); the definitions are
 * forgotten at the end.  The current device must have access to the tensors.  The row of sum, for
 * instance, becomes for Float
 *
 *     void THCudaTensor_sum(THCState *state, THCudaTensor *self, THCudaTensor *src, THCDim dim,
 *                           int keepdim)
 *     {
 *       THC_enter(state);
 *       THC_CHECK_TENSORS(2, self, src);
 *       return THTensor_(sum)(self, src, THC_dim(dim), keepdim);
 *     }
 *
 * where THTensor_(sum) is that of TH/reduce/THTensorReduce.c, compiled for the device. */
#ifndef REDUCE
#define REDUCE(...)
#endif
#ifndef FLOAT_REDUCE
#define FLOAT_REDUCE(...)
#endif

REDUCE(accreal, sumall, (THCTensor * self), (self), (1, self))
REDUCE(accreal, prodall, (THCTensor * self), (self), (1, self))
REDUCE(accreal, meanall, (THCTensor * self), (self), (1, self))
REDUCE(real, minall, (THCTensor * self), (self), (1, self))
REDUCE(real, maxall, (THCTensor * self), (self), (1, self))
REDUCE(void, sum, (THCTensor * self, THCTensor *src, THCDim dim, int keepdim),
       (self, src, THC_dim(dim), keepdim), (2, self, src))
REDUCE(void, prod, (THCTensor * self, THCTensor *src, THCDim dim, int keepdim),
       (self, src, THC_dim(dim), keepdim), (2, self, src))
REDUCE(void, mean, (THCTensor * self, THCTensor *src, THCDim dim, int keepdim),
       (self, src, THC_dim(dim), keepdim), (2, self, src))
REDUCE(void, min,
       (THCTensor * values, THCudaLongTensor *indices, THCTensor *src, THCDim dim, int keepdim),
       (values, indices, src, THC_dim(dim), keepdim), (3, values, indices, src))
REDUCE(void, max,
       (THCTensor * values, THCudaLongTensor *indices, THCTensor *src, THCDim dim, int keepdim),
       (values, indices, src, THC_dim(dim), keepdim), (3, values, indices, src))

FLOAT_REDUCE(void, std, (THCTensor * self, THCTensor *src, THCDim dim, int biased, int keepdim),
             (self, src, THC_dim(dim), biased, keepdim), (2, self, src))
FLOAT_REDUCE(void, var, (THCTensor * self, THCTensor *src, THCDim dim, int biased, int keepdim),
             (self, src, THC_dim(dim), biased, keepdim), (2, self, src))
FLOAT_REDUCE(void, norm,
             (THCTensor * self, THCTensor *src, real value, THCDim dimension, int keepdim),
             (self, src, value, THC_dim(dimension), keepdim), (2, self, src))
FLOAT_REDUCE(void, renorm,
             (THCTensor * self, THCTensor *src, real value, THCDim dimension, real max_norm),
             (self, src, value, THC_dim(dimension), max_norm), (2, self, src))
FLOAT_REDUCE(accreal, dist, (THCTensor * self, THCTensor *src, real value), (self, src, value),
             (2, self, src))
FLOAT_REDUCE(accreal, stdall, (THCTensor * self, int biased), (self, biased), (1, self))
FLOAT_REDUCE(accreal, varall, (THCTensor * self, int biased), (self, biased), (1, self))
FLOAT_REDUCE(accreal, normall, (THCTensor * self, real value), (self, value), (1, self))

#undef REDUCE
#undef FLOAT_REDUCE
