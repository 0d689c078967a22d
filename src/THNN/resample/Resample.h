/* Resampling: planes whose elements come from given elements of another plane, along each axis by
 * itself.  Upsampling and padding are tables of source indices.  Forward gathers the sources,
 * backward scatters gradients to them. */
#ifndef THNN_RESAMPLE_H
#define THNN_RESAMPLE_H

#include "THKernel.h"
#include "THNN/layer/PlaneLoop.h"

enum { THNN_GATHER, THNN_SCATTER };

#endif
