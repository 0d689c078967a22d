/* Tensors from numbers, nested sequences and buffers. */
#include <string.h>

#include "thaten.h"

enum { MOST_DIMS = 64 };

/* What a nested sequence looks like: found first, before elements are written. */
typedef struct Nest {
  int dims;
  int64_t sizes[MOST_DIMS];
  at_scalar_type type; /* Bool, Long, Double or ComplexDouble: the widest of the numbers */
  bool isEmpty;
} Nest;

static at_scalar_type numberType(PyObject *o)
{
  if (th_isTensor(o)) {
    const at_scalar_type type = at_type_scalarType(at_typeOf(th_tensorOf(o)));
    return th_isComplex(type)                     ? AT_COMPLEX_DOUBLE
           : type == AT_BOOL                      ? AT_BOOL
           : type <= AT_LONG || type >= AT_UINT16 ? AT_LONG
                                                  : AT_DOUBLE;
  }
  if (PyBool_Check(o))
    return AT_BOOL;
  if (PyComplex_Check(o))
    return AT_COMPLEX_DOUBLE;
  return !PyFloat_Check(o) && PyIndex_Check(o) ? AT_LONG : AT_DOUBLE;
}

static bool isSequence(PyObject *o)
{
  if (th_isTensor(o))
    return at_dim(th_tensorOf(o)) > 0;
  return PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o);
}

/* Finds sizes along the first entries. */
static bool findSizes(PyObject *data, Nest *nest)
{
  PyObject *at = Py_NewRef(data);
  nest->dims = 0;
  while (at && isSequence(at)) {
    const Py_ssize_t size = PySequence_Size(at);
    if (size < 0 || nest->dims == MOST_DIMS) {
      Py_DECREF(at);
      if (size >= 0)
        PyErr_SetString(PyExc_ValueError, "data is nested too deeply");
      return false;
    }
    nest->sizes[nest->dims++] = size;
    nest->isEmpty = size == 0;
    if (size == 0)
      break;
    th_set(&at, PySequence_GetItem(at, 0));
  }
  Py_XDECREF(at);
  return at != NULL;
}

/* Checks that data has these sizes from dim on, and finds the type of its numbers. */
static bool survey(PyObject *data, int dim, Nest *nest)
{
  if (dim == nest->dims) {
    if (isSequence(data) || !PyNumber_Check(data)) {
      PyErr_Format(isSequence(data)        ? PyExc_ValueError
                   : PyUnicode_Check(data) ? PyExc_TypeError
                                           : PyExc_RuntimeError,
                   "data has %R where a number was expected", data);
      return false;
    }
    const at_scalar_type type = numberType(data);
    const bool isWider = nest->type == AT_SCALAR_TYPES || th_isComplex(type) ||
                         (type == AT_DOUBLE && !th_isComplex(nest->type)) ||
                         (type == AT_LONG && nest->type == AT_BOOL);
    nest->type = isWider ? type : nest->type;
    return true;
  }
  if (!isSequence(data) || PySequence_Size(data) != nest->sizes[dim]) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_ValueError, "expected a sequence of %lld entries in dimension %d of data",
                   (long long)nest->sizes[dim], dim);
    return false;
  }
  bool done = true;
  for (Py_ssize_t i = 0; done && i < nest->sizes[dim]; i++) {
    PyObject *entry = PySequence_GetItem(data, i);
    done = entry && survey(entry, dim + 1, nest);
    Py_XDECREF(entry);
  }
  return done;
}

static bool writeNumber(PyObject *o, at_scalar_type type, char *at)
{
  if (th_isComplex(type)) {
    ((double *)at)[0] = PyComplex_RealAsDouble(o);
    ((double *)at)[1] = PyErr_Occurred() ? 0 : PyComplex_ImagAsDouble(o);
  } else if (type == AT_DOUBLE) {
    *(double *)at = PyFloat_AsDouble(o);
  } else if (type == AT_LONG) {
    PyObject *integer = PyNumber_Index(o);
    *(int64_t *)at = integer ? PyLong_AsLongLong(integer) : 0;
    Py_XDECREF(integer);
  } else {
    *(uint8_t *)at = PyObject_IsTrue(o) == 1;
  }
  return !PyErr_Occurred();
}

/* Sequences may change while they are read: sizes are looked at once more. */
static bool fill(PyObject *data, int dim, const Nest *nest, char **at)
{
  if (dim == nest->dims) {
    const bool done = writeNumber(data, nest->type, *at);
    *at += nest->type == AT_BOOL ? 1 : th_isComplex(nest->type) ? 16 : 8;
    return done;
  }
  for (Py_ssize_t i = 0; i < nest->sizes[dim]; i++) {
    PyObject *entry = PySequence_GetItem(data, i);
    const bool done = entry && fill(entry, dim + 1, nest, at);
    Py_XDECREF(entry);
    if (!done)
      return false;
  }
  return true;
}

/* The tensor in another type; releases t. */
static at_tensor *converted(at_tensor *t, at_scalar_type type)
{
  at_tensor *result = (at_to)(t, (at_getType)(AT_BACKEND_CPU, type));
  at_release(t);
  if (at_defined(result))
    return result;
  th_raise();
  return NULL;
}

static at_tensor *ofNest(PyObject *data, at_scalar_type type)
{
  Nest nest = {.type = AT_SCALAR_TYPES};
  if (!findSizes(data, &nest) || (!nest.isEmpty && !survey(data, 0, &nest)))
    return NULL;
  if (nest.isEmpty)
    nest.type = AT_DOUBLE;
  if (th_isComplex(nest.type) && type != AT_SCALAR_TYPES && !th_isComplex(type)) {
    PyErr_SetString(PyExc_TypeError, "complex numbers are no elements of a real type");
    return NULL;
  }
  at_empty_options options = at_empty_defaults;
  options.type = (at_getType)(AT_BACKEND_CPU, nest.type);
  at_tensor *t = (at_empty)((at_ints){nest.sizes, nest.dims}, &options);
  if (!at_defined(t)) {
    th_raise();
    return NULL;
  }
  char *at = at_data(t);
  if (at && !fill(data, 0, &nest, &at)) {
    at_release(t);
    return NULL;
  }
  if (type == AT_SCALAR_TYPES)
    type = nest.type == AT_DOUBLE    ? at_defaultType()
           : th_isComplex(nest.type) ? at_promoteTypes(at_defaultType(), AT_COMPLEX_FLOAT)
                                     : nest.type;
  return type == nest.type ? t : converted(t, type);
}

at_tensor *th_make(PyObject *data, at_scalar_type type)
{
  at_tensor *t = NULL;
  if (th_isTensor(data)) {
    t = (at_clone)(th_tensorOf(data));
  } else if (PyObject_CheckBuffer(data) && !PyBytes_Check(data)) {
    at_tensor *view = th_ofBuffer(data, false);
    if (!view)
      return NULL;
    t = (at_clone)(view);
    at_release(view);
  } else {
    return ofNest(data, type);
  }
  if (!at_defined(t)) {
    th_raise();
    return NULL;
  }
  const bool isThat = type == AT_SCALAR_TYPES || type == at_type_scalarType(at_typeOf(t));
  return isThat ? t : converted(t, type);
}

PyObject *th_numberBefore(PyObject *number, PyObject *other)
{
  const at_scalar_type given = at_type_scalarType(at_typeOf(th_tensorOf(other)));
  const bool isInteger = given <= AT_LONG || given == AT_BOOL || given >= AT_UINT16;
  const bool isDouble = given == AT_DOUBLE || given == AT_COMPLEX_DOUBLE;
  const at_scalar_type type =
      PyComplex_Check(number) ? isDouble    ? AT_COMPLEX_DOUBLE
                                : isInteger ? at_promoteTypes(at_defaultType(), AT_COMPLEX_FLOAT)
                                            : AT_COMPLEX_FLOAT
      : PyBool_Check(number)  ? AT_BOOL
      : PyLong_Check(number)  ? AT_LONG
      : isDouble              ? AT_DOUBLE
      : isInteger             ? at_defaultType()
                              : AT_FLOAT;
  at_tensor *t = th_make(number, type);
  return t ? th_wrap(t) : NULL;
}

/* --- functions ----------------------------------------------------------------------------------------------- */

static PyObject *makeTensor(PyObject *self, PyObject *arguments, PyObject *names)
{
  (void)self;
  static char *keywords[] = {"data", "dtype", "device", "requires_grad", "pin_memory", NULL};
  PyObject *data, *dtype = Py_None, *device;
  int wantsGradient = 0, isPinned = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O|$OOpp:tensor", keywords, &data, &dtype,
                                   &device, &wantsGradient, &isPinned))
    return NULL;
  at_scalar_type type = AT_SCALAR_TYPES;
  if (dtype != Py_None && !th_isDType(dtype, &type))
    return PyErr_Format(PyExc_TypeError, "tensor(): dtype is %R", dtype);
  if (isPinned)
    return PyErr_Format(PyExc_RuntimeError, "tensor(): there is no pinned memory");
  at_tensor *t = th_make(data, type);
  if (t)
    (void)(at_detach_)(t);
  return !t ? NULL : th_wrap(wantsGradient ? (at_requires_grad_)(t) : t);
}

static PyObject *fromNumpy(PyObject *self, PyObject *array)
{
  (void)self;
  at_tensor *t = th_ofBuffer(array, true);
  return t ? th_wrap(t) : NULL;
}

/* For pickle: a tensor from its dtype, sizes and bytes. */
static PyObject *rebuild(PyObject *self, PyObject *arguments)
{
  (void)self;
  PyObject *dtype, *sizes;
  const char *bytes;
  Py_ssize_t length;
  if (!PyArg_ParseTuple(arguments, "O!O!y#:_rebuild", th_DType, &dtype, &PyTuple_Type, &sizes,
                        &bytes, &length))
    return NULL;
  PyObject *empty[] = {sizes, dtype};
  PyObject *names = Py_BuildValue("(s)", "dtype");
  Group *group = th_group("empty");
  PyObject *made = names && group ? th_call(group, NULL, empty, 1, names) : NULL;
  Py_XDECREF(names);
  if (!made)
    return NULL;
  at_tensor *t = th_tensorOf(made);
  if (at_numel(t) * (int64_t)at_type_elementSize(at_typeOf(t)) != length) {
    Py_DECREF(made);
    return PyErr_Format(PyExc_ValueError, "_rebuild(): %zd bytes do not fill that shape", length);
  }
  if (length > 0)
    memcpy(at_data(t), bytes, (size_t)length);
  return made;
}

PyMethodDef th_makeFunctions[] = {
    {"tensor", (PyCFunction)(void (*)(void))makeTensor, METH_VARARGS | METH_KEYWORDS,
     "tensor(data, *, dtype=None)\n\nA new tensor of numbers, nested sequences of them, an array "
     "or "
     "a tensor."},
    {"from_numpy", fromNumpy, METH_O,
     "from_numpy(array)\n\nA tensor on the memory of a NumPy array, or of another buffer."},
    {"_rebuild", rebuild, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
