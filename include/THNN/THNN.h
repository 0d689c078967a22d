/* Layers and losses of neural networks, forward and backward, on TH's tensors.
 *
 *     THNN_FloatTanh_updateOutput(NULL, input, output);
 *     THNN_FloatTanh_updateGradInput(NULL, gradOutput, gradInput, output);
 *
 * updateOutput computes output from input; updateGradInput computes the gradient of a loss with
 * respect to input from that with respect to output; accGradParameters adds scale times the
 * gradients with respect to the parameters to gradWeight and gradBias.  The first argument is not
 * used: pass NULL.
 *
 * Results take their shape from the inputs and may have any strides when they have it already.
 * Arguments marked [OPTIONAL] may be NULL.  Shapes that do not fit are an error that shows them,
 * and after an error no argument has changed.  Images are planes x height x width, or a batch of
 * them; index tensors and targets count from TH_INDEX_BASE. */
#ifndef THNN_H
#define THNN_H

#include <stdbool.h>

#include "TH.h"

#define THNN_(NAME) TH_CONCAT_3(THNN_, Real, NAME)

#define THIndexTensor          THLongTensor
#define THIndexTensor_(NAME)   TH_CONCAT_2(THLongTensor_, NAME)
#define THIntegerTensor        THIntTensor
#define THIntegerTensor_(NAME) TH_CONCAT_2(THIntTensor_, NAME)

typedef int64_t THIndex_t;
typedef int32_t THInteger_t;
typedef void THNNState;

/* I1, an index tensor, takes the shape of I2.  Declares a local named size2. */
#define THNN_resizeAs_indices(I1, I2)              \
  THLongStorage *size2 = THTensor_(newSizeOf)(I2); \
  if (!THIndexTensor_(isSize)(I1, size2))          \
    THIndexTensor_(resize)(I1, size2, NULL);       \
  THLongStorage_free(size2);

#define TH_GENERIC_FILE "THNN/generic/THNN.h"
#include "THGenerateFloatTypes.h"

#endif
