/* Scalers of losses, whose objects own a struct of C. */
#include <stdlib.h>

#include "thaten.h"

static void freeScaler(SEXP object)
{
  free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

static at_scaler *scalerOf(SEXP object)
{
  return th_pointer(object, "th_scaler");
}

static SEXP done(bool is_done)
{
  if (!is_done)
    th_raise();
  return R_NilValue;
}

/* options: init_scale, growth_factor, backoff_factor, growth_interval; NULL is the default. */
SEXP thr_scaler(SEXP options)
{
  static const char *const names[] = {"init_scale", "growth_factor", "backoff_factor"};
  at_scaler made = at_scaler_defaults;
  double *const fields[] = {&made.scale, &made.growth_factor, &made.backoff_factor};
  for (int i = 0; i < 3; i++)
    if (VECTOR_ELT(options, i) != R_NilValue)
      *fields[i] = th_toDouble(VECTOR_ELT(options, i), names[i]);
  if (VECTOR_ELT(options, 3) != R_NilValue)
    made.growth_interval = th_toLong(VECTOR_ELT(options, 3), "growth_interval");
  SEXP object = PROTECT(th_object("th_scaler", freeScaler));
  at_scaler *scaler = malloc(sizeof *scaler);
  if (!scaler)
    Rf_error("there is no memory for a scaler");
  *scaler = made;
  UNPROTECT(1);
  return th_own(object, scaler);
}

SEXP thr_scalerScale(SEXP scaler, SEXP loss)
{
  SEXP object = PROTECT(th_newTensor());
  at_tensor *scaled = at_scaler_scale(scalerOf(scaler), th_tensor(loss));
  done(at_defined(scaled));
  UNPROTECT(1);
  return th_own(object, scaled);
}

/* A step of the optimizer, or what divides its gradients by the factor. */
SEXP thr_scalerCall(SEXP scaler, SEXP optimizer, SEXP unscales)
{
  at_scaler *own = scalerOf(scaler);
  at_optimizer *o = th_pointer(optimizer, "th_optimizer");
  return done(Rf_asLogical(unscales) == TRUE ? at_scaler_unscale(own, o) : at_scaler_step(own, o));
}

SEXP thr_scalerUpdate(SEXP scaler)
{
  return done(at_scaler_update(scalerOf(scaler)));
}

SEXP thr_getScale(SEXP scaler)
{
  return Rf_ScalarReal(scalerOf(scaler)->scale);
}

SEXP thr_scalerSave(SEXP scaler, SEXP path)
{
  const char *file = th_path(path);
  at_dict *dict = at_scaler_state_dict(scalerOf(scaler));
  done(dict != NULL);
  const bool saved = at_save(file, dict);
  at_dict_free(dict);
  return done(saved);
}

SEXP thr_scalerLoad(SEXP scaler, SEXP path)
{
  at_scaler *own = scalerOf(scaler);
  at_dict *dict = at_load(th_path(path), &at_load_defaults);
  done(dict != NULL);
  const bool loaded = at_scaler_load(own, at_dict_values(dict));
  at_dict_free(dict);
  return done(loaded);
}
