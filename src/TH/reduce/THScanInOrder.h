/* Cumulative sums and products of floats and doubles along lines, in the order of the elements. */

/* Each total depends on the one before, so that several lines are walked at once: of contiguous
 * lines as many as a vector has lanes; their squares are transposed before and after. */
enum { LINES = LANES };

#if TH_VECTOR == 64
#define PAIRS_1 0, 8, 2, 10, 4, 12, 6, 14
#define PAIRS_2 1, 9, 3, 11, 5, 13, 7, 15
#define FOURS_1 0, 1, 8, 9, 4, 5, 12, 13
#define FOURS_2 2, 3, 10, 11, 6, 7, 14, 15
#else
#define PAIRS_1 0, 4, 2, 6
#define PAIRS_2 1, 5, 3, 7
#define FOURS_1 0, 1, 4, 5
#define FOURS_2 2, 3, 6, 7
#endif

static inline __attribute__((always_inline)) void transpose(Totals *v)
{
  TH_PRAGMA(GCC unroll 8)
  for (int k = 0; k < LANES; k += 2) {
    const Totals a = v[k], b = v[k + 1];
    v[k] = __builtin_shufflevector(a, b, PAIRS_1);
    v[k + 1] = __builtin_shufflevector(a, b, PAIRS_2);
  }
  TH_PRAGMA(GCC unroll 8)
  for (int k = 0; k < LANES; k += 4)
    for (int i = k; i < k + 2; i++) {
      const Totals a = v[i], b = v[i + 2];
      v[i] = __builtin_shufflevector(a, b, FOURS_1);
      v[i + 2] = __builtin_shufflevector(a, b, FOURS_2);
    }
#if TH_VECTOR == 64
  for (int k = 0; k < 4; k++) {
    const Totals a = v[k], b = v[k + 4];
    v[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    v[k + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
#endif
}

/* Scans n elements of each of some lines (a constant number, up to LINES). */
static inline __attribute__((always_inline)) void scan_ordered(int op, accreal *totals,
                                                               const real *x, ptrdiff_t dx,
                                                               ptrdiff_t rowStrideX, real *r,
                                                               ptrdiff_t dr, ptrdiff_t rowStrideR,
                                                               int lines, ptrdiff_t n)
{
  accreal a[LINES];
  for (int k = 0; k < lines; k++)
    a[k] = totals[k];
  for (ptrdiff_t i = 0; i < n; i++) {
    TH_PRAGMA(GCC unroll 8)
    for (int k = 0; k < lines; k++) {
      a[k] = TAKE(op, a[k], (accreal)x[k * rowStrideX + i * dx]);
      r[k * rowStrideR + i * dr] = (real)a[k];
    }
  }
  for (int k = 0; k < lines; k++)
    totals[k] = a[k];
}

/* Scans n elements of each of LANES contiguous lines, which are transposed in registers; streams: by
 * non-temporal stores. */
static inline __attribute__((always_inline)) void scan_transposed(int op, accreal *totals,
                                                                  const real *x,
                                                                  ptrdiff_t rowStrideX, real *r,
                                                                  ptrdiff_t rowStrideR, ptrdiff_t n,
                                                                  int streams)
{
  Totals all, v[LANES];
  memcpy(&all, totals, sizeof all);
  ptrdiff_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    TH_PRAGMA(GCC unroll 8)
    for (int k = 0; k < LANES; k++)
      load(&v[k], x + k * rowStrideX + i);
    transpose(v);
    TH_PRAGMA(GCC unroll 8)
    for (int k = 0; k < LANES; k++)
      v[k] = all = TAKE(op, all, v[k]);
    transpose(v);
    TH_PRAGMA(GCC unroll 8)
    for (int k = 0; k < LANES; k++)
      if (streams)
        stream(r + k * rowStrideR + i, &v[k]);
      else
        store(r + k * rowStrideR + i, &v[k]);
  }
  memcpy(totals, &all, sizeof all);
  scan_ordered(op, totals, x + i, 1, rowStrideX, r + i, 1, rowStrideR, LANES, n - i);
}

/* n elements of some lines (a constant number) with any strides. */
static inline __attribute__((always_inline)) void scan_some(int op, accreal *totals, const real *x,
                                                            ptrdiff_t dx, ptrdiff_t rowStrideX,
                                                            real *r, ptrdiff_t dr,
                                                            ptrdiff_t rowStrideR, int lines,
                                                            ptrdiff_t n)
{
  if (dx == 1 && dr == 1 && lines == LANES)
    scan_transposed(op, totals, x, rowStrideX, r, rowStrideR, n, 0);
  else if (dx == 1 && dr == 1)
    scan_ordered(op, totals, x, 1, rowStrideX, r, 1, rowStrideR, lines, n);
  else
    scan_ordered(op, totals, x, dx, rowStrideX, r, dr, rowStrideR, lines, n);
}

static inline __attribute__((always_inline)) void scan_several(int op,
                                                               const THScanOperands *operands,
                                                               int lines, ptrdiff_t n)
{
  _Alignas(TH_STREAM_LINE) real buffer[LINES][BLOCK];
  const real *x = (const real *)operands->from;
  real *const r = (real *)operands->to;
  const ptrdiff_t dx = operands->dx, dr = operands->dr;
  const int streams = operands->streams && dr == 1;
  const int aligned = operands->rowStrideR % LINE == 0 && to_line(r) == 0;
  accreal totals[LINES];
  for (int k = 0; k < lines; k++)
    totals[k] = op;
  if (DIRECT && streams && dx == 1 && lines == LANES && aligned && n >= BLOCK) {
    scan_transposed(op, totals, x, operands->rowStrideX, r, operands->rowStrideR, n, 1);
    THStream_finish();
  } else if (streams && n >= WORTH_STREAMING) {
    for (ptrdiff_t i = 0, m; i < n; i += m) {
      m = THMin(BLOCK, THStream_first(r + i, sizeof(real), n - i));
      scan_some(op, totals, x + i * dx, dx, operands->rowStrideX, buffer[0], 1, BLOCK, lines, m);
      for (int k = 0; k < lines; k++)
        THStream_copy(r + i + k * operands->rowStrideR, buffer[k], (size_t)m * sizeof(real));
    }
    THStream_finish();
  } else {
    scan_some(op, totals, x, dx, operands->rowStrideX, r, dr, operands->rowStrideR, lines, n);
  }
}

static inline __attribute__((always_inline)) void scan_lines(int op, const THScanOperands *operands,
                                                             ptrdiff_t lines, ptrdiff_t n)
{
  THScanOperands here = *operands;
  for (ptrdiff_t j = 0, some; j < lines; j += some) {
    here.from = (const real *)operands->from + j * operands->rowStrideX;
    here.to = (real *)operands->to + j * operands->rowStrideR;
    some = lines - j >= LINES ? LINES : lines - j >= LINES / 2 ? LINES / 2 : 1;
    if (some == LINES)
      scan_several(op, &here, LINES, n);
    else if (some == LINES / 2)
      scan_several(op, &here, LINES / 2, n);
    else
      scan_several(op, &here, 1, n);
  }
}
