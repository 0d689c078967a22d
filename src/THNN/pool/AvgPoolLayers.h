/* The functions that compute average pooling and its relatives; the processor and devices define them. */

/* Average pooling by windows that slide or adapt.  Forward, the sum of each window is divided by its count,
 * which `divide` chooses.  Backward, each element of source, divided by the count of its window, is added
 * to the elements of the window. */
void THNN_(averageWindows)(const THNNPlanes *planes, const THNNWindow axis[3], THNNDivide divide,
                           int backward, THTensor *source, THTensor *result);

/* LP pooling of features: planes are features x positions (the last two axes). */
void THNN_(normPlanes)(const THNNPlanes *planes, const THNNNorm *norm, THTensor *input,
                       THTensor *output);

/* The gradient of normPlanes. */
void THNN_(normPlanesBackward)(const THNNPlanes *planes, const THNNNorm *norm, THTensor *gradOutput,
                               THTensor *gradInput, THTensor *input, THTensor *output);

/* Subsampling: the sum of a window times a weight, plus a bias; each channel has its own weight and bias. */
typedef struct {
  THNNPlanes planes;
  THNNWindow axis[3];
  int64_t channels; /* number of channels */
  int ofFeatures;   /* sequences: a channel is a column of a plane; otherwise it is a plane */
} THNN_(Sampling);

/* Computes the output from source, the input.  If bias is NULL, it computes the gradient of the input from
 * source, gradOutput. */
void THNN_(sampleWindows)(const THNN_(Sampling) * sampling, THTensor *source, THTensor *result,
                          THTensor *weight, THTensor *bias);

/* gradWeight += scale * the sum of sums * gradOutput over each channel; gradBias += scale * the sum of
 * gradOutput.  sums has the sums of the windows, and is contiguous. */
void THNN_(accumulateWindows)(const THNN_(Sampling) * sampling, THTensor *sums,
                              THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias,
                              accreal scale);
