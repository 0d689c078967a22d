/* Sums over windows of a plane, and their gradient: kernels, per type and instruction set. */
#ifndef THNN_WINDOW_SUM_H
#define THNN_WINDOW_SUM_H

#include "THKernel.h"
#include "THNNPlanes.h"
#include "THNNWindow.h"

enum { THNN_WINDOW_SUM, THNN_WINDOW_SPREAD };

#define TH_GENERIC_FILE "generic/THNNWindowSum.h"
#include "THGenerateFloatTypes.h"

#endif
