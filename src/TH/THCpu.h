/* What the library asks of the processor beyond its instruction set. */
#ifndef TH_CPU_H
#define TH_CPU_H

#include <stddef.h>

#include "THGeneral.h"

/* Bytes of the last cache that the first processor shares; a guess where nobody says. */
ptrdiff_t THCpu_lastCache(void);

/* Bytes of the second cache, which a core has to itself; a guess where nobody says. */
TH_API ptrdiff_t THCpu_secondCache(void);

/* Whether sums are quicker in vectors of eight doubles than of four.  No cache says so: Intel's
 * processors add four in three places at once and eight in two, and take two steps to widen eight
 * floats; AMD's add as many vectors of eight as of four, and widen them as fast.  TH_SUM_DOUBLES=4
 * or 8 in the environment says otherwise. */
TH_API int THCpu_addsEight(void);

#endif
