/* Average pooling in strips, for AvgPoolKernels.c: in images, strips of LANES windows go down the plane.  The sums
 * of the last two rows of the image stay in registers for the next windows that cover these rows,
 * and no line is written. */

enum { STRIPS = 16 }; /* strips that are computed side by side, at most */

/* A strip: a vector of windows of each row. */
typedef struct {
  ptrdiff_t at;           /* the first window */
  ptrdiff_t first;        /* its first column, perhaps in the padding */
  Mask low, high, beyond; /* elements inside the image, of the three vectors that are summed up */
  Mask each;              /* lanes that have a window */
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
    for (int k = 0; k < strips && step == 1; k++) /* step 2 has too few outputs to prefetch */
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
