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
  SEXP gradients = PROTECT(th_list(*list));
  at_list_release(list);
  UNPROTECT(1);
  return gradients;
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
