/* Programs that torch.export wrote. */
#include <limits.h>

#include "thaten.h"

PyTypeObject *th_Program;

typedef struct Program {
  PyObject_HEAD at_program *program;
  bool isRunning; /* one thread uses a program at a time */
} Program;

static PyObject *newProgram(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
  static char *keywords[] = {"f", NULL};
  PyObject *path;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O&:Program", keywords, PyUnicode_FSConverter,
                                   &path))
    return NULL;
  const char *file = PyBytes_AsString(path);
  at_program *program;
  Py_BEGIN_ALLOW_THREADS program = (at_program_load)(file);
  Py_END_ALLOW_THREADS Py_DECREF(path);
  if (!program)
    return th_raise();
  Program *self = (Program *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self)
    at_program_free(program);
  else
    self->program = program;
  return (PyObject *)self;
}

static void freeProgram(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  at_program_free(((Program *)self)->program);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* The tensors in lists, tuples and dictionaries, in their order; a number is a tensor of it. */
static bool flatten(PyObject *o, PyObject *list)
{
  if (th_isTensor(o))
    return PyList_Append(list, o) == 0;
  if (PyFloat_Check(o) || PyLong_Check(o)) {
    at_tensor *t = th_make(o, PyFloat_Check(o) ? AT_DOUBLE : PyBool_Check(o) ? AT_BOOL : AT_LONG);
    PyObject *one = t ? th_wrap(t) : NULL;
    const bool done = one && PyList_Append(list, one) == 0;
    Py_XDECREF(one);
    return done;
  }
  PyObject *entries =
      PyDict_Check(o) ? PyDict_Values(o)
      : PyList_Check(o) || PyTuple_Check(o)
          ? PySequence_List(o)
          : PyErr_Format(PyExc_TypeError, "an input is no tensor and no list of tensors: %R", o);
  bool done = entries && !Py_EnterRecursiveCall(" in the inputs of a program");
  if (done) {
    for (Py_ssize_t i = 0; done && i < PyList_Size(entries); i++)
      done = flatten(PyList_GetItem(entries, i), list);
    Py_LeaveRecursiveCall();
  }
  Py_XDECREF(entries);
  return done;
}

/* The outputs: one tensor, or a tuple of several. */
static PyObject *outputs(const at_tensors *results)
{
  PyObject *tuple = PyTuple_New(results->count);
  for (int i = 0; tuple && i < results->count; i++) {
    at_tensor *t = results->data[i];
    PyObject *one = t ? th_share(t) : Py_NewRef(Py_None);
    if (!one)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, i, one);
  }
  if (tuple && results->count == 1)
    th_set(&tuple, Py_NewRef(PyTuple_GetItem(tuple, 0)));
  return tuple;
}

static PyObject *run(Program *self, PyObject *list)
{
  const Py_ssize_t count = PyList_Size(list);
  at_tensor **inputs = count < INT_MAX ? PyMem_Calloc((size_t)count + 1, sizeof *inputs) : NULL;
  if (!inputs)
    return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++)
    inputs[i] = th_tensorOf(PyList_GetItem(list, i));
  self->isRunning = true;
  const at_tensors *results;
  Py_BEGIN_ALLOW_THREADS results =
      (at_program_run)(self->program, (at_tensors){inputs, (int)count});
  Py_END_ALLOW_THREADS PyObject *result = at_error() == AT_OK ? outputs(results) : th_raise();
  self->isRunning = false;
  PyMem_Free(inputs);
  return result;
}

static PyObject *callProgram(PyObject *o, PyObject *arguments, PyObject *names)
{
  Program *self = (Program *)o;
  if (self->isRunning)
    return PyErr_Format(PyExc_RuntimeError, "another thread is running this program");
  PyObject *list = PyList_New(0);
  PyObject *result = NULL;
  if (list && flatten(arguments, list) && (!names || flatten(names, list)))
    result = run(self, list);
  Py_XDECREF(list);
  return result;
}

static PyObject *text(PyObject *self)
{
  char *string = (at_program_toString)(((Program *)self)->program);
  if (!string)
    return th_raise();
  PyObject *result = PyUnicode_FromString(string);
  at_string_free(string);
  return result;
}

static PyObject *parameters(PyObject *self, PyObject *unused)
{
  (void)unused;
  const at_dict *dict = at_program_parameters(((Program *)self)->program);
  PyObject *result = PyDict_New();
  for (int64_t i = 0; result && i < at_dict_count(dict); i++) {
    PyObject *t = th_share((at_dict_at)(dict, i));
    if (!t || PyDict_SetItemString(result, (at_dict_name)(dict, i), t) < 0)
      Py_CLEAR(result);
    Py_XDECREF(t);
  }
  return result;
}

/* The names of inputs or outputs. */
static PyObject *namesOf(const at_program *program, int count,
                         at_program_info (*info)(const at_program *, int))
{
  PyObject *list = PyList_New(count);
  for (int i = 0; list && i < count; i++) {
    PyObject *name = PyUnicode_FromString(info(program, i).name);
    if (!name)
      Py_CLEAR(list);
    else
      PyList_SetItem(list, i, name);
  }
  return list;
}

static PyObject *inputNames(PyObject *self, void *unused)
{
  (void)unused;
  const at_program *program = ((Program *)self)->program;
  return namesOf(program, at_program_inputCount(program), at_program_input);
}

static PyObject *outputNames(PyObject *self, void *unused)
{
  (void)unused;
  const at_program *program = ((Program *)self)->program;
  return namesOf(program, at_program_outputCount(program), at_program_output);
}

/* What torch.export.load returns is called by its module(). */
static PyObject *module(PyObject *self, PyObject *unused)
{
  (void)unused;
  return Py_NewRef(self);
}

static PyMethodDef methods[] = {
    {"module", module, METH_NOARGS, "The program itself."},
    {"state_dict", parameters, METH_NOARGS, "The parameters, buffers and constants by name."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef attributes[] = {
    {"inputs", inputNames, NULL, "The names of the inputs.", NULL},
    {"outputs", outputNames, NULL, "The names of the outputs.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "Program(f)\n--\n\nA program that torch.export.save wrote.  Calling it runs it."},
    {Py_tp_new, newProgram},
    {Py_tp_dealloc, freeProgram},
    {Py_tp_call, callProgram},
    {Py_tp_str, text},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "thaten.export.Program",
    .basicsize = sizeof(Program),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

bool th_addProgram(PyObject *m)
{
  th_Program = (PyTypeObject *)PyType_FromSpec(&spec);
  return th_Program && PyModule_AddType(m, th_Program) == 0;
}
