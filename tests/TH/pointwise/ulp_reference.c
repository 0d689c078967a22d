/* The references of vector_math.h by name and for arrays, and the largest error against them: a
 * library for tests/oracle/ulp.py. */
#include <stddef.h>

#include "vector_math.h"

int float_want(const char *name, double *want, const float *x, ptrdiff_t n);
int double_want(const char *name, long double *want, const double *x, ptrdiff_t n);
double float_worst(const float *got, const double *want, ptrdiff_t n, ptrdiff_t *at);
double double_worst(const double *got, const long double *want, ptrdiff_t n, ptrdiff_t *at);

#define WANT(NAME, REFERENCE, LOW, HIGH, BOUND) \
  if (!strcmp(name, #NAME)) {                   \
    for (ptrdiff_t i = 0; i < n; i++) {         \
      const NUMBER x = xs[i];                   \
      want[i] = REFERENCE;                      \
    }                                           \
    return 1;                                   \
  }

#define L(NAME) NAME
#define NUMBER  double
int float_want(const char *name, double *want, const float *xs, ptrdiff_t n)
{
  VECTOR_MATH(WANT)
  return 0;
}
#undef L
#undef NUMBER

#define L(NAME) NAME##l
#define NUMBER  long double
int double_want(const char *name, long double *want, const double *xs, ptrdiff_t n)
{
  VECTOR_MATH(WANT)
  return 0;
}

double float_worst(const float *got, const double *want, ptrdiff_t n, ptrdiff_t *at)
{
  double worst = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double off = float_units_off(got[i], want[i]);
    if (off > worst) {
      worst = off;
      *at = i;
    }
  }
  return worst;
}

double double_worst(const double *got, const long double *want, ptrdiff_t n, ptrdiff_t *at)
{
  double worst = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double off = units_off(got[i], want[i], 53, -1074);
    if (off > worst) {
      worst = off;
      *at = i;
    }
  }
  return worst;
}
