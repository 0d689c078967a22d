/* Windows as the columns of a matrix, and back. */
#ifndef THNN_UNFOLD_H
#define THNN_UNFOLD_H

#include "THKernel.h"
#include "THNNWindow.h"

#define TH_GENERIC_FILE "generic/THNNUnfold.h"
#include "THGenerateFloatTypes.h"

#endif
