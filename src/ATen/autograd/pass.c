/* The order of a backward pass, and the sums of gradients. */
#include <string.h>

#include "Pass.h"

/* --- visits ----------------------------------------------------------------------------------- */

void at_visit_free(at_visit *visit)
{
  for (int i = 0; i < visit->node->outputCount; i++)
    at_release(visit->grads[i]);
  at_node_release(visit->node);
  THFree(visit);
}

static void end(void *what)
{
  at_pass *const pass = what;
  for (int i = 0; i < pass->count; i++)
    at_visit_free(pass->heap[i]);
  THFree(pass->heap);
  THFree(pass->table);
}

void at_pass_enter(at_pass *pass, THGuard *guard)
{
  *pass = (at_pass){0};
  THGuard_enter(guard, end);
  guard->what = pass;
}

static at_visit *new_visit(at_node *node)
{
  const size_t bytes = (size_t)node->outputCount * sizeof(at_tensor *);
  at_visit *const visit = THAlloc((ptrdiff_t)(sizeof *visit + bytes));
  visit->node = at_node_retain(node);
  visit->grads = (at_tensor **)(visit + 1);
  memset(visit->grads, 0, bytes);
  return visit;
}

/* --- by node ---------------------------------------------------------------------------------- */

static int entry_of(const at_pass *pass, const at_node *node)
{
  const uint64_t hash = ((uint64_t)(uintptr_t)node >> 4) * 0x9E3779B97F4A7C15u;
  int i = (int)(hash >> 32 & (uint64_t)(pass->entries - 1));
  while (pass->table[i] && pass->table[i]->node != node)
    i = (i + 1) & (pass->entries - 1);
  return i;
}

/* Makes a table for the nodes that wait, at most half full. */
static void rehash(at_pass *pass)
{
  int entries = 64;
  while (entries < 4 * (pass->count + 1))
    entries *= 2;
  at_visit **const table = THAlloc((ptrdiff_t)entries * (ptrdiff_t)sizeof *table);
  memset(table, 0, (size_t)entries * sizeof *table);
  THFree(pass->table);
  pass->table = table;
  pass->entries = entries;
  pass->used = pass->count;
  for (int i = 0; i < pass->count; i++)
    table[entry_of(pass, pass->heap[i]->node)] = pass->heap[i];
}

/* Removes an entry, and moves those behind it that would not be found any more. */
static void forget(at_pass *pass, const at_node *node)
{
  int hole = entry_of(pass, node);
  pass->table[hole] = NULL;
  pass->used--;
  for (int i = (hole + 1) & (pass->entries - 1); pass->table[i];
       i = (i + 1) & (pass->entries - 1)) {
    at_visit *const moved = pass->table[i];
    pass->table[i] = NULL;
    pass->table[entry_of(pass, moved->node)] = moved;
  }
}

/* --- by depth --------------------------------------------------------------------------------- */

static void rise(at_pass *pass, int i)
{
  at_visit *const visit = pass->heap[i];
  for (int above; i > 0 && pass->heap[above = (i - 1) / 2]->node->depth < visit->node->depth;
       i = above)
    pass->heap[i] = pass->heap[above];
  pass->heap[i] = visit;
}

static void sink(at_pass *pass, int i)
{
  at_visit *const visit = pass->heap[i];
  for (int below; (below = 2 * i + 1) < pass->count; i = below) {
    below += below + 1 < pass->count &&
             pass->heap[below + 1]->node->depth > pass->heap[below]->node->depth;
    if (pass->heap[below]->node->depth <= visit->node->depth)
      break;
    pass->heap[i] = pass->heap[below];
  }
  if (pass->count > 0)
    pass->heap[i] = visit;
}

at_visit *at_pass_visit(at_pass *pass, at_node *node)
{
  if (2 * (pass->used + 1) > pass->entries)
    rehash(pass);
  const int entry = entry_of(pass, node);
  if (pass->table[entry])
    return pass->table[entry];
  if (pass->count == pass->capacity) {
    const int capacity = pass->capacity ? 2 * pass->capacity : 16;
    pass->heap = THRealloc(pass->heap, (ptrdiff_t)capacity * (ptrdiff_t)sizeof(at_visit *));
    pass->capacity = capacity;
  }
  at_visit *const visit = new_visit(node);
  pass->table[entry] = pass->heap[pass->count++] = visit;
  pass->used++;
  rise(pass, pass->count - 1);
  return visit;
}

at_visit *at_pass_next(at_pass *pass)
{
  if (pass->count == 0)
    return NULL;
  at_visit *const visit = pass->heap[0];
  forget(pass, visit->node);
  pass->heap[0] = pass->heap[--pass->count];
  sink(pass, 0);
  return visit;
}

/* --- sums ------------------------------------------------------------------------------------- */

bool at_isSole(const at_tensor *t)
{
  return t->refcount == 1 && t->th->refcount == 1 && t->th->storage &&
         t->th->storage->refcount == 1 && !t->node && at_isContiguous(t);
}

/* The gradient in the type and with the sizes of the result, over which it was broadcast. */
static at_tensor *fitted(at_tensor *grad, const at_output *output)
{
  const at_ints sizes = at_output_sizes(output);
  at_tensor *r = grad;
  if (!at_sameSizes(at_sizesOf(r), sizes))
    r = at_sumToSize(r, sizes);
  if (at_defined(r) && r->type != output->type)
    r = (at_to)(r, output->type);
  return r;
}

void at_pass_add(at_pass *pass, at_node *node, int output, at_tensor *grad)
{
  if (!grad)
    return;
  at_pool pool;
  at_pool_enter(&pool);
  at_hold(&pool, grad);
  at_visit *const visit = at_pass_visit(pass, node);
  at_tensor **const sum = &visit->grads[output];
  AT_SCOPE
  {
    at_tensor *r = fitted(grad, &node->outputs[output]);
    if (*sum && at_isSole(*sum) && !pass->creates)
      r = (at_add_)(*sum, r, NULL);
    else if (*sum)
      r = (at_add)(*sum, r, NULL);
    if (!at_defined(r))
      at_raise(at_error(), "gradients could not be added");
    at_tensor *const before = *sum;
    if (r != before) {
      *sum = at_retain(r);
      at_release(before);
    }
  }
  at_pool_leave(&pool);
}
