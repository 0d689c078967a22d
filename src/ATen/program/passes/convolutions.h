/* Convolutions of images as nodes that passes have replaced: with weights that Winograd's algorithm has
 * transformed (transformedWeights.c), with an activation (activations.c), or with both. */
#ifndef ATEN_PASS_CONVOLUTIONS_H
#define ATEN_PASS_CONVOLUTIONS_H

#include "ATen/nn/convolution.h"
#include "Passes.h"

/* What the node of a convolution is told.  The lists of how are the arrays before it. */
typedef struct at_convolving {
  int64_t stride[2], padding[2], dilation[2];
  at_conv_options how;
  bool isActivated;
  THNNActivation activation; /* if isActivated */
} at_convolving;

/* The inputs of a replaced node, by name. */
enum { AT_CONVOLVED, AT_WEIGHT, AT_BIAS, AT_TRANSFORMED, AT_CONVOLVING_INPUTS };
extern const char *const at_convolvingNames[AT_CONVOLVING_INPUTS];

/* What the node is told, in the arena; NULL if it is no convolution of images, or a transposed one, or if
 * its options are not constants. */
at_convolving *at_convolvingOf(at_arena *arena, const at_graphNode *node);

/* Makes the node, a convolution, one that at_computeConvolution computes with the same tensors.  transformed:
 * the slot of the transformed weight, or AT_NO_SLOT. */
void at_replaceConvolution(at_rewrite *rewrite, at_graphNode *node, const char *target,
                           const at_convolving *how, int32_t transformed);

at_computeFunction at_computeConvolution;

#endif
