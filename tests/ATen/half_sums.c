/* Sums, means and norms of Half and BFloat16 beside sums in long double of what their bits say. */
#include <math.h>
#include <string.h>

#include "ATen.h"
#include "TH.h"
#include "th_test.h"

static uint64_t state;

static int64_t below(int64_t limit)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)limit);
}

/* --- elements, by their bits -------------------------------------------------------------------
 */

typedef struct {
  at_scalar_type type;
  int fraction, bias; /* bits of the fraction, of the exponent of 1 */
} Format;

static const Format formats[] = {{AT_HALF, 10, 15}, {AT_BFLOAT16, 7, 127}};

static double value_of(const Format *format, uint16_t bits)
{
  const int sign = bits >> 15, exponent = (bits & 0x7fff) >> format->fraction;
  const int fraction = bits & ((1 << format->fraction) - 1), one = 1 << format->fraction;
  double size;
  if (exponent == 2 * format->bias + 1)
    size = fraction ? NAN : INFINITY;
  else
    size = ldexp(exponent ? one + fraction : fraction,
                 (exponent ? exponent : 1) - format->bias - format->fraction);
  return sign ? -size : size;
}

static uint16_t bits_of(const Format *format, int sign, int exponent, int fraction)
{
  return (uint16_t)(sign << 15 | (exponent + format->bias) << format->fraction | fraction);
}

/* What lies between two neighbours of x's size. */
static double unit_of(const Format *format, double x)
{
  int exponent;
  frexp(x, &exponent);
  return ldexp(
      1, (x == 0 ? 1 - format->bias : THMax(exponent - 1, 1 - format->bias)) - format->fraction);
}

/* --- what is expected --------------------------------------------------------------------------
 */

typedef enum { SUM, MEAN, NORM, WHATS } What;

static at_tensor *computed(What what, at_tensor *x, int64_t dim)
{
  if (dim < 0)
    return what == SUM ? at_sum(x) : what == MEAN ? at_mean(x) : at_norm(x);
  return what == SUM    ? at_sum_dim(x, AT_SHAPE(dim))
         : what == MEAN ? at_mean_dim(x, AT_SHAPE(dim))
                        : at_norm_dim(x, at_scalar(2), AT_SHAPE(dim));
}

/* n elements, so far apart, make the result: to half a unit, and what sums in float may lose. */
static void check_one(const Format *format, What what, const uint16_t *x, int64_t n, int64_t apart,
                      double result, const char *where)
{
  long double sum = 0, sizes = 0;
  for (int64_t i = 0; i < n; i++) {
    const long double e = value_of(format, x[i * apart]);
    sum += what == NORM ? e * e : e;
    sizes += fabsl(e);
  }
  long double want = sum, within = sizes * 0x1p-21L;
  if (what == NORM) {
    want = sqrtl(sum);
    within = want * 0x1p-21L;
  } else if (what == MEAN) {
    want /= n;
    within /= n;
  }
  within += (long double)unit_of(format, (double)want) * 0.5001L;
  CHECK_MSG(fabsl(want - result) <= within, "%s, %d of %s: %.9g, expected %.9Lg", where, (int)what,
            format->type == AT_HALF ? "Half" : "BFloat16", result, want);
}

static void check_all(const Format *format, at_tensor *x, const char *where)
{
  const uint16_t *const at = at_data(x);
  const int64_t rows = at_size(x, 0), columns = at_size(x, 1);
  const int64_t down = at_stride(x, 0), along = at_stride(x, 1);
  for (What what = 0; what < WHATS; what++) {
    const uint16_t *r = at_data(computed(what, x, 1));
    for (int64_t i = 0; i < rows; i++)
      check_one(format, what, at + i * down, columns, along, value_of(format, r[i]), where);
    r = at_data(computed(what, x, 0));
    for (int64_t j = 0; j < columns; j++)
      check_one(format, what, at + j * along, rows, down, value_of(format, r[j]), where);
    if (down == columns && along == 1) {
      r = at_data(computed(what, x, -1));
      check_one(format, what, at, rows * columns, 1, value_of(format, *r), where);
    }
  }
}

/* Of exponents from -spread up to 0. */
static at_tensor *numbers(const Format *format, int64_t rows, int64_t columns, int spread)
{
  at_tensor *t = at_empty(AT_SHAPE(rows, columns), .type = AT_CPU(format->type));
  uint16_t *at = at_data(t);
  for (int64_t i = 0; i < rows * columns; i++)
    at[i] =
        bits_of(format, (int)below(2), -(int)below(spread + 1), (int)below(1 << format->fraction));
  return t;
}

/* --- tests -------------------------------------------------------------------------------------
 */

static void of_any_shape(void **unused)
{
  (void)unused;
  static const int64_t shapes[][2] = {
      {1, 1},    {1, 5000}, {3, 64},   {9, 63}, {8, 65}, {17, 128}, {8, 129}, {5, 1000}, {70, 300},
      {300, 70}, {1000, 3}, {100, 16}, {7, 16}, {9, 17}, {8, 1500}, {40, 1},  {2, 70000}};
  for (int f = 0; f < 2; f++)
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
      for (int spread = 0; spread <= 14; spread += 7)
        AT_SCOPE
        {
          const int64_t rows = shapes[s][0], columns = shapes[s][1];
          at_tensor *x = numbers(&formats[f], rows, columns, spread);
          check_all(&formats[f], x, "side by side");
          check_all(&formats[f], at_t(x), "turned over");
          if (columns > 2)
            check_all(&formats[f], at_narrow(x, 1, 1, columns - 2), "part of rows");
          check_all(&formats[f], at_slice(x, .dim = 1, .step = at_opt(2)), "with gaps");
        }
}

/* Sums that are kept in a wider type, where that is asked for, lose nothing. */
static void in_other_types(void **unused)
{
  (void)unused;
  for (int f = 0; f < 2; f++)
    AT_SCOPE
    {
      at_tensor *x = at_zeros(AT_SHAPE(2, 128), .type = AT_CPU(formats[f].type));
      uint16_t *const at = at_data(x);
      at[0] = bits_of(&formats[f], 0, 14, 0);
      at[16] = bits_of(&formats[f], 0, -11, 0);
      at[32] = bits_of(&formats[f], 1, 14, 0);
      at_tensor *r = at_sum_dim(x, AT_SHAPE(1), .type = AT_CPU(AT_FLOAT));
      CHECK_EQ(((float *)at_data(r))[0], 0x1p-11);
      CHECK_EQ(((float *)at_data(at_sum(x, .type = AT_CPU(AT_FLOAT))))[0], 0x1p-11);
      at_tensor *ones = at_ones(AT_SHAPE(3, 128), .type = AT_CPU(formats[f].type));
      r = at_sum_dim(ones, AT_SHAPE(1), .type = AT_CPU(formats[1 - f].type));
      CHECK_EQ(value_of(&formats[1 - f], ((uint16_t *)at_data(r))[2]), 128);
    }
}

static double result_at(const Format *format, What what, at_tensor *x, int64_t dim, int64_t i)
{
  double result = 0;
  AT_SCOPE
  {
    result = value_of(format, ((uint16_t *)at_data(computed(what, x, dim)))[i]);
  }
  return result;
}

/* One line, or row of columns, of a few has the numbers. */
static void check_special(const Format *format, const uint16_t *numbers, int count, What what,
                          double want)
{
  for (int64_t dim = 0; dim < 2; dim++)
    for (int64_t n = 16; n <= 1024; n *= 4)
      AT_SCOPE
      {
        at_tensor *x = at_ones(AT_SHAPE(40, n), .type = AT_CPU(format->type));
        at_tensor *line = at_select(x, 0, 5);
        at_zero_(line);
        for (int i = 0; i < count; i++)
          ((uint16_t *)at_data(line))[i] = numbers[i];
        if (dim == 0)
          x = at_contiguous(at_t(x));
        const double result = result_at(format, what, x, dim, 5), other = (double)n;
        CHECK_MSG(isnan(want) ? isnan(result) : result == want, "dim %d, %d: %g, expected %g",
                  (int)dim, (int)n, result, want);
        CHECK_NEAR(result_at(format, what, x, dim, 4),
                   what == SUM    ? other
                   : what == MEAN ? 1
                                  : sqrt(other),
                   other * 0.004);
      }
}

static void of_extremes(void **unused)
{
  (void)unused;
  for (int f = 0; f < 2; f++) {
    const Format *const format = &formats[f];
    const int top = format->bias, full = (1 << format->fraction) - 1;
    const uint16_t most = bits_of(format, 0, top, full), less = bits_of(format, 1, top, full);
    const uint16_t infinite = bits_of(format, 0, top + 1, 0), none = infinite | 1;
    const uint16_t minus = bits_of(format, 1, top + 1, 0), least = 1;
    check_special(format, (uint16_t[]){most, most, most, less, less}, 5, SUM,
                  value_of(format, most));
    check_special(format, (uint16_t[]){most, most}, 2, SUM, INFINITY);
    check_special(format, (uint16_t[]){most, most, less, less}, 4, SUM, 0);
    check_special(format, (uint16_t[]){most, infinite}, 2, SUM, INFINITY);
    check_special(format, (uint16_t[]){minus, most, most}, 3, MEAN, -INFINITY);
    check_special(format, (uint16_t[]){minus, infinite}, 2, SUM, NAN);
    check_special(format, (uint16_t[]){most, none}, 2, SUM, NAN);
    check_special(format, (uint16_t[]){1 | 0x8000}, 1, SUM, -value_of(format, least));
    check_special(format, (uint16_t[]){0}, 1, NORM, 0);
    check_special(format, (uint16_t[]){0x8000}, 1, NORM, 0);
    check_special(format, (uint16_t[]){least}, 1, NORM, value_of(format, least));
    check_special(format, (uint16_t[]){most}, 1, NORM, value_of(format, most));
    check_special(format, (uint16_t[]){most, most}, 2, NORM, INFINITY);
    check_special(format, (uint16_t[]){minus, most}, 2, NORM, INFINITY);
    check_special(format, (uint16_t[]){none, most}, 2, NORM, NAN);
  }
}

static void by_any_threads(void **unused)
{
  (void)unused;
  const int threads = THGetNumThreads();
  for (int f = 0; f < 2; f++)
    for (int64_t dim = -1; dim < 2; dim++)
      AT_SCOPE
      {
        at_tensor *x = numbers(&formats[f], 700, 900, 9);
        THSetNumThreads(1);
        at_tensor *one = computed(SUM, x, dim);
        THSetNumThreads(3);
        at_tensor *three = computed(SUM, x, dim);
        CHECK(!memcmp(at_data(one), at_data(three), (size_t)at_numel(one) * sizeof(uint16_t)));
      }
  THSetNumThreads(threads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_any_shape),
      cmocka_unit_test(in_other_types),
      cmocka_unit_test(of_extremes),
      cmocka_unit_test(by_any_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
