/* Convolutions by the graph API of cuDNN, which is loaded when it is first needed.  Exported for THCUNN and ATen.
 *
 *     THCDnn dnn;
 *     const int byDnn = THCDnn_open(&dnn, state, &convolution);
 *     ... allocate ...
 *     if (byDnn)
 *       THCDnn_run(&dnn, x, weight, y), THCDnn_close(&dnn);
 *
 * open returns 0, without an error, if cuDNN does not support the convolution or if the library, a handle, a plan or
 * the workspace is not available: the caller then computes by its own kernels.  run raises its errors.  Each stream
 * keeps the plans that it has used; a plan is found by all that describes it (THCDnnKey). */
#ifndef THC_DNN_H
#define THC_DNN_H

#include "THGeneral.h"
#include "THGuard.h"

struct THCState;

typedef enum THCDnnPass {
  THC_DNN_FORWARD,         /* y = the convolution of x */
  THC_DNN_BACKWARD_DATA,   /* x = the gradient of the input, from y, the gradient of the output */
  THC_DNN_BACKWARD_WEIGHTS /* weight = the gradient of the weight, from x and y */
} THCDnnPass;

/* cuDNN's numbers. */
typedef enum THCDnnType {
  THC_DNN_FLOAT = 0,
  THC_DNN_DOUBLE = 1,
  THC_DNN_HALF = 2,
  THC_DNN_BFLOAT16 = 9
} THCDnnType;

typedef struct THCDnnAxis {
  int64_t input, output; /* elements of x, and of y */
  int64_t size, step, pad, dilation;
} THCDnnAxis;

/* Operands are row-major: x is batch x planes x image, y batch x outputs x windows, weight outputs x planes of a group
 * x window.  If the first axis has one slice, a kernel of 1 and no padding, cuDNN gets a convolution of two axes. */
typedef struct THCDnnConvolution {
  int64_t pass, type;
  int64_t alignment; /* addresses are multiples of it; at most 16 */
  int64_t batch, groups, planes,
      outputs;      /* planes: input channels; outputs: output channels; of all groups */
  THCDnnAxis at[3]; /* slices, rows, columns */
} THCDnnConvolution;

typedef struct THCDnn {
  struct THCDnnHandle *handle;
  struct THCDnnPlan *plan;
  void *workspace;
  THGuard locked, memory;
} THCDnn;

/* Between open and close no other thread uses the handle of the current stream. */
TH_API int THCDnn_open(THCDnn *dnn, struct THCState *state, const THCDnnConvolution *c);

/* Queues the convolution on the current stream. */
TH_API void THCDnn_run(THCDnn *dnn, void *x, void *weight, void *y);
TH_API void THCDnn_close(THCDnn *dnn);

/* The library's version, as 91900; 0 where there is none. */
TH_API int64_t THCDnn_version(struct THCState *state);

#endif
