/* For the reduction ROW: reduces lines eight at a time, so that eight sums are in flight and one loop
 * iteration serves eight lines.  Long lines are reduced one by one, to four vectors each. */
#define ROW_(name) TH_CONCAT_3(ROW, _, name)
#define State      ROW_(State)

#define NAME_(name) TH_CONCAT_3(ROW, _by_eight_, name)
#if defined(TH_REAL_IS_FLOAT)
#define Vector        Eight
#define VECTOR_(name) eight_##name
#define COUNT         EIGHT
#include "THReduceVectors.h"
#endif

/* The vector b after it has taken in those of eight elements whose bits are set in left. */
static inline Eight NAME_(rest_of)(Eight b, const real *x, THMask64 left, double p)
{
  return eight_chosen(b, left, ROW_(eight_take)(b, eight_of(x, left), p));
}

/* Joins eight vectors, one per line, to one vector of eight states: first halves of
 * the vectors, then quarters, then single lanes, in the order of ROW_(fold). */
static inline Eight NAME_(folded)(const Eight *lanes)
{
  Eight half[4], two[2];
  for (int k = 0; k < 4; k++)
    half[k] = ROW_(joined_eight)(SHUFFLED(lanes[k], lanes[k + 4], 0, 1, 2, 3, 8, 9, 10, 11),
                                 SHUFFLED(lanes[k], lanes[k + 4], 4, 5, 6, 7, 12, 13, 14, 15));
  for (int k = 0; k < 2; k++)
    two[k] = ROW_(joined_eight)(SHUFFLED(half[k], half[k + 2], 0, 1, 8, 9, 4, 5, 12, 13),
                                SHUFFLED(half[k], half[k + 2], 2, 3, 10, 11, 6, 7, 14, 15));
  return ROW_(joined_eight)(SHUFFLED(two[0], two[1], 0, 8, 2, 10, 4, 12, 6, 14),
                            SHUFFLED(two[0], two[1], 1, 9, 3, 11, 5, 13, 7, 15));
}

/* Joins the vectors of some lines (a constant number), one for each, into the states of these lines. */
static inline __attribute__((always_inline)) void NAME_(take_in)(State *states, const Eight *b,
                                                                 int some)
{
  const THMask64 lanes = (THMask64)((1 << some) - 1);
  const Eight before = (Eight)THLongs_loadMasked(lanes, (const int64_t *)states);
  const Eight after = ROW_(joined_eight)(before, NAME_(folded)(b));
  THLongs_storeMasked((int64_t *)states, lanes, (THLongs)after);
}

/* Joins the lanes of the vector of a single line to one state. */
static inline State NAME_(alone)(Eight lanes)
{
  lanes = ROW_(joined_eight)(lanes, SHUFFLED(lanes, lanes, 4, 5, 6, 7, 0, 1, 2, 3));
  lanes = ROW_(joined_eight)(lanes, SHUFFLED(lanes, lanes, 2, 3, 0, 1, 6, 7, 4, 5));
  return ROW_(joined_eight)(lanes, SHUFFLED(lanes, lanes, 1, 0, 3, 2, 5, 4, 7, 6))[0];
}

/* Reduces a line to one vector, joined from four, block by block. */
static __attribute__((noinline)) Eight NAME_(long)(const real *x, ptrdiff_t n, uintptr_t ahead,
                                                   double p)
{
  enum { DEEP_EIGHT = 4, UNROLL = DEEP_EIGHT * EIGHT };
  const Eight none = (Eight){0} + (accreal)ROW_(initial)();
  Eight all[] = {none, none, none, none};
  for (const real *const end = x + n; x < end;) {
    Eight b[] = {none, none, none, none};
    const real *const stop = x + THMin(BLOCK, end - x);
    for (; stop - x >= UNROLL; x += UNROLL) {
      prefetch((uintptr_t)x + ahead, UNROLL);
      TH_PRAGMA(GCC unroll 4)
      for (int k = 0; k < DEEP_EIGHT; k++)
        b[k] = ROW_(eight_take)(b[k], eight_widened(x + k * EIGHT), p);
    }
    const uint32_t left = (1u << (stop - x)) - 1;
    if (left)
      TH_PRAGMA(GCC unroll 4)
    for (int k = 0; k < DEEP_EIGHT; k++)
      b[k] = NAME_(rest_of)(b[k], x + k * EIGHT, (THMask64)(left >> k * EIGHT), p);
    x = stop;
    TH_PRAGMA(GCC unroll 4)
    for (int k = 0; k < DEEP_EIGHT; k++)
      all[k] = ROW_(joined_eight)(all[k], b[k]);
  }
  return ROW_(joined_eight)(ROW_(joined_eight)(all[0], all[2]), ROW_(joined_eight)(all[1], all[3]));
}

/* Reduces some lines (a constant number, up to eight) to their states.  If gaps between lines are
 * small, it prefetches as many lines after them in the order of memory: prefetching each line when it
 * begins would be too late. */
static inline __attribute__((always_inline)) void NAME_(abreast)(State *states, const real *x,
                                                                 ptrdiff_t lineStride, int some,
                                                                 ptrdiff_t n, double p)
{
  const ptrdiff_t whole = n / EIGHT * EIGHT;
  const THMask64 left = (THMask64)((1 << (n - whole)) - 1);
  const ptrdiff_t pace = lineStride < 2 * n ? some : 0;
  const real *const next = x + pace * lineStride;
  Eight b[EIGHT];
  TH_PRAGMA(GCC unroll 8)
  for (int k = 0; k < EIGHT; k++)
    b[k] = (Eight){0} + (accreal)ROW_(initial)();
  for (ptrdiff_t i = 0; i < whole; i += EIGHT) {
    prefetch((uintptr_t)(next + pace * i), (size_t)(some * EIGHT));
    TH_PRAGMA(GCC unroll 8)
    for (int k = 0; k < some; k++)
      b[k] = ROW_(eight_take)(b[k], eight_widened(x + k * lineStride + i), p);
  }
  if (left)
    TH_PRAGMA(GCC unroll 8)
  for (int k = 0; k < some; k++)
    b[k] = NAME_(rest_of)(b[k], x + k * lineStride + whole, left, p);
  NAME_(take_in)(states, b, some);
}

static __attribute__((noinline)) void NAME_(long_lines)(State *states, const real *x,
                                                        ptrdiff_t lines, ptrdiff_t lineStride,
                                                        ptrdiff_t n, uintptr_t ahead, double p)
{
  for (ptrdiff_t j = 0; j < lines; j += EIGHT) {
    const int some = (int)THMin(EIGHT, lines - j);
    Eight b[EIGHT] = {0};
    for (int k = 0; k < some; k++)
      b[k] = NAME_(long)(x + (j + k) * lineStride, n, ahead, p);
    NAME_(take_in)(states + j, b, some);
  }
}

static __attribute__((noinline)) void NAME_(short_lines)(State *states, const real *x,
                                                         ptrdiff_t lines, ptrdiff_t lineStride,
                                                         ptrdiff_t n, double p)
{
  ptrdiff_t j = 0;
  for (; j + EIGHT <= lines; j += EIGHT)
    NAME_(abreast)(states + j, x + j * lineStride, lineStride, EIGHT, n, p);
  for (; j < lines; j++)
    NAME_(abreast)(states + j, x + j * lineStride, lineStride, 1, n, p);
}

static void NAME_(lines)(void *states, const real *x, ptrdiff_t lines, ptrdiff_t lineStride,
                         ptrdiff_t n, const THReduceScalars *scalars)
{
  if (n < SHORT_LINE)
    NAME_(short_lines)(states, x, lines, lineStride, n, scalars->p);
  else
    NAME_(long_lines)(states, x, lines, lineStride, n, line_ahead(scalars, 1), scalars->p);
}

static void NAME_(line)(void *to, const void *at, ptrdiff_t n, ptrdiff_t first,
                        const THReduceScalars *scalars)
{
  if (is_long(n, sizeof(State))) {
    const State sum = NAME_(alone)(NAME_(long)(at, n, line_ahead(scalars, 1), scalars->p));
    ROW_(join)(to, &sum, 1);
  } else {
    NAME_(short_lines)(to, at, 1, 0, n, scalars->p);
  }
}

#undef NAME_

#undef ROW_
#undef State
