/* Tensors as sets of lines. */
#include "THLines.h"

#include "THDims.h"
#include "THParallel.h"

void THLines_init(THLines *lines, int nDimension, const int64_t *size, int dim)
{
  lines->operands = 0;
  lines->dim = dim;
  lines->length = size[dim];
  lines->count = 1;
  lines->dims = 0;
  for (int d = nDimension - 1; d >= 0; d--)
    if (d != dim && size[d] != 1) {
      lines->from[lines->dims] = d;
      lines->size[lines->dims++] = size[d];
      lines->count *= size[d];
    }
}

void THLines_operand(THLines *lines, const int64_t *stride, int squeezed)
{
  const int i = lines->operands++;
  lines->step[i] = squeezed ? 0 : stride[lines->dim];
  for (int d = 0; d < lines->dims; d++)
    lines->stride[i][d] = stride[lines->from[d] - (squeezed && lines->from[d] > lines->dim)];
}

void THLines_merge(THLines *lines)
{
  THDims_order(lines->dims, lines->operands, lines->size, lines->stride);
  lines->dims = THDims_merge(lines->dims, lines->operands, lines->size, lines->stride);
  if (lines->dims == 0) {
    lines->dims = 1;
    lines->size[0] = 1;
    for (int i = 0; i < lines->operands; i++)
      lines->stride[i][0] = 0;
  }
}

/* --- kernels over lines ---------------------------------------------------------------------- */

/* Adjacent lines are cut into tiles of about the same width; no two threads share a cache line. */
typedef struct {
  const THLines *lines;
  char *const *data;
  const size_t *itemSize;
  int across;
  THKernel kernel;
  const void *scalars;
  ptrdiff_t tiles, lineElements;
} LineWork;

/* The first line of a tile, or the end of the last one. */
static ptrdiff_t first_of(const LineWork *work, ptrdiff_t tile)
{
  const ptrdiff_t width = work->lines->size[0];
  return tile == work->tiles ? width
                             : tile * width / work->tiles / work->lineElements * work->lineElements;
}

static void do_tiles(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const LineWork *work = context;
  const THLines *lines = work->lines;
  THRun run = {0};
  for (ptrdiff_t k = begin; k < end; k++) {
    const ptrdiff_t tile = k % work->tiles, first = first_of(work, tile);
    const ptrdiff_t line = k / work->tiles * lines->size[0] + first;
    const ptrdiff_t adjacent = first_of(work, tile + 1) - first;
    run.n = work->across ? adjacent : lines->length;
    run.rows = work->across ? lines->length : adjacent;
    for (int i = 0; i < lines->operands; i++) {
      run.at[i] = work->data[i] + THLines_at(lines, i, line) * (ptrdiff_t)work->itemSize[i];
      run.stride[i] = work->across ? lines->stride[i][0] : lines->step[i];
      run.rowStride[i] = work->across ? lines->step[i] : lines->stride[i][0];
    }
    work->kernel(&run, work->scalars);
  }
}

void THLines_run(const THLines *lines, char *const *data, const size_t *itemSize, int across,
                 THKernel kernel, const void *scalars)
{
  enum { CACHE_LINE = 64 };
  if (lines->count == 0 || lines->length == 0)
    return;
  const ptrdiff_t width = lines->size[0], outer = lines->count / width;
  const int threads = THParallel_threads(lines->count * lines->length, TH_LOOP_GRAIN);
  LineWork work = {lines, data, itemSize, across, kernel, scalars, 1, 1};
  if (across)
    work.lineElements = CACHE_LINE / (ptrdiff_t)itemSize[0];
  if (outer < threads)
    work.tiles = THMax(1, THMin(threads, width / work.lineElements));
  const ptrdiff_t items = outer * work.tiles;
  THParallel_forIn(threads, items, do_tiles, &work);
}
