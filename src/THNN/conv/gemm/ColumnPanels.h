/* Products of matrices whose columns are copied to panels: as many positions as a few vectors have
 * lanes, with the elements of their windows.  A panel stays in the cache while rows of weights, which
 * are read where they are, pass by. */
#ifndef THNN_COLUMN_PANELS_H
#define THNN_COLUMN_PANELS_H

#include "THKernel.h"

enum { THNN_PANEL_VECTORS = 4 }; /* of a panel, at most */

/* Adjacent positions of a row: count elements of a plane from an offset on, which become those of a
 * panel's row. */
typedef struct {
  ptrdiff_t from, to, count;
} THNNRun;

#define TH_GENERIC_FILE "THNN/conv/gemm/ColumnPanelsGeneric.h"
#include "THGenerateFloatTypes.h"

#endif
