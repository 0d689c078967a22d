/* The linear layer whose inputs are lists of keys and values. */
#ifndef THNN_INDEX_LINEAR_H
#define THNN_INDEX_LINEAR_H

#include "THNN/layer/Call.h"

/* The first columns of a row of weights if values are normalized: the largest value, its inverse, the
 * factor of steps, and the shift. */
enum {
  THNN_INDEX_MOST,
  THNN_INDEX_INVERSE,
  THNN_INDEX_RATE,
  THNN_INDEX_SHIFT,
  THNN_INDEX_EXTRA /* the number of these columns */
};

/* The message about a key out of range. */
#define THNN_INDEX_RANGE \
  "key %td of %s is %lld: with keysOffset %lld it is out of range of the %lld rows of weight"

/* The messages about sizes of lists. */
#define THNN_INDEX_SIZE "size %lld of sizes is %lld, %lld of the %td keys being left"
#define THNN_INDEX_SUM  "sizes sum up to %lld, and there are %td keys"

/* first[j] = how many entries there are before those of list j.  Raises unless sizes, on the host,
 * are not negative and sum up to count. */
static inline void THNNIndex_begins(const int64_t *sizes, int64_t batch, ptrdiff_t count,
                                    int64_t *first)
{
  int64_t total = 0;
  for (int64_t j = 0; j < batch; j++) {
    THArgCheck(sizes[j] >= 0 && sizes[j] <= count - total, 5, THNN_INDEX_SIZE, (long long)j,
               (long long)sizes[j], (long long)(count - total), count);
    first[j] = total;
    total += sizes[j];
  }
  THArgCheck(total == count, 5, THNN_INDEX_SUM, (long long)total, count);
}

#endif
