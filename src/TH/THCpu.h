/* What the library asks of the processor beyond its instruction set. */
#ifndef TH_CPU_H
#define TH_CPU_H

#include <stddef.h>

#include "THGeneral.h"

/* Bytes of the last cache that the first processor shares; a guess where nobody says. */
ptrdiff_t THCpu_lastCache(void);

/* Bytes of the second cache, which a core has to itself; a guess where nobody says. */
TH_API ptrdiff_t THCpu_secondCache(void);

#endif
