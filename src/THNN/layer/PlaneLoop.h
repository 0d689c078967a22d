/* Layers that compute each plane of an image by itself: the shapes of their tensors, and the loop
 * over the planes.
 *
 *     THNNPlanes p = THNN_(planes)(input, 2, 1, 2, "planes x height x width, or a batch of that");
 *     THNNPlanes_setOutput(&p, out);                             size of an output plane
 *     THNN_(PlaneLoop) loop = {.plane = compute, .source = input, .result = output, ...};
 *     THNN_(runPlanes)(&p, &loop);                               compute(&loop, plane, scratch)
 *
 * A plane has three axes: depth, height and width.  Missing axes have size 1, so that code for
 * volumes computes images and sequences too. */
#ifndef THNN_PLANE_LOOP_H
#define THNN_PLANE_LOOP_H

#include "Call.h"
#include "Window.h"

enum { THNN_STREAM_BYTES = 2048 }; /* bytes of a streamed result that are written at a time */

typedef struct THNNPlanes {
  int dims;                      /* of the tensors */
  int axes;                      /* of a plane: the tensors' last dimensions */
  ptrdiff_t count;               /* planes of all images */
  int64_t in[3], out[3];         /* sizes of a plane, before and after the layer */
  ptrdiff_t input, output;       /* elements of a plane */
  int64_t inSize[5], outSize[5]; /* of the tensors */
} THNNPlanes;

/* The planes of a tensor of that size; its last axes dimensions are a plane.  Raises if the number
 * of elements overflows. */
THNNPlanes THNNPlanes_of(int dims, const int64_t *size, int axes);

/* Sets the size of output planes, of which the last axes count.  Raises unless all are positive. */
void THNNPlanes_setOutput(THNNPlanes *planes, const int64_t out[3]);

/* Slides windows along the axes: sets their input and output, and the size of output planes.
 * Raises unless every window holds an element of the image, and padding is at most half a
 * window. */
void THNNPlanes_slide(THNNPlanes *planes, THNNWindow axis[3], bool ceil_mode);

/* Whether a tensor with that size and stride has the size wanted, and is channels-last: in memory,
 * batch x positions x planes. */
int THNNPlanes_areChannelsLast(const THNNPlanes *planes, const int64_t *wanted, int dims,
                               const int64_t *size, const int64_t *stride);

/* The same images as tensors whose last dimension is the planes.  count is then the number of
 * output rows; a row holds all planes. */
THNNPlanes THNNPlanes_channelsLast(const THNNPlanes *planes);

/* How many planes an image has. */
static inline ptrdiff_t THNNPlanes_perImage(const THNNPlanes *p)
{
  return p->inSize[p->dims - p->axes - 1];
}

#define TH_GENERIC_FILE "THNN/layer/PlaneLoopGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
