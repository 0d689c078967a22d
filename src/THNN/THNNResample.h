/* Planes whose elements come from given places of another plane, each axis by itself: up-sampling
 * and padding are tables of such places.  Forward gathers them, backward adds gradients to them. */
#ifndef THNN_RESAMPLE_H
#define THNN_RESAMPLE_H

#include "THKernel.h"
#include "THNNPlanes.h"

enum { THNN_GATHER, THNN_SCATTER };

#define TH_GENERIC_FILE "generic/THNNResample.h"
#include "THGenerateFloatTypes.h"

#endif
