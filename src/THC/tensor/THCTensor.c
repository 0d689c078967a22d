/* Tensors: the public functions around TH's templates, and functions that only devices have. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include <stdarg.h>

#define AND_STATE(...) (THCState * state, __VA_ARGS__)
/* clang-format off */
#define ROW(RESULT, NAME, PARAMETERS, ARGUMENTS)                                                       \
  RESULT THCTensor_(NAME) AND_STATE PARAMETERS { THC_enter(state); return THTensor_(NAME) ARGUMENTS; }
/* clang-format on */
#include "THCTensorCalls.h"

THCTensor *THCTensor_(new)(THCState *state)
{
  THC_enter(state);
  return THTensor_(new)();
}

THCDescBuff THCTensor_(sizeDesc)(THCState *state, const THCTensor *tensor)
{
  THC_enter(state);
  const THDescBuff text = THTensor_(sizeDesc)(tensor);
  THCDescBuff result;
  _Static_assert(sizeof result == sizeof text, "both are 64 characters");
  memcpy(&result, &text, sizeof result);
  return result;
}

THCTensor *THCTensor_(newFoldBatchDim)(THCState *state, THCTensor *input)
{
  THC_enter(state);
  const int n = input->nDimension;
  THArgCheck(n >= 2, 1, "input of size %s has fewer than two dimensions",
             THTensor_(sizeDesc)(input).str);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THLongStorage_free);
  THLongStorage *size = guard.what = THLongStorage_newWithSize(n - 1);
  size->data[0] = input->size[0] * input->size[1];
  for (int d = 1; d < n - 1; d++)
    size->data[d] = input->size[d + 1];
  THCTensor *folded = THTensor_(newView)(input, size);
  THGuard_leave(&guard);
  return folded;
}

/* --- devices -------------------------------------------------------------------------------- */

int THCTensor_(getDevice)(THCState *state, const THCTensor *self)
{
  THC_enter(state);
  return self->storage ? self->storage->device : -1;
}

int THCTensor_(checkGPU)(THCState *state, unsigned int nTensors, ...)
{
  const int here = THC_currentDevice();
  THC_checkDevice(state, here, 1);
  int good = 1;
  va_list tensors;
  va_start(tensors, nTensors);
  for (unsigned int i = 0; i < nTensors && good; i++) {
    const THCTensor *tensor = va_arg(tensors, const THCTensor *);
    if (!tensor || !tensor->storage || !tensor->storage->data)
      continue;
    const int there = tensor->storage->device;
    good = there == here ||
           (state->p2pKernelAccessEnabled && THCState_getPeerToPeerAccess(state, here, there));
  }
  va_end(tensors);
  return good;
}

/* --- textures ------------------------------------------------------------------------------- */

#if defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_HALF)
#define CHANNEL cudaChannelFormatKindFloat
#elif defined(THC_REAL_IS_BYTE)
#define CHANNEL cudaChannelFormatKindUnsigned
#elif !defined(THC_REAL_IS_LONG) && !defined(THC_REAL_IS_DOUBLE)
#define CHANNEL cudaChannelFormatKindSigned
#endif

cudaTextureObject_t THCTensor_(getTextureObject)(THCState *state, THCTensor *self)
{
  THC_enter(state);
#ifndef CHANNEL
  THError("textures have no elements of 64 bits: a tensor of " TH_STRING_OF(Real) " cannot be one");
#else
  const ptrdiff_t count = THTensor_(nElement)(self);
  THArgCheck(count > 0, 1, "an empty tensor cannot be a texture");
  THArgCheck(THTensor_(isContiguous)(self), 1, "tensor of size %s is not contiguous",
             THTensor_(sizeDesc)(self).str);
  const int device = self->storage->device;
  THCOnDevice on;
  THCOnDevice_enter(&on, device);
  int most;
  THCudaCheck(cudaDeviceGetAttribute(&most, cudaDevAttrMaxTexture1DLinearWidth, device));
  THArgCheck(count <= most, 1, "self has %td elements, a texture of device %d %d at most", count,
             device, most);

  struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
  resource.res.linear.devPtr = THTensor_(data)(self);
  resource.res.linear.sizeInBytes = (size_t)count * sizeof(real);
  resource.res.linear.desc = (struct cudaChannelFormatDesc){.x = 8 * sizeof(real), .f = CHANNEL};
  const struct cudaTextureDesc texture = {.readMode = cudaReadModeElementType};
  cudaTextureObject_t object;
  THCudaCheck(cudaCreateTextureObject(&object, &resource, &texture, NULL));
  THCOnDevice_leave(&on);
  return object;
#endif
}
