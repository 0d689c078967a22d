/* The operators of Tensor: each calls the operation that PyTorch calls. */
#include <string.h>

#include "thaten.h"

/* --- what an operand may be ---------------------------------------------------------------------------- */

static bool isNumber(PyObject *o)
{
  return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o);
}

/* A number of NumPy as one of Python's, an array as a tensor, any other object as it is; a new
 * reference. */
static PyObject *unboxed(PyObject *o)
{
  if (th_isTensor(o) || isNumber(o) || !PyObject_HasAttrString(o, "__array_interface__"))
    return Py_NewRef(o);
  PyObject *dims = PyObject_GetAttrString(o, "ndim");
  const bool isOne = dims && PyLong_AsLong(dims) == 0;
  Py_XDECREF(dims);
  if (PyErr_Occurred())
    PyErr_Clear();
  if (isOne)
    return PyObject_CallMethod(o, "item", NULL);
  PyObject *module = PyImport_ImportModule("thaten._C");
  PyObject *made = module ? PyObject_CallMethod(module, "tensor", "O", o) : NULL;
  Py_XDECREF(module);
  return made;
}

static PyObject *callNamed(Group **group, const char *name, PyObject *a, PyObject *b)
{
  if (!*group)
    *group = th_group(name);
  PyObject *arguments[] = {a, b};
  return *group ? th_callWith(*group, b ? 2 : 1, arguments) : NULL;
}

/* The operation with the tensor and a number.  True and False are no integers for a tensor of such values. */
static PyObject *withNumber(Group **group, const char *name, PyObject *tensor, PyObject *number)
{
  const at_type *type = at_typeOf(th_tensorOf(tensor));
  if (!PyBool_Check(number) || at_type_scalarType(type) != AT_BOOL)
    return callNamed(group, name, tensor, number);
  PyObject *truth = th_numberBefore(number, tensor);
  PyObject *result = truth ? callNamed(group, name, tensor, truth) : NULL;
  Py_XDECREF(truth);
  return result;
}

/* a OP b.  Where the number stands first, the operation is called with the two exchanged, if that is
 * the same, or else with a tensor of the number. */
static PyObject *ofTwo(Group **group, const char *name, bool commutes, PyObject *a, PyObject *b)
{
  if (th_isTensor(a) && (th_isTensor(b) || isNumber(b) || PyIndex_Check(b)))
    return withNumber(group, name, a, b);
  if (!th_isTensor(b) || !isNumber(a))
    Py_RETURN_NOTIMPLEMENTED;
  if (commutes)
    return withNumber(group, name, b, a);
  PyObject *first = th_numberBefore(a, b);
  PyObject *result = first ? callNamed(group, name, first, b) : NULL;
  Py_XDECREF(first);
  return result;
}

static PyObject *binary(Group **group, const char *name, bool commutes, PyObject *a, PyObject *b)
{
  PyObject *first = unboxed(a), *second = first ? unboxed(b) : NULL;
  PyObject *result = second ? ofTwo(group, name, commutes, first, second) : NULL;
  Py_XDECREF(second);
  Py_XDECREF(first);
  return result;
}

#define BINARY(SLOT, NAME, COMMUTES)              \
  static PyObject *SLOT(PyObject *a, PyObject *b) \
  {                                               \
    static Group *group;                          \
    return binary(&group, NAME, COMMUTES, a, b);  \
  }
BINARY(add, "add", true)
BINARY(subtract, "sub", false)
BINARY(multiply, "mul", true)
BINARY(divide, "div", false)
BINARY(floorDivide, "floor_divide", false)
BINARY(modulo, "remainder", false)
BINARY(shiftLeft, "bitwise_left_shift", false)
BINARY(shiftRight, "bitwise_right_shift", false)
BINARY(and, "bitwise_and", true)
BINARY(or, "bitwise_or", true)
BINARY(xor, "bitwise_xor", true)
BINARY(product, "matmul", false)
#undef BINARY

static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus)
{
  static Group *group;
  if (modulus != Py_None || !(th_isTensor(a) || isNumber(a)) || !(th_isTensor(b) || isNumber(b)))
    Py_RETURN_NOTIMPLEMENTED;
  return callNamed(&group, "pow", a, b);
}

/* self OP= other; the operation returns self. */
static PyObject *inplace(Group **group, const char *name, PyObject *self, PyObject *other)
{
  if (!th_isTensor(other) && !isNumber(other) && !PyIndex_Check(other))
    Py_RETURN_NOTIMPLEMENTED;
  return withNumber(group, name, self, other);
}

#define INPLACE(SLOT, NAME)                              \
  static PyObject *SLOT(PyObject *self, PyObject *other) \
  {                                                      \
    static Group *group;                                 \
    return inplace(&group, NAME, self, other);           \
  }
INPLACE(addTo, "add_")
INPLACE(subtractFrom, "sub_")
INPLACE(multiplyBy, "mul_")
INPLACE(divideBy, "div_")
INPLACE(floorDivideBy, "floor_divide_")
INPLACE(moduloBy, "remainder_")
INPLACE(shiftLeftBy, "bitwise_left_shift_")
INPLACE(shiftRightBy, "bitwise_right_shift_")
INPLACE(andWith, "bitwise_and_")
INPLACE(orWith, "bitwise_or_")
INPLACE(xorWith, "bitwise_xor_")
#undef INPLACE

static PyObject *raiseBy(PyObject *self, PyObject *other, PyObject *modulus)
{
  static Group *group;
  if (modulus != Py_None)
    Py_RETURN_NOTIMPLEMENTED;
  return inplace(&group, "pow_", self, other);
}

#define UNARY(SLOT, NAME)                       \
  static PyObject *SLOT(PyObject *self)         \
  {                                             \
    static Group *group;                        \
    return callNamed(&group, NAME, self, NULL); \
  }
UNARY(negative, "neg")
UNARY(absolute, "abs")
UNARY(invert, "bitwise_not")
#undef UNARY

static PyObject *positive(PyObject *self)
{
  return Py_NewRef(self);
}

static PyObject *compare(PyObject *a, PyObject *b, int order)
{
  static const char *const names[] = {
      [Py_LT] = "lt", [Py_LE] = "le", [Py_EQ] = "eq",
      [Py_NE] = "ne", [Py_GT] = "gt", [Py_GE] = "ge",
  };
  static Group *groups[6];
  if (!th_isTensor(b) && !isNumber(b) && !PyIndex_Check(b))
    Py_RETURN_NOTIMPLEMENTED;
  return callNamed(&groups[order], names[order], a, b);
}

/* --- as a number ------------------------------------------------------------------------------------------ */

static bool number(PyObject *self, at_scalar *value)
{
  *value = (at_item)(th_tensorOf(self));
  if (at_error() == AT_OK)
    return true;
  th_raise();
  return false;
}

static int truth(PyObject *self)
{
  at_scalar value;
  if (th_isComplex(at_type_scalarType(at_typeOf(th_tensorOf(self))))) {
    const at_complex_number z = (at_item_complex)(th_tensorOf(self));
    return at_error() == AT_OK ? z.re != 0 || z.im != 0 : (th_raise(), -1);
  }
  if (!number(self, &value))
    return -1;
  return value.is_float ? value.value.number != 0 : value.value.integer != 0;
}

static PyObject *asFloat(PyObject *self)
{
  at_scalar value;
  return number(self, &value) ? PyFloat_FromDouble(at_scalar_toDouble(value)) : NULL;
}

static PyObject *asInteger(PyObject *self)
{
  at_scalar value;
  if (!number(self, &value))
    return NULL;
  return value.is_float ? PyLong_FromDouble(value.value.number)
                        : PyLong_FromLongLong(value.value.integer);
}

static PyObject *asIndex(PyObject *self)
{
  at_scalar value;
  if (!number(self, &value))
    return NULL;
  if (value.is_float) {
    PyErr_SetString(PyExc_TypeError, "a tensor of floating numbers is no index");
    return NULL;
  }
  return PyLong_FromLongLong(value.value.integer);
}

PyType_Slot th_operatorSlots[] = {
    {Py_nb_add, add},
    {Py_nb_subtract, subtract},
    {Py_nb_multiply, multiply},
    {Py_nb_true_divide, divide},
    {Py_nb_floor_divide, floorDivide},
    {Py_nb_remainder, modulo},
    {Py_nb_power, power},
    {Py_nb_lshift, shiftLeft},
    {Py_nb_rshift, shiftRight},
    {Py_nb_and, and},
    {Py_nb_or, or },
    {Py_nb_xor, xor},
    {Py_nb_matrix_multiply, product},
    {Py_nb_inplace_add, addTo},
    {Py_nb_inplace_subtract, subtractFrom},
    {Py_nb_inplace_multiply, multiplyBy},
    {Py_nb_inplace_true_divide, divideBy},
    {Py_nb_inplace_floor_divide, floorDivideBy},
    {Py_nb_inplace_remainder, moduloBy},
    {Py_nb_inplace_power, raiseBy},
    {Py_nb_inplace_lshift, shiftLeftBy},
    {Py_nb_inplace_rshift, shiftRightBy},
    {Py_nb_inplace_and, andWith},
    {Py_nb_inplace_or, orWith},
    {Py_nb_inplace_xor, xorWith},
    {Py_nb_negative, negative},
    {Py_nb_positive, positive},
    {Py_nb_absolute, absolute},
    {Py_nb_invert, invert},
    {Py_nb_bool, truth},
    {Py_nb_float, asFloat},
    {Py_nb_int, asInteger},
    {Py_nb_index, asIndex},
    {Py_tp_richcompare, compare},
    {0, NULL},
};
