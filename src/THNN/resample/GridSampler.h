/* Grid sampling: kernels, per type and instruction set.
 *
 * A point lies between 4 elements of an image or 8 of a volume, its corners.  The indices and
 * weights of the corners are found for a block of points, and then used for every plane.  Where
 * there are enough planes and points, groups of planes are transposed first, so that a corner's
 * values in all planes of a group lie side by side. */
#ifndef THNN_GRID_SAMPLER_H
#define THNN_GRID_SAMPLER_H

#include "THKernel.h"
#include "THNN/layer/PlaneLoop.h"

/* The value of points beyond the image. */
enum { THNN_ZEROS, THNN_BORDER, THNN_REFLECTION };

enum {
  THNN_GRID_SAMPLE,
  THNN_GRID_INPUT,
  THNN_GRID_POINTS,
  THNN_GRID_GROUPS,
  THNN_GRID_GROUPS_BACKWARD
};

enum { THNN_GRID_BLOCK = 256 };
enum { THNN_GRID_GROUP = 16 };     /* planes that are transposed together */
enum { THNN_GRID_MIN_PLANES = 6 }; /* fewer are not worth a transpose */
enum { THNN_GRID_TILE = 64 };      /* points or elements of a plane transposed at a time */

#define TH_GENERIC_FILE "THNN/resample/GridSamplerGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
