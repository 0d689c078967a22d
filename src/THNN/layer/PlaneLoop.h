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
  int dims;           /* number of dimensions of the tensors */
  int axes;           /* number of dimensions of a plane: the last ones of the tensors */
  ptrdiff_t count;    /* number of planes of all images */
  int64_t in[3];      /* sizes of an input plane */
  int64_t out[3];     /* sizes of an output plane */
  ptrdiff_t input;    /* elements of an input plane */
  ptrdiff_t output;   /* elements of an output plane */
  int64_t inSize[5];  /* sizes of the input tensor */
  int64_t outSize[5]; /* sizes of the output tensor */
} THNNPlanes;

/* The planes of a tensor of this size; its last `axes` dimensions are a plane.  Raises if the number
 * of elements overflows. */
THNNPlanes THNNPlanes_of(int dims, const int64_t *size, int axes);

/* Sets the size of output planes to out, of which the last planes->axes numbers count.  Raises unless all
 * are positive. */
void THNNPlanes_setOutput(THNNPlanes *planes, const int64_t out[3]);

/* Slides windows along the axes: sets input and output of the windows, and the size of output planes.
 * Raises unless every window holds an element of the image, and padding is at most half a
 * window. */
void THNNPlanes_slide(THNNPlanes *planes, THNNWindow axis[3], bool ceil_mode);

/* Whether a tensor with this size and stride has the size `wanted` and is channels-last (in memory, batch x
 * positions x planes). */
int THNNPlanes_areChannelsLast(const THNNPlanes *planes, const int64_t *wanted, int dims,
                               const int64_t *size, const int64_t *stride);

/* planes for views of the same tensors whose last dimension is the channels.  Its count is the number of
 * output rows; a row holds all channels. */
THNNPlanes THNNPlanes_channelsLast(const THNNPlanes *planes);

/* The number of planes of an image. */
static inline ptrdiff_t THNNPlanes_perImage(const THNNPlanes *p)
{
  return p->inSize[p->dims - p->axes - 1];
}

#define TH_GENERIC_FILE "THNN/layer/PlaneLoopGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
