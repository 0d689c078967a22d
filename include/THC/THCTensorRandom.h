/* Generators, one for each device, and tensors of random numbers.
 *
 * The stream of numbers is Philox4x32-10 (THPhilox.h): the seed is its key, and each kernel takes
 * the next part of the counter.  So a state is two numbers, the seed and the offset. */
#ifndef THC_TENSOR_RANDOM_H
#define THC_TENSOR_RANDOM_H

#include "THCTensor.h"

struct curandStateMtgp32;
struct mtgp32_kernel_params;

typedef struct _Generator {
  struct curandStateMtgp32 *gen_states;       /* made when they are asked for, else NULL */
  struct mtgp32_kernel_params *kernel_params; /* theirs */
  int initf;                                  /* seeded */
  uint64_t initial_seed;
  int64_t
      philox_seed_offset; /* how many numbers of each subsequence are used up; a multiple of 4 */
} THCGenerator;

typedef struct THCRNGState {
  THCGenerator *gen;
  int num_devices;
} THCRNGState;

/* Gives the state its generators, seeded from the system's entropy.  Called by THCudaInit. */
THC_API void THCRandom_init(struct THCState *state, int num_devices, int current_device);
THC_API void THCRandom_shutdown(struct THCState *state);

/* Seeds the generator of the current device (of all devices) from the system's entropy and returns
 * the seed. */
THC_API uint64_t THCRandom_seed(struct THCState *state);
THC_API uint64_t THCRandom_seedAll(struct THCState *state);

/* Starts the stream of the_seed_ from its beginning. */
THC_API void THCRandom_manualSeed(struct THCState *state, uint64_t the_seed_);
THC_API void THCRandom_manualSeedAll(struct THCState *state, uint64_t the_seed_);

/* The seed that the stream of the current device was started with. */
THC_API uint64_t THCRandom_initialSeed(struct THCState *state);

/* The state of the current device's generator as 16 bytes: rng_state is resized to them, or has to
 * have as many (set). */
THC_API void THCRandom_getRNGState(struct THCState *state, THByteTensor *rng_state);
THC_API void THCRandom_setRNGState(struct THCState *state, THByteTensor *rng_state);

/* 64 states of cuRAND's generator MTGP32 in the memory of the current device, for kernels of
 * programs that draw from such.  Made from the seed when they are first asked for, and again after
 * a new seed; THC's own numbers do not come from them, and getRNGState does not have them. */
THC_API struct curandStateMtgp32 *THCRandom_generatorStates(struct THCState *state);

#define THC_GENERIC_FILE "generic/THCTensorRandom.h"
#include "THCGenerateAllTypes.h"

#endif
