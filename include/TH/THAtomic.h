#ifndef TH_ATOMIC_H
#define TH_ATOMIC_H

#include "THGeneral.h"

#endif
