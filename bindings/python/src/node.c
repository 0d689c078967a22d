/* The type Node: what a tensor was computed by, with PyTorch's names. */
#include <string.h>

#include "thaten.h"

static PyTypeObject *nodeType;

typedef struct Node {
  PyObject_HEAD at_node *node;
} Node;

/* The type of nodes of a kind, a subtype of Node that has the kind's name; it is made once. */
static PyTypeObject *typeOf(const char *kind)
{
  static PyObject *types;
  static PyType_Slot none[] = {{0, NULL}};
  const char *const last = strrchr(kind, ':');
  PyObject *const name = PyUnicode_FromFormat("thaten.autograd.graph.%s", last ? last + 1 : kind);
  if (!types)
    types = PyDict_New();
  PyObject *type = types && name ? PyDict_GetItemWithError(types, name) : NULL;
  if (types && name && !type && !PyErr_Occurred()) {
    PyType_Spec spec = {
        .name = PyUnicode_AsUTF8AndSize(name, NULL), /* it lives as long as the dictionary */
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = none,
    };
    type = spec.name ? PyType_FromSpecWithBases(&spec, (PyObject *)nodeType) : NULL;
    if (type && PyDict_SetItem(types, name, type) < 0)
      Py_CLEAR(type);
    Py_XDECREF(type); /* the dictionary has it */
  }
  Py_XDECREF(name);
  return (PyTypeObject *)type;
}

PyObject *th_wrapNode(at_node *node)
{
  if (!node)
    return Py_NewRef(Py_None);
  PyTypeObject *const type = typeOf(at_node_kind(node));
  Node *self = type ? (Node *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0) : NULL;
  if (self)
    self->node = node;
  else
    at_node_release(node);
  return (PyObject *)self;
}

static at_node *nodeOf(PyObject *self)
{
  return ((Node *)self)->node;
}

/* --- leaves ------------------------------------------------------------------------------------------------- */

static PyObject *leaves; /* by the address of its node each leaf that is alive */

bool th_noteLeaf(PyObject *self, bool replaces)
{
  if (!leaves) {
    PyObject *module = PyImport_ImportModule("weakref");
    leaves = module ? PyObject_CallMethod(module, "WeakValueDictionary", NULL) : NULL;
    Py_XDECREF(module);
  }
  at_node *node = at_grad_fn(th_tensorOf(self));
  PyObject *key = leaves ? PyLong_FromVoidPtr(node) : NULL;
  PyObject *known = key && !replaces ? PyObject_CallMethod(leaves, "get", "O", key) : NULL;
  const bool isKnown = known && known != Py_None && th_tensorOf(known) == th_tensorOf(self);
  const bool isDone = key && (isKnown || PyObject_SetItem(leaves, key, self) == 0);
  Py_XDECREF(known);
  at_node_release(node); /* the tensor has another reference */
  Py_XDECREF(key);
  return isDone;
}

/* The leaf that the node adds gradients up for, or None if it is gone. */
static PyObject *variable(PyObject *self, void *unused)
{
  (void)unused;
  if (strcmp(at_node_kind(nodeOf(self)), "torch::autograd::AccumulateGrad") != 0) {
    PyErr_Format(PyExc_AttributeError, "%s has no variable", at_node_kind(nodeOf(self)));
    return NULL;
  }
  PyObject *key = PyLong_FromVoidPtr(nodeOf(self));
  PyObject *found = key && leaves ? PyObject_CallMethod(leaves, "get", "O", key) : NULL;
  Py_XDECREF(key);
  if (found && found != Py_None) { /* a leaf may have got another node, at another's address */
    at_node *node = at_grad_fn(th_tensorOf(found));
    if (node != nodeOf(self))
      th_set(&found, Py_NewRef(Py_None));
    at_node_release(node);
  }
  return found || PyErr_Occurred() ? found : Py_NewRef(Py_None);
}

static void freeNode(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  if (nodeOf(self))
    at_node_release(nodeOf(self));
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *name(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyUnicode_FromString(at_node_kind(nodeOf(self)));
}

static PyObject *text(PyObject *self)
{
  const char *kind = at_node_kind(nodeOf(self)), *last = strrchr(kind, ':');
  return PyUnicode_FromFormat("<%s object at %p>", last ? last + 1 : kind, (void *)nodeOf(self));
}

static Py_hash_t hash(PyObject *self)
{
  return (Py_hash_t)((uintptr_t)nodeOf(self) >> 4);
}

static PyObject *compare(PyObject *self, PyObject *other, int operation)
{
  if (!PyObject_TypeCheck(other, nodeType) || (operation != Py_EQ && operation != Py_NE))
    return Py_NewRef(Py_NotImplemented);
  return PyBool_FromLong((nodeOf(self) == nodeOf(other)) == (operation == Py_EQ));
}

/* Pairs of a node, or None where no gradient is wanted, and which of its results the operand is. */
static PyObject *nextFunctions(PyObject *self, void *unused)
{
  (void)unused;
  const int count = at_node_inputCount(nodeOf(self));
  PyObject *all = PyTuple_New(count);
  for (int i = 0; all && i < count; i++) {
    int output = 0;
    PyObject *next = th_wrapNode(at_node_input(nodeOf(self), i, &output));
    PyObject *pair = next ? Py_BuildValue("(Ni)", next, output) : NULL;
    if (!pair)
      Py_CLEAR(all);
    else
      PyTuple_SetItem(all, i, pair);
  }
  return all;
}

PyObject *th_gradFunction(PyObject *self, void *unused)
{
  (void)unused;
  const at_tensor *t = th_tensorOf(self);
  return th_wrapNode(at_isLeaf(t) ? NULL : at_grad_fn(t));
}

/* --- hooks ------------------------------------------------------------------------------------------------ */

/* A tuple of the gradients, with None for those that there are not. */
static PyObject *gradientsOf(int count, at_tensor *const *gradients)
{
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *one = gradients[i] ? th_share(gradients[i]) : Py_NewRef(Py_None);
    if (!one)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, i, one);
  }
  return tuple;
}

/* Puts what the hook returned, unless that is None, in place of the gradients. */
static bool replace(PyObject *result, int count, at_tensor **gradients)
{
  if (result == Py_None)
    return true;
  if (!PyTuple_Check(result) || PyTuple_Size(result) != count) {
    PyErr_Format(PyExc_RuntimeError, "a hook of a node returns None, or a tuple of %d gradients",
                 count);
    return false;
  }
  for (int i = 0; i < count; i++)
    if (PyTuple_GetItem(result, i) != Py_None && !th_isTensor(PyTuple_GetItem(result, i))) {
      PyErr_SetString(PyExc_TypeError, "a hook of a node returns tensors");
      return false;
    }
  for (int i = 0; i < count; i++) {
    PyObject *const one = PyTuple_GetItem(result, i);
    at_release(gradients[i]);
    gradients[i] = one == Py_None ? NULL : at_retain(th_tensorOf(one));
  }
  return true;
}

/* Calls the hook, a callable, with the gradients and the others. */
static bool runHook(void *context, at_tensors others, int count, at_tensor **gradients)
{
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *const hook = Py_NewRef(context); /* a hook may remove itself */
  PyObject *own = PyErr_Occurred() ? NULL : gradientsOf(count, gradients);
  PyObject *more = own ? gradientsOf(others.count, others.data) : NULL;
  PyObject *result = more ? PyObject_CallFunctionObjArgs(hook, own, more, NULL) : NULL;
  const bool isDone = result && replace(result, count, gradients);
  Py_XDECREF(result);
  Py_XDECREF(more);
  Py_XDECREF(own);
  Py_DECREF(hook);
  PyGILState_Release(state);
  return isDone;
}

/* Adds a hook, which the caller keeps alive until it is removed. */
static PyObject *addHook(PyObject *self, PyObject *arguments)
{
  int after;
  PyObject *hook;
  if (!PyArg_ParseTuple(arguments, "pO:_add_hook", &after, &hook))
    return NULL;
  return at_node_add_hook(nodeOf(self), after, runHook, hook) ? Py_NewRef(Py_None) : th_raise();
}

static PyObject *removeHook(PyObject *self, PyObject *hook)
{
  return at_node_remove_hook(nodeOf(self), runHook, hook) ? Py_NewRef(Py_None) : th_raise();
}

/* The tensor as the node's first result. */
static PyObject *asResult(PyObject *self, PyObject *arguments)
{
  PyObject *value;
  int number;
  if (!PyArg_ParseTuple(arguments, "Oi:_as_result", &value, &number))
    return NULL;
  if (!th_isTensor(value))
    return PyErr_Format(PyExc_TypeError, "a result is a tensor");
  return th_wrap((at_node_result)(nodeOf(self), number, th_tensorOf(value)));
}

static PyMethodDef methods[] = {
    {"_add_hook", addHook, METH_VARARGS, NULL},
    {"_remove_hook", removeHook, METH_O, NULL},
    {"_as_result", asResult, METH_VARARGS, NULL},
    {"name", name, METH_NOARGS, "PyTorch's name."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef attributes[] = {
    {"variable", variable, NULL, "The leaf that gradients are added up for.", NULL},
    {"next_functions", nextFunctions, NULL,
     "For each operand that may have a gradient the node where it goes, or None, and which of that "
     "node's results it is.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "The recorded call of an operation, or what adds up the gradient of a leaf."},
    {Py_tp_dealloc, freeNode},
    {Py_tp_repr, text},
    {Py_tp_hash, hash},
    {Py_tp_richcompare, compare},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "thaten.autograd.graph.Node",
    .basicsize = sizeof(Node),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

bool th_addNode(PyObject *module)
{
  nodeType = (PyTypeObject *)PyType_FromSpec(&spec);
  return nodeType && PyModule_AddObjectRef(module, "_Node", (PyObject *)nodeType) == 0;
}
