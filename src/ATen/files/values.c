/* The values of a file as at_datum: views of the nodes of the set. */
#include <math.h>

#include "Nodes.h"

/* The node, or NULL for no value. */
static const at_node *node_of(at_datum v)
{
  const at_nodes *nodes = v.dict ? at_dict_nodes(v.dict) : NULL;
  return nodes && v.id >= 0 && v.id < nodes->count ? at_node_of(nodes, (int32_t)v.id) : NULL;
}

static at_datum no_value(void)
{
  return (at_datum){NULL, -1};
}

at_datum at_dict_values(const at_dict *dict)
{
  const at_nodes *nodes = dict ? at_dict_nodes(dict) : NULL;
  return nodes && nodes->root >= 0 ? (at_datum){dict, nodes->root} : no_value();
}

at_datum at_dict_metadata(const at_dict *dict)
{
  const at_nodes *nodes = dict ? at_dict_nodes(dict) : NULL;
  return nodes && nodes->metadata >= 0 ? (at_datum){dict, nodes->metadata} : no_value();
}

static const struct {
  at_datum_kind kind;
  const char *name;
} kinds[] = {
    [AT_NODE_NOTHING] = {AT_DATUM_NOTHING, "nothing"},
    [AT_NODE_BOOL] = {AT_DATUM_BOOL, "a boolean"},
    [AT_NODE_INTEGER] = {AT_DATUM_INTEGER, "an integer"},
    [AT_NODE_NUMBER] = {AT_DATUM_NUMBER, "a number"},
    [AT_NODE_TEXT] = {AT_DATUM_STRING, "a string"},
    [AT_NODE_BYTES] = {AT_DATUM_BYTES, "bytes"},
    [AT_NODE_LIST] = {AT_DATUM_LIST, "a list"},
    [AT_NODE_DICT] = {AT_DATUM_DICT, "a dictionary"},
    [AT_NODE_OBJECT] = {AT_DATUM_OBJECT, "an object"},
    [AT_NODE_GLOBAL] = {AT_DATUM_NAME, "a name"},
    [AT_NODE_STORAGE] = {AT_DATUM_NOTHING, "a storage"},
    [AT_NODE_TENSOR] = {AT_DATUM_TENSOR, "a tensor"},
    [AT_NODE_FOREIGN] = {AT_DATUM_TENSOR, "a tensor"},
};

at_datum_kind at_datum_kindOf(at_datum v)
{
  const at_node *node = node_of(v);
  return node ? kinds[node->kind].kind : AT_DATUM_NOTHING;
}

static void is_other(const at_node *node, const char *operation, const char *wanted)
{
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: the value is %s, not %s", operation,
          node ? kinds[node->kind].name : "nothing", wanted);
}

/* --- lists and dictionaries ------------------------------------------------------------------- */

int64_t at_datum_count(at_datum v)
{
  const at_node *node = node_of(v);
  return !node                          ? 0
         : node->kind == AT_NODE_LIST   ? node->count
         : node->kind == AT_NODE_DICT   ? node->count / 2
         : node->kind == AT_NODE_OBJECT ? 3
                                        : 0;
}

static int64_t part_of(const at_node *object, int64_t index)
{
  return index == 0   ? object->is.object.arguments
         : index == 1 ? object->is.object.items
                      : object->is.object.state;
}

/* The value of item index of a list or dictionary, or of part index of an object. */
static at_datum value_at(at_datum v, const at_node *node, int64_t index)
{
  const int64_t id = node->kind == AT_NODE_LIST   ? at_node_item(node, index)
                     : node->kind == AT_NODE_DICT ? at_node_item(node, 2 * index + 1)
                                                  : part_of(node, index);
  return (at_datum){v.dict, id};
}

static bool check_index(at_datum v, int64_t index, const char *operation)
{
  const int64_t count = at_datum_count(v);
  if (index >= 0 && index < count)
    return true;
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: index is %lld, the value has %lld", operation,
          (long long)index, (long long)count);
  return false;
}

at_datum at_datum_at(at_datum v, int64_t index)
{
  return check_index(v, index, "datum_at") ? value_at(v, node_of(v), index) : no_value();
}

at_datum at_datum_key(at_datum v, int64_t index)
{
  const at_node *node = node_of(v);
  if (!node || node->kind != AT_NODE_DICT) {
    is_other(node, "datum_key", "a dictionary");
    return no_value();
  }
  return check_index(v, index, "datum_key") ? (at_datum){v.dict, at_node_item(node, 2 * index)}
                                            : no_value();
}

/* --- by name ---------------------------------------------------------------------------------- */

/* The state of a search in a list, dictionary or object, and the part of the path that is left. */
typedef struct Frame {
  at_datum in;
  int64_t next;
  const char *rest;
} Frame;

typedef struct Search {
  at_bytes key;
  Frame *frames;
  int64_t depth, capacity;
  uint64_t left; /* a limit of steps, as objects may contain others very often */
} Search;

static void free_search(void *what)
{
  Search *search = what;
  at_bytes_free(&search->key);
  THFree(search->frames);
}

/* The rest of the path after the key of item index; NULL if the path does not begin with that key.
 * *ends becomes whether the path ends there. */
static const char *behind_key(Search *search, const Frame *frame, const at_node *in, int64_t index,
                              bool *ends)
{
  *ends = false;
  if (in->kind == AT_NODE_OBJECT) /* its parts add nothing to the path */
    return frame->rest;
  search->key.length = 0;
  if (in->kind == AT_NODE_LIST) {
    at_bytes_print(&search->key, "%lld", (long long)index);
  } else if (!at_nodes_addKey(at_dict_nodes(frame->in.dict), &search->key,
                              at_node_item(in, 2 * index))) {
    search->key.length = 0; /* as in names of tensors */
    at_bytes_print(&search->key, "?%lld", (long long)index);
  }
  const size_t length = search->key.length;
  if (length > 0 && strncmp(frame->rest, (const char *)search->key.start, length) != 0)
    return NULL;
  const char *rest = frame->rest + length;
  *ends = !*rest;
  return *rest == '.' ? rest + 1 : *rest ? NULL : rest;
}

static void push(Search *search, at_datum in, const char *rest)
{
  search->frames =
      at_grown(NULL, search->frames, search->depth, &search->capacity, sizeof *search->frames);
  search->frames[search->depth++] = (Frame){in, 0, rest};
}

/* The value of that path below v.  Keys may contain dots, so all matches are tried. */
static at_datum find(Search *search, at_datum v, const char *path)
{
  if (!*path)
    return v;
  push(search, v, path);
  const int64_t deepest = 2 * (int64_t)strlen(path) + 64;
  while (search->depth > 0 && search->left-- > 0) {
    Frame *frame = &search->frames[search->depth - 1];
    const at_node *in = node_of(frame->in);
    if (frame->next >= at_datum_count(frame->in) || search->depth > deepest) {
      search->depth--;
      continue;
    }
    const int64_t index = frame->next++;
    bool ends;
    const char *rest = behind_key(search, frame, in, index, &ends);
    if (!rest)
      continue;
    const at_datum inner = value_at(frame->in, in, index);
    if (ends)
      return inner;
    push(search, inner, rest);
  }
  return no_value();
}

/* Runs a search; false after an error. */
static bool search_for(at_datum v, const char *path, const char *operation, at_datum *found)
{
  const at_nodes *nodes = node_of(v) ? at_dict_nodes(v.dict) : NULL;
  *found = no_value();
  if (!path) {
    at_fail(AT_ERROR_NULL, operation, "%s: path is NULL", operation);
    return false;
  }
  if (!nodes)
    return true;
  at_call call = {.operation = operation};
  TH_TRY(call.attempt)
  {
    Search search = {.left = ((uint64_t)nodes->count + 64) * (strlen(path) + 4)};
    THGuard guard;
    THGuard_enter(&guard, free_search);
    guard.what = &search;
    *found = find(&search, v, path);
    THGuard_leave(&guard);
  }
  return !at_failed(&call);
}

at_datum at_datum_get(at_datum v, const char *path)
{
  at_datum found;
  if (search_for(v, path, "datum_get", &found) && !node_of(found))
    at_fail(AT_ERROR_ARGUMENT, "datum_get", "datum_get: there is no value '%.200s'", path);
  return found;
}

bool at_datum_has(at_datum v, const char *path)
{
  at_datum found;
  return search_for(v, path, "datum_has", &found) && node_of(found);
}

/* --- what is in a value ----------------------------------------------------------------------- */

double at_datum_number(at_datum v)
{
  const at_node *node = node_of(v);
  if (node && node->kind == AT_NODE_NUMBER)
    return node->is.number;
  if (node && (node->kind == AT_NODE_INTEGER || node->kind == AT_NODE_BOOL))
    return (double)node->is.integer;
  is_other(node, "datum_number", "a number");
  return NAN;
}

int64_t at_datum_integer(at_datum v)
{
  const at_node *node = node_of(v);
  if (node && (node->kind == AT_NODE_INTEGER || node->kind == AT_NODE_BOOL))
    return node->is.integer;
  const double limit = 9223372036854775808.0;
  if (node && node->kind == AT_NODE_NUMBER && node->is.number >= -limit &&
      node->is.number < limit && (double)(int64_t)node->is.number == node->is.number)
    return (int64_t)node->is.number; /* Torch has no integer type */
  is_other(node, "datum_integer", "an integer of 64 bits");
  return 0;
}

const char *at_datum_string(at_datum v, size_t *length)
{
  const at_node *node = node_of(v);
  if (length)
    *length = 0;
  if (node && node->kind == AT_NODE_OBJECT)
    node = at_node_of(at_dict_nodes(v.dict), node->is.object.class);
  if (!node ||
      (node->kind != AT_NODE_TEXT && node->kind != AT_NODE_BYTES && node->kind != AT_NODE_GLOBAL)) {
    is_other(node, "datum_string", "a string, bytes, a name or an object");
    return NULL;
  }
  if (length)
    *length = node->is.text.length;
  return node->is.text.at;
}

at_tensor *at_datum_tensor(at_datum v)
{
  const at_node *node = node_of(v);
  if (!node || (node->kind != AT_NODE_TENSOR && node->kind != AT_NODE_FOREIGN)) {
    is_other(node, "datum_tensor", "a tensor");
    return at_undefined();
  }
  if (node->kind == AT_NODE_FOREIGN || node->is.tensor->index < 0) {
    at_fail(AT_ERROR_ARGUMENT, "datum_tensor", "datum_tensor: the tensor was skipped");
    return at_undefined();
  }
  return at_dict_at(v.dict, node->is.tensor->index);
}
