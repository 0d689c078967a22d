/* Scopes, and the results of calls. */
#include "ATenCore.h"
#include "TH/core/THReference.h"

/* A single pointer: even libraries that are loaded late find static thread-local space for it, so
 * that initial-exec reads it with one instruction instead of a call. */
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
  if (!scope || scope->running)
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
  if (scope && scope->running)
    THGuard_leave((THGuard *)scope->guard);
}

/* --- ownership ------------------------------------------------------------------------------- */

/* The list of a scope has no lock, because only the scope's thread changes it and the links of its
 * entries.  An object that another thread releases for the last time stays in the list as a header,
 * which the end of the scope frees.  Other threads recognize such objects by the field thread,
 * which does not change when the list around the object does. */
static const void *this_thread(void)
{
  return &innermost;
}

static void own_in(at_scope *scope, at_owned *owned)
{
  owned->next = scope->first;
  owned->link = &scope->first;
  owned->scope = scope;
  __atomic_store_n(&owned->thread, this_thread(), __ATOMIC_RELAXED);
  if (owned->next)
    owned->next->link = &owned->next;
  scope->first = owned;
}

/* What a scope has already, as the result of an operation made of others, stays there. */
void at_own(at_owned *owned)
{
  if (innermost && !owned->link)
    own_in(innermost, owned);
}

bool at_ownedElsewhere(const at_owned *owned)
{
  const void *const thread = __atomic_load_n(&owned->thread, __ATOMIC_RELAXED);
  return thread && thread != this_thread();
}

void at_disown(at_owned *owned)
{
  if (!owned->link)
    return;
  *owned->link = owned->next;
  if (owned->next)
    owned->next->link = owned->link;
  owned->link = NULL;
  owned->next = NULL;
  owned->scope = NULL;
  __atomic_store_n(&owned->thread, NULL, __ATOMIC_RELAXED);
}

at_tensor *at_keep(at_tensor *t)
{
  if (!at_defined(t))
    return t;
  if (at_ownedElsewhere(&t->owned))
    return at_retain(t);
  at_disown(&t->owned);
  return t;
}

void at_escapeOwned(at_owned *owned)
{
  if (!innermost || at_ownedElsewhere(owned) || owned->scope != innermost)
    return;
  at_disown(owned);
  if (innermost->outer)
    own_in(innermost->outer, owned);
}

at_tensor *at_escape(at_tensor *t)
{
  if (at_defined(t))
    at_escapeOwned(&t->owned);
  return t;
}

void at_release(at_tensor *t)
{
  if (!at_defined(t))
    return;
  if (!THReference_drop(&t->refcount))
    return;
  if (__atomic_load_n(&t->next, __ATOMIC_RELAXED) || __atomic_load_n(&t->family, __ATOMIC_RELAXED))
    at_family_leave(t);
  t->type->memory->free(t->th);
  if (t->node)
    at_node_release(t->node);
  if (at_ownedElsewhere(&t->owned))
    return;
  at_disown(&t->owned);
  THFree(t);
}

/* A new result goes to the scope; memory of its own belongs to inference mode, if it is on. */
static void hand_over(at_tensor *t)
{
  at_own(&t->owned);
  if (at_isInferring && t->th->storage && t->th->storage->refcount == 1)
    *at_inferenceMark(t->th->storage) = 1;
}

at_tensor *at_return(at_call *call, at_tensor *result, bool isNew)
{
  if (at_failed(call))
    return at_undefined();
  if (isNew && at_defined(result))
    hand_over(result);
  else if (at_defined(result))
    at_countChange(result);
  return result;
}

void at_returnAll(at_call *call, int count, at_tensor **results, bool isNew)
{
  const bool failed = at_failed(call);
  for (int i = 0; i < count; i++)
    if (failed || !results[i])
      results[i] = at_undefined();
    else if (isNew && at_defined(results[i]))
      hand_over(results[i]);
    else if (at_defined(results[i]))
      at_countChange(results[i]);
}
