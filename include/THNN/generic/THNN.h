/* One argument a line: programs read these declarations with parsers of their own. */

/* clang-format off */

/* --- activations ------------------------------------------------------------------------------ */

TH_API void THNN_(Tanh_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output);           // [OUT] tanh of input
TH_API void THNN_(Tanh_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output);           // what updateOutput computed

// output is input where it is above threshold (or NaN), else val
TH_API void THNN_(Threshold_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          accreal threshold,           // what an element has to exceed
          accreal val,                 // what it becomes if it does not
          bool inplace);               // if true, input is changed, and output becomes the same tensor
TH_API void THNN_(Threshold_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          accreal threshold,           // as in updateOutput
          accreal val,                 // as in updateOutput
          bool inplace);               // if true, gradOutput is changed, and gradInput becomes the same tensor

// over dimension dim, counted from 0
TH_API void THNN_(SoftMax_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] exp(input) / its sum over dim
          int64_t dim);                // dimension
TH_API void THNN_(SoftMax_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output,            // what updateOutput computed
          int64_t dim);                // dimension
TH_API void THNN_(LogSoftMax_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] the logarithm of SoftMax
          int64_t dim);                // dimension
TH_API void THNN_(LogSoftMax_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output,            // what updateOutput computed
          int64_t dim);                // dimension

/* --- losses ----------------------------------------------------------------------------------- */

// With reduce, output is one element: the sum over all elements, divided by their number if
// sizeAverage is set.  Without it, output has an element for each.  gradOutput is shaped as output.

// the square of input - target
TH_API void THNN_(MSECriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          bool reduce);                // sum up
TH_API void THNN_(MSECriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          bool reduce);                // as in updateOutput

// minus the input of the target's class, times its weight; targets of ignore_index count as 0.  With
// sizeAverage the sum is divided by the sum of the weights.
TH_API void THNN_(ClassNLLCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // classes, or batch x classes: log-probabilities
          THIndexTensor *target,       // classes from TH_INDEX_BASE on, one for each of the batch
          THTensor *output,            // [OUT] loss: one element, or batch without reduce
          bool sizeAverage,            // divide by the sum of the weights
          THTensor *weights,           // [OPTIONAL] a weight for each class
          THTensor *total_weight,      // [OUT] the sum of the weights of the batch
          int64_t ignore_index,        // a class that is left out
          bool reduce);                // sum up; a single input is summed up always
TH_API void THNN_(ClassNLLCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // classes, or batch x classes: log-probabilities
          THIndexTensor *target,       // as in updateOutput
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          THTensor *weights,           // [OPTIONAL] a weight for each class
          THTensor *total_weight,      // what updateOutput computed
          int64_t ignore_index,        // a class that is left out
          bool reduce);                // as in updateOutput

/* --- linear ----------------------------------------------------------------------------------- */

TH_API void THNN_(Linear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // inputs, or batch x inputs
          THTensor *output,            // [OUT] input * weight' + bias
          THTensor *weight,            // outputs x inputs
          THTensor *bias,              // [OPTIONAL] outputs
          THTensor *addBuffer);        // [OPTIONAL] [BUFFER] not used
TH_API void THNN_(Linear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // inputs, or batch x inputs
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OPTIONAL] [OUT] gradient w.r.t. input
          THTensor *weight);           // outputs x inputs
TH_API void THNN_(Linear_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // inputs, or batch x inputs
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OPTIONAL] not used
          THTensor *weight,            // [OPTIONAL] not used
          THTensor *bias,              // [OPTIONAL] if NULL, gradBias is not used
          THTensor *gradWeight,        // outputs x inputs, added to
          THTensor *gradBias,          // [OPTIONAL] outputs, added to
          THTensor *addBuffer,         // [OPTIONAL] [BUFFER] not used
          accreal scale);              // factor of what is added

/* --- images ----------------------------------------------------------------------------------- */

// Windows of kH x kW, dH and dW apart, over images with padH and padW zeros around them.  weight is
// outputs x planes x kH x kW, or the same with the last three dimensions as one.
TH_API void THNN_(SpatialConvolutionMM_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] outputs x rows of windows x windows in a row
          THTensor *weight,            // 2-D or 4-D
          THTensor *bias,              // [OPTIONAL] outputs
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH);         // zeros on each side
TH_API void THNN_(SpatialConvolutionMM_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 4-D
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH);         // zeros on each side
TH_API void THNN_(SpatialConvolutionMM_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] outputs, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          accreal scale);              // factor of what is added

// The largest element of each window; NaN is larger than all.  padding is at most half a window.
TH_API void THNN_(SpatialMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x rows of windows x windows in a row
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // padding on each side, which is never the largest
          bool ceil_mode);             // a last window may reach beyond the padding
TH_API void THNN_(SpatialMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // what updateOutput computed
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // padding on each side
          bool ceil_mode);             // as in updateOutput

/* clang-format on */
