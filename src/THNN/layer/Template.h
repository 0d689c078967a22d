/* The first include of THNN's templates: what all types share, then the type of this instance; headers
 * of that type (...Layers.h) follow.  Compiled for a device, a template has that device's header
 * instead. */
#ifdef TH_TEMPLATE_DEVICE
#include TH_TEMPLATE_DEVICE
#elif !defined(THNN_TEMPLATE_H)
#define THNN_TEMPLATE_H

#include "THNN2018.h"
#include "THNN/norm/BatchNorm.h"
#include "Call.h"
#include "THNN/loss/Classes.h"
#include "THNN/conv/Convolution.h"
#include "THNN/recurrent/FusedCells.h"
#include "THNN/resample/GridSampler.h"
#include "THNN/conv/gemm/ColumnPanels.h"
#include "THNN/conv/gemm/ImplicitGemm.h"
#include "THNN/pool/MaxPool.h"
#include "THNN/conv/ConvPlan.h"
#include "PlaneLoop.h"
#include "THNN/activation/Pointwise.h"
#include "THNN/resample/Resample.h"
#include "THNN/activation/SoftMax.h"
#include "THNN/conv/winograd/Winograd5x5.h"
#include "THNN/conv/gemm/Im2Col.h"
#include "Window.h"
#include "THNN/pool/AvgPool.h"

#define TH_GENERIC_FILE "THNN/conv/ConvolutionGeneric.h"
#include "THGenerateFloatTypes.h"

#include "THNN/conv/winograd/Winograd3x3.h"

#define TH_GENERIC_FILE "THNN/conv/ConvLayersGeneric.h"
#include "THGenerateFloatTypes.h"

#define TH_GENERIC_FILE "THNN/conv/AlgorithmGeneric.h"
#include "THGenerateFloatTypes.h"

#include "THTemplate.h"

#ifdef TH_COMPAT_TORCH7 /* templates define the 2018 forms; torch7/ has Torch7's */
#include "THNN/torch7/THNNRename.h"
#endif

#endif
