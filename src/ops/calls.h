/* Functions that ATen calls besides those that tools/aten/calls finds, in rows as it writes them:
 * CALL(types, result, name, parameters, the body, the body on a device). */
CALL(ALL, void, amax, (void *r, void *t, int dimension, int keepdim),
     THTensor_(amax)(r, t, dimension, keepdim), extreme(THCTensor_(max), r, t, dimension, keepdim))
CALL(ALL, void, amin, (void *r, void *t, int dimension, int keepdim),
     THTensor_(amin)(r, t, dimension, keepdim), extreme(THCTensor_(min), r, t, dimension, keepdim))
/* THNN's convolutions in groups. */
CALL(FLOAT, void, groupsOutput,
     (const struct THNNGroups *how, void *input, void *output, void *weight, void *bias),
     THNN_(Groups_updateOutput)(NULL, how, input, output, weight, bias),
     THNN_(Groups_updateOutput)(AT_STATE, how, input, output, weight, bias))
CALL(FLOAT, void, groupsGradInput,
     (const struct THNNGroups *how, void *input, void *gradOutput, void *gradInput, void *weight),
     THNN_(Groups_updateGradInput)(NULL, how, input, gradOutput, gradInput, weight),
     THNN_(Groups_updateGradInput)(AT_STATE, how, input, gradOutput, gradInput, weight))
CALL(FLOAT, void, groupsGradParameters,
     (const struct THNNGroups *how, void *input, void *gradOutput, void *gradWeight,
      void *gradBias),
     THNN_(Groups_accGradParameters)(NULL, how, input, gradOutput, gradWeight, gradBias, 1),
     THNN_(Groups_accGradParameters)(AT_STATE, how, input, gradOutput, gradWeight, gradBias, 1))
CALL(FLOAT, void, transformWeights, (const struct THNNGroups *how, void *weight, void *transformed),
     THNN_(Groups_transformWeights)(NULL, how, weight, transformed), MISSING(transformWeights))
