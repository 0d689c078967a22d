/* What there is once in a process: the backends, the generator of random numbers of each, and
 * threads. */
#ifndef ATEN_CONTEXT_H
#define ATEN_CONTEXT_H

#include "ATenType.h"

typedef struct at_context at_context;
typedef struct at_generator at_generator;

/* The one context; it needs no release. */
AT_API at_context *at_globalContext(void);

/* Whether CUDA tensors can be made here; loads what they need, and is no error where not. */
AT_API bool at_hasCUDA(void);

/* Loads what CUDA needs, once; false and an error that says why if it cannot be had.  What could
 * not be had is looked for again at the next call.  See ATenCUDA.h. */
AT_API bool at_lazyInitCUDA(void);

/* --- generators ------------------------------------------------------------------------------- */

/* The generator that operations draw from where none is given; it needs no release.  NULL and an
 * error if there is no such backend.  Threads that share a generator draw one after the other. */
AT_API at_generator *at_defaultGenerator(at_backend backend);

/* What an option begins with that is a generator: the default one.  NULL is an error. */
#define AT_DEFAULT_GENERATOR ((at_generator *)-1)

/* A generator of its own, seeded as the default one is at the start; NULL and an error if there is
 * no memory. */
AT_API at_generator *at_generator_new(at_backend backend) AT_MUST_USE;
/* NULL is fine here; nothing is seeded by it, and its seed is 0. */
AT_API void at_generator_free(at_generator *generator);

/* Seeds with that number, from which the same numbers follow as from PyTorch's. */
AT_API void at_generator_manualSeed(at_generator *generator, uint64_t seed);

/* Seeds with a random number and returns it. */
AT_API uint64_t at_generator_seed(at_generator *generator);

/* What it was last seeded with. */
AT_API uint64_t at_generator_initialSeed(const at_generator *generator);

/* Of the default generators of all backends. */
AT_API void at_manualSeed(uint64_t seed);

/* --- threads ---------------------------------------------------------------------------------- */

/* How many threads operations use that the calling thread makes, and TH and BLAS behind them; a
 * thread that has set nothing uses as many as OMP_NUM_THREADS says, else one for each processor.
 * False and an error if count is not 1 or more.  It is the number of THSetNumThreads. */
AT_API bool at_setNumThreads(int count);
AT_API int at_getNumThreads(void);

#endif
