/* Every float there is, through the functions of one argument:
 *
 *     ulp_all [exp log ...]        all functions if none is named; one or two minutes for each
 *
 * prints the largest error found, in units of the last place, and fails where it is more than
 * permitted.  TH_CPU_CAPABILITY chooses the instruction set.
 *
 * A reference that is slow has a quick one beside it, THMath.h's function of double, which computes
 * in another way and is off by less than 4 units of double; the slow one is asked where the quick
 * one says that an error may be the largest so far. */
#include <stdio.h>
#include <string.h>

#include "THKernel.h"
#include "TH.h"
#include "vector_math.h"

enum { CHUNK = 1 << 16 };

typedef struct Function {
  const char *name;
  void (*vector)(float *, const float *, ptrdiff_t);
  void (*want)(double *, const float *);
  double (*exact)(double);
  double bound;
} Function;

static const struct {
  const char *name;
  double (*function)(double);
} quick[] = {{"digamma", TH_digamma}, {"trigamma", TH_trigamma}};

#define QUICK_ERROR 0x1p-26 /* 4 units of double, in units of float, are half of that */

/* Whether there is a quick reference, which gives what is wanted. */
static int want_quickly(const Function *f, double *want, const float *x)
{
  for (size_t k = 0; k < sizeof quick / sizeof *quick; k++)
    if (!strcmp(f->name, quick[k].name)) {
      for (uint32_t i = 0; i < CHUNK; i++)
        want[i] = quick[k].function(x[i]);
      return 1;
    }
  return 0;
}

/* For the floats from number first on: the largest error above worst, or worst. */
static double worst_of_chunk(const Function *f, uint32_t first, double worst, float *at)
{
  static __thread float x[CHUNK], y[CHUNK];
  static __thread double want[CHUNK];
  for (uint32_t i = 0; i < CHUNK; i++) {
    const uint32_t bits = first + i;
    memcpy(&x[i], &bits, sizeof bits);
  }
  f->vector(y, x, CHUNK);
  const int quickly = want_quickly(f, want, x);
  if (!quickly)
    f->want(want, x);
  for (uint32_t i = 0; i < CHUNK; i++) {
    double here = float_units_off(y[i], want[i]);
    if (quickly && here + QUICK_ERROR > worst)
      here = float_units_off(y[i], f->exact(x[i]));
    if (here > worst) {
      worst = here;
      *at = x[i];
    }
  }
  return worst;
}

static int try_all(const Function *f)
{
  double worst = 0;
  float at = 0;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint32_t chunk = 0; chunk < 1u << 16; chunk++) {
    float here = 0;
    double most;
#pragma omp atomic read
    most = worst;
    const double units = worst_of_chunk(f, chunk * CHUNK, most, &here);
#pragma omp critical
    if (units > worst) {
#pragma omp atomic write
      worst = units;
      at = here;
    }
  }
  printf("%-8s at most %.4f units off, for %a (permitted: %g)\n", f->name, worst, at, f->bound);
  fflush(stdout);
  return worst < f->bound;
}

/* The reference in double has 29 bits more than a float. */
#define L(NAME) NAME
#define WANT(NAME, REFERENCE, LOW, HIGH, BOUND)          \
  static double exact_##NAME(double x)                   \
  {                                                      \
    return REFERENCE;                                    \
  }                                                      \
  static void want_##NAME(double *want, const float *xs) \
  {                                                      \
    for (int i = 0; i < CHUNK; i++)                      \
      want[i] = exact_##NAME(xs[i]);                     \
  }
VECTOR_MATH(WANT)

static const Function functions[] = {
#define FUNCTION(NAME, REFERENCE, LOW, HIGH, BOUND) \
  {#NAME, THFloatVector_##NAME, want_##NAME, exact_##NAME, BOUND},
    VECTOR_MATH(FUNCTION)};

int main(int count, char **names)
{
  int good = 1;
  printf("instruction set: %s\n", THCpu_levelName(THCpu_level()));
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    int wanted = count == 1;
    for (int i = 1; i < count; i++)
      wanted |= !strcmp(names[i], functions[k].name);
    if (wanted)
      good &= try_all(&functions[k]);
  }
  return !good;
}
