/* Gradients: what tensors say of them, backward passes, hooks, and functions of one's own.
 *
 * A pass runs while other threads of Python may run, and takes the interpreter back where it calls
 * Python.  An exception there ends the pass: it stays set until the pass returns. */
#include <limits.h>

#include "thaten.h"

/* --- attributes --------------------------------------------------------------------------------------- */

static PyObject *requiresGrad(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(at_requiresGrad(th_tensorOf(self)));
}

static bool setWanted(PyObject *self, bool isWanted)
{
  at_tensor *t = th_tensorOf(self);
  if (isWanted == at_requiresGrad(t))
    return true;
  if (!isWanted && !at_isLeaf(t)) {
    PyErr_SetString(PyExc_RuntimeError,
                    "requires_grad of a tensor that is no leaf cannot be "
                    "changed: detach() is a tensor without gradient");
    return false;
  }
  if (at_defined(isWanted ? (at_requires_grad_)(t) : (at_detach_)(t)))
    return !isWanted || th_noteLeaf(self, true);
  th_raise();
  return false;
}

static int setRequiresGrad(PyObject *self, PyObject *value, void *unused)
{
  (void)unused;
  const int isWanted = value ? PyObject_IsTrue(value) : 0;
  return isWanted >= 0 && setWanted(self, isWanted) ? 0 : -1;
}

static PyObject *isLeaf(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(at_isLeaf(th_tensorOf(self)));
}

static PyObject *grad(PyObject *self, void *unused)
{
  (void)unused;
  at_tensor *g = (at_grad)(th_tensorOf(self));
  if (at_error() != AT_OK)
    return th_raise();
  return at_defined(g) ? th_share(g) : Py_NewRef(Py_None);
}

static int setGrad(PyObject *self, PyObject *value, void *unused)
{
  (void)unused;
  if (value && value != Py_None && !th_isTensor(value)) {
    PyErr_SetString(PyExc_TypeError, "grad is a tensor or None");
    return -1;
  }
  at_tensor *g = value && value != Py_None ? th_tensorOf(value) : NULL;
  if ((at_set_grad)(th_tensorOf(self), g))
    return 0;
  th_raise();
  return -1;
}

static PyObject *data(PyObject *self, void *unused)
{
  (void)unused;
  return th_wrap((at_detach)(th_tensorOf(self)));
}

/* The elements of value in place of the tensor's. */
static int setData(PyObject *self, PyObject *value, void *unused)
{
  (void)unused;
  if (!value || !th_isTensor(value)) {
    PyErr_SetString(PyExc_TypeError, "data is a tensor");
    return -1;
  }
  at_tensor *plain = (at_detach)(th_tensorOf(self));
  const bool wasOn = at_grad_setOn(false);
  const bool done = at_defined((at_copy_)(plain, th_tensorOf(value)));
  (void)at_grad_setOn(wasOn);
  at_release(plain);
  if (done)
    return 0;
  th_raise();
  return -1;
}

static PyObject *version(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLongLong(at_tensor_version(th_tensorOf(self)));
}

PyGetSetDef th_gradAttributes[] = {
    {"_version", version, NULL, "How often the elements have been changed.", NULL},
    {"requires_grad", requiresGrad, setRequiresGrad, "Whether the tensor wants a gradient.", NULL},
    {"is_leaf", isLeaf, NULL, "Whether no recorded operation made the tensor.", NULL},
    {"grad_fn", th_gradFunction, NULL, "What the tensor was computed by; None of a leaf.", NULL},
    {"grad", grad, setGrad, "The gradient of a leaf, or None.", NULL},
    {"data", data, setData, "The elements without history; what is set is copied.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- passes --------------------------------------------------------------------------------------------- */

/* The pass for some tensors alone, which autograd/__init__.py makes of grad(). */
static PyObject *backwardInto(PyObject *self, PyObject *gradient, PyObject *retain, int create,
                              PyObject *inputs)
{
  PyObject *module = PyImport_ImportModule("thaten.autograd");
  PyObject *result = module ? PyObject_CallMethod(module, "_backward_into", "OOOOO", self, gradient,
                                                  retain, create ? Py_True : Py_False, inputs)
                            : NULL;
  Py_XDECREF(module);
  return result;
}

static PyObject *backward(PyObject *self, PyObject *arguments, PyObject *names)
{
  static char *keywords[] = {"gradient", "retain_graph", "create_graph", "inputs", NULL};
  PyObject *gradient = Py_None, *retain = Py_None, *inputs = Py_None;
  int create = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "|OOpO:backward", keywords, &gradient, &retain,
                                   &create, &inputs))
    return NULL;
  if (inputs != Py_None)
    return backwardInto(self, gradient, retain, create, inputs);
  at_backward_options options = at_backward_defaults;
  if (!th_takeTensor(gradient, &options.gradient))
    return NULL;
  options.create_graph = create;
  options.retain_graph = retain == Py_None ? create : PyObject_IsTrue(retain) == 1;
  bool done;
  at_tensor *t = th_tensorOf(self);
  Py_BEGIN_ALLOW_THREADS done = (at_backward)(t, &options);
  Py_END_ALLOW_THREADS return done && !PyErr_Occurred() ? Py_NewRef(Py_None) : th_raise();
}

static PyObject *tupleOf(const at_tensors *list)
{
  PyObject *tuple = PyTuple_New(list->count);
  for (int i = 0; tuple && i < list->count; i++) {
    PyObject *one = at_defined(list->data[i]) ? th_share(list->data[i]) : NULL;
    PyTuple_SetItem(tuple, i, one ? one : Py_NewRef(Py_None));
  }
  if (PyErr_Occurred())
    Py_CLEAR(tuple);
  return tuple;
}

static PyObject *gradients(PyObject *self, PyObject *arguments)
{
  (void)self;
  PyObject *outputs, *inputs, *given;
  int retain, create, unused, leave;
  if (!PyArg_ParseTuple(arguments, "OOOpppp:_gradients", &outputs, &inputs, &given, &retain,
                        &create, &unused, &leave))
    return NULL;
  at_tensors of = {NULL, 0}, by = {NULL, 0};
  at_gradients_options options = at_gradients_defaults;
  options.retain_graph = retain;
  options.create_graph = create;
  options.allow_unused = unused;
  options.leave_unused = leave;
  const at_tensors *list = NULL;
  PyObject *result = NULL;
  if (th_takeTensors(outputs, &of) && th_takeTensors(inputs, &by) &&
      (given == Py_None || th_takeTensors(given, &options.grad_outputs))) {
    Py_BEGIN_ALLOW_THREADS list = (at_gradients)(of, by, &options);
    Py_END_ALLOW_THREADS result =
        at_error() == AT_OK && !PyErr_Occurred() ? tupleOf(list) : th_raise();
    at_list_release(list);
  }
  th_freeTensors(of);
  th_freeTensors(by);
  th_freeTensors(options.grad_outputs);
  return result;
}

/* The derivatives of the outputs along the tangents of the inputs. */
static PyObject *jvp(PyObject *self, PyObject *arguments)
{
  (void)self;
  PyObject *outputs, *inputs, *along;
  int create;
  if (!PyArg_ParseTuple(arguments, "OOOp:_jvp", &outputs, &inputs, &along, &create))
    return NULL;
  at_tensors of = {NULL, 0}, by = {NULL, 0}, tangents = {NULL, 0};
  const at_tensors *list = NULL;
  PyObject *result = NULL;
  if (th_takeTensors(outputs, &of) && th_takeTensors(inputs, &by) &&
      th_takeTensors(along, &tangents)) {
    Py_BEGIN_ALLOW_THREADS list = (at_jvp)(of, by, tangents, create);
    Py_END_ALLOW_THREADS result =
        at_error() == AT_OK && !PyErr_Occurred() ? tupleOf(list) : th_raise();
    at_list_release(list);
  }
  th_freeTensors(of);
  th_freeTensors(by);
  th_freeTensors(tangents);
  return result;
}

static PyObject *retainGrad(PyObject *self, PyObject *unused)
{
  (void)unused;
  return at_defined((at_retain_grad)(th_tensorOf(self))) ? Py_NewRef(Py_None) : th_raise();
}

static PyObject *detachIn(PyObject *self, PyObject *unused)
{
  (void)unused;
  return at_defined((at_detach_)(th_tensorOf(self))) ? Py_NewRef(self) : th_raise();
}

static PyObject *requiresGradIn(PyObject *self, PyObject *arguments, PyObject *names)
{
  static char *keywords[] = {"requires_grad", NULL};
  int isWanted = 1;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "|p:requires_grad_", keywords, &isWanted) ||
      !setWanted(self, isWanted))
    return NULL;
  return Py_NewRef(self);
}

static PyObject *isInference(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyBool_FromLong(at_isInference(th_tensorOf(self)));
}

/* --- hooks ------------------------------------------------------------------------------------------------ */

/* Calls the hook, a callable.  After an exception the undefined tensor ends the pass. */
static at_tensor *runHook(void *context, at_tensor *grad)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  at_tensor *other = NULL;
  PyObject *const hook = Py_NewRef(context); /* a hook may remove itself */
  PyObject *argument = PyErr_Occurred() ? NULL : th_share(grad);
  PyObject *result = argument ? PyObject_CallFunctionObjArgs(hook, argument, NULL) : NULL;
  if (result && th_isTensor(result))
    other = at_retain(th_tensorOf(result));
  else if (result && result != Py_None)
    PyErr_SetString(PyExc_TypeError, "a hook returns a tensor or None");
  Py_XDECREF(result);
  Py_XDECREF(argument);
  Py_DECREF(hook);
  if (PyErr_Occurred())
    other = (at_tensor *)(uintptr_t)at_undefinedTensor;
  PyGILState_Release(state);
  return other;
}

/* Adds a hook, which the caller keeps alive until it is removed. */
static PyObject *addHook(PyObject *self, PyObject *hook)
{
  return (at_add_hook)(th_tensorOf(self), runHook, hook) ? Py_NewRef(Py_None) : th_raise();
}

static PyObject *removeHook(PyObject *self, PyObject *hook)
{
  return (at_remove_hook)(th_tensorOf(self), runHook, hook) ? Py_NewRef(Py_None) : th_raise();
}

PyMethodDef th_gradMethods[] = {
    {"backward", (PyCFunction)(void (*)(void))backward, METH_VARARGS | METH_KEYWORDS,
     "backward(gradient=None, retain_graph=None, create_graph=False, inputs=None)\n\nAdds the "
     "gradients of the leaves, or of inputs alone, to their grad."},
    {"is_inference", isInference, METH_NOARGS,
     "Whether the tensor's memory was made in inference_mode."},
    {"retain_grad", retainGrad, METH_NOARGS, "Keeps the gradient, of a tensor that is no leaf."},
    {"detach_", detachIn, METH_NOARGS, "Cuts the tensor off from what it was computed from."},
    {"requires_grad_", (PyCFunction)(void (*)(void))requiresGradIn, METH_VARARGS | METH_KEYWORDS,
     "requires_grad_(requires_grad=True)\n\nMakes the tensor a leaf that wants a gradient, or "
     "not."},
    {"_add_hook", addHook, METH_O, NULL},
    {"_remove_hook", removeHook, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* --- functions of one's own ----------------------------------------------------------------------------- */

/* More results no function of Python has. */
enum { MOST_RESULTS = 256 };

typedef struct Function {
  PyObject *forward, *backward; /* callables: () -> tuple, and (tuple, Node or None) -> tuple */
  at_node *node;                /* the call's, which refers to this */
} Function;

/* A reference to a result: an alias of a tensor, which has no history, so that Python may save the tensor; or an input
 * that was changed, in a tuple. */
static at_tensor *resultOf(PyObject *one)
{
  if (PyTuple_Check(one))
    return at_retain(th_tensorOf(PyTuple_GetItem(one, 0)));
  return at_keep((at_alias)(th_tensorOf(one)));
}

static int runForward(void *context, at_tensors inputs, int most, at_tensor **results)
{
  (void)inputs;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *given = PyObject_CallNoArgs(((Function *)context)->forward);
  int count = given ? (int)PyTuple_Size(given) : -1;
  if (count > most) {
    PyErr_Format(PyExc_RuntimeError, "forward() returned %d tensors, which are more than %d", count,
                 most);
    count = -1;
  }
  for (int i = 0; i < count; i++)
    results[i] = resultOf(PyTuple_GetItem(given, i));
  Py_XDECREF(given);
  PyGILState_Release(state);
  return count;
}

/* The tensors of the tuple, references to them, and NULL for None. */
static bool storeGradients(PyObject *tuple, int count, at_tensor **gradients)
{
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count) {
    PyErr_Format(PyExc_RuntimeError, "backward() returns %d gradients", count);
    return false;
  }
  for (int i = 0; i < count; i++) {
    PyObject *one = PyTuple_GetItem(tuple, i);
    if (one != Py_None && !th_isTensor(one)) {
      PyErr_SetString(PyExc_TypeError, "a gradient is a tensor or None");
      return false;
    }
  }
  for (int i = 0; i < count; i++) {
    PyObject *one = PyTuple_GetItem(tuple, i);
    gradients[i] = one == Py_None ? NULL : at_retain(th_tensorOf(one));
  }
  return true;
}

/* A tuple of the gradients, with None where there is none. */
static PyObject *gradientsOf(at_tensors grads)
{
  PyObject *tuple = PyErr_Occurred() ? NULL : PyTuple_New(grads.count);
  for (int i = 0; tuple && i < grads.count; i++) {
    PyObject *one = grads.data[i] ? th_share(grads.data[i]) : Py_NewRef(Py_None);
    if (!one || PyTuple_SetItem(tuple, i, one) < 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

static bool runBackward(void *context, at_tensors grads, int count, at_tensor **gradients)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  const Function *const function = context;
  PyObject *argument = gradientsOf(grads);
  PyObject *node = th_wrapNode(at_grad_isOn() ? at_node_retain(function->node) : NULL);
  PyObject *result = argument && node
                         ? PyObject_CallFunctionObjArgs(function->backward, argument, node, NULL)
                         : NULL;
  const bool done = result && storeGradients(result, count, gradients);
  Py_XDECREF(result);
  Py_XDECREF(node);
  Py_XDECREF(argument);
  PyGILState_Release(state);
  return done;
}

static void releaseFunction(void *context)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  Function *function = context;
  Py_DECREF(function->forward);
  Py_DECREF(function->backward);
  PyMem_Free(function);
  PyGILState_Release(state);
}

/* The kind of functions of that name, which is made once and stays, since nodes refer to it. */
static const at_grad_list_function *kindOf(PyObject *name)
{
  static PyObject *kinds; /* names, and numbers that are pointers */
  if (!kinds && !(kinds = PyDict_New()))
    return NULL;
  PyObject *known = PyDict_GetItemWithError(kinds, name);
  if (known)
    return PyLong_AsVoidPtr(known);
  const char *const text = PyUnicode_AsUTF8AndSize(name, NULL);
  at_grad_list_function *const kind = text ? PyMem_Malloc(sizeof *kind) : NULL;
  PyObject *const pointer = kind ? PyLong_FromVoidPtr(kind) : NULL;
  if (!pointer || PyDict_SetItem(kinds, name, pointer) < 0) { /* the dictionary keeps the text */
    PyMem_Free(kind);
    Py_XDECREF(pointer);
    return PyErr_Occurred() ? NULL : (PyErr_NoMemory(), NULL);
  }
  *kind = (at_grad_list_function){text, runForward, runBackward, releaseFunction};
  Py_DECREF(pointer);
  return kind;
}

/* The tuple of results; the function learns which node is its call's. */
static PyObject *resultsOf(const at_tensors *made, Function *function)
{
  at_node *node = NULL;
  for (int i = 0; i < made->count; i++) {
    if (!node && (node = at_grad_fn(made->data[i])))
      function->node = node;
    at_retain(made->data[i]);
  }
  at_node_release(node);
  return th_several(made->count, made->data);
}

static PyObject *apply(PyObject *self, PyObject *arguments)
{
  (void)self;
  PyObject *forward, *back, *inputs, *name;
  if (!PyArg_ParseTuple(arguments, "OOOU:_apply", &forward, &back, &inputs, &name))
    return NULL;
  const at_grad_list_function *const kind = kindOf(name);
  if (!kind)
    return NULL;
  at_tensors list = {NULL, 0};
  if (!th_takeTensors(inputs, &list))
    return NULL;
  Function *function = PyMem_Malloc(sizeof *function);
  PyObject *result = NULL;
  if (!function) {
    PyErr_NoMemory();
  } else {
    *function = (Function){Py_NewRef(forward), Py_NewRef(back), NULL};
    const at_tensors *const made = (at_apply_list)(kind, function, list, MOST_RESULTS);
    result = made->count == 0 || PyErr_Occurred() ? th_raise() : resultsOf(made, function);
    at_list_release(made);
  }
  th_freeTensors(list);
  return result;
}

/* --- what is kept of saved tensors ------------------------------------------------------------------------ */

/* The pair of callables is the context. */
static void *packSaved(void *context, at_tensor *t)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *argument = PyErr_Occurred() ? NULL : th_share(t);
  PyObject *packed =
      argument ? PyObject_CallFunctionObjArgs(PyTuple_GetItem(context, 0), argument, NULL) : NULL;
  Py_XDECREF(argument);
  PyGILState_Release(state);
  return packed;
}

static at_tensor *unpackSaved(void *context, void *packed)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  at_tensor *t = NULL;
  PyObject *result = PyErr_Occurred()
                         ? NULL
                         : PyObject_CallFunctionObjArgs(PyTuple_GetItem(context, 1), packed, NULL);
  if (result && th_isTensor(result))
    t = at_retain(th_tensorOf(result));
  else if (result)
    PyErr_SetString(PyExc_TypeError, "unpack_hook() returns a tensor");
  Py_XDECREF(result);
  PyGILState_Release(state);
  return t;
}

static void dropObject(void *object)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value,
              &traceback); /* what ends may run Python, which an exception must not meet */
  Py_DECREF((PyObject *)object);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(state);
}

static void dropSaved(void *context, void *packed)
{
  (void)context;
  dropObject(packed);
}

static PyObject *pushHooks(PyObject *self, PyObject *arguments)
{
  static const at_saved_hooks hooks = {packSaved, unpackSaved, dropSaved, dropObject};
  PyObject *pack, *unpack;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "OO:_push_saved_hooks", &pack, &unpack))
    return NULL;
  PyObject *pair = PyTuple_Pack(2, pack, unpack);
  if (!pair || at_saved_hooks_push(&hooks, pair))
    return pair ? Py_NewRef(Py_None) : NULL;
  Py_DECREF(pair);
  return th_raise();
}

static PyObject *popHooks(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  return at_saved_hooks_pop() ? Py_NewRef(Py_None) : th_raise();
}

/* --- recording ---------------------------------------------------------------------------------------------- */

static PyObject *isOn(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  return PyBool_FromLong(at_grad_isOn());
}

static PyObject *setOn(PyObject *self, PyObject *value)
{
  (void)self;
  const int on = PyObject_IsTrue(value);
  return on < 0 ? NULL : PyBool_FromLong(at_grad_setOn(on));
}

static PyObject *isInferring(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  return PyBool_FromLong(at_inference_isOn());
}

static PyObject *setInference(PyObject *self, PyObject *value)
{
  (void)self;
  const int on = PyObject_IsTrue(value);
  return on < 0 ? NULL : PyBool_FromLong(at_inference_setOn(on));
}

static PyObject *setAnomaly(PyObject *self, PyObject *value)
{
  (void)self;
  const int on = PyObject_IsTrue(value);
  if (on < 0)
    return NULL;
  at_grad_setAnomaly(on);
  return Py_NewRef(Py_None);
}

/* The type that products compute in on a device, or None where autocast is off. */
static PyObject *autocast(PyObject *self, PyObject *device)
{
  (void)self;
  const long number = PyLong_AsLong(device);
  if (number == -1 && PyErr_Occurred())
    return NULL;
  const at_scalar_type type = at_autocast_get((at_autocast_device)number);
  return type == AT_FLOAT ? Py_NewRef(Py_None) : th_dtype(type);
}

static PyObject *setAutocast(PyObject *self, PyObject *arguments)
{
  (void)self;
  int device;
  PyObject *dtype;
  at_scalar_type type = AT_FLOAT;
  if (!PyArg_ParseTuple(arguments, "iO", &device, &dtype))
    return NULL;
  if (dtype != Py_None && !th_isDType(dtype, &type))
    return PyErr_Format(PyExc_TypeError, "autocast: %R is no dtype", dtype);
  return (at_autocast_set)((at_autocast_device)device, type) ? Py_NewRef(Py_None) : th_raise();
}

/* Sets whether parameters are cast once; returns what was set before. */
static PyObject *setAutocastCache(PyObject *self, PyObject *value)
{
  (void)self;
  const int on = PyObject_IsTrue(value);
  return on < 0 ? NULL : PyBool_FromLong(at_autocast_setCache(on));
}

PyMethodDef th_gradFunctions[] = {
    {"_autocast", autocast, METH_O, NULL},
    {"_set_autocast", setAutocast, METH_VARARGS, NULL},
    {"_set_autocast_cache", setAutocastCache, METH_O, NULL},
    {"is_grad_enabled", isOn, METH_NOARGS, "Whether this thread records operations."},
    {"_set_grad_enabled", setOn, METH_O, NULL},
    {"is_inference_mode_enabled", isInferring, METH_NOARGS,
     "Whether this thread is in inference_mode."},
    {"_set_inference", setInference, METH_O, NULL},
    {"_set_anomaly", setAnomaly, METH_O, NULL},
    {"_gradients", gradients, METH_VARARGS, NULL},
    {"_jvp", jvp, METH_VARARGS, NULL},
    {"_apply", apply, METH_VARARGS, NULL},
    {"_push_saved_hooks", pushHooks, METH_VARARGS, NULL},
    {"_pop_saved_hooks", popHooks, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
