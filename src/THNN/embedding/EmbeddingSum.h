/* Weighted sums of rows of a table, as embeddings use them: kernels, per type and instruction
 * set. */
#ifndef THNN_EMBEDDING_SUM_H
#define THNN_EMBEDDING_SUM_H

#include "THKernel.h"
#include "THNN.h"

#define TH_GENERIC_FILE "THNN/embedding/EmbeddingSumGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
