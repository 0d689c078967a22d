/* Threads of a loop, for those who need to know more than THParallel.h says. */
#ifndef TH_TEAM_H
#define TH_TEAM_H

#include "THGeneral.h"

/* How many of as many threads as wanted a loop of the caller's can have: 1 in a forked child, and
 * fewer where they cannot be started, which is tried once for each size.  Not inside a parallel
 * region. */
TH_API int THTeam_size(int wanted);

/* The most threads that a loop of the caller's can have. */
TH_API int THTeam_most(void);

/* The calling thread's number in a loop of so many threads: 0 where that is 1, also in a parallel
 * region of the program's. */
TH_API int THTeam_index(int threads);

#endif
