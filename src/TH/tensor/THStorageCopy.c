/* Copies between storages of any types. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THConvert.h"

void THStorage_(rawCopy)(THStorage *storage, real *src)
{
  if (storage->size > 0)
    memmove(storage->data, src, (size_t)storage->size * sizeof(real));
}

/* Copies src, elements of another type or the same, to the elements of storage. */
static void THStorage_(convert)(THStorage *storage, const void *src, ptrdiff_t n, size_t itemSize,
                                THScalarType from)
{
  THArgCheck(n == storage->size, 2, "src has %td elements, storage has %td", n, storage->size);
  const int64_t size = storage->size, stride = 1;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, storage->data, sizeof(real), 1, &size, &stride);
  THLoop_operand(&loop, (void *)src, itemSize, 1, &size, &stride);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  if (THLoop_overlap(&loop, 0, 1) == TH_OVERLAP_MIXED) {
    loop.data[1] = guard.what = THAlloc(n * (ptrdiff_t)itemSize);
    memcpy(guard.what, src, (size_t)n * itemSize);
  }
  THLoop_run(&loop, TH_DISPATCHED(THTensor_(convert))[from], NULL);
  THGuard_leave(&guard);
}

#define TH_SOURCE_FILE "TH/tensor/THStorageCopyFrom.h"
#include "TH/tensor/THEachSource.h"

void THStorage_(copy)(THStorage *storage, THStorage *src)
{
  THStorage_(TH_CONCAT_2(copy, Real))(storage, src);
}
