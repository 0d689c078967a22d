/* A program outside the repository with functions of its own for every element type, valid as C and
 * as C++.  Its file has a name that programs use: the installed generic/ must not have it too. */
#ifdef CLASSIC_INCLUDES
#include "TH.h"
#include "THMath.h"
#else
#include <TH/TH.h>
#include <TH/THMath.h>
#endif

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#ifdef __cplusplus
#include <stdexcept>
#include <string>
#endif

typedef struct {
  const char *name;
  int size, accumulator, passes;
} Type;

static int cleanups;

#define TH_GENERIC_FILE "generic/Tensor.c"
#include "THGenerateAllTypes.h"
#ifdef TH_GENERIC_FILE
#error "a driver must leave TH_GENERIC_FILE undefined"
#endif
#define TH_GENERIC_FILE "generic/Tensor.c"
#include "THGenerateHalfType.h"

/* The order of the passes, and the other drivers. */
static const char passes_in_order[] =
#define TH_GENERIC_FILE "generic/Order.c"
#include "THGenerateAllTypes.h"
    "|"
#define TH_GENERIC_FILE "generic/Order.c"
#include "THGenerateFloatTypes.h"
    "|"
#define TH_GENERIC_FILE "generic/Order.c"
#include "THGenerateIntTypes.h"
    "|"
#define TH_GENERIC_FILE "generic/Order.c"
#include "THGenerateHalfType.h"
#define TH_GENERIC_FILE "generic/Order.c"
#include "THGenerateLongType.h"
    ;

/* What foreign-function declarations repeat. */
static_assert(sizeof(THAllocator) == 24 && offsetof(THAllocator, malloc) == 0, "malloc");
static_assert(offsetof(THAllocator, realloc) == 8 && offsetof(THAllocator, free) == 16, "free");
static_assert(sizeof(THHalf) == 2 && sizeof(THHalf2) == 4, "half");
static_assert(sizeof(THDescBuff) == TH_DESC_BUFF_LEN && TH_DESC_BUFF_LEN == 64, "description");
static_assert(sizeof(THGenerator) == 5048 && offsetof(THGenerator, left) == 8, "left");
static_assert(offsetof(THGenerator, seeded) == 12 && offsetof(THGenerator, next) == 16, "next");
static_assert(offsetof(THGenerator, state) == 24 && _MERSENNE_STATE_N == 624, "state");
static_assert(offsetof(THGenerator, normal_x) == 5016 && offsetof(THGenerator, normal_y) == 5024,
              "normal");
static_assert(offsetof(THGenerator, normal_rho) == 5032, "normal_rho");
static_assert(offsetof(THGenerator, normal_is_valid) == 5040, "normal_is_valid");

/* --- errors that leave as programs let them ------------------------------------------------- */

static int failed_argument;
static char message[3000];

#ifdef __cplusplus
static void handle(const char *msg, void *)
{
  throw std::runtime_error(msg);
}

static void handle_argument(int argument, const char *msg, void *)
{
  failed_argument = argument;
  throw std::runtime_error(msg);
}

static int raises(void (*function)(int), int which)
{
  try {
    function(which);
  } catch (const std::runtime_error &error) {
    snprintf(message, sizeof message, "%s", error.what());
    return 1;
  }
  return 0;
}
#else
static jmp_buf home;

static void handle(const char *msg, void *data)
{
  (void)data;
  snprintf(message, sizeof message, "%s", msg);
  longjmp(home, 1);
}

static void handle_argument(int argument, const char *msg, void *data)
{
  failed_argument = argument;
  handle(msg, data);
}

static int raises(void (*function)(int), int which)
{
  if (setjmp(home))
    return 1;
  function(which);
  return 0;
}
#endif

static int errors(void (*function)(int))
{
  static const struct {
    const char *text;
    int argument;
  } expected[] = {
      {"from inside, element 5 at ", 0},
      {"inconsistent sizes: t [3 x 4] has 12 elements, u [11] has 11", 0},
      {"invalid dimension", 0},
      {"2 dimensions at ", 2},
      {"cleaned at ", 1},
      {"assertion `u->size[0] == 12' failed: size is 11", 0},
      {"number 6", 3},
  };
  cleanups = 0;
  for (int i = 0; i < 7; i++) {
    failed_argument = 0;
    if (!raises(function, i) || !strstr(message, expected[i].text) ||
        failed_argument != expected[i].argument) {
      printf("error %d: argument %d, \"%s\"\n", i, failed_argument, message);
      return 0;
    }
  }
  return cleanups == 2;
}

/* --- main ------------------------------------------------------------------------------------- */

static int is_same(const Type *type, const Type *expected)
{
  if (!strcmp(type->name, expected->name) && type->size == expected->size &&
      type->accumulator == expected->accumulator && type->passes == expected->passes)
    return 1;
  printf("%s %d %d %d\n", type->name, type->size, type->accumulator, type->passes);
  return 0;
}

int main(void)
{
  static const Type expected[] = {
      {"THFloatTensor", 4, 8, 1}, {"THDoubleTensor", 8, 8, 1}, {"THByteTensor", 1, 8, 11},
      {"THCharTensor", 1, 8, 11}, {"THShortTensor", 2, 8, 11}, {"THIntTensor", 4, 8, 11},
      {"THLongTensor", 8, 8, 11}, {"THHalfTensor", 2, 4, 1},
  };
  int good = 1;
  THSetErrorHandler(handle, NULL);
  THSetArgErrorHandler(handle_argument, NULL);
#define TEST(NUMBER, NAME)                     \
  {                                            \
    Type type;                                 \
    Outside##NAME##_types(&type);              \
    good &= is_same(&type, &expected[NUMBER]); \
    Outside##NAME##_run();                     \
    good &= errors(Outside##NAME##_fail);      \
  }
  TEST(0, Float)
  TEST(1, Double)
  TEST(2, Byte)
  TEST(3, Char)
  TEST(4, Short)
  TEST(5, Int)
  TEST(6, Long)
  TEST(7, Half)

  if (strcmp(passes_in_order,
             "Float Double Byte Char Short Int Long |Float Double |Byte Char Short Int Long |"
             "Half Long ")) {
    puts(passes_in_order);
    good = 0;
  }
  good &= TH_sigmoid(0) == 0.5 && fabs(M_PI - acos(-1.0)) < 1e-15 && M_PIf == (float)M_PI;
  good &= THMin(3, 5) == 3 && THMax(3, 5) == 5;
  good &=
      !strcmp(TH_CONCAT_STRING_2(a, b), "ab") && !strcmp(TH_CONCAT_STRING_4(a, b, c, d), "abcd");
  puts(good ? "good" : "bad");
  return !good;
}
