/* What the files of the package share.
 *
 *   call.c     describes operations, converts arguments and results, calls
 *   tensor.c   tensors from and to arrays, and what they are
 *   files.c    files, programs
 *   grad.c     gradients
 *   train.c    modules, optimizers, schedules
 *   scaler.c   scalers of losses
 *   data.c     data sets and loaders
 *   layers.c   their constructors; generate_layers writes it */
#ifndef THATEN_R_H
#define THATEN_R_H

#include <ATen/ATenContext.h>
#include <ATen/ATenData.h>
#include <ATen/ATenError.h>
#include <ATen/ATenFile.h>
#include <ATen/ATenGrad.h>
#include <ATen/ATenModule.h>
#include <ATen/ATenOptim.h>
#include <ATen/ATenPrint.h>
#include <ATen/ATenProgram.h>
#include <ATen/ATenSchedule.h>
#include <ATen/ATenScope.h>
#include <ATen/ATenStorage.h>
#include <ATen/ATenTable.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

/* Raises ATen's error as one of R, or the first that was kept since the last time. */
void th_raise(void) __attribute__((noreturn));

/* Keeps the error of a function of R that the library has called. */
void th_keepFailure(const char *message);

/* The pointer of an object of that class, or an error of R. */
void *th_pointer(SEXP object, const char *class);

/* An object of the class that owns nothing yet, for th_own; it is made before what it owns, since to
 * make one may fail. */
SEXP th_object(const char *class, void (*release)(SEXP));
SEXP th_own(SEXP object, void *pointer);

/* A tensor's object. */
SEXP th_newTensor(void);
SEXP th_wrap(at_tensor *t);
at_tensor *th_tensor(SEXP object);

/* The tensors of a list, in memory that R frees after the call; NULL entries are NULL. */
at_tensors th_tensors(SEXP list);

/* A list of objects that share the tensors of ATen's list. */
SEXP th_list(at_tensors tensors);

/* A list of objects that share the tensors of ATen's list, which is released. */
SEXP th_releasedList(const at_tensors *tensors);

/* The tensors of a set by name; frees the set, which is NULL after an error. */
SEXP th_entries(at_dict *dict);

const char *th_path(SEXP path);

/* The argument of that name as C's, or an error of R. */
int64_t th_toLong(SEXP value, const char *name);
double th_toDouble(SEXP value, const char *name);
bool th_toTruth(SEXP value, const char *name);
const char *th_toWord(SEXP value, const char *name);
at_ints th_toInts(SEXP value, const char *name);
const at_type *th_toType(SEXP value, const char *name);
const char *th_typeName(at_scalar_type type); /* in R */
at_tensors th_toTensors(SEXP value, const char *name);
const at_tensors *th_toTensorLists(SEXP value, const char *name);

/* A list of tensors that own nothing yet, by name, and what they own afterwards; what is undefined is
 * NULL in the list, and an error if all are. */
SEXP th_newTensors(int count, const char *const *names);
void th_ownAll(SEXP list, at_tensor *const *parts);

/* An error of R unless the object is a module of that kind. */
void th_mustBe(SEXP object, const char *kind);

/* The object of a tensor that a call changed. */
SEXP th_changed(SEXP object, at_tensor *t);

/* A constructor of R's group th$nn, th$optim or th$schedule: it takes the list of its arguments, of
 * which those that are required come first, and leaves ATen's error if its object owns nothing. */
typedef struct {
  const char *group, *name, *arguments;
  int required;
  SEXP (*make)(SEXP arguments);
} th_constructor;
/* Of the groups call and init, it is a call, which raises R's errors. */
extern const th_constructor th_constructors[]; /* ends with an empty one */

/* Objects that own nothing yet; that of a schedule holds its optimizer. */
SEXP th_moduleObject(void);
SEXP th_optimizerObject(void);
SEXP th_scheduleObject(SEXP optimizer);
SEXP th_loaderObject(SEXP arguments);

/* A set of ATen of the tensors of a named list, in an object that frees it. */
SEXP th_dictObject(SEXP tensors);

SEXP thr_names(void);
SEXP thr_describe(SEXP name);
SEXP thr_call(SEXP index, SEXP arguments);
SEXP thr_fromArray(SEXP values, SEXP sizes);
SEXP thr_toArray(SEXP t);
SEXP thr_dim(SEXP t);
SEXP thr_type(SEXP t);
SEXP thr_text(SEXP t);
SEXP thr_generator(SEXP seed);
SEXP thr_storage(SEXP t);
SEXP thr_seed(SEXP seed);
SEXP thr_load(SEXP path);
SEXP thr_save(SEXP path, SEXP tensors);
SEXP thr_program(SEXP path);
SEXP thr_programRun(SEXP program, SEXP inputs);
SEXP thr_programPorts(SEXP program, SEXP ofOutputs);
SEXP thr_programText(SEXP program);
SEXP thr_requiresGrad(SEXP t);
SEXP thr_wantsGrad(SEXP t);
SEXP thr_grad(SEXP t);
SEXP thr_setGrad(SEXP t, SEXP grad);
SEXP thr_backward(SEXP t, SEXP gradient, SEXP retain);
SEXP thr_setRecording(SEXP on);
SEXP thr_setAutocast(SEXP names);
SEXP thr_addHook(SEXP t, SEXP function);
SEXP thr_removeHook(SEXP t, SEXP function);
SEXP thr_apply(SEXP functions, SEXP inputs);
SEXP thr_scaler(SEXP options);
SEXP thr_scalerScale(SEXP scaler, SEXP loss);
SEXP thr_scalerCall(SEXP scaler, SEXP optimizer, SEXP unscales);
SEXP thr_scalerUpdate(SEXP scaler);
SEXP thr_getScale(SEXP scaler);
SEXP thr_scalerSave(SEXP scaler, SEXP path);
SEXP thr_scalerLoad(SEXP scaler, SEXP path);
SEXP thr_constructors(void);
SEXP thr_construct(SEXP index, SEXP arguments);
SEXP thr_sequential(SEXP list);
SEXP thr_moduleList(SEXP list);
SEXP thr_forward(SEXP module, SEXP input);
SEXP thr_parameters(SEXP module);
SEXP thr_stateDict(SEXP module);
SEXP thr_moduleLoad(SEXP module, SEXP path);
SEXP thr_moduleSave(SEXP module, SEXP path);
SEXP thr_child(SEXP module, SEXP name);
SEXP thr_setTraining(SEXP module, SEXP on);
SEXP thr_moduleTo(SEXP module, SEXP type);
SEXP thr_moduleZeroGrad(SEXP module);
SEXP thr_moduleText(SEXP module);
SEXP thr_step(SEXP optimizer);
SEXP thr_zeroGrad(SEXP optimizer);
SEXP thr_addGroup(SEXP optimizer, SEXP parameters);
SEXP thr_getOption(SEXP optimizer, SEXP option, SEXP group);
SEXP thr_setOption(SEXP optimizer, SEXP option, SEXP value, SEXP group);
SEXP thr_scheduleStep(SEXP schedule, SEXP metric);
SEXP thr_clipGradNorm(SEXP parameters, SEXP limit);
SEXP thr_clipGradValue(SEXP parameters, SEXP limit);
SEXP thr_gradients(SEXP outputs, SEXP inputs, SEXP options);
SEXP thr_detachIn(SEXP t);
SEXP thr_callOwn(SEXP index, SEXP arguments);
SEXP thr_kind(SEXP module);
SEXP thr_named(SEXP module, SEXP buffers);
SEXP thr_loadStateDict(SEXP module, SEXP tensors);
SEXP thr_add(SEXP module, SEXP name, SEXP member, SEXP isBuffer);
SEXP thr_get(SEXP module, SEXP name);
SEXP thr_childNames(SEXP module);
SEXP thr_moduleClone(SEXP module);
SEXP thr_moduleRequiresGrad(SEXP module, SEXP wanted);
SEXP thr_isTraining(SEXP module);
SEXP thr_moduleNumel(SEXP module);
SEXP thr_stepBy(SEXP optimizer, SEXP closure);
SEXP thr_optimizerSave(SEXP optimizer, SEXP path);
SEXP thr_optimizerLoad(SEXP optimizer, SEXP path);
SEXP thr_dataset(SEXP tensors);
SEXP thr_datasetCount(SEXP dataset);
SEXP thr_loaderNext(SEXP loader);
SEXP thr_loaderBatches(SEXP loader);
SEXP thr_loadIdx(SEXP path);
SEXP thr_loadCsv(SEXP path);

#endif
