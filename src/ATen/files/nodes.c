/* Graphs of objects, and the names of the tensors in them. */
#include "Nodes.h"

enum {
  MOST_NAME = 1 << 16, /* bytes */
  EXPANSION = 16       /* times the file's objects that names and steps may take */
};

static void free_nodes(void *what)
{
  at_nodes *nodes = what;
  for (int64_t i = 0; i < nodes->count; i++) {
    at_node *node = &nodes->node[i];
    if (node->kind == AT_NODE_LIST || node->kind == AT_NODE_DICT)
      THFree(node->is.list.items);
    else if (node->kind == AT_NODE_STORAGE)
      at_release(node->is.storage.elements);
    else if (node->kind == AT_NODE_TENSOR)
      at_release(node->is.tensor.made);
  }
  THFree(nodes->node);
}

void at_nodes_begin(at_nodes *nodes, const at_file *file, THGuard *guard)
{
  *nodes = (at_nodes){.file = file};
  THGuard_enter(guard, free_nodes);
  guard->what = nodes;
}

int64_t at_nodes_add(at_nodes *nodes, at_nodeKind kind)
{
  nodes->node = at_grown(nodes->node, nodes->count, &nodes->room, sizeof *nodes->node);
  nodes->node[nodes->count] = (at_node){.kind = kind};
  return nodes->count++;
}

int64_t at_nodes_addInteger(at_nodes *nodes, int64_t value)
{
  const int64_t id = at_nodes_add(nodes, AT_NODE_INTEGER);
  nodes->node[id].is.integer = value;
  return id;
}

int64_t at_nodes_addText(at_nodes *nodes, const void *at, size_t length)
{
  const int64_t id = at_nodes_add(nodes, AT_NODE_TEXT);
  nodes->node[id].is.text = (at_text){at, length};
  return id;
}

void at_nodes_append(at_nodes *nodes, int64_t list, int64_t item)
{
  at_node *node = &nodes->node[list];
  node->is.list.items = at_grown(node->is.list.items, node->is.list.count, &node->is.list.room,
                                 sizeof *node->is.list.items);
  node->is.list.items[node->is.list.count++] = item;
}

/* --- tensors ---------------------------------------------------------------------------------- */

/* The integers of a list. */
static at_ints read_ints(const at_nodes *nodes, int64_t list, int64_t *room)
{
  const at_node *node = &nodes->node[list];
  if (node->kind != AT_NODE_LIST || node->is.list.count > AT_MOST_DIMS)
    at_damaged(nodes->file, "a tensor's shape is no list of up to %d sizes", AT_MOST_DIMS);
  for (int64_t d = 0; d < node->is.list.count; d++) {
    const at_node *item = &nodes->node[node->is.list.items[d]];
    if (item->kind != AT_NODE_INTEGER)
      at_damaged(nodes->file, "a size or stride of a tensor is no integer");
    room[d] = item->is.integer;
  }
  return (at_ints){room, (int)node->is.list.count};
}

static at_tensor *make_tensor(at_nodes *nodes, at_node *node)
{
  if (node->is.tensor.made)
    return node->is.tensor.made;
  int64_t sizeRoom[AT_MOST_DIMS], strideRoom[AT_MOST_DIMS], end;
  const at_node *storage = &nodes->node[node->is.tensor.storage];
  const at_ints sizes = read_ints(nodes, node->is.tensor.sizes, sizeRoom),
                strides = read_ints(nodes, node->is.tensor.strides, strideRoom);
  if (sizes.count != strides.count ||
      !at_reach(sizes, strides.data, node->is.tensor.offset, &end) ||
      end > storage->is.storage.count)
    at_damaged(nodes->file,
               "a tensor of size (%s) with strides (%s) from element %lld on does not fit in a "
               "storage of %lld elements",
               at_sizeDesc(sizes).str, at_sizeDesc(strides).str, (long long)node->is.tensor.offset,
               (long long)storage->is.storage.count);
  if (end == 0)
    node->is.tensor.made = at_newShape(at_cpuType(storage->is.storage.type), sizes);
  else
    node->is.tensor.made = at_newView(storage->is.storage.elements,
                                      (ptrdiff_t)node->is.tensor.offset, sizes, strides.data);
  return node->is.tensor.made;
}

/* --- names ------------------------------------------------------------------------------------ */

/* A list or dictionary on the way to where we are. */
typedef struct Step {
  int64_t id, next;
  size_t nameLength;
} Step;

typedef struct Walk {
  at_bytes name;
  Step *steps;
  int64_t depth, room;
} Walk;

static void free_walk(void *what)
{
  Walk *walk = what;
  at_bytes_free(&walk->name);
  THFree(walk->steps);
}

/* Adds the name of an item to that of the step; false if its key cannot be one. */
static bool add_key(Walk *walk, const at_node *key, int64_t index)
{
  walk->name.length = walk->steps[walk->depth - 1].nameLength;
  if (walk->depth > 1)
    at_bytes_addText(&walk->name, ".");
  if (!key)
    at_bytes_print(&walk->name, "%lld", (long long)index);
  else if (key->kind == AT_NODE_TEXT)
    at_bytes_add(&walk->name, key->is.text.at, key->is.text.length);
  else if (key->kind == AT_NODE_INTEGER)
    at_bytes_print(&walk->name, "%lld", (long long)key->is.integer);
  else if (key->kind == AT_NODE_NUMBER)
    at_bytes_print(&walk->name, "%.17g", key->is.number);
  else
    return false;
  return true;
}

static void enter(at_nodes *nodes, Walk *walk, int64_t id)
{
  walk->steps = at_grown(walk->steps, walk->depth, &walk->room, sizeof *walk->steps);
  walk->steps[walk->depth++] = (Step){id, 0, walk->name.length};
  nodes->node[id].entered = true;
}

void at_nodes_name(at_nodes *nodes, int64_t root, size_t size, at_dict *dict)
{
  Walk walk = {{0}};
  THGuard guard;
  THGuard_enter(&guard, free_walk);
  guard.what = &walk;
  at_bytes_add(&walk.name, "", 1); /* so that there is a name, if an empty one */
  walk.name.length = 0;
  const uint64_t most = EXPANSION * ((uint64_t)size + 64);
  uint64_t spent = 0;
  for (int64_t id = root; id >= 0;) {
    at_node *node = &nodes->node[id];
    spent += 1 + walk.name.length;
    if (node->kind != AT_NODE_TENSOR && walk.depth > 0) /* only its own part was written */
      spent -= walk.steps[walk.depth - 1].nameLength;
    if (walk.name.length > MOST_NAME || spent > most)
      at_damaged(nodes->file, "the names of its tensors are too long for what is in the file");
    if (node->kind == AT_NODE_TENSOR)
      at_dict_add(dict, nodes->file, (const char *)walk.name.start, walk.name.length,
                  make_tensor(nodes, node));
    else if ((node->kind == AT_NODE_LIST || node->kind == AT_NODE_DICT) && !node->entered)
      enter(nodes, &walk, id); /* what holds itself is not entered a second time */

    id = -1;
    while (walk.depth > 0 && id < 0) {
      Step *step = &walk.steps[walk.depth - 1];
      at_node *in = &nodes->node[step->id];
      if (step->next == in->is.list.count) {
        in->entered = false;
        walk.depth--;
      } else if (in->kind == AT_NODE_LIST) {
        add_key(&walk, NULL, step->next);
        id = in->is.list.items[step->next++];
      } else {
        if (add_key(&walk, &nodes->node[in->is.list.items[step->next]], 0))
          id = in->is.list.items[step->next + 1];
        step->next += 2;
        spent++;
      }
    }
  }
  THGuard_leave(&guard);
}
