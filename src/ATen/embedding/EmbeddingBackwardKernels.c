/* The kernels of embeddingBackward.h.
 *
 * If the table was zeroed first and then added to, wide rows would be read back from memory.  So a
 * wide row is written once, at its first index, as the sum of its rows of g, and zeros are written
 * only to rows without an index.  Narrow rows stay in the cache and are added to. */
#include "TH/loop/THStream.h"
#include "embeddingBackward.h"

#include "THTemplate.h"

#include "TH/simd/THSimdLine.h"

#define INLINE static inline __attribute__((always_inline))

enum { UNROLL = 8 };

/* Sums so many vectors of a row from column on, in the order of the indices, of which i is the
 * first. */
INLINE void sum_vectors(const at_embedding_sums *t, ptrdiff_t i, ptrdiff_t column, real scale,
                        int vectors, real *to)
{
  const real *g = (const real *)t->g + column;
  Vector sum[UNROLL] = {0};
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

/* Writes the row whose first index is i. */
static void sum_row(const at_embedding_sums *t, ptrdiff_t i, real *row)
{
  const ptrdiff_t n = t->columns;
  const real scale = scale_of(t, t->index[i]);
  ptrdiff_t c = 0;
  for (; c + UNROLL * LANES <= n; c += UNROLL * LANES)
    if (t->stream) {
      real buffer[UNROLL * LANES] __attribute__((aligned(VECTOR)));
      sum_vectors(t, i, c, scale, UNROLL, buffer);
      THStream_copy(row + c, buffer, sizeof buffer);
    } else {
      sum_vectors(t, i, c, scale, UNROLL, row + c);
    }
  for (; c < n; c += LANES) {
    const ptrdiff_t at = THMin(c, n - LANES);
    sum_vectors(t, i, at, scale, 1, row + at);
  }
}

static void zero(real *to, ptrdiff_t n, bool stream)
{
  static const char zeros[TH_STREAM_BLOCK] __attribute__((aligned(TH_STREAM_LINE))) = {0};
  enum { ZEROS = TH_STREAM_BLOCK / sizeof(real) };
  if (!stream) {
    memset(to, 0, (size_t)n * sizeof *to);
    return;
  }
  ptrdiff_t count = THStream_first(to, sizeof *to, n);
  for (ptrdiff_t i = 0; i < n; i += count, count = THMin(ZEROS, n - i))
    THStream_copy(to + i, zeros, (size_t)count * sizeof *to);
}

/* Adjacent rows without an index are zeroed by one call, so that few cache lines are written in
 * parts. */
static void wide_rows(const at_embedding_sums *t, ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t n = t->columns;
  real *table = t->table;
  for (ptrdiff_t r = begin, last; r < end; r = last + 1) {
    for (last = r; last < end && t->first[last] < 0;)
      last++;
    zero(table + r * n, (last - r) * n, t->stream);
  }
  for (ptrdiff_t i = 0; i < t->count; i++) {
    const ptrdiff_t r = t->index[i];
    if (r >= begin && r < end && t->first[r] == i)
      sum_row(t, i, table + r * n);
  }
  if (t->stream)
    THStream_finish();
}

static void narrow_rows(const at_embedding_sums *t, ptrdiff_t begin, ptrdiff_t end)
{
  enum { PREFETCH_ROWS = 16 }; /* the row that is prefetched is so many indices ahead */
  const ptrdiff_t n = t->columns;
  real *table = t->table;
  zero(table + begin * n, (end - begin) * n, t->stream);
  if (t->stream)
    THStream_finish();
  for (ptrdiff_t i = 0; i < t->count; i++) {
    const ptrdiff_t r = t->index[i];
    if (i + PREFETCH_ROWS < t->count)
      __builtin_prefetch(table + t->index[i + PREFETCH_ROWS] * n, 1);
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
