/* The linear layer of sparse inputs. */
#ifndef THNN_SPARSE_H
#define THNN_SPARSE_H

#include "THNN/layer/Call.h"

/* The passes of SparseLinear. */
typedef enum THNNSparse {
  THNN_SPARSE_OUTPUT,    /* updateOutput */
  THNN_SPARSE_GRADIENTS, /* accGradParameters */
  THNN_SPARSE_ZERO,      /* zeroGradParameters: in the columns of the last input alone */
  THNN_SPARSE_STEP       /* updateParameters: in the columns of the last input alone */
} THNNSparse;

/* The message about an entry in a row or column out of range. */
#define THNN_SPARSE_RANGE "entry %td of %s, of size %s, is in %s %g, out of range of 1 to %lld"

#endif
