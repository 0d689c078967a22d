/* The kernel that converts elements of Source to Real (TH/tensor/THEachSource.h). */

static void SOURCE_(convertRow)(real *r, const source *x, ptrdiff_t n)
{
  const ptrdiff_t done = SOURCE_(vectors)(r, x, n);
  TH_PRAGMA(omp simd)
  for (ptrdiff_t i = done; i < n; i++)
    r[i] = SOURCE_(from)(x[i]);
}

/* A streamed result: short blocks are converted in a buffer, then streamed. */
static void SOURCE_(streamRow)(real *r, const source *x, ptrdiff_t n)
{
  _Alignas(TH_STREAM_LINE) real buffer[TH_STREAM_BLOCK / sizeof(real)];
  for (ptrdiff_t i = 0, m; i < n; i += m) {
    m = THStream_first(r + i, sizeof(real), n - i);
    THStream_prefetch(x + i, (size_t)m * sizeof(source));
    SOURCE_(convertRow)(buffer, x + i, m);
    THStream_copy(r + i, buffer, (size_t)m * sizeof(real));
  }
}

static void SOURCE_(row)(void *r, const void *x, ptrdiff_t n, int streams)
{
  if (streams)
    SOURCE_(streamRow)((real *)r, (const source *)x, n);
  else
    SOURCE_(convertRow)((real *)r, (const source *)x, n);
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
