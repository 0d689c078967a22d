/* Converts one element to Real with the results of TH (src/TH/tensor/THConvertKernels.c). */
#ifndef THC_CONVERT_H
#define THC_CONVERT_H

#define inline inline __host__ __device__
#include "TH/core/THHalfBits.h"
#undef inline

/* Truncates; NaN becomes 0; a value outside of int64_t becomes the nearest limit of int64_t. */
THC_DEVICE int64_t THC_wholeOfDouble(double x)
{
  const int64_t inside = (int64_t)(x >= -0x1p63 && x < 0x1p63 ? x : 0);
  return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : inside;
}

THC_DEVICE int64_t THC_wholeOfFloat(float x)
{
  const int64_t inside = (int64_t)(x >= -0x1p63f && x < 0x1p63f ? x : 0);
  return x >= 0x1p63f ? INT64_MAX : x < -0x1p63f ? INT64_MIN : inside;
}

#if defined(TH_REAL_IS_HALF)
#define THC_FROM_WHOLE(x)  THC_floatToHalf((float)(x))
#define THC_FROM_FLOAT(x)  THC_floatToHalf(x)
#define THC_FROM_DOUBLE(x) THC_floatToHalf(THHalf_cutDouble(x))
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define THC_FROM_WHOLE(x)  ((real)(x))
#define THC_FROM_FLOAT(x)  ((real)(x))
#define THC_FROM_DOUBLE(x) ((real)(x))
#else
#define THC_FROM_WHOLE(x)  ((real)(x))
#define THC_FROM_FLOAT(x)  ((real)THC_wholeOfFloat(x)) /* keeps the low bits */
#define THC_FROM_DOUBLE(x) ((real)THC_wholeOfDouble(x))
#endif

#define THC_from_Byte(x)   THC_FROM_WHOLE(x)
#define THC_from_Char(x)   THC_FROM_WHOLE(x)
#define THC_from_Short(x)  THC_FROM_WHOLE(x)
#define THC_from_Int(x)    THC_FROM_WHOLE(x)
#define THC_from_Long(x)   THC_FROM_WHOLE(x)
#define THC_from_Float(x)  THC_FROM_FLOAT(x)
#define THC_from_Double(x) THC_FROM_DOUBLE(x)
#ifdef TH_REAL_IS_HALF
#define THC_from_Half(x) (x)
#else
#define THC_from_Half(x) THC_FROM_FLOAT(THC_halfToFloat(x))
#endif

#endif
