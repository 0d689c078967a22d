/* What programs of PyTorch and of ONNX have in common for boxes and positions in images. */
#ifndef ATEN_DETECTION_H
#define ATEN_DETECTION_H

#include "ATen/program/Program.h"

/* Boxes of four numbers: two corners, or a middle and a size. */
typedef struct at_boxes {
  const float *box;
  int64_t count;
  bool isCentered;
  double threshold; /* the largest overlap, as a part of the union, of two boxes that are kept */
} at_boxes;

/* Writes the boxes that are kept, of those in order, to kept: at most so many, whose scores are above
 * least (all if scores is NULL).  Returns how many. */
int64_t at_suppress(const at_boxes *boxes, const int64_t *order, const float *scores, double least,
                    int64_t most, int64_t *kept);

/* Cells of regions: their rows and columns, points along each side of one (0: as many as pixels), the
 * size of a pixel in the units of regions, half a pixel or 0, and whether the largest point counts or
 * the mean.  Position-sensitive cells have channels of their own: cell (i, j) of channel c is of channel
 * (c rows + i) columns + j of the image, and NaN if the region is empty. */
typedef struct at_cellsWanted {
  int64_t rows, columns, ratio;
  double scale, offset;
  bool isMax, isPositionSensitive;
} at_cellsWanted;

/* Samples regions (count x 4: x and y of two corners) of the images x (N x C x H x W); which has the
 * image of each.  count x C x rows x columns, or count x C / (rows columns) x rows x columns if they are
 * position-sensitive, of x's type; undefined if it failed.  Raises if sizes or
 * values do not fit. */
at_tensor *at_sampledRegions(const at_graphNode *node, at_tensor *x, at_tensor *corners,
                             at_tensor *which, const at_cellsWanted *wanted);

/* The channels of position-sensitive cells of the images x; raises if there is no whole number of them. */
int64_t at_cellChannels(const at_graphNode *node, const at_tensor *x, int64_t rows,
                        int64_t columns);

/* A convolution of images x (N x C x H x W) with filters (O x C / parts x kernel) whose taps are moved by
 * offsets (N x 2 groups taps x rows x columns: down and across of each tap) and weighed by a mask, in
 * rows, columns order; before and after are paddings.  bias and mask may be NULL. */
typedef struct at_deformed {
  at_tensor *x, *filters, *offsets, *bias, *mask;
  int64_t kernel[2], stride[2], dilation[2], before[2], after[2];
  int64_t parts, groups; /* of channels: with their own filters, and with their own offsets */
} at_deformed;

/* The result is of x's type, in the scope; undefined if it failed.  Raises if operands do not fit. */
at_tensor *at_deformedConvolution(const at_graphNode *node, const at_deformed *given);

/* The positions that matrices theta (N x 2 x 3 or N x 3 x 4) move those of an image or volume of the size
 * (N, C, then its own) to: N x height x width x 2, from -1 to 1 at the edges or, if it aligns, at the
 * middles of the outer pixels. */
at_tensor *at_affineGrid(const at_graphNode *node, at_tensor *theta, at_ints size, bool aligns);

#endif
