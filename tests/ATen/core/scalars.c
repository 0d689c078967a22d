/* Numbers of every C type as scalars: each has the value that C converts it to. */
#include <stdint.h>

#include "ATen.h"
#include "th_test.h"

#define INTEGER(VALUE, EXPECTED)                                                \
  {                                                                             \
    const at_scalar s = at_scalar(VALUE);                                       \
    CHECK_MSG(!s.is_float && s.value.integer == (EXPECTED), #VALUE " is %s %g", \
              s.is_float ? "floating" : "an integer", at_scalar_toDouble(s));   \
    at_tensor *const r = at_add(integers, VALUE);                               \
    CHECK_MSG(at_typeOf(r) == AT_CPU(AT_LONG) && at_item_long(r) == (EXPECTED), \
              #VALUE " added is %lld", (long long)at_item_long(r));             \
  }

#define FLOATING(VALUE, EXPECTED)                                                  \
  {                                                                                \
    const at_scalar s = at_scalar(VALUE);                                          \
    CHECK_MSG(s.is_float &&s.value.number == (EXPECTED), #VALUE " is %s %g",       \
              s.is_float ? "floating" : "an integer", at_scalar_toDouble(s));      \
    at_tensor *const r = at_add(integers, VALUE);                                  \
    CHECK_MSG(at_typeOf(r) == AT_CPU(AT_FLOAT) && at_item_double(r) == (EXPECTED), \
              #VALUE " added is %g", at_item_double(r));                           \
  }

static void numbers(void **state)
{
  AT_SCOPE
  {
    at_tensor *const integers = at_zeros(AT_SCALAR_SHAPE, .type = AT_CPU(AT_LONG));
    INTEGER((char)5, 5)
    INTEGER((signed char)-5, -5)
    INTEGER((unsigned char)250, 250)
    INTEGER((short)-300, -300)
    INTEGER((unsigned short)65535, 65535)
    INTEGER(-7, -7)
    INTEGER(4000000000u, 4000000000)
    INTEGER(-5000000000l, -5000000000)
    INTEGER(5ul, 5)
    INTEGER((long long)INT64_MIN, INT64_MIN)
    INTEGER((unsigned long long)INT64_MAX, INT64_MAX)
    INTEGER((bool)true, 1)
    INTEGER('a', 97)
    INTEGER(sizeof(int64_t), 8)
    INTEGER((ptrdiff_t)-2, -2)
    INTEGER(AT_LONG, 4) /* an enumerator */
    INTEGER((at_scalar_type)AT_DOUBLE, 6)
    INTEGER(at_scalar(9), 9) /* one that is a scalar already */

    FLOATING(0.5f, 0.5)
    FLOATING(-2.25, -2.25)
    FLOATING(2.5L, 2.5)
    FLOATING((long double)3, 3)
    FLOATING(at_scalar(0.25), 0.25)
    FLOATING(UINT64_MAX, 0x1p64) /* above INT64_MAX */
    FLOATING((size_t)1 << 63, 0x1p63)
#ifdef __FLT16_MAX__
#if !defined(__clang__) || __clang_major__ >= 15
    FLOATING((_Float16)0.5, 0.5)
#endif
#endif
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* Operands that are no literals: a field, a qualified object, an element. */
static void objects(void **state)
{
  struct {
    unsigned char bits : 3;
    long double wide;
  } s = {5, 1.5L};
  const volatile short constant = 12;
  const long double numbers[] = {0.5L, 0.125L};
  const at_scalar given = at_scalar(2);
  CHECK(!at_scalar(s.bits).is_float && at_scalar(s.bits).value.integer == 5);
  CHECK(at_scalar(s.wide).is_float && at_scalar(s.wide).value.number == 1.5);
  CHECK(!at_scalar(constant).is_float && at_scalar(constant).value.integer == 12);
  CHECK(at_scalar(numbers[1]).is_float && at_scalar(numbers[1]).value.number == 0.125);
  CHECK(!at_scalar(given).is_float && at_scalar(given).value.integer == 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(objects)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
