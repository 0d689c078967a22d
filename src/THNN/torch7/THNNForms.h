/* The functions that Torch7 declares otherwise than 2018, in Torch7's form, for builds with
 * TH_COMPAT=torch7.  A loss is one element, and gradients are those of that element. */

/* clang-format off */

// the absolute value of input - target; its gradient at 0 is 0
TH_API void THNN_(AbsCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage);           // divide by the number of elements
TH_API void THNN_(AbsCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage);           // divide by the number of elements

// minus target * log(input) minus (1 - target) * log(1 - input), times the weight, where logarithms
// count as -100 at least.  An input that is no probability is an error.
TH_API void THNN_(BCECriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage,            // divide by the number of elements
          THTensor *weights);          // [OPTIONAL] weights
TH_API void THNN_(BCECriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // divide by the number of elements
          THTensor *weights);          // [OPTIONAL] weights

// minus the input of the target's class, times its weight; targets of ignore_index count as 0.  With
// sizeAverage the sum is divided by the sum of the weights.
TH_API void THNN_(ClassNLLCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, from TH_INDEX_BASE on
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage,            // divide by the number of elements
          THTensor *weights,           // [OPTIONAL] weights
          THTensor *total_weight,      // [BUFFER] the sum of the weights
          int64_t ignore_index);       // target that does not count
TH_API void THNN_(ClassNLLCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, from TH_INDEX_BASE on
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // divide by the number of elements
          THTensor *weights,           // [OPTIONAL] weights
          THTensor *total_weight,      // [BUFFER] the sum of the weights
          int64_t ignore_index);       // target that does not count

// ClassNLLCriterion for each position of an image
TH_API void THNN_(SpatialClassNLLCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, from TH_INDEX_BASE on
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage,            // divide by the number of elements
          THTensor *weights,           // [OPTIONAL] weights
          THTensor *total_weight);     // [BUFFER] the sum of the weights
TH_API void THNN_(SpatialClassNLLCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, from TH_INDEX_BASE on
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // divide by the number of elements
          THTensor *weights,           // [OPTIONAL] weights
          THTensor *total_weight);     // [BUFFER] the sum of the weights

// output is input where it is above 0, else alpha * (exp(input) - 1)
TH_API void THNN_(ELU_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          accreal alpha,               // negative values are alpha * (exp(input) - 1)
          bool inplace);               // if true, the first tensor is changed and the other becomes the same
TH_API void THNN_(ELU_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output,            // what updateOutput computed
          accreal alpha,               // negative values are alpha * (exp(input) - 1)
          bool inplace);               // if true, the first tensor is changed and the other becomes the same

// target * (log(target) - input), and 0 for targets up to 0
TH_API void THNN_(DistKLDivCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage);           // divide by the number of elements
TH_API void THNN_(DistKLDivCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage);           // divide by the number of elements

// over the planes of an image or a batch, over all elements of a vector
TH_API void THNN_(LogSoftMax_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output);           // [OUT] output tensor
TH_API void THNN_(LogSoftMax_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output);           // what updateOutput computed

// log(1 + exp(-input * target))
TH_API void THNN_(SoftMarginCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage);           // divide by the number of elements
TH_API void THNN_(SoftMarginCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage);           // divide by the number of elements

// the square of input - target
TH_API void THNN_(MSECriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage);           // divide by the number of elements
TH_API void THNN_(MSECriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage);           // divide by the number of elements

// The sum of what is above 0 of 1 - input[i] + input[k], over all classes i that are listed and all k
// that are not, divided by the number of classes.  A list ends before the first TH_INDEX_BASE - 1.
TH_API void THNN_(MultiLabelMarginCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, ended by one below TH_INDEX_BASE
          THTensor *output,            // [OUT] output tensor
          THTensor *isTarget,          // [BUFFER] which classes are targets
          bool sizeAverage);           // divide by the number of elements
TH_API void THNN_(MultiLabelMarginCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, ended by one below TH_INDEX_BASE
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *isTarget,          // [BUFFER] which classes are targets
          bool sizeAverage);           // divide by the number of elements

// The sum of what is above 0 of margin - input[target] + input[k], to the power of p, over all other
// classes k, times the weight of target, divided by the number of classes.
TH_API void THNN_(MultiMarginCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, from TH_INDEX_BASE on
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage,            // divide by the number of elements
          int p,                       // 1 or 2: the power
          THTensor *weights,           // [OPTIONAL] weights
          accreal margin);             // the margin
TH_API void THNN_(MultiMarginCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THIndexTensor *target,       // classes, from TH_INDEX_BASE on
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // divide by the number of elements
          int p,                       // 1 or 2: the power
          THTensor *weights,           // [OPTIONAL] weights
          accreal margin);             // the margin

// output is input where it is above 0, else weight times that.  The planes are dimension 1 of input,
// or its only one.
TH_API void THNN_(PReLU_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // the weights
          THIndex_t nOutputPlane);     // planes with a weight of their own; 0: one weight for all
TH_API void THNN_(PReLU_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // the weights
          THIndex_t nOutputPlane);     // planes with a weight of their own; 0: one weight for all
TH_API void THNN_(PReLU_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // the weights
          THTensor *gradWeight,        // [OUT] += scale times the gradient w.r.t. weight
          THTensor *gradWeightBuf,     // not used
          THTensor *gradWeightBuf2,    // not used
          THIndex_t nOutputPlane,      // planes with a weight of their own; 0: one weight for all
          accreal scale);              // factor of what is added

// of output = 1 / (1 + exp(-input))
TH_API void THNN_(Sigmoid_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output);           // what updateOutput computed

// half the square of input - target where that is within 1 of 0, else its absolute value - 1/2
TH_API void THNN_(SmoothL1Criterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *output,            // [OUT] output tensor
          bool sizeAverage);           // divide by the number of elements
TH_API void THNN_(SmoothL1Criterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // what input should be
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage);           // divide by the number of elements

// as LogSoftMax
TH_API void THNN_(SoftMax_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output);           // [OUT] output tensor
TH_API void THNN_(SoftMax_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output);           // what updateOutput computed

// of output = tanh(input)
TH_API void THNN_(Tanh_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output);           // what updateOutput computed

// The image at the points of grid, interpolated linearly.  A point is x, y, from -1 at the first
// pixel to 1 at the last.  Beyond the image there are zeros.
TH_API void THNN_(SpatialGridSamplerBilinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *grid,              // where to read, from -1 to 1
          THTensor *output);           // [OUT] output tensor
TH_API void THNN_(SpatialGridSamplerBilinear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *grid,              // where to read, from -1 to 1
          THTensor *gradGrid,          // [OUT] gradient w.r.t. grid
          THTensor *gradOutput);       // gradient w.r.t. output

// weight is outputs x planes x kT x kH x kW, or the same with the last four dimensions as one.
TH_API void THNN_(VolumetricConvolutionMM_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // the weights
          THTensor *bias,              // [OPTIONAL] bias
          THTensor *finput,            // [BUFFER]
          int kT,                      // window size, time
          int kW,                      // window size, width
          int kH,                      // window size, height
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH);                     // padding, height
TH_API void THNN_(VolumetricConvolutionMM_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OUT] += scale times the gradient w.r.t. weight
          THTensor *gradBias,          // [OPTIONAL] [OUT] += scale times the gradient w.r.t. bias
          THTensor *finput,            // [BUFFER]
          int kT,                      // window size, time
          int kW,                      // window size, width
          int kH,                      // window size, height
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH,                      // padding, height
          accreal scale);              // factor of what is added

// SpatialFullConvolution of volumes: weight is planes x outputs x kT x kH x kW, or the same with
// the last four dimensions as one.
TH_API void THNN_(VolumetricFullConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // the weights
          THTensor *bias,              // [OPTIONAL] bias
          THTensor *finput,            // [BUFFER]
          THTensor *fgradInput,        // [BUFFER]
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH,                      // padding, height
          int aT,                      // added to the size of output, time
          int aW,                      // added to the size of output, width
          int aH);                     // added to the size of output, height
TH_API void THNN_(VolumetricFullConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // the weights
          THTensor *finput,            // [BUFFER]
          THTensor *fgradInput,        // [BUFFER]
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH,                      // padding, height
          int aT,                      // added to the size of output, time
          int aW,                      // added to the size of output, width
          int aH);                     // added to the size of output, height
TH_API void THNN_(VolumetricFullConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OUT] += scale times the gradient w.r.t. weight
          THTensor *gradBias,          // [OPTIONAL] [OUT] += scale times the gradient w.r.t. bias
          THTensor *finput,            // [BUFFER]
          THTensor *fgradInput,        // [BUFFER]
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH,                      // padding, height
          int aT,                      // added to the size of output, time
          int aW,                      // added to the size of output, width
          int aH,                      // added to the size of output, height
          accreal scale);              // factor of what is added

// VolumetricFullConvolution with dilated windows
TH_API void THNN_(VolumetricFullDilatedConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // the weights
          THTensor *bias,              // [OPTIONAL] bias
          THTensor *finput,            // [BUFFER]
          THTensor *fgradInput,        // [BUFFER]
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH,                      // padding, height
          int dilationT,               // between elements of a window, time
          int dilationW,               // between elements of a window, width
          int dilationH,               // between elements of a window, height
          int aT,                      // added to the size of output, time
          int aW,                      // added to the size of output, width
          int aH);                     // added to the size of output, height
TH_API void THNN_(VolumetricFullDilatedConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // the weights
          THTensor *finput,            // [BUFFER]
          THTensor *fgradInput,        // [BUFFER]
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH,                      // padding, height
          int dilationT,               // between elements of a window, time
          int dilationW,               // between elements of a window, width
          int dilationH,               // between elements of a window, height
          int aT,                      // added to the size of output, time
          int aW,                      // added to the size of output, width
          int aH);                     // added to the size of output, height
TH_API void THNN_(VolumetricFullDilatedConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OUT] += scale times the gradient w.r.t. weight
          THTensor *gradBias,          // [OPTIONAL] [OUT] += scale times the gradient w.r.t. bias
          THTensor *finput,            // [BUFFER]
          THTensor *fgradInput,        // [BUFFER]
          int dT,                      // step, time
          int dW,                      // step, width
          int dH,                      // step, height
          int pT,                      // padding, time
          int pW,                      // padding, width
          int pH,                      // padding, height
          int dilationT,               // between elements of a window, time
          int dilationW,               // between elements of a window, width
          int dilationH,               // between elements of a window, height
          int aT,                      // added to the size of output, time
          int aW,                      // added to the size of output, width
          int aH,                      // added to the size of output, height
          accreal scale);              // factor of what is added
