/* Tensors of a program: its weights, buffers and constants.  Each is a view of a member of the
 * archive, which is a whole storage; members are mapped.  Until PyTorch 2.8 they were in archives of
 * torch.save inside of the archive; those are read. */
#include "ATen/onnx/Onnx.h"
#include "Program.h"

/* What is read: a list of payloads in a folder of the archive. */
typedef struct Reading {
  at_program *program;
  const at_zip *zip;
  const at_bytes *root;
  const char *folder;
  at_dict *storages; /* the storages that were read, as vectors */
} Reading;

const at_member *at_memberOf(const at_zip *zip, const at_bytes *root, const char *folder,
                             const char *name)
{
  THGuard guard;
  at_bytes path = {0};
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &path;
  at_bytes_add(&path, root->start, root->length);
  at_bytes_addText(&path, folder);
  at_bytes_addText(&path, name);
  const at_member *const member = at_zip_find(zip, path.start, path.length);
  THGuard_leave(&guard);
  return member;
}

/* --- storages --------------------------------------------------------------------------------- */

/* A vector of all elements of a member, which is mapped. */
static at_tensor *new_storage(const Reading *r, const char *name, const at_type *type)
{
  const at_member *const member = at_memberOf(r->zip, r->root, r->folder, name);
  if (!member)
    at_damaged(r->zip->file, "member '%.60s%.100s' of the archive is missing", r->folder, name);
  if (member->deflated)
    at_damaged(r->zip->file, "the elements in '%.100s' are deflated", name);
  THGuard data;
  at_memberStream s;
  at_member_begin(&s, r->zip, member, &data);
  const int64_t count = (int64_t)(member->size / type->elementSize);
  at_tensor *const t = at_newMapped(r->zip->file, type, (at_ints){&count, 1}, s.stream.at);
  THGuard_leave(&data);
  return t;
}

/* The storage of that name, whose elements are of that type; the set keeps it. */
static at_tensor *storage_of(const Reading *r, const char *name, const at_type *type)
{
  char key[256];
  const int length = snprintf(key, sizeof key, "%d %s", (int)type->scalarType, name);
  if (length < 0 || length >= (int)sizeof key)
    at_damaged(r->zip->file, "'%.100s' is too long for the name of a payload", name);
  if (!at_dict_has(r->storages, key)) {
    THGuard guard;
    at_guard(&guard);
    guard.what = new_storage(r, name, type);
    const at_found found = {.name = key, .length = (size_t)length};
    at_dict_add(r->storages, r->zip->file, &found, guard.what);
    THGuard_leave(&guard);
  }
  return at_dict_get(r->storages, key);
}

/* --- tensors ---------------------------------------------------------------------------------- */

static int read_sizes(const at_file *file, const json_t *list, int64_t *sizes)
{
  const size_t count = json_array_size(list);
  if (count > AT_MOST_DIMS)
    at_damaged(file, "a tensor has %zu dimensions", count);
  for (size_t d = 0; d < count; d++)
    if (!at_doc_size(file, json_array_get(list, d), &sizes[d]))
      at_damaged(file, "the size of a tensor is no integer");
  return (int)count;
}

/* The tensor that meta describes, in the storage of that name. */
static at_tensor *new_tensor(const Reading *r, const char *name, const char *storage,
                             const json_t *meta)
{
  enum { VIEW_BYTES = 512, DIM_BYTES = 16 };
  at_file *const file = r->zip->file;
  int64_t size[AT_MOST_DIMS], stride[AT_MOST_DIMS], offset, end;
  const json_t *const dtype = at_doc_get(file, meta, "dtype", JSON_INTEGER);
  const at_packing *const packing = at_doc_packing(dtype);
  const at_scalar_type type = packing ? AT_BYTE : at_doc_scalarType(dtype);
  if (type == AT_SCALAR_TYPES)
    at_damaged_from(__FILE__, __LINE__, file, AT_ERROR_TYPE,
                    "'%.100s' is of element type %lld, which is not here", name,
                    (long long)json_integer_value(json_object_get(meta, "dtype")));
  const int dims = read_sizes(file, at_doc_get(file, meta, "sizes", JSON_ARRAY), size);
  if (read_sizes(file, at_doc_get(file, meta, "strides", JSON_ARRAY), stride) != dims ||
      !at_doc_size(file, at_doc_get(file, meta, "storage_offset", JSON_OBJECT), &offset))
    at_damaged(file, "the strides of '%.100s' are damaged", name);
  at_tensor *const whole = storage_of(r, storage, at_cpuType(type));
  if (!at_reach((at_ints){size, dims}, stride, offset, &end) || end > at_numel(whole))
    at_damaged(file, "'%.100s' does not fit in the %lld elements of '%.100s'", name,
               (long long)at_numel(whole), storage);
  at_file_charge(file, VIEW_BYTES + DIM_BYTES * (uint64_t)dims);
  at_tensor *const made = end > 0
                              ? at_newView(whole, (ptrdiff_t)offset, (at_ints){size, dims}, stride)
                              : at_newShape(whole->type, (at_ints){size, dims});
  if (!packing)
    return made;
  THGuard bytes;
  at_guard(&bytes);
  bytes.what = made;
  at_tensor *const wide = at_newWidened(file, made, packing);
  THGuard_leave(&bytes);
  return wide;
}

static void read_payload(const Reading *r, const char *name, const json_t *payload)
{
  at_file *const file = r->zip->file;
  const char *const storage = at_doc_text(file, payload, "path_name");
  const json_t *const meta = json_object_get(payload, "tensor_meta");
  if (json_is_true(json_object_get(payload, "use_pickle")) || !json_is_object(meta)) {
    const at_member *const object = at_memberOf(r->zip, r->root, r->folder, storage);
    if (object && r->program->hasSubclasses)
      at_readSaved(r->program, r->zip, object, name);
    return; /* an object of Python: an error if an input of the graph needs it */
  }
  THGuard guard;
  at_guard(&guard);
  at_tensor *const t = guard.what = new_tensor(r, name, storage, meta);
  const at_found found = {
      .name = name, .length = strlen(name), .type = t->type, .sizes = at_sizesOf(t)};
  if (at_dict_wants(r->program->weights, file, &found))
    at_dict_add(r->program->weights, file, &found, t);
  THGuard_leave(&guard);
}

void at_readPayloads(at_program *program, const at_zip *zip, const at_bytes *root,
                     const char *folder, const char *list, at_dict *storages)
{
  const Reading r = {program, zip, root, folder, storages};
  const at_member *const member = at_memberOf(zip, root, folder, list);
  if (!member)
    at_damaged(zip->file, "member '%s%s' of the archive is missing", folder, list);
  THGuard guard;
  const json_t *const json = at_doc_open(zip, member, &guard), *const config =
                                                                   at_doc_get(zip->file, json,
                                                                              "config",
                                                                              JSON_OBJECT);
  for (void *i = json_object_iter((json_t *)config); i;
       i = json_object_iter_next((json_t *)config, i))
    read_payload(&r, json_object_iter_key(i), json_object_iter_value(i));
  THGuard_leave(&guard);
}

/* --- archives inside of the archive ------------------------------------------------------------ */

static void free_set(void *what)
{
  at_dict_free(what);
}

/* The tensors of a file that torch.save wrote. */
static void read_saved(at_file *file, at_dict *set)
{
  static const char object[] = "/data.pkl";
  const size_t length = strlen(object);
  at_zip zip;
  THGuard guard;
  if (!at_isZip(file))
    at_damaged(file, "it is no archive");
  at_zip_open(&zip, file, &guard);
  const at_member *pickle = NULL;
  for (int64_t i = 0; i < zip.count && !pickle; i++)
    if (zip.members[i].nameLength > length &&
        !memcmp(zip.members[i].name + zip.members[i].nameLength - length, object, length))
      pickle = &zip.members[i];
  if (!pickle)
    at_damaged(file, "it has no tensors");
  at_readPt(&zip, pickle, set);
  THGuard_leave(&guard);
}

/* The name of a tensor behind another one. */
static const char *joined(at_program *program, const char *before, const char *name)
{
  const size_t length = strlen(before) + strlen(name) + 2;
  char *const text = at_arena_take(&program->arena, length, 1);
  snprintf(text, length, "%s.%s", before, name);
  return text;
}

void at_readSaved(at_program *program, const at_zip *zip, const at_member *member,
                  const char *before)
{
  at_file *const file = zip->file;
  THGuard data, memory, set;
  at_memberStream s;
  if (member->deflated)
    at_damaged(file, "the tensors in '%.*s' are deflated", (int)THMin(member->nameLength, 100),
               member->name);
  at_member_begin(&s, zip, member, &data);
  THGuard_enter(&memory, THFree);
  at_file *const part = memory.what = THAlloc(sizeof *part);
  at_file_enter(part, file, s.stream.at, (size_t)member->size);
  part->skips = true;
  part->widens = true;
  THGuard_enter(&set, free_set);
  at_dict *const tensors = set.what = at_dict_new();
  if (!tensors)
    THError("there is no memory for the weights");
  if (part->size > 0)
    read_saved(part, tensors);
  at_file_leave(part, file);
  for (int64_t i = 0; i < at_dict_count(tensors); i++) {
    at_tensor *const t = at_dict_at(tensors, i);
    const char *const own = at_dict_name(tensors, i), *const name =
                                                          before ? joined(program, before, own)
                                                                 : own;
    const at_found found = {
        .name = name, .length = strlen(name), .type = t->type, .sizes = at_sizesOf(t)};
    if (at_dict_wants(program->weights, file, &found))
      at_dict_add(program->weights, file, &found, t);
  }
  THGuard_leave(&set);
  THGuard_leave(&memory);
  THGuard_leave(&data);
}
