/* Fourier transforms on CUDA, of lengths around those of warps and blocks, of each radix and of large
 * primes, against sums that follow the definition. */
#include <math.h>
#include <stdlib.h>

#include "ATen.h"
#include "th_test.h"

/* Elements in [-1, 1] that look random. */
static double element(int64_t line, int64_t k)
{
  const double x = (double)(line + 1) * 12.9898 + (double)k * 78.233;
  return sin(x * x);
}

static at_tensor *lines_of(int64_t lines, int64_t length, bool isComplex, at_scalar_type type)
{
  at_tensor *const t =
      at_empty(AT_SHAPE(lines, length, isComplex ? 2 : 1), .type = AT_CPU(AT_DOUBLE));
  double *to = at_data(t);
  for (int64_t l = 0; l < lines; l++)
    for (int64_t k = 0; k < length; k++) {
      *to++ = element(l, k);
      if (isComplex)
        *to++ = element(l + 100, k);
    }
  at_tensor *const there = at_to(at_to(t, AT_CPU(type)), AT_CUDA(type));
  return isComplex ? at_view_as_complex(there) : at_squeeze_dim(there, -1);
}

/* Checks elements of a line of the spectrum (pairs on the CPU): every step-th. */
static void check_line(at_tensor *pairs, int64_t line, int64_t length, bool isComplex,
                       double within)
{
  const int64_t count = at_size(pairs, 1), step = 1 + count / 64;
  const double *const got = (const double *)at_data(pairs) + 2 * line * count;
  for (int64_t w = 0; w < count; w += step) {
    double re = 0, im = 0;
    for (int64_t k = 0; k < length; k++) {
      const double angle = -2 * M_PI * (double)(w * k % length) / (double)length;
      const double x = element(line, k), y = isComplex ? element(line + 100, k) : 0;
      re += x * cos(angle) - y * sin(angle);
      im += x * sin(angle) + y * cos(angle);
    }
    const double size = within * sqrt((double)length);
    CHECK_MSG(fabs(got[2 * w] - re) <= size && fabs(got[2 * w + 1] - im) <= size,
              "length %lld, line %lld, element %lld is (%.17g, %.17g), not (%.17g, %.17g)",
              (long long)length, (long long)line, (long long)w, got[2 * w], got[2 * w + 1], re, im);
  }
}

static at_tensor *on_host(at_tensor *t)
{
  CHECK_MSG(at_defined(t), "%s", at_error_message());
  if (at_is_complex(t))
    t = at_view_as_real(t);
  at_tensor *const there = at_to(at_contiguous(t), AT_CPU(at_type_scalarType(at_typeOf(t))));
  return at_to(there, AT_CPU(AT_DOUBLE));
}

/* Checks that back, the inverse of the spectrum, is t again. */
static void check_back(at_tensor *back, at_tensor *t, double within)
{
  at_tensor *const got = on_host(back), *const want = on_host(t);
  CHECK_EQ(at_numel(got), at_numel(want));
  for (int64_t i = 0; i < at_numel(want); i++)
    CHECK(fabs(((double *)at_data(got))[i] - ((double *)at_data(want))[i]) <= within);
}

static void check_length(int64_t length, int64_t lines, at_scalar_type type)
{
  const double within = type == AT_DOUBLE ? 1e-13 : 3e-6;
  at_tensor *const x = lines_of(lines, length, true, type), *const r = lines_of(lines, length,
                                                                                false, type);
  at_tensor *const spectrum = at_fft_fft(x), *const half = at_fft_rfft(r);
  at_tensor *const pairs = on_host(spectrum), *const halves = on_host(half);
  CHECK_EQ(at_size(halves, 1), length / 2 + 1);
  for (int64_t line = 0; line < lines; line += lines > 5 ? lines - 1 : 1) {
    check_line(pairs, line, length, true, within);
    check_line(halves, line, length, false, within);
  }
  check_back(at_fft_ifft(spectrum), x, within);
  check_back(at_fft_irfft(half, .n = length), r, within);
}

static void lengths(void **state)
{
  static const int64_t ladder[] = {1,  2,  3,  5,  6,   11,   13,   17,   31,
                                   32, 33, 64, 77, 169, 1023, 1025, 1031, 2048};
  for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++)
    for (int wide = 0; wide < 2; wide++)
      AT_SCOPE
      {
        check_length(ladder[i], 3, wide ? AT_DOUBLE : AT_FLOAT);
      }
  CHECK_EQ(at_error(), AT_OK);
}

/* More lines than are transformed at once (64 MiB of work space), of a prime length. */
static void many_lines(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = lines_of(801, 1031, true, AT_DOUBLE);
    at_tensor *const pairs = on_host(at_fft_fft(x));
    check_line(pairs, 0, 1031, true, 1e-13);
    check_line(pairs, 800, 1031, true, 1e-13);
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* Along a dimension with gaps, cut and padded. */
static void gaps(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = lines_of(4, 9, true, AT_DOUBLE), *const y = at_t(x);
    at_tensor *const want = on_host(at_fft_fft(x, .n = 12));
    at_tensor *const got = on_host(at_t(at_fft_fft(y, .n = 12, .dim = 0)));
    CHECK_EQ(at_numel(got), at_numel(want));
    CHECK(at_equal(got, want));
    check_line(on_host(at_fft_fft(at_narrow(x, 1, 0, 7))), 3, 7, true, 1e-13);
  }
  CHECK_EQ(at_error(), AT_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lengths), cmocka_unit_test(many_lines),
                                     cmocka_unit_test(gaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
