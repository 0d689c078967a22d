/* Nodes of the graph, and the tensors that they save. */
#include <string.h>

#include "Node.h"
#include "TH/core/THReference.h"

_Thread_local at_grad_state at_gradState __attribute__((tls_model("initial-exec")));

const at_formula at_leafFormula = {
    .name = "leaf", .node = "torch::autograd::AccumulateGrad", .viewOf = -1};

/* The end of size bytes at that offset, aligned for what follows. */
static size_t carve(size_t *offset, size_t size)
{
  const size_t begin = *offset;
  *offset = (begin + size + 7) & ~(size_t)7;
  return begin;
}

at_node *at_node_new(const at_formula *formula, int edges, int slots, int saved, size_t bytes,
                     char **capacity)
{
  size_t size = sizeof(at_node);
  const size_t edgesAt = carve(&size, (size_t)edges * sizeof(at_edge));
  const size_t slotsAt = carve(&size, (size_t)slots * sizeof(at_slot));
  const size_t savedAt = carve(&size, (size_t)saved * sizeof(at_saved));
  const size_t bytesAt = carve(&size, bytes);
  char *const block = THAlloc((ptrdiff_t)size);
  memset(block, 0, size);
  at_node *const node = (at_node *)block;
  node->refcount = 1;
  node->formula = formula;
  node->edgeCount = edges;
  node->edges = (at_edge *)(block + edgesAt);
  node->slots = (at_slot *)(block + slotsAt);
  node->saved = (at_saved *)(block + savedAt);
  if (capacity)
    *capacity = block + bytesAt;
  return node;
}

static void set_output(at_output *output, const at_tensor *t)
{
  const at_ints sizes = at_sizesOf(t);
  if (at_category(t->type->scalarType) < 2)
    return;
  if (sizes.count > AT_USUAL_DIMS)
    output->more = THAlloc((ptrdiff_t)sizes.count * (ptrdiff_t)sizeof *output->more);
  output->type = t->type;
  output->dims = sizes.count;
  for (int d = 0; d < sizes.count; d++)
    (output->more ? output->more : output->usual)[d] = sizes.data[d];
}

void at_node_setOutputs(at_node *node, int count, at_tensor *const *results)
{
  node->outputs = &node->own;
  if (count != 1) {
    const ptrdiff_t bytes = (ptrdiff_t)count * (ptrdiff_t)sizeof *node->outputs;
    node->outputs = NULL;
    node->outputs = THAlloc(THMax(bytes, 1));
    memset(node->outputs, 0, (size_t)bytes);
  }
  node->outputCount = count;
  for (int i = 0; i < count; i++)
    if (at_defined(results[i]))
      set_output(&node->outputs[i], results[i]);
}

at_node *at_node_retain(at_node *node)
{
  if (node)
    THReference_add(&node->refcount);
  return node;
}

/* --- freeing ---------------------------------------------------------------------------------- */

void at_node_forget(at_node *node)
{
  while (node->savedCount > 0)
    at_saved_free(&node->saved[--node->savedCount]);
  void (*const release)(void *) = node->function       ? node->function->release
                                  : node->listFunction ? node->listFunction->release
                                                       : NULL;
  if (release && !node->isFreed)
    release(node->context);
  node->isFreed = true;
}

static void free_output(at_output *output)
{
  at_release(output->grad);
  at_hooks_free(output->hooks);
  THFree(output->more);
}

static void free_node(at_node *node)
{
  at_node_forget(node);
  for (int i = 0; i < node->edgeCount; i++)
    if (node->edges[i].node)
      at_node_release(node->edges[i].node);
  for (int i = 0; node->outputs && i < node->outputCount; i++)
    free_output(&node->outputs[i]);
  if (node->outputs != &node->own)
    THFree(node->outputs);
  at_hooks_free(node->hooks);
  THFree(node);
}

/* Nodes whose last reference goes while another one is being freed wait in a list: a chain of any
 * length takes no stack. */
void at_node_release(at_node *node)
{
  at_grad_state *const state = &at_gradState;
  if (!node || !THReference_drop(&node->refcount))
    return;
  node->next = state->dead;
  state->dead = node;
  if (state->isFreeing)
    return;
  state->isFreeing = true;
  while (state->dead) {
    at_node *const one = state->dead;
    state->dead = one->next;
    free_node(one);
  }
  state->isFreeing = false;
}

/* --- what others see -------------------------------------------------------------------------- */

at_node *at_grad_fn(const at_tensor *t)
{
  return at_accept("grad_fn", "t", t, false) && t->node ? at_node_retain(t->node) : NULL;
}

const char *at_node_kind(const at_node *node)
{
  const char *const own = node ? at_node_customName(node) : NULL;
  return !node ? "" : own ? own : node->formula->node;
}

int at_node_inputCount(const at_node *node)
{
  return node ? node->edgeCount : 0;
}

at_node *at_node_input(const at_node *node, int index, int *output)
{
  if (!node || index < 0 || index >= node->edgeCount || !node->edges[index].node)
    return NULL;
  if (output)
    *output = node->edges[index].output;
  return at_node_retain(node->edges[index].node);
}

at_tensor *(at_node_result)(at_node *node, int output, at_tensor *value)
{
  const char *const name = "node_result";
  if (!at_acceptPointer(name, "node", node) || !at_accept(name, "value", value, false))
    return at_undefined();
  const at_output *const known =
      output >= 0 && output < node->outputCount ? &node->outputs[output] : NULL;
  if (!known || known->type != value->type ||
      !at_sameSizes(at_sizesOf(value), at_output_sizes(known))) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: value is a %s of size %s, which is not result %d of %s",
            name, value->type->name, at_sizeDesc(at_sizesOf(value)).str, output,
            at_node_kind(node));
    return at_undefined();
  }
  at_tensor *const t = at_detach(value);
  if (at_defined(t)) {
    t->node = at_node_retain(node);
    t->output = output;
  }
  return t;
}

int64_t at_tensor_version(const at_tensor *t)
{
  if (!at_accept("tensor_version", "t", t, false) || !t->th->storage)
    return 0;
  return __atomic_load_n(at_version(t->th->storage), __ATOMIC_RELAXED);
}

/* "add, called at net.c:12". */
void at_node_name(const at_node *node, char *buffer, size_t size)
{
  const char *const own = at_node_customName(node);
  const char *const name = own ? own : node->formula->name;
  if (node->file)
    snprintf(buffer, size, "%.100s, called at %s:%d", name, node->file, node->line);
  else
    snprintf(buffer, size, "%.100s", name);
}
