/* The plan of the algorithms direct and implicit_gemm: how a padded image (a flat image, DirectConv.h)
 * is stored, and into which parts the positions of the result are divided.
 *
 * Forward, there is one part: all positions, with all taps.  Backward data, from y to x, with a stride
 * above 1, an element of x gets products with some of the taps only.  Which taps these are depends on
 * the element's index modulo the stride: elements with the same remainder are a part.  Where windows
 * have much padding, there are more parts: neighbouring positions whose windows have the same taps in
 * the padding.
 *
 * For channels-last images (c->channelsLast) vectors run along the channels.  Windows may then start
 * `step` positions apart, so the flat image is simply the padded image. */
#ifndef THNN_CONV_PLAN_H
#define THNN_CONV_PLAN_H

#include "THNN/conv/Convolution.h"

typedef struct {
  THNNDirect d;         /* the positions and terms of the part, for one group */
  ptrdiff_t taps;       /* number of taps of the part, for each plane of the flat image */
  const ptrdiff_t *tap; /* the index of each of these taps in the kernel */
  ptrdiff_t start;      /* offset of the part's first position in a plane of the result */
  ptrdiff_t packed;     /* offset of the part's packed weights in those of its group */
} THNNPart;

typedef struct {
  THNNWindow
      layout[3];    /* how im2col makes a flat plane: size counts phases, output their elements */
  ptrdiff_t plane;  /* elements of a flat plane */
  ptrdiff_t planes; /* planes of a group of the source */
  ptrdiff_t stride[3]; /* stride of positions in a flat plane: slices, rows, columns */
  ptrdiff_t parts;     /* number of parts */
  ptrdiff_t packed;    /* elements of the packed weights of a group */
  THNNPart *part;
  int hasGaps; /* some positions of the result are in no part: the caller sets them to the bias or 0 */
} THNNConvPlan;

/* What a plan is for.  Where enough products with padding can be left out, positions whose windows
 * have the same taps in the image are a part of their own, without these products. */
typedef enum {
  THNN_PLAN_WHOLE, /* one part: all positions, with the products with padding */
  THNN_PLAN_SHIFTED, /* for sums of shifted planes, which run across the ends of rows: a part has whole
                        rows or slices */
  THNN_PLAN_PICKED /* for products with listed elements: d.offset has the first plane's offsets alone */
} THNNConvPlanUse;

/* The number of products of a plan, divided by that of a plan without parts. */
double THNNConvPlan_fraction(const THNNConvolution *c, int backward, THNNConvPlanUse use);

/* The bytes of memory that a plan needs. */
size_t THNNConvPlan_memory(const THNNConvolution *c, int backward, THNNConvPlanUse use);

/* The elements of a flat image of a group. */
static inline ptrdiff_t THNNConvPlan_flat(const THNNConvPlan *p)
{
  return p->planes * p->plane + THNN_DIRECT_SLACK;
}

/* Makes a plan, in memory of as many bytes as THNNConvPlan_memory returns. */
THNNConvPlan THNNConvPlan_of(const THNNConvolution *c, int backward, THNNConvPlanUse use,
                             void *memory);

/* Sets layout for a plane of y whose rows are as far apart as those of a flat plane of x, and returns
 * the elements of such a plane. */
ptrdiff_t THNNConvPlan_other(const THNNConvolution *c, const THNNConvPlan *p, THNNWindow *layout);

/* Backward data along one dimension, as a convolution of y with stride 1 that computes the elements
 * first, first + step, ... of x.  Forward, the one slide is the convolution itself. */
typedef struct {
  THNNWindow window;   /* the windows that slide over y; size 0 if no tap reaches these elements */
  int64_t first, step; /* the elements of x that are computed */
  int64_t tap;         /* the first tap of the slide, as a tap of the convolution */
  int64_t tapStride;   /* the stride from there to the slide's next tap */
} THNNSlide;

/* The number of slides along a dimension. */
int64_t THNNSlide_count(const THNNWindow *w, int backward);

/* Slide k of a dimension. */
THNNSlide THNNSlide_of(const THNNWindow *w, int backward, int64_t k);

/* Sums over the batch are taken over at most this many sets of images, and then over the sets in
 * order: the order depends on the shapes alone, not on the threads. */
enum { THNN_IMAGE_SETS = 8 };

#endif
