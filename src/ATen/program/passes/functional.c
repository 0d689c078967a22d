/* What is changed in place becomes a new tensor, where nobody can tell.
 *
 * relu_(x) becomes relu(x) if no value that may share memory with x, and neither x itself, is read
 * afterwards.  Only steps of chains do: a chain takes the memory of x again. */
#include "chain.h"

/* The operation that computes what op does in place, with the same arguments; NULL if there is none.
 */
static const at_op *function_of(const at_op *op)
{
  char name[64];
  const size_t length = strlen(op->name);
  if (op->form != AT_FORM_INPLACE || length < 2 || length > sizeof name)
    return NULL;
  memcpy(name, op->name, length - 1);
  name[length - 1] = '\0';
  const at_op *const first = at_op_find(name);
  for (const at_op *f = first; f && f < at_ops + at_opCount && !strcmp(f->name, name); f++) {
    bool isSame = f->form == AT_FORM_FUNCTION && !strcmp(f->overload, op->overload) &&
                  f->argumentCount == op->argumentCount && f->resultCount == 1;
    for (int i = 0; isSame && i < op->argumentCount; i++)
      isSame = f->arguments[i].kind == op->arguments[i].kind &&
               !strcmp(f->arguments[i].name, op->arguments[i].name);
    if (isSame)
      return f;
  }
  return NULL;
}

/* Whether the tensors that the node reads, and what it makes, are of Float: then the new tensor has
 * the type of the one that was changed. */
static bool is_of_floats(const at_rewrite *rewrite, const at_graphNode *node)
{
  for (int i = 0; i < node->op->argumentCount; i++) {
    const at_kind kind = node->op->arguments[i].kind;
    const at_given *const given = at_argumentOf(node, node->op->arguments[i].name);
    if (!given || (kind != AT_KIND_TENSOR && kind != AT_KIND_OPTIONAL_TENSOR))
      continue;
    if (at_typeIn(rewrite, at_slotIn(rewrite, given)) != AT_FLOAT)
      return false;
  }
  return at_typeIn(rewrite, node->outputs[0]) == AT_FLOAT;
}

/* The node that reads each slot last; the number of nodes for outputs of the graph. */
typedef struct Last {
  int32_t *reads, node;
} Last;

static void note_read(void *context, int32_t slot)
{
  const Last *const last = context;
  last->reads[slot] = last->node;
}

static int32_t *find_last_reads(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  Last last = {at_arena_take(&rewrite->scratch, (uint64_t)rewrite->slotCapacity, sizeof(int32_t)),
               0};
  for (; last.node < graph->nodeCount; last.node++)
    at_eachRead(rewrite, &graph->nodes[last.node], note_read, &last);
  at_eachOutput(rewrite, note_read, &last);
  return last.reads;
}

/* Whether nothing that may share memory with the slot is read after node n. */
static bool is_left_alone(const at_sets *sets, const int32_t *last, int32_t slot, int32_t n)
{
  enum { MOST_MEMBERS = 64 };
  const int32_t root = at_sets_root(sets, slot);
  if (sets->isOutside[root] || sets->size[root] > MOST_MEMBERS || last[slot] > n)
    return false;
  for (int32_t member = sets->next[slot]; member != slot; member = sets->next[member])
    if (last[member] > n)
      return false;
  return true;
}

void at_passFunctional(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  const int32_t *const last = find_last_reads(rewrite);
  at_sets sets = at_sets_new(rewrite);
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    at_graphNode *const node = &graph->nodes[n];
    at_graphNode made = *node; /* the node as it may become */
    made.op = node->op ? function_of(node->op) : NULL;
    const int32_t changed = at_ruleOf(&made) && node->from[0] >= 0 && node->outputCount == 1
                                ? at_slotIn(rewrite, &node->inputs[node->from[0]])
                                : AT_NO_SLOT;
    if (changed != AT_NO_SLOT && node->outputs[0] != AT_NO_SLOT && is_of_floats(rewrite, node) &&
        is_left_alone(&sets, last, changed, n)) {
      *node = made;
      rewrite->changes++;
    }
    at_sets_add(rewrite, &sets, node);
  }
}
