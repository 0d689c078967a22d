/* The kernels of SoftMax and LogSoftMax, per type and instruction set. */
#ifndef THNN_SOFT_MAX_H
#define THNN_SOFT_MAX_H

#include "THKernel.h"
#include "THNN.h"

/* A row of lanes: lanes sequences of count elements lie side by side, step apart within each. */
enum { THNN_SOFT_MAX_LANES = 64 };

#define TH_GENERIC_FILE "generic/THNNSoftMax.h"
#include "THGenerateFloatTypes.h"

#endif
