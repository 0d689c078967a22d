/* Convolutions as products of matrices whose left one, the columns, is never written.
 *
 * Element (a, b) of the left matrix is x[rows[a] + columns[b]], for two lists of offsets: windows of
 * a padded image (ConvPlan.h) and elements of a window, in either order.  The right matrix has an
 * output plane in each lane of a vector, so no lane is wasted whatever the shape of the images.
 * Forward and backward data, the rows are windows and the columns elements of windows; for the
 * gradient of the weights, the rows are elements of windows and the columns windows. */
#ifndef THNN_IMPLICIT_GEMM_H
#define THNN_IMPLICIT_GEMM_H

#include "THKernel.h"
#include "THNN/conv/direct/ConvPlan.h"

/* Columns of a block, about: the block of the right matrix stays in the L1 cache. */
enum { THNN_IMPLICIT_COLUMNS = 128 };

/* Planes of a group from which on gradients of weights leave out products with padding: there is a
 * call of the kernel for each element of the windows, which needs enough planes to be worth it. */
enum { THNN_PARTED_PLANES = 16 };

#define TH_GENERIC_FILE "THNN/conv/gemm/ImplicitGemmGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
