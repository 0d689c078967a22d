/* Values that a program makes, such as the state of an optimizer, and that a .pt file holds nested. */
#include <stdarg.h>

#include "Nodes.h"

at_nodes *at_nodes_make(at_dict *dict, at_file *file)
{
  *file = (at_file){.path = "a set of values", .descriptor = -1, .room = UINT64_MAX};
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
