/* Vectors of sums, for AvgPoolKernels.c and AvgPoolNhwcKernels.c. */
enum { UNROLL = 4 }; /* vectors that are computed at a time */

enum { SUMS = VECTOR / sizeof(accreal) }; /* sums of a vector */

/* The sum next to conversions of floats, which would compete with an addition for its port. */
INLINE THDoubles added(THDoubles a, THDoubles b)
{
#if defined(TH_REAL_IS_FLOAT)
  return THAddViaFma(a, b);
#else
  return a + b;
#endif
}

/* n elements, fewer than SUMS, followed by zeros. */
INLINE THDoubles load_some(const real *x, ptrdiff_t n)
{
#if TH_VECTOR_MASKS && defined(TH_REAL_IS_FLOAT)
  return THDoubles_loadFloatsMasked((THMask64)((1 << n) - 1), x);
#elif TH_VECTOR_MASKS
  return Vector_(loadMasked)((Mask)((1 << n) - 1), x);
#else
  real padded[SUMS] = {0};
  for (ptrdiff_t i = 0; i < n; i++)
    padded[i] = x[i];
  return load_doubles(padded);
#endif
}

/* Load and store of n elements, fewer than LANES.  The other lanes are loaded as 0, and not stored.
 */
INLINE Vector load_partial(const real *x, ptrdiff_t n)
{
#if TH_VECTOR_MASKS
  return Vector_(loadMasked)((Mask)((1 << n) - 1), x);
#else
  real padded[LANES] = {0};
  for (ptrdiff_t i = 0; i < n; i++)
    padded[i] = x[i];
  return load(padded);
#endif
}

INLINE void store_partial(real *x, Vector v, ptrdiff_t n)
{
#if TH_VECTOR_MASKS
  Vector_(storeMasked)(x, (Mask)((1 << n) - 1), v);
#else
  real padded[LANES];
  store(padded, v);
  for (ptrdiff_t i = 0; i < n; i++)
    x[i] = padded[i];
#endif
}

/* Moves first ... end from the windows that an earlier position is in to those that position is in.
 */
static inline void windows_of(const THNNSpan *span, int64_t count, int64_t position, int64_t *first,
                              int64_t *end)
{
  while (*first < count && span[*first].end <= position)
    ++*first;
  while (*end < count && span[*end].begin <= position)
    ++*end;
}
