/* The engine that walks strided operands: it drops, orders and merges dimensions, cuts them into
 * blocks, and distributes the blocks to threads. */
#include "THLoop.h"

#include <omp.h>

#include "THParallel.h"
#include "THPlan.h"
#include "THResult.h"
#include "THStream.h"
#include "TH/core/THScratch.h"

enum {
  /* Elements of a block: enough to make the call of a kernel cheap, and whole words of bits. */
  BLOCK = 32768,
  /* Where operands are transposed relative to each other, a tile has at least TILE columns or
   * TILE_BYTES bytes of a row of the result. */
  TILE = 64,
  TILE_BYTES = 256,
  LONG_TILE = 2048,  /* rows of a tile written with non-temporal stores */
  PREFETCHED = 4096, /* bytes of the result in a block that is prefetched */
};

/* --- cutting a plan into blocks -------------------------------------------------------------- */

/* If the smallest stride of an operand is not in the dimension of the first operand's, this
 * dimension becomes the second one and the two are walked in tiles, so that every cache line is
 * used while it is in the cache.  Each tile is followed by the one below it, so that what the
 * processor prefetches past the end of a tile is needed in the next. */
static int tile_dims(THPlan *plan)
{
  for (int i = 1; i < plan->operands; i++) {
    int fastest = 0;
    for (int d = 1; d < plan->dims; d++)
      if (plan->stride[i][d] && plan->stride[i][d] < plan->stride[i][fastest])
        fastest = d;
    if (fastest && plan->stride[i][0] >= 64 && plan->size[0] >= 8 && plan->size[fastest] >= 8) {
      for (int d = fastest; d > 1; d--)
        THDims_swap(plan->operands, plan->size, plan->stride, d, d - 1);
      plan->block[0] = THMin(plan->size[0], THMax(TILE, TILE_BYTES / plan->itemSize[0]));
      plan->block[1] = THMin(plan->size[1], BLOCK / plan->block[0]);
      plan->downFirst = 1;
      return 1;
    }
  }
  return 0;
}

/* Whether operand i has long rows, shorter than a block, and long gaps between them.  An operand
 * with smaller elements than the result is ignored: it is a small part of the memory traffic. */
static int has_gaps(const THPlan *plan, int i)
{
  enum { LONG = 512 }; /* bytes */
  const ptrdiff_t *stride = plan->stride[i], row = plan->size[0] * stride[0];
  return plan->dims > 1 && plan->size[0] < BLOCK && stride[0] == plan->itemSize[i] &&
         plan->itemSize[i] >= plan->itemSize[0] && row >= LONG && stride[1] - row >= LONG;
}

/* Whether to prefetch each block during the one before: the processor's own prefetcher does not
 * cross gaps, and non-temporal stores wait for the loads.  Where gaps are short the prefetcher
 * works as on one long row, and prefetching here too would take up to 1.2 times as long. */
static int prefetches_blocks(const THPlan *plan)
{
  int any = 0;
  for (int i = 1; i < plan->operands; i++)
    any |= has_gaps(plan, i);
  return plan->streams && any;
}

/* Makes blocks small enough to give each thread several, or to be prefetched while the one before
 * is computed. */
static void cut_blocks(THPlan *plan, ptrdiff_t count, int threads)
{
  ptrdiff_t elements = BLOCK;
  if (plan->prefetches)
    elements = PREFETCHED / plan->itemSize[0];
  else if (threads > 1)
    elements = THMax(BLOCK / 8, THMin(BLOCK, count / (4 * threads)));
  plan->block[0] = THMin(plan->size[0], elements);
  plan->block[1] = plan->dims > 1 ? THMin(plan->size[1], THMax(1, elements / plan->block[0])) : 1;
}

/* --- walking blocks -------------------------------------------------------------------------- */

/* The number of blocks along dimension d. */
static ptrdiff_t blocks_along(const THPlan *plan, int d)
{
  return d < 2 ? (plan->size[d] + plan->block[d] - 1) / plan->block[d] : plan->size[d];
}

/* The dimension along which blocks are numbered first (i = 0), second, ... */
static int dim_of(const THPlan *plan, int i)
{
  return i < 2 && plan->downFirst ? 1 - i : i;
}

static void locate_block(const THPlan *plan, const ptrdiff_t *at, ptrdiff_t block, THRun *run)
{
  run->block = block;
  const ptrdiff_t first0 = at[0] * plan->block[0];
  run->n = THMin(plan->block[0], plan->size[0] - first0);
  run->rows = 1;
  run->streams = plan->streams;
  ptrdiff_t first1 = 0;
  if (plan->dims > 1) {
    first1 = at[1] * plan->block[1];
    run->rows = THMin(plan->block[1], plan->size[1] - first1);
  }
  for (int i = 0; i < plan->operands; i++) {
    const ptrdiff_t *stride = plan->stride[i];
    char *p = plan->data[i] + first0 * stride[0];
    run->stride[i] = stride[0] / plan->itemSize[i];
    run->rowStride[i] = 0;
    if (plan->dims > 1) {
      p += first1 * stride[1];
      run->rowStride[i] = stride[1] / plan->itemSize[i];
    }
    for (int d = 2; d < plan->dims; d++)
      p += at[d] * stride[d];
    run->at[i] = p;
  }
}

static void next_block(const THPlan *plan, ptrdiff_t *at)
{
  for (int i = 0; i < plan->dims; i++) {
    const int d = dim_of(plan, i);
    if (++at[d] < blocks_along(plan, d))
      return;
    at[d] = 0;
  }
}

/* Prefetches the cache lines of rows. */
static void prefetch_rows(const char *row, ptrdiff_t bytes, ptrdiff_t rows, ptrdiff_t rowStride)
{
  enum { LINE = 64 };
  for (; rows > 0; rows--, row += rowStride) {
    for (ptrdiff_t k = 0; k < bytes; k += LINE)
      __builtin_prefetch(row + k);
    __builtin_prefetch(row + bytes - 1);
  }
}

static void prefetch_block(const THPlan *plan, const THRun *run)
{
  for (int i = 1; i < plan->operands; i++)
    if (has_gaps(plan, i))
      prefetch_rows(run->at[i], run->n * plan->itemSize[i], run->rows, plan->stride[i][1]);
}

static void run_blocks(const THPlan *plan, ptrdiff_t begin, ptrdiff_t end, THKernel kernel,
                       const void *scalars)
{
  ptrdiff_t at[TH_LOOP_DIMS], rest = begin;
  for (int i = 0; i < plan->dims; i++) {
    const int d = dim_of(plan, i);
    at[d] = rest % blocks_along(plan, d);
    rest /= blocks_along(plan, d);
  }
  THRun runs[2];
  locate_block(plan, at, begin / plan->perBlock, &runs[begin % 2]);
  for (ptrdiff_t b = begin; b < end; b++) {
    if (b + 1 < end) {
      THRun *next = &runs[(b + 1) % 2];
      next_block(plan, at);
      locate_block(plan, at, (b + 1) / plan->perBlock, next);
      if (plan->prefetches)
        prefetch_block(plan, next);
    }
    kernel(&runs[b % 2], scalars);
  }
}

typedef struct {
  const THPlan *plan;
  THKernel kernel;
  const void *scalars;
} BlockWork;

static void do_blocks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const BlockWork *work = context;
  const THPlan *plan = work->plan;
  run_blocks(plan, begin * plan->perBlock, THMin(plan->blocks, end * plan->perBlock), work->kernel,
             work->scalars);
  if (plan->streams)
    THStream_finish();
}

/* Orders the dimensions and cuts them. */
static void finish_plan(THPlan *plan, const THLoop *loop, ptrdiff_t count, int threads)
{
  if (!loop->inOrder)
    THPlan_order(plan);
  THPlan_merge(plan);
  plan->downFirst = 0;
  plan->prefetches = 0;
  if (loop->inOrder || !tile_dims(plan)) {
    plan->prefetches = !loop->fixed && prefetches_blocks(plan);
    cut_blocks(plan, count, loop->fixed ? 1 : threads);
  }
  if (plan->streams && plan->downFirst && !loop->fixed)
    plan->block[1] = THMin(plan->size[1], LONG_TILE);

  plan->blocks = 1;
  for (int d = 0; d < plan->dims; d++)
    plan->blocks *= blocks_along(plan, d);
  const ptrdiff_t elements = plan->block[0] * plan->block[1];
  plan->perBlock = loop->fixed ? THMax(1, BLOCK / elements) : 1;
}

static int is_serial(const THLoop *loop)
{
  return loop->inOrder && !loop->fixed;
}

static ptrdiff_t fixed_blocks(const THPlan *plan)
{
  return (plan->blocks + plan->perBlock - 1) / plan->perBlock;
}

static void run_plan(THPlan *plan, const THLoop *loop, ptrdiff_t count, THKernel kernel,
                     const void *scalars)
{
  const int threads = is_serial(loop) ? 1 : THParallel_threads(count, loop->grain);
  finish_plan(plan, loop, count, threads);
  const ptrdiff_t blocks = fixed_blocks(plan);
  BlockWork work = {plan, kernel, scalars};
  THParallel_forIn(threads, blocks, do_blocks, &work);
}

/* --- contiguous operands: one long row ------------------------------------------------------- */

typedef struct FlatWork {
  const THLoop *loop;
  THKernel kernel;
  const void *scalars;
  ptrdiff_t count;
  void (*elements)(const struct FlatWork *work, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t block);
  int streams;
} FlatWork;

static void do_flat(const FlatWork *work, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t block)
{
  THRun run;
  run.block = block;
  run.n = end - begin;
  run.rows = 1;
  run.streams = work->streams;
  for (int i = 0; i < work->loop->operands; i++) {
    run.at[i] = work->loop->data[i] + begin * work->loop->itemSize[i];
    run.stride[i] = 1;
    run.rowStride[i] = 0;
  }
  work->kernel(&run, work->scalars);
}

/* --- different shapes: element by element in row-major order --------------------------------- */

/* The current element of one operand. */
typedef struct Cursor {
  int dims;
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS], at[TH_LOOP_DIMS];
  char *p;
} Cursor;

static void place_cursor(Cursor *cursor, const THLoop *loop, int i, ptrdiff_t element)
{
  const int dims = THPlan_squeeze(loop, i, cursor->size, cursor->stride);
  if (dims == 0) { /* a single element */
    cursor->size[0] = 1;
    cursor->stride[0] = 0;
  }
  cursor->dims = THMax(1, THDims_merge(dims, 1, cursor->size, &cursor->stride));
  cursor->p = loop->data[i];
  for (int d = 0; d < cursor->dims; d++) {
    cursor->at[d] = element % cursor->size[d];
    element /= cursor->size[d];
    cursor->p += cursor->at[d] * cursor->stride[d];
  }
}

/* Advances by n elements within the innermost dimension. */
static void move_cursor(Cursor *cursor, ptrdiff_t n)
{
  cursor->at[0] += n;
  cursor->p += n * cursor->stride[0];
  for (int d = 0; cursor->at[d] == cursor->size[d]; d++) {
    cursor->p -= cursor->size[d] * cursor->stride[d];
    cursor->at[d] = 0;
    if (d + 1 == cursor->dims)
      break;
    cursor->at[d + 1]++;
    cursor->p += cursor->stride[d + 1];
  }
}

static int is_one_by_one(const THLoop *loop)
{
  return loop->inOrder == TH_ONE_BY_ONE;
}

/* Runs the elements of a row one by one, as blocks of their own: some operand has only one element
 * for all of them. */
static void run_singly(const FlatWork *work, const THRun *row, const Cursor *cursor)
{
  const int operands = work->loop->operands;
  THRun one = *row;
  one.n = 1;
  for (int i = 0; i < operands; i++)
    one.stride[i] = 1;
  for (ptrdiff_t k = 0; k < row->n; k++) {
    work->kernel(&one, work->scalars);
    for (int i = 0; i < operands; i++)
      one.at[i] += cursor[i].stride[0];
  }
}

static void do_side_by_side(const FlatWork *work, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t block)
{
  const THLoop *loop = work->loop;
  const int oneByOne = is_one_by_one(loop);
  TH_SCRATCH(Cursor, cursor, TH_LOOP_OPERANDS);
  THRun run;
  run.block = block;
  run.rows = 1;
  run.streams = 0;
  for (int i = 0; i < loop->operands; i++) {
    place_cursor(&cursor[i], loop, i, begin);
    run.stride[i] = cursor[i].stride[0] / loop->itemSize[i];
    run.rowStride[i] = 0;
  }
  while (begin < end) {
    int singly = 0; /* 1 if a row repeats one element of an operand */
    run.n = end - begin;
    for (int i = 0; i < loop->operands; i++) {
      run.at[i] = cursor[i].p;
      run.n = THMin(run.n, cursor[i].size[0] - cursor[i].at[0]);
      singly |= oneByOne && run.stride[i] == 0;
    }
    if (singly)
      run_singly(work, &run, cursor);
    else
      work->kernel(&run, work->scalars);
    begin += run.n;
    for (int i = 0; i < loop->operands; i++)
      move_cursor(&cursor[i], run.n);
  }
}

/* --- the loop -------------------------------------------------------------------------------- */

/* The number of elements that all operands have, or an error.  *flat says whether all of them are
 * contiguous. */
static ptrdiff_t common_count(const THLoop *loop, int *flat)
{
  const ptrdiff_t count = THLoop_countOf(loop, 0, flat);
  for (int i = 1; i < loop->operands; i++) {
    int contiguous;
    const ptrdiff_t other = THLoop_countOf(loop, i, &contiguous);
    if (other != count)
      THError("operands have different numbers of elements: %td in %s and %td in %s", count,
              _THSizeDesc(loop->size[0], loop->nDimension[0]).str, other,
              _THSizeDesc(loop->size[i], loop->nDimension[i]).str);
    *flat &= contiguous;
  }
  return count;
}

static void do_elements(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const FlatWork *work = context;
  work->elements(work, begin, end, 0);
  if (work->streams)
    THStream_finish();
}

static void do_fixed_blocks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const FlatWork *work = context;
  for (ptrdiff_t b = begin; b < end; b++)
    work->elements(work, b * BLOCK, THMin(work->count, (b + 1) * BLOCK), b);
  if (work->streams)
    THStream_finish();
}

void THLoop_run(THLoop *loop, THKernel kernel, const void *scalars)
{
  int flat;
  const ptrdiff_t count = common_count(loop, &flat);
  if (count == 0)
    return;

  THPlan plan;
  flat &= !is_one_by_one(loop);
  if (!flat && !is_one_by_one(loop) && THPlan_init(&plan, loop)) {
    plan.streams = THPlan_resultStreams(loop, count);
    run_plan(&plan, loop, count, kernel, scalars);
    return;
  }
  FlatWork work = {loop,
                   kernel,
                   scalars,
                   count,
                   flat ? do_flat : do_side_by_side,
                   THPlan_resultStreams(loop, count)};
  const ptrdiff_t items = loop->fixed ? (count + BLOCK - 1) / BLOCK : count;
  const ptrdiff_t grain = loop->fixed ? THMax(1, (loop->grain + BLOCK - 1) / BLOCK) : loop->grain;
  const int isSerial = is_serial(loop) || is_one_by_one(loop);
  THParallel_forIn(isSerial ? 1 : THParallel_threads(items, grain), items,
                   loop->fixed ? do_fixed_blocks : do_elements, &work);
}

ptrdiff_t THLoop_blocks(const THLoop *loop)
{
  int flat;
  const ptrdiff_t count = common_count(loop, &flat);
  THPlan plan;
  if (count && !flat && !is_one_by_one(loop) && THPlan_init(&plan, loop)) {
    plan.streams = 0;
    finish_plan(&plan, loop, count, 1);
    return fixed_blocks(&plan);
  }
  return (count + BLOCK - 1) / BLOCK;
}
