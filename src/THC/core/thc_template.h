/* Included first by a .cu file that is compiled once per element type: defines real, accreal, Real
 * and TH_REAL_IS_FLOAT for the type.  A half is a THHalf; see THC_halfToFloat. */
#ifndef THC_CU_TEMPLATE_H
#define THC_CU_TEMPLATE_H

#include "thc_cuda.h"

#include "TH.h"
#include "thc_kernels.h"

#if defined(TH_INSTANTIATE_Byte)
#include <TH/types/Byte.h>
#elif defined(TH_INSTANTIATE_Char)
#include <TH/types/Char.h>
#elif defined(TH_INSTANTIATE_Short)
#include <TH/types/Short.h>
#elif defined(TH_INSTANTIATE_Int)
#include <TH/types/Int.h>
#elif defined(TH_INSTANTIATE_Long)
#include <TH/types/Long.h>
#elif defined(TH_INSTANTIATE_Double)
#include <TH/types/Double.h>
#elif defined(TH_INSTANTIATE_Half)
#include <TH/types/Half.h>
#else
#include <TH/types/Float.h>
#endif

/* On the device floats are accumulated in float. */
#ifdef TH_REAL_IS_FLOAT
#undef accreal
#define accreal float
#endif

#define THC_NAME(PREFIX) TH_CONCAT_2(PREFIX, Real)

#endif
