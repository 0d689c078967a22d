/* What generated functions ask for: gradients of results, and what was saved. */
#include "Formulas.h"

static at_tensor *zeros_of(const at_output *output)
{
  return (at_zeros)(at_output_sizes(output), &(at_zeros_options){.type = output->type});
}

/* A gradient for a formula, or one that it made, as at_formula says. */
static at_tensor *conjugated(const at_backward_call *call, at_tensor *grad)
{
  const bool isComplex = at_defined(grad) && at_isComplex(grad->type->scalarType);
  return isComplex && call->node->formula->conjugates ? (at_conj)(grad) : grad;
}

at_tensor *at_back_grad(at_backward_call *call, int output)
{
  return call->grads[output] ? conjugated(call, call->grads[output])
                             : zeros_of(&call->node->outputs[output]);
}

at_tensor *at_back_gradOrNone(at_backward_call *call, int output)
{
  return call->grads[output] ? conjugated(call, call->grads[output]) : NULL;
}

at_tensors at_back_grads(at_backward_call *call)
{
  const int count = call->node->outputCount;
  for (int i = 0; i < count; i++) {
    at_tensor *const before = call->grads[i];
    if (!before && !call->node->outputs[i].type)
      continue;
    call->grads[i] =
        at_retain(before ? conjugated(call, before) : zeros_of(&call->node->outputs[i]));
    at_release(before);
  }
  return (at_tensors){call->grads, count};
}

/* The first edge of a partial, and how many it has. */
static int edges_of(const at_node *node, int partial, int *count)
{
  int first = 0;
  for (int p = 0;; p++) {
    const int argument = node->formula->partials[p].argument;
    const at_kind kind = node->formula->arguments[argument].kind;
    *count = kind == AT_KIND_TENSORS || kind == AT_KIND_OPTIONAL_TENSORS ? node->listCount : 1;
    if (p == partial)
      return first;
    first += *count;
  }
}

bool at_back_wants(const at_backward_call *call, int partial)
{
  int count;
  const int first = edges_of(call->node, partial, &count);
  for (int i = first; i < first + count; i++)
    if (call->node->edges[i].node)
      return true;
  return false;
}

at_ints at_back_sizes(const at_backward_call *call, int partial)
{
  int count;
  const at_edge *const edge = &call->node->edges[edges_of(call->node, partial, &count)];
  return at_output_sizes(&edge->node->outputs[edge->output]);
}

/* at_restore, with an error that is reported instead of raised; an optional tensor may be NULL. */
static at_tensor *restored(at_node *node, int saved)
{
  at_call call;
  at_begin(&call, node->formula->name);
  at_tensor *volatile t = NULL;
  TH_TRY(call.attempt)
  {
    t = at_restore(node, saved);
  }
  at_tensor *const result = at_return(&call, t, true);
  return result;
}

at_tensor *at_back_tensor(at_backward_call *call, int argument)
{
  return restored(call->node, call->node->slots[argument].saved.first);
}

const at_tensors *at_listOf(int count)
{
  at_call call;
  at_begin(&call, "backward");
  const at_tensors *volatile made = &at_noTensors;
  TH_TRY(call.attempt)
  {
    made = at_newList(count);
  }
  return at_returnList(&call, made);
}

at_tensors at_back_tensors(at_backward_call *call, int argument)
{
  const at_tensors *const made = at_listOf(call->node->slots[argument].saved.count);
  for (int i = 0; i < made->count; i++)
    ((at_tensor **)made->data)[i] =
        at_retain(restored(call->node, call->node->slots[argument].saved.first + i));
  return *made;
}

at_tensor *at_back_result(at_backward_call *call, int result)
{
  int saved = THMax(call->node->savedCount - 1, 0);
  while (saved > 0 && call->node->saved[saved].result != result)
    saved--;
  return restored(call->node, saved);
}

void at_back_give(at_backward_call *call, int partial, at_tensor *grad)
{
  int count;
  const int edge = edges_of(call->node, partial, &count);
  if (call->node->edges[edge].node)
    call->made[edge] = at_retain(conjugated(call, grad));
}

void at_back_giveList(at_backward_call *call, int partial, const at_tensors *grads)
{
  int count;
  const int edge = edges_of(call->node, partial, &count);
  for (int i = 0; i < count; i++)
    if (call->node->edges[edge + i].node)
      call->made[edge + i] =
          i < grads->count ? at_retain(conjugated(call, grads->data[i])) : at_undefined();
}
