/* DirectConvKernels.c includes this for each size of vectors, down to one element: Part is the type. */

/* y[i] = x[i] + bias for n elements, at least as many as the type has.  Where n is no multiple of that,
 * the last vector overlaps the one before. */
static inline __attribute__((always_inline)) void TH_CONCAT_2(deliver_, Part)(const real *x,
                                                                              ptrdiff_t n,
                                                                              real bias, real *y)
{
  for (ptrdiff_t i = 0; i < n; i += COUNT(Part)) {
    const ptrdiff_t at = THMin(i, n - COUNT(Part));
    Part sums;
    memcpy(&sums, x + at, sizeof sums);
    sums += bias;
    memcpy(y + at, &sums, sizeof sums);
  }
}

/* Adds a vector to each plane of a block: those of to are plane apart, those of from count. */
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
