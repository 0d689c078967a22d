#ifndef TH_BLAS_H
#define TH_BLAS_H

#include "THGeneral.h"

#endif
