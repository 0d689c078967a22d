/* Checks of indices and masks on a device, and selections. */
#define _GNU_SOURCE /* secure_getenv */
#include "THCIndex.h"

#include "TH/index/THIndex.h"

static int checks(void)
{
  static int known = -1; /* threads that race here write the same value */
  if (known < 0) {
    const char *text = secure_getenv("TH_CUDA_CHECK_INDICES");
    known = !(text && !strcmp(text, "0"));
  }
  return known;
}

/* Whether the kernel finds no invalid element in the operand. */
static int all_good(const THLoop *loop, THCKernel kernel, THCIndexRange range)
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THGuard guard;
  int bad;
  range.bad = THC_room(&guard, sizeof *range.bad);
  THCudaCheck(cudaMemsetAsync(range.bad, 0, sizeof *range.bad, stream));
  THCWalk_run(loop, kernel, &range, stream);
  THCudaCheck(cudaMemcpyAsync(&bad, range.bad, sizeof bad, cudaMemcpyDeviceToHost, stream));
  THCudaCheck(cudaStreamSynchronize(stream));
  THGuard_leave(&guard);
  return !bad;
}

static int indices_are_good(THCudaLongTensor *index, THCIndexRange range)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, index);
  return all_good(&loop, THCIndex_checkKernel, range);
}

/* Copies the indices to the host, for the error message. */
static THLongTensor *fetch_index(THGuard *guard, THCudaLongTensor *index)
{
  THGuard_enter(guard, (THUndo)THLongTensor_free);
  THLongTensor *host = guard->what = THLongTensor_new();
  THLongTensor_resizeNd(host, index->nDimension, index->size, NULL);
  THLongTensor_copyCuda(THC_using, host, index);
  return host;
}

static ptrdiff_t count_of(int nDimension, const int64_t *size)
{
  ptrdiff_t count = nDimension > 0;
  for (int d = 0; d < nDimension; d++)
    count *= size[d];
  return count;
}

void THCIndex_check(THCudaLongTensor *index, int arg, int dim, int64_t size)
{
  const THCIndexRange range = {.first = TH_INDEX_BASE, .hole = INT64_MIN, .count = (uint64_t)size};
  if (count_of(index->nDimension, index->size) == 0 || !checks() || indices_are_good(index, range))
    return;
  THGuard guard;
  THIndex_check(fetch_index(&guard, index), arg, dim, size);
  THGuard_leave(&guard);
}

void THCIndex_checkFlat(THCudaLongTensor *index, int arg, ptrdiff_t count)
{
  const THCIndexRange range = {.first = -count,
                               .hole = TH_INDEX_BASE ? 0 : INT64_MIN,
                               .count = 2 * (uint64_t)count + TH_INDEX_BASE};
  if (count_of(index->nDimension, index->size) == 0 || !checks() || indices_are_good(index, range))
    return;
  THGuard guard;
  THIndex_checkFlat(fetch_index(&guard, index), arg, count);
  THGuard_leave(&guard);
}

static void bad_mask(THCudaByteTensor *mask, int arg)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THByteTensor_free);
  THByteTensor *host = guard.what = THByteTensor_new();
  THByteTensor_resizeNd(host, mask->nDimension, mask->size, NULL);
  THByteTensor_copyCuda(THC_using, host, mask);
  THIndex_checkMask(host, arg);
  THGuard_leave(&guard);
}

void THCIndex_checkMask(THCudaByteTensor *mask, int arg)
{
  if (count_of(mask->nDimension, mask->size) == 0 || !checks())
    return;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, mask);
  if (!all_good(&loop, THCMask_checkKernel, (THCIndexRange){0}))
    bad_mask(mask, arg);
}

/* --- selections ----------------------------------------------------------------------------- */

/* The device's results of a count. */
typedef struct Answer {
  int64_t total;
  int bad;
} Answer;

static Answer count(THCSelection *selection, const THLoop *loop, THCKernel kernel)
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THCSelecting *selecting = &selection->selecting;
  *selecting = (THCSelecting){0};
  THCWalk_run(loop, THCSelect_blocks, &selecting, stream);
  const ptrdiff_t blocks = selecting->block;
  int64_t *counts = THC_room(&selection->guard, (size_t)(blocks + 2) * sizeof *counts);
  *selecting = (THCSelecting){.counts = counts, .bad = (int *)(counts + blocks + 1)};
  THCudaCheck(cudaMemsetAsync(selecting->bad, 0, sizeof *counts, stream));
  THCWalk_run(loop, kernel, &selecting, stream);
  THCSelect_sum(counts, blocks, stream);
  THCudaCheck(cudaGetLastError());
  int64_t told[2];
  THCudaCheck(cudaMemcpyAsync(told, counts + blocks, sizeof told, cudaMemcpyDeviceToHost, stream));
  THCudaCheck(cudaStreamSynchronize(stream));
  Answer answer = {.total = told[0]};
  memcpy(&answer.bad, &told[1], sizeof answer.bad);
  selection->total = answer.total;
  return answer;
}

void THCSelection_count(THCSelection *selection, const THLoop *loop, THCKernel kernel)
{
  count(selection, loop, kernel);
}

void THCSelection_countMask(THCSelection *selection, const THLoop *loop, THCudaByteTensor *mask,
                            int arg)
{
  if (count(selection, loop, THCSelect_countMask).bad && checks())
    bad_mask(mask, arg);
}

void THCSelection_run(THCSelection *selection, const THLoop *loop, THCKernel move)
{
  THCSelecting *selecting = &selection->selecting;
  selecting->block = selecting->done = 0;
  selecting->data = selection->data;
  selecting->step = selection->step;
  selecting->jump = selection->jump;
  THCWalk_run(loop, move, &selecting, THCState_getCurrentStream(THC_using));
}

void THCSelection_close(THCSelection *selection)
{
  THGuard_leave(&selection->guard);
}
