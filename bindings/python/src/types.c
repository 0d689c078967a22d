/* dtype and Generator. */
#include <string.h>

#include "thaten.h"

PyTypeObject *th_DType, *th_Generator;

/* --- dtype ------------------------------------------------------------------------------------------ */

static const struct {
  const char *name, *also;
} dtypeNames[AT_SCALAR_TYPES] = {
    [AT_BYTE] = {"uint8", NULL},
    [AT_CHAR] = {"int8", NULL},
    [AT_SHORT] = {"int16", "short"},
    [AT_INT] = {"int32", "int"},
    [AT_LONG] = {"int64", "long"},
    [AT_FLOAT] = {"float32", "float"},
    [AT_DOUBLE] = {"float64", "double"},
    [AT_HALF] = {"float16", "half"},
    [AT_BOOL] = {"bool", NULL},
    [AT_BFLOAT16] = {"bfloat16", NULL},
    [AT_COMPLEX_FLOAT] = {"complex64", "cfloat"},
    [AT_COMPLEX_DOUBLE] = {"complex128", "cdouble"},
    [AT_UINT16] = {"uint16", NULL},
    [AT_UINT32] = {"uint32", NULL},
    [AT_UINT64] = {"uint64", NULL},
};
static PyObject *dtypes[AT_SCALAR_TYPES];

PyObject *th_dtype(at_scalar_type type)
{
  return Py_NewRef(type < AT_SCALAR_TYPES ? dtypes[type] : Py_None);
}

bool th_isDType(PyObject *o, at_scalar_type *type)
{
  if (Py_TYPE(o) == th_DType)
    *type = ((DType *)o)->type;
  else if (o == (PyObject *)&PyFloat_Type)
    *type = AT_DOUBLE;
  else if (o == (PyObject *)&PyLong_Type)
    *type = AT_LONG;
  else if (o == (PyObject *)&PyBool_Type)
    *type = AT_BOOL;
  else
    return false;
  return true;
}

static PyObject *dtypeText(PyObject *self)
{
  return PyUnicode_FromFormat("torch.%s", dtypeNames[((DType *)self)->type].name);
}

/* The one object of that type: what pickling stores is its name. */
static PyObject *dtypeReduce(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyUnicode_FromString(dtypeNames[((DType *)self)->type].name);
}

static PyObject *isFloatingPoint(PyObject *self, void *unused)
{
  (void)unused;
  const at_scalar_type type = ((DType *)self)->type;
  return PyBool_FromLong(type == AT_FLOAT || type == AT_DOUBLE || type == AT_HALF ||
                         type == AT_BFLOAT16);
}

static PyObject *isSigned(PyObject *self, void *unused)
{
  (void)unused;
  const at_scalar_type type = ((DType *)self)->type;
  return PyBool_FromLong(type != AT_BYTE && type != AT_BOOL && type < AT_UINT16);
}

static PyObject *isComplex(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(th_isComplex(((DType *)self)->type));
}

static PyObject *itemSize(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromSize_t(at_type_elementSize((at_getType)(AT_BACKEND_CPU,
                                                            ((DType *)self)->type)));
}

static PyMethodDef dtypeMethods[] = {
    {"__reduce__", dtypeReduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef dtypeAttributes[] = {
    {"is_floating_point", isFloatingPoint, NULL, "Whether elements are floating numbers.", NULL},
    {"is_complex", isComplex, NULL, "Whether elements are complex numbers.", NULL},
    {"is_signed", isSigned, NULL, "Whether elements may be negative.", NULL},
    {"itemsize", itemSize, NULL, "The bytes of an element.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot dtypeSlots[] = {
    {Py_tp_doc, "The type of a tensor's elements."},
    {Py_tp_repr, dtypeText},
    {Py_tp_methods, dtypeMethods},
    {Py_tp_getset, dtypeAttributes},
    {0, NULL},
};
static PyType_Spec dtypeSpec = {
    .name = "thaten.dtype",
    .basicsize = sizeof(DType),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = dtypeSlots,
};

static bool addDTypes(PyObject *module)
{
  for (int i = 0; i < AT_SCALAR_TYPES; i++) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(th_DType, Py_tp_alloc);
    PyObject *one = dtypes[i] = allocate(th_DType, 0);
    if (!one)
      return false;
    ((DType *)one)->type = (at_scalar_type)i;
    if (PyModule_AddObjectRef(module, dtypeNames[i].name, one) < 0 ||
        (dtypeNames[i].also && PyModule_AddObjectRef(module, dtypeNames[i].also, one) < 0))
      return false;
  }
  return true;
}

static PyObject *promoteTypes(PyObject *self, PyObject *arguments)
{
  (void)self;
  PyObject *a, *b;
  if (!PyArg_ParseTuple(arguments, "O!O!:promote_types", th_DType, &a, th_DType, &b))
    return NULL;
  return th_dtype(at_promoteTypes(((DType *)a)->type, ((DType *)b)->type));
}

/* --- generators --------------------------------------------------------------------------------------- */

static PyObject *newGenerator(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
  static char *keywords[] = {"device", NULL};
  PyObject *device = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "|O:Generator", keywords, &device))
    return NULL;
  at_generator *generator = (at_generator_new)(AT_BACKEND_CPU);
  if (!generator)
    return th_raise();
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Generator *self = (Generator *)allocate(type, 0);
  if (!self) {
    at_generator_free(generator);
    return NULL;
  }
  self->generator = generator;
  self->isOwned = true;
  return (PyObject *)self;
}

static void freeGenerator(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  if (((Generator *)self)->isOwned)
    at_generator_free(((Generator *)self)->generator);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* Seeds are taken modulo 2^64, as PyTorch takes negative ones. */
static bool toSeed(PyObject *o, uint64_t *seed)
{
  PyObject *integer = PyNumber_Index(o);
  *seed = integer ? PyLong_AsUnsignedLongLongMask(integer) : 0;
  Py_XDECREF(integer);
  return !PyErr_Occurred();
}

static PyObject *seedGenerator(PyObject *self, PyObject *value)
{
  uint64_t seed;
  if (!toSeed(value, &seed))
    return NULL;
  at_generator_manualSeed(((Generator *)self)->generator, seed);
  return Py_NewRef(self);
}

static PyObject *initialSeed(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyLong_FromUnsignedLongLong(at_generator_initialSeed(((Generator *)self)->generator));
}

static PyObject *seedAnew(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyLong_FromUnsignedLongLong(at_generator_seed(((Generator *)self)->generator));
}

static PyObject *getState(PyObject *self, PyObject *unused)
{
  (void)unused;
  return th_wrap((at_generator_state)(((Generator *)self)->generator));
}

static PyObject *setState(PyObject *self, PyObject *state)
{
  at_tensor *t;
  if (!th_takeTensor(state, &t))
    return NULL;
  if (!(at_generator_setState)(((Generator *)self)->generator, t))
    return th_raise();
  return Py_NewRef(self);
}

static PyObject *cloneState(PyObject *self, PyObject *unused)
{
  PyObject *made = PyObject_CallNoArgs((PyObject *)th_Generator), *state = getState(self, unused);
  PyObject *set = made && state ? setState(made, state) : NULL;
  Py_XDECREF(state);
  Py_XDECREF(made);
  return set;
}

static PyObject *generatorDevice(PyObject *self, void *unused)
{
  (void)self;
  (void)unused;
  return PyUnicode_FromString("cpu");
}

static PyGetSetDef generatorAttributes[] = {
    {"device", generatorDevice, NULL, "The device whose numbers it draws.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef generatorMethods[] = {
    {"manual_seed", seedGenerator, METH_O, "Seeds the generator and returns it."},
    {"initial_seed", initialSeed, METH_NOARGS, "The last seed."},
    {"seed", seedAnew, METH_NOARGS, "Seeds with a random number and returns it."},
    {"get_state", getState, METH_NOARGS, "The state, as PyTorch has it: bytes in a tensor."},
    {"set_state", setState, METH_O, "Continues with a state; returns the generator."},
    {"clone_state", cloneState, METH_NOARGS, "A new generator with the same state."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot generatorSlots[] = {
    {Py_tp_doc, "A generator of random numbers: the same as PyTorch's after the same seed."},
    {Py_tp_new, newGenerator},
    {Py_tp_dealloc, freeGenerator},
    {Py_tp_methods, generatorMethods},
    {Py_tp_getset, generatorAttributes},
    {0, NULL},
};
static PyType_Spec generatorSpec = {
    .name = "thaten.Generator",
    .basicsize = sizeof(Generator),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = generatorSlots,
};

static PyObject *defaultGenerator(void)
{
  allocfunc allocate = (allocfunc)PyType_GetSlot(th_Generator, Py_tp_alloc);
  Generator *generator = (Generator *)allocate(th_Generator, 0);
  if (generator)
    generator->generator = (at_defaultGenerator)(AT_BACKEND_CPU);
  return (PyObject *)generator;
}

static PyObject *manualSeed(PyObject *self, PyObject *value)
{
  (void)self;
  uint64_t seed;
  if (!toSeed(value, &seed))
    return NULL;
  at_manualSeed(seed);
  return defaultGenerator();
}

static PyObject *getDefaultType(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  return th_dtype(at_defaultType());
}

static PyObject *setDefaultType(PyObject *self, PyObject *dtype)
{
  (void)self;
  at_scalar_type type;
  if (!th_isDType(dtype, &type))
    return PyErr_Format(PyExc_TypeError, "set_default_dtype(): %R is no dtype", dtype);
  if (!(at_setDefaultType)(type))
    return th_raise();
  Py_RETURN_NONE;
}

static PyObject *setNumThreads(PyObject *self, PyObject *value)
{
  (void)self;
  const long count = PyLong_AsLong(value);
  if (count == -1 && PyErr_Occurred())
    return NULL;
  if (!at_setNumThreads(count > 1 << 20 ? 1 << 20 : (int)count))
    return th_raise();
  Py_RETURN_NONE;
}

static PyObject *getNumThreads(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  return PyLong_FromLong(at_getNumThreads());
}

static PyMethodDef typeFunctions[] = {
    {"promote_types", promoteTypes, METH_VARARGS, "The dtype that both dtypes promote to."},
    {"manual_seed", manualSeed, METH_O, "Seeds the default generator and returns it."},
    {"_get_default_dtype", getDefaultType, METH_NOARGS, NULL},
    {"_set_default_dtype", setDefaultType, METH_O, NULL},
    {"set_num_threads", setNumThreads, METH_O,
     "Sets the number of threads of this thread's calls."},
    {"get_num_threads", getNumThreads, METH_NOARGS,
     "The number of threads of this thread's calls."},
    {NULL, NULL, 0, NULL},
};

bool th_addTypes(PyObject *module)
{
  th_DType = (PyTypeObject *)PyType_FromSpec(&dtypeSpec);
  th_Generator = (PyTypeObject *)PyType_FromSpec(&generatorSpec);
  if (!th_DType || !th_Generator || PyModule_AddType(module, th_DType) < 0 ||
      PyModule_AddType(module, th_Generator) < 0 || !addDTypes(module) ||
      PyModule_AddFunctions(module, typeFunctions) < 0)
    return false;
  PyObject *generator = defaultGenerator();
  const bool isAdded =
      generator && PyModule_AddObjectRef(module, "default_generator", generator) == 0;
  Py_XDECREF(generator);
  return isAdded;
}
