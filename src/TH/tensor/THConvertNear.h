/* Conversions of the floating type source to integers by way of int32_t; NAME_(name) is of that
 * type.  Both are forgotten at the end. */

static inline int NAME_(areNear_)(const source *x)
{
  int near = 1;
  TH_PRAGMA(omp simd reduction(& : near))
  for (int i = 0; i < NEAR_BLOCK; i++)
    near &= x[i] > (source)-0x1p31 && x[i] < (source)0x1p31;
  return near;
}

static ptrdiff_t NAME_(near_)(real *r, const source *x, ptrdiff_t n)
{
  ptrdiff_t done = 0;
  for (; n - done >= NEAR_BLOCK && NAME_(areNear_)(x + done); done += NEAR_BLOCK)
    TH_PRAGMA(omp simd)
  for (int i = 0; i < NEAR_BLOCK; i++)
    r[done + i] = (real)(int32_t)x[done + i];
  return done;
}

#undef source
#undef NAME_
