/* Torch's serialized objects: numbers, texts, tables, and objects of classes.  Tensors and storages
 * have formats of their own; other objects are written as a table.  Tables and objects have
 * numbers, by which they are referred to when they occur again. */
#include "Nodes.h"

typedef enum Kind {
  NIL,
  NUMBER,
  STRING,
  TABLE,
  OBJECT,
  BOOLEAN,
  FUNCTION,
  OLD_CLOSURE,
  CLOSURE,
  KINDS
} Kind;

enum { NONE = -1 };

/* --- elements --------------------------------------------------------------------------------- */

typedef size_t Read(THFile *file, void *data, size_t count);

/* clang-format off */
#define READER(Real, real)                                         \
  static size_t read##Real(THFile *file, void *data, size_t count) \
  { return THFile_read##Real##Raw(file, (real *)data, count); }
/* clang-format on */
READER(Byte, uint8_t)
READER(Char, int8_t)
READER(Short, int16_t)
READER(Int, int32_t)
READER(Long, int64_t)
READER(Float, float)
READER(Double, double)
READER(Half, THHalf)

static Read *const readers[AT_SCALAR_TYPES] = {
    [AT_BYTE] = readByte, [AT_CHAR] = readChar,   [AT_SHORT] = readShort,   [AT_INT] = readInt,
    [AT_LONG] = readLong, [AT_FLOAT] = readFloat, [AT_DOUBLE] = readDouble, [AT_HALF] = readHalf};

/* --- reading ---------------------------------------------------------------------------------- */

/* A value that is not complete: a table, an object of a class (its table is missing), a tensor (its
 * storage) or a function (its upvalues). */
typedef struct Open {
  Kind kind;
  int32_t id;   /* its node */
  int32_t left; /* entries of a table that follow */
  int32_t key;  /* the key of the next value, or NONE */
} Open;

typedef struct Reader {
  at_nodes *nodes;
  THFile *in;
  Open *open;
  int64_t depth, capacity;
  int32_t *numbered; /* the node of each number, or NONE */
  int64_t numbers, numbersCapacity;
} Reader;

static void free_reader(void *what)
{
  Reader *r = what;
  THFile_free(r->in);
  THFree(r->open);
  THFree(r->numbered);
}

#define bad(R, ...) at_damaged((R)->nodes->file, __VA_ARGS__)

static at_node *node_of(const Reader *r, int32_t id)
{
  return at_node_of(r->nodes, id);
}

/* Raises unless count bytes are left. */
static void check_left(Reader *r, int64_t count)
{
  const size_t at = THFile_position(r->in), size = r->nodes->file->size;
  if (count < 0 || at > size || (uint64_t)count > size - at)
    bad(r, "%lld bytes or elements cannot follow byte %zu", (long long)count, at);
}

/* Reads a length and a text, which also text files contain unchanged. */
static at_text read_text(Reader *r)
{
  const int32_t length = THFile_readIntScalar(r->in);
  check_left(r, length);
  char *text = at_nodes_text(r->nodes, (uint64_t)length);
  if (length > 0)
    THFile_readCharRaw(r->in, (int8_t *)text, (size_t)length);
  return (at_text){text, (size_t)length};
}

static int32_t add(Reader *r, at_nodeKind kind)
{
  return at_nodes_add(r->nodes, kind);
}

/* Pushes a value that is not complete. */
static void leave_open(Reader *r, Kind kind, int32_t id, int32_t left)
{
  r->open = at_grown(r->nodes->file, r->open, r->depth, &r->capacity, sizeof *r->open);
  r->open[r->depth++] = (Open){kind, id, left, NONE};
}

/* Reads a number and returns its index in numbered, where the entry is NONE the first time. */
static int32_t read_number(Reader *r)
{
  const int32_t number = THFile_readIntScalar(r->in);
  if (number < 0 || (uint64_t)number >= r->nodes->file->size)
    bad(r, "there cannot be an object number %d", number);
  while (r->numbers <= number) {
    r->numbered =
        at_grown(r->nodes->file, r->numbered, r->numbers, &r->numbersCapacity, sizeof *r->numbered);
    r->numbered[r->numbers++] = NONE;
  }
  return number;
}

/* --- tensors ---------------------------------------------------------------------------------- */

/* The element type of a class such as torch.FloatTensor, by a field of the table of types; also of
 * CUDA classes, where plain is the name of the one of floats.  AT_SCALAR_TYPES for other
 * classes. */
static at_scalar_type type_of(at_text class, size_t field, const char *plain)
{
  static const char module[] = "torch.", cuda[] = "Cuda";
  const size_t length = sizeof module - 1;
  if (class.length < length || memcmp(class.at, module, length) != 0)
    return AT_SCALAR_TYPES;
  at_text name = {class.at + length, class.length - length};
  if (name.length >= 4 && !memcmp(name.at, cuda, 4)) {
    name.at += 4;
    name.length -= 4;
    if (at_textIs(name, plain))
      return AT_FLOAT;
  }
  for (int i = 0; i < AT_SCALAR_TYPES; i++) {
    const char *own = *(const char *const *)((const char *)&at_elements[i] + field);
    if (own && readers[i] && at_textIs(name, own))
      return (at_scalar_type)i;
  }
  return AT_SCALAR_TYPES;
}

static int32_t read_storage(Reader *r, at_scalar_type type)
{
  const int64_t count = THFile_readLongScalar(r->in);
  const at_type *own = at_cpuType(type);
  int64_t bytes;
  if (__builtin_mul_overflow(count, (int64_t)own->elementSize, &bytes))
    bytes = -1;
  check_left(r, THFile_isBinary(r->in) ? bytes : count); /* in text, elements take a byte each */
  const int32_t id = at_nodes_addStorage(r->nodes);
  at_nodeStorage *storage = node_of(r, id)->is.storage;
  storage->type = own;
  storage->count = count;
  if (r->nodes->file->lists && THFile_isBinary(r->in)) {
    THFile_seek(r->in, THFile_position(r->in) + (size_t)bytes);
    return id;
  }
  at_tensor *t = storage->elements = at_newElements(r->nodes->file, own, (at_ints){&count, 1});
  if (count > 0)
    readers[type](r->in, at_hostData(t), (size_t)count);
  return id;
}

static int32_t read_integers(Reader *r, int count)
{
  int64_t values[AT_MOST_DIMS];
  const int32_t list = add(r, AT_NODE_LIST);
  if (count > 0)
    THFile_readLongRaw(r->in, values, (size_t)count);
  for (int d = 0; d < count; d++)
    at_nodes_append(r->nodes, list, at_nodes_addInteger(r->nodes, values[d]));
  return list;
}

/* Reads a tensor without its storage, which is the next value.  Without dimensions it has no
 * elements. */
static int32_t read_tensor(Reader *r, at_scalar_type type)
{
  const int32_t dims = THFile_readIntScalar(r->in);
  if (dims < 0 || dims > AT_MOST_DIMS)
    bad(r, "a tensor has %d dimensions", dims);
  const int32_t sizes = read_integers(r, dims), strides = read_integers(r, dims);
  if (dims == 0) {
    at_nodes_append(r->nodes, sizes, at_nodes_addInteger(r->nodes, 0));
    at_nodes_append(r->nodes, strides, at_nodes_addInteger(r->nodes, 1));
  }
  const int64_t first = THFile_readLongScalar(r->in); /* counted from 1 */
  const int32_t storage = at_nodes_addStorage(r->nodes), id = at_nodes_addTensor(r->nodes);
  node_of(r, storage)->is.storage->type =
      at_cpuType(type); /* until its storage is read, if there is one */
  at_nodeTensor *tensor = node_of(r, id)->is.tensor;
  tensor->storage = storage;
  tensor->sizes = sizes;
  tensor->strides = strides;
  tensor->offset = dims == 0 || first < 1 ? 0 : first - 1;
  return id;
}

static void take_storage(Reader *r, int32_t id, int32_t storage)
{
  at_nodeTensor *tensor = node_of(r, id)->is.tensor;
  const at_node *s = node_of(r, storage);
  if (s->kind == AT_NODE_NOTHING)
    return; /* nil */
  if (s->kind != AT_NODE_STORAGE ||
      s->is.storage->type != node_of(r, tensor->storage)->is.storage->type)
    bad(r, "a tensor has no storage, or one of another type");
  tensor->storage = storage;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Reads an object after its number. */
static int32_t read_object(Reader *r, int32_t number)
{
  at_text class = read_text(r);
  if (class.length >= 2 && !memcmp(class.at, "V ", 2)) /* old files have no version */
    class = read_text(r);
  int32_t id;
  const at_scalar_type tensor = type_of(class, offsetof(at_element, t7), "Tensor"),
                       storage = type_of(class, offsetof(at_element, torch), "Storage");
  if (storage != AT_SCALAR_TYPES) {
    id = read_storage(r, storage);
  } else if (tensor != AT_SCALAR_TYPES) {
    id = read_tensor(r, tensor);
    leave_open(r, OBJECT, id, 1);
  } else if (class.length >= 6 &&
             (!memcmp(class.at, "torch.", 6) || !memcmp(class.at, "tds.", 4))) {
    at_damaged_from(__FILE__, __LINE__, r->nodes->file, AT_ERROR_TYPE,
                    "it has an object of class %.*s, which is not here",
                    (int)THMin(class.length, 100), class.at);
  } else {
    id = add(r, AT_NODE_DICT);
    leave_open(r, OBJECT, id, 1);
  }
  r->numbered[number] = id;
  return id;
}

static int32_t read_table(Reader *r, int32_t number)
{
  const int32_t count = THFile_readIntScalar(r->in);
  check_left(r, count);
  const int32_t id = r->numbered[number] = add(r, AT_NODE_DICT);
  if (count > 0)
    leave_open(r, TABLE, id, count);
  return id;
}

/* Reads dumped code, after which its upvalues follow. */
static int32_t read_function(Reader *r)
{
  const at_text code = read_text(r);
  const int32_t id = at_nodes_addText(r->nodes, AT_NODE_BYTES, code.at, code.length);
  leave_open(r, FUNCTION, id, 1);
  return id;
}

/* Begins a value, and returns its node. */
static int32_t read_value(Reader *r)
{
  const int32_t kind = THFile_readIntScalar(r->in);
  int32_t id, number;
  switch (kind) {
    case NIL:
      return add(r, AT_NODE_NOTHING);
    case BOOLEAN:
      id = add(r, AT_NODE_BOOL);
      node_of(r, id)->is.integer = THFile_readIntScalar(r->in) != 0;
      return id;
    case NUMBER:
      return at_nodes_addNumber(r->nodes, THFile_readDoubleScalar(r->in));
    case STRING: {
      const at_text text = read_text(r);
      return at_nodes_addText(r->nodes, AT_NODE_TEXT, text.at, text.length);
    }
    case FUNCTION:
      return read_function(r);
    case TABLE:
    case OBJECT:
    case CLOSURE:
    case OLD_CLOSURE:
      number = read_number(r);
      if (r->numbered[number] != NONE)
        return r->numbered[number];
      if (kind == TABLE)
        return read_table(r, number);
      if (kind == OBJECT)
        return read_object(r, number);
      id = read_function(r);
      return r->numbered[number] = id;
    default:
      bad(r, "a value is of kind %d, which is not known: this is no file of tensors", kind);
  }
}

/* Moves the entries of its table to the object. */
static void take_table(Reader *r, int32_t object, int32_t table)
{
  at_node *to = node_of(r, object), *from = node_of(r, table);
  if (to == from || from->kind != AT_NODE_DICT || to->count > 0)
    return;
  const at_node empty = *to;
  to->is = from->is;
  to->count = from->count;
  from->is = empty.is;
  from->count = empty.count;
}

/* Adds a value to the innermost incomplete value.  Returns whether that is complete now. */
static bool give(Reader *r, int32_t value)
{
  Open *open = &r->open[r->depth - 1];
  if (open->kind == TABLE && open->key == NONE) {
    open->key = value;
    return false;
  }
  if (open->kind == TABLE) {
    at_nodes_append(r->nodes, open->id, open->key);
    at_nodes_append(r->nodes, open->id, value);
    open->key = NONE;
  } else if (open->kind == OBJECT && node_of(r, open->id)->kind == AT_NODE_TENSOR) {
    take_storage(r, open->id, value);
  } else if (open->kind == OBJECT) {
    take_table(r, open->id, value);
  }
  return --open->left == 0;
}

bool at_isT7(const at_file *file)
{
  const char *other = at_otherFormat(file);
  if (other)
    at_damaged(file, "%s", other);
  return true; /* the reader reports an error otherwise */
}

void at_readT7(at_file *file, at_dict *dict)
{
  Reader r = {.nodes = at_dict_newNodes(dict, file)};
  THGuard guard;
  THGuard_enter(&guard, free_reader);
  guard.what = &r;
  r.in = THDiskFile_new(file->path, "r", 0);
  THDiskFile_littleEndianEncoding(r.in);
  if (file->head[0] < '0' || file->head[0] > '9')
    THFile_binary(r.in);

  int32_t root = NONE;
  do {
    const int64_t before = r.depth;
    int32_t id = read_value(&r);
    if (root == NONE)
      root = id;
    if (r.depth > before)
      continue;
    /* The value is complete, which may complete the values around it. */
    while (r.depth > 0 && give(&r, id))
      id = r.open[--r.depth].id;
  } while (r.depth > 0);
  if (THFile_position(r.in) < file->size)
    bad(&r, "%zu bytes follow its object", file->size - THFile_position(r.in));
  at_nodes_name(r.nodes, root, file->size, dict);
  THGuard_leave(&guard);
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct Writer {
  at_out *out;
  const at_dict *dict;
  const at_span *spans;
  int32_t next;     /* the number of the next table or object */
  int32_t *numbers; /* of the storages, by the index of their owner in the set; 0 if not written */
} Writer;

static void write_int(Writer *w, int64_t value)
{
  at_out_little(w->out, (uint64_t)value, 4);
}

static void write_text(Writer *w, const char *text)
{
  write_int(w, (int64_t)strlen(text));
  at_out_write(w->out, text, strlen(text));
}

static void write_head(Writer *w, const char *class)
{
  char name[40];
  snprintf(name, sizeof name, "torch.%s", class);
  write_text(w, "V 1");
  write_text(w, name);
}

/* Writes the storage of a tensor, or only its number if it is written already. */
static void write_storage(Writer *w, const at_span *span, at_scalar_type type)
{
  int32_t *number = &w->numbers[span->owner];
  const bool known = *number != 0;
  if (!known)
    *number = w->next++;
  write_int(w, OBJECT);
  write_int(w, *number);
  if (known)
    return;
  write_head(w, at_elements[type].torch);
  at_out_little(w->out, (uint64_t)(span->end - span->first), 8);
  THGuard line, little;
  at_guard(&line);
  line.what = at_newLine(w->dict, span);
  at_guard(&little);
  at_tensor *elements = little.what = at_newLittle(line.what);
  at_out_write(w->out, at_hostData(elements), at_sizeInBytes(elements));
  THGuard_leave(&little);
  THGuard_leave(&line);
}

static void write_tensor(Writer *w, int64_t index)
{
  const at_tensor *t = at_dict_at(w->dict, index);
  const at_span *span = &w->spans[index];
  const at_scalar_type type = t->type->scalarType;
  const int dims = at_numel(t) > 0 ? t->th->nDimension : 0;
  write_int(w, OBJECT);
  write_int(w, w->next++);
  write_head(w, at_elements[type].t7);
  write_int(w, dims);
  for (int d = 0; d < dims; d++)
    at_out_little(w->out, (uint64_t)t->th->size[d], 8);
  for (int d = 0; d < dims; d++)
    at_out_little(w->out, (uint64_t)t->th->stride[d], 8);
  at_out_little(w->out, dims ? (uint64_t)(t->th->storageOffset - span->first + 1) : 1, 8);
  write_storage(w, span, type);
}

void at_writeT7(at_out *out, const at_dict *dict)
{
  const int64_t count = at_dict_count(dict);
  AT_DICT_CHECK(dict, t7);
  if (count > INT32_MAX / 2 - 1)
    at_raise(AT_ERROR_ARGUMENT, "a .t7 file cannot hold %lld tensors", (long long)count);
  for (int64_t i = 0; i < count; i++) {
    const at_tensor *t = at_dict_at(dict, i);
    if (at_numel(t) == 0 && at_dim(t) != 1)
      at_raise(AT_ERROR_ARGUMENT, "a .t7 file holds no tensor of size (%s), as '%.100s' has",
               at_sizeDesc(at_sizesOf(t)).str, at_dict_name(dict, i));
    if (strlen(at_dict_name(dict, i)) > INT32_MAX)
      at_raise(AT_ERROR_ARGUMENT, "the name of tensor %lld is too long", (long long)i);
  }
  THGuard memory, numbers;
  Writer w = {.out = out, .dict = dict, .next = 1};
  w.spans = at_spansOf(dict, &memory);
  THGuard_enter(&numbers, THFree);
  w.numbers = numbers.what = THAlloc((count + 1) * (ptrdiff_t)sizeof *w.numbers);
  memset(w.numbers, 0, (size_t)(count + 1) * sizeof *w.numbers);
  if (count == 1 && !*at_dict_name(dict, 0)) {
    write_tensor(&w, 0);
  } else {
    write_int(&w, TABLE);
    write_int(&w, w.next++);
    write_int(&w, count);
    for (int64_t i = 0; i < count; i++) {
      write_int(&w, STRING);
      write_text(&w, at_dict_name(dict, i));
      write_tensor(&w, i);
    }
  }
  THGuard_leave(&numbers);
  THGuard_leave(&memory);
}
