/* Half precision: single numbers, and what the device can do with it. */
#include "THCPrivate.h"

#include "thc_kernels.h"

half THC_float2half(float a)
{
  return TH_float2half(a);
}

float THC_half2float(half a)
{
  return TH_half2float(a);
}

/* len contiguous elements of device memory. */
static void convert(THCState *state, THScalarType to, void *out, THScalarType from, void *in,
                    ptrdiff_t len)
{
  THC_enter(state);
  THArgCheck(len >= 0, 3, "len is %td", len);
  THArgCheck(len == 0 || (out && in), 1, "out or in is NULL");
  if (len == 0)
    return;
  const int64_t size = len, stride = 1;
  static const size_t itemSizes[] = {
      [THScalarHalf] = sizeof(half), [THScalarFloat] = sizeof(float)};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, out, itemSizes[to], 1, &size, &stride);
  THLoop_operand(&loop, in, itemSizes[from], 1, &size, &stride);
  THCWalk_run(&loop, THC_converters[to][from], NULL, THCState_getCurrentStream(state));
}

void THCFloat2Half(THCState *state, half *out, float *in, ptrdiff_t len)
{
  convert(state, THScalarHalf, out, THScalarFloat, in, len);
}

void THCHalf2Float(THCState *state, float *out, half *in, ptrdiff_t len)
{
  convert(state, THScalarFloat, out, THScalarHalf, in, len);
}

/* Compute capability 5.3 introduced arithmetic in half; in 6.1 it is slower than float. */
int THC_nativeHalfInstructions(THCState *state)
{
  const struct cudaDeviceProp *device = THCState_getCurrentDeviceProperties(state);
  return device->major > 5 || (device->major == 5 && device->minor == 3);
}

int THC_fastHalfInstructions(THCState *state)
{
  const struct cudaDeviceProp *device = THCState_getCurrentDeviceProperties(state);
  return THC_nativeHalfInstructions(state) && !(device->major == 6 && device->minor == 1);
}
