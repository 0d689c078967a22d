/* The heap. */
#include "THGeneral.h"
#include "THAllocator.h"

void *THAlloc(ptrdiff_t size)
{
  if (size < 0)
    THError("cannot allocate %td bytes", size);
  if (size == 0)
    return NULL;
  void *p;
  if (posix_memalign(&p, 64, (size_t)size))
    THError("out of memory: cannot allocate %td bytes", size);
  return p;
}

void THFree(void *ptr)
{
  free(ptr);
}

void *THRealloc(void *ptr, ptrdiff_t size)
{
  if (!ptr)
    return THAlloc(size);
  if (size == 0) {
    THFree(ptr);
    return NULL;
  }
  if (size < 0)
    THError("cannot allocate %td bytes", size);
  void *p = realloc(ptr, (size_t)size);
  if (!p)
    THError("out of memory: cannot allocate %td bytes", size);
  return p;
}

static void *default_malloc(void *ctx, ptrdiff_t size)
{
  return THAlloc(size);
}

static void *default_realloc(void *ctx, void *ptr, ptrdiff_t size)
{
  return THRealloc(ptr, size);
}

static void default_free(void *ctx, void *ptr)
{
  THFree(ptr);
}

THAllocator THDefaultAllocator = {default_malloc, default_realloc, default_free};
