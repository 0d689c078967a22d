/* Half precision, stored and converted. */
#include "THHalf.h"

#include "THHalfBits.h"

THHalf TH_float2half(float value)
{
  return (THHalf){THHalf_fromFloat(value)};
}

float TH_half2float(THHalf value)
{
  return THHalf_toFloat(value.x);
}

void TH_float2halfbits(float *source, unsigned short *bits)
{
  *bits = THHalf_fromFloat(*source);
}

void TH_halfbits2float(unsigned short *bits, float *result)
{
  *result = THHalf_toFloat(*bits);
}
