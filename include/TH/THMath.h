#ifndef TH_MATH_H
#define TH_MATH_H

#include "THGeneral.h"

#endif
