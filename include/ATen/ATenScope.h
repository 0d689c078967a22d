/* Scopes: what is made inside one is released at its end.
 *
 *     AT_SCOPE {
 *       at_tensor *y = at_mul(at_add(a, b), c);      the sum needs no name and no release
 *       result = at_keep(y);
 *     }
 *
 * Scopes nest, belong to their thread, and end however control leaves them: break, return, an
 * error of TH.  Inside a scope the reference that a function returns is the scope's.  at_retain
 * makes one more.  at_release gives the scope's back early, also in another thread as long as the
 * scope is open; it is for tensors that were not retained, because of several references any may be
 * the last.
 *
 * AT_SCOPE is a loop that runs once: a break or continue in it leaves the scope and nothing else.
 * To leave a loop around it, let the scope be the rest of the loop's block:
 *
 *     while (more()) {
 *       AT_SCOPE_GUARD;                              until the end of this block
 *       at_tensor *loss = step();
 *       if (at_item_double(loss) < 0.01)
 *         break;                                     ends the scope and leaves the loop
 *     } */
#ifndef ATEN_SCOPE_H
#define ATEN_SCOPE_H

#include "ATenMacros.h"

typedef struct at_scope {
  struct at_scope *outer;
  struct at_owned *first; /* of what was made inside, newest first */
  bool running;
  void *guard[3]; /* a THGuard: an error of TH that leaves the scope ends it too */
} at_scope;

/* Begins the scope and is true when called first; false the second time, and for NULL. */
AT_API bool at_scope_once(at_scope *scope);
AT_API void at_scope_leave(at_scope *scope); /* one that has not begun, or NULL, is left alone */

/* The names of scopes differ, so that -Wshadow has nothing to say. */
#define AT_SCOPE       AT_SCOPE_FOR(__COUNTER__)
#define AT_SCOPE_GUARD AT_SCOPE_REST(__COUNTER__)

#define AT_SCOPE_FOR(N)  AT_SCOPE_FOR_(N)
#define AT_SCOPE_REST(N) AT_SCOPE_REST_(N)
#define AT_SCOPE_FOR_(N) for (AT_SCOPE_DECLARED(at_scope_##N); at_scope_once(&at_scope_##N);)
#define AT_SCOPE_REST_(N)          \
  AT_SCOPE_DECLARED(at_scope_##N); \
  (void)at_scope_once(&at_scope_##N)
#define AT_SCOPE_DECLARED(NAME) \
  at_scope NAME __attribute__((cleanup(at_scope_leave))) = {NULL, NULL, false, {NULL, NULL, NULL}}

/* t, whose reference becomes the caller's, whichever scope had it.  NULL and the undefined tensor
 * are fine; of what belongs to a scope of another thread the caller gets a reference more. */
AT_API at_tensor *at_keep(at_tensor *t);

/* t as the result of the innermost scope: if it belongs to that one, it now belongs to the scope
 * around it, or where there is none to the caller.  So a function that has a scope of its own
 * returns what other functions return, a reference that is its caller's scope's:
 *
 *     at_tensor *square_sum(at_tensor *a, at_tensor *b)
 *     {
 *       AT_SCOPE_GUARD;
 *       return at_escape(at_add(at_mul(a, a), at_mul(b, b)));
 *     }
 *
 * What does not belong to the innermost scope stays whose it is; NULL and the undefined tensor are
 * fine. */
AT_API at_tensor *at_escape(at_tensor *t);

#endif
