/* Scopes, and what a call returns. */
#include "ATenCore.h"
#include "TH/THReference.h"

/* One pointer, which even a library loaded late finds static room for; so reading it takes one
 * instruction instead of a call. */
static _Thread_local at_scope *innermost __attribute__((tls_model("initial-exec")));

_Static_assert(sizeof(THGuard) == sizeof((at_scope){0}.guard), "a scope has room for a guard");

static void end(void *what)
{
  at_scope *const scope = what;
  while (scope->first) {
    at_owned *const owned = scope->first;
    at_disown(owned);
    owned->release(owned);
  }
  innermost = scope->outer;
}

bool at_scope_once(at_scope *scope)
{
  if (scope->running)
    return false;
  THGuard *const guard = (THGuard *)scope->guard;
  THGuard_enter(guard, end);
  guard->what = scope;
  scope->outer = innermost;
  scope->first = NULL;
  scope->running = true;
  innermost = scope;
  return true;
}

void at_scope_leave(at_scope *scope)
{
  if (scope->running)
    THGuard_leave((THGuard *)scope->guard);
}

void at_own(at_owned *owned)
{
  if (!innermost)
    return;
  owned->next = innermost->first;
  owned->place = &innermost->first;
  if (owned->next)
    owned->next->place = &owned->next;
  innermost->first = owned;
}

void at_disown(at_owned *owned)
{
  if (!owned->place)
    return;
  *owned->place = owned->next;
  if (owned->next)
    owned->next->place = owned->place;
  owned->place = NULL;
  owned->next = NULL;
}

at_tensor *at_keep(at_tensor *t)
{
  if (at_defined(t))
    at_disown(&t->owned);
  return t;
}

void at_release(at_tensor *t)
{
  if (!at_defined(t))
    return;
  if (!THReference_drop(&t->refcount))
    return;
  at_disown(&t->owned);
  t->type->functions->free(t->th);
  THFree(t);
}

at_tensor *at_return(at_call *call, at_tensor *result, bool isNew)
{
  if (at_failed(call))
    return at_undefined();
  if (isNew && at_defined(result))
    at_own(&result->owned);
  return result;
}

void at_returnAll(at_call *call, int count, at_tensor **results, bool isNew)
{
  const bool failed = at_failed(call);
  for (int i = 0; i < count; i++)
    if (failed || !results[i])
      results[i] = at_undefined();
    else if (isNew && at_defined(results[i]))
      at_own(&results[i]->owned);
}
