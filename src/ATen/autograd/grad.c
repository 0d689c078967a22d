/* Which tensors want gradients, and the gradients that they have. */
#include "Node.h"

bool at_gradPlaces;

_Thread_local bool at_isInferring __attribute__((tls_model("initial-exec")));

bool at_requiresGrad(const at_tensor *t)
{
  return at_isTracked(t);
}

bool at_isLeaf(const at_tensor *t)
{
  return at_defined(t) && (!t->node || t->node->isLeaf);
}

at_tensor *(at_detach_)(at_tensor *t)
{
  if (!at_accept("detach_", "t", t, false))
    return at_undefined();
  if (t->family)
    at_family_leave(t);
  if (t->node)
    at_node_release(t->node);
  t->node = NULL;
  return t;
}

/* --- gradients -------------------------------------------------------------------------------- */

at_tensor *at_grad(const at_tensor *t)
{
  return at_isTracked(t) ? t->node->outputs[t->output].grad : NULL;
}

bool at_acceptGrad(const char *operation, const at_tensor *t)
{
  if (!at_accept(operation, "t", t, false))
    return false;
  if (!t->node)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: t wants no gradient", operation);
  return t->node != NULL;
}

bool(at_set_grad)(at_tensor *t, at_tensor *grad)
{
  const char *const name = "set_grad";
  if (!at_acceptGrad(name, t) || !at_accept(name, "grad", grad, true))
    return false;
  at_output *const output = &t->node->outputs[t->output];
  if (grad && (grad->type != t->type || !at_sameSizes(at_sizesOf(grad), at_output_sizes(output)))) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: t is a %s of size %s, and grad a %s of size %s", name,
            t->type->name, at_sizeDesc(at_sizesOf(t)).str, grad->type->name,
            at_sizeDesc(at_sizesOf(grad)).str);
    return false;
  }
  at_tensor *const before = output->grad;
  output->grad = at_retain(grad);
  at_release(before);
  return true;
}

at_tensor *(at_retain_grad)(at_tensor *t)
{
  if (!at_acceptGrad("retain_grad", t))
    return at_undefined();
  t->node->outputs[t->output].keepsGrad = true;
  return t;
}

/* --- recording -------------------------------------------------------------------------------- */

_Static_assert(sizeof(THGuard) == sizeof((at_no_grad){0}.guard), "a block has room for a guard");

static void end(void *what)
{
  at_gradState.isOff = ((at_no_grad *)what)->wasOff;
}

bool at_no_grad_once(at_no_grad *block)
{
  if (!block || block->running)
    return false;
  THGuard *const guard = (THGuard *)block->guard;
  THGuard_enter(guard, end);
  guard->what = block;
  block->wasOff = at_gradState.isOff;
  block->running = true;
  at_gradState.isOff = true;
  return true;
}

void at_no_grad_leave(at_no_grad *block)
{
  if (block && block->running)
    THGuard_leave((THGuard *)block->guard);
}

bool at_grad_isOn(void)
{
  return !at_gradState.isOff;
}

bool at_grad_setOn(bool on)
{
  const bool before = !at_gradState.isOff;
  at_gradState.isOff = !on;
  return before;
}

bool at_inference_isOn(void)
{
  return at_isInferring;
}

bool at_inference_setOn(bool on)
{
  const bool before = at_isInferring;
  at_isInferring = on;
  return before;
}

bool at_isInference(const at_tensor *t)
{
  return at_accept("isInference", "t", t, false) && t->th->storage &&
         *at_inferenceMark(t->th->storage) != 0;
}

void at_grad_setAnomaly(bool on)
{
  at_gradState.findsNaN = on;
}

void at_call_locate(const char *file, int line, const at_tensor *result)
{
  at_grad_state *const state = &at_gradState;
  if (result == at_undefined())
    at_error_locate(file, line);
  else if (result && result->node && result->node == state->last) {
    state->last->file = file;
    state->last->line = line;
    state->last = NULL;
  }
}
