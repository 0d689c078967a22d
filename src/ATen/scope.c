/* Scopes, and what a call returns. */
#include "ATenCore.h"

static _Thread_local at_scope *innermost;

bool at_scope_once(at_scope *scope)
{
  if (scope->running)
    return false;
  scope->outer = innermost;
  scope->running = true;
  innermost = scope;
  return true;
}

static void unlink_from_scope(at_tensor *t)
{
  if (!t->place)
    return;
  *t->place = t->next;
  if (t->next)
    t->next->place = t->place;
  t->place = NULL;
  t->next = NULL;
}

void at_scope_leave(at_scope *scope)
{
  if (!scope->running)
    return;
  while (scope->first) {
    at_tensor *t = scope->first;
    unlink_from_scope(t);
    at_release(t);
  }
  innermost = scope->outer;
}

at_tensor *at_keep(at_tensor *t)
{
  if (t)
    unlink_from_scope(t);
  return t;
}

void at_release(at_tensor *t)
{
  if (!at_defined(t))
    return;
  if (__atomic_sub_fetch(&t->refcount, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  unlink_from_scope(t);
  t->type->functions->free(t->th);
  THFree(t);
}

at_tensor *at_return(at_call *call, at_tensor *result, bool isNew)
{
  if (at_failed(call))
    return at_undefined();
  if (isNew && innermost) {
    result->next = innermost->first;
    result->place = &innermost->first;
    if (result->next)
      result->next->place = &result->next;
    innermost->first = result;
  }
  return result;
}
