/* MaxPoolKernels.c includes this for vectors of BYTES bytes: windows of 2 x 2 next to each other, without
 * padding. */

/* Pools as many windows as fill a vector. */
KERNEL TH_CONCAT_2(pool_pairs, BYTES)(const real *x, ptrdiff_t pitch, index_t first, real *y,
                                      int64_t *index)
{
  real even[2][BYTES / sizeof(real)], odd[2][BYTES / sizeof(real)];
  TH_CONCAT_2(split, BYTES)(x, even[0], odd[0]);
  TH_CONCAT_2(split, BYTES)(x + pitch, even[1], odd[1]);
  const real *const evens[] = {even[0], even[1]}, *const odds[] = {odd[0], odd[1]};
  pool_split(BYTES / sizeof(real), evens, odds, pitch, first, y, index);
}

/* Pools a row of windows; the last vector may compute some windows again. */
KERNEL TH_CONCAT_2(row_of_pairs, BYTES)(const real *x, ptrdiff_t pitch, index_t first,
                                        ptrdiff_t columns, real *y, int64_t *index)
{
  enum { COUNT = BYTES / sizeof(real) };
  for (ptrdiff_t j = 0; j < columns; j += COUNT) {
    const ptrdiff_t at = THMin(j, columns - COUNT);
    TH_CONCAT_2(pool_pairs, BYTES)(x + 2 * at, pitch, first + (index_t)(2 * at), y + at,
                                   index + at);
  }
}

#undef BYTES
