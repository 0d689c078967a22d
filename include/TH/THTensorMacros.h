#ifndef TH_TENSOR_MACROS_H
#define TH_TENSOR_MACROS_H

#include "THGeneral.h"

#endif
