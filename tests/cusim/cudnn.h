/* What the parts of the stand-in for cuDNN share: a convolution, and the engines that compute it. */
#ifndef CUSIM_CUDNN_H
#define CUSIM_CUDNN_H

#include "cusim_dnn.h"
#include "internal.h"

#include "THC/conv/THCDnnPlan.h" /* numbers, which cudnn_run.c compares with those of cuDNN's header */

typedef enum Engine {
  NARROW,    /* operands are rounded to Half, or sums of Half to that: never wanted */
  ROUNDING,  /* of Float: operands are rounded to TF32 */
  UNORDERED, /* adds up in another order each time */
  REFUSING,  /* makes no plans */
  DIRECT,    /* takes work space */
  PLAIN,     /* what remains */
  ENGINES
} Engine;

typedef struct Axis {
  int64_t x, w, y, step, pad, dilation;
} Axis;

/* y is batch x outputs, w outputs x (planes / groups). */
typedef struct Conv {
  int pass, type;
  int64_t batch, planes, outputs, groups;
  Axis at[3];
  int64_t alignment[3]; /* of x, w and y */
} Conv;

/* Elements of x, w and y. */
int64_t cusim_dnn_elements(const Conv *conv, int operand);
int64_t cusim_dnn_bytes(int type);
int64_t cusim_dnn_workspace(const Conv *conv, Engine engine);

/* Queues it; the status. */
int cusim_dnn_queue(struct CUstream_st *stream, const Conv *conv, Engine engine,
                    void *const operands[3], void *workspace);

#endif
