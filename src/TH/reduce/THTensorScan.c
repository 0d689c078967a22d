/* Cumulative sums and products along a dimension. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THParallel.h"
#include "TH/loop/THPlan.h"
#include "THScan.h"
#include "TH/tensor/THTensorCore.h"
#include "TH/core/THScratch.h"

TH_DISPATCH(THScanKernels, THTensor_(scanKernels))

/* Adjacent lines are walked in tiles, row by row, and so are short lines; a long line in chunks of
 * CHUNK elements.  If there are too few lines for the threads, the totals of all chunks are
 * computed first.  A line of floating numbers is one chunk: each total is the sum of the one before
 * it and the next element, whatever the layout, the instruction set and the number of threads.  A
 * tile has NARROW to TILE lines, a multiple of WHOLE. */
enum { TILE = 2048, NARROW = 512, WHOLE = 64, CHUNK = 65536 };

typedef struct {
  const THLines *lines;
  const THScanKernels *kernels;
  int product;
  accreal initial;
  const real *from;
  real *to;
  ptrdiff_t tile, tiles; /* lines of a tile, and tiles along the innermost dimension */
  ptrdiff_t chunks;      /* of each line */
  int streams;           /* whether the result is too large for the caches */
  accreal *totals;       /* of each chunk, then of all before it; NULL unless chunks are computed in
                    * parallel */
} Scan;

static void THTensor_(scanTiles)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Scan *scan = context;
  const THLines *lines = scan->lines;
  const ptrdiff_t width = lines->size[0];
  TH_SCRATCH(accreal, totals, TILE);
  for (ptrdiff_t k = begin; k < end; k++) {
    const ptrdiff_t first = k % scan->tiles * scan->tile, lanes = THMin(scan->tile, width - first);
    const ptrdiff_t line = k / scan->tiles * width + first;
    for (ptrdiff_t j = 0; j < lanes; j++)
      totals[j] = scan->initial;
    const THScanOperands operands = {.from = scan->from + THLines_at(lines, 0, line),
                                     .to = scan->to + THLines_at(lines, 1, line),
                                     .dx = lines->stride[0][0],
                                     .dr = lines->stride[1][0],
                                     .rowStrideX = lines->step[0],
                                     .rowStrideR = lines->step[1],
                                     .streams = scan->streams};
    scan->kernels->across(totals, &operands, lanes, lines->length);
  }
}

/* A chunk of the line that begins at the offsets from and to. */
static void scan_chunk(const Scan *scan, ptrdiff_t from, ptrdiff_t to, ptrdiff_t chunk,
                       accreal *total, int write)
{
  const THLines *lines = scan->lines;
  const ptrdiff_t first = chunk * CHUNK, dx = lines->step[0], dr = lines->step[1];
  const THScanOperands operands = {.from = scan->from + from + first * dx,
                                   .to = write ? scan->to + to + first * dr : NULL,
                                   .dx = dx,
                                   .dr = dr,
                                   .streams = scan->streams && write};
  scan->kernels->along(total, &operands, THMin(CHUNK, lines->length - first));
}

static void THTensor_(scanLines)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Scan *scan = context;
  const THLines *lines = scan->lines;
  for (ptrdiff_t line = begin, adjacent; line < end; line += adjacent) {
    adjacent = THMin(end - line, lines->size[0] - line % lines->size[0]);
    const ptrdiff_t from = THLines_at(lines, 0, line), to = THLines_at(lines, 1, line);
    const ptrdiff_t nextFrom = lines->stride[0][0], nextTo = lines->stride[1][0];
    if (scan->chunks == 1) {
      const THScanOperands operands = {.from = scan->from + from,
                                       .to = scan->to + to,
                                       .dx = lines->step[0],
                                       .dr = lines->step[1],
                                       .rowStrideX = nextFrom,
                                       .rowStrideR = nextTo,
                                       .streams = scan->streams};
      scan->kernels->lines(&operands, adjacent, lines->length);
      continue;
    }
    for (ptrdiff_t j = 0; j < adjacent; j++) {
      accreal total = scan->initial;
      for (ptrdiff_t chunk = 0; chunk < scan->chunks; chunk++)
        scan_chunk(scan, from + j * nextFrom, to + j * nextTo, chunk, &total, 1);
    }
  }
}

/* Chunk k of all chunks of all lines. */
static void scan_numbered(const Scan *scan, ptrdiff_t k, int write)
{
  const ptrdiff_t line = k / scan->chunks;
  scan_chunk(scan, THLines_at(scan->lines, 0, line), THLines_at(scan->lines, 1, line),
             k % scan->chunks, &scan->totals[k], write);
}

static void THTensor_(totalChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Scan *scan = context;
  for (ptrdiff_t k = begin; k < end; k++) {
    scan->totals[k] = scan->initial;
    scan_numbered(scan, k, 0);
  }
}

static void THTensor_(scanChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Scan *scan = context;
  for (ptrdiff_t k = begin; k < end; k++)
    scan_numbered(scan, k, 1);
}

/* Chunks in parallel: first their totals, then the total before each, then the elements. */
static void THTensor_(scanAlone)(Scan *scan)
{
  const ptrdiff_t count = scan->lines->count * scan->chunks;
  THParallel_for(count, 1, THTensor_(totalChunks), scan);
  for (ptrdiff_t k = 0; k < count; k += scan->chunks) {
    accreal before = scan->initial;
    for (ptrdiff_t i = k; i < k + scan->chunks; i++) {
      const accreal total = scan->totals[i];
      scan->totals[i] = before;
      before = scan->product ? before * total : before + total;
    }
  }
  THParallel_for(count, 1, THTensor_(scanChunks), scan);
}

static void THTensor_(scan)(THTensor *r, THTensor *t, int dimension, int kind)
{
  THTensor_(checkAlong)(t, dimension, 3);
  THAlong along;
  t = THTensor_(openAlong)(&along, &r, NULL, t, dimension, 3, t->size[dimension], 0, 1);
  const THLines *lines = &along.lines;
  const int product = kind == TH_SCAN_PRODUCT;
  Scan scan = {lines, TH_DISPATCHED(THTensor_(scanKernels)) + kind, product, .initial = product};
  scan.chunks = scan.kernels->along ? (lines->length + CHUNK - 1) / CHUNK : 1;

  const ptrdiff_t grain = TH_LOOP_GRAIN / THMax(1, lines->length) + 1; /* lines */
  THGuard guard;
  THGuard_enter(&guard, THFree);
  if (scan.chunks > 1 && lines->count < THParallel_threads(lines->count * scan.chunks, 1))
    scan.totals = guard.what = THAlloc(lines->count * scan.chunks * (ptrdiff_t)sizeof(accreal));
  THTensor_(resizeResult)(r, &along.shape);
  scan.from = THTensor_(data)(t);
  scan.to = THTensor_(data)(r);
  scan.streams =
      scan.from != scan.to &&
      lines->count >= THPlan_streamBytes() / (ptrdiff_t)sizeof(real) / THMax(1, lines->length);

  if (lines->count == 0 || lines->length == 0)
    ;
  else if (lines->size[0] > 1 &&
           (lines->stride[0][0] < lines->step[0] || lines->length < scan.kernels->shortLine)) {
    const ptrdiff_t width = lines->size[0], outer = lines->count / width;
    const int threads = THParallel_threads(lines->count, grain);
    const ptrdiff_t even = outer > 1 ? TILE : (width / threads / WHOLE + 1) * WHOLE;
    scan.tile = THMin(THMin(TILE, width), THMax(even, NARROW));
    scan.tiles = (width + scan.tile - 1) / scan.tile;
    THParallel_for(scan.tiles * outer, grain / scan.tile + 1, THTensor_(scanTiles), &scan);
  } else if (scan.totals)
    THTensor_(scanAlone)(&scan);
  else
    THParallel_for(lines->count, grain, THTensor_(scanLines), &scan);
  THGuard_leave(&guard);
  THTensor_(closeAlong)(&along);
}

void THTensor_(cumsum)(THTensor *r_, THTensor *t, int dimension)
{
  THTensor_(scan)(r_, t, dimension, TH_SCAN_SUM);
}

void THTensor_(cumprod)(THTensor *r_, THTensor *t, int dimension)
{
  THTensor_(scan)(r_, t, dimension, TH_SCAN_PRODUCT);
}
