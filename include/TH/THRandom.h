/* Random numbers: one Mersenne Twister (MT19937), drawn from number by number.
 *
 *     THGenerator *gen = THGenerator_new();
 *     THRandom_manualSeed(gen, 0);
 *     float u = THRandom_uniformFloat(gen, 0, 1);                 0.4963
 *     double z = THRandom_normal(gen, 0, 1);
 *     THGenerator_free(gen);
 *
 * Whole tensors are filled by THTensor_(uniform), THTensor_(normal) and their family in
 * generic/THTensorRandom.h.  The same seed gives the same numbers everywhere, and the words,
 * integers and uniform numbers are those of PyTorch's CPU generator.
 *
 * Every function locks the generator while it draws, so threads may share one; which thread gets
 * which number is then up to them.  A generator that was never seeded is an error. */
#ifndef TH_RANDOM_H
#define TH_RANDOM_H

#include "THGeneral.h"

#define _MERSENNE_STATE_N 624
#define _MERSENNE_STATE_M 397

/* The name of the type in Lua. */
#define torch_Generator "torch.Generator"

/* The whole state of a stream: 5,048 bytes that may be copied and written to files as they are. */
typedef struct THGenerator {
  uint64_t the_initial_seed;
  int left;      /* words left in state, plus 1; at 1 the next draw makes 624 new ones */
  int seeded;    /* nonzero after seeding */
  uint64_t next; /* the index in state of the next word */
  uint64_t state[_MERSENNE_STATE_N]; /* 32 useful bits each */
  double normal_x;     /* last pair of normal numbers: the uniform number of its angle */
  double normal_y;     /* the uniform number of the pair's radius */
  double normal_rho;   /* the radius of the pair */
  int normal_is_valid; /* the second of the pair was not handed out yet */
} THGenerator;

typedef THGenerator THGeneratorState;

/* --- generators ------------------------------------------------------------------------------ */

/* A generator seeded from the system's entropy. */
TH_API THGenerator *THGenerator_new(void);

/* Makes self the same as from, whose seed and position it takes, and returns self. */
TH_API THGenerator *THGenerator_copy(THGenerator *self, THGenerator *from);

TH_API void THGenerator_free(THGenerator *gen); /* NULL is nothing to free */

/* Nonzero when the generator is seeded and its fields are such that words can be drawn. */
TH_API int THGenerator_isValid(THGenerator *_generator);

/* THGenerator_copy and THGenerator_isValid under the names that the state has by itself. */
TH_API THGeneratorState *THGeneratorState_copy(THGeneratorState *self, THGeneratorState *from);
TH_API int THGeneratorState_isValid(THGeneratorState *_gen_state);

/* --- seeds ----------------------------------------------------------------------------------- */

/* Seeds from the system's entropy and returns the seed. */
TH_API uint64_t THRandom_seed(THGenerator *_generator);

/* Starts the stream of the_seed_ from its beginning.  Its low 32 bits decide. */
TH_API void THRandom_manualSeed(THGenerator *_generator, uint64_t the_seed_);

/* The seed that the stream was started with. */
TH_API uint64_t THRandom_initialSeed(THGenerator *_generator);

/* --- uniform --------------------------------------------------------------------------------- */

/* The next word: 32 bits. */
TH_API uint64_t THRandom_random(THGenerator *_generator);

/* Two words, the first one on top: 64 bits. */
TH_API uint64_t THRandom_random64(THGenerator *_generator);

/* A number in [0, 1), of 53 bits of random64. */
TH_API double THRandom_standard_uniform(THGenerator *_generator);

/* A number in [a, b), of 53 bits of random64; where TH_COMPAT_TORCH7 is defined, of the 32 of one
 * word. */
TH_API double THRandom_uniform(THGenerator *_generator, double a, double b);

/* A number in [a, b), of 24 bits of one word. */
TH_API float THRandom_uniformFloat(THGenerator *_generator, float a, float b);

/* --- distributions: a parameter out of its range is an error, and nothing is drawn ----------- */

/* Normal numbers come in pairs: a second call uses up what the first one drew.  stdv > 0. */
TH_API double THRandom_normal(THGenerator *_generator, double mean, double stdv);

/* Density lambda * exp(-lambda * x), lambda > 0. */
TH_API double THRandom_exponential(THGenerator *_generator, double lambda);

/* Density x^(alpha - 1) * exp(-x) / gamma(alpha), alpha > 0. */
TH_API double THRandom_standard_gamma(THGenerator *_generator, double alpha);

/* Density sigma / (pi * ((x - median)^2 + sigma^2)), sigma > 0. */
TH_API double THRandom_cauchy(THGenerator *_generator, double median, double sigma);

/* exp of a normal number of that mean and stdv > 0. */
TH_API double THRandom_logNormal(THGenerator *_generator, double mean, double stdv);

/* How many trials of probability p, 0 < p < 1, it takes until one succeeds: 1, 2, ... INT_MAX;
 * until one fails where TH_COMPAT_TORCH7 is defined. */
TH_API int THRandom_geometric(THGenerator *_generator, double p);

/* 1 with probability p, 0 <= p <= 1, else 0. */
TH_API int THRandom_bernoulli(THGenerator *_generator, double p);

#endif
