/* Gradients. */
#include "thaten.h"

SEXP thr_requiresGrad(SEXP t)
{
  if (!at_defined(at_requires_grad_(th_tensor(t))))
    th_raise();
  return t;
}

SEXP thr_wantsGrad(SEXP t)
{
  return Rf_ScalarLogical(at_requiresGrad(th_tensor(t)));
}

SEXP thr_grad(SEXP t)
{
  at_tensor *grad = at_grad(th_tensor(t));
  return grad ? th_wrap(at_retain(grad)) : R_NilValue;
}

SEXP thr_setGrad(SEXP t, SEXP grad)
{
  if (!at_set_grad(th_tensor(t), grad == R_NilValue ? NULL : th_tensor(grad)))
    th_raise();
  return t;
}

SEXP thr_backward(SEXP t, SEXP gradient, SEXP retain)
{
  at_backward_options options = at_backward_defaults;
  options.gradient = gradient == R_NilValue ? NULL : th_tensor(gradient);
  options.retain_graph = Rf_asLogical(retain) == TRUE;
  if (!at_backward(th_tensor(t), &options))
    th_raise();
  return R_NilValue;
}

/* options: whether the graph stays, the gradients have gradients, and inputs may be unused. */
SEXP thr_gradients(SEXP outputs, SEXP inputs, SEXP options)
{
  at_gradients_options given = at_gradients_defaults;
  given.retain_graph = LOGICAL(options)[0] == TRUE || LOGICAL(options)[1] == TRUE;
  given.create_graph = LOGICAL(options)[1] == TRUE;
  given.allow_unused = LOGICAL(options)[2] == TRUE;
  const at_tensors of = th_toTensors(outputs, "outputs"), by = th_toTensors(inputs, "inputs");
  const at_tensors *list = at_gradients(of, by, &given);
  if (at_error() != AT_OK)
    th_raise();
  return th_releasedList(list);
}

SEXP thr_detachIn(SEXP t)
{
  if (!at_defined(at_detach_(th_tensor(t))))
    th_raise();
  return t;
}

/* Sets whether operations are recorded; returns the state before. */
SEXP thr_setRecording(SEXP on)
{
  return Rf_ScalarLogical(at_grad_setOn(Rf_asLogical(on) == TRUE));
}

/* --- functions of R that a pass calls --------------------------------------------------------------- */

/* Evaluates a call; after an error of R, that error is the one that th_raise raises. */
static SEXP evaluate(SEXP call, bool *good)
{
  int failed = 0;
  SEXP value = R_tryEvalSilent(call, R_GlobalEnv, &failed);
  *good = !failed;
  if (failed)
    th_keepFailure(R_curErrorBuf());
  return failed ? R_NilValue : value;
}

static bool isTensorOrNull(SEXP value, const char *what)
{
  if (value == R_NilValue || Rf_inherits(value, "th_tensor"))
    return true;
  th_keepFailure(what);
  return false;
}

static at_tensor *runHook(void *context, at_tensor *grad)
{
  bool good;
  SEXP argument = PROTECT(th_wrap(at_retain(grad))), call = PROTECT(Rf_lang2(context, argument));
  SEXP value = PROTECT(evaluate(call, &good));
  at_tensor *other = (at_tensor *)at_undefinedTensor;
  if (good && isTensorOrNull(value, "a hook returns a tensor or NULL"))
    other = value == R_NilValue ? NULL : at_retain(th_tensor(value));
  UNPROTECT(3);
  return other;
}

SEXP thr_addHook(SEXP t, SEXP function)
{
  if (!at_add_hook(th_tensor(t), runHook, function))
    th_raise();
  R_PreserveObject(function);
  return R_NilValue;
}

SEXP thr_removeHook(SEXP t, SEXP function)
{
  if (!at_remove_hook(th_tensor(t), runHook, function))
    th_raise();
  R_ReleaseObject(function);
  return R_NilValue;
}

/* More results no function has. */
enum { MOST_RESULTS = 256 };

/* The context of a function is a list: forward(), which returns a list of tensors, and backward(gradients), which takes and
 * returns lists. */
static int runForward(void *context, at_tensors inputs, int most, at_tensor **results)
{
  (void)inputs;
  bool good;
  SEXP call = PROTECT(Rf_lang1(VECTOR_ELT(context, 0))), list = PROTECT(evaluate(call, &good));
  int count = good ? (int)Rf_xlength(list) : -1;
  if (count > most) {
    th_keepFailure("forward returned more than 256 tensors");
    count = -1;
  }
  for (int i = 0; i < count; i++)
    results[i] = at_retain(th_tensor(VECTOR_ELT(list, i)));
  UNPROTECT(2);
  return count;
}

static bool runBackward(void *context, at_tensors grads, int count, at_tensor **gradients)
{
  bool good;
  SEXP argument = PROTECT(th_list(grads));
  SEXP call = PROTECT(Rf_lang2(VECTOR_ELT(context, 1), argument));
  SEXP list = PROTECT(evaluate(call, &good));
  for (int i = 0; good && i < count; i++)
    good = isTensorOrNull(VECTOR_ELT(list, i), "a gradient is a tensor or NULL");
  for (int i = 0; good && i < count; i++)
    gradients[i] =
        VECTOR_ELT(list, i) == R_NilValue ? NULL : at_retain(th_tensor(VECTOR_ELT(list, i)));
  UNPROTECT(3);
  return good;
}

static void releaseFunction(void *context)
{
  R_ReleaseObject(context);
}

SEXP thr_apply(SEXP functions, SEXP inputs)
{
  static const at_grad_list_function kind = {"Function", runForward, runBackward, releaseFunction};
  const at_tensors list = th_toTensors(inputs, "inputs");
  R_PreserveObject(functions);
  const at_tensors *made = at_apply_list(&kind, functions, list, MOST_RESULTS);
  if (made->count == 0)
    th_raise();
  return th_releasedList(made);
}

/* --- autocast --------------------------------------------------------------------------------------- */

/* Sets the types of autocast on the CPU and on CUDA, by name; "float32" is off.  Returns those before. */
SEXP thr_setAutocast(SEXP names)
{
  SEXP before = PROTECT(Rf_allocVector(STRSXP, AT_AUTOCAST_DEVICES));
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++) {
    const at_scalar_type now = at_autocast_get((at_autocast_device)d);
    SET_STRING_ELT(before, d, Rf_mkChar(th_typeName(now)));
  }
  const at_type *lower[AT_AUTOCAST_DEVICES];
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++) {
    lower[d] = th_toType(PROTECT(Rf_ScalarString(STRING_ELT(names, d))), "type");
    UNPROTECT(1);
  }
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    if (!at_autocast_set((at_autocast_device)d, at_type_scalarType(lower[d])))
      th_raise();
  UNPROTECT(1);
  return before;
}
