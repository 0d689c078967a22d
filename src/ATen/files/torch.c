/* PyTorch's files: a pickle with the objects, and the elements of each storage.  In the layout of
 * today they are members of a zip archive; in the older one, which is only read, four pickles (a
 * magic number, a version, a description of the machine, the object), a fifth with the keys of the
 * storages, and then their elements follow each other. */
#include "Pickle.h"
#include "Zip.h"

/* --- storages --------------------------------------------------------------------------------- */

static int compare_texts(at_text a, at_text b)
{
  const int order = memcmp(a.at, b.at, THMin(a.length, b.length));
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* A storage and its key, by which they are sorted. */
typedef struct Keyed {
  at_text key;
  int64_t id;
} Keyed;

static int compare_keyed(const void *a, const void *b)
{
  const Keyed *x = a, *y = b;
  const int order = compare_texts(x->key, y->key);
  return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* All storages among the nodes, sorted by key; the guard, which is entered here, frees them.  Those
 * of one key agree. */
static Keyed *sorted_storages(const at_nodes *nodes, int64_t *count, THGuard *guard)
{
  *count = 0;
  for (int64_t i = 0; i < nodes->count; i++)
    *count += nodes->node[i].kind == AT_NODE_STORAGE;
  THGuard_enter(guard, THFree);
  Keyed *keyed = guard->what = THAlloc(*count * (ptrdiff_t)sizeof *keyed);
  int64_t at = 0;
  for (int64_t i = 0; i < nodes->count; i++)
    if (nodes->node[i].kind == AT_NODE_STORAGE)
      keyed[at++] = (Keyed){nodes->node[i].is.storage.key, i};
  if (at > 0)
    qsort(keyed, (size_t)at, sizeof *keyed, compare_keyed);
  for (int64_t i = 1; i < at; i++) {
    const at_node *a = &nodes->node[keyed[i - 1].id], *b = &nodes->node[keyed[i].id];
    if (!compare_texts(keyed[i - 1].key, keyed[i].key) &&
        (a->is.storage.type != b->is.storage.type || a->is.storage.count != b->is.storage.count))
      at_damaged(nodes->file, "storage '%.*s' has two types, or two sizes",
                 (int)THMin(keyed[i].key.length, 100), keyed[i].key.at);
  }
  return keyed;
}

/* The storages with the key of the first in the list get the elements; returns how many. */
static int64_t give_elements(at_nodes *nodes, const Keyed *keyed, int64_t left,
                             const uint8_t *bytes, uint64_t size, bool bigEndian)
{
  at_node *first = &nodes->node[keyed[0].id];
  const at_type *type = at_cpuType(first->is.storage.type);
  const at_ints line = {&first->is.storage.count, 1};
  uint64_t wanted;
  if (!at_bytesOf(type, line, &wanted) || wanted != size)
    at_damaged(nodes->file, "storage '%.*s' has %llu bytes, which are not %lld elements of %s",
               (int)THMin(keyed[0].key.length, 100), keyed[0].key.at, (unsigned long long)size,
               (long long)line.data[0], at_scalarTypeName(type->scalarType));
  if (first->is.storage.elements)
    at_damaged(nodes->file, "storage '%.*s' is there twice", (int)THMin(keyed[0].key.length, 100),
               keyed[0].key.at);
  first->is.storage.elements = at_newFromBytes(type, line, bytes, bigEndian);
  int64_t i = 1;
  for (; i < left && !compare_texts(keyed[0].key, keyed[i].key); i++)
    nodes->node[keyed[i].id].is.storage.elements = at_retain(first->is.storage.elements);
  return i;
}

/* --- the archive ------------------------------------------------------------------------------ */

/* The member of that name beside the pickle; NULL if there is none.  name is room for the whole. */
static const at_member *beside(const at_zip *zip, const at_member *pickle, at_bytes *name,
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
  const at_member *order = beside(zip, pickle, name, "byteorder", nothing);
  if (!order)
    return false;
  THGuard guard;
  const uint8_t *text = at_zip_bytes(zip, order, &guard);
  const bool big = order->size == 3 && !memcmp(text, "big", 3);
  if (!big && (order->size != 6 || memcmp(text, "little", 6) != 0))
    at_damaged(zip->file, "its byte order is neither little nor big");
  THGuard_leave(&guard);
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
    const at_member *member = beside(zip, pickle, name, "data/", keyed[i].key);
    if (!member)
      at_damaged(zip->file, "storage '%.*s' is missing", (int)THMin(keyed[i].key.length, 100),
                 keyed[i].key.at);
    THGuard data;
    const uint8_t *bytes = at_zip_bytes(zip, member, &data);
    i += give_elements(nodes, keyed + i, count - i, bytes, member->size, big);
    THGuard_leave(&data);
  }
  THGuard_leave(&guard);
}

void at_readPt(const at_zip *zip, const at_member *pickle, at_dict *dict)
{
  THGuard data, graph, text;
  at_nodes nodes;
  at_bytes name = {0};
  size_t used;
  const uint8_t *bytes = at_zip_bytes(zip, pickle, &data);
  at_nodes_begin(&nodes, zip->file, &graph);
  THGuard_enter(&text, at_bytes_free);
  text.what = &name;
  const int64_t root = at_readPickle(&nodes, bytes, pickle->size, &used);
  if (used != pickle->size)
    at_damaged(zip->file, "%zu bytes follow its pickle", pickle->size - used);
  read_members(zip, pickle, &nodes, &name);
  at_nodes_name(&nodes, root, pickle->size, dict);
  THGuard_leave(&text);
  THGuard_leave(&graph);
  THGuard_leave(&data);
}

/* --- the older layout ------------------------------------------------------------------------- */

static const uint8_t magic[] = {0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9,
                                0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};
enum { FRAME = 9 };

bool at_isLegacyPt(const at_file *file)
{
  const size_t length = sizeof magic;
  const uint8_t *at = file->bytes + 2;
  if (file->size < 2 + FRAME + length || file->bytes[0] != 0x80)
    return false;
  return !memcmp(at, magic, length) || (*at == 0x95 && !memcmp(at + FRAME, magic, length));
}

/* Whether the description of the machine says that the highest byte comes first. */
static bool was_big(const at_nodes *nodes, int64_t description)
{
  const at_node *dict = &nodes->node[description];
  if (dict->kind == AT_NODE_DICT)
    for (int64_t i = 0; i + 1 < dict->is.list.count; i += 2) {
      const at_node *key = &nodes->node[dict->is.list.items[i]],
                    *value = &nodes->node[dict->is.list.items[i + 1]];
      const at_text wanted = {"little_endian", strlen("little_endian")};
      if (key->kind == AT_NODE_TEXT && !compare_texts(key->is.text, wanted))
        return value->kind == AT_NODE_INTEGER && !value->is.integer;
    }
  return false;
}

/* The place of the key among those of the storages, or -1. */
static int64_t place_of(const Keyed *keyed, int64_t count, at_text key)
{
  int64_t low = 0, high = count; /* the first that is not less lies in [low, high] */
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (compare_texts(keyed[middle].key, key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && !compare_texts(keyed[low].key, key) ? low : -1;
}

/* The elements of the storages, in the order of keys, each behind their number. */
static void read_elements(at_nodes *nodes, int64_t keys, const uint8_t *at, const uint8_t *end,
                          bool big)
{
  const at_file *file = nodes->file;
  THGuard guard;
  int64_t count, given = 0;
  const Keyed *keyed = sorted_storages(nodes, &count, &guard);
  const at_node *list = &nodes->node[keys];
  if (list->kind != AT_NODE_LIST)
    at_damaged(file, "the keys of its storages are no list");
  for (int64_t i = 0; i < list->is.list.count; i++) {
    const at_node *key = &nodes->node[list->is.list.items[i]];
    const int64_t place = key->kind == AT_NODE_TEXT ? place_of(keyed, count, key->is.text) : -1;
    if (place < 0)
      at_damaged(file, "storage %lld belongs to no tensor", (long long)i);
    const at_node *storage = &nodes->node[keyed[place].id];
    const size_t size = at_cpuType(storage->is.storage.type)->elementSize;
    uint64_t bytes, shown = 0;
    for (int b = 0; end - at >= 8 && b < 8; b++)
      shown |= (uint64_t)at[b] << 8 * (big ? 7 - b : b);
    if (end - at < 8 || __builtin_mul_overflow(shown, size, &bytes) ||
        bytes > (uint64_t)(end - at - 8))
      at_damaged(file, "the file ends within its storages");
    given += give_elements(nodes, keyed + place, count - place, at + 8, bytes, big);
    at += 8 + bytes;
  }
  if (given != count)
    at_damaged(file, "a storage is missing");
  if (at != end)
    at_damaged(file, "%td bytes follow its storages", end - at);
  THGuard_leave(&guard);
}

void at_readLegacyPt(const at_file *file, at_dict *dict)
{
  enum { MAGIC, VERSION, MACHINE, OBJECT, KEYS, PICKLES };
  at_nodes nodes;
  int64_t roots[PICKLES];
  size_t at = 0, used;
  THGuard guard;
  at_nodes_begin(&nodes, file, &guard);
  for (int i = 0; i < PICKLES; i++, at += used)
    roots[i] = at_readPickle(&nodes, file->bytes + at, file->size - at, &used);
  const at_node *version = &nodes.node[roots[VERSION]];
  if (version->kind != AT_NODE_INTEGER || version->is.integer != 1001)
    at_damaged(file, "it is of a version of PyTorch's older layout that is not known");
  read_elements(&nodes, roots[KEYS], file->bytes + at, file->bytes + file->size,
                was_big(&nodes, roots[MACHINE]));
  at_nodes_name(&nodes, roots[OBJECT], at, dict);
  THGuard_leave(&guard);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* As few bytes as the instructions for integers take. */
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

/* A call of _rebuild_tensor_v2 with a storage, an offset, sizes, strides, whether it requires a
 * gradient, and hooks. */
static void add_tensor(at_bytes *p, const at_tensor *t, const at_span *span)
{
  char key[24];
  snprintf(key, sizeof key, "%lld", (long long)span->owner);
  at_bytes_addText(p, "ctorch._utils\n_rebuild_tensor_v2\n((");
  add_string(p, "storage");
  at_bytes_print(p, "ctorch\n%s\n", at_elements[t->type->scalarType].torch);
  add_string(p, key);
  add_string(p, "cpu");
  add_integer(p, span->end - span->first);
  at_bytes_addText(p, "tQ");
  add_integer(p, span->end > span->first ? t->th->storageOffset - span->first : 0);
  add_integers(p, at_sizes(t));
  add_integers(p, at_strides(t));
  at_bytes_addText(p,
                   "\x89"
                   "ccollections\nOrderedDict\n)RtR");
}

static void add_object(at_bytes *p, const at_dict *dict, const at_span *spans)
{
  const int64_t count = at_dict_count(dict);
  at_bytes_addText(p, "\x80\2");
  if (count == 1 && !*at_dict_name(dict, 0)) {
    add_tensor(p, at_dict_at(dict, 0), spans);
  } else {
    at_bytes_addText(p, "}");
    for (int64_t i = 0; i < count; i++) {
      if (strlen(at_dict_name(dict, i)) > INT32_MAX)
        at_raise(AT_ERROR_ARGUMENT, "the name of tensor %lld is too long", (long long)i);
      add_string(p, at_dict_name(dict, i));
      add_tensor(p, at_dict_at(dict, i), &spans[i]);
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
  AT_DICT_CHECK(dict, torch);
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
