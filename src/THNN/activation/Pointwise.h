/* The kernels of the layers and losses in src/ops/activations.h, per type and instruction set. */
#ifndef THNN_POINTWISE_H
#define THNN_POINTWISE_H

#include "ops/activations.h"
#include "THKernel.h"
#include "THNN.h"

#define THNN_ROW(KIND, Name, FORWARD, GRADIENT)       THNN_##Name,
#define THNN_GATE(Name, FORWARD, GRADIENT, GRADIENT2) THNN_##Name,
enum {
  TH_FOR_EACH_ACTIVATION(THNN_ROW) TH_FOR_EACH_GATE(THNN_GATE) TH_FOR_EACH_LOSS(THNN_ROW) THNN_ROWS
};
#undef THNN_ROW
#undef THNN_GATE

#define TH_GENERIC_FILE "THNN/activation/PointwiseGeneric.h"
#include "THGenerateFloatTypes.h"
#define TH_GENERIC_FILE "THNN/activation/ActivationsGeneric.h"
#include "THGenerateFloatTypes.h"

/* The kernels of a row, for a library that calls them on pieces of tensors. */
TH_API const THNN_FloatPointwise *THNN_floatKernels(int row);

#endif
