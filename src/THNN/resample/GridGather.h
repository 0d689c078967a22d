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
  Integers first;
  Vector weight[2], slope;
  Mask inside[2];
} AxisPairs;

/* Finds the neighbours along axis a from the grid's coordinates; find_indices computes the same. */
INLINE AxisPairs pair_along(const THNN_(Sampler) * s, int a, Vector coordinate)
{
  const real size = (real)s->in[a];
  const Vector none = Vector_(all)(0), one = Vector_(all)(1), end = Vector_(all)(size);
  const Vector last = Vector_(all)(size - 1), half = Vector_(all)((real).5);
  Vector at = ((coordinate + one) * half) * last;
  Vector slope = last * half;
  if (s->padding == THNN_REFLECTION)
    reflect((real *)&at, (real *)&slope, LANES, s->in[a] - 1);
  if (s->padding != THNN_ZEROS) {
    const Mask moves = Vector_(greater)(at, none);
    slope = Vector_(keep)((moves & Vector_(less)(at, last)), slope);
    at = Vector_(min)(Vector_(max)(at, none), last); /* NaN becomes the second operand */
  }
  at = Vector_(min)(Vector_(max)(at, -one), end);
  const Vector low = Vector_(roundDown)(at);
  const Vector first = Vector_(max)(Vector_(min)(low, last - one), none);
  const Mask near = Vector_(equal)(low, first);
  const Mask before = Vector_(less)(low, first);
  const Mask some = Vector_(greater)(at, -one);
  const Mask inside = some & Vector_(less)(at, end);
  const Mask behind = inside & (Mask) ~(near | before);
  const Vector second = at - low, rest = one - second;
  const Mask both[2] = {inside & (near | before), (inside & near) | behind};
  return (AxisPairs){.first = THInts_ofFloats(first),
                     .slope = Vector_(select)(near, slope, -slope),
                     .inside = {both[0], both[1]},
                     .weight = {Vector_(keep)(both[0], Vector_(select)(before, second, rest)),
                                Vector_(keep)(both[1], Vector_(select)(behind, rest, second))}};
}

/* The neighbours of the first vector of count points, down (y) and across (x) the image. */
INLINE void pairs_at(const THNN_(Sampler) * s, const real *coordinate, ptrdiff_t count,
                     AxisPairs *y, AxisPairs *x)
{
  const uint32_t there = count < LANES ? (1u << 2 * count) - 1 : UINT32_MAX;
  const Vector first = Vector_(loadMasked)((Mask)there, coordinate);
  const Vector second = Vector_(loadMasked)((Mask)(there >> 16), coordinate + LANES);
  *x = pair_along(s, 2, MIX(first, second, EVEN));
  *y = pair_along(s, 1, MIX(first, second, ODD));
}

INLINE Integers first_of_pairs(const THNN_(Sampler) * s, const AxisPairs *y, const AxisPairs *x)
{
  return (y->first * Integers_(all)((int32_t)s->in[2])) + x->first;
}

/* n points, whose grid coordinates begin at coordinate. */
static void pair_points(const THNN_(Sampler) * s, const real *coordinate, ptrdiff_t n,
                        GatherPairs *pairs)
{
  for (ptrdiff_t i = 0; i < n; i += LANES, pairs++) {
    AxisPairs x, y;
    pairs_at(s, coordinate + 2 * i, n - i, &y, &x);
    Integers_(store)(pairs->at, first_of_pairs(s, &y, &x));
    for (int row = 0; row < 2; row++) {
      const Vector left = y.weight[row] * x.weight[0];
      const Vector right = y.weight[row] * x.weight[1];
      store(pairs->weight[row][0], MIX(left, right, LOWER));
      store(pairs->weight[row][1], MIX(left, right, UPPER));
    }
  }
}

/* Gathers both neighbours in a row of half of a vector's points, interleaved. */
INLINE Vector neighbours(const real *x, const int32_t *at, int half)
{
  return THFloats_gatherPairs(x, at + half * (LANES / 2));
}

/* The weighted sums of pairs.  some: elements with weight 0 are left out, since they may not be finite. */
INLINE Vector sum_of_pairs(const real *x, int64_t width, const GatherPairs *pairs, int some)
{
  Vector sum[2];
  for (int half = 0; half < 2; half++) {
    Vector row[2], weight[2];
    for (int k = 0; k < 2; k++) {
      weight[k] = load(pairs->weight[k][half]);
      row[k] = neighbours(x + k * width, pairs->at, half);
      if (some)
        row[k] = Vector_(keep)(Vector_(differ)(weight[k], Vector_(all)(0)), row[k]);
    }
    sum[half] = Vector_(mulAdd)(weight[1], row[1], weight[0] * row[0]);
  }
  return (MIX(sum[0], sum[1], EVEN)) + (MIX(sum[0], sum[1], ODD));
}

static __attribute__((noinline)) Vector sum_of_nonzero(const real *x, int64_t width,
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
    const Mask there = n - i < LANES ? (Mask)((1u << (n - i)) - 1) : (Mask)-1;
    for (int p = 0; p < count; p++) {
      const real *from = x + p * s->plane;
      __builtin_prefetch(from + count * s->plane + i, 0, 2);
      __builtin_prefetch(y + p * s->points + i + PREFETCH, 1);
      Vector sum = sum_of_pairs(from, s->in[2], pairs, 0);
      if (__builtin_expect((there & Vector_(unordered)(sum, sum)), 0))
        sum = sum_of_nonzero(from, s->in[2], pairs);
      Vector_(storeMasked)(y + p * s->points + i, there, sum);
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

/* Samples splits begin ... end.  All planes that a split has of an image are sampled at as many
 * blocks of points as fit into its scratch and the L2 cache, then at the next blocks. */
static void sample_splits_by_pairs(const THNN_(Sampler) * s, ptrdiff_t begin, ptrdiff_t end)
{
  const int64_t scratch =
      s->scratch / (BLOCK / LANES * (int64_t)(sizeof(GatherPairs) / sizeof(real)));
  const int64_t step = THMin(4096 / BLOCK, scratch);
  for (ptrdiff_t split = begin; split < end; split++)
    for (int64_t k = begin_of(s, split), last; k < begin_of(s, split + 1); k = last) {
      const int64_t before = k / s->groups * s->groups, plane = k / s->groups * s->planes;
      last = THMin(before + s->groups, begin_of(s, split + 1));
      for (int64_t b = 0; b < s->blocks; b += step)
        sample_some(s, plane + (k - before) * GROUP,
                    plane + THMin((last - before) * GROUP, s->planes), b,
                    THMin(s->blocks, b + step), (GatherPairs *)(s->buffers + split * s->scratch));
    }
}
