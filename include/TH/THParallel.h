/* Threads for loops: one pool, OpenMP's, which BLAS shares.
 *
 *     TH_PARALLEL_FOR(i, n, 1)            iterations i = 0 .. n-1, at least 1 of them to a thread
 *       work_on(plane[i]);
 *
 * Iterations must be independent, and nothing in them may raise: note the failure and raise it
 * after the loop. */
#ifndef TH_PARALLEL_H
#define TH_PARALLEL_H

#include "THGeneral.h"

#define TH_PRAGMA(P) _Pragma(#P)

/* How many threads count iterations are worth when each thread is to get at least grain of them; 1
 * inside a parallel region. */
TH_API int THParallel_threads(ptrdiff_t count, ptrdiff_t grain);

/* Calls body(context, begin, end) on ranges that cut 0 .. count into one piece a thread. */
TH_API void THParallel_for(ptrdiff_t count, ptrdiff_t grain,
                           void (*body)(void *context, ptrdiff_t begin, ptrdiff_t end),
                           void *context);

/* THParallel_for on at most `threads` threads, however little an item is worth: for callers that know how many
 * threads there is memory for, or have counted them before. */
TH_API void THParallel_forIn(int threads, ptrdiff_t count,
                             void (*body)(void *context, ptrdiff_t begin, ptrdiff_t end),
                             void *context);

#define TH_PARALLEL_FOR(I, COUNT, GRAIN)                                                         \
  TH_PRAGMA(omp parallel for schedule(static) num_threads(THParallel_threads((COUNT), (GRAIN)))) \
  for (ptrdiff_t I = 0; I < (ptrdiff_t)(COUNT); I++)

#endif
