/* A machine that reads pickles and calls nothing.
 *
 * A pickle is a program for a stack: most instructions push a value, some collect those above the
 * last mark, and the memo keeps values for later.  Functions and classes are known by name.  Those
 * on the list below are what PyTorch writes; what each would give is stated here, and no other name
 * is accepted. */
#include "Pickle.h"

typedef enum Meaning {
  INERT,     /* whatever it gives is of no interest */
  DICT,      /* a dictionary, perhaps of a list of pairs */
  FIRST,     /* its first argument */
  FROM_TYPE, /* what its first argument gives for the third */
  TENSOR,    /* of a storage, an offset, sizes and strides */
  FOREIGN,   /* tensors, storages or types that are not here */
  STORAGE
} Meaning;

/* PyTorch's storages are in the table of element types. */
static const struct {
  const char *module, *name;
  Meaning meaning;
} globals[] = {
    {"torch._utils", "_rebuild_tensor_v2", TENSOR},
    {"torch._utils", "_rebuild_tensor", TENSOR},
    {"torch._utils", "_rebuild_parameter", FIRST},
    {"torch._utils", "_rebuild_parameter_with_state", FIRST},
    {"torch._tensor", "_rebuild_from_type_v2", FROM_TYPE},
    {"torch._utils", "_rebuild_tensor_v3", FOREIGN},
    {"torch._utils", "_rebuild_sparse_tensor", FOREIGN},
    {"torch._utils", "_rebuild_sparse_csr_tensor", FOREIGN},
    {"torch._utils", "_rebuild_nested_tensor", FOREIGN},
    {"torch._utils", "_rebuild_qtensor", FOREIGN},
    {"torch._utils", "_rebuild_meta_tensor_no_storage", FOREIGN},
    {"torch", "ComplexFloatStorage", FOREIGN},
    {"torch", "ComplexDoubleStorage", FOREIGN},
    {"torch", "QInt8Storage", FOREIGN},
    {"torch", "QUInt8Storage", FOREIGN},
    {"torch", "QInt32Storage", FOREIGN},
    {"torch", "QUInt4x2Storage", FOREIGN},
    {"torch", "QUInt2x4Storage", FOREIGN},
    {"torch.storage", "UntypedStorage", FOREIGN},
    {"torch.storage", "_UntypedStorage", FOREIGN},
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
    {"_codecs", "encode", INERT},
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
#define DTYPE(NAME)      \
  {                      \
    "torch", NAME, INERT \
  }
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

enum { MARK = -1, NOTHING = -2 };

typedef struct Machine {
  at_nodes *nodes;
  const uint8_t *start, *at, *end;
  int64_t *stack, *memo;
  int64_t depth, room, memoCount, memoRoom;
  int64_t paired; /* how many pairs have become part of a dictionary */
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
  return &m->nodes->node[id];
}

static const uint8_t *take(Machine *m, uint64_t length)
{
  if (length > (uint64_t)(m->end - m->at))
    bad(m, "the pickle ends too early, at byte %td", m->at - m->start);
  const uint8_t *at = m->at;
  m->at += length;
  return at;
}

static uint64_t take_little(Machine *m, int count)
{
  return at_little(take(m, (uint64_t)count), count);
}

/* Up to the end of the line, which is taken too. */
static at_text take_line(Machine *m)
{
  const uint8_t *end = memchr(m->at, '\n', (size_t)(m->end - m->at));
  if (!end)
    bad(m, "the pickle ends too early, at byte %td", m->at - m->start);
  const at_text text = {(const char *)m->at, (size_t)(end - m->at)};
  m->at = end + 1;
  return text;
}

static void push(Machine *m, int64_t id)
{
  m->stack = at_grown(m->stack, m->depth, &m->room, sizeof *m->stack);
  m->stack[m->depth++] = id;
}

static void push_new(Machine *m, at_nodeKind kind)
{
  push(m, at_nodes_add(m->nodes, kind));
}

static int64_t pop(Machine *m)
{
  if (m->depth == 0 || m->stack[m->depth - 1] == MARK)
    bad(m, "the pickle takes a value that is not there, at byte %td", m->at - m->start);
  return m->stack[--m->depth];
}

static int64_t top(Machine *m)
{
  const int64_t id = pop(m);
  m->depth++;
  return id;
}

/* Where the values above the last mark begin; the mark is below. */
static int64_t marked(Machine *m)
{
  int64_t first = m->depth;
  while (first > 0 && m->stack[first - 1] != MARK)
    first--;
  if (first == 0)
    bad(m, "the pickle lacks a mark, at byte %td", m->at - m->start);
  return first;
}

/* A list of the values from place first on, which leave the stack. */
static int64_t collect(Machine *m, int64_t first)
{
  const int64_t list = at_nodes_add(m->nodes, AT_NODE_LIST);
  for (int64_t i = first; i < m->depth; i++)
    at_nodes_append(m->nodes, list, m->stack[i]);
  m->depth = first;
  return list;
}

/* The last count values, or those above the mark for -1, become a tuple. */
static void make_tuple(Machine *m, int count)
{
  if (count < 0) {
    const int64_t tuple = collect(m, marked(m));
    m->stack[m->depth - 1] = tuple; /* in the place of the mark */
    return;
  }
  for (int i = 1; i <= count; i++)
    if (m->depth < i || m->stack[m->depth - i] == MARK)
      bad(m, "the pickle takes a value that is not there, at byte %td", m->at - m->start);
  push(m, collect(m, m->depth - count));
}

/* Values from place first on go into the list or dictionary below, which is at place to. */
static void add_items(Machine *m, int64_t first, int64_t to, at_nodeKind kind)
{
  if (to < 0 || m->stack[to] == MARK)
    bad(m, "the pickle adds to a value that is not there, at byte %td", m->at - m->start);
  const int64_t target = m->stack[to];
  const at_nodeKind is = node_of(m, target)->kind;
  if ((is != kind && is != AT_NODE_OTHER) || (kind == AT_NODE_DICT && (m->depth - first) % 2 != 0))
    bad(m, "the pickle adds to a value that takes nothing, at byte %td", m->at - m->start);
  for (int64_t i = first; i < m->depth && is != AT_NODE_OTHER; i++)
    at_nodes_append(m->nodes, target, m->stack[i]);
  m->depth = to + 1;
}

/* Values above the mark, to what is below the mark; or the last count values. */
static void add_marked(Machine *m, at_nodeKind kind)
{
  const int64_t first = marked(m);
  add_items(m, first, first - 2, kind);
}

static void add_last(Machine *m, int count, at_nodeKind kind)
{
  for (int i = 1; i <= count; i++)
    if (m->depth < i || m->stack[m->depth - i] == MARK)
      bad(m, "the pickle takes a value that is not there, at byte %td", m->at - m->start);
  add_items(m, m->depth - count, m->depth - count - 1, kind);
}

/* --- the memo --------------------------------------------------------------------------------- */

static void put(Machine *m, uint64_t place)
{
  const int64_t id = top(m);
  if (place >= (uint64_t)(m->end - m->start))
    bad(m, "the pickle has a memo with a place %llu", (unsigned long long)place);
  while (m->memoCount <= (int64_t)place) {
    m->memo = at_grown(m->memo, m->memoCount, &m->memoRoom, sizeof *m->memo);
    m->memo[m->memoCount++] = NOTHING;
  }
  m->memo[place] = id;
}

static void get(Machine *m, uint64_t place)
{
  if (place >= (uint64_t)m->memoCount || m->memo[place] == NOTHING)
    bad(m, "the pickle's memo has nothing at place %llu", (unsigned long long)place);
  push(m, m->memo[place]);
}

/* --- names and what they give ----------------------------------------------------------------- */

static bool same(at_text text, const char *word)
{
  return text.length == strlen(word) && !memcmp(text.at, word, text.length);
}

static void push_global(Machine *m, at_text module, at_text name)
{
  int found = 0;
  while (found < GLOBALS &&
         !(same(module, globals[found].module) && same(name, globals[found].name)))
    found++;
  for (int type = 0; type < AT_SCALAR_TYPES && found == GLOBALS; type++)
    if ((same(module, "torch") || same(module, "torch.cuda")) &&
        same(name, at_elements[type].torch))
      found = GLOBALS + 1 + type;
  if (found == GLOBALS)
    bad(m, "the pickle names %.*s.%.*s, which is not on the list of what files of tensors have",
        (int)THMin(module.length, 100), module.at, (int)THMin(name.length, 100), name.at);
  const int64_t id = at_nodes_add(m->nodes, AT_NODE_GLOBAL);
  node_of(m, id)->is.global = found;
  push(m, id);
}

static Meaning meaning_of(const at_node *global)
{
  return global->is.global < GLOBALS ? globals[global->is.global].meaning : STORAGE;
}

static void push_named(Machine *m)
{
  const at_node *name = node_of(m, pop(m)), *module = node_of(m, pop(m));
  if (name->kind != AT_NODE_TEXT || module->kind != AT_NODE_TEXT)
    bad(m, "the pickle names something by a value that is no text");
  push_global(m, module->is.text, name->is.text);
}

/* Argument index of a list of them, which has to be of that kind. */
static int64_t argument(const Machine *m, int64_t list, int64_t index, at_nodeKind kind)
{
  const at_node *arguments = node_of(m, list);
  if (arguments->kind != AT_NODE_LIST || index >= arguments->is.list.count ||
      node_of(m, arguments->is.list.items[index])->kind != kind)
    bad(m, "argument %lld of what the pickle calls is missing, or of another kind",
        (long long)index + 1);
  return arguments->is.list.items[index];
}

static int64_t integer(const Machine *m, int64_t list, int64_t index)
{
  return node_of(m, argument(m, list, index, AT_NODE_INTEGER))->is.integer;
}

static void foreign(const Machine *m, const at_node *global) TH_NO_RETURN;
static void foreign(const Machine *m, const at_node *global)
{
  at_foreign(m->nodes->file, "it has tensors made by %s.%s, which are of a kind that is not here",
             globals[global->is.global].module, globals[global->is.global].name);
}

static void push_tensor(Machine *m, int64_t arguments)
{
  const int64_t storage = argument(m, arguments, 0, AT_NODE_STORAGE),
                sizes = argument(m, arguments, 2, AT_NODE_LIST),
                strides = argument(m, arguments, 3, AT_NODE_LIST),
                first = node_of(m, storage)->is.storage.first;
  int64_t offset = integer(m, arguments, 1);
  if (offset < 0 || __builtin_add_overflow(offset, first, &offset))
    bad(m, "a tensor begins at element %lld", (long long)offset);
  const int64_t id = at_nodes_add(m->nodes, AT_NODE_TENSOR);
  at_node *node = node_of(m, id);
  node->is.tensor.storage = storage;
  node->is.tensor.sizes = sizes;
  node->is.tensor.strides = strides;
  node->is.tensor.offset = offset;
  push(m, id);
}

/* A dictionary; of pairs, if the first argument is a list of lists of two.  One list could serve
 * for many dictionaries, so that pairs are counted. */
static void push_dict(Machine *m, int64_t arguments)
{
  const int64_t dict = at_nodes_add(m->nodes, AT_NODE_DICT);
  push(m, dict);
  const at_node *list = node_of(m, arguments);
  if (list->kind != AT_NODE_LIST || list->is.list.count == 0)
    return;
  const int64_t pairs = list->is.list.items[0];
  if (node_of(m, pairs)->kind != AT_NODE_LIST)
    return;
  for (int64_t i = 0; i < node_of(m, pairs)->is.list.count; i++) {
    const at_node *pair = node_of(m, node_of(m, pairs)->is.list.items[i]);
    if (pair->kind != AT_NODE_LIST || pair->is.list.count != 2 || m->paired++ > m->end - m->start)
      bad(m, "the pickle makes a dictionary of something else than pairs");
    const int64_t key = pair->is.list.items[0], value = pair->is.list.items[1];
    at_nodes_append(m->nodes, dict, key);
    at_nodes_append(m->nodes, dict, value);
  }
}

/* What the function or class gives for the arguments. */
static void push_result(Machine *m, int64_t callee, int64_t arguments)
{
  for (int i = 0; i < 4; i++) {
    if (node_of(m, callee)->kind != AT_NODE_GLOBAL)
      bad(m, "the pickle calls a value that is no function");
    switch (meaning_of(node_of(m, callee))) {
      case INERT:
      case STORAGE:
        push_new(m, AT_NODE_OTHER);
        return;
      case DICT:
        push_dict(m, arguments);
        return;
      case TENSOR:
        push_tensor(m, arguments);
        return;
      case FIRST:
        if (node_of(m, arguments)->kind != AT_NODE_LIST ||
            node_of(m, arguments)->is.list.count == 0)
          bad(m, "the pickle calls a function without arguments");
        push(m, node_of(m, arguments)->is.list.items[0]);
        return;
      case FOREIGN:
        foreign(m, node_of(m, callee));
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
  const int64_t arguments = pop(m), callee = pop(m);
  push_result(m, callee, arguments);
}

/* ("storage", class, key, where it was, elements[, (key of a view of it, first, elements)]) */
static void push_storage(Machine *m)
{
  const int64_t list = pop(m);
  const int64_t word = argument(m, list, 0, AT_NODE_TEXT), key = argument(m, list, 2, AT_NODE_TEXT),
                count = integer(m, list, 4);
  const at_node *class = node_of(m, argument(m, list, 1, AT_NODE_GLOBAL));
  if (!same(node_of(m, word)->is.text, "storage"))
    bad(m, "the pickle refers to something that is no storage");
  if (meaning_of(class) == FOREIGN)
    foreign(m, class);
  if (meaning_of(class) != STORAGE || count < 0)
    bad(m, "the pickle has a storage of no type, or of %lld elements", (long long)count);
  const at_scalar_type type = (at_scalar_type)(class->is.global - GLOBALS - 1);

  int64_t first = 0;
  const at_node *arguments = node_of(m, list);
  if (arguments->is.list.count > 5 &&
      node_of(m, arguments->is.list.items[5])->kind == AT_NODE_LIST) {
    const int64_t view = arguments->is.list.items[5];
    const int64_t length = integer(m, view, 2);
    first = integer(m, view, 1);
    if (first < 0 || length < 0 || first > count || length > count - first)
      bad(m, "a view of a storage of %lld elements has %lld of them from %lld on", (long long)count,
          (long long)length, (long long)first);
  }
  const int64_t id = at_nodes_add(m->nodes, AT_NODE_STORAGE);
  at_node *node = node_of(m, id);
  node->is.storage.key = node_of(m, key)->is.text;
  node->is.storage.count = count;
  node->is.storage.first = first;
  node->is.storage.type = type;
  push(m, id);
}

/* --- values ----------------------------------------------------------------------------------- */

/* In two's complement; one of more than 64 bits is of no interest. */
static void push_long(Machine *m, uint64_t length)
{
  const uint8_t *at = take(m, length);
  if (length > 8) {
    push_new(m, AT_NODE_OTHER);
    return;
  }
  uint64_t value = at_little(at, (int)length);
  if (length > 0 && length < 8 && at[length - 1] & 0x80)
    value |= UINT64_MAX << 8 * length;
  push(m, at_nodes_addInteger(m->nodes, (int64_t)value));
}

static void push_double(Machine *m)
{
  const uint8_t *at = take(m, 8);
  uint64_t bits = 0;
  for (int i = 0; i < 8; i++) /* the highest byte first */
    bits = bits << 8 | at[i];
  const int64_t id = at_nodes_add(m->nodes, AT_NODE_NUMBER);
  memcpy(&node_of(m, id)->is.number, &bits, sizeof bits);
  push(m, id);
}

static void push_text(Machine *m, uint64_t length)
{
  const uint8_t *at = take(m, length);
  push(m, at_nodes_addText(m->nodes, at, (size_t)length));
}

static void push_bytes(Machine *m, uint64_t length)
{
  take(m, length);
  push_new(m, AT_NODE_OTHER);
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

/* The number that a line of the memo's instructions is. */
static uint64_t take_place(Machine *m)
{
  const at_text line = take_line(m);
  uint64_t value = 0;
  for (size_t i = 0; i < line.length; i++) {
    if (line.at[i] < '0' || line.at[i] > '9' || value > UINT32_MAX)
      bad(m, "the pickle's memo has a place that is no number");
    value = 10 * value + (uint64_t)(line.at[i] - '0');
  }
  return value;
}

static void run_instruction(Machine *m, uint8_t instruction)
{
  switch (instruction) {
    case PROTO:
      if (take_little(m, 1) > 5)
        bad(m, "the pickle is of a protocol after 5");
      break;
    case FRAME:
      take(m, 8);
      break;
    case MARK_:
      push(m, MARK);
      break;
    case POP:
      if (m->depth > 0 && m->stack[m->depth - 1] == MARK)
        m->depth--;
      else
        pop(m);
      break;
    case POP_MARK:
      m->depth = marked(m) - 1;
      break;
    case DUP:
      push(m, top(m));
      break;
    case NONE:
      push_new(m, AT_NODE_OTHER);
      break;
    case NEWTRUE:
    case NEWFALSE:
      push(m, at_nodes_addInteger(m->nodes, instruction == NEWTRUE));
      break;
    case BININT:
      push(m, at_nodes_addInteger(m->nodes, (int32_t)take_little(m, 4)));
      break;
    case BININT1:
      push(m, at_nodes_addInteger(m->nodes, (int64_t)take_little(m, 1)));
      break;
    case BININT2:
      push(m, at_nodes_addInteger(m->nodes, (int64_t)take_little(m, 2)));
      break;
    case LONG1:
      push_long(m, take_little(m, 1));
      break;
    case LONG4:
      push_long(m, take_little(m, 4));
      break;
    case BINFLOAT:
      push_double(m);
      break;
    case SHORT_BINSTRING:
    case SHORT_BINUNICODE:
      push_text(m, take_little(m, 1));
      break;
    case BINSTRING:
    case BINUNICODE:
      push_text(m, take_little(m, 4));
      break;
    case BINUNICODE8:
      push_text(m, take_little(m, 8));
      break;
    case SHORT_BINBYTES:
      push_bytes(m, take_little(m, 1));
      break;
    case BINBYTES:
      push_bytes(m, take_little(m, 4));
      break;
    case BINBYTES8:
    case BYTEARRAY8:
      push_bytes(m, take_little(m, 8));
      break;
    case EMPTY_TUPLE:
    case EMPTY_LIST:
      push_new(m, AT_NODE_LIST);
      break;
    case TUPLE:
    case LIST:
      make_tuple(m, -1);
      break;
    case TUPLE1:
      make_tuple(m, 1);
      break;
    case TUPLE2:
      make_tuple(m, 2);
      break;
    case TUPLE3:
      make_tuple(m, 3);
      break;
    case APPEND:
      add_last(m, 1, AT_NODE_LIST);
      break;
    case APPENDS:
      add_marked(m, AT_NODE_LIST);
      break;
    case EMPTY_DICT:
      push_new(m, AT_NODE_DICT);
      break;
    case DICT_:
      make_tuple(m, -1);
      if (node_of(m, top(m))->is.list.count % 2 != 0)
        bad(m, "the pickle has a dictionary with a key and no value");
      node_of(m, top(m))->kind = AT_NODE_DICT;
      break;
    case SETITEM:
      add_last(m, 2, AT_NODE_DICT);
      break;
    case SETITEMS:
      add_marked(m, AT_NODE_DICT);
      break;
    case EMPTY_SET:
      push_new(m, AT_NODE_OTHER);
      break;
    case ADDITEMS:
      add_marked(m, AT_NODE_OTHER);
      break;
    case FROZENSET:
      m->depth = marked(m) - 1;
      push_new(m, AT_NODE_OTHER);
      break;
    case GLOBAL: {
      const at_text module = take_line(m);
      push_global(m, module, take_line(m));
      break;
    }
    case STACK_GLOBAL:
      push_named(m);
      break;
    case NEWOBJ_EX:
      pop(m); /* arguments with names */
      reduce(m);
      break;
    case REDUCE:
    case NEWOBJ:
      reduce(m);
      break;
    case BUILD: /* gives the object below attributes, which are of no interest */
      pop(m);
      top(m);
      break;
    case BINPERSID:
      push_storage(m);
      break;
    case PUT:
      put(m, take_place(m));
      break;
    case BINPUT:
      put(m, take_little(m, 1));
      break;
    case LONG_BINPUT:
      put(m, take_little(m, 4));
      break;
    case MEMOIZE:
      put(m, (uint64_t)m->memoCount);
      break;
    case GET:
      get(m, take_place(m));
      break;
    case BINGET:
      get(m, take_little(m, 1));
      break;
    case LONG_BINGET:
      get(m, take_little(m, 4));
      break;
    default:
      bad(m, "the pickle has an instruction 0x%02x at byte %td, which files of tensors have not",
          instruction, m->at - m->start - 1);
  }
}

int64_t at_readPickle(at_nodes *nodes, const uint8_t *bytes, size_t size, size_t *used)
{
  Machine m = {.nodes = nodes, .start = bytes, .at = bytes, .end = bytes + size};
  THGuard guard;
  THGuard_enter(&guard, free_machine);
  guard.what = &m;
  for (;;) {
    const uint8_t instruction = *take(&m, 1);
    if (instruction == STOP)
      break;
    run_instruction(&m, instruction);
  }
  const int64_t object = pop(&m);
  if (m.depth > 0)
    bad(&m, "the pickle leaves %lld values besides its object", (long long)m.depth);
  *used = (size_t)(m.at - m.start);
  THGuard_leave(&guard);
  return object;
}
