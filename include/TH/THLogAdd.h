#ifndef TH_LOG_ADD_H
#define TH_LOG_ADD_H

#include "THGeneral.h"

#endif
