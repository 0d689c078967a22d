/* For the reduction ROW: how lanes of states take in elements x, each converted to a state first, by
 * ROW_(take)(the expression of ROW in src/ops/reduce.h).  Numbers of lanes and deep are constants:
 *
 *     few(a, x, lanes, rowStride, deep, p)   deep rows, rowStride elements apart
 *     sweep(a, x, lanes, deep, n, ahead, p)  starts with n adjacent elements, deep rows at a time;
 *                                            returns how many it took in
 *     rest(a, x, lanes, n, p)                the n elements that a sweep leaves over
 *     some(a, x, lanes, some, p)             a row, of which only the first some count
 *
 * A sweep prefetches elements ahead bytes further on, unless ahead is 0.
 *
 * Included once for each reduction of src/ops/reduce.h; WIDENS is defined where its state is
 * accreal. */
#define ROW_(name) TH_CONCAT_3(ROW, _, name)
#define State      ROW_(State)

#if defined(WIDENS) && defined(FOURS)
#define NAME_         ROW_
#define Vector        Four
#define VECTOR_(name) four_##name
#define COUNT         FOUR
#include "THReduceVectors.h"
#undef NAME_

static inline __attribute__((always_inline)) void ROW_(rest)(accreal *restrict a, const real *x,
                                                             TH_UNUSED int lanes, ptrdiff_t n,
                                                             double p)
{
  ptrdiff_t i = 0;
  for (; i + FOUR <= n; i += FOUR)
    ROW_(few)(a + i, x + i, FOUR, 0, 1, p);
  for (; i < n; i++)
    a[i] = ROW_(take)(a[i], x[i], p);
}

static inline __attribute__((always_inline)) void ROW_(some)(accreal *restrict a, const real *x,
                                                             int lanes, int some, double p)
{
  for (int k = 0; k < lanes; k += FOUR) {
    const FourBits index = {k, k + 1, k + 2, k + 3};
    const Four b = four_at(a + k);
    const Four c = four_chosen(index < some, ROW_(four_take)(b, four_widened(x + k), p), b);
    memcpy(a + k, &c, sizeof c);
  }
}

#else

static inline __attribute__((always_inline)) void ROW_(few)(State *restrict a, const real *x,
                                                            int lanes, ptrdiff_t rowStride,
                                                            int deep, double p)
{
  TH_PRAGMA(omp simd) /* otherwise compilers unroll it first and leave it scalar */
  for (int k = 0; k < lanes; k++) {
    State b = a[k];
    for (int d = 0; d < deep; d++)
      b = ROW_(take)(b, (State)x[d * rowStride + k], p);
    a[k] = b;
  }
}

static inline __attribute__((always_inline)) ptrdiff_t ROW_(sweep)(State *restrict a, const real *x,
                                                                   int lanes, int deep, ptrdiff_t n,
                                                                   uintptr_t ahead, double p)
{
  ptrdiff_t i = 0;
  ROW_(start)(a, lanes);
  for (; i + deep * lanes <= n; i += deep * lanes) {
    if (ahead)
      prefetch((uintptr_t)(x + i) + ahead, (size_t)(deep * lanes));
    ROW_(few)(a, x + i, lanes, lanes, deep, p);
  }
  return i;
}

static inline __attribute__((always_inline)) void ROW_(rest)(State *restrict a, const real *x,
                                                             int lanes, ptrdiff_t n, double p)
{
  for (ptrdiff_t i = 0; i < n; i += lanes)
    for (ptrdiff_t j = 0; j < THMin(lanes, n - i); j++)
      a[j] = ROW_(take)(a[j], (State)x[i + j], p);
}

static inline __attribute__((always_inline)) void ROW_(some)(State *restrict a, const real *x,
                                                             int lanes, int some, double p)
{
  State wide[64 / sizeof(State)];
  for (int k = 0; k < lanes; k++)
    wide[k] = (State)x[k];
  TH_PRAGMA(omp simd) /* otherwise it has branches, which are mispredicted */
  for (int k = 0; k < lanes; k++) {
    const State b = a[k], c = ROW_(take)(b, wide[k], p);
    a[k] = k < some ? c : b;
  }
}

#endif

/* Joins the states of all lanes into lane 0, which is returned.  Even the last steps join whole
 * vectors, since joining single states would need branches, which are mispredicted; the other lanes
 * then mean nothing. */
static inline __attribute__((always_inline)) State ROW_(fold)(State *lanes, int count)
{
  enum { LEAST = 4 };
  TH_PRAGMA(GCC unroll 10)
  for (int step = 9; step >= 0; step--)
    if (count >= 2 << step)
      ROW_(join)(lanes, lanes + (1 << step), THMax(1 << step, LEAST));
  return lanes[0];
}

#undef ROW_
#undef State
