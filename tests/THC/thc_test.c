/* The state that all tests of a program share. */
#include "thc_test.h"

static THCState *shared;

static void end(void)
{
  THCudaShutdown(shared);
  THCState_free(shared);
}

THCState *thc_state(void)
{
  if (!shared) {
    setenv("TH_CUDA_CHECK_INDICES", "1", 0); /* each call raises its own errors */
    THCState *state = THCState_alloc();
    THCudaInit(state);
    shared = state;
    atexit(end);
  }
  return shared;
}
