/* Graphs of objects, and the names of the tensors in them. */
#include "Nodes.h"

#include "ATen/onnx/Onnx.h"

enum {
  MOST_NAME = 1 << 16, /* bytes */
  EXPANSION =
      16 /* limit of names and steps, as a multiple of the size of the objects in the file */
};

/* --- nodes ------------------------------------------------------------------------------------ */

typedef struct at_nodesMemory {
  struct at_nodesMemory *next;
  uint64_t used, capacity;
  _Alignas(8) char bytes[];
} at_nodesMemory;

static void release_tensors(at_nodes *nodes)
{
  for (int64_t i = 0; i < nodes->count; i++) {
    const at_node *node = at_node_of(nodes, (int32_t)i);
    at_tensor **held = node->kind == AT_NODE_STORAGE && node->is.storage
                           ? &node->is.storage->elements
                       : node->kind == AT_NODE_TENSOR && node->is.tensor ? &node->is.tensor->made
                                                                         : NULL;
    if (held && *held) {
      at_release(*held);
      *held = NULL;
    }
  }
}

void at_nodes_free(at_nodes *nodes)
{
  release_tensors(nodes);
  for (int64_t i = 0; i < nodes->count; i++) {
    const at_node *node = at_node_of(nodes, (int32_t)i);
    if ((node->kind == AT_NODE_LIST || node->kind == AT_NODE_DICT) && node->is.list.capacity > 0)
      THFree(node->is.list.in.items);
  }
  for (int64_t i = 0; i < nodes->blockCount; i++)
    THFree(nodes->blocks[i]);
  THFree(nodes->blocks);
  while (nodes->memory) {
    at_nodesMemory *next = nodes->memory->next;
    THFree(nodes->memory);
    nodes->memory = next;
  }
  THFree(nodes);
}

int32_t at_nodes_add(at_nodes *nodes, at_nodeKind kind)
{
  if (nodes->count == INT32_MAX)
    at_damaged(nodes->file, "it has more than %d values", INT32_MAX);
  if (nodes->count == nodes->blockCount * AT_NODES_BLOCK) {
    nodes->blocks = at_grown(nodes->file, nodes->blocks, nodes->blockCount, &nodes->blockCapacity,
                             sizeof *nodes->blocks);
    nodes->blocks[nodes->blockCount] = at_file_alloc(nodes->file, AT_NODES_BLOCK * sizeof(at_node));
    nodes->blockCount++;
  }
  *at_node_of(nodes, (int32_t)nodes->count) = (at_node){.kind = (uint8_t)kind};
  return (int32_t)nodes->count++;
}

int32_t at_nodes_addInteger(at_nodes *nodes, int64_t value)
{
  const int32_t id = at_nodes_add(nodes, AT_NODE_INTEGER);
  at_node_of(nodes, id)->is.integer = value;
  return id;
}

int32_t at_nodes_addNumber(at_nodes *nodes, double value)
{
  const int32_t id = at_nodes_add(nodes, AT_NODE_NUMBER);
  at_node_of(nodes, id)->is.number = value;
  return id;
}

/* Memory that does not move and lives as long as the nodes. */
static void *take_memory(at_nodes *nodes, uint64_t bytes)
{
  enum { BLOCK = 4096 };
  bytes = (bytes + 7) / 8 * 8;
  if (!nodes->memory || bytes > nodes->memory->capacity - nodes->memory->used) {
    const uint64_t capacity = THMax(bytes, (uint64_t)BLOCK - sizeof(at_nodesMemory));
    at_nodesMemory *block = at_file_alloc(nodes->file, sizeof *block + capacity);
    *block = (at_nodesMemory){nodes->memory, 0, capacity};
    nodes->memory = block;
  }
  void *taken = nodes->memory->bytes + nodes->memory->used;
  nodes->memory->used += bytes;
  return taken;
}

int32_t at_nodes_addStorage(at_nodes *nodes)
{
  at_nodeStorage *storage = take_memory(nodes, sizeof *storage);
  *storage = (at_nodeStorage){.first = 0};
  const int32_t id = at_nodes_add(nodes, AT_NODE_STORAGE);
  at_node_of(nodes, id)->is.storage = storage;
  return id;
}

int32_t at_nodes_addTensor(at_nodes *nodes)
{
  at_nodeTensor *tensor = take_memory(nodes, sizeof *tensor);
  *tensor = (at_nodeTensor){.index = -1};
  const int32_t id = at_nodes_add(nodes, AT_NODE_TENSOR);
  at_node_of(nodes, id)->is.tensor = tensor;
  return id;
}

char *at_nodes_text(at_nodes *nodes, uint64_t length)
{
  char *text = take_memory(nodes, length + 1);
  text[length] = '\0';
  return text;
}

int32_t at_nodes_addText(at_nodes *nodes, at_nodeKind kind, const char *at, size_t length)
{
  const int32_t id = at_nodes_add(nodes, kind);
  at_node_of(nodes, id)->is.text = (at_text){at, length};
  return id;
}

void at_nodes_append(at_nodes *nodes, int32_t list, int32_t item)
{
  enum { OWN = 2, SMALL = 8, OVERHEAD = 16 };
  at_node *node = at_node_of(nodes, list);
  const int32_t capacity = node->is.list.capacity;
  if (node->count == INT32_MAX / 2)
    at_damaged(nodes->file, "a list or dictionary in it has more than %d items", INT32_MAX / 2);
  if (node->count == (capacity > 0 ? capacity : OWN)) {
    const int32_t larger = capacity > 0 ? 2 * capacity : SMALL;
    const size_t bytes = (size_t)larger * sizeof(int32_t);
    at_file_charge(nodes->file, bytes + OVERHEAD);
    int32_t *items = THRealloc(capacity > 0 ? node->is.list.in.items : NULL, (ptrdiff_t)bytes);
    if (capacity == 0)
      memcpy(items, node->is.list.in.own, sizeof node->is.list.in.own);
    node->is.list.in.items = items;
    node->is.list.capacity = larger;
  }
  (node->is.list.capacity > 0 ? node->is.list.in.items : node->is.list.in.own)[node->count] = item;
  node->count++;
}

/* --- names ------------------------------------------------------------------------------------ */

/* A list, dictionary or object on the path to the current node. */
typedef struct Step {
  int32_t id, next;
  int32_t keys; /* in the name */
  uint32_t nameLength;
} Step;

typedef struct Walk {
  at_bytes name;
  Step *steps;
  int64_t depth, capacity;
} Walk;

static void free_walk(void *what)
{
  Walk *walk = what;
  at_bytes_free(&walk->name);
  THFree(walk->steps);
}

static bool add_simpleKey(at_bytes *name, const at_node *key)
{
  switch ((at_nodeKind)key->kind) {
    case AT_NODE_TEXT:
    case AT_NODE_BYTES:
    case AT_NODE_GLOBAL:
      at_bytes_add(name, key->is.text.at, key->is.text.length);
      return true;
    case AT_NODE_INTEGER:
      at_bytes_print(name, "%lld", (long long)key->is.integer);
      return true;
    case AT_NODE_NUMBER:
      at_bytes_print(name, "%.17g", key->is.number);
      return true;
    case AT_NODE_BOOL:
      at_bytes_addText(name, key->is.integer ? "True" : "False");
      return true;
    case AT_NODE_NOTHING:
      at_bytes_addText(name, "None");
      return true;
    default:
      return false;
  }
}

bool at_nodes_addKey(const at_nodes *nodes, at_bytes *name, int32_t id)
{
  const at_node *key = at_node_of(nodes, id);
  if (key->kind != AT_NODE_LIST)
    return add_simpleKey(name, key);
  bool simple = true; /* a tuple: (conv, 1) */
  at_bytes_addText(name, "(");
  for (int32_t i = 0; i < key->count && name->length <= MOST_NAME; i++) {
    if (i > 0)
      at_bytes_addText(name, ", ");
    simple &= add_simpleKey(name, at_node_of(nodes, at_node_item(key, i)));
  }
  at_bytes_addText(name, ")");
  return simple;
}

/* --- tensors ---------------------------------------------------------------------------------- */

/* The integers of a list. */
static at_ints read_ints(const at_nodes *nodes, int32_t list, int64_t *buffer)
{
  const at_node *node = at_node_of(nodes, list);
  if (node->kind != AT_NODE_LIST || node->count > AT_MOST_DIMS)
    at_damaged(nodes->file, "a tensor's shape is no list of up to %d sizes", AT_MOST_DIMS);
  for (int32_t d = 0; d < node->count; d++) {
    const at_node *item = at_node_of(nodes, at_node_item(node, d));
    if (item->kind != AT_NODE_INTEGER)
      at_damaged(nodes->file, "a size or stride of a tensor is no integer");
    buffer[d] = item->is.integer;
  }
  return (at_ints){buffer, (int)node->count};
}

/* Makes the tensor of a node, which keeps it. */
static void make_tensor(at_nodes *nodes, at_nodeTensor *tensor, at_ints sizes, at_ints strides,
                        bool none)
{
  enum { TENSOR_BYTES = 256, DIM_BYTES = 16 };
  const at_nodeStorage *storage = at_node_of(nodes, tensor->storage)->is.storage;
  at_file_charge(nodes->file, TENSOR_BYTES + DIM_BYTES * (uint64_t)sizes.count);
  at_tensor *const made =
      none ? at_newShape(storage->type ? storage->type : storage->elements->type, sizes)
           : at_newView(storage->elements, (ptrdiff_t)tensor->offset, sizes, strides.data);
  if (storage->type) {
    tensor->made = made;
    return;
  }
  THGuard bytes;
  at_guard(&bytes);
  bytes.what = made;
  tensor->made = at_newWidened(nodes->file, made, at_packingNamed(tensor->dtype));
  THGuard_leave(&bytes);
}

static void name_tensor(at_nodes *nodes, const at_node *node, const at_bytes *name, at_dict *dict)
{
  at_found found = {.name = (const char *)name->start, .length = name->length};
  if (node->kind == AT_NODE_FOREIGN) {
    found.dtype = node->is.text.at;
    at_dict_wants(dict, nodes->file, &found);
    return;
  }
  int64_t sizeBuffer[AT_MOST_DIMS], strideBuffer[AT_MOST_DIMS], end;
  at_nodeTensor *tensor = node->is.tensor;
  const at_nodeStorage *storage = at_node_of(nodes, tensor->storage)->is.storage;
  const at_ints sizes = read_ints(nodes, tensor->sizes, sizeBuffer),
                strides = read_ints(nodes, tensor->strides, strideBuffer);
  const bool isWidened =
      !storage->type && storage->elements && tensor->dtype && at_packingNamed(tensor->dtype);
  if (sizes.count != strides.count || !at_reach(sizes, strides.data, tensor->offset, &end) ||
      ((isWidened || (storage->type && !tensor->dtype)) && end > storage->count))
    at_damaged(nodes->file,
               "'%.*s' of size (%s) with strides (%s) from element %lld on does not fit in a "
               "storage of %lld elements",
               (int)THMin(found.length, 100), found.name, at_sizeDesc(sizes).str,
               at_sizeDesc(strides).str, (long long)tensor->offset, (long long)storage->count);
  found.sizes = sizes;
  found.type = isWidened ? at_cpuType(AT_FLOAT) : tensor->dtype ? NULL : storage->type;
  found.dtype = isWidened ? NULL : tensor->dtype ? tensor->dtype : storage->dtype;
  const int64_t index = at_dict_count(dict);
  if (at_dict_wants(dict, nodes->file, &found)) {
    if (!tensor->made)
      make_tensor(nodes, tensor, sizes, strides, end == 0);
    at_dict_add(dict, nodes->file, &found, tensor->made);
  }
  if (tensor->index < 0 && at_dict_count(dict) > index)
    tensor->index = index;
}

/* --- the walk --------------------------------------------------------------------------------- */

/* Part index of an object; -1 if the object does not have it. */
static int32_t part_of(const at_node *object, int32_t index)
{
  return index == 0   ? object->is.object.arguments
         : index == 1 ? object->is.object.items
                      : object->is.object.state;
}

static int32_t parts_of(const at_node *node)
{
  return node->kind == AT_NODE_OBJECT ? 3
         : node->kind == AT_NODE_DICT ? node->count / 2
                                      : node->count;
}

/* Appends the name of the next value in the step and returns the value, or -1 for a missing part of
 * an object. */
static int32_t next_value(const at_nodes *nodes, Walk *walk, Step *step)
{
  const at_node *in = at_node_of(nodes, step->id);
  const int32_t index = step->next++;
  walk->name.length = step->nameLength;
  if (in->kind == AT_NODE_OBJECT) /* adds nothing to the name */
    return part_of(in, index);
  if (step->keys > 0)
    at_bytes_addText(&walk->name, ".");
  if (in->kind == AT_NODE_LIST) {
    at_bytes_print(&walk->name, "%d", index);
    return at_node_item(in, index);
  }
  const size_t before = walk->name.length;
  if (!at_nodes_addKey(nodes, &walk->name, at_node_item(in, 2 * (int64_t)index))) {
    walk->name.length = before; /* the key cannot be shown: its index is */
    at_bytes_print(&walk->name, "?%d", index);
  }
  return at_node_item(in, 2 * (int64_t)index + 1);
}

static void enter(at_nodes *nodes, Walk *walk, int32_t id, int32_t keys)
{
  walk->steps =
      at_grown(nodes->file, walk->steps, walk->depth, &walk->capacity, sizeof *walk->steps);
  walk->steps[walk->depth++] = (Step){id, 0, keys, (uint32_t)walk->name.length};
  at_node_of(nodes, id)->entered = true;
}

void at_nodes_name(at_nodes *nodes, int32_t root, uint64_t size, at_dict *dict)
{
  Walk walk = {{0}};
  THGuard guard;
  THGuard_enter(&guard, free_walk);
  guard.what = &walk;
  at_bytes_add(&walk.name, "", 1); /* the name is never NULL, though it may be empty */
  walk.name.length = 0;
  const uint64_t most = EXPANSION * (THMin(size, (uint64_t)nodes->file->size) + 1024);
  uint64_t spent = 0;
  int32_t keys = 0; /* in the name of id */
  nodes->root = root;
  for (int32_t id = root; id >= 0;) {
    const at_node *node = at_node_of(nodes, id);
    const bool isTensor = node->kind == AT_NODE_TENSOR || node->kind == AT_NODE_FOREIGN;
    spent += 1 + walk.name.length;
    if (!isTensor && walk.depth > 0) /* the name has only the part of this step */
      spent -= walk.steps[walk.depth - 1].nameLength;
    if (walk.name.length > MOST_NAME || spent > most)
      at_damaged(nodes->file, "the names of its tensors are too long for what is in the file");
    if (isTensor)
      name_tensor(nodes, node, &walk.name, dict);
    else if ((node->kind == AT_NODE_LIST || node->kind == AT_NODE_DICT ||
              node->kind == AT_NODE_OBJECT) &&
             !node->entered)
      enter(nodes, &walk, id, keys); /* a node that contains itself is entered once */

    id = -1;
    while (walk.depth > 0 && id < 0) {
      Step *step = &walk.steps[walk.depth - 1];
      at_node *in = at_node_of(nodes, step->id);
      if (step->next == parts_of(in)) {
        in->entered = false;
        walk.depth--;
      } else {
        keys = step->keys + (in->kind != AT_NODE_OBJECT);
        id = next_value(nodes, &walk, step);
      }
    }
  }
  THGuard_leave(&guard);
  release_tensors(nodes);
}
