/* A stack machine that reads pickles and calls nothing.
 *
 * A pickle is a program: most instructions push a value, some collect the values above the last
 * mark, and the memo keeps values for later use.  Functions and classes are given by name.  The
 * table below has the names that PyTorch writes, with the result that a call of each would have; no
 * other name is accepted. */
#include "Pickle.h"

typedef enum Meaning {
  INERT,     /* an object */
  DICT,      /* a dictionary, perhaps of a list of pairs */
  FIRST,     /* its first argument */
  FROM_TYPE, /* the result of its first argument called with the third */
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
#define BUILTIN(NAME)          \
  {"builtins", NAME, INERT},   \
  {                            \
    "__builtin__", NAME, INERT \
  }
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

/* --- the machine ------------------------------------------------------------------------------ */

enum { MARK = -1, NOTHING = -2, MOST_LINE = 1000 };

typedef struct Machine {
  at_nodes *nodes;
  at_input *in;
  uint64_t start, most; /* the offset of the pickle, and its maximal length */
  int32_t *stack, *memo;
  int64_t depth, capacity, memoCount, memoCapacity;
  uint64_t paired; /* the number of pairs converted to dictionaries */
} Machine;

static void free_machine(void *what)
{
  Machine *m = what;
  THFree(m->stack);
  THFree(m->memo);
}

#define bad(M, ...) at_damaged((M)->nodes->file, __VA_ARGS__)

static at_node *node_of(const Machine *m, int64_t id)
{
  return at_node_of(m->nodes, (int32_t)id);
}

/* --- what is read ----------------------------------------------------------------------------- */

void at_input_begin(at_input *in, at_stream *stream, THGuard *guard)
{
  *in = (at_input){.stream = stream};
  THGuard_enter(guard, THFree);
  in->buffer = guard->what = at_file_alloc(stream->file, AT_INPUT);
}

static uint64_t byte_index(const Machine *m)
{
  return m->in->taken - m->start;
}

/* Raises unless length bytes can follow. */
static void check_left(const Machine *m, uint64_t length)
{
  const at_input *in = m->in;
  if (length > in->end - in->at && length - (in->end - in->at) > in->stream->left)
    bad(m, "the pickle ends too early, at byte %llu", (unsigned long long)byte_index(m));
}

static void take(Machine *m, void *to, uint64_t length)
{
  at_input *in = m->in;
  check_left(m, length);
  for (uint8_t *at = to; length > 0;) {
    if (in->at == in->end) {
      in->end = (size_t)THMin(in->stream->left, (uint64_t)AT_INPUT);
      in->at = 0;
      at_stream_read(in->stream, in->buffer, in->end);
    }
    const size_t count = (size_t)THMin(length, (uint64_t)(in->end - in->at));
    memcpy(at, in->buffer + in->at, count);
    at += count;
    in->at += count;
    in->taken += count;
    length -= count;
  }
}

static uint8_t take_byte(Machine *m)
{
  at_input *in = m->in;
  uint8_t byte;
  if (in->at < in->end) {
    in->taken++;
    return in->buffer[in->at++];
  }
  take(m, &byte, 1);
  return byte;
}

static uint64_t take_little(Machine *m, int count)
{
  uint8_t bytes[8];
  take(m, bytes, (uint64_t)count);
  return at_little(bytes, count);
}

/* Reads to the end of the line and returns the length without the newline. */
static size_t take_line(Machine *m, char line[MOST_LINE])
{
  size_t length = 0;
  for (uint8_t byte; (byte = take_byte(m)) != '\n'; line[length++] = (char)byte)
    if (length == MOST_LINE)
      bad(m, "a name in the pickle is too long, at byte %llu", (unsigned long long)byte_index(m));
  return length;
}

/* --- the stack -------------------------------------------------------------------------------- */

static void push(Machine *m, int32_t id)
{
  m->stack = at_grown(m->nodes->file, m->stack, m->depth, &m->capacity, sizeof *m->stack);
  m->stack[m->depth++] = id;
}

static void push_new(Machine *m, at_nodeKind kind)
{
  push(m, at_nodes_add(m->nodes, kind));
}

static int32_t pop(Machine *m)
{
  if (m->depth == 0 || m->stack[m->depth - 1] == MARK)
    bad(m, "the pickle takes a value that is not there, at byte %llu",
        (unsigned long long)byte_index(m));
  return m->stack[--m->depth];
}

static int32_t top(Machine *m)
{
  const int32_t id = pop(m);
  m->depth++;
  return id;
}

/* The index of the first value above the last mark. */
static int64_t marked(Machine *m)
{
  int64_t first = m->depth;
  while (first > 0 && m->stack[first - 1] != MARK)
    first--;
  if (first == 0)
    bad(m, "the pickle lacks a mark, at byte %llu", (unsigned long long)byte_index(m));
  return first;
}

/* Pops the values from index first on, and returns a list of them. */
static int32_t collect(Machine *m, int64_t first)
{
  const int32_t list = at_nodes_add(m->nodes, AT_NODE_LIST);
  for (int64_t i = first; i < m->depth; i++)
    at_nodes_append(m->nodes, list, m->stack[i]);
  m->depth = first;
  return list;
}

/* Replaces the last count values, or for -1 those above the mark, by a tuple. */
static void make_tuple(Machine *m, int count)
{
  if (count < 0) {
    const int32_t tuple = collect(m, marked(m));
    m->stack[m->depth - 1] = tuple; /* replaces the mark */
    return;
  }
  for (int i = 1; i <= count; i++)
    if (m->depth < i || m->stack[m->depth - i] == MARK)
      bad(m, "the pickle takes a value that is not there, at byte %llu",
          (unsigned long long)byte_index(m));
  push(m, collect(m, m->depth - count));
}

/* The list or dictionary to which items are added: target itself, or the items of an object. */
static int32_t container(Machine *m, int32_t target, at_nodeKind kind)
{
  at_node *node = node_of(m, target);
  if (node->kind == AT_NODE_OBJECT) {
    if (node->is.object.items < 0) {
      const int32_t items = at_nodes_add(m->nodes, kind);
      node->is.object.items = items; /* nodes do not move */
    }
    target = node->is.object.items;
  }
  if (node_of(m, target)->kind != kind)
    bad(m, "the pickle adds to a value that takes nothing, at byte %llu",
        (unsigned long long)byte_index(m));
  return target;
}

/* Pops the values from index first on and adds them to the list or dictionary at index to. */
static void add_items(Machine *m, int64_t first, int64_t to, at_nodeKind kind)
{
  if (to < 0 || m->stack[to] == MARK)
    bad(m, "the pickle adds to a value that is not there, at byte %llu",
        (unsigned long long)byte_index(m));
  const int32_t target = container(m, m->stack[to], kind);
  if (kind == AT_NODE_DICT && (m->depth - first) % 2 != 0)
    bad(m, "the pickle adds to a value that takes nothing, at byte %llu",
        (unsigned long long)byte_index(m));
  for (int64_t i = first; i < m->depth; i++)
    at_nodes_append(m->nodes, target, m->stack[i]);
  m->depth = to + 1;
}

/* Adds the values above the mark to the list or dictionary below the mark. */
static void add_marked(Machine *m, at_nodeKind kind)
{
  const int64_t first = marked(m);
  add_items(m, first, first - 2, kind);
}

static void add_last(Machine *m, int count, at_nodeKind kind)
{
  for (int i = 1; i <= count; i++)
    if (m->depth < i || m->stack[m->depth - i] == MARK)
      bad(m, "the pickle takes a value that is not there, at byte %llu",
          (unsigned long long)byte_index(m));
  add_items(m, m->depth - count, m->depth - count - 1, kind);
}

/* --- the memo --------------------------------------------------------------------------------- */

static void put(Machine *m, uint64_t index)
{
  const int32_t id = top(m);
  if (index >= m->most)
    bad(m, "the pickle has a memo with an index %llu", (unsigned long long)index);
  while (m->memoCount <= (int64_t)index) {
    m->memo = at_grown(m->nodes->file, m->memo, m->memoCount, &m->memoCapacity, sizeof *m->memo);
    m->memo[m->memoCount++] = NOTHING;
  }
  m->memo[index] = id;
}

static void get(Machine *m, uint64_t index)
{
  if (index >= (uint64_t)m->memoCount || m->memo[index] == NOTHING)
    bad(m, "the pickle's memo has nothing at index %llu", (unsigned long long)index);
  push(m, m->memo[index]);
}

/* --- names and what they give ----------------------------------------------------------------- */

static void push_global(Machine *m, at_text module, at_text name)
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
    bad(m,
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
  node_of(m, id)->count = found;
  push(m, id);
}

static void push_line_global(Machine *m)
{
  char module[MOST_LINE], name[MOST_LINE];
  const size_t moduleLength = take_line(m, module), nameLength = take_line(m, name);
  push_global(m, (at_text){module, moduleLength}, (at_text){name, nameLength});
}

static Meaning meaning_of(const at_node *global)
{
  return global->count < GLOBALS    ? globals[global->count].meaning
         : global->count == GLOBALS ? INERT
                                    : STORAGE;
}

static void push_named(Machine *m)
{
  const at_node *name = node_of(m, pop(m)), *module = node_of(m, pop(m));
  if (name->kind != AT_NODE_TEXT || module->kind != AT_NODE_TEXT)
    bad(m, "the pickle names something by a value that is no text");
  push_global(m, module->is.text, name->is.text);
}

/* Argument index of a list; raises unless it is of that kind. */
static int32_t argument(const Machine *m, int32_t list, int64_t index, at_nodeKind kind)
{
  const at_node *arguments = node_of(m, list);
  if (arguments->kind != AT_NODE_LIST || index >= arguments->count ||
      node_of(m, at_node_item(arguments, index))->kind != kind)
    bad(m, "argument %lld of what the pickle calls is missing, or of another kind",
        (long long)index + 1);
  return at_node_item(arguments, index);
}

static int64_t integer(const Machine *m, int32_t list, int64_t index)
{
  return node_of(m, argument(m, list, index, AT_NODE_INTEGER))->is.integer;
}

/* Pushes a tensor; dtype names the element type if it differs from the storage's. */
static void push_tensor(Machine *m, int32_t arguments, const char *dtype)
{
  const int32_t storage = argument(m, arguments, 0, AT_NODE_STORAGE),
                sizes = argument(m, arguments, 2, AT_NODE_LIST),
                strides = argument(m, arguments, 3, AT_NODE_LIST);
  const int64_t first = node_of(m, storage)->is.storage->first;
  int64_t offset = integer(m, arguments, 1);
  if (offset < 0 || __builtin_add_overflow(offset, first, &offset))
    bad(m, "a tensor begins at element %lld", (long long)offset);
  const int32_t id = at_nodes_addTensor(m->nodes);
  at_nodeTensor *tensor = node_of(m, id)->is.tensor;
  tensor->storage = storage;
  tensor->sizes = sizes;
  tensor->strides = strides;
  tensor->offset = offset;
  tensor->dtype = dtype;
  push(m, id);
}

/* Pushes a dictionary, with the pairs in the first argument, if it is a list of lists of two.
 * Pairs are counted, because one list could be used for many dictionaries. */
static void push_dict(Machine *m, int32_t arguments)
{
  const int32_t dict = at_nodes_add(m->nodes, AT_NODE_DICT);
  push(m, dict);
  const at_node *list = node_of(m, arguments);
  if (list->kind != AT_NODE_LIST || list->count == 0)
    return;
  const at_node *pairs = node_of(m, at_node_item(list, 0));
  if (pairs->kind != AT_NODE_LIST)
    return;
  for (int32_t i = 0; i < pairs->count; i++) {
    const at_node *pair = node_of(m, at_node_item(pairs, i));
    if (pair->kind != AT_NODE_LIST || pair->count != 2 || m->paired++ > m->most)
      bad(m, "the pickle makes a dictionary of something else than pairs");
    at_nodes_append(m->nodes, dict, at_node_item(pair, 0));
    at_nodes_append(m->nodes, dict, at_node_item(pair, 1));
  }
}

/* Pushes bytes given as the characters of a text, as in pickles with protocol 2. */
static void push_encoded(Machine *m, int32_t arguments)
{
  const at_text text = node_of(m, argument(m, arguments, 0, AT_NODE_TEXT))->is.text;
  char *bytes = at_nodes_text(m->nodes, text.length);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    const uint8_t first = (uint8_t)text.at[i];
    const bool two = (first == 0xc2 || first == 0xc3) && i + 1 < text.length;
    if (!two && first >= 0x80)
      bad(m, "the pickle makes bytes of characters that are none");
    bytes[length++] = two ? (char)((first & 3) << 6 | (text.at[++i] & 0x3f)) : (char)first;
  }
  bytes[length] = '\0';
  push(m, at_nodes_addText(m->nodes, AT_NODE_BYTES, bytes, length));
}

static void push_object(Machine *m, int32_t class, int32_t arguments)
{
  const int32_t id = at_nodes_add(m->nodes, AT_NODE_OBJECT);
  at_node *node = node_of(m, id);
  node->is.object.class = class;
  node->is.object.arguments = arguments;
  node->is.object.items = node->is.object.state = -1;
  push(m, id);
}

/* Pushes the result of a function or class called with the arguments. */
static void push_result(Machine *m, int32_t callee, int32_t arguments)
{
  for (int i = 0; i < 4; i++) {
    const at_node *function = node_of(m, callee), *list = node_of(m, arguments);
    if (function->kind != AT_NODE_GLOBAL)
      bad(m, "the pickle calls a value that is no function");
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
                    node_of(m, argument(m, arguments, 6, AT_NODE_GLOBAL))->is.text.at);
        return;
      case FIRST:
        if (list->kind != AT_NODE_LIST || list->count == 0)
          bad(m, "the pickle calls a function without arguments");
        push(m, at_node_item(list, 0));
        return;
      case FOREIGN:
        push(m, at_nodes_addText(m->nodes, AT_NODE_FOREIGN, function->is.text.at,
                                 function->is.text.length));
        return;
      case FROM_TYPE:
        callee = argument(m, arguments, 0, AT_NODE_GLOBAL);
        arguments = argument(m, arguments, 2, AT_NODE_LIST);
        break;
    }
  }
  bad(m, "the pickle makes a tensor of a tensor of a tensor");
}

static void reduce(Machine *m)
{
  const int32_t arguments = pop(m), callee = pop(m);
  push_result(m, callee, arguments);
}

/* Sets the fields of the object below.  Fields of lists, dictionaries and tensors are attributes,
 * and ignored. */
static void build(Machine *m)
{
  const int32_t state = pop(m);
  at_node *node = node_of(m, top(m));
  if (node->kind == AT_NODE_OBJECT)
    node->is.object.state = state;
}

/* Pushes a storage, from ("storage", class, key, device, elements[, (key of a view, first,
 * elements)]). */
static void push_storage(Machine *m)
{
  const int32_t list = pop(m);
  const int32_t word = argument(m, list, 0, AT_NODE_TEXT), key = argument(m, list, 2, AT_NODE_TEXT);
  const int64_t count = integer(m, list, 4);
  const at_node *class = node_of(m, argument(m, list, 1, AT_NODE_GLOBAL));
  const Meaning meaning = meaning_of(class);
  if (!at_textIs(node_of(m, word)->is.text, "storage"))
    bad(m, "the pickle refers to something that is no storage");
  if ((meaning != STORAGE && meaning != FOREIGN_STORAGE) || count < 0)
    bad(m, "the pickle has a storage of no type, or of %lld elements", (long long)count);

  int64_t first = 0;
  const at_node *arguments = node_of(m, list);
  if (arguments->count > 5 && node_of(m, at_node_item(arguments, 5))->kind == AT_NODE_LIST) {
    const int32_t view = at_node_item(arguments, 5);
    const int64_t length = integer(m, view, 2);
    first = integer(m, view, 1);
    if (first < 0 || length < 0 || first > count || length > count - first)
      bad(m, "a view of a storage of %lld elements has %lld of them from %lld on", (long long)count,
          (long long)length, (long long)first);
  }
  const int32_t id = at_nodes_addStorage(m->nodes);
  at_nodeStorage *storage = node_of(m, id)->is.storage;
  storage->key = node_of(m, key)->is.text;
  storage->count = count;
  storage->first = first;
  if (meaning == STORAGE) {
    storage->type = at_cpuType((at_scalar_type)(class->count - GLOBALS - 1));
    storage->elementSize = storage->type->elementSize;
  } else {
    storage->dtype = globals[class->count].dtype;
    storage->elementSize = (size_t)globals[class->count].elementSize;
  }
  push(m, id);
}

/* --- values ----------------------------------------------------------------------------------- */

/* Pushes an integer in two's complement; one of more than 64 bits becomes a floating number. */
static void push_long(Machine *m, uint64_t length)
{
  enum { MOST = 120 };
  uint8_t bytes[MOST];
  if (length > MOST)
    bad(m, "the pickle has an integer of %llu bytes", (unsigned long long)length);
  take(m, bytes, length);
  const bool negative = length > 0 && bytes[length - 1] & 0x80;
  if (length > 8) {
    double value = negative ? -1 : 0;
    for (uint64_t i = length; i > 0; i--)
      value = 256 * value + bytes[i - 1];
    push(m, at_nodes_addNumber(m->nodes, value));
    return;
  }
  uint64_t value = at_little(bytes, (int)length);
  if (negative && length < 8)
    value |= UINT64_MAX << 8 * length;
  push(m, at_nodes_addInteger(m->nodes, (int64_t)value));
}

static void push_double(Machine *m)
{
  uint8_t bytes[8];
  uint64_t bits = 0;
  double value;
  take(m, bytes, 8);
  for (int i = 0; i < 8; i++) /* big-endian */
    bits = bits << 8 | bytes[i];
  memcpy(&value, &bits, sizeof bits);
  push(m, at_nodes_addNumber(m->nodes, value));
}

static void push_text(Machine *m, at_nodeKind kind, uint64_t length)
{
  check_left(m, length);
  char *text = at_nodes_text(m->nodes, length);
  take(m, text, length);
  push(m, at_nodes_addText(m->nodes, kind, text, (size_t)length));
}

static void push_bool(Machine *m, bool value)
{
  const int32_t id = at_nodes_add(m->nodes, AT_NODE_BOOL);
  node_of(m, id)->is.integer = value;
  push(m, id);
}

/* The instructions, by their names in Python's pickletools. */
/* clang-format off */
enum {
  PROTO = 0x80, FRAME = 0x95, STOP = '.', MARK_ = '(', POP = '0', POP_MARK = '1', DUP = '2',
  NONE = 'N', NEWTRUE = 0x88, NEWFALSE = 0x89,
  BININT = 'J', BININT1 = 'K', BININT2 = 'M', LONG1 = 0x8a, LONG4 = 0x8b, BINFLOAT = 'G',
  BINSTRING = 'T', SHORT_BINSTRING = 'U', BINUNICODE = 'X', SHORT_BINUNICODE = 0x8c,
  BINUNICODE8 = 0x8d, BINBYTES = 'B', SHORT_BINBYTES = 'C', BINBYTES8 = 0x8e, BYTEARRAY8 = 0x96,
  EMPTY_TUPLE = ')', TUPLE = 't', TUPLE1 = 0x85, TUPLE2 = 0x86, TUPLE3 = 0x87,
  EMPTY_LIST = ']', LIST = 'l', APPEND = 'a', APPENDS = 'e',
  EMPTY_DICT = '}', DICT_ = 'd', SETITEM = 's', SETITEMS = 'u',
  EMPTY_SET = 0x8f, ADDITEMS = 0x90, FROZENSET = 0x91,
  GLOBAL = 'c', STACK_GLOBAL = 0x93, REDUCE = 'R', NEWOBJ = 0x81, NEWOBJ_EX = 0x92, BUILD = 'b',
  BINPERSID = 'Q',
  PUT = 'p', BINPUT = 'q', LONG_BINPUT = 'r', MEMOIZE = 0x94, GET = 'g', BINGET = 'h',
  LONG_BINGET = 'j'
};
/* clang-format on */

/* Reads the line with the index of a memo instruction. */
static uint64_t take_memo_index(Machine *m)
{
  char line[MOST_LINE];
  const size_t length = take_line(m, line);
  uint64_t value = 0;
  for (size_t i = 0; i < length; i++) {
    if (line[i] < '0' || line[i] > '9' || value > UINT32_MAX)
      bad(m, "the pickle's memo has an index that is no number");
    value = 10 * value + (uint64_t)(line[i] - '0');
  }
  return value;
}

/* Each of these functions runs the instructions of one kind, and returns whether it is one. */

/* The frame of the pickle, and the stack. */
static bool run_stack(Machine *m, uint8_t instruction)
{
  switch (instruction) {
    case PROTO:
      if (take_little(m, 1) > 5)
        bad(m, "the pickle is of a protocol after 5");
      return true;
    case FRAME:
      take_little(m, 8);
      return true;
    case MARK_:
      push(m, MARK);
      return true;
    case POP:
      if (m->depth > 0 && m->stack[m->depth - 1] == MARK)
        m->depth--;
      else
        pop(m);
      return true;
    case POP_MARK:
      m->depth = marked(m) - 1;
      return true;
    case DUP:
      push(m, top(m));
      return true;
    default:
      return false;
  }
}

/* Numbers, booleans and None. */
static bool run_scalar(Machine *m, uint8_t instruction)
{
  switch (instruction) {
    case NONE:
      push_new(m, AT_NODE_NOTHING);
      return true;
    case NEWTRUE:
    case NEWFALSE:
      push_bool(m, instruction == NEWTRUE);
      return true;
    case BININT:
      push(m, at_nodes_addInteger(m->nodes, (int32_t)take_little(m, 4)));
      return true;
    case BININT1:
      push(m, at_nodes_addInteger(m->nodes, (int64_t)take_little(m, 1)));
      return true;
    case BININT2:
      push(m, at_nodes_addInteger(m->nodes, (int64_t)take_little(m, 2)));
      return true;
    case LONG1:
      push_long(m, take_little(m, 1));
      return true;
    case LONG4:
      push_long(m, take_little(m, 4));
      return true;
    case BINFLOAT:
      push_double(m);
      return true;
    default:
      return false;
  }
}

/* Strings and bytes. */
static bool run_text(Machine *m, uint8_t instruction)
{
  switch (instruction) {
    case SHORT_BINSTRING:
    case SHORT_BINUNICODE:
      push_text(m, AT_NODE_TEXT, take_little(m, 1));
      return true;
    case BINSTRING:
    case BINUNICODE:
      push_text(m, AT_NODE_TEXT, take_little(m, 4));
      return true;
    case BINUNICODE8:
      push_text(m, AT_NODE_TEXT, take_little(m, 8));
      return true;
    case SHORT_BINBYTES:
      push_text(m, AT_NODE_BYTES, take_little(m, 1));
      return true;
    case BINBYTES:
      push_text(m, AT_NODE_BYTES, take_little(m, 4));
      return true;
    case BINBYTES8:
    case BYTEARRAY8:
      push_text(m, AT_NODE_BYTES, take_little(m, 8));
      return true;
    default:
      return false;
  }
}

/* Tuples, lists and sets. */
static bool run_list(Machine *m, uint8_t instruction)
{
  switch (instruction) {
    case EMPTY_TUPLE:
    case EMPTY_LIST:
    case EMPTY_SET:
      push_new(m, AT_NODE_LIST);
      return true;
    case TUPLE:
    case LIST:
    case FROZENSET:
      make_tuple(m, -1);
      return true;
    case TUPLE1:
      make_tuple(m, 1);
      return true;
    case TUPLE2:
      make_tuple(m, 2);
      return true;
    case TUPLE3:
      make_tuple(m, 3);
      return true;
    case APPEND:
      add_last(m, 1, AT_NODE_LIST);
      return true;
    case APPENDS:
    case ADDITEMS:
      add_marked(m, AT_NODE_LIST);
      return true;
    default:
      return false;
  }
}

/* Dictionaries and objects. */
static bool run_object(Machine *m, uint8_t instruction)
{
  switch (instruction) {
    case EMPTY_DICT:
      push_new(m, AT_NODE_DICT);
      return true;
    case DICT_:
      make_tuple(m, -1);
      if (node_of(m, top(m))->count % 2 != 0)
        bad(m, "the pickle has a dictionary with a key and no value");
      node_of(m, top(m))->kind = AT_NODE_DICT;
      return true;
    case SETITEM:
      add_last(m, 2, AT_NODE_DICT);
      return true;
    case SETITEMS:
      add_marked(m, AT_NODE_DICT);
      return true;
    case GLOBAL:
      push_line_global(m);
      return true;
    case STACK_GLOBAL:
      push_named(m);
      return true;
    case NEWOBJ_EX:
      pop(m); /* keyword arguments */
      reduce(m);
      return true;
    case REDUCE:
    case NEWOBJ:
      reduce(m);
      return true;
    case BUILD:
      build(m);
      return true;
    case BINPERSID:
      push_storage(m);
      return true;
    default:
      return false;
  }
}

/* The memo. */
static bool run_memo(Machine *m, uint8_t instruction)
{
  switch (instruction) {
    case PUT:
      put(m, take_memo_index(m));
      return true;
    case BINPUT:
      put(m, take_little(m, 1));
      return true;
    case LONG_BINPUT:
      put(m, take_little(m, 4));
      return true;
    case MEMOIZE:
      put(m, (uint64_t)m->memoCount);
      return true;
    case GET:
      get(m, take_memo_index(m));
      return true;
    case BINGET:
      get(m, take_little(m, 1));
      return true;
    case LONG_BINGET:
      get(m, take_little(m, 4));
      return true;
    default:
      return false;
  }
}

static void run_instruction(Machine *m, uint8_t instruction)
{
  if (!run_stack(m, instruction) && !run_scalar(m, instruction) && !run_text(m, instruction) &&
      !run_list(m, instruction) && !run_object(m, instruction) && !run_memo(m, instruction))
    bad(m, "the pickle has an instruction 0x%02x at byte %llu, which files of tensors have not",
        instruction, (unsigned long long)byte_index(m) - 1);
}

int32_t at_readPickle(at_nodes *nodes, at_input *in)
{
  const uint64_t most = in->end - in->at + in->stream->left;
  Machine m = {.nodes = nodes, .in = in, .start = in->taken, .most = most};
  THGuard guard;
  THGuard_enter(&guard, free_machine);
  guard.what = &m;
  for (;;) {
    const uint8_t instruction = take_byte(&m);
    if (instruction == STOP)
      break;
    run_instruction(&m, instruction);
  }
  const int32_t object = pop(&m);
  if (m.depth > 0)
    bad(&m, "the pickle leaves %lld values besides its object", (long long)m.depth);
  THGuard_leave(&guard);
  return object;
}
