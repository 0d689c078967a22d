/* The kernels of THGatherKernels.c for elements of BITS bits, 8 to 64: included once for each. */
#define BITS_(name) TH_CONCAT_2(name, BITS)
#define Bits        TH_CONCAT_3(uint, BITS, _t)

/* r[i] = x[i * step].  Compilers have vector instructions for small constant strides. */
static inline __attribute__((always_inline)) void BITS_(step_by)(Bits *r, const Bits *x,
                                                                 const ptrdiff_t step, ptrdiff_t n)
{
  TH_PRAGMA(omp simd)
  for (ptrdiff_t i = 0; i < n; i++)
    r[i] = x[step * i];
}

static void BITS_(stepped)(void *to, const void *from, ptrdiff_t step, ptrdiff_t n)
{
  Bits *const r = to;
  const Bits *const x = from;
  switch (step) {
    case 2:
      BITS_(step_by)(r, x, 2, n);
      return;
    case 3:
      BITS_(step_by)(r, x, 3, n);
      return;
    case 4:
      BITS_(step_by)(r, x, 4, n);
      return;
    default:
      for (ptrdiff_t i = 0; i < n; i++)
        r[i] = x[i * step];
  }
}

/* r[j * lines + i] = x[i * step + j] for each i < lines, which is a constant. */
static inline __attribute__((always_inline)) void BITS_(interleave)(Bits *r, const ptrdiff_t lines,
                                                                    const Bits *x, ptrdiff_t step,
                                                                    ptrdiff_t rows)
{
  TH_PRAGMA(omp simd)
  for (ptrdiff_t j = 0; j < rows; j++)
    for (ptrdiff_t i = 0; i < lines; i++)
      r[lines * j + i] = x[i * step + j];
}

/* For fewer rows, or shorter ones, than a square has. */
static void BITS_(narrow)(Bits *r, ptrdiff_t pitch, const Bits *x, ptrdiff_t step, ptrdiff_t n,
                          ptrdiff_t rows)
{
  if (n >= TH_CONCAT_3(THTranspose, BITS, _SIDE)) {
    for (ptrdiff_t j = 0; j < rows; j++)
      BITS_(stepped)(r + j * pitch, x + j, step, n);
    return;
  }
  switch (pitch == n ? n : 0) {
    case 2:
      BITS_(interleave)(r, 2, x, step, rows);
      return;
    case 3:
      BITS_(interleave)(r, 3, x, step, rows);
      return;
    case 4:
      BITS_(interleave)(r, 4, x, step, rows);
      return;
    default:
      for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < rows; j++)
          r[j * pitch + i] = x[i * step + j];
  }
}

/* Transposes squares in registers, in bands of a few cache lines of each source row:
 * these lines stay in the cache until all of them have been read.  The last squares of
 * a row or a band overlap with those before them. */
static void BITS_(across)(void *to, ptrdiff_t pitch, const void *from, ptrdiff_t step, ptrdiff_t n,
                          ptrdiff_t rows, ptrdiff_t ahead)
{
  enum { SIDE = TH_CONCAT_3(THTranspose, BITS, _SIDE), LINE = 64 / (BITS / 8), BAND = 4 * LINE };
  Bits *const r = to;
  const Bits *const x = from;
  if (n < SIDE || rows < SIDE) {
    BITS_(narrow)(r, pitch, x, step, n, rows);
    return;
  }
  for (ptrdiff_t first = 0; first < rows; first += BAND) {
    const ptrdiff_t end = THMin(rows, first + BAND);
    for (ptrdiff_t i = 0; i < n; i += SIDE)
      for (ptrdiff_t j = first; j < end; j += SIDE) {
        const ptrdiff_t a = THMin(i, n - SIDE), b = THMin(j, rows - SIDE);
        const Bits *const square = x + a * step + b;
        if (ahead && (j - first) % LINE == 0)
          for (ptrdiff_t k = 0; k < SIDE; k++)
            __builtin_prefetch(square + k * step + ahead);
        TH_CONCAT_3(THTranspose, BITS, _square)(square, step, r + b * pitch + a, pitch);
      }
  }
}

#undef BITS_
#undef Bits
#undef BITS
