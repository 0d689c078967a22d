/* The frame of a layer's function. */
#include "THNNTemplate.h"

static THGuard *THNN_(guard)(THNN_(Call) * call, THUndo undo)
{
  THGuard *guard = &call->guard[call->guards++];
  THGuard_enter(guard, undo);
  return guard;
}

/* Storages are as they were before ready; the rest of their memory is spare. */
static void THNN_(putBack)(void *what)
{
  const THNN_(Call) *call = what;
  for (int i = 0; i < call->results; i++) {
    const THNN_(Result) *result = &call->result[i];
    if (result->storage)
      result->storage->size = result->storageSize;
    else
      THStorage_(free)(result->tensor->storage);
    result->tensor->storage = result->storage;
  }
}

void THNN_(begin)(THNN_(Call) * call)
{
  call->sources = call->results = call->guards = 0;
  THNN_(guard)(call, THNN_(putBack));
}

THTensor *THNN_(source)(THNN_(Call) * call, THTensor *tensor)
{
  if (!tensor)
    return NULL;
  if (THTensor_(isContiguous)(tensor)) {
    call->source[call->sources++] = tensor;
    return tensor;
  }
  return THNN_(guard)(call, (THUndo)THTensor_(free))->what = THTensor_(newClone)(tensor);
}

/* Writing tensor in the new shape, or making it that large, might change what source is. */
static int THNN_(mayShare)(THTensor *tensor, THTensor *source, int fits)
{
  if (!tensor->storage || tensor->storage != source->storage)
    return 0;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  THLoop_tensor(&loop, source);
  return !fits || THLoop_overlap(&loop, 0, 1) != TH_OVERLAP_NONE;
}

static THTensor *THNN_(target)(THNN_(Call) * call, THTensor *tensor, int nDimension,
                               const int64_t *size, int keeps)
{
  const int fits = THSize_isSameSizeAs(tensor->size, tensor->nDimension, size, nDimension);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  if (fits && THLoop_overlapsItself(&loop, 0))
    THError("a result of size %s has elements that share memory with each other",
            THTensor_(sizeDesc)(tensor).str);

  int direct = !fits || THTensor_(isContiguous)(tensor);
  for (int i = 0; i < call->sources; i++)
    direct &= !THNN_(mayShare)(tensor, call->source[i], fits);

  THNN_(Result) *result = &call->result[call->results++];
  result->tensor = result->written = tensor;
  result->nDimension = nDimension;
  result->size = size;
  result->storage = tensor->storage;
  result->storageSize = tensor->storage ? tensor->storage->size : 0;
  if (!direct) {
    THGuard *guard = THNN_(guard)(call, (THUndo)THTensor_(free));
    guard->what = result->written = keeps ? THTensor_(newClone)(tensor) : THTensor_(new)();
    THTensor_(resizeNd)(result->written, nDimension, (int64_t *)size, NULL);
  }
  return result->written;
}

THTensor *THNN_(result)(THNN_(Call) * call, THTensor *tensor, int nDimension, const int64_t *size)
{
  return THNN_(target)(call, tensor, nDimension, size, 0);
}

THTensor *THNN_(sum)(THNN_(Call) * call, THTensor *tensor)
{
  return tensor ? THNN_(target)(call, tensor, tensor->nDimension, tensor->size, 1) : NULL;
}

#ifndef TH_TEMPLATE_DEVICE
real *THNN_(scratch)(THNN_(Call) * call, ptrdiff_t count)
{
  ptrdiff_t bytes;
  if (__builtin_mul_overflow(count, (ptrdiff_t)sizeof(real), &bytes))
    THError("%td elements of scratch memory are too many", count);
  THGuard *guard = THNN_(guard)(call, THFree);
  return guard->what = THAlloc(bytes);
}

/* An empty product computes nothing, but finds the library. */
void THNN_(needBlas)(void)
{
  THBlas_(gemm)('n', 'n', 0, 0, 0, 0, NULL, 1, NULL, 1, 0, NULL, 1);
}
#endif

/* Makes tensor's storage large enough for count elements, so that resizing cannot fail. */
static void THNN_(reserve)(THTensor *tensor, ptrdiff_t count)
{
  ptrdiff_t reach;
  if (__builtin_add_overflow(tensor->storageOffset, count, &reach))
    THError("a result of %td elements is too large", count);
  if (!tensor->storage)
    tensor->storage = THStorage_(newWithSize)(reach);
  else if (tensor->storage->size < reach)
    THStorage_(resize)(tensor->storage, reach);
}

void THNN_(ready)(THNN_(Call) * call)
{
  call->guard[0].what = call;
  for (int i = 0; i < call->results; i++) {
    THNN_(Result) *result = &call->result[i];
    if (!THSize_isSameSizeAs(result->tensor->size, result->tensor->nDimension, result->size,
                             result->nDimension))
      THNN_(reserve)(result->tensor, THSize_nElement(result->nDimension, (int64_t *)result->size));
  }
}

void THNN_(start)(THNN_(Call) * call)
{
  THNN_(ready)(call);
  for (int i = 0; i < call->results; i++) {
    THNN_(Result) *result = &call->result[i];
    THTensor_(resizeNd)(result->tensor, result->nDimension, (int64_t *)result->size, NULL);
  }
  call->guard[0].what = NULL;
}

void THNN_(finish)(THNN_(Call) * call)
{
  for (int i = 0; i < call->results; i++) {
    THNN_(Result) *result = &call->result[i];
    if (result->written != result->tensor)
      THTensor_(copy)(result->tensor, result->written);
  }
  while (call->guards > 0)
    THGuard_leave(&call->guard[--call->guards]);
}
