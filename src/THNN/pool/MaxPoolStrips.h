/* Max pooling of a plane by small windows in registers, for MaxPoolKernels.c: strips of windows go down the plane. */

#define LEAST Vector_(all)(-(real)INFINITY)

/* The lanes of v that are larger than those of most, or NaN. */
FRAME_STAYS static inline __attribute__((always_inline)) Mask larger_or_nan(Vector v, Vector most)
{
  return Vector_(greater)(v, most) | Vector_(unordered)(v, v);
}

enum {
  TAPS = 16,                                   /* columns of a window, at most */
  STRIPS = 16,                                 /* strips that are computed side by side, at most */
  PREFETCH = THNN_PREFETCH_NEAR / sizeof(real) /* the prefetch distance in elements */
};

/* The maxima of a row of the image, for the windows of a strip. */
typedef struct {
  Vector most;
  Integers best; /* the indices of the maxima, minus the index of each window's first column */
} ArgMax;

/* A strip: a vector of windows of each row. */
typedef struct {
  const THNNWindow *w;
  ptrdiff_t begin;      /* the first window */
  ptrdiff_t start;      /* its first column, perhaps in the padding */
  Integers first;       /* columns of each window that are in the padding on the left */
  Integers column;      /* each window's first column, in index tensors */
  Integers offset;      /* each window's first column, minus the first window's */
  Mask inside[TAPS][2]; /* elements inside the image, of the vectors that tap k is taken from */
  Mask wanted;          /* lanes that have a window */
  ptrdiff_t row[SLICES * ROWS]; /* the row of argMax, counted over all slices; -1 for none */
  ArgMax argMax[SLICES * ROWS];
} Strip;

FRAME_STAYS static void begin_strip(Strip *s, const THNNWindow *w, ptrdiff_t begin)
{
  index_t first[LANES], column[LANES], offset[LANES];
  s->w = w;
  s->begin = begin;
  s->start = begin * w->step - w->pad;
  for (ptrdiff_t j = 0; j < LANES; j++) {
    offset[j] = (index_t)(j * w->step);
    column[j] = (index_t)(s->start + j * w->step);
  }
  for (ptrdiff_t j = 0; j < LANES; j++)
    first[j] = THMax(-column[j], 0);
  if (w->dilation > 1)
    for (ptrdiff_t j = 0; j < LANES; j++)
      first[j] = (index_t)((first[j] + w->dilation - 1) / w->dilation * w->dilation);
  for (ptrdiff_t j = 0; j < LANES; j++)
    column[j] += TH_INDEX_BASE;
  memcpy(&s->first, first, sizeof first);
  memcpy(&s->column, column, sizeof column);
  memcpy(&s->offset, offset, sizeof offset);
  for (ptrdiff_t k = 0; k < w->size; k++)
    if (w->step > 2) { /* lanes are gathered */
      int64_t inside, end;
      THNNWindow_inside(w, k * w->dilation, &inside, &end);
      s->inside[k][0] = lanes_between(inside - begin, end - begin);
    } else {
      for (int half = 0; half < 2; half++) {
        const ptrdiff_t from = s->start + k * w->dilation + half * LANES;
        s->inside[k][half] = lanes_between(-from, w->input - from);
      }
    }
  s->wanted = lanes_between(0, w->output - begin);
  for (int i = 0; i < SLICES * ROWS; i++)
    s->row[i] = -1;
}

KERNEL take_tap(Vector v, index_t at, ArgMax *w)
{
  const Mask take = larger_or_nan(v, w->most);
  w->most = Vector_(select)(take, v, w->most);
  w->best = Integers_(select)(take, Integers_(all)(at), w->best);
}

/* The largest elements of a row; size and step are constants where possible. */
KERNEL row_arg_max(const Strip *s, const real *x, ptrdiff_t row, ptrdiff_t step, ptrdiff_t size,
                   ptrdiff_t dilation, ArgMax *to)
{
  const index_t at = (index_t)(row * s->w->input);
  ArgMax w = {.best = at + s->first};
  x += row * s->w->input + s->start;
  __builtin_prefetch(x + PREFETCH);
  if (step > 1)
    __builtin_prefetch(x + PREFETCH + LANES);
  if (step == 1) {
    w.most = Vector_(loadOr)(LEAST, s->inside[0][0], x);
    for (ptrdiff_t k = 1; k < size; k++)
      take_tap(Vector_(loadOr)(LEAST, s->inside[k][0], x + k * dilation),
               at + (index_t)(k * dilation), &w);
  } else if (step > 2) {
    w.most = Vector_(gatherOr)(LEAST, s->inside[0][0], x, s->offset);
    for (ptrdiff_t k = 1; k < size; k++)
      take_tap(Vector_(gatherOr)(LEAST, s->inside[k][0], x + k * dilation, s->offset),
               at + (index_t)(k * dilation), &w);
  } else {
    const int pairs = dilation == 1; /* two taps are in the same vectors */
    for (ptrdiff_t k = 0; k < size; k += 1 + pairs) {
      const Vector low = Vector_(loadOr)(LEAST, s->inside[k][0], x + k * dilation);
      const Vector high = Vector_(loadOr)(LEAST, s->inside[k][1], x + k * dilation + LANES);
      if (k == 0)
        w.most = MIX(low, high, EVEN);
      else
        take_tap(MIX(low, high, EVEN), at + (index_t)(k * dilation), &w);
      if (pairs && k + 1 < size)
        take_tap(MIX(low, high, ODD), at + (index_t)k + 1, &w);
    }
  }
  *to = w;
}

FRAME_STAYS static void any_row_arg_max(const Strip *s, const real *x, ptrdiff_t row, ArgMax *to)
{
  const THNNWindow *w = s->w;
  if (w->step == 1)
    row_arg_max(s, x, row, 1, w->size, w->dilation, to);
  else if (w->step > 2)
    row_arg_max(s, x, row, 3, w->size, w->dilation, to);
  else if (w->dilation == 1)
    row_arg_max(s, x, row, 2, w->size, 1, to);
  else
    row_arg_max(s, x, row, 2, w->size, w->dilation, to);
}

/* The largest elements of row r of slice z, computed unless they are kept; step is 0 for windows of
 * any kind. */
FRAME_STAYS static inline __attribute__((always_inline)) const ArgMax *
arg_max_of(Strip *s, const THNNWindow *axis, const real *x, ptrdiff_t z, ptrdiff_t r,
           ptrdiff_t step, ptrdiff_t size)
{
  const ptrdiff_t row = z * axis[1].input + r, at = z % SLICES * ROWS + r % ROWS;
  if (s->row[at] != row) {
    s->row[at] = row;
    if (step)
      row_arg_max(s, x, row, step, size, 1, &s->argMax[at]);
    else
      any_row_arg_max(s, x, row, &s->argMax[at]);
  }
  return &s->argMax[at];
}

/* Stores the lanes wanted; best holds values of index tensors. */
KERNEL put_lanes(Mask wanted, Vector most, Integers best, real *y, int64_t *index)
{
#if defined(TH_REAL_IS_FLOAT)
  const THLongs low = THLongs_ofLower(best), high = THLongs_ofUpper(best);
#else
  const THLongs low = best;
#endif
  if (wanted == (Mask)-1) {
    store(y, most);
    THLongs_store(index, low);
#if defined(TH_REAL_IS_FLOAT)
    THLongs_store(index + 8, high);
  } else {
    Vector_(storeMasked)(y, wanted, most);
    THLongs_storeMasked(index, (THMask64)wanted, low);
    if (wanted >> 8)
      THLongs_storeMasked(index + 8, (THMask64)(wanted >> 8), high);
  }
#else
  } else {
    Vector_(storeMasked)(y, wanted, most);
    THLongs_storeMasked(index, wanted, low);
  }
#endif
}

KERNEL put_windows(const Strip *s, const ArgMax *all, real *y, int64_t *index)
{
  put_lanes(s->wanted, all->most, all->best + s->column, y, index);
}

KERNEL windows_of_strip(Strip *s, const THNNWindow *axis, const THNNSpan *depth,
                        const THNNSpan *height, const real *x, ptrdiff_t step, ptrdiff_t size,
                        real *y, int64_t *index)
{
  ArgMax all = *arg_max_of(s, axis, x, depth->begin, height->begin, step, size);
  for (ptrdiff_t z = depth->begin; z < depth->end; z += axis[0].dilation)
    for (ptrdiff_t r = height->begin; r < height->end; r += axis[1].dilation) {
      if (z == depth->begin && r == height->begin)
        continue;
      const ArgMax *w = arg_max_of(s, axis, x, z, r, step, size);
      const Mask take = larger_or_nan(w->most, all.most);
      all.most = Vector_(select)(take, w->most, all.most);
      all.best = Integers_(select)(take, w->best, all.best);
    }
  put_windows(s, &all, y, index);
}

/* Computes a plane, some strips side by side; the last strip may compute some windows again. */
KERNEL plane_of_strips(const THNNWindow *axis, const real *x, real *y, int64_t *index,
                       ptrdiff_t step, ptrdiff_t size)
{
  const ptrdiff_t columns = axis[2].output, rows = axis[1].output;
  TH_SCRATCH(Strip, strip, STRIPS);
  for (ptrdiff_t first = 0; first < columns; first += STRIPS * LANES) {
    const ptrdiff_t strips = THMin(STRIPS, (columns - first + LANES - 1) / LANES);
    for (ptrdiff_t k = 0; k < strips; k++)
      begin_strip(&strip[k], &axis[2], THMax(THMin(first + k * LANES, columns - LANES), 0));
    for (ptrdiff_t i = 0; i < axis[0].output; i++) {
      const THNNSpan depth = THNNWindow_span(&axis[0], i);
      for (ptrdiff_t j = 0; j < rows; j++) {
        const THNNSpan height = THNNWindow_span(&axis[1], j);
        const ptrdiff_t at = (i * rows + j) * columns;
        for (ptrdiff_t k = 0; k < strips; k++)
          windows_of_strip(&strip[k], axis, &depth, &height, x, step, size, y + at + strip[k].begin,
                           index + at + strip[k].begin);
      }
    }
  }
}

#include "MaxPoolStride2.h"

FRAME_STAYS static void pool_strips(const THNNWindow *axis, const real *x, real *y, int64_t *index)
{
  const THNNWindow *w = &axis[2];
  if (pool_stride2(axis, x, y, index))
    return;
  if (w->dilation == 1 && w->step == 2 && w->size == 3)
    plane_of_strips(axis, x, y, index, 2, 3);
  else if (w->dilation == 1 && w->step == 2 && w->size == 2)
    plane_of_strips(axis, x, y, index, 2, 2);
  else if (w->dilation == 1 && w->step == 1 && w->size == 3)
    plane_of_strips(axis, x, y, index, 1, 3);
  else
    plane_of_strips(axis, x, y, index, 0, 0);
}
