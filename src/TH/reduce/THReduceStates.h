/* For the reduction ROW of src/ops/reduce.h: how states begin, are joined, and become results. */
#define ROW_(name) TH_CONCAT_3(ROW, _, name)
#define State      ROW_(State)

/* Lines of fewer than shortLine elements are reduced several at a time, those of least elements or
 * more with a vector of lanes for each line.  Longer lines are reduced one by one and prefetched if
 * they come from memory; with prefetched = 1 from caches too. */
enum {
  ROW_(shortLine) = sizeof(State) < 4 ? SHORT_LINE_SMALL : SHORT_LINE,
  ROW_(least) = VECTOR_LINE,
  ROW_(prefetched) = 1
};

static inline void ROW_(start)(void *states, ptrdiff_t lanes)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((State *)states)[j] = ROW_(initial)();
}

static inline void ROW_(join)(void *states, const void *others, ptrdiff_t lanes)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((State *)states)[j] = ROW_(joined)(((State *)states)[j], ((const State *)others)[j]);
}

static void ROW_(finish)(const void *states, ptrdiff_t lanes, const THReduceScalars *scalars,
                         void *result, ptrdiff_t step, int64_t *index, ptrdiff_t indexStep)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((real *)result)[j * step] =
        (real)ROW_(result)(((const State *)states)[j], scalars->p, scalars->count);
}

static void ROW_(total)(const void *states, const THReduceScalars *scalars, void *result)
{
  *(accreal *)result = ROW_(result)(*(const State *)states, scalars->p, scalars->count);
}

#undef ROW_
#undef State
