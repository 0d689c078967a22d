/* The first include of THNN's templates: what all types share, then the type of this instance. */
#ifndef THNN_TEMPLATE_H
#define THNN_TEMPLATE_H

#include "THNN2018.h"
#include "THNNBatchNorm.h"
#include "THNNCall.h"
#include "THNNClasses.h"
#include "THNNConvolution.h"
#include "THNNFusedCells.h"
#include "THNNGridSampler.h"
#include "THNNImplicit.h"
#include "THNNMaxPool.h"
#include "THNNPlan.h"
#include "THNNPlanes.h"
#include "THNNPointwise.h"
#include "THNNResample.h"
#include "THNNSoftMax.h"
#include "THNNTileRows.h"
#include "THNNUnfold.h"
#include "THNNWindow.h"
#include "THNNWindowSum.h"
#include "THNNWinograd.h"

#define TH_GENERIC_FILE "generic/THNNConvolution.h"
#include "THGenerateFloatTypes.h"

#include "THTemplate.h"

#ifdef TH_COMPAT_TORCH7 /* templates define the 2018 forms; torch7/ has Torch7's */
#include "torch7/THNNRename.h"
#endif

#endif
