/* Convolutions of images and volumes in groups, dilated, strided, padded, forward or full
 * (transposed): one description for all of them.
 *
 *     THNNGroups how = {.axes = 2, .groups = 4, .size = {1, 3, 3}, .step = {1, 1, 1},
 *                       .dilation = {1, 1, 1}};
 *     THNN_FloatGroups_updateOutput(NULL, &how, input, output, weight, NULL);
 *
 * The planes of input and output are divided among the groups evenly, in order, and each group is a
 * convolution of its own: with as many groups as planes it is depth-wise.  weight is outputs x
 * planes of a group x window; of a full convolution, planes x outputs of a group x window. */
#ifndef THNN_GROUPS_H
#define THNN_GROUPS_H

#include "THNN.h"

/* What updateOutput on the CPU may make of each element v of output before it stores the element:
 * min(max(v, low), high), or v * min(max(v + 3, 0), 6) / 6.  NaN stays NaN. */
typedef enum THNNActivationKind { THNN_CLAMP, THNN_HARDSWISH } THNNActivationKind;

typedef struct THNNActivation {
  THNNActivationKind kind;
  double low, high; /* of THNN_CLAMP */
  bool
      isDone; /* updateOutput sets isDone if output is what the activation makes; it never clears it */
} THNNActivation;

/* Arrays are for slices, rows and columns; values before the axes are 1, but 0 for pad and
 * adjust. */
typedef struct THNNGroups {
  int axes;   /* 2 of images, 3 of volumes */
  bool full;  /* a transposed convolution: input and output are exchanged */
  int groups; /* at least 1 */
  int size[3], step[3], pad[3], dilation[3];
  int adjust[3];     /* PyTorch's output_padding, of a full convolution; below step or dilation */
  void *transformed; /* a tensor that Groups_transformWeights made of the same weight, or NULL */
  THNNActivation *activation; /* or NULL */
} THNNGroups;

#define TH_GENERIC_FILE "THNN/generic/THNNGroups.h"
#include "THGenerateFloatTypes.h"

#endif
