/* Hooks of tensors and of nodes, in the order in which they were added.
 *
 * A hook may add and remove hooks, itself too: the walks of its thread that are about to call a removed one go
 * on behind it. */
#include "Node.h"

void at_hooks_begin(at_hook_walk *walk, at_hooked *list)
{
  at_hook_walk **const walks = &at_gradState.walks;
  *walk = (at_hook_walk){list, 0, *walks};
  for (const at_hooked *one = list; one; one = one->next)
    walk->newest = one->number;
  *walks = walk;
}

at_hooked *at_hooks_next(at_hook_walk *walk)
{
  at_hooked *const one = walk->next;
  if (!one || one->number > walk->newest)
    return NULL;
  walk->next = one->next;
  return one;
}

void at_hooks_end(const at_hook_walk *walk)
{
  at_gradState.walks = walk->outer;
}

void at_hooks_free(at_hooked *list)
{
  while (list) {
    at_hooked *const one = list;
    list = one->next;
    THFree(one);
  }
}

static bool add(const char *name, at_hooked **list, at_hooked hooked)
{
  static uint64_t last;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_hooked *const one = THAlloc(sizeof *one);
    *one = hooked;
    one->number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    while (*list)
      list = &(*list)->next;
    *list = one;
  }
  return !at_failed(&call);
}

/* Removes the first one with the functions and the context of like; false if there is none. */
static bool take(at_hooked **list, at_hooked like)
{
  while (*list && ((*list)->hook != like.hook || (*list)->nodeHook != like.nodeHook ||
                   (*list)->context != like.context))
    list = &(*list)->next;
  at_hooked *const found = *list;
  if (!found)
    return false;
  for (at_hook_walk *walk = at_gradState.walks; walk; walk = walk->outer)
    if (walk->next == found)
      walk->next = found->next;
  *list = found->next;
  THFree(found);
  return true;
}

/* --- of tensors ------------------------------------------------------------------------------- */

bool(at_add_hook)(at_tensor *t, at_hook hook, void *context)
{
  const char *const name = "add_hook";
  if (!at_acceptGrad(name, t) || !at_acceptPointer(name, "hook", (const void *)hook))
    return false;
  return add(name, &t->node->outputs[t->output].hooks,
             (at_hooked){.hook = hook, .context = context});
}

bool(at_remove_hook)(at_tensor *t, at_hook hook, void *context)
{
  const char *const name = "remove_hook";
  if (!at_acceptGrad(name, t))
    return false;
  if (hook &&
      take(&t->node->outputs[t->output].hooks, (at_hooked){.hook = hook, .context = context}))
    return true;
  at_fail(AT_ERROR_ARGUMENT, name, "%s: t has no such hook", name);
  return false;
}

/* --- of nodes --------------------------------------------------------------------------------- */

bool(at_node_add_hook)(at_node *node, bool after, at_node_hook hook, void *context)
{
  const char *const name = "node_add_hook";
  if (!at_acceptPointer(name, "node", node) || !at_acceptPointer(name, "hook", (const void *)hook))
    return false;
  return add(name, &node->hooks, (at_hooked){.nodeHook = hook, .context = context, .after = after});
}

bool(at_node_remove_hook)(at_node *node, at_node_hook hook, void *context)
{
  const char *const name = "node_remove_hook";
  if (!at_acceptPointer(name, "node", node) || !at_acceptPointer(name, "hook", (const void *)hook))
    return false;
  if (take(&node->hooks, (at_hooked){.nodeHook = hook, .context = context}))
    return true;
  at_fail(AT_ERROR_ARGUMENT, name, "%s: there is no such hook", name);
  return false;
}
