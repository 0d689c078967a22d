#ifndef TH_TENSOR_DIM_APPLY_H
#define TH_TENSOR_DIM_APPLY_H

#include "THGeneral.h"

#endif
