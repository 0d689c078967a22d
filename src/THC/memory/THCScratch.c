/* Memory for the time of a call.  It may be freed while kernels still use it: the allocator reuses
 * it for later work on the same stream. */
#include "THC/core/THCPrivate.h"

static void leave(void *storage)
{
  THCudaByteStorage_free(THC_using, storage);
}

void *THC_scratch(THGuard *guard, size_t bytes)
{
  THGuard_enter(guard, leave);
  THCudaByteStorage *storage = THCudaByteStorage_newWithSize(THC_using, (ptrdiff_t)bytes);
  guard->what = storage;
  return storage->data;
}
