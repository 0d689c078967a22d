/* The linear layer of sparse inputs. */
#ifndef THNN_SPARSE_H
#define THNN_SPARSE_H

#include "THNN/layer/Call.h"

/* The output; gradients; the last input's columns of the gradients set to 0; a step of these columns
 * of the weights. */
typedef enum THNNSparse {
  THNN_SPARSE_OUTPUT,
  THNN_SPARSE_GRADIENTS,
  THNN_SPARSE_ZERO,
  THNN_SPARSE_STEP
} THNNSparse;

/* The message about an entry in a row or column out of range. */
#define THNN_SPARSE_RANGE "entry %td of %s, of size %s, is in %s %g, out of range of 1 to %lld"

#endif
