/* Values that a program makes, such as the state of an optimizer, and that a .pt file holds nested. */
#include <stdarg.h>

#include "Nodes.h"

static const at_file no_file = {
    .path = "a set of values", .descriptor = -1, .capacity = UINT64_MAX};

at_nodes *at_nodes_make(at_dict *dict, at_file *file)
{
  *file = no_file;
  at_nodes *const nodes = at_dict_newNodes(dict, file);
  nodes->isMade = true;
  nodes->root = at_nodes_add(nodes, AT_NODE_DICT);
  return nodes;
}

int32_t at_nodes_put(at_nodes *nodes, int32_t dict, const char *key, int32_t value)
{
  const size_t length = strlen(key);
  char *const copy = at_nodes_text(nodes, length);
  memcpy(copy, key, length);
  at_nodes_append(nodes, dict, at_nodes_addText(nodes, AT_NODE_TEXT, copy, length));
  at_nodes_append(nodes, dict, value);
  return value;
}

int32_t at_nodes_addBool(at_nodes *nodes, bool value)
{
  const int32_t id = at_nodes_add(nodes, AT_NODE_BOOL);
  at_node_of(nodes, id)->is.integer = value;
  return id;
}

int32_t at_nodes_addNamed(at_nodes *nodes, at_dict *dict, at_tensor *t, const char *format, ...)
{
  char name[256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  THAssert(length >= 0 && length < (int)sizeof name);
  const int32_t id = at_nodes_addTensor(nodes);
  const at_found found = {.name = name, .length = (size_t)length};
  at_dict_add(dict, NULL, &found, t);
  at_node_of(nodes, id)->is.tensor->index = at_dict_count(dict) - 1;
  return id;
}

/* --- sets of sets ------------------------------------------------------------------------------- */

/* A value that is added to a set, which is as before if that fails. */
typedef struct Nesting {
  at_dict *dict;
  at_nodes *nodes; /* of dict */
  const char *name;
  const at_dict *part; /* NULL for a number */
  int64_t before;      /* tensors in dict */
} Nesting;

/* The values of dict, which may be none so far; file is only for at_dict_settle to end with. */
static at_nodes *values_of(at_dict *dict, at_file *file)
{
  at_nodes *const nodes = at_dict_nodes(dict);
  if (!nodes)
    return at_nodes_make(dict, file);
  if (!nodes->isMade)
    at_raise(AT_ERROR_ARGUMENT, "dict was read from a file, and has to begin with at_dict_new");
  *file = no_file;
  nodes->file = file;
  return nodes;
}

static void check_name(const Nesting *n)
{
  const at_node *const root = at_node_of(n->nodes, n->nodes->root);
  bool isTaken = at_dict_has(n->dict, n->name);
  for (int32_t i = 0; i < root->count && !isTaken; i += 2) {
    const at_node *const key = at_node_of(n->nodes, at_node_item(root, i));
    isTaken = key->kind == AT_NODE_TEXT && !strcmp(key->is.text.at, n->name);
  }
  if (isTaken || !*n->name || strchr(n->name, '.'))
    at_raise(AT_ERROR_ARGUMENT, "name is '%.200s', which %s", n->name,
             isTaken ? "dict has already" : "is empty or has a dot in it");
}

/* The name in dict of a tensor of part; its memory is that of the nodes. */
static char *full_name(const Nesting *n, int64_t index)
{
  const char *const own = at_dict_name(n->part, index);
  const size_t capacity = strlen(n->name) + strlen(own) + 2;
  char *const name = at_nodes_text(n->nodes, capacity);
  snprintf(name, capacity, "%s.%s", n->name, own);
  return name;
}

static int32_t add_tensor(const Nesting *n, int64_t index)
{
  const char *const name = full_name(n, index);
  int64_t at = at_dict_find(n->dict, name);
  if (at >= 0 && at < n->before)
    at_raise(AT_ERROR_ARGUMENT, "dict has a tensor '%.200s' already", name);
  if (at < 0) {
    const at_found found = {.name = name, .length = strlen(name)};
    at_dict_add(n->dict, NULL, &found, at_dict_at(n->part, index));
    at = at_dict_count(n->dict) - 1;
  }
  const int32_t id = at_nodes_addTensor(n->nodes);
  at_node_of(n->nodes, id)->is.tensor->index = at;
  return id;
}

/* A copy of a value of part, with what it consists of. */
static int32_t copy_value(const Nesting *n, int32_t of)
{
  const at_nodes *const from = at_dict_nodes(n->part);
  const at_node *const node = at_node_of(from, of);
  if (node->kind == AT_NODE_TENSOR)
    return add_tensor(n, node->is.tensor->index);
  if (node->kind == AT_NODE_TEXT) {
    char *const text = at_nodes_text(n->nodes, node->is.text.length);
    memcpy(text, node->is.text.at, node->is.text.length);
    return at_nodes_addText(n->nodes, AT_NODE_TEXT, text, node->is.text.length);
  }
  const int32_t id = at_nodes_add(n->nodes, (at_nodeKind)node->kind);
  at_node_of(n->nodes, id)->isTuple = node->isTuple;
  if (node->kind != AT_NODE_LIST && node->kind != AT_NODE_DICT) {
    at_node_of(n->nodes, id)->is = node->is;
    return id;
  }
  for (int32_t i = 0; i < node->count; i++)
    at_nodes_append(n->nodes, id, copy_value(n, at_node_item(node, i)));
  return id;
}

/* The values of part, and its tensors that are in none of them. */
static int32_t copy_part(const Nesting *n)
{
  const at_nodes *const from = at_dict_nodes(n->part);
  at_dict_checkLoaded(n->part);
  const int32_t id =
      from && from->isMade ? copy_value(n, from->root) : at_nodes_add(n->nodes, AT_NODE_DICT);
  for (int64_t i = 0; i < at_dict_count(n->part); i++)
    if (at_dict_find(n->dict, full_name(n, i)) < n->before)
      at_nodes_put(n->nodes, id, at_dict_name(n->part, i), add_tensor(n, i));
  return id;
}

/* Adds part or, if that is NULL, a number. */
static bool nest(const char *operation, Nesting *n, bool isWhole, double number, int64_t integer)
{
  at_file file;
  if (!at_acceptPointer(operation, "dict", n->dict) ||
      !at_acceptPointer(operation, "name", n->name))
    return false;
  n->before = at_dict_count(n->dict);
  at_call call;
  at_begin(&call, operation);
  TH_TRY(call.attempt)
  {
    if (n->part == n->dict)
      at_raise(AT_ERROR_ARGUMENT, "part is dict itself");
    n->nodes = values_of(n->dict, &file);
    check_name(n);
    const int32_t value = n->part   ? copy_part(n)
                          : isWhole ? at_nodes_addInteger(n->nodes, integer)
                                    : at_nodes_addNumber(n->nodes, number);
    at_nodes_put(n->nodes, n->nodes->root, n->name, value);
  }
  const bool failed = at_failed(&call);
  if (failed)
    at_dict_truncate(n->dict, n->before);
  at_dict_settle(n->dict);
  return !failed;
}

bool(at_dict_nest)(at_dict *dict, const char *name, const at_dict *part)
{
  Nesting n = {.dict = dict, .name = name, .part = part};
  return at_acceptPointer("dict_nest", "part", part) && nest("dict_nest", &n, false, 0, 0);
}

bool(at_dict_set_integer)(at_dict *dict, const char *name, int64_t value)
{
  Nesting n = {.dict = dict, .name = name};
  return nest("dict_set_integer", &n, true, 0, value);
}

bool(at_dict_set_number)(at_dict *dict, const char *name, double value)
{
  Nesting n = {.dict = dict, .name = name};
  return nest("dict_set_number", &n, false, value, 0);
}
