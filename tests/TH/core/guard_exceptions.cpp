// Error handlers that throw C++ exceptions, through the C functions that raised.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <csetjmp>
#include <stdexcept>
#include <string>

extern "C" {
#include <cmocka.h>
}

#include "TH.h"

namespace
{

struct ArgumentError : std::runtime_error {
  int argument;
  ArgumentError(int argument, const char *message) : std::runtime_error(message), argument(argument)
  {
  }
};

void throw_error(const char *message, void *)
{
  throw std::runtime_error(message);
}

void throw_argument_error(int argument, const char *message, void *)
{
  throw ArgumentError(argument, message);
}

void use_exceptions()
{
  THSetErrorHandler(throw_error, nullptr);
  THSetArgErrorHandler(throw_argument_error, nullptr);
}

struct Counted {
  static int alive;
  Counted()
  {
    alive++;
  }
  ~Counted()
  {
    alive--;
  }
};
int Counted::alive;

int undone;

void undo(void *)
{
  undone++;
}

void raises(int depth)
{
  Counted object;
  THGuard guard;
  THGuard_enter(&guard, undo);
  guard.what = &guard;
  if (depth > 0)
    raises(depth - 1);
  THArgCheck(depth < 0, 6, "thrown %d", 7);
  THGuard_leave(&guard);
}

void exceptions_pass(void **)
{
  use_exceptions();
  undone = 0;
  std::string text;
  int argument = 0;
  try {
    raises(4);
  } catch (const ArgumentError &error) {
    text = error.what();
    argument = error.argument;
  }
  assert_true(text.rfind("thrown 7 at ", 0) == 0);
  assert_int_equal(argument, 6);
  assert_int_equal(Counted::alive, 0);
  assert_int_equal(undone, 5);
}

// What the failing function holds is released (the sanitizer sees leaks), again and again.
void from_inside_the_library(void **)
{
  use_exceptions();
  for (int i = 0; i < 100; i++) {
    int argument = 0;
    try {
      THMapAllocatorContext_new(nullptr, 0);
    } catch (const ArgumentError &error) {
      argument = error.argument;
    }
    assert_int_equal(argument, 1);

    std::string text;
    try {
      THFloatStorage_newWithMapping("/nonexistent/file", 10, 0);
    } catch (const std::runtime_error &error) {
      text = error.what();
    }
    assert_true(text.find("/nonexistent/file") != std::string::npos);
  }
}

// A TH_TRY catches before a handler does, also when the handler threw just before.
void attempts_come_first(void **)
{
  use_exceptions();
  THTry attempt;
  TH_TRY(attempt)
  {
    THArgError(2, "caught");
  }
  assert_int_equal(attempt.failed, 1);
  assert_int_equal(attempt.argument, 2);
  bool thrown = false;
  try {
    THError("thrown");
  } catch (const std::runtime_error &) {
    thrown = true;
  }
  assert_true(thrown);
}

}  // namespace

int main()
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exceptions_pass),
      cmocka_unit_test(from_inside_the_library),
      cmocka_unit_test(attempts_come_first),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
