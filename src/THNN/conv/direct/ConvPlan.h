/* How a direct convolution goes: the layout of flat planes, and what is computed from them.
 *
 * Forward there is one part: all windows, and all their elements are terms.  Back, from y to x,
 * windows that are step apart reach different elements of x through different elements of theirs:
 * there is a part for every step-th element of x that is reached at all.  Where much of what
 * windows have is padding, there are more parts, for neighbours without the same elements of
 * theirs.
 *
 * Where planes are last (c->last), vectors run along them: then windows may be step apart in the
 * flat image, which is laid out as it is, with the padding. */
#ifndef THNN_PLAN_H
#define THNN_PLAN_H

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
  ptrdiff_t apart[3];      /* windows in a flat plane: slices, rows, columns */
  ptrdiff_t parts, packed; /* packed weights of a group */
  THNNPart *part;
  int leaves; /* elements of the result that no part reaches: they are 0 */
} THNNPlan;

/* What a plan is for.  Positions whose windows have the same elements in the image are a part of
 * their own, where that spares enough of the products with padding, which no part has then. */
typedef enum {
  THNN_PLAN_WHOLE,   /* one part is all positions, with the padding */
  THNN_PLAN_SHIFTED, /* sums of shifted planes, which run across the ends of rows: only whole rows
                        or slices are parts */
  THNN_PLAN_PICKED /* products with the elements of a list: offsets are those of the first plane */
} THNNPlanUse;

/* The share of the products, with the padding, that a plan has. */
double THNNPlan_share(const THNNConvolution *c, int back, THNNPlanUse use);

/* Bytes of memory that a plan needs. */
size_t THNNPlan_memory(const THNNConvolution *c, int back, THNNPlanUse use);

/* The flat image of a thread, in elements. */
static inline ptrdiff_t THNNPlan_flat(const THNNPlan *p)
{
  return p->planes * p->plane + THNN_DIRECT_SLACK;
}

/* memory: as much as THNNPlan_memory says. */
THNNPlan THNNPlan_of(const THNNConvolution *c, int back, THNNPlanUse use, void *memory);

/* The layout of a plane of y whose rows are as far apart as those of x, and its elements. */
ptrdiff_t THNNPlan_other(const THNNConvolution *c, const THNNPlan *p, THNNWindow *layout);

/* Windows that slide over y, back along one dimension, make elements first, first + step, ... of x:
 * element l of such a window is element tap + l * apart of the convolution's.  There are none of
 * size 0 where no window reaches these elements.  Forward windows are what they are. */
typedef struct {
  THNNWindow window;
  int64_t first, step, tap, apart;
} THNNSlide;

/* How many slides there are along a dimension, and number k of them. */
int64_t THNNSlide_count(const THNNWindow *w, int back);
THNNSlide THNNSlide_of(const THNNWindow *w, int back, int64_t k);

/* Sums over images are taken in sets whose number depends on the shapes alone, and then over the
 * sets in order. */
enum { THNN_IMAGE_SETS = 8 };

#endif
