/* Pooling of regions of interest. */
#ifndef ATEN_ROI_H
#define ATEN_ROI_H

#include "ATen/core/ATenCore.h"

/* Both results are new. */
void at_roiPool(at_tensor **out, at_tensor *input, at_tensor *rois, int64_t height, int64_t width,
                double scale);

#endif
