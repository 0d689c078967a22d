/* Counted streams.
 *
 *     THCStream *stream = THCStream_new(cudaStreamNonBlocking);       on the current device
 *     THCState_setStream(state, stream);                              this thread now works on it
 *     THCStream_free(stream);                                         the state keeps it */
#ifndef THC_STREAM_H
#define THC_STREAM_H

#include "THCMacros.h"

typedef struct THCStream {
  cudaStream_t stream; /* NULL for the default stream of its device */
  int device;
  int refcount;
} THCStream;

/* A stream of the current device; flags are those of cudaStreamCreateWithFlags, and a lower
 * priority goes first. */
THC_API THCStream *THCStream_new(int flags);
THC_API THCStream *THCStream_newWithPriority(int flags, int priority);

/* The default stream of the device.  It is not counted, and is never freed. */
THC_API THCStream *THCStream_defaultStream(int device);

THC_API void THCStream_retain(THCStream *self);
THC_API void THCStream_free(THCStream *self); /* NULL is nothing to free */

#endif
