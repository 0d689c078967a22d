/* When the garbage collector of a host language is to be called: how much the heap has grown. */
#ifndef TH_COLLECTOR_H
#define TH_COLLECTOR_H

#include <stddef.h>

extern int THCollector_handlers; /* how many threads have one; allocations count only if any has */

static inline int THCollector_isOn(void)
{
  return __builtin_expect(__atomic_load_n(&THCollector_handlers, __ATOMIC_RELAXED) != 0, 0);
}

/* Calls the handler of this thread if it has one that does not run already, and the heap has grown
 * enough. */
void THCollector_runIfDue(void);

/* Calls the handler of this thread if it has one that does not run already: memory has run out. */
void THCollector_run(void);

/* Counts bytes more (less, if negative) without calling anybody. */
void THCollector_count(ptrdiff_t bytes);

#endif
