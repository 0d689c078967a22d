/* load and save. */
#include <string.h>

#include "thaten.h"

/* --- values of a file --------------------------------------------------------------------------------- */

static PyObject *valueOf(at_datum value, PyObject *seen);

static PyObject *keyOf(at_datum dictionary, int64_t i, PyObject *seen)
{
  PyObject *key = valueOf(at_datum_key(dictionary, i), seen);
  if (key && PyList_Check(key))
    th_set(&key, PyList_AsTuple(key));
  if (key && PyObject_Hash(key) == -1) {
    PyErr_Clear();
    th_set(&key, PyUnicode_FromFormat("?%lld", (long long)i));
  }
  return key;
}

static bool fillDictionary(PyObject *dictionary, at_datum value, PyObject *seen)
{
  for (int64_t i = 0; i < at_datum_count(value); i++) {
    PyObject *key = keyOf(value, i, seen);
    PyObject *item = key ? valueOf(at_datum_at(value, i), seen) : NULL;
    const bool done = item && PyDict_SetItem(dictionary, key, item) == 0;
    Py_XDECREF(key);
    Py_XDECREF(item);
    if (!done)
      return false;
  }
  return true;
}

static bool fillList(PyObject *list, at_datum value, PyObject *seen)
{
  for (int64_t i = 0; i < at_datum_count(value); i++) {
    PyObject *item = valueOf(at_datum_at(value, i), seen);
    const bool done = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    if (!done)
      return false;
  }
  return true;
}

/* A list, a dictionary, or of an object the list of its arguments, items and fields: the same object
 * for the same value, since lists may contain themselves. */
static PyObject *container(at_datum value, PyObject *seen)
{
  PyObject *id = PyLong_FromLongLong(value.id);
  PyObject *known = id ? PyDict_GetItemWithError(seen, id) : NULL;
  if (known || PyErr_Occurred() || Py_EnterRecursiveCall(" in load()")) {
    Py_XDECREF(id);
    return Py_XNewRef(known);
  }
  const bool isDictionary = at_datum_kindOf(value) == AT_DATUM_DICT;
  PyObject *made = isDictionary ? PyDict_New() : PyList_New(0);
  if (made && (PyDict_SetItem(seen, id, made) < 0 ||
               !(isDictionary ? fillDictionary : fillList)(made, value, seen)))
    Py_CLEAR(made);
  Py_LeaveRecursiveCall();
  Py_DECREF(id);
  return made;
}

static PyObject *textOf(at_datum value)
{
  size_t length = 0;
  const char *text = at_datum_string(value, &length);
  if (!text)
    return th_raise();
  return at_datum_kindOf(value) == AT_DATUM_BYTES
             ? PyBytes_FromStringAndSize(text, (Py_ssize_t)length)
             : PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "surrogateescape");
}

static PyObject *valueOf(at_datum value, PyObject *seen)
{
  switch (at_datum_kindOf(value)) {
    case AT_DATUM_BOOL:
      return PyBool_FromLong(at_datum_integer(value) != 0);
    case AT_DATUM_INTEGER:
      return PyLong_FromLongLong(at_datum_integer(value));
    case AT_DATUM_NUMBER:
      return PyFloat_FromDouble(at_datum_number(value));
    case AT_DATUM_STRING:
    case AT_DATUM_BYTES:
    case AT_DATUM_NAME:
      return textOf(value);
    case AT_DATUM_LIST:
    case AT_DATUM_DICT:
    case AT_DATUM_OBJECT:
      return container(value, seen);
    case AT_DATUM_TENSOR:
      return th_share(at_datum_tensor(value));
    case AT_DATUM_NOTHING:
      break;
  }
  return Py_NewRef(Py_None);
}

/* The tensors by their names; of a file with one tensor without a name, that. */
static PyObject *tensorsOf(const at_dict *dict)
{
  PyObject *result = PyDict_New();
  for (int64_t i = 0; result && i < at_dict_count(dict); i++) {
    const char *name = (at_dict_name)(dict, i);
    PyObject *t = th_share((at_dict_at)(dict, i));
    if (t && *name == '\0' && at_dict_count(dict) == 1) {
      Py_DECREF(result);
      return t;
    }
    if (!t || PyDict_SetItemString(result, name, t) < 0)
      Py_CLEAR(result);
    Py_XDECREF(t);
  }
  return result;
}

static PyObject *contentsOf(const at_dict *dict)
{
  const at_datum values = at_dict_values(dict);
  if (at_datum_kindOf(values) == AT_DATUM_NOTHING)
    return tensorsOf(dict);
  PyObject *seen = PyDict_New();
  PyObject *result = seen ? valueOf(values, seen) : NULL;
  Py_XDECREF(seen);
  return result;
}

PyObject *th_contents(at_dict *dict)
{
  if (!dict)
    return th_raise();
  PyObject *result = contentsOf(dict);
  at_dict_free(dict);
  if (at_error() != AT_OK && !PyErr_Occurred())
    th_raise();
  if (PyErr_Occurred())
    Py_CLEAR(result);
  return result;
}

static PyObject *load(PyObject *self, PyObject *arguments, PyObject *names)
{
  (void)self;
  static char *keywords[] = {"f", "map_location", "weights_only", "mmap", "skip", NULL};
  PyObject *path, *ignored;
  int skip = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O&|O$OOp:load", keywords,
                                   PyUnicode_FSConverter, &path, &ignored, &ignored, &ignored,
                                   &skip))
    return NULL;
  at_load_options options = at_load_defaults;
  options.skip = skip;
  const char *file = PyBytes_AsString(path);
  at_dict *dict;
  Py_BEGIN_ALLOW_THREADS dict = (at_load)(file, &options);
  Py_END_ALLOW_THREADS Py_DECREF(path);
  return th_contents(dict);
}

/* --- saving ----------------------------------------------------------------------------------------------- */

/* Adds what o is under that name: a tensor, or below it the entries of a dictionary or a list. */
static bool collect(at_dict *dict, PyObject *name, PyObject *o)
{
  if (th_isTensor(o)) {
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (text && (at_dict_set)(dict, text, th_tensorOf(o)))
      return true;
    if (!PyErr_Occurred())
      th_raise();
    return false;
  }
  if (!PyDict_Check(o)) {
    PyErr_Format(PyExc_TypeError, "save(): %U is no tensor and no dictionary of tensors", name);
    return false;
  }
  if (Py_EnterRecursiveCall(" in save()"))
    return false;
  bool done = true;
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (done && PyDict_Next(o, &at, &key, &value)) {
    PyObject *below = PyUnicode_GetLength(name) > 0 ? PyUnicode_FromFormat("%U.%S", name, key)
                                                    : PyObject_Str(key);
    done = below && collect(dict, below, value);
    Py_XDECREF(below);
  }
  Py_LeaveRecursiveCall();
  return done;
}

static PyObject *save(PyObject *self, PyObject *arguments, PyObject *names)
{
  (void)self;
  static char *keywords[] = {"obj", "f", NULL};
  PyObject *object, *path;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "OO&:save", keywords, &object,
                                   PyUnicode_FSConverter, &path))
    return NULL;
  PyObject *name = PyUnicode_FromString("");
  at_dict *dict = at_dict_new();
  bool done = name && dict && collect(dict, name, object);
  if (done) {
    done = (at_save)(PyBytes_AsString(path), dict);
    if (!done)
      th_raise();
  } else if (!dict) {
    th_raise();
  }
  at_dict_free(dict);
  Py_XDECREF(name);
  Py_DECREF(path);
  return done ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef th_fileFunctions[] = {
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS,
     "load(f, *, skip=False)\n\nWhat is in a file of PyTorch (.pt), safetensors, NumPy (.npy, "
     ".npz) "
     "or Torch (.t7)."},
    {"save", (PyCFunction)(void (*)(void))save, METH_VARARGS | METH_KEYWORDS,
     "save(obj, f)\n\nWrites a tensor, or a dictionary of tensors, in the format that the ending "
     "of "
     "f names."},
    {NULL, NULL, 0, NULL},
};
