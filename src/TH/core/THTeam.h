/* Threads of a loop, in more detail than THParallel.h. */
#ifndef TH_TEAM_H
#define TH_TEAM_H

#include "THGeneral.h"

/* How many threads, up to wanted, a loop of the caller can have: 1 in a forked child, fewer if
 * threads cannot be started, which is tried once for each size.  Not inside a parallel region. */
TH_API int THTeam_size(int wanted);

/* The most threads that a loop of the caller's can have. */
TH_API int THTeam_most(void);

/* The calling thread's number in a loop of so many threads: 0 where that is 1, also in a parallel
 * region of the program's. */
TH_API int THTeam_index(int threads);

#endif
