/* Sets of tensors with names: a list in the order of coming, and a table that finds a name in it.
 */
#include <time.h>

#include "Files.h"

typedef struct Entry {
  char *name;
  size_t length, hash;
  at_tensor *tensor;
} Entry;

/* The table has open addressing and room for twice the entries; an empty slot is 0, others the
 * place in the list plus 1. */
struct at_dict {
  Entry *entries;
  int64_t count, room;
  int64_t *slots;
  int64_t slotCount; /* a power of two, or 0 */
  uint64_t seed;     /* so that a file cannot choose names that collide */
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

/* The slot where the name is, or where it would go. */
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

static void more_slots(at_dict *dict)
{
  if (2 * (dict->count + 1) <= dict->slotCount)
    return;
  const int64_t slotCount = THMax(2 * dict->slotCount, 16);
  int64_t *slots = THAlloc(slotCount * (ptrdiff_t)sizeof *slots);
  memset(slots, 0, (size_t)slotCount * sizeof *slots);
  THFree(dict->slots);
  dict->slots = slots;
  dict->slotCount = slotCount;
  for (int64_t i = 0; i < dict->count; i++) {
    const Entry *entry = &dict->entries[i];
    *slot_of(dict, entry->name, entry->length, entry->hash) = i + 1;
  }
}

static void append(at_dict *dict, const char *name, size_t length, at_tensor *t)
{
  more_slots(dict);
  dict->entries = at_grown(dict->entries, dict->count, &dict->room, sizeof *dict->entries);
  char *copy = THAlloc((ptrdiff_t)length + 1);
  memcpy(copy, name, length);
  copy[length] = '\0';
  const size_t hash = hash_of(dict, name, length);
  *slot_of(dict, name, length, hash) = dict->count + 1;
  dict->entries[dict->count++] = (Entry){copy, length, hash, at_retain(t)};
}

at_tensor *at_dict_find(const at_dict *dict, const char *name, size_t length)
{
  const Entry *entry = entry_of(dict, name, length);
  return entry ? entry->tensor : NULL;
}

void at_dict_add(at_dict *dict, const at_file *file, const char *name, size_t length, at_tensor *t)
{
  if (memchr(name, '\0', length))
    at_damaged(file, "the name of a tensor has a byte of 0 in it");
  if (entry_of(dict, name, length))
    at_damaged(file, "there are two tensors with the name '%.*s'", (int)THMin(length, 100), name);
  append(dict, name, length, t);
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
  for (int64_t i = 0; i < dict->count; i++) {
    at_release(dict->entries[i].tensor);
    THFree(dict->entries[i].name);
  }
  THFree(dict->entries);
  THFree(dict->slots);
  THFree(dict);
}

int64_t at_dict_count(const at_dict *dict)
{
  return dict ? dict->count : 0;
}

/* The entry at that place; NULL and an error if there is none. */
static const Entry *at_place(const at_dict *dict, int64_t index, const char *operation)
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
  const Entry *entry = at_place(dict, index, "dict_name");
  return entry ? entry->name : NULL;
}

at_tensor *at_dict_at(const at_dict *dict, int64_t index)
{
  const Entry *entry = at_place(dict, index, "dict_at");
  return entry ? entry->tensor : at_undefined();
}

at_tensor *at_dict_get(const at_dict *dict, const char *name)
{
  if (!dict || !name) {
    at_fail(AT_ERROR_NULL, "dict_get", "dict_get: %s is NULL", dict ? "name" : "dict");
    return at_undefined();
  }
  at_tensor *t = at_dict_find(dict, name, strlen(name));
  if (!t)
    at_fail(AT_ERROR_ARGUMENT, "dict_get", "dict_get: there is no tensor '%.200s' among %lld", name,
            (long long)dict->count);
  return t ? t : at_undefined();
}

bool at_dict_has(const at_dict *dict, const char *name)
{
  return dict && name && at_dict_find(dict, name, strlen(name));
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
    return true;
  }
  at_call call = {.operation = "dict_set"};
  TH_TRY(call.attempt)
  {
    append(dict, name, strlen(name), t);
  }
  return !at_failed(&call);
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
    /* No longer form than is needed, no surrogates, nothing beyond U+10FFFF. */
    if ((first == 0xe0 && at[0] < 0xa0) || (first == 0xed && at[0] >= 0xa0) ||
        (first == 0xf0 && at[0] < 0x90) || (first == 0xf4 && at[0] >= 0x90))
      return false;
    for (int i = 0; i < more; i++)
      if ((*at++ & 0xc0) != 0x80)
        return false;
  }
  return true;
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
    if (!at_isUtf8(entry->name, entry->length))
      at_raise(AT_ERROR_ARGUMENT, "the name of tensor %lld is no UTF-8", (long long)i);
  }
}
