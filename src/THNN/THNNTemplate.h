/* The first line of THNN's templates: what exists for all types, then the type of this one. */
#ifndef THNN_TEMPLATE_H
#define THNN_TEMPLATE_H

#include "THNNCall.h"
#include "THNNClasses.h"
#include "THNNDirect.h"
#include "THNNGridSampler.h"
#include "THNNMaxPool.h"
#include "THNNPlanes.h"
#include "THNNPointwise.h"
#include "THNNResample.h"
#include "THNNSoftMax.h"
#include "THNNWindow.h"
#include "THNNWindowSum.h"

#include "THTemplate.h"

#endif
