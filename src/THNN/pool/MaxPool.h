/* Max pooling: what its layers share, and its kernels, per type and instruction set. */
#ifndef THNN_MAX_POOL_H
#define THNN_MAX_POOL_H

#include "THKernel.h"
#include "THNN/layer/PlaneLoop.h"
#include "THNN/layer/Window.h"

enum { THNN_POOL_PARTS = 4 }; /* parts of a plane's windows, whose gradients are added in turn */
enum { THNN_POOL_ROWS = 8 };  /* rows of windows that the backward kernel keeps, a power of 2 */

/* Whether windows of an image have this size, stride 2 and dilation 1 along both axes. */
static inline int THNNWindow_isStride2(const THNNWindow *axis, int64_t size)
{
  for (int a = 1; a < 3; a++)
    if (axis[a].size != size || axis[a].step != 2 || axis[a].dilation != 1)
      return 0;
  return axis[0].input == 1 && axis[0].output == 1;
}

#define TH_GENERIC_FILE "THNN/pool/MaxPoolGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
