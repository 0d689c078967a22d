/* Properties of the processor besides its instruction set. */
#ifndef TH_CPU_H
#define TH_CPU_H

#include <stddef.h>

#include "THGeneral.h"

/* Bytes of the last-level cache that the first processor shares; a guess if unknown. */
ptrdiff_t THCpu_lastLevelCache(void);

/* Bytes of L2, which belongs to one core; a guess if unknown. */
TH_API ptrdiff_t THCpu_l2Cache(void);

/* Whether sums are faster in vectors of eight doubles than of four; decided by the vendor.  Intel's
 * processors have three adders for vectors of four and two for eight, and need two steps to widen
 * eight floats; AMD's add as many vectors of eight as of four, and widen them as fast.
 * TH_SUM_DOUBLES=4 or 8 in the environment overrides this. */
TH_API int THCpu_addsEight(void);

#endif
