/* Running sums and products along a dimension. */
#include "THTemplate.h"

#include "THParallel.h"
#include "THTensorCore.h"

enum { TILE = 2048, TOGETHER = 8 };

typedef struct {
  const THLines *lines;
  int product;
  ptrdiff_t tiles; /* along the innermost dimension, where lines are walked side by side; else 0 */
  const real *from;
  real *to;
} Scan;

static inline accreal taken(int product, accreal a, real x)
{
  return product ? a * (accreal)x : a + (accreal)x;
}

/* lanes lines that lie side by side, row by row. */
static inline __attribute__((always_inline)) void scan_tile(const Scan *scan, int product,
                                                            ptrdiff_t line, ptrdiff_t lanes)
{
  const THLines *lines = scan->lines;
  const ptrdiff_t dx = lines->stride[0][0], dr = lines->stride[1][0];
  const real *x = scan->from + THLines_at(lines, 0, line);
  real *r = scan->to + THLines_at(lines, 1, line);
  accreal a[TILE];
  for (ptrdiff_t j = 0; j < lanes; j++)
    a[j] = product;
  for (ptrdiff_t i = 0; i < lines->length; i++, x += lines->step[0], r += lines->step[1]) {
    if (dx == 1 && dr == 1)
      for (ptrdiff_t j = 0; j < lanes; j++) {
        a[j] = taken(product, a[j], x[j]);
        r[j] = (real)a[j];
      }
    else
      for (ptrdiff_t j = 0; j < lanes; j++) {
        a[j] = taken(product, a[j], x[j * dx]);
        r[j * dr] = (real)a[j];
      }
  }
}

/* Several lines at once: each waits for its last sum, all together do not. */
static inline __attribute__((always_inline)) void scan_lines(const Scan *scan, int product,
                                                             ptrdiff_t line, int together)
{
  const THLines *lines = scan->lines;
  const ptrdiff_t dx = lines->step[0], dr = lines->step[1];
  const real *x[TOGETHER];
  real *r[TOGETHER];
  accreal a[TOGETHER];
  for (int k = 0; k < together; k++) {
    x[k] = scan->from + THLines_at(lines, 0, line + k);
    r[k] = scan->to + THLines_at(lines, 1, line + k);
    a[k] = product;
  }
  for (ptrdiff_t i = 0; i < lines->length; i++)
    for (int k = 0; k < together; k++) {
      a[k] = taken(product, a[k], x[k][i * dx]);
      r[k][i * dr] = (real)a[k];
    }
}

static inline __attribute__((always_inline)) void scan_pieces(const Scan *scan, int product,
                                                              ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t width = scan->lines->size[0];
  for (ptrdiff_t k = begin; k < end; k++) {
    if (scan->tiles) {
      const ptrdiff_t first = k % scan->tiles * TILE;
      scan_tile(scan, product, k / scan->tiles * width + first, THMin(TILE, width - first));
      continue;
    }
    ptrdiff_t line = k * TOGETHER;
    const ptrdiff_t last = THMin(line + TOGETHER, scan->lines->count);
    if (last - line == TOGETHER)
      scan_lines(scan, product, line, TOGETHER);
    else
      for (; line < last; line++)
        scan_lines(scan, product, line, 1);
  }
}

static void THTensor_(scanPieces)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Scan *scan = context;
  if (scan->product)
    scan_pieces(scan, 1, begin, end);
  else
    scan_pieces(scan, 0, begin, end);
}

static void THTensor_(scan)(THTensor *r, THTensor *t, int dimension, int product)
{
  THTensor_(checkAlong)(t, dimension, 3);
  THAlong along;
  t = THTensor_(openAlong)(&along, r, NULL, t, dimension, 3, t->size[dimension], 0, 1);
  THTensor_(resizeResult)(r, &along.shape);

  const THLines *lines = &along.lines;
  Scan scan = {lines, product, 0, THTensor_(data)(t), THTensor_(data)(r)};
  if (lines->count > 0 && lines->length > 0) {
    ptrdiff_t pieces = (lines->count + TOGETHER - 1) / TOGETHER, of = TOGETHER;
    if (lines->size[0] > 1 && lines->stride[0][0] < lines->step[0]) {
      scan.tiles = (lines->size[0] + TILE - 1) / TILE;
      pieces = scan.tiles * (lines->count / lines->size[0]);
      of = THMin(TILE, lines->size[0]);
    }
    THParallel_for(pieces, TH_LOOP_GRAIN / (of * lines->length) + 1, THTensor_(scanPieces), &scan);
  }
  THTensor_(closeAlong)(&along);
}

void THTensor_(cumsum)(THTensor *r_, THTensor *t, int dimension)
{
  THTensor_(scan)(r_, t, dimension, 0);
}

void THTensor_(cumprod)(THTensor *r_, THTensor *t, int dimension)
{
  THTensor_(scan)(r_, t, dimension, 1);
}
