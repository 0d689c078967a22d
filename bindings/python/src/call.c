/* Calls operations of ATen's table, and makes objects of their results. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "thaten.h"

/* --- errors ------------------------------------------------------------------------------------------ */

/* Exceptions that are both what PyTorch raises for one mistake or another, RuntimeError and
 * IndexError, or RuntimeError and TypeError. */
static PyObject *argumentError, *elementTypeError, *linAlgError;

/* Whether the operation that failed is of linear algebra: then a matrix did not fit it. */
static bool isLinearAlgebra(const char *operation)
{
  static const char *const others[] = {"cholesky", "inverse", "logdet", "qr",
                                       "slogdet",  "svd",     "symeig", "triangular_solve"};
  if (strncmp(operation, "linalg_", 7) == 0)
    return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(operation, others[i]) == 0)
      return true;
  return false;
}

PyObject *th_raise(void)
{
  if (PyErr_Occurred()) { /* of a function of Python that the library has called */
    at_error_clear();
    return NULL;
  }
  PyObject *class = PyExc_RuntimeError;
  switch (at_error()) {
    case AT_ERROR_ARGUMENT:
      class = argumentError;
      break;
    case AT_ERROR_TYPE:
      class = elementTypeError;
      break;
    case AT_ERROR_NULL:
      class = PyExc_TypeError;
      break;
    case AT_ERROR_RUNTIME:
      if (isLinearAlgebra(at_error_operation()))
        class = linAlgError;
      break;
    case AT_OK:
      break;
  }
  const char *message = at_error_message();
  PyErr_SetString(class, *message ? message : "no memory");
  at_error_clear();
  return NULL;
}

static PyObject *newError(const char *name, PyObject *bases)
{
  PyObject *error = bases ? PyErr_NewException(name, bases, NULL) : NULL;
  Py_XDECREF(bases);
  return error;
}

/* --- results ------------------------------------------------------------------------------------------- */

/* The types of several results, by the names of those. */
static PyObject *resultTypes;

static PyObject *resultText; /* Python's function that writes named results, or NULL */

static PyObject *setResultText(PyObject *self, PyObject *function)
{
  (void)self;
  th_set(&resultText, Py_NewRef(function));
  Py_RETURN_NONE;
}

static PyTypeObject *newResultType(const at_op *op)
{
  PyStructSequence_Field fields[TH_MOST_RESULTS + 1] = {{NULL, NULL}};
  for (int i = 0; i < op->resultCount; i++)
    fields[i].name = op->results[i].name;
  char name[128] = "thaten.results";
  bool isNamed = false;
  for (const char *const *one = th_returnTypes; *one && !isNamed; one++)
    isNamed = strcmp(*one, op->name) == 0;
  if (isNamed)
    (void)snprintf(name, sizeof name, "torch.return_types.%.90s", op->name);
  PyStructSequence_Desc description = {name, NULL, fields, op->resultCount};
  PyTypeObject *type = PyStructSequence_NewType(&description);
  PyObject *repr = type ? PyObject_GetAttrString((PyObject *)&PyTuple_Type, "__repr__") : NULL;
  if (isNamed)
    th_set(&repr, Py_XNewRef(resultText));
  if (type && (!repr || PyObject_SetAttrString((PyObject *)type, "__repr__", repr) < 0))
    Py_CLEAR(type);
  Py_XDECREF(repr);
  return type;
}

/* The type for the operation's results, borrowed. */
static PyTypeObject *resultType(const at_op *op)
{
  PyObject *key = PyLong_FromVoidPtr((void *)op->results);
  PyObject *type = key ? PyDict_GetItemWithError(resultTypes, key) : NULL;
  if (key && !type && !PyErr_Occurred()) {
    type = (PyObject *)newResultType(op);
    if (type && PyDict_SetItem(resultTypes, key, type) < 0)
      type = NULL;
    Py_XDECREF(type);
  }
  Py_XDECREF(key);
  return (PyTypeObject *)type;
}

/* The type of an operation's several results by its name, or None. */
static PyObject *resultTypeOf(PyObject *self, PyObject *name)
{
  (void)self;
  const char *const text = PyUnicode_AsUTF8AndSize(name, NULL);
  const at_op *op = text ? at_op_find(text) : NULL;
  for (; op && op < at_ops + at_opCount && strcmp(op->name, text) == 0; op++)
    if (op->form == AT_FORM_FUNCTION && op->resultCount > 1)
      return Py_XNewRef((PyObject *)resultType(op));
  return text ? Py_NewRef(Py_None) : NULL;
}

/* The object of a tensor that the call returned: one that was given, if it is the same tensor. */
static PyObject *tensorObject(const Call *call, at_tensor *t)
{
  if (!at_defined(t))
    return Py_NewRef(Py_None);
  PyObject *first = call->op->argumentCount > 0 ? call->objects[0] : NULL;
  if (first && th_isTensor(first) && th_tensorOf(first) == t) {
    if (call->op->form == AT_FORM_FUNCTION)
      at_release(t);
    return Py_NewRef(first);
  }
  return th_wrap(t);
}

static PyObject *listObject(const at_value *result)
{
  PyObject *tuple = PyTuple_New(result->tensors.count);
  for (int i = 0; tuple && i < result->tensors.count; i++) {
    PyObject *one = th_share(result->tensors.data[i]);
    if (!one) {
      Py_CLEAR(tuple);
      break;
    }
    PyTuple_SetItem(tuple, i, one);
  }
  at_list_release(result->list);
  return tuple;
}

static PyObject *severalObject(const Call *call, const at_value *results)
{
  const at_op *op = call->op;
  PyTypeObject *type = resultType(op);
  PyObject *several = type ? PyStructSequence_New(type) : NULL;
  for (int i = 0; i < op->resultCount; i++) {
    at_tensor *t = results[i].tensor;
    if (op->form == AT_FORM_OUT) {
      if (several)
        PyStructSequence_SetItem(several, i, Py_NewRef(call->objects[i]));
    } else if (several) {
      PyObject *one = at_defined(t) ? th_wrap(t) : Py_NewRef(Py_None);
      PyStructSequence_SetItem(several, i, one);
    } else {
      at_release(t);
    }
  }
  return several;
}

static PyObject *resultObject(const Call *call, const at_value *results)
{
  if (call->op->resultCount > 1)
    return severalObject(call, results);
  switch (call->op->results[0].kind) {
    case AT_KIND_LONG:
      return PyLong_FromLongLong(results->integer);
    case AT_KIND_BOOL:
      return PyBool_FromLong(results->truth);
    case AT_KIND_TENSORS:
      return listObject(results);
    default:
      if (call->wantsGradient)
        (void)(at_requires_grad_)(results->tensor);
      return tensorObject(call, results->tensor);
  }
}

/* --- calls ----------------------------------------------------------------------------------------------- */

/* Whether the call may take long enough to let other threads of Python run. */
static bool isLong(const Call *call)
{
  for (int i = 0; i < call->op->argumentCount; i++) {
    const at_value *v = &call->values[i];
    if (v->tensor && at_numel(v->tensor) > 8192)
      return true;
    if (call->op->arguments[i].kind == AT_KIND_INTS) {
      int64_t product = 1;
      for (int d = 0; d < v->ints.count && product <= 8192; d++)
        product *= v->ints.data[d] > 8192 || v->ints.data[d] < 1 ? 8193 : v->ints.data[d];
      if (product > 8192)
        return true;
    }
  }
  return false;
}

/* What a profile is told of each call, or NULL. */
static PyObject *observer;

static PyObject *setObserver(PyObject *self, PyObject *function)
{
  (void)self;
  th_set(&observer, function == Py_None ? NULL : Py_NewRef(function));
  Py_RETURN_NONE;
}

static int64_t nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Tells the observer the name, the times in nanoseconds and the tensors, and returns the result, or NULL
 * if the observer failed. */
static PyObject *observed(const Call *call, int64_t began, PyObject *result)
{
  const int64_t ended = nanoseconds();
  PyObject *tensors = result ? PyList_New(0) : NULL;
  for (int i = 0; tensors && i < call->op->argumentCount; i++)
    if (call->objects[i] && th_isTensor(call->objects[i]) &&
        PyList_Append(tensors, call->objects[i]) < 0)
      Py_CLEAR(tensors);
  PyObject *name = tensors ? PyUnicode_FromFormat("aten::%s", call->op->name) : NULL;
  PyObject *told = name ? PyObject_CallFunction(observer, "OLLO", name, (long long)began,
                                                (long long)ended, tensors)
                        : NULL;
  if (!told)
    Py_CLEAR(result);
  Py_XDECREF(told);
  Py_XDECREF(name);
  Py_XDECREF(tensors);
  return result;
}

/* Whether the call changes a tensor of inference mode, outside of it. */
static bool changesInference(const Call *call)
{
  const at_op *op = call->op;
  return (op->form == AT_FORM_INPLACE || op->form == AT_FORM_OUT) && call->values[0].tensor &&
         !at_inference_isOn() && at_isInference(call->values[0].tensor);
}

static PyObject *run(Call *call)
{
  if (changesInference(call))
    return PyErr_Format(PyExc_RuntimeError,
                        "%s(): a tensor that was made in inference mode cannot be changed outside "
                        "of it; its clone() can",
                        call->op->name);
  at_value results[TH_MOST_RESULTS];
  memset(results, 0, (size_t)call->op->resultCount * sizeof *results);
  bool done;
  if (isLong(call)) {
    Py_BEGIN_ALLOW_THREADS done = call->op->call(call->values, results);
    Py_END_ALLOW_THREADS
  } else {
    done = call->op->call(call->values, results);
  }
  if (done)
    return resultObject(call, results);
  /* An empty list is no failure: nothing was split. */
  if (call->op->results[0].kind == AT_KIND_TENSORS && at_error() == AT_OK)
    return PyTuple_New(0);
  return th_raise();
}

static PyObject *callGroup(Group *group, PyObject *const *arguments, Py_ssize_t count,
                           PyObject *names);

/* What complex_numbers.py makes of other operations; NotImplemented if tensors can stand for the numbers. */
static PyObject *composed(const Group *group, PyObject *const *arguments, Py_ssize_t count,
                          PyObject *names)
{
  PyObject *module = PyImport_ImportModule("thaten._core.complex_numbers");
  PyObject *positional = PyTuple_New(count), *named = PyDict_New(), *result = NULL;
  bool isGood = module && positional && named;
  for (Py_ssize_t i = 0; isGood && i < count; i++)
    PyTuple_SetItem(positional, i, Py_NewRef(arguments[i]));
  for (Py_ssize_t i = 0; isGood && names && i < PyTuple_Size(names); i++)
    isGood = PyDict_SetItem(named, PyTuple_GetItem(names, i), arguments[count + i]) == 0;
  if (isGood)
    result = PyObject_CallMethod(module, "fallback", "sOO", group->name, positional, named);
  Py_XDECREF(named);
  Py_XDECREF(positional);
  Py_XDECREF(module);
  return result;
}

/* The call with tensors in place of the complex numbers, for which operations have no argument. */
static PyObject *callWithComplex(Group *group, PyObject *const *arguments, Py_ssize_t count,
                                 PyObject *names)
{
  PyObject *all[TH_MOST_ARGUMENTS], *first = NULL;
  const Py_ssize_t total = count + (names ? PyTuple_Size(names) : 0);
  for (Py_ssize_t i = total - 1; i >= 0; i--)
    first = th_isTensor(arguments[i]) ? arguments[i] : first;
  if (total > TH_MOST_ARGUMENTS || !first)
    return PyErr_Format(PyExc_TypeError, "%s(): complex numbers are for tensors", group->name);
  PyObject *own = composed(group, arguments, count, names);
  if (own != Py_NotImplemented)
    return own;
  Py_DECREF(own);
  Py_ssize_t made = 0;
  for (; made < total; made++) {
    PyObject *const one = arguments[made];
    all[made] = PyComplex_Check(one) ? th_numberBefore(one, first) : Py_NewRef(one);
    if (!all[made])
      break;
  }
  PyObject *result = made == total ? callGroup(group, all, count, names) : NULL;
  while (made > 0)
    Py_DECREF(all[--made]);
  return result;
}

static PyObject *callGroup(Group *group, PyObject *const *arguments, Py_ssize_t count,
                           PyObject *names)
{
  PyObject *out = NULL;
  const Py_ssize_t total = count + (names ? PyTuple_Size(names) : 0);
  for (Py_ssize_t i = 0; i < total; i++)
    if (PyComplex_CheckExact(arguments[i]))
      return callWithComplex(group, arguments, count, names);
  for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++) {
    const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    if (name && strcmp(name, "out") == 0 && arguments[count + i] != Py_None)
      out = arguments[count + i];
  }
  Call call;
  PyObject *copied = NULL;
  if (!out || !group->out || !th_bind(&call, group->out, arguments, count, names, out)) {
    PyErr_Clear(); /* of the form that the results are given to */
    copied = out;
    if (!th_bind(&call, group, arguments, count, names, NULL))
      return NULL;
  }
  const int64_t began = observer ? nanoseconds() : 0;
  PyObject *result = th_convert(&call) ? run(&call) : NULL;
  if (observer)
    result = observed(&call, began, result);
  th_callEnd(&call);
  if (result && copied)
    th_set(&result, th_deliver(group->name, result, copied));
  return result;
}

PyMethodDef th_callFunctions[] = {
    {"_set_result_text", setResultText, METH_O, NULL},
    {"_set_observer", setObserver, METH_O, NULL},
    {"_result_type", resultTypeOf, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* Whether a function that takes two tensors is given a number as the first one. */
static bool startsWithNumber(const Group *group, PyObject *const *arguments)
{
  static const char *const names[] = {"add",          "sub",         "subtract",   "mul",
                                      "multiply",     "div",         "divide",     "true_divide",
                                      "floor_divide", "bitwise_and", "bitwise_or", "bitwise_xor"};
  if (!(PyFloat_Check(arguments[0]) || PyLong_Check(arguments[0])) || !th_isTensor(arguments[1]))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(group->name, names[i]) == 0)
      return true;
  return false;
}

static PyObject *callWithNumber(Group *group, PyObject *const *arguments, Py_ssize_t count,
                                PyObject *names)
{
  PyObject *all[TH_MOST_ARGUMENTS];
  const Py_ssize_t total = count + (names ? PyTuple_Size(names) : 0);
  if (total > TH_MOST_ARGUMENTS)
    return PyErr_Format(PyExc_TypeError, "%s(): too many arguments", group->name);
  memcpy(all, arguments, (size_t)total * sizeof *all);
  all[0] = th_numberBefore(arguments[0], arguments[1]);
  PyObject *result = all[0] ? callGroup(group, all, count, names) : NULL;
  Py_XDECREF(all[0]);
  return result;
}

PyObject *th_call(Group *group, PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                  PyObject *names)
{
  if (!self)
    return count >= 2 && startsWithNumber(group, arguments)
               ? callWithNumber(group, arguments, count, names)
               : callGroup(group, arguments, count, names);
  PyObject *all[TH_MOST_ARGUMENTS];
  const Py_ssize_t total = count + (names ? PyTuple_Size(names) : 0);
  if (total >= TH_MOST_ARGUMENTS)
    return PyErr_Format(PyExc_TypeError, "%s(): too many arguments", group->name);
  all[0] = self;
  if (total > 0)
    memcpy(all + 1, arguments, (size_t)total * sizeof *all);
  return callGroup(group, all, count + 1, names);
}

PyObject *th_callWith(Group *group, int count, PyObject *const *arguments)
{
  return callGroup(group, arguments, count, NULL);
}

Group *th_group(const char *name)
{
  int low = 0, high = th_groupCount;
  while (low < high) {
    const int middle = (low + high) / 2;
    const int order = strcmp(th_groups[middle].name, name);
    if (order == 0)
      return &th_groups[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  PyErr_Format(PyExc_SystemError, "no operation %s", name);
  return NULL;
}

/* Finds the rows of a group in the library's table. */
static bool findRows(Group *group)
{
  const at_op *first = at_op_find(group->symbol), *const end = at_ops + at_opCount;
  for (int i = 0; i < group->count; i++) {
    const at_op *op = first;
    while (op && op < end && strcmp(op->name, group->symbol) == 0 &&
           strcmp(op->overload, group->rows[i].overload) != 0)
      op++;
    if (!op || op == end || strcmp(op->name, group->symbol) != 0) {
      PyErr_Format(PyExc_ImportError, "libATen has no operation %s", group->symbol);
      return false;
    }
    group->rows[i].op = op;
  }
  return true;
}

bool th_addCalls(PyObject *module)
{
  for (int i = 0; i < th_groupCount; i++)
    if (!findRows(&th_groups[i]) || (th_groups[i].out && !findRows(th_groups[i].out)))
      return false;
  resultTypes = PyDict_New();
  argumentError = newError("thaten.ArgumentError",
                           PyTuple_Pack(3, PyExc_RuntimeError, PyExc_IndexError, PyExc_ValueError));
  elementTypeError = newError("thaten.ElementTypeError",
                              PyTuple_Pack(2, PyExc_NotImplementedError, PyExc_TypeError));
  linAlgError = PyErr_NewException("thaten.linalg.LinAlgError", PyExc_RuntimeError, NULL);
  return resultTypes && argumentError && elementTypeError && linAlgError &&
         PyModule_AddObjectRef(module, "LinAlgError", linAlgError) == 0 &&
         PyModule_AddObjectRef(module, "ArgumentError", argumentError) == 0 &&
         PyModule_AddObjectRef(module, "ElementTypeError", elementTypeError) == 0;
}
