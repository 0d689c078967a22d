/* The functions that compute max pooling; the processor and devices define them. */

/* Max pooling by windows that slide or adapt: the maximum of each window, and its index.  Changes axis. */
void THNN_(maxPoolForward)(const THNNPlanes *planes, THNNWindow axis[3], THTensor *input,
                           THTensor *output, THIndexTensor *indices);

/* Each element of gradInput becomes the sum of the elements of gradOutput whose index names it.  The CPU raises an
 * error for an index outside of the plane; a device ignores an index outside of its own window. */
void THNN_(maxPoolBackward)(const THNNPlanes *planes, const THNNWindow axis[3],
                            THTensor *gradOutput, THTensor *gradInput, THIndexTensor *indices);

/* Max pooling of sequences, planes of frames x features: axis[1] slides over the frames.  An index is the
 * frame within the window that the maximum comes from, counted from 0. */
void THNN_(maxFrames)(const THNNPlanes *planes, const THNNWindow axis[3], THTensor *input,
                      THTensor *output, THIndexTensor *indices);

/* The gradient of maxFrames. */
void THNN_(maxFramesBackward)(const THNNPlanes *planes, const THNNWindow axis[3],
                              THTensor *gradOutput, THTensor *gradInput, THIndexTensor *indices);

/* Fractional max pooling by windows of the kind THNN_FRACTIONAL.  samples has a random number for each
 * plane and axis, the last axis first. */
void THNN_(maxFractional)(const THNNPlanes *planes, const THNNWindow axis[3], THTensor *input,
                          THTensor *samples, THTensor *output, THIndexTensor *indices);

/* Max unpooling.  Forward, writes each element of a plane of source to its index in the plane of result,
 * and 0 elsewhere; of repeated indices the last counts.  Backward, reads the elements of source
 * (gradOutput) at the indices. */
void THNN_(unpoolPlanes)(const THNNPlanes *planes, int backward, THTensor *source, THTensor *result,
                         THIndexTensor *indices);
