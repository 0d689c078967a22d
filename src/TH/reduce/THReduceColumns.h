/* For the reduction ROW: NAME_(columns) reduces a block whose lanes are adjacent in memory, by
 * NAME_(few) and ROW_(take). */

/* Reduces DEEP rows at once, as many lanes as fill whole vectors; returns the number of these lanes. */
static inline __attribute__((always_inline)) ptrdiff_t NAME_(deep)(State *restrict a, const real *x,
                                                                   ptrdiff_t lanes,
                                                                   ptrdiff_t rowStride,
                                                                   uintptr_t ahead, double p)
{
  enum { UNROLL = ITEM < 4 ? LANE_BYTES / sizeof(State) : 64 / ITEM, VECTOR = 64 / sizeof(State) };
  ptrdiff_t j = 0;
  for (; j + UNROLL <= lanes; j += UNROLL) {
    for (int d = 0; d < DEEP; d++)
      prefetch((uintptr_t)(x + d * rowStride + j) + ahead, UNROLL);
    NAME_(few)(a + j, x + j, UNROLL, rowStride, DEEP, p);
  }
  if (ITEM < 4)
    for (; j + VECTOR <= lanes; j += VECTOR)
      NAME_(few)(a + j, x + j, VECTOR, rowStride, DEEP, p);
  return j;
}

/* Reduces one row of lanes. */
static inline __attribute__((always_inline)) void NAME_(across)(State *restrict a, const real *x,
                                                                ptrdiff_t lanes, double p)
{
  enum { VECTOR = 64 / sizeof(State), UNROLL = 2 * VECTOR };
  ptrdiff_t j = 0;
  if (ITEM >= 4)
    for (; j + UNROLL <= lanes; j += UNROLL)
      NAME_(few)(a + j, x + j, UNROLL, 0, 1, p);
  for (; j + VECTOR <= lanes; j += VECTOR)
    NAME_(few)(a + j, x + j, VECTOR, 0, 1, p);
  for (; j < lanes; j++)
    a[j] = ROW_(take)(a[j], (State)x[j], p);
}

/* Reduces all rows of a block of adjacent lanes. */
static inline __attribute__((always_inline)) void NAME_(columns)(State *restrict a,
                                                                 const THRows *block, double p)
{
  const ptrdiff_t lanes = block->lanes, rows = block->rows, rowStride = block->rowStride;
  const uintptr_t ahead = rows_ahead(lanes, rowStride, 1);
  for (ptrdiff_t i = 0, done = 0; i < rows; i++) {
    const real *x = AT(block) + i * rowStride;
    if (i % DEEP == 0)
      done = i + DEEP <= rows ? NAME_(deep)(a, x, lanes, rowStride, ahead, p) : 0;
    NAME_(across)(a + done, x + done, lanes - done, p);
  }
}
