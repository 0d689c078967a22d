/* The handles of modules, optimizers and schedules, and the arguments of their constructors. */
#include <limits.h>
#include <string.h>

#include "thaten.h"

static PyTypeObject *moduleType, *optimizerType, *scheduleType;

/* --- handles --------------------------------------------------------------------------------------------- */

static PyObject *newHandle(PyTypeObject *type, void *object, PyObject *kept)
{
  if (!object)
    return th_raise();
  Handle *self = (Handle *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self) {
    self->object = object;
    self->kept = Py_XNewRef(kept);
  }
  return (PyObject *)self;
}

PyObject *th_newModule(at_module *module)
{
  PyObject *self = newHandle(moduleType, module, NULL);
  if (!self)
    at_module_free(module);
  return self;
}

PyObject *th_newOptimizer(at_optimizer *optimizer)
{
  PyObject *self = newHandle(optimizerType, optimizer, NULL);
  if (!self)
    at_optimizer_free(optimizer);
  return self;
}

PyObject *th_newSchedule(at_schedule *schedule, PyObject *optimizer)
{
  PyObject *self = newHandle(scheduleType, schedule, optimizer);
  if (!self)
    at_schedule_free(schedule);
  return self;
}

static void freeHandle(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  Handle *handle = (Handle *)self;
  if (type == moduleType)
    at_module_free(handle->object);
  else if (type == optimizerType)
    at_optimizer_free(handle->object);
  else
    at_schedule_free(handle->object);
  Py_XDECREF(handle->kept);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *done(bool isDone)
{
  return isDone ? Py_NewRef(Py_None) : th_raise();
}

/* --- arguments --------------------------------------------------------------------------------------------- */

static bool misfit(const char *wanted, PyObject *o)
{
  if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Format(PyExc_TypeError, "%s is needed, and %R was given", wanted, o);
  return false;
}

bool th_takeCount(Py_ssize_t count, Py_ssize_t wanted, const char *name)
{
  if (count == wanted)
    return true;
  PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, and %zd were given", name, wanted, count);
  return false;
}

bool th_takeLong(PyObject *o, int64_t *value)
{
  PyObject *integer = PyNumber_Index(o);
  *value = integer ? PyLong_AsLongLong(integer) : -1;
  Py_XDECREF(integer);
  return !(*value == -1 && PyErr_Occurred()) || misfit("an integer", o);
}

bool th_takeEnum(PyObject *o, unsigned *value)
{
  int64_t number;
  if (!th_takeLong(o, &number))
    return false;
  *value = (unsigned)number;
  return (number >= 0 && number < INT_MAX) || misfit("one of a few words", o);
}

bool th_takeDouble(PyObject *o, double *value)
{
  *value = PyFloat_AsDouble(o);
  return !(*value == -1 && PyErr_Occurred()) || misfit("a number", o);
}

bool th_takeBool(PyObject *o, bool *value)
{
  const int truth = PyObject_IsTrue(o);
  *value = truth == 1;
  return truth >= 0;
}

bool th_takeInts(PyObject *o, Ints *buffer, at_ints *value)
{
  const bool isList = PyList_Check(o) || PyTuple_Check(o);
  const Py_ssize_t count = isList ? PySequence_Size(o) : 1;
  if (count > TH_MOST_INTS)
    return misfit("a list of at most 16 integers", o);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *one = isList ? PySequence_GetItem(o, i) : Py_NewRef(o);
    const bool isTaken = one && th_takeLong(one, &buffer->values[i]);
    Py_XDECREF(one);
    if (!isTaken)
      return misfit("an integer or a list of integers", o);
  }
  value->data = buffer->values;
  value->count = (int)count;
  return true;
}

bool th_takeString(PyObject *o, const char **value)
{
  *value = PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, NULL) : NULL;
  return *value || misfit("a word", o);
}

bool th_takeType(PyObject *o, const at_type **value)
{
  at_scalar_type type;
  if (!th_isDType(o, &type))
    return misfit("a dtype", o);
  *value = (at_getType)(AT_BACKEND_CPU, type);
  return *value || th_raise();
}

bool th_takeGenerator(PyObject *o, at_generator **value)
{
  if (!PyObject_TypeCheck(o, th_Generator))
    return misfit("a Generator", o);
  *value = ((Generator *)o)->generator;
  return true;
}

bool th_takeTensor(PyObject *o, at_tensor **value)
{
  *value = o == Py_None ? NULL : th_tensorOf(o);
  return o == Py_None || th_isTensor(o) || misfit("a tensor", o);
}

bool th_takeTensors(PyObject *list, at_tensors *value)
{
  if (!PyList_Check(list) && !PyTuple_Check(list))
    return misfit("a list of tensors", list);
  const Py_ssize_t count = PySequence_Size(list);
  if (count > INT_MAX / (Py_ssize_t)sizeof(at_tensor *))
    return misfit("a shorter list of tensors", list);
  at_tensor **data = PyMem_Calloc((size_t)count + 1, sizeof *data);
  if (!data)
    return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *one = PyList_Check(list) ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i);
    if (!th_takeTensor(one, &data[i])) {
      PyMem_Free(data);
      return false;
    }
  }
  value->data = data;
  value->count = (int)count;
  return true;
}

bool th_takeModule(PyObject *o, at_module **value)
{
  *value = Py_TYPE(o) == moduleType ? ((Handle *)o)->object : NULL;
  return *value || misfit("a layer", o);
}

bool th_takeOptimizer(PyObject *o, at_optimizer **value)
{
  *value = Py_TYPE(o) == optimizerType ? ((Handle *)o)->object : NULL;
  return *value || misfit("an optimizer", o);
}

PyObject *th_several(int count, at_tensor *const *tensors)
{
  if (!at_defined(tensors[0]) && at_error() != AT_OK)
    return th_raise();
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; i < count; i++) {
    PyObject *one = tuple && at_defined(tensors[i]) ? th_wrap(tensors[i]) : NULL;
    if (tuple)
      PyTuple_SetItem(tuple, i, one ? one : Py_NewRef(Py_None));
    else
      at_release(tensors[i]);
  }
  if (PyErr_Occurred())
    Py_CLEAR(tuple);
  return tuple;
}

/* --- modules ------------------------------------------------------------------------------------------------ */

static at_module *moduleOf(PyObject *self)
{
  return ((Handle *)self)->object;
}

static PyObject *forward(PyObject *self, PyObject *const *given, Py_ssize_t count)
{
  at_tensor *all[4], *result;
  const at_tensors inputs = {all, (int)count};
  if (count < 1 || count > 4) {
    PyErr_Format(PyExc_TypeError, "forward() takes 1 to 4 tensors, and %zd are given", count);
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++)
    if (!th_takeTensor(given[i], &all[i]))
      return NULL;
  at_module *module = moduleOf(self);
  if (all[0] && at_numel(all[0]) > 8192) {
    Py_BEGIN_ALLOW_THREADS result = (at_module_call)(module, inputs);
    Py_END_ALLOW_THREADS
  } else {
    result = (at_module_call)(module, inputs);
  }
  return th_wrap(result);
}

/* Appends (name, tensor) for each tensor of the set that is the module's own; the set is freed. */
static bool addOwn(PyObject *list, at_dict *dict)
{
  bool isDone = list && dict;
  for (int64_t i = 0; isDone && i < at_dict_count(dict); i++) {
    const char *name = (at_dict_name)(dict, i);
    if (strchr(name, '.'))
      continue;
    PyObject *t = th_share((at_dict_at)(dict, i));
    PyObject *pair = t ? Py_BuildValue("(sN)", name, t) : NULL;
    isDone = pair && PyList_Append(list, pair) == 0;
    Py_XDECREF(pair);
  }
  if (!dict)
    th_raise();
  at_dict_free(dict);
  return isDone;
}

/* The module's own parameters and buffers: two lists. */
static PyObject *ownTensors(PyObject *self, PyObject *unused)
{
  (void)unused;
  PyObject *parameters = PyList_New(0), *buffers = PyList_New(0);
  if (addOwn(parameters, (at_module_named_parameters)(moduleOf(self))) &&
      addOwn(buffers, (at_module_named_buffers)(moduleOf(self))))
    return Py_BuildValue("(NN)", parameters, buffers);
  Py_XDECREF(parameters);
  Py_XDECREF(buffers);
  return NULL;
}

static PyObject *setTensor(PyObject *self, PyObject *arguments)
{
  const char *name;
  PyObject *t;
  if (!PyArg_ParseTuple(arguments, "sO!:set", &name, th_Tensor, &t))
    return NULL;
  const bool isWanted = at_requiresGrad(th_tensorOf(t));
  const bool isSet = (at_module_set)(moduleOf(self), name, th_tensorOf(t));
  if (isSet && !isWanted) /* the library makes it want a gradient if the one before did */
    (void)(at_detach_)(th_tensorOf(t));
  return done(isSet);
}

static PyObject *childNames(PyObject *self, PyObject *unused)
{
  (void)unused;
  PyObject *list = PyList_New(0);
  for (int64_t i = 0; list && i < at_module_count(moduleOf(self)); i++) {
    PyObject *name = PyUnicode_FromString(at_module_childName(moduleOf(self), i));
    if (!name || PyList_Append(list, name) < 0)
      Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject *child(PyObject *self, PyObject *name)
{
  const char *text;
  if (!th_takeString(name, &text))
    return NULL;
  return th_newModule(at_module_retain((at_module_child)(moduleOf(self), text)));
}

static PyObject *kindName(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyUnicode_FromString(at_module_kindOf(moduleOf(self))->name);
}

static PyObject *moduleText(PyObject *self)
{
  char *string = (at_module_toString)(moduleOf(self));
  PyObject *result = string ? PyUnicode_FromString(string) : th_raise();
  at_string_free(string);
  return result;
}

static PyObject *train(PyObject *self, PyObject *mode)
{
  const int isOn = PyObject_IsTrue(mode);
  if (isOn < 0)
    return NULL;
  (isOn ? at_module_train : at_module_eval)(moduleOf(self));
  return Py_NewRef(Py_None);
}

static PyObject *moduleTo(PyObject *self, PyObject *dtype)
{
  const at_type *type;
  if (!th_takeType(dtype, &type))
    return NULL;
  return done((at_module_to)(moduleOf(self), type));
}

static PyObject *moduleClone(PyObject *self, PyObject *unused)
{
  (void)unused;
  return th_newModule((at_module_clone)(moduleOf(self)));
}

static PyMethodDef moduleMethods[] = {
    {"forward", (PyCFunction)(void (*)(void))forward, METH_FASTCALL, NULL},
    {"tensors", ownTensors, METH_NOARGS, NULL},
    {"set", setTensor, METH_VARARGS, NULL},
    {"names", childNames, METH_NOARGS, NULL},
    {"child", child, METH_O, NULL},
    {"kind", kindName, METH_NOARGS, NULL},
    {"train", train, METH_O, NULL},
    {"to", moduleTo, METH_O, NULL},
    {"clone", moduleClone, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* --- optimizers ---------------------------------------------------------------------------------------------- */

static at_optimizer *optimizerOf(PyObject *self)
{
  return ((Handle *)self)->object;
}

static PyObject *step(PyObject *self, PyObject *unused)
{
  (void)unused;
  bool isDone;
  at_optimizer *optimizer = optimizerOf(self);
  Py_BEGIN_ALLOW_THREADS isDone = (at_optimizer_step)(optimizer);
  Py_END_ALLOW_THREADS return done(isDone);
}

/* Calls the closure of Python, which returns the loss; it holds the interpreter. */
static bool runClosure(void *context, double *loss)
{
  PyObject *value = PyObject_CallNoArgs(context);
  PyObject *number = value ? PyNumber_Float(value) : NULL;
  if (number)
    *loss = PyFloat_AsDouble(number);
  Py_XDECREF(number);
  Py_XDECREF(value);
  return number != NULL;
}

static PyObject *stepBy(PyObject *self, PyObject *closure)
{
  double loss = 0;
  if ((at_optimizer_step_by)(optimizerOf(self), runClosure, closure, &loss))
    return PyFloat_FromDouble(loss);
  if (!PyErr_Occurred())
    return th_raise();
  at_error_clear();
  return NULL;
}

static PyObject *addGroup(PyObject *self, PyObject *params)
{
  at_tensors list;
  if (!th_takeTensors(params, &list))
    return NULL;
  const int group = (at_optimizer_add_group)(optimizerOf(self), list);
  th_freeTensors(list);
  return group < 0 ? th_raise() : PyLong_FromLong(group);
}

static PyObject *getOption(PyObject *self, PyObject *arguments)
{
  int group;
  const char *option;
  if (!PyArg_ParseTuple(arguments, "is:get", &group, &option))
    return NULL;
  const double value = (at_optimizer_get)(optimizerOf(self), group, option);
  return at_error() == AT_OK ? PyFloat_FromDouble(value) : th_raise();
}

static PyObject *setOption(PyObject *self, PyObject *arguments)
{
  int group;
  const char *option;
  double value;
  if (!PyArg_ParseTuple(arguments, "isd:set", &group, &option, &value))
    return NULL;
  return done((at_optimizer_set)(optimizerOf(self), group, option, value));
}

static PyObject *optimizerState(PyObject *self, PyObject *unused)
{
  (void)unused;
  return th_contents((at_optimizer_state_dict)(optimizerOf(self)));
}

/* Takes the state that a file has, of an optimizer or a schedule. */
static PyObject *loadState(PyObject *self, PyObject *path)
{
  const char *file;
  if (!th_takeString(path, &file))
    return NULL;
  at_dict *dict = (at_load)(file, NULL);
  const at_datum values = at_dict_values(dict);
  const bool isDone = dict && (Py_TYPE(self) == optimizerType
                                   ? (at_optimizer_load)(optimizerOf(self), values)
                                   : (at_schedule_load)(((Handle *)self)->object, values));
  PyObject *result = done(isDone);
  at_dict_free(dict);
  return result;
}

static PyMethodDef optimizerMethods[] = {
    {"step", step, METH_NOARGS, NULL},      {"step_by", stepBy, METH_O, NULL},
    {"add_group", addGroup, METH_O, NULL},  {"get", getOption, METH_VARARGS, NULL},
    {"set", setOption, METH_VARARGS, NULL}, {"state", optimizerState, METH_NOARGS, NULL},
    {"load", loadState, METH_O, NULL},      {NULL, NULL, 0, NULL},
};

/* --- schedules ------------------------------------------------------------------------------------------------ */

static PyObject *scheduleStep(PyObject *self, PyObject *unused)
{
  (void)unused;
  return done((at_schedule_step)(((Handle *)self)->object));
}

static PyObject *scheduleStepBy(PyObject *self, PyObject *metric)
{
  double value;
  if (!th_takeDouble(metric, &value))
    return NULL;
  return done((at_schedule_step_by)(((Handle *)self)->object, value));
}

static PyObject *scheduleSteps(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyLong_FromLongLong(at_schedule_steps(((Handle *)self)->object));
}

static PyObject *scheduleState(PyObject *self, PyObject *unused)
{
  (void)unused;
  return th_contents((at_schedule_state_dict)(((Handle *)self)->object));
}

static PyMethodDef scheduleMethods[] = {
    {"state", scheduleState, METH_NOARGS, NULL}, {"load", loadState, METH_O, NULL},
    {"step", scheduleStep, METH_NOARGS, NULL},   {"step_by", scheduleStepBy, METH_O, NULL},
    {"steps", scheduleSteps, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL},
};

/* --- functions -------------------------------------------------------------------------------------------------- */

static PyObject *clipNorm(PyObject *self, PyObject *arguments)
{
  (void)self;
  PyObject *params;
  double limit;
  int isStrict;
  at_clip_grad_norm_options options = at_clip_grad_norm_defaults;
  at_tensors list;
  if (!PyArg_ParseTuple(arguments, "Oddp:_clip_grad_norm", &params, &limit, &options.norm_type,
                        &isStrict) ||
      !th_takeTensors(params, &list))
    return NULL;
  options.error_if_nonfinite = isStrict;
  const double norm = (at_clip_grad_norm)(list, limit, &options);
  th_freeTensors(list);
  return at_error() == AT_OK ? PyFloat_FromDouble(norm) : th_raise();
}

static PyObject *clipValue(PyObject *self, PyObject *arguments)
{
  (void)self;
  PyObject *params;
  double limit;
  at_tensors list;
  if (!PyArg_ParseTuple(arguments, "Od:_clip_grad_value", &params, &limit) ||
      !th_takeTensors(params, &list))
    return NULL;
  const bool isDone = (at_clip_grad_value)(list, limit);
  th_freeTensors(list);
  return done(isDone);
}

PyMethodDef th_handleFunctions[] = {
    {"_clip_grad_norm", clipNorm, METH_VARARGS, NULL},
    {"_clip_grad_value", clipValue, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* --- the types --------------------------------------------------------------------------------------------------- */

static PyTypeObject *newType(const char *name, PyMethodDef *methods, reprfunc text)
{
  PyType_Slot slots[] = {
      {Py_tp_dealloc, freeHandle},
      {Py_tp_methods, methods},
      {text ? Py_tp_repr : 0, text},
      {0, NULL},
  };
  PyType_Spec spec = {
      .name = name,
      .basicsize = sizeof(Handle),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
      .slots = slots,
  };
  return (PyTypeObject *)PyType_FromSpec(&spec);
}

bool th_addHandles(PyObject *module)
{
  (void)module;
  moduleType = newType("thaten._C._Module", moduleMethods, moduleText);
  optimizerType = newType("thaten._C._Optimizer", optimizerMethods, NULL);
  scheduleType = newType("thaten._C._Schedule", scheduleMethods, NULL);
  return moduleType && optimizerType && scheduleType;
}
