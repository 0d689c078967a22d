/* Checks of indices and masks on a device, and selections. */
#include "THCIndex.h"

#include "TH/index/THIndex.h"

/* Whether the kernel is known to find an element of the operand out of range. */
static int is_bad(const THLoop *loop, THCKernel kernel, int arg, int64_t first, int64_t last,
                  int64_t hole)
{
  THCCheck check;
  THCFault fault;
  if (!THCCheck_open(&check, THC_using, THC_function, arg, first, last))
    return 0;
  const THCIndexRange range = {check.report, hole};
  THCWalk_run(loop, kernel, &range, THCState_getCurrentStream(THC_using));
  return THCCheck_close(&check, &fault);
}

static int index_is_bad(THCudaLongTensor *index, int arg, int64_t first, int64_t last, int64_t hole)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, index);
  return is_bad(&loop, THCIndex_checkKernel, arg, first, last, hole);
}

int THCIndex_findOutside(THCState *state, THCudaLongTensor *index, int64_t first, int64_t last,
                         int64_t *value)
{
  THLoop loop;
  THCCheck check;
  THCFault fault;
  THLoop_init(&loop);
  THLoop_tensor(&loop, index);
  if (!THCCheck_open(&check, state, NULL, 0, first, last))
    return 0;
  const THCIndexRange range = {check.report, INT64_MIN};
  THCWalk_run(&loop, THCIndex_checkKernel, &range, THCState_getCurrentStream(state));
  THCCheck_close(&check, &fault);
  *value = fault.value;
  return fault.found;
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
  if (count_of(index->nDimension, index->size) == 0 ||
      !index_is_bad(index, arg, TH_INDEX_BASE, size - 1 + TH_INDEX_BASE, INT64_MIN))
    return;
  THGuard guard;
  THIndex_check(fetch_index(&guard, index), arg, dim, size);
  THGuard_leave(&guard);
}

void THCIndex_checkFlat(THCudaLongTensor *index, int arg, ptrdiff_t count)
{
  if (count_of(index->nDimension, index->size) == 0 ||
      !index_is_bad(index, arg, -count, count - 1 + TH_INDEX_BASE, TH_INDEX_BASE ? 0 : INT64_MIN))
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
  if (count_of(mask->nDimension, mask->size) == 0)
    return;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, mask);
  if (is_bad(&loop, THCMask_checkKernel, arg, 0, 1, INT64_MIN))
    bad_mask(mask, arg);
}

/* --- additions in order --------------------------------------------------------------------- */

void THCudaLongDevice_free(THCudaLongTensor *tensor);

int THCIndex_accumulates(const void *put)
{
  return ((const THCTakePut *)put)->accumulate;
}

int THCIndex_addInOrder(const THLoop *loop, THCKernel list, const void *scalars, size_t element,
                        void (*add)(const THCAdding *adding, cudaStream_t stream))
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THCAdding adding = {.scalars = scalars}, *const given = &adding;
  const int fits = THCWalk_run(loop, THCAdding_count, &given, stream);
  const ptrdiff_t count = adding.done;
  if (count == 0)
    return fits;
  THGuard values, guards[3];
  THCudaLongTensor *lists[3]; /* addresses, the same in order, and which they were */
  adding.values = THC_scratch(&values, (size_t)count * element);
  for (int i = 0; i < 3; i++) {
    THGuard_enter(&guards[i], (THUndo)THCudaLongDevice_free);
    lists[i] = guards[i].what = THCudaLongTensor_newWithSize1d(THC_using, count);
  }
  adding.to = THCudaLongTensor_data(THC_using, lists[0]);
  adding.done = 0;
  THCWalk_run(loop, list, &given, stream);
  THCudaLongTensor_sort(THC_using, lists[1], lists[2], lists[0], 0, 0);
  adding.sorted = THCudaLongTensor_data(THC_using, lists[1]);
  adding.order = THCudaLongTensor_data(THC_using, lists[2]);
  add(&adding, stream);
  THCudaCheck(cudaGetLastError());
  for (int i = 2; i >= 0; i--)
    THGuard_leave(&guards[i]);
  THGuard_leave(&values);
  return fits;
}

/* --- selections ----------------------------------------------------------------------------- */

/* The device's results of a count: the total, for which the host waits, and the mask's first fault. */
typedef struct Answer {
  int64_t total;
  THCFault fault;
} Answer;

/* Queues the count; faults go to the answer, or to the report. */
static Answer *queue_count(THCSelection *selection, const THLoop *loop, THCKernel kernel,
                           const THCReport *report)
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THCSelecting *selecting = &selection->selecting;
  *selecting = (THCSelecting){0};
  THCWalk_run(loop, THCSelect_blocks, &selecting, stream);
  const ptrdiff_t blocks = selecting->block;
  int64_t *counts =
      THC_scratch(&selection->guard, (size_t)blocks * sizeof *counts + sizeof(Answer));
  Answer *there = (Answer *)(counts + blocks);
  *selecting = (THCSelecting){.counts = counts, .report = {&there->fault, {.last = 1}}};
  if (report)
    selecting->report = *report;
  THCudaCheck(cudaMemsetAsync(there, 0, sizeof *there, stream));
  THCWalk_run(loop, kernel, &selecting, stream);
  THCSelect_sum(counts, blocks, stream);
  THCudaCheck(cudaGetLastError());
  return there;
}

static Answer count(THCSelection *selection, const THLoop *loop, THCKernel kernel)
{
  Answer answer;
  const Answer *there = queue_count(selection, loop, kernel, NULL);
  THCudaCheck(cudaMemcpyAsync(&answer, there, sizeof answer, cudaMemcpyDeviceToHost,
                              THCState_getCurrentStream(THC_using)));
  THC_wait(THC_using);
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
  if (count(selection, loop, THCSelect_countMask).fault.found && !THCCheck_isOff())
    bad_mask(mask, arg);
}

void THCSelection_countMaskUpTo(THCSelection *selection, const THLoop *loop, THCudaByteTensor *mask,
                                int arg, ptrdiff_t most)
{
  THCCheck check = {.report = {.word = NULL}};
  const int checks = THCCheck_open(&check, THC_using, THC_function, arg, 0, 1);
  if (checks)
    THGuard_leave(&check.guard);
  if (checks && check.waits) {
    THCSelection_countMask(selection, loop, mask, arg);
  } else {
    queue_count(selection, loop, THCSelect_countMask, &check.report);
    selection->total = -1;
  }
  selection->selecting.report = check.waits ? (THCReport){.word = NULL} : check.report;
  selection->selecting.report.fault.arg = arg + 1;
  selection->selecting.report.fault.last = most;
  selection->selecting.limit = most;
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
