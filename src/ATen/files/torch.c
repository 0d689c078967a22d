/* PyTorch's files: a pickle with the objects, and the elements of each storage.  In the current
 * format they are members of a zip archive.  The older format, which is only read, is a sequence of
 * four pickles (a magic number, a version, a description of the machine, the object), a fifth
 * pickle with the keys of the storages, and the elements of the storages. */
#include "pickle/Pickle.h"
#include "Zip.h"

/* --- storages --------------------------------------------------------------------------------- */

static int compare_texts(at_text a, at_text b)
{
  const int order = memcmp(a.at, b.at, THMin(a.length, b.length));
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* A storage and its key, the criterion of the sort. */
typedef struct Keyed {
  at_nodeStorage *storage;
  int64_t order; /* of occurrence */
} Keyed;

static int compare_keyed(const void *a, const void *b)
{
  const Keyed *x = a, *y = b;
  const int order = compare_texts(x->storage->key, y->storage->key);
  return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* All storages among the nodes, sorted by key; raises if storages of one key differ.  Enters the
 * guard, which frees the array. */
static Keyed *sorted_storages(const at_nodes *nodes, int64_t *count, THGuard *guard)
{
  *count = 0;
  for (int64_t i = 0; i < nodes->count; i++)
    *count += at_node_of(nodes, (int32_t)i)->kind == AT_NODE_STORAGE;
  THGuard_enter(guard, THFree);
  Keyed *keyed = guard->what = at_file_alloc(nodes->file, (uint64_t)*count * sizeof *keyed);
  int64_t at = 0;
  for (int64_t i = 0; i < nodes->count; i++) {
    const at_node *node = at_node_of(nodes, (int32_t)i);
    if (node->kind == AT_NODE_STORAGE) {
      keyed[at] = (Keyed){node->is.storage, at};
      at++;
    }
  }
  if (at > 0)
    qsort(keyed, (size_t)at, sizeof *keyed, compare_keyed);
  for (int64_t i = 1; i < at; i++) {
    const at_nodeStorage *a = keyed[i - 1].storage, *b = keyed[i].storage;
    if (!compare_texts(a->key, b->key) &&
        (a->type != b->type || a->dtype != b->dtype || a->count != b->count))
      at_damaged(nodes->file, "storage '%.*s' has two types, or two sizes",
                 (int)THMin(b->key.length, 100), b->key.at);
  }
  return keyed;
}

/* The type whose elements are read for a storage; NULL if none are. */
static const at_type *type_read(const at_file *file, const at_nodeStorage *storage)
{
  return file->widens && storage->isUntyped && !storage->type ? at_cpuType(AT_BYTE) : storage->type;
}

/* Reads size bytes of elements for the storages that have the key of the first one in keyed.
 * Returns the number of those storages.  Elements of unsupported types are not read. */
static int64_t give_elements(at_nodes *nodes, const Keyed *keyed, int64_t left, at_stream *stream,
                             uint64_t size, bool bigEndian)
{
  at_nodeStorage *first = keyed[0].storage;
  const at_ints line = {&first->count, 1};
  const at_type *const type = type_read(nodes->file, first);
  uint64_t wanted;
  if (__builtin_mul_overflow((uint64_t)first->count, first->elementSize, &wanted) ||
      (wanted != size && type))
    at_damaged(nodes->file, "storage '%.*s' has %llu bytes, which are not %lld elements of %s",
               (int)THMin(first->key.length, 100), first->key.at, (unsigned long long)size,
               (long long)first->count, type ? at_scalarTypeName(type->scalarType) : first->dtype);
  if (first->given)
    at_damaged(nodes->file, "storage '%.*s' is there twice", (int)THMin(first->key.length, 100),
               first->key.at);
  if (type)
    first->elements = at_newFromStream(stream, type, line, bigEndian);
  first->given = true;
  int64_t i = 1;
  for (; i < left && !compare_texts(first->key, keyed[i].storage->key); i++)
    if (type)
      keyed[i].storage->elements = at_retain(first->elements);
  return i;
}

/* --- the archive ------------------------------------------------------------------------------ */

/* The member of that name in the folder of the pickle; NULL if there is none.  name is a buffer for
 * the path. */
static const at_member *sibling(const at_zip *zip, const at_member *pickle, at_bytes *name,
                                const char *folder, at_text last)
{
  name->length = 0;
  at_bytes_add(name, pickle->name, pickle->nameLength - strlen("data.pkl"));
  at_bytes_addText(name, folder);
  at_bytes_add(name, last.at, last.length);
  return at_zip_find(zip, name->start, name->length);
}

static bool is_big(const at_zip *zip, const at_member *pickle, at_bytes *name)
{
  const at_text nothing = {"", 0};
  const at_member *order = sibling(zip, pickle, name, "byteorder", nothing);
  if (!order)
    return false;
  THGuard guard;
  at_memberStream s;
  char text[6] = "";
  at_member_begin(&s, zip, order, &guard);
  if (order->size <= sizeof text) {
    at_stream_read(&s.stream, text, (size_t)order->size);
    at_member_finish(&s);
  }
  THGuard_leave(&guard);
  const bool big = order->size == 3 && !memcmp(text, "big", 3);
  if (!big && (order->size != 6 || memcmp(text, "little", 6) != 0))
    at_damaged(zip->file, "its byte order is neither little nor big");
  return big;
}

static void read_members(const at_zip *zip, const at_member *pickle, at_nodes *nodes,
                         at_bytes *name)
{
  const bool big = is_big(zip, pickle, name);
  THGuard guard;
  int64_t count;
  const Keyed *keyed = sorted_storages(nodes, &count, &guard);
  for (int64_t i = 0; i < count;) {
    const at_text key = keyed[i].storage->key;
    const at_member *member = sibling(zip, pickle, name, "data/", key);
    if (!member)
      at_damaged(zip->file, "storage '%.*s' is missing", (int)THMin(key.length, 100), key.at);
    THGuard data;
    at_memberStream s;
    at_member_begin(&s, zip, member, &data);
    const bool known = keyed[i].storage->type != NULL;
    i += give_elements(nodes, keyed + i, count - i, &s.stream, member->size, big);
    if (known)
      at_member_finish(&s);
    THGuard_leave(&data);
  }
  THGuard_leave(&guard);
}

void at_readPt(const at_zip *zip, const at_member *pickle, at_dict *dict)
{
  THGuard data, buffer, text;
  at_nodes *nodes = at_dict_newNodes(dict, zip->file);
  at_memberStream s;
  at_input in;
  at_bytes name = {0};
  at_member_begin(&s, zip, pickle, &data);
  at_input_begin(&in, &s.stream, &buffer);
  THGuard_enter(&text, at_bytes_free);
  text.what = &name;
  const int32_t root = at_readPickle(nodes, &in);
  if (in.taken != pickle->size)
    at_damaged(zip->file, "%llu bytes follow its pickle",
               (unsigned long long)(pickle->size - in.taken));
  at_member_finish(&s);
  if (!zip->file->lists)
    read_members(zip, pickle, nodes, &name);
  at_nodes_name(nodes, root, pickle->size, dict);
  THGuard_leave(&text);
  THGuard_leave(&buffer);
  THGuard_leave(&data);
}

/* --- the older layout ------------------------------------------------------------------------- */

static const uint8_t magic[] = {0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9,
                                0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};
enum { FRAME = 9 };

bool at_isLegacyPt(const at_file *file)
{
  const size_t length = sizeof magic;
  const uint8_t *at = file->head + 2;
  if (file->size < 2 + FRAME + length || file->head[0] != 0x80)
    return false;
  return !memcmp(at, magic, length) || (*at == 0x95 && !memcmp(at + FRAME, magic, length));
}

/* Whether the description of the machine says big-endian. */
static bool was_big(const at_nodes *nodes, int32_t description)
{
  const at_node *dict = at_node_of(nodes, description);
  if (dict->kind == AT_NODE_DICT)
    for (int32_t i = 0; i + 1 < dict->count; i += 2) {
      const at_node *key = at_node_of(nodes, at_node_item(dict, i)),
                    *value = at_node_of(nodes, at_node_item(dict, i + 1));
      const at_text wanted = {"little_endian", strlen("little_endian")};
      if (key->kind == AT_NODE_TEXT && !compare_texts(key->is.text, wanted))
        return value->kind == AT_NODE_BOOL && !value->is.integer;
    }
  return false;
}

/* The index of the first storage with that key, or -1. */
static int64_t find_key(const Keyed *keyed, int64_t count, at_text key)
{
  int64_t low = 0, high = count; /* the first key that is not less is in [low, high] */
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (compare_texts(keyed[middle].storage->key, key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && !compare_texts(keyed[low].storage->key, key) ? low : -1;
}

/* Reads the elements of the storages in the order of keys; each is preceded by their number. */
static void read_elements(at_nodes *nodes, int32_t keys, uint64_t at, bool big)
{
  at_file *file = nodes->file;
  THGuard guard;
  int64_t count, given = 0;
  const Keyed *keyed = sorted_storages(nodes, &count, &guard);
  const at_node *list = at_node_of(nodes, keys);
  if (list->kind != AT_NODE_LIST)
    at_damaged(file, "the keys of its storages are no list");
  for (int32_t i = 0; i < list->count; i++) {
    const at_node *key = at_node_of(nodes, at_node_item(list, i));
    const int64_t index = key->kind == AT_NODE_TEXT ? find_key(keyed, count, key->is.text) : -1;
    if (index < 0)
      at_damaged(file, "storage %lld belongs to no tensor", (long long)i);
    uint8_t number[8];
    uint64_t bytes, shown = 0;
    if (file->size - at < sizeof number)
      at_damaged(file, "the file ends within its storages");
    at_file_read(file, at, number, sizeof number);
    at += sizeof number;
    for (int b = 0; b < 8; b++)
      shown |= (uint64_t)number[b] << 8 * (big ? 7 - b : b);
    const at_nodeStorage *const storage = keyed[index].storage;
    if (__builtin_mul_overflow(shown, storage->isUntyped ? 1 : storage->elementSize, &bytes) ||
        bytes > file->size - at)
      at_damaged(file, "the file ends within its storages");
    at_stream stream = at_file_stream(file, at);
    given += give_elements(nodes, keyed + index, count - index, &stream, bytes, big);
    at += bytes;
  }
  if (given != count)
    at_damaged(file, "a storage is missing");
  if (at != file->size)
    at_damaged(file, "%llu bytes follow its storages", (unsigned long long)(file->size - at));
  THGuard_leave(&guard);
}

void at_readLegacyPt(at_file *file, at_dict *dict)
{
  enum { MAGIC, VERSION, MACHINE, OBJECT, KEYS, PICKLES };
  at_nodes *nodes = at_dict_newNodes(dict, file);
  int32_t roots[PICKLES];
  at_stream stream = at_file_stream(file, 0);
  at_input in;
  THGuard guard;
  at_input_begin(&in, &stream, &guard);
  for (int i = 0; i < PICKLES; i++)
    roots[i] = at_readPickle(nodes, &in);
  const uint64_t end = in.taken;
  THGuard_leave(&guard);
  const at_node *version = at_node_of(nodes, roots[VERSION]);
  if (version->kind != AT_NODE_INTEGER || version->is.integer != 1001)
    at_damaged(file, "it is of a version of PyTorch's older layout that is not known");
  if (!file->lists)
    read_elements(nodes, roots[KEYS], end, was_big(nodes, roots[MACHINE]));
  at_nodes_name(nodes, roots[OBJECT], end, dict);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Appends an integer by the shortest instruction. */
static void add_integer(at_bytes *p, int64_t value)
{
  const bool fits = value >= 0 && value <= INT32_MAX;
  at_bytes_add(p,
               fits ? value <= UINT8_MAX    ? "K"
                      : value <= UINT16_MAX ? "M"
                                            : "J"
                    : "\x8a\x08",
               fits ? 1 : 2);
  at_bytes_addLittle(p, (uint64_t)value,
                     !fits                 ? 8
                     : value <= UINT8_MAX  ? 1
                     : value <= UINT16_MAX ? 2
                                           : 4);
}

static void add_string(at_bytes *p, const char *text)
{
  at_bytes_addText(p, "X");
  at_bytes_addLittle(p, strlen(text), 4);
  at_bytes_addText(p, text);
}

static void add_integers(at_bytes *p, at_ints values)
{
  at_bytes_addText(p, "(");
  for (int d = 0; d < values.count; d++)
    add_integer(p, values.data[d]);
  at_bytes_addText(p, "t");
}

/* Appends a call of _rebuild_tensor_v2 with a storage, an offset, sizes, strides, requires_grad and
 * hooks; or of _rebuild_tensor_v3 with bytes and the element type, too. */
static void add_tensor(at_bytes *p, const at_tensor *t, const at_span *span)
{
  const at_element *const element = &at_elements[t->type->scalarType];
  const int64_t count = span->end - span->first;
  char key[24];
  snprintf(key, sizeof key, "%lld", (long long)span->owner);
  at_bytes_print(p, "ctorch._utils\n_rebuild_tensor_v%d\n((", element->torch ? 2 : 3);
  add_string(p, "storage");
  if (element->torch)
    at_bytes_print(p, "ctorch\n%s\n", element->torch);
  else
    at_bytes_addText(p, "ctorch.storage\nUntypedStorage\n");
  add_string(p, key);
  add_string(p, "cpu");
  add_integer(p, element->torch ? count : count * (int64_t)t->type->elementSize);
  at_bytes_addText(p, "tQ");
  add_integer(p, count > 0 ? t->th->storageOffset - span->first : 0);
  add_integers(p, at_sizes(t));
  add_integers(p, at_strides(t));
  at_bytes_addText(p,
                   "\x89"
                   "ccollections\nOrderedDict\n)R");
  if (!element->torch)
    at_bytes_print(p, "ctorch\n%s\n", strchr(element->dtype, '.') + 1);
  at_bytes_addText(p, "tR");
}

/* Appends a double, whose bytes are big-endian in a pickle. */
static void add_number(at_bytes *p, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  at_bytes_addText(p, "G");
  at_bytes_addLittle(p, __builtin_bswap64(bits), sizeof bits);
}

/* What a program made. */
typedef struct Made {
  at_bytes *pickle;
  const at_dict *dict;
  const at_nodes *nodes;
  const at_span *spans;
  bool *written; /* of each tensor of the set */
} Made;

static void add_made(const Made *made, int32_t id)
{
  at_bytes *const p = made->pickle;
  const at_node *const node = at_node_of(made->nodes, id);
  switch ((at_nodeKind)node->kind) {
    case AT_NODE_BOOL:
      at_bytes_addText(p, node->is.integer ? "\x88" : "\x89");
      break;
    case AT_NODE_INTEGER:
      add_integer(p, node->is.integer);
      break;
    case AT_NODE_NUMBER:
      add_number(p, node->is.number);
      break;
    case AT_NODE_TEXT:
      add_string(p, node->is.text.at);
      break;
    case AT_NODE_TENSOR:
      add_tensor(p, at_dict_at(made->dict, node->is.tensor->index),
                 &made->spans[node->is.tensor->index]);
      made->written[node->is.tensor->index] = true;
      break;
    case AT_NODE_DICT:
    case AT_NODE_LIST:
      at_bytes_addText(p, node->kind == AT_NODE_DICT ? "}(" : node->isTuple ? "(" : "](");
      for (int32_t i = 0; i < node->count; i++)
        add_made(made, at_node_item(node, i));
      at_bytes_addText(p, node->kind == AT_NODE_DICT ? "u" : node->isTuple ? "t" : "e");
      break;
    default:
      at_bytes_addText(p, "N");
  }
}

/* Appends a tensor of the set as an item of a dictionary. */
static void add_item(at_bytes *p, const at_dict *dict, const at_span *spans, int64_t i)
{
  if (strlen(at_dict_name(dict, i)) > INT32_MAX)
    at_raise(AT_ERROR_ARGUMENT, "the name of tensor %lld is too long", (long long)i);
  add_string(p, at_dict_name(dict, i));
  add_tensor(p, at_dict_at(dict, i), &spans[i]);
}

/* Appends all values that a program made, and behind them tensors that are in none of them. */
static void add_values(Made *made)
{
  const at_node *const root = at_node_of(made->nodes, made->nodes->root);
  const int64_t count = at_dict_count(made->dict);
  THGuard memory;
  THGuard_enter(&memory, THFree);
  memory.what = made->written = THAlloc((ptrdiff_t)count);
  memset(made->written, 0, (size_t)count);
  at_bytes_addText(made->pickle, "}(");
  for (int32_t i = 0; i < root->count; i++)
    add_made(made, at_node_item(root, i));
  for (int64_t i = 0; i < count; i++)
    if (!made->written[i])
      add_item(made->pickle, made->dict, made->spans, i);
  at_bytes_addText(made->pickle, "u");
  THGuard_leave(&memory);
}

static void add_object(at_bytes *p, const at_dict *dict, const at_span *spans)
{
  const int64_t count = at_dict_count(dict);
  const at_nodes *const nodes = at_dict_nodes(dict);
  at_bytes_addText(p, "\x80\2");
  if (nodes && nodes->isMade) {
    Made made = {p, dict, nodes, spans};
    add_values(&made);
  } else if (count == 1 && !*at_dict_name(dict, 0)) {
    add_tensor(p, at_dict_at(dict, 0), spans);
  } else {
    at_bytes_addText(p, "}");
    for (int64_t i = 0; i < count; i++) {
      add_item(p, dict, spans, i);
      at_bytes_addText(p, "s");
    }
  }
  at_bytes_addText(p, ".");
}

static void write_storage(at_zipOut *zip, const at_dict *dict, const at_span *span)
{
  char name[40];
  THGuard line, little;
  snprintf(name, sizeof name, "archive/data/%lld", (long long)span->owner);
  at_guard(&line);
  line.what = at_newLine(dict, span);
  at_guard(&little);
  at_tensor *elements = little.what = at_newLittle(line.what);
  at_zipOut_add(zip, name, at_hostData(elements), at_sizeInBytes(elements));
  THGuard_leave(&little);
  THGuard_leave(&line);
}

void at_writePt(at_out *out, const at_dict *dict)
{
  at_dict_checkNames(dict); /* there are storages or names of all types */
  THGuard archive, memory, text;
  at_zipOut zip;
  at_bytes pickle = {0};
  at_zipOut_begin(&zip, out, &archive);
  const at_span *spans = at_spansOf(dict, &memory);
  THGuard_enter(&text, at_bytes_free);
  text.what = &pickle;
  add_object(&pickle, dict, spans);
  at_zipOut_add(&zip, "archive/data.pkl", pickle.start, pickle.length);
  at_zipOut_add(&zip, "archive/byteorder", "little", 6);
  for (int64_t i = 0; i < at_dict_count(dict); i++)
    if (spans[i].owner == i)
      write_storage(&zip, dict, &spans[i]);
  at_zipOut_add(&zip, "archive/version", "3\n", 2);
  at_zipOut_finish(&zip);
  THGuard_leave(&text);
  THGuard_leave(&memory);
  THGuard_leave(&archive);
}
