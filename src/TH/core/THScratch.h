/* Buffers for kernels: too large for a stack of 64 KB, too short-lived to be allocated each time.
 *
 *     static void kernel(const THRun *run, const void *scalars)
 *     {
 *       TH_SCRATCH(char, buffer, 16384);                  char *const buffer
 *       ...
 *     }                                                   is given back here, or at a return
 *
 * A thread has one block for them all, which is made at its first use and freed when the thread
 * ends; buffers lie in it one behind the other, as on a stack.  Taking one cannot fail: where there
 * is no memory for a block, threads use one block of the process in turns.
 *
 * What takes a buffer must neither raise an error nor wait for another thread until the buffer is
 * given back. */
#ifndef TH_SCRATCH_H
#define TH_SCRATCH_H

#include "THGeneral.h"

/* A buffer of so many bytes, at a multiple of 64.  It need not be initialised. */
TH_API void *THScratch_take(size_t bytes)
    __attribute__((malloc, returns_nonnull, assume_aligned(64)));

/* Gives back the newest buffer of the thread, which was taken with so many bytes. */
TH_API void THScratch_give(size_t bytes);

static inline void THScratch_leave(const size_t *bytes)
{
  THScratch_give(*bytes);
}

/* Declares NAME, the first of COUNT elements of the type in a buffer, until the scope is left.  The
 * pointer is not what gives the buffer back: the compiler would take it that others have it, and
 * what they write for what the buffer may hold. */
#define TH_SCRATCH(TYPE, NAME, COUNT)                                                           \
  const size_t NAME##_bytes __attribute__((cleanup(THScratch_leave))) = sizeof(TYPE) * (COUNT); \
  TYPE *const NAME = (TYPE *)THScratch_take(NAME##_bytes)

#endif
