/* Tensors of random numbers.
 *
 * Elements take their draws in row-major order, whatever the strides of self are, so that a seed
 * gives the same values in every layout.  self keeps its shape unless the function says otherwise;
 * of elements that share memory the last one's draw stays.  A parameter out of its range is an
 * error, after which nothing is drawn or written. */

/* Integers from 0 to 2^24 for Float, 2^53 for Double, the largest value for integer types. */
TH_API void THTensor_(random)(THTensor *self, THGenerator *_generator);
/* Integers min <= x <= max, converted as THTensor_(copy) does. */
TH_API void THTensor_(clampedRandom)(THTensor *self, THGenerator *_generator, int64_t min,
                                     int64_t max);
/* Integers 1 <= x <= max. */
TH_API void THTensor_(cappedRandom)(THTensor *self, THGenerator *_generator, int64_t max);

/* How many trials of probability p, 0 < p < 1, it takes until one succeeds: 1, 2, ...; until one
 * fails where TH_COMPAT_TORCH7 is defined. */
TH_API void THTensor_(geometric)(THTensor *self, THGenerator *_generator, double p);

/* 1 with probability p, 0 <= p <= 1, else 0. */
TH_API void THTensor_(bernoulli)(THTensor *self, THGenerator *_generator, double p);
/* bernoulli with a probability for each element; p has as many elements as self, in any shape. */
TH_API void THTensor_(bernoulli_FloatTensor)(THTensor *self, THGenerator *_generator,
                                             THFloatTensor *p);
TH_API void THTensor_(bernoulli_DoubleTensor)(THTensor *self, THGenerator *_generator,
                                              THDoubleTensor *p);

/* r_ becomes a vector of the numbers 0 ... n - 1, in any index base, in random order.  n >= 1, and
 * the type can tell n numbers apart. */
TH_API void THTensor_(randperm)(THTensor *r_, THGenerator *_generator, int64_t n);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* p may be self. */
TH_API void THTensor_(bernoulli_Tensor)(THTensor *self, THGenerator *_generator, THTensor *p);

/* Uniform in [a, b), but for rounding. */
TH_API void THTensor_(uniform)(THTensor *self, THGenerator *_generator, double a, double b);

/* r_ takes the shape size; uniform in [0, 1), and normal of mean 0 and stdv 1. */
TH_API void THTensor_(rand)(THTensor *r_, THGenerator *_generator, THLongStorage *size);
TH_API void THTensor_(randn)(THTensor *r_, THGenerator *_generator, THLongStorage *size);

/* stdv > 0. */
TH_API void THTensor_(normal)(THTensor *self, THGenerator *_generator, double mean, double stdv);
/* normal with a mean, a deviation >= 0 or both for each element; self takes the shape of the
 * tensor of means, or else of stddevs, and both have as many elements.  self may be either. */
TH_API void THTensor_(normal_means)(THTensor *self, THGenerator *gen, THTensor *means,
                                    double stddev);
TH_API void THTensor_(normal_stddevs)(THTensor *self, THGenerator *gen, double mean,
                                      THTensor *stddevs);
TH_API void THTensor_(normal_means_stddevs)(THTensor *self, THGenerator *gen, THTensor *means,
                                            THTensor *stddevs);

/* Numbers of the distribution that the THRandom_ function of the same name has. */
TH_API void THTensor_(exponential)(THTensor *self, THGenerator *_generator, double lambda);
TH_API void THTensor_(cauchy)(THTensor *self, THGenerator *_generator, double median, double sigma);
TH_API void THTensor_(logNormal)(THTensor *self, THGenerator *_generator, double mean, double stdv);

/* self takes the shape of alpha, whose elements are > 0.  self may be alpha. */
TH_API void THTensor_(standard_gamma)(THTensor *self, THGenerator *_generator, THTensor *alpha);

/* n_sample indices, counted from 0, drawn with the probabilities of prob_dist, which
 * need not sum to 1: of a vector, self becomes a vector of n_sample; of a matrix, each row is a
 * distribution and self becomes rows x n_sample.
 *
 * Probabilities are finite, not negative, and each row has a positive one; without replacement a
 * row has at least n_sample positive ones. */
TH_API void THTensor_(multinomial)(THLongTensor *self, THGenerator *_generator, THTensor *prob_dist,
                                   int n_sample, int with_replacement);

/* The alias method draws from one distribution in constant time a sample.  Setup turns the vector
 * prob_dist of K probabilities, which sum to 1, into the K thresholds q and the K aliases J,
 * counted from 0 as all indices that are returned. */
TH_API void THTensor_(multinomialAliasSetup)(THTensor *prob_dist, THLongTensor *J, THTensor *q);
/* Fills self, in the shape that it has, with indices counted from 0.  J is read, and counts from
 * TH_INDEX_BASE: Torch7's programs add 1 to what setup returned. */
TH_API void THTensor_(multinomialAliasDraw)(THLongTensor *self, THGenerator *_generator,
                                            THLongTensor *J, THTensor *q);

#endif

#if defined(TH_REAL_IS_BYTE)

/* The generator's state as a vector of sizeof(THGenerator) bytes, and back.  self becomes such a
 * vector; set takes any tensor of as many elements that holds a valid state. */
TH_API void THTensor_(getRNGState)(THGenerator *_generator, THTensor *self);
TH_API void THTensor_(setRNGState)(THGenerator *_generator, THTensor *self);

#endif
