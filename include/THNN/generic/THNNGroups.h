/* Computes output, which takes its shape from input and weight.  bias has an element for each plane of output,
 * or is NULL. */
TH_API void THNN_(Groups_updateOutput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                       THTensor *output, THTensor *weight, THTensor *bias);

/* Computes transformed: the weights as Winograd's algorithm for 3 x 3 kernels transforms them before it
 * looks at an image.  transformed becomes empty if that algorithm does not compute such a convolution.
 * If the same weight is used for many images, Groups_updateOutput with how->transformed = transformed
 * saves this work, for small images up to half of the time.  transformed has four times the elements of
 * weight, or a little more, in an order that depends on the processor.  axes, groups, full, size, step
 * and dilation of how have to be the same in both calls; pad may differ. */
TH_API void THNN_(Groups_transformWeights)(THNNState *state, const THNNGroups *how,
                                           THTensor *weight, THTensor *transformed);

/* Computes gradInput, which takes the shape of input. */
TH_API void THNN_(Groups_updateGradInput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                          THTensor *gradOutput, THTensor *gradInput,
                                          THTensor *weight);

/* Adds scale times the gradients to gradWeight and gradBias, either of which may be NULL. */
TH_API void THNN_(Groups_accGradParameters)(THNNState *state, const THNNGroups *how,
                                            THTensor *input, THTensor *gradOutput,
                                            THTensor *gradWeight, THTensor *gradBias,
                                            accreal scale);
