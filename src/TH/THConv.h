/* The geometry of convolutions, whatever the elements: where the taps of a window are.
 *
 * Everything has three dimensions, depth, rows and columns; images have depth 1.  Each output is a
 * sum of taps: an element of the window times an element of the plane that lies some way off from
 * the output's place.  What is read is not always the plane as it is: a full convolution meets
 * zeros around it, and where windows are several columns apart, the columns that the same tap meets
 * are laid out side by side. */
#ifndef TH_CONV_H
#define TH_CONV_H

#include "THGeneral.h"

typedef enum THConvKind {
  TH_CONV_VALID,   /* output y adds up window[a] * plane[y * step + a] */
  TH_CONV_REVERSE, /* window[a] * plane[y + a * step] */
  TH_CONV_FULL     /* window[a] * plane[i] for all y = i * step + a */
} THConvKind;

typedef struct THConvShape {
  THConvKind kind;
  int flip; /* tap a meets the window's element a from its end */
  int64_t plane[3], window[3], step[3], output[3];
  int dots; /* vectors run along the rows of windows, which are longer than those of outputs */
} THConvShape;

/* Sets the size of the output; returns 0 where the window is larger than the plane, or the size is
 * not a number. */
int THConvShape_setOutput(THConvShape *shape);

/* A full convolution with steps falls apart: outputs that are a step from each other meet the same
 * taps.  How many such phases there are, and how many outputs each has, in a dimension. */
int64_t THConvShape_phases(const THConvShape *shape, int dim);
int64_t THConvShape_outputs(const THConvShape *shape, int dim, int64_t phase);

/* How planes lie in memory. */
typedef struct THConvPlane {
  int64_t border[3]; /* zeros in front, and behind, in each dimension */
  int64_t size[3];   /* with them */
  int64_t split;     /* columns this far apart lie side by side */
  int64_t parts;     /* so many of the sets of columns are there */
  int64_t stride[3]; /* of a place in the first set; from a set to the next it is width */
  int64_t width;
  ptrdiff_t length; /* of all */
} THConvPlane;

/* A plane that is read where it is; strides are in elements. */
THConvPlane THConvPlane_inPlace(const THConvShape *shape, const int64_t *stride);

/* The plane as it is to be laid out; returns 0 if its length is not a number. */
int THConvPlane_layOut(THConvPlane *plane, const THConvShape *shape);

/* Columns have to be laid out anew, or zeros put around. */
int THConvPlane_mustBeLaidOut(const THConvShape *shape);

/* A box of taps, and how far plane and window are walked from one to the next in each dimension. */
typedef struct THTaps {
  ptrdiff_t count[3], plane[3], window[3];
  ptrdiff_t firstPlane, firstWindow;
} THTaps;

/* The taps of the outputs of a phase: one box for each part of the plane. */
void THConvPlane_taps(const THConvPlane *plane, const THConvShape *shape, const int64_t *phase,
                      THTaps *boxes);

/* From an output's place to the next. */
ptrdiff_t THConvPlane_step(const THConvPlane *plane, const THConvShape *shape, int dim);

#endif
