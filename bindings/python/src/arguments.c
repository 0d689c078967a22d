/* Chooses an overload for arguments of Python and converts them to at_values.
 *
 * Overloads are tried in the order of ATen's table: first with arguments of exactly the kinds that
 * they name, then with those that can stand for them: a number for a list, a tensor without
 * dimensions for a number, several numbers for one list; at last also an integer for a truth value. */
#include <limits.h>
#include <string.h>

#include "thaten.h"

/* --- whether an object fits ------------------------------------------------------------------------ */

static bool isInteger(PyObject *o)
{
  return PyLong_Check(o) && !PyBool_Check(o);
}

static bool isNumber(PyObject *o)
{
  return PyFloat_Check(o) || PyLong_Check(o);
}

static bool isIntegerLike(PyObject *o)
{
  if (th_isTensor(o))
    return at_numel(th_tensorOf(o)) == 1 &&
           at_type_scalarType(at_typeOf(th_tensorOf(o))) <= AT_LONG;
  return isInteger(o) || (PyIndex_Check(o) && !PyBool_Check(o));
}

static bool isNumberLike(PyObject *o)
{
  if (th_isTensor(o))
    return at_numel(th_tensorOf(o)) == 1 && at_dim(th_tensorOf(o)) == 0 &&
           !th_isComplex(at_type_scalarType(at_typeOf(th_tensorOf(o))));
  return isNumber(o) || PyIndex_Check(o) || (PyNumber_Check(o) && !PySequence_Check(o));
}

static bool isTensorOrNone(PyObject *o)
{
  return o == Py_None || th_isTensor(o);
}

static bool isTensor(PyObject *o)
{
  return th_isTensor(o);
}

/* Whether o is a list or a tuple of objects that the function accepts. */
static bool isListOf(PyObject *o, bool (*accepts)(PyObject *))
{
  const bool isList = PyList_Check(o);
  if (!isList && !PyTuple_Check(o))
    return false;
  const Py_ssize_t count = isList ? PyList_Size(o) : PyTuple_Size(o);
  for (Py_ssize_t i = 0; i < count; i++)
    if (!accepts(isList ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i)))
      return false;
  return true;
}

/* Whether None stands for no entries: of output_size and scale_factors, one is given. */
static bool isEitherList(const at_argument *a)
{
  return !a->defaults && (a->kind == AT_KIND_DOUBLES ||
                          (a->kind == AT_KIND_INTS && strcmp(a->name, "output_size") == 0));
}

/* Whether None stands for the default of a. */
static bool takesNone(const at_argument *a)
{
  return isEitherList(a) || a->kind == AT_KIND_OPTIONAL_TENSOR ||
         (a->defaults && a->kind != AT_KIND_BOOL && a->kind != AT_KIND_DOUBLE &&
          (a->kind != AT_KIND_LONG || strcmp(a->defaults, "{}") == 0) &&
          (a->kind != AT_KIND_SCALAR || strcmp(a->defaults, "{}") == 0));
}

/* How far objects may be from the kinds that overloads name. */
typedef enum Care { EXACTLY, ALMOST, LOOSELY } Care;

static bool fits(const at_argument *a, PyObject *o, Care care)
{
  const bool exactly = care == EXACTLY;
  at_scalar_type type;
  if (o == Py_None)
    return takesNone(a);
  switch (a->kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      return th_isTensor(o);
    case AT_KIND_TENSORS:
      return isListOf(o, isTensor);
    case AT_KIND_OPTIONAL_TENSORS:
      return isListOf(o, isTensorOrNone);
    case AT_KIND_SCALAR:
    case AT_KIND_DOUBLE:
      return exactly ? isNumber(o) : isNumberLike(o);
    case AT_KIND_LONG:
      return exactly ? isInteger(o) : isIntegerLike(o);
    case AT_KIND_BOOL:
      return PyBool_Check(o) || (care == LOOSELY && PyLong_Check(o));
    case AT_KIND_INTS:
      return isListOf(o, isIntegerLike) || ((!exactly || a->count > 0) && isIntegerLike(o));
    case AT_KIND_TYPE:
      return th_isDType(o, &type);
    case AT_KIND_GENERATOR:
      return PyObject_TypeCheck(o, th_Generator);
    case AT_KIND_STRING:
      return PyUnicode_Check(o);
    case AT_KIND_DOUBLES:
      return isListOf(o, isNumberLike) || (!exactly && isNumberLike(o));
    case AT_KIND_STORAGE:
      return false;
  }
  return false;
}

/* --- which argument is which ----------------------------------------------------------------------- */

/* Other names for arguments, which are taken where no argument has the name itself. */
static const struct {
  const char *given, *meant;
} otherNames[] = {
    {"input", "self"},  {"self", "input"},       {"dtype", "type"},
    {"size", "sizes"},  {"axis", "dim"},         {"axis", "dims"},
    {"dim", "dims"},    {"keepdims", "keepdim"}, {"fill_value", "value"},
    {"shape", "sizes"}, {"other", "exponent"},   {"exponent", "self"},
    {"self", "base"},   {"is_causal", "causal"},
};

static int indexOf(const at_op *op, const char *name)
{
  for (int i = 0; i < op->argumentCount; i++)
    if (strcmp(op->arguments[i].name, name) == 0)
      return i;
  return -1;
}

/* The index of the argument of that name that has not been given, or -1. */
static int freeIndexOf(const Call *call, const char *name)
{
  const int exact = indexOf(call->op, name);
  if (exact >= 0)
    return call->objects[exact] ? -1 : exact;
  for (size_t i = 0; i < sizeof otherNames / sizeof *otherNames; i++)
    if (strcmp(otherNames[i].given, name) == 0) {
      const int index = indexOf(call->op, otherNames[i].meant);
      if (index >= 0 && !call->objects[index])
        return index;
    }
  return -1;
}

/* Whether o is what an argument of PyTorch that has no meaning here may be: the one device, or that
 * no gradient is wanted. */
static bool isWithoutMeaning(const char *name, PyObject *o)
{
  if (strcmp(name, "requires_grad") == 0 || strcmp(name, "pin_memory") == 0)
    return o == Py_False || o == Py_None;
  if (strcmp(name, "device") == 0 && o != Py_None) {
    PyObject *text = PyObject_Str(o);
    const char *device = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    const bool isCpu = device && strncmp(device, "cpu", 3) == 0;
    Py_XDECREF(text);
    PyErr_Clear();
    return isCpu;
  }
  return o == Py_None && (strcmp(name, "device") == 0 || strcmp(name, "layout") == 0 ||
                          strcmp(name, "memory_format") == 0);
}

/* Whether the operation makes a tensor of no other, which may be asked to want a gradient. */
static bool makesLeaf(const at_op *op)
{
  bool hasType = false;
  for (int i = 0; i < op->argumentCount; i++) {
    if (op->arguments[i].kind == AT_KIND_TENSORS)
      return false;
    hasType |= op->arguments[i].kind == AT_KIND_TYPE;
  }
  return hasType && op->resultCount == 1;
}

static bool assignNamed(Call *call, PyObject *const *values, PyObject *names)
{
  const Py_ssize_t count = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    if (!name || strcmp(name, "out") == 0)
      continue;
    const int index = freeIndexOf(call, name);
    if (index >= 0)
      call->objects[index] = values[i];
    else if (strcmp(name, "requires_grad") == 0 && values[i] == Py_True && makesLeaf(call->op))
      call->wantsGradient = true;
    else if (!isWithoutMeaning(name, values[i]))
      return false;
  }
  return true;
}

/* The results that are given: one tensor, or a tuple of as many as the operation has. */
static bool assignOutputs(Call *call, PyObject *out)
{
  const int count = call->op->resultCount;
  if (th_isTensor(out)) {
    call->objects[0] = out;
    return count == 1;
  }
  if (!PyTuple_Check(out) || PyTuple_Size(out) != count)
    return false;
  for (int i = 0; i < count; i++)
    call->objects[i] = PyTuple_GetItem(out, i);
  return true;
}

/* Whether the arguments from first on are one list of integers or of tensors, given one by one. */
static bool gather(Call *call, int index, PyObject *const *arguments, Py_ssize_t first,
                   Py_ssize_t count)
{
  const at_kind kind = call->op->arguments[index].kind;
  if (kind != AT_KIND_INTS && kind != AT_KIND_TENSORS)
    return false;
  bool (*const accepts)(PyObject *) = kind == AT_KIND_INTS ? isIntegerLike : isTensor;
  for (Py_ssize_t i = first; i < count; i++)
    if (!accepts(arguments[i]))
      return false;
  call->gathered = PyTuple_New(count - first);
  for (Py_ssize_t i = first; call->gathered && i < count; i++)
    PyTuple_SetItem(call->gathered, i - first, Py_NewRef(arguments[i]));
  call->objects[index] = call->gathered;
  return call->gathered != NULL;
}

/* How many arguments have no default, after the outputs. */
static int requiredCount(const at_op *op, int outputs)
{
  int count = 0;
  while (outputs + count < op->argumentCount && !op->arguments[outputs + count].defaults)
    count++;
  return count;
}

/* Arguments by their order.  Where there are too many, or a tensor stands for a list of tensors, the
 * last ones are a list that is given one by one; options may follow it by their names. */
static bool assignPositional(Call *call, const Row *row, int outputs, PyObject *const *arguments,
                             Py_ssize_t count, Care care)
{
  const int last = care == EXACTLY ? 0 : requiredCount(call->op, outputs);
  const bool isList = last > 0 && count >= last &&
                      (count > row->positional ||
                       (call->op->arguments[outputs + last - 1].kind == AT_KIND_TENSORS &&
                        th_isTensor(arguments[last - 1])));
  if (!isList && count > row->positional)
    return false;
  for (int i = 0; i < (isList ? last - 1 : count); i++)
    call->objects[outputs + i] = arguments[i];
  return !isList || gather(call, outputs + last - 1, arguments, last - 1, count);
}

static bool assign(Call *call, const Row *row, PyObject *const *arguments, Py_ssize_t count,
                   PyObject *names, PyObject *out, Care care)
{
  const at_op *op = call->op = row->op;
  call->wantsGradient = false;
  memset(call->objects, 0, (size_t)op->argumentCount * sizeof *call->objects);
  Py_CLEAR(call->gathered);
  if (out && !assignOutputs(call, out))
    return false;
  if (!assignPositional(call, row, out ? op->resultCount : 0, arguments, count, care) ||
      !assignNamed(call, arguments + count, names))
    return false;
  for (int i = 0; i < op->argumentCount; i++) {
    PyObject *o = call->objects[i];
    if (o ? !fits(&op->arguments[i], o, care) : op->arguments[i].defaults == NULL)
      return false;
  }
  return true;
}

/* The types of what was given, and what could have been. */
static void raiseNoFit(const Group *group, PyObject *const *arguments, Py_ssize_t count,
                       PyObject *names)
{
  PyObject *text = PyUnicode_FromFormat("%s(): no form takes (", group->name);
  const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; text && i < count + named; i++) {
    PyObject *name = PyType_GetName(Py_TYPE(arguments[i]));
    PyObject *more = i < count ? PyUnicode_FromFormat("%U%s%U", text, i ? ", " : "", name)
                               : PyUnicode_FromFormat("%U%s%U=%U", text, i ? ", " : "",
                                                      PyTuple_GetItem(names, i - count), name);
    Py_XDECREF(name);
    th_set(&text, more);
  }
  for (int i = 0; text && i < group->count; i++)
    th_set(&text, PyUnicode_FromFormat("%U%s\n    %s", text,
                                       i ? "" : "); the forms are:", group->rows[i].op->schema));
  if (text)
    PyErr_SetObject(PyExc_TypeError, text);
  Py_XDECREF(text);
}

bool th_bind(Call *call, Group *group, PyObject *const *arguments, Py_ssize_t count,
             PyObject *names, PyObject *out)
{
  call->gathered = NULL;
  call->used = call->owned = 0;
  for (int care = EXACTLY; care <= LOOSELY; care++)
    for (int i = 0; i < group->count; i++)
      if (assign(call, &group->rows[i], arguments, count, names, out, (Care)care))
        return true;
  Py_CLEAR(call->gathered);
  if (!PyErr_Occurred())
    raiseNoFit(group, arguments, count, names);
  return false;
}

/* --- conversion -------------------------------------------------------------------------------------- */

/* Memory for a list until the call's end; NULL and an exception if there is none. */
static void *allocate(Call *call, size_t count)
{
  const size_t most = sizeof call->buffer / sizeof *call->buffer;
  if (count <= most - call->used) {
    void *memory = call->buffer + call->used;
    call->used += count;
    return memory;
  }
  if (call->owned < sizeof call->more / sizeof *call->more) {
    void *memory = count < INT_MAX ? PyMem_Malloc(count * sizeof(int64_t)) : NULL;
    if (memory)
      return call->more[call->owned++] = memory;
  }
  PyErr_NoMemory();
  return NULL;
}

/* Integers are exact; tensors without dimensions give their number. */
static bool toInteger(PyObject *o, int64_t *value)
{
  PyObject *integer = PyNumber_Index(o);
  *value = integer ? PyLong_AsLongLong(integer) : -1;
  Py_XDECREF(integer);
  return !(*value == -1 && PyErr_Occurred());
}

static bool toNumber(PyObject *o, double *value)
{
  *value = PyFloat_AsDouble(o);
  return !(*value == -1 && PyErr_Occurred());
}

static bool toScalar(PyObject *o, at_scalar *value)
{
  if (th_isTensor(o)) {
    *value = (at_item)(th_tensorOf(o));
    return true;
  }
  if (PyFloat_Check(o) || !PyIndex_Check(o)) {
    value->is_float = true;
    value->is_none = false;
    return toNumber(o, &value->value.number);
  }
  *value = at_scalar_long(0);
  return toInteger(o, &value->value.integer);
}

static PyObject *entry(PyObject *list, Py_ssize_t i)
{
  return PyList_Check(list) ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i);
}

static bool toInts(Call *call, PyObject *o, at_ints *ints)
{
  const bool isList = PyList_Check(o) || PyTuple_Check(o);
  const Py_ssize_t count = isList ? PySequence_Size(o) : 1;
  int64_t *data = count < INT_MAX ? allocate(call, (size_t)count) : NULL;
  if (!data)
    return false;
  for (Py_ssize_t i = 0; i < count; i++)
    if (!toInteger(isList ? entry(o, i) : o, &data[i]))
      return false;
  ints->data = data;
  ints->count = (int)count;
  return true;
}

static bool toDoubles(Call *call, PyObject *o, at_doubles *doubles)
{
  const bool isList = PyList_Check(o) || PyTuple_Check(o);
  const Py_ssize_t count = isList ? PySequence_Size(o) : 1;
  double *data = count < INT_MAX ? allocate(call, (size_t)count) : NULL;
  if (!data)
    return false;
  for (Py_ssize_t i = 0; i < count; i++)
    if (!toNumber(isList ? entry(o, i) : o, &data[i]))
      return false;
  doubles->data = data;
  doubles->count = (int)count;
  return true;
}

static bool toTensors(Call *call, PyObject *o, at_tensors *tensors)
{
  const Py_ssize_t count = PySequence_Size(o);
  at_tensor **data = count < INT_MAX ? allocate(call, (size_t)count) : NULL;
  if (!data)
    return false;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *one = entry(o, i);
    data[i] = one == Py_None ? NULL : at_retain(th_tensorOf(one)); /* a list may change meanwhile */
  }
  tensors->data = data;
  tensors->count = (int)count;
  return true;
}

static bool convert(Call *call, const at_argument *a, PyObject *o, at_value *v)
{
  at_scalar_type type;
  switch (a->kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      v->tensor = th_tensorOf(o);
      return true;
    case AT_KIND_TENSORS:
    case AT_KIND_OPTIONAL_TENSORS:
      return toTensors(call, o, &v->tensors);
    case AT_KIND_SCALAR:
      return toScalar(o, &v->scalar);
    case AT_KIND_LONG:
      return toInteger(o, &v->integer);
    case AT_KIND_DOUBLE:
      return toNumber(o, &v->number);
    case AT_KIND_BOOL:
      v->truth = PyObject_IsTrue(o) == 1;
      return !PyErr_Occurred();
    case AT_KIND_INTS:
      return toInts(call, o, &v->ints);
    case AT_KIND_TYPE:
      v->type = th_isDType(o, &type) ? (at_getType)(AT_BACKEND_CPU, type) : NULL;
      return v->type != NULL;
    case AT_KIND_GENERATOR:
      v->generator = ((Generator *)o)->generator;
      return true;
    case AT_KIND_STRING:
      v->string = PyUnicode_AsUTF8AndSize(o, NULL);
      return v->string != NULL;
    case AT_KIND_DOUBLES:
      return toDoubles(call, o, &v->doubles);
    case AT_KIND_STORAGE:
      break;
  }
  return false;
}

bool th_convert(Call *call)
{
  memset(call->values, 0, (size_t)call->op->argumentCount * sizeof *call->values);
  for (int i = 0; i < call->op->argumentCount; i++) {
    PyObject *o = call->objects[i];
    if (!o || (o == Py_None && !isEitherList(&call->op->arguments[i])))
      continue;
    call->values[i].given = true;
    if (o == Py_None)
      continue;
    if (!convert(call, &call->op->arguments[i], o, &call->values[i]))
      return false;
  }
  return true;
}

void th_callEnd(Call *call)
{
  for (int i = 0; i < call->op->argumentCount; i++)
    for (int j = 0; j < call->values[i].tensors.count; j++)
      at_release(call->values[i].tensors.data[j]);
  while (call->owned > 0)
    PyMem_Free(call->more[--call->owned]);
  Py_CLEAR(call->gathered);
}
