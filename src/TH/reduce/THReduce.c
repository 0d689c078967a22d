/* The engine that reduces: cuts the work, walks the items, joins their states. */
#include "THReduce.h"

#include "ops/each_type.h"

#include "THParallel.h"
#include "TH/loop/THPlan.h"
#include "TH/core/THScratch.h"

enum {
  LANES = 128,     /* lanes that a long row is folded into */
  SHORT = 128,     /* elements; strided lines of fewer are reduced to one state, not folded */
  SHORT_LINE = 32, /* elements; contiguous lines of fewer are reduced to one state, not folded */
  TILE = 1024,     /* the most lines of an item */
  WIDE = 2048,     /* the most lines of an item of a reduction marked wide, if items are enough */
  GRAIN = 32768,   /* elements worth a thread */
  SHARED_GRAIN = 4096, /* elements of an item of whole lines that threads share: so few that threads
                        * get even shares also of few lines */
  LONG_GRAIN = 65536,  /* elements of an item of long lines: more would lose digits of a sum */
  MIN_ITEMS = 32,      /* cut lines if there would be fewer items */
  MAX_STATE = 32,      /* bytes */
  L1_BYTES = 24576,    /* bytes of converted elements: they stay in L1 */
  L1_LANES = 1024,     /* the most lanes of converted elements */
  L1_LINE = 4096,      /* elements of a line converted at once */
  ROWS_MULTIPLE = 4,   /* rows of a part are a multiple: kernels reduce so many rows at once */
  LINES_MULTIPLE = 16  /* lines of a part are a multiple: kernels reduce so many lines at once */
};

/* A reduction, its scalars, and the type of the elements that are reduced. */
typedef struct {
  const THReduction *op;
  const THReduceScalars *scalars;
  const THReduceSource *source;
} Accumulate;

/* --- elements of another type ---------------------------------------------------------------- */

/* Reduces a block to states, part by part: each part is converted first, across lanes or along
 * lanes, whichever elements are closer together in memory. */
static void accumulate_converted_rows(const Accumulate *with, char *states, const THRows *block)
{
  TH_SCRATCH(char, converted, L1_BYTES);
  const ptrdiff_t capacity = L1_BYTES / with->source->converted;
  const int across = block->lanes > 1 && (block->stride < block->rowStride || block->rows == 1);
  ptrdiff_t lanes = THMin(block->lanes, capacity), rows = THMin(block->rows, capacity);
  if (across) {
    lanes = THMin(lanes, L1_LANES);
    const ptrdiff_t most = capacity / lanes;
    rows = THMin(rows, most > ROWS_MULTIPLE ? most / ROWS_MULTIPLE * ROWS_MULTIPLE : most);
  } else {
    lanes = THMin(lanes, capacity / rows);
    if (lanes > LINES_MULTIPLE)
      lanes = lanes / LINES_MULTIPLE * LINES_MULTIPLE;
  }
  for (ptrdiff_t j = 0; j < block->lanes; j += lanes)
    for (ptrdiff_t i = 0; i < block->rows; i += rows) {
      THRows part = *block;
      part.lanes = THMin(lanes, block->lanes - j);
      part.rows = THMin(rows, block->rows - i);
      part.first += i * block->rowIndex + j / block->group * block->laneIndex;
      part.at = converted;
      part.stride = across ? 1 : part.rows;
      part.rowStride = across ? part.lanes : 1;
      const char *const at = (const char *)block->at +
                             (i * block->rowStride + j * block->stride) * with->source->itemSize;
      THRun run = {.n = across ? part.lanes : part.rows,
                   .rows = across ? part.rows : part.lanes,
                   .at = {converted, (char *)(uintptr_t)at},
                   .stride = {1, across ? block->stride : block->rowStride},
                   .rowStride = {across ? part.rowStride : part.stride,
                                 across ? block->rowStride : block->stride}};
      if (run.rowStride[1] == run.n * run.stride[1]) { /* one row */
        run.n *= run.rows;
        run.rows = 1;
      }
      with->source->convert(&run, with->source->scalars);
      with->op->rows(states + j * with->op->stateSize, &part, with->scalars);
    }
}

static void accumulate_converted_line(const Accumulate *with, char *state, const char *at,
                                      ptrdiff_t n, ptrdiff_t first)
{
  TH_SCRATCH(char, converted, L1_LINE * sizeof(int64_t));
  for (ptrdiff_t done = 0; done < n; done += L1_LINE) {
    const THRun run = {.n = THMin(L1_LINE, n - done),
                       .rows = 1,
                       .at = {converted, (char *)(uintptr_t)at + done * with->source->itemSize},
                       .stride = {1, 1}};
    with->source->convert(&run, with->source->scalars);
    with->op->line(state, converted, run.n, first + done, with->scalars);
  }
}

/* --- elements of any type -------------------------------------------------------------------- */

static void accumulate_rows(const Accumulate *with, char *states, const THRows *block)
{
  if (with->source->convert)
    accumulate_converted_rows(with, states, block);
  else
    with->op->rows(states, block, with->scalars);
}

static void accumulate_contiguous(const Accumulate *with, char *state, const char *at, ptrdiff_t n,
                                  ptrdiff_t first)
{
  if (with->source->convert)
    accumulate_converted_line(with, state, at, n, first);
  else
    with->op->line(state, at, n, first, with->scalars);
}

/* Joins the states of lanes, a multiple of `to`, into the first `to` states, lane j into state j % to:
 * the upper half of the states is joined into the lower half until `to` are left. */
static void fold(const THReduction *op, char *state, ptrdiff_t lanes, ptrdiff_t to)
{
  while (lanes > to) {
    const ptrdiff_t half = (lanes / to + 1) / 2 * to;
    op->join(state, state + half * op->stateSize, lanes - half);
    lanes = half;
  }
}

/* Reduces n elements along a line to state. */
static void accumulate_line(const Accumulate *with, char *state, const char *at, ptrdiff_t n,
                            ptrdiff_t step, ptrdiff_t first)
{
  THRows block = {.at = at, .first = first, .group = 1};
  if (n < (step == 1 ? SHORT_LINE : SHORT)) {
    block.lanes = 1;
    block.stride = 0;
    block.rows = n;
    block.rowStride = step;
    block.rowIndex = 1;
    accumulate_rows(with, state, &block);
    return;
  }
  if (step == 1) {
    accumulate_contiguous(with, state, at, n, first);
    return;
  }
  _Alignas(64) char lanes[LANES * MAX_STATE];
  const ptrdiff_t count = n < 8 * LANES ? 16 : LANES;
  with->op->start(lanes, count);
  block.lanes = count;
  block.stride = step;
  block.rows = n / count;
  block.rowStride = count * step;
  block.rowIndex = count;
  block.laneIndex = 1;
  accumulate_rows(with, lanes, &block);
  const ptrdiff_t done = block.rows * count;
  if (done < n) {
    block.lanes = n - done;
    block.at = at + done * step * with->source->itemSize;
    block.rows = 1;
    block.first = first + done;
    accumulate_rows(with, lanes, &block);
  }
  fold(with->op, lanes, count, 1);
  with->op->join(state, lanes, 1);
}

/* --- all elements ---------------------------------------------------------------------------- */

typedef struct {
  Accumulate with;
  char *partial;
} AllWork;

/* Reduces a run of the loop.  Where rows are too short to be folded, each column is a lane. */
static void accumulate_run(const THRun *run, const void *context)
{
  const AllWork *work = context;
  const Accumulate *with = &work->with;
  const THReduction *op = with->op;
  char *state = work->partial + run->block * op->stateSize;
  ptrdiff_t n = run->n, step = run->stride[0], rows = run->rows, rowStride = run->rowStride[0];
  if (n < rows && (n < 16 || step > rowStride)) {
    n = run->rows, step = run->rowStride[0];
    rows = run->n, rowStride = run->stride[0];
  }
  if (n >= 2 * LANES || rows < 8) {
    for (ptrdiff_t j = 0; j < rows; j++)
      accumulate_line(with, state, run->at[0] + j * rowStride * with->source->itemSize, n, step, 0);
    return;
  }
  TH_SCRATCH(char, lanes, 2 * LANES * MAX_STATE);
  op->start(lanes, n);
  const THRows block = {.at = run->at[0],
                        .lanes = n,
                        .stride = step,
                        .rows = rows,
                        .rowStride = rowStride,
                        .group = 1};
  accumulate_rows(with, lanes, &block);
  fold(op, lanes, n, 1);
  op->join(state, lanes, 1);
}

/* Whether the elements come from memory rather than caches: the limit is that of non-temporal
 * stores. */
static int is_far(const THReduceSource *source, ptrdiff_t lines, ptrdiff_t length)
{
  const double bytes = (double)lines * (double)length * (double)source->itemSize;
  return bytes > (double)THPlan_streamBytes();
}

#define DECLARE(Real, NAME) extern const THReduction *const TH##Real##Tensor_reduction_##NAME[];
#define ENTRY(Real, NAME)   [THScalar##Real] = TH##Real##Tensor_reduction_##NAME,
#define TABLE(TYPES, NAME) \
  TYPES(DECLARE, NAME)     \
  const THReductions THReductions_##NAME = {{TYPES(ENTRY, NAME)}};
#define OF_ALL(NAME, ...)   TABLE(TH_EACH_ALL, NAME)
#define OF_FLOAT(NAME, ...) TABLE(TH_EACH_FLOAT, NAME)
#define OF_BYTE(NAME, ...)  TABLE(TH_EACH_BYTE, NAME)
TH_REDUCTIONS(OF_ALL)
TH_OTHER_REDUCTIONS(OF_ALL)
TH_FLOAT_REDUCTIONS(OF_FLOAT)
TH_OTHER_FLOAT_REDUCTIONS(OF_FLOAT)
TH_BYTE_REDUCTIONS(OF_BYTE)

const THReduction *THReductions_of(const THReductions *reduction, THScalarType type)
{
  return reduction->of[type] ? reduction->of[type][THCpu_level()] : NULL;
}

void THReduce_all(const THReduction *op, const THReduceSource *source, THReduceScalars scalars,
                  THLoop *loop, void *result)
{
  loop->fixed = 1;
  scalars.count = loop->nDimension[0] > 0;
  for (int d = 0; d < loop->nDimension[0]; d++)
    scalars.count *= loop->size[0][d];
  scalars.far = is_far(source, 1, scalars.count);
  const ptrdiff_t blocks = THMax(1, THLoop_blocks(loop));

  THGuard guard;
  _Alignas(64) char onStack[64 * MAX_STATE];
  THGuard_enter(&guard, THFree);
  AllWork work = {{op, &scalars, source}, onStack};
  if (blocks > 64)
    work.partial = guard.what = THAlloc(blocks * op->stateSize);
  op->start(work.partial, blocks);
  THLoop_run(loop, accumulate_run, &work);
  fold(op, work.partial, blocks, 1);
  op->total(work.partial, &scalars, result);
  THGuard_leave(&guard);
}

/* --- along a dimension: how the work is cut --------------------------------------------------- */

static ptrdiff_t cut(ptrdiff_t length, ptrdiff_t size)
{
  return (length + size - 1) / size;
}

/* Whether the innermost lines are adjacent, so that a row across them is contiguous. */
static int is_vertical(const THLines *lines)
{
  return lines->size[0] > 1 && lines->stride[0][0] < lines->step[0];
}

/* How many adjacent rows of few columns make one row of lanes. */
static ptrdiff_t group_of(const THLines *lines)
{
  ptrdiff_t group = 1;
  if (lines->step[0] == lines->size[0] * lines->stride[0][0])
    while (2 * group * lines->size[0] <= LANES && 16 * group <= lines->length)
      group *= 2;
  return group;
}

void THReduce_prepare(THReduce *reduce, const THReduction *op, const THReduceSource *source,
                      THReduceScalars scalars, const THLines *lines)
{
  const ptrdiff_t width = lines->size[0], length = lines->length;
  reduce->op = op;
  reduce->source = source;
  reduce->scalars = scalars;
  reduce->scalars.count = length;
  reduce->scalars.far = is_far(source, lines->count, length);
  reduce->lines = lines;
  reduce->vertical = is_vertical(lines);
  reduce->group = reduce->vertical ? group_of(lines) : 1;
  reduce->tile = THMax(1, THMin(width, TILE));
  /* Whole lines are independent: no result depends on how many an item has. */
  const int isShared = THParallel_threads(lines->count * length, GRAIN) > 1;
  const ptrdiff_t elements = isShared ? SHARED_GRAIN : GRAIN;
  if (!reduce->vertical)
    reduce->tile = THMax(1, THMin(reduce->tile, elements / THMax(1, length)));
  reduce->tiles = cut(width, reduce->tile);

  /* Lines are cut where there are too few for the threads, or where they are so long that adding
   * up their elements one after the other would lose digits. */
  const ptrdiff_t items = reduce->tiles * (lines->count / THMax(1, width));
  ptrdiff_t chunk = LONG_GRAIN / reduce->tile;
  chunk = reduce->vertical ? THMax(chunk, 1024) : LONG_GRAIN;
  if (items < MIN_ITEMS) {
    const ptrdiff_t even = cut(length, cut(MIN_ITEMS, THMax(1, items)));
    chunk = THMin(chunk, THMax(even, THMax(256, GRAIN / reduce->tile)));
  }
  reduce->chunks = THMax(1, cut(length, chunk));
  reduce->chunk = cut(length, reduce->chunks);

  /* Lines are independent, so that wider tiles change no result. */
  if (op->wide && reduce->vertical && items * reduce->chunks >= MIN_ITEMS) {
    reduce->tile = THMax(1, THMin(width, WIDE));
    reduce->tiles = cut(width, reduce->tile);
  }

  THGuard_enter(&reduce->guard, THFree);
  ptrdiff_t states, bytes;
  if (reduce->chunks > 1 && lines->count > 0) {
    if (__builtin_mul_overflow(reduce->chunks, lines->count, &states) ||
        __builtin_mul_overflow(states, op->stateSize, &bytes))
      THError("lines of %td elements are too long to reduce %td of them", length, lines->count);
    reduce->guard.what = THAlloc(bytes);
  }
}

/* --- along a dimension: one item ------------------------------------------------------------ */

static void accumulate_vertical(const THReduce *reduce, char *state, const char *at, ptrdiff_t n,
                                ptrdiff_t first, ptrdiff_t length)
{
  const THReduction *op = reduce->op;
  const Accumulate with = {op, &reduce->scalars, reduce->source};
  const ptrdiff_t rowStride = reduce->lines->step[0], group = reduce->group;
  THRows block = {.at = at,
                  .lanes = n,
                  .stride = reduce->lines->stride[0][0],
                  .rows = length,
                  .rowStride = rowStride,
                  .first = first,
                  .rowIndex = 1,
                  .group = 1};
  if (group > 1) {
    _Alignas(64) char lanes[LANES * MAX_STATE];
    const ptrdiff_t rows = length / group;
    op->start(lanes, n * group);
    block.lanes = n * group;
    block.rows = rows;
    block.rowStride = group * rowStride;
    block.rowIndex = group;
    block.laneIndex = 1;
    block.group = n;
    accumulate_rows(&with, lanes, &block);
    fold(op, lanes, n * group, n);
    op->join(state, lanes, n);

    const ptrdiff_t done = rows * group;
    block = (THRows){.at = at + done * rowStride * reduce->source->itemSize,
                     .lanes = n,
                     .stride = block.stride,
                     .rows = length - done,
                     .rowStride = rowStride,
                     .first = first + done,
                     .rowIndex = 1,
                     .group = 1};
  }
  if (block.rows)
    accumulate_rows(&with, state, &block);
}

static void accumulate_horizontal(const THReduce *reduce, char *state, const char *at, ptrdiff_t n,
                                  ptrdiff_t first, ptrdiff_t length)
{
  const THReduction *op = reduce->op;
  const Accumulate with = {op, &reduce->scalars, reduce->source};
  const ptrdiff_t step = reduce->lines->step[0], lineStride = reduce->lines->stride[0][0];
  const ptrdiff_t capacity = L1_BYTES / reduce->source->converted / LINES_MULTIPLE;
  const ptrdiff_t shortLine =
      reduce->source->convert ? THMin(op->shortLine, capacity) : op->shortLine;
  if (length < (step == 1 ? shortLine : SHORT)) {
    const THRows block = {.at = at,
                          .lanes = n,
                          .stride = lineStride,
                          .rows = length,
                          .rowStride = step,
                          .first = first,
                          .rowIndex = 1,
                          .group = 1};
    accumulate_rows(&with, state, &block);
    return;
  }
  for (ptrdiff_t j = 0; j < n; j++)
    accumulate_line(&with, state + j * op->stateSize,
                    at + j * lineStride * reduce->source->itemSize, length, step, first);
}

static void finish(const THReduce *reduce, const char *state, ptrdiff_t line, ptrdiff_t n)
{
  const THLines *lines = reduce->lines;
  char *result = reduce->result + THLines_at(lines, 1, line) * reduce->source->converted;
  int64_t *index = NULL;
  ptrdiff_t indexStep = 0;
  if (reduce->index) {
    index = reduce->index + THLines_at(lines, 2, line);
    indexStep = lines->stride[2][0];
  }
  reduce->op->finish(state, n, &reduce->scalars, result, lines->stride[1][0], index, indexStep);
}

/* The first line of tile k, and in *n the number of its lines. */
static ptrdiff_t tile_at(const THReduce *reduce, ptrdiff_t k, ptrdiff_t *n)
{
  const ptrdiff_t width = reduce->lines->size[0], first = k % reduce->tiles * reduce->tile;
  *n = THMin(reduce->tile, width - first);
  return k / reduce->tiles * width + first;
}

/* Items are numbered tile by tile, the chunks of a tile in a row. */
static void do_items(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THReduce *reduce = context;
  const THReduction *op = reduce->op;
  TH_SCRATCH(char, here, WIDE *MAX_STATE);
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t c = item % reduce->chunks, first = c * reduce->chunk;
    const ptrdiff_t length = THMin(reduce->chunk, reduce->lines->length - first);
    ptrdiff_t n;
    const ptrdiff_t line = tile_at(reduce, item / reduce->chunks, &n);
    const char *at =
        reduce->from + (THLines_at(reduce->lines, 0, line) + first * reduce->lines->step[0]) *
                           reduce->source->itemSize;
    char *partial = reduce->guard.what, *state = here;
    if (partial)
      state = partial + (c * reduce->lines->count + line) * op->stateSize;

    op->start(state, n);
    if (length <= 0)
      ;
    else if (reduce->vertical)
      accumulate_vertical(reduce, state, at, n, first, length);
    else
      accumulate_horizontal(reduce, state, at, n, first, length);
    if (!partial)
      finish(reduce, state, line, n);
  }
}

/* Joins the chunks of a tile in pairs. */
static void do_tiles(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THReduce *reduce = context;
  const ptrdiff_t size = reduce->op->stateSize, all = reduce->lines->count;
  for (ptrdiff_t k = begin; k < end; k++) {
    ptrdiff_t n;
    const ptrdiff_t line = tile_at(reduce, k, &n);
    char *state = (char *)reduce->guard.what + line * size;
    for (ptrdiff_t distance = 1; distance < reduce->chunks; distance *= 2)
      for (ptrdiff_t c = 0; c + distance < reduce->chunks; c += 2 * distance)
        reduce->op->join(state + c * all * size, state + (c + distance) * all * size, n);
    finish(reduce, state, line, n);
  }
}

void THReduce_run(THReduce *reduce, const void *from, void *result, int64_t *index)
{
  reduce->from = from;
  reduce->result = result;
  reduce->index = index;
  if (reduce->lines->count > 0) {
    const ptrdiff_t tiles = reduce->tiles * (reduce->lines->count / reduce->lines->size[0]);
    const ptrdiff_t elements = THMax(1, reduce->tile * reduce->chunk);
    THParallel_for(tiles * reduce->chunks, cut(GRAIN, elements), do_items, reduce);
    if (reduce->guard.what)
      THParallel_for(tiles, cut(GRAIN, reduce->tile * reduce->chunks), do_tiles, reduce);
  }
  THGuard_leave(&reduce->guard);
}
