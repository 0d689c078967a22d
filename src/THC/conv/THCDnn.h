/* Convolutions by the graph API of cuDNN, which is loaded when it is first needed.  Exported for THCUNN and ATen.
 *
 *     THCDnn dnn;
 *     const int byDnn = THCDnn_open(&dnn, state, &convolution);  0: there is no way by cuDNN, and no error
 *     ... allocate ...
 *     if (byDnn)
 *       THCDnn_run(&dnn, x, weight, y), THCDnn_close(&dnn);
 *
 * What cuDNN does not take, and a library, handle, plan or workspace that is not to be had, make open return 0: the
 * caller computes by itself.  An error of run is raised.  Plans are kept for each stream, by all that describes
 * them. */
#ifndef THC_DNN_H
#define THC_DNN_H

#include "THGeneral.h"
#include "THGuard.h"

struct THCState;

typedef enum THCDnnPass {
  THC_DNN_FORWARD,         /* y = the convolution of x */
  THC_DNN_BACKWARD_DATA,   /* x = what the windows get from y */
  THC_DNN_BACKWARD_WEIGHTS /* weight = products of x and y */
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
 * x window.  Where slices are one, with nothing special, there are two axes. */
typedef struct THCDnnConvolution {
  int64_t pass, type;
  int64_t alignment;                      /* addresses are multiples of it; at most 16 */
  int64_t batch, groups, planes, outputs; /* planes and outputs of all groups */
  THCDnnAxis at[3];                       /* slices, rows, columns */
} THCDnnConvolution;

typedef struct THCDnn {
  struct THCDnnHandle *handle;
  struct THCDnnPlan *plan;
  void *workspace;
  THGuard locked, memory;
} THCDnn;

/* Between open and close no other thread uses the handle of the current stream. */
TH_API int THCDnn_open(THCDnn *dnn, struct THCState *state, const THCDnnConvolution *c);

/* Queues it. */
TH_API void THCDnn_run(THCDnn *dnn, void *x, void *weight, void *y);
TH_API void THCDnn_close(THCDnn *dnn);

/* The library's version, as 91900; 0 where there is none. */
TH_API int64_t THCDnn_version(struct THCState *state);

#endif
