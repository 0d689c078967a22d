/* Variances and standard deviations, from moments that are joined. */

#if defined(TH_REAL_IS_FLOATING)

/* VARIANCE_ROWS rows are shifted by the same value.  Floats are summed in doubles, which have digits
 * to spare, so that more rows can share one shift. */
enum {
  VARIANCE_ROWS = ITEM < 8 ? 256 : 64,
  VARIANCE_STRIP = 2048 / ITEM, /* lanes; their states and the rows taken in together fill half of
                                 * L1 */
  VARIANCE_DEEP = 8,
  VARIANCE_UNROLL = 2
};

typedef struct {
  accreal n, mean;
  accreal squares; /* the sum of squared deviations from the mean */
} Moments;

static void var_start(void *states, ptrdiff_t lanes)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((Moments *)states)[j] = (Moments){0, 0, 0};
}

/* Chan, Golub, LeVeque 1979.  Equal means stay exactly what they are.  If a sum of squares is
 * infinite, the elements are finite (otherwise it is NaN); then the result is infinite, too,
 * whatever the means are. */
static inline Moments joined(Moments a, Moments b)
{
  const accreal n = a.n + b.n, weight = b.n / THMax(n, 1), difference = b.mean - a.mean;
  const accreal within = a.squares + b.squares;
  const accreal between = a.n == 0 || isinf(within) ? 0 : difference * difference * a.n * weight;
  return (Moments){n, a.n == 0 ? b.mean : a.mean + difference * weight, within + between};
}

static void var_join(void *states, const void *others, ptrdiff_t lanes)
{
  Moments *a = states;
  const Moments *b = others;
  for (ptrdiff_t j = 0; j < lanes; j++)
    if (b[j].n > 0)
      a[j] = joined(a[j], b[j]);
}

/* The moments of n elements, from the sum of their differences to shift and the sum of the squared
 * differences.  If shift is one of the elements, no more digits are lost than n has, and equal
 * elements deviate by exactly 0. */
static inline Moments moments_of(accreal n, accreal shift, accreal sum, accreal squares)
{
  const accreal mean = sum / n, lost = sum * mean;
  return (Moments){n, shift + mean, squares < lost ? 0 : squares - lost};
}

/* The moments of n elements whose sums are not finite: the sum of squares is infinite if all
 * elements are finite, NaN otherwise.  The mean is then irrelevant. */
static __attribute__((noinline)) Moments moments_beyond(const real *x, ptrdiff_t n, ptrdiff_t step)
{
  accreal none = 0; /* an infinite element makes it NaN, too */
  for (ptrdiff_t i = 0; i < n; i++)
    none += 0 * (accreal)x[i * step];
  return (Moments){(accreal)n, (accreal)*x, none + (accreal)INFINITY};
}

/* Whether moments_beyond is needed: sums of floats in doubles never overflow. */
static inline int is_beyond(accreal squares)
{
  return sizeof(real) == sizeof(accreal) && !(squares < (accreal)INFINITY);
}

/* sum + x * x, rounded once where the processor has fused multiply-add. */
static inline accreal plus_square(accreal sum, accreal x)
{
#if TH_VECTOR_FMA
  return (accreal)fma(x, x, sum);
#else
  return sum + x * x;
#endif
}

/* Takes in a few rows of n lanes, less shift. */
static inline __attribute__((always_inline)) void
var_lanes(accreal *restrict sum, accreal *restrict squares, const accreal *restrict shift,
          const real *x, ptrdiff_t n, ptrdiff_t step, ptrdiff_t rowStride, int rows)
{
  for (ptrdiff_t k = 0; k < n; k++) {
    accreal one = 0, two = 0;
    for (int i = 0; i < rows; i++) {
      const accreal difference = (accreal)x[i * rowStride + k * step] - shift[k];
      one += difference;
      two = plus_square(two, difference);
    }
    sum[k] += one;
    squares[k] += two;
  }
}

/* Takes in VARIANCE_DEEP rows of lanes adjacent lanes (a constant). */
static inline __attribute__((always_inline)) void var_unrolled(accreal *restrict sum,
                                                               accreal *restrict squares,
                                                               const accreal *restrict shift,
                                                               const real *x, int lanes,
                                                               ptrdiff_t rowStride)
{
#if defined(TH_REAL_IS_FLOAT) && TH_VECTOR == 64
  /* Loads eight floats at a time: compilers load sixteen and extract halves, and these extra
   * instructions fill the queues of the processor that wait for memory. */
  for (int k = 0; k < lanes; k += 8) {
    const THDoubles from = THDoubles_load(shift + k);
    THDoubles one = THDoubles_load(sum + k), two = THDoubles_load(squares + k);
    for (int i = 0; i < VARIANCE_DEEP; i++) {
      const THDoubles difference = (THDoubles_loadFloats(x + i * rowStride + k) - from);
      one = one + difference;
      two = THDoubles_mulAdd(difference, difference, two);
    }
    THDoubles_store(sum + k, one);
    THDoubles_store(squares + k, two);
  }
#else
  var_lanes(sum, squares, shift, x, lanes, 1, rowStride, VARIANCE_DEEP);
#endif
}

/* Takes in VARIANCE_DEEP rows of n adjacent lanes and prefetches later rows. */
static inline __attribute__((always_inline)) void var_deep(accreal *restrict sum,
                                                           accreal *restrict squares,
                                                           const accreal *restrict shift,
                                                           const real *x, ptrdiff_t n,
                                                           ptrdiff_t rowStride, uintptr_t ahead)
{
  enum { UNROLL = 64 / ITEM };
  ptrdiff_t j = 0;
  for (; j + UNROLL <= n; j += UNROLL) {
    for (int i = 0; i < VARIANCE_DEEP; i++)
      prefetch((uintptr_t)(x + i * rowStride + j) + ahead, UNROLL);
    var_unrolled(sum + j, squares + j, shift + j, x + j, UNROLL, rowStride);
  }
  var_lanes(sum + j, squares + j, shift + j, x + j, n - j, 1, rowStride, VARIANCE_DEEP);
}

static void var_strip(Moments *moments, const real *x, ptrdiff_t n, ptrdiff_t step, ptrdiff_t rows,
                      ptrdiff_t rowStride)
{
  TH_SCRATCH(accreal, shift, VARIANCE_STRIP);
  TH_SCRATCH(accreal, sum, VARIANCE_STRIP);
  TH_SCRATCH(accreal, squares, VARIANCE_STRIP);
  for (ptrdiff_t j = 0; j < n; j++) {
    shift[j] = (accreal)x[j * step];
    sum[j] = squares[j] = 0;
  }
  /* Prefetched rows are taken in next, before other lines evict them from L1. */
  const ptrdiff_t later = THMax(VARIANCE_DEEP, PREFETCH_BYTES / ITEM / n);
  const uintptr_t ahead = (uintptr_t)later * (uintptr_t)rowStride * ITEM;
  ptrdiff_t i = 0;
  for (; i + VARIANCE_DEEP <= rows; i += VARIANCE_DEEP)
    if (step == 1)
      var_deep(sum, squares, shift, x + i * rowStride, n, rowStride, ahead);
    else
      var_lanes(sum, squares, shift, x + i * rowStride, n, step, rowStride, VARIANCE_DEEP);
  for (; i + VARIANCE_UNROLL <= rows; i += VARIANCE_UNROLL)
    var_lanes(sum, squares, shift, x + i * rowStride, n, step, rowStride, VARIANCE_UNROLL);
  for (; i < rows; i++)
    var_lanes(sum, squares, shift, x + i * rowStride, n, step, rowStride, 1);
  for (ptrdiff_t j = 0; j < n; j++) {
    const Moments here = is_beyond(squares[j])
                             ? moments_beyond(x + j * step, rows, rowStride)
                             : moments_of((accreal)rows, shift[j], sum[j], squares[j]);
    moments[j] = joined(moments[j], here);
  }
}

static void var_rows(void *states, const THRows *block, const THReduceScalars *scalars)
{
  if (is_transposed(block)) {
    transposed_rows(var_rows, sizeof(Moments), states, block, scalars);
    return;
  }
  for (ptrdiff_t i = 0; i < block->rows; i += VARIANCE_ROWS)
    for (ptrdiff_t j = 0; j < block->lanes; j += VARIANCE_STRIP)
      var_strip((Moments *)states + j, AT(block) + i * block->rowStride + j * block->stride,
                THMin(VARIANCE_STRIP, block->lanes - j), block->stride,
                THMin(VARIANCE_ROWS, block->rows - i), block->rowStride);
}

/* The sum of all lanes; overwrites lanes. */
static inline __attribute__((always_inline)) accreal sum_of(accreal *lanes, int count)
{
  for (int half = count / 2; half > 0; half /= 2)
    for (int j = 0; j < half; j++)
      lanes[j] += lanes[j + half];
  return lanes[0];
}

/* Returns the sum of the differences of n elements to shift; *squares becomes the sum of the
 * squared differences. */
static inline __attribute__((always_inline)) accreal deviations(const real *x, ptrdiff_t n,
                                                                accreal shift, accreal *squares)
{
  enum { UNROLL = LANE_BYTES / sizeof(accreal) };
  accreal one[UNROLL] = {0}, two[UNROLL] = {0};
  ptrdiff_t i = 0;
  for (; i + UNROLL <= n; i += UNROLL) {
    prefetch((uintptr_t)(x + i) + PREFETCH_BYTES, UNROLL);
    for (int j = 0; j < UNROLL; j++) {
      const accreal difference = (accreal)x[i + j] - shift;
      one[j] += difference;
      two[j] = plus_square(two[j], difference);
    }
  }
  for (ptrdiff_t j = 0; j < n - i; j++) {
    const accreal difference = (accreal)x[i + j] - shift;
    one[j] += difference;
    two[j] = plus_square(two[j], difference);
  }
  *squares = sum_of(two, UNROLL);
  return sum_of(one, UNROLL);
}

/* Takes in a line block by block.  Doubles have no digits to spare, so that a block of them is read
 * twice, the second time shifted by its mean. */
static void var_line(void *to, const void *at, ptrdiff_t n, ptrdiff_t first,
                     const THReduceScalars *scalars)
{
  Moments *all = to;
  for (ptrdiff_t done = 0; done < n; done += BLOCK) {
    const real *x = (const real *)at + done;
    const ptrdiff_t here = THMin(BLOCK, n - done);
    accreal shift = (accreal)*x, squares, sum = deviations(x, here, shift, &squares);
    if (sizeof(real) == sizeof(accreal)) {
      shift += sum / (accreal)here;
      sum = deviations(x, here, shift, &squares);
    }
    *all = joined(*all, is_beyond(squares) ? moments_beyond(x, here, 1)
                                           : moments_of((accreal)here, shift, sum, squares));
  }
}

static inline accreal variance(const Moments *m, const THReduceScalars *scalars)
{
  return m->squares / (m->n - scalars->p);
}

static void var_finish(const void *states, ptrdiff_t lanes, const THReduceScalars *scalars,
                       void *result, ptrdiff_t step, int64_t *index, ptrdiff_t indexStep)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((real *)result)[j * step] = (real)variance((const Moments *)states + j, scalars);
}

static void var_total(const void *states, const THReduceScalars *scalars, void *result)
{
  *(accreal *)result = variance(states, scalars);
}

static void std_finish(const void *states, ptrdiff_t lanes, const THReduceScalars *scalars,
                       void *result, ptrdiff_t step, int64_t *index, ptrdiff_t indexStep)
{
  for (ptrdiff_t j = 0; j < lanes; j++)
    ((real *)result)[j * step] = (real)sqrt(variance((const Moments *)states + j, scalars));
}

static void std_total(const void *states, const THReduceScalars *scalars, void *result)
{
  *(accreal *)result = sqrt(variance(states, scalars));
}

#endif
