/* Calls between processes.  Groups are numbers, their addresses, which the library knows from others; 0 is all
 * processes.  thaten/distributed has what scripts call. */
#include <string.h>

#include <ATen/ATenDistributed.h>

#include "thaten.h"

static PyTypeObject *workType;

typedef struct Work {
  PyObject_HEAD at_comm_work *work; /* NULL after wait() */
} Work;

static PyObject *done(bool isDone)
{
  return isDone ? Py_NewRef(Py_None) : th_raise();
}

/* --- start, end and groups ------------------------------------------------------------------------------ */

static PyObject *start(PyObject *self, PyObject *arguments)
{
  (void)self;
  int backend;
  at_comm_start_options options = at_comm_start_defaults;
  if (!PyArg_ParseTuple(arguments, "id:_comm_start", &backend, &options.timeout))
    return NULL;
  options.backend = (at_comm_backend)backend;
  bool isDone;
  Py_BEGIN_ALLOW_THREADS isDone = (at_comm_start)(&options);
  Py_END_ALLOW_THREADS return done(isDone);
}

static PyObject *stop(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  Py_BEGIN_ALLOW_THREADS at_comm_stop();
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static bool takeGroup(PyObject *o, at_comm_group **group)
{
  *group = PyLong_AsVoidPtr(o);
  return *group || !PyErr_Occurred();
}

static PyObject *rankAndSize(PyObject *self, PyObject *o)
{
  (void)self;
  at_comm_group *group;
  if (!takeGroup(o, &group))
    return NULL;
  return Py_BuildValue("(ii)", at_comm_rank(group), at_comm_size(group));
}

static PyObject *backendName(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  return PyUnicode_FromString(at_comm_backendName());
}

static PyObject *split(PyObject *self, PyObject *arguments)
{
  (void)self;
  int color, key;
  if (!PyArg_ParseTuple(arguments, "ii:_comm_split", &color, &key))
    return NULL;
  at_comm_group *group;
  Py_BEGIN_ALLOW_THREADS group = at_comm_split(NULL, color, key);
  Py_END_ALLOW_THREADS return !group && at_error() != AT_OK ? th_raise()
                                                            : PyLong_FromVoidPtr(group);
}

static PyObject *freeGroup(PyObject *self, PyObject *o)
{
  (void)self;
  at_comm_group *group;
  if (!takeGroup(o, &group))
    return NULL;
  at_comm_group_free(group);
  Py_RETURN_NONE;
}

/* --- works ------------------------------------------------------------------------------------------------ */

static PyObject *newWork(at_comm_work *work)
{
  Work *self = (Work *)((allocfunc)PyType_GetSlot(workType, Py_tp_alloc))(workType, 0);
  if (self)
    self->work = work;
  return (PyObject *)self;
}

/* A work that nobody has waited for and that goes on keeps its memory. */
static void freeWork(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  at_comm_work *work = ((Work *)self)->work;
  if (work && at_comm_test(work) && !(at_comm_wait)(work))
    at_error_clear();
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *waitFor(PyObject *self, PyObject *unused)
{
  (void)unused;
  at_comm_work *work = ((Work *)self)->work;
  ((Work *)self)->work = NULL;
  if (!work)
    Py_RETURN_NONE;
  bool isDone;
  Py_BEGIN_ALLOW_THREADS isDone = (at_comm_wait)(work);
  Py_END_ALLOW_THREADS return done(isDone);
}

static PyObject *isOver(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyBool_FromLong(at_comm_test(((Work *)self)->work));
}

/* --- calls ------------------------------------------------------------------------------------------------ */

/* A function of the library: one of the members. */
typedef struct Function {
  const char *name;
  bool (*plain)(const at_comm_options *);
  bool (*one)(at_tensor *, const at_comm_options *);
  bool (*rooted)(at_tensor *, int, const at_comm_options *);
  bool (*two)(at_tensor *, at_tensor *, const at_comm_options *);
  bool (*both)(at_tensor *, at_tensor *, int, const at_comm_options *);
} Function;

static const Function functions[] = {
    {"barrier", .plain = at_comm_barrier},      {"all_reduce", .one = at_comm_all_reduce},
    {"broadcast", .rooted = at_comm_broadcast}, {"reduce", .rooted = at_comm_reduce},
    {"send", .rooted = at_comm_send},           {"receive", .rooted = at_comm_receive},
    {"all_gather", .two = at_comm_all_gather},  {"reduce_scatter", .two = at_comm_reduce_scatter},
    {"all_to_all", .two = at_comm_all_to_all},  {"gather", .both = at_comm_gather},
    {"scatter", .both = at_comm_scatter},
};

static bool run(const Function *f, at_tensor *result, at_tensor *t, int root,
                const at_comm_options *options)
{
  return f->plain    ? f->plain(options)
         : f->one    ? f->one(t, options)
         : f->rooted ? f->rooted(t, root, options)
         : f->two    ? f->two(result, t, options)
                     : f->both(result, t, root, options);
}

/* _comm(name, group, op, root, result, t, is_async): None, or a Work. */
static PyObject *call(PyObject *self, PyObject *arguments)
{
  (void)self;
  const char *name;
  PyObject *group, *first, *second;
  int op, root, isAsync;
  if (!PyArg_ParseTuple(arguments, "sOiiOOp:_comm", &name, &group, &op, &root, &first, &second,
                        &isAsync))
    return NULL;
  const Function *f = functions, *const end = functions + sizeof functions / sizeof *functions;
  while (f < end && strcmp(f->name, name) != 0)
    f++;
  at_comm_work *work = NULL;
  at_comm_options options = {NULL, (at_comm_op)op, isAsync ? &work : NULL};
  at_tensor *result, *t;
  if (f == end)
    return PyErr_Format(PyExc_ValueError, "_comm(): no function %s", name);
  if (!takeGroup(group, &options.group) || !th_takeTensor(first, &result) ||
      !th_takeTensor(second, &t))
    return NULL;
  bool isDone;
  Py_BEGIN_ALLOW_THREADS isDone = run(f, result, t, root, &options);
  Py_END_ALLOW_THREADS return isDone && isAsync ? newWork(work) : done(isDone);
}

PyMethodDef th_commFunctions[] = {
    {"_comm", call, METH_VARARGS, NULL},
    {"_comm_start", start, METH_VARARGS, NULL},
    {"_comm_stop", stop, METH_NOARGS, NULL},
    {"_comm_rank", rankAndSize, METH_O, NULL},
    {"_comm_backend", backendName, METH_NOARGS, NULL},
    {"_comm_split", split, METH_VARARGS, NULL},
    {"_comm_free", freeGroup, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* --- the type --------------------------------------------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"wait", waitFor, METH_NOARGS, NULL},
    {"is_over", isOver, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, freeWork},
    {Py_tp_methods, methods},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "thaten._C._Work",
    .basicsize = sizeof(Work),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

bool th_addWork(PyObject *module)
{
  workType = (PyTypeObject *)PyType_FromSpec(&spec);
  return workType && PyModule_AddFunctions(module, th_commFunctions) == 0;
}
