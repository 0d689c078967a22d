/* The type Summary: an event file for TensorBoard. */
#include "thaten.h"

static PyTypeObject *summaryType;

typedef struct Summary {
  PyObject_HEAD at_summary *summary; /* NULL after close() */
} Summary;

static PyObject *newSummary(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
  static char *keywords[] = {"folder", NULL};
  PyObject *path;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O&:Summary", keywords, PyUnicode_FSConverter,
                                   &path))
    return NULL;
  at_summary *summary = (at_summary_new)(PyBytes_AsString(path));
  Py_DECREF(path);
  if (!summary)
    return th_raise();
  Summary *self = (Summary *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self)
    at_summary_free(summary);
  else
    self->summary = summary;
  return (PyObject *)self;
}

static PyObject *closeSummary(PyObject *self, PyObject *unused)
{
  (void)unused;
  at_summary_free(((Summary *)self)->summary);
  ((Summary *)self)->summary = NULL;
  Py_RETURN_NONE;
}

static void freeSummary(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  at_summary_free(((Summary *)self)->summary);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* The open file; NULL and an exception after close(). */
static at_summary *summaryOf(PyObject *self)
{
  if (!((Summary *)self)->summary)
    PyErr_SetString(PyExc_ValueError, "the event file is closed");
  return ((Summary *)self)->summary;
}

static PyObject *done(bool isDone)
{
  return isDone ? Py_NewRef(Py_None) : th_raise();
}

static PyObject *addScalar(PyObject *self, PyObject *arguments)
{
  const char *tag;
  double value;
  long long step;
  if (!PyArg_ParseTuple(arguments, "sdL:scalar", &tag, &value, &step) || !summaryOf(self))
    return NULL;
  return done((at_summary_scalar)(summaryOf(self), tag, value, step));
}

static PyObject *addText(PyObject *self, PyObject *arguments)
{
  const char *tag, *text;
  long long step;
  if (!PyArg_ParseTuple(arguments, "ssL:text", &tag, &text, &step) || !summaryOf(self))
    return NULL;
  return done((at_summary_text)(summaryOf(self), tag, text, step));
}

static PyObject *addTensor(PyObject *self, PyObject *arguments, const char *format,
                           bool (*add)(at_summary *, const char *, at_tensor *, int64_t))
{
  const char *tag;
  PyObject *tensor;
  long long step;
  if (!PyArg_ParseTuple(arguments, format, &tag, th_Tensor, &tensor, &step) || !summaryOf(self))
    return NULL;
  return done(add(summaryOf(self), tag, th_tensorOf(tensor), step));
}

static PyObject *addHistogram(PyObject *self, PyObject *arguments)
{
  return addTensor(self, arguments, "sO!L:histogram", (at_summary_histogram));
}

static PyObject *addImage(PyObject *self, PyObject *arguments)
{
  return addTensor(self, arguments, "sO!L:image", (at_summary_image));
}

static PyMethodDef methods[] = {
    {"scalar", addScalar, METH_VARARGS, "scalar(tag, value, step)"},
    {"histogram", addHistogram, METH_VARARGS, "histogram(tag, values, step)"},
    {"image", addImage, METH_VARARGS, "image(tag, image, step)"},
    {"text", addText, METH_VARARGS, "text(tag, text, step)"},
    {"close", closeSummary, METH_NOARGS, "Closes the file."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "An event file, which TensorBoard shows."},
    {Py_tp_new, newSummary},
    {Py_tp_dealloc, freeSummary},
    {Py_tp_methods, methods},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "thaten.Summary",
    .basicsize = sizeof(Summary),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

bool th_addSummary(PyObject *module)
{
  summaryType = (PyTypeObject *)PyType_FromSpec(&spec);
  return summaryType && PyModule_AddType(module, summaryType) == 0;
}
