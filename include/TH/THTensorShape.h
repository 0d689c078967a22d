/* Shapes with sizes of 0, which the classic functions stop at: for libraries on top of TH.  Not
 * part of TH.h. */
#ifndef TH_TENSOR_SHAPE_H
#define TH_TENSOR_SHAPE_H

#include "TH.h"

#define TH_GENERIC_FILE "generic/THTensorShape.h"
#include "THGenerateAllTypes.h"
#define TH_GENERIC_FILE "generic/THTensorShape.h"
#include "THGenerateHalfType.h"

#endif
