/* The functions that compute average pooling and its relatives; the processor and devices define them. */

/* Forward, the sum of each window, which slides or adapts, divided by what divide says.  Backward,
 * each element of source, divided by the same, is added to the elements of its window. */
void THNN_(averageWindows)(const THNNPlanes *planes, const THNNWindow axis[3], THNNDivide divide,
                           int backward, THTensor *source, THTensor *result);

/* Planes are features x positions (the last two axes). */
void THNN_(normPlanes)(const THNNPlanes *planes, const THNNNorm *norm, THTensor *input,
                       THTensor *output);
void THNN_(normPlanesBackward)(const THNNPlanes *planes, const THNNNorm *norm, THTensor *gradOutput,
                               THTensor *gradInput, THTensor *input, THTensor *output);

/* Sums of windows times a weight, plus a bias: of images, each of channels planes has its own; of
 * sequences (ofFeatures), each of channels columns. */
typedef struct {
  THNNPlanes planes;
  THNNWindow axis[3];
  int64_t channels;
  int ofFeatures;
} THNN_(Sampling);

/* The output from source, the input, or, if bias is NULL, the gradient of the input from
 * gradOutput. */
void THNN_(sampleWindows)(const THNN_(Sampling) * sampling, THTensor *source, THTensor *result,
                          THTensor *weight, THTensor *bias);

/* gradWeight += scale * the sums of sums * gradOutput over each channel, gradBias += scale * those of
 * gradOutput.  sums is contiguous. */
void THNN_(accumulateWindows)(const THNN_(Sampling) * sampling, THTensor *sums,
                              THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias,
                              accreal scale);
