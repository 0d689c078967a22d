/* Programs are written back with other weights: the archive is copied, and what weights hold takes
 * the part of the members that they were read from. */
#include "Program.h"

/* An archive that is copied. */
typedef struct Copying {
  const at_program *program;
  at_zip from;
  at_bytes root;   /* the folder of the archive, with a slash at its end */
  json_t *weights; /* of each member that has a weight's elements, the name of the weight */
  at_zipOut to;
} Copying;

static void free_weights(void *what)
{
  json_decref(what);
}

/* --- which members are weights ---------------------------------------------------------------- */

static void add_weight(Copying *copying, const char *folder, const char *name,
                       const json_t *payload)
{
  char member[512];
  const char *const path = at_doc_text(copying->from.file, payload, "path_name");
  if (!at_dict_has(copying->program->weights, name))
    return; /* of a kind that is not here: it is copied */
  const int length = snprintf(member, sizeof member, "%s%s", folder, path);
  if (length < 0 || length >= (int)sizeof member)
    at_damaged(copying->from.file, "'%.100s' is too long for the name of a payload", path);
  if (json_object_set_new(copying->weights, member, json_string(name)))
    THError("there is no memory for the names of weights");
}

static void add_weights(Copying *copying, const char *folder, const char *list)
{
  at_file *const file = copying->from.file;
  const at_member *const member = at_memberOf(&copying->from, &copying->root, folder, list);
  if (!member)
    at_damaged(file,
               "it has no '%s%s': PyTorch 2.9 and later write programs that can be "
               "written back",
               folder, list);
  THGuard guard;
  const json_t *const json = at_doc_open(&copying->from, member, &guard);
  json_t *const config = (json_t *)at_doc_get(file, json, "config", JSON_OBJECT);
  for (void *i = json_object_iter(config); i; i = json_object_iter_next(config, i))
    add_weight(copying, folder, json_object_iter_key(i), json_object_iter_value(i));
  THGuard_leave(&guard);
}

/* --- members ---------------------------------------------------------------------------------- */

/* Copies a member, whose bytes the guard of the memory holds meanwhile. */
static void copy_member(Copying *copying, const at_member *member, const char *name)
{
  THGuard memory, data;
  at_memberStream s;
  at_member_begin(&s, &copying->from, member, &data);
  THGuard_enter(&memory, THFree);
  uint8_t *const bytes = memory.what = THAlloc((ptrdiff_t)member->size + 1);
  at_stream_read(&s.stream, bytes, (size_t)member->size);
  at_member_finish(&s);
  at_zipOut_add(&copying->to, name, bytes, (size_t)member->size);
  THGuard_leave(&memory);
  THGuard_leave(&data);
}

/* Writes all elements of the memory that a weight is a view of. */
static void write_weight(Copying *copying, const at_member *member, const char *name,
                         const char *weight)
{
  at_tensor *const t = at_dict_get(copying->program->weights, weight);
  const int64_t count = t->th->storage ? (int64_t)t->th->storage->size : 0, stride = 1;
  if ((uint64_t)count * t->type->elementSize != member->size)
    at_raise(AT_ERROR_ARGUMENT,
             "weight '%.100s' has memory for %lld elements, and %llu bytes in %s", weight,
             (long long)count, (unsigned long long)member->size, copying->program->path);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const line = at_hold(&pool, at_newView(t, 0, (at_ints){&count, 1}, &stride));
  at_tensor *const little = at_hold(&pool, at_newLittle(line));
  at_zipOut_add(&copying->to, name, at_hostData(little), at_sizeInBytes(little));
  at_pool_leave(&pool);
}

static void write_member(Copying *copying, const at_member *member)
{
  char name[1024];
  const size_t root = copying->root.length;
  if (member->nameLength >= sizeof name || memchr(member->name, '\0', member->nameLength))
    at_damaged(copying->from.file, "a member's name is no text of less than %zu bytes",
               sizeof name);
  memcpy(name, member->name, member->nameLength);
  name[member->nameLength] = '\0';
  const bool isBelow = member->nameLength > root && !memcmp(name, copying->root.start, root);
  const char *const weight =
      isBelow ? json_string_value(json_object_get(copying->weights, name + root)) : NULL;
  if (weight && member->size > 0)
    write_weight(copying, member, name, weight);
  else
    copy_member(copying, member, name);
}

/* --- the archive ------------------------------------------------------------------------------ */

/* Raises unless the archive still has the graph that was loaded. */
static void check_graph(const Copying *copying)
{
  const at_program *const program = copying->program;
  const at_member *const graph =
      at_memberOf(&copying->from, &copying->root, "models/", "model.json");
  if (!graph || graph->size != program->graphSize || graph->crc != program->graphCrc)
    at_damaged(copying->from.file, "this is not the program any more that was loaded");
}

static void save(const at_program *program, at_file *file, at_out *out)
{
  THGuard archive, root, json, written;
  Copying copying = {.program = program};
  at_zip_open(&copying.from, file, &archive);
  THGuard_enter(&root, at_bytes_free);
  root.what = &copying.root;
  at_bytes_add(&copying.root, program->root, strlen(program->root));
  THGuard_enter(&json, free_weights);
  copying.weights = json.what = json_object();
  if (!copying.weights)
    THError("there is no memory for the names of weights");
  add_weights(&copying, "data/weights/", "model_weights_config.json");
  add_weights(&copying, "data/constants/", "model_constants_config.json");
  check_graph(&copying);
  at_zipOut_begin(&copying.to, out, &written);
  for (int64_t i = 0; i < copying.from.count; i++)
    write_member(&copying, &copying.from.members[i]);
  at_zipOut_finish(&copying.to);
  THGuard_leave(&written);
  THGuard_leave(&json);
  THGuard_leave(&root);
  THGuard_leave(&archive);
}

bool at_program_save(const at_program *program, const char *path)
{
  if (!program || !path) {
    at_fail(AT_ERROR_NULL, "program_save", "program_save: %s is NULL",
            program ? "path" : "program");
    return false;
  }
  at_call call;
  at_begin(&call, "program_save");
  TH_TRY(call.attempt)
  {
    at_file file;
    THGuard open, memory, target;
    if (!program->root)
      at_raise(AT_ERROR_ARGUMENT, "%s is of ONNX, and programs of PyTorch alone are written back",
               program->path);
    if (program->hasSubclasses)
      at_raise(AT_ERROR_ARGUMENT, "%s has weights of several tensors, which are not written back",
               program->path);
    at_file_open(&file, program->path, &open);
    if (!at_isZip(&file))
      at_damaged(&file, "this is not the program any more that was loaded");
    THGuard_enter(&memory, THFree);
    at_out *const out = memory.what = THAlloc(sizeof *out);
    at_out_begin(out, path, &target);
    save(program, &file, out);
    at_out_commit(out, &target);
    THGuard_leave(&memory);
    THGuard_leave(&open);
  }
  return !at_failed(&call);
}
