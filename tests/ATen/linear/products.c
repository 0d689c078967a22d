/* Matrix products of BFloat16, compared with sums of products of whole numbers, which are exact in
 * every type; only the results are rounded, to the eight bits of BFloat16. */
#include <math.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

enum { MOST = 530 * 1030 };

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

/* Whole numbers from -4 to 4 in one of three layouts: row-major, column-major, every other element;
 * the gaps are 100. */
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
  return layout == 2 ? at_slice(t, .dim = 2, .step = 2) : t;
}

/* Rounds to eight bits, ties to even. */
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
    at_tensor *sum = at_baddbmm(tz, tx, ty, .beta = 2, .alpha = 3);
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

/* More terms, rows and columns than a block has, and an odd number of terms. */
static void of_large_matrices(void **state_)
{
  (void)state_;
  check_product(1, 1, 70, 1029, 67);
  check_product(13, 1, 35, 2100, 37);
  check_product(14, 1, 530, 1030, 40);
  check_product(15, 1, 40, 300, 1050);
  check_product(2, 1, 601, 9, 130);
  for (uint64_t seed = 3; seed <= 12; seed++) /* all layouts of both, of whole panels */
    check_product(seed, 1, 40, 520, 70);
}

/* A matrix times a vector, also with a result that has gaps. */
static void with_a_vector(void **state_)
{
  static double x[MOST], y[MOST], z[MOST];
  (void)state_;
  for (uint64_t seed = 1; seed <= 30; seed++)
    AT_SCOPE
    {
      state = seed;
      const int64_t rows = 1 + below(80), inner = 1 + below(300);
      at_tensor *tx = at_select(numbers(1, rows, inner, x), 0, 0);
      at_tensor *ty = at_select(at_select(numbers(1, inner, 3, y), 0, 0), 1, 1);
      at_tensor *tz = at_select(at_select(numbers(1, rows, 3, z), 0, 0), 1, 2);
      at_tensor *apart = at_select(at_zeros(AT_SHAPE(rows, 2), .type = AT_CPU(AT_BFLOAT16)), 1, 0);
      at_tensor *plain = at_mv(tx, ty);
      at_tensor *sum = at_addmv(tz, tx, ty, .beta = -1, .alpha = 2);
      CHECK(at_mv_out(apart, tx, ty) == apart);
      for (int64_t i = 0; i < rows; i++) {
        double want = 0;
        for (int64_t l = 0; l < inner; l++)
          want += x[i * inner + l] * y[l * 3 + 1];
        CHECK(value_of(((uint16_t *)at_data(plain))[i]) == rounded(want));
        CHECK(value_of(((uint16_t *)at_data(apart))[2 * i]) == rounded(want));
        CHECK(value_of(((uint16_t *)at_data(sum))[i]) == rounded(2 * want - z[i * 3 + 2]));
      }
    }
}

static bool same(at_tensor *a, at_tensor *b)
{
  return at_numel(a) == at_numel(b) &&
         !memcmp(at_data(a), at_data(b), (size_t)at_numel(a) * sizeof(uint16_t));
}

/* A given result, which may be added, be an operand, or overlap one. */
static void into_a_result(void **state_)
{
  static double x[MOST], y[MOST], z[MOST];
  (void)state_;
  for (uint64_t seed = 1; seed <= 12; seed++)
    AT_SCOPE
    {
      state = seed;
      const int64_t size = 1 + below(90);
      at_tensor *tx = at_select(numbers(1, size, size, x), 0, 0);
      at_tensor *ty = at_select(numbers(1, size, size, y), 0, 0);
      at_tensor *tz = at_select(numbers(1, size, size, z), 0, 0);
      at_tensor *row = at_select(tz, 0, 0);
      at_tensor *product = at_mm(tx, ty), *sum = at_addmm(tz, tx, ty);
      at_tensor *broadcast = at_addmm(row, tx, ty);
      for (int64_t i = 0; i < size * size; i++)
        CHECK(value_of(((uint16_t *)at_data(broadcast))[i]) ==
                  rounded(value_of(((uint16_t *)at_data(row))[i % size * at_stride(row, 0)]) +
                          value_of(((uint16_t *)at_data(product))[i])) ||
              fabs(value_of(((uint16_t *)at_data(product))[i])) >= 256);
      at_tensor *out = at_contiguous(at_clone(tz));
      CHECK(same(at_mm_out(out, tx, ty), product));
      at_tensor *self = at_contiguous(at_clone(tz));
      CHECK(same(at_addmm_out(self, self, tx, ty), sum));
      at_tensor *operand = at_contiguous(at_clone(tx));
      CHECK(same(at_mm_out(operand, operand, ty), product));
      at_tensor *other = at_contiguous(at_clone(ty));
      CHECK(same(at_mm_out(other, tx, at_t(at_t(other))), product));
      /* A row below the operand, whose later rows it covers. */
      at_tensor *both = at_zeros(AT_SHAPE(size + 1, size), .type = AT_CPU(AT_BFLOAT16));
      at_tensor *upper = at_narrow(both, 0, 0, size);
      at_copy_(upper, tx);
      CHECK(same(at_mm_out(at_narrow(both, 0, 1, size), upper, ty), product));
    }
}

/* Padding does not change results: NaN and infinities remain in their rows. */
static void with_numbers_that_are_none(void **state_)
{
  (void)state_;
  AT_SCOPE
  {
    enum { SIZE = 37 };
    at_tensor *x = at_ones(AT_SHAPE(SIZE, SIZE), .type = AT_CPU(AT_BFLOAT16));
    at_tensor *y = at_ones(AT_SHAPE(SIZE, SIZE), .type = AT_CPU(AT_BFLOAT16));
    uint16_t *at = at_data(x);
    at[3 * SIZE + SIZE - 1] = bits_of(NAN);
    at[5 * SIZE + 2] = bits_of(INFINITY);
    at[36 * SIZE + 1] = bits_of(-INFINITY);
    const at_tensor *product = at_mm(x, y);
    const uint16_t *p = at_data(product);
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++) {
        const double r = value_of(p[i * SIZE + j]);
        CHECK(i == 3 ? isnan(r) : r == (i == 5 ? INFINITY : i == 36 ? -INFINITY : SIZE));
      }
    /* A result that is not read may have any contents. */
    at_tensor *out =
        at_full(AT_SHAPE(SIZE, SIZE), at_scalar_double(NAN), .type = AT_CPU(AT_BFLOAT16));
    at_addmm_out(out, out, y, y, .beta = 0);
    for (int i = 0; i < SIZE * SIZE; i++)
      CHECK(value_of(((uint16_t *)at_data(out))[i]) == SIZE);
  }
}

/* Products have the same bits for any number of threads, for numbers that are rounded. */
static void by_any_threads(void **state_)
{
  (void)state_;
  AT_SCOPE
  {
    at_manualSeed(1);
    const int threads = THGetNumThreads(), deterministic = THGetDeterministic();
    THSetDeterministic(1); /* for the BLAS library, if it computes */
    const int64_t sizes[][3] = {{300, 700, 200}, {33, 1500, 600}, {700, 1300, 65}};
    for (int i = 0; i < 3; i++) {
      at_tensor *x = at_randn(AT_SHAPE(sizes[i][0], sizes[i][1]), .type = AT_CPU(AT_BFLOAT16));
      at_tensor *y = at_randn(AT_SHAPE(sizes[i][1], sizes[i][2]), .type = AT_CPU(AT_BFLOAT16));
      THSetNumThreads(1);
      at_tensor *one = at_mm(x, y);
      at_tensor *floats = at_mm(at_to(x, AT_CPU(AT_FLOAT)), at_to(y, AT_CPU(AT_FLOAT)));
      for (int t = 2; t <= 5; t++) {
        THSetNumThreads(t);
        CHECK(same(at_mm(x, y), one));
      }
      THSetNumThreads(threads);
      /* Sums in Float, rounded once: half an ulp of eight bits plus the error of floats. */
      const float *f = at_data(floats);
      for (int64_t k = 0; k < at_numel(one); k++)
        CHECK(fabs(value_of(((uint16_t *)at_data(one))[k]) - (double)f[k]) <=
              fabs((double)f[k]) / 256 + 2e-4);
    }
    THSetDeterministic(deterministic);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_any_shape),
                                     cmocka_unit_test(of_large_matrices),
                                     cmocka_unit_test(with_a_vector),
                                     cmocka_unit_test(into_a_result),
                                     cmocka_unit_test(with_numbers_that_are_none),
                                     cmocka_unit_test(by_any_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
