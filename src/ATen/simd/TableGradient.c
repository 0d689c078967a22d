/* The kernels of tableGradient.h.
 *
 * What is added to zeros has to be read again after the zeros have left for memory.  So a row is
 * written when its first index comes, as the sum of all rows of g that are its; zeros are written
 * only where no index is.  Rows of few lines stay in a cache meanwhile, and are added to. */
#include "src/TH/simd/THStream.h"
#include "tableGradient.h"

#include "THTemplate.h"

#define INLINE static inline __attribute__((always_inline))

enum { VECTOR = 64, LANES = VECTOR / sizeof(real), TOGETHER = 8 };

typedef real Vector __attribute__((vector_size(VECTOR)));

/* Vectors anywhere, without functions, whose way to return vectors depends on the level. */
typedef real Loose __attribute__((vector_size(VECTOR), aligned(sizeof(real)), may_alias));
#define LOAD(X)     (*(const Loose *)(X))
#define STORE(X, V) (*(Loose *)(X) = (V))

/* So many vectors of a row from column on, as they are summed up in the order of the indices. */
INLINE void sum_vectors(const at_embedding_sums *t, ptrdiff_t i, ptrdiff_t column, real scale,
                        int vectors, real *to)
{
  const real *g = (const real *)t->g + column;
  Vector sum[TOGETHER] = {0};
  for (; i >= 0; i = t->next[i])
    for (int v = 0; v < vectors; v++)
      sum[v] += LOAD(g + i * t->columns + v * LANES) * scale;
  for (int v = 0; v < vectors; v++)
    STORE(to + v * LANES, sum[v]);
}

INLINE real scale_of(const at_embedding_sums *t, ptrdiff_t row)
{
  return t->times ? 1 / (real)t->times[row] : 1;
}

/* The row whose first index is i. */
static void sum_row(const at_embedding_sums *t, ptrdiff_t i, real *row)
{
  const ptrdiff_t n = t->columns;
  const real scale = scale_of(t, t->index[i]);
  ptrdiff_t c = 0;
  for (; c + TOGETHER * LANES <= n; c += TOGETHER * LANES)
    if (t->sends) {
      real buffer[TOGETHER * LANES] __attribute__((aligned(VECTOR)));
      sum_vectors(t, i, c, scale, TOGETHER, buffer);
      THStream_copy(row + c, buffer, sizeof buffer);
    } else {
      sum_vectors(t, i, c, scale, TOGETHER, row + c);
    }
  for (; c < n; c += LANES) {
    const ptrdiff_t at = THMin(c, n - LANES);
    sum_vectors(t, i, at, scale, 1, row + at);
  }
}

static void zero(real *to, ptrdiff_t n, bool sends)
{
  static const char zeros[TH_STREAM_PIECE] __attribute__((aligned(TH_STREAM_LINE))) = {0};
  enum { PIECE = TH_STREAM_PIECE / sizeof(real) };
  if (!sends) {
    memset(to, 0, (size_t)n * sizeof *to);
    return;
  }
  ptrdiff_t count = THStream_first(to, sizeof *to, n);
  for (ptrdiff_t i = 0; i < n; i += count, count = THMin(PIECE, n - i))
    THStream_copy(to + i, zeros, (size_t)count * sizeof *to);
}

/* Runs of rows that none picks are zeroed as one, so that few lines are written in parts. */
static void wide_rows(const at_embedding_sums *t, ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t n = t->columns;
  real *table = t->table;
  for (ptrdiff_t r = begin, last; r < end; r = last + 1) {
    for (last = r; last < end && t->first[last] < 0;)
      last++;
    zero(table + r * n, (last - r) * n, t->sends);
  }
  for (ptrdiff_t i = 0; i < t->count; i++) {
    const ptrdiff_t r = t->index[i];
    if (r >= begin && r < end && t->first[r] == i)
      sum_row(t, i, table + r * n);
  }
  if (t->sends)
    THStream_finish();
}

static void narrow_rows(const at_embedding_sums *t, ptrdiff_t begin, ptrdiff_t end)
{
  enum { AHEAD = 16 };
  const ptrdiff_t n = t->columns;
  real *table = t->table;
  zero(table + begin * n, (end - begin) * n, t->sends);
  if (t->sends)
    THStream_finish();
  for (ptrdiff_t i = 0; i < t->count; i++) {
    const ptrdiff_t r = t->index[i];
    if (i + AHEAD < t->count)
      __builtin_prefetch(table + t->index[i + AHEAD] * n, 1);
    if (r < begin || r >= end || r == t->padding)
      continue;
    const real *g = (const real *)t->g + i * n, scale = scale_of(t, r);
    real *row = table + r * n;
    ptrdiff_t c = 0;
    for (; c + LANES <= n; c += LANES)
      STORE(row + c, LOAD(row + c) + LOAD(g + c) * scale);
    for (; c < n; c++)
      row[c] += g[c] * scale;
  }
}

static void rows(const at_embedding_sums *t, ptrdiff_t begin, ptrdiff_t end)
{
  if (t->first)
    wide_rows(t, begin, end);
  else
    narrow_rows(t, begin, end);
}

const at_embedding_backward_kernels TH_LEVEL_(TH_CONCAT_2(at_embeddingBackward, Real))[] = {{rows}};
