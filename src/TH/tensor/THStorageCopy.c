/* Copies between storages of any types. */
#include "THTemplate.h"

#include "THConvert.h"

void THStorage_(rawCopy)(THStorage *storage, real *src)
{
  if (storage->size > 0)
    memmove(storage->data, src, (size_t)storage->size * sizeof(real));
}

#define COPY_FROM(Source, source, unused)                                                         \
  void THStorage_(copy##Source)(THStorage *storage, TH##Source##Storage *src)                     \
  {                                                                                               \
    THArgCheck(src->size == storage->size, 2, "src has %td elements, storage has %td", src->size, \
               storage->size);                                                                    \
    if ((void *)storage == (void *)src)                                                           \
      return;                                                                                     \
    const int64_t size = storage->size, stride = 1;                                               \
    THLoop loop;                                                                                  \
    THLoop_init(&loop);                                                                           \
    THLoop_operand(&loop, storage->data, sizeof(real), 1, &size, &stride);                        \
    THLoop_operand(&loop, src->data, sizeof(source), 1, &size, &stride);                          \
    if (THLoop_overlap(&loop, 0, 1) == TH_OVERLAP_MIXED) {                                        \
      THGuard guard;                                                                              \
      THGuard_enter(&guard, THFree);                                                              \
      loop.data[1] = guard.what = THAlloc(src->size * (ptrdiff_t)sizeof(source));                 \
      memcpy(guard.what, src->data, (size_t)src->size * sizeof(source));                          \
      THLoop_run(&loop, THTensor_(convert)[THScalar##Source], NULL);                              \
      THGuard_leave(&guard);                                                                      \
    } else {                                                                                      \
      THLoop_run(&loop, THTensor_(convert)[THScalar##Source], NULL);                              \
    }                                                                                             \
  }

TH_FOR_EACH_TYPE(COPY_FROM)

void THStorage_(copy)(THStorage *storage, THStorage *src)
{
  THStorage_(TH_CONCAT_2(copy, Real))(storage, src);
}
