/* Interpolation of bytes: weights are integers of 15 bits, and each axis rounds to bytes, as Pillow and PyTorch
 * compute it. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "interpolate.h"

typedef at_byte_taps_work Pass;

enum { MOST_PRECISION = 22, WEIGHT_LIMIT = 1 << 15, BLOCK = 512 };

/* The most bits of a fraction with which the largest weight fits 16 bits. */
static int precision_of(double largest)
{
  int precision = 0;
  while (precision < MOST_PRECISION &&
         (int)(0.5 + largest * (double)(1 << (precision + 1))) < WEIGHT_LIMIT)
    precision++;
  return precision;
}

/* Adds the weights of taps of the same element to that of the first one. */
static void merge(int64_t taps, const int64_t *index, double *weight)
{
  for (int64_t k = taps - 1; k > 0; k--)
    if (index[k] == index[k - 1]) {
      weight[k - 1] += weight[k];
      weight[k] = 0;
    }
}

static uint8_t rounded(int32_t sum, int precision)
{
  const int32_t value = sum >> precision;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void run(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Pass *const p = context;
  int32_t sums[BLOCK];
  for (ptrdiff_t line = begin; line < end; line++) {
    const int64_t i = line % p->size, *const index = p->index + i * p->taps;
    const int16_t *const weight = p->weight + i * p->taps;
    const uint8_t *const x = p->x + line / p->size * p->from * p->inner;
    for (ptrdiff_t first = 0; first < p->inner; first += BLOCK) {
      const ptrdiff_t count = THMin(p->inner - first, BLOCK);
      for (ptrdiff_t e = 0; e < count; e++)
        sums[e] = p->precision > 0 ? 1 << (p->precision - 1) : 0;
      for (int64_t k = 0; k < p->taps; k++)
        for (ptrdiff_t e = 0; e < count && weight[k] != 0; e++)
          sums[e] += weight[k] * x[index[k] * p->inner + first + e];
      for (ptrdiff_t e = 0; e < count; e++)
        p->y[line * p->inner + first + e] = rounded(sums[e], p->precision);
    }
  }
}

at_tensor *at_weighedBytes(at_tensor *t, int d, const at_resized_axis *a)
{
  int64_t buffer[AT_MOST_DIMS], outer = 1;
  const at_ints own = at_sizesOf(t);
  const int64_t sizes[] = {a->out, at_tapsOf(a)};
  const at_ints table = {sizes, 2};
  Pass p = {.size = a->out, .taps = sizes[1], .from = a->in, .inner = 1};
  for (int e = 0; e < own.count; e++) {
    buffer[e] = e == d ? a->out : own.data[e];
    if (e < d)
      outer *= own.data[e];
    else if (e > d)
      p.inner *= own.data[e];
  }
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const made = at_hold(&pool, at_newShape(t->type, (at_ints){buffer, own.count}));
  at_tensor *const index = at_hold(&pool, at_newShape(AT_CPU(AT_LONG), table));
  at_tensor *const exact = at_hold(&pool, at_newShape(AT_CPU(AT_DOUBLE), table));
  at_tensor *const weight = at_hold(&pool, at_newShape(AT_CPU(AT_SHORT), table));
  double *const w = at_hostData(exact), largest = 0;
  for (int64_t i = 0; i < a->out; i++) {
    int64_t *const at = (int64_t *)at_hostData(index) + i * p.taps;
    at_findTaps(a, i, at, w + i * p.taps);
    merge(p.taps, at, w + i * p.taps);
  }
  for (int64_t k = 0; k < a->out * p.taps; k++)
    largest = fmax(largest, w[k]);
  p.precision = precision_of(largest);
  for (int64_t k = 0; k < a->out * p.taps; k++)
    ((int16_t *)at_hostData(weight))[k] = (int16_t)round(w[k] * (double)(1 << p.precision));
  p.lines = outer * a->out;
  p.index = at_data(at_cast(&pool, index, at_toScalarType(t->type, AT_LONG)));
  p.weight = at_data(at_cast(&pool, weight, at_toScalarType(t->type, AT_SHORT)));
  p.x = at_data(t);
  p.y = at_data(made);
  if (at_isOnHost(t->type))
    THParallel_for(p.lines, 1 + TH_LOOP_GRAIN / (p.inner * p.taps), run, &p);
  else
    at_cuda()->launch(AT_KERNEL_interpolateBytes, THScalarFloat, &p);
  return at_pool_keep(&pool, made);
}
