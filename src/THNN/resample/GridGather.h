/* Grid sampling for processors that gather quickly: a point's two corners in a row are gathered as
 * one value of 64 bits, for 8 points at a time, plane by plane, and nothing is transposed. */

/* A vector of points.  at is the index of the upper left one of four elements, which all lie in the
 * image.  weight[row][half] holds the weights of a row's two columns, interleaved, for half of the
 * points. */
typedef struct {
  int32_t at[LANES];
  real weight[2][2][LANES];
} GatherPairs;

/* An instruction that gathers 8 elements takes 6 cycles on Intel's processors, and three times as
 * long on others. */
static int gathers_quickly(const THNN_(Sampler) * s)
{
  enum { L2_PLANE = 1 << 17 }; /* elements; two planes stay in the L2 cache */
  return s->axes == 2 && s->plane <= L2_PLANE && s->in[1] > 1 && s->in[2] > 1 &&
         __builtin_cpu_is("intel");
}

/* Points along one axis.  first is the index of the first of two neighbours, weight and inside are
 * the weights of both and whether they are corners in the image.  slope is how the second weight
 * changes with the grid's coordinate; the first weight changes by -slope. */
typedef struct {
  __m512i first;
  __m512 weight[2], slope;
  __mmask16 inside[2];
} AxisPairs;

/* Finds the neighbours along axis a from the grid's coordinates; find_indices computes the same. */
INLINE AxisPairs pair_along(const THNN_(Sampler) * s, int a, __m512 coordinate)
{
  const real size = (real)s->in[a];
  const __m512 none = _mm512_setzero_ps(), one = _mm512_set1_ps(1), end = _mm512_set1_ps(size);
  const __m512 last = _mm512_set1_ps(size - 1), half = _mm512_set1_ps((real).5);
  __m512 at = _mm512_mul_ps(_mm512_mul_ps(_mm512_add_ps(coordinate, one), half), last);
  __m512 slope = _mm512_mul_ps(last, half);
  if (s->padding == THNN_REFLECTION)
    reflect((real *)&at, (real *)&slope, LANES, s->in[a] - 1);
  if (s->padding != THNN_ZEROS) {
    const __mmask16 moves = _mm512_cmp_ps_mask(at, none, _CMP_GT_OQ);
    slope = _mm512_maskz_mov_ps(_mm512_mask_cmp_ps_mask(moves, at, last, _CMP_LT_OQ), slope);
    at = _mm512_min_ps(_mm512_max_ps(at, none), last); /* NaN becomes the second operand */
  }
  at = _mm512_min_ps(_mm512_max_ps(at, -one), end);
  const __m512 low = _mm512_roundscale_ps(at, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  const __m512 first = _mm512_max_ps(_mm512_min_ps(low, last - one), none);
  const __mmask16 near = _mm512_cmp_ps_mask(low, first, _CMP_EQ_OQ);
  const __mmask16 before = _mm512_cmp_ps_mask(low, first, _CMP_LT_OQ);
  const __mmask16 some = _mm512_cmp_ps_mask(at, -one, _CMP_GT_OQ);
  const __mmask16 inside = _mm512_mask_cmp_ps_mask(some, at, end, _CMP_LT_OQ);
  const __mmask16 behind = inside & (__mmask16) ~(near | before);
  const __m512 second = at - low, rest = one - second;
  const __mmask16 both[2] = {inside & (near | before), (inside & near) | behind};
  return (AxisPairs){
      .first = _mm512_cvttps_epi32(first),
      .slope = _mm512_mask_mov_ps(-slope, near, slope),
      .inside = {both[0], both[1]},
      .weight = {_mm512_maskz_mov_ps(both[0], _mm512_mask_mov_ps(rest, before, second)),
                 _mm512_maskz_mov_ps(both[1], _mm512_mask_mov_ps(second, behind, rest))}};
}

/* The neighbours of the first vector of count points, down (y) and across (x) the image. */
INLINE void pairs_at(const THNN_(Sampler) * s, const real *coordinate, ptrdiff_t count,
                     AxisPairs *y, AxisPairs *x)
{
  const uint32_t there = count < LANES ? (1u << 2 * count) - 1 : UINT32_MAX;
  const Vector first = (Vector)_mm512_maskz_loadu_ps((__mmask16)there, coordinate);
  const Vector second = (Vector)_mm512_maskz_loadu_ps((__mmask16)(there >> 16), coordinate + LANES);
  *x = pair_along(s, 2, (__m512)MIX(first, second, EVEN));
  *y = pair_along(s, 1, (__m512)MIX(first, second, ODD));
}

INLINE __m512i first_of_pairs(const THNN_(Sampler) * s, const AxisPairs *y, const AxisPairs *x)
{
  return _mm512_add_epi32(_mm512_mullo_epi32(y->first, _mm512_set1_epi32((int32_t)s->in[2])),
                          x->first);
}

/* n points, whose grid coordinates begin at coordinate. */
static void pair_points(const THNN_(Sampler) * s, const real *coordinate, ptrdiff_t n,
                        GatherPairs *pairs)
{
  for (ptrdiff_t i = 0; i < n; i += LANES, pairs++) {
    AxisPairs x, y;
    pairs_at(s, coordinate + 2 * i, n - i, &y, &x);
    _mm512_storeu_si512(pairs->at, first_of_pairs(s, &y, &x));
    for (int row = 0; row < 2; row++) {
      const Vector left = (Vector)_mm512_mul_ps(y.weight[row], x.weight[0]);
      const Vector right = (Vector)_mm512_mul_ps(y.weight[row], x.weight[1]);
      _mm512_storeu_ps(pairs->weight[row][0], (__m512)MIX(left, right, LOWER));
      _mm512_storeu_ps(pairs->weight[row][1], (__m512)MIX(left, right, UPPER));
    }
  }
}

/* Gathers both neighbours in a row of half of a vector's points, interleaved. */
INLINE __m512 neighbours(const real *x, const int32_t *at, int half)
{
  const __m256i where = _mm256_loadu_si256((const __m256i *)at + half);
  return _mm512_castpd_ps(_mm512_i32gather_pd(where, x, 4));
}

/* With some, elements with weight 0 are left out: they may hold values that are not finite. */
INLINE __m512 sum_of_pairs(const real *x, int64_t width, const GatherPairs *pairs, int some)
{
  Vector sum[2];
  for (int half = 0; half < 2; half++) {
    __m512 row[2], weight[2];
    for (int k = 0; k < 2; k++) {
      weight[k] = _mm512_loadu_ps(pairs->weight[k][half]);
      row[k] = neighbours(x + k * width, pairs->at, half);
      if (some)
        row[k] =
            _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(weight[k], _mm512_setzero_ps(), _CMP_NEQ_UQ),
                                row[k]);
    }
    sum[half] = (Vector)_mm512_fmadd_ps(weight[1], row[1], _mm512_mul_ps(weight[0], row[0]));
  }
  return _mm512_add_ps((__m512)MIX(sum[0], sum[1], EVEN), (__m512)MIX(sum[0], sum[1], ODD));
}

static __attribute__((noinline)) __m512 sum_of_nonzero(const real *x, int64_t width,
                                                       const GatherPairs *pairs)
{
  return sum_of_pairs(x, width, pairs, 1);
}

/* Samples n points of count planes, 1 or 2, and prefetches the next planes and later outputs. */
INLINE void sample_pairs(const THNN_(Sampler) * s, int count, const GatherPairs *pairs,
                         const real *x, real *y, ptrdiff_t n)
{
  enum { PREFETCH = 2048 / sizeof *y }; /* elements */
  for (ptrdiff_t i = 0; i < n; i += LANES, pairs++) {
    const __mmask16 there = n - i < LANES ? (__mmask16)((1u << (n - i)) - 1) : (__mmask16)-1;
    for (int p = 0; p < count; p++) {
      const real *from = x + p * s->plane;
      __builtin_prefetch(from + count * s->plane + i, 0, 2);
      __builtin_prefetch(y + p * s->points + i + PREFETCH, 1);
      __m512 sum = sum_of_pairs(from, s->in[2], pairs, 0);
      if (__builtin_expect(_mm512_mask_cmp_ps_mask(there, sum, sum, _CMP_UNORD_Q), 0))
        sum = sum_of_nonzero(from, s->in[2], pairs);
      _mm512_mask_storeu_ps(y + p * s->points + i, there, sum);
    }
  }
}

/* Samples planes begin ... end, all of one image, at blocks first ... last of its points. */
static void sample_some(const THNN_(Sampler) * s, int64_t begin, int64_t end, int64_t first,
                        int64_t last, GatherPairs *pairs)
{
  const int64_t image = begin / s->planes, point = first * BLOCK;
  const ptrdiff_t n = THMin(s->points, last * BLOCK) - point;
  pair_points(s, s->grid + 2 * (image * s->points + point), n, pairs);
  for (int64_t plane = begin; plane < end; plane += 2) {
    const real *x = s->x + plane * s->plane;
    real *y = s->y + plane * s->points + point;
    if (end - plane > 1)
      sample_pairs(s, 2, pairs, x, y, n);
    else
      sample_pairs(s, 1, pairs, x, y, n);
  }
}

/* Samples blocks begin ... end of all images. */
static void sample_blocks_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  GatherPairs pairs[BLOCK / LANES];
  for (ptrdiff_t b = begin; b < end; b++) {
    const int64_t image = b / s->blocks, block = b % s->blocks;
    sample_some(s, image * s->planes, (image + 1) * s->planes, block, block + 1, pairs);
  }
}

/* Samples shares begin ... end.  All planes that a share has of an image are sampled at as many
 * blocks of points as fit into its room and the L2 cache, then at the next blocks. */
static void sample_shares_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  const int64_t room = s->room / (BLOCK / LANES * (int64_t)(sizeof(GatherPairs) / sizeof(real)));
  const int64_t step = THMin(4096 / BLOCK, room);
  for (ptrdiff_t share = begin; share < end; share++)
    for (int64_t k = begin_of(s, share), last; k < begin_of(s, share + 1); k = last) {
      const int64_t before = k / s->groups * s->groups, plane = k / s->groups * s->planes;
      last = THMin(before + s->groups, begin_of(s, share + 1));
      for (int64_t b = 0; b < s->blocks; b += step)
        sample_some(s, plane + (k - before) * GROUP,
                    plane + THMin((last - before) * GROUP, s->planes), b,
                    THMin(s->blocks, b + step), (GatherPairs *)(s->rooms + share * s->room));
    }
}
