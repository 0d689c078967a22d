/* The functions whose CUDA declarations differ from THNN's: the build makes THCUNN.h from THNN's header and
 * from this one.  Each argument has a line, because programs read these declarations with parsers of their
 * own.  Arguments that say [OPTIONAL] may be NULL.
 *
 * Not on devices: THNN_(unfolded_copy), THNN_(unfolded_acc), THNN_(Linear_updateOutput),
 * THNN_(Linear_updateGradInput), THNN_(Linear_accGradParameters),
 * THNN_(SpatialConvolutionMap_updateOutput), THNN_(SpatialConvolutionMap_updateGradInput),
 * THNN_(SpatialConvolutionMap_accGradParameters), THNN_(SpatialFullConvolutionMap_updateOutput),
 * THNN_(SpatialFullConvolutionMap_updateGradInput),
 * THNN_(SpatialFullConvolutionMap_accGradParameters). */

/* clang-format off */

// output is input where it is above 0, else a slope times that: in training one that is drawn
// uniformly for each such element, in row-major order; otherwise the mean of lower and upper
TH_API void THNN_(RReLU_updateOutput)(
          THCState *state,             // library's state
          THCTensor *input,            // input tensor
          THCTensor *output,           // [OUT] output tensor
          THCTensor *noise,            // [OUT] in training the slope of each element, 1 above 0
          double lower,                // least slope
          double upper,                // largest slope
          bool train,                  // draw slopes
          bool inplace,                // if true, input is changed, and output becomes the same tensor
          void *generator);            // not used: the state has one
TH_API void THNN_(RReLU_updateGradInput)(
          THCState *state,             // library's state
          THCTensor *input,            // input tensor
          THCTensor *gradOutput,       // gradient w.r.t. output
          THCTensor *gradInput,        // [OUT] gradient w.r.t. input
          THCTensor *noise,            // what updateOutput drew, if train
          double lower,                // as in updateOutput
          double upper,                // as in updateOutput
          bool train,                  // as in updateOutput
          bool inplace);               // if true, gradOutput is changed, and gradInput becomes the same tensor

// over dimension dim, counted from 0
TH_API void THNN_(SoftMax_updateOutput)(
          THCState *state,             // library's state
          THCTensor *input,            // input tensor
          THCTensor *output,           // [OUT] exp(input) / its sum over dim
          int dim);                    // dimension
TH_API void THNN_(SoftMax_updateGradInput)(
          THCState *state,             // library's state
          THCTensor *input,            // input tensor
          THCTensor *gradOutput,       // gradient w.r.t. output
          THCTensor *gradInput,        // [OUT] gradient w.r.t. input
          THCTensor *output,           // what updateOutput computed
          int dim);                    // dimension
TH_API void THNN_(LogSoftMax_updateOutput)(
          THCState *state,             // library's state
          THCTensor *input,            // input tensor
          THCTensor *output,           // [OUT] the logarithm of SoftMax
          int dim);                    // dimension
TH_API void THNN_(LogSoftMax_updateGradInput)(
          THCState *state,             // library's state
          THCTensor *input,            // input tensor
          THCTensor *gradOutput,       // gradient w.r.t. output
          THCTensor *gradInput,        // [OUT] gradient w.r.t. input
          THCTensor *output,           // what updateOutput computed
          int dim);                    // dimension

// gradWeight's row input[i] += scale * gradOutput's row i, in the order of i
TH_API void THNN_(LookupTable_accGradParameters)(
          THCState *state,             // library's state
          THCIndexTensor *input,       // rows of the table, from TH_INDEX_BASE on, in any shape
          THCTensor *gradOutput,       // as many rows as input has elements
          THCTensor *gradWeight,       // rows x columns, added to
          THCIndexTensor *count,       // [OPTIONAL] [BUFFER] not used
          THCIndexTensor *sorted,      // [OPTIONAL] [BUFFER] not used
          THCIndexTensor *indices,     // [OPTIONAL] [BUFFER] not used
          bool scaleGradByFreq,        // divide by how often the row occurs in input
          int paddingValue,            // an element of input that adds nothing
          accreal scale);              // factor of what is added

// Convolutions in groups: what THNNGroups.h says.  Classic THCUNN has none.
TH_API void THNN_(Groups_updateOutput)(
          THCState *state,
          const struct THNNGroups *how,
          THCTensor *input,
          THCTensor *output,
          THCTensor *weight,
          THCTensor *bias);
TH_API void THNN_(Groups_updateGradInput)(
          THCState *state,
          const struct THNNGroups *how,
          THCTensor *input,
          THCTensor *gradOutput,
          THCTensor *gradInput,
          THCTensor *weight);
TH_API void THNN_(Groups_accGradParameters)(
          THCState *state,
          const struct THNNGroups *how,
          THCTensor *input,
          THCTensor *gradOutput,
          THCTensor *gradWeight,
          THCTensor *gradBias,
          accreal scale);

TH_API void THNN_(LookupTableBag_updateOutput)(
          THCState *state,
          THCIndexTensor *input,
          THCIndexTensor *offsets,
          THCTensor *weight,
          THCTensor *output,
          THCIndexTensor *offset2bag,
          int mode,
          THCIndexTensor *seq_length);  // [OPTIONAL]
TH_API void THNN_(LookupTableBag_accGradParameters)(
          THCState *state,
          THCIndexTensor *input,
          THCTensor *gradOutput,
          THCTensor *gradWeight,
          THCIndexTensor *offset2bag,
          THCIndexTensor *count,
          THCIndexTensor *sortedIndices,
          THCIndexTensor *origIndices,
          bool scaleGradByFreq,
          int mode,
          THCIndexTensor *seq_length,   // [OPTIONAL]
          accreal scale);

TH_API void THNN_(SpatialCrossMapLRN_updateOutput)(
          THCState *state,
          THCTensor *input,
          THCTensor *output,
          THCTensor *scale,
          int size,
          accreal alpha,
          accreal beta,
          accreal k);
TH_API void THNN_(SpatialCrossMapLRN_updateGradInput)(
          THCState *state,
          THCTensor *input,
          THCTensor *gradOutput,
          THCTensor *gradInput,
          THCTensor *scale,
          THCTensor *output,
          int size,
          accreal alpha,
          accreal beta,
          accreal k);

TH_API void THNN_(SpatialDepthwiseConvolution_updateOutput)(
          THCState *state,
          THCTensor *input,
          THCTensor *output,
          THCTensor *weight,
          THCTensor *bias,              // [OPTIONAL]
          int kW,
          int kH,
          int dW,
          int dH,
          int padW,
          int padH,
          int dilationW,
          int dilationH);
TH_API void THNN_(SpatialDepthwiseConvolution_updateGradInput)(
          THCState *state,
          THCTensor *input,
          THCTensor *gradOutput,
          THCTensor *gradInput,
          THCTensor *weight,
          int kW,
          int kH,
          int dW,
          int dH,
          int padW,
          int padH,
          int dilationW,
          int dilationH);
TH_API void THNN_(SpatialDepthwiseConvolution_accGradParameters)(
          THCState *state,
          THCTensor *input,
          THCTensor *gradOutput,
          THCTensor *gradWeight,
          int kW,
          int kH,
          int dW,
          int dH,
          int padW,
          int padH,
          int dilationW,
          int dilationH);

/* clang-format on */
