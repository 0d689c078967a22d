/* The arguments of a kernel that draws random numbers. */
#ifndef THC_RANDOM_DRAW_H
#define THC_RANDOM_DRAW_H

#include <stdint.h>

#include "THGeneral.h"

struct THCState;

/* Thread t of the kernel draws THPhilox_words(seed, t, offset + i, ...) for i = 0, 1, ... */
typedef struct THCDraw {
  uint64_t seed, offset;
} THCDraw;

/* Takes the next part of the stream of the current device's generator, in which each thread of one
 * kernel draws at most that many words.  Exported for the kernels of THCUNN. */
TH_API THCDraw THCRandom_draw(struct THCState *state, uint64_t words);

/* Generators besides those of a state, for libATenCUDA.  A new one is of the current device and has the seed of that
 * device's generator.  The one that a thread chooses is used instead of its device's in the
 * functions of
 * THCTensorRandom.h, but those for all devices; NULL chooses none.  To draw from it on another device is an error.
 * Returns the one before. */
typedef struct THCOwnGenerator THCOwnGenerator;
TH_API THCOwnGenerator *THCRandom_newGenerator(struct THCState *state);
TH_API void THCRandom_freeGenerator(THCOwnGenerator *generator);
TH_API THCOwnGenerator *THCRandom_chooseGenerator(THCOwnGenerator *generator);

#endif
