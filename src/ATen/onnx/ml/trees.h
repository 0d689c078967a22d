/* Ensembles of trees, as they are kept: what trees.c reads, treeRuns.c computes. */
#ifndef ATEN_ONNX_TREES_H
#define ATEN_ONNX_TREES_H

#include "Ml.h"

typedef enum at_treeMode {
  AT_TREE_LEQ,
  AT_TREE_LT,
  AT_TREE_GTE,
  AT_TREE_GT,
  AT_TREE_EQ,
  AT_TREE_NEQ,
  AT_TREE_MEMBER,
  AT_TREE_LEAF
} at_treeMode;

/* A node: nothing leads from its children back to it. */
typedef struct at_treeNode {
  double value; /* what it compares with */
  int32_t feature, yes, no;
  int32_t first;         /* of a leaf: its first weight, or -1; of a set: its first member */
  uint8_t mode, missing; /* missing: NaN goes to yes */
} at_treeNode;

typedef struct at_treeWeight {
  double value;
  int64_t target;
  int32_t next; /* of the same leaf, or -1 */
} at_treeWeight;

typedef enum at_treeAggregate {
  AT_TREE_AVERAGE,
  AT_TREE_SUM,
  AT_TREE_MIN,
  AT_TREE_MAX
} at_treeAggregate;

typedef struct at_trees {
  at_treeNode *nodes;
  int32_t *roots;
  at_treeWeight *weights;
  const double *members; /* of sets, each of which ends with NaN */
  int64_t count, rootCount, weightCount, targets;
  int64_t width; /* how many features nodes ask for */
  at_treeAggregate aggregate;
  at_mlTransform transform;
  at_mlFloats base;
  at_scalar_type type; /* of the scores; AT_SCALAR_TYPES: that of the input */
  at_mlLabels labels;
  bool isOne;    /* only one of two classes has weights */
  bool isShare;  /* the weights of this class are all positive: shares of 1 */
  int64_t which; /* the class that has weights */
} at_trees;

#endif
