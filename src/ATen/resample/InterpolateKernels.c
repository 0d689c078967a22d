/* The kernel of interpolate.h. */
#include "THTemplate.h"

#include "interpolate.h"

/* One line of inner elements. */
static void line(const at_taps *axis, int64_t i, ptrdiff_t inner, const real *x, real *y)
{
  const int64_t *const index = axis->index + i * axis->taps;
  const double *const weight = axis->weight + i * axis->taps;
  for (int64_t t = 0; t < axis->taps; t++) {
    const real *const from = x + index[t] * inner;
    const real w = (real)weight[t];
    if (t == 0)
      for (ptrdiff_t j = 0; j < inner; j++)
        y[j] = w * from[j];
    else
      for (ptrdiff_t j = 0; j < inner; j++)
        y[j] += w * from[j];
  }
}

static void interpolate(const at_taps *axis, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t from,
                        ptrdiff_t inner, const void *x, void *y)
{
  for (ptrdiff_t k = begin; k < end; k++)
    line(axis, k % axis->size, inner, (const real *)x + k / axis->size * from * inner,
         (real *)y + k * inner);
}

const at_interpolate_kernel TH_LEVEL_(TH_CONCAT_2(at_interpolate, Real))[] = {interpolate};
