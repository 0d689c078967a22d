/* Tensors of random numbers, from the generator of the current device.
 *
 * The numbers depend on the seed, on what was drawn before, and on the number of elements: elements take
 * their draws in row-major order, whatever strides self has.  They are those that PyTorch draws; of more
 * elements than a device has threads, they depend on how many these are.  self keeps its shape unless
 * the function says otherwise, and its elements may not share memory.  A parameter out of its range
 * is an error, after which nothing is drawn or written.
 *
 * Half is drawn in float and rounded once. */

/* Integers from 0 to 2^24 for Float, 2^53 for Double, 2^11 for Half, the largest value for integer
 * types. */
THC_API void THCTensor_(random)(THCState *state, THCTensor *self);
/* Integers min <= x <= max. */
THC_API void THCTensor_(clampedRandom)(THCState *state, THCTensor *self, int64_t min, int64_t max);
/* Integers 1 <= x <= max. */
THC_API void THCTensor_(cappedRandom)(THCState *state, THCTensor *self, int64_t max);

/* How many trials of probability p, 0 < p < 1, it takes until one succeeds: 1, 2, ...; until one
 * fails where TH_COMPAT_TORCH7 is defined. */
THC_API void THCTensor_(geometric)(THCState *state, THCTensor *self, double p);

/* 1 with probability p, 0 <= p <= 1 (to 2^-32), else 0. */
THC_API void THCTensor_(bernoulli)(THCState *state, THCTensor *self, double p);
/* bernoulli with a probability for each element; p has as many elements as self, in any shape, and
 * may be self.  Nobody waits for the check of p: where an element is out of range, the draw is 0 or 1. */
THC_API void THCTensor_(bernoulli_FloatTensor)(THCState *state, THCTensor *self, THCudaTensor *p);
THC_API void THCTensor_(bernoulli_DoubleTensor)(THCState *state, THCTensor *self,
                                                THCudaDoubleTensor *p);
THC_API void THCTensor_(bernoulli_Tensor)(THCState *state, THCTensor *self, THCTensor *p);

/* r_ becomes a vector of the numbers 0 ... n - 1, in any index base, in random order.  n >= 1, and
 * the type can tell n numbers apart. */
THC_API void THCTensor_(randperm)(THCState *state, THCTensor *r_, int64_t n);

#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE) || defined(THC_REAL_IS_HALF)

/* Uniform in [a, b), but for rounding. */
THC_API void THCTensor_(uniform)(THCState *state, THCTensor *self, double a, double b);

/* r_ takes the shape size; uniform in [0, 1), and normal of mean 0 and stdv 1. */
THC_API void THCTensor_(rand)(THCState *state, THCTensor *r_, THLongStorage *size);
THC_API void THCTensor_(randn)(THCState *state, THCTensor *r_, THLongStorage *size);

/* stdv > 0. */
THC_API void THCTensor_(normal)(THCState *state, THCTensor *self, double mean, double stdv);
/* normal with a mean, a deviation >= 0 or both for each element; self takes the shape of the
 * tensor of means, or else of stddevs, and both have as many elements.  self may be either.  With
 * stddevs these functions wait for the device, to check stddevs. */
THC_API void THCTensor_(normal_means)(THCState *state, THCTensor *self, THCTensor *means,
                                      double stddev);
THC_API void THCTensor_(normal_stddevs)(THCState *state, THCTensor *self, double mean,
                                        THCTensor *stddevs);
THC_API void THCTensor_(normal_means_stddevs)(THCState *state, THCTensor *self, THCTensor *means,
                                              THCTensor *stddevs);

/* exp of a normal number of that mean and stdv > 0. */
THC_API void THCTensor_(logNormal)(THCState *state, THCTensor *self, double mean, double stdv);

/* Density lambda * exp(-lambda * x), lambda > 0. */
THC_API void THCTensor_(exponential)(THCState *state, THCTensor *self, double lambda);

/* Density sigma / (pi * ((x - median)^2 + sigma^2)), sigma > 0. */
THC_API void THCTensor_(cauchy)(THCState *state, THCTensor *self, double median, double sigma);

/* n_sample indices drawn with the probabilities of prob_dist, which need not sum to 1: of a vector,
 * self becomes a vector of n_sample; of a matrix, each row is a distribution and self becomes rows x
 * n_sample.  Computed in double.  Indices count from TH_INDEX_BASE.
 *
 * Probabilities are finite, not negative, and each row has a positive one; without replacement a row
 * has at least n_sample positive ones.  Waits for the device, to check that. */
THC_API void THCTensor_(multinomial)(THCState *state, THCudaLongTensor *self, THCTensor *prob_dist,
                                     int n_sample, int with_replacement);

/* The alias method draws from one distribution in constant time a sample.  Setup turns the vector
 * probs of K probabilities, which sum to 1, into the K thresholds _q and the K aliases _J; it
 * computes on the host, as it goes from one probability to the next.  Draw fills self, in the shape
 * that it has, with indices.  All indices count from TH_INDEX_BASE.  Both wait for the device. */
THC_API void THCTensor_(multinomialAliasSetup)(THCState *state, THCTensor *probs,
                                               THCudaLongTensor *_J, THCTensor *_q);
THC_API void THCTensor_(multinomialAliasDraw)(THCState *state, THCudaLongTensor *self,
                                              THCudaLongTensor *_J, THCTensor *_q);

#endif
