/* For the reduction ROW: reduces one line of adjacent elements (ROW_(line)), or many of the same
 * length (ROW_(lines)).  Included once for each reduction. */
#define ROW_(name) TH_CONCAT_3(ROW, _, name)
#define State      ROW_(State)

/* Reduces n adjacent elements to lanes. */
static void ROW_(lanes)(State *restrict lanes, const real *x, ptrdiff_t n, uintptr_t ahead,
                        double p)
{
  enum { UNROLL = LANE_BYTES / sizeof(State) };
  const ptrdiff_t swept = ROW_(sweep)(lanes, x, UNROLL, LINE_DEEP, n, ahead, p);
  ROW_(rest)(lanes, x + swept, UNROLL, n - swept, p);
}

/* The state of a line that fills all lanes several times. */
static inline __attribute__((always_inline)) State ROW_(long)(const real *line, ptrdiff_t n,
                                                              uintptr_t ahead, double p)
{
  enum { UNROLL = LANE_BYTES / sizeof(State) };
  State all[UNROLL], lanes[UNROLL];
  ROW_(start)(all, UNROLL);
  for (ptrdiff_t done = 0; done < n; done += BLOCK) {
    ROW_(lanes)(lanes, line + done, THMin(BLOCK, n - done), ahead, p);
    ROW_(join)(all, lanes, UNROLL);
  }
  return ROW_(fold)(all, UNROLL);
}

static TH_UNUSED void ROW_(line)(void *to, const void *at, ptrdiff_t n, ptrdiff_t first,
                                 const THReduceScalars *scalars)
{
  enum { VECTOR = 64 / sizeof(State) };
  const real *const x = (const real *)at;
  const double p = scalars->p;
  State sum;
  if (is_long(n, sizeof(State))) {
    sum = ROW_(long)(x, n, line_ahead(scalars, ROW_(prefetched)), p);
  } else { /* one vector of lanes */
    State lanes[VECTOR];
    ptrdiff_t i = ROW_(sweep)(lanes, x, VECTOR, 1, n, 0, p);
    sum = ROW_(fold)(lanes, VECTOR);
    for (; i < n; i++)
      sum = ROW_(take)(sum, (State)x[i], p);
  }
  ROW_(join)(to, &sum, 1);
}

/* Lines of middle length: each becomes a vector of lanes (a long one from several vectors), and the
 * vectors of many lines are transposed and joined.  Long lines from memory are taken one by one
 * instead: prefetching the next line early would be delayed. */

/* Reduces short lines to one vector of lanes each, parts[k]. */
static inline __attribute__((always_inline)) void
ROW_(short_parts)(State (*parts)[64 / sizeof(State)], const real *x, ptrdiff_t lines,
                  ptrdiff_t lineStride, ptrdiff_t n, const real *end, double p)
{
  enum { VECTOR = 64 / sizeof(State) };
  const ptrdiff_t whole = n / VECTOR * VECTOR;
  const int left = (int)(n - whole);
  real rest[VECTOR] = {0};
  for (ptrdiff_t k = 0; k < lines; k++, x += lineStride) {
    ROW_(sweep)(parts[k], x, VECTOR, 1, whole, 0, p);
    if (!left)
      continue;
    const real *some = x + whole;
    if (some + VECTOR > end)
      some = memcpy(rest, some, ITEM * (size_t)left);
    ROW_(some)(parts[k], some, VECTOR, left, p);
  }
}

static inline __attribute__((always_inline)) void
ROW_(long_parts)(State (*parts)[64 / sizeof(State)], const real *x, ptrdiff_t lines,
                 ptrdiff_t lineStride, ptrdiff_t n, uintptr_t ahead, double p)
{
  enum { VECTOR = 64 / sizeof(State), UNROLL = LANE_BYTES / sizeof(State) };
  for (ptrdiff_t k = 0; k < lines; k++, x += lineStride) {
    State lanes[UNROLL];
    ROW_(lanes)(lanes, x, n, ahead, p);
    for (int half = UNROLL / 2; half >= VECTOR; half /= 2)
      ROW_(join)(lanes, lanes + half, half);
    memcpy(parts[k], lanes, sizeof parts[k]);
  }
}

static TH_UNUSED void ROW_(lines)(void *states, const real *x, ptrdiff_t lines,
                                  ptrdiff_t lineStride, ptrdiff_t n, const THReduceScalars *scalars)
{
  enum { VECTOR = 64 / sizeof(State) };
  const int isLong = (ptrdiff_t)ROW_(shortLine) > SHORT_LINE && n >= SHORT_LINE;
  const real *const end = x + (lines - 1) * lineStride + n;
  _Alignas(64) State parts[TRANSPOSE_LINES][VECTOR];
  if (isLong && scalars->far) {
    for (ptrdiff_t j = 0; j < lines; j++)
      ROW_(line)((State *)states + j, x + j * lineStride, n, 0, scalars);
    return;
  }
  for (ptrdiff_t j = 0; j < lines; j += TRANSPOSE_LINES) {
    const ptrdiff_t here = THMin(TRANSPOSE_LINES, lines - j);
    const real *const at = x + j * lineStride;
    if (isLong)
      ROW_(long_parts)(parts, at, here, lineStride, n, line_ahead(scalars, ROW_(prefetched)),
                       scalars->p);
    else
      ROW_(short_parts)(parts, at, here, lineStride, n, end, scalars->p);
    fold_lines(ROW_(join), sizeof(State), (State *)states + j, parts, here);
  }
}

#undef ROW_
#undef State
