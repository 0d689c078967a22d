/* The first line of the templates in this folder, which a build with TH_COMPAT=torch7 compiles:
 * Torch7's functions, thin around those of 2018, whose names end in _2018 there. */
#ifdef TH_TEMPLATE_DEVICE
#include TH_TEMPLATE_DEVICE
#include "THNNRenameEnd.h"
#elif !defined(THNN_TORCH7_H)
#define THNN_TORCH7_H

#include "THNN/layer/Check.h"
#include "THNN/layer/THNN2018.h"

#include "THTemplate.h"

#endif
