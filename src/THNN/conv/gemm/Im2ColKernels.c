/* Kernels of im2col and col2im. */
#include "THNN/layer/Template.h"

#include "THNN/simd/CopyRow.h"
#include "TH/simd/THSimdReal.h"

/* For each tap: calls row() for each row of positions whose elements lie in the plane (at: the tap's
 * element of column 0; [left, right): the columns inside), and outside() for runs of n positions whose
 * elements lie in the padding. */
static inline void each_row(const THNNWindow *w, real *columns,
                            void (*row)(const THNNWindow *w, ptrdiff_t at, ptrdiff_t left,
                                        ptrdiff_t right, real *columns, real *x),
                            void (*outside)(real *columns, ptrdiff_t n), real *x)
{
  const ptrdiff_t slice = w[1].output * w[2].output;
  for (ptrdiff_t a = 0; a < w[0].size; a++)
    for (ptrdiff_t b = 0; b < w[1].size; b++)
      for (ptrdiff_t c = 0; c < w[2].size; c++) {
        int64_t front, rear, top, bottom, left, right;
        THNNWindow_inside(&w[0], a * w[0].dilation, &front, &rear);
        THNNWindow_inside(&w[1], b * w[1].dilation, &top, &bottom);
        THNNWindow_inside(&w[2], c * w[2].dilation, &left, &right);
        for (ptrdiff_t t = 0; t < w[0].output; t++, columns += slice) {
          if (t < front || t >= rear || top >= bottom || left >= right) {
            outside(columns, slice);
            continue;
          }
          const ptrdiff_t plane = (t * w[0].step + a * w[0].dilation - w[0].pad) * w[1].input;
          const ptrdiff_t first = c * w[2].dilation - w[2].pad;
          outside(columns, top * w[2].output);
          for (ptrdiff_t i = top; i < bottom; i++)
            row(&w[2], (plane + i * w[1].step + b * w[1].dilation - w[1].pad) * w[2].input + first,
                left, right, columns + i * w[2].output, x);
          outside(columns + bottom * w[2].output, (w[1].output - bottom) * w[2].output);
        }
      }
}

static inline void zero(real *columns, ptrdiff_t n)
{
  memset(columns, 0, (size_t)n * sizeof *columns);
}

static inline void unfold_row(const THNNWindow *w, ptrdiff_t at, ptrdiff_t left, ptrdiff_t right,
                              real *columns, real *x)
{
  for (ptrdiff_t j = 0; j < left; j++)
    columns[j] = 0;
  if (w->step == 1)
    copy_row(columns + left, x + at + left, right - left);
  else if (w->step == 2)
    for (ptrdiff_t j = left; j < right; j++)
      columns[j] = x[at + 2 * j];
  else
    for (ptrdiff_t j = left; j < right; j++)
      columns[j] = x[at + j * w->step];
  for (ptrdiff_t j = right; j < w->output; j++)
    columns[j] = 0;
}

static inline void skip(real *columns, ptrdiff_t n)
{
  (void)columns, (void)n;
}

static inline void add_row(const THNNWindow *w, ptrdiff_t at, ptrdiff_t left, ptrdiff_t right,
                           real *columns, real *x)
{
  if (w->step == 1) {
    real *restrict to = x + at;
    for (ptrdiff_t j = left; j < right; j++)
      to[j] += columns[j];
  } else {
    for (ptrdiff_t j = left; j < right; j++)
      x[at + j * w->step] += columns[j];
  }
}

/* --- whole planes ---------------------------------------------------------------------------- */

#if TH_VECTOR_MASKS
enum { VECTORS = 4 /* vectors of a row, at most */ };

/* Copies rows of the image, or zeros, each of `vectors` vectors, a constant.  Whole vectors are stored:
 * the next row overwrites what is beyond the end of a row.  At the end of the columns, stores are
 * masked.  (Masked stores take some ten times as long on processors of today.) */
static inline __attribute__((always_inline)) void move_rows(const THNNWindow *w, const real *x,
                                                            real *columns, int vectors)
{
  int64_t front, rear, top, bottom, left, right;
  THNNWindow_inside(&w[0], 0, &front, &rear);
  THNNWindow_inside(&w[1], 0, &top, &bottom);
  THNNWindow_inside(&w[2], 0, &left, &right);
  const int64_t slices = w[0].output, rows = w[1].output, n = w[2].output;
  const ptrdiff_t next = w[1].step * w[2].input;
  const real *const end = columns + slices * rows * n;
  Mask stored[VECTORS], loaded[VECTORS];
  for (int v = 0; v < vectors; v++) {
    stored[v] = lanes_between(0, n - v * LANES);
    loaded[v] = lanes_between(left - v * LANES, right - v * LANES);
  }
  for (int64_t t = 0; t < slices; t++) {
    const ptrdiff_t slice = (t * w[0].step - w[0].pad) * w[1].input - w[1].pad;
    const real *from = x + slice * w[2].input - w[2].pad;
    const int64_t first = t >= front && t < rear ? top : rows;
    for (int64_t i = 0; i < rows; i++, columns += n, from += next) {
      const int inside = i >= first && i < bottom;
      for (int v = 0; v < vectors; v++) {
        __builtin_prefetch((const char *)(from + v * LANES) + 4096); /* the distance of copy_row */
        const Vector row = Vector_(loadMasked)(inside ? loaded[v] : 0, from + v * LANES);
        if (columns + (v + 1) * LANES <= end)
          memcpy(columns + v * LANES, &row, sizeof row);
        else
          Vector_(storeMasked)(columns + v * LANES, stored[v], row);
      }
    }
  }
}

/* im2col of a 1 x 1 kernel on a plane of short rows (up to VECTORS vectors), where the loop over rows
 * would take longer than the copies.  Returns 0, and does nothing, for other planes. */
static int move_plane(const THNNWindow *w, const real *x, real *columns)
{
  if (w[0].size > 1 || w[1].size > 1 || w[2].size > 1 || w[2].step > 1)
    return 0;
  switch ((w[2].output + LANES - 1) / LANES) {
    case 1:
      move_rows(w, x, columns, 1);
      return 1;
    case 2:
      move_rows(w, x, columns, 2);
      return 1;
    case 3:
      move_rows(w, x, columns, 3);
      return 1;
    case 4:
      move_rows(w, x, columns, VECTORS);
      return 1;
    default:
      return 0;
  }
}
#else
static int move_plane(const THNNWindow *w, const real *x, real *columns)
{
  (void)w, (void)x, (void)columns;
  return 0;
}
#endif

static void unfold(const THNNWindow *axis, const real *x, real *columns)
{
  if (!move_plane(axis, x, columns))
    each_row(axis, columns, unfold_row, zero, (real *)x);
}

static void fold(const THNNWindow *axis, const real *columns, real *x)
{
  each_row(axis, (real *)columns, add_row, skip, x);
}

const THNN_(Im2ColKernels) TH_LEVEL_(THNN_(im2col))[] = {{unfold, fold}};
