/* Sums over windows of a plane, rows first: the rows of a window are added up along their whole
 * length, in vectors, and then each window takes its part of that. */
#include "THNNTemplate.h"

static void sum_windows(const THNNPlanes *p, const THNNSpans *spans, const real *x, real *y,
                        accreal *row)
{
  const int64_t width = p->in[2];
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, y += p->out[2]) {
      const THNNSpan t = spans->of[0][i], h = spans->of[1][j];
      for (int64_t c = 0; c < width; c++)
        row[c] = 0;
      for (int64_t z = t.begin; z < t.end; z++)
        for (int64_t r = h.begin; r < h.end; r++) {
          const real *from = x + (z * p->in[1] + r) * width;
          for (int64_t c = 0; c < width; c++)
            row[c] += (accreal)from[c];
        }
      for (int64_t k = 0; k < p->out[2]; k++) {
        const THNNSpan w = spans->of[2][k];
        accreal sum = 0;
        for (int64_t c = w.begin; c < w.end; c++)
          sum += row[c];
        y[k] = (real)(sum / (accreal)(t.count * h.count * w.count));
      }
    }
}

static void spread_windows(const THNNPlanes *p, const THNNSpans *spans, const real *x, real *y,
                           accreal *row)
{
  const int64_t width = p->in[2];
  memset(y, 0, (size_t)p->input * sizeof *y);
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, x += p->out[2]) {
      const THNNSpan t = spans->of[0][i], h = spans->of[1][j];
      for (int64_t c = 0; c < width; c++)
        row[c] = 0;
      for (int64_t k = 0; k < p->out[2]; k++) {
        const THNNSpan w = spans->of[2][k];
        const accreal part = (accreal)x[k] / (accreal)(t.count * h.count * w.count);
        for (int64_t c = w.begin; c < w.end; c++)
          row[c] += part;
      }
      for (int64_t z = t.begin; z < t.end; z++)
        for (int64_t r = h.begin; r < h.end; r++) {
          real *to = y + (z * p->in[1] + r) * width;
          for (int64_t c = 0; c < width; c++)
            to[c] += (real)row[c];
        }
    }
}

const THNN_(WindowSumKernel) TH_LEVEL_(THNN_(windowSum))[] = {
    [THNN_WINDOW_SUM] = sum_windows,
    [THNN_WINDOW_SPREAD] = spread_windows,
};
