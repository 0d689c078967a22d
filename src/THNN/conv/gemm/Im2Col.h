/* Im2col, which writes windows as the columns of a matrix, and col2im, which adds the columns to the
 * image. */
#ifndef THNN_IM2COL_H
#define THNN_IM2COL_H

#include "THKernel.h"
#include "THNN/layer/Window.h"

#define TH_GENERIC_FILE "THNN/conv/gemm/Im2ColGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
