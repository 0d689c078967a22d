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

/* --- calls and their results -------------------------------------------------------------------- */

SEXP th_newTensors(int count, const char *const *names)
{
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count)),
       words = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; i++) {
    SET_STRING_ELT(words, i, Rf_mkChar(names[i]));
    SET_VECTOR_ELT(list, i, th_newTensor());
  }
  Rf_setAttrib(list, R_NamesSymbol, words);
  UNPROTECT(2);
  return list;
}

void th_ownAll(SEXP list, at_tensor *const *parts)
{
  done(at_defined(parts[0]));
  for (R_xlen_t i = 0; i < Rf_xlength(list); i++) {
    if (at_defined(parts[i]))
      th_own(VECTOR_ELT(list, i), parts[i]);
    else
      SET_VECTOR_ELT(list, i, R_NilValue);
  }
}

void th_mustBe(SEXP object, const char *kind)
{
  const char *own = at_module_kindOf(moduleOf(object))->name;
  if (strcmp(own, kind) != 0)
    Rf_error("the module is a %s, and has to be a %s", own, kind);
}

SEXP th_changed(SEXP object, at_tensor *t)
{
  done(at_defined(t));
  return object;
}

SEXP thr_callOwn(SEXP index, SEXP arguments)
{
  return th_constructors[Rf_asInteger(index)].make(arguments);
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

SEXP thr_kind(SEXP module)
{
  return Rf_mkString(at_module_kindOf(moduleOf(module))->name);
}

SEXP thr_named(SEXP module, SEXP buffers)
{
  const bool are_buffers = Rf_asLogical(buffers) == TRUE;
  return th_entries((are_buffers ? at_module_named_buffers
                                 : at_module_named_parameters)(moduleOf(module)));
}

SEXP thr_loadStateDict(SEXP module, SEXP tensors)
{
  SEXP kept = PROTECT(th_dictObject(tensors));
  done(at_module_load_state_dict(moduleOf(module), R_ExternalPtrAddr(kept),
                                 &at_module_load_defaults));
  UNPROTECT(1);
  return R_NilValue;
}

/* Adds a child, a parameter or a buffer. */
SEXP thr_add(SEXP module, SEXP name, SEXP member, SEXP isBuffer)
{
  at_module *self = moduleOf(module);
  const char *word = th_toWord(name, "name");
  if (Rf_inherits(member, "th_module"))
    done(at_module_add(self, word, at_module_retain(moduleOf(member))) != NULL);
  else
    done(at_defined((Rf_asLogical(isBuffer) == TRUE
                         ? at_module_add_buffer
                         : at_module_add_parameter)(self, word, th_tensor(member))));
  return member;
}

/* The parameter or buffer of that name, or NULL. */
SEXP thr_get(SEXP module, SEXP name)
{
  SEXP object = PROTECT(th_newTensor());
  at_tensor *t = at_module_get(moduleOf(module), th_toWord(name, "name"));
  at_error_clear();
  UNPROTECT(1);
  return at_defined(t) ? th_own(object, at_retain(t)) : R_NilValue;
}

SEXP thr_childNames(SEXP module)
{
  const at_module *self = moduleOf(module);
  const R_xlen_t count = (R_xlen_t)at_module_count(self);
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (R_xlen_t i = 0; i < count; i++)
    SET_STRING_ELT(names, i, Rf_mkChar(at_module_childName(self, i)));
  UNPROTECT(1);
  return names;
}

SEXP thr_moduleClone(SEXP module)
{
  SEXP object = PROTECT(th_moduleObject());
  th_own(object, at_module_clone(moduleOf(module)));
  done(R_ExternalPtrAddr(object) != NULL);
  UNPROTECT(1);
  return object;
}

SEXP thr_moduleRequiresGrad(SEXP module, SEXP wanted)
{
  return done(at_module_requires_grad_(moduleOf(module), th_toTruth(wanted, "wanted")));
}

SEXP thr_isTraining(SEXP module)
{
  return Rf_ScalarLogical(at_module_training(moduleOf(module)));
}

SEXP thr_moduleNumel(SEXP module)
{
  return Rf_ScalarReal((double)at_module_numel(moduleOf(module)));
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

typedef struct {
  SEXP function;
  bool failed; /* with an error of R */
} Closure;

/* Calls R's function, which returns the loss; after an error of R the step ends. */
static bool callClosure(void *context, double *loss)
{
  Closure *own = context;
  int failed = 0;
  SEXP call = PROTECT(Rf_lang1(own->function));
  SEXP value = R_tryEvalSilent(call, R_GlobalEnv, &failed);
  own->failed = failed != 0;
  bool good = !failed && (Rf_inherits(value, "th_tensor") || Rf_isNumeric(value));
  if (good && Rf_inherits(value, "th_tensor")) {
    *loss = at_item_double(th_tensor(value));
    good = at_error() == AT_OK;
  } else if (good) {
    *loss = Rf_asReal(value);
  }
  UNPROTECT(1);
  return good;
}

SEXP thr_stepBy(SEXP optimizer, SEXP closure)
{
  Closure own = {closure, false};
  double first = 0;
  const bool is_done = at_optimizer_step_by(optimizerOf(optimizer), callClosure, &own, &first);
  if (own.failed) {
    at_error_clear();
    Rf_error("%s", R_curErrorBuf());
  }
  done(is_done);
  return Rf_ScalarReal(first);
}

SEXP thr_optimizerSave(SEXP optimizer, SEXP path)
{
  at_dict *dict = at_optimizer_state_dict(optimizerOf(optimizer));
  done(dict != NULL);
  const bool saved = at_save(th_path(path), dict);
  at_dict_free(dict);
  return done(saved);
}

SEXP thr_optimizerLoad(SEXP optimizer, SEXP path)
{
  at_optimizer *o = optimizerOf(optimizer);
  at_dict *dict = at_load(th_path(path), &at_load_defaults);
  done(dict != NULL);
  const bool loaded = at_optimizer_load(o, at_dict_values(dict));
  at_dict_free(dict);
  return done(loaded);
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

SEXP thr_clipGradValue(SEXP parameters, SEXP limit)
{
  const at_tensors list = th_toTensors(parameters, "parameters");
  return done(at_clip_grad_value(list, th_toDouble(limit, "clip_value")));
}

SEXP thr_clipGradNorm(SEXP parameters, SEXP limit)
{
  const at_tensors list = th_toTensors(parameters, "parameters");
  const double most = th_toDouble(limit, "max_norm");
  const double norm = at_clip_grad_norm(list, most, &at_clip_grad_norm_defaults);
  done(at_error() == AT_OK);
  return Rf_ScalarReal(norm);
}
