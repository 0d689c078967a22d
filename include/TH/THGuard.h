/* Errors that leak nothing.
 *
 * An error is raised anywhere by THError or THArgCheck and never returns there.  Whoever holds
 * something that would be lost (a temporary, a descriptor, a lock) registers it first:
 *
 *     THGuard guard;
 *     THGuard_enter(&guard, (THUndo)THFloatTensor_free);     reserve: nothing can fail after this
 *     guard.what = THFloatTensor_newClone(t);
 *     ...                                                    any error from here on frees the clone
 *     THGuard_leave(&guard);                                 frees it in the good case too
 *
 * Raising undoes the guards of the innermost TH_TRY, newest first, and only then lets control
 * leave: to that TH_TRY, else to the user's error handler (which may longjmp or throw), else to the
 * panic: the message on stderr and abort(). Guards live on the stack of the function that enters
 * them and belong to one thread. */
#ifndef TH_GUARD_H
#define TH_GUARD_H

#include <setjmp.h>

#include "THMacros.h"

typedef void (*THUndo)(void *what);

typedef struct THGuard {
  THUndo undo; /* called with what, unless what is NULL */
  void *what;
  struct THGuard *below;
} THGuard;

/* Registers guard as the newest of this thread, with nothing to undo yet. */
TH_API void THGuard_enter(THGuard *guard, THUndo undo);

/* Undoes and forgets guard, which must be the newest. */
TH_API void THGuard_leave(THGuard *guard);

/* Forgets guard, which must be the newest, without undoing it, and returns what it held. */
TH_API void *THGuard_keep(THGuard *guard);

enum { TH_MESSAGE_LENGTH = 2048 };

/* A frame that errors return to:
 *
 *     THTry attempt;
 *     TH_TRY(attempt) { THFloatTensor_resize2d(t, 3, -1); }
 *     if (attempt.failed) puts(attempt.message);
 *
 * The block is left only through its end (no break, return or goto).  Locals that it changes and
 * that are read after a failure must be volatile, as with setjmp. */
typedef struct THTry {
  jmp_buf home;
  struct THTry *outer;
  THGuard *guards; /* the newest guard from before the block */
  int running;
  int failed;
  int argument; /* the number of the argument at fault, 0 if none is */
  char message[TH_MESSAGE_LENGTH];
} THTry;

#define TH_TRY(attempt)                             \
  for (THTry_enter(&(attempt)); (attempt).running;) \
    if (_setjmp((attempt).home) == 0)               \
      for (; (attempt).running; THTry_leave(&(attempt)))

TH_API void THTry_enter(THTry *attempt);
TH_API void THTry_leave(THTry *attempt);

#endif
