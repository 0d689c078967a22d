/* What is in a file of objects, read as data: a graph of lists, dictionaries, texts, numbers,
 * storages and tensors, each a node with a number.  Texts are places in the file. */
#ifndef ATEN_NODES_H
#define ATEN_NODES_H

#include "Files.h"

typedef enum at_nodeKind {
  AT_NODE_OTHER, /* None, an object, or anything else of no interest */
  AT_NODE_INTEGER,
  AT_NODE_NUMBER,
  AT_NODE_TEXT,
  AT_NODE_LIST,
  AT_NODE_DICT, /* keys and values in turn */
  AT_NODE_GLOBAL,
  AT_NODE_STORAGE,
  AT_NODE_TENSOR
} at_nodeKind;

typedef struct at_text {
  const char *at;
  size_t length;
} at_text;

typedef struct at_node {
  at_nodeKind kind;
  bool entered; /* it is being walked through */
  union {
    int64_t integer;
    double number;
    at_text text;
    struct {
      int64_t *items;
      int64_t count, room;
    } list;
    int global; /* a row of the pickle's allow-list */
    struct {
      at_text key;
      int64_t count; /* elements */
      int64_t first; /* the one that tensors' offsets count from */
      at_scalar_type type;
      at_tensor *elements; /* in one line; NULL until they are read */
    } storage;
    struct {
      int64_t storage, sizes, strides; /* nodes; the last two are lists */
      int64_t offset;
      at_tensor *made; /* NULL until somebody wants it */
    } tensor;
  } is;
} at_node;

typedef struct at_nodes {
  const at_file *file;
  at_node *node;
  int64_t count, room;
} at_nodes;

/* The guard, which is entered here, frees the nodes and what they hold. */
void at_nodes_begin(at_nodes *nodes, const at_file *file, THGuard *guard);

/* The number of a new node. */
int64_t at_nodes_add(at_nodes *nodes, at_nodeKind kind);
int64_t at_nodes_addInteger(at_nodes *nodes, int64_t value);
int64_t at_nodes_addText(at_nodes *nodes, const void *at, size_t length);

/* Appends to a list or dictionary. */
void at_nodes_append(at_nodes *nodes, int64_t list, int64_t item);

/* Puts the tensors that can be reached from root into dict, named by the way to them.  size is how
 * many bytes the objects take in the file: names may together be a few times as long, which bounds
 * the time for lists that hold themselves many times over. */
void at_nodes_name(at_nodes *nodes, int64_t root, size_t size, at_dict *dict);

#endif
