/* Checks that show both values, for every test program. */
#include "th_test.h"

static char note[512];
static int seed_used;

void th_note(const char *fmt, ...)
{
  va_list arguments;
  va_start(arguments, fmt);
  vsnprintf(note, sizeof note, fmt, arguments);
  va_end(arguments);
}

uint64_t th_seed(void)
{
  const char *text = getenv("TH_TEST_SEED");
  seed_used = 1;
  return text ? strtoull(text, NULL, 0) : 20180228;
}

int th_part_of(int count)
{
  const char *text = getenv("TH_TEST_PART");
  const int part = text ? atoi(text) : 1;
  return part > 1 ? (count + part - 1) / part : count;
}

void th_fail_at(const char *file, int line, const char *fmt, ...)
{
  char message[2 * TH_MESSAGE_LENGTH];
  va_list arguments;
  va_start(arguments, fmt);
  vsnprintf(message, sizeof message, fmt, arguments);
  va_end(arguments);

  print_error("%s\n", message);
  if (note[0])
    print_error("with %s\n", note);
  if (seed_used)
    print_error("TH_TEST_SEED=%llu\n", (unsigned long long)th_seed());
  _fail(file, line);
  abort(); /* for the compiler: _fail does not return */
}

/* --- numbers ------------------------------------------------------------------------------ */

th_number th_number_of_integer(int64_t value)
{
  return (th_number){.value = value, .type = TH_INTEGER};
}

th_number th_number_of_unsigned(uint64_t value)
{
  return (th_number){.value = value, .type = TH_UNSIGNED};
}

th_number th_number_of_float(float value)
{
  return (th_number){.value = value, .type = TH_FLOAT};
}

th_number th_number_of_double(double value)
{
  return (th_number){.value = value, .type = TH_DOUBLE};
}

th_number th_number_of_half(THHalf value)
{
  return (th_number){.value = TH_half2float(value), .type = TH_HALF, .half = value};
}

th_text th_text_of(th_number number)
{
  th_text to;
  const long double value = number.value;
  switch (number.type) {
    case TH_INTEGER:
      snprintf(to.text, sizeof to.text, "%lld", (long long)value);
      break;
    case TH_UNSIGNED:
      snprintf(to.text, sizeof to.text, "%llu", (unsigned long long)value);
      break;
    case TH_FLOAT:
      snprintf(to.text, sizeof to.text, "%.9Lg", value);
      break;
    case TH_DOUBLE:
      snprintf(to.text, sizeof to.text, "%.17Lg", value);
      break;
    case TH_HALF:
      snprintf(to.text, sizeof to.text, "%.5Lg (0x%04x)", value, number.half.x);
      break;
  }
  return to;
}

static int is_same(long double a, long double b)
{
  return a == b || (isnan(a) && isnan(b));
}

void th_check_equal(const char *file, int line, const char *actualText, th_number actual,
                    const char *expectedText, th_number expected)
{
  if (!is_same(actual.value, expected.value))
    th_fail_at(file, line, "%s is %s, not %s, which is %s", actualText, th_text_of(actual).text,
               th_text_of(expected).text, expectedText);
}

void th_check_near(const char *file, int line, const char *actualText, th_number actual,
                   const char *expectedText, th_number expected, double absolute, double relative)
{
  const long double off = fabsl(actual.value - expected.value);
  const long double allowed = absolute + relative * fabsl(expected.value);
  if (is_same(actual.value, expected.value) ||
      (isfinite(actual.value) && isfinite(expected.value) && off <= allowed))
    return;
  th_fail_at(file, line, "%s is %s, not %s, which is %s: off by %.3Lg, and %.3Lg is allowed",
             actualText, th_text_of(actual).text, th_text_of(expected).text, expectedText, off,
             allowed);
}

/* --- errors ------------------------------------------------------------------------------- */

void th_check_raised(const char *file, int line, const char *statement, const THTry *attempt,
                     int argument, const char *part)
{
  if (!attempt->failed)
    th_fail_at(file, line, "%s raised no error", statement);
  if (!strstr(attempt->message, part))
    th_fail_at(file, line, "%s raised \"%s\", which does not say \"%s\"", statement,
               attempt->message, part);
  if (attempt->argument != argument)
    th_fail_at(file, line, "%s raised \"%s\" about argument %d, not %d", statement,
               attempt->message, attempt->argument, argument);
}
