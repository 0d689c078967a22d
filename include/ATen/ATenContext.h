/* The global context: backends, their random number generators, and threads. */
#ifndef ATEN_CONTEXT_H
#define ATEN_CONTEXT_H

#include "ATenType.h"

typedef struct at_context at_context;
typedef struct at_generator at_generator;

/* The one context; it needs no release. */
AT_API at_context *at_globalContext(void);

/* Whether CUDA is available; loads the library for it.  It is no error if CUDA is not available. */
AT_API bool at_hasCUDA(void);

/* Loads the library for CUDA, once.  Returns false, and an error that says why, if that fails; the
 * next call tries again.  See ATenCUDA.h. */
AT_API bool at_lazyInitCUDA(void);

/* --- generators ------------------------------------------------------------------------------- */

/* The generator that operations use if none is given; it needs no release.  That of CUDA is the one of the
 * device that is current when it is used.  NULL and an error if there is no such backend.  Threads that share
 * a generator draw one after the other. */
AT_API at_generator *at_defaultGenerator(at_backend backend);

/* The default of options that are generators: the default generator.  NULL is an error. */
#define AT_DEFAULT_GENERATOR ((at_generator *)-1)

/* A new generator with the initial seed of the default generator; that of CUDA is for the current device, and
 * drawing on another one is an error.  NULL and an error if there is no memory. */
AT_API at_generator *at_generator_new(at_backend backend) AT_MUST_USE;
/* The functions of generators accept NULL: it is ignored, and its seed is 0. */
AT_API void at_generator_free(at_generator *generator);

/* Seeds the generator; it then draws the numbers that PyTorch's draws with this seed. */
AT_API void at_generator_manualSeed(at_generator *generator, uint64_t seed);

/* Seeds with a random number and returns it.
 *
 *     at_generator_seed(Generator generator) -> int64_t */
AT_API uint64_t at_generator_seed(at_generator *generator);

/* The last seed.
 *
 *     at_generator_initialSeed(Generator generator) -> int64_t */
AT_API uint64_t at_generator_initialSeed(const at_generator *generator);

/* The generator's whole state, with which at_generator_setState continues where it stands: the 5,056
 * bytes, a vector of Byte, that get_state() of PyTorch's CPU generator returns, or the 16 of its generator
 * of CUDA: seed and offset.  Undefined and an error if generator is NULL or there is no memory.
 *
 *     at_generator_state(Generator generator) -> Tensor */
AT_API at_tensor *at_generator_state(const at_generator *generator) AT_MUST_USE;

/* Continues with a state of this function or of PyTorch.  False and an error if state is no vector
 * of Byte on the CPU with as many elements, or its bytes are no state; then nothing has changed.
 *
 *     at_generator_setState(Generator generator, Tensor state) -> bool */
AT_API bool at_generator_setState(at_generator *generator, const at_tensor *state);

/* Seeds the default generators of all backends. */
AT_API void at_manualSeed(uint64_t seed);

/* --- threads ---------------------------------------------------------------------------------- */

/* Sets the number of threads for operations that the calling thread runs, including TH and BLAS.
 * The default is OMP_NUM_THREADS, or one thread per processor.  False and an error if count is
 * below 1.  The same setting as THSetNumThreads.
 *
 *     at_setNumThreads(int64_t count) -> bool */
AT_API bool at_setNumThreads(int count);

/* The number of threads for operations that the calling thread runs.
 *
 *     at_getNumThreads() -> int64_t */
AT_API int at_getNumThreads(void);

#endif
