/* Scopes: tensors made inside a scope are released at its end.
 *
 *     AT_SCOPE {
 *       at_tensor *y = at_mul(at_add(a, b), c);      the sum needs no name and no release
 *       result = at_keep(y);
 *     }
 *
 * Scopes nest, belong to their thread, and end however control leaves them: by break, return, or an
 * error of TH. Inside a scope, references that functions return belong to the scope.  at_retain
 * makes another reference. at_release releases the reference of the scope early, also from another
 * thread while the scope is open; use it only for tensors that were not retained, because any of
 * several references may be the last one.
 *
 * AT_SCOPE is a loop that runs once: a break or continue in it leaves only the scope.  To leave a
 * loop around it, make the rest of the block of the loop the scope:
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
  struct at_owned *first; /* the list of owned objects, newest first */
  bool running;
  void *guard[3]; /* a THGuard, which ends the scope if an error of TH leaves it */
} at_scope;

/* Begins the scope and returns true at the first call; false at the second call, and for NULL. */
AT_API bool at_scope_once(at_scope *scope);
AT_API void at_scope_leave(at_scope *scope); /* ignores NULL, and scopes that have not begun */

/* Each scope has a name of its own, to avoid warnings of -Wshadow. */
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

/* Takes t from the scope that owns it, and returns t with a reference that belongs to the caller.
 * If a scope of another thread owns t, the caller gets an additional reference.  NULL and the
 * undefined tensor are accepted. */
AT_API at_tensor *at_keep(at_tensor *t);

/* Returns t from the innermost scope: if that scope owns t, the scope around it becomes the owner,
 * or if there is none, the caller.  So a function with a scope of its own returns its result like
 * any other function:
 *
 *     at_tensor *square_sum(at_tensor *a, at_tensor *b)
 *     {
 *       AT_SCOPE_GUARD;
 *       return at_escape(at_add(at_mul(a, a), at_mul(b, b)));
 *     }
 *
 * A tensor that does not belong to the innermost scope is returned unchanged.  NULL and the
 * undefined tensor are accepted. */
AT_API at_tensor *at_escape(at_tensor *t);

#endif
