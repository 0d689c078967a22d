/* Tensors that are given for the results of operations that have no form for them: the results are computed,
 * and copied there. */
#include "thaten.h"

/* How many tensors the object has: one, or those of a tuple or list; -1 if it is none of these. */
static Py_ssize_t countOf(PyObject *o)
{
  if (th_isTensor(o))
    return 1;
  if (!PyTuple_Check(o) && !PyList_Check(o))
    return -1;
  const Py_ssize_t count = PySequence_Size(o);
  for (Py_ssize_t i = 0; i < count; i++)
    if (!th_isTensor(PyTuple_Check(o) ? PyTuple_GetItem(o, i) : PyList_GetItem(o, i)))
      return -1;
  return count;
}

/* Tensor i of the object, borrowed. */
static at_tensor *tensorIn(PyObject *o, Py_ssize_t i)
{
  PyObject *const one = th_isTensor(o)     ? o
                        : PyTuple_Check(o) ? PyTuple_GetItem(o, i)
                                           : PyList_GetItem(o, i);
  return th_tensorOf(one);
}

/* Copies the results, all of them or, if one does not fit, none: each becomes a tensor of its type before. */
static bool copyAll(PyObject *results, PyObject *out, Py_ssize_t count)
{
  bool done = true;
  AT_SCOPE
  {
    for (Py_ssize_t i = 0; done && i < count && count > 1; i++) {
      at_tensor *const like = at_empty(AT_SHAPE(0), .type = at_typeOf(tensorIn(out, i)));
      done = at_defined(at_alias_copy_out(like, tensorIn(results, i)));
    }
    for (Py_ssize_t i = 0; done && i < count; i++)
      done = at_defined(at_alias_copy_out(tensorIn(out, i), tensorIn(results, i)));
  }
  return done;
}

/* The tensors that were given, in the type of the results. */
static PyObject *returned(PyObject *results, PyObject *out, Py_ssize_t count)
{
  if (th_isTensor(out) || PyTuple_CheckExact(results))
    return Py_NewRef(out);
  PyObject *const several = PyStructSequence_New(Py_TYPE(results));
  for (Py_ssize_t i = 0; several && i < count; i++)
    PyStructSequence_SetItem(several, i,
                             Py_NewRef(PyTuple_Check(out) ? PyTuple_GetItem(out, i)
                                                          : PyList_GetItem(out, i)));
  return several;
}

PyObject *th_deliver(const char *name, PyObject *results, PyObject *out)
{
  const Py_ssize_t made = countOf(results), given = countOf(out);
  if (made < 0)
    return PyErr_Format(PyExc_TypeError, "%s(): out is given, and the result is no tensor", name);
  if (made != given || th_isTensor(results) != th_isTensor(out))
    return PyErr_Format(PyExc_TypeError, "%s(): out has to be %s", name,
                        th_isTensor(results) ? "a tensor"
                                             : "a tuple of as many tensors as there are results");
  return copyAll(results, out, made) ? returned(results, out, made) : th_raise();
}
