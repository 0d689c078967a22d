/* The distinct elements of long tensors, found by all methods: they are in order, each element
 * equals the one that the inverse refers to, and the counts agree with the inverse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

static double at(at_tensor *t, int64_t i)
{
  return ((double *)at_data(t))[i];
}

/* Whether b may follow a: NaNs come last, all distinct. */
static bool follows(double a, double b)
{
  return isnan(b) || a < b;
}

static void check_unique(at_tensor *t, bool sorted)
{
  const int64_t n = at_numel(t);
  AT_SCOPE
  {
    at_tensor *x = at_contiguous(at_to(t, AT_CPU(AT_DOUBLE)));
    for (int how = 0; how < 4; how++) {
      const bool inverse = how & 1, counts = how & 2;
      const at_values_inverse_counts made =
          sorted ? at_unique(t, .return_inverse = inverse, .return_counts = counts)
                 : at_unique_consecutive(t, .return_inverse = inverse, .return_counts = counts);
      CHECK_MSG(at_defined(made.values), "%s", at_error_message());
      CHECK(at_typeOf(made.values) == at_typeOf(t) && at_dim(made.values) == 1);
      CHECK(at_defined(made.inverse) == inverse && at_defined(made.counts) == counts);
      at_tensor *values = at_to(made.values, AT_CPU(AT_DOUBLE));
      const int64_t found = at_numel(values);
      for (int64_t g = 1; g < found; g++)
        if (sorted ? !follows(at(values, g - 1), at(values, g))
                   : at(values, g - 1) == at(values, g))
          CHECK_MSG(0, "values %lld and %lld are %g and %g", (long long)g - 1, (long long)g,
                    at(values, g - 1), at(values, g));
      int64_t total = 0, *const seen = calloc((size_t)found + 1, sizeof *seen);
      for (int64_t i = 0; inverse && i < n; i++) {
        const int64_t number = ((int64_t *)at_data(made.inverse))[i];
        CHECK(number >= 0 && number < found);
        seen[number]++;
        const double a = at(values, number), b = at(x, i);
        if (a != b && !(isnan(a) && isnan(b)))
          CHECK_MSG(0, "element %lld is %g, and number %lld is %g", (long long)i, b,
                    (long long)number, a);
      }
      for (int64_t g = 0; counts && g < found; g++) {
        const int64_t count = ((int64_t *)at_data(made.counts))[g];
        CHECK(count > 0 && (!inverse || count == seen[g]));
        CHECK(!isnan(at(values, g)) || count == 1);
        total += count;
      }
      CHECK(!counts || total == n);
      free(seen);
    }
  }
}

/* Many and few elements; a small, a large and the maximal range. */
static void different(void **state)
{
  static const at_scalar_type types[] = {AT_BYTE,   AT_CHAR,  AT_SHORT, AT_INT,  AT_LONG,
                                         AT_DOUBLE, AT_FLOAT, AT_HALF,  AT_BOOL, AT_BFLOAT16};
  static const int64_t lengths[] = {1, 16, 17, 300, 6000};
  static const double ranges[] = {1, 3, 250, 30000, 3e9, 9e18};
  at_manualSeed(7);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
      for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        AT_SCOPE
        {
          th_note("type %d, length %lld, range %g", types[i], (long long)lengths[l], ranges[r]);
          at_tensor *u = at_rand(AT_SHAPE(3, lengths[l]), .type = AT_CPU(AT_DOUBLE));
          const double low = types[i] == AT_BYTE || types[i] == AT_BOOL ? 0 : -ranges[r] / 2;
          const double most = types[i] == AT_BYTE    ? 255
                              : types[i] == AT_CHAR  ? 120
                              : types[i] == AT_SHORT ? 30000
                              : types[i] == AT_INT   ? 2e9
                                                     : 9e18;
          const double scale = ranges[r] < most ? ranges[r] : most;
          at_tensor *wide = at_floor(at_add(at_mul(u, scale), low < -most ? -most / 2 : low));
          if (types[i] == AT_FLOAT || types[i] == AT_DOUBLE || types[i] == AT_HALF)
            wide = at_where(at_gt(u, 0.9), at_full_like(u, at_scalar_double(NAN)), wide);
          at_tensor *t = at_to(wide, AT_CPU(types[i]));
          check_unique(t, true);
          check_unique(t, false);
          check_unique(at_transpose(t, 0, 1), true);
          check_unique(at_transpose(t, 0, 1), false);
        }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(different)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
