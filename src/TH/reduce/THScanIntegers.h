/* Cumulative sums and products of integers along lines, several of them in each step. */

/* n elements of a line as contiguous Elements: where they are, or copied to buffer and converted. */
static inline const Element *widen(Element *buffer, const real *x, ptrdiff_t step, ptrdiff_t n)
{
  if (!CONVERTED)
    return (const Element *)make_contiguous((real *)buffer, x, step, n);
  if (step == 1)
    for (ptrdiff_t i = 0; i < n; i++)
      buffer[i] = (Element)x[i];
  else
    for (ptrdiff_t i = 0; i < n; i++)
      buffer[i] = (Element)x[i * step];
  return buffer;
}

static inline void narrow(real *r, ptrdiff_t step, const Element *totals, ptrdiff_t n, int streams)
{
  if (!CONVERTED)
    deliver(r, step, (const real *)totals, n, streams);
  else if (step == 1)
    for (ptrdiff_t i = 0; i < n; i++)
      r[i] = (real)totals[i];
  else
    for (ptrdiff_t i = 0; i < n; i++)
      r[i * step] = (real)totals[i];
}

/* Elements of a vector become totals; *all is the total from the first block on. */
static inline __attribute__((always_inline)) void scan_vector(int op, Totals *v, Totals *all,
                                                              const Totals *before)
{
  const Totals neutral = ALL(op);
  Totals total = *v;
#if TH_VECTOR == 64
  total = TAKE(op, total, __builtin_shufflevector(total, neutral, 8, 0, 1, 2, 3, 4, 5, 6));
  total = TAKE(op, total, __builtin_shufflevector(total, neutral, 8, 8, 0, 1, 2, 3, 4, 5));
  total = TAKE(op, total, __builtin_shufflevector(total, neutral, 8, 8, 8, 8, 0, 1, 2, 3));
#else
  total = TAKE(op, total, __builtin_shufflevector(total, neutral, 4, 0, 1, 2));
  total = TAKE(op, total, __builtin_shufflevector(total, neutral, 4, 4, 0, 1));
#endif
  *v = TAKE(op, *all, total);
  if (before)
    *v = TAKE(op, *before, *v);
  *all = TAKE(op, *all, LAST(total));
}

/* The rest of a line: a vector of its n elements, filled up with neutral ones, of whose totals only the
 * first are stored; or one element after the other. */
static inline __attribute__((always_inline)) void scan_rest(int op, Element *r, const Element *x,
                                                            ptrdiff_t n, Totals *all,
                                                            const Totals *before)
{
#if TH_VECTOR_MASKS
  Totals v;
  load_some(&v, x, n, op);
  scan_vector(op, &v, all, before);
  store_some(r, &v, n);
#else
  accreal four = op;
  for (ptrdiff_t i = 0; i < n; i++) {
    four = TAKE(op, four, (accreal)x[i]);
    const accreal total = TAKE(op, (*all)[0], four);
    r[i] = (Element)(before ? TAKE(op, (*before)[0], total) : total);
  }
  *all = TAKE(op, *all, four);
#endif
}

/* The totals of n contiguous elements, which take in *before (a constant) unless before is NULL. */
static inline __attribute__((always_inline)) void scan_chunk(int op, Element *r, const Element *x,
                                                             ptrdiff_t n, Totals *all,
                                                             const Totals *before)
{
  Totals here = *all, v;
  ptrdiff_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    load(&v, x + i);
    scan_vector(op, &v, &here, before);
    store(r + i, &v);
  }
  if (i < n)
    scan_rest(op, r + i, x + i, n - i, &here, before);
  *all = here;
}

static inline __attribute__((always_inline)) void scan_along(int op, void *total,
                                                             const THScanOperands *operands,
                                                             ptrdiff_t n)
{
  const real *x = (const real *)operands->from;
  real *const r = (real *)operands->to;
  TH_SCRATCH(Element, buffer, BLOCK);
  TH_SCRATCH(Element, totals, BLOCK);
  const ptrdiff_t dr = r ? operands->dr : 0;
  const int streams = operands->streams && !CONVERTED && dr == 1 && n >= WORTH_STREAMING;
  const Totals before = ALL(*(accreal *)total);
  Totals all = ALL(op);
  for (ptrdiff_t i = 0; i < n; i += BLOCK) {
    const ptrdiff_t m = THMin(n - i, BLOCK);
    Element *const to = !CONVERTED && dr == 1 && !streams ? (Element *)r + i : totals;
    if (streams && operands->dx == 1)
      prefetch(x + i + PREFETCH, m);
    scan_chunk(op, to, widen(buffer, x + i * operands->dx, operands->dx, m), m, &all, &before);
    if (r)
      narrow(r + i * dr, dr, to, m, streams);
  }
  if (streams)
    THStream_finish();
  *(accreal *)total = TAKE(op, before, all)[0];
}

static void sum_along(void *total, const THScanOperands *operands, ptrdiff_t n)
{
  scan_along(SUM, total, operands, n);
}

static void product_along(void *total, const THScanOperands *operands, ptrdiff_t n)
{
  scan_along(PRODUCT, total, operands, n);
}

static inline void take_along(int op, void *total, const THScanOperands *operands, ptrdiff_t n)
{
  if (op == SUM)
    sum_along(total, operands, n);
  else
    product_along(total, operands, n);
}

static inline __attribute__((always_inline)) void scan_lines(int op, const THScanOperands *operands,
                                                             ptrdiff_t lines, ptrdiff_t n)
{
  const int contiguous = !CONVERTED && operands->dx == 1 && operands->dr == 1;
  const int streams = operands->streams && n >= WORTH_STREAMING;
  for (ptrdiff_t j = 0; j < lines; j++) {
    THScanOperands line = *operands;
    line.from = (const real *)operands->from + j * operands->rowStrideX;
    line.to = (real *)operands->to + j * operands->rowStrideR;
    accreal total = op;
    Totals all = ALL(op);
    if (contiguous && !streams)
      scan_chunk(op, (Element *)line.to, (const Element *)line.from, n, &all, NULL);
    else
      take_along(op, &total, &line, n);
  }
}
