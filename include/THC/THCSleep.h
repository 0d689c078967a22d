/* A kernel that takes its time: for tests of what waits for what. */
#ifndef THC_SLEEP_H
#define THC_SLEEP_H

#include "THCGeneral.h"

/* Keeps the current stream busy for that many cycles of the GPU's clock; 0 or less is no time. */
THC_API void THC_sleep(THCState *state, int64_t cycles);

#endif
