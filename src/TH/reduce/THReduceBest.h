/* The kernels of the reduction ROW, argmax (LARGEST is 1) or argmin; every element is better than WORST. */
#define ROW_(name) TH_CONCAT_3(ROW, _, name)

static inline void ROW_(start)(void *states, ptrdiff_t lanes)
{
  best_start(states, lanes, WORST);
}

static void ROW_(join)(void *states, const void *others, ptrdiff_t lanes)
{
  best_join(LARGEST, states, others, lanes);
}

static void ROW_(rows)(void *states, const THRows *block, const THReduceScalars *scalars)
{
  if (is_transposed(block))
    transposed_rows(ROW_(rows), sizeof(Best), states, block, scalars);
  else
    best_rows(LARGEST, states, block);
}

static void ROW_(line)(void *state, const void *at, ptrdiff_t n, ptrdiff_t first,
                       const THReduceScalars *scalars)
{
  best_line(LARGEST, state, at, n, first, scalars);
}

#undef ROW_
#undef ROW
#undef LARGEST
#undef WORST
