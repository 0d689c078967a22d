/* What the library asks of the processor beyond its instruction set. */
#ifndef TH_CPU_H
#define TH_CPU_H

#include <stddef.h>

/* Bytes of the last cache that the first processor shares; a guess where nobody says. */
ptrdiff_t THCpu_lastCache(void);

#endif
