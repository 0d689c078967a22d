/* Images at the points of a grid: kernels, per type and instruction set.
 *
 * A point lies between 4 places of an image or 8 of a volume, its corners; what those are and what
 * they weigh is found for a block of points, and then used for every plane.  Where there are enough
 * planes and points, groups of planes are turned over first, so that a corner's values in all
 * planes of a group lie side by side. */
#ifndef THNN_GRID_SAMPLER_H
#define THNN_GRID_SAMPLER_H

#include "THKernel.h"
#include "THNNPlanes.h"

/* What there is beyond the image. */
enum { THNN_ZEROS, THNN_BORDER, THNN_REFLECTION };

enum {
  THNN_GRID_SAMPLE,
  THNN_GRID_INPUT,
  THNN_GRID_POINTS,
  THNN_GRID_GROUPS,
  THNN_GRID_GROUPS_BACKWARD
};

enum { THNN_GRID_BLOCK = 256 };
enum { THNN_GRID_GROUP = 16, THNN_GRID_FEW = 6 }; /* planes, and how many are not worth turning */
enum { THNN_GRID_PIECE = 64 };                    /* points or places turned at a time */

#define TH_GENERIC_FILE "generic/THNNGridSampler.h"
#include "THGenerateFloatTypes.h"

#endif
