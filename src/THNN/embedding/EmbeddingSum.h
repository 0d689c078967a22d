/* Weighted sums of rows of a table, as embeddings use them: kernels, per type and instruction
 * set. */
#ifndef THNN_SUM_ROWS_H
#define THNN_SUM_ROWS_H

#include "THKernel.h"
#include "THNN.h"

#define TH_GENERIC_FILE "THNN/embedding/EmbeddingSumGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
