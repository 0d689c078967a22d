/* Average pooling and its gradient: kernels, per type and instruction set. */
#ifndef THNN_AVG_POOL_H
#define THNN_AVG_POOL_H

#include "THKernel.h"
#include "THNN/layer/PlaneLoop.h"
#include "THNN/layer/Window.h"

enum { THNN_WINDOW_SUM, THNN_WINDOW_BACKWARD };

enum {
  THNN_SUM_BATCH = 4, /* rows of windows whose lines of sums are computed together */
  THNN_SUM_MOST = 32  /* the most elements of small windows */
};

/* How the windows of a plane are summed up. */
typedef struct {
  const THNNSpans *spans;
  /* Small windows, computed in vectors across windows: size elements wide, step (1 or 2) apart, the
   * first one begins pad elements before the row.  size is 0 for windows of any kind. */
  ptrdiff_t size, step, pad;
  ptrdiff_t left;         /* elements of a line before the row */
  ptrdiff_t front;        /* backward: zeros before a row of windows */
  ptrdiff_t pitch, lines; /* elements of a line, and how many lines are kept */
  size_t bytes;           /* of memory in all */
} THNNWindowSum;

/* backward: from the windows to the image.  Raises if the memory's size overflows. */
THNNWindowSum THNNWindowSum_of(const THNNPlanes *planes, const THNNSpans *spans, int backward);

/* Whether no element of an image is in more than THNN_SUM_MOST windows. */
int THNNWindowSum_areFew(const THNNPlanes *planes, const THNNSpans *spans);

/* The norm of neighbouring features, width of them, stride apart. */
typedef struct {
  double power;
  int width, stride;
} THNNNorm;

#define TH_GENERIC_FILE "THNN/pool/AvgPoolGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
