/* Conversions of unsigned integers that TH's types do not have, for the host and for kernels.  The including file
 * has defined how a function begins (AT_ELEMENT). */
#ifndef ATEN_UNSIGNED_ELEMENTS_H
#define ATEN_UNSIGNED_ELEMENTS_H

#include <stdint.h>

/* A double that rounds to narrower types as x does: the last bits of x, where a double cannot hold
 * them, become one (sticky bit). */
AT_ELEMENT double at_unsignedCut(uint64_t x)
{
  const uint64_t last = 0xfff;
  return (double)(x < UINT64_C(1) << 53 ? x : (x & ~last) | ((x & last) != 0 ? last + 1 : 0));
}

/* Truncates x; numbers from 2^63 on are beyond those that become signed integers. */
AT_ELEMENT uint64_t at_unsignedWhole(double x)
{
  return x >= 0x1p63 ? (x < 0x1p64 ? (uint64_t)x : UINT64_MAX)
                     : (uint64_t)(int64_t)(x >= -0x1p63 ? x : 0);
}

#endif
