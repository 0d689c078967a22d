/* Copies of short rows, which a call of memcpy would cost as much as.  Rows follow each other, and
 * what comes 4 KB later is fetched ahead. */
static inline __attribute__((always_inline)) void copy_row(real *to, const real *from, ptrdiff_t n)
{
  enum { PIECE = 64 / sizeof(real), HALF = PIECE / 2, QUARTER = PIECE / 4 };
  for (ptrdiff_t i = 0; i < n; i += PIECE)
    __builtin_prefetch(from + i + 4096 / sizeof *from);
  if (n >= PIECE) { /* the last piece ends with the row */
    for (ptrdiff_t i = 0; i < n - PIECE; i += PIECE)
      memcpy(to + i, from + i, PIECE * sizeof *to);
    memcpy(to + n - PIECE, from + n - PIECE, PIECE * sizeof *to);
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
