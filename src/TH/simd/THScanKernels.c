/* Kernels of running sums and products. */
#include "THTemplate.h"

#include "../THScan.h"
#include "THStream.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define IN_ORDER
#endif

/* Sums of integers wrap around, and are the same in whatever order they are made.  Along a line,
 * the totals of a vector are made in steps, in each of which a total takes in the one
 * that lies one, two and four places before it:
 *
 *     a   b     c       d         e         f           g             h
 *     a   ab    bc      cd        de        ef          fg            gh
 *     a   ab    abc     abcd      bcde      cdef        defg          efgh
 *     a   ab    abc     abcd      abcde     abcdef      abcdefg       abcdefgh
 *
 * What came before the vector is then taken in by all, which is the only step that waits for the
 * vector before.  Vectors of four go without the last step.  Sums of floating numbers are made in
 * order. */
#if defined(__AVX512F__)
#define SHIFTS(V, NEUTRAL, TAKE)                                            \
  V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 8, 0, 1, 2, 3, 4, 5, 6)); \
  V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 8, 8, 0, 1, 2, 3, 4, 5)); \
  V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 8, 8, 8, 8, 0, 1, 2, 3));
#define LAST(V)     __builtin_shufflevector(V, V, 7, 7, 7, 7, 7, 7, 7, 7)
#define ALL(X)      {X, X, X, X, X, X, X, X}
#define LANES_ARE_8 1
enum { LANES = 8 };
#else
#define SHIFTS(V, NEUTRAL, TAKE)                                \
  V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 4, 0, 1, 2)); \
  V = TAKE(V, __builtin_shufflevector(V, NEUTRAL, 4, 4, 0, 1));
#define LAST(V)     __builtin_shufflevector(V, V, 3, 3, 3, 3)
#define ALL(X)      {X, X, X, X}
#define LANES_ARE_8 0
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
enum { DIRECT = 1 };
#else
enum { DIRECT = 0 };
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

#ifndef IN_ORDER

/* What is left over of a line: a vector of a few elements before others that are initial, of whose
 * totals as many are stored; or one element after the other. */
#if defined(__AVX512F__)
static inline __attribute__((always_inline)) void load_some(Totals *a, const Element *x,
                                                            ptrdiff_t n, Element initial)
{
  const __mmask8 some = (__mmask8)((1u << n) - 1);
#if defined(TH_REAL_IS_INT)
  *a = (Totals)_mm512_cvtepi32_epi64(_mm256_mask_loadu_epi32(_mm256_set1_epi32(initial), some, x));
#else
  *a = (Totals)_mm512_mask_loadu_epi64(_mm512_set1_epi64(initial), some, x);
#endif
}

static inline __attribute__((always_inline)) void store_some(Element *r, const Totals *a,
                                                             ptrdiff_t n)
{
  const __mmask8 some = (__mmask8)((1u << n) - 1);
#if defined(TH_REAL_IS_INT)
  _mm256_mask_storeu_epi32(r, some, _mm512_cvtepi64_epi32((__m512i)*a));
#else
  _mm512_mask_storeu_epi64(r, some, (__m512i)*a);
#endif
}

#define REST(NAME, INITIAL, TAKE)       \
  load_some(&v, x + i, n - i, INITIAL); \
  NAME##_vector(&v, &here, before);     \
  store_some(r + i, &v, n - i);
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

#define SUM(a, b)     ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))

#ifdef IN_ORDER

/* Each total waits for the one before, so that some lines are walked at once: of elements side by
 * side as many as a vector has lanes, for which squares of them are transposed twice. */
enum { LINES = LANES };

#if LANES_ARE_8
#define PAIRS_1 0, 8, 2, 10, 4, 12, 6, 14
#define PAIRS_2 1, 9, 3, 11, 5, 13, 7, 15
#define FOURS_1 0, 1, 8, 9, 4, 5, 12, 13
#define FOURS_2 2, 3, 10, 11, 6, 7, 14, 15
#define EIGHTS(V)                                                         \
  for (int k = 0; k < 4; k++) {                                           \
    const Totals a = V[k], b = V[k + 4];                                  \
    V[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);       \
    V[k + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15); \
  }
#else
#define PAIRS_1 0, 4, 2, 6
#define PAIRS_2 1, 5, 3, 7
#define FOURS_1 0, 1, 4, 5
#define FOURS_2 2, 3, 6, 7
#define EIGHTS(V)
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
  EIGHTS(v)
}

#define ALONG(NAME, INITIAL, TAKE)                                                                 \
  /* n elements of some lines, a constant. */                                                      \
  static inline                                                                                    \
      __attribute__((always_inline)) void NAME##_ordered(accreal *totals, const real *x,           \
                                                         ptrdiff_t dx, ptrdiff_t jumpX, real *r,   \
                                                         ptrdiff_t dr, ptrdiff_t jumpR, int lines, \
                                                         ptrdiff_t n)                              \
  {                                                                                                \
    accreal a[LINES];                                                                              \
    for (int k = 0; k < lines; k++)                                                                \
      a[k] = totals[k];                                                                            \
    for (ptrdiff_t i = 0; i < n; i++) {                                                            \
      TH_PRAGMA(GCC unroll 8)                                                                      \
      for (int k = 0; k < lines; k++) {                                                            \
        a[k] = TAKE(a[k], (accreal)x[k * jumpX + i * dx]);                                         \
        r[k * jumpR + i * dr] = (real)a[k];                                                        \
      }                                                                                            \
    }                                                                                              \
    for (int k = 0; k < lines; k++)                                                                \
      totals[k] = a[k];                                                                            \
  }                                                                                                \
                                                                                                   \
  /* The same of LANES lines of elements side by side. */                                          \
  static inline                                                                                    \
      __attribute__((always_inline)) void NAME##_transposed(accreal *totals, const real *x,        \
                                                            ptrdiff_t jumpX, real *r,              \
                                                            ptrdiff_t jumpR, ptrdiff_t n,          \
                                                            int around)                            \
  {                                                                                                \
    Totals all, v[LANES];                                                                          \
    memcpy(&all, totals, sizeof all);                                                              \
    ptrdiff_t i = 0;                                                                               \
    for (; i + LANES <= n; i += LANES) {                                                           \
      TH_PRAGMA(GCC unroll 8)                                                                      \
      for (int k = 0; k < LANES; k++)                                                              \
        load(&v[k], x + k * jumpX + i);                                                            \
      transpose(v);                                                                                \
      TH_PRAGMA(GCC unroll 8)                                                                      \
      for (int k = 0; k < LANES; k++)                                                              \
        v[k] = all = TAKE(all, v[k]);                                                              \
      transpose(v);                                                                                \
      TH_PRAGMA(GCC unroll 8)                                                                      \
      for (int k = 0; k < LANES; k++)                                                              \
        if (around)                                                                                \
          send(r + k * jumpR + i, &v[k]);                                                          \
        else                                                                                       \
          store(r + k * jumpR + i, &v[k]);                                                         \
    }                                                                                              \
    memcpy(totals, &all, sizeof all);                                                              \
    NAME##_ordered(totals, x + i, 1, jumpX, r + i, 1, jumpR, LANES, n - i);                        \
  }                                                                                                \
                                                                                                   \
  /* Of n elements of lines that may lie apart; of a whole vector's count of lines, a constant. */ \
  static inline                                                                                    \
      __attribute__((always_inline)) void NAME##_some(accreal *totals, const real *x,              \
                                                      ptrdiff_t dx, ptrdiff_t jumpX, real *r,      \
                                                      ptrdiff_t dr, ptrdiff_t jumpR, int lines,    \
                                                      ptrdiff_t n)                                 \
  {                                                                                                \
    if (dx == 1 && dr == 1 && lines == LANES)                                                      \
      NAME##_transposed(totals, x, jumpX, r, jumpR, n, 0);                                         \
    else if (dx == 1 && dr == 1)                                                                   \
      NAME##_ordered(totals, x, 1, jumpX, r, 1, jumpR, lines, n);                                  \
    else                                                                                           \
      NAME##_ordered(totals, x, dx, jumpX, r, dr, jumpR, lines, n);                                \
  }                                                                                                \
                                                                                                   \
  static inline __attribute__((always_inline)) void NAME##_several(const THScanPlace *place,       \
                                                                   int lines, ptrdiff_t n)         \
  {                                                                                                \
    _Alignas(TH_STREAM_LINE) real room[LINES][PIECE];                                              \
    const real *x = (const real *)place->from;                                                     \
    real *const r = (real *)place->to;                                                             \
    const ptrdiff_t dx = place->dx, dr = place->dr;                                                \
    const int streams = place->streams && dr == 1;                                                 \
    const int aligned = place->jumpR % LINE == 0 && to_line(r) == 0;                               \
    accreal totals[LINES];                                                                         \
    for (int k = 0; k < lines; k++)                                                                \
      totals[k] = INITIAL;                                                                         \
    if (DIRECT && streams && dx == 1 && lines == LANES && aligned && n >= PIECE) {                 \
      NAME##_transposed(totals, x, place->jumpX, r, place->jumpR, n, 1);                           \
      THStream_finish();                                                                           \
    } else if (streams && n >= WORTH_STREAMING) {                                                  \
      for (ptrdiff_t i = 0, m; i < n; i += m) {                                                    \
        m = THMin(PIECE, THStream_first(r + i, sizeof(real), n - i));                              \
        NAME##_some(totals, x + i * dx, dx, place->jumpX, room[0], 1, PIECE, lines, m);            \
        for (int k = 0; k < lines; k++)                                                            \
          THStream_copy(r + i + k * place->jumpR, room[k], (size_t)m * sizeof(real));              \
      }                                                                                            \
      THStream_finish();                                                                           \
    } else {                                                                                       \
      NAME##_some(totals, x, dx, place->jumpX, r, dr, place->jumpR, lines, n);                     \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  static void NAME##_lines(const THScanPlace *place, ptrdiff_t lines, ptrdiff_t n)                 \
  {                                                                                                \
    THScanPlace here = *place;                                                                     \
    for (ptrdiff_t j = 0, some; j < lines; j += some) {                                            \
      here.from = (const real *)place->from + j * place->jumpX;                                    \
      here.to = (real *)place->to + j * place->jumpR;                                              \
      some = lines - j >= LINES ? LINES : lines - j >= LINES / 2 ? LINES / 2 : 1;                  \
      if (some == LINES)                                                                           \
        NAME##_several(&here, LINES, n);                                                           \
      else if (some == LINES / 2)                                                                  \
        NAME##_several(&here, LINES / 2, n);                                                       \
      else                                                                                         \
        NAME##_several(&here, 1, n);                                                               \
    }                                                                                              \
  }
#define ALONG_ENTRY(NAME) NULL

#else

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

#define ALONG(NAME, INITIAL, TAKE)                                                                \
  /* Elements of a vector become totals; *all is the total from the first piece on. */            \
  static inline __attribute__((always_inline)) void NAME##_vector(Totals *v, Totals *all,         \
                                                                  const Totals *before)           \
  {                                                                                               \
    const Totals neutral = ALL(INITIAL);                                                          \
    Totals total = *v;                                                                            \
    SHIFTS(total, neutral, TAKE)                                                                  \
    *v = TAKE(*all, total);                                                                       \
    if (before)                                                                                   \
      *v = TAKE(*before, *v);                                                                     \
    *all = TAKE(*all, LAST(total));                                                               \
  }                                                                                               \
                                                                                                  \
  /* Of n elements side by side, which take in before, a constant, unless that is NULL. */        \
  static inline                                                                                   \
      __attribute__((always_inline)) void NAME##_piece(Element *r, const Element *x, ptrdiff_t n, \
                                                       Totals *all, const Totals *before)         \
  {                                                                                               \
    Totals here = *all, v;                                                                        \
    ptrdiff_t i = 0;                                                                              \
    for (; i + LANES <= n; i += LANES) {                                                          \
      load(&v, x + i);                                                                            \
      NAME##_vector(&v, &here, before);                                                           \
      store(r + i, &v);                                                                           \
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
    const Totals before = ALL(*(accreal *)total);                                                 \
    Totals all = ALL(INITIAL);                                                                    \
    for (ptrdiff_t i = 0; i < n; i += PIECE) {                                                    \
      const ptrdiff_t m = THMin(n - i, PIECE);                                                    \
      Element *const to = !CONVERTED && dr == 1 && !streams ? (Element *)r + i : totals;          \
      if (streams && place->dx == 1)                                                              \
        fetch(x + i + AHEAD, m);                                                                  \
      NAME##_piece(to, widen(room, x + i * place->dx, place->dx, m), m, &all, &before);           \
      if (r)                                                                                      \
        narrow(r + i * dr, dr, to, m, streams);                                                   \
    }                                                                                             \
    if (streams)                                                                                  \
      THStream_finish();                                                                          \
    *(accreal *)total = TAKE(before, all)[0];                                                     \
  }                                                                                               \
                                                                                                  \
  static void NAME##_lines(const THScanPlace *place, ptrdiff_t lines, ptrdiff_t n)                \
  {                                                                                               \
    const int beside = !CONVERTED && place->dx == 1 && place->dr == 1;                            \
    const int streams = place->streams && n >= WORTH_STREAMING;                                   \
    for (ptrdiff_t j = 0; j < lines; j++) {                                                       \
      THScanPlace line = *place;                                                                  \
      line.from = (const real *)place->from + j * place->jumpX;                                   \
      line.to = (real *)place->to + j * place->jumpR;                                             \
      accreal total = INITIAL;                                                                    \
      Totals all = ALL(INITIAL);                                                                  \
      if (beside && !streams)                                                                     \
        NAME##_piece((Element *)line.to, (const Element *)line.from, n, &all, NULL);              \
      else                                                                                        \
        NAME##_along(&total, &line, n);                                                           \
    }                                                                                             \
  }
#define ALONG_ENTRY(NAME) NAME##_along

#endif

#define ACROSS(NAME, INITIAL, TAKE)                                                                 \
  static __attribute__((noinline)) void NAME##_row(accreal *restrict a, real *r, const real *x,     \
                                                   ptrdiff_t n)                                     \
  {                                                                                                 \
    TH_PRAGMA(omp simd)                                                                             \
    for (ptrdiff_t j = 0; j < n; j++) {                                                             \
      a[j] = TAKE(a[j], (accreal)x[j]);                                                             \
      r[j] = (real)a[j];                                                                            \
    }                                                                                               \
  }                                                                                                 \
                                                                                                    \
  /* A few lines, whose totals stay in registers where their number is known. */                    \
  static inline                                                                                     \
      __attribute__((always_inline)) void NAME##_few(accreal *totals, const THScanPlace *place,     \
                                                     ptrdiff_t lines, ptrdiff_t rows)               \
  {                                                                                                 \
    accreal a[FEW];                                                                                 \
    memcpy(a, totals, (size_t)lines * sizeof(accreal));                                             \
    for (ptrdiff_t i = 0; i < rows; i++) {                                                          \
      const real *x = (const real *)place->from + i * place->jumpX;                                 \
      real *const r = (real *)place->to + i * place->jumpR;                                         \
      for (ptrdiff_t j = 0; j < lines; j++) {                                                       \
        a[j] = TAKE(a[j], (accreal)x[j * place->dx]);                                               \
        r[j * place->dr] = (real)a[j];                                                              \
      }                                                                                             \
    }                                                                                               \
    memcpy(totals, a, (size_t)lines * sizeof(accreal));                                             \
  }                                                                                                 \
                                                                                                    \
  /* Some rows, of which totals go around the caches from where they are made.  The places of     \
   * their lines are alike. */ \
  static inline                                                                                     \
      __attribute__((always_inline)) void NAME##_sent(accreal *a, const THScanPlace *place,         \
                                                      ptrdiff_t n, ptrdiff_t rows,                  \
                                                      ptrdiff_t ahead)                              \
  {                                                                                                 \
    const real *const x = (const real *)place->from;                                                \
    real *const r = (real *)place->to;                                                              \
    const ptrdiff_t first = THMin(to_line(r), n), last = first + (n - first) / LINE * LINE;         \
    for (ptrdiff_t j = first; j < last; j += LINE) {                                                \
      Totals v, all[LINE / LANES];                                                                  \
      for (int k = 0; k < LINE / LANES; k++) /* at once they would go through memory */             \
        memcpy(&all[k], a + j + k * LANES, sizeof all[k]);                                          \
      for (ptrdiff_t i = 0; i < rows; i++) {                                                        \
        const real *const row = x + i * place->jumpX + j;                                           \
        fetch(row + ahead, LINE);                                                                   \
        for (int k = 0; k < LINE / LANES; k++) {                                                    \
          load(&v, (const Element *)(const void *)row + k * LANES);                                 \
          all[k] = TAKE(all[k], v);                                                                 \
          send((Element *)(void *)(r + i * place->jumpR + j) + k * LANES, &all[k]);                 \
        }                                                                                           \
      }                                                                                             \
      for (int k = 0; k < LINE / LANES; k++)                                                        \
        memcpy(a + j + k * LANES, &all[k], sizeof all[k]);                                          \
    }                                                                                               \
    for (ptrdiff_t i = 0; i < rows; i++) {                                                          \
      if (first > 0)                                                                                \
        NAME##_row(a, r + i * place->jumpR, x + i * place->jumpX, first);                           \
      if (last < n)                                                                                 \
        NAME##_row(a + last, r + i * place->jumpR + last, x + i * place->jumpX + last, n - last);   \
    }                                                                                               \
  }                                                                                                 \
                                                                                                    \
  static void NAME##_across(void *totals, const THScanPlace *place, ptrdiff_t lines,                \
                            ptrdiff_t rows)                                                         \
  {                                                                                                 \
    const ptrdiff_t dx = place->dx, dr = place->dr;                                                 \
    const int streams = place->streams && dr == 1 && lines >= PIECE;                                \
    const int around = DIRECT && streams && dx == 1 && place->jumpR % LINE == 0;                    \
    const ptrdiff_t most = around ? TOGETHER : 1;                                                   \
    const Following next = following(lines, place->jumpX, most);                                    \
    if (lines < FEW) {                                                                              \
      if (lines == 2)                                                                               \
        NAME##_few((accreal *)totals, place, 2, rows);                                              \
      else if (lines == 3)                                                                          \
        NAME##_few((accreal *)totals, place, 3, rows);                                              \
      else if (lines == 4)                                                                          \
        NAME##_few((accreal *)totals, place, 4, rows);                                              \
      else                                                                                          \
        NAME##_few((accreal *)totals, place, lines, rows);                                          \
      return;                                                                                       \
    }                                                                                               \
    accreal *a = (accreal *)totals;                                                                 \
    _Alignas(TH_STREAM_LINE) real room[PIECE], here[PIECE];                                         \
    for (ptrdiff_t i = 0, together; i < rows; i += together) {                                      \
      const real *x = (const real *)place->from + i * place->jumpX;                                 \
      real *const r = (real *)place->to + i * place->jumpR;                                         \
      together = THMin(rows - i, most);                                                             \
      const ptrdiff_t turn = i + together < rows ? next.turn : lines;                               \
      for (ptrdiff_t j = 0, m; j < lines; j += m) {                                                 \
        const ptrdiff_t ahead = j < turn ? next.before : next.after;                                \
        if (around) {                                                                               \
          const THScanPlace some = {x + j, r + j, .jumpX = place->jumpX, .jumpR = place->jumpR};    \
          m = j < turn ? turn : lines - j;                                                          \
          NAME##_sent(a + j, &some, m, together, ahead);                                            \
          continue;                                                                                 \
        }                                                                                           \
        m = streams ? THStream_first(r + j, sizeof(real), lines - j) : THMin(lines - j, PIECE);     \
        m = THMin(m, PIECE);                                                                        \
        real *const to = dr == 1 && !streams ? r + j : here;                                        \
        if (dx == 1 && streams)                                                                     \
          fetch(x + j + ahead, m);                                                                  \
        NAME##_row(a + j, to, side_by_side(room, x + j * dx, dx, m), m);                            \
        deliver(r + j * dr, dr, to, m, streams);                                                    \
      }                                                                                             \
    }                                                                                               \
    if (streams)                                                                                    \
      THStream_finish();                                                                            \
  }

ALONG(sum, 0, SUM)
ALONG(product, 1, PRODUCT)
ACROSS(sum, 0, SUM)
ACROSS(product, 1, PRODUCT)

const THScanKernels TH_LEVEL_(THTensor_(scanKernels))[] = {
    [TH_SCAN_SUM] = {SHORT, ALONG_ENTRY(sum), sum_lines, sum_across},
    [TH_SCAN_PRODUCT] = {SHORT, ALONG_ENTRY(product), product_lines, product_across},
};
