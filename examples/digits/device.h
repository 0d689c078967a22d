/* What net.c is made of: tensors and layers of the CPU or, with DIGITS_CUDA, of a GPU.
 *
 *     Tensor *t = Tensor(new);            THFloatTensor, or THCudaTensor
 *     Tensor(mul, t, t, 2);               THFloatTensor_mul(t, t, 2), or THCudaTensor_mul(state, t,
 * t, 2) Layer(Tanh_updateOutput, t, t);     THNN_FloatTanh_updateOutput, or
 * THNN_CudaTanh_updateOutput Tensor(copyFloat, t, floats);       from a host's tensor
 *     FloatsOf(floats, t);                to one of as many elements */
#ifndef DIGITS_DEVICE_H
#define DIGITS_DEVICE_H

#ifndef DIGITS_CUDA

#include <THNN/THNN.h>

typedef THFloatTensor Tensor;
typedef THLongTensor LongTensor;
#define Tensor(NAME, ...)     THFloatTensor_##NAME(__VA_ARGS__)
#define LongTensor(NAME, ...) THLongTensor_##NAME(__VA_ARGS__)
#define Layer(NAME, ...)      THNN_Float##NAME(NULL, __VA_ARGS__) /* there is no state */
#define FloatsOf(FLOATS, T)   THFloatTensor_copy(FLOATS, T)
#define LongsOf(LONGS, T)     THLongTensor_copy(LONGS, T)

static void device_open(void)
{
}
static void device_close(void)
{
}

#else

#include <THCUNN/THCUNN.h>

static THCState *state; /* of the one network that there is */

typedef THCudaTensor Tensor;
typedef THCudaLongTensor LongTensor;
#define Tensor(NAME, ...)     THCudaTensor_##NAME(state, ##__VA_ARGS__)
#define LongTensor(NAME, ...) THCudaLongTensor_##NAME(state, ##__VA_ARGS__)
#define Layer(NAME, ...)      THNN_Cuda##NAME(state, __VA_ARGS__)
#define FloatsOf(FLOATS, T)   THFloatTensor_copyCudaFloat(state, FLOATS, T)
#define LongsOf(LONGS, T)     THLongTensor_copyCudaLong(state, LONGS, T)

static void device_close(void)
{
  THCState *const open = state;
  state = NULL;
  if (open)
    THCudaShutdown(open);
  THCState_free(open);
}

/* Raises an error where there is no GPU. */
static void device_open(void)
{
  THCState *const made = THCState_alloc();
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THCState_free);
  guard.what = made;
  THCudaInit(made);
  state = THGuard_keep(&guard);
}

#endif

#endif
