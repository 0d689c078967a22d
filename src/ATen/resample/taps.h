/* The weights of interpolation along an axis. */
#ifndef ATEN_TAPS_H
#define ATEN_TAPS_H

#include <stdint.h>

/* Each of the size results along an axis is a sum of taps elements, at index, times weight. */
typedef struct at_taps {
  int64_t size, taps;
  const int64_t *index;
  const double *weight;
} at_taps;

#endif
