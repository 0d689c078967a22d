/* Weighted sums of rows of a table.  Columns are cut into parts that fit into registers; each part
 * is summed over all rows before the next. */
#include "EmbeddingSum.h"
#include "THNN/layer/Template.h"

#include "TH/simd/THSimdReal.h"

enum {
  WIDE = 8,
  LINE = 64,
  PREFETCH_ROWS = 8 /* distance from the row that is read to the prefetched one; rows are random */
};

static inline __attribute__((always_inline)) void add_part(real *y, const real *table,
                                                           ptrdiff_t width, const int64_t *index,
                                                           int64_t offset, const real *factor,
                                                           ptrdiff_t count, const int wide)
{
  Vector sum[WIDE];
  memcpy(sum, y, (size_t)wide * sizeof(Vector));
  for (ptrdiff_t i = 0; i < count; i++) {
    const real *row = table + (index[i] + offset) * width;
    const Vector times = Vector_(all)(factor[i]);
    if (i + PREFETCH_ROWS < count) {
      const char *next = (const char *)(table + (index[i + PREFETCH_ROWS] + offset) * width);
      for (int k = 0; k < wide * VECTOR; k += LINE)
        __builtin_prefetch(next + k);
    }
    for (int k = 0; k < wide; k++) {
      sum[k] = Vector_(mulAdd)(times, load(row + k * LANES), sum[k]);
    }
  }
  memcpy(y, sum, (size_t)wide * sizeof(Vector));
}

static void embedding_sum(real *y, ptrdiff_t n, const real *table, ptrdiff_t width,
                          const int64_t *index, int64_t offset, const real *factor, ptrdiff_t count)
{
  ptrdiff_t o = 0;
  for (; o + WIDE * LANES <= n; o += WIDE * LANES)
    add_part(y + o, table + o, width, index, offset, factor, count, WIDE);
  for (; o + LANES <= n; o += LANES)
    add_part(y + o, table + o, width, index, offset, factor, count, 1);
  for (; o < n; o++) {
    real sum = y[o];
    for (ptrdiff_t i = 0; i < count; i++)
      sum += factor[i] * table[(index[i] + offset) * width + o];
    y[o] = sum;
  }
}

const THNN_(EmbeddingSumKernel) TH_LEVEL_(THNN_(embeddingSum))[] = {embedding_sum};
