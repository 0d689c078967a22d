/* Copies between tensors of any types, shapes and strides, on the host and on devices. */
#include "THCTemplate.h"

#include "THC/core/THCPrivate.h"

void THCDevice_(free)(THCTensor *self);
THCTensor *THCDevice_(newShapeNd)(THCStorage *storage, ptrdiff_t offset, int nDimension,
                                  const int64_t *size, const int64_t *stride);

#define SAME_TYPE          TH_CONCAT_2(THScalar, Real)
#define SELF_OPERAND(SELF) THC_OPERAND(Real, SELF)

/* --- from device to device ------------------------------------------------------------------ */

/* A contiguous tensor of those sizes on a device, which the guard holds. */
static THCTensor *THCTensor_(newOn)(THGuard *guard, int device, int nDimension, const int64_t *size)
{
  THGuard_enter(guard, (THUndo)THCDevice_(free));
  THCOnDevice on;
  THCOnDevice_enter(&on, device);
  THCTensor *made = THCDevice_(newShapeNd)(NULL, 0, nDimension, size, NULL);
  THCOnDevice_leave(&on);
  guard->what = made;
  return made;
}

/* src's elements as a contiguous tensor of Real on src's device. */
static THCTensor *THCTensor_(newConverted)(THCState *state, THGuard *guard, const THCOperand *src)
{
  THCTensor *made = THCTensor_(newOn)(guard, src->device, src->nDimension, src->size);
  const THCOperand to = SELF_OPERAND(made);
  THAssert(THCOperand_copy(state, &to, src, src->device));
  return made;
}

/* Both are on one device, or the source's device has access to the other. */
static void THCTensor_(copyDirectly)(THCState *state, const THCOperand *to, const THCOperand *src)
{
  if (THCOperand_copy(state, to, src, src->device))
    return;
  THGuard guard;
  THCTensor *straight = THCTensor_(newConverted)(state, &guard, src);
  const THCOperand from = SELF_OPERAND(straight);
  THAssert(THCOperand_copy(state, to, &from, src->device));
  THGuard_leave(&guard);
}

/* Elements are converted on the source's device, copied as one contiguous block, and copied into
 * the strided tensor on the other device. */
static void THCTensor_(copyOver)(THCState *state, const THCOperand *to, const THCOperand *src)
{
  THCStream *here = THC_streamOn(state, src->device), *there = THC_streamOn(state, to->device);
  THGuard from_guard, to_guard;
  THCOperand from = *src, landing = *to;
  THGuard_enter(&from_guard, (THUndo)THCDevice_(free));
  if (src->type != SAME_TYPE || !THCOperand_isContiguous(src)) {
    THGuard made;
    THCTensor *straight = THCTensor_(newConverted)(state, &made, src);
    THGuard_keep(&made);
    from_guard.what = straight;
    from = SELF_OPERAND(straight);
  }
  THGuard_enter(&to_guard, (THUndo)THCDevice_(free));
  if (!THCOperand_isContiguous(to)) {
    THGuard made;
    THCTensor *buffer = THCTensor_(newOn)(&made, to->device, to->nDimension, to->size);
    THGuard_keep(&made);
    to_guard.what = buffer;
    landing = SELF_OPERAND(buffer);
  }

  THC_orderStreams(here, there);
  THGuard crossing;
  THC_waitOnError(&crossing, here);
  THCOnDevice on;
  THCOnDevice_enter(&on, src->device);
  THCudaCheck(cudaMemcpyPeerAsync(landing.data, to->device, from.data, src->device,
                                  (size_t)THCOperand_count(to) * sizeof(real), here->stream));
  THCOnDevice_leave(&on);
  THC_orderStreams(there, here);
  THGuard_keep(&crossing);
  if (to_guard.what)
    THCTensor_(copyDirectly)(state, to, &landing);
  THGuard_leave(&to_guard);
  THGuard_leave(&from_guard);
}

static void THCTensor_(copyBetween)(THCState *state, const THCOperand *to, const THCOperand *src)
{
  if (src->device == to->device) {
    THCTensor_(copyDirectly)(state, to, src);
    return;
  }
  const int simple = src->type == SAME_TYPE && THCOperand_isContiguous(src) &&
                     THCOperand_isContiguous(to); /* one peer copy */
  if (simple || !THCState_getPeerToPeerAccess(state, src->device, to->device)) {
    THCTensor_(copyOver)(state, to, src);
    return;
  }
  THCStream *here = THC_streamOn(state, src->device), *there = THC_streamOn(state, to->device);
  THC_orderStreams(here, there);
  THGuard crossing;
  THC_waitOnError(&crossing, here);
  THCTensor_(copyDirectly)(state, to, src);
  THC_orderStreams(there, here);
  THGuard_keep(&crossing);
}

static void THCTensor_(checkWritable)(const THCTensor *self)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  if (THLoop_overlapsItself(&loop, 0))
    THArgError(1, "tensor of size %s has elements that share memory with each other",
               _THSizeDesc(self->size, self->nDimension).str);
}

static void THCTensor_(copyOperand)(THCState *state, THCTensor *self, const THCOperand *src,
                                    int mayOverlap)
{
  THC_enter(state);
  const THCOperand to = SELF_OPERAND(self);
  const ptrdiff_t n = THCOperand_count(&to), nsrc = THCOperand_count(src);
  THArgCheck(nsrc == n, 2, "src has %td elements (%s), self has %td (%s)", nsrc,
             _THSizeDesc(src->size, src->nDimension).str, n,
             _THSizeDesc(self->size, self->nDimension).str);
  if (n == 0)
    return;
  if (!mayOverlap)
    THCTensor_(checkWritable)(self);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, to.data, to.itemSize, to.nDimension, to.size, to.stride);
  THLoop_operand(&loop, src->data, src->itemSize, src->nDimension, src->size, src->stride);
  const THOverlap overlap = THLoop_overlap(&loop, 0, 1);
  if (overlap == TH_OVERLAP_SAME && src->type == SAME_TYPE)
    return;
  if (overlap != TH_OVERLAP_MIXED) {
    THCTensor_(copyBetween)(state, &to, src);
    return;
  }
  THGuard guard;
  THCTensor *aside = THCTensor_(newConverted)(state, &guard, src);
  const THCOperand from = SELF_OPERAND(aside);
  THCTensor_(copyBetween)(state, &to, &from);
  THGuard_leave(&guard);
}

#define TH_SOURCE_FILE "THC/tensor/THCTensorCopyDevice.h"
#include "TH/tensor/THEachSource.h"

void THCTensor_(copy)(THCState *state, THCTensor *self, THCTensor *src)
{
  const THCOperand from = SELF_OPERAND(src);
  THCTensor_(copyOperand)(state, self, &from, 0);
}

void THCTensor_(copyCuda)(THCState *state, THCTensor *self, THCTensor *src)
{
  THCTensor_(copy)(state, self, src);
}

void THCTensor_(copyIgnoringOverlaps)(THCState *state, THCTensor *self, THCTensor *src)
{
  const THCOperand from = SELF_OPERAND(src);
  THCTensor_(copyOperand)(state, self, &from, 1);
}

/* --- between host and device ---------------------------------------------------------------- */

/* Queues a copy of n elements between the host and memory of the device. */
static void THCTensor_(queue)(THCState *state, void *to, const void *from, ptrdiff_t n, int device,
                              enum cudaMemcpyKind kind, int wait)
{
  THCOnDevice on;
  THCOnDevice_enter(&on, device);
  THCStream *stream = THC_streamOn(state, device);
  THC_refuseCapture(stream, "a copy between the CPU and a device");
  THCudaCheck(cudaMemcpyAsync(to, from, (size_t)n * sizeof(real), kind, stream->stream));
  if (wait) {
    THC_waitFor(stream);
  } else {
    void *host = (void *)(kind == cudaMemcpyHostToDevice ? from : to);
    THCudaCheck(THCCachingHostAllocator_recordEvent(host, stream));
  }
  THCOnDevice_leave(&on);
}

/* Whether a queued copy reads the memory later.  Pageable memory has been read when the call returns. */
static int is_page_locked(const void *host)
{
  struct cudaPointerAttributes attributes;
  THCudaCheck(cudaPointerGetAttributes(&attributes, host));
  return attributes.type != cudaMemoryTypeUnregistered;
}

/* Queues a copy of n elements from memory of the host, which may change when this returns. */
static void THCTensor_(queueUpload)(THCState *state, real *to, const real *from, ptrdiff_t n,
                                    int device)
{
  THCOnDevice on;
  THCOnDevice_enter(&on, device);
  THCStream *stream = THC_streamOn(state, device);
  THC_refuseCapture(stream, "a copy from the CPU");
  THCudaCheck(cudaMemcpyAsync(to, from, (size_t)n * sizeof(real), cudaMemcpyHostToDevice,
                              stream->stream));
  if (is_page_locked(from))
    THC_waitFor(stream);
  THCOnDevice_leave(&on);
}

/* Copies src, which is contiguous, to self; both have n elements. */
static void THCTensor_(upload)(THCState *state, THCTensor *self, THTensor *src, ptrdiff_t n)
{
  const THCOperand to = SELF_OPERAND(self);
  if (THCOperand_isContiguous(&to)) {
    THCTensor_(queueUpload)(state, to.data, THTensor_(data)(src), n, to.device);
    return;
  }
  THGuard guard;
  THCTensor *landing = THCTensor_(newOn)(&guard, to.device, to.nDimension, to.size);
  const THCOperand from = SELF_OPERAND(landing);
  THCTensor_(queueUpload)(state, from.data, THTensor_(data)(src), n, to.device);
  THCTensor_(copyDirectly)(state, &to, &from);
  THGuard_leave(&guard);
}

/* A new contiguous tensor on the host. */
static THTensor *THTensor_(newForDevice)(THGuard *guard, int nDimension, int64_t *size)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  THTensor *made = guard->what = THTensor_(new)();
  THTensor_(resizeNd)(made, nDimension, size, NULL);
  return made;
}

static void THCTensor_(checkCount)(ptrdiff_t n, ptrdiff_t nsrc, int nDimension, const int64_t *size,
                                   int nDimensionSrc, const int64_t *sizeSrc)
{
  THArgCheck(nsrc == n, 2, "src has %td elements (%s), self has %td (%s)", nsrc,
             _THSizeDesc(sizeSrc, nDimensionSrc).str, n, _THSizeDesc(size, nDimension).str);
}

/* Checks a copy of nsrc elements from the host; returns how many there are. */
static ptrdiff_t THCTensor_(openUpload)(THCState *state, THCTensor *self, ptrdiff_t nsrc,
                                        int nDimensionSrc, const int64_t *sizeSrc)
{
  THC_enter(state);
  const THCOperand to = SELF_OPERAND(self);
  const ptrdiff_t n = THCOperand_count(&to);
  THCTensor_(checkCount)(n, nsrc, self->nDimension, self->size, nDimensionSrc, sizeSrc);
  if (n > 0)
    THCTensor_(checkWritable)(self);
  return n;
}

#define TH_SOURCE_FILE "THC/tensor/THCTensorUpload.h"
#include "TH/tensor/THEachSource.h"

void THCTensor_(copyCPU)(THCState *state, THCTensor *self, THTensor *src)
{
  THCTensor_(TH_CONCAT_2(copy, Real))(state, self, src);
}

/* Copies tensor to self, which is contiguous; both have n elements. */
static void THCTensor_(download)(THCState *state, THTensor *self, THCTensor *tensor, ptrdiff_t n)
{
  const THCOperand src = SELF_OPERAND(tensor);
  THCOperand from = src;
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THCDevice_(free));
  if (!THCOperand_isContiguous(&src)) {
    THGuard made;
    THCTensor *straight = THCTensor_(newConverted)(state, &made, &src);
    THGuard_keep(&made);
    guard.what = straight;
    from = SELF_OPERAND(straight);
  }
  THCTensor_(queue)(state, THTensor_(data)(self), from.data, n, src.device, cudaMemcpyDeviceToHost,
                    1);
  THGuard_leave(&guard);
}

/* Checks a copy to a tensor of n elements on the host; returns how many src has. */
static ptrdiff_t THCTensor_(openDownload)(THCState *state, THCTensor *src, ptrdiff_t n,
                                          int nDimension, const int64_t *size)
{
  THC_enter(state);
  const THCOperand from = SELF_OPERAND(src);
  const ptrdiff_t nsrc = THCOperand_count(&from);
  THCTensor_(checkCount)(n, nsrc, nDimension, size, src->nDimension, src->size);
  return nsrc;
}

static void THCTensor_(checkTarget)(void *data, size_t itemSize, int nDimension,
                                    const int64_t *size, const int64_t *stride)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, data, itemSize, nDimension, size, stride);
  if (THLoop_overlapsItself(&loop, 0))
    THArgError(1, "tensor of size %s has elements that share memory with each other",
               _THSizeDesc(size, nDimension).str);
}

/* A contiguous tensor on the host with the elements of src. */
static THTensor *THCTensor_(newDownloaded)(THCState *state, THGuard *guard, THCTensor *src,
                                           ptrdiff_t nsrc)
{
  THTensor *straight = THTensor_(newForDevice)(guard, src->nDimension, src->size);
  THCTensor_(download)(state, straight, src, nsrc);
  return straight;
}

#define TH_SOURCE_FILE "THC/tensor/THCTensorDownload.h"
#include "TH/tensor/THEachSource.h"

void THTensor_(copyCuda)(THCState *state, THTensor *self, THCTensor *src)
{
  TH_CONCAT_2(THTensor_(copyCuda), Real)(state, self, src);
}

/* --- without waiting ------------------------------------------------------------------------ */

static void THCTensor_(checkAsync)(const THCTensor *device, const THTensor *host, ptrdiff_t n,
                                   ptrdiff_t nsrc, int deviceArg)
{
  const THCOperand operand = SELF_OPERAND(device);
  THArgCheck(nsrc == n, 2, "src has %td elements, self has %td", nsrc, n);
  THArgCheck(THTensor_(isContiguous)(host), 3 - deviceArg,
             "the tensor on the host, of size %s, is not contiguous",
             THTensor_(sizeDesc)(host).str);
  THArgCheck(THCOperand_isContiguous(&operand), deviceArg,
             "the tensor on the device, of size %s, is not contiguous",
             _THSizeDesc(device->size, device->nDimension).str);
}

void THCTensor_(copyAsyncCPU)(THCState *state, THCTensor *self, THTensor *src)
{
  THC_enter(state);
  const THCOperand to = SELF_OPERAND(self);
  const ptrdiff_t n = THCOperand_count(&to);
  THCTensor_(checkAsync)(self, src, n, THTensor_(nElement)(src), 1);
  if (n > 0)
    THCTensor_(queue)(state, to.data, THTensor_(data)(src), n, to.device, cudaMemcpyHostToDevice,
                      0);
}

void THTensor_(copyAsyncCuda)(THCState *state, THTensor *self, THCTensor *src)
{
  THC_enter(state);
  const THCOperand from = SELF_OPERAND(src);
  const ptrdiff_t nsrc = THCOperand_count(&from);
  THCTensor_(checkAsync)(src, self, THTensor_(nElement)(self), nsrc, 2);
  if (nsrc > 0)
    THCTensor_(queue)(state, THTensor_(data)(self), from.data, nsrc, from.device,
                      cudaMemcpyDeviceToHost, 0);
}
