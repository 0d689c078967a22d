/* Scaled dot-product attention. */
#ifndef ATEN_ATTENTION_H
#define ATEN_ATTENTION_H

#include "ATen/core/ATenCore.h"
#include "THKernel.h"

/* One matrix of queries with its keys and values.  Strides are in elements; the last dimension of
 * each matrix is contiguous. */
typedef struct at_attention {
  int64_t queries, keys, depth, width; /* width: of a value, and of a result */
  int64_t queryStride, keyStride, valueStride, resultStride, maskRow, maskColumn;
  double scale;
  bool isCausal;  /* query i attends to the keys 0 ... i only */
  bool isBoolean; /* the mask is of bytes, 0 where a key is left out; else it is added */
} at_attention;

/* The operands of queries first ... first + count; mask is NULL if there is none.  scores has room
 * for count x keys elements. */
typedef struct at_attention_block {
  int64_t first, count;
  const void *query, *key, *value, *mask;
  void *result, *scores;
  void *logSums; /* for each query log(sum(exp(scores))), or NULL */
} at_attention_block;

typedef void (*at_attention_kernel)(const at_attention *how, const at_attention_block *block);

extern const at_attention_kernel *const at_attentionFloat[];
extern const at_attention_kernel *const at_attentionDouble[];

/* softmax(scale * query key^T + mask) value for each matrix of a batch.  With grouped, each head of
 * key and value serves several heads of query. */
at_tensor *at_attend(at_tensor *query, at_tensor *key, at_tensor *value, at_tensor *mask,
                     double dropout_p, bool is_causal, at_scalar scale, bool grouped);

/* at_attend, and the logarithms of the sums of exponentials of each query's scores: two results, which
 * are new. */
void at_attendWithSums(at_tensor **out, at_tensor *query, at_tensor *key, at_tensor *value,
                       at_tensor *mask, double dropout_p, bool is_causal, at_scalar scale);

#endif
