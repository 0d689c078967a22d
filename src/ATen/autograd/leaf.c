/* What makes a leaf of the graph, from which all recording begins. */
#include "Node.h"

/* Functions that record a call have weak references, so that a static program without a call of at_requires_grad_
 * leaves them and all gradients out.  This reference brings in the files where the linker finds them. */
extern const char *const at_tapes[];
static const char *const *const brought __attribute__((used)) = at_tapes;

/* Raises unless gradients can flow to t. */
static void check_floating(const at_tensor *t)
{
  if (at_category(t->type->scalarType) < 2)
    at_raise(AT_ERROR_TYPE, "t is of type %s, and only floating and complex types have gradients",
             at_scalarTypeName(t->type->scalarType));
}

static void release_node(void *node)
{
  at_node_release(node);
}

at_tensor *(at_requires_grad_)(at_tensor *t)
{
  if (!at_accept("requires_grad_", "t", t, false))
    return at_undefined();
  if (t->node)
    return t;
  at_call call;
  at_begin(&call, "requires_grad_");
  TH_TRY(call.attempt)
  {
    check_floating(t);
    if (!at_isInferring && at_isInference(t))
      at_raise(AT_ERROR_RUNTIME,
               "t was made in inference mode, and can want a gradient only there; at_clone(t) can "
               "everywhere");
    THGuard guard;
    THGuard_enter(&guard, release_node);
    at_node *const node = guard.what = at_node_new(&at_leafFormula, 0, 0, 0, 0, NULL);
    node->isLeaf = true;
    at_node_setOutputs(node, 1, &t);
    t->node = THGuard_keep(&guard);
    t->output = 0;
  }
  __atomic_store_n(&at_gradPlaces, true, __ATOMIC_RELAXED);
  return at_failed(&call) ? at_undefined() : t;
}
