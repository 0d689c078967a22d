/* Windows that go over an input: of a convolution, or of pooling. */
#ifndef ATEN_ONNX_WINDOWS_H
#define ATEN_ONNX_WINDOWS_H

#include "../Onnx.h"

enum { MOST_WINDOWS = 3 };

typedef struct Windows {
  int dims;
  at_onnxList kernel, stride, dilation;
  int64_t before[MOST_WINDOWS], after[MOST_WINDOWS]; /* padding */
  bool isAutomatic, isLower, isCeil;
} Windows;

/* The windows that the attributes describe, for an input of those sizes. */
Windows at_onnxWindows(const at_onnxCall *call, at_ints sizes, const at_tensor *filters);

#endif
