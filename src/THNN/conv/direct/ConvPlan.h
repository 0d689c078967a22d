/* The plan of a direct convolution: the layout of flat planes, and the parts of the result.
 *
 * Forward, there is one part: all windows, and all their elements are terms.  Backward data, from y
 * to x, element i of x meets only those elements of windows whose distance from i is a multiple of
 * the step: the elements of x with the same remainder are a part.  Where many elements of the windows
 * are padding, there are more parts: neighbouring positions whose windows have the same elements in
 * the padding.
 *
 * For channels-last images (c->channelsLast) vectors run along the planes, so that windows may be step apart
 * in the flat image: that is the image itself, with its padding. */
#ifndef THNN_CONV_PLAN_H
#define THNN_CONV_PLAN_H

#include "THNN/conv/Convolution.h"

typedef struct {
  THNNDirect d;         /* of one group */
  ptrdiff_t taps;       /* elements of a window that are terms, for each plane of the flat image */
  const ptrdiff_t *tap; /* their numbers */
  ptrdiff_t start;      /* of the first position in a plane of the result */
  ptrdiff_t packed;     /* weights of the parts before */
} THNNPart;

typedef struct {
  THNNWindow layout[3];    /* unfolds a plane into a flat one */
  ptrdiff_t plane, planes; /* elements of a flat plane, planes of a group */
  ptrdiff_t stride[3];     /* of windows in a flat plane: slices, rows, columns */
  ptrdiff_t parts, packed; /* packed weights of a group */
  THNNPart *part;
  int leaves; /* elements of the result that no part reaches: they are 0 */
} THNNConvPlan;

/* What a plan is for.  Where enough products with padding can be left out, positions whose windows
 * have the same elements in the image are a part of their own, without these products. */
typedef enum {
  THNN_PLAN_WHOLE,   /* one part is all positions, with the padding */
  THNN_PLAN_SHIFTED, /* sums of shifted planes, which run across the ends of rows: only whole rows
                        or slices are parts */
  THNN_PLAN_PICKED /* products with the elements of a list: offsets are those of the first plane */
} THNNConvPlanUse;

/* The products of a plan, divided by all products with the padding. */
double THNNConvPlan_fraction(const THNNConvolution *c, int backward, THNNConvPlanUse use);

/* Bytes of memory that a plan needs. */
size_t THNNConvPlan_memory(const THNNConvolution *c, int backward, THNNConvPlanUse use);

/* The flat image of a thread, in elements. */
static inline ptrdiff_t THNNConvPlan_flat(const THNNConvPlan *p)
{
  return p->planes * p->plane + THNN_DIRECT_SLACK;
}

/* memory: as much as THNNConvPlan_memory says. */
THNNConvPlan THNNConvPlan_of(const THNNConvolution *c, int backward, THNNConvPlanUse use,
                             void *memory);

/* The layout of a plane of y whose rows are as far apart as those of x, and its elements. */
ptrdiff_t THNNConvPlan_other(const THNNConvolution *c, const THNNConvPlan *p, THNNWindow *layout);

/* Backward data along one dimension: windows that slide over y compute the elements first, first +
 * step, ... of x.  Element l of such a window is element tap + l * tapStride of the convolution's window.
 * Its size is 0 where no window reaches these elements of x.  Forward, the window is the
 * convolution's. */
typedef struct {
  THNNWindow window;
  int64_t first, step, tap, tapStride;
} THNNSlide;

/* How many slides there are along a dimension, and number k of them. */
int64_t THNNSlide_count(const THNNWindow *w, int backward);
THNNSlide THNNSlide_of(const THNNWindow *w, int backward, int64_t k);

/* Sums over images are taken in sets whose number depends on the shapes alone, and then over the
 * sets in order. */
enum { THNN_IMAGE_SETS = 8 };

#endif
