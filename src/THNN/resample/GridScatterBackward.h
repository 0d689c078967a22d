/* Gradients of grid sampling, of transposed planes: the four elements of a point always lie in the
 * image.  Where a corner lies outside, its element has weight 0, so that corners need no test. */

/* The points of a block.  at is the index of the upper left one of four elements; weight, row and
 * column are the weights of the elements, rows and columns; down and across are how the weights of
 * rows and columns change with the grid's coordinates. */
typedef struct {
  int32_t at[BLOCK];
  real weight[4][BLOCK];
  real row[2][BLOCK], column[2][BLOCK], down[2][BLOCK], across[2][BLOCK];
} ScatterPoints;

static int can_scatter_pairs(const THNN_(Sampler) * s)
{
  return s->axes == 2 && !s->wide && s->in[1] > 1 && s->in[2] > 1;
}

/* Finds the points of block b of all images, and returns how many there are. */
static __attribute__((noinline)) int find_scatter_points(const THNN_(Sampler) * s, ptrdiff_t b,
                                                         ScatterPoints *to)
{
  const int64_t image = b / s->blocks, point = b % s->blocks * BLOCK;
  const real *coordinate = s->grid + 2 * (image * s->points + point);
  const int count = (int)THMin(BLOCK, s->points - point);
  for (int i = 0; i < count; i += LANES) {
    AxisPairs x, y;
    pairs_at(s, coordinate + 2 * i, count - i, &y, &x);
    _mm512_storeu_si512(to->at + i, first_of_pairs(s, &y, &x));
    for (int k = 0; k < 4; k++)
      _mm512_storeu_ps(to->weight[k] + i, _mm512_mul_ps(y.weight[k >> 1], x.weight[k & 1]));
    for (int k = 0; k < 2; k++) {
      _mm512_storeu_ps(to->row[k] + i, y.weight[k]);
      _mm512_storeu_ps(to->column[k] + i, x.weight[k]);
      _mm512_storeu_ps(to->down[k] + i, _mm512_maskz_mov_ps(y.inside[k], k ? y.slope : -y.slope));
      _mm512_storeu_ps(to->across[k] + i, _mm512_maskz_mov_ps(x.inside[k], k ? x.slope : -x.slope));
    }
  }
  return count;
}

/* A vector of the sums of eight vectors. */
INLINE __m512d sum_of_each(const __m512d v[8])
{
  const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  __m512d two[4], four[2];
  for (int i = 0; i < 4; i++)
    two[i] = _mm512_add_pd(_mm512_unpacklo_pd(v[2 * i], v[2 * i + 1]),
                           _mm512_unpackhi_pd(v[2 * i], v[2 * i + 1]));
  for (int i = 0; i < 2; i++)
    four[i] = _mm512_add_pd(_mm512_permutex2var_pd(two[2 * i], even, two[2 * i + 1]),
                            _mm512_permutex2var_pd(two[2 * i], odd, two[2 * i + 1]));
  return _mm512_add_pd(_mm512_shuffle_f64x2(four[0], four[1], 0x44),
                       _mm512_shuffle_f64x2(four[0], four[1], 0xee));
}

/* The products of a point's four elements with its gradient, for a group of planes. */
INLINE void products_at(const real *x, int64_t width, const real *g, __m512d product[4])
{
  for (int v = 0; v < GROUP; v += 8) {
    const __m512d gradient = _mm512_cvtps_pd(_mm256_loadu_ps(g + v));
    for (int k = 0; k < 4; k++) {
      const real *from = x + ((k >> 1) * width + (k & 1)) * GROUP + v;
      const __m512d value = _mm512_cvtps_pd(_mm256_loadu_ps(from)); /* products are exact */
      product[k] =
          v ? _mm512_fmadd_pd(value, gradient, product[k]) : _mm512_mul_pd(value, gradient);
    }
  }
}

/* Adds a point's gradient, times its weights, to its four elements in a group of planes. */
INLINE void add_to_corners(real *y, int64_t width, const ScatterPoints *c, int point,
                           const real *piece)
{
  const __m512 g = _mm512_loadu_ps(piece);
  __m512 to[4]; /* loaded before any is stored: rows may be a multiple of 4 KB apart */
  for (int k = 0; k < 4; k++)
    to[k] = _mm512_add_ps(_mm512_loadu_ps(y + ((k >> 1) * width + (k & 1)) * GROUP),
                          _mm512_mul_ps(_mm512_set1_ps(c->weight[k][point]), g));
  for (int k = 0; k < 4; k++)
    _mm512_storeu_ps(y + ((k >> 1) * width + (k & 1)) * GROUP, to[k]);
}

/* Adds what a group of planes gives at points from ... from + n of a block to gradInput, and writes
 * its part of the grid's gradient.  Returns whether all is finite: a value that is not may belong
 * to an element with weight 0. */
static __attribute__((noinline)) int scatter_pairs(const THNN_(Sampler) * s, const Group *group,
                                                   const ScatterPoints *c, int from, int n,
                                                   accreal *part)
{
  double sum[TILE][4];
  const int64_t width = s->in[2];
  __mmask8 wrong = 0;
  for (int i = 0; i < n; i += 2) {
    __m512d product[8];
    for (int k = 0; k < 2; k++) { /* the last point may come twice */
      const int j = THMin(i + k, n - 1);
      products_at(group->x + (int64_t)c->at[from + j] * GROUP, width, group->piece + j * GROUP,
                  product + 4 * k);
    }
    const __m512d all = sum_of_each(product);
    wrong |= _mm512_cmp_pd_mask(_mm512_sub_pd(all, all), _mm512_setzero_pd(), _CMP_NEQ_UQ);
    _mm512_storeu_pd(sum[i], all);
    for (int j = i; j < THMin(i + 2, n); j++)
      add_to_corners(group->y + (int64_t)c->at[from + j] * GROUP, width, c, from + j,
                     group->piece + j * GROUP);
  }
#pragma omp simd
  for (int i = 0; i < n; i++) {
    const double upper = (double)c->row[0][from + i], lower = (double)c->row[1][from + i];
    const double left = (double)c->column[0][from + i], right = (double)c->column[1][from + i];
    part[2 * i] = (sum[i][0] * upper + sum[i][2] * lower) * (double)c->across[0][from + i] +
                  (sum[i][1] * upper + sum[i][3] * lower) * (double)c->across[1][from + i];
    part[2 * i + 1] = (sum[i][0] * left + sum[i][1] * right) * (double)c->down[0][from + i] +
                      (sum[i][2] * left + sum[i][3] * right) * (double)c->down[1][from + i];
  }
  return !wrong;
}
