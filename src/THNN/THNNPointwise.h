/* The kernels of the layers and losses in src/ops/activations.h, per type and instruction set. */
#ifndef THNN_POINTWISE_H
#define THNN_POINTWISE_H

#include "../ops/activations.h"
#include "THKernel.h"
#include "THNN.h"

#define THNN_NAME(Name, FORWARD, GRADIENT) THNN_##Name,
enum { TH_FOR_EACH_ACTIVATION(THNN_NAME) THNN_ACTIVATIONS };
enum { TH_FOR_EACH_LOSS(THNN_NAME) THNN_LOSSES };
#undef THNN_NAME

#define TH_GENERIC_FILE "generic/THNNPointwise.h"
#include "THGenerateFloatTypes.h"

#endif
