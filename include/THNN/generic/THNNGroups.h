/* output takes its shape from input and weight; bias, an element for each plane of it, may be NULL.
 */
TH_API void THNN_(Groups_updateOutput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                       THTensor *output, THTensor *weight, THTensor *bias);

/* gradInput takes the shape of input. */
TH_API void THNN_(Groups_updateGradInput)(THNNState *state, const THNNGroups *how, THTensor *input,
                                          THTensor *gradOutput, THTensor *gradInput,
                                          THTensor *weight);

/* Adds scale times the gradients to gradWeight and gradBias, either of which may be NULL. */
TH_API void THNN_(Groups_accGradParameters)(THNNState *state, const THNNGroups *how,
                                            THTensor *input, THTensor *gradOutput,
                                            THTensor *gradWeight, THTensor *gradBias,
                                            accreal scale);
