/* Average pooling and its gradient: kernels, per type and instruction set. */
#ifndef THNN_AVG_POOL_H
#define THNN_AVG_POOL_H

#include "THKernel.h"
#include "THNN/layer/PlaneLoop.h"
#include "THNN/layer/Window.h"

/* The kernels of each table: forward and backward. */
enum { THNN_WINDOW_SUM, THNN_WINDOW_BACKWARD };

enum {
  THNN_SUM_BATCH = 4, /* rows of windows whose lines of sums are computed together */
  THNN_SUM_MOST = 32  /* elements of a small window, at most */
};

/* How the windows of a plane are summed up. */
typedef struct {
  const THNNSpans *spans;
  /* Small windows are computed in vectors across windows.  They are `size` elements wide, with stride
   * `step` (1 or 2), and the first one begins `pad` elements before the row.  size is 0 for windows of
   * any other kind. */
  ptrdiff_t size, step, pad;
  ptrdiff_t left;  /* elements of a line before the row */
  ptrdiff_t front; /* backward: zeros before a row of windows */
  ptrdiff_t pitch; /* elements of a line */
  ptrdiff_t lines; /* lines that are kept */
  size_t bytes;    /* bytes of memory that a kernel needs */
} THNNWindowSum;

/* Plans average pooling, or with `backward` its gradient.  Raises if the memory's size overflows. */
THNNWindowSum THNNWindowSum_of(const THNNPlanes *planes, const THNNSpans *spans, int backward);

/* Whether no element of an image is in more than THNN_SUM_MOST windows. */
int THNNWindowSum_areFew(const THNNPlanes *planes, const THNNSpans *spans);

/* LP pooling over `width` neighbouring features, with a stride. */
typedef struct {
  double power;
  int width, stride;
} THNNNorm;

#define TH_GENERIC_FILE "THNN/pool/AvgPoolGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
