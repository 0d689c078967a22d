/* The frame of every layer's function (Call.h). */
#include "Template.h"

#include "CheckProbability.h"

static THGuard *THNN_(guard)(THNN_(Call) * call, THUndo undo)
{
  THGuard *guard = &call->guard[call->guards++];
  THGuard_enter(guard, undo);
  return guard;
}

/* Undoes what ready did to storages; memory that was added to them stays as spare capacity. */
static void THNN_(restoreStorages)(void *what)
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

void THNN_(beginPart)(THNN_(Call) * call, THNNMemory *memory)
{
  call->sources = call->results = call->guards = 0;
  call->memory = memory;
  THNN_(guard)(call, THNN_(restoreStorages));
}

void THNN_(begin)(THNN_(Call) * call)
{
  call->own.sources = call->own.results = 0;
  THNN_(beginPart)(call, &call->own);
}

/* The tensor that a layer sees until addresses are known: without a storage. */
static THTensor *THNN_(hand)(THTensor *handed, const THTensor *tensor)
{
  *handed = *tensor;
  handed->storage = NULL;
  return handed;
}

THTensor *THNN_(source)(THNN_(Call) * call, THTensor *tensor)
{
  if (!tensor)
    return NULL;
  THAssert(call->sources < THNN_OPERANDS);
  THNN_(Source) *source = &call->source[call->sources++];
  source->tensor = tensor;
  int direct = THTensor_(isContiguous)(tensor);
  for (int i = 0; i < call->memory->results && direct; i++)
    direct = THView_overlap(TH_VIEW(tensor), call->memory->result[i].view) == TH_OVERLAP_NONE;
  if (direct)
    THNNMemory_reads(call->memory, TH_VIEW(tensor));
  else
    source->tensor = THNN_(guard)(call, (THUndo)THTensor_(free))->what =
        THTensor_(newClone)(tensor);
  return THNN_(hand)(&source->handed, source->tensor);
}

/* Raises if the memory that a result will have, which was found before, belongs to another
 * result. */
static void THNN_(claim)(THNNMemory *memory, int fits, int nDimension, const int64_t *size)
{
  static const int64_t step = 1;
  THView *const view = &memory->result[memory->results].view;
  int64_t *const count = &memory->result[memory->results].count;
  if (!fits) { /* the result will be resized, and be contiguous */
    *count = view->data ? THSize_nElement(nDimension, (int64_t *)size) : 0; /* 0: in new memory */
    view->nDimension = 1;
    view->size = count;
    view->stride = &step;
  }
  for (int i = 0; i < memory->results; i++)
    if (THView_sharesStorage(*view, memory->result[i].view) &&
        THView_touch(*view, memory->result[i].view))
      THError("a result of size %s shares memory with another result",
              _THSizeDesc(size, nDimension).str);
  memory->results++;
}

static THTensor *THNN_(target)(THNN_(Call) * call, THTensor *tensor, int nDimension,
                               const int64_t *size, int keeps)
{
  const int fits = THSize_isSameSizeAs(tensor->size, tensor->nDimension, size, nDimension);
  const int contiguous = THTensor_(isContiguous)(tensor);
  if (fits && !contiguous) {
    THLoop loop;
    THLoop_init(&loop);
    THLoop_tensor(&loop, tensor);
    if (THLoop_overlapsItself(&loop, 0))
      THError("a result of size %s has elements that share memory with each other",
              THTensor_(sizeDesc)(tensor).str);
  }

  THNNMemory *const memory = call->memory;
  THAssert(memory->results < 2 * THNN_OPERANDS && call->results < THNN_OPERANDS);
  memory->result[memory->results].view = TH_VIEW(tensor);
  int direct = !fits || contiguous;
  for (int i = 0; i < memory->sources && direct; i++)
    direct = THResult_overlapSized(memory->result[memory->results].view, nDimension, size,
                                   memory->source[i]) == TH_OVERLAP_NONE;
  THNN_(claim)(memory, fits, nDimension, size);

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
  THNN_(hand)(&result->handed, result->written);
  if (direct && !fits) {
    result->handed.nDimension = nDimension;
    result->handed.size = (int64_t *)size;
    result->handed.stride = NULL; /* until start */
  }
  return &result->handed;
}

THTensor *THNN_(result)(THNN_(Call) * call, THTensor *tensor, int nDimension, const int64_t *size)
{
  return THNN_(target)(call, tensor, nDimension, size, 0);
}

THTensor *THNN_(sum)(THNN_(Call) * call, THTensor *tensor)
{
  return tensor ? THNN_(target)(call, tensor, tensor->nDimension, tensor->size, 1) : NULL;
}

real *THNN_(scratch)(THNN_(Call) * call, ptrdiff_t count)
{
  ptrdiff_t bytes;
  if (__builtin_mul_overflow(count, (ptrdiff_t)sizeof(real), &bytes))
    THError("%td elements of scratch memory are too many", count);
  THGuard *guard = THNN_(guard)(call, THNN_FREE);
  return guard->what = THNN_ALLOCATE(bytes);
}

#ifndef TH_TEMPLATE_DEVICE
void *THNN_(sumMemory)(THNN_(Call) * call, int64_t lines, int64_t length)
{
  return NULL;
}

int THNN_(findNonProbability)(THTensor *t, int arg, double *value)
{
  if (THTensor_(nElement)(t) == 0)
    return 0;
  const double least = (double)THTensor_(minall)(t), most = (double)THTensor_(maxall)(t);
  *value = least >= 0 ? most : least;
  return !(least >= 0 && most <= 1);
}

/* An empty product computes nothing, but raises if there is no BLAS. */
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
  for (int i = 0; i < call->sources; i++)
    call->source[i].handed.storage = call->source[i].tensor->storage;
  for (int i = 0; i < call->results; i++)
    call->result[i].handed.storage = call->result[i].written->storage;
}

void THNN_(start)(THNN_(Call) * call)
{
  THNN_(ready)(call);
  for (int i = 0; i < call->results; i++) {
    THNN_(Result) *result = &call->result[i];
    THTensor_(resizeNd)(result->tensor, result->nDimension, (int64_t *)result->size, NULL);
    if (!result->handed.stride)
      result->handed = *result->written;
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
