/* Tests: how they are listed, and checks that show both values.
 *
 *     #include "THTemplate.h"
 *     #include "th_test.h"
 *
 *     static void THTest_(fill)(void)
 *     {
 *       THTensor *t = THTensor_(newWithSize2d)(2, 3);
 *       THTensor_(fill)(t, 7);
 *       CHECK_EQ(THTensor_(get2d)(t, 1, 2), (real)7);
 *       CHECK_RAISES(2, "out of range", THTensor_(get2d)(t, 2, 0));
 *       THTensor_(free)(t);
 *     }
 *
 *     TH_TESTS(THTest_(fill))
 *
 * makes the tests Byte/fill ... Double/fill.  A TH error that a test does not expect makes it fail
 * with the error's message.  Plain test programs use the same checks, in the tests of their own
 * main. The assertions of cmocka may be used beside them. */
#ifndef TH_TEST_H
#define TH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "TH.h"

/* --- listing ------------------------------------------------------------------------------ */

typedef void (*th_test_body)(void);

/* The tests of one template and type. */
typedef struct th_test_group {
  const char *type;  /* "Float" */
  const char *file;  /* "/.../tests/TH/THTensorCopy.c" */
  const char *names; /* "THTest_(fill), THTest_(zero)" */
  const th_test_body *bodies;
  size_t count;
  struct th_test_group *next;
} th_test_group;

void th_test_register(th_test_group *group);

#define THTest_(NAME) TH_CONCAT_4(THTest_, Real, _, NAME)

#ifndef TH_TEST_TYPE /* what the tests are named after */
#define TH_TEST_TYPE TH_STRING_OF(Real)
#endif

/* Lists the tests of the file, once, at its end. */
#define TH_TESTS(...)                                                     \
  static const th_test_body th_test_bodies[] = {__VA_ARGS__};             \
  __attribute__((constructor)) static void th_test_list(void)             \
  {                                                                       \
    enum { COUNT = sizeof th_test_bodies / sizeof *th_test_bodies };      \
    static th_test_group group = {TH_TEST_TYPE,   __FILE__, #__VA_ARGS__, \
                                  th_test_bodies, COUNT,    NULL};        \
    th_test_register(&group);                                             \
  }

/* --- what a failure says ------------------------------------------------------------------ */

/* Says what is being tested just now (the layouts, the shape); a failure prints the last note. */
void th_note(const char *fmt, ...) TH_PRINTF_LIKE(1, 2);

/* Fails the running test. */
TH_NO_RETURN void th_fail_at(const char *file, int line, const char *fmt, ...) TH_PRINTF_LIKE(3, 4);

/* A number of any type, exactly, and how it is printed: only a check that fails has time for that.
 */
typedef struct th_number {
  long double value;
  enum { TH_INTEGER, TH_UNSIGNED, TH_FLOAT, TH_DOUBLE, TH_HALF } type;
  THHalf half; /* of which NaN have more bits than value */
} th_number;

th_number th_number_of_integer(int64_t value);
th_number th_number_of_unsigned(uint64_t value);
th_number th_number_of_float(float value);
th_number th_number_of_double(double value);
th_number th_number_of_half(THHalf value);

typedef struct th_text {
  char text[40];
} th_text;

th_text th_text_of(th_number number);

/* clang-format off */
#define TH_NUMBER(X)                  \
  _Generic((X),                       \
    float: th_number_of_float,        \
    double: th_number_of_double,      \
    THHalf: th_number_of_half,        \
    uint64_t: th_number_of_unsigned,  \
    unsigned long long: th_number_of_unsigned, \
    default: th_number_of_integer)(X)
/* clang-format on */

#define TH_TEXT(X) th_text_of(TH_NUMBER(X)).text

void th_check_equal(const char *file, int line, const char *actualText, th_number actual,
                    const char *expectedText, th_number expected);
void th_check_near(const char *file, int line, const char *actualText, th_number actual,
                   const char *expectedText, th_number expected, double absolute, double relative);
void th_check_raised(const char *file, int line, const char *statement, const THTry *attempt,
                     int argument, const char *part);

/* --- checks ------------------------------------------------------------------------------- */

#define CHECK(CONDITION)                                              \
  do {                                                                \
    if (!(CONDITION))                                                 \
      th_fail_at(__FILE__, __LINE__, "%s does not hold", #CONDITION); \
  } while (0)

/* CHECK with a text that shows values. */
#define CHECK_MSG(CONDITION, ...)                  \
  do {                                             \
    if (!(CONDITION))                              \
      th_fail_at(__FILE__, __LINE__, __VA_ARGS__); \
  } while (0)

/* Two numbers of any types, THHalf included, are the same; NaN is the same as NaN, and 0 as -0. */
#define CHECK_EQ(ACTUAL, EXPECTED) \
  th_check_equal(__FILE__, __LINE__, #ACTUAL, TH_NUMBER(ACTUAL), #EXPECTED, TH_NUMBER(EXPECTED))

/* |ACTUAL - EXPECTED| <= TOLERANCE; infinities and NaN are near to themselves alone. */
#define CHECK_NEAR(ACTUAL, EXPECTED, TOLERANCE)                                                 \
  th_check_near(__FILE__, __LINE__, #ACTUAL, TH_NUMBER(ACTUAL), #EXPECTED, TH_NUMBER(EXPECTED), \
                TOLERANCE, 0)

/* |ACTUAL - EXPECTED| <= TOLERANCE * |EXPECTED|. */
#define CHECK_CLOSE(ACTUAL, EXPECTED, TOLERANCE)                                                   \
  th_check_near(__FILE__, __LINE__, #ACTUAL, TH_NUMBER(ACTUAL), #EXPECTED, TH_NUMBER(EXPECTED), 0, \
                TOLERANCE)

/* The statement raises an error whose message contains PART and which blames argument ARGUMENT,
 * counted from 1 (0: none).  No check may stand inside it; a local that it changes before it
 * raises, and that is read afterwards, must be volatile. */
#define CHECK_RAISES(ARGUMENT, PART, ...)                                           \
  do {                                                                              \
    THTry th_attempt;                                                               \
    TH_TRY(th_attempt)                                                              \
    {                                                                               \
      __VA_ARGS__;                                                                  \
    }                                                                               \
    th_check_raised(__FILE__, __LINE__, #__VA_ARGS__, &th_attempt, ARGUMENT, PART); \
  } while (0)

/* --- random numbers for tests ------------------------------------------------------------- */

/* The seed of this run: TH_TEST_SEED in the environment, or 20180228.  A failure prints it. */
uint64_t th_seed(void);

/* How many of count random cases this run tries: all, or one of TH_TEST_PART (in the environment).
 * Runs that repeat what another run has tried in full, such as those of other instruction sets,
 * algorithms and devices, try a part from day to day. */
int th_part_of(int count);

typedef struct th_random {
  uint64_t state;
} th_random;

/* The next number of the sequence (splitmix64). */
static inline uint64_t th_random_next(th_random *random)
{
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* A random number of 0 .. count - 1. */
static inline int64_t th_random_below(th_random *random, int64_t count)
{
  return (int64_t)(th_random_next(random) % (uint64_t)count);
}

#endif
