/* Functions on parts of rows.  DirectConvKernels.c includes this file for each size of vectors, down
 * to one element: Part is the vector type. */

/* y[i] = x[i] for n elements, at least as many as a Part has.  If n is not a multiple of these, the last
 * vector overlaps the one before. */
static inline __attribute__((always_inline)) void TH_CONCAT_2(write_, Part)(const real *x,
                                                                            ptrdiff_t n, real *y)
{
  for (ptrdiff_t i = 0; i < n; i += COUNT(Part)) {
    const ptrdiff_t at = THMin(i, n - COUNT(Part));
    Part sums;
    memcpy(&sums, x + at, sizeof sums);
    memcpy(y + at, &sums, sizeof sums);
  }
}

/* Adds a vector of `from` to one of `to` for each output of a block.  The planes of outputs are
 * `plane` apart in `to`, `count` apart in `from`. */
static inline __attribute__((always_inline)) void
TH_CONCAT_2(add_, Part)(ptrdiff_t plane, real *to, const real *from, ptrdiff_t count, int outputs)
{
  for (int o = 0; o < outputs; o++) {
    Part sum, more;
    memcpy(&sum, to + o * plane, sizeof sum);
    memcpy(&more, from + o * count, sizeof more);
    sum += more;
    memcpy(to + o * plane, &sum, sizeof sum);
  }
}

#undef Part
