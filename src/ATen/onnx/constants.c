/* Tensors in the file: initializers, and the values of Constant nodes.  What nodes take as numbers
 * is read when the program is loaded; the others become weights, which are mapped. */
#include "Onnx.h"

at_scalar_type at_onnxType(int64_t number)
{
  static const at_scalar_type types[] = {AT_SCALAR_TYPES,
                                         AT_FLOAT,
                                         AT_BYTE,
                                         AT_CHAR,
                                         AT_UINT16,
                                         AT_SHORT,
                                         AT_INT,
                                         AT_LONG,
                                         AT_SCALAR_TYPES, /* text */
                                         AT_BOOL,
                                         AT_HALF,
                                         AT_DOUBLE,
                                         AT_UINT32,
                                         AT_UINT64,
                                         AT_COMPLEX_FLOAT,
                                         AT_COMPLEX_DOUBLE,
                                         AT_BFLOAT16};
  return number > 0 && number < (int64_t)(sizeof types / sizeof *types) ? types[number]
                                                                        : AT_SCALAR_TYPES;
}

enum {
  TENSOR_DIMS = 1,
  TENSOR_TYPE = 2,
  TENSOR_FLOATS = 4,
  TENSOR_INTS = 5,
  TENSOR_LONGS = 7,
  TENSOR_NAME = 8,
  TENSOR_RAW = 9,
  TENSOR_DOUBLES = 10,
  TENSOR_UNSIGNED = 11,
  TENSOR_EXTERNAL = 13,
  TENSOR_PLACE = 14
};

/* --- where a tensor is ------------------------------------------------------------------------ */

typedef struct Sizes {
  at_onnx *onnx;
  at_constant *constant;
  int64_t size[AT_MOST_DIMS];
} Sizes;

static void add_size(void *context, uint64_t value)
{
  Sizes *const sizes = context;
  at_constant *const constant = sizes->constant;
  if (constant->dims == AT_MOST_DIMS || (int64_t)value < 0)
    at_damaged(sizes->onnx->file, "tensor '%.100s' has more than %d dimensions, or a size of %lld",
               constant->name, AT_MOST_DIMS, (long long)value);
  sizes->size[constant->dims++] = (int64_t)value;
}

/* Where raw elements are: in the message, or in a file of their own. */
static void find_raw(at_onnx *onnx, at_constant *constant, at_wire bytes, uint64_t offset,
                     uint64_t length)
{
  uint64_t wanted;
  constant->where = bytes.file;
  constant->elements = offset;
  if (constant->type == AT_SCALAR_TYPES)
    return;
  bool fits =
      at_bytesOf(at_cpuType(constant->type), (at_ints){constant->sizes, constant->dims}, &wanted);
  if (constant->packing)
    wanted = (uint64_t)at_packing_bytes(constant->packing, constant->count);
  if (!fits || wanted != length)
    at_damaged(onnx->file, "tensor '%.100s' of size %s has %llu bytes", constant->name,
               at_sizeDesc((at_ints){constant->sizes, constant->dims}).str,
               (unsigned long long)length);
}

/* What a message of a tensor has besides sizes. */
typedef struct Parts {
  int64_t type, location;
  at_wire raw, external;
  bool isRaw, isExternal;
  int32_t field;
} Parts;

static void read_parts(Sizes *sizes, at_wire message, bool isNamed, Parts *parts)
{
  at_onnx *const onnx = sizes->onnx;
  const at_wire whole = message;
  at_field field;
  while (at_wire_next(&message, &field)) {
    switch (field.number) {
      case TENSOR_DIMS:
        at_onnxField_each(&field, AT_WIRE_VARINT, add_size, sizes);
        break;
      case TENSOR_TYPE:
        parts->type = at_onnxField_integer(&field);
        break;
      case TENSOR_NAME:
        if (!isNamed)
          sizes->constant->name = at_onnxField_text(onnx->arena, &field);
        break;
      case TENSOR_RAW:
        parts->raw = at_onnxField_message(&field);
        parts->isRaw = true;
        break;
      case TENSOR_PLACE:
        parts->location = at_onnxField_integer(&field);
        break;
      case TENSOR_FLOATS:
      case TENSOR_INTS:
      case TENSOR_LONGS:
      case TENSOR_DOUBLES:
      case TENSOR_UNSIGNED:
        parts->field = (int32_t)field.number;
        break;
      case TENSOR_EXTERNAL:
        parts->external = whole;
        break;
      default:
        break;
    }
  }
  parts->isExternal = parts->location == 1;
}

/* Gives the constant the sizes that were read, and the number of its elements. */
static void keep_sizes(const Sizes *sizes)
{
  at_constant *const constant = sizes->constant;
  uint64_t bytes;
  int64_t *const kept = at_arena_take(sizes->onnx->arena, (uint64_t)constant->dims, sizeof *kept);
  memcpy(kept, sizes->size, (size_t)constant->dims * sizeof *kept);
  constant->sizes = kept;
  if (!at_bytesOf(at_cpuType(AT_COMPLEX_DOUBLE), (at_ints){kept, constant->dims}, &bytes))
    at_damaged(sizes->onnx->file, "tensor '%.100s' of size %s is too large", constant->name,
               at_sizeDesc((at_ints){kept, constant->dims}).str);
  constant->count = (int64_t)(bytes / 16);
}

static void read_tensor(at_onnx *onnx, at_constant *constant, bool isNamed)
{
  Sizes sizes = {onnx, constant};
  Parts parts = {0};
  read_parts(&sizes, constant->message, isNamed, &parts);
  constant->isText = parts.type == AT_ONNX_TEXT;
  constant->packing = at_packingOf(parts.type);
  constant->type = constant->packing ? at_packing_type(constant->packing) : at_onnxType(parts.type);
  keep_sizes(&sizes);
  constant->field = parts.field;
  if (parts.isExternal) {
    uint64_t offset, length;
    const at_wire where = at_externalBytes(onnx, parts.external, &offset, &length);
    find_raw(onnx, constant, where, offset, length);
  } else if (parts.isRaw) {
    find_raw(onnx, constant, parts.raw, parts.raw.at, parts.raw.end - parts.raw.at);
  }
}

enum { SPARSE_VALUES = 1, SPARSE_INDICES = 2, SPARSE_DIMS = 3 };

/* A tensor inside of the message of a sparse one. */
static at_constant part_of(at_onnx *onnx, const at_constant *sparse, int64_t number)
{
  at_constant part = {.name = sparse->name, .message = {sparse->message.file, 0, 0}};
  at_wire message = sparse->message;
  at_field field;
  while (at_wire_next(&message, &field))
    if (field.number == number)
      part.message = at_onnxField_message(&field);
  read_tensor(onnx, &part, number != SPARSE_VALUES || *sparse->name);
  return part;
}

static void read_sparse(at_onnx *onnx, at_constant *constant)
{
  const at_constant values = part_of(onnx, constant, SPARSE_VALUES);
  at_wire message = constant->message;
  at_field field;
  Sizes sizes = {onnx, constant};
  constant->name = values.name;
  constant->type = values.type;
  constant->packing = values.packing;
  constant->isSparse = true;
  while (at_wire_next(&message, &field))
    if (field.number == SPARSE_DIMS)
      at_onnxField_each(&field, AT_WIRE_VARINT, add_size, &sizes);
  keep_sizes(&sizes);
}

static void add_constant(at_names *names, at_constant made)
{
  at_onnx *const onnx = names->building->onnx;
  if (json_object_get(names->slots, made.name) || json_object_get(names->constants, made.name))
    at_damaged(onnx->file, "two values are called '%.100s'", made.name);
  names->constant = at_arena_grown(onnx->arena, names->constant, names->constantCount,
                                   &names->constantCapacity, sizeof *names->constant);
  names->constant[names->constantCount] = made;
  at_file_charge(onnx->file, AT_NAME_BYTES + strlen(made.name));
  if (json_object_set_new(names->constants, made.name, json_integer(names->constantCount++)))
    THError("there is no memory for the names of values");
}

void at_readConstant(at_names *names, at_wire message, const char *name)
{
  at_constant made = {.name = name ? name : "", .message = message, .slot = AT_NO_SLOT};
  read_tensor(names->building->onnx, &made, name != NULL);
  add_constant(names, made);
}

void at_readSparse(at_names *names, at_wire message, const char *name)
{
  at_constant made = {.name = name ? name : "", .message = message, .slot = AT_NO_SLOT};
  read_sparse(names->building->onnx, &made);
  add_constant(names, made);
}

/* --- elements --------------------------------------------------------------------------------- */

/* A tensor whose elements are numbers of a repeated field. */
typedef struct Filling {
  const at_constant *constant;
  at_tensor *t;
  int64_t at;
  at_wireKind kind;
} Filling;

/* Elements that are no floats are the low bytes of what is in the field: Half and BFloat16 too. */
static void fill_number(void *context, uint64_t value)
{
  Filling *const filling = context;
  const at_type *const type = filling->t->type;
  const size_t size = type->elementSize / (size_t)at_partsOf(type);
  uint8_t bytes[8];
  if (filling->at >= filling->constant->count * at_partsOf(type))
    return;
  for (size_t i = 0; i < 8; i++)
    bytes[i] = (uint8_t)(value >> 8 * i);
  memcpy((uint8_t *)at_hostData(filling->t) + (size_t)filling->at++ * size, bytes, size);
}

static at_wireKind kind_of(int32_t field)
{
  return field == TENSOR_FLOATS    ? AT_WIRE_FIXED32
         : field == TENSOR_DOUBLES ? AT_WIRE_FIXED64
                                   : AT_WIRE_VARINT;
}

static at_tensor *new_filled(at_onnx *onnx, const at_constant *constant)
{
  THGuard guard;
  at_wire message = constant->message;
  at_field field;
  const at_type *const type = at_cpuType(constant->type);
  /* Each element takes a byte of the file at least. */
  if ((uint64_t)constant->count > message.end - message.at)
    at_damaged(onnx->file, "tensor '%.100s' of size %s has fewer elements", constant->name,
               at_sizeDesc((at_ints){constant->sizes, constant->dims}).str);
  at_guard(&guard);
  Filling filling = {
      constant,
      guard.what = at_newElements(onnx->file, type, (at_ints){constant->sizes, constant->dims})};
  while (at_wire_next(&message, &field))
    if (field.number == constant->field)
      at_onnxField_each(&field, kind_of(constant->field), fill_number, &filling);
  if (filling.at != constant->count * at_partsOf(type))
    at_damaged(onnx->file, "tensor '%.100s' of size %s has %lld elements", constant->name,
               at_sizeDesc((at_ints){constant->sizes, constant->dims}).str, (long long)filling.at);
  at_adopt(type, at_hostData(filling.t), constant->count, false);
  THGuard_keep(&guard);
  return filling.t;
}

static at_tensor *new_tensor(at_onnx *onnx, const at_constant *constant);

/* Elements that are packed in the file. */
static at_tensor *new_widened(at_onnx *onnx, const at_constant *constant)
{
  const int64_t bytes = at_packing_bytes(constant->packing, constant->count);
  at_constant packed = *constant;
  THGuard guard, made;
  packed.packing = NULL;
  packed.type = AT_BYTE;
  packed.dims = 1;
  packed.sizes = &bytes;
  packed.count = bytes;
  at_guard(&guard);
  const at_tensor *const codes = guard.what = new_tensor(onnx, &packed);
  at_guard(&made);
  at_tensor *const t = made.what = at_newElements(onnx->file, at_cpuType(constant->type),
                                                  (at_ints){constant->sizes, constant->dims});
  if (constant->count > 0)
    at_packing_widen(constant->packing, at_hostData(codes), constant->count, at_hostData(t));
  THGuard_keep(&made);
  THGuard_leave(&guard);
  return t;
}

/* Elements that are in the file with their indices. */
static at_tensor *new_dense(at_onnx *onnx, const at_constant *constant)
{
  const at_constant values = part_of(onnx, constant, SPARSE_VALUES);
  const at_constant indices = part_of(onnx, constant, SPARSE_INDICES);
  THGuard first, second;
  at_guard(&first);
  first.what = new_tensor(onnx, &values);
  at_guard(&second);
  second.what = new_tensor(onnx, &indices);
  at_tensor *const t = at_newDense(onnx, constant, first.what, second.what);
  THGuard_leave(&second);
  THGuard_leave(&first);
  return t;
}

static at_tensor *new_tensor(at_onnx *onnx, const at_constant *constant)
{
  if (constant->isSparse)
    return new_dense(onnx, constant);
  if (constant->packing)
    return new_widened(onnx, constant);
  if (constant->type == AT_SCALAR_TYPES)
    at_damaged_from(__FILE__, __LINE__, onnx->file, AT_ERROR_TYPE, "tensor '%.100s' is of %s",
                    constant->name,
                    constant->isText ? "texts, which are not here"
                                     : "an element type that is not here");
  if (!constant->where)
    return new_filled(onnx, constant);
  return at_newMapped(constant->where, at_cpuType(constant->type),
                      (at_ints){constant->sizes, constant->dims}, constant->elements);
}

static at_cell cell_of(at_scalar value, at_scalar_type type)
{
  if (value.is_float)
    return (at_cell){AT_CELL_FLOAT, {.number = value.value.number}};
  return (at_cell){type == AT_BOOL ? AT_CELL_BOOL : AT_CELL_INT, {.integer = value.value.integer}};
}

const at_part *at_numbersOf(at_onnx *onnx, const at_constant *constant)
{
  const at_scalar_type type = constant->type;
  if (constant->count > AT_MOST_DIMS || type == AT_SCALAR_TYPES || at_isComplex(type))
    return NULL;
  at_part *const parts = at_arena_take(onnx->arena, (uint64_t)constant->count, sizeof *parts);
  THGuard guard;
  at_guard(&guard);
  const at_tensor *const t = guard.what = new_tensor(onnx, constant);
  for (int64_t i = 0; i < constant->count; i++) {
    parts[i].slot = AT_NO_SLOT;
    parts[i].constant = cell_of(at_elementAt(t, t->th->storageOffset + (ptrdiff_t)i), type);
  }
  THGuard_leave(&guard);
  return parts;
}

const at_cell *at_cellsOf(at_onnx *onnx, at_wire message, int64_t *count)
{
  at_constant constant = {.name = "", .message = message, .slot = AT_NO_SLOT};
  THGuard guard;
  read_tensor(onnx, &constant, false);
  at_guard(&guard);
  const at_tensor *const t = guard.what = new_tensor(onnx, &constant);
  if (at_isComplex(constant.type))
    at_damaged(onnx->file, "tensor '%.100s' is of complex numbers", constant.name);
  at_cell *const cells = at_arena_take(onnx->arena, (uint64_t)constant.count, sizeof *cells);
  for (int64_t i = 0; i < constant.count; i++)
    cells[i] = cell_of(at_elementAt(t, t->th->storageOffset + (ptrdiff_t)i), constant.type);
  THGuard_leave(&guard);
  *count = constant.count;
  return cells;
}

at_scalar_type at_typeOfTensor(at_onnx *onnx, at_wire message)
{
  at_constant constant = {.name = "", .message = message, .slot = AT_NO_SLOT};
  read_tensor(onnx, &constant, false);
  return constant.type;
}

/* --- weights ---------------------------------------------------------------------------------- */

/* A name for the weight that no other has: constants of different graphs may have the same name. */
static const char *name_for(at_onnx *onnx, const char *name)
{
  char text[512];
  for (int64_t number = 0;; number = THMax(number, at_dict_count(onnx->program->weights)) + 1) {
    const int length = number == 0
                           ? snprintf(text, sizeof text, "%s", name)
                           : snprintf(text, sizeof text, "%.480s#%lld", name, (long long)number);
    if (length < 0 || length >= (int)sizeof text)
      at_damaged(onnx->file, "'%.100s' is too long for the name of a tensor", name);
    if (at_dict_find(onnx->program->weights, text) < 0)
      return at_arena_text(onnx->arena, text);
  }
}

int32_t at_slotOfConstant(at_onnx *onnx, at_constant *constant)
{
  THGuard guard;
  if (constant->slot != AT_NO_SLOT)
    return constant->slot;
  at_program *const program = onnx->program;
  at_guard(&guard);
  at_tensor *const t = guard.what = new_tensor(onnx, constant);
  const char *const name = name_for(onnx, constant->name);
  const at_found found = {
      .name = name, .length = strlen(name), .type = t->type, .sizes = at_sizesOf(t)};
  if (at_dict_wants(program->weights, onnx->file, &found))
    at_dict_add(program->weights, onnx->file, &found, t);
  THGuard_leave(&guard);
  const int64_t index = at_dict_find(program->weights, name);
  if (index < 0)
    at_damaged(onnx->file, "there is no tensor '%.100s'", name);
  const at_known known = {{constant->type, -1, constant->count}, constant->dims, constant->packing};
  constant->slot = at_addBound(onnx, name, known, (at_binding){AT_BIND_WEIGHT, index});
  return constant->slot;
}
