/* Memory shared with other libraries: the buffer protocol and DLPack. */
#include <stdlib.h>
#include <string.h>

#include "thaten.h"

#include <ATen/ATenDLPackTypes.h>

/* --- formats of the buffer protocol ------------------------------------------------------------------- */

static const char *formatOf(at_scalar_type type)
{
  static const char *const formats[AT_SCALAR_TYPES] = {
      [AT_BYTE] = "B",   [AT_CHAR] = "b",           [AT_SHORT] = "h",           [AT_INT] = "i",
      [AT_LONG] = "q",   [AT_FLOAT] = "f",          [AT_DOUBLE] = "d",          [AT_HALF] = "e",
      [AT_BOOL] = "?",   [AT_COMPLEX_FLOAT] = "Zf", [AT_COMPLEX_DOUBLE] = "Zd", [AT_UINT16] = "H",
      [AT_UINT32] = "I", [AT_UINT64] = "Q",
  };
  return formats[type];
}

/* The DLPack type of a format; false if there is none. */
static bool typeOfFormat(const char *format, Py_ssize_t size, DLDataType *type)
{
  const char *code = format ? format : "B";
  if (*code == '@' || *code == '=' || *code == '<')
    code++;
  if (!strcmp(code, "Zf") || !strcmp(code, "Zd")) {
    *type = (DLDataType){.code = kDLComplex, .bits = code[1] == 'f' ? 64 : 128, .lanes = 1};
    return true;
  }
  if (*code == '\0' || code[1] != '\0' || size < 1 || size > 8)
    return false;
  *type = (DLDataType){.bits = (uint8_t)(8 * size), .lanes = 1};
  if (*code == '?')
    type->code = kDLBool;
  else if (strchr("fde", *code))
    type->code = kDLFloat;
  else if (strchr("bhilqn", *code))
    type->code = kDLInt;
  else if (strchr("BHILQN", *code))
    type->code = kDLUInt;
  else
    return false;
  return true;
}

/* --- a tensor as a buffer ------------------------------------------------------------------------------- */

/* What a buffer keeps until it is released.  The DLPack description holds the memory, and sees to it
 * that the memory is not moved meanwhile. */
typedef struct Export {
  struct DLManagedTensorVersioned *memory;
  Py_ssize_t sizes[64], strides[64];
} Export;

static bool suits(at_tensor *t, int flags)
{
  if (!formatOf(at_type_scalarType(at_typeOf(t)))) {
    PyErr_SetString(PyExc_BufferError, "buffers have no format for bfloat16");
    return false;
  }
  const bool isPlain = (flags & PyBUF_STRIDES) != PyBUF_STRIDES ||
                       (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
  if (isPlain && !at_isContiguous(t)) {
    PyErr_SetString(PyExc_BufferError, "the tensor is not contiguous");
    return false;
  }
  return true;
}

int th_getBuffer(PyObject *self, Py_buffer *view, int flags)
{
  at_tensor *t = th_tensorOf(self);
  view->obj = NULL;
  if (!suits(t, flags))
    return -1;
  if (at_deviceOf(t) >= 0) {
    PyErr_SetString(PyExc_BufferError, "memory of a device is no buffer");
    return -1;
  }
  Export *export = PyMem_Malloc(sizeof *export);
  if (!export) {
    PyErr_NoMemory();
    return -1;
  }
  export->memory = at_toDLPackVersioned(t);
  if (!export->memory) {
    PyMem_Free(export);
    th_raise();
    return -1;
  }
  const at_ints sizes = at_sizes(t), strides = at_strides(t);
  const size_t size = at_type_elementSize(at_typeOf(t));
  for (int i = 0; i < sizes.count; i++) {
    export->sizes[i] = (Py_ssize_t)sizes.data[i];
    export->strides[i] = (Py_ssize_t)strides.data[i] * (Py_ssize_t)size;
  }
  static char nothing[8];
  void *data = at_data(t);
  *view = (Py_buffer){
      .buf = data ? data : nothing,
      .obj = Py_NewRef(self),
      .len = (Py_ssize_t)at_numel(t) * (Py_ssize_t)size,
      .itemsize = (Py_ssize_t)size,
      .ndim = sizes.count,
      .format = flags & PyBUF_FORMAT ? (char *)formatOf(at_type_scalarType(at_typeOf(t))) : NULL,
      .shape = flags & PyBUF_ND ? export->sizes : NULL,
      .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? export->strides : NULL,
      .internal = export,
  };
  return 0;
}

void th_releaseBuffer(PyObject *self, Py_buffer *view)
{
  (void)self;
  Export *export = view->internal;
  export->memory->deleter(export->memory);
  PyMem_Free(export);
}

/* --- a buffer as a tensor ------------------------------------------------------------------------------- */

typedef struct Import {
  struct DLManagedTensorVersioned managed; /* first: what ATen hands back */
  Py_buffer buffer;
  int64_t sizes[64], strides[64];
} Import;

/* Any thread may release the last tensor on the memory. */
static void deleteImport(struct DLManagedTensorVersioned *managed)
{
  Import *import = (Import *)managed;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyBuffer_Release(&import->buffer);
  free(import);
  PyGILState_Release(state);
}

static bool describe(Import *import)
{
  Py_buffer *buffer = &import->buffer;
  DLTensor *t = &import->managed.dl_tensor;
  if (!typeOfFormat(buffer->format, buffer->itemsize, &t->dtype)) {
    PyErr_Format(PyExc_TypeError, "no dtype has elements of format '%s'",
                 buffer->format ? buffer->format : "B");
    return false;
  }
  for (int i = 0; i < buffer->ndim; i++) {
    import->sizes[i] = buffer->shape[i];
    import->strides[i] = buffer->strides[i] / buffer->itemsize;
    if (buffer->strides[i] % buffer->itemsize != 0) {
      PyErr_SetString(PyExc_ValueError, "strides that are no multiples of an element's size");
      return false;
    }
  }
  import->managed.version = (DLPackVersion){1, 0};
  import->managed.deleter = deleteImport;
  t->data = buffer->buf;
  t->device = (DLDevice){kDLCPU, 0};
  t->ndim = buffer->ndim;
  t->shape = import->sizes;
  t->strides = import->strides;
  return true;
}

at_tensor *th_ofBuffer(PyObject *exporter, bool writable)
{
  Import *import = calloc(1, sizeof *import);
  if (!import) {
    PyErr_NoMemory();
    return NULL;
  }
  if (PyObject_GetBuffer(exporter, &import->buffer, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) <
      0) {
    free(import);
    return NULL;
  }
  at_tensor *t = NULL;
  if (import->buffer.ndim > 64)
    PyErr_SetString(PyExc_ValueError, "a tensor has at most 64 dimensions");
  else if (describe(import)) {
    t = at_fromDLPackVersioned(&import->managed);
    if (!at_defined(t))
      th_raise();
  }
  if (at_defined(t))
    return t;
  PyBuffer_Release(&import->buffer);
  free(import);
  return NULL;
}

/* --- DLPack ------------------------------------------------------------------------------------------------ */

static void deleteVersioned(PyObject *capsule)
{
  if (!PyCapsule_IsValid(capsule, "dltensor_versioned"))
    return; /* it was taken */
  struct DLManagedTensorVersioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
  managed->deleter(managed);
}

static void deletePlain(PyObject *capsule)
{
  if (!PyCapsule_IsValid(capsule, "dltensor"))
    return;
  struct DLManagedTensor *managed = PyCapsule_GetPointer(capsule, "dltensor");
  managed->deleter(managed);
}

static PyObject *toDLPack(PyObject *self, PyObject *arguments, PyObject *names)
{
  static char *keywords[] = {"stream", "max_version", "dl_device", "copy", NULL};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "|$OOOO:__dlpack__", keywords, &stream,
                                   &version, &device, &copy))
    return NULL;
  at_tensor *t = copy == Py_True ? (at_clone)(th_tensorOf(self)) : at_retain(th_tensorOf(self));
  const long major = PyTuple_Check(version) ? PyLong_AsLong(PyTuple_GetItem(version, 0)) : 0;
  void *managed = major >= 1 ? (void *)at_toDLPackVersioned(t) : (void *)at_toDLPack(t);
  at_release(t);
  if (PyErr_Occurred() || !managed)
    return PyErr_Occurred() ? NULL : th_raise();
  return major >= 1 ? PyCapsule_New(managed, "dltensor_versioned", deleteVersioned)
                    : PyCapsule_New(managed, "dltensor", deletePlain);
}

static PyObject *dlpackDevice(PyObject *self, PyObject *unused)
{
  (void)unused;
  const int device = at_deviceOf(th_tensorOf(self));
  return Py_BuildValue("(ii)", device < 0 ? kDLCPU : kDLCUDA, device < 0 ? 0 : device);
}

/* The tensor of a capsule, which is marked as taken. */
static PyObject *ofCapsule(PyObject *capsule)
{
  at_tensor *t = NULL;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    t = at_fromDLPackVersioned(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (at_defined(t))
      PyCapsule_SetName(capsule, "used_dltensor_versioned");
  } else if (PyCapsule_IsValid(capsule, "dltensor")) {
    t = at_fromDLPack(PyCapsule_GetPointer(capsule, "dltensor"));
    if (at_defined(t))
      PyCapsule_SetName(capsule, "used_dltensor");
  } else {
    return PyErr_Format(PyExc_TypeError, "from_dlpack(): no capsule of a tensor");
  }
  return th_wrap(t);
}

static PyObject *fromDLPack(PyObject *self, PyObject *source)
{
  (void)self;
  if (PyCapsule_CheckExact(source))
    return ofCapsule(source);
  PyObject *method = PyObject_GetAttrString(source, "__dlpack__");
  if (!method)
    return NULL;
  PyObject *none = PyTuple_New(0), *names = Py_BuildValue("{s:(ii)}", "max_version", 1, 0);
  PyObject *capsule = none && names ? PyObject_Call(method, none, names) : NULL;
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) { /* of before DLPack 1 */
    PyErr_Clear();
    capsule = PyObject_CallNoArgs(method);
  }
  Py_XDECREF(none);
  Py_XDECREF(names);
  Py_DECREF(method);
  PyObject *result = capsule ? ofCapsule(capsule) : NULL;
  Py_XDECREF(capsule);
  return result;
}

/* --- elements of another type on the same memory ---------------------------------------------------------- */

typedef struct Recast {
  struct DLManagedTensorVersioned managed; /* first: what ATen hands back */
  struct DLManagedTensorVersioned *of;
  int64_t sizes[64], strides[64];
} Recast;

static void deleteRecast(struct DLManagedTensorVersioned *managed)
{
  Recast *const recast = (Recast *)managed;
  recast->of->deleter(recast->of);
  free(recast);
}

/* Sets the sizes and strides for elements of so many bytes; false if they are no whole ones. */
static bool recastSizes(Recast *recast, int64_t bytes)
{
  const DLTensor *const of = &recast->of->dl_tensor;
  const int64_t own = of->dtype.bits / 8, last = of->ndim - 1;
  const bool isNarrower = own > bytes;
  const int64_t ratio = isNarrower ? own / bytes : bytes / own;
  if (own != bytes && (last < 0 || of->strides[last] != 1))
    return false;
  for (int64_t d = 0; d <= last; d++) {
    const bool isLast = d == last && own != bytes;
    if (isNarrower && (of->shape[d] > INT64_MAX / ratio || of->strides[d] > INT64_MAX / ratio))
      return false;
    if (!isNarrower && (isLast ? of->shape[d] : of->strides[d]) % ratio != 0)
      return false;
    recast->sizes[d] = !isLast      ? of->shape[d]
                       : isNarrower ? of->shape[d] * ratio
                                    : of->shape[d] / ratio;
    recast->strides[d] = isLast ? 1 : isNarrower ? of->strides[d] * ratio : of->strides[d] / ratio;
  }
  return (uintptr_t)of->data % (uintptr_t)bytes == 0;
}

/* A view of t with elements of the type of like. */
static at_tensor *recastTensor(at_tensor *t, at_tensor *like)
{
  Recast *const recast = calloc(1, sizeof *recast);
  struct DLManagedTensorVersioned *const type = at_toDLPackVersioned(like);
  struct DLManagedTensorVersioned *const of = type ? at_toDLPackVersioned(t) : NULL;
  at_tensor *made = at_undefined();
  if (recast && of) {
    const DLDataType element = type->dl_tensor.dtype;
    recast->of = of;
    recast->managed = (struct DLManagedTensorVersioned){of->version, NULL, deleteRecast, of->flags,
                                                        of->dl_tensor};
    recast->managed.dl_tensor.dtype = element;
    recast->managed.dl_tensor.shape = recast->sizes;
    recast->managed.dl_tensor.strides = recast->strides;
    if (recastSizes(recast, element.bits / 8))
      made = at_fromDLPackVersioned(&recast->managed);
    else
      PyErr_SetString(PyExc_RuntimeError,
                      "view(): the last dimension, the strides or the offset are no whole "
                      "elements of the other type");
  } else if (!recast) {
    PyErr_NoMemory();
  }
  if (type)
    type->deleter(type);
  if (!at_defined(made)) {
    if (of)
      of->deleter(of);
    free(recast);
    if (!PyErr_Occurred())
      th_raise();
  }
  return made;
}

/* The view with elements of that type; of the tensor's own type it has the tensor's history. */
static PyObject *viewAs(at_tensor *t, at_scalar_type type)
{
  const at_type *const other = at_getType(AT_BACKEND_CPU, type);
  if (other == at_typeOf(t))
    return th_wrap((at_alias)(t));
  if (at_requiresGrad(t)) {
    PyErr_SetString(PyExc_RuntimeError,
                    "view(): a tensor that wants a gradient has no view of another "
                    "dtype; detach() it");
    return NULL;
  }
  const int64_t none = 0;
  at_tensor *const like = (at_empty)((at_ints){&none, 1}, &(at_empty_options){.type = other});
  if (!at_defined(like))
    return th_raise();
  at_tensor *const made = recastTensor(t, like);
  at_release(like);
  return at_defined(made) ? th_wrap(made) : NULL;
}

/* view(sizes) is the operation; view(dtype) has no row, since its result is of another type. */
static PyObject *view(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
  static Group *group;
  at_scalar_type type;
  const bool isNamed = count == 0 && names && PyTuple_Size(names) == 1 &&
                       PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "dtype") == 0;
  if ((isNamed || (count == 1 && !names)) && !PyLong_Check(arguments[0]) &&
      th_isDType(arguments[0], &type))
    return viewAs(th_tensorOf(self), type);
  if (!group && !(group = th_group("view")))
    return NULL;
  return th_call(group, self, arguments, count, names);
}

PyMethodDef th_shareFunctions[] = {
    {"from_dlpack", fromDLPack, METH_O,
     "from_dlpack(source)\n\nA tensor on the memory of a tensor of another library."},
    {NULL, NULL, 0, NULL},
};
PyMethodDef th_shareMethods[] = {
    {"view", (PyCFunction)(void (*)(void))view, METH_FASTCALL | METH_KEYWORDS,
     "view(*sizes) or view(dtype)\n\nA view of other sizes, or of the same bytes as elements of a "
     "dtype."},
    {"__dlpack__", (PyCFunction)(void (*)(void))toDLPack, METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack_device__", dlpackDevice, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
