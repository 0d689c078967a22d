/* Computes slices of a batch: each thread takes so many images, and runs all nodes for a few of them
 * after the others.
 *
 * What is left where threads do not share the images evenly, and all images if they are too few, is
 * computed by the nodes in turn, whose work the threads share then.  So is everything if a slice fails:
 * the error is that of the node. */
#include "ATen/autograd/Node.h"
#include "ATen/core/ATenOperations.h"
#include "TH/core/THTeam.h"
#include "slices.h"

enum { IMAGE_DIMS = 4 };

typedef struct Batch {
  at_program *program;
  const at_batchSlices *slices;
  at_cell *inputs;       /* borrowed from the frame around */
  bool *isSliced;        /* of inputs */
  at_tensor **whole;     /* the outputs for all images; NULL until a slice is there */
  int64_t images, piece; /* piece: how many a slice has */
  int threads;
  bool isOff;      /* whether the caller records nothing for gradients */
  bool failed;     /* atomic */
  size_t poolPeak; /* atomic: the most bytes that the slices of a thread needed at a time */
} Batch;

/* --- one slice -------------------------------------------------------------------------------- */

/* A view of images begin to end of t. */
static at_tensor *new_slice(at_tensor *t, int64_t begin, int64_t end)
{
  int64_t sizes[IMAGE_DIMS], strides[IMAGE_DIMS];
  for (int d = 0; d < IMAGE_DIMS; d++) {
    sizes[d] = d == 0 ? end - begin : t->th->size[d];
    strides[d] = t->th->stride[d];
  }
  return at_newView(t, t->th->storageOffset + (ptrdiff_t)(begin * strides[0]),
                    (at_ints){sizes, IMAGE_DIMS}, strides);
}

static void bind(at_frame *frame, const Batch *batch, const at_graphNode *node, int64_t begin,
                 int64_t end)
{
  for (int32_t i = 0; i < batch->slices->inputCount; i++) {
    const at_cell cell = batch->inputs[i];
    at_frame_put(frame, node->inputs->parts[i].slot,
                 batch->isSliced[i]
                     ? (at_cell){AT_CELL_TENSOR, {.tensor = new_slice(cell.is.tensor, begin, end)}}
                     : at_cell_retain(cell));
  }
}

/* The tensor for all images that a slice belongs to: made by the first thread that needs it. */
static at_tensor *whole_of(Batch *batch, int32_t k, const at_tensor *slice)
{
  at_tensor *known = __atomic_load_n(&batch->whole[k], __ATOMIC_ACQUIRE);
  if (known)
    return known;
  int64_t sizes[IMAGE_DIMS] = {batch->images};
  for (int d = 1; d < IMAGE_DIMS; d++)
    sizes[d] = slice->th->size[d];
  THStoragePool *const pool = THStoragePool_use(NULL); /* it outlives the slices */
  at_tensor *const made = at_newShape(slice->type, (at_ints){sizes, IMAGE_DIMS});
  THStoragePool_use(pool);
  if (__atomic_compare_exchange_n(&batch->whole[k], &known, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  at_release(made);
  return known;
}

static void collect(const at_frame *frame, Batch *batch, const at_graphNode *node, int64_t begin,
                    int64_t end)
{
  for (int32_t k = 0; k < batch->slices->outputCount; k++) {
    const at_cell cell = frame->cells[node->outputs[k]];
    const at_tensor *const t = cell.kind == AT_CELL_TENSOR ? cell.is.tensor : NULL;
    if (!t || at_dim(t) != IMAGE_DIMS || t->th->size[0] != end - begin)
      at_nodeFails(node, "output %d is no slice of a batch", (int)k);
    at_tensor *const part = new_slice(whole_of(batch, k, t), begin, end);
    at_copyFrom(part, cell.is.tensor);
    at_release(part);
  }
}

/* What a thread computes. */
typedef struct Share {
  Batch *batch;
  const at_graphNode *node;
  bool isUntimed;
} Share;

static void compute_slice(const Share *share, int64_t begin, int64_t end)
{
  const at_batchSlices *const slices = share->batch->slices;
  at_frame frame;
  THGuard guard;
  at_frame_enter(&frame, share->batch->program, &slices->graph, &guard);
  frame.isUntimed = share->isUntimed;
  bind(&frame, share->batch, share->node, begin, end);
  at_frame_run(&frame);
  collect(&frame, share->batch, share->node, begin, end);
  THGuard_leave(&guard);
}

/* Ends the pool of a thread. */
static void end_pool(Batch *batch, THStoragePool *pool)
{
  const size_t peak = THStoragePool_end(pool).peak;
  size_t known = __atomic_load_n(&batch->poolPeak, __ATOMIC_RELAXED);
  while (known < peak && !__atomic_compare_exchange_n(&batch->poolPeak, &known, peak, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* Images begin to end, a piece at a time.  Errors stay here. */
static void compute_share(const Share *share, int64_t begin, int64_t end)
{
  Batch *const batch = share->batch;
  const bool wasOff = at_gradState.isOff, hadError = at_error() != AT_OK;
  at_call call;
  at_begin(&call, "program_run");
  at_gradState.isOff = batch->isOff;
  THStoragePool *const pool = THStoragePool_begin(*batch->slices->poolBytes);
  THStoragePool *const before = THStoragePool_use(pool);
  TH_TRY(call.attempt)
  {
    AT_SCOPE
    {
      for (int64_t at = begin; at < end && !__atomic_load_n(&batch->failed, __ATOMIC_RELAXED);
           at += batch->piece)
        compute_slice(share, at, THMin(end, at + batch->piece));
    }
  }
  THStoragePool_use(before);
  end_pool(batch, pool);
  at_gradState.isOff = wasOff;
  if (!at_failed(&call))
    return;
  __atomic_store_n(&batch->failed, true, __ATOMIC_RELAXED);
  if (!hadError)
    at_error_clear();
}

static void compute_thread(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  Share share = *(const Share *)context;
  share.isUntimed = THTeam_index(share.batch->threads) != 0;
  compute_share(&share, begin, end);
}

/* --- the batch -------------------------------------------------------------------------------- */

/* Finds out which inputs are sliced, and how many images there are; 0 if there are no images. */
static int64_t count_images(const Batch *batch)
{
  int64_t images = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < batch->slices->inputCount; i++) {
      const uint8_t role = batch->slices->roles[i];
      const at_cell cell = batch->inputs[i];
      const bool isImages = role & AT_SLICE_IMAGES;
      if (role == AT_SLICE_WHOLE || isImages != (pass == 0))
        continue;
      const int dims = cell.kind == AT_CELL_TENSOR ? at_dim(cell.is.tensor) : -1;
      const int64_t count = dims == IMAGE_DIMS ? at_size(cell.is.tensor, 0) : 1;
      if (dims < 0 || dims > IMAGE_DIMS || (isImages && dims != IMAGE_DIMS))
        return 0;
      if (images == 0)
        images = count;
      batch->isSliced[i] = isImages || (dims == IMAGE_DIMS && count != 1);
      if (batch->isSliced[i] && count != images)
        return 0;
    }
  return images;
}

static void free_batch(void *what)
{
  Batch *const batch = what;
  for (int32_t k = 0; batch->whole && k < batch->slices->outputCount; k++)
    at_release(batch->whole[k]);
  THFree(batch->whole);
  THFree(batch->inputs);
  THFree(batch->isSliced);
}

static void prepare(Batch *batch, const at_frame *frame, const at_graphNode *node)
{
  const ptrdiff_t inputs = batch->slices->inputCount, outputs = batch->slices->outputCount;
  batch->inputs = THAlloc((inputs + 1) * (ptrdiff_t)sizeof *batch->inputs);
  batch->isSliced = THAlloc(inputs + 1);
  memset(batch->isSliced, 0, (size_t)inputs + 1);
  at_tensor **const whole = THAlloc((outputs + 1) * (ptrdiff_t)sizeof *batch->whole);
  memset(whole, 0, ((size_t)outputs + 1) * sizeof *whole);
  batch->whole = whole;
  for (int32_t i = 0; i < inputs; i++)
    batch->inputs[i] = at_frame_get(frame, &node->inputs->parts[i]);
}

static double bytes_in(const Batch *batch, bool areSliced)
{
  double bytes = 0;
  for (int32_t i = 0; i < batch->slices->inputCount; i++)
    if (batch->isSliced[i] == areSliced && batch->inputs[i].kind == AT_CELL_TENSOR) {
      const at_tensor *const t = batch->inputs[i].is.tensor;
      bytes += (double)at_numel(t) * (double)t->type->elementSize;
    }
  return bytes;
}

/* How many images a slice has.  A slice reads all weights: they should not be much more than what is made of
 * its images, which in networks for pictures is 15 to 70 times their own size.  Time of 16 images on two
 * threads with slices of 1 and of 4 images, over the time without slices: MobileNetV3 (weights of 20
 * images) 0.87 and 0.98, ResNet-18 (74) 1.3 and 1.0, ResNet-50 (156) 1.1 and 1.0.  While other processes
 * wanted the processors: 0.4 and 0.45, 1.2 and 0.7, 0.95 and 0.9, because threads wait for each other at the
 * end alone. */
static int64_t choose_piece(const Batch *batch)
{
  enum { VALUES = 16, MOST = 4 };
  const double image = bytes_in(batch, true) / (double)batch->images;
  return (int64_t)THMax(1, THMin(MOST, bytes_in(batch, false) / (VALUES * THMax(image, 1))));
}

/* Computes all images in slices; false if they are not for slices, or one failed. */
static bool compute_slices(Batch *batch, const at_graphNode *node)
{
  Share share = {batch, node, false};
  batch->images = count_images(batch);
  batch->threads = THTeam_most();
  batch->isOff = at_gradState.isOff;
  const int64_t even = batch->images - batch->images % batch->threads;
  if (batch->threads < 2 || even == 0)
    return false;
  for (int i = 0; i < AT_AUTOCAST_DEVICES; i++)
    if (at_gradState.lower[i])
      return false;
  batch->piece = choose_piece(batch);
  THParallel_forIn(batch->threads, (ptrdiff_t)even, compute_thread, &share);
  batch->piece = batch->images;
  if (even < batch->images && !batch->failed)
    compute_share(&share, even, batch->images);
  *batch->slices->poolBytes = at_pool_enough(*batch->slices->poolBytes, batch->poolPeak);
  return !batch->failed;
}

/* The nodes in turn, each for all images. */
static void compute_whole(at_frame *frame, const Batch *batch, const at_graphNode *node)
{
  at_frame inner;
  THGuard guard;
  at_frame_enter(&inner, frame->program, &batch->slices->graph, &guard);
  memcpy(inner.autocast, frame->autocast, sizeof inner.autocast);
  for (int32_t i = 0; i < batch->slices->inputCount; i++)
    at_frame_put(&inner, node->inputs->parts[i].slot, at_cell_retain(batch->inputs[i]));
  at_frame_run(&inner);
  for (int32_t k = 0; k < batch->slices->outputCount; k++) {
    at_cell *const cell = &inner.cells[node->outputs[k]];
    at_frame_put(frame, node->outputs[k], *cell);
    cell->kind = AT_CELL_NONE;
  }
  THGuard_leave(&guard);
}

void at_computeSlices(at_frame *frame, const at_graphNode *node)
{
  bool hasAutocast = false;
  Batch batch = {.program = frame->program, .slices = node->how};
  THGuard guard;
  THGuard_enter(&guard, free_batch);
  guard.what = &batch;
  prepare(&batch, frame, node);
  for (int i = 0; i < AT_AUTOCAST_DEVICES; i++)
    hasAutocast |= frame->autocast[i] != NULL;
  if (!hasAutocast && compute_slices(&batch, node)) {
    for (int32_t k = 0; k < batch.slices->outputCount; k++) {
      at_frame_put(frame, node->outputs[k], (at_cell){AT_CELL_TENSOR, {.tensor = batch.whole[k]}});
      batch.whole[k] = NULL;
    }
  } else {
    compute_whole(frame, &batch, node);
  }
  THGuard_leave(&guard);
}
