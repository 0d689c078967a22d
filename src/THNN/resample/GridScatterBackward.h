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
    Integers_(store)(to->at + i, first_of_pairs(s, &y, &x));
    for (int k = 0; k < 4; k++)
      store(to->weight[k] + i, y.weight[k >> 1] * x.weight[k & 1]);
    for (int k = 0; k < 2; k++) {
      store(to->row[k] + i, y.weight[k]);
      store(to->column[k] + i, x.weight[k]);
      store(to->down[k] + i, Vector_(keep)(y.inside[k], k ? y.slope : -y.slope));
      store(to->across[k] + i, Vector_(keep)(x.inside[k], k ? x.slope : -x.slope));
    }
  }
  return count;
}

/* A vector of the sums of eight vectors. */
INLINE THDoubles sum_of_each(const THDoubles v[8])
{
  const THLongs even = (THLongs){0, 1, 8, 9, 4, 5, 12, 13};
  const THLongs odd = (THLongs){2, 3, 10, 11, 6, 7, 14, 15};
  THDoubles two[4], four[2];
  for (int i = 0; i < 4; i++)
    two[i] = THDoubles_unpackLower(v[2 * i], v[2 * i + 1]) +
             THDoubles_unpackUpper(v[2 * i], v[2 * i + 1]);
  for (int i = 0; i < 2; i++)
    four[i] = THDoubles_permuteTwo(two[2 * i], two[2 * i + 1], even) +
              THDoubles_permuteTwo(two[2 * i], two[2 * i + 1], odd);
  return TH_MIX(four[0], four[1], TH_FIRSTS8) + TH_MIX(four[0], four[1], TH_LASTS8);
}

/* The products of a point's four elements with its gradient, for a group of planes. */
INLINE void products_at(const real *x, int64_t width, const real *g, THDoubles product[4])
{
  for (int v = 0; v < GROUP; v += 8) {
    const THDoubles gradient = THDoubles_loadFloats(g + v);
    for (int k = 0; k < 4; k++) {
      const real *from = x + ((k >> 1) * width + (k & 1)) * GROUP + v;
      const THDoubles value = THDoubles_loadFloats(from); /* products are exact */
      product[k] = v ? THDoubles_mulAdd(value, gradient, product[k]) : (value * gradient);
    }
  }
}

/* Adds a point's gradient, times its weights, to its four elements in a group of planes. */
INLINE void add_to_corners(real *y, int64_t width, const ScatterPoints *c, int point,
                           const real *values)
{
  const Vector g = load(values);
  Vector to[4]; /* loaded before any is stored: rows may be a multiple of 4 KB apart */
  for (int k = 0; k < 4; k++)
    to[k] =
        load(y + ((k >> 1) * width + (k & 1)) * GROUP) + (Vector_(all)(c->weight[k][point]) * g);
  for (int k = 0; k < 4; k++)
    store(y + ((k >> 1) * width + (k & 1)) * GROUP, to[k]);
}

/* Adds the gradients of a group of planes at points from ... from + n - 1 of a block to gradInput, and writes
 * its part of the grid's gradient.  Returns whether all is finite: a value that is not may belong
 * to an element with weight 0. */
static __attribute__((noinline)) int scatter_pairs(const THNN_(Sampler) * s, const Group *group,
                                                   const ScatterPoints *c, int from, int n,
                                                   accreal *part)
{
  double sum[TILE][4];
  const int64_t width = s->in[2];
  THMask64 wrong = 0;
  for (int i = 0; i < n; i += 2) {
    THDoubles product[8];
    for (int k = 0; k < 2; k++) { /* the last point may come twice */
      const int j = THMin(i + k, n - 1);
      products_at(group->x + (int64_t)c->at[from + j] * GROUP, width, group->values + j * GROUP,
                  product + 4 * k);
    }
    const THDoubles all = sum_of_each(product);
    wrong |= THDoubles_differ(all - all, THDoubles_all(0));
    THDoubles_store(sum[i], all);
    for (int j = i; j < THMin(i + 2, n); j++)
      add_to_corners(group->y + (int64_t)c->at[from + j] * GROUP, width, c, from + j,
                     group->values + j * GROUP);
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
