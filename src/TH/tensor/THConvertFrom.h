/* The kernel that converts elements of Source to Real (TH/tensor/THEachSource.h). */

static __attribute__((noinline)) void SOURCE_(plainRow)(void *to, const void *from, ptrdiff_t n)
{
  real *const r = to;
  const source *const x = from;
  const ptrdiff_t done = SOURCE_(vectors)(r, x, n);
  TH_PRAGMA(omp simd)
  for (ptrdiff_t i = done; i < n; i++)
    r[i] = SOURCE_(from)(x[i]);
}

static void SOURCE_(row)(void *r, const void *x, ptrdiff_t n, int streams)
{
  if (streams)
    stream_row(r, x, n, sizeof(source), SOURCE_(plainRow));
  else
    SOURCE_(plainRow)(r, x, n);
}

/* A row of a block whose result is not contiguous. */
static inline void SOURCE_(strided)(real *r, ptrdiff_t dr, const void *at, ptrdiff_t dx,
                                    ptrdiff_t n)
{
  const source *x = at;
  for (ptrdiff_t i = 0; i < n; i++)
    r[i * dr] = SOURCE_(from)(x[i * dx]);
}

static void SOURCE_(convert)(const THRun *run, const void *scalars)
{
  if (SOURCE_TYPE == SAME_TYPE)
    copy(run);
  else
    convert(run, sizeof(source), SOURCE_(row), SOURCE_(strided));
}
