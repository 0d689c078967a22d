/* Every float there is, through the functions of one argument:
 *
 *     ulp_all [exp log ...]        all functions if none is named; minutes for each
 *
 * prints the largest error found, in units of the last place, and fails where it is more than
 * permitted.  TH_CPU_CAPABILITY chooses the instruction set. */
#include <stdio.h>
#include <string.h>

#include "THKernel.h"
#include "TH.h"
#include "vector_math.h"

enum { CHUNK = 1 << 16 };

/* Of the floats from number first on. */
static double worst_of_chunk(void (*function)(float *, const float *, ptrdiff_t),
                             long double (*want)(long double), uint32_t first, float *at)
{
  static __thread float x[CHUNK], y[CHUNK];
  double worst = 0;
  for (uint32_t i = 0; i < CHUNK; i++) {
    const uint32_t bits = first + i;
    memcpy(&x[i], &bits, sizeof bits);
  }
  function(y, x, CHUNK);
  for (uint32_t i = 0; i < CHUNK; i++) {
    const double off = units_off(y[i], want(x[i]), 24, -149);
    if (off > worst) {
      worst = off;
      *at = x[i];
    }
  }
  return worst;
}

static int try_all(const char *name, void (*function)(float *, const float *, ptrdiff_t),
                   long double (*want)(long double), double bound)
{
  double worst = 0;
  float at = 0;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint32_t chunk = 0; chunk < 1u << 16; chunk++) {
    float here = 0;
    const double off = worst_of_chunk(function, want, chunk * CHUNK, &here);
#pragma omp critical
    if (off > worst) {
      worst = off;
      at = here;
    }
  }
  printf("%-8s at most %.4f units off, for %a (permitted: %g)\n", name, worst, at, bound);
  fflush(stdout);
  return worst < bound;
}

int main(int count, char **names)
{
  int good = 1;
  printf("instruction set: %s\n", THCpu_levelName(THCpu_level()));
#define TRY(NAME, WANT, LOW, HIGH, BOUND)                        \
  {                                                              \
    int wanted = count == 1;                                     \
    for (int i = 1; i < count; i++)                              \
      wanted |= !strcmp(names[i], #NAME);                        \
    if (wanted)                                                  \
      good &= try_all(#NAME, THFloatVector_##NAME, WANT, BOUND); \
  }
  VECTOR_MATH(TRY)
  return !good;
}
