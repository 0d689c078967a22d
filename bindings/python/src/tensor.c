/* The type Tensor: a reference to an at_tensor. */
#include <string.h>

#include "thaten.h"

#include <structmember.h> /* behind Python.h */

PyTypeObject *th_Tensor;

/* A Tensor that takes over the reference t. */
static PyObject *wrapOwned(at_tensor *t)
{
  if (!at_defined(t))
    return th_raise();
  Tensor *self = PyObject_New(Tensor, th_Tensor);
  if (!self) {
    at_release(t);
    return NULL;
  }
  self->t = t;
  self->weak = NULL;
  if (at_requiresGrad(t) && at_isLeaf(t) && !th_noteLeaf((PyObject *)self, false))
    PyErr_Clear(); /* its node does not find it, then */
  return (PyObject *)self;
}

PyObject *th_wrap(at_tensor *t)
{
  return wrapOwned(at_keep(t));
}

PyObject *th_share(at_tensor *t)
{
  return wrapOwned(at_retain(t));
}

static void freeTensor(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  if (((Tensor *)self)->weak)
    PyObject_ClearWeakRefs(self);
  at_release(th_tensorOf(self));
  static freefunc release;
  if (!release)
    release = (freefunc)PyType_GetSlot(th_Tensor, Py_tp_free);
  if (type == th_Tensor)
    release(self);
  else
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* --- attributes ------------------------------------------------------------------------------------- */

static PyObject *tupleOf(at_ints ints)
{
  PyObject *tuple = PyTuple_New(ints.count);
  for (int i = 0; tuple && i < ints.count; i++)
    PyTuple_SetItem(tuple, i, PyLong_FromLongLong(ints.data[i]));
  return tuple;
}

static PyObject *sizeClass; /* Python's class Size, a tuple */

static PyObject *setSize(PyObject *self, PyObject *class)
{
  (void)self;
  th_set(&sizeClass, Py_NewRef(class));
  Py_RETURN_NONE;
}

PyMethodDef th_sizeFunctions[] = {
    {"_set_size", setSize, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *sizeOf(PyObject *self)
{
  PyObject *tuple = tupleOf(at_sizes(th_tensorOf(self)));
  if (!tuple || !sizeClass)
    return tuple;
  PyObject *size = PyObject_CallFunctionObjArgs(sizeClass, tuple, NULL);
  Py_DECREF(tuple);
  return size;
}

static PyObject *shape(PyObject *self, void *unused)
{
  (void)unused;
  return sizeOf(self);
}

static PyObject *dtype(PyObject *self, void *unused)
{
  (void)unused;
  return th_dtype(at_type_scalarType(at_typeOf(th_tensorOf(self))));
}

static PyObject *ndim(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLong(at_dim(th_tensorOf(self)));
}

static PyObject *itemSize(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromSize_t(at_type_elementSize(at_typeOf(th_tensorOf(self))));
}

static PyObject *byteCount(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLongLong(at_numel(th_tensorOf(self)) *
                             (int64_t)at_type_elementSize(at_typeOf(th_tensorOf(self))));
}

/* A view by the operation of that name. */
static PyObject *viewBy(PyObject *self, void *name)
{
  Group *group = th_group(name);
  return group ? th_callWith(group, 1, &self) : NULL;
}

static PyObject *reversed(PyObject *self, void *unused)
{
  (void)unused;
  Group *permute = th_group("permute");
  const int dims = at_dim(th_tensorOf(self));
  PyObject *order = permute ? PyTuple_New(dims) : NULL;
  for (int i = 0; order && i < dims; i++)
    PyTuple_SetItem(order, i, PyLong_FromLong(dims - 1 - i));
  PyObject *arguments[] = {self, order};
  PyObject *result = order ? th_callWith(permute, 2, arguments) : NULL;
  Py_XDECREF(order);
  return result;
}

PyGetSetDef th_tensorAttributes[] = {
    {"shape", shape, NULL, "The sizes of all dimensions.", NULL},
    {"dtype", dtype, NULL, "The type of the elements.", NULL},
    {"ndim", ndim, NULL, "The number of dimensions.", NULL},
    {"itemsize", itemSize, NULL, "The bytes of an element.", NULL},
    {"nbytes", byteCount, NULL, "The bytes of all elements.", NULL},
    {"T", reversed, NULL, "A view with the dimensions in reverse order.", NULL},
    {"mT", viewBy, NULL, "A view with the last two dimensions exchanged.", "mT"},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- methods ------------------------------------------------------------------------------------------ */

static PyObject *oneOrAll(PyObject *arguments, PyObject *names, const char *format, PyObject *self,
                          PyObject *(*all)(PyObject *), int64_t (*one)(const at_tensor *, int64_t))
{
  static char *keywords[] = {"dim", NULL};
  PyObject *dim = Py_None;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, format, keywords, &dim))
    return NULL;
  if (dim == Py_None)
    return all(self);
  const long long index = PyLong_AsLongLong(dim);
  if (index == -1 && PyErr_Occurred())
    return NULL;
  const int64_t value = one(th_tensorOf(self), index);
  return at_error() == AT_OK ? PyLong_FromLongLong(value) : th_raise();
}

static PyObject *size(PyObject *self, PyObject *arguments, PyObject *names)
{
  return oneOrAll(arguments, names, "|O:size", self, sizeOf, (at_size));
}

static PyObject *stridesOf(PyObject *self)
{
  return tupleOf(at_strides(th_tensorOf(self)));
}

static PyObject *stride(PyObject *self, PyObject *arguments, PyObject *names)
{
  return oneOrAll(arguments, names, "|O:stride", self, stridesOf, (at_stride));
}

/* The element in memory, of a CPU tensor. */
static PyObject *elementObject(at_scalar_type type, const void *element)
{
  switch (type) {
    case AT_BOOL:
      return PyBool_FromLong(*(const uint8_t *)element);
    case AT_LONG:
      return PyLong_FromLongLong(*(const int64_t *)element);
    case AT_UINT64:
      return PyLong_FromUnsignedLongLong(*(const uint64_t *)element);
    case AT_COMPLEX_DOUBLE:
      return PyComplex_FromDoubles(((const double *)element)[0], ((const double *)element)[1]);
    default:
      return PyFloat_FromDouble(*(const double *)element);
  }
}

/* Bool, Long, UInt64, Double or ComplexDouble: the type whose elements all elements of type can
 * be. */
static at_scalar_type widest(at_scalar_type type)
{
  if (th_isComplex(type))
    return AT_COMPLEX_DOUBLE;
  if (type >= AT_UINT16)
    return type == AT_UINT64 ? AT_UINT64 : AT_LONG;
  return type == AT_BOOL ? AT_BOOL : type <= AT_LONG ? AT_LONG : AT_DOUBLE;
}

static PyObject *item(PyObject *self, PyObject *unused)
{
  (void)unused;
  const at_tensor *const t = th_tensorOf(self);
  const at_scalar_type type = at_type_scalarType(at_typeOf(t));
  if (th_isComplex(type)) {
    const at_complex_number z = (at_item_complex)(t);
    return at_error() == AT_OK ? PyComplex_FromDoubles(z.re, z.im) : th_raise();
  }
  if (type == AT_UINT64 && at_numel(t) == 1) /* all 64 bits */
    return elementObject(type, at_data(t));
  const at_scalar value = (at_item)(t);
  if (at_error() != AT_OK)
    return th_raise();
  if (value.is_float)
    return PyFloat_FromDouble(value.value.number);
  if (type == AT_BOOL)
    return PyBool_FromLong(value.value.integer != 0);
  return PyLong_FromLongLong(value.value.integer);
}

/* Nested lists of the row-major elements from *at on. */
static PyObject *nested(at_ints sizes, int dim, at_scalar_type type, const char **at)
{
  if (dim == sizes.count) {
    PyObject *element = elementObject(type, *at);
    *at += type == AT_BOOL ? 1 : th_isComplex(type) ? 16 : 8;
    return element;
  }
  PyObject *list = PyList_New((Py_ssize_t)sizes.data[dim]);
  for (int64_t i = 0; list && i < sizes.data[dim]; i++) {
    PyObject *entry = nested(sizes, dim + 1, type, at);
    if (!entry)
      Py_CLEAR(list);
    else
      PyList_SetItem(list, (Py_ssize_t)i, entry);
  }
  return list;
}

static PyObject *toList(PyObject *self, PyObject *unused)
{
  (void)unused;
  at_tensor *t = th_tensorOf(self);
  const at_scalar_type type = widest(at_type_scalarType(at_typeOf(t)));
  at_tensor *wide = (at_to)(t, (at_getType)(AT_BACKEND_CPU, type));
  at_tensor *plain = (at_contiguous)(wide);
  at_release(wide);
  if (!at_defined(plain))
    return th_raise();
  const char *at = at_data(plain);
  PyObject *list = nested(at_sizes(plain), 0, type, &at);
  at_release(plain);
  return list;
}

static PyObject *text(PyObject *self)
{
  char *string = (at_toString)(th_tensorOf(self));
  if (!string)
    return th_raise();
  PyObject *result = PyUnicode_FromString(string);
  at_string_free(string);
  return result;
}

/* What pickle calls to make the tensor anew: a function, and dtype, sizes and bytes. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
  (void)unused;
  PyObject *module = PyImport_ImportModule("thaten._C");
  PyObject *rebuild = module ? PyObject_GetAttrString(module, "_rebuild") : NULL;
  Py_XDECREF(module);
  at_tensor *plain = rebuild ? (at_contiguous)(th_tensorOf(self)) : NULL;
  if (!at_defined(plain)) {
    Py_XDECREF(rebuild);
    return rebuild ? th_raise() : NULL;
  }
  const Py_ssize_t bytes =
      (Py_ssize_t)at_numel(plain) * (Py_ssize_t)at_type_elementSize(at_typeOf(plain));
  const char *data = at_data(plain);
  PyObject *result = Py_BuildValue("N(NNy#)", rebuild, dtype(self, NULL), tupleOf(at_sizes(plain)),
                                   data ? data : "", bytes);
  at_release(plain);
  return result;
}

/* How many elements the memory has. */
static PyObject *storageSize(PyObject *self, PyObject *unused)
{
  (void)unused;
  at_storage *const storage = (at_storageOf)(th_tensorOf(self));
  if (!storage)
    return th_raise();
  const int64_t size = at_storage_size(storage);
  at_storage_release(storage);
  return PyLong_FromLongLong(size);
}

PyMethodDef th_tensorMethods[] = {
    {"_storage_size", storageSize, METH_NOARGS, NULL},
    {"size", (PyCFunction)(void (*)(void))size, METH_VARARGS | METH_KEYWORDS,
     "size(dim=None)\n\nThe size of a dimension, or of all."},
    {"stride", (PyCFunction)(void (*)(void))stride, METH_VARARGS | METH_KEYWORDS,
     "stride(dim=None)\n\nThe stride of a dimension, or of all, in elements."},
    {"item", item, METH_NOARGS, "The number in a tensor of one element."},
    {"tolist", toList, METH_NOARGS, "The elements as nested lists, or a number."},
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* --- the type ------------------------------------------------------------------------------------------- */

static Py_ssize_t length(PyObject *self)
{
  if (at_dim(th_tensorOf(self)) == 0) {
    PyErr_SetString(PyExc_TypeError, "len() of a tensor without dimensions");
    return -1;
  }
  return (Py_ssize_t)at_sizes(th_tensorOf(self)).data[0];
}

static PyObject *iterate(PyObject *self)
{
  if (at_dim(th_tensorOf(self)) == 0) {
    PyErr_SetString(PyExc_TypeError, "iteration over a tensor without dimensions");
    return NULL;
  }
  Group *unbind = th_group("unbind");
  PyObject *slices = unbind ? th_callWith(unbind, 1, &self) : NULL;
  PyObject *iterator = slices ? PyObject_GetIter(slices) : NULL;
  Py_XDECREF(slices);
  return iterator;
}

static Py_hash_t hash(PyObject *self)
{
  return (Py_hash_t)((uintptr_t)self >> 4);
}

/* Whether the arguments of Tensor() are sizes: none, whole numbers, or a Size. */
static bool areSizes(PyObject *arguments)
{
  const Py_ssize_t count = PyTuple_Size(arguments);
  if (count == 1) {
    PyObject *const one = PyTuple_GetItem(arguments, 0);
    return PyLong_Check(one) || (PyTuple_Check(one) && !PyTuple_CheckExact(one));
  }
  for (Py_ssize_t i = 0; i < count; i++)
    if (!PyLong_Check(PyTuple_GetItem(arguments, i)))
      return false;
  return true;
}

enum { MOST_SIZES = 64 };

/* A tensor of the default type and of these sizes. */
static at_tensor *ofSizes(PyObject *arguments)
{
  int64_t sizes[MOST_SIZES];
  PyObject *const first = PyTuple_Size(arguments) == 1 ? PyTuple_GetItem(arguments, 0) : NULL;
  PyObject *const list = first && PyTuple_Check(first) ? first : arguments;
  Py_ssize_t count = PyTuple_Size(list);
  if (count > MOST_SIZES) {
    PyErr_Format(PyExc_ValueError, "Tensor() of %zd dimensions", count);
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    sizes[i] = PyLong_AsLongLong(PyTuple_GetItem(list, i));
    if (sizes[i] == -1 && PyErr_Occurred())
      return NULL;
  }
  if (list == arguments && count == 0)
    sizes[count++] = 0;
  return at_empty(((at_ints){sizes, (int)count}));
}

static PyObject *newTensor(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
  static char *keywords[] = {"data", NULL};
  const bool sized = !(names && PyDict_Size(names)) && areSizes(arguments);
  PyObject *data = NULL;
  if (!sized && !PyArg_ParseTupleAndKeywords(arguments, names, "O:Tensor", keywords, &data))
    return NULL;
  at_tensor *t = sized                ? ofSizes(arguments)
                 : !th_isTensor(data) ? th_make(data, at_defaultType())
                 : type == th_Tensor  ? (at_alias)(th_tensorOf(data))
                                      : at_retain(th_tensorOf(data));
  if (!at_defined(t))
    return PyErr_Occurred() ? NULL : th_raise();
  if (sized || type == th_Tensor || !th_isTensor(data))
    (void)at_keep(t);
  Tensor *self = (Tensor *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self)
    at_release(t);
  else
    self->t = t;
  if (self && at_requiresGrad(t) && at_isLeaf(t) && !th_noteLeaf((PyObject *)self, true))
    Py_CLEAR(self);
  return (PyObject *)self;
}

static const PyType_Slot plainSlots[] = {
    {Py_tp_doc, "Elements of one type in any number of dimensions."},
    {Py_tp_new, newTensor},
    {Py_tp_dealloc, freeTensor},
    {Py_tp_repr, text},
    {Py_tp_hash, hash},
    {Py_tp_iter, iterate},
    {Py_mp_length, length},
    {Py_sq_length, length},
    {Py_mp_subscript, th_getItem},
    {Py_mp_ass_subscript, th_setItem},
    {Py_bf_getbuffer, th_getBuffer},
    {Py_bf_releasebuffer, th_releaseBuffer},
};

/* The attributes of all files in one list; freed with the process, as the type is. */
static PyGetSetDef *allAttributes(void)
{
  PyGetSetDef *const lists[] = {th_tensorAttributes, th_gradAttributes};
  size_t count = 1;
  for (int i = 0; i < 2; i++)
    for (PyGetSetDef *a = lists[i]; a->name; a++)
      count++;
  PyGetSetDef *all = PyMem_Calloc(count, sizeof *all);
  PyGetSetDef *next = all;
  for (int i = 0; all && i < 2; i++)
    for (PyGetSetDef *a = lists[i]; a->name; a++)
      *next++ = *a;
  return all;
}

/* The methods of all lists in one, which ends with a NULL. */
static PyMethodDef *allMethods(void)
{
  PyMethodDef *const lists[] = {th_tensorMethods, th_shareMethods, th_gradMethods, th_methods};
  size_t count = 1;
  for (int i = 0; i < 4; i++)
    for (PyMethodDef *m = lists[i]; m->ml_name; m++)
      count++;
  PyMethodDef *all = PyMem_Calloc(count, sizeof *all);
  PyMethodDef *next = all;
  for (int i = 0; all && i < 4; i++)
    for (PyMethodDef *m = lists[i]; m->ml_name; m++)
      *next++ = *m;
  return all;
}

bool th_addTensor(PyObject *module)
{
  PyType_Slot slots[96];
  size_t count = 0;
  for (size_t i = 0; i < sizeof plainSlots / sizeof *plainSlots; i++)
    slots[count++] = plainSlots[i];
  for (PyType_Slot *s = th_operatorSlots; s->slot; s++)
    slots[count++] = *s;
  PyGetSetDef *attributes = allAttributes();
  if (!attributes)
    return false;
  slots[count++] = (PyType_Slot){Py_tp_getset, attributes};
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Tensor, weak), READONLY, NULL},
      {NULL, 0, 0, 0, NULL},
  };
  slots[count++] = (PyType_Slot){Py_tp_members, members};
  slots[count++] = (PyType_Slot){Py_tp_methods, allMethods()};
  slots[count] = (PyType_Slot){0, NULL};
  PyType_Spec spec = {
      .name = "thaten.Tensor",
      .basicsize = sizeof(Tensor),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
      .slots = slots,
  };
  th_Tensor = slots[count - 1].pfunc ? (PyTypeObject *)PyType_FromSpec(&spec) : NULL;
  return th_Tensor && PyModule_AddType(module, th_Tensor) == 0;
}
