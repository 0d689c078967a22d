/* Images at the points of a grid, where a processor gathers quickly: a point's two neighbours in a
 * row are gathered as one number of 64 bits, for 8 points at a time, plane by plane, and nothing is
 * turned over. */

/* A vector of points: the first place of the upper row, of two rows and columns that are in the
 * image, and what the four places weigh. */
typedef struct {
  int32_t at[LANES];
  real weight[4][LANES];
} Pairs;

/* An instruction that gathers 8 numbers takes 6 cycles on Intel's processors, and three times as
 * long on others. */
static int gathers_quickly(const THNN_(Sampler) * s)
{
  enum { MOST = 1 << 17 }; /* two planes stay in the second cache */
  return s->axes == 2 && s->plane <= MOST && s->in[1] > 1 && s->in[2] > 1 &&
         __builtin_cpu_is("intel");
}

/* Points i and following along axis a: the first of two places, the weights of both, and how those
 * change with the grid's number. */
INLINE __m512i pair_along(const Corners *c, int a, int i, int64_t last, __m512 weight[2],
                          __m512 change[2])
{
  const __m512i low = _mm512_cvttps_epi32(_mm512_loadu_ps(c->low[a] + i)), none = {0};
  const __m512i most = _mm512_set1_epi32((int32_t)last - 1);
  const __m512i first = _mm512_max_epi32(_mm512_min_epi32(low, most), none);
  const __m512 slope = _mm512_loadu_ps(c->slope[a] + i);
  __m512 part[2], slopes[2] = {-slope, slope};
  for (int k = 0; k < 2; k++) {
    const __m512i within = _mm512_loadu_si512(c->within[a][k] + i);
    const __mmask16 counts = _mm512_cmpneq_epi32_mask(within, none);
    part[k] = _mm512_maskz_loadu_ps(counts, c->part[a][k] + i);
    slopes[k] = _mm512_maskz_mov_ps(counts, slopes[k]);
  }
  const __mmask16 before = _mm512_cmplt_epi32_mask(low, first);
  const __mmask16 behind = _mm512_cmpgt_epi32_mask(low, first);
  weight[0] = _mm512_mask_mov_ps(_mm512_maskz_mov_ps(~behind, part[0]), before, part[1]);
  weight[1] = _mm512_mask_mov_ps(_mm512_maskz_mov_ps(~before, part[1]), behind, part[0]);
  change[0] = _mm512_mask_mov_ps(_mm512_maskz_mov_ps(~behind, slopes[0]), before, slopes[1]);
  change[1] = _mm512_mask_mov_ps(_mm512_maskz_mov_ps(~before, slopes[1]), behind, slopes[0]);
  return first;
}

static __attribute__((noinline)) void find_flat_places(const THNN_(Sampler) * s, int a,
                                                       const real *number, Corners *c)
{
  find_places(s, 2, 0, a, number, c);
}

/* Of block b of all images. */
static void find_places_of(const THNN_(Sampler) * s, ptrdiff_t b, Corners *c)
{
  int64_t image, point;
  const real *number = numbers_of(s, b, &image, &point, c);
  find_flat_places(s, 1, number, c);
  find_flat_places(s, 2, number, c);
}

INLINE __m512i first_of_pairs(const THNN_(Sampler) * s, __m512i y, __m512i x)
{
  return _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32((int32_t)s->in[2])), x);
}

/* Of block b of all images. */
static void pair_points(const THNN_(Sampler) * s, ptrdiff_t b, Pairs *pairs)
{
  Corners c;
  find_places_of(s, b, &c);
  for (int i = 0; i < c.count; i += LANES, pairs++) {
    __m512 row[2], column[2], unused[2];
    const __m512i y = pair_along(&c, 1, i, s->in[1] - 1, row, unused);
    const __m512i x = pair_along(&c, 2, i, s->in[2] - 1, column, unused);
    _mm512_storeu_si512(pairs->at, first_of_pairs(s, y, x));
    for (int k = 0; k < 4; k++)
      _mm512_storeu_ps(pairs->weight[k], _mm512_mul_ps(row[k >> 1], column[k & 1]));
  }
}

/* What is not a number without its weights may be one with them: what weighs 0 does not count. */
static __attribute__((noinline)) __m512 weighed_pairs(const real *x, int64_t width,
                                                      const Pairs *pairs)
{
  __m512 sum = _mm512_setzero_ps();
  const __m512i at = _mm512_loadu_si512(pairs->at);
  for (int k = 0; k < 4; k++) {
    const __m512 weight = _mm512_loadu_ps(pairs->weight[k]);
    const __mmask16 counts = _mm512_cmp_ps_mask(weight, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    const __m512 value = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), counts, at,
                                                  x + (k >> 1) * width + (k & 1), 4);
    sum = _mm512_add_ps(sum, _mm512_maskz_mul_ps(counts, weight, value));
  }
  return sum;
}

INLINE __m512 sum_of_pairs(const real *x, int64_t width, const Pairs *pairs)
{
  __m512 sum = _mm512_setzero_ps();
  for (int row = 0; row < 2; row++) {
    const __m256i *at = (const __m256i *)pairs->at;
    const real *from = x + row * width;
    const Vector first = (Vector)_mm512_i32gather_pd(_mm256_loadu_si256(at), from, 4);
    const Vector second = (Vector)_mm512_i32gather_pd(_mm256_loadu_si256(at + 1), from, 4);
    sum = _mm512_add_ps(sum, _mm512_mul_ps((__m512)MIX(first, second, EVEN),
                                           _mm512_loadu_ps(pairs->weight[2 * row])));
    sum = _mm512_add_ps(sum, _mm512_mul_ps((__m512)MIX(first, second, ODD),
                                           _mm512_loadu_ps(pairs->weight[2 * row + 1])));
  }
  return sum;
}

/* n points of count planes, 1 or 2; the next planes, and what will be written, are fetched. */
INLINE void sample_pairs(const THNN_(Sampler) * s, int count, const Pairs *pairs, const real *x,
                         real *y, ptrdiff_t n)
{
  enum { LATER = 2048 / sizeof *y };
  for (ptrdiff_t i = 0; i < n; i += LANES, pairs++) {
    const __mmask16 there = n - i < LANES ? (__mmask16)((1u << (n - i)) - 1) : (__mmask16)-1;
    for (int p = 0; p < count; p++) {
      const real *from = x + p * s->plane;
      __builtin_prefetch(from + count * s->plane + i, 0, 2);
      __builtin_prefetch(y + p * s->points + i + LATER, 1);
      __m512 sum = sum_of_pairs(from, s->in[2], pairs);
      if (__builtin_expect(_mm512_mask_cmp_ps_mask(there, sum, sum, _CMP_UNORD_Q), 0))
        sum = weighed_pairs(from, s->in[2], pairs);
      _mm512_mask_storeu_ps(y + p * s->points + i, there, sum);
    }
  }
}

/* Planes begin ... end of all images, which are of one, at blocks first ... last. */
static void sample_some(const THNN_(Sampler) * s, int64_t begin, int64_t end, int64_t first,
                        int64_t last, Pairs *pairs)
{
  const int64_t before = begin / s->planes * s->blocks, point = first * BLOCK;
  const ptrdiff_t n = THMin(s->points, last * BLOCK) - point;
  for (int64_t b = first; b < last; b++)
    pair_points(s, before + b, pairs + (b - first) * (BLOCK / LANES));
  for (int64_t plane = begin; plane < end; plane += 2) {
    const real *x = s->x + plane * s->plane;
    real *y = s->y + plane * s->points + point;
    if (end - plane > 1)
      sample_pairs(s, 2, pairs, x, y, n);
    else
      sample_pairs(s, 1, pairs, x, y, n);
  }
}

/* Blocks of all images. */
static void sample_blocks_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  Pairs pairs[BLOCK / LANES];
  for (ptrdiff_t b = begin; b < end; b++) {
    const int64_t image = b / s->blocks, block = b % s->blocks;
    sample_some(s, image * s->planes, (image + 1) * s->planes, block, block + 1, pairs);
  }
}

/* A share's planes: as many blocks of points as there is room for, and as stay in the second cache,
 * in all of its planes of an image, then the next ones. */
static void sample_shares_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  const int64_t room = s->room / (BLOCK / LANES * (int64_t)(sizeof(Pairs) / sizeof(real)));
  const int64_t step = THMin(4096 / BLOCK, room);
  for (ptrdiff_t share = begin; share < end; share++)
    for (int64_t k = begin_of(s, share), last; k < begin_of(s, share + 1); k = last) {
      const int64_t before = k / s->groups * s->groups, plane = k / s->groups * s->planes;
      last = THMin(before + s->groups, begin_of(s, share + 1));
      for (int64_t b = 0; b < s->blocks; b += step)
        sample_some(s, plane + (k - before) * THNN_GRID_GROUP,
                    plane + THMin((last - before) * THNN_GRID_GROUP, s->planes), b,
                    THMin(s->blocks, b + step), (Pairs *)(s->rooms + share * s->room));
    }
}
