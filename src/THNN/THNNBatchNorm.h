/* The kernels of batch normalization, per type and instruction set. */
#ifndef THNN_BATCH_NORM_H
#define THNN_BATCH_NORM_H

#include "THKernel.h"
#include "THNN.h"

/* Where the values of some channels lie: rows, jump elements apart.  Either a row holds n values of
 * one channel, or, where each is a single value, one value of each of n channels. */
typedef struct THNNPanel {
  ptrdiff_t rows, jump, n;
  int lanes;   /* the latter; n is at most THNN_BATCH_NORM_LANES */
  int streams; /* results, of long rows or whole lines of lanes, are too large for the caches */
} THNNPanel;

enum { THNN_BATCH_NORM_LANES = 64 };

#define TH_GENERIC_FILE "generic/THNNBatchNorm.h"
#include "THGenerateFloatTypes.h"

#endif
