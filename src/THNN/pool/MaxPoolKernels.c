/* Max pooling of a plane.  For each row of the image, the largest element within each window's
 * columns is found, in vectors along the row; a window then takes the largest of its rows.  With
 * AVX-512, most windows are computed in registers.
 *
 * The later of two elements is taken if it is larger, or NaN.  That is associative, so that the
 * rows of a window may be compared one by one, and the results of a row serve all windows that the
 * row is in. */
#include "THNN/layer/Template.h"
#include "THNN/simd/Tuning.h"

#include "THNN/simd/CopyRow.h"
#include "TH/core/THScratch.h"
#include "TH/simd/THSimdReal.h"

/* Indices are as wide as the elements, so that vectors of both have the same number of lanes. */
#if defined(TH_REAL_IS_FLOAT)
typedef int32_t index_t;
#else
typedef int64_t index_t;
#endif

enum {
  BLOCK = 64,     /* windows of a row that are computed together */
  GROUP = 16,     /* the number of windows of a block is rounded up to a multiple of this */
  COVERED = 1024, /* elements that a block of small windows covers, at most */
  STEPS = 4,      /* the step of small windows, at most */
  SLICES = 4,     /* slices whose results are kept */
  ROWS = 8        /* rows of each slice whose results are kept */
};

/* The largest elements of a row of the image, for a block of windows, and their indices in the
 * plane. */
typedef struct {
  ptrdiff_t row; /* the row, counted over all slices; -1 for none */
  real most[BLOCK];
  index_t best[BLOCK];
} ArgMaxes;

/* The same windows of each row: a block.  The part of a row that they cover is split into phases: phase p
 * holds the elements whose columns are p plus a multiple of the step. */
typedef struct {
  const THNNWindow *w;
  ptrdiff_t begin, end;
  ptrdiff_t count;      /* number of windows, rounded up to a multiple of GROUP */
  ptrdiff_t start;      /* the first window's first column, perhaps in the padding */
  ptrdiff_t pitch;      /* elements from one phase to the next; 0 if windows are not small */
  index_t first[BLOCK]; /* the first column of each window that is in the image */
  /* The phases of two rows: one is split while the other is pooled, as a load of elements that were
   * just written by several stores would wait.  -infinity outside the image. */
  real phase[2][COVERED];
  ptrdiff_t row[2]; /* the rows that are split; -1 for none */
  ArgMaxes argMaxes[SLICES * ROWS];
} Block;

/* gcc's AddressSanitizer may move frames from the stack to the heap, where they are not aligned for
 * stores of 64 bytes; these functions are not instrumented.  Functions inlined into them must not
 * be instrumented either: they would mark variables as out of scope, and nothing would undo
 * that. */
#define FRAME_STAYS __attribute__((no_sanitize("address")))
#define KERNEL      FRAME_STAYS static inline __attribute__((always_inline)) void

/* --- one row --------------------------------------------------------------------------------- */

/* The lists of THSimdLists.h for vectors of 16 to 64 bytes. */
#if defined(TH_REAL_IS_FLOAT)
#define LIST16(LIST) TH_##LIST##4
#define LIST32(LIST) TH_##LIST##8
#define LIST64(LIST) TH_##LIST##16
#else
#define LIST16(LIST) TH_##LIST##2
#define LIST32(LIST) TH_##LIST##4
#define LIST64(LIST) TH_##LIST##8
#endif

#define BYTES 16
#include "MaxPoolSplit.h"
#if TH_VECTOR >= 32
#define BYTES 32
#include "MaxPoolSplit.h"
#endif
#if TH_VECTOR == 64
#define BYTES 64
#include "MaxPoolSplit.h"
#define SPLIT_WIDEST split64
#elif TH_VECTOR == 32
#define SPLIT_WIDEST split32
#else
#define SPLIT_WIDEST split16
#endif
enum { WIDEST = 2 * TH_VECTOR / sizeof(real) };

/* Copies element i of x to element i / 2 of even or odd. */
KERNEL split(const real *x, ptrdiff_t n, real *even, real *odd)
{
  enum { NARROWEST = 32 / sizeof(real) }; /* elements of two vectors of 16 bytes */
  const ptrdiff_t pairs = n / 2 * 2;
  ptrdiff_t i = 0;
  for (; i + WIDEST <= pairs; i += WIDEST)
    SPLIT_WIDEST(x + i, even + i / 2, odd + i / 2);
  for (; i + NARROWEST <= pairs; i += NARROWEST)
    split16(x + i, even + i / 2, odd + i / 2);
  if (i < pairs && pairs >= NARROWEST) { /* some elements again */
    i = pairs - NARROWEST;
    split16(x + i, even + i / 2, odd + i / 2);
    i = pairs;
  }
  for (; i < pairs; i += 2) {
    even[i / 2] = x[i];
    odd[i / 2] = x[i + 1];
  }
  if (i < n)
    even[i / 2] = x[i];
}

/* Splits columns from ... end of the row x. */
KERNEL split_columns(const Block *b, const real *x, ptrdiff_t from, ptrdiff_t end, ptrdiff_t step,
                     real *phase)
{
  const ptrdiff_t skipped = from - b->start;
  real *to = phase + skipped % step * b->pitch + skipped / step;
  if (step == 1)
    copy_row(to, x + from, end - from);
  else if (step == 2)
    split(x + from, end - from, to, skipped % 2 ? phase + skipped / 2 + 1 : to + b->pitch);
  else
    for (ptrdiff_t c = from; c < end; c++)
      phase[(c - b->start) % step * b->pitch + (c - b->start) / step] = x[c];
}

/* Splits a row of the plane x into phases. */
static inline void split_row(Block *b, const real *x, ptrdiff_t row)
{
  const THNNWindow *w = b->w;
  const ptrdiff_t reach = (b->count - 1) * w->step + (w->size - 1) * w->dilation + 1;
  const ptrdiff_t from = THMax(b->start, 0), end = THMin(b->start + reach, w->input);
  real *phase = b->phase[row % 2];
  x += row * w->input;
  b->row[row % 2] = row;
  if (w->step == 1)
    split_columns(b, x, from, end, 1, phase);
  else if (w->step == 2)
    split_columns(b, x, from, end, 2, phase);
  else
    split_columns(b, x, from, end, w->step, phase);
}

KERNEL take_larger(real value, index_t at, real *most, index_t *best)
{
  const int take = (value > *most) | (value != value); /* NaN is larger than all */
  *most = take ? value : *most;
  *best = take ? at : *best;
}

/* Pools a row of the image by windows whose size and step are constants, with dilation 1. */
KERNEL constant_windows(const Block *b, index_t row, const real *even, ptrdiff_t step,
                        ptrdiff_t size, ArgMaxes *to)
{
  const index_t start = row + (index_t)b->start;
  const real *odd = even + (step > 1 ? b->pitch : 1);
  for (ptrdiff_t at = 0; at < b->count; at += GROUP) {
    const real *x[] = {even + at, odd + at, step > 1 ? even + at + 1 : odd + at + 1};
    const index_t *first = b->first + at;
    real *most = to->most + at;
    index_t *best = to->best + at;
#pragma omp simd
    for (int j = 0; j < GROUP; j++) {
      real value = x[0][j];
      index_t from = row + first[j];
      for (int k = 1; k < size; k++)
        take_larger(x[k][j], start + (index_t)((at + j) * step + k), &value, &from);
      most[j] = value;
      best[j] = from;
    }
  }
}

/* Takes the larger element for n windows, whose elements are stride apart. */
KERNEL larger(const real *x, ptrdiff_t stride, index_t first, ptrdiff_t step, ptrdiff_t n,
              real *most, index_t *best)
{
#pragma omp simd
  for (ptrdiff_t j = 0; j < n; j++)
    take_larger(x[j * stride], first + (index_t)(j * step), &most[j], &best[j]);
}

static void set_least(const Block *b, index_t row, ArgMaxes *to)
{
  for (ptrdiff_t j = 0; j < b->count; j++) {
    to->most[j] = -(real)INFINITY;
    to->best[j] = row + b->first[j];
  }
}

static void small_windows(const Block *b, index_t row, const real *phase, ArgMaxes *to)
{
  const THNNWindow *w = b->w;
  set_least(b, row, to);
  for (ptrdiff_t k = 0; k < w->size * w->dilation; k += w->dilation)
    for (ptrdiff_t j = 0; j < b->count; j += GROUP)
      larger(phase + k % w->step * b->pitch + k / w->step + j, 1,
             row + (index_t)(b->start + k + j * w->step), w->step, GROUP, to->most + j,
             to->best + j);
}

/* Pools a row of the image by windows that are not small: tap by tap, for the windows whose tap lies in the
 * image. */
static void large_windows(const Block *b, index_t row, const real *x, ArgMaxes *to)
{
  const THNNWindow *w = b->w;
  set_least(b, row, to);
  for (ptrdiff_t k = 0; k < w->size; k++) {
    int64_t from, end;
    THNNWindow_inside(w, k * w->dilation, &from, &end);
    from = THMax(from, b->begin);
    end = THMin(end, b->end);
    const ptrdiff_t at = from * w->step + k * w->dilation - w->pad;
    if (from < end)
      larger(x + at, w->step, row + (index_t)at, w->step, end - from, to->most + from - b->begin,
             to->best + from - b->begin);
  }
}

/* Finds the largest elements of a row of the plane x, which has that many rows. */
static void pool_row(Block *b, const real *x, ptrdiff_t row, ptrdiff_t rows, ArgMaxes *to)
{
  const THNNWindow *w = b->w;
  const index_t first = (index_t)(row * w->input);
  if (!b->pitch) {
    large_windows(b, first, x + first, to);
    return;
  }
  if (b->row[row % 2] != row)
    split_row(b, x, row);
  if (row + 1 < rows)
    split_row(b, x, row + 1);
  const real *phase = b->phase[row % 2];
  const ptrdiff_t size = w->dilation == 1 ? w->size : 0;
  if (w->step == 1 && size == 2)
    constant_windows(b, first, phase, 1, 2, to);
  else if (w->step == 1 && size == 3)
    constant_windows(b, first, phase, 1, 3, to);
  else if (w->step == 2 && size == 2)
    constant_windows(b, first, phase, 2, 2, to);
  else if (w->step == 2 && size == 3)
    constant_windows(b, first, phase, 2, 3, to);
  else
    small_windows(b, first, phase, to);
}

/* --- a plane --------------------------------------------------------------------------------- */

static void begin_block(Block *b, const THNNWindow *w, ptrdiff_t begin)
{
  b->w = w;
  b->begin = begin;
  b->end = THMin(begin + BLOCK, w->output);
  b->count = (b->end - begin + GROUP - 1) / GROUP * GROUP;
  b->start = begin * w->step - w->pad;
  for (ptrdiff_t j = 0; j < b->count; j++)
    b->first[j] = (index_t)THNNWindow_span(w, begin + j).begin;
  /* The elements of a phase that the windows of the block cover. */
  const ptrdiff_t pitch = b->count + (w->size - 1) * w->dilation / w->step;
  b->pitch = w->step <= STEPS && pitch <= COVERED / w->step ? pitch : 0;
  for (int row = 0; row < 2; row++) {
    b->row[row] = -1;
    for (ptrdiff_t i = 0; i < b->pitch * w->step; i++)
      b->phase[row][i] = -(real)INFINITY;
  }
  for (int i = 0; i < SLICES * ROWS; i++)
    b->argMaxes[i].row = -1;
}

/* The largest elements of row r of slice z: they are kept from a previous call, or computed. */
static inline const ArgMaxes *arg_maxes_of(Block *b, const THNNWindow *axis, const real *x,
                                           ptrdiff_t z, ptrdiff_t r)
{
  ArgMaxes *w = &b->argMaxes[z % SLICES * ROWS + r % ROWS];
  const ptrdiff_t row = z * axis[1].input + r;
  if (w->row != row) {
    pool_row(b, x, row, axis[0].input * axis[1].input, w);
    w->row = row;
  }
  return w;
}

/* Computes one row of windows. */
FRAME_STAYS static inline void pool_windows(Block *b, const THNNWindow *axis, const THNNSpan *depth,
                                            const THNNSpan *height, const real *x, real *y,
                                            int64_t *index)
{
  const ArgMaxes *first = arg_maxes_of(b, axis, x, depth->begin, height->begin);
  const ptrdiff_t count = b->count, wanted = b->end - b->begin;
  real most[BLOCK];
  index_t best[BLOCK];
  memcpy(most, first->most, sizeof most);
  memcpy(best, first->best, sizeof best);
  for (ptrdiff_t z = depth->begin; z < depth->end; z += axis[0].dilation)
    for (ptrdiff_t r = height->begin; r < height->end; r += axis[1].dilation) {
      if (z == depth->begin && r == height->begin)
        continue;
      const ArgMaxes *row = arg_maxes_of(b, axis, x, z, r);
#pragma omp simd
      for (ptrdiff_t j = 0; j < count; j++)
        take_larger(row->most[j], row->best[j], &most[j], &best[j]);
    }
  copy_row(y, most, wanted);
#pragma omp simd
  for (ptrdiff_t j = 0; j < wanted; j++)
    index[j] = (int64_t)best[j] + TH_INDEX_BASE;
}

/* --- pairs of rows and columns --------------------------------------------------------------- */

/* Pools 2 x 2 windows side by side, without padding, whose two rows are split already. */
KERNEL pool_split(int count, const real *const *even, const real *const *odd, ptrdiff_t pitch,
                  index_t first, real *y, int64_t *index)
{
#pragma omp simd
  for (int j = 0; j < count; j++) {
    real most = even[0][j], below = even[1][j];
    index_t best = first + 2 * j, at = best + (index_t)pitch;
    take_larger(odd[1][j], at + 1, &below, &at);
    take_larger(odd[0][j], best + 1, &most, &best);
    take_larger(below, at, &most, &best);
    y[j] = most;
    index[j] = (int64_t)best + TH_INDEX_BASE;
  }
}

#define BYTES 16
#include "MaxPoolPairs.h"
#if TH_VECTOR >= 32
#define BYTES 32
#include "MaxPoolPairs.h"
#endif
#if TH_VECTOR == 64
#define BYTES 64
#include "MaxPoolPairs.h"
#endif

static int are_pairs(const THNNWindow *w)
{
  return w->size == 2 && w->step == 2 && w->dilation == 1 && w->pad == 0 &&
         2 * w->output <= w->input;
}

FRAME_STAYS static void pool_plane_of_pairs(const THNNWindow *axis, const real *x, real *y,
                                            int64_t *index)
{
  const ptrdiff_t columns = axis[2].output, pitch = axis[2].input;
  for (ptrdiff_t i = 0; i < axis[1].output; i++, y += columns, index += columns) {
    const real *row = x + 2 * i * pitch;
    const index_t first = (index_t)(2 * i * pitch);
#if TH_VECTOR == 64
    if (columns >= 64 / (ptrdiff_t)sizeof *x) {
      row_of_pairs64(row, pitch, first, columns, y, index);
      continue;
    }
#endif
#if TH_VECTOR >= 32
    if (columns >= 32 / (ptrdiff_t)sizeof *x) {
      row_of_pairs32(row, pitch, first, columns, y, index);
      continue;
    }
#endif
    row_of_pairs16(row, pitch, first, columns, y, index);
  }
}

#if TH_VECTOR_MASKS
#include "MaxPoolStrips.h"
#endif

/* --- a plane of any kind --------------------------------------------------------------------- */

FRAME_STAYS static void max_pool(const THNNWindow *axis, const real *x, real *y, int64_t *index)
{
  const ptrdiff_t columns = axis[2].output;
  if (axis[0].size == 1 && axis[0].step == 1 && axis[0].output == 1 && are_pairs(&axis[1]) &&
      are_pairs(&axis[2]) && columns >= 16 / (ptrdiff_t)sizeof *x) {
    pool_plane_of_pairs(axis, x, y, index);
    return;
  }
#if TH_VECTOR_MASKS
  if (axis[2].size <= TAPS) {
    pool_strips(axis, x, y, index);
    return;
  }
#endif
  TH_SCRATCH(Block, b, 1);
  for (ptrdiff_t begin = 0; begin < columns; begin += BLOCK) {
    begin_block(b, &axis[2], begin);
    ptrdiff_t at = begin;
    for (ptrdiff_t i = 0; i < axis[0].output; i++)
      for (ptrdiff_t j = 0; j < axis[1].output; j++, at += columns) {
        const THNNSpan depth = THNNWindow_span(&axis[0], i), height = THNNWindow_span(&axis[1], j);
        pool_windows(b, axis, &depth, &height, x, y + at, index + at);
      }
  }
}

const THNN_(MaxPoolKernel) TH_LEVEL_(THNN_(maxPool))[] = {max_pool};

/* --- channels-last images -------------------------------------------------------------------- */

/* A window of a channels-last image. */
typedef struct {
  const THNNPlanes *p;
  const int64_t *dilation;
  ptrdiff_t planes;
  THNNSpan span[3];
  int64_t next;    /* the first column of the next window */
  ptrdiff_t ahead; /* elements to what is prefetched, from columns before next */
} Window;

/* The prefetch distance: two rows of the image for windows of few rows, because their next row of windows is
 * near, and one row otherwise. */
static inline ptrdiff_t ahead_of(const THNNPlanes *p, const THNNSpan *height, ptrdiff_t planes)
{
  enum { LOW = 3 }; /* rows */
  return (height->end - height->begin <= LOW ? 2 : 1) * p->in[2] * planes;
}

/* The index of the window's first element. */
static inline index_t first_of(const Window *w)
{
  return (index_t)((w->span[0].begin * w->p->in[1] + w->span[1].begin) * w->p->in[2] +
                   w->span[2].begin);
}

#if TH_VECTOR_MASKS
enum { MAX_PLANES = 4 * LANES };

/* Pools a window in n neighbouring planes, in `vectors` vectors. */
KERNEL window_in_vectors(const Window *w, ptrdiff_t n, int vectors, const real *x, real *y,
                         int64_t *index)
{
  const ptrdiff_t rows = w->p->in[1], columns = w->p->in[2], planes = w->planes;
  const THNNSpan depth = w->span[0], height = w->span[1], width = w->span[2];
  Mask wanted[4];
  Vector most[4];
  Integers best[4];
  for (int k = 0; k < vectors; k++) {
    wanted[k] = lanes_between(0, n - k * LANES);
    most[k] = LEAST;
    best[k] = Integers_(all)(first_of(w));
  }
  for (ptrdiff_t z = depth.begin; z < depth.end; z += w->dilation[0])
    for (ptrdiff_t r = height.begin; r < height.end; r += w->dilation[1])
      for (ptrdiff_t c = width.begin; c < width.end; c += w->dilation[2]) {
        const ptrdiff_t at = (z * rows + r) * columns + c;
        const Integers here = Integers_(all)((index_t)at);
        const real *from = x + at * planes;
        for (int k = 0; k < vectors; k++) {
          const Vector v = Vector_(loadOr)(LEAST, wanted[k], from + k * LANES);
          const Mask take = larger_or_nan(v, most[k]);
          most[k] = Vector_(select)(take, v, most[k]);
          best[k] = Integers_(select)(take, here, best[k]);
        }
        if (c < w->next)
          for (int k = 0; k < vectors; k++)
            __builtin_prefetch(from + w->ahead + k * LANES);
      }
  for (int k = 0; k < vectors; k++)
    put_lanes(wanted[k], most[k], TH_INDEX_BASE + best[k], y + k * LANES, index + k * LANES);
}

FRAME_STAYS static void window_of_planes(const Window *w, ptrdiff_t n, const real *x, real *y,
                                         int64_t *index)
{
  if (n > 2 * LANES)
    window_in_vectors(w, n, 4, x, y, index);
  else if (n > LANES)
    window_in_vectors(w, n, 2, x, y, index);
  else
    window_in_vectors(w, n, 1, x, y, index);
}
#else
enum { MAX_PLANES = BLOCK };

/* Pools a window in n neighbouring planes. */
static void window_of_planes(const Window *w, ptrdiff_t n, const real *x, real *y, int64_t *index)
{
  const ptrdiff_t rows = w->p->in[1], columns = w->p->in[2], planes = w->planes;
  const THNNSpan depth = w->span[0], height = w->span[1], width = w->span[2];
  real most[BLOCK];
  index_t best[BLOCK];
  for (ptrdiff_t j = 0; j < n; j++) {
    most[j] = -(real)INFINITY;
    best[j] = first_of(w);
  }
  for (ptrdiff_t z = depth.begin; z < depth.end; z += w->dilation[0])
    for (ptrdiff_t r = height.begin; r < height.end; r += w->dilation[1])
      for (ptrdiff_t c = width.begin; c < width.end; c += w->dilation[2]) {
        const ptrdiff_t at = (z * rows + r) * columns + c;
        const real *from = x + at * planes;
        larger(from, 1, (index_t)at, 0, n, most, best);
        for (ptrdiff_t j = 0; c < w->next && j < n; j += GROUP)
          __builtin_prefetch(from + w->ahead + j);
      }
  copy_row(y, most, n);
  for (ptrdiff_t j = 0; j < n; j++)
    index[j] = (int64_t)best[j] + TH_INDEX_BASE;
}
#endif

static void max_pool_nhwc(const THNNPlanes *p, const THNNSpans *spans, ptrdiff_t planes,
                          const real *x, ptrdiff_t row, real *y, int64_t *index)
{
  const ptrdiff_t rows = p->out[1];
  Window w = {.p = p,
              .dilation = spans->dilation,
              .planes = planes,
              .span = {spans->of[0][row / rows], spans->of[1][row % rows]}};
  w.ahead = ahead_of(p, &w.span[1], planes);
  for (ptrdiff_t k = 0; k < p->out[2]; k++) {
    w.span[2] = spans->of[2][k];
    w.next = k + 1 < p->out[2] ? spans->of[2][k + 1].begin : p->in[2];
    for (ptrdiff_t first = 0; first < planes; first += MAX_PLANES) {
      const ptrdiff_t n = THMin(MAX_PLANES, planes - first);
      window_of_planes(&w, n, x + first, y, index);
      y += n;
      index += n;
    }
  }
}

const THNN_(MaxNhwcKernel) TH_LEVEL_(THNN_(maxPoolNhwc))[] = {max_pool_nhwc};

/* --- windows one by one ---------------------------------------------------------------------- */

#if TH_VECTOR_MASKS
/* The index of a window's largest element: each lane keeps the first of its largest elements, or
 * its last NaN. */
FRAME_STAYS static inline index_t index_in_window(const THNNPlanes *p, const THNNSpans *spans,
                                                  const THNNSpan *t, const THNNSpan *h,
                                                  const THNNSpan *w, const real *x)
{
  const ptrdiff_t width = p->in[2], slice = p->in[1] * width;
  ptrdiff_t n = w->end - w->begin, rows = h->end - h->begin;
  const Integers lanes = Integers_(counting)();
  if (n == width && spans->dilation[1] == 1) { /* rows follow one another */
    n *= rows;
    rows = 1;
  }
  Vector most = LEAST;
  Integers best = Integers_(all)((index_t)(t->begin * slice + h->begin * width + w->begin));
  for (ptrdiff_t z = t->begin; z < t->end; z += spans->dilation[0])
    for (ptrdiff_t r = 0; r < rows; r += spans->dilation[1]) {
      const ptrdiff_t row = z * slice + (h->begin + r) * width + w->begin;
      for (ptrdiff_t i = 0; i < n; i += LANES) {
        const Vector v = Vector_(loadOr)(LEAST, lanes_between(0, n - i), x + row + i);
        const Mask take = larger_or_nan(v, most);
        most = Vector_(select)(take, v, most);
        best = Integers_(select)(take, (index_t)(row + i) + lanes, best);
      }
    }
  const Mask nan = Vector_(unordered)(most, most);
  return (index_t)(nan ? Integers_(greatestOf)(nan, best)
                       : Integers_(leastOf)(Vector_(equal)(most,
                                                           Vector_(all)(Vector_(greatest)(most))),
                                            best));
}

FRAME_STAYS static void max_of_spans(const THNNPlanes *p, const THNNSpans *spans, const real *x,
                                     real *y, int64_t *index)
{
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++)
      for (int64_t k = 0; k < p->out[2]; k++) {
        const index_t at =
            index_in_window(p, spans, &spans->of[0][i], &spans->of[1][j], &spans->of[2][k], x);
        *y++ = x[at];
        *index++ = (int64_t)at + TH_INDEX_BASE;
      }
}
#else
#define max_of_spans NULL
#endif

const THNN_(MaxSpansKernel) TH_LEVEL_(THNN_(maxSpans))[] = {max_of_spans};
