/* Gathers a plane from another, row by row, and scatters gradients back. */
#include "THNNTemplate.h"

static const real *row_of(const THNNPlanes *p, const real *x, int64_t depth, int64_t height)
{
  return x + (depth * p->in[1] + height) * p->in[2];
}

/* --- places ---------------------------------------------------------------------------------- */

static void gather_row(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y)
{
  const int64_t *from = at->from[2];
  for (int64_t k = 0; k < at->begin; k++)
    y[k] = x[from[k]];
  if (at->begin < at->end)
    memcpy(y + at->begin, x + from[at->begin], (size_t)(at->end - at->begin) * sizeof *y);
  for (int64_t k = at->end; k < p->out[2]; k++)
    y[k] = x[from[k]];
}

static void gather(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y)
{
  const real *last = NULL;
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, y += p->out[2]) {
      const real *from = row_of(p, x, at->from[0][i], at->from[1][j]);
      if (from == last) /* rows are repeated */
        memcpy(y, y - p->out[2], (size_t)p->out[2] * sizeof *y);
      else
        gather_row(p, at, from, y);
      last = from;
    }
}

static void scatter(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y)
{
  const int64_t *from = at->from[2];
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, x += p->out[2]) {
      real *to = (real *)row_of(p, y, at->from[0][i], at->from[1][j]);
      for (int64_t k = 0; k < at->begin; k++)
        to[from[k]] += x[k];
      if (at->begin < at->end) {
        real *run = to + from[at->begin];
        for (int64_t k = 0; k < at->end - at->begin; k++)
          run[k] += x[at->begin + k];
      }
      for (int64_t k = at->end; k < p->out[2]; k++)
        to[from[k]] += x[k];
    }
}

/* --- weighted places ------------------------------------------------------------------------- */

/* The rows that an output row comes from: those of both places along depth and height, but for such
 * as have no weight. */
typedef struct {
  int count;
  ptrdiff_t at[4]; /* in the plane */
  real weight[4];
} Rows;

static Rows rows_of(const THNNPlanes *p, const THNN_(Places) * at, int64_t i, int64_t j)
{
  Rows rows = {0};
  for (int second = 0; second < 4; second++) {
    const real depth = at->weight[0][i], height = at->weight[1][j];
    const int64_t z = second & 2 ? at->next[0][i] : at->from[0][i];
    const int64_t r = second & 1 ? at->next[1][j] : at->from[1][j];
    const real weight = (second & 2 ? depth : 1 - depth) * (second & 1 ? height : 1 - height);
    if (weight != 0) {
      rows.at[rows.count] = (z * p->in[1] + r) * p->in[2];
      rows.weight[rows.count++] = weight;
    }
  }
  return rows;
}

static void interpolate(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y,
                        real *row)
{
  const int64_t *from = at->from[2], *next = at->next[2];
  const real *weight = at->weight[2];
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, y += p->out[2]) {
      const Rows rows = rows_of(p, at, i, j);
      for (int r = 0; r < rows.count; r++) {
        const real *add = x + rows.at[r];
        for (int64_t c = 0; c < p->in[2]; c++)
          row[c] = r == 0 ? rows.weight[r] * add[c] : row[c] + rows.weight[r] * add[c];
      }
      for (int64_t k = 0; k < p->out[2]; k++)
        y[k] = (1 - weight[k]) * row[from[k]] + weight[k] * row[next[k]];
    }
}

static void interpolate_back(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y,
                             real *row)
{
  const int64_t *from = at->from[2], *next = at->next[2];
  const real *weight = at->weight[2];
  for (int64_t i = 0; i < p->out[0]; i++)
    for (int64_t j = 0; j < p->out[1]; j++, x += p->out[2]) {
      const Rows rows = rows_of(p, at, i, j);
      memset(row, 0, (size_t)p->in[2] * sizeof *row);
      for (int64_t k = 0; k < p->out[2]; k++) {
        row[from[k]] += (1 - weight[k]) * x[k];
        row[next[k]] += weight[k] * x[k];
      }
      for (int r = 0; r < rows.count; r++) {
        real *to = y + rows.at[r];
        for (int64_t c = 0; c < p->in[2]; c++)
          to[c] += rows.weight[r] * row[c];
      }
    }
}

/* --- the table ------------------------------------------------------------------------------- */

static void forward(const THNNPlanes *p, const THNN_(Places) * places, const real *x, real *y,
                    real *row)
{
  if (places->weighted)
    interpolate(p, places, x, y, row);
  else
    gather(p, places, x, y);
}

static void backward(const THNNPlanes *p, const THNN_(Places) * places, const real *x, real *y,
                     real *row)
{
  memset(y, 0, (size_t)p->input * sizeof *y);
  if (places->weighted)
    interpolate_back(p, places, x, y, row);
  else
    scatter(p, places, x, y);
}

const THNN_(ResampleKernel) TH_LEVEL_(THNN_(resample))[] = {
    [THNN_GATHER] = forward,
    [THNN_SCATTER] = backward,
};
