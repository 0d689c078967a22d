/* The geometry of convolutions, whatever the elements: where the taps of a window are.
 *
 * Everything has three dimensions, depth, rows and columns; images have depth 1.  Each output is a
 * sum over taps (elements of the window): each is multiplied with the element of the plane at some
 * offset from the output's position.  Planes are packed where that is needed: a full convolution
 * reads zeros around the plane, and with a column step above 1 the columns that one tap reads are
 * stored next to each other. */
#ifndef TH_CONV_H
#define TH_CONV_H

#include "THGeneral.h"

typedef enum THConvKind {
  TH_CONV_VALID,   /* output y = the sum over a of window[a] * plane[y * step + a] */
  TH_CONV_REVERSE, /* output y = the sum over a of window[a] * plane[y + a * step] */
  TH_CONV_FULL     /* output y = the sum of window[a] * plane[i] over y = i * step + a */
} THConvKind;

typedef struct THConvShape {
  THConvKind kind;
  int flip; /* the window is mirrored: tap a is its element a counted from the end */
  int64_t plane[3], window[3], step[3], output[3];
  int alongWindow; /* vectors run along rows of the window (long ones), not along rows of the output */
} THConvShape;

/* Sets the size of the output; returns 0 if the window is larger than the plane, or the size
 * overflows. */
int THConvShape_setOutput(THConvShape *shape);

/* A full convolution with steps splits into phases: outputs a step apart use the same taps.
 * THConvShape_phases is the number of phases in a dimension, THConvShape_outputs the number of
 * outputs of a phase. */
int64_t THConvShape_phases(const THConvShape *shape, int dim);
int64_t THConvShape_outputs(const THConvShape *shape, int dim, int64_t phase);

/* The layout of planes in memory. */
typedef struct THConvPlane {
  int64_t border[3]; /* zeros before and after, in each dimension */
  int64_t size[3];   /* including the borders */
  int64_t split;     /* column c is stored in part c % split, as column c / split of that part */
  int64_t parts;     /* the parts that taps read; only these are stored */
  int64_t stride[3]; /* of elements of the same part */
  int64_t width;     /* columns of a part, and the offset from a part to the next */
  ptrdiff_t length;  /* elements of the packed plane */
} THConvPlane;

/* A plane that is read where it is; strides are in elements. */
THConvPlane THConvPlane_inPlace(const THConvShape *shape, const int64_t *stride);

/* The layout of the packed plane; returns 0 if its length overflows. */
int THConvPlane_pack(THConvPlane *plane, const THConvShape *shape);

/* Whether columns have to be reordered, or zeros added. */
int THConvPlane_mustBePacked(const THConvShape *shape);

/* A box of taps, and the strides of plane and window from one tap to the next in each dimension. */
typedef struct THTaps {
  ptrdiff_t count[3], plane[3], window[3];
  ptrdiff_t firstPlane, firstWindow;
} THTaps;

/* The taps of the outputs of a phase: one box for each part of the plane. */
void THConvPlane_taps(const THConvPlane *plane, const THConvShape *shape, const int64_t *phase,
                      THTaps *boxes);

/* The distance in the plane from an output to the next. */
ptrdiff_t THConvPlane_step(const THConvPlane *plane, const THConvShape *shape, int dim);

#endif
