/* The greatest common divisor of two elements, for the host and for kernels.  The including file has
 * defined how a function begins (AT_ELEMENT). */
#ifndef ATEN_GCD_ELEMENT_H
#define ATEN_GCD_ELEMENT_H

#include <stdint.h>

/* Euclid's algorithm on absolute values; that of the least number wraps around to itself. */
AT_ELEMENT int64_t at_gcdElement(int64_t x, int64_t y)
{
  uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  uint64_t b = y < 0 ? 0 - (uint64_t)y : (uint64_t)y;
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return (int64_t)a;
}

#endif
