/* Sets of tensors with names: a list in the order of insertion, and a hash table of the names. */
#include <time.h>

#include "Nodes.h"

/* A tensor of a file that is not loaded.  If it cannot be loaded, type is NULL and problem says
 * why. */
typedef struct Known {
  const at_type *type;
  const char *name, *dtype, *problem; /* after the sizes, in the same block */
  int dims;
  int64_t size[];
} Known;

typedef struct Entry {
  char *name;
  size_t length, hash;
  at_tensor *tensor; /* NULL if it was listed and not loaded */
  Known *known;      /* the description of a tensor that was not loaded */
} Entry;

/* The hash table has open addressing and slots for twice the entries.  A slot is 0 if it is empty,
 * else the index in the list plus 1. */
struct at_dict {
  Entry *entries;
  int64_t count, capacity;
  int64_t *slots;
  int64_t slotCount; /* a power of two, or 0 */
  uint64_t seed;     /* so that a file cannot choose names that collide */
  Known **skipped;
  int64_t skippedCount, skippedCapacity;
  at_nodes *nodes; /* the values of the file, or NULL */
};

/* --- the table -------------------------------------------------------------------------------- */

static size_t hash_of(const at_dict *dict, const char *name, size_t length)
{
  uint64_t hash = dict->seed ^ length;
  for (size_t i = 0; i < length; i++) {
    hash = (hash ^ (uint8_t)name[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return (size_t)(hash ^ hash >> 32);
}

/* The slot of the name, or the one to insert it in. */
static int64_t *slot_of(const at_dict *dict, const char *name, size_t length, size_t hash)
{
  int64_t at = (int64_t)(hash & (size_t)(dict->slotCount - 1));
  for (;; at = (at + 1) & (dict->slotCount - 1)) {
    if (!dict->slots[at])
      return &dict->slots[at];
    const Entry *entry = &dict->entries[dict->slots[at] - 1];
    if (entry->hash == hash && entry->length == length && !memcmp(entry->name, name, length))
      return &dict->slots[at];
  }
}

static Entry *entry_of(const at_dict *dict, const char *name, size_t length)
{
  if (dict->count == 0)
    return NULL;
  const int64_t *slot = slot_of(dict, name, length, hash_of(dict, name, length));
  return *slot ? &dict->entries[*slot - 1] : NULL;
}

static void fill_slots(at_dict *dict)
{
  memset(dict->slots, 0, (size_t)dict->slotCount * sizeof *dict->slots);
  for (int64_t i = 0; i < dict->count; i++) {
    const Entry *entry = &dict->entries[i];
    *slot_of(dict, entry->name, entry->length, entry->hash) = i + 1;
  }
}

static void more_slots(at_dict *dict, at_file *file)
{
  if (2 * (dict->count + 1) <= dict->slotCount)
    return;
  const int64_t slotCount = THMax(2 * dict->slotCount, 16);
  if (file)
    at_file_charge(file, (uint64_t)slotCount * sizeof *dict->slots);
  int64_t *slots = THAlloc(slotCount * (ptrdiff_t)sizeof *slots);
  THFree(dict->slots);
  dict->slots = slots;
  dict->slotCount = slotCount;
  fill_slots(dict);
}

/* Appends an entry without a tensor; the set is unchanged if this raises.  file may be NULL. */
static Entry *append(at_dict *dict, at_file *file, const char *name, size_t length)
{
  more_slots(dict, file);
  dict->entries =
      at_grown(file, dict->entries, dict->count, &dict->capacity, sizeof *dict->entries);
  char *copy = file ? at_file_alloc(file, length + 1) : THAlloc((ptrdiff_t)length + 1);
  memcpy(copy, name, length);
  copy[length] = '\0';
  const size_t hash = hash_of(dict, name, length);
  *slot_of(dict, name, length, hash) = dict->count + 1;
  dict->entries[dict->count] = (Entry){.name = copy, .length = length, .hash = hash};
  return &dict->entries[dict->count++];
}

/* --- what readers find ------------------------------------------------------------------------ */

/* The description of a tensor that is not loaded, in one block; texts are truncated to 1,000
 * bytes. */
static Known *new_known(at_file *file, const at_found *found, const char *dtype,
                        const char *problem)
{
  enum { MOST = 1000 };
  const size_t lengths[] = {found->length, strnlen(dtype, MOST), strnlen(problem, MOST)},
               sizes = sizeof(int64_t) * (size_t)found->sizes.count;
  Known *known =
      at_file_alloc(file, sizeof *known + sizes + lengths[0] + lengths[1] + lengths[2] + 3);
  const char *const from[] = {found->name, dtype, problem};
  char *at = (char *)(known + 1) + sizes, *texts[3];
  for (int i = 0; i < 3; i++) {
    texts[i] = at;
    memcpy(at, from[i], lengths[i]);
    at[lengths[i]] = '\0';
    at += lengths[i] + 1;
  }
  *known = (Known){found->type, texts[0], texts[1], texts[2], found->sizes.count};
  if (sizes > 0)
    memcpy(known->size, found->sizes.data, sizes);
  return known;
}

static void skip(at_dict *dict, at_file *file, const at_found *found, const char *dtype,
                 const char *problem)
{
  dict->skipped = at_grown(file, dict->skipped, dict->skippedCount, &dict->skippedCapacity,
                           sizeof *dict->skipped);
  dict->skipped[dict->skippedCount] = new_known(file, found, dtype, problem);
  dict->skippedCount++;
}

bool at_dict_wants(at_dict *dict, at_file *file, const at_found *found)
{
  const bool taken = entry_of(dict, found->name, found->length) != NULL;
  const bool skips = file->skips || file->lists;
  const char *dtype = found->dtype  ? found->dtype
                      : found->type ? at_scalarTypeName(found->type->scalarType)
                                    : "";
  char shown[112] = "it"; /* for a tensor without a name */
  if (memchr(found->name, '\0', found->length))
    at_damaged(file, "the name of a tensor has a byte of 0 in it");
  if (found->length > 0)
    snprintf(shown, sizeof shown, "'%.*s'", (int)THMin(found->length, 100), found->name);
  if (found->problem) {
    if (!skips)
      at_damaged_from(__FILE__, __LINE__, file, AT_ERROR_TYPE, "%s %s", shown, found->problem);
    skip(dict, file, found, dtype, found->problem);
  } else if (!found->type) {
    if (!skips)
      at_damaged_from(__FILE__, __LINE__, file, AT_ERROR_TYPE,
                      "%s is of type %.200s, which is not here (.skip = true leaves it out)", shown,
                      dtype);
    skip(dict, file, found, dtype, "is of a type that is not here");
  } else if (taken) {
    if (!skips)
      at_damaged(file, "there are two tensors with the name '%.*s'", (int)THMin(found->length, 100),
                 found->name);
    skip(dict, file, found, dtype, "has the name of another tensor");
  } else if (file->lists) {
    THGuard guard;
    THGuard_enter(&guard, THFree);
    Known *known = guard.what = new_known(file, found, dtype, "");
    append(dict, file, found->name, found->length)->known = known;
    THGuard_keep(&guard);
  } else {
    return true;
  }
  return false;
}

int64_t at_dict_find(const at_dict *dict, const char *name)
{
  const Entry *const entry = entry_of(dict, name, strlen(name));
  return entry ? entry - dict->entries : -1;
}

void at_dict_add(at_dict *dict, at_file *file, const at_found *found, at_tensor *t)
{
  Entry *entry =
      append(dict, file, found->name, found->length); /* may raise, so t is retained afterwards */
  entry->tensor = at_retain(t);
}

static void free_entry(Entry *entry)
{
  at_release(entry->tensor);
  THFree(entry->known);
  THFree(entry->name);
}

void at_dict_truncate(at_dict *dict, int64_t count)
{
  if (count >= dict->count)
    return;
  for (int64_t i = count; i < dict->count; i++)
    free_entry(&dict->entries[i]);
  dict->count = count;
  fill_slots(dict);
}

at_nodes *at_dict_newNodes(at_dict *dict, at_file *file)
{
  THAssert(!dict->nodes);
  at_nodes *nodes = THAlloc(sizeof *nodes);
  *nodes = (at_nodes){.file = file, .root = -1, .metadata = -1};
  return dict->nodes = nodes;
}

at_nodes *at_dict_nodes(const at_dict *dict)
{
  return dict->nodes;
}

void at_dict_settle(at_dict *dict)
{
  if (dict->nodes)
    dict->nodes->file = NULL;
}

/* --- what is public --------------------------------------------------------------------------- */

at_dict *at_dict_new(void)
{
  at_call call = {.operation = "dict_new"};
  at_dict *volatile dict = NULL;
  TH_TRY(call.attempt)
  {
    at_dict *made = THAlloc(sizeof *made);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *made = (at_dict){.seed = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec) +
                              (uint64_t)(uintptr_t)made * 0x9e3779b97f4a7c15u};
    dict = made;
  }
  at_failed(&call);
  return dict;
}

void at_dict_free(at_dict *dict)
{
  if (!dict)
    return;
  for (int64_t i = 0; i < dict->count; i++)
    free_entry(&dict->entries[i]);
  for (int64_t i = 0; i < dict->skippedCount; i++)
    THFree(dict->skipped[i]);
  THFree(dict->skipped);
  if (dict->nodes)
    at_nodes_free(dict->nodes);
  THFree(dict->entries);
  THFree(dict->slots);
  THFree(dict);
}

int64_t at_dict_count(const at_dict *dict)
{
  return dict ? dict->count : 0;
}

/* The entry at that index; NULL and an error if there is none. */
static const Entry *entry_at(const at_dict *dict, int64_t index, const char *operation)
{
  if (!dict)
    at_fail(AT_ERROR_NULL, operation, "%s: dict is NULL", operation);
  else if (index < 0 || index >= dict->count)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: index is %lld, dict has %lld tensors", operation,
            (long long)index, (long long)dict->count);
  else
    return &dict->entries[index];
  return NULL;
}

const char *at_dict_name(const at_dict *dict, int64_t index)
{
  const Entry *entry = entry_at(dict, index, "dict_name");
  return entry ? entry->name : NULL;
}

/* The tensor of the entry, or the undefined tensor and an error. */
static at_tensor *tensor_of(const Entry *entry, const char *operation)
{
  if (!entry)
    return at_undefined();
  if (!entry->tensor) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: '%.200s' was listed, and not loaded", operation,
            entry->name);
    return at_undefined();
  }
  return entry->tensor;
}

at_tensor *at_dict_at(const at_dict *dict, int64_t index)
{
  return tensor_of(entry_at(dict, index, "dict_at"), "dict_at");
}

at_tensor *at_dict_get(const at_dict *dict, const char *name)
{
  if (!dict || !name) {
    at_fail(AT_ERROR_NULL, "dict_get", "dict_get: %s is NULL", dict ? "name" : "dict");
    return at_undefined();
  }
  const Entry *entry = entry_of(dict, name, strlen(name));
  if (entry)
    return tensor_of(entry, "dict_get");
  for (int64_t i = 0; i < dict->skippedCount; i++)
    if (!strcmp(dict->skipped[i]->name, name)) {
      at_fail(AT_ERROR_ARGUMENT, "dict_get", "dict_get: '%.200s' was skipped: it %s", name,
              dict->skipped[i]->problem);
      return at_undefined();
    }
  at_fail(AT_ERROR_ARGUMENT, "dict_get", "dict_get: there is no tensor '%.200s' among %lld", name,
          (long long)dict->count);
  return at_undefined();
}

bool at_dict_has(const at_dict *dict, const char *name)
{
  return dict && name && entry_of(dict, name, strlen(name));
}

bool at_dict_set(at_dict *dict, const char *name, at_tensor *t)
{
  if (!dict || !name)
    at_fail(AT_ERROR_NULL, "dict_set", "dict_set: %s is NULL", dict ? "name" : "dict");
  if (!at_accept("dict_set", "t", t, false) || !dict || !name)
    return false;
  Entry *entry = entry_of(dict, name, strlen(name));
  if (entry) {
    at_tensor *old = entry->tensor;
    entry->tensor = at_retain(t);
    at_release(old);
    THFree(entry->known);
    entry->known = NULL;
    return true;
  }
  at_call call = {.operation = "dict_set"};
  TH_TRY(call.attempt)
  {
    Entry *made = append(dict, NULL, name, strlen(name));
    made->tensor = at_retain(t);
  }
  return !at_failed(&call);
}

/* --- what is known without the elements ------------------------------------------------------- */

static at_info info_of(const Known *known)
{
  return (at_info){.name = known->name,
                   .type = known->type,
                   .dtype = known->dtype,
                   .sizes = {known->size, known->dims},
                   .problem = *known->problem ? known->problem : NULL};
}

at_info at_dict_info(const at_dict *dict, int64_t index)
{
  const Entry *entry = entry_at(dict, index, "dict_info");
  if (!entry)
    return (at_info){.name = NULL};
  if (entry->known)
    return info_of(entry->known);
  const at_tensor *t = entry->tensor;
  return (at_info){.name = entry->name,
                   .type = t->type,
                   .dtype = at_scalarTypeName(t->type->scalarType),
                   .sizes = at_sizesOf(t)};
}

int64_t at_dict_skipped(const at_dict *dict)
{
  return dict ? dict->skippedCount : 0;
}

at_info at_dict_skippedInfo(const at_dict *dict, int64_t index)
{
  if (!dict)
    at_fail(AT_ERROR_NULL, "dict_skippedInfo", "dict_skippedInfo: dict is NULL");
  else if (index < 0 || index >= dict->skippedCount)
    at_fail(AT_ERROR_ARGUMENT, "dict_skippedInfo",
            "dict_skippedInfo: index is %lld, %lld tensors were skipped", (long long)index,
            (long long)dict->skippedCount);
  else
    return info_of(dict->skipped[index]);
  return (at_info){.name = NULL};
}

/* --- for writers ------------------------------------------------------------------------------ */

bool at_isUtf8(const char *text, size_t length)
{
  const uint8_t *at = (const uint8_t *)text, *end = at + length;
  while (at < end) {
    const uint8_t first = *at++;
    const int more = first < 0x80   ? 0
                     : first < 0xc2 ? -1
                     : first < 0xe0 ? 1
                     : first < 0xf0 ? 2
                     : first < 0xf5 ? 3
                                    : -1;
    if (more < 0 || end - at < more)
      return false;
    /* Rejects overlong forms, surrogates and code points beyond U+10FFFF. */
    if ((first == 0xe0 && at[0] < 0xa0) || (first == 0xed && at[0] >= 0xa0) ||
        (first == 0xf0 && at[0] < 0x90) || (first == 0xf4 && at[0] >= 0x90))
      return false;
    for (int i = 0; i < more; i++)
      if ((*at++ & 0xc0) != 0x80)
        return false;
  }
  return true;
}

void at_dict_checkLoaded(const at_dict *dict)
{
  for (int64_t i = 0; i < dict->count; i++)
    if (!dict->entries[i].tensor)
      at_raise(AT_ERROR_ARGUMENT, "'%.200s' was listed, and not loaded", dict->entries[i].name);
}

void at_dict_checkNames(const at_dict *dict)
{
  for (int64_t i = 0; i < dict->count; i++)
    if (!at_isUtf8(dict->entries[i].name, dict->entries[i].length))
      at_raise(AT_ERROR_ARGUMENT, "the name of tensor %lld is no UTF-8", (long long)i);
}

void at_dict_check(const at_dict *dict, const char *format, size_t field)
{
  for (int64_t i = 0; i < dict->count; i++) {
    const Entry *entry = &dict->entries[i];
    const at_scalar_type type = entry->tensor->type->scalarType;
    const char *const *name = (const char *const *)((const char *)&at_elements[type] + field);
    if (!*name)
      at_raise(AT_ERROR_TYPE, "a %s file holds no %s, which '%.100s' has", format,
               at_scalarTypeName(type), entry->name);
  }
  at_dict_checkNames(dict);
}
