/* What the layers of max pooling call, on the processor and on devices. */

/* The maximum of each window, which slides or adapts, and its index; changes axis. */
void THNN_(maxPoolForward)(const THNNPlanes *planes, THNNWindow axis[3], THTensor *input,
                           THTensor *output, THIndexTensor *indices);

/* Adds the gradient of each output element to that of the input element that it came from. */
void THNN_(maxPoolBackward)(const THNNPlanes *planes, const THNNWindow axis[3],
                            THTensor *gradOutput, THTensor *gradInput, THIndexTensor *indices);

/* The same for sequences, of frames x features: axis[1] slides over frames.  An index is the frame of
 * its window that an element comes from, counted from 0. */
void THNN_(maxFrames)(const THNNPlanes *planes, const THNNWindow axis[3], THTensor *input,
                      THTensor *output, THIndexTensor *indices);
void THNN_(maxFramesBackward)(const THNNPlanes *planes, const THNNWindow axis[3],
                              THTensor *gradOutput, THTensor *gradInput, THIndexTensor *indices);

/* Windows of the kind THNN_FRACTIONAL, where random samples say: a number for each plane and axis, the last
 * axis first. */
void THNN_(maxFractional)(const THNNPlanes *planes, const THNNWindow axis[3], THTensor *input,
                          THTensor *samples, THTensor *output, THIndexTensor *indices);

/* Of each plane of the output, the elements of input at their indices, and 0 elsewhere; of repeated
 * indices the last counts.  Backward, the elements of gradOutput at the indices. */
void THNN_(unpoolPlanes)(const THNNPlanes *planes, int backward, THTensor *source, THTensor *result,
                         THIndexTensor *indices);
