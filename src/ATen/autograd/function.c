/* Functions with gradients of their own. */
#include "Node.h"

const at_formula at_customFormula = {.name = "function", .node = "Function", .viewOf = -1};

static void release_node(void *node)
{
  at_node_release(node);
}

/* The node of a call, or NULL if no input wants a gradient; it takes over the context. */
static at_node *new_node(const at_grad_function *function, void *context, at_tensors inputs)
{
  if (!at_isRecording() || !at_isAnyTracked(inputs))
    return NULL;
  at_node *const node = at_node_new(&at_customFormula, inputs.count, 0, 0, 0, NULL);
  node->function = function;
  node->context = context;
  for (int i = 0; i < inputs.count; i++)
    if (inputs.data[i]->node) {
      at_tensor *const t = inputs.data[i];
      node->edges[i] = (at_edge){at_node_retain(t->node), t->output};
      node->depth = THMax(node->depth, t->node->depth + 1);
    }
  return node;
}

static at_tensor *call_forward(const at_grad_function *function, void *context, at_tensors inputs)
{
  at_tensor *result = at_undefined();
  AT_NO_GRAD
  {
    result = function->forward(context, inputs);
  }
  if (!at_defined(result))
    at_raise(at_error() == AT_OK ? AT_ERROR_RUNTIME : at_error(), "forward returned no tensor");
  return result;
}

static bool is_input(const at_tensor *t, at_tensors inputs)
{
  for (int i = 0; i < inputs.count; i++)
    if (inputs.data[i] == t)
      return true;
  return false;
}

static at_tensor *apply(const at_grad_function *function, void *volatile *context,
                        at_tensors inputs)
{
  THGuard guards[2];
  THGuard_enter(&guards[0], release_node);
  at_node *const node = guards[0].what = new_node(function, *context, inputs);
  void *const own = *context;
  if (node)
    *context = NULL;
  at_tensor *const result = call_forward(function, own, inputs);
  at_guard(&guards[1]);
  guards[1].what = result;
  if (node && is_input(result, inputs))
    at_raise(AT_ERROR_ARGUMENT,
             "forward returned one of its inputs; at_detach makes another tensor");
  if (node) {
    at_node_setOutputs(node, 1, &result);
    result->node = node;
    result->output = 0;
    at_gradState.last = node;
    guards[0].what = NULL;
  }
  THGuard_keep(&guards[1]);
  THGuard_leave(&guards[0]);
  return result;
}

at_tensor *(at_apply)(const at_grad_function *function, void *context, at_tensors inputs)
{
  if (!at_acceptPointer("apply", "function", function) ||
      !at_acceptPointer("apply", "function->forward", (const void *)function->forward) ||
      !at_acceptPointer("apply", "function->backward", (const void *)function->backward) ||
      !at_acceptAll("apply", "inputs", inputs, false))
    return at_undefined();
  at_call call;
  at_begin(&call, function->name ? function->name : "function");
  at_tensor *volatile result = NULL;
  void *volatile left = context;
  TH_TRY(call.attempt)
  {
    result = apply(function, &left, inputs);
  }
  if (left && function->release)
    function->release(left);
  if (at_failed(&call))
    return at_undefined();
  return result;
}
