/* The state of L-BFGS as values, in the layout of PyTorch's files. */
#include <math.h>
#include <string.h>

#include "ATen/complex/complex.h"
#include "ATen/core/ATenOperations.h"
#include "Lbfgs.h"
#include "State.h"

/* --- writing ---------------------------------------------------------------------------------- */

/* A vector as a tensor of the parameters' type; or a number, without dimensions, if size is -1. */
static int32_t add_vector(const at_stateWriter *w, const at_type *type, const double *x,
                          ptrdiff_t size, const char *name)
{
  THGuard guard, cast;
  const int64_t sizes[] = {size};
  const at_ints shape = {sizes, size < 0 ? 0 : 1};
  at_guard(&guard);
  at_tensor *const wide = guard.what = at_newShape(at_cpuType(AT_DOUBLE), shape);
  if (at_numel(wide) > 0)
    memcpy(at_hostData(wide), x, (size_t)at_numel(wide) * sizeof *x);
  at_guard(&cast);
  at_tensor *const t = cast.what = at_newCast(wide, type);
  const int32_t id = at_nodes_addNamed(w->nodes, w->dict, t, "state.0.%s", name);
  THGuard_leave(&cast);
  THGuard_leave(&guard);
  return id;
}

/* A list with an entry for each pair: y, s or ro. */
static void put_pairs(const at_stateWriter *w, int32_t entry, const at_type *type,
                      const struct at_lbfgs *l, const char *key, int which)
{
  const int32_t list = at_nodes_put(w->nodes, entry, key, at_nodes_add(w->nodes, AT_NODE_LIST));
  for (int k = 0; k < l->count; k++) {
    const at_curvature *const pair = &l->pairs[k];
    char name[64];
    snprintf(name, sizeof name, "%s.%d", key, k);
    at_nodes_append(w->nodes, list,
                    which == 2 ? add_vector(w, type, &pair->ro, -1, name)
                               : add_vector(w, type, which ? pair->s : pair->y, l->size, name));
  }
}

void at_lbfgs_write(const at_stateWriter *w, int32_t all, const at_optimizer *o)
{
  at_nodes *const nodes = w->nodes;
  const struct at_lbfgs *const l = o->lbfgs;
  const at_type *const own = o->params[0].t->type; /* vectors are of real numbers */
  const at_type *const type = at_partsOf(own) > 1 ? at_realType(own) : own;
  const int32_t entry = at_nodes_add(nodes, AT_NODE_DICT);
  at_nodes_append(nodes, all, at_nodes_addInteger(nodes, 0));
  at_nodes_append(nodes, all, entry);
  at_nodes_put(nodes, entry, "func_evals", at_nodes_addInteger(nodes, (int64_t)l->evaluations));
  at_nodes_put(nodes, entry, "n_iter", at_nodes_addInteger(nodes, (int64_t)l->iterations));
  if (l->iterations == 0)
    return;
  const int32_t scratch = at_nodes_put(nodes, entry, "al", at_nodes_add(nodes, AT_NODE_LIST));
  for (int k = 0; k < l->capacity; k++)
    at_nodes_append(nodes, scratch, at_nodes_add(nodes, AT_NODE_NOTHING));
  at_nodes_put(nodes, entry, "d", add_vector(w, type, l->direction, l->size, "d"));
  at_nodes_put(nodes, entry, "t", at_nodes_addNumber(nodes, l->length));
  put_pairs(w, entry, type, l, "old_dirs", 0);
  put_pairs(w, entry, type, l, "old_stps", 1);
  put_pairs(w, entry, type, l, "ro", 2);
  at_nodes_put(nodes, entry, "H_diag", add_vector(w, type, &l->diagonal, -1, "H_diag"));
  at_nodes_put(nodes, entry, "prev_flat_grad",
               add_vector(w, type, l->gradient, l->size, "prev_flat_grad"));
  at_nodes_put(nodes, entry, "prev_loss", at_nodes_addNumber(nodes, l->loss));
}

/* --- reading ---------------------------------------------------------------------------------- */

static void read_vector(at_datum value, const char *key, ptrdiff_t size, double *x)
{
  THGuard guard;
  at_tensor *const t = at_state_tensor(value, key);
  if (at_numel(t) != size)
    at_raise(AT_ERROR_ARGUMENT, "'%s' in state has %lld elements, and the parameters have %td", key,
             (long long)at_numel(t), size);
  at_guard(&guard);
  at_tensor *const wide = guard.what = at_newCast(t, at_cpuType(AT_DOUBLE));
  if (size > 0)
    memcpy(x, at_hostData(wide), (size_t)size * sizeof *x);
  THGuard_leave(&guard);
}

static at_datum list_of(at_datum from, const char *key, int64_t count)
{
  const at_datum list = at_state_find(from, key);
  if (at_datum_kindOf(list) != AT_DATUM_LIST || (count >= 0 && at_datum_count(list) != count))
    at_raise(AT_ERROR_ARGUMENT, "'%s' in state is no list of its length", key);
  return list;
}

static void read_pairs(struct at_lbfgs *l, at_datum from)
{
  const at_datum y = list_of(from, "old_dirs", -1);
  const int64_t count = at_datum_count(y);
  const at_datum s = list_of(from, "old_stps", count), ro = list_of(from, "ro", count);
  if (count > l->capacity)
    at_raise(AT_ERROR_ARGUMENT, "state has %lld changes of the gradient, and history_size is %d",
             (long long)count, l->capacity);
  for (int64_t k = 0; k < count; k++) {
    at_curvature *const pair = &l->pairs[k];
    *pair = (at_curvature){.y = THAlloc((2 * l->size + 1) * (ptrdiff_t)sizeof *pair->y)};
    pair->s = pair->y + l->size;
    l->count++;
    read_vector(at_datum_at(y, k), "old_dirs", l->size, pair->y);
    read_vector(at_datum_at(s, k), "old_stps", l->size, pair->s);
    pair->ro = at_state_number(at_datum_at(ro, k), "ro");
  }
}

struct at_lbfgs *at_lbfgs_read(const at_optimizer *o, int capacity, at_datum from)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_lbfgs_free);
  struct at_lbfgs *const l = guard.what = at_lbfgs_new(at_lbfgs_size(o), capacity);
  l->iterations = at_state_number(at_state_find(from, "n_iter"), "n_iter");
  l->evaluations = at_state_number(at_state_find(from, "func_evals"), "func_evals");
  if (l->iterations > 0) {
    read_vector(at_state_find(from, "d"), "d", l->size, l->direction);
    read_vector(at_state_find(from, "prev_flat_grad"), "prev_flat_grad", l->size, l->gradient);
    l->length = at_state_number(at_state_find(from, "t"), "t");
    l->loss = at_state_number(at_state_find(from, "prev_loss"), "prev_loss");
    l->diagonal = at_state_number(at_state_find(from, "H_diag"), "H_diag");
    read_pairs(l, from);
  }
  THGuard_keep(&guard);
  return l;
}
