/* The functions and classes that a pickle names, and what a call of each gives.  The table has the
 * names that PyTorch writes; no other name is accepted. */
#include "Machine.h"

typedef enum Meaning {
  INERT,     /* an object */
  DICT,      /* a dictionary, perhaps of a list of pairs */
  FIRST,     /* its first argument */
  FROM_TYPE, /* the result of its first argument called with the third */
  WRAPPER,   /* a tensor that is made of those in the state, which is FROM_TYPE's fourth argument */
  TENSOR,    /* of a storage, an offset, sizes and strides */
  FOREIGN,   /* a tensor of an unsupported kind */
  OF_DTYPE,  /* like TENSOR, of a dtype without a storage class in PyTorch */
  FOREIGN_STORAGE,
  STORAGE,
  ENCODE /* bytes, of a text */
} Meaning;

/* PyTorch's storages are in the table of element types. */
static const struct {
  const char *module, *name;
  Meaning meaning;
  const char *dtype; /* of the elements of an unsupported storage */
  int elementSize;
} globals[] = {
    {"torch._utils", "_rebuild_tensor_v2", TENSOR},
    {"torch._utils", "_rebuild_tensor", TENSOR},
    {"torch._utils", "_rebuild_parameter", FIRST},
    {"torch._utils", "_rebuild_parameter_with_state", FIRST},
    {"torch._tensor", "_rebuild_from_type_v2", FROM_TYPE},
    {"torch._utils", "_rebuild_wrapper_subclass", WRAPPER},
    {"torch._utils", "_rebuild_tensor_v3", OF_DTYPE},
    {"torch._utils", "_rebuild_sparse_tensor", FOREIGN},
    {"torch._utils", "_rebuild_sparse_csr_tensor", FOREIGN},
    {"torch._utils", "_rebuild_nested_tensor", FOREIGN},
    {"torch._utils", "_rebuild_qtensor", FOREIGN},
    {"torch._utils", "_rebuild_meta_tensor_no_storage", FOREIGN},
    {"torch", "QInt8Storage", FOREIGN_STORAGE, "torch.qint8", 1},
    {"torch", "QUInt8Storage", FOREIGN_STORAGE, "torch.quint8", 1},
    {"torch", "QInt32Storage", FOREIGN_STORAGE, "torch.qint32", 4},
    {"torch", "QUInt4x2Storage", FOREIGN_STORAGE, "torch.quint4x2", 1},
    {"torch", "QUInt2x4Storage", FOREIGN_STORAGE, "torch.quint2x4", 1},
    {"torch.storage", "UntypedStorage", FOREIGN_STORAGE, "bytes", 1},
    {"torch.storage", "_UntypedStorage", FOREIGN_STORAGE, "bytes", 1},
    {"torch.storage", "TypedStorage", INERT},
    {"torch.storage", "_TypedStorage", INERT},
    {"collections", "OrderedDict", DICT},
    {"collections", "defaultdict", DICT},
    {"collections", "Counter", INERT},
    {"torch", "Size", FIRST},
    {"torch", "Tensor", INERT},
    {"torch", "device", INERT},
    {"torch", "Generator", INERT},
    {"torch.nn.parameter", "Parameter", INERT},
    {"torch.nn.parameter", "Buffer", INERT},
    {"torch.serialization", "_get_layout", INERT},
    {"_codecs", "encode", ENCODE},
    {"numpy", "dtype", INERT},
    {"numpy.core.multiarray", "scalar", INERT},
    {"numpy._core.multiarray", "scalar", INERT},
/* clang-format off */
#define BUILTIN(NAME) {"builtins", NAME, INERT}, {"__builtin__", NAME, INERT}
    /* clang-format on */
    BUILTIN("set"),
    BUILTIN("frozenset"),
    BUILTIN("list"),
    BUILTIN("dict"),
    BUILTIN("int"),
    BUILTIN("float"),
    BUILTIN("complex"),
    BUILTIN("bytearray"),
#define DTYPE(NAME) {"torch", NAME, INERT}
    DTYPE("uint8"),
    DTYPE("int8"),
    DTYPE("int16"),
    DTYPE("int32"),
    DTYPE("int64"),
    DTYPE("uint16"),
    DTYPE("uint32"),
    DTYPE("uint64"),
    DTYPE("float16"),
    DTYPE("float32"),
    DTYPE("float64"),
    DTYPE("bfloat16"),
    DTYPE("bool"),
    DTYPE("complex32"),
    DTYPE("complex64"),
    DTYPE("complex128"),
    DTYPE("qint8"),
    DTYPE("quint8"),
    DTYPE("qint32"),
    DTYPE("quint4x2"),
    DTYPE("quint2x4"),
    DTYPE("float8_e4m3fn"),
    DTYPE("float8_e4m3fnuz"),
    DTYPE("float8_e5m2"),
    DTYPE("float8_e5m2fnuz"),
    DTYPE("float8_e8m0fnu"),
};
enum { GLOBALS = sizeof globals / sizeof *globals };

static void push_global(at_pickle *m, at_text module, at_text name)
{
  int found = 0;
  while (found < GLOBALS &&
         !(at_textIs(module, globals[found].module) && at_textIs(name, globals[found].name)))
    found++;
  for (int type = 0; type < AT_SCALAR_TYPES && found == GLOBALS; type++)
    if ((at_textIs(module, "torch") || at_textIs(module, "torch.cuda")) &&
        at_elements[type].torch && at_textIs(name, at_elements[type].torch))
      found = GLOBALS + 1 + type;
  if (found == GLOBALS && !m->nodes->file->skips && !m->nodes->file->lists)
    at_pickle_bad(
        m,
        "the pickle names %.*s.%.*s, which is not on the list of what files of tensors have: it "
        "holds objects of a program, as a whole module does.  Save its state_dict(); or load with "
        ".skip = true, which reads objects as data",
        (int)THMin(module.length, 100), module.at, (int)THMin(name.length, 100), name.at);
  const size_t length = module.length + 1 + name.length;
  char *text = at_nodes_text(m->nodes, length);
  memcpy(text, module.at, module.length);
  text[module.length] = '.';
  memcpy(text + module.length + 1, name.at, name.length);
  const int32_t id = at_nodes_addText(m->nodes, AT_NODE_GLOBAL, text, length);
  at_pickle_node(m, id)->count = found;
  at_pickle_push(m, id);
}

void at_pickle_pushLineGlobal(at_pickle *m)
{
  char module[AT_PICKLE_LINE], name[AT_PICKLE_LINE];
  const size_t moduleLength = at_pickle_takeLine(m, module),
               nameLength = at_pickle_takeLine(m, name);
  push_global(m, (at_text){module, moduleLength}, (at_text){name, nameLength});
}

static Meaning meaning_of(const at_node *global)
{
  return global->count < GLOBALS    ? globals[global->count].meaning
         : global->count == GLOBALS ? INERT
                                    : STORAGE;
}

void at_pickle_pushNamed(at_pickle *m)
{
  const at_node *name = at_pickle_node(m, at_pickle_pop(m)),
                *module = at_pickle_node(m, at_pickle_pop(m));
  if (name->kind != AT_NODE_TEXT || module->kind != AT_NODE_TEXT)
    at_pickle_bad(m, "the pickle names something by a value that is no text");
  push_global(m, module->is.text, name->is.text);
}

/* Argument index of a list; raises unless it is of that kind. */
static int32_t argument(const at_pickle *m, int32_t list, int64_t index, at_nodeKind kind)
{
  const at_node *arguments = at_pickle_node(m, list);
  if (arguments->kind != AT_NODE_LIST || index >= arguments->count ||
      at_pickle_node(m, at_node_item(arguments, index))->kind != kind)
    at_pickle_bad(m, "argument %lld of what the pickle calls is missing, or of another kind",
                  (long long)index + 1);
  return at_node_item(arguments, index);
}

static int64_t integer(const at_pickle *m, int32_t list, int64_t index)
{
  return at_pickle_node(m, argument(m, list, index, AT_NODE_INTEGER))->is.integer;
}

/* Gives bytes the type of PyTorch's name that has no storage of its own; false if the name is of no such type, or
 * they are no elements of it. */
static bool give_type(at_nodeStorage *storage, const char *dtype)
{
  int i = 0;
  while (i < AT_SCALAR_TYPES && !(at_elements[i].dtype && !strcmp(at_elements[i].dtype, dtype)))
    i++;
  if (i == AT_SCALAR_TYPES)
    return false;
  const at_type *const type = at_cpuType((at_scalar_type)i);
  const int64_t size = (int64_t)type->elementSize;
  if (!storage->isUntyped || storage->type)
    return storage->isUntyped && storage->type == type;
  if (storage->count % size != 0 || storage->first % size != 0)
    return false;
  storage->type = type;
  storage->dtype = NULL;
  storage->elementSize = type->elementSize;
  storage->count /= size;
  storage->first /= size;
  return true;
}

/* Pushes a tensor; dtype names the element type if it differs from the storage's. */
static void push_tensor(at_pickle *m, int32_t arguments, const char *dtype)
{
  const int32_t storage = argument(m, arguments, 0, AT_NODE_STORAGE),
                sizes = argument(m, arguments, 2, AT_NODE_LIST),
                strides = argument(m, arguments, 3, AT_NODE_LIST);
  if (dtype && give_type(at_pickle_node(m, storage)->is.storage, dtype))
    dtype = NULL;
  const int64_t first = at_pickle_node(m, storage)->is.storage->first;
  int64_t offset = integer(m, arguments, 1);
  if (offset < 0 || __builtin_add_overflow(offset, first, &offset))
    at_pickle_bad(m, "a tensor begins at element %lld", (long long)offset);
  const int32_t id = at_nodes_addTensor(m->nodes);
  at_nodeTensor *tensor = at_pickle_node(m, id)->is.tensor;
  tensor->storage = storage;
  tensor->sizes = sizes;
  tensor->strides = strides;
  tensor->offset = offset;
  tensor->dtype = dtype;
  at_pickle_push(m, id);
}

/* Pushes a dictionary, with the pairs in the first argument, if it is a list of lists of two.
 * Pairs are counted, because one list could be used for many dictionaries. */
static void push_dict(at_pickle *m, int32_t arguments)
{
  const int32_t dict = at_nodes_add(m->nodes, AT_NODE_DICT);
  at_pickle_push(m, dict);
  const at_node *list = at_pickle_node(m, arguments);
  if (list->kind != AT_NODE_LIST || list->count == 0)
    return;
  const at_node *pairs = at_pickle_node(m, at_node_item(list, 0));
  if (pairs->kind != AT_NODE_LIST)
    return;
  for (int32_t i = 0; i < pairs->count; i++) {
    const at_node *pair = at_pickle_node(m, at_node_item(pairs, i));
    if (pair->kind != AT_NODE_LIST || pair->count != 2 || m->paired++ > m->most)
      at_pickle_bad(m, "the pickle makes a dictionary of something else than pairs");
    at_nodes_append(m->nodes, dict, at_node_item(pair, 0));
    at_nodes_append(m->nodes, dict, at_node_item(pair, 1));
  }
}

/* Pushes bytes given as the characters of a text, as in pickles with protocol 2. */
static void push_encoded(at_pickle *m, int32_t arguments)
{
  const at_text text = at_pickle_node(m, argument(m, arguments, 0, AT_NODE_TEXT))->is.text;
  char *bytes = at_nodes_text(m->nodes, text.length);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    const uint8_t first = (uint8_t)text.at[i];
    const bool two = (first == 0xc2 || first == 0xc3) && i + 1 < text.length;
    if (!two && first >= 0x80)
      at_pickle_bad(m, "the pickle makes bytes of characters that are none");
    bytes[length++] = two ? (char)((first & 3) << 6 | (text.at[++i] & 0x3f)) : (char)first;
  }
  bytes[length] = '\0';
  at_pickle_push(m, at_nodes_addText(m->nodes, AT_NODE_BYTES, bytes, length));
}

static void push_object(at_pickle *m, int32_t class, int32_t arguments)
{
  const int32_t id = at_nodes_add(m->nodes, AT_NODE_OBJECT);
  at_node *node = at_pickle_node(m, id);
  node->is.object.class = class;
  node->is.object.arguments = arguments;
  node->is.object.items = node->is.object.state = -1;
  at_pickle_push(m, id);
}

/* Pushes the result of a function or class called with the arguments. */
static void push_result(at_pickle *m, int32_t callee, int32_t arguments)
{
  for (int i = 0; i < 4; i++) {
    const at_node *function = at_pickle_node(m, callee), *list = at_pickle_node(m, arguments);
    if (function->kind != AT_NODE_GLOBAL)
      at_pickle_bad(m, "the pickle calls a value that is no function");
    switch (meaning_of(function)) {
      case INERT:
      case STORAGE:
      case FOREIGN_STORAGE:
        push_object(m, callee, arguments);
        return;
      case DICT:
        push_dict(m, arguments);
        return;
      case ENCODE:
        push_encoded(m, arguments);
        return;
      case TENSOR:
        push_tensor(m, arguments, NULL);
        return;
      case OF_DTYPE:
        push_tensor(m, arguments,
                    at_pickle_node(m, argument(m, arguments, 6, AT_NODE_GLOBAL))->is.text.at);
        return;
      case FIRST:
        if (list->kind != AT_NODE_LIST || list->count == 0)
          at_pickle_bad(m, "the pickle calls a function without arguments");
        at_pickle_push(m, at_node_item(list, 0));
        return;
      case FOREIGN:
        at_pickle_push(m, at_nodes_addText(m->nodes, AT_NODE_FOREIGN, function->is.text.at,
                                           function->is.text.length));
        return;
      case WRAPPER:
        push_object(m, callee, arguments);
        return;
      case FROM_TYPE:
        callee = argument(m, arguments, 0, AT_NODE_GLOBAL);
        if (meaning_of(at_pickle_node(m, callee)) == WRAPPER) {
          at_pickle_push(m, argument(m, arguments, 3, AT_NODE_DICT));
          return;
        }
        arguments = argument(m, arguments, 2, AT_NODE_LIST);
        break;
    }
  }
  at_pickle_bad(m, "the pickle makes a tensor of a tensor of a tensor");
}

void at_pickle_reduce(at_pickle *m)
{
  const int32_t arguments = at_pickle_pop(m), callee = at_pickle_pop(m);
  push_result(m, callee, arguments);
}

void at_pickle_build(at_pickle *m)
{
  const int32_t state = at_pickle_pop(m);
  at_node *node = at_pickle_node(m, at_pickle_top(m));
  if (node->kind == AT_NODE_OBJECT)
    node->is.object.state = state;
}

void at_pickle_pushStorage(at_pickle *m)
{
  const int32_t list = at_pickle_pop(m);
  const int32_t word = argument(m, list, 0, AT_NODE_TEXT), key = argument(m, list, 2, AT_NODE_TEXT);
  const int64_t count = integer(m, list, 4);
  const at_node *class = at_pickle_node(m, argument(m, list, 1, AT_NODE_GLOBAL));
  const Meaning meaning = meaning_of(class);
  if (!at_textIs(at_pickle_node(m, word)->is.text, "storage"))
    at_pickle_bad(m, "the pickle refers to something that is no storage");
  if ((meaning != STORAGE && meaning != FOREIGN_STORAGE) || count < 0)
    at_pickle_bad(m, "the pickle has a storage of no type, or of %lld elements", (long long)count);

  int64_t first = 0;
  const at_node *arguments = at_pickle_node(m, list);
  if (arguments->count > 5 && at_pickle_node(m, at_node_item(arguments, 5))->kind == AT_NODE_LIST) {
    const int32_t view = at_node_item(arguments, 5);
    const int64_t length = integer(m, view, 2);
    first = integer(m, view, 1);
    if (first < 0 || length < 0 || first > count || length > count - first)
      at_pickle_bad(m, "a view of a storage of %lld elements has %lld of them from %lld on",
                    (long long)count, (long long)length, (long long)first);
  }
  const int32_t id = at_nodes_addStorage(m->nodes);
  at_nodeStorage *storage = at_pickle_node(m, id)->is.storage;
  storage->key = at_pickle_node(m, key)->is.text;
  storage->count = count;
  storage->first = first;
  if (meaning == STORAGE) {
    storage->type = at_cpuType((at_scalar_type)(class->count - GLOBALS - 1));
    storage->elementSize = storage->type->elementSize;
  } else {
    storage->dtype = globals[class->count].dtype;
    storage->elementSize = (size_t)globals[class->count].elementSize;
    storage->isUntyped = !strcmp(storage->dtype, "bytes");
  }
  at_pickle_push(m, id);
}
