/* One argument a line: programs read these declarations with parsers of their own. */

/* clang-format off */

/* --- activations ------------------------------------------------------------------------------ */

// the gradient of Abs at 0 is 0
TH_API void THNN_(Abs_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output);           // [OUT] absolute value of input
TH_API void THNN_(Abs_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput);        // [OUT] gradient w.r.t. input

// output is scale * input where it is above 0, else scale * alpha * (exp(input) - 1)
TH_API void THNN_(ELU_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          accreal alpha,               // minus the output far below 0, over scale
          accreal scale,               // factor of the output
          bool inplace);               // if true, input is changed, and output becomes the same tensor
TH_API void THNN_(ELU_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output,            // what updateOutput computed
          accreal alpha,               // as in updateOutput
          accreal scale);              // as in updateOutput

// input is cut in halves along dimension dim, counted from TH_INDEX_BASE
TH_API void THNN_(GatedLinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // an even size in dimension dim
          THTensor *output,            // [OUT] first half * sigmoid of second half
          int dim);                    // dimension
TH_API void THNN_(GatedLinear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int dim);                    // dimension

// output is 0 where input is from -lambda to lambda, else input
TH_API void THNN_(HardShrink_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          accreal lambda);             // how far from 0 input counts as 0
TH_API void THNN_(HardShrink_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          accreal lambda);             // as in updateOutput

// output is input, but at least min_val and at most max_val
TH_API void THNN_(HardTanh_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          accreal min_val,             // least output
          accreal max_val,             // largest output
          bool inplace);               // if true, input is changed, and output becomes the same tensor
TH_API void THNN_(HardTanh_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          accreal min_val,             // as in updateOutput
          accreal max_val,             // as in updateOutput
          bool inplace);               // if true, gradOutput is changed, and gradInput becomes the same tensor

// output is input where it is above 0, else negval times that
TH_API void THNN_(LeakyReLU_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          accreal negval,              // slope below 0
          bool inplace);               // if true, input is changed, and output becomes the same tensor
TH_API void THNN_(LeakyReLU_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          accreal negval,              // as in updateOutput
          bool inplace);               // if true, gradOutput is changed, and gradInput becomes the same tensor

TH_API void THNN_(LogSigmoid_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] log(1 / (1 + exp(-input)))
          THTensor *buffer);           // [BUFFER] not used
TH_API void THNN_(LogSigmoid_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *buffer);           // [BUFFER] not used

// output is input where it is above 0, else weight times that.  The planes are dimension 1 of input,
// or its only one.
TH_API void THNN_(PReLU_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          THTensor *weight);           // one weight, or one for each plane
TH_API void THNN_(PReLU_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight);           // one weight, or one for each plane
TH_API void THNN_(PReLU_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output, shaped as input
          THTensor *gradInput,         // [OPTIONAL] not used
          THTensor *weight,            // one weight, or one for each plane
          THTensor *gradWeight,        // as many elements as weight, added to
          accreal scale);              // factor of what is added

// output is input where it is above 0, else a slope times that: in training one that is drawn
// uniformly for each such element, in row-major order; otherwise the mean of lower and upper
TH_API void THNN_(RReLU_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          THTensor *noise,             // [OUT] in training the slope of each element, 1 above 0
          accreal lower,               // least slope
          accreal upper,               // largest slope
          bool train,                  // draw slopes
          bool inplace,                // if true, input is changed, and output becomes the same tensor
          THGenerator *generator);     // what draws, if train
TH_API void THNN_(RReLU_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *noise,             // what updateOutput drew, if train
          accreal lower,               // as in updateOutput
          accreal upper,               // as in updateOutput
          bool train,                  // as in updateOutput
          bool inplace);               // if true, gradOutput is changed, and gradInput becomes the same tensor

TH_API void THNN_(Sigmoid_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output);           // [OUT] 1 / (1 + exp(-input))
TH_API void THNN_(Sigmoid_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output);           // what updateOutput computed

// output is input where beta * input is above threshold
TH_API void THNN_(SoftPlus_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] log(1 + exp(beta * input)) / beta
          accreal beta,                // steepness
          accreal threshold);          // from where on output is input
TH_API void THNN_(SoftPlus_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output,            // not used
          accreal beta,                // as in updateOutput
          accreal threshold);          // as in updateOutput

// output is input, nearer to 0 by lambda, and 0 from -lambda to lambda
TH_API void THNN_(SoftShrink_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] output tensor
          accreal lambda);             // how far input is moved
TH_API void THNN_(SoftShrink_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          accreal lambda);             // as in updateOutput

// the gradient of Sqrt at 0 is 0
TH_API void THNN_(Sqrt_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output,            // [OUT] square root of input
          accreal eps);                // not used
TH_API void THNN_(Sqrt_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *output);           // what updateOutput computed

TH_API void THNN_(Square_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output);           // [OUT] square of input
TH_API void THNN_(Square_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput);        // [OUT] gradient w.r.t. input

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
// sizeAverage is set.  Without reduce, output has an element for each element of input.  gradOutput
// has output's shape.

// the absolute value of input - target; its gradient at 0 is 0
TH_API void THNN_(AbsCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          bool reduce);                // sum the losses
TH_API void THNN_(AbsCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          bool reduce);                // as in updateOutput

// minus target * log(input) minus (1 - target) * log(1 - input), times the weight, where logarithms
// count as -100 at least.  An input that is not a probability is an error.
TH_API void THNN_(BCECriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // probabilities, 0 to 1
          THTensor *target,            // as many elements as input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          THTensor *weights,           // [OPTIONAL] a factor for each element of input
          bool reduce);                // sum the losses
TH_API void THNN_(BCECriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // probabilities, 0 to 1
          THTensor *target,            // as many elements as input
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          THTensor *weights,           // [OPTIONAL] a factor for each element of input
          bool reduce);                // as in updateOutput

// target * (log(target) - input), and 0 for targets up to 0
TH_API void THNN_(DistKLDivCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // probabilities, as many as input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          bool reduce);                // sum the losses
TH_API void THNN_(DistKLDivCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // probabilities, as many as input
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          bool reduce);                // as in updateOutput

// always summed
TH_API void THNN_(L1Cost_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *output);           // [OUT] sum of the absolute values of input
TH_API void THNN_(L1Cost_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *gradOutput,        // [OPTIONAL] one element; 1 if NULL, or if it has as many as input
          THTensor *gradInput);        // [OUT] gradient w.r.t. input

// max(0, margin - input * target); always summed
TH_API void THNN_(MarginCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // 1 or -1 for each element of input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          accreal margin);             // what input * target has to reach
TH_API void THNN_(MarginCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // 1 or -1 for each element of input
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          accreal margin);             // as in updateOutput

// the square of input - target
TH_API void THNN_(MSECriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          bool reduce);                // sum the losses
TH_API void THNN_(MSECriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          bool reduce);                // as in updateOutput

// half the square of input - target where that is within 1 of 0, else its absolute value - 1/2
TH_API void THNN_(SmoothL1Criterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          bool reduce);                // sum the losses
TH_API void THNN_(SmoothL1Criterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // as many elements as input
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          bool reduce);                // as in updateOutput

// log(1 + exp(-input * target))
TH_API void THNN_(SoftMarginCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // 1 or -1 for each element of input
          THTensor *output,            // [OUT] loss
          bool sizeAverage,            // divide by the number of elements
          bool reduce);                // sum the losses
TH_API void THNN_(SoftMarginCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // input tensor
          THTensor *target,            // 1 or -1 for each element of input
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
          bool sizeAverage,            // divide by the sum of the weights, with reduce
          THTensor *weights,           // [OPTIONAL] a weight for each class
          THTensor *total_weight,      // [OUT] the sum of the weights of the batch
          int64_t ignore_index,        // a class that is left out
          bool reduce);                // sum; output of a single input is one element in any case
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

// ClassNLLCriterion for each position of an image
TH_API void THNN_(SpatialClassNLLCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x classes x height x width: log-probabilities
          THIndexTensor *target,       // batch x height x width
          THTensor *output,            // [OUT] loss: one element, or as target without reduce
          bool sizeAverage,            // divide by the sum of the weights
          THTensor *weights,           // [OPTIONAL] a weight for each class
          THTensor *total_weight,      // [OUT] the sum of the weights of all positions
          int64_t ignore_index,        // a class that is left out
          bool reduce);                // sum the losses
TH_API void THNN_(SpatialClassNLLCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x classes x height x width: log-probabilities
          THIndexTensor *target,       // batch x height x width
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          THTensor *weights,           // [OPTIONAL] a weight for each class
          THTensor *total_weight,      // what updateOutput computed
          int64_t ignore_index,        // a class that is left out
          bool reduce);                // as in updateOutput

// The sum of max(0, 1 - input[i] + input[k]) over all listed classes i and all other classes k,
// divided by the number of classes.  A list ends before the first TH_INDEX_BASE - 1.
TH_API void THNN_(MultiLabelMarginCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // classes, or batch x classes
          THIndexTensor *target,       // as input: lists of classes from TH_INDEX_BASE on
          THTensor *output,            // [OUT] loss: one element, or batch without reduce
          THTensor *isTarget,          // [OUT] as input: 1 for the classes that are listed, else 0
          bool sizeAverage,            // divide by batch
          bool reduce);                // sum; a single input is always summed
TH_API void THNN_(MultiLabelMarginCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // classes, or batch x classes
          THIndexTensor *target,       // as input: lists of classes from TH_INDEX_BASE on
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *isTarget,          // what updateOutput computed
          bool sizeAverage,            // as in updateOutput
          bool reduce);                // as in updateOutput

// The sum of max(0, margin - input[target] + input[k]) ^ p over all other classes k, times the weight
// of target, divided by the number of classes.
TH_API void THNN_(MultiMarginCriterion_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // classes, or batch x classes
          THIndexTensor *target,       // classes from TH_INDEX_BASE on, one for each of the batch
          THTensor *output,            // [OUT] loss: one element, or batch without reduce
          bool sizeAverage,            // divide by batch
          int p,                       // 1 or 2
          THTensor *weights,           // [OPTIONAL] a weight for each class
          accreal margin,              // how far above the others input should be
          bool reduce);                // sum; a single input is always summed
TH_API void THNN_(MultiMarginCriterion_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // classes, or batch x classes
          THIndexTensor *target,       // as in updateOutput
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          bool sizeAverage,            // as in updateOutput
          int p,                       // as in updateOutput
          THTensor *weights,           // [OPTIONAL] a weight for each class
          accreal margin,              // as in updateOutput
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

/* --- convolutions ----------------------------------------------------------------------------- */

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

// The same with dilation: elements of a window are dilationH and dilationW apart in the image.
TH_API void THNN_(SpatialDilatedConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 4-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int dilationW, int dilationH); // from an element of the window to the next
TH_API void THNN_(SpatialDilatedConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 4-D
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int dilationW, int dilationH); // from an element of the window to the next
TH_API void THNN_(SpatialDilatedConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int dilationW, int dilationH, // from an element of the window to the next
          accreal scale);              // factor of what is added

// Transposed convolution, as the gradient of SpatialConvolutionMM computes it: each element of input
// is multiplied with a window and added to output, which has (height - 1) * dH - 2 * padH + kH + adjH rows.  adjH is
// below dH, adjW below dW.  weight is planes x outputs x kH x kW, or the same with the last three
// dimensions as one.
TH_API void THNN_(SpatialFullConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 4-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int adjW, int adjH);         // what output is larger by
TH_API void THNN_(SpatialFullConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 4-D
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int adjW, int adjH);         // what output is larger by
TH_API void THNN_(SpatialFullConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int adjW, int adjH,          // what output is larger by
          accreal scale);              // factor of what is added

// The same with dilation: (height - 1) * dH - 2 * padH + dilationH * (kH - 1) + 1 + adjH rows.  An
// adjH below dilationH will do.
TH_API void THNN_(SpatialFullDilatedConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 4-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int dilationW, int dilationH, // from an element of the window to the next
          int adjW, int adjH);         // what output is larger by
TH_API void THNN_(SpatialFullDilatedConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 4-D
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int dilationW, int dilationH, // from an element of the window to the next
          int adjW, int adjH);         // what output is larger by
TH_API void THNN_(SpatialFullDilatedConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int dilationW, int dilationH, // from an element of the window to the next
          int adjW, int adjH,          // what output is larger by
          accreal scale);              // factor of what is added

// Each plane of input makes multiplier planes of output, which follow each other: plane i of input
// and row o of weight (multiplier x planes x kH x kW, or the same with the last three dimensions as
// one) plane i * multiplier + o.
TH_API void THNN_(SpatialDepthWiseConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 4-D
          THTensor *bias,              // [OPTIONAL] multiplier x planes
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH);         // zeros on each side
TH_API void THNN_(SpatialDepthWiseConvolution_updateGradInput)(
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
TH_API void THNN_(SpatialDepthWiseConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          accreal scale);              // factor of what is added

// SpatialConvolutionMM with separate weights for each window: weight is rows of windows x
// windows in a row x outputs x planes x kH x kW, or 3-D with the first two and the last three
// dimensions as one.
TH_API void THNN_(SpatialConvolutionLocal_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 3-D or 6-D
          THTensor *bias,              // [OPTIONAL] outputs x rows of windows x windows in a row
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int64_t inputWidth, int64_t inputHeight, // size of input
          int64_t outputWidth, int64_t outputHeight); // size of output
TH_API void THNN_(SpatialConvolutionLocal_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 3-D or 6-D
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int64_t inputWidth, int64_t inputHeight, // size of input
          int64_t outputWidth, int64_t outputHeight); // size of output
TH_API void THNN_(SpatialConvolutionLocal_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int64_t inputWidth, int64_t inputHeight, // size of input
          int64_t outputWidth, int64_t outputHeight, // size of output
          accreal scale);              // factor of what is added

// Convolution of the planes that connTable connects, each connection with a window of its own.
// connTable counts planes from TH_INDEX_BASE; weight is connections x kH x kW.  Planes of input
// beyond nInputPlane are ignored.
TH_API void THNN_(SpatialConvolutionMap_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // connections x kH x kW
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *connTable,         // connections x 2: plane of input, plane of output
          int nInputPlane,             // planes of input that may be connected
          int nOutputPlane,            // planes of output
          int dW, int dH);             // step of the window
TH_API void THNN_(SpatialConvolutionMap_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // connections x kH x kW
          THTensor *bias,              // [OPTIONAL] not used
          THTensor *connTable,         // connections x 2: plane of input, plane of output
          int nInputPlane,             // planes of input that may be connected
          int nOutputPlane,            // planes of output
          int dW, int dH);             // step of the window
TH_API void THNN_(SpatialConvolutionMap_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *connTable,         // connections x 2: plane of input, plane of output
          int nInputPlane,             // planes of input that may be connected
          int nOutputPlane,            // planes of output
          int dW, int dH,              // step of the window
          accreal scale);              // factor of what is added

// What the gradient of SpatialConvolutionMap computes: output has (height - 1) * dH + kH rows.
TH_API void THNN_(SpatialFullConvolutionMap_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // connections x kH x kW
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *connTable,         // connections x 2: plane of input, plane of output
          int nInputPlane,             // planes of input that may be connected
          int nOutputPlane,            // planes of output
          int dW, int dH);             // step of the window
TH_API void THNN_(SpatialFullConvolutionMap_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // connections x kH x kW
          THTensor *bias,              // [OPTIONAL] not used
          THTensor *connTable,         // connections x 2: plane of input, plane of output
          int nInputPlane,             // planes of input that may be connected
          int nOutputPlane,            // planes of output
          int dW, int dH);             // step of the window
TH_API void THNN_(SpatialFullConvolutionMap_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *connTable,         // connections x 2: plane of input, plane of output
          int nInputPlane,             // planes of input that may be connected
          int nOutputPlane,            // planes of output
          int dW, int dH,              // step of the window
          accreal scale);              // factor of what is added

// SpatialConvolutionMM of volumes: weight is outputs x planes x kT x kH x kW, or the same with the
// last four dimensions as one.
TH_API void THNN_(VolumetricConvolutionMM_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 5-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH);     // zeros on each side
TH_API void THNN_(VolumetricConvolutionMM_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 5-D
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH);     // zeros on each side
TH_API void THNN_(VolumetricConvolutionMM_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          accreal scale);              // factor of what is added

// The same; the windows are as large as weight says.
TH_API void THNN_(VolumetricConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 5-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH);     // zeros on each side
TH_API void THNN_(VolumetricConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 5-D
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH);     // zeros on each side
TH_API void THNN_(VolumetricConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          accreal scale);              // factor of what is added

// The same with dilation: elements of a window are dilationT, dilationH and dilationW apart.
TH_API void THNN_(VolumetricDilatedConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 5-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int padT, int padW, int padH, // zeros on each side
          int dilationT, int dilationW, int dilationH); // from an element of the window to the next
TH_API void THNN_(VolumetricDilatedConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 5-D
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int padT, int padW, int padH, // zeros on each side
          int dilationT, int dilationW, int dilationH); // from an element of the window to the next
TH_API void THNN_(VolumetricDilatedConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *columns,           // [OPTIONAL] [BUFFER] not used
          THTensor *ones,              // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int padT, int padW, int padH, // zeros on each side
          int dilationT, int dilationW, int dilationH, // from an element of the window to the next
          accreal scale);              // factor of what is added

// SpatialFullConvolution of volumes: weight is planes x outputs x kT x kH x kW, or the same with
// the last four dimensions as one.
TH_API void THNN_(VolumetricFullConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 5-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          int aT, int aW, int aH);     // what output is larger by
TH_API void THNN_(VolumetricFullConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 5-D
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          int aT, int aW, int aH);     // what output is larger by
TH_API void THNN_(VolumetricFullConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          int aT, int aW, int aH,      // what output is larger by
          accreal scale);              // factor of what is added

// The same with dilation.
TH_API void THNN_(VolumetricFullDilatedConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // 2-D or 5-D
          THTensor *bias,              // [OPTIONAL] one for each plane of output
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          int dilationT, int dilationW, int dilationH, // from an element of the window to the next
          int aT, int aW, int aH);     // what output is larger by
TH_API void THNN_(VolumetricFullDilatedConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // 2-D or 5-D
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          int dilationT, int dilationW, int dilationH, // from an element of the window to the next
          int aT, int aW, int aH);     // what output is larger by
TH_API void THNN_(VolumetricFullDilatedConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x time x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // zeros on each side
          int dilationT, int dilationW, int dilationH, // from an element of the window to the next
          int aT, int aW, int aH,      // what output is larger by
          accreal scale);              // factor of what is added

// Windows of kW frames, dW apart, over a sequence.  weight is outputFrameSize x (kW *
// inputFrameSize), in the order of the frames.
TH_API void THNN_(TemporalConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x inputFrameSize, or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // outputFrameSize x (kW * inputFrameSize)
          THTensor *bias,              // [OPTIONAL] outputFrameSize
          int kW,                      // frames of the window
          int dW,                      // step of the window
          int inputFrameSize,          // elements of a frame of input
          int outputFrameSize);        // elements of a frame of output
TH_API void THNN_(TemporalConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x inputFrameSize, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // outputFrameSize x (kW * inputFrameSize)
          int kW,                      // frames of the window
          int dW);                     // step of the window
TH_API void THNN_(TemporalConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x inputFrameSize, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          int kW,                      // frames of the window
          int dW,                      // step of the window
          accreal scale);              // factor of what is added

// Windows of kW frames, dW apart, over a sequence with padW frames of zeros on each side: each
// feature by itself.  output has the layout of input.
TH_API void THNN_(TemporalRowConvolution_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or features x frames; or a batch
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // features x kW, or features x 1 x kW
          THTensor *bias,              // [OPTIONAL] features
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW,                      // frames of the window
          int dW,                      // step of the window
          int padW,                    // frames of zeros on each side
          bool featFirst);             // frames are columns: features x frames
TH_API void THNN_(TemporalRowConvolution_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or features x frames; or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // features x kW, or features x 1 x kW
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW,                      // frames of the window
          int dW,                      // step of the window
          int padW,                    // frames of zeros on each side
          bool featFirst);             // frames are columns: features x frames
TH_API void THNN_(TemporalRowConvolution_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or features x frames; or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OPTIONAL] as weight, added to
          THTensor *gradBias,          // [OPTIONAL] as bias, added to
          THTensor *finput,            // [OPTIONAL] [BUFFER] not used
          THTensor *fgradInput,        // [OPTIONAL] [BUFFER] not used
          int kW,                      // frames of the window
          int dW,                      // step of the window
          int padW,                    // frames of zeros on each side
          bool featFirst,              // frames are columns: features x frames
          accreal scale);              // factor of what is added

// The windows of an image as the columns of a matrix: output is (planes * kH * kW) x windows.
TH_API void THNN_(Im2Col_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] output tensor
          int kH, int kW,              // size of the window
          int dH, int dW,              // from an element of the window to the next
          int padH, int padW,          // zeros on each side
          int sH, int sW);             // step of the window
TH_API void THNN_(Im2Col_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int inputHeight, int inputWidth, // size of the image
          int kH, int kW,              // size of the window
          int dH, int dW,              // from an element of the window to the next
          int padH, int padW,          // zeros on each side
          int sH, int sW);             // step of the window

// The image that is the sum of such columns: output is planes x outputHeight x outputWidth.
TH_API void THNN_(Col2Im_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // (planes * kH * kW) x windows, or a batch
          THTensor *output,            // [OUT] output tensor
          int outputHeight, int outputWidth, // size of the image
          int kH, int kW,              // size of the window
          int dH, int dW,              // from an element of the window to the next
          int padH, int padW,          // zeros on each side
          int sH, int sW);             // step of the window
TH_API void THNN_(Col2Im_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int kH, int kW,              // size of the window
          int dH, int dW,              // from an element of the window to the next
          int padH, int padW,          // zeros on each side
          int sH, int sW);             // step of the window

// The windows of one image as the columns of finput, (nInputPlane * kH * kW) x (outputHeight *
// outputWidth), and finput's columns added to the image.  Both may have any shape with that many
// elements.
TH_API void THNN_(unfolded_acc)(
          THTensor *finput,            // columns
          THTensor *input,             // image, added to
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int nInputPlane,             // planes of the image
          int inputWidth, int inputHeight, // size of the image
          int osizeW, int outputHeight); // windows in a row, and rows of them
TH_API void THNN_(unfolded_copy)(
          THTensor *finput,            // [OUT] columns
          THTensor *input,             // image
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          int nInputPlane,             // planes of the image
          int inputWidth, int inputHeight, // size of the image
          int outputWidth, int outputHeight); // windows in a row, and rows of them

/* --- pooling ---------------------------------------------------------------------------------- */

// Max pooling: the largest element of each window; NaN is larger than all.  Windows of kT x kH x kW are dT, dH
// and dW apart, their elements dilation apart; padding is never the largest, and at most half a
// window.  indices are row-major in a plane of input, from TH_INDEX_BASE on.
TH_API void THNN_(SpatialMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x rows of windows x windows in a row
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // padding on each side
          bool ceil_mode);             // a last window may reach beyond the padding
TH_API void THNN_(SpatialMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // what updateOutput computed
          int kW, int kH,              // as in updateOutput
          int dW, int dH,              // as in updateOutput
          int padW, int padH,          // as in updateOutput
          bool ceil_mode);             // as in updateOutput

TH_API void THNN_(SpatialDilatedMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x rows of windows x windows in a row
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // padding on each side
          int dilationW, int dilationH,  // step within the window
          bool ceil_mode);             // a last window may reach beyond the padding
TH_API void THNN_(SpatialDilatedMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // what updateOutput computed
          int kW, int kH,              // as in updateOutput
          int dW, int dH,              // as in updateOutput
          int padW, int padH,          // as in updateOutput
          int dilationW, int dilationH,  // as in updateOutput
          bool ceil_mode);             // as in updateOutput

TH_API void THNN_(VolumetricMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] planes x windows along depth, height and width
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // padding on each side
          bool ceilMode);              // a last window may reach beyond the padding
TH_API void THNN_(VolumetricMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // what updateOutput computed
          int kT, int kW, int kH,      // as in updateOutput
          int dT, int dW, int dH,      // as in updateOutput
          int pT, int pW, int pH,      // as in updateOutput
          bool ceilMode);              // as in updateOutput

TH_API void THNN_(VolumetricDilatedMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] planes x windows along depth, height and width
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int pT, int pW, int pH,      // padding on each side
          int dilationT, int dilationW,  // step within the window
          int dilationH,               // step within the window
          bool ceilMode);              // a last window may reach beyond the padding
TH_API void THNN_(VolumetricDilatedMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // what updateOutput computed
          int kT, int kW, int kH,      // as in updateOutput
          int dT, int dW, int dH,      // as in updateOutput
          int pT, int pW, int pH,      // as in updateOutput
          int dilationT, int dilationW,  // as in updateOutput
          int dilationH,               // as in updateOutput
          bool ceilMode);              // as in updateOutput

// Max pooling of each feature over kW frames, dW frames apart.
TH_API void THNN_(TemporalMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or a batch
          THTensor *output,            // [OUT] windows x features
          THIndexTensor *indices,      // [OUT] which frame of its window, from 0 on, each element comes from
          int kW,                      // frames of a window
          int dW);                     // frames from a window to the next
TH_API void THNN_(TemporalMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // what updateOutput computed
          int kW,                      // as in updateOutput
          int dW);                     // as in updateOutput

// Adaptive: windows divide the image evenly among the elements of output, whose number is given;
// window i of n begins at floor(i * size / n) and ends at ceil((i + 1) * size / n). 
// updateGradInput takes the number from gradOutput.
TH_API void THNN_(SpatialAdaptiveMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x osizeH x osizeW
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          int osizeW,                  // width of output
          int osizeH);                 // height of output
TH_API void THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices);     // what updateOutput computed

TH_API void THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] planes x osizeT x osizeH x osizeW
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          int osizeT,                  // depth of output
          int osizeW,                  // width of output
          int osizeH);                 // height of output
TH_API void THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices);     // what updateOutput computed

// Fractional: windows of a given size whose beginnings are spread over the image by a random number
// for each plane and dimension, the last dimension first.  The dimensions of volumes are height,
// width, time.
TH_API void THNN_(SpatialFractionalMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x outputH x outputW
          int outputW,                 // width of output
          int outputH,                 // height of output
          int kW,                      // width of a window
          int kH,                      // height of a window
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          THTensor *randomSamples);    // batch x planes x 2: from 0 to 1, for the width and then the height
TH_API void THNN_(SpatialFractionalMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int outputW,                 // as in updateOutput
          int outputH,                 // as in updateOutput
          int kW,                      // as in updateOutput
          int kH,                      // as in updateOutput
          THIndexTensor *indices);     // what updateOutput computed

TH_API void THNN_(VolumetricFractionalMaxPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width x time, or a batch
          THTensor *output,            // [OUT] planes x outputH x outputW x outputT
          int outputT,                 // time of output
          int outputW,                 // width of output
          int outputH,                 // height of output
          int poolSizeT,               // time of a window
          int poolSizeW,               // width of a window
          int poolSizeH,               // height of a window
          THIndexTensor *indices,      // [OUT] where in its plane each element of output comes from
          THTensor *randomSamples);    // batch x planes x 3: from 0 to 1, for time, width and height in turn
TH_API void THNN_(VolumetricFractionalMaxPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width x time, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int outputT,                 // as in updateOutput
          int outputW,                 // as in updateOutput
          int outputH,                 // as in updateOutput
          int poolSizeT,               // as in updateOutput
          int poolSizeW,               // as in updateOutput
          int poolSizeH,               // as in updateOutput
          THIndexTensor *indices);     // what updateOutput computed

// Max unpooling: output is 0 except at indices, which receive the elements of input.  Of several with
// the same index, the last counts.
TH_API void THNN_(SpatialMaxUnpooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x oheight x owidth
          THIndexTensor *indices,      // from max pooling: indices in a plane of output
          int owidth,                  // width of output
          int oheight);                // height of output
TH_API void THNN_(SpatialMaxUnpooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // from max pooling: indices in a plane of output
          int owidth,                  // as in updateOutput
          int oheight);                // as in updateOutput

TH_API void THNN_(VolumetricMaxUnpooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] planes x oT x oH x oW
          THIndexTensor *indices,      // from max pooling: indices in a plane of output
          int oT,                      // depth of output
          int oW,                      // width of output
          int oH,                      // height of output
          int dT, int dW, int dH,      // step of the pooling
          int pT, int pW, int pH);     // padding of the pooling, not used
TH_API void THNN_(VolumetricMaxUnpooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THIndexTensor *indices,      // from max pooling: indices in a plane of output
          int oT,                      // as in updateOutput
          int oW,                      // as in updateOutput
          int oH,                      // as in updateOutput
          int dT, int dW, int dH,      // as in updateOutput
          int pT, int pW, int pH);     // as in updateOutput

// Average pooling: the mean of each window, with windows as in max pooling.  With count_include_pad zeros
// around the image belong to the windows, without it sums are divided by the number of elements of the image.
TH_API void THNN_(SpatialAveragePooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x rows of windows x windows in a row
          int kW, int kH,              // size of the window
          int dW, int dH,              // step of the window
          int padW, int padH,          // zeros on each side
          bool ceil_mode,              // a last window may reach beyond the padding
          bool count_include_pad);     // divide by the size of the window, with its padding
TH_API void THNN_(SpatialAveragePooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int kW, int kH,              // as in updateOutput
          int dW, int dH,              // as in updateOutput
          int padW, int padH,          // as in updateOutput
          bool ceil_mode,              // as in updateOutput
          bool count_include_pad);     // as in updateOutput

TH_API void THNN_(VolumetricAveragePooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] planes x windows along depth, height and width
          int kT, int kW, int kH,      // size of the window
          int dT, int dW, int dH,      // step of the window
          int padT, int padW, int padH,  // zeros on each side
          bool ceil_mode,              // a last window may reach beyond the padding
          bool count_include_pad);     // divide by the size of the window, with its padding
TH_API void THNN_(VolumetricAveragePooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int kT, int kW, int kH,      // as in updateOutput
          int dT, int dW, int dH,      // as in updateOutput
          int padT, int padW, int padH,  // as in updateOutput
          bool ceil_mode,              // as in updateOutput
          bool count_include_pad);     // as in updateOutput

TH_API void THNN_(SpatialAdaptiveAveragePooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x osizeH x osizeW
          int osizeW,                  // width of output
          int osizeH);                 // height of output
TH_API void THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput);        // [OUT] gradient w.r.t. input

TH_API void THNN_(VolumetricAdaptiveAveragePooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] planes x osizeT x osizeH x osizeW
          int osizeT,                  // depth of output
          int osizeW,                  // width of output
          int osizeH);                 // height of output
TH_API void THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput);        // [OUT] gradient w.r.t. input

// output is the sum of each window, times the weight of its plane (or feature), plus its bias.
TH_API void THNN_(SpatialSubSampling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x rows of windows x windows in a row
          THTensor *weight,            // planes
          THTensor *bias,              // planes
          int kW, int kH,              // size of the window
          int dW, int dH);             // step of the window
TH_API void THNN_(SpatialSubSampling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // planes
          int kW, int kH,              // as in updateOutput
          int dW, int dH);             // as in updateOutput
TH_API void THNN_(SpatialSubSampling_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // planes, added to
          THTensor *gradBias,          // planes, added to
          int kW, int kH,              // as in updateOutput
          int dW, int dH,              // as in updateOutput
          accreal scale);              // as in updateOutput

TH_API void THNN_(TemporalSubSampling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or a batch
          THTensor *output,            // [OUT] windows x features
          THTensor *weight,            // features
          THTensor *bias,              // features
          int kW,                      // frames of a window
          int dW,                      // frames from a window to the next
          int inputFrameSize);         // features of input, or -1
TH_API void THNN_(TemporalSubSampling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *weight,            // features
          int kW,                      // as in updateOutput
          int dW);                     // as in updateOutput
TH_API void THNN_(TemporalSubSampling_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // frames x features, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // features, added to
          THTensor *gradBias,          // features, added to
          int kW,                      // as in updateOutput
          int dW,                      // as in updateOutput
          accreal scale);              // as in updateOutput

// (x1 ^ power + ... + xn ^ power) ^ (1 / power) of width neighbouring features, stride apart.
// Where output is 0 so is its gradient, unless power is 1.
TH_API void THNN_(FeatureLPPooling_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // features [x up to two dimensions], in batchMode a batch of that
          THTensor *output,            // [OUT] output features [x ...]
          accreal power,               // positive
          int width,                   // features of a window
          int stride,                  // features from a window to the next
          bool batchMode);             // input is a batch
TH_API void THNN_(FeatureLPPooling_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *input,             // features [x up to two dimensions], in batchMode a batch of that
          THTensor *output,            // what updateOutput computed
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          accreal power,               // as in updateOutput
          int width,                   // as in updateOutput
          int stride,                  // as in updateOutput
          bool batchMode);             // as in updateOutput

/* --- images of other sizes -------------------------------------------------------------------- */

// Upsampling: output has scale_factor elements for each of input along each dimension.
TH_API void THNN_(TemporalUpSamplingNearest_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x width, or a batch
          THTensor *output,            // [OUT] planes x scaled width
          int scale_factor);           // times as many elements along each dimension
TH_API void THNN_(TemporalUpSamplingNearest_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int scale_factor);           // as in updateOutput

TH_API void THNN_(SpatialUpSamplingNearest_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] planes x scaled height x scaled width
          int scale_factor);           // times as many elements along each dimension
TH_API void THNN_(SpatialUpSamplingNearest_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int scale_factor);           // as in updateOutput

TH_API void THNN_(VolumetricUpSamplingNearest_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] planes x scaled depth x height x width
          int scale_factor);           // times as many elements along each dimension
TH_API void THNN_(VolumetricUpSamplingNearest_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int scale_factor);           // as in updateOutput

// Linear interpolation of sequences, images and volumes: the first and last elements of input
// and output coincide.
TH_API void THNN_(TemporalUpSamplingLinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x planes x width
          THTensor *output,            // [OUT] batch x planes x osizeW
          int osizeW);                 // width of output
TH_API void THNN_(TemporalUpSamplingLinear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int isizeB,                  // as in updateOutput
          int isizeC,                  // as in updateOutput
          int isizeW,                  // as in updateOutput
          int osizeW);                 // as in updateOutput

TH_API void THNN_(SpatialUpSamplingBilinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x planes x height x width
          THTensor *output,            // [OUT] batch x planes x osizeH x osizeW
          int osizeH,                  // height of output
          int osizeW);                 // width of output
TH_API void THNN_(SpatialUpSamplingBilinear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int isizeB,                  // as in updateOutput
          int isizeC,                  // as in updateOutput
          int isizeH,                  // as in updateOutput
          int isizeW,                  // as in updateOutput
          int osizeH,                  // as in updateOutput
          int osizeW);                 // as in updateOutput

TH_API void THNN_(VolumetricUpSamplingTrilinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x planes x depth x height x width
          THTensor *output,            // [OUT] batch x planes x osizeT x osizeH x osizeW
          int osizeT,                  // depth of output
          int osizeH,                  // height of output
          int osizeW);                 // width of output
TH_API void THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int isizeB,                  // as in updateOutput
          int isizeC,                  // as in updateOutput
          int isizeT,                  // as in updateOutput
          int isizeH,                  // as in updateOutput
          int isizeW,                  // as in updateOutput
          int osizeT,                  // as in updateOutput
          int osizeH,                  // as in updateOutput
          int osizeW);                 // as in updateOutput

// Grid sampling: the image at the points of grid, interpolated linearly.  A point is x, y (and z for
// volumes), from -1 at the first element to 1 at the last.  Beyond the image there are zeros (padding_mode 0),
// its border (1), or its reflection (2).
TH_API void THNN_(SpatialGridSamplerBilinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x planes x height x width
          THTensor *grid,              // batch x rows x columns x 2
          THTensor *output,            // [OUT] batch x planes x rows x columns
          int padding_mode);           // 0, 1 or 2
TH_API void THNN_(SpatialGridSamplerBilinear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x planes x height x width
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *grid,              // batch x rows x columns x 2
          THTensor *gradGrid,          // [OUT] gradient w.r.t. grid
          THTensor *gradOutput,        // gradient w.r.t. output
          int padding_mode);           // as in updateOutput

TH_API void THNN_(VolumetricGridSamplerBilinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x planes x depth x height x width
          THTensor *grid,              // batch x layers x rows x columns x 3
          THTensor *output,            // [OUT] batch x planes x layers x rows x columns
          int padding_mode);           // 0, 1 or 2
TH_API void THNN_(VolumetricGridSamplerBilinear_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x planes x depth x height x width
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          THTensor *grid,              // batch x layers x rows x columns x 3
          THTensor *gradGrid,          // [OUT] gradient w.r.t. grid
          THTensor *gradOutput,        // gradient w.r.t. output
          int padding_mode);           // as in updateOutput

// Padding on each side.  Reflection: the image mirrored at its border, which is not repeated; less
// than the size of input, and 0 or more (with TH_COMPAT_TORCH7, less than 0 cuts off).  Replication:
// copies of the border; less than 0 cuts off.
TH_API void THNN_(TemporalReflectionPadding_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x width, or a batch
          THTensor *output,            // [OUT] the image and its padding
          int pad_left,                // elements before a row
          int pad_right);              // elements after a row
TH_API void THNN_(TemporalReflectionPadding_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int pad_left,                // as in updateOutput
          int pad_right);              // as in updateOutput

TH_API void THNN_(SpatialReflectionPadding_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] the image and its padding
          int pad_left,                // elements before a row
          int pad_right,               // elements after a row
          int pad_top,                 // rows above
          int pad_bottom);             // rows below
TH_API void THNN_(SpatialReflectionPadding_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int pad_left,                // as in updateOutput
          int pad_right,               // as in updateOutput
          int pad_top,                 // as in updateOutput
          int pad_bottom);             // as in updateOutput

TH_API void THNN_(TemporalReplicationPadding_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x width, or a batch
          THTensor *output,            // [OUT] the image and its padding
          int pad_left,                // elements before a row
          int pad_right);              // elements after a row
TH_API void THNN_(TemporalReplicationPadding_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int pad_left,                // as in updateOutput
          int pad_right);              // as in updateOutput

TH_API void THNN_(SpatialReplicationPadding_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *output,            // [OUT] the image and its padding
          int pad_left,                // elements before a row
          int pad_right,               // elements after a row
          int pad_top,                 // rows above
          int pad_bottom);             // rows below
TH_API void THNN_(SpatialReplicationPadding_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int pad_left,                // as in updateOutput
          int pad_right,               // as in updateOutput
          int pad_top,                 // as in updateOutput
          int pad_bottom);             // as in updateOutput

TH_API void THNN_(VolumetricReplicationPadding_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *output,            // [OUT] the image and its padding
          int pad_left,                // elements before a row
          int pad_right,               // elements after a row
          int pad_top,                 // rows above
          int pad_bottom,              // rows below
          int pad_front,               // slices before
          int pad_back);               // slices after
TH_API void THNN_(VolumetricReplicationPadding_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *input,             // planes x depth x height x width, or a batch
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OUT] gradient w.r.t. input
          int pad_left,                // as in updateOutput
          int pad_right,               // as in updateOutput
          int pad_top,                 // as in updateOutput
          int pad_bottom,              // as in updateOutput
          int pad_front,               // as in updateOutput
          int pad_back);               // as in updateOutput

/* --- normalization ---------------------------------------------------------------------------- */

// Each channel, over the batch and all dimensions after the channels:
// output = (input - mean) / sqrt(variance + eps) * weight + bias.  To train, mean and variance are
// those of input (the variance divided by the number of elements), and running_mean and running_var
// become momentum times those (the variance divided by one less, so that running_var needs more
// than one value for each channel) plus 1 - momentum times what they were; else they are
// running_mean and running_var.
TH_API void THNN_(BatchNormalization_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x channels, or more dimensions after these
          THTensor *output,            // [OUT] output tensor
          THTensor *weight,            // [OPTIONAL] channels
          THTensor *bias,              // [OPTIONAL] channels
          THTensor *running_mean,      // [OPTIONAL] channels; changed to train, else needed
          THTensor *running_var,       // [OPTIONAL] channels; changed to train, else needed
          THTensor *save_mean,         // [OUT] mean of each channel, if train
          THTensor *save_std,          // [OUT] 1 / sqrt(variance + eps) of each channel, if train
          bool train,                  // normalize by what input is
          double momentum,             // share of the new in running_mean and running_var
          double eps);                 // what is added to the variance
TH_API void THNN_(BatchNormalization_backward)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x channels, or more dimensions after these
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInput,         // [OPTIONAL] [OUT] gradient w.r.t. input
          THTensor *gradWeight,        // [OPTIONAL] channels, added to
          THTensor *gradBias,          // [OPTIONAL] channels, added to
          THTensor *weight,            // [OPTIONAL] channels
          THTensor *running_mean,      // [OPTIONAL] channels; needed unless train
          THTensor *running_var,       // [OPTIONAL] channels; needed unless train
          THTensor *save_mean,         // [OPTIONAL] what updateOutput computed; needed if train
          THTensor *save_std,          // [OPTIONAL] what updateOutput computed; needed if train
          bool train,                  // as in updateOutput
          double scale,                // factor of what is added
          double eps);                 // as in updateOutput

/* --- tables and sparse input ------------------------------------------------------------------ */

// gradWeight's row input[i] += scale * gradOutput's row i, in the order of i
TH_API void THNN_(LookupTable_accGradParameters)(
          THNNState *state,            // library's state
          THIndexTensor *input,        // rows of the table, from TH_INDEX_BASE on, in any shape
          THTensor *gradOutput,        // as many rows as input has elements
          THTensor *gradWeight,        // rows x columns, added to
          THIntegerTensor *count,      // [OPTIONAL] [BUFFER] not used
          THTensor *sorted,            // [OPTIONAL] [BUFFER] not used
          THIndexTensor *indices,      // [OPTIONAL] [BUFFER] not used
          bool scaleGradByFreq,        // divide by how often the row occurs in input
          int paddingValue,            // an element of input that adds nothing
          accreal scale);              // factor of what is added
// Rows whose norm exceeds maxNorm are multiplied by maxNorm / (norm + 1e-7), each once.
TH_API void THNN_(LookupTable_renorm)(
          THNNState *state,            // library's state
          THIndexTensor *idx,          // rows of weight, from TH_INDEX_BASE on, in any shape
          THTensor *weight,            // rows x columns, changed
          accreal maxNorm,             // largest norm
          accreal normType);           // positive: the norm's power; may be infinite

// Inputs are lists of keys and values: sizes[j] of them for row j of the batch, one list after the
// other.  A key picks row key + keysOffset, counted from 0, of weight, which has a column for each
// output.  It may have 4 more columns, before these: the largest absolute value that the key ever had,
// 1 / that, a factor of the row's steps, and a shift.  Then a value x counts as x / largest, at least
// -1 and at most 1, plus the shift.
TH_API void THNN_(IndexLinear_updateOutput)(
          THNNState *state,            // library's state
          THIndexTensor *keys,         // keys of all lists
          int64_t keysOffset,          // what makes rows of keys
          THTensor *values,            // a value for each key
          THIndexTensor *sizes,        // lengths of the lists
          THIndexTensor *cumSumSizes,  // [OPTIONAL] not used
          THTensor *output,            // [OUT] batch x outputs: bias plus values times rows
          THTensor *weight,            // rows x outputs, or 4 more, of which to train the first 3 change
          THTensor *bias,              // outputs
          THTensor *normalizedValues,  // [OPTIONAL] [OUT] what the values count as, with 4 more columns
          int train);                  // first let the largest value grow, and the factor be 1
// gradWeight becomes a row for each key: scale * value * gradOutput; with 4 more columns, scale *
// gradOutput and then that.
TH_API void THNN_(IndexLinear_accGradParameters)(
          THNNState *state,            // library's state
          THIndexTensor *keys,         // as in updateOutput
          int64_t keysOffset,          // as in updateOutput
          THTensor *values,            // what the values count as
          THIndexTensor *sizes,        // as in updateOutput
          THIndexTensor *cumSumSizes,  // [OPTIONAL] not used
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // [OUT] keys x outputs, or 2 * outputs
          THTensor *gradBias,          // outputs, added to
          THTensor *weight,            // as in updateOutput
          THTensor *bias,              // outputs
          THTensor *valuesBuffer,      // [OPTIONAL] [BUFFER] not used
          accreal weightDecay,         // not used: updateParameters lets weights decay
          accreal scale);              // factor of the gradients
// the step of accGradParameters and updateParameters in one, learningRate being 1
TH_API void THNN_(IndexLinear_accUpdateGradParameters)(
          THNNState *state,            // library's state
          THIndexTensor *keys,         // as in updateOutput
          int64_t keysOffset,          // as in updateOutput
          THTensor *values,            // what the values count as
          THIndexTensor *sizes,        // as in updateOutput
          THIndexTensor *cumSumSizes,  // [OPTIONAL] not used
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *weight,            // as in updateOutput, changed
          THTensor *bias,              // outputs, changed
          accreal weightDecay,         // as in updateParameters
          accreal scale);              // factor of the gradients
// For each key in order, f being the factor of its row (1 without the 4 columns): the shift loses
// learningRate * f * the sum of the row's weights times the first half of its gradients; the weights
// lose learningRate * f * the last half of them and weightDecay * f * themselves.
TH_API void THNN_(IndexLinear_updateParameters)(
          THNNState *state,            // library's state
          THTensor *gradWeight,        // what accGradParameters computed
          THTensor *gradBias,          // outputs
          THTensor *weight,            // as in updateOutput, changed
          THTensor *bias,              // outputs: loses learningRate * gradBias
          THIndexTensor *runningKeys,  // the keys that gradWeight has rows of
          THIndexTensor *cumSumSizes,  // [OPTIONAL] not used
          int64_t keysOffset,          // as in updateOutput
          accreal weightDecay,         // share of its row's weights that a key takes off
          accreal learningRate);       // factor of the gradients that are taken off

// Inputs are lists of the elements that are not 0: row (of the batch), column and value.  Rows and
// columns count from 1, whatever TH_INDEX_BASE is.  An entry of value 0 is ignored.
TH_API void THNN_(SparseLinear_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // entries x 3
          THTensor *output,            // [OUT] batch x outputs, a shape that it has to have
          THTensor *weight,            // outputs x inputs
          THTensor *bias);             // outputs
TH_API void THNN_(SparseLinear_accGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // entries x 3
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // outputs x inputs, added to
          THTensor *gradBias,          // outputs, added to
          THTensor *weight,            // outputs x inputs
          THTensor *bias,              // not used
          accreal weightDecay,         // times weight is added to gradWeight too
          accreal scale);              // factor of the gradients that are added
TH_API void THNN_(SparseLinear_zeroGradParameters)(
          THNNState *state,            // library's state
          THTensor *gradWeight,        // outputs x inputs: becomes 0 in lastInput's columns
          THTensor *gradBias,          // outputs: becomes 0
          THTensor *lastInput);        // entries x 3
TH_API void THNN_(SparseLinear_updateParameters)(
          THNNState *state,            // library's state
          THTensor *weight,            // outputs x inputs: changed in lastInput's columns, once each
          THTensor *bias,              // outputs: changed
          THTensor *gradWeight,        // outputs x inputs
          THTensor *gradBias,          // outputs
          THTensor *lastInput,         // entries x 3
          accreal learningRate);       // factor of the gradients that are taken off

// The same for lists of column and value, one for each of the batch, all of one length.
TH_API void THNN_(SparseLinear_legacyUpdateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x entries x 2
          THTensor *output,            // [OUT] batch x outputs
          THTensor *weight,            // outputs x inputs
          THTensor *bias);             // outputs
TH_API void THNN_(SparseLinear_legacyAccGradParameters)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x entries x 2
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradWeight,        // outputs x inputs, added to
          THTensor *gradBias,          // outputs, added to
          THTensor *weight,            // outputs x inputs
          THTensor *bias,              // not used
          accreal weightDecay,         // times weight is added to gradWeight too
          accreal scale);              // factor of the gradients that are added
TH_API void THNN_(SparseLinear_legacyZeroGradParameters)(
          THNNState *state,            // library's state
          THTensor *gradWeight,        // outputs x inputs: becomes 0 in lastInput's columns
          THTensor *gradBias,          // outputs: becomes 0
          THTensor *lastInput);        // batch x entries x 2
TH_API void THNN_(SparseLinear_legacyUpdateParameters)(
          THNNState *state,            // library's state
          THTensor *weight,            // outputs x inputs: changed in lastInput's columns, once each
          THTensor *bias,              // outputs: changed
          THTensor *gradWeight,        // outputs x inputs
          THTensor *gradBias,          // outputs
          THTensor *lastInput,         // batch x entries x 2
          accreal learningRate);       // factor of the gradients that are taken off

/* --- recurrent cells -------------------------------------------------------------------------- */

// A GRU cell after its matrix products.  input, hidden and their biases hold the gates
// reset, update and new, one after the other in each row:
//   r = sigmoid(input + bias1 + hidden + bias2), z likewise, n = tanh(input + bias1 + r * (hidden + bias2)),
//   output = n + z * (hx - n)
TH_API void THNN_(GRUFused_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // batch x 3 * hidden size
          THTensor *hidden,            // batch x 3 * hidden size
          THTensor *bias1,             // [OPTIONAL] 3 * hidden size, of input
          THTensor *bias2,             // [OPTIONAL] 3 * hidden size, of hidden
          THTensor *hx,                // batch x hidden size, or one of the batch, as the others then
          THTensor *output,            // [OUT] as hx
          THTensor *storage);          // [OUT] batch x 5 * hidden size: r, z, n, hx and hidden + bias2 of n
TH_API void THNN_(GRUFused_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *gradInInput,       // [OUT] batch x 3 * hidden size: gradient w.r.t. input, of r, z and n
          THTensor *gradInHidden,      // [OUT] batch x 3 * hidden size: gradient w.r.t. hidden, of r, z and n
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradInputHx,       // [OUT] gradient w.r.t. hx, but for what comes through hidden
          THTensor *storage);          // what updateOutput computed

// An LSTM cell after its matrix products.  input, hidden and their biases hold the gates
// input, forget, cell and output, one after the other in each row:
//   i, f, o = sigmoid(input + bias1 + hidden + bias2), g = tanh(likewise),
//   outputCell = f * cell + i * g, output = o * tanh(outputCell)
TH_API void THNN_(LSTMFused_updateOutput)(
          THNNState *state,            // library's state
          THTensor *input,             // [OUT] batch x 4 * hidden size: becomes i, f, g and o
          THTensor *hidden,            // batch x 4 * hidden size
          THTensor *bias1,             // [OPTIONAL] 4 * hidden size
          THTensor *bias2,             // [OPTIONAL] 4 * hidden size
          THTensor *cell,              // batch x hidden size, or one of the batch, as the others then
          THTensor *output,            // [OUT] as cell
          THTensor *outputCell);       // [OUT] as cell
TH_API void THNN_(LSTMFused_updateGradInput)(
          THNNState *state,            // library's state
          THTensor *storage,           // what updateOutput made of input: i, f, g and o
          THTensor *gradInGates,       // [OUT] batch x 4 * hidden size: gradient w.r.t. input and hidden, of i, f, g, o
          THTensor *cx,                // cell of updateOutput
          THTensor *cy,                // outputCell of updateOutput
          THTensor *gradOutput,        // gradient w.r.t. output
          THTensor *gradOutputCell,    // gradient w.r.t. outputCell
          THTensor *gradInputCx);      // [OUT] gradient w.r.t. cx

/* clang-format on */
