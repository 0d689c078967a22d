/* The gradient of average pooling in strips, for AvgPoolKernels.c: in images, a strip of LANES windows goes down
 * the plane.  The gradients of the last rows of windows stay in registers until the rows of the
 * image have added them, and no line is written. */

/* Strips are used for rows of at most this many elements: with longer rows, too many cache lines
 * would be written at a time. */
enum { MAX_STRIP_ROW = 512 / sizeof(real) };

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

/* The sums that the last KEPT rows of windows add to even and to odd columns, the last row first. */
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
  const ptrdiff_t ahead = (s->end - s->begin) * width; /* offset of the next strips' outputs */
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
