/* safetensors: eight bytes with the length of the header, the header (JSON: names, types, shapes
 * and offsets), and the elements of all tensors, one tensor after the other. */
#include "Files.h"
#include "Json.h"
#include "Nodes.h"

enum {
  LENGTH = 8,
  MOST_HEADER = 100000000, /* bytes: the format's own limit */
  ALIGNMENT = 64
};

bool at_isSafetensors(const at_file *file)
{
  return file->size > LENGTH && at_little(file->head, LENGTH) <= MOST_HEADER &&
         file->head[LENGTH] == '{';
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A range of bytes among the elements. */
typedef struct Range {
  uint64_t begin, end;
} Range;

typedef struct Reading {
  char *header;
  at_json json;
  at_bytes text, name;
  Range *ranges; /* of all tensors */
  int64_t count, capacity;
  size_t start; /* of the elements, in the file */
} Reading;

typedef struct Entry {
  const at_type *type; /* NULL if it is not supported */
  char dtype[24];
  int dims;
  int64_t size[AT_MOST_DIMS];
  Range range;
} Entry;

static void free_reading(void *what)
{
  Reading *r = what;
  at_bytes_free(&r->text);
  at_bytes_free(&r->name);
  THFree(r->ranges);
  THFree(r->header);
}

static void read_type(Reading *r, Entry *entry)
{
  at_json_string(&r->json, &r->text);
  for (int i = 0; i < AT_SCALAR_TYPES; i++)
    if (at_elements[i].safetensors && at_json_equal(&r->text, at_elements[i].safetensors))
      entry->type = at_cpuType((at_scalar_type)i);
  snprintf(entry->dtype, sizeof entry->dtype, "%.20s", (const char *)r->text.start);
}

static void read_sizes(Reading *r, Entry *entry)
{
  at_json_expect(&r->json, '[');
  if (!at_json_take(&r->json, ']'))
    do {
      if (entry->dims == AT_MOST_DIMS)
        at_damaged(r->json.file, "'%.100s' has more than %d dimensions", r->name.start,
                   AT_MOST_DIMS);
      entry->size[entry->dims++] = at_json_number(&r->json);
    } while (at_json_more(&r->json, ']'));
}

static void read_range(Reading *r, Entry *entry)
{
  at_json_expect(&r->json, '[');
  entry->range.begin = (uint64_t)at_json_number(&r->json);
  at_json_expect(&r->json, ',');
  entry->range.end = (uint64_t)at_json_number(&r->json);
  at_json_expect(&r->json, ']');
}

/* Reads { "dtype": "F32", "shape": [...], "data_offsets": [begin, end] }, each key once, in any
 * order. */
static void read_entry(Reading *r, at_dict *dict)
{
  static const char *const keys[] = {"dtype", "shape", "data_offsets"};
  static void (*const readers[])(Reading *r, Entry *entry) = {read_type, read_sizes, read_range};
  at_file *file = r->json.file;
  Entry entry = {0};
  bool seen[] = {false, false, false};
  int count = 0;
  at_json_expect(&r->json, '{');
  do {
    at_json_string(&r->json, &r->text);
    int i = 0;
    while (i < 3 && !at_json_equal(&r->text, keys[i]))
      i++;
    if (i == 3 || seen[i])
      at_damaged(file, "'%.100s' is described with '%.40s' once too often", r->name.start,
                 r->text.start);
    seen[i] = true;
    count++;
    at_json_expect(&r->json, ':');
    readers[i](r, &entry);
  } while (at_json_more(&r->json, '}'));
  if (count != 3)
    at_damaged(file, "the type, the shape or the data_offsets of '%.100s' is missing",
               r->name.start);

  uint64_t wanted;
  const at_ints sizes = {entry.size, entry.dims};
  const Range range = entry.range;
  if (range.begin > range.end || range.end > file->size - r->start ||
      (entry.type &&
       (!at_bytesOf(entry.type, sizes, &wanted) || wanted != range.end - range.begin)))
    at_damaged(file, "'%.100s', of size (%s) and type %s, lies from byte %llu to byte %llu of %zu",
               r->name.start, at_sizeDesc(sizes).str, entry.dtype, (unsigned long long)range.begin,
               (unsigned long long)range.end, file->size - r->start);
  r->ranges = at_grown(file, r->ranges, r->count, &r->capacity, sizeof *r->ranges);
  r->ranges[r->count++] = range;
  const at_found found = {(const char *)r->name.start,     r->name.length, entry.type,
                          entry.type ? NULL : entry.dtype, NULL,           sizes};
  if (!at_dict_wants(dict, file, &found))
    return;
  THGuard guard;
  at_guard(&guard);
  guard.what = at_newMapped(file, entry.type, sizes, r->start + range.begin);
  at_dict_add(dict, file, &found, guard.what);
  THGuard_leave(&guard);
}

static int32_t text_node(Reading *r, at_nodes *nodes)
{
  at_json_string(&r->json, &r->text);
  char *text = at_nodes_text(nodes, r->text.length);
  memcpy(text, r->text.start, r->text.length);
  return at_nodes_addText(nodes, AT_NODE_TEXT, text, r->text.length);
}

/* Reads { "key": "value", ... }. */
static void read_metadata(Reading *r, at_dict *dict)
{
  at_nodes *nodes = at_dict_newNodes(dict, r->json.file);
  nodes->metadata = at_nodes_add(nodes, AT_NODE_DICT);
  at_json_expect(&r->json, '{');
  if (!at_json_take(&r->json, '}'))
    do {
      at_nodes_append(nodes, nodes->metadata, text_node(r, nodes));
      at_json_expect(&r->json, ':');
      at_nodes_append(nodes, nodes->metadata, text_node(r, nodes));
    } while (at_json_more(&r->json, '}'));
}

static int compare_ranges(const void *a, const void *b)
{
  const Range *x = a, *y = b;
  const int order = (x->begin > y->begin) - (x->begin < y->begin);
  return order ? order : (x->end > y->end) - (x->end < y->end);
}

/* Raises unless the tensors follow each other and leave no byte unused. */
static void check_ranges(Reading *r)
{
  const at_file *file = r->json.file;
  uint64_t at = 0;
  if (r->count > 0)
    qsort(r->ranges, (size_t)r->count, sizeof *r->ranges, compare_ranges);
  for (int64_t i = 0; i < r->count; at = r->ranges[i++].end)
    if (r->ranges[i].begin != at)
      at_damaged(file, "tensors overlap, or leave a gap, at byte %llu", (unsigned long long)at);
  if (at != file->size - r->start)
    at_damaged(file, "%zu bytes of elements belong to no tensor", file->size - r->start - at);
}

void at_readSafetensors(at_file *file, at_dict *dict)
{
  enum { TEXTS = 8 }; /* limit of a growing name and text, as a multiple of the header */
  const size_t length = (size_t)at_little(file->head, LENGTH);
  if (length > file->size - LENGTH)
    at_damaged(file, "the file ends within its header");
  Reading r = {.start = LENGTH + length};
  THGuard guard;
  THGuard_enter(&guard, free_reading);
  guard.what = &r;
  at_file_charge(file, TEXTS * (uint64_t)length);
  r.header = at_file_alloc(file, r.start);
  at_file_read(file, 0, r.header, r.start);
  r.json = (at_json){file, r.header, r.header + LENGTH, r.header + r.start};
  bool metadata = false;
  at_json_expect(&r.json, '{');
  if (!at_json_take(&r.json, '}'))
    do {
      at_json_string(&r.json, &r.name);
      at_json_expect(&r.json, ':');
      if (!metadata && at_json_equal(&r.name, "__metadata__")) {
        metadata = true;
        read_metadata(&r, dict);
      } else {
        read_entry(&r, dict);
      }
    } while (at_json_more(&r.json, '}'));
  at_json_finish(&r.json);
  check_ranges(&r);
  THGuard_leave(&guard);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Tensors are written in order of element size, the largest first, so that all are aligned. */
static const size_t passes[] = {8, 4, 2, 1};
enum { PASSES = sizeof passes / sizeof *passes };

/* The offset of the first tensor of that element size. */
static uint64_t first_of(const at_dict *dict, int pass)
{
  uint64_t sum = 0;
  for (int64_t i = 0; i < at_dict_count(dict); i++) {
    const at_tensor *t = at_dict_at(dict, i);
    if (t->type->elementSize > passes[pass])
      sum += at_sizeInBytes(t);
  }
  return sum;
}

static void add_header(at_bytes *header, const at_dict *dict)
{
  uint64_t offset[PASSES];
  for (int p = 0; p < PASSES; p++)
    offset[p] = first_of(dict, p);
  at_bytes_addText(header, "{\"__metadata__\":{\"format\":\"pt\"}");
  for (int64_t i = 0; i < at_dict_count(dict); i++) {
    const at_tensor *t = at_dict_at(dict, i);
    int p = 0;
    while (passes[p] != t->type->elementSize)
      p++;
    if (!strcmp(at_dict_name(dict, i), "__metadata__"))
      at_raise(AT_ERROR_ARGUMENT, "no tensor of a .safetensors file can be named __metadata__");
    at_bytes_addText(header, ",");
    at_json_quote(header, at_dict_name(dict, i));
    at_bytes_print(header, ":{\"dtype\":\"%s\",\"shape\":[",
                   at_elements[t->type->scalarType].safetensors);
    for (int d = 0; d < at_dim(t); d++)
      at_bytes_print(header, "%s%lld", d ? "," : "", (long long)at_size(t, d));
    const uint64_t end = offset[p] + at_sizeInBytes(t);
    at_bytes_print(header, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)offset[p],
                   (unsigned long long)end);
    offset[p] = end;
  }
  at_bytes_addText(header, "}");
  while ((LENGTH + header->length) % ALIGNMENT != 0)
    at_bytes_addText(header, " ");
}

void at_writeSafetensors(at_out *out, const at_dict *dict)
{
  AT_DICT_CHECK(dict, safetensors);
  THGuard guard;
  at_bytes header = {0};
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &header;
  add_header(&header, dict);
  if (header.length > MOST_HEADER)
    at_raise(AT_ERROR_ARGUMENT, "a header of %zu bytes is more than the format allows",
             header.length);
  at_out_little(out, header.length, LENGTH);
  at_out_writeBytes(out, &header);
  for (int p = 0; p < PASSES; p++)
    for (int64_t i = 0; i < at_dict_count(dict); i++) {
      at_tensor *t = at_dict_at(dict, i);
      if (t->type->elementSize != passes[p])
        continue;
      THGuard elements;
      at_guard(&elements);
      at_tensor *little = elements.what = at_newLittle(t);
      at_out_write(out, at_hostData(little), at_sizeInBytes(little));
      THGuard_leave(&elements);
    }
  THGuard_leave(&guard);
}
