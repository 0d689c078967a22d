/* Average pooling of a plane, and its gradient.  The rows of a row of windows are added up along
 * their whole length, in vectors; then each window adds up its columns of the sum.
 *
 * Windows of few elements that slide by 1 or 2 are computed in vectors across windows as well, and
 * summed in the elements' own type. */
#include "TH/simd/THAddViaFma.h"

#include "THNN/layer/Template.h"
#include "THNN/simd/Tuning.h"

#include "TH/simd/THSimdReal.h"

#include "AvgPoolVectors.h"

enum { BATCH = THNN_SUM_BATCH }; /* rows of windows that are computed at a time */

/* --- windows of any kind --------------------------------------------------------------------- */

/* A window of long rows is summed by itself, in vectors of sums. */
INLINE accreal sum_of_window(const THNNPlanes *p, const THNNSpan *t, const THNNSpan *h,
                             const THNNSpan *w, const real *x)
{
  const ptrdiff_t width = p->in[2], slice = p->in[1] * width;
  ptrdiff_t slices = t->end - t->begin, rows = h->end - h->begin, n = w->end - w->begin;
  x += t->begin * slice + h->begin * width + w->begin;
  if (n == width) { /* rows follow one another, and perhaps slices too */
    n *= rows;
    rows = 1;
    if (n == slice) {
      n *= slices;
      slices = 1;
    }
  }
  THDoubles sum[UNROLL] = {{0}};
  for (ptrdiff_t z = 0; z < slices; z++)
    for (ptrdiff_t r = 0; r < rows; r++) {
      const real *from = x + z * slice + r * width;
      ptrdiff_t i = 0;
      for (; i + UNROLL * SUMS <= n; i += UNROLL * SUMS)
        for (int k = 0; k < UNROLL; k++)
          sum[k] = added(sum[k], load_doubles(from + i + k * SUMS));
      for (; i + SUMS <= n; i += SUMS)
        sum[0] = added(sum[0], load_doubles(from + i));
      if (i < n)
        sum[1] += load_some(from + i, n - i);
    }
  return THDoubles_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* Whether windows are summed one by one faster than by sums of columns, which all windows of a row
 * share.  They are if a row has one window, or if rows of windows fill vectors and elements are in
 * few windows. */
static int have_long_rows(const THNNPlanes *p, const THNNSpans *spans)
{
  ptrdiff_t all = 0;
  for (ptrdiff_t k = 0; k < p->out[2]; k++)
    all += spans->of[2][k].end - spans->of[2][k].begin;
  return p->out[2] == 1 || (all >= p->out[2] * 4 * SUMS && all <= 2 * p->in[2]);
}

static void sum_long_windows(const THNNPlanes *p, const THNNSpans *spans, const real *x, real *y)
{
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++)
      for (int64_t k = 0; k < p->out[2]; k++) {
        const THNNSpan *t = &spans->of[0][i], *h = &spans->of[1][j], *w = &spans->of[2][k];
        const accreal sum = sum_of_window(p, t, h, w, x);
        *y++ = (real)(sum / (accreal)(t->count * h->count * w->count));
      }
}

static void sum_windows_plainly(const THNNPlanes *p, const THNNSpans *spans, const real *x, real *y,
                                accreal *row)
{
  const int64_t width = p->in[2];
  if (have_long_rows(p, spans)) {
    sum_long_windows(p, spans, x, y);
    return;
  }
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, y += p->out[2]) {
      const THNNSpan t = spans->of[0][i], h = spans->of[1][j];
      for (int64_t c = 0; c < width; c++)
        row[c] = 0;
      for (int64_t z = t.begin; z < t.end; z++)
        for (int64_t r = h.begin; r < h.end; r++) {
          const real *from = x + (z * p->in[1] + r) * width;
          for (int64_t c = 0; c < width; c++)
            row[c] += (accreal)from[c];
        }
      for (int64_t k = 0; k < p->out[2]; k++) {
        const THNNSpan w = spans->of[2][k];
        accreal sum = 0;
        for (int64_t c = w.begin; c < w.end; c++)
          sum += row[c];
        y[k] = (real)(sum / (accreal)(t.count * h.count * w.count));
      }
    }
}

/* Whether all of the plane is in one window. */
static int is_one_window(const THNNPlanes *p, const THNNSpans *spans)
{
  for (int a = 0; a < 3; a++)
    if (p->out[a] != 1 || spans->of[a]->begin > 0 || spans->of[a]->end < p->in[a])
      return 0;
  return 1;
}

static void backward_plainly(const THNNPlanes *p, const THNNSpans *spans, const real *x, real *y,
                             accreal *row)
{
  const int64_t width = p->in[2];
  if (is_one_window(p, spans)) {
    const int64_t count = spans->of[0]->count * spans->of[1]->count * spans->of[2]->count;
    const real part = (real)(0 + *x / (accreal)count);
    for (int64_t c = 0; c < p->input; c++)
      y[c] = part;
    return;
  }
  memset(y, 0, (size_t)p->input * sizeof *y);
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, x += p->out[2]) {
      const THNNSpan t = spans->of[0][i], h = spans->of[1][j];
      for (int64_t c = 0; c < width; c++)
        row[c] = 0;
      for (int64_t k = 0; k < p->out[2]; k++) {
        const THNNSpan w = spans->of[2][k];
        const accreal part = (accreal)x[k] / (accreal)(t.count * h.count * w.count);
        for (int64_t c = w.begin; c < w.end; c++)
          row[c] += part;
      }
      for (int64_t z = t.begin; z < t.end; z++)
        for (int64_t r = h.begin; r < h.end; r++) {
          real *to = y + (z * p->in[1] + r) * width;
          for (int64_t c = 0; c < width; c++)
            to[c] += (real)row[c];
        }
    }
}

/* --- vectors of small windows ---------------------------------------------------------------- */

/* A line has an element for each element of a row of the image, and on either side as many zeros as
 * windows reach into.  A batch of lines is computed before the first is used: a load of elements
 * that were just written by two stores would wait. */

/* Computes a result of N elements by FUNCTION, UNROLL vectors at a time.  Where N is no multiple of
 * a vector, the last vector computes some elements again; N below LANES takes one partial
 * vector. */
#define IN_VECTORS(N, AT, FUNCTION, ...)                       \
  if ((N) >= LANES) {                                          \
    ptrdiff_t AT = 0;                                          \
    for (; AT + UNROLL * LANES <= (N); AT += UNROLL * LANES)   \
      FUNCTION(__VA_ARGS__, AT, UNROLL, LANES);                \
    for (; AT + 2 * LANES <= (N); AT += 2 * LANES)             \
      FUNCTION(__VA_ARGS__, AT, 2, LANES);                     \
    for (; AT < (N); AT += LANES)                              \
      FUNCTION(__VA_ARGS__, THMin(AT, (N) - LANES), 1, LANES); \
  } else                                                       \
    FUNCTION(__VA_ARGS__, 0, 1, (N))

static inline void zero(real *x, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++)
    x[i] = 0;
}

/* The divisors of the sums of a row of windows; they change from row to row only at the plane's
 * edges. */
typedef struct {
  int64_t rows;   /* rows of a window, in all slices */
  real *divisors; /* rows times the columns of each window */
} Counts;

/* n divisors, and as many after them as vectors may read. */
static inline ptrdiff_t with_slack(ptrdiff_t n)
{
  return (n + 2 * LANES - 1) / LANES * LANES;
}

static inline void set_rows(Counts *c, const THNNSpan *span, int64_t rows, ptrdiff_t n)
{
  if (c->rows == rows)
    return;
  c->rows = rows;
  for (ptrdiff_t k = 0; k < n; k++)
    c->divisors[k] = (real)(rows * span[k].count);
  for (ptrdiff_t k = n; k < with_slack(n); k++)
    c->divisors[k] = 1;
}

/* --- forward --------------------------------------------------------------------------------- */

/* The rows of the image that a row of windows covers: slices of rows. */
typedef struct {
  const real *from;
  ptrdiff_t slices, rows;
  ptrdiff_t slice, width; /* elements from one slice or row to the next */
  ptrdiff_t next;         /* elements to the rows of the next row of windows */
} Rows;

/* line[at ...] = the sums of the columns. */
INLINE void add_columns(const Rows *rows, real *line, ptrdiff_t at, int unroll, ptrdiff_t count)
{
  Vector sum[UNROLL];
  for (int k = 0; k < unroll; k++)
    sum[k] = (Vector){0};
  for (ptrdiff_t z = 0; z < rows->slices; z++) {
    const real *x = rows->from + z * rows->slice + at;
    for (ptrdiff_t r = 0; r < rows->rows; r++, x += rows->width)
      for (int k = 0; k < unroll; k++)
        sum[k] += count < LANES ? load_partial(x, count) : load(x + k * LANES);
  }
  for (int k = 0; k < unroll; k++) /* there is slack after the row */
    store(line + at + k * LANES, sum[k]);
}

static void add_rows(const Rows *rows, real *line)
{
  /* Prefetches as many elements as the next row of windows advances by. */
  enum { PREFETCH = THNN_PREFETCH_FAR / sizeof(real), LINE = 64 / sizeof(real) };
  for (ptrdiff_t i = 0; i < rows->next; i += LINE)
    __builtin_prefetch(rows->from + PREFETCH + i);
  IN_VECTORS(rows->width, at, add_columns, rows, line);
}

/* A row of windows y, which is computed from a line. */
typedef struct {
  const real *line, *divisors;
  real *y;
} Taking;

/* y[at ...] = the averages of windows that are step apart. */
INLINE void take_vectors(const Taking *t, ptrdiff_t size, ptrdiff_t step, ptrdiff_t at, int unroll,
                         ptrdiff_t count)
{
  for (int v = 0; v < unroll; v++, at += LANES) {
    const real *from = t->line + at * step;
    Vector sum = {0};
    if (step == 1)
      for (ptrdiff_t k = 0; k < size; k++)
        sum += load(from + k);
    else
      for (ptrdiff_t k = 0; k < size; k += 2) {
        const Vector first = load(from + k), second = load(from + k + LANES);
        sum += MIX(first, second, EVEN);
        if (k + 1 < size)
          sum += MIX(first, second, ODD);
      }
    sum /= load(t->divisors + at);
    if (count < LANES)
      store_partial(t->y + at, sum, count);
    else
      store(t->y + at, sum);
  }
}

static void take_windows(const Taking *t, const THNNWindowSum *w, ptrdiff_t n)
{
  const ptrdiff_t size = w->size;
  if (w->step == 1 && size == 3) {
    IN_VECTORS(n, at, take_vectors, t, 3, 1);
  } else if (w->step == 1) {
    IN_VECTORS(n, at, take_vectors, t, size, 1);
  } else if (w->step == 2 && size == 2) {
    IN_VECTORS(n, at, take_vectors, t, 2, 2);
  } else if (w->step == 2 && size == 3) {
    IN_VECTORS(n, at, take_vectors, t, 3, 2);
  } else {
    IN_VECTORS(n, at, take_vectors, t, size, 2);
  }
}

#if TH_VECTOR_MASKS
#include "AvgPoolStrips.h"
#endif

static void sum_small_windows(const THNNPlanes *p, const THNNWindowSum *w, const real *x, real *y,
                              real *memory)
{
  const THNNSpans *spans = w->spans;
  Counts counts = {0, memory};
#if TH_VECTOR_MASKS
  if (are_summed_in_strips(p, w, x, y))
    return;
#endif
  real *lines = memory + with_slack(p->out[2]);
  const ptrdiff_t pitch = w->pitch, left = w->left;
  for (int b = 0; b < BATCH; b++) {
    zero(lines + b * pitch, left);
    zero(lines + b * pitch + left + p->in[2], pitch - left - p->in[2]);
  }
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t first = 0; first < p->out[1]; first += BATCH) {
      const int batch = (int)THMin(BATCH, p->out[1] - first);
      const THNNSpan *t = &spans->of[0][i], *h = &spans->of[1][first];
      Rows rows = {.slices = t->end - t->begin, .slice = p->in[1] * p->in[2], .width = p->in[2]};
      for (int b = 0; b < batch; b++) {
        rows.from = x + (t->begin * p->in[1] + h[b].begin) * p->in[2];
        rows.rows = h[b].end - h[b].begin;
        rows.next = first + b + 1 < p->out[1] ? (h[b + 1].begin - h[b].begin) * p->in[2] : 0;
        add_rows(&rows, lines + b * pitch + left);
      }
      for (int b = 0; b < batch; b++, y += p->out[2]) {
        const Taking taking = {lines + b * pitch + left - w->pad, counts.divisors, y};
        set_rows(&counts, spans->of[2], t->count * h[b].count, p->out[2]);
        take_windows(&taking, w, p->out[2]);
      }
    }
}

/* --- backward -------------------------------------------------------------------------------- */

/* A row of windows' gradients x.  part is what each window adds to its elements, with zeros before
 * and after; line is the sum over the windows for each column. */
typedef struct {
  const real *x;
  const real *divisors;
  real *part, *line;
} Backward;

INLINE void divide_windows(const Backward *s, ptrdiff_t at, int unroll, ptrdiff_t count)
{
  for (int v = 0; v < unroll; v++, at += LANES) {
    const Vector x = count < LANES ? load_partial(s->x + at, count) : load(s->x + at);
    store(s->part + at, x / load(s->divisors + at));
  }
}

/* line[step * at ...] = the sums for columns, counted from the first column of the first window. */
INLINE void backward_vectors(const Backward *s, ptrdiff_t size, ptrdiff_t step, ptrdiff_t at)
{
  Vector even = {0}, odd = {0};
  for (ptrdiff_t k = 0; k < size; k++) {
    const Vector part = load(s->part + at - k / step);
    if (k % step == 0)
      even += part;
    else
      odd += part;
  }
  real *line = s->line + at * step;
  store(line, step == 1 ? even : MIX(even, odd, LOWER));
  if (step == 2)
    store(line + LANES, MIX(even, odd, UPPER));
}

INLINE void backward_row(const Backward *s, ptrdiff_t n, ptrdiff_t size, ptrdiff_t step)
{
  for (ptrdiff_t at = 0; at * step < n; at += LANES)
    backward_vectors(s, size, step, at);
}

/* Computes the line's first n elements; the line begins in the padding. */
static void backward_line(const Backward *s, const THNNWindowSum *w, ptrdiff_t n)
{
  const ptrdiff_t size = w->size;
  if (w->step == 1 && size == 3) {
    backward_row(s, n, 3, 1);
  } else if (w->step == 1) {
    backward_row(s, n, size, 1);
  } else if (w->step == 2 && size == 2) {
    backward_row(s, n, 2, 2);
  } else if (w->step == 2 && size == 3) {
    backward_row(s, n, 3, 2);
  } else {
    backward_row(s, n, size, 2);
  }
}

/* The row y of the image is the sum of these lines. */
typedef struct {
  const real *line[THNN_SUM_MOST];
  ptrdiff_t lines;
  real *y;
} Joined;

INLINE void join_columns(const Joined *j, ptrdiff_t at, int unroll, ptrdiff_t count)
{
  Vector sum[UNROLL];
  for (int k = 0; k < unroll; k++)
    sum[k] = (Vector){0};
  for (ptrdiff_t n = 0; n < j->lines; n++)
    for (int k = 0; k < unroll; k++)
      sum[k] += load(j->line[n] + at + k * LANES);
  for (int k = 0; k < unroll; k++)
    if (count < LANES)
      store_partial(j->y + at, sum[k], count);
    else
      store(j->y + at + k * LANES, sum[k]);
}

/* The lines of rows of windows, in order; they are made when they are needed, a batch at a time. */
typedef struct {
  const THNNPlanes *p;
  const THNNWindowSum *w;
  const real *x;
  Counts counts;
  real *part, *lines;
  int64_t made, slice, row; /* lines made; slice and row of the next one */
} Lines;

static inline real *line_of(const Lines *l, int64_t row)
{
  return l->lines + (row & (l->w->lines - 1)) * l->w->pitch;
}

static void make_lines(Lines *l)
{
  const THNNPlanes *p = l->p;
  const THNNSpans *spans = l->w->spans;
  const ptrdiff_t pitch = l->w->pitch, front = l->w->front;
  const int batch = (int)THMin(BATCH, p->out[0] * p->out[1] - l->made);
  Backward s[BATCH];
  for (int b = 0; b < batch; b++) {
    const int64_t row = l->made + b;
    const THNNSpan *t = &spans->of[0][l->slice], *h = &spans->of[1][l->row];
    l->row = l->row + 1 < p->out[1] ? l->row + 1 : 0;
    l->slice += l->row == 0;
    s[b] = (Backward){.x = l->x + row * p->out[2],
                      .divisors = l->counts.divisors,
                      .part = l->part + b * (front + pitch) + front,
                      .line = line_of(l, row)};
    const Backward *part = &s[b];
    set_rows(&l->counts, spans->of[2], t->count * h->count, p->out[2]);
    IN_VECTORS(p->out[2], at, divide_windows, part);
  }
  for (int b = 0; b < batch; b++)
    backward_line(&s[b], l->w, l->w->left + p->in[2]);
  l->made += batch;
}

#if TH_VECTOR_MASKS
#include "AvgPoolStripsBackward.h"
#endif

static void sum_small_windows_backward(const THNNPlanes *p, const THNNWindowSum *w, const real *x,
                                       real *y, real *memory)
{
  const THNNSpans *spans = w->spans;
  Lines l = {.p = p, .w = w, .x = x, .counts = {0, memory}};
#if TH_VECTOR_MASKS
  if (are_summed_in_strips_backward(p, w, x, y))
    return;
#endif
  l.part = memory + with_slack(p->out[2]);
  l.lines = l.part + BATCH * (w->front + w->pitch);
  /* Zeros after a row of windows, as far as the last vector of a line reads. */
  const ptrdiff_t read = (w->left + p->in[2]) / w->step + LANES;
  const ptrdiff_t behind = THMin(THMax(read - p->out[2], 0), w->pitch - p->out[2]);
  for (int b = 0; b < BATCH; b++) {
    real *part = l.part + b * (w->front + w->pitch);
    zero(part, w->front);
    zero(part + w->front + p->out[2], behind);
  }
  int64_t t[2] = {0, 0};
  for (int64_t z = 0; z < p->in[0]; z++) {
    windows_of(spans->of[0], p->out[0], z, &t[0], &t[1]);
    int64_t h[2] = {0, 0};
    for (int64_t r = 0; r < p->in[1]; r++, y += p->in[2]) {
      windows_of(spans->of[1], p->out[1], r, &h[0], &h[1]);
      while (t[1] > t[0] && h[1] > h[0] && l.made < (t[1] - 1) * p->out[1] + h[1])
        make_lines(&l);
      Joined joined, *j = &joined;
      j->lines = 0;
      j->y = y;
      for (int64_t i = t[0]; i < t[1]; i++)
        for (int64_t k = h[0]; k < h[1]; k++)
          j->line[j->lines++] = line_of(&l, i * p->out[1] + k) + w->left;
      IN_VECTORS(p->in[2], at, join_columns, j);
    }
  }
}

/* --- windows of any kind or small ones ------------------------------------------------------- */

static void sum_windows(const THNNPlanes *p, const THNNWindowSum *w, const real *x, real *y,
                        void *memory)
{
  if (w->size)
    sum_small_windows(p, w, x, y, memory);
  else
    sum_windows_plainly(p, w->spans, x, y, memory);
}

static void sum_windows_backward(const THNNPlanes *p, const THNNWindowSum *w, const real *x,
                                 real *y, void *memory)
{
  if (w->size)
    sum_small_windows_backward(p, w, x, y, memory);
  else
    backward_plainly(p, w->spans, x, y, memory);
}

const THNN_(WindowSumKernel) TH_LEVEL_(THNN_(windowSum))[] = {
    [THNN_WINDOW_SUM] = sum_windows,
    [THNN_WINDOW_BACKWARD] = sum_windows_backward,
};
