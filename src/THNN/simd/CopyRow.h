/* Copies short rows, for which a call of memcpy would take as long as the copy.  Rows are read one
 * after the other; elements of later rows are prefetched. */
#include "Tuning.h"

static inline __attribute__((always_inline)) void copy_row(real *to, const real *from, ptrdiff_t n)
{
  enum { LINE = 64 / sizeof(real), HALF = LINE / 2, QUARTER = LINE / 4 };
  enum { PREFETCH = THNN_PREFETCH_NEAR / sizeof(real) };
  for (ptrdiff_t i = 0; i < n; i += LINE)
    __builtin_prefetch(from + i + PREFETCH);
  if (n >= LINE) { /* the last line ends with the row, and may overlap the one before */
    for (ptrdiff_t i = 0; i < n - LINE; i += LINE)
      memcpy(to + i, from + i, LINE * sizeof *to);
    memcpy(to + n - LINE, from + n - LINE, LINE * sizeof *to);
  } else if (n >= HALF) {
    memcpy(to, from, HALF * sizeof *to);
    memcpy(to + n - HALF, from + n - HALF, HALF * sizeof *to);
  } else if (n >= QUARTER) {
    memcpy(to, from, QUARTER * sizeof *to);
    memcpy(to + n - QUARTER, from + n - QUARTER, QUARTER * sizeof *to);
  } else {
    for (ptrdiff_t i = 0; i < n; i++)
      to[i] = from[i];
  }
}
