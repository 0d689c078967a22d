/* Average pooling of a plane, and its gradient.  The rows of a row of windows are added up along
 * their whole length, in vectors; then each window adds up its columns of the sum.
 *
 * Windows of few elements that slide by 1 or 2 are computed in vectors across windows as well, and
 * summed in the elements' own type. */
#include "TH/simd/THAddViaFma.h"

#include "THNN/layer/Template.h"
#include "THNN/simd/Tuning.h"

#include "TH/simd/THSimdReal.h"

/* UNROLL vectors are computed at a time, and BATCH rows of windows. */
enum { UNROLL = 4, BATCH = THNN_SUM_BATCH };

/* --- windows of any kind --------------------------------------------------------------------- */

/* Windows of long rows are summed one by one, in vectors of sums. */

enum { SUMS = VECTOR / sizeof(accreal) };

/* The sum next to conversions of floats, which would compete with an addition for its port. */
INLINE THDoubles added(THDoubles a, THDoubles b)
{
#if defined(TH_REAL_IS_FLOAT)
  return THAddViaFma(a, b);
#else
  return a + b;
#endif
}

/* n elements, fewer than SUMS, followed by zeros. */
INLINE THDoubles load_some(const real *x, ptrdiff_t n)
{
#if TH_VECTOR_MASKS && defined(TH_REAL_IS_FLOAT)
  return THDoubles_loadFloatsMasked((THMask64)((1 << n) - 1), x);
#elif TH_VECTOR_MASKS
  return Vector_(loadMasked)((Mask)((1 << n) - 1), x);
#else
  real padded[SUMS] = {0};
  for (ptrdiff_t i = 0; i < n; i++)
    padded[i] = x[i];
  return load_doubles(padded);
#endif
}

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

/* Load and store of n elements, fewer than LANES.  The other lanes are loaded as 0, and not stored.
 */
INLINE Vector load_partial(const real *x, ptrdiff_t n)
{
#if TH_VECTOR_MASKS
  return Vector_(loadMasked)((Mask)((1 << n) - 1), x);
#else
  real padded[LANES] = {0};
  for (ptrdiff_t i = 0; i < n; i++)
    padded[i] = x[i];
  return load(padded);
#endif
}

INLINE void store_partial(real *x, Vector v, ptrdiff_t n)
{
#if TH_VECTOR_MASKS
  Vector_(storeMasked)(x, (Mask)((1 << n) - 1), v);
#else
  real padded[LANES];
  store(padded, v);
  for (ptrdiff_t i = 0; i < n; i++)
    x[i] = padded[i];
#endif
}

static inline void zero(real *x, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++)
    x[i] = 0;
}

/* The divisors of the sums of a row of windows; they change from row to row only at the plane's
 * edges. */
typedef struct {
  int64_t rows;   /* of a window, in all slices */
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

#if TH_VECTOR_MASKS
/* Strips are used for rows of at most this many elements: with longer rows, too many cache lines
 * would be written at a time. */
enum { MAX_STRIP_ROW = 512 / sizeof(real) };
#endif

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
/* In images, strips of LANES windows go down the plane: the sums of the last two rows of the image
 * stay in registers for the next windows that cover these rows, and no line is written. */

enum { STRIPS = 16 }; /* the most at a time */

/* The columns of a strip, the same in each row. */
typedef struct {
  ptrdiff_t at, first;    /* its first window, and its first column, perhaps in the padding */
  Mask low, high, beyond; /* lanes in the image, of the three vectors that sums are made of */
  Mask each;              /* lanes that are windows */
} Strip;

INLINE Strip strip_from(const THNNPlanes *p, const THNNWindowSum *w, ptrdiff_t step, ptrdiff_t at)
{
  const ptrdiff_t first = at * step - w->pad, inside = p->in[2] - first;
  const ptrdiff_t next = step == 1 ? 1 : LANES; /* elements to the next of the three vectors */
  return (Strip){.at = at,
                 .first = first,
                 .low = lanes_between(-first, inside),
                 .high = lanes_between(-first - next, inside - next),
                 .beyond = lanes_between(-first - 2 * next, inside - 2 * next),
                 .each = lanes_between(0, p->out[2] - at)};
}

/* The number of columns by which the sum of each window is divided, and 1 where there is no window.
 */
INLINE Vector columns_of(const THNNSpan *span, Mask windows)
{
  enum { NEXT_SPAN = sizeof *span / sizeof(int) };
  int spans[TH_VECTOR / sizeof(int)];
  for (int k = 0; k < (int)(TH_VECTOR / sizeof(int)); k++)
    spans[k] = k * NEXT_SPAN;
  const THInts counts =
      THInts_gatherOr(THInts_all(1), windows, (const int32_t *)(const void *)&span->count,
                      THInts_load(spans));
#if defined(TH_REAL_IS_FLOAT)
  return __builtin_convertvector(counts, THFloats);
#else
  return THDoubles_ofLowerInts(counts);
#endif
}

/* The sums of a row over the columns of each window.  Prefetches the elements that lie ahead
 * elements later, unless ahead is 0. */
INLINE Vector sum_row(const Strip *s, const real *x, ptrdiff_t size, ptrdiff_t step,
                      ptrdiff_t ahead)
{
  x += s->first;
  if (ahead)
    __builtin_prefetch(x + ahead);
  const Vector a = Vector_(loadMasked)(s->low, x);
  if (step == 1)
    return a + Vector_(loadMasked)(s->high, x + 1) + Vector_(loadMasked)(s->beyond, x + 2);
  const Vector b = Vector_(loadMasked)(s->high, x + LANES), even = MIX(a, b, EVEN);
  if (ahead)
    __builtin_prefetch(x + ahead + LANES);
  const Vector row = even + MIX(a, b, ODD);
  if (size == 2)
    return row;
  return row + Vector_(next)(even, Vector_(loadMasked)(s->beyond & 1, x + 2 * LANES));
}

/* The rows of the image that a row of windows covers: news rows beginning with from, and before
 * these kept rows, 0 to 2, that the row of windows above covered as well. */
typedef struct {
  const real *from;
  ptrdiff_t width, news, kept;
} NewRows;

/* A strip's sums of the last row of the image and of the one before, the columns of its windows,
 * and the factor of their sums. */
typedef struct {
  Vector last, before, columns, factor;
} Sum;

INLINE Vector next_row(const Strip *s, Sum *sum, const real *x, ptrdiff_t size, ptrdiff_t step,
                       ptrdiff_t ahead)
{
  sum->before = sum->last;
  sum->last = sum_row(s, x, size, step, ahead);
  return sum->last;
}

INLINE void sum_of_strip(const Strip *s, Sum *sum, const NewRows *rows, ptrdiff_t size,
                         ptrdiff_t step, int whole, ptrdiff_t ahead, real *y)
{
  Vector all = {0};
  if (rows->kept == 1)
    all = sum->last;
  else if (rows->kept == 2)
    all = sum->last + sum->before;
  if (rows->news == step) /* nearly always; the constant count saves mispredicted branches */
    for (ptrdiff_t r = 0; r < step; r++)
      all += next_row(s, sum, rows->from + r * rows->width, size, step, ahead);
  else
    for (ptrdiff_t r = 0; r < rows->news; r++)
      all += next_row(s, sum, rows->from + r * rows->width, size, step, ahead);
  if (whole)
    store(y, all * sum->factor);
  else
    Vector_(storeMasked)(y, s->each, all * sum->factor);
}

/* Computes the windows of some strips, beginning with window first of each row; the last strip may
 * compute some windows again.  The sums of one or two strips are variables, as an array would stay
 * in memory.  With more strips ahead is 0, and rows are prefetched line by line. */
INLINE void sum_down(const THNNPlanes *p, const THNNWindowSum *w, const real *x, real *y,
                     ptrdiff_t size, ptrdiff_t step, ptrdiff_t first, int strips, ptrdiff_t ahead)
{
  enum { PREFETCH = THNN_PREFETCH_FAR / sizeof(real), LINE = 64 / sizeof(real) };
  const THNNSpan *height = w->spans->of[1];
  const int64_t slices = w->spans->of[0]->count;
  const ptrdiff_t width = p->in[2], later = p->output;
  Strip strip[STRIPS];
  Sum sums[STRIPS];
  for (int k = 0; k < strips; k++) {
    strip[k] = strip_from(p, w, step, THMax(0, THMin(first + k * LANES, p->out[2] - LANES)));
    sums[k] = (Sum){.columns = columns_of(w->spans->of[2] + strip[k].at, strip[k].each)};
  }
  const Strip one = strip[0], two = strip[strips > 1];
  Sum a = sums[0], b = sums[strips > 1];
  int64_t end = 0, count = 0;
  for (int64_t i = 0; i < p->out[1]; i++, y += p->out[2]) {
    const int64_t kept = end - height[i].begin, inside = kept > 0 && kept <= 2 ? kept : 0;
    const int64_t begin = height[i].begin + inside;
    end = height[i].end;
    const NewRows rows = {x + begin * width, width, end - begin, inside};
    if (height[i].count != count) {
      count = height[i].count;
      const real times = (real)(slices * count);
      a.factor = 1 / (a.columns * times);
      b.factor = 1 / (b.columns * times);
      for (int k = 0; !ahead && k < strips; k++)
        sums[k].factor = 1 / (sums[k].columns * times);
    }
    for (ptrdiff_t k = 0; !ahead && k < rows.news * width; k += LINE)
      __builtin_prefetch(rows.from + PREFETCH + k);
    for (int k = 0; k < strips && step == 1; k++) /* with step 2 there are fewer outputs */
      __builtin_prefetch(y + strip[k].at + later, 1);
    if (ahead) {
      sum_of_strip(&one, &a, &rows, size, step, strips > 1, ahead, y + one.at);
      if (strips > 1)
        sum_of_strip(&two, &b, &rows, size, step, 1, ahead, y + two.at);
    } else {
      for (int k = 0; k < strips; k++)
        sum_of_strip(&strip[k], &sums[k], &rows, size, step, 1, ahead, y + strip[k].at);
    }
  }
}

/* Small planes stay in the L1 cache while strips go down two at a time, so that prefetches are of
 * the next plane.  Rows of larger planes, or with many windows, are read once, by all strips. */
INLINE void sum_strips(const THNNPlanes *p, const THNNWindowSum *w, const real *x, real *y,
                       ptrdiff_t size, ptrdiff_t step)
{
  enum { L1_PLANE = 32768 / sizeof(real), MAX_PREFETCH = 16384 / sizeof(real) };
  const ptrdiff_t n = p->out[2], ahead = THMin(p->input, MAX_PREFETCH);
  if (n > 2 * LANES && (step == 2 || p->input > L1_PLANE))
    sum_down(p, w, x, y, size, step, 0, (int)((n + LANES - 1) / LANES), 0);
  else if (n <= LANES)
    sum_down(p, w, x, y, size, step, 0, 1, ahead);
  else
    for (ptrdiff_t first = 0; first < n; first += 2 * LANES)
      sum_down(p, w, x, y, size, step, first, 2, ahead);
}

/* Computes the plane in strips if its windows are of a kind for that; returns whether they are. */
static int are_summed_in_strips(const THNNPlanes *p, const THNNWindowSum *w, const real *x, real *y)
{
  if (p->in[0] > 1 || p->out[0] > 1 || p->out[2] > STRIPS * LANES)
    return 0;
  if (w->size == 3 && w->step == 2)
    sum_strips(p, w, x, y, 3, 2);
  else if (w->size == 2 && w->step == 2)
    sum_strips(p, w, x, y, 2, 2);
  else if (w->size == 3 && w->step == 1)
    sum_strips(p, w, x, y, 3, 1);
  else
    return 0;
  return 1;
}
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

/* Moves first ... end from the windows that an earlier position is in to those that position is in.
 */
static inline void windows_of(const THNNSpan *span, int64_t count, int64_t position, int64_t *first,
                              int64_t *end)
{
  while (*first < count && span[*first].end <= position)
    ++*first;
  while (*end < count && span[*end].begin <= position)
    ++*end;
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
/* In images, a strip of LANES windows goes down the plane: the gradients of the last rows of
 * windows stay in registers until the rows of the image have added them, and no line is written. */

enum {
  KEPT = 4, /* the most rows of windows that a row of the image is in */
  WIDE = 3, /* the most windows of a row that an element is in */
};

typedef struct {
  const THNNPlanes *p;
  const THNNSpans *spans;
  const real *x;
  real *y;
  ptrdiff_t first;    /* the last window that covers one of the row's first step elements */
  int64_t begin, end; /* the rows of the image */
  int64_t windows;    /* the first row of windows that may cover one of these rows */
} Strips;

/* The factors of a strip's gradients, as a division would take longer.  A column is in up to WIDE
 * windows, each one lane before the other; the factor is 1 where there is no window. */
typedef struct {
  ptrdiff_t window[WIDE];
  Mask there[WIDE]; /* lanes that are windows */
  Vector factor[WIDE];
} Factors;

INLINE void set_factors(Factors *f, const Strips *s, int64_t row, ptrdiff_t unroll)
{
  const real rows = (real)(s->spans->of[0][0].count * s->spans->of[1][row].count);
  for (ptrdiff_t k = 0; k < unroll; k++)
    f->factor[k] = 1 / (columns_of(s->spans->of[2] + f->window[k], f->there[k]) * rows);
}

/* What the last rows of windows add to even and odd columns, the last row first. */
typedef struct {
  Vector even[KEPT], odd[KEPT];
} Given;

INLINE void add_windows(Given *given, const real *x, const Factors *f, ptrdiff_t evens,
                        ptrdiff_t odds, ptrdiff_t oddPad)
{
  for (int k = KEPT - 1; k > 0; k--) {
    given->even[k] = given->even[k - 1];
    given->odd[k] = given->odd[k - 1];
  }
  given->even[0] = given->odd[0] = (Vector){0};
  for (ptrdiff_t k = 0; k < THMax(evens, odds); k++) {
    const Vector part = Vector_(loadMasked)(f->there[k], x + f->window[k]) * f->factor[k];
    if (k >= oddPad && k < evens)
      given->even[0] = k == oddPad ? part : given->even[0] + part;
    if (k < odds)
      given->odd[0] = k == 0 ? part : given->odd[0] + part;
  }
}

/* The columns that are written: whole vectors, or the lanes lower and upper. */
typedef struct {
  int whole;
  Mask lower, upper;
} Written;

INLINE void write_columns(real *y, Vector even, Vector odd, ptrdiff_t step, Written written)
{
  const Vector left = step == 1 ? even : MIX(even, odd, LOWER), right = MIX(even, odd, UPPER);
  if (written.whole) {
    store(y, left);
    if (step == 2)
      store(y + LANES, right);
  } else {
    Vector_(storeMasked)(y, written.lower, left);
    if (step == 2)
      Vector_(storeMasked)(y + LANES, written.upper, right);
  }
}

/* Whether row r of the image is the first row of a row of windows (at), the windows at and before
 * it have height size and are step apart, and none of those that cover row r is cut off. */
INLINE int is_regular(const Strips *s, int64_t at, int64_t r, int64_t count, ptrdiff_t size,
                      ptrdiff_t step)
{
  const ptrdiff_t overlapping = (size + step - 1) / step;
  const THNNSpan *rows = s->spans->of[1] + at;
  const int64_t before = at - s->windows;
  int regular = rows->begin == r && rows->count == count && before >= overlapping - 1 &&
                (before < overlapping || rows[-overlapping].end <= r) &&
                (at + 1 == s->p->out[1] || rows[1].begin == r + step);
  for (ptrdiff_t k = 0; k < overlapping && regular; k++)
    regular = rows[-k].end == r + size - k * step;
  return regular;
}

/* Computes columns of the image beginning with step * at: step vectors, or n columns if those are
 * fewer.  With step 2, even and odd columns are in different windows; where the padding is odd,
 * windows begin at odd columns.  Away from the edges, step rows are computed without tests. */
INLINE void backward_strip(const Strips *s, ptrdiff_t size, ptrdiff_t step, ptrdiff_t oddPad,
                           ptrdiff_t at, int whole, ptrdiff_t n)
{
  enum { PREFETCH = THNN_PREFETCH_NEAR / sizeof(real) };
  const ptrdiff_t evens = step == 1 ? size : (size + 1 - oddPad) / 2 + oddPad;
  const ptrdiff_t odds = step == 1 ? 0 : (size + oddPad) / 2;
  const ptrdiff_t overlapping = THMax(evens, odds), windows = s->p->out[2], width = s->p->in[2];
  const THNNSpan *rows = s->spans->of[1];
  const Written written = {whole, lanes_between(0, n), lanes_between(0, n - LANES)};
  Factors f = {{0}};
  Given given = {{{0}}, {{0}}};
  int64_t begin = s->windows, end = begin, count = 0; /* rows of windows that the row is in */
  for (ptrdiff_t k = 0; k < overlapping; k++) {
    f.window[k] = at + s->first - k;
    f.there[k] = lanes_between(-f.window[k], windows - f.window[k]);
  }
  real *y = s->y + s->begin * width + at * step;
  const ptrdiff_t ahead = (s->end - s->begin) * width; /* to the outputs of the next strips */
  for (int64_t r = s->begin; r < s->end;) {
    while (r + step <= s->end && end < s->p->out[1] && is_regular(s, end, r, count, size, step)) {
      const real *x = s->x + end++ * windows;
      __builtin_prefetch(x + f.window[0] + PREFETCH);
      add_windows(&given, x, &f, evens, odds, oddPad);
      for (ptrdiff_t j = 0; j < step; j++, r++, y += width) {
        Vector a = given.even[0], b = given.odd[0];
        for (ptrdiff_t k = 1; k * step + j < size; k++) {
          a += given.even[k];
          b += given.odd[k];
        }
        for (ptrdiff_t k = 0; k < step; k++)
          __builtin_prefetch(y + ahead + k * LANES, 1);
        write_columns(y, a, b, step, written);
      }
    }
    if (r == s->end)
      break;
    for (; end < s->p->out[1] && rows[end].begin <= r; end++) {
      if (rows[end].count != count)
        set_factors(&f, s, end, overlapping);
      count = rows[end].count;
      add_windows(&given, s->x + end * windows, &f, evens, odds, oddPad);
    }
    while (begin < end && rows[begin].end <= r)
      begin++;
    Vector a = {0}, b = {0};
    for (int k = 0; k < KEPT; k++)
      if (end - begin > k) {
        a = k == 0 ? given.even[k] : a + given.even[k];
        b = k == 0 ? given.odd[k] : b + given.odd[k];
      }
    write_columns(y, a, b, step, written);
    r++;
    y += width;
  }
}

/* Computes strips side by side, so short that their outputs stay in the L1 cache until cache lines
 * are complete.  The last strip computes some columns again. */
INLINE void backward_strips(Strips *s, ptrdiff_t size, ptrdiff_t step, ptrdiff_t oddPad)
{
  enum { L1_BLOCK = 16384 / sizeof(real), MIN_ROWS = 8 };
  const ptrdiff_t n = s->p->in[2], last = THMax((n + step - 1) / step - LANES, 0);
  const THNNSpan *rows = s->spans->of[1];
  for (; s->begin < s->p->in[1]; s->begin = s->end) {
    s->end = THMin(s->p->in[1], s->begin + THMax(L1_BLOCK / n, MIN_ROWS));
    while (s->windows < s->p->out[1] && rows[s->windows].end <= s->begin)
      s->windows++;
    for (ptrdiff_t at = 0; at < last; at += LANES)
      backward_strip(s, size, step, oddPad, at, 1, step * LANES);
    if (n - last * step >= step * LANES)
      backward_strip(s, size, step, oddPad, last, 1, step * LANES);
    else
      backward_strip(s, size, step, oddPad, last, 0, n - last * step);
  }
}

/* Computes the plane in strips if its windows are of a kind for that; returns whether they are. */
static int are_summed_in_strips_backward(const THNNPlanes *p, const THNNWindowSum *w, const real *x,
                                         real *y)
{
  const ptrdiff_t odd = w->pad & 1;
  Strips strips = {
      .p = p, .spans = w->spans, .x = x, .y = y, .first = w->step == 1 ? w->pad : (w->pad + 1) / 2};
  /* There are lines for BATCH more rows of windows than a row of the image is in. */
  if (p->in[0] > 1 || p->out[0] > 1 || p->in[2] > MAX_STRIP_ROW || w->lines > KEPT + BATCH)
    return 0;
  if (w->size == 3 && w->step == 2 && odd)
    backward_strips(&strips, 3, 2, 1);
  else if (w->size == 3 && w->step == 2)
    backward_strips(&strips, 3, 2, 0);
  else if (w->size == 2 && w->step == 2 && !odd)
    backward_strips(&strips, 2, 2, 0);
  else if (w->size == 3 && w->step == 1)
    backward_strips(&strips, 3, 1, 0);
  else
    return 0;
  return 1;
}
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

/* --- channels-last images -------------------------------------------------------------------- */

/* Averages one window in some vectors of neighbouring channels of an image with that many planes;
 * with some, in the first some elements of one vector. */
INLINE void sum_planes(const THNNPlanes *p, const THNNSpan *t, const THNNSpan *h, const THNNSpan *w,
                       ptrdiff_t planes, int vectors, ptrdiff_t some, const real *x, real *y)
{
  typedef real Means __attribute__((vector_size(SUMS * sizeof(real))));
  const accreal count = (accreal)(t->count * h->count * w->count);
  THDoubles sum[UNROLL] = {{0}};
  for (ptrdiff_t z = t->begin; z < t->end; z++)
    for (ptrdiff_t r = h->begin; r < h->end; r++) {
      const real *from = x + ((z * p->in[1] + r) * p->in[2] + w->begin) * planes;
      for (ptrdiff_t c = w->begin; c < w->end; c++, from += planes)
        for (int k = 0; k < vectors; k++)
          sum[k] = added(sum[k], some ? load_some(from, some) : load_doubles(from + k * SUMS));
    }
  for (int k = 0; k < vectors; k++) {
    const Means mean = __builtin_convertvector(sum[k] / count, Means);
    memcpy(y + k * SUMS, &mean, some ? (size_t)some * sizeof *y : sizeof mean);
  }
}

static void sum_nhwc(const THNNPlanes *p, const THNNSpans *spans, ptrdiff_t planes, const real *x,
                     ptrdiff_t row, real *y, TH_UNUSED real *memory)
{
  const THNNSpan *t = &spans->of[0][row / p->out[1]], *h = &spans->of[1][row % p->out[1]];
  for (ptrdiff_t k = 0; k < p->out[2]; k++, y += planes) {
    const THNNSpan *w = &spans->of[2][k];
    ptrdiff_t i = 0;
    for (; i + UNROLL * SUMS <= planes; i += UNROLL * SUMS)
      sum_planes(p, t, h, w, planes, UNROLL, 0, x + i, y + i);
    for (; i + SUMS <= planes; i += SUMS)
      sum_planes(p, t, h, w, planes, 1, 0, x + i, y + i);
    if (i < planes)
      sum_planes(p, t, h, w, planes, 1, planes - i, x + i, y + i);
  }
}

/* The rows of windows that a row of the image is in. */
typedef struct {
  int count;
  const real *of[THNN_SUM_MOST];
  const real *part; /* the weight of each window's gradient, row by row */
} GivingRows;

static inline void add_giving_row(GivingRows *rows, const THNNSpan *span, ptrdiff_t n,
                                  int64_t count, const real *x, real *memory)
{
  real *part = memory + rows->count * n;
  rows->of[rows->count++] = x;
  for (ptrdiff_t k = 0; k < n; k++)
    part[k] = 1 / (real)(count * span[k].count);
}

/* How many positions of a row of width, beginning with position, are in windows first ... end - 1
 * and no others. */
static inline ptrdiff_t positions_alike(const THNNSpan *span, int64_t n, int64_t first, int64_t end,
                                        int64_t position, int64_t width)
{
  if (first < end)
    width = THMin(width, span[first].end);
  if (end < n)
    width = THMin(width, span[end].begin);
  return width - position;
}

/* Whether neighbours are often in the same windows: more than one is in the middle window alone. */
static inline int are_often_alike(const THNNSpan *span, int64_t n, int64_t width)
{
  const int64_t middle = n / 2, begin = middle > 0 ? span[middle - 1].end : 0;
  const int64_t end = middle + 1 < n ? span[middle + 1].begin : width;
  return THMin(end, span[middle].end) - THMax(begin, span[middle].begin) > 1;
}

/* Computes some positions, all in windows first ... end - 1 of rows of n windows, in some vectors
 * of neighbouring channels of an image with that many planes; with some, in the first some elements
 * of one vector. */
INLINE void backward_planes(const GivingRows *rows, ptrdiff_t n, int64_t first, int64_t end,
                            ptrdiff_t planes, ptrdiff_t at, int vectors, ptrdiff_t some,
                            ptrdiff_t positions, real *y)
{
  enum { PREFETCH = THNN_PREFETCH_FAR / sizeof(real) };
  Vector sum[UNROLL];
  y += at;
  for (int v = 0; v < vectors; v++) {
    sum[v] = (Vector){0};
    __builtin_prefetch(y + v * LANES + PREFETCH, 1);
  }
  for (int r = 0; r < rows->count; r++)
    for (int64_t k = first; k < end; k++) {
      const real *from = rows->of[r] + k * planes + at, part = rows->part[r * n + k];
      for (int v = 0; v < vectors; v++)
        sum[v] += part * (some ? load_partial(from, some) : load(from + v * LANES));
    }
  for (;;) {
    for (int v = 0; v < vectors; v++)
      if (some)
        store_partial(y, sum[v], some);
      else
        store(y + v * LANES, sum[v]);
    if (--positions == 0)
      break;
    y += planes;
    for (int v = 0; v < vectors; v++)
      __builtin_prefetch(y + v * LANES + PREFETCH, 1);
  }
}

/* Computes a row.  With alike, neighbours that are in the same windows are computed at once. */
INLINE void backward_row_nhwc(const GivingRows *rows, const THNNSpan *span, ptrdiff_t n,
                              ptrdiff_t width, ptrdiff_t planes, int alike, real *y)
{
  int64_t w[2] = {0};
  for (ptrdiff_t k = 0, some = 1; k < width; k += some, y += some * planes) {
    windows_of(span, n, k, &w[0], &w[1]);
    if (alike)
      some = positions_alike(span, n, w[0], w[1], k, width);
    ptrdiff_t i = 0;
    for (; !alike && i + UNROLL * LANES <= planes; i += UNROLL * LANES)
      backward_planes(rows, n, w[0], w[1], planes, i, UNROLL, 0, 1, y);
    for (; i + LANES <= planes; i += LANES)
      backward_planes(rows, n, w[0], w[1], planes, i, 1, 0, alike ? some : 1, y);
    if (i < planes)
      backward_planes(rows, n, w[0], w[1], planes, i, 1, planes - i, alike ? some : 1, y);
  }
}

static void backward_nhwc(const THNNPlanes *p, const THNNSpans *spans, ptrdiff_t planes,
                          const real *x, ptrdiff_t row, real *y, real *memory)
{
  enum { MAX_ALIKE_PLANES = 2 * UNROLL * LANES }; /* with more, positions are written one by one */
  const ptrdiff_t n = p->out[2];
  int64_t t[2] = {0}, h[2] = {0};
  GivingRows rows = {.part = memory};
  windows_of(spans->of[0], p->out[0], row / p->in[1], &t[0], &t[1]);
  windows_of(spans->of[1], p->out[1], row % p->in[1], &h[0], &h[1]);
  for (int64_t i = t[0]; i < t[1]; i++)
    for (int64_t j = h[0]; j < h[1]; j++)
      add_giving_row(&rows, spans->of[2], n, spans->of[0][i].count * spans->of[1][j].count,
                     x + (i * p->out[1] + j) * n * planes, memory);
  if (planes <= MAX_ALIKE_PLANES && are_often_alike(spans->of[2], n, p->in[2]))
    backward_row_nhwc(&rows, spans->of[2], n, p->in[2], planes, 1, y);
  else
    backward_row_nhwc(&rows, spans->of[2], n, p->in[2], planes, 0, y);
}

const THNN_(SumNhwcKernel) TH_LEVEL_(THNN_(sumNhwc))[] = {
    [THNN_WINDOW_SUM] = sum_nhwc,
    [THNN_WINDOW_BACKWARD] = backward_nhwc,
};
