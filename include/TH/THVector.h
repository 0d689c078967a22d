#ifndef TH_VECTOR_H
#define TH_VECTOR_H

#include "THGeneral.h"

#endif
