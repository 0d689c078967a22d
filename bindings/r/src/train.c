/* Modules, optimizers and schedules. */
#include <string.h>

#include "thaten.h"

/* --- objects ------------------------------------------------------------------------------------ */

static void freeModule(SEXP object)
{
  at_module_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

static void freeOptimizer(SEXP object)
{
  at_optimizer_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

static void freeSchedule(SEXP object)
{
  at_schedule_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

SEXP th_moduleObject(void)
{
  return th_object("th_module", freeModule);
}

SEXP th_optimizerObject(void)
{
  return th_object("th_optimizer", freeOptimizer);
}

SEXP th_scheduleObject(SEXP optimizer)
{
  SEXP object = th_object("th_schedule", freeSchedule);
  R_SetExternalPtrProtected(object, optimizer); /* lives as long */
  return object;
}

static at_module *moduleOf(SEXP object)
{
  return th_pointer(object, "th_module");
}

static at_optimizer *optimizerOf(SEXP object)
{
  return th_pointer(object, "th_optimizer");
}

static SEXP done(bool is_done)
{
  if (!is_done)
    th_raise();
  return R_NilValue;
}

/* --- constructors ------------------------------------------------------------------------------- */

/* For each constructor its group, name, arguments in one string, and how many of them are required. */
SEXP thr_constructors(void)
{
  int count = 0;
  while (th_constructors[count].make)
    count++;
  SEXP rows = PROTECT(Rf_allocVector(VECSXP, count));
  for (int i = 0; i < count; i++) {
    const th_constructor *c = &th_constructors[i];
    SEXP row = Rf_allocVector(VECSXP, 4);
    SET_VECTOR_ELT(rows, i, row);
    SET_VECTOR_ELT(row, 0, Rf_mkString(c->group));
    SET_VECTOR_ELT(row, 1, Rf_mkString(c->name));
    SET_VECTOR_ELT(row, 2, Rf_mkString(c->arguments));
    SET_VECTOR_ELT(row, 3, Rf_ScalarInteger(c->required));
  }
  UNPROTECT(1);
  return rows;
}

SEXP thr_construct(SEXP index, SEXP arguments)
{
  SEXP object = th_constructors[Rf_asInteger(index)].make(arguments);
  done(R_ExternalPtrAddr(object) != NULL);
  return object;
}

static SEXP listOf(SEXP list, at_module *(*make)(at_module *const *, int64_t))
{
  const R_xlen_t count = Rf_xlength(list);
  SEXP object = PROTECT(th_moduleObject());
  at_module **data = (at_module **)R_alloc((size_t)count + 1, sizeof *data);
  for (R_xlen_t i = 0; i < count; i++)
    data[i] = moduleOf(VECTOR_ELT(list, i));
  for (R_xlen_t i = 0; i < count; i++) /* which the constructor takes over */
    at_module_retain(data[i]);
  th_own(object, make(data, count));
  done(R_ExternalPtrAddr(object) != NULL);
  UNPROTECT(1);
  return object;
}

SEXP thr_sequential(SEXP list)
{
  return listOf(list, at_Sequential);
}

SEXP thr_moduleList(SEXP list)
{
  return listOf(list, at_ModuleList);
}

/* --- modules ------------------------------------------------------------------------------------ */

SEXP thr_forward(SEXP module, SEXP inputs)
{
  SEXP object = PROTECT(th_newTensor());
  at_tensor *output = at_module_call(moduleOf(module), th_toTensors(inputs, "inputs"));
  done(at_defined(output));
  UNPROTECT(1);
  return th_own(object, output);
}

SEXP thr_parameters(SEXP module)
{
  const at_tensors *list = at_module_parameters(moduleOf(module));
  done(list != NULL);
  SEXP parameters = PROTECT(th_list(*list));
  at_list_release(list);
  UNPROTECT(1);
  return parameters;
}

SEXP thr_stateDict(SEXP module)
{
  return th_entries(at_module_state_dict(moduleOf(module)));
}

SEXP thr_moduleLoad(SEXP module, SEXP path)
{
  return done(at_module_load(moduleOf(module), th_path(path), &at_module_load_defaults));
}

SEXP thr_moduleSave(SEXP module, SEXP path)
{
  return done(at_module_save(moduleOf(module), th_path(path)));
}

/* The child of that name, or NULL. */
SEXP thr_child(SEXP module, SEXP name)
{
  SEXP object = PROTECT(th_moduleObject());
  at_module *child = at_module_child(moduleOf(module), th_toWord(name, "name"));
  UNPROTECT(1);
  return child ? th_own(object, at_module_retain(child)) : R_NilValue;
}

SEXP thr_setTraining(SEXP module, SEXP on)
{
  (Rf_asLogical(on) == TRUE ? at_module_train : at_module_eval)(moduleOf(module));
  return module;
}

SEXP thr_moduleTo(SEXP module, SEXP type)
{
  done(at_module_to(moduleOf(module), th_toType(type, "type")));
  return module;
}

SEXP thr_moduleZeroGrad(SEXP module)
{
  at_module_zero_grad(moduleOf(module));
  return R_NilValue;
}

SEXP thr_moduleText(SEXP module)
{
  char *text = at_module_toString(moduleOf(module));
  done(text != NULL);
  SEXP string = Rf_mkString(text);
  at_string_free(text);
  return string;
}

/* --- optimizers and schedules ------------------------------------------------------------------- */

SEXP thr_step(SEXP optimizer)
{
  return done(at_optimizer_step(optimizerOf(optimizer)));
}

SEXP thr_zeroGrad(SEXP optimizer)
{
  return done(at_optimizer_zero_grad(optimizerOf(optimizer)));
}

SEXP thr_addGroup(SEXP optimizer, SEXP parameters)
{
  const at_tensors list = th_toTensors(parameters, "params");
  const int group = at_optimizer_add_group(optimizerOf(optimizer), list);
  done(group >= 0);
  return Rf_ScalarInteger(group);
}

SEXP thr_getOption(SEXP optimizer, SEXP option, SEXP group)
{
  const char *name = th_toWord(option, "option");
  const double value = at_optimizer_get(optimizerOf(optimizer), Rf_asInteger(group), name);
  done(at_error() == AT_OK);
  return Rf_ScalarReal(value);
}

SEXP thr_setOption(SEXP optimizer, SEXP option, SEXP value, SEXP group)
{
  const char *name = th_toWord(option, "option");
  const double number = th_toDouble(value, "value");
  return done(at_optimizer_set(optimizerOf(optimizer), Rf_asInteger(group), name, number));
}

/* With a metric that is not NULL, the step of plateau_lr. */
SEXP thr_scheduleStep(SEXP schedule, SEXP metric)
{
  at_schedule *s = th_pointer(schedule, "th_schedule");
  return done(metric == R_NilValue ? at_schedule_step(s)
                                   : at_schedule_step_by(s, th_toDouble(metric, "metric")));
}

SEXP thr_clipGradNorm(SEXP parameters, SEXP limit)
{
  const at_tensors list = th_toTensors(parameters, "parameters");
  const double most = th_toDouble(limit, "max_norm");
  const double norm = at_clip_grad_norm(list, most, &at_clip_grad_norm_defaults);
  done(at_error() == AT_OK);
  return Rf_ScalarReal(norm);
}
