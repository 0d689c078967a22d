/* Layers and losses on a device: those of THNN's generic/THNN.h, which says what their arguments
 * are, with the state in front. */

TH_API void THNN_(Abs_updateOutput)(THCState *state, THCTensor *input, THCTensor *output);
TH_API void THNN_(Abs_updateGradInput)(THCState *state, THCTensor *input, THCTensor *gradOutput,
                                       THCTensor *gradInput);

TH_API void THNN_(AbsCriterion_updateOutput)(THCState *state, THCTensor *input, THCTensor *target,
                                             THCTensor *output, bool sizeAverage, bool reduce);
TH_API void THNN_(AbsCriterion_updateGradInput)(THCState *state, THCTensor *input,
                                                THCTensor *target, THCTensor *gradOutput,
                                                THCTensor *gradInput, bool sizeAverage,
                                                bool reduce);

/* weights may be NULL. */
TH_API void THNN_(ClassNLLCriterion_updateOutput)(THCState *state, THCTensor *input,
                                                  THCIndexTensor *target, THCTensor *output,
                                                  bool sizeAverage, THCTensor *weights,
                                                  THCTensor *total_weight, int64_t ignore_index,
                                                  bool reduce);
/* weights may be NULL. */
TH_API void THNN_(ClassNLLCriterion_updateGradInput)(THCState *state, THCTensor *input,
                                                     THCIndexTensor *target, THCTensor *gradOutput,
                                                     THCTensor *gradInput, bool sizeAverage,
                                                     THCTensor *weights, THCTensor *total_weight,
                                                     int64_t ignore_index, bool reduce);

TH_API void THNN_(DistKLDivCriterion_updateOutput)(THCState *state, THCTensor *input,
                                                   THCTensor *target, THCTensor *output,
                                                   bool sizeAverage, bool reduce);
TH_API void THNN_(DistKLDivCriterion_updateGradInput)(THCState *state, THCTensor *input,
                                                      THCTensor *target, THCTensor *gradOutput,
                                                      THCTensor *gradInput, bool sizeAverage,
                                                      bool reduce);

TH_API void THNN_(ELU_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                    accreal alpha, accreal scale, bool inplace);
TH_API void THNN_(ELU_updateGradInput)(THCState *state, THCTensor *gradOutput, THCTensor *gradInput,
                                       THCTensor *output, accreal alpha, accreal scale);

TH_API void THNN_(HardTanh_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                         accreal min_val, accreal max_val, bool inplace);
TH_API void THNN_(HardTanh_updateGradInput)(THCState *state, THCTensor *input,
                                            THCTensor *gradOutput, THCTensor *gradInput,
                                            accreal min_val, accreal max_val, bool inplace);

TH_API void THNN_(LeakyReLU_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                          accreal negval, bool inplace);
TH_API void THNN_(LeakyReLU_updateGradInput)(THCState *state, THCTensor *input,
                                             THCTensor *gradOutput, THCTensor *gradInput,
                                             accreal negval, bool inplace);

TH_API void THNN_(LogSigmoid_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                           THCTensor *buffer);
TH_API void THNN_(LogSigmoid_updateGradInput)(THCState *state, THCTensor *input,
                                              THCTensor *gradOutput, THCTensor *gradInput,
                                              THCTensor *buffer);

TH_API void THNN_(LogSoftMax_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                           int dim);
TH_API void THNN_(LogSoftMax_updateGradInput)(THCState *state, THCTensor *input,
                                              THCTensor *gradOutput, THCTensor *gradInput,
                                              THCTensor *output, int dim);

TH_API void THNN_(MSECriterion_updateOutput)(THCState *state, THCTensor *input, THCTensor *target,
                                             THCTensor *output, bool sizeAverage, bool reduce);
TH_API void THNN_(MSECriterion_updateGradInput)(THCState *state, THCTensor *input,
                                                THCTensor *target, THCTensor *gradOutput,
                                                THCTensor *gradInput, bool sizeAverage,
                                                bool reduce);

TH_API void THNN_(Sigmoid_updateOutput)(THCState *state, THCTensor *input, THCTensor *output);
TH_API void THNN_(Sigmoid_updateGradInput)(THCState *state, THCTensor *gradOutput,
                                           THCTensor *gradInput, THCTensor *output);

TH_API void THNN_(SmoothL1Criterion_updateOutput)(THCState *state, THCTensor *input,
                                                  THCTensor *target, THCTensor *output,
                                                  bool sizeAverage, bool reduce);
TH_API void THNN_(SmoothL1Criterion_updateGradInput)(THCState *state, THCTensor *input,
                                                     THCTensor *target, THCTensor *gradOutput,
                                                     THCTensor *gradInput, bool sizeAverage,
                                                     bool reduce);

TH_API void THNN_(SoftMarginCriterion_updateOutput)(THCState *state, THCTensor *input,
                                                    THCTensor *target, THCTensor *output,
                                                    bool sizeAverage, bool reduce);
TH_API void THNN_(SoftMarginCriterion_updateGradInput)(THCState *state, THCTensor *input,
                                                       THCTensor *target, THCTensor *gradOutput,
                                                       THCTensor *gradInput, bool sizeAverage,
                                                       bool reduce);

TH_API void THNN_(SoftMax_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                        int dim);
TH_API void THNN_(SoftMax_updateGradInput)(THCState *state, THCTensor *input, THCTensor *gradOutput,
                                           THCTensor *gradInput, THCTensor *output, int dim);

TH_API void THNN_(SoftPlus_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                         accreal beta, accreal threshold);
TH_API void THNN_(SoftPlus_updateGradInput)(THCState *state, THCTensor *input,
                                            THCTensor *gradOutput, THCTensor *gradInput,
                                            THCTensor *output, accreal beta, accreal threshold);

TH_API void THNN_(SoftShrink_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                           accreal lambda);
TH_API void THNN_(SoftShrink_updateGradInput)(THCState *state, THCTensor *input,
                                              THCTensor *gradOutput, THCTensor *gradInput,
                                              accreal lambda);

/* bias may be NULL. */
TH_API void THNN_(SpatialConvolutionMM_updateOutput)(THCState *state, THCTensor *input,
                                                     THCTensor *output, THCTensor *weight,
                                                     THCTensor *bias, THCTensor *columns,
                                                     THCTensor *ones, int kW, int kH, int dW,
                                                     int dH, int padW, int padH);
TH_API void THNN_(SpatialConvolutionMM_updateGradInput)(THCState *state, THCTensor *input,
                                                        THCTensor *gradOutput, THCTensor *gradInput,
                                                        THCTensor *weight, THCTensor *columns,
                                                        THCTensor *ones, int kW, int kH, int dW,
                                                        int dH, int padW, int padH);
/* gradBias may be NULL. */
TH_API void THNN_(SpatialConvolutionMM_accGradParameters)(THCState *state, THCTensor *input,
                                                          THCTensor *gradOutput,
                                                          THCTensor *gradWeight,
                                                          THCTensor *gradBias, THCTensor *columns,
                                                          THCTensor *ones, int kW, int kH, int dW,
                                                          int dH, int padW, int padH,
                                                          accreal scale);

TH_API void THNN_(SpatialDilatedMaxPooling_updateOutput)(THCState *state, THCTensor *input,
                                                         THCTensor *output, THCIndexTensor *indices,
                                                         int kW, int kH, int dW, int dH, int padW,
                                                         int padH, int dilationW, int dilationH,
                                                         bool ceil_mode);
TH_API void THNN_(SpatialDilatedMaxPooling_updateGradInput)(THCState *state, THCTensor *input,
                                                            THCTensor *gradOutput,
                                                            THCTensor *gradInput,
                                                            THCIndexTensor *indices, int kW, int kH,
                                                            int dW, int dH, int padW, int padH,
                                                            int dilationW, int dilationH,
                                                            bool ceil_mode);

TH_API void THNN_(SpatialMaxPooling_updateOutput)(THCState *state, THCTensor *input,
                                                  THCTensor *output, THCIndexTensor *indices,
                                                  int kW, int kH, int dW, int dH, int padW,
                                                  int padH, bool ceil_mode);
TH_API void THNN_(SpatialMaxPooling_updateGradInput)(THCState *state, THCTensor *input,
                                                     THCTensor *gradOutput, THCTensor *gradInput,
                                                     THCIndexTensor *indices, int kW, int kH,
                                                     int dW, int dH, int padW, int padH,
                                                     bool ceil_mode);

TH_API void THNN_(Sqrt_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                     accreal eps);
TH_API void THNN_(Sqrt_updateGradInput)(THCState *state, THCTensor *input, THCTensor *gradOutput,
                                        THCTensor *gradInput, THCTensor *output);

TH_API void THNN_(Square_updateOutput)(THCState *state, THCTensor *input, THCTensor *output);
TH_API void THNN_(Square_updateGradInput)(THCState *state, THCTensor *input, THCTensor *gradOutput,
                                          THCTensor *gradInput);

TH_API void THNN_(Tanh_updateOutput)(THCState *state, THCTensor *input, THCTensor *output);
TH_API void THNN_(Tanh_updateGradInput)(THCState *state, THCTensor *gradOutput,
                                        THCTensor *gradInput, THCTensor *output);

TH_API void THNN_(Threshold_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                          accreal threshold, accreal val, bool inplace);
TH_API void THNN_(Threshold_updateGradInput)(THCState *state, THCTensor *input,
                                             THCTensor *gradOutput, THCTensor *gradInput,
                                             accreal threshold, accreal val, bool inplace);

TH_API void THNN_(Im2Col_updateOutput)(THCState *state, THCTensor *input, THCTensor *output, int kH,
                                       int kW, int dH, int dW, int padH, int padW, int sH, int sW);
TH_API void THNN_(Im2Col_updateGradInput)(THCState *state, THCTensor *gradOutput,
                                          THCTensor *gradInput, int inputHeight, int inputWidth,
                                          int kH, int kW, int dH, int dW, int padH, int padW,
                                          int sH, int sW);

TH_API void THNN_(Col2Im_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                       int outputHeight, int outputWidth, int kH, int kW, int dH,
                                       int dW, int padH, int padW, int sH, int sW);
TH_API void THNN_(Col2Im_updateGradInput)(THCState *state, THCTensor *gradOutput,
                                          THCTensor *gradInput, int kH, int kW, int dH, int dW,
                                          int padH, int padW, int sH, int sW);
