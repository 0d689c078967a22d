/* What is in a file of objects, read as data: a graph of lists, dictionaries, texts, numbers,
 * storages and tensors, each a node with a number.  The set of tensors keeps it, and at_datum is
 * what programs see of it.
 *
 * Files may hold a node for each of their bytes, so nodes are small: what is larger lies in blocks
 * of their own, which never move either. */
#ifndef ATEN_NODES_H
#define ATEN_NODES_H

#include "Files.h"

typedef enum at_nodeKind {
  AT_NODE_NOTHING,
  AT_NODE_BOOL,
  AT_NODE_INTEGER,
  AT_NODE_NUMBER,
  AT_NODE_TEXT,
  AT_NODE_BYTES, /* a text that need not be UTF-8 */
  AT_NODE_LIST,
  AT_NODE_DICT,   /* keys and values in turn */
  AT_NODE_OBJECT, /* of a class of Python's: what it was made of, its items and its fields */
  AT_NODE_GLOBAL, /* a name of Python's */
  AT_NODE_STORAGE,
  AT_NODE_TENSOR,
  AT_NODE_FOREIGN /* a tensor of a kind that is not here: that, as text */
} at_nodeKind;

/* With a 0 behind it that does not count. */
typedef struct at_text {
  const char *at;
  size_t length;
} at_text;

typedef struct at_nodeStorage {
  at_text key;
  int64_t count;       /* elements */
  int64_t first;       /* the one that tensors' offsets count from */
  const at_type *type; /* NULL if it is not here */
  const char *dtype;   /* then: what the file calls it */
  size_t elementSize;
  bool given;          /* its elements were there */
  at_tensor *elements; /* in one line; NULL until they are read, and when the names are known */
} at_nodeStorage;

typedef struct at_nodeTensor {
  int32_t storage, sizes, strides; /* nodes; the last two are lists */
  int64_t offset;
  int64_t place;     /* in the set, or -1 */
  const char *dtype; /* if it is of another type than its storage, which is not here */
  at_tensor *made;   /* while names are looked for; NULL until somebody wants it */
} at_nodeTensor;

typedef struct at_node {
  uint8_t kind;
  bool entered;  /* it is being walked through */
  int32_t count; /* items of a list or dictionary */
  union {
    int64_t integer;
    double number;
    at_text text; /* also a global's, module and name with a dot between */
    struct {
      int32_t room;
      union {
        int32_t *items; /* if there is room for more than OWN */
        int32_t own[2];
      } in;
    } list;
    struct {
      int32_t class, arguments, items, state; /* the last two are -1 where there are none */
    } object;
    at_nodeStorage *storage;
    at_nodeTensor *tensor;
  } is;
} at_node;

typedef struct at_nodes {
  at_file *file; /* while it is read */
  at_node **blocks;
  int64_t count, blockCount, blockRoom;
  struct at_nodesMemory *memory; /* of texts, storages and tensors */
  int32_t root, metadata;        /* nodes, or -1 */
} at_nodes;

enum { AT_NODES_BLOCK = 128 };

static inline at_node *at_node_of(const at_nodes *nodes, int32_t id)
{
  return &nodes->blocks[id / AT_NODES_BLOCK][id % AT_NODES_BLOCK];
}

/* The set's nodes, or NULL. */
at_nodes *at_dict_nodes(const at_dict *dict);
void at_nodes_free(at_nodes *nodes);

/* The number of a new node. */
int32_t at_nodes_add(at_nodes *nodes, at_nodeKind kind);
int32_t at_nodes_addInteger(at_nodes *nodes, int64_t value);
int32_t at_nodes_addNumber(at_nodes *nodes, double value);
int32_t at_nodes_addStorage(at_nodes *nodes);
int32_t at_nodes_addTensor(at_nodes *nodes);

/* Text that is there for as long as the nodes are, to be filled; it ends with a 0.  Node is text.
 */
char *at_nodes_text(at_nodes *nodes, uint64_t length);
int32_t at_nodes_addText(at_nodes *nodes, at_nodeKind kind, const char *at, size_t length);

/* Appends to a list or dictionary; item index of one. */
void at_nodes_append(at_nodes *nodes, int32_t list, int32_t item);
static inline int32_t at_node_item(const at_node *list, int64_t index)
{
  const int32_t *items = list->is.list.room > 0 ? list->is.list.in.items : list->is.list.in.own;
  return items[index];
}

/* The root's tensors go into dict, named by the way to them.  At most a few steps are made for each
 * byte that the objects take in the file, which bounds the time for lists that hold themselves many
 * times over. */
void at_nodes_name(at_nodes *nodes, int32_t root, uint64_t size, at_dict *dict);

/* Appends how the key of a dictionary is shown in a name; false if it cannot be. */
bool at_nodes_addKey(const at_nodes *nodes, at_bytes *name, int32_t key);

#endif
