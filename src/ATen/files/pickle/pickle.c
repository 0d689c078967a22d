/* A stack machine that reads pickles and calls nothing.
 *
 * A pickle is a program: most instructions push a value, some collect the values above the last
 * mark, and the memo keeps values for later use.  Functions and classes are given by name
 * (names.c). */
#include "Machine.h"

static void free_machine(void *what)
{
  at_pickle *m = what;
  THFree(m->stack);
  THFree(m->memo);
}

/* --- the stack -------------------------------------------------------------------------------- */

static void push_new(at_pickle *m, at_nodeKind kind)
{
  at_pickle_push(m, at_nodes_add(m->nodes, kind));
}

/* The index of the first value above the last mark. */
static int64_t marked(at_pickle *m)
{
  int64_t first = m->depth;
  while (first > 0 && m->stack[first - 1] != AT_PICKLE_MARK)
    first--;
  if (first == 0)
    at_pickle_bad(m, "the pickle lacks a mark, at byte %llu",
                  (unsigned long long)at_pickle_byteIndex(m));
  return first;
}

/* Pops the values from index first on, and returns a list of them. */
static int32_t collect(at_pickle *m, int64_t first)
{
  const int32_t list = at_nodes_add(m->nodes, AT_NODE_LIST);
  for (int64_t i = first; i < m->depth; i++)
    at_nodes_append(m->nodes, list, m->stack[i]);
  m->depth = first;
  return list;
}

/* Replaces the last count values, or for -1 those above the mark, by a tuple. */
static void make_tuple(at_pickle *m, int count)
{
  if (count < 0) {
    const int32_t tuple = collect(m, marked(m));
    m->stack[m->depth - 1] = tuple; /* replaces the mark */
    return;
  }
  for (int i = 1; i <= count; i++)
    if (m->depth < i || m->stack[m->depth - i] == AT_PICKLE_MARK)
      at_pickle_bad(m, "the pickle takes a value that is not there, at byte %llu",
                    (unsigned long long)at_pickle_byteIndex(m));
  at_pickle_push(m, collect(m, m->depth - count));
}

/* The list or dictionary to which items are added: target itself, or the items of an object. */
static int32_t container(at_pickle *m, int32_t target, at_nodeKind kind)
{
  at_node *node = at_pickle_node(m, target);
  if (node->kind == AT_NODE_OBJECT) {
    if (node->is.object.items < 0) {
      const int32_t items = at_nodes_add(m->nodes, kind);
      node->is.object.items = items; /* nodes do not move */
    }
    target = node->is.object.items;
  }
  if (at_pickle_node(m, target)->kind != kind)
    at_pickle_bad(m, "the pickle adds to a value that takes nothing, at byte %llu",
                  (unsigned long long)at_pickle_byteIndex(m));
  return target;
}

/* Pops the values from index first on and adds them to the list or dictionary at index to. */
static void add_items(at_pickle *m, int64_t first, int64_t to, at_nodeKind kind)
{
  if (to < 0 || m->stack[to] == AT_PICKLE_MARK)
    at_pickle_bad(m, "the pickle adds to a value that is not there, at byte %llu",
                  (unsigned long long)at_pickle_byteIndex(m));
  const int32_t target = container(m, m->stack[to], kind);
  if (kind == AT_NODE_DICT && (m->depth - first) % 2 != 0)
    at_pickle_bad(m, "the pickle adds to a value that takes nothing, at byte %llu",
                  (unsigned long long)at_pickle_byteIndex(m));
  for (int64_t i = first; i < m->depth; i++)
    at_nodes_append(m->nodes, target, m->stack[i]);
  m->depth = to + 1;
}

/* Adds the values above the mark to the list or dictionary below the mark. */
static void add_marked(at_pickle *m, at_nodeKind kind)
{
  const int64_t first = marked(m);
  add_items(m, first, first - 2, kind);
}

static void add_last(at_pickle *m, int count, at_nodeKind kind)
{
  for (int i = 1; i <= count; i++)
    if (m->depth < i || m->stack[m->depth - i] == AT_PICKLE_MARK)
      at_pickle_bad(m, "the pickle takes a value that is not there, at byte %llu",
                    (unsigned long long)at_pickle_byteIndex(m));
  add_items(m, m->depth - count, m->depth - count - 1, kind);
}

/* --- the memo --------------------------------------------------------------------------------- */

static void put(at_pickle *m, uint64_t index)
{
  const int32_t id = at_pickle_top(m);
  if (index >= m->most)
    at_pickle_bad(m, "the pickle has a memo with an index %llu", (unsigned long long)index);
  while (m->memoCount <= (int64_t)index) {
    m->memo = at_grown(m->nodes->file, m->memo, m->memoCount, &m->memoCapacity, sizeof *m->memo);
    m->memo[m->memoCount++] = AT_PICKLE_NOTHING;
  }
  m->memo[index] = id;
}

static void get(at_pickle *m, uint64_t index)
{
  if (index >= (uint64_t)m->memoCount || m->memo[index] == AT_PICKLE_NOTHING)
    at_pickle_bad(m, "the pickle's memo has nothing at index %llu", (unsigned long long)index);
  at_pickle_push(m, m->memo[index]);
}

/* --- values ----------------------------------------------------------------------------------- */

/* Pushes an integer in two's complement; one of more than 64 bits becomes a floating number. */
static void push_long(at_pickle *m, uint64_t length)
{
  enum { MOST = 120 };
  uint8_t bytes[MOST];
  if (length > MOST)
    at_pickle_bad(m, "the pickle has an integer of %llu bytes", (unsigned long long)length);
  at_pickle_take(m, bytes, length);
  const bool negative = length > 0 && bytes[length - 1] & 0x80;
  if (length > 8) {
    double value = negative ? -1 : 0;
    for (uint64_t i = length; i > 0; i--)
      value = 256 * value + bytes[i - 1];
    at_pickle_push(m, at_nodes_addNumber(m->nodes, value));
    return;
  }
  uint64_t value = at_little(bytes, (int)length);
  if (negative && length < 8)
    value |= UINT64_MAX << 8 * length;
  at_pickle_push(m, at_nodes_addInteger(m->nodes, (int64_t)value));
}

static void push_double(at_pickle *m)
{
  uint8_t bytes[8];
  uint64_t bits = 0;
  double value;
  at_pickle_take(m, bytes, 8);
  for (int i = 0; i < 8; i++) /* big-endian */
    bits = bits << 8 | bytes[i];
  memcpy(&value, &bits, sizeof bits);
  at_pickle_push(m, at_nodes_addNumber(m->nodes, value));
}

static void push_text(at_pickle *m, at_nodeKind kind, uint64_t length)
{
  at_pickle_checkLeft(m, length);
  char *text = at_nodes_text(m->nodes, length);
  at_pickle_take(m, text, length);
  at_pickle_push(m, at_nodes_addText(m->nodes, kind, text, (size_t)length));
}

static void push_bool(at_pickle *m, bool value)
{
  const int32_t id = at_nodes_add(m->nodes, AT_NODE_BOOL);
  at_pickle_node(m, id)->is.integer = value;
  at_pickle_push(m, id);
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
static uint64_t take_memo_index(at_pickle *m)
{
  char line[AT_PICKLE_LINE];
  const size_t length = at_pickle_takeLine(m, line);
  uint64_t value = 0;
  for (size_t i = 0; i < length; i++) {
    if (line[i] < '0' || line[i] > '9' || value > UINT32_MAX)
      at_pickle_bad(m, "the pickle's memo has an index that is no number");
    value = 10 * value + (uint64_t)(line[i] - '0');
  }
  return value;
}

/* Each of these functions runs the instructions of one kind, and returns whether it is one. */

/* The frame of the pickle, and the stack. */
static bool run_stack(at_pickle *m, uint8_t instruction)
{
  switch (instruction) {
    case PROTO:
      if (at_pickle_takeLittle(m, 1) > 5)
        at_pickle_bad(m, "the pickle is of a protocol after 5");
      return true;
    case FRAME:
      at_pickle_takeLittle(m, 8);
      return true;
    case MARK_:
      at_pickle_push(m, AT_PICKLE_MARK);
      return true;
    case POP:
      if (m->depth > 0 && m->stack[m->depth - 1] == AT_PICKLE_MARK)
        m->depth--;
      else
        at_pickle_pop(m);
      return true;
    case POP_MARK:
      m->depth = marked(m) - 1;
      return true;
    case DUP:
      at_pickle_push(m, at_pickle_top(m));
      return true;
    default:
      return false;
  }
}

/* Numbers, booleans and None. */
static bool run_scalar(at_pickle *m, uint8_t instruction)
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
      at_pickle_push(m, at_nodes_addInteger(m->nodes, (int32_t)at_pickle_takeLittle(m, 4)));
      return true;
    case BININT1:
      at_pickle_push(m, at_nodes_addInteger(m->nodes, (int64_t)at_pickle_takeLittle(m, 1)));
      return true;
    case BININT2:
      at_pickle_push(m, at_nodes_addInteger(m->nodes, (int64_t)at_pickle_takeLittle(m, 2)));
      return true;
    case LONG1:
      push_long(m, at_pickle_takeLittle(m, 1));
      return true;
    case LONG4:
      push_long(m, at_pickle_takeLittle(m, 4));
      return true;
    case BINFLOAT:
      push_double(m);
      return true;
    default:
      return false;
  }
}

/* Strings and bytes. */
static bool run_text(at_pickle *m, uint8_t instruction)
{
  switch (instruction) {
    case SHORT_BINSTRING:
    case SHORT_BINUNICODE:
      push_text(m, AT_NODE_TEXT, at_pickle_takeLittle(m, 1));
      return true;
    case BINSTRING:
    case BINUNICODE:
      push_text(m, AT_NODE_TEXT, at_pickle_takeLittle(m, 4));
      return true;
    case BINUNICODE8:
      push_text(m, AT_NODE_TEXT, at_pickle_takeLittle(m, 8));
      return true;
    case SHORT_BINBYTES:
      push_text(m, AT_NODE_BYTES, at_pickle_takeLittle(m, 1));
      return true;
    case BINBYTES:
      push_text(m, AT_NODE_BYTES, at_pickle_takeLittle(m, 4));
      return true;
    case BINBYTES8:
    case BYTEARRAY8:
      push_text(m, AT_NODE_BYTES, at_pickle_takeLittle(m, 8));
      return true;
    default:
      return false;
  }
}

/* Tuples, lists and sets. */
static bool run_list(at_pickle *m, uint8_t instruction)
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
static bool run_object(at_pickle *m, uint8_t instruction)
{
  switch (instruction) {
    case EMPTY_DICT:
      push_new(m, AT_NODE_DICT);
      return true;
    case DICT_:
      make_tuple(m, -1);
      if (at_pickle_node(m, at_pickle_top(m))->count % 2 != 0)
        at_pickle_bad(m, "the pickle has a dictionary with a key and no value");
      at_pickle_node(m, at_pickle_top(m))->kind = AT_NODE_DICT;
      return true;
    case SETITEM:
      add_last(m, 2, AT_NODE_DICT);
      return true;
    case SETITEMS:
      add_marked(m, AT_NODE_DICT);
      return true;
    case GLOBAL:
      at_pickle_pushLineGlobal(m);
      return true;
    case STACK_GLOBAL:
      at_pickle_pushNamed(m);
      return true;
    case NEWOBJ_EX:
      at_pickle_pop(m); /* keyword arguments */
      at_pickle_reduce(m);
      return true;
    case REDUCE:
    case NEWOBJ:
      at_pickle_reduce(m);
      return true;
    case BUILD:
      at_pickle_build(m);
      return true;
    case BINPERSID:
      at_pickle_pushStorage(m);
      return true;
    default:
      return false;
  }
}

/* The memo. */
static bool run_memo(at_pickle *m, uint8_t instruction)
{
  switch (instruction) {
    case PUT:
      put(m, take_memo_index(m));
      return true;
    case BINPUT:
      put(m, at_pickle_takeLittle(m, 1));
      return true;
    case LONG_BINPUT:
      put(m, at_pickle_takeLittle(m, 4));
      return true;
    case MEMOIZE:
      put(m, (uint64_t)m->memoCount);
      return true;
    case GET:
      get(m, take_memo_index(m));
      return true;
    case BINGET:
      get(m, at_pickle_takeLittle(m, 1));
      return true;
    case LONG_BINGET:
      get(m, at_pickle_takeLittle(m, 4));
      return true;
    default:
      return false;
  }
}

static void run_instruction(at_pickle *m, uint8_t instruction)
{
  if (!run_stack(m, instruction) && !run_scalar(m, instruction) && !run_text(m, instruction) &&
      !run_list(m, instruction) && !run_object(m, instruction) && !run_memo(m, instruction))
    at_pickle_bad(m,
                  "the pickle has an instruction 0x%02x at byte %llu, which files of tensors have "
                  "not",
                  instruction, (unsigned long long)at_pickle_byteIndex(m) - 1);
}

int32_t at_readPickle(at_nodes *nodes, at_input *in)
{
  const uint64_t most = in->end - in->at + in->stream->left;
  at_pickle m = {.nodes = nodes, .in = in, .start = in->taken, .most = most};
  THGuard guard;
  THGuard_enter(&guard, free_machine);
  guard.what = &m;
  for (;;) {
    const uint8_t instruction = at_pickle_takeByte(&m);
    if (instruction == STOP)
      break;
    run_instruction(&m, instruction);
  }
  const int32_t object = at_pickle_pop(&m);
  if (m.depth > 0)
    at_pickle_bad(&m, "the pickle leaves %lld values besides its object", (long long)m.depth);
  THGuard_leave(&guard);
  return object;
}
