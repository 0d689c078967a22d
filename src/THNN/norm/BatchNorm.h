/* The kernels of batch normalization, per type and instruction set. */
#ifndef THNN_BATCH_NORM_H
#define THNN_BATCH_NORM_H

#include "THKernel.h"
#include "THNN.h"

/* The values of some channels: rows, rowStride elements apart.  A row holds either n values of one
 * channel, or, with lanes, one value of each of n channels. */
typedef struct THNNPanel {
  ptrdiff_t rows, rowStride, n;
  int lanes;   /* n is then at most THNN_BATCH_NORM_LANES */
  int streams; /* results are too large for the caches; rows are long, or lanes whole cache lines */
} THNNPanel;

enum { THNN_BATCH_NORM_LANES = 64 };

#define TH_GENERIC_FILE "THNN/norm/BatchNormGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
