/* The first line of a template of THC: a .c or .cu file that is compiled once per element type, as
 * those of TH are (THTemplate.h).  Opened alone, it reads as Float. */
#ifndef THC_TEMPLATE_H
#define THC_TEMPLATE_H

#include "THC.h"

#if defined(TH_INSTANTIATE_Byte)
#include "types/Byte.h"
#elif defined(TH_INSTANTIATE_Char)
#include "types/Char.h"
#elif defined(TH_INSTANTIATE_Short)
#include "types/Short.h"
#elif defined(TH_INSTANTIATE_Int)
#include "types/Int.h"
#elif defined(TH_INSTANTIATE_Long)
#include "types/Long.h"
#elif defined(TH_INSTANTIATE_Double)
#include "types/Double.h"
#elif defined(TH_INSTANTIATE_Half)
#include "types/Half.h"
#else
#include "types/Float.h"
#endif

#endif
