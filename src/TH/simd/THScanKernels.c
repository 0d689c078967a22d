/* Kernels of running sums and products. */
#include "THTemplate.h"

#include "../THScan.h"

/* Along a line, eight totals at a time are made in three steps, in each of which a total takes in
 * the one that lies one, two and four places before it:
 *
 *     a   b     c       d         e         f           g             h
 *     a   ab    bc      cd        de        ef          fg            gh
 *     a   ab    abc     abcd      bcde      cdef        defg          efgh
 *     a   ab    abc     abcd      abcde     abcdef      abcdefg       abcdefgh
 *
 * What came before the eight is then taken in by all, which is the only step that waits for the
 * eight before.  Halves of four are vectors that every compiler knows how to shuffle. */
enum { HALF = 4, BLOCK = 2 * HALF, PIECE = 512 };

typedef accreal Half __attribute__((vector_size(HALF * sizeof(accreal))));

typedef union {
  accreal items[PIECE];
  Half halves[PIECE / HALF];
} Piece;

#define SHIFT(V, BY, NEUTRAL) __builtin_shufflevector(V, NEUTRAL, SHIFT_##BY)
#define SHIFT_1               4, 0, 1, 2
#define SHIFT_2               4, 4, 0, 1
#define LAST(V)               __builtin_shufflevector(V, V, 3, 3, 3, 3)

static void load(accreal *a, const real *x, ptrdiff_t step, ptrdiff_t n)
{
  if (step == 1)
    for (ptrdiff_t i = 0; i < n; i++)
      a[i] = (accreal)x[i];
  else
    for (ptrdiff_t i = 0; i < n; i++)
      a[i] = (accreal)x[i * step];
}

static void store(real *r, ptrdiff_t step, const accreal *a, ptrdiff_t n)
{
  if (step == 1)
    for (ptrdiff_t i = 0; i < n; i++)
      r[i] = (real)a[i];
  else
    for (ptrdiff_t i = 0; i < n; i++)
      r[i * step] = (real)a[i];
}

#define SUM(a, b)     ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))

#define FUNCTIONS(NAME, INITIAL, TAKE)                                                    \
  static inline __attribute__((always_inline)) void NAME##_half(Half *v)                  \
  {                                                                                       \
    const Half neutral = {INITIAL, INITIAL, INITIAL, INITIAL};                            \
    *v = TAKE(*v, SHIFT(*v, 1, neutral));                                                 \
    *v = TAKE(*v, SHIFT(*v, 2, neutral));                                                 \
  }                                                                                       \
                                                                                          \
  /* Elements become totals; *here is the total from the first piece on. */               \
  static void NAME##_piece(Piece *piece, ptrdiff_t n, Half *here, accreal before)         \
  {                                                                                       \
    Half all = *here;                                                                     \
    for (ptrdiff_t i = n; i % BLOCK; i++)                                                 \
      piece->items[i] = INITIAL;                                                          \
    for (ptrdiff_t i = 0; i * HALF < n; i += 2) {                                         \
      Half low = piece->halves[i], high = piece->halves[i + 1];                           \
      NAME##_half(&low);                                                                  \
      NAME##_half(&high);                                                                 \
      high = TAKE(high, LAST(low));                                                       \
      piece->halves[i] = TAKE(before, TAKE(all, low));                                    \
      piece->halves[i + 1] = TAKE(before, TAKE(all, high));                               \
      all = TAKE(all, LAST(high));                                                        \
    }                                                                                     \
    *here = all;                                                                          \
  }                                                                                       \
                                                                                          \
  static void NAME##_along(void *total, const THScanPlace *place, ptrdiff_t n)            \
  {                                                                                       \
    const real *x = (const real *)place->from;                                            \
    real *r = (real *)place->to;                                                          \
    const accreal before = *(accreal *)total;                                             \
    Half here = {INITIAL, INITIAL, INITIAL, INITIAL};                                     \
    for (ptrdiff_t i = 0; i < n; i += PIECE) {                                            \
      Piece piece;                                                                        \
      const ptrdiff_t m = THMin(n - i, PIECE);                                            \
      load(piece.items, x + i * place->dx, place->dx, m);                                 \
      NAME##_piece(&piece, m, &here, before);                                             \
      if (r)                                                                              \
        store(r + i * place->dr, place->dr, piece.items, m);                              \
    }                                                                                     \
    *(accreal *)total = TAKE(before, here[0]);                                            \
  }                                                                                       \
                                                                                          \
  static void NAME##_row(accreal *restrict a, const real *x, ptrdiff_t step, ptrdiff_t n) \
  {                                                                                       \
    if (step == 1)                                                                        \
      for (ptrdiff_t j = 0; j < n; j++)                                                   \
        a[j] = TAKE(a[j], (accreal)x[j]);                                                 \
    else                                                                                  \
      for (ptrdiff_t j = 0; j < n; j++)                                                   \
        a[j] = TAKE(a[j], (accreal)x[j * step]);                                          \
  }                                                                                       \
                                                                                          \
  static void NAME##_across(void *totals, const THScanPlace *place, ptrdiff_t lines,      \
                            ptrdiff_t rows)                                               \
  {                                                                                       \
    accreal *a = (accreal *)totals;                                                       \
    for (ptrdiff_t i = 0; i < rows; i++) {                                                \
      const real *x = (const real *)place->from + i * place->jumpX;                       \
      real *r = (real *)place->to + i * place->jumpR;                                     \
      for (ptrdiff_t j = 0; j < lines; j += PIECE) {                                      \
        const ptrdiff_t m = THMin(lines - j, PIECE);                                      \
        NAME##_row(a + j, x + j * place->dx, place->dx, m);                               \
        store(r + j * place->dr, place->dr, a + j, m);                                    \
      }                                                                                   \
    }                                                                                     \
  }

FUNCTIONS(sum, 0, SUM)
FUNCTIONS(product, 1, PRODUCT)

const THScanKernels TH_LEVEL_(THTensor_(scanKernels))[] = {
    [TH_SCAN_SUM] = {sum_along, sum_across},
    [TH_SCAN_PRODUCT] = {product_along, product_across},
};
