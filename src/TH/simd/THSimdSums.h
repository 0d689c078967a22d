/* Eight elements of the template's type, float or double, converted to accreal: vectors of the same
 * lanes at every level, so that all levels add in the same order.  They are passed by address, since
 * the calling convention of longer vectors than the level's registers depends on the level. */
#include "THSimd.h"

enum { SUMS = 8 };
typedef accreal Sums __attribute__((vector_size(SUMS * sizeof(accreal))));
typedef int64_t SumBits __attribute__((vector_size(SUMS * sizeof(accreal))));

TH_SIMD void load_sums(Sums *to, const real *x)
{
#if defined(TH_REAL_IS_FLOAT) && TH_VECTOR == 64
  *to = THDoubles_loadFloats(x);
#else
  typedef real Reals __attribute__((vector_size(SUMS * sizeof(real))));
  Reals v;
  memcpy(&v, x, sizeof v);
  *to = __builtin_convertvector(v, Sums);
#endif
}
