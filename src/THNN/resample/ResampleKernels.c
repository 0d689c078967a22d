/* Resampling of planes, and its gradient: gathers an output plane from an input plane, row by row,
 * and scatters gradients. */
#include "THNN/layer/Template.h"
#include "ResampleLayers.h"
#include "ResampleGeneric.h"
#include "THNN/simd/Tuning.h"

#include "THNN/simd/CopyRow.h"
#include "THNN/simd/StreamWriter.h"
#include "TH/simd/THSimdReal.h"

static const real *row_of(const THNNPlanes *p, const real *x, int64_t depth, int64_t height)
{
  return x + (depth * p->in[1] + height) * p->in[2];
}

/* Prefetches the elements THNN_PREFETCH_FAR after n elements, for reads or writes: rows are short,
 * and reads wait for writes. */
enum { LINE = TH_STREAM_LINE / sizeof(real) };

static inline void prefetch(const real *row, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i += LINE)
    __builtin_prefetch((const void *)((uintptr_t)(row + i) + THNN_PREFETCH_FAR));
}

static inline void prefetch_write(real *row, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i += LINE)
    __builtin_prefetch((const void *)((uintptr_t)(row + i) + THNN_PREFETCH_FAR), 1);
}

/* --- without weights ------------------------------------------------------------------------- */

static void gather_row(const THNNPlanes *p, const THNN_(SourceIndices) * at, const real *x, real *y)
{
  const int64_t *from = at->from[2];
  for (int64_t k = 0; k < at->begin; k++)
    y[k] = x[from[k]];
  if (at->begin < at->end)
    memcpy(y + at->begin, x + from[at->begin], (size_t)(at->end - at->begin) * sizeof *y);
  for (int64_t k = at->end; k < p->out[2]; k++)
    y[k] = x[from[k]];
}

static void gather(const THNNPlanes *p, const THNN_(SourceIndices) * at, const real *x, real *y)
{
  const real *last = NULL;
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, y += p->out[2]) {
      const real *from = row_of(p, x, at->from[0][i], at->from[1][j]);
      if (from == last) /* rows are repeated */
        memcpy(y, y - p->out[2], (size_t)p->out[2] * sizeof *y);
      else
        gather_row(p, at, from, y);
      last = from;
    }
}

static void scatter(const THNNPlanes *p, const THNN_(SourceIndices) * at, const real *x, real *y)
{
  const int64_t *from = at->from[2];
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, x += p->out[2]) {
      real *to = (real *)row_of(p, y, at->from[0][i], at->from[1][j]);
      for (int64_t k = 0; k < at->begin; k++)
        to[from[k]] += x[k];
      if (at->begin < at->end) {
        real *run = to + from[at->begin];
        for (int64_t k = 0; k < at->end - at->begin; k++)
          run[k] += x[at->begin + k];
      }
      for (int64_t k = at->end; k < p->out[2]; k++)
        to[from[k]] += x[k];
    }
}

/* --- weighted: along a row ------------------------------------------------------------------- */

#define LOOP static inline __attribute__((always_inline)) void

/* y = the band applied to x. */
LOOP apply_plain(const THNN_(Band) * b, const real *x, real *y)
{
  const int64_t *first = b->first;
  if (b->moves) {
    for (ptrdiff_t k = 0; k < b->to; k++)
      y[k] = x[first[k]];
    return;
  }
  for (ptrdiff_t t = 0; t < b->taps; t++) {
    const real *weight = b->weight + t * b->to;
#pragma omp simd
    for (ptrdiff_t k = 0; k < b->to; k++) {
      const real part = weight[k] != 0 ? weight[k] * x[first[k] + t] : 0;
      y[k] = t == 0 ? part : y[k] + part;
    }
  }
}

/* --- weighted: rows backward ----------------------------------------------------------------- */

/* A row of output gradients that adds to row j, depth i of the input's, and its weight. */
typedef struct {
  int64_t number;
  real weight;
} Source;

static inline __attribute__((always_inline)) Source source_of(const THNNPlanes *p,
                                                              const THNN_(SourceIndices) * at,
                                                              int64_t i, int64_t j, ptrdiff_t z,
                                                              ptrdiff_t r)
{
  const THNN_(Band) *depth = &at->band[0], *height = &at->band[1];
  return (Source){(depth->first[i] + z) * p->out[1] + height->first[j] + r,
                  depth->weight[z * depth->to + i] * height->weight[r * height->to + j]};
}

/* Each level has:
 *
 * find_groups, which prepares a band for the level once, in memory of its own, apply, which
 * computes what apply_plain does, combine, which sets y to the weighted sum of count rows, at most
 * ROWS, or with more adds it to y, is_widened and is_narrowed, which compute a whole plane if they
 * can, and return whether they have.
 *
 * With padded, whole vectors may be written to y. */
enum { ROWS = 4 };

#if TH_VECTOR_MASKS

#include "ResampleAvx512.h"

/* apply for a band without groups. */
static __attribute__((noinline)) void apply_far(const THNN_(Band) * b, const real *x, real *y)
{
  for (ptrdiff_t k = 0; k < b->to; k += LANES) {
    const Mask lanes = lanes_of(b->to - k);
    const int64_t *first = b->first + k;
    const Integers at = indices_of(first, lanes);
    const int near = first[THMin(LANES, b->to - k) - 1] - first[0] < 2 * LANES;
    Vector sum = Vector_(all)(0);
    for (ptrdiff_t t = 0; t < b->taps; t++) {
      const real *p = x + first[0] + t;
      const ptrdiff_t left = b->from - first[0] - t;
      const Vector w = Vector_(loadMasked)(lanes, b->weight + t * b->to + k);
      const Mask counts = Vector_(differ)(w, Vector_(all)(0));
      const Vector v =
          near ? Vector_(permuteTwo)(Vector_(loadMasked)(lanes_of(left), p),
                                     Vector_(loadMasked)(lanes_of(left - LANES), p + LANES), at)
               : Vector_(gatherOr)(Vector_(all)(0), counts, p, at);
      sum = b->moves ? v : Vector_(mulAdd)(w, Vector_(keep)(counts, v), sum);
    }
    Vector_(storeMasked)(y + k, lanes, sum);
  }
}

LOOP apply(const THNN_(SourceIndices) * at, const real *x, real *y)
{
  const Groups *groups = at->groups;
  if (groups)
    apply_groups(groups, x, y);
  else if (at->band[2].from > INT32_MAX) /* indices may lie too far apart */
    apply_plain(&at->band[2], x, y);
  else
    apply_far(&at->band[2], x, y);
}

LOOP combine_at(Mask lanes, int count, const real *const *row, const real *weight, ptrdiff_t k,
                real *y, int more, int padded)
{
  Vector sum = Vector_(loadMasked)(lanes, row[0] + k) * weight[0];
  if (more)
    sum += Vector_(loadMasked)(lanes, y + k);
  for (int t = 1; t < count; t++)
    sum += Vector_(loadMasked)(lanes, row[t] + k) * weight[t];
  Vector_(storeMasked)(y + k, padded ? (Mask)-1 : lanes, sum);
}

LOOP combine_all(ptrdiff_t n, int count, const real *const *row, const real *weight, real *y,
                 int more, int padded)
{
  ptrdiff_t k = 0;
  for (; n - k >= LANES; k += LANES)
    combine_at((Mask)-1, count, row, weight, k, y, more, padded);
  if (k < n)
    combine_at(lanes_of(n - k), count, row, weight, k, y, more, padded);
}

LOOP combine(ptrdiff_t n, int count, const real *const *row, const real *weight, real *y, int more,
             int padded)
{
  if (!more && count == 1 && weight[0] == 1)
    copy_row(y, row[0], n);
  else if (count == 1)
    combine_all(n, 1, row, weight, y, more, padded);
  else if (count == 2)
    combine_all(n, 2, row, weight, y, more, padded);
  else if (count == 3)
    combine_all(n, 3, row, weight, y, more, padded);
  else
    combine_all(n, 4, row, weight, y, more, padded);
}

#else

static void *find_groups(TH_UNUSED const THNN_(Band) * b)
{
  return NULL;
}

LOOP apply(const THNN_(SourceIndices) * at, const real *x, real *y)
{
  apply_plain(&at->band[2], x, y);
}

static int is_widened(TH_UNUSED const THNNPlanes *p, TH_UNUSED const THNN_(SourceIndices) * at,
                      TH_UNUSED const real *x, TH_UNUSED real *y, TH_UNUSED real *scratch)
{
  return 0;
}

static int is_narrowed(TH_UNUSED const THNNPlanes *p, TH_UNUSED const THNN_(SourceIndices) * at,
                       TH_UNUSED const real *x, TH_UNUSED real *y)
{
  return 0;
}

LOOP combine(ptrdiff_t n, int count, const real *const *row, const real *weight, real *y, int more,
             TH_UNUSED int padded)
{
  const real first = weight[0], second = weight[count > 1];
  const real *a = row[0], *b = row[count > 1];
  int t = 0;
  if (!more && count == 1 && first == 1) {
    copy_row(y, a, n);
    t = 1;
  } else if (!more && count == 1) {
#pragma omp simd
    for (ptrdiff_t k = 0; k < n; k++)
      y[k] = first * a[k];
    t = 1;
  } else if (!more) {
#pragma omp simd
    for (ptrdiff_t k = 0; k < n; k++)
      y[k] = first * a[k] + second * b[k];
    t = 2;
  }
  for (; t < count; t++)
#pragma omp simd
    for (ptrdiff_t k = 0; k < n; k++)
      y[k] += weight[t] * row[t][k];
}

#endif

/* combine for whole rows, which are long enough for a call. */
static __attribute__((noinline)) void combine_rows(ptrdiff_t n, int count, const real *const *row,
                                                   const real *weight, real *y)
{
  combine(n, count, row, weight, y, 0, 0);
}

/* --- weighted: rows -------------------------------------------------------------------------- */

/* Rows that are still to be added to their sum, which then takes ROWS at a time. */
typedef struct {
  int count, more;
  const real *row[ROWS];
  real weight[ROWS];
} Sum;

LOOP add_row(Sum *s, ptrdiff_t n, const real *row, real weight, real *y, int padded)
{
  if (s->count == ROWS) {
    combine(n, ROWS, s->row, s->weight, y, s->more, padded);
    s->more = 1;
    s->count = 0;
  }
  s->row[s->count] = row;
  s->weight[s->count++] = weight;
}

/* Adds the remaining rows; returns 0, with y unset, if there were no rows at all. */
static inline __attribute__((always_inline)) int finish_sum(const Sum *s, ptrdiff_t n, real *y,
                                                            int padded)
{
  if (s->count > 0)
    combine(n, s->count, s->row, s->weight, y, s->more, padded);
  return s->count > 0;
}

/* The source indices of an output index along an axis: 2, or 1 where the second has weight 0. */
typedef struct {
  int count;
  int64_t at[2];
  real weight[2];
} Pair;

static inline Pair pair_of(const THNN_(SourceIndices) * indices, int axis, int64_t i)
{
  const real second = indices->weight[axis][i];
  const Pair pair = {
      second == 0 ? 1 : 2, {indices->from[axis][i], indices->next[axis][i]}, {1 - second, second}};
  return pair;
}

/* The source rows of an output row, from both indices along depth and height: 1, 2 or 4. */
typedef struct {
  int count;
  int64_t number[4]; /* the rows, counted over the slices of the plane */
  int slot[4];       /* the index of each row among the rows that are kept, if it is kept */
  real weight[4];
} Rows;

LOOP find_rows(const THNNPlanes *p, const Pair *depth, const Pair *height, Rows *rows)
{
  rows->count = 0;
  for (int z = 0; z < depth->count; z++)
    for (int r = 0; r < height->count; r++) {
      const int k = rows->count++;
      rows->number[k] = depth->at[z] * p->in[1] + height->at[r];
      rows->slot[k] = (int)((depth->at[z] & 1) * 2 + (height->at[r] & 1));
      rows->weight[k] = depth->weight[z] * height->weight[r];
    }
}

/* Each row of the input is interpolated to the length of output rows once, and kept while output
 * rows need it. */
static void interpolate(const THNNPlanes *p, const THNN_(SourceIndices) * at, const real *x,
                        real *y, real *scratch)
{
  const ptrdiff_t n = p->out[2], pitch = THNN_(resamplePitch)(n);
  int64_t kept[4] = {-1, -1, -1, -1};
  StreamWriter s = {y, scratch + 4 * pitch, 0};
  for (int64_t i = 0; i < p->out[0]; i++) {
    const Pair depth = pair_of(at, 0, i);
    for (int64_t j = 0; j < p->out[1]; j++, y += n) {
      const Pair height = pair_of(at, 1, j);
      Rows rows;
      find_rows(p, &depth, &height, &rows);
      const real *row[4];
      for (int r = 0; r < rows.count; r++) {
        const int slot = rows.slot[r];
        if (kept[slot] != rows.number[r]) {
          prefetch(x + rows.number[r] * p->in[2], p->in[2]);
          apply(at, x + rows.number[r] * p->in[2], scratch + slot * pitch);
        }
        kept[slot] = rows.number[r];
        row[r] = scratch + slot * pitch;
      }
      if (!at->streams)
        prefetch_write(y, n);
      combine_rows(n, rows.count, row, rows.weight, at->streams ? s.buffer + s.held : y);
      if (at->streams)
        stream_rows(&s, n);
    }
  }
  if (at->streams)
    stream_rest(&s);
}

/* The gradient of interpolate: the gradients of all rows that come from an input row are added up first,
 * and then reduced to its length. */
static void interpolate_backward(const THNNPlanes *p, const THNN_(SourceIndices) * at,
                                 const real *x, real *y, real *scratch)
{
  const ptrdiff_t n = p->out[2];
  int64_t read = 0;
  for (int64_t i = 0; i < p->in[0]; i++)
    for (int64_t j = 0; j < p->in[1]; j++, y += p->in[2]) {
      Sum sum = {0};
      for (ptrdiff_t z = 0; z < at->band[0].taps; z++)
        for (ptrdiff_t r = 0; r < at->band[1].taps; r++) {
          const Source source = source_of(p, at, i, j, z, r);
          if (source.weight == 0)
            continue;
          add_row(&sum, n, x + source.number * n, source.weight, scratch, 1);
          if (source.number >= read)
            prefetch(x + source.number * n, n);
          read = THMax(read, source.number + 1);
        }
      prefetch_write(y, p->in[2]);
      if (finish_sum(&sum, n, scratch, 1))
        apply(at, scratch, y);
      else
        memset(y, 0, (size_t)p->in[2] * sizeof *y);
    }
}

/* --- channels-last images -------------------------------------------------------------------- */

/* Here an element of a row stands for one element of each plane. */

/* A row of the input, or a weighted sum of rows in scratch, which is computed up to column end. */
typedef struct {
  const real *line;
  int64_t end;
} Blended;

/* Computes step columns, beginning with k; a row has n elements. */
LOOP blend(Blended *b, const Rows *rows, const real *x, ptrdiff_t n, ptrdiff_t planes, int64_t k,
           int64_t step, real *scratch)
{
  const ptrdiff_t first = k * planes, end = THMin(first + step * planes, n);
  const real *row[4];
  for (int r = 0; r < rows->count; r++)
    row[r] = x + rows->number[r] * n + first;
  combine_rows(end - first, rows->count, row, rows->weight, scratch + first);
  b->end = k + step;
}

/* Rows are blended first; whole rows, unless few of their columns are used. */
static void forward_row(const THNNPlanes *p, const THNN_(SourceIndices) * at, ptrdiff_t planes,
                        const real *x, ptrdiff_t row, real *y, real *scratch)
{
  const ptrdiff_t n = p->in[2] * planes;
  const Pair depth = pair_of(at, 0, row / p->out[1]), height = pair_of(at, 1, row % p->out[1]);
  const int64_t step = p->in[2] <= 2 * p->out[2] ? p->in[2] : 1;
  Rows rows;
  find_rows(p, &depth, &height, &rows);
  Blended b = {scratch, 0};
  if (rows.count == 1)
    b = (Blended){x + rows.number[0] * n, p->in[2]};
  for (int64_t k = 0; k < p->out[2]; k++, y += planes) {
    const Pair width = pair_of(at, 2, k);
    for (int c = 0; c < width.count; c++)
      if (width.at[c] >= b.end)
        blend(&b, &rows, x, n, planes, width.at[c], step, scratch);
    const real *const from[] = {b.line + width.at[0] * planes, b.line + width.at[1] * planes};
    prefetch_write(y, planes);
    if (width.count == 1)
      combine(planes, 1, from, width.weight, y, 0, 0);
    else
      combine(planes, 2, from, width.weight, y, 0, 0);
  }
}

static void backward_row(const THNNPlanes *p, const THNN_(SourceIndices) * at, ptrdiff_t planes,
                         const real *x, ptrdiff_t row, real *y, real *scratch)
{
  const ptrdiff_t n = p->out[2] * planes;
  const THNN_(Band) *width = &at->band[2];
  Sum rows = {0};
  for (ptrdiff_t z = 0; z < at->band[0].taps; z++)
    for (ptrdiff_t r = 0; r < at->band[1].taps; r++) {
      const Source source = source_of(p, at, row / p->in[1], row % p->in[1], z, r);
      if (source.weight != 0)
        add_row(&rows, n, x + source.number * n, source.weight, scratch, 0);
    }
  const int there = finish_sum(&rows, n, scratch, 0);
  for (int64_t k = 0; k < p->in[2]; k++, y += planes) {
    Sum sum = {0};
    prefetch_write(y, planes);
    for (ptrdiff_t c = 0; there && c < width->taps; c++) {
      const real weight = width->weight[c * width->to + k];
      if (weight != 0)
        add_row(&sum, planes, scratch + (width->first[k] + c) * planes, weight, y, 0);
    }
    if (!finish_sum(&sum, planes, y, 0))
      memset(y, 0, (size_t)planes * sizeof *y);
  }
}

/* --- the table ------------------------------------------------------------------------------- */

static void forward(const THNNPlanes *p, const THNN_(SourceIndices) * indices, const real *x,
                    real *y, real *scratch)
{
  if (!indices->weighted)
    gather(p, indices, x, y);
  else if (!is_widened(p, indices, x, y, scratch))
    interpolate(p, indices, x, y, scratch);
}

static void backward(const THNNPlanes *p, const THNN_(SourceIndices) * indices, const real *x,
                     real *y, real *scratch)
{
  if (!indices->weighted) {
    memset(y, 0, (size_t)p->input * sizeof *y);
    scatter(p, indices, x, y);
  } else if (!is_narrowed(p, indices, x, y)) {
    interpolate_backward(p, indices, x, y, scratch);
  }
}

const THNN_(ResampleKernel) TH_LEVEL_(THNN_(resample))[] = {{
    .plane = {[THNN_GATHER] = forward, [THNN_SCATTER] = backward},
    .row = {[THNN_GATHER] = forward_row, [THNN_SCATTER] = backward_row},
    .find = find_groups,
}};
