#ifndef TH_TENSOR_APPLY_H
#define TH_TENSOR_APPLY_H

#include "THGeneral.h"

#endif
