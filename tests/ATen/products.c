/* Products of matrices of BFloat16 beside sums of products of whole numbers, which are exact in all
 * that may compute them; only the results are rounded, to the eight bits that a BFloat16 has. */
#include <math.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

enum { MOST = 1100 * 80 };

static uint64_t state;

static int64_t below(int64_t limit)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)limit);
}

static uint16_t bits_of(double x)
{
  const float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static double value_of(uint16_t x)
{
  const uint32_t bits = (uint32_t)x << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return (double)f;
}

/* Whole numbers from -4 to 4 in one of three layouts: rows first, columns first, every other
 * element; the rest are 100. */
static at_tensor *numbers(int64_t batch, int64_t rows, int64_t columns, double *to)
{
  const int64_t layout = below(3);
  const int64_t inner = layout == 1 ? rows : columns, outer = layout == 1 ? columns : rows;
  const int64_t apart = layout == 2 ? 2 : 1;
  at_tensor *t = at_empty(AT_SHAPE(batch, outer, inner * apart), .type = AT_CPU(AT_BFLOAT16));
  uint16_t *at = at_data(t);
  for (int64_t i = 0; i < at_numel(t); i++)
    at[i] = bits_of(100);
  for (int64_t b = 0; b < batch; b++)
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++) {
        const double x = (double)(below(9) - 4);
        const int64_t o = layout == 1 ? j : i, n = layout == 1 ? i : j;
        *to++ = x;
        at[((b * outer + o) * inner + n) * apart] = bits_of(x);
      }
  if (layout == 1)
    return at_transpose(t, 1, 2);
  return layout == 2 ? at_slice(t, .dim = 2, .step = at_opt(2)) : t;
}

/* To eight bits, of two neighbours the even one. */
static double rounded(double x)
{
  int exponent;
  const double fraction = frexp(x, &exponent);
  return ldexp(rint(ldexp(fraction, 8)), exponent - 8);
}

static void check_product(uint64_t seed, int64_t batch, int64_t rows, int64_t inner,
                          int64_t columns)
{
  static double x[MOST], y[MOST], z[MOST];
  state = seed;
  AT_SCOPE
  {
    at_tensor *tx = numbers(batch, rows, inner, x), *ty = numbers(batch, inner, columns, y);
    at_tensor *tz = numbers(batch, rows, columns, z);
    at_tensor *plain =
        batch == 1 ? at_mm(at_select(tx, 0, 0), at_select(ty, 0, 0)) : at_bmm(tx, ty);
    at_tensor *sum = at_baddbmm(tz, tx, ty, .beta = at_opt(2), .alpha = at_opt(3));
    CHECK(at_defined(plain) && at_defined(sum));
    CHECK(at_is_contiguous(plain) && at_is_contiguous(sum));
    const uint16_t *p = at_data(plain), *s = at_data(sum);
    for (int64_t k = 0; k < batch * rows * columns; k++) {
      const int64_t i = k / columns, b = i / rows, j = k % columns;
      double want = 0;
      for (int64_t l = 0; l < inner; l++)
        want += x[i * inner + l] * y[(b * inner + l) * columns + j];
      if (value_of(p[k]) != rounded(want) || value_of(s[k]) != rounded(3 * want + 2 * z[k])) {
        print_error("seed %d, %d of %d x %d x %d, element %d: %g and %g, expected %g and %g\n",
                    (int)seed, (int)batch, (int)rows, (int)inner, (int)columns, (int)k,
                    value_of(p[k]), value_of(s[k]), rounded(want), rounded(3 * want + 2 * z[k]));
        fail();
      }
    }
  }
}

static void of_any_shape(void **state_)
{
  (void)state_;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    state = seed;
    const int64_t batch = 1 + below(3), rows = 1 + below(20), inner = 1 + below(40);
    check_product(seed, batch, rows, inner, 1 + below(140));
  }
}

/* More terms and more rows than are taken together, an odd number of terms. */
static void of_large_matrices(void **state_)
{
  (void)state_;
  check_product(1, 1, 70, 1029, 67);
  check_product(2, 1, 601, 9, 130);
  for (uint64_t seed = 3; seed <= 12; seed++) /* all layouts of both, of whole panels */
    check_product(seed, 1, 40, 520, 70);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_any_shape),
                                     cmocka_unit_test(of_large_matrices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
