/* Recording of calls whose operands want gradients. */
#include <string.h>

#include "Node.h"

bool at_isRecording(void)
{
  return !at_gradState.isOff;
}

void at_refuse(const char *operation)
{
  at_fail(AT_ERROR_ARGUMENT, operation,
          "%s: an operand or a result wants a gradient, and this form of the operation is not "
          "recorded; use the one that returns a new tensor, or AT_NO_GRAD",
          operation);
}

/* --- operands --------------------------------------------------------------------------------- */

static bool is_tensor(const at_argument *argument)
{
  return argument->kind <= AT_KIND_OPTIONAL_TENSORS;
}

static bool is_list(const at_argument *argument)
{
  return argument->kind == AT_KIND_TENSORS || argument->kind == AT_KIND_OPTIONAL_TENSORS;
}

/* The tensors of an argument: one, or those of a list. */
static at_tensors tensors_of(const at_formula *formula, const at_slot *given, int argument)
{
  if (is_list(&formula->arguments[argument]))
    return given[argument].tensors;
  return (at_tensors){&given[argument].tensor, 1};
}

/* What a call needs of a node. */
typedef struct {
  uint64_t reads;
  int edges, saved;
  size_t bytes;
} Need;

static size_t rounded(size_t bytes)
{
  return (bytes + 7) & ~(size_t)7;
}

static size_t bytes_of(at_kind kind, const at_slot *slot)
{
  return kind == AT_KIND_INTS      ? (size_t)slot->ints.count * sizeof *slot->ints.data
         : kind == AT_KIND_DOUBLES ? (size_t)slot->doubles.count * sizeof *slot->doubles.data
         : kind == AT_KIND_STRING  ? rounded(strlen(slot->string) + 1)
                                   : 0;
}

static Need need_of(const at_formula *formula, const at_slot *given)
{
  Need need = {0, 0, 0, 0};
  uint64_t differentiable = 0;
  for (int p = 0; p < formula->partialCount; p++) {
    const at_partial *const partial = &formula->partials[p];
    const at_tensors operands = tensors_of(formula, given, partial->argument);
    need.edges += operands.count;
    differentiable |= (uint64_t)1 << partial->argument;
    if (at_isAnyTracked(operands))
      need.reads |= partial->reads;
  }
  for (int i = 0; i < formula->argumentCount; i++) {
    const at_argument *const argument = &formula->arguments[i];
    const bool isRead = need.reads >> i & 1;
    if (is_tensor(argument)) {
      const at_tensors operands = tensors_of(formula, given, i);
      if (!(differentiable >> i & 1) && at_isAnyTracked(operands))
        at_raise(AT_ERROR_ARGUMENT,
                 "%s wants a gradient, and there is no formula for it; at_detach(%s) wants none",
                 argument->name, argument->name);
      need.saved += isRead ? operands.count : 0;
    } else if (isRead) {
      need.bytes += bytes_of(argument->kind, &given[i]);
    }
  }
  need.saved += __builtin_popcountll(need.reads >> AT_READS_RESULT);
  return need;
}

/* --- changes in place ------------------------------------------------------------------------- */

void at_tape_checkInplace(const at_tensor *self)
{
  const THFloatStorage *const storage = self->th->storage;
  if (self->node && self->node->isLeaf)
    at_raise(AT_ERROR_ARGUMENT,
             "self is a leaf that wants a gradient, and cannot be changed in place; outside of a "
             "graph it can, in AT_NO_GRAD");
  at_family_check(self);
  at_family_found((at_tensor *)self);
  if (self->family)
    return;
  if (self->node && self->node->isView && self->node->outputCount > 1) {
    char name[256];
    at_node_name(self->node, name, sizeof name);
    at_raise(
        AT_ERROR_ARGUMENT,
        "self shares its memory with the other views that %s returned, and such views cannot be "
        "changed in place; use the function that returns a new tensor, or change the tensor itself",
        name);
  }
  if (self->node ? self->node->isView : storage && storage->refcount > 1)
    at_raise(AT_ERROR_ARGUMENT,
             "self shares its memory with other tensors, whose gradients a change in place would "
             "make wrong; use the function that returns a new tensor, or change a clone");
}

/* Raises if t is a view of a tensor that has been changed in place since then. */
static void check_view(const at_tensor *t, const char *argument)
{
  const at_node *node = t->isSaved ? NULL : t->node; /* what was saved has not changed */
  while (node && node->isView) {
    const at_edge *const base = &node->edges[0];
    if (base->node && base->node->outputs[base->output].isReplaced) {
      char name[256];
      at_node_name(node, name, sizeof name);
      at_raise(AT_ERROR_ARGUMENT,
               "%s is a view, made by %s, of a tensor that has been changed in place since then; "
               "make the view again",
               argument, name);
    }
    node = base->node;
  }
}

/* --- saving ----------------------------------------------------------------------------------- */

/* Saves a tensor that is read; of one whose memory the call will change, a copy. */
static void save_operand(at_node *node, const at_tape *tape, at_tensor *t, int edge)
{
  at_saved *const saved = &node->saved[node->savedCount];
  if (!t)
    *saved = (at_saved){.edge = -1, .result = -1};
  else if (tape->self && tape->self->th->storage == t->th->storage) {
    at_pool pool;
    at_pool_enter(&pool);
    at_save_tensor(saved, at_hold(&pool, at_newCast(t, t->type)), edge, -1);
    at_pool_leave(&pool);
  } else
    at_save_tensor(saved, t, edge, -1);
  node->savedCount++;
}

static void copy_bytes(at_slot *slot, at_kind kind, const at_slot *given, char **memory)
{
  const size_t bytes = bytes_of(kind, given);
  *slot = *given;
  if (bytes == 0)
    return;
  if (kind == AT_KIND_INTS) {
    memcpy(*memory, given->ints.data, bytes);
    slot->ints.data = (const int64_t *)*memory;
  } else if (kind == AT_KIND_DOUBLES) {
    memcpy(*memory, given->doubles.data, bytes);
    slot->doubles.data = (const double *)*memory;
  } else {
    strcpy(*memory, given->string);
    slot->string = *memory;
  }
  *memory += bytes;
}

/* Gives the node its edges; firsts gets the number of the first edge of each argument, or -1. */
static void set_edges(at_node *node, const at_slot *given, int *firsts)
{
  const at_formula *const formula = node->formula;
  int edge = 0;
  for (int i = 0; i < formula->argumentCount; i++)
    firsts[i] = -1;
  for (int p = 0; p < formula->partialCount; p++) {
    const int argument = formula->partials[p].argument;
    const at_tensors operands = tensors_of(formula, given, argument);
    firsts[argument] = edge;
    if (is_list(&formula->arguments[argument]))
      node->listCount = operands.count;
    for (int k = 0; k < operands.count; k++, edge++) {
      const at_tensor *const t = operands.data[k];
      if (!at_isTracked(t))
        continue;
      check_view(t, formula->arguments[argument].name);
      at_family_check(t);
      node->edges[edge] = (at_edge){at_node_retain(t->node), t->output};
      node->depth = THMax(node->depth, t->node->depth + 1);
    }
  }
}

static void fill(at_node *node, const at_tape *tape, uint64_t reads, char *buffer)
{
  const at_formula *const formula = node->formula;
  int firsts[AT_READS_RESULT];
  set_edges(node, tape->given, firsts);
  for (int i = 0; i < formula->argumentCount; i++) {
    if (!(reads >> i & 1))
      continue;
    if (!is_tensor(&formula->arguments[i])) {
      copy_bytes(&node->slots[i], formula->arguments[i].kind, &tape->given[i], &buffer);
      continue;
    }
    const at_tensors operands = tensors_of(formula, tape->given, i);
    node->slots[i].saved.first = node->savedCount;
    node->slots[i].saved.count = operands.count;
    for (int k = 0; k < operands.count; k++)
      save_operand(node, tape, operands.data[k], firsts[i] < 0 ? -1 : firsts[i] + k);
  }
}

/* --- a call ----------------------------------------------------------------------------------- */

static void release_node(void *node)
{
  at_node_release(node);
}

bool at_tape_open(at_tape *tape, const at_formula *formula, const char *operation, at_tensor *self,
                  const at_slot *given)
{
  at_begin(&tape->call, operation);
  tape->self = self;
  tape->given = given;
  tape->node = NULL;
  tape->wasOff = at_gradState.isOff;
  TH_TRY(tape->call.attempt)
  {
    if (self)
      at_tape_checkInplace(self);
    const Need need = need_of(formula, given);
    char *buffer;
    THGuard guard;
    THGuard_enter(&guard, release_node);
    at_node *const node = guard.what =
        at_node_new(formula, need.edges, formula->argumentCount, need.saved, need.bytes, &buffer);
    fill(node, tape, need.reads, buffer);
    if (self)
      at_node_setOutputs(node, 1, &self);
    node->reads = need.reads;
    tape->node = THGuard_keep(&guard);
  }
  if (at_failed(&tape->call))
    return false;
  at_gradState.isOff = true;
  return true;
}

static bool is_operand(const at_tape *tape, const at_tensor *t)
{
  const at_formula *const formula = tape->node->formula;
  for (int i = 0; i < formula->argumentCount; i++)
    if (is_tensor(&formula->arguments[i]) && tape->given[i].tensor == t)
      return true;
  return false;
}

/* Whether the node becomes that of the result: not if the result is an operand as it is, or of a
 * type that has no gradient. */
static bool is_recorded(const at_tape *tape, const at_tensor *t)
{
  return at_defined(t) && at_category(t->type->scalarType) >= 2 &&
         (t == tape->self || (!t->node && !is_operand(tape, t)));
}

void at_tape_setNode(at_tensor *t, at_node *node, int output)
{
  if (t->node) {
    t->node->outputs[t->output].isReplaced = true;
    at_node_release(t->node);
  }
  t->node = at_node_retain(node);
  t->output = output;
}

static void finish(at_tape *tape, int count, at_tensor *const *results)
{
  at_node *const node = tape->node;
  const int view = node->formula->viewOf;
  if (!tape->self)
    at_node_setOutputs(node, count, results);
  for (int i = 0; i < count && i < AT_RESULTS; i++)
    if (node->reads >> (AT_READS_RESULT + i) & 1 && at_defined(results[i]))
      at_save_tensor(&node->saved[node->savedCount++], results[i], -1, i);
  if (view >= 0 && !tape->self && count > 0 && at_defined(results[0])) {
    const at_tensors base = tensors_of(node->formula, tape->given, view);
    node->isView = base.count > 0 && results[0]->th->storage == base.data[0]->th->storage;
  }
  for (int i = 0; i < count; i++)
    if (!(node->formula->constants >> THMin(i, AT_RESULTS) & 1) && is_recorded(tape, results[i]))
      at_tape_setNode(results[i], node, i);
  if (tape->self && tape->self->family)
    at_family_changed(tape->self);
  else if (node->isView && count == 1 && results[0]->node == node)
    at_family_join(tensors_of(node->formula, tape->given, view).data[0], results[0]);
  at_gradState.last = node;
}

/* Ends the call; whether it failed. */
static bool closes(at_tape *tape, int count, at_tensor *const *results, bool isDone)
{
  at_begin(&tape->call, tape->call.operation);
  at_gradState.isOff = tape->wasOff;
  if (isDone)
    TH_TRY(tape->call.attempt)
    {
      finish(tape, count, results);
    }
  at_node_release(tape->node);
  return !isDone || at_failed(&tape->call);
}

void at_tape_closeAll(at_tape *tape, int count, at_tensor **results)
{
  bool isDone = false;
  for (int i = 0; i < count; i++)
    isDone |= at_defined(results[i]);
  if (!closes(tape, count, results, isDone))
    return;
  for (int i = 0; i < count; i++) {
    if (!tape->self)
      at_release(results[i]);
    results[i] = at_undefined();
  }
}

at_tensor *at_tape_close(at_tape *tape, at_tensor *result)
{
  at_tape_closeAll(tape, 1, &result);
  return result;
}

const at_tensors *at_tape_closeList(at_tape *tape, const at_tensors *list)
{
  if (!closes(tape, list->count, list->data, list != &at_noTensors))
    return list;
  at_list_release(list);
  return &at_noTensors;
}
