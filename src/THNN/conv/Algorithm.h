/* Which algorithm computes a convolution.  Algorithm.c has a table of them:
 *
 *     depthwise_nchw   a window of its own for each plane, straight from the image
 *     depthwise_nhwc   the same with planes in the lanes of vectors, channels-last or transposed
 *     winograd3x3      Winograd's F(4 x 4, 3 x 3)
 *     winograd5x5      Winograd's F(4 x 4, 5 x 5), with rows of tiles in the lanes
 *     scatter          backward data: each element of the windows adds to the image, shifted
 *     column_panels    a product of matrices whose columns are copied, some vectors at a time
 *     implicit_gemm    a product of matrices that picks the columns from the image
 *     direct           sums of shifted planes
 *     im2col           a product of matrices, with BLAS, of columns that are written first
 *
 * TH_CONV_ALGORITHM=NAME in the environment forces one of them, for each convolution that it
 * supports in the layout at hand and has memory for; the others are computed as usual. */
#ifndef THNN_ALGORITHM_H
#define THNN_ALGORITHM_H

#include "THNN/THNNGroups.h"

/* What is computed of x, y and the weights. */
typedef enum { THNN_FORWARD, THNN_BACKWARD_DATA, THNN_BACKWARD_WEIGHTS } THNNPass;

/* Costs of an algorithm that is always or never better than those after it in the table. */
enum { THNN_ALWAYS, THNN_NEVER };

/* Forces the algorithm of that name from now on, as TH_CONV_ALGORITHM does; NULL forces none.  name
 * is not copied. */
void THNNConvolution_force(const char *name);

/* The name of the algorithm that is forced; NULL if there is none. */
const char *THNNConvolution_forced(void);

/* The sizes of a convolution. */
typedef struct {
  THNNGroups how;
  int64_t batch, planes, outputs; /* planes and outputs of all groups together */
  int64_t image[3];               /* slices, rows, columns of x */
} THNNShape;

/* The name of the algorithm for a pass over tensors that lie channels-last in memory, or else in
 * order.  *inOrder: it computes with tensors in order, whatever the layout. */
const char *THNN_FloatConvolution_algorithm(const THNNShape *shape, THNNPass pass, int channelsLast,
                                            int *inOrder);
const char *THNN_DoubleConvolution_algorithm(const THNNShape *shape, THNNPass pass,
                                             int channelsLast, int *inOrder);

#endif
