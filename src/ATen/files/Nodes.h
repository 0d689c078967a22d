/* The objects of a file as data: a graph of lists, dictionaries, texts, numbers, storages and
 * tensors, each a node with a number.  The set of tensors owns the graph, and programs see it as
 * at_datum.
 *
 * A file may hold a node for each of its bytes, so nodes are small.  Larger parts are in blocks of
 * their own. Neither nodes nor blocks move. */
#ifndef ATEN_NODES_H
#define ATEN_NODES_H

#include <string.h>

#include "Files.h"

typedef enum at_nodeKind {
  AT_NODE_NOTHING,
  AT_NODE_BOOL,
  AT_NODE_INTEGER,
  AT_NODE_NUMBER,
  AT_NODE_TEXT,
  AT_NODE_BYTES, /* a text that need not be UTF-8 */
  AT_NODE_LIST,
  AT_NODE_DICT,   /* keys and values alternate */
  AT_NODE_OBJECT, /* an instance of a Python class: constructor arguments, items and fields */
  AT_NODE_GLOBAL, /* a name in Python */
  AT_NODE_STORAGE,
  AT_NODE_TENSOR,
  AT_NODE_FOREIGN /* a tensor of an unsupported kind, whose name is the text */
} at_nodeKind;

/* A text, followed by a 0 that is not counted. */
typedef struct at_text {
  const char *at;
  size_t length;
} at_text;

static inline bool at_textIs(at_text text, const char *word)
{
  return text.length == strlen(word) && !memcmp(text.at, word, text.length);
}

typedef struct at_nodeStorage {
  at_text key;
  int64_t count;       /* number of elements */
  int64_t first;       /* the element from which offsets of tensors count */
  const at_type *type; /* NULL if the element type is not supported */
  const char *dtype;   /* the name in the file of a type that is not supported */
  size_t elementSize;
  bool isUntyped;      /* the file counts bytes */
  bool given;          /* the file has its elements */
  at_tensor *elements; /* a vector; NULL until they are read and after tensors have names */
} at_nodeStorage;

typedef struct at_nodeTensor {
  int32_t storage, sizes, strides; /* nodes; the last two are lists */
  int64_t offset;
  int64_t index;     /* in the set, or -1 */
  const char *dtype; /* of a type that is not supported and differs from the storage; or NULL */
  at_tensor *made;   /* NULL until the tensor is needed; only while names are assigned */
} at_nodeTensor;

typedef struct at_node {
  uint8_t kind;
  bool entered;  /* the walk is inside this node */
  bool isTuple;  /* of a list that a program made: writers make a tuple of it */
  int32_t count; /* items of a list or dictionary */
  union {
    int64_t integer;
    double number;
    at_text text; /* of a global: module and name joined by a dot */
    struct {
      int32_t capacity;
      union {
        int32_t *items; /* if there are more than OWN */
        int32_t own[2];
      } in;
    } list;
    struct {
      int32_t class, arguments, items, state; /* the last two may be -1 */
    } object;
    at_nodeStorage *storage;
    at_nodeTensor *tensor;
  } is;
} at_node;

typedef struct at_nodes {
  at_file *file; /* only while it is read */
  at_node **blocks;
  int64_t count, blockCount, blockCapacity;
  struct at_nodesMemory *memory; /* of texts, storages and tensors */
  int32_t root, metadata;        /* nodes, or -1 */
  bool isMade; /* by a program, not by a reader: writers nest values as they are */
} at_nodes;

enum { AT_NODES_BLOCK = 128 };

static inline at_node *at_node_of(const at_nodes *nodes, int32_t id)
{
  return &nodes->blocks[id / AT_NODES_BLOCK][id % AT_NODES_BLOCK];
}

/* The nodes of the set, or NULL. */
at_nodes *at_dict_nodes(const at_dict *dict);
void at_nodes_free(at_nodes *nodes);

/* Adds a node and returns its number. */
int32_t at_nodes_add(at_nodes *nodes, at_nodeKind kind);
int32_t at_nodes_addInteger(at_nodes *nodes, int64_t value);
int32_t at_nodes_addNumber(at_nodes *nodes, double value);
int32_t at_nodes_addStorage(at_nodes *nodes);
int32_t at_nodes_addTensor(at_nodes *nodes);

/* Memory for a text of that length, followed by a 0, which lives as long as the nodes. */
char *at_nodes_text(at_nodes *nodes, uint64_t length);
int32_t at_nodes_addText(at_nodes *nodes, at_nodeKind kind, const char *at, size_t length);

/* Appends an item to a list or dictionary; at_node_item returns item index. */
void at_nodes_append(at_nodes *nodes, int32_t list, int32_t item);
static inline int32_t at_node_item(const at_node *list, int64_t index)
{
  const int32_t *items = list->is.list.capacity > 0 ? list->is.list.in.items : list->is.list.in.own;
  return items[index];
}

/* Adds the tensors below root to dict, named by their paths.  The number of steps is limited in
 * proportion to size, the bytes of the objects in the file, which bounds the time for lists that
 * contain each other many times. */
void at_nodes_name(at_nodes *nodes, int32_t root, uint64_t size, at_dict *dict);

/* Makes the values of a set that has none, to be written as they are; file, whose capacity is unlimited,
 * is only for at_dict_settle to end with. */
at_nodes *at_nodes_make(at_dict *dict, at_file *file);

/* Appends a value under a key, which is copied, to a dictionary; returns the value. */
int32_t at_nodes_put(at_nodes *nodes, int32_t dict, const char *key, int32_t value);

/* Adds a boolean, and t, whose name in the set is printed. */
int32_t at_nodes_addBool(at_nodes *nodes, bool value);
int32_t at_nodes_addNamed(at_nodes *nodes, at_dict *dict, at_tensor *t, const char *format, ...)
    TH_PRINTF_LIKE(4, 5);

/* Appends the key of a dictionary as it is shown in names; false if it cannot be shown. */
bool at_nodes_addKey(const at_nodes *nodes, at_bytes *name, int32_t key);

#endif
