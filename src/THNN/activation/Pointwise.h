/* The kernels of the layers and losses in src/ops/activations.h, per type and instruction set. */
#ifndef THNN_POINTWISE_H
#define THNN_POINTWISE_H

#include "THKernel.h"
#include "THNN.h"

enum {
#define ACTIVATION(KIND, Name, FORWARD, GRADIENT) THNN_##Name,
#define GATE(Name, FORWARD, GRADIENT, GRADIENT2)  THNN_##Name,
#define CRITERION                                 ACTIVATION
#include "ops/activations.h"
  THNN_ROWS
};

#define TH_GENERIC_FILE "THNN/activation/PointwiseGeneric.h"
#include "THGenerateFloatTypes.h"
#define TH_GENERIC_FILE "THNN/activation/ActivationsGeneric.h"
#include "THGenerateFloatTypes.h"

/* The kernels of a row, for a library that calls them on pieces of tensors. */
TH_API const THNN_FloatPointwise *THNN_floatKernels(int row);

#endif
