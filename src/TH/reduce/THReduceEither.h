/* For the reduction ROW: reduces a line, or rows, in vectors of four or of eight scalars, whichever the
 * processor adds faster. */
#define ROW_(name) TH_CONCAT_3(ROW, _, name)

static void ROW_(either_line)(void *to, const void *at, ptrdiff_t n, ptrdiff_t first,
                              const THReduceScalars *scalars)
{
  if (THCpu_addsEight())
    ROW_(by_eight_line)(to, at, n, first, scalars);
  else
    ROW_(line)(to, at, n, first, scalars);
}

static void ROW_(either_rows)(void *states, const THRows *block, const THReduceScalars *scalars)
{
  if (THCpu_addsEight() && block->stride == 1)
    ROW_(by_eight_columns)(states, block, scalars->p);
  else if (THCpu_addsEight() && are_lines(block))
    ROW_(by_eight_lines)(states, AT(block), block->lanes, block->stride, block->rows, scalars);
  else
    ROW_(rows)(states, block, scalars);
}

#undef ROW_
