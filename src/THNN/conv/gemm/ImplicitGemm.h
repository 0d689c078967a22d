/* The algorithm implicit_gemm: a product of matrices whose left one, the im2col matrix, is never
 * written.
 *
 * Element (a, b) of the left matrix is x[rows[a] + columns[b]], for two lists of offsets: of positions
 * in a padded image (ConvPlan.h), and of terms (planes x taps).  The right matrix has an output plane
 * in each lane of a vector, so no lane is wasted whatever the shape of the images.  Forward and
 * backward data, the rows are positions and the columns terms; for the gradient of the weights, the
 * rows are terms and the columns positions. */
#ifndef THNN_IMPLICIT_GEMM_H
#define THNN_IMPLICIT_GEMM_H

#include "THKernel.h"
#include "THNN/conv/ConvPlan.h"

/* Columns that are multiplied together, about: their block of the right matrix stays in the L1 cache. */
enum { THNN_IMPLICIT_COLUMNS = 128 };

/* From this number of planes of a group on, gradients of weights leave out products with padding.  That
 * takes a call of the kernel for each tap, and a call needs enough planes to pay. */
enum { THNN_PARTED_PLANES = 16 };

#define TH_GENERIC_FILE "THNN/conv/gemm/ImplicitGemmGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
