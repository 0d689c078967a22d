/* Reductions on a device: how the work is divided into launches, blocks and threads. */
#include "THCReduce.h"

#include "THC/core/thc_kernels.h"

enum {
  BUSY_BLOCKS = 512,  /* blocks: enough to occupy a device */
  UNROLL = 8,         /* elements that a thread loads at once */
  THREAD_GRAIN = 16,  /* elements that justify a thread */
  CHUNKS_LIMIT = 1024 /* chunks of a line */
};

static ptrdiff_t cut(ptrdiff_t length, ptrdiff_t size)
{
  return (length + size - 1) / size;
}

/* The smallest power of two that is at least n, limited to `most`. */
static int power(ptrdiff_t n, int most)
{
  int power = 1;
  while (power < n && power < most)
    power *= 2;
  return power;
}

/* `threads` threads share a line; a block has as many lines as fit. */
static void share(THCReduceWork *work, int threads)
{
  work->share = threads;
  work->lanes = THC_REDUCE_THREADS / threads;
}

static void cut_lines(THCReduceWork *work, ptrdiff_t length, ptrdiff_t chunks)
{
  const ptrdiff_t chunk = cut(length, THMax(1, THMin(chunks, CHUNKS_LIMIT)));
  work->chunk = cut(chunk, THC_REDUCE_PACK) * THC_REDUCE_PACK;
  work->chunks = work->chunk ? cut(length, work->chunk) : 1;
}

/* Launches the reduction, and a second kernel that joins the states of chunks if there are any. */
static void reduce(const THCReduction *op, THCReduceWork work, const THCLines *lines,
                   const THCWalk *walk, cudaStream_t stream)
{
  if (work.chunks == 1)
    work.states = NULL;
  op->reduce(&work, lines, walk, stream);
  THCudaCheck(cudaGetLastError());
  if (work.chunks == 1)
    return;
  share(&work, power(work.chunks, THC_REDUCE_THREADS));
  op->join(&work, lines, stream);
  THCudaCheck(cudaGetLastError());
}

void THCLines_make(THCLines *made, const THLines *lines)
{
  if (lines->dims > THC_WALK_DIMS)
    THError(CUTORCH_DIM_WARNING);
  *made = (THCLines){.length = lines->length, .count = lines->count, .dims = lines->dims};
  made->narrow = lines->count <= INT32_MAX;
  for (int i = 0; i < lines->operands; i++)
    made->step[i] = lines->step[i];
  for (int d = 0; d < lines->dims; d++) {
    made->size[d] = lines->size[d];
    if (made->narrow && lines->count > 0)
      made->divisor[d] = THCDivisor_of((uint32_t)lines->size[d]);
    for (int i = 0; i < lines->operands; i++)
      made->stride[i][d] = lines->stride[i][d];
  }
}

/* --- all elements --------------------------------------------------------------------------- */

typedef struct All {
  const THCReduction *op;
  THCReduceWork work;
} All;

/* Reduces one part of the walk; work->before holds the joined state of the earlier parts. */
static void reduce_part(const THCWalk *walk, const void *scalars, cudaStream_t stream)
{
  All *all = *(All *const *)scalars;
  THCReduceWork *work = &all->work;
  const ptrdiff_t count = walk->flat.count;
  const THCLines lines = {.length = count, .count = 1, .step = {1}, .dims = 1, .size = {1}};
  work->from = walk->flat.data[0];
  work->walked = !walk->packed;
  work->packed = walk->packed;
  work->grouped = walk->packed || (walk->dims == 1 && walk->stride[0][0] == 1);
  share(work, THC_REDUCE_THREADS);
  cut_lines(work, count, cut(count, THC_REDUCE_THREADS * THREAD_GRAIN));
  reduce(all->op, *work, &lines, walk, stream);
  work->fresh = 0;
}

void THCReduce_all(const THCReduction *op, THReduceScalars scalars, THLoop *loop, void *result)
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  THGuard guard;
  char *scratch = THC_scratch(&guard, (CHUNKS_LIMIT + 2) * THC_REDUCE_MOST_STATE);
  All all = {.op = op}, *here = &all;
  all.work.p = scalars.p;
  all.work.count = loop->nDimension[0] > 0;
  for (int d = 0; d < loop->nDimension[0]; d++)
    all.work.count *= loop->size[0][d];
  all.work.states = scratch;
  all.work.before = scratch + CHUNKS_LIMIT * THC_REDUCE_MOST_STATE;
  all.work.total = scratch + (CHUNKS_LIMIT + 1) * THC_REDUCE_MOST_STATE;
  all.work.fresh = 1;
  if (all.work.count == 0) {
    const THCWalk nothing = {.packed = 1, .dims = 1};
    reduce_part(&nothing, &here, stream);
  } else {
    THCWalk_run(loop, reduce_part, &here, stream);
  }
  THCudaCheck(cudaMemcpyAsync(result, all.work.total, op->totalSize, cudaMemcpyDeviceToHost,
                              stream));
  THC_wait(THC_using);
  THGuard_leave(&guard);
}

/* --- along a dimension ---------------------------------------------------------------------- */

void THCReduce_prepare(THCReduce *reduce, const THCReduction *op, THReduceScalars scalars,
                       const THLines *lines)
{
  THCReduceWork *work = &reduce->work;
  const ptrdiff_t length = lines->length, width = lines->size[0];
  *work = (THCReduceWork){.p = scalars.p, .count = length};
  reduce->op = op;
  THCLines_make(&reduce->lines, lines);

  /* If neighbouring lines are closer in memory than elements of a line, neighbouring threads read
   * neighbouring lines. */
  work->across = width > 1 && lines->stride[0][0] < lines->step[0];
  work->grouped = !work->across && lines->step[0] == 1;
  const int most = work->across ? THC_REDUCE_THREADS / power(width, 32) : THC_REDUCE_THREADS;
  share(work, power(cut(length, UNROLL), most));
  const ptrdiff_t blocks = THMax(1, cut(lines->count, work->lanes));
  cut_lines(work, length,
            blocks < BUSY_BLOCKS
                ? THMin(cut(BUSY_BLOCKS, blocks), cut(length, work->share * THREAD_GRAIN))
                : 1);
  THGuard_enter(&reduce->guard, NULL);
  if (work->chunks > 1 && lines->count > 0) {
    THGuard_leave(&reduce->guard);
    work->states =
        THC_scratch(&reduce->guard, (size_t)work->chunks * (size_t)lines->count * op->stateSize);
  }
}

/* Whether each line begins at a multiple of 16 bytes. */
static int is_packed(const THCReduce *run, const void *from)
{
  const THCLines *lines = &run->lines;
  int packed = run->work.grouped && (uintptr_t)from % 16 == 0;
  for (int d = 0; d < lines->dims; d++)
    packed &= lines->size[d] == 1 || lines->stride[0][d] * run->op->itemSize % 16 == 0;
  return packed;
}

void THCReduce_run(THCReduce *run, const void *from, void *result, int64_t *index)
{
  static const THCWalk nothing;
  run->work.from = from;
  run->work.packed = is_packed(run, from);
  run->work.result = result;
  run->work.index = index;
  if (run->lines.count > 0)
    reduce(run->op, run->work, &run->lines, &nothing, THCState_getCurrentStream(THC_using));
  THGuard_leave(&run->guard);
}
