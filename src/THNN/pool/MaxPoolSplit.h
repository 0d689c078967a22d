/* MaxPoolKernels.c includes this for vectors of BYTES bytes: splits two of them into the elements of even
 * and of odd index. */
typedef real TH_CONCAT_2(Vector, BYTES)
    __attribute__((vector_size(BYTES), aligned(sizeof(real)), may_alias));

KERNEL TH_CONCAT_2(split, BYTES)(const real *x, real *even, real *odd)
{
  typedef TH_CONCAT_2(Vector, BYTES) Part;
  const Part first = ((const Part *)x)[0], second = ((const Part *)x)[1];
  *(Part *)even = TH_MIX(first, second, TH_CONCAT_2(LIST, BYTES)(EVEN));
  *(Part *)odd = TH_MIX(first, second, TH_CONCAT_2(LIST, BYTES)(ODD));
}

#undef BYTES
