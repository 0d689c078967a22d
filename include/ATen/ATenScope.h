/* Scopes: what is made inside one is released at its end.
 *
 *     AT_SCOPE {
 *       at_tensor *y = at_mul(at_add(a, b), c);      the sum needs no name and no release
 *       result = at_keep(y);
 *     }
 *
 * Scopes nest, belong to their thread, and end however control leaves them: break, return, an
 * error of TH.  Inside a scope the reference that a function returns is the scope's; at_release
 * gives it back early, at_retain makes one more. */
#ifndef ATEN_SCOPE_H
#define ATEN_SCOPE_H

#include "ATenMacros.h"

typedef struct at_scope {
  struct at_scope *outer;
  struct at_owned *first; /* of what was made inside, newest first */
  bool running;
  void *guard[3]; /* a THGuard: an error of TH that leaves the scope ends it too */
} at_scope;

/* Begins the scope and is true when called first; false the second time. */
AT_API bool at_scope_once(at_scope *scope);
AT_API void at_scope_leave(at_scope *scope);

#define AT_SCOPE                                                                           \
  for (at_scope at_this_scope                                                              \
       __attribute__((cleanup(at_scope_leave))) = {NULL, NULL, false, {NULL, NULL, NULL}}; \
       at_scope_once(&at_this_scope);)

/* t, whose reference becomes the caller's. */
AT_API at_tensor *at_keep(at_tensor *t);

#endif
