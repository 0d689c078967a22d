/* Textures, of which the simulator only checks the description: no kernel here reads one. */
#include "internal.h"

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view)
{
  static cudaTextureObject_t last;
  if (!texture || !resource || !description || resource->resType != cudaResourceTypeLinear)
    return cusim_remember(cudaErrorInvalidValue);
  const CusimBlock *block = cusim_find(resource->res.linear.devPtr);
  const size_t bits = (size_t)resource->res.linear.desc.x;
  if (!block || (bits != 8 && bits != 16 && bits != 32) ||
      (const char *)resource->res.linear.devPtr + resource->res.linear.sizeInBytes >
          block->base + block->size)
    return cusim_remember(cudaErrorInvalidValue);
  *texture = ++last;
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
  return cudaSuccess;
}
