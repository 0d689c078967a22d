#ifndef TH_RANDOM_H
#define TH_RANDOM_H

#include "THGeneral.h"

#endif
