/* Images at the points of a grid: kernels, per type and instruction set.
 *
 * A point lies between 4 places of an image or 8 of a volume, its corners; what those are and what
 * they weigh is found for a block of points, and then used for every plane. */
#ifndef THNN_GRID_SAMPLER_H
#define THNN_GRID_SAMPLER_H

#include "THKernel.h"
#include "THNNPlanes.h"

/* What there is beyond the image. */
enum { THNN_ZEROS, THNN_BORDER, THNN_REFLECTION };

enum { THNN_GRID_SAMPLE, THNN_GRID_INPUT, THNN_GRID_POINTS };

enum { THNN_GRID_BLOCK = 256 };

#define TH_GENERIC_FILE "generic/THNNGridSampler.h"
#include "THGenerateFloatTypes.h"

#endif
