/* The kernels of the fused recurrent cells, per type and instruction set. */
#ifndef THNN_FUSED_CELLS_H
#define THNN_FUSED_CELLS_H

#include "THKernel.h"
#include "THNN/layer/Call.h"

#define TH_GENERIC_FILE "THNN/recurrent/FusedCellsGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
