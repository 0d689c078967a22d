/* Kernels of running sums and products. */
#include "THTemplate.h"

#include "../THScan.h"
#include "THStream.h"
#include "THSumEight.h"

/* Along a line, the totals of a vector are made in steps, in each of which a total takes in the one
 * that lies one, two and four places before it:
 *
 *     a   b     c       d         e         f           g             h
 *     a   ab    bc      cd        de        ef          fg            gh
 *     a   ab    abc     abcd      bcde      cdef        defg          efgh
 *     a   ab    abc     abcd      abcde     abcdef      abcdefg       abcdefgh
 *
 * What came before the vector is then taken in by all, which is the only step that waits for the
 * vector before.  Vectors of four go without the last step.  Some vectors go through each step side
 * by side. */
#define EACH(STATEMENT)           \
  TH_PRAGMA(GCC unroll 4)         \
  for (int k = 0; k < count; k++) \
    STATEMENT;
#if defined(__AVX512F__)
#define SHIFTS(V, NEUTRAL, TAKE)                                                 \
  EACH(V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 8, 0, 1, 2, 3, 4, 5, 6))) \
  EACH(V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 8, 8, 0, 1, 2, 3, 4, 5))) \
  EACH(V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 8, 8, 8, 8, 0, 1, 2, 3)))
#define LAST(V) __builtin_shufflevector(V, V, 7, 7, 7, 7, 7, 7, 7, 7)
#define ALL(X)             \
  {                        \
    X, X, X, X, X, X, X, X \
  }
enum { LANES = 8 };
#else
#define SHIFTS(V, NEUTRAL, TAKE)                                     \
  EACH(V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 4, 0, 1, 2))) \
  EACH(V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 4, 4, 0, 1)))
#define LAST(V) __builtin_shufflevector(V, V, 3, 3, 3, 3)
#define ALL(X) \
  {            \
    X, X, X, X \
  }
enum { LANES = 4 };
#endif

/* Elements that lie apart, and totals that go to places apart or around the caches, pass through
 * buffers of so many. */
enum {
  PIECE = TH_STREAM_PIECE / sizeof(real),
  FEW = 16,
  WORTH_STREAMING = 4 * PIECE,
  TOGETHER = 2
};

typedef accreal Totals __attribute__((vector_size(LANES * sizeof(accreal))));

/* What a line's totals are made of: elements, which are converted by vectors, or where compilers
 * are better at whole rows of that, as with small integers, what was made of those before. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_LONG) || \
    (defined(TH_REAL_IS_INT) && defined(__AVX512F__))
typedef real Element;
enum { CONVERTED = 0 };
#else
typedef accreal Element;
enum { CONVERTED = 1 };
#endif

/* Totals of floats and doubles that go around the caches do so from registers, a line at least. */
#if defined(__AVX2__) && (defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE))
enum { DIRECT = 1, BESIDE = sizeof(real) == 4 ? 4 : 8 / LANES };
#else
enum { DIRECT = 0, BESIDE = 1 };
#endif

enum { SHORT = CONVERTED ? 16 : sizeof(real) < 8 ? 5 : 4 };
typedef Element Elements __attribute__((vector_size(LANES * sizeof(Element))));

static inline __attribute__((always_inline)) void load(Totals *a, const Element *x)
{
#if defined(TH_REAL_IS_FLOAT) && defined(__AVX512F__)
  *a = (Totals)_mm512_cvtps_pd(_mm256_loadu_ps(x)); /* of which compilers make two halves */
#elif defined(TH_REAL_IS_INT) && defined(__AVX512F__)
  *a = (Totals)_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)x));
#else
  Elements v;
  memcpy(&v, x, sizeof v);
  *a = __builtin_convertvector(v, Totals);
#endif
}

static inline __attribute__((always_inline)) void store(Element *r, const Totals *a)
{
#if defined(TH_REAL_IS_INT) && defined(__AVX512F__)
  _mm256_storeu_si256((__m256i *)r, _mm512_cvtepi64_epi32((__m512i)*a));
#else
  const Elements v = __builtin_convertvector(*a, Elements);
  memcpy(r, &v, sizeof v);
#endif
}

/* Around the caches, where that is direct; r is aligned to as many bytes. */
static inline int is_direct(const void *r)
{
  return DIRECT && (uintptr_t)r % sizeof(Elements) == 0;
}

static inline __attribute__((always_inline)) void send(Element *r, const Totals *a)
{
#if defined(TH_REAL_IS_FLOAT) && defined(__AVX512F__)
  _mm256_stream_ps(r, _mm512_cvtpd_ps((__m512d)*a));
#elif defined(TH_REAL_IS_FLOAT) && defined(__AVX2__)
  _mm_stream_ps(r, _mm256_cvtpd_ps((__m256d)*a));
#elif defined(TH_REAL_IS_DOUBLE) && defined(__AVX512F__)
  _mm512_stream_pd(r, (__m512d)*a);
#elif defined(TH_REAL_IS_DOUBLE) && defined(__AVX2__)
  _mm256_stream_pd(r, (__m256d)*a);
#else
  store(r, a);
#endif
}

/* What is left over of a line: a vector of a few elements before others that are initial, of whose
 * totals as many are stored; or one element after the other. */
#if defined(__AVX512F__)
static inline __attribute__((always_inline)) void load_some(Totals *a, const Element *x,
                                                            ptrdiff_t n, Element initial)
{
  const __mmask8 some = (__mmask8)((1u << n) - 1);
#if defined(TH_REAL_IS_FLOAT)
  *a = (Totals)_mm512_cvtps_pd(_mm256_mask_loadu_ps(_mm256_set1_ps(initial), some, x));
#elif defined(TH_REAL_IS_INT)
  *a = (Totals)_mm512_cvtepi32_epi64(_mm256_mask_loadu_epi32(_mm256_set1_epi32(initial), some, x));
#elif defined(TH_REAL_IS_DOUBLE)
  *a = (Totals)_mm512_mask_loadu_pd(_mm512_set1_pd(initial), some, x);
#else
  *a = (Totals)_mm512_mask_loadu_epi64(_mm512_set1_epi64(initial), some, x);
#endif
}

static inline __attribute__((always_inline)) void store_some(Element *r, const Totals *a,
                                                             ptrdiff_t n)
{
  const __mmask8 some = (__mmask8)((1u << n) - 1);
#if defined(TH_REAL_IS_FLOAT)
  _mm256_mask_storeu_ps(r, some, _mm512_cvtpd_ps((__m512d)*a));
#elif defined(TH_REAL_IS_INT)
  _mm256_mask_storeu_epi32(r, some, _mm512_cvtepi64_epi32((__m512i)*a));
#else
  _mm512_mask_storeu_epi64(r, some, (__m512i)*a);
#endif
}

#define REST(NAME, INITIAL, TAKE)      \
  load_some(v, x + i, n - i, INITIAL); \
  NAME##_vectors(v, 1, &here, before); \
  store_some(r + i, v, n - i);
#else
#define REST(NAME, INITIAL, TAKE)                                 \
  accreal few = INITIAL;                                          \
  for (; i < n; i++) {                                            \
    few = TAKE(few, (accreal)x[i]);                               \
    const accreal total = TAKE(here[0], few);                     \
    r[i] = (Element)(before ? TAKE((*before)[0], total) : total); \
  }                                                               \
  here = TAKE(here, few);
#endif

/* Asks for n elements from x on; beyond the end of the memory that does nothing.  What is fetched
 * so far ahead is there in time; twice as far, which is better where less is computed, makes
 * running sums slower. */
enum { LINE = TH_STREAM_LINE / sizeof(real), AHEAD = 4096 / sizeof(real) };

static inline __attribute__((always_inline)) void fetch(const real *x, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i += LINE)
    __builtin_prefetch((const void *)((uintptr_t)x + (size_t)i * sizeof(real)));
}

/* Whether rows of so many are worth sending: short ones that do not end where a line of memory does
 * leave that line to be read again. */
static inline int is_sent(ptrdiff_t n)
{
  return n >= WORTH_STREAMING || (n >= PIECE && n % LINE == 0);
}

/* Where the elements are that follow so far behind those of some rows, counted from these: in rows
 * below, further right up to some place and further left from there on. */
typedef struct {
  ptrdiff_t turn, before, after;
} Following;

static inline Following following(ptrdiff_t width, ptrdiff_t jump, ptrdiff_t together)
{
  const ptrdiff_t ahead = AHEAD / together;
  const ptrdiff_t right = ahead % width, down = ahead / width * (jump *= together);
  return (Following){(width - right) / LINE * LINE, down + right, down + jump + right - width};
}

/* How many elements there are before a line of memory begins. */
static inline ptrdiff_t to_line(const real *r)
{
  return (ptrdiff_t)((0 - (uintptr_t)r) % TH_STREAM_LINE / sizeof(real));
}

/* n elements from x on: where they lie side by side, in room if not there. */
static inline const real *side_by_side(real *room, const real *x, ptrdiff_t step, ptrdiff_t n)
{
  if (step == 1)
    return x;
  for (ptrdiff_t i = 0; i < n; i++)
    room[i] = x[i * step];
  return room;
}

/* Totals go from where they are side by side to where they belong. */
static inline void deliver(real *r, ptrdiff_t step, const real *totals, ptrdiff_t n, int streams)
{
  if (streams)
    THStream_copy(r, totals, (size_t)n * sizeof(real));
  else if (totals != r)
    for (ptrdiff_t i = 0; i < n; i++)
      r[i * step] = totals[i];
}

/* The same of a line that is converted. */
static inline const Element *widen(Element *room, const real *x, ptrdiff_t step, ptrdiff_t n)
{
  if (!CONVERTED)
    return (const Element *)side_by_side((real *)room, x, step, n);
  if (step == 1)
    for (ptrdiff_t i = 0; i < n; i++)
      room[i] = (Element)x[i];
  else
    for (ptrdiff_t i = 0; i < n; i++)
      room[i] = (Element)x[i * step];
  return room;
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

#define SUM(a, b)     ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))

/* The same of vectors. */
#if defined(__AVX512F__) && defined(TH_REAL_IS_FLOAT)
#define SUM_SHIFTED(a, b) (Totals) THSumEight((__m512d)(a), (__m512d)(b))
#else
#define SUM_SHIFTED SUM
#endif
#define PRODUCT_SHIFTED PRODUCT

#define FUNCTIONS(NAME, INITIAL, TAKE)                                                            \
  /* Elements of some vectors become totals; *all is the total from the first piece on. */        \
  static inline __attribute__((always_inline)) void NAME##_vectors(                               \
      Totals *v, int count, Totals *all, const Totals *before)                                    \
  {                                                                                               \
    const Totals neutral = ALL(INITIAL);                                                          \
    SHIFTS(v[k], neutral, TAKE##_SHIFTED)                                                         \
    EACH({                                                                                        \
      const Totals total = v[k];                                                                  \
      v[k] = TAKE(*all, total);                                                                   \
      if (before)                                                                                 \
        v[k] = TAKE(*before, v[k]);                                                               \
      *all = TAKE(*all, LAST(total));                                                             \
    })                                                                                            \
  }                                                                                               \
                                                                                                  \
  /* Of n elements side by side, which take in before, a constant, unless that is NULL; around    \
   * sends them around the caches.  */                                                            \
  static inline __attribute__((always_inline)) void NAME##_piece(                                 \
      Element *r, const Element *x, ptrdiff_t n, Totals *all, const Totals *before, int around)   \
  {                                                                                               \
    Totals here = *all, v[BESIDE];                                                                \
    ptrdiff_t i = 0;                                                                              \
    for (; i + BESIDE * LANES <= n; i += BESIDE * LANES) {                                        \
      const int count = BESIDE;                                                                   \
      if (DIRECT && around)                                                                       \
        fetch((const real *)(const void *)(x + i) + AHEAD, BESIDE * LANES);                       \
      EACH(load(&v[k], x + i + k * LANES))                                                        \
      NAME##_vectors(v, BESIDE, &here, before);                                                   \
      if (DIRECT && around)                                                                       \
        EACH(send(r + i + k * LANES, &v[k]))                                                      \
      else                                                                                        \
        EACH(store(r + i + k * LANES, &v[k]))                                                     \
    }                                                                                             \
    for (; i + LANES <= n; i += LANES) {                                                          \
      load(v, x + i);                                                                             \
      NAME##_vectors(v, 1, &here, before);                                                        \
      store(r + i, v);                                                                            \
    }                                                                                             \
    if (i < n) {                                                                                  \
      REST(NAME, INITIAL, TAKE)                                                                   \
    }                                                                                             \
    *all = here;                                                                                  \
  }                                                                                               \
                                                                                                  \
  static void NAME##_along(void *total, const THScanPlace *place, ptrdiff_t n)                    \
  {                                                                                               \
    const real *x = (const real *)place->from;                                                    \
    real *const r = (real *)place->to;                                                            \
    _Alignas(TH_STREAM_LINE) Element room[PIECE], totals[PIECE];                                  \
    const ptrdiff_t dr = r ? place->dr : 0;                                                       \
    const int streams = place->streams && !CONVERTED && dr == 1 && n >= WORTH_STREAMING;          \
    const int around = streams && place->dx == 1 && is_direct(r);                                 \
    const ptrdiff_t piece = around ? n : PIECE;                                                   \
    const Totals before = ALL(*(accreal *)total);                                                 \
    Totals all = ALL(INITIAL);                                                                    \
    for (ptrdiff_t i = 0; i < n; i += piece) {                                                    \
      const ptrdiff_t m = THMin(n - i, piece);                                                    \
      Element *const to = !CONVERTED && dr == 1 && streams == around ? (Element *)r + i : totals; \
      if (streams && place->dx == 1)                                                              \
        fetch(x + i + AHEAD, THMin(m, PIECE));                                                    \
      NAME##_piece(to, widen(room, x + i * place->dx, place->dx, m), m, &all, &before, around);   \
      if (r)                                                                                      \
        narrow(r + i * dr, dr, to, m, streams && !around);                                        \
    }                                                                                             \
    if (streams)                                                                                  \
      THStream_finish();                                                                          \
    *(accreal *)total = TAKE(before, all)[0];                                                     \
  }                                                                                               \
                                                                                                  \
  static void NAME##_lines(const THScanPlace *place, ptrdiff_t lines, ptrdiff_t n)                \
  {                                                                                               \
    const Totals initial = ALL(INITIAL);                                                          \
    const int beside = !CONVERTED && place->dx == 1 && place->dr == 1;                            \
    const int streams = place->streams && n >= WORTH_STREAMING;                                   \
    for (ptrdiff_t j = 0; j < lines; j++) {                                                       \
      THScanPlace line = *place;                                                                  \
      line.from = (const real *)place->from + j * place->jumpX;                                   \
      line.to = (real *)place->to + j * place->jumpR;                                             \
      accreal total = INITIAL;                                                                    \
      Totals all = initial;                                                                       \
      const int around = place->streams && is_direct(line.to) && is_sent(n);                      \
      if (beside && (around || !streams))                                                         \
        NAME##_piece((Element *)line.to, (const Element *)line.from, n, &all, NULL, around);      \
      else                                                                                        \
        NAME##_along(&total, &line, n);                                                           \
    }                                                                                             \
    if (place->streams)                                                                           \
      THStream_finish();                                                                          \
  }                                                                                               \
                                                                                                  \
  static __attribute__((noinline)) void NAME##_row(accreal *restrict a, real *r, const real *x,   \
                                                   ptrdiff_t n)                                   \
  {                                                                                               \
    TH_PRAGMA(omp simd)                                                                           \
    for (ptrdiff_t j = 0; j < n; j++) {                                                           \
      a[j] = TAKE(a[j], (accreal)x[j]);                                                           \
      r[j] = (real)a[j];                                                                          \
    }                                                                                             \
  }                                                                                               \
                                                                                                  \
  /* A few lines, whose totals stay in registers where their number is known. */                  \
  static inline __attribute__((always_inline)) void NAME##_few(                                   \
      accreal *totals, const THScanPlace *place, ptrdiff_t lines, ptrdiff_t rows)                 \
  {                                                                                               \
    accreal a[FEW];                                                                               \
    memcpy(a, totals, (size_t)lines * sizeof(accreal));                                           \
    for (ptrdiff_t i = 0; i < rows; i++) {                                                        \
      const real *x = (const real *)place->from + i * place->jumpX;                               \
      real *const r = (real *)place->to + i * place->jumpR;                                       \
      for (ptrdiff_t j = 0; j < lines; j++) {                                                     \
        a[j] = TAKE(a[j], (accreal)x[j * place->dx]);                                             \
        r[j * place->dr] = (real)a[j];                                                            \
      }                                                                                           \
    }                                                                                             \
    memcpy(totals, a, (size_t)lines * sizeof(accreal));                                           \
  }                                                                                               \
                                                                                                  \
  /* Some rows, of which totals go around the caches from where they are made.  The places of     \
   * their lines are alike. */                                                                    \
  static inline __attribute__((always_inline)) void NAME##_sent(                                  \
      accreal *a, const THScanPlace *place, ptrdiff_t n, ptrdiff_t rows, ptrdiff_t ahead)         \
  {                                                                                               \
    const real *const x = (const real *)place->from;                                              \
    real *const r = (real *)place->to;                                                            \
    const ptrdiff_t first = THMin(to_line(r), n), last = first + (n - first) / LINE * LINE;       \
    for (ptrdiff_t j = first; j < last; j += LINE) {                                              \
      Totals v, all[LINE / LANES];                                                                \
      for (int k = 0; k < LINE / LANES; k++) /* at once they would go through memory */           \
        memcpy(&all[k], a + j + k * LANES, sizeof all[k]);                                        \
      for (ptrdiff_t i = 0; i < rows; i++) {                                                      \
        const real *const row = x + i * place->jumpX + j;                                         \
        fetch(row + ahead, LINE);                                                                 \
        for (int k = 0; k < LINE / LANES; k++) {                                                  \
          load(&v, (const Element *)(const void *)row + k * LANES);                               \
          all[k] = TAKE(all[k], v);                                                               \
          send((Element *)(void *)(r + i * place->jumpR + j) + k * LANES, &all[k]);               \
        }                                                                                         \
      }                                                                                           \
      for (int k = 0; k < LINE / LANES; k++)                                                      \
        memcpy(a + j + k * LANES, &all[k], sizeof all[k]);                                        \
    }                                                                                             \
    for (ptrdiff_t i = 0; i < rows; i++) {                                                        \
      if (first > 0)                                                                              \
        NAME##_row(a, r + i * place->jumpR, x + i * place->jumpX, first);                         \
      if (last < n)                                                                               \
        NAME##_row(a + last, r + i * place->jumpR + last, x + i * place->jumpX + last, n - last); \
    }                                                                                             \
  }                                                                                               \
                                                                                                  \
  static void NAME##_across(void *totals, const THScanPlace *place, ptrdiff_t lines,              \
                            ptrdiff_t rows)                                                       \
  {                                                                                               \
    const ptrdiff_t dx = place->dx, dr = place->dr;                                               \
    const int streams = place->streams && dr == 1 && lines >= PIECE;                              \
    const int around = DIRECT && streams && dx == 1 && place->jumpR % LINE == 0;                  \
    const ptrdiff_t most = around ? TOGETHER : 1;                                                 \
    const Following next = following(lines, place->jumpX, most);                                  \
    if (lines < FEW) {                                                                            \
      if (lines == 2)                                                                             \
        NAME##_few((accreal *)totals, place, 2, rows);                                            \
      else if (lines == 3)                                                                        \
        NAME##_few((accreal *)totals, place, 3, rows);                                            \
      else if (lines == 4)                                                                        \
        NAME##_few((accreal *)totals, place, 4, rows);                                            \
      else                                                                                        \
        NAME##_few((accreal *)totals, place, lines, rows);                                        \
      return;                                                                                     \
    }                                                                                             \
    accreal *a = (accreal *)totals;                                                               \
    _Alignas(TH_STREAM_LINE) real room[PIECE], here[PIECE];                                       \
    for (ptrdiff_t i = 0, together; i < rows; i += together) {                                    \
      const real *x = (const real *)place->from + i * place->jumpX;                               \
      real *const r = (real *)place->to + i * place->jumpR;                                       \
      together = THMin(rows - i, most);                                                           \
      const ptrdiff_t turn = i + together < rows ? next.turn : lines;                             \
      for (ptrdiff_t j = 0, m; j < lines; j += m) {                                               \
        const ptrdiff_t ahead = j < turn ? next.before : next.after;                              \
        if (around) {                                                                             \
          const THScanPlace some = {x + j, r + j, .jumpX = place->jumpX, .jumpR = place->jumpR};  \
          m = j < turn ? turn : lines - j;                                                        \
          NAME##_sent(a + j, &some, m, together, ahead);                                          \
          continue;                                                                               \
        }                                                                                         \
        m = streams ? THStream_first(r + j, sizeof(real), lines - j) : THMin(lines - j, PIECE);   \
        m = THMin(m, PIECE);                                                                      \
        real *const to = dr == 1 && !streams ? r + j : here;                                      \
        if (dx == 1 && streams)                                                                   \
          fetch(x + j + ahead, m);                                                                \
        NAME##_row(a + j, to, side_by_side(room, x + j * dx, dx, m), m);                          \
        deliver(r + j * dr, dr, to, m, streams);                                                  \
      }                                                                                           \
    }                                                                                             \
    if (streams)                                                                                  \
      THStream_finish();                                                                          \
  }

FUNCTIONS(sum, 0, SUM)
FUNCTIONS(product, 1, PRODUCT)

const THScanKernels TH_LEVEL_(THTensor_(scanKernels))[] = {
    [TH_SCAN_SUM] = {SHORT, sum_along, sum_lines, sum_across},
    [TH_SCAN_PRODUCT] = {SHORT, product_along, product_lines, product_across},
};
