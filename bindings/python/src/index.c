/* x[...] and x[...] = y, with integers, slices, None, Ellipsis, booleans, and tensors or lists of
 * indices or booleans.
 *
 * Integers, slices, None and Ellipsis make a view; tensors are then indices of the view. */
#include <string.h>

#include "thaten.h"

enum { MOST_ITEMS = 128 };

/* A view, and the indices of its dimensions as far as there are any. */
typedef struct Selection {
  at_tensor *view;
  int dim; /* of the view: the next one that an item of the key is for */
  int count;
  bool hasIndices;
  at_tensor *indices[MOST_ITEMS]; /* NULL: all of a dimension */
} Selection;

static void drop(Selection *s)
{
  at_release(s->view);
  for (int i = 0; i < s->count; i++)
    at_release(s->indices[i]);
}

/* Puts a view in place of the selection's; false and an exception if there is none. */
static bool replace(Selection *s, at_tensor *view)
{
  if (!at_defined(view)) {
    th_raise();
    return false;
  }
  at_release(s->view);
  s->view = view;
  return true;
}

static bool push(Selection *s, at_tensor *index)
{
  if (s->count == MOST_ITEMS) {
    at_release(index);
    PyErr_SetString(PyExc_IndexError, "too many indices");
    return false;
  }
  s->hasIndices = s->hasIndices || index;
  s->indices[s->count++] = index;
  return true;
}

static bool hasDim(const Selection *s, int needed)
{
  if (s->dim + needed <= at_dim(s->view))
    return true;
  PyErr_Format(PyExc_IndexError, "too many indices for a tensor of %d dimensions", at_dim(s->view));
  return false;
}

/* --- items of a key ------------------------------------------------------------------------------------ */

static bool takeInteger(Selection *s, PyObject *o)
{
  PyObject *integer = PyNumber_Index(o);
  const long long index = integer ? PyLong_AsLongLong(integer) : -1;
  Py_XDECREF(integer);
  if ((index == -1 && PyErr_Occurred()) || !hasDim(s, 1))
    return false;
  const int64_t size = at_sizes(s->view).data[s->dim];
  if (index < -size || index >= size) {
    PyErr_Format(PyExc_IndexError, "index %lld is out of range for dimension %d of size %lld",
                 index, s->dim, (long long)size);
    return false;
  }
  return replace(s, (at_select)(s->view, s->dim, index));
}

static bool takeSlice(Selection *s, PyObject *slice)
{
  Py_ssize_t start, stop, step;
  if (!hasDim(s, 1) || PySlice_Unpack(slice, &start, &stop, &step) < 0)
    return false;
  if (step < 1) {
    PyErr_SetString(PyExc_ValueError, "the step of a slice has to be positive");
    return false;
  }
  const Py_ssize_t size = (Py_ssize_t)at_sizes(s->view).data[s->dim];
  PySlice_AdjustIndices(size, &start, &stop, step);
  if (start != 0 || stop != size || step != 1) {
    at_slice_options options = at_slice_defaults;
    options.dim = s->dim;
    options.start = start;
    options.end = stop < start ? start : stop;
    options.step = step;
    if (!replace(s, (at_slice)(s->view, &options)))
      return false;
  }
  s->dim++;
  return push(s, NULL);
}

static bool takeNone(Selection *s)
{
  if (!replace(s, (at_unsqueeze)(s->view, s->dim)))
    return false;
  s->dim++;
  return push(s, NULL);
}

static bool takeEllipsis(Selection *s, int dims)
{
  for (int i = 0; i < dims; i++)
    if (!push(s, NULL))
      return false;
  s->dim += dims;
  return true;
}

/* A tensor of indices for one dimension, or of booleans for as many as it has itself; a single
 * boolean is for a new dimension of size 1. */
static bool takeTensor(Selection *s, at_tensor *t)
{
  const at_scalar_type type = at_type_scalarType(at_typeOf(t));
  int dims = 1;
  if (type == AT_BOOL || type == AT_BYTE) {
    dims = at_dim(t);
    if (dims == 0) {
      at_tensor *one = (at_unsqueeze)(t, 0);
      if (!at_defined(one) || !replace(s, (at_unsqueeze)(s->view, s->dim))) {
        at_release(one);
        return false;
      }
      s->dim++;
      return push(s, one);
    }
  }
  if (!hasDim(s, dims))
    return false;
  s->dim += dims;
  return push(s, at_retain(t));
}

static bool takeObject(Selection *s, PyObject *o)
{
  at_tensor *t = th_make(o, AT_SCALAR_TYPES);
  if (!t)
    return false;
  /* An empty list is one of no indices. */
  if (at_numel(t) == 0 && at_type_scalarType(at_typeOf(t)) == AT_FLOAT) {
    at_tensor *indices = (at_to)(t, (at_getType)(AT_BACKEND_CPU, AT_LONG));
    at_release(t);
    t = indices;
  }
  const bool taken = takeTensor(s, t);
  at_release(t);
  return taken;
}

/* How many dimensions an item is for. */
static int dimsOf(PyObject *o)
{
  if (o == Py_None || o == Py_Ellipsis || PyBool_Check(o))
    return 0;
  if (th_isTensor(o)) {
    const at_scalar_type type = at_type_scalarType(at_typeOf(th_tensorOf(o)));
    return type == AT_BOOL || type == AT_BYTE ? at_dim(th_tensorOf(o)) : 1;
  }
  return 1;
}

static bool takeItem(Selection *s, PyObject *o, int dimsOfEllipsis)
{
  if (o == Py_None)
    return takeNone(s);
  if (o == Py_Ellipsis)
    return takeEllipsis(s, dimsOfEllipsis);
  if (PySlice_Check(o))
    return takeSlice(s, o);
  if (th_isTensor(o)) {
    at_tensor *t = th_tensorOf(o);
    const at_scalar_type type = at_type_scalarType(at_typeOf(t));
    if (at_dim(t) == 0 && type <= AT_LONG && type != AT_BYTE)
      return takeInteger(s, o);
    return takeTensor(s, t);
  }
  if (PyIndex_Check(o) && !PyBool_Check(o) && !PySequence_Check(o))
    return takeInteger(s, o);
  if (PyFloat_Check(o)) {
    PyErr_SetString(PyExc_IndexError, "a floating number is no index");
    return false;
  }
  return takeObject(s, o);
}

static bool selectBy(Selection *s, PyObject *self, PyObject *key)
{
  memset(s, 0, offsetof(Selection, indices));
  s->view = at_retain(th_tensorOf(self));
  const Py_ssize_t count = PyTuple_Check(key) ? PyTuple_Size(key) : 1;
  int dims = 0;
  for (Py_ssize_t i = 0; i < count; i++)
    dims += dimsOf(PyTuple_Check(key) ? PyTuple_GetItem(key, i) : key);
  const int rest = at_dim(s->view) - dims;
  bool done = true, hadEllipsis = false;
  for (Py_ssize_t i = 0; done && i < count; i++) {
    PyObject *item = PyTuple_Check(key) ? PyTuple_GetItem(key, i) : key;
    if (item == Py_Ellipsis && hadEllipsis) {
      PyErr_SetString(PyExc_IndexError, "an index can only have one Ellipsis");
      done = false;
    } else {
      done = takeItem(s, item, rest > 0 ? rest : 0);
    }
    hadEllipsis = hadEllipsis || item == Py_Ellipsis;
  }
  if (!done)
    drop(s);
  return done;
}

/* --- reading --------------------------------------------------------------------------------------------- */

PyObject *th_getItem(PyObject *self, PyObject *key)
{
  Selection s;
  if (!selectBy(&s, self, key))
    return NULL;
  at_tensor *result;
  if (s.hasIndices) {
    result = (at_index)(s.view, (at_tensors){s.indices, s.count});
  } else if (s.view == th_tensorOf(self)) {
    result = (at_alias)(s.view);
  } else {
    result = at_retain(s.view);
  }
  drop(&s);
  return th_wrap(result);
}

/* --- writing --------------------------------------------------------------------------------------------- */

/* The value without leading dimensions of size 1 that the target does not have. */
static at_tensor *withoutPrefix(at_tensor *value, at_tensor *target)
{
  const at_ints sizes = at_sizes(value);
  int extra = 0;
  while (sizes.count - extra > at_dim(target) && sizes.data[extra] == 1)
    extra++;
  if (extra == 0)
    return at_retain(value);
  return (at_view)(value, (at_ints){sizes.data + extra, sizes.count - extra});
}

static bool store(const Selection *s, at_tensor *value)
{
  if (!s->hasIndices) {
    at_tensor *source = withoutPrefix(value, s->view);
    at_tensor *done = (at_copy_)(s->view, source);
    at_release(source);
    return at_defined(done);
  }
  return at_defined((at_index_put_)(s->view, (at_tensors){(at_tensor *const *)s->indices, s->count},
                                    value, NULL));
}

int th_setItem(PyObject *self, PyObject *key, PyObject *value)
{
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "elements of a tensor cannot be deleted");
    return -1;
  }
  const at_scalar_type type = at_type_scalarType(at_typeOf(th_tensorOf(self)));
  const bool isTensor = th_isTensor(value);
  at_tensor *source = isTensor ? at_retain(th_tensorOf(value)) : th_make(value, type);
  if (!source)
    return -1;
  Selection s;
  if (!selectBy(&s, self, key)) {
    at_release(source);
    return -1;
  }
  const bool done = store(&s, source);
  at_release(source);
  drop(&s);
  if (!done)
    th_raise();
  return done ? 0 : -1;
}
