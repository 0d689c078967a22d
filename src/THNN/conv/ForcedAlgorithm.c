/* The algorithm of convolutions that TH_CONV_ALGORITHM or THNNConvolution_force forces (Algorithm.h). */
#define _GNU_SOURCE /* secure_getenv */

#include "Convolution.h"

static const char *forced;
static int isForcedKnown; /* forced has been set, by the environment or by a call */

void THNNConvolution_force(const char *name)
{
  __atomic_store_n(&forced, name, __ATOMIC_RELAXED);
  __atomic_store_n(&isForcedKnown, 1, __ATOMIC_RELEASE);
}

const char *THNNConvolution_forced(void)
{
  if (!__atomic_load_n(&isForcedKnown, __ATOMIC_ACQUIRE))
    THNNConvolution_force(secure_getenv("TH_CONV_ALGORITHM"));
  return __atomic_load_n(&forced, __ATOMIC_RELAXED);
}
