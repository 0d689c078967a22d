/* Which algorithm computes a convolution.  Algorithm.c has a table of them:
 *
 *     depthwise_nchw   depthwise: the filter of each plane slides over the plane itself
 *     depthwise_nhwc   depthwise with planes in the lanes of vectors; contiguous planes are transposed first
 *     winograd3x3      Winograd's F(4 x 4, 3 x 3)
 *     winograd5x5      Winograd's F(4 x 4, 5 x 5), with rows of tiles in the lanes
 *     scatter          backward data: each tap adds a shifted copy of y, times a weight, to x
 *     column_panels    im2col for a few vectors of positions at a time (a panel)
 *     implicit_gemm    a product of matrices whose im2col matrix is read from the image by offsets
 *     direct           sums of shifted planes
 *     im2col           im2col, then BLAS
 *
 * TH_CONV_ALGORITHM=NAME in the environment forces an algorithm for each convolution that the
 * algorithm supports in the layout at hand and has memory for.  Other convolutions are computed as
 * usual. */
#ifndef THNN_ALGORITHM_H
#define THNN_ALGORITHM_H

#include "THNN/THNNGroups.h"

/* Which of y, x and the gradient of the weights is computed. */
typedef enum { THNN_FORWARD, THNN_BACKWARD_DATA, THNN_BACKWARD_WEIGHTS } THNNPass;

/* The cost of an algorithm is its time divided by the time of the algorithms after it in the table.
 * It is chosen if its cost is below THNN_NEVER. */
enum { THNN_ALWAYS = 0, THNN_NEVER = 1 };

/* Forces the algorithm of this name from now on, as TH_CONV_ALGORITHM does; NULL forces none.  name
 * is not copied. */
void THNNConvolution_force(const char *name);

/* The name of the forced algorithm, or NULL. */
const char *THNNConvolution_forced(void);

/* The sizes of a convolution. */
typedef struct {
  THNNGroups how;
  int64_t batch;
  int64_t planes;   /* channels of x, of all groups together */
  int64_t outputs;  /* channels of y, of all groups together */
  int64_t image[3]; /* slices, rows, columns of x */
} THNNShape;

/* The name of the algorithm for a pass over channels-last tensors if channelsLast is set, over
 * contiguous ones (NCHW) otherwise.  *inOrder: whether it computes with contiguous tensors, to which
 * channels-last ones are then copied. */
const char *THNN_FloatConvolution_algorithm(const THNNShape *shape, THNNPass pass, int channelsLast,
                                            int *inOrder);
const char *THNN_DoubleConvolution_algorithm(const THNNShape *shape, THNNPass pass,
                                             int channelsLast, int *inOrder);

#endif
