/* The first line of a template: a .c file that is compiled once per element type.
 *
 * The build compiles, for each type, a stub of two lines (#define TH_INSTANTIATE_Float, #include of
 * the template).  In the template, real, accreal, Real, TH_REAL_IS_FLOAT and THTensor_(name) then
 * mean that type.  Opened alone, as an editor does, a template reads as Float.
 *
 * What a template says of shapes and views holds for tensors of any device.  A stub for another
 * device defines TH_TEMPLATE_DEVICE as a header that gives these names its own meaning
 * (src/THC/core/THCDevice.h), and the template is compiled once more. */
#ifndef TH_TEMPLATE_H
#define TH_TEMPLATE_H

#include "TH.h"

#if defined(TH_TEMPLATE_DEVICE)
#include TH_TEMPLATE_DEVICE
#elif defined(TH_INSTANTIATE_Byte)
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
