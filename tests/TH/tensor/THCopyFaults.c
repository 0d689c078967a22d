/* Copies from every type when memory runs out: from storages and tensors apart, and from such as
 * share memory with the result, so that they are copied aside first. */
#include "THTemplate.h"

#include "th_faults.h"

enum { COUNT = 20, SHIFT = 8 };

#define SOURCES(Source, source, unused)                  \
  TH##Source##Storage *storage##Source, *within##Source; \
  TH##Source##Tensor *tensor##Source, *onBlock##Source;

typedef struct Operands {
  THStorage *storage;
  THTensor *tensor;                           /* 4 x 5, transposed */
  _Alignas(16) char block[COUNT * 8 + SHIFT]; /* what all of the following share */
  THStorage *within;
  THTensor *onBlock;
  TH_FOR_EACH_TYPE(SOURCES)
} Operands;

static void set_up(Operands *o)
{
  for (size_t i = 0; i < sizeof o->block; i++)
    o->block[i] = (char)(i * 37 % 101);
  o->storage = THStorage_(newWithSize)(COUNT);
  THStorage_(fill)(o->storage, THTest_(value)(1, 1));
  o->tensor = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(4, 5));
  o->within = THStorage_(newWithData)((real *)(o->block + SHIFT), COUNT);
  THStorage_(clearFlag)(o->within, TH_STORAGE_FREEMEM);
  o->onBlock = THTensor_(newWithStorage1d)(o->within, 0, COUNT, 1);
  WATCH_STORAGE(o->storage);
  WATCH(o->tensor);
  WATCH(o->onBlock);
  WATCH_BYTES(o->block, sizeof o->block);

#define MAKE(Source, source, unused)                                                          \
  o->storage##Source = TH##Source##Storage_newWithSize(COUNT);                                \
  memcpy(o->storage##Source->data, o->block, COUNT * sizeof(source));                         \
  o->tensor##Source = TH##Source##Tensor_newWithStorage2d(o->storage##Source, 0, 5, 4, 4, 1); \
  o->within##Source = TH##Source##Storage_newWithData((source *)(void *)o->block, COUNT);     \
  TH##Source##Storage_clearFlag(o->within##Source, TH_STORAGE_FREEMEM);                       \
  o->onBlock##Source = TH##Source##Tensor_newWithStorage1d(o->within##Source, 0, COUNT, 1);
  TH_FOR_EACH_TYPE(MAKE)
}

static void tear_down(Operands *o)
{
  THStorage_(free)(o->storage);
  THTensor_(free)(o->tensor);
  THStorage_(free)(o->within);
  THTensor_(free)(o->onBlock);
#define FREE(Source, source, unused)            \
  TH##Source##Storage_free(o->storage##Source); \
  TH##Source##Tensor_free(o->tensor##Source);   \
  TH##Source##Storage_free(o->within##Source);  \
  TH##Source##Tensor_free(o->onBlock##Source);
  TH_FOR_EACH_TYPE(FREE)
}

#define ROWS(Source, source, unused)                                                    \
  CALM(storage##Source, THStorage_(copy##Source)(o->storage, o->storage##Source))       \
  FAULT(storageOverlap##Source, THStorage_(copy##Source)(o->within, o->within##Source)) \
  CALM(tensor##Source, THTensor_(copy##Source)(o->tensor, o->tensor##Source))           \
  FAULT(tensorOverlap##Source, THTensor_(copy##Source)(o->onBlock, o->onBlock##Source))
TH_FOR_EACH_TYPE(ROWS)

CALM(storage, THStorage_(copy)(o->storage, o->within))
CALM(rawCopy, THStorage_(rawCopy)(o->within, (real *)(void *)o->block))
CALM(tensor, THTensor_(copy)(o->tensor, o->onBlock))

TH_FAULT_TESTS(copyFaults)
