/* What nodes do that is no operation of the table: sizes as numbers, checks, and new tensors whose
 * type follows from others. */
#include "ATenOps.h"
#include "ATen/onnx/Onnx.h"
#include "Program.h"

/* --- sizes ------------------------------------------------------------------------------------ */

/* An entry of the sizes or strides of self. */
static void give_entry(at_frame *frame, const at_graphNode *node, bool stride)
{
  const at_tensor *const t = at_inputTensor(frame, node, "self", 0);
  const at_ints of = stride ? at_strides(t) : at_sizesOf(t);
  const int64_t dim = at_inputInt(frame, node, "dim", 1);
  if (dim < -of.count || dim >= of.count)
    at_nodeFails(node, "dim is %lld, self has %d dimensions", (long long)dim, of.count);
  at_giveInt(frame, node, of.data[dim < 0 ? dim + of.count : dim]);
}

void at_computeSize(at_frame *frame, const at_graphNode *node)
{
  give_entry(frame, node, false);
}

void at_computeStride(at_frame *frame, const at_graphNode *node)
{
  give_entry(frame, node, true);
}

void at_computeIsContiguous(at_frame *frame, const at_graphNode *node)
{
  const bool is = at_isContiguous(at_inputTensor(frame, node, "self", 0));
  if (node->outputCount > 0)
    at_frame_put(frame, node->outputs[0], (at_cell){AT_CELL_BOOL, {.integer = is}});
}

void at_computeNumel(at_frame *frame, const at_graphNode *node)
{
  at_giveInt(frame, node, at_numel(at_inputTensor(frame, node, "self", 0)));
}

void at_computeOffset(at_frame *frame, const at_graphNode *node)
{
  at_giveInt(frame, node, at_storageOffset(at_inputTensor(frame, node, "self", 0)));
}

void at_computeItem(at_frame *frame, const at_graphNode *node)
{
  const at_tensor *const t = at_inputTensor(frame, node, "self", 0);
  if (at_numel(t) != 1 || node->outputCount != 1)
    at_nodeFails(node, "self of size %s has no single element", at_sizeDesc(at_sizesOf(t)).str);
  const at_scalar value = at_elementAt(t, t->th->storageOffset);
  at_cell cell = {AT_CELL_INT, {.integer = value.value.integer}};
  if (value.is_float)
    cell = (at_cell){AT_CELL_FLOAT, {.number = value.value.number}};
  else if (t->type->scalarType == AT_BOOL)
    cell.kind = AT_CELL_BOOL;
  at_frame_put(frame, node->outputs[0], cell);
}

/* --- checks ----------------------------------------------------------------------------------- */

void at_computeNothing(at_frame *frame, const at_graphNode *node)
{
}

void at_computeAssert(at_frame *frame, const at_graphNode *node)
{
  const at_given *const message = at_inputOf(node, "assert_msg", 1);
  if (!at_inputBool(frame, node, "self", 0, true))
    at_nodeFails(node, "%.300s",
                 message && message->text ? message->text : "what it asserts does not hold");
}

/* _linalg_check_errors(info, api_name): what LAPACK says of each matrix is 0. */
void at_computeLinalgCheck(at_frame *frame, const at_graphNode *node)
{
  const at_given *const name = at_inputOf(node, "api_name", 1);
  const at_tensor *const info = at_inputTensor(frame, node, "info", 0);
  AT_SCOPE_GUARD;
  at_tensor *const flat = at_contiguous(at_to((at_tensor *)info, AT_CPU(AT_LONG)));
  if (!at_defined(flat))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  for (int64_t i = 0; i < at_numel(flat); i++)
    if (((const int64_t *)at_hostData(flat))[i] != 0)
      at_nodeFails(node, "%.40s: matrix %lld is singular or not positive definite",
                   name && name->kind == AT_GIVEN_TEXT ? name->text : "linalg", (long long)i);
}

void at_computeMetadata(at_frame *frame, const at_graphNode *node)
{
  const at_tensor *const t = at_inputTensor(frame, node, "a", 0);
  const at_given *const type = at_inputOf(node, "dtype", 3);
  const at_scalar_type wanted = type && type->packing ? AT_FLOAT
                                : type                ? type->type
                                                      : AT_SCALAR_TYPES;
  if (type && type->kind == AT_GIVEN_TYPE && wanted != t->type->scalarType)
    at_nodeFails(node, "a is of %s, and has to be of %s", at_scalarTypeName(t->type->scalarType),
                 type->type == AT_SCALAR_TYPES ? "a type that is not here"
                                               : at_scalarTypeName(type->type));
}

/* --- tensors ---------------------------------------------------------------------------------- */

/* The element type that the node asks for, or otherwise. */
static at_scalar_type type_wanted(const at_graphNode *node, at_scalar_type otherwise)
{
  const at_given *const given = at_inputOf(node, "dtype", -1);
  if (!given)
    return otherwise;
  if (given->kind != AT_GIVEN_TYPE || given->type == AT_SCALAR_TYPES)
    at_nodeFails(node, "dtype is of a type that is not here");
  return given->type;
}

/* Numbers rounded to floats of 8 bits, as Float. */
static void give_packed(at_frame *frame, const at_graphNode *node, at_tensor *self,
                        const at_packing *packing)
{
  AT_SCOPE_GUARD;
  at_tensor *const numbers = at_clone(at_contiguous(at_to(self, AT_CPU(AT_DOUBLE))));
  if (at_defined(numbers))
    at_packing_round(packing, at_hostData(numbers), at_numel(numbers), false, AT_ROUND_NEAREST);
  at_giveOutput(frame, node, 0, at_to(numbers, AT_CPU(AT_FLOAT)));
}

void at_computeTo(at_frame *frame, const at_graphNode *node)
{
  const char *const name = at_inputOf(node, "input", -1) ? "input" : "self";
  at_tensor *const self = at_inputTensor(frame, node, name, 0);
  at_scalar_type type = self->type->scalarType;
  const at_given *const dtype = at_inputOf(node, "dtype", -1);
  if (dtype && dtype->packing) {
    give_packed(frame, node, self, dtype->packing);
    return;
  }
  if (at_inputOf(node, "other", -1))
    type = at_inputTensor(frame, node, "other", -1)->type->scalarType;
  type = type_wanted(node, type);
  const bool copies =
      !strncmp(node->target, "aten._to_copy", 13) || at_inputBool(frame, node, "copy", -1, false);
  at_tensor *r;
  if (!at_isTracked(self))
    r = copies ? at_newCast(self, at_cpuType(type)) : at_makeCast(self, at_cpuType(type));
  else if (type != self->type->scalarType)
    r = at_ownOf(node, (at_to)(self, at_cpuType(type)));
  else
    r = copies ? at_ownOf(node, (at_clone)(self)) : at_retain(self);
  at_giveTensor(frame, node, r);
}

/* A contiguous copy, which every view that the file asks for can be made of: its memory_format is not
 * read. */
void at_computeClone(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const self = at_inputTensor(frame, node, "self", 0);
  if (!at_isTracked(self))
    at_giveTensor(frame, node, at_newCast(self, self->type));
  else
    at_giveTensor(frame, node,
                  at_ownOf(node, at_isContiguous(self) ? (at_clone)(self) : (at_contiguous)(self)));
}

/* The number of an argument, and the type that PyTorch gives a tensor of it. */
static at_scalar number_wanted(const at_frame *frame, const at_graphNode *node, const char *name,
                               at_scalar_type *type)
{
  const at_given *const given = at_inputOf(node, name, -1);
  if (!given || given->kind != AT_GIVEN_NUMBER)
    at_nodeFails(node, "%s is no number", name);
  const at_cell cell = at_frame_get(frame, given->parts);
  *type = cell.kind == AT_CELL_FLOAT ? AT_FLOAT : cell.kind == AT_CELL_BOOL ? AT_BOOL : AT_LONG;
  if (cell.kind == AT_CELL_FLOAT)
    return at_scalar_double(cell.is.number);
  if (cell.kind != AT_CELL_INT && cell.kind != AT_CELL_BOOL)
    at_nodeFails(node, "%s is no number", name);
  return at_scalar_long(cell.is.integer);
}

/* A tensor filled with a complex number. */
static void give_complex(at_frame *frame, const at_graphNode *node, const at_given *fill,
                         at_scalar_type type, at_ints sizes)
{
  const at_cell cell = at_frame_get(frame, fill->parts);
  const at_type *const part = at_cpuType(type == AT_COMPLEX_DOUBLE ? AT_DOUBLE : AT_FLOAT);
  if (cell.kind != AT_CELL_COMPLEX || !at_isComplex(type))
    at_nodeFails(node, "its value is no number of %s", at_scalarTypeName(type));
  AT_SCOPE
  {
    at_tensor *const one = at_complex(at_full(AT_SCALAR_SHAPE, cell.is.parts[0], .type = part),
                                      at_full(AT_SCALAR_SHAPE, cell.is.parts[1], .type = part));
    at_giveTensor(frame, node, at_ownOf(node, at_contiguous(at_expand(one, sizes))));
  }
}

void at_computeScalarTensor(at_frame *frame, const at_graphNode *node)
{
  const at_given *const given = at_inputOf(node, "s", 0);
  at_scalar_type unused;
  if (given && given->number == AT_CELL_COMPLEX) {
    give_complex(frame, node, given, type_wanted(node, AT_COMPLEX_FLOAT), AT_SCALAR_SHAPE);
    return;
  }
  const at_scalar value = number_wanted(frame, node, "s", &unused);
  const at_type *const type = at_cpuType(type_wanted(node, AT_FLOAT));
  at_giveTensor(frame, node, at_makeFilled(type, AT_SCALAR_SHAPE, value));
}

/* Tensors filled with a value: full, new_full, new_ones, new_zeros, new_empty. */
void at_computeNew(at_frame *frame, const at_graphNode *node)
{
  const at_given *const size = at_inputOf(node, "size", -1);
  at_scalar_type type = AT_FLOAT;
  at_scalar value = at_scalar_long(!strncmp(node->target, "aten.new_ones", 13));
  const at_given *const fill = at_inputOf(node, "fill_value", -1);
  const bool isComplex = fill && fill->number == AT_CELL_COMPLEX;
  if (!size && isComplex) { /* full_like */
    const at_tensor *const self = at_inputTensor(frame, node, "self", 0);
    give_complex(frame, node, fill, type_wanted(node, self->type->scalarType), at_sizesOf(self));
    return;
  }
  if (!size || size->count > AT_MOST_DIMS || size->kind == AT_GIVEN_TENSOR)
    at_nodeFails(node, "size is no list of sizes");
  if (isComplex)
    type = AT_COMPLEX_FLOAT;
  else if (fill)
    value = number_wanted(frame, node, "fill_value", &type);
  if (at_inputOf(node, "self", -1))
    type = at_inputTensor(frame, node, "self", 0)->type->scalarType;
  for (int32_t i = 0; i < size->count; i++) {
    const at_cell cell = at_frame_get(frame, &size->parts[i]);
    if (cell.kind != AT_CELL_INT)
      at_nodeFails(node, "size is no list of sizes");
    frame->ints[i] = cell.is.integer;
  }
  const at_ints sizes = {frame->ints, size->count};
  if (isComplex)
    give_complex(frame, node, fill, type_wanted(node, type), sizes);
  else
    at_giveTensor(frame, node, at_makeFilled(at_cpuType(type_wanted(node, type)), sizes, value));
}
