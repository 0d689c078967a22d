/* Gradients of images at the points of a grid, of planes turned over: the four places of a point
 * are in the image even where its corners are not, and then weigh nothing, so that no corner needs
 * to be looked at by itself. */

/* A block's points: the first of four places; what the places weigh; of both rows and both columns
 * what they weigh, and how that changes with the grid's numbers. */
typedef struct {
  int32_t at[BLOCK];
  real weight[4][BLOCK];
  real row[2][BLOCK], column[2][BLOCK], down[2][BLOCK], across[2][BLOCK];
} Spreads;

static int spreads_pairs(const THNN_(Sampler) * s)
{
  return s->axes == 2 && !s->wide && s->in[1] > 1 && s->in[2] > 1;
}

/* Of block b of all images. */
static __attribute__((noinline)) int find_spreads(const THNN_(Sampler) * s, ptrdiff_t b,
                                                  Spreads *to)
{
  const int64_t image = b / s->blocks, point = b % s->blocks * BLOCK;
  const real *number = s->grid + 2 * (image * s->points + point);
  const int count = (int)THMin(BLOCK, s->points - point);
  for (int i = 0; i < count; i += LANES) {
    Along x, y;
    pairs_at(s, number + 2 * i, count - i, &y, &x);
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

/* Eight vectors become one of their sums. */
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

/* What is at a point's four places times its gradient, of a group of planes. */
INLINE void products_at(const real *x, int64_t width, const real *g, __m512d product[4])
{
  for (int v = 0; v < GROUP; v += 8) {
    const __m512d number = _mm512_cvtps_pd(_mm256_loadu_ps(g + v));
    for (int k = 0; k < 4; k++) {
      const real *from = x + ((k >> 1) * width + (k & 1)) * GROUP + v;
      const __m512d value = _mm512_cvtps_pd(_mm256_loadu_ps(from)); /* products are exact */
      product[k] = v ? _mm512_fmadd_pd(value, number, product[k]) : _mm512_mul_pd(value, number);
    }
  }
}

/* A point's gradient, of a group of planes, times its weights. */
INLINE void add_to_places(real *y, int64_t width, const Spreads *c, int point, const real *piece)
{
  const __m512 g = _mm512_loadu_ps(piece);
  __m512 to[4]; /* loaded before any is stored: rows may be a multiple of 4 KB apart */
  for (int k = 0; k < 4; k++)
    to[k] = _mm512_add_ps(_mm512_loadu_ps(y + ((k >> 1) * width + (k & 1)) * GROUP),
                          _mm512_mul_ps(_mm512_set1_ps(c->weight[k][point]), g));
  for (int k = 0; k < 4; k++)
    _mm512_storeu_ps(y + ((k >> 1) * width + (k & 1)) * GROUP, to[k]);
}

/* Points from ... from + n of a block: what a group adds to gradInput and to the grid's gradient.
 * Says whether all is finite: what is not may lie at a place that is no corner. */
static __attribute__((noinline)) int spread_pairs(const THNN_(Sampler) * s, const Group *group,
                                                  const Spreads *c, int from, int n, accreal *part)
{
  double sum[PIECE][4];
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
      add_to_places(group->y + (int64_t)c->at[from + j] * GROUP, width, c, from + j,
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
