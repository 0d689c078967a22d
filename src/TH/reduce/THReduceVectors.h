/* NAME_(few) and NAME_(sweep) of THReduceTakes.h for the reduction ROW in vectors: COUNT floats at a
 * time are widened to a Vector of doubles, which ROW_(VECTOR_(take)) takes in. */
static inline __attribute__((always_inline)) void NAME_(few)(accreal *restrict a, const real *x,
                                                             int lanes, ptrdiff_t rowStride,
                                                             int deep, double p)
{
  for (int k = 0; k < lanes; k += COUNT) {
    Vector b = VECTOR_(at)(a + k);
    for (int d = 0; d < deep; d++)
      b = ROW_(VECTOR_(take))(b, VECTOR_(widened)(x + d * rowStride + k), p);
    memcpy(a + k, &b, sizeof b);
  }
}

static inline __attribute__((always_inline)) ptrdiff_t NAME_(sweep)(accreal *restrict a,
                                                                    const real *x, int lanes,
                                                                    TH_UNUSED int deep, ptrdiff_t n,
                                                                    uintptr_t ahead, double p)
{
  Vector b[LANE_BYTES / sizeof(Vector)];
  ptrdiff_t i = 0;
  TH_PRAGMA(GCC unroll 8)
  for (int k = 0; k < lanes / COUNT; k++)
    b[k] = (Vector){0} + (accreal)ROW_(initial)();
  for (; i + lanes <= n; i += lanes) {
    if (ahead)
      prefetch((uintptr_t)(x + i) + ahead, (size_t)lanes);
    TH_PRAGMA(GCC unroll 8)
    for (int k = 0; k < lanes / COUNT; k++)
      b[k] = ROW_(VECTOR_(take))(b[k], VECTOR_(widened)(x + i + k * COUNT), p);
  }
  TH_PRAGMA(GCC unroll 8)
  for (int k = 0; k < lanes / COUNT; k++)
    memcpy(a + k * COUNT, &b[k], sizeof b[k]);
  return i;
}

#undef Vector
#undef VECTOR_
#undef COUNT
