/* The kernels of SoftMax and LogSoftMax, per type and instruction set. */
#ifndef THNN_SOFT_MAX_H
#define THNN_SOFT_MAX_H

#include "THKernel.h"
#include "THNN.h"

/* The most sequences that lie side by side, as lanes; the elements of each are step apart. */
enum { THNN_SOFT_MAX_LANES = 64 };

#define TH_GENERIC_FILE "THNN/activation/SoftMaxGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
