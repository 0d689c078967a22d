/* Convolutions as products of matrices whose left one, the columns, is never written.
 *
 * Element (a, b) of it is x[rows[a] + columns[b]], for two lists of offsets: windows of a laid out
 * image (ConvPlan.h) and elements of a window, in either order.  The other matrix has an output
 * plane in each lane of a vector, so nothing is computed in vain whatever the shape of the images.
 * Forward and back the rows are windows, and the columns elements of them; for the gradient of the
 * weights it is the other way around. */
#ifndef THNN_IMPLICIT_H
#define THNN_IMPLICIT_H

#include "THKernel.h"
#include "THNN/conv/direct/ConvPlan.h"

/* About as many columns at a time: their part of the other matrix stays in the first cache. */
enum { THNN_IMPLICIT_COLUMNS = 128 };

/* Planes of a group from which on gradients of weights leave out products with padding: those of
 * an element of the windows have to be worth a call. */
enum { THNN_PARTED_PLANES = 16 };

#define TH_GENERIC_FILE "THNN/conv/gemm/ImplicitGemmGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
