/* Half precision against its definition: every half, and the floats around every boundary where the
 * rounding changes. */
#include "th_test.h"

enum { HALVES = 1 << 16, INFINITE = 0x7c00 };

/* The value of a finite half without sign, from IEEE 754's table; INFINITE stands for 2^16, which
 * is where the next value would be. */
static double value_of(int half)
{
  const int exponent = half >> 10, fraction = half & 0x3ff;
  return exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
}

/* The half without sign nearest to a magnitude, by bisection: of two as near the even one. */
static int nearest(double magnitude)
{
  int low = 0, high = INFINITE;
  if (magnitude >= value_of(high))
    return high;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (value_of(middle) <= magnitude)
      low = middle;
    else
      high = middle;
  }
  const double below = magnitude - value_of(low), above = value_of(high) - magnitude;
  return below < above ? low : below > above ? high : low % 2 ? high : low;
}

static void check_rounding(float value)
{
  for (int sign = 0; sign < 2; sign++) {
    float given = sign ? -value : value;
    const THHalf half = TH_float2half(given);
    CHECK_MSG(half.x == (sign << 15 | nearest(value)), "%a became half 0x%04x, not 0x%04x",
              (double)given, half.x, sign << 15 | nearest(value));
    unsigned short bits = 0;
    TH_float2halfbits(&given, &bits);
    CHECK_EQ(bits, half.x);
  }
}

/* Doubles are rounded once, also where a float would have to be rounded to the middle first. */
static void doubles(void **state)
{
  THDoubleTensor *from = THDoubleTensor_newWithSize1d(100);
  THHalfTensor *to = THHalfTensor_newWithSize1d(100);
  for (int half = 0; half < INFINITE; half += half < 64 || half > INFINITE - 64 ? 1 : 7) {
    const double low = value_of(half), high = value_of(half + 1), middle = (low + high) / 2;
    const double numbers[] = {middle,
                              nextafter(middle, 0),
                              nextafter(middle, 1e9),
                              middle * (1 + 0x1p-40),
                              middle * (1 - 0x1p-40),
                              low,
                              high};
    for (int sign = 0; sign < 2; sign++)
      for (int i = 0; i < 7; i++) {
        THDoubleTensor_fill(from, sign ? -numbers[i] : numbers[i]);
        THHalfTensor_copyDouble(to, from);
        for (int k = 0; k < 100; k += 99) /* in vectors, and what is left over */
          CHECK_MSG(to->storage->data[k].x == (sign << 15 | nearest(numbers[i])),
                    "%a became half 0x%04x, not 0x%04x", numbers[i], to->storage->data[k].x,
                    sign << 15 | nearest(numbers[i]));
      }
  }
  const double special[] = {0x1p300, 65519.999999999, 65520, INFINITY, 0x1p-1070, 0x1.8p-25};
  const int want[] = {INFINITE, INFINITE - 1, INFINITE, INFINITE, 0, 1};
  for (int i = 0; i < 6; i++) {
    THDoubleTensor_fill(from, special[i]);
    THHalfTensor_copyDouble(to, from);
    CHECK_EQ(to->storage->data[0].x, want[i]);
    CHECK_EQ(to->storage->data[99].x, want[i]);
  }
  THDoubleTensor_fill(from, NAN);
  THHalfTensor_copyDouble(to, from);
  CHECK((to->storage->data[0].x & 0x7fff) > INFINITE &&
        (to->storage->data[99].x & 0x7fff) > INFINITE);
  THHalfTensor_free(to);
  THDoubleTensor_free(from);
}

static void every_half(void **state)
{
  for (int i = 0; i < HALVES; i++) {
    THHalf half = TH_HALF_BITS_TO_LITERAL((unsigned short)i);
    const float value = TH_half2float(half);
    const int magnitude = i & 0x7fff;
    th_note("half 0x%04x", (unsigned)i);
    CHECK_EQ(signbit(value) != 0, i >> 15);
    if (magnitude > INFINITE)
      CHECK(isnan(value));
    else if (magnitude == INFINITE)
      CHECK(isinf(value));
    else
      CHECK_EQ(fabsf(value), value_of(magnitude));

    float again;
    TH_halfbits2float(&half.x, &again);
    CHECK(memcmp(&again, &value, sizeof value) == 0);
    /* There and back: the same half, but that every NaN is quiet. */
    CHECK_EQ(TH_float2half(value).x, magnitude > INFINITE ? i | 0x200 : i);
  }
}

/* Every half, every middle between two, and the floats next to them on both sides. */
static void every_boundary(void **state)
{
  for (int half = 0; half < INFINITE; half++) {
    const double low = value_of(half), high = value_of(half + 1);
    const float numbers[] = {(float)low, (float)((low + high) / 2), (float)high};
    CHECK_EQ(numbers[1], (low + high) / 2);
    for (int i = 0; i < 3; i++) {
      check_rounding(numbers[i]);
      check_rounding(nextafterf(numbers[i], INFINITY));
      if (numbers[i] > 0)
        check_rounding(nextafterf(numbers[i], 0));
    }
  }
}

/* Known by heart: what overflows, what vanishes, what is subnormal as a float. */
static void extremes(void **state)
{
  CHECK_EQ(TH_float2half(1.0f).x, 0x3c00);
  CHECK_EQ(TH_float2half(-2.0f).x, 0xc000);
  CHECK_EQ(TH_float2half(65504.0f).x, 0x7bff);
  CHECK_EQ(TH_float2half(65519.996f).x, 0x7bff);
  CHECK_EQ(TH_float2half(65520.0f).x, TH_HALF_INF);
  CHECK_EQ(TH_float2half(FLT_MAX).x, TH_HALF_INF);
  CHECK_EQ(TH_float2half(-INFINITY).x, 0x8000 | TH_HALF_INF);
  CHECK_EQ(TH_float2half(0.0f).x, TH_HALF_ZERO);
  CHECK_EQ(TH_float2half(-0.0f).x, 0x8000);
  CHECK_EQ(TH_float2half(0x1p-25f).x, 0);
  CHECK_EQ(TH_float2half(0x1.000002p-25f).x, 1);
  CHECK_EQ(TH_float2half(FLT_MIN).x, 0);
  CHECK_EQ(TH_float2half(0x1p-149f).x, 0);
  CHECK_EQ(TH_float2half(-0x1p-149f).x, 0x8000);
  CHECK_EQ(sizeof(THHalf), 2);
  CHECK_EQ(sizeof(THHalf2), 4);
}

/* A NaN stays one, whatever its payload: one in low bits alone must not turn into infinity. */
static void not_numbers(void **state)
{
  static const uint32_t payloads[] = {1, 0x1fff, 0x2000, 0x200000, 0x3fffff, 0x400000, 0x7fffff};
  for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++)
    for (uint32_t sign = 0; sign < 2; sign++) {
      const uint32_t bits = sign << 31 | 0x7f800000 | payloads[i];
      float value;
      memcpy(&value, &bits, sizeof value);
      CHECK_EQ(TH_float2half(value).x, sign << 15 | 0x7e00 | payloads[i] >> 13);
    }
}

static void random_floats(void **state)
{
  th_random random = {th_seed()};
  for (int i = 0; i < 200000; i++) {
    /* Exponents from 2^-28 to 2^17. */
    const uint64_t word = th_random_next(&random);
    check_rounding(ldexpf((float)(1 + (word & 0x7fffff) * 0x1p-23), (int)(word >> 40) % 46 - 28));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(doubles),  cmocka_unit_test(every_half),  cmocka_unit_test(every_boundary),
      cmocka_unit_test(extremes), cmocka_unit_test(not_numbers), cmocka_unit_test(random_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
