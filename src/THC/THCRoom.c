/* Memory for the time of a call.  What is freed while kernels use it is handed out again to work
 * that comes after them. */
#include "THCPrivate.h"

static void leave(void *storage)
{
  THCudaByteStorage_free(THC_using, storage);
}

void *THC_room(THGuard *guard, size_t bytes)
{
  THGuard_enter(guard, leave);
  THCudaByteStorage *storage = THCudaByteStorage_newWithSize(THC_using, (ptrdiff_t)bytes);
  guard->what = storage;
  return storage->data;
}
