/* The algorithm column_panels: im2col for a few vectors of output positions at a time.  Such a panel
 * stays in the L1 cache while all rows of the weights, which are not packed, are multiplied with it. */
#ifndef THNN_COLUMN_PANELS_H
#define THNN_COLUMN_PANELS_H

#include "THKernel.h"
#include "THNNGroups.h"

enum { THNN_PANEL_VECTORS = 4 }; /* vectors of positions of a panel, at most */

/* Adjacent positions of a row, for one tap. */
typedef struct {
  ptrdiff_t from;  /* offset of the first position's element in a plane */
  ptrdiff_t to;    /* offset of the first position in a row of the panel */
  ptrdiff_t count; /* number of positions */
} THNNRun;

#define TH_GENERIC_FILE "THNN/conv/gemm/ColumnPanelsGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
