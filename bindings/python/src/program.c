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

/* The tensors of an output; None where one is missing. */
static PyObject *listOf(at_tensors tensors)
{
  PyObject *list = PyList_New(tensors.count);
  for (int i = 0; list && i < tensors.count; i++) {
    at_tensor *t = tensors.data[i];
    PyObject *one = t ? th_share(t) : Py_NewRef(Py_None);
    if (!one)
      Py_CLEAR(list);
    else
      PyList_SetItem(list, i, one);
  }
  return list;
}

/* The outputs: one, or a tuple of several.  An output is a tensor, None, or a list. */
static PyObject *outputs(const at_program *program)
{
  const int count = at_program_outputCount(program);
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *one = listOf(at_program_result(program, i));
    if (one && !at_program_output(program, i).isList)
      th_set(&one, Py_NewRef(PyList_GetItem(one, 0)));
    if (!one)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, i, one);
  }
  if (tuple && count == 1)
    th_set(&tuple, Py_NewRef(PyTuple_GetItem(tuple, 0)));
  return tuple;
}

/* Runs the program on tensors and None; counts, unless it is NULL, says how many each of the inputs has. */
static PyObject *run(Program *self, PyObject *list, const int *counts)
{
  const int lists = counts ? at_program_inputCount(self->program) : 0;
  const Py_ssize_t count = PyList_Size(list);
  at_tensor **inputs = count < INT_MAX ? PyMem_Calloc((size_t)count + 1, sizeof *inputs) : NULL;
  at_tensors *given = PyMem_Calloc((size_t)lists + 1, sizeof *given);
  PyObject *result = NULL;
  if (inputs && given) {
    for (Py_ssize_t i = 0; i < count; i++) {
      PyObject *one = PyList_GetItem(list, i);
      inputs[i] = one == Py_None ? NULL : th_tensorOf(one);
    }
    for (int i = 0, at = 0; i < lists; at += counts[i++])
      given[i] = (at_tensors){inputs + at, counts[i]};
    self->isRunning = true;
    Py_BEGIN_ALLOW_THREADS if (counts)(at_program_runLists)(self->program, given, lists);
    else(at_program_run)(self->program, (at_tensors){inputs, (int)count});
    Py_END_ALLOW_THREADS result = at_error() == AT_OK ? outputs(self->program) : th_raise();
    self->isRunning = false;
  } else {
    PyErr_NoMemory();
  }
  PyMem_Free(given);
  PyMem_Free(inputs);
  return result;
}

static bool hasLists(const at_program *program)
{
  for (int i = 0; i < at_program_inputCount(program); i++)
    if (at_program_input(program, i).isList || at_program_input(program, i).mayMiss)
      return true;
  return false;
}

/* Appends what is given for an input, None if it is missing; how many tensors these are, or -1. */
static int appendInput(PyObject *given, PyObject *list)
{
  const Py_ssize_t before = PyList_Size(list);
  const bool done =
      !given || given == Py_None ? PyList_Append(list, Py_None) == 0 : flatten(given, list);
  return done ? (int)(PyList_Size(list) - before) : -1;
}

/* Each argument is an input, by its position or its name: a tensor, a list of tensors, or None. */
static PyObject *runLists(Program *self, PyObject *arguments, PyObject *names)
{
  const int count = at_program_inputCount(self->program);
  const Py_ssize_t positions = PyTuple_Size(arguments);
  int *counts = PyMem_Calloc((size_t)count + 1, sizeof *counts);
  PyObject *list = PyList_New(0);
  Py_ssize_t named = 0;
  bool done = counts && list;
  for (int i = 0; done && i < count; i++) {
    PyObject *one = i < positions ? PyTuple_GetItem(arguments, i) : NULL;
    if (!one && names) {
      one = PyDict_GetItemString(names, at_program_input(self->program, i).name);
      named += one != NULL;
    }
    counts[i] = appendInput(one, list);
    done = counts[i] >= 0;
  }
  PyObject *result = NULL;
  if (done && names && named < PyDict_Size(names))
    PyErr_SetString(PyExc_TypeError,
                    "an input is named that the program does not have, or is given twice");
  else if (done)
    result = run(self, list, counts);
  else if (!PyErr_Occurred())
    PyErr_NoMemory();
  Py_XDECREF(list);
  PyMem_Free(counts);
  return result;
}

static PyObject *callProgram(PyObject *o, PyObject *arguments, PyObject *names)
{
  Program *self = (Program *)o;
  if (self->isRunning)
    return PyErr_Format(PyExc_RuntimeError, "another thread is running this program");
  /* Tensors alone are dealt: the only input that is a list takes those that the others leave. */
  if (hasLists(self->program) && PyTuple_Size(arguments) <= at_program_inputCount(self->program))
    return runLists(self, arguments, names);
  PyObject *list = PyList_New(0);
  PyObject *result = NULL;
  if (list && flatten(arguments, list) && (!names || flatten(names, list)))
    result = run(self, list, NULL);
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
    {Py_tp_doc,
     "Program(f)\n--\n\nA program that torch.export.save wrote.  Calling it runs it.  Inputs "
     "and outputs that are lists are lists of tensors; what is missing is None."},
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
