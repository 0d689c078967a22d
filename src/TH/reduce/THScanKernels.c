/* Kernels of cumulative sums and products. */
#include "THTemplate.h"

#include "THScan.h"
#include "TH/loop/THStream.h"
#include "TH/simd/THSimd.h"
#include "TH/core/THScratch.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define IN_ORDER
#endif

/* Sums of integers wrap around, and are the same in whatever order they are added.  Along a line,
 * the totals of a vector are made in steps: each total takes in the one that is one, then two, then
 * four lanes before it:
 *
 *     a   b     c       d         e         f           g             h
 *     a   ab    bc      cd        de        ef          fg            gh
 *     a   ab    abc     abcd      bcde      cdef        defg          efgh
 *     a   ab    abc     abcd      abcde     abcdef      abcdefg       abcdefgh
 *
 * Then all lanes take in the total before the vector, the only step that depends on the vector
 * before.  Vectors of four lanes need no third step.  Floating numbers are added in order. */
#if TH_VECTOR == 64
#define LAST(V) __builtin_shufflevector(V, V, 7, 7, 7, 7, 7, 7, 7, 7)
#define ALL(X)  {X, X, X, X, X, X, X, X}
enum { LANES = 8 };
#else
#define LAST(V) __builtin_shufflevector(V, V, 3, 3, 3, 3)
#define ALL(X)  {X, X, X, X}
enum { LANES = 4 };
#endif

/* Elements that are not contiguous, and totals that are not or that are written with non-temporal
 * stores, pass through buffers of BLOCK elements.  Up to REGISTER_LINES lines keep their totals in
 * registers.  WORTH_STREAMING: elements of a line from which non-temporal stores pay. */
enum {
  BLOCK = TH_STREAM_BLOCK / sizeof(real),
  REGISTER_LINES = 16,
  WORTH_STREAMING = 4 * BLOCK,
  ROWS_AT_ONCE = 2
};

typedef accreal Totals __attribute__((vector_size(LANES * sizeof(accreal))));

/* What kernels along a line read: elements, which they convert vector by vector, or elements that
 * were converted block by block before, which compilers vectorise better for small integers. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_LONG) || \
    (defined(TH_REAL_IS_INT) && TH_VECTOR == 64)
typedef real Element;
enum { CONVERTED = 0 };
#else
typedef accreal Element;
enum { CONVERTED = 1 };
#endif

/* Whether totals are streamed from registers, a cache line at least: those of floats and
 * doubles. */
#if TH_VECTOR >= 32 && (defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE))
enum { DIRECT = 1 };
#else
enum { DIRECT = 0 };
#endif

enum { SHORT = CONVERTED ? 16 : sizeof(real) < 8 ? 5 : 4 };
typedef Element Elements __attribute__((vector_size(LANES * sizeof(Element))));

static inline __attribute__((always_inline)) void load(Totals *a, const Element *x)
{
#if defined(TH_REAL_IS_FLOAT) && TH_VECTOR == 64
  *a = THDoubles_loadFloats(x);
#elif defined(TH_REAL_IS_INT) && TH_VECTOR == 64
  *a = THLongs_loadInts(x);
#else
  Elements v;
  memcpy(&v, x, sizeof v);
  *a = __builtin_convertvector(v, Totals);
#endif
}

static inline __attribute__((always_inline)) void store(Element *r, const Totals *a)
{
#if defined(TH_REAL_IS_INT) && TH_VECTOR == 64
  THLongs_storeInts(r, *a);
#else
  const Elements v = __builtin_convertvector(*a, Elements);
  memcpy(r, &v, sizeof v);
#endif
}

/* A non-temporal store if DIRECT; r is aligned to the size of the vector. */
static inline __attribute__((always_inline)) void stream(Element *r, const Totals *a)
{
#if TH_VECTOR >= 32 && defined(TH_REAL_IS_FLOAT)
  THDoubles_streamFloats(r, *a);
#elif TH_VECTOR >= 32 && defined(TH_REAL_IS_DOUBLE)
  THSimd_stream(r, (THLongs)*a);
#else
  store(r, a);
#endif
}

#ifndef IN_ORDER

#if TH_VECTOR_MASKS
static inline __attribute__((always_inline)) void load_some(Totals *a, const Element *x,
                                                            ptrdiff_t n, Element initial)
{
  const THMask64 some = (THMask64)((1u << n) - 1);
#if defined(TH_REAL_IS_INT)
  *a = THLongs_loadIntsOr(initial, some, x);
#else
  *a = THLongs_loadOr(THLongs_all(initial), some, x);
#endif
}

static inline __attribute__((always_inline)) void store_some(Element *r, const Totals *a,
                                                             ptrdiff_t n)
{
  const THMask64 some = (THMask64)((1u << n) - 1);
#if defined(TH_REAL_IS_INT)
  THLongs_storeIntsMasked(r, some, *a);
#else
  THLongs_storeMasked(r, some, *a);
#endif
}
#endif

#endif

/* Prefetches n elements from x on; past the end of the array a prefetch does nothing.  PREFETCH elements
 * ahead they arrive in time; twice as far ahead, which is better where less is computed, makes
 * cumulative sums slower. */
enum { LINE = TH_STREAM_LINE / sizeof(real), PREFETCH = 4096 / sizeof(real) };

static inline __attribute__((always_inline)) void prefetch(const real *x, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i += LINE)
    __builtin_prefetch((const void *)((uintptr_t)x + (size_t)i * sizeof(real)));
}

/* Offsets from an element to the one that is prefetched with it: `before` in the columns before wrap,
 * `after` from column wrap on, where the prefetched element is one row further down and further
 * left. */
typedef struct {
  ptrdiff_t wrap, before, after;
} Prefetched;

static inline Prefetched prefetched(ptrdiff_t width, ptrdiff_t rowStride, ptrdiff_t rowsAtOnce)
{
  const ptrdiff_t ahead = PREFETCH / rowsAtOnce;
  const ptrdiff_t right = ahead % width, down = ahead / width * (rowStride *= rowsAtOnce);
  return (Prefetched){(width - right) / LINE * LINE, down + right,
                      down + rowStride + right - width};
}

/* How many elements there are before the next cache line begins. */
static inline ptrdiff_t to_line(const real *r)
{
  return (ptrdiff_t)((0 - (uintptr_t)r) % TH_STREAM_LINE / sizeof(real));
}

/* n elements from x on, contiguous: where they are, or copied to buffer. */
static inline const real *make_contiguous(real *buffer, const real *x, ptrdiff_t step, ptrdiff_t n)
{
  if (step == 1)
    return x;
  for (ptrdiff_t i = 0; i < n; i++)
    buffer[i] = x[i * step];
  return buffer;
}

/* Copies contiguous totals to r. */
static inline void deliver(real *r, ptrdiff_t step, const real *totals, ptrdiff_t n, int streams)
{
  if (streams)
    THStream_copy(r, totals, (size_t)n * sizeof(real));
  else if (totals != r)
    for (ptrdiff_t i = 0; i < n; i++)
      r[i * step] = totals[i];
}

/* The operations, each by its neutral element; op is a constant in the functions that have it. */
enum { SUM, PRODUCT };
#define TAKE(op, a, b) ((op) == SUM ? (a) + (b) : (a) * (b))

#ifdef IN_ORDER
#include "THScanInOrder.h"
#define ALONG_ENTRY(NAME) NULL
#else
#include "THScanIntegers.h"
#define ALONG_ENTRY(NAME) NAME##_along

#endif

static inline __attribute__((always_inline)) void scan_row(int op, accreal *restrict a, real *r,
                                                           const real *x, ptrdiff_t n)
{
  TH_PRAGMA(omp simd)
  for (ptrdiff_t j = 0; j < n; j++) {
    a[j] = TAKE(op, a[j], (accreal)x[j]);
    r[j] = (real)a[j];
  }
}

static __attribute__((noinline)) void sum_row(accreal *restrict a, real *r, const real *x,
                                              ptrdiff_t n)
{
  scan_row(SUM, a, r, x, n);
}

static __attribute__((noinline)) void product_row(accreal *restrict a, real *r, const real *x,
                                                  ptrdiff_t n)
{
  scan_row(PRODUCT, a, r, x, n);
}

static inline void take_row(int op, accreal *a, real *r, const real *x, ptrdiff_t n)
{
  if (op == SUM)
    sum_row(a, r, x, n);
  else
    product_row(a, r, x, n);
}

/* A few lines, whose totals stay in registers where the number of lines is a constant. */
static inline __attribute__((always_inline)) void scan_unrolled(int op, accreal *totals,
                                                                const THScanOperands *operands,
                                                                ptrdiff_t lines, ptrdiff_t rows)
{
  accreal a[REGISTER_LINES];
  memcpy(a, totals, (size_t)lines * sizeof(accreal));
  for (ptrdiff_t i = 0; i < rows; i++) {
    const real *x = (const real *)operands->from + i * operands->rowStrideX;
    real *const r = (real *)operands->to + i * operands->rowStrideR;
    for (ptrdiff_t j = 0; j < lines; j++) {
      a[j] = TAKE(op, a[j], (accreal)x[j * operands->dx]);
      r[j * operands->dr] = (real)a[j];
    }
  }
  memcpy(totals, a, (size_t)lines * sizeof(accreal));
}

/* Some rows, whose totals are streamed from registers.  All rows are aligned alike. */
static inline __attribute__((always_inline)) void scan_streamed(int op, accreal *a,
                                                                const THScanOperands *operands,
                                                                ptrdiff_t n, ptrdiff_t rows,
                                                                ptrdiff_t ahead)
{
  const real *const x = (const real *)operands->from;
  real *const r = (real *)operands->to;
  const ptrdiff_t first = THMin(to_line(r), n), last = first + (n - first) / LINE * LINE;
  for (ptrdiff_t j = first; j < last; j += LINE) {
    Totals v, all[LINE / LANES];
    for (int k = 0; k < LINE / LANES; k++) /* all at once they would be spilled to memory */
      memcpy(&all[k], a + j + k * LANES, sizeof all[k]);
    for (ptrdiff_t i = 0; i < rows; i++) {
      const real *const row = x + i * operands->rowStrideX + j;
      prefetch(row + ahead, LINE);
      for (int k = 0; k < LINE / LANES; k++) {
        load(&v, (const Element *)(const void *)row + k * LANES);
        all[k] = TAKE(op, all[k], v);
        stream((Element *)(void *)(r + i * operands->rowStrideR + j) + k * LANES, &all[k]);
      }
    }
    for (int k = 0; k < LINE / LANES; k++)
      memcpy(a + j + k * LANES, &all[k], sizeof all[k]);
  }
  for (ptrdiff_t i = 0; i < rows; i++) {
    if (first > 0)
      take_row(op, a, r + i * operands->rowStrideR, x + i * operands->rowStrideX, first);
    if (last < n)
      take_row(op, a + last, r + i * operands->rowStrideR + last,
               x + i * operands->rowStrideX + last, n - last);
  }
}

/* A number of lines that is a constant where it is small. */
static inline __attribute__((always_inline)) void
scan_register_lines(int op, accreal *totals, const THScanOperands *operands, ptrdiff_t lines,
                    ptrdiff_t rows)
{
  if (lines == 2)
    scan_unrolled(op, totals, operands, 2, rows);
  else if (lines == 3)
    scan_unrolled(op, totals, operands, 3, rows);
  else if (lines == 4)
    scan_unrolled(op, totals, operands, 4, rows);
  else
    scan_unrolled(op, totals, operands, lines, rows);
}

static inline __attribute__((always_inline)) void scan_across(int op, void *totals,
                                                              const THScanOperands *operands,
                                                              ptrdiff_t lines, ptrdiff_t rows)
{
  const ptrdiff_t dx = operands->dx, dr = operands->dr;
  const int streams = operands->streams && dr == 1 && lines >= BLOCK;
  const int around = DIRECT && streams && dx == 1 && operands->rowStrideR % LINE == 0;
  const ptrdiff_t most = around ? ROWS_AT_ONCE : 1;
  const Prefetched next = prefetched(lines, operands->rowStrideX, most);
  if (lines < REGISTER_LINES) {
    scan_register_lines(op, (accreal *)totals, operands, lines, rows);
    return;
  }
  accreal *a = (accreal *)totals;
  _Alignas(TH_STREAM_LINE) real buffer[BLOCK], here[BLOCK];
  for (ptrdiff_t i = 0, rowsAtOnce; i < rows; i += rowsAtOnce) {
    const real *x = (const real *)operands->from + i * operands->rowStrideX;
    real *const r = (real *)operands->to + i * operands->rowStrideR;
    rowsAtOnce = THMin(rows - i, most);
    const ptrdiff_t wrap = i + rowsAtOnce < rows ? next.wrap : lines;
    for (ptrdiff_t j = 0, m; j < lines; j += m) {
      const ptrdiff_t ahead = j < wrap ? next.before : next.after;
      if (around) {
        const THScanOperands some = {x + j, r + j, .rowStrideX = operands->rowStrideX,
                                     .rowStrideR = operands->rowStrideR};
        m = j < wrap ? wrap : lines - j;
        scan_streamed(op, a + j, &some, m, rowsAtOnce, ahead);
        continue;
      }
      m = streams ? THStream_first(r + j, sizeof(real), lines - j) : THMin(lines - j, BLOCK);
      m = THMin(m, BLOCK);
      real *const to = dr == 1 && !streams ? r + j : here;
      if (dx == 1 && streams)
        prefetch(x + j + ahead, m);
      take_row(op, a + j, to, make_contiguous(buffer, x + j * dx, dx, m), m);
      deliver(r + j * dr, dr, to, m, streams);
    }
  }
  if (streams)
    THStream_finish();
}

static void sum_lines(const THScanOperands *operands, ptrdiff_t lines, ptrdiff_t n)
{
  scan_lines(SUM, operands, lines, n);
}

static void sum_across(void *totals, const THScanOperands *operands, ptrdiff_t lines,
                       ptrdiff_t rows)
{
  scan_across(SUM, totals, operands, lines, rows);
}

static void product_lines(const THScanOperands *operands, ptrdiff_t lines, ptrdiff_t n)
{
  scan_lines(PRODUCT, operands, lines, n);
}

static void product_across(void *totals, const THScanOperands *operands, ptrdiff_t lines,
                           ptrdiff_t rows)
{
  scan_across(PRODUCT, totals, operands, lines, rows);
}

const THScanKernels TH_LEVEL_(THTensor_(scanKernels))[] = {
    [TH_SCAN_SUM] = {SHORT, ALONG_ENTRY(sum), sum_lines, sum_across},
    [TH_SCAN_PRODUCT] = {SHORT, ALONG_ENTRY(product), product_lines, product_across},
};
