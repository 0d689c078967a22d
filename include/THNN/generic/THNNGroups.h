/* output takes its shape from input and weight; bias, an element for each plane of it, may be NULL.
 */
TH_API void THNN_(Groups_updateOutput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                       THTensor *output, THTensor *weight, THTensor *bias);

/* transformed becomes what Winograd's algorithm for windows of 3 x 3 makes of weight before it looks
 * at an image, or empty if such a convolution, forward and with steps of 1, is not for this algorithm.
 * Where the same weight sees many images, Groups_updateOutput with how->transformed = transformed
 * does without this work: with small images up to half of the time.  transformed has four times the
 * elements of weight, or a little more, in an order that depends on the processor; of all axes,
 * groups, full, size, step and dilation how has to say the same, and pad is free. */
TH_API void THNN_(Groups_transformWeights)(THNNState *state, const THNNGroups *how,
                                           THTensor *weight, THTensor *transformed);

/* gradInput takes the shape of input. */
TH_API void THNN_(Groups_updateGradInput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                          THTensor *gradOutput, THTensor *gradInput,
                                          THTensor *weight);

/* Adds scale times the gradients to gradWeight and gradBias, either of which may be NULL. */
TH_API void THNN_(Groups_accGradParameters)(THNNState *state, const THNNGroups *how,
                                            THTensor *input, THTensor *gradOutput,
                                            THTensor *gradWeight, THTensor *gradBias,
                                            accreal scale);
