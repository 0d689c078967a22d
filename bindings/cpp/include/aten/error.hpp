// Errors of ATen as exceptions.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include <ATen/ATen.h>

namespace at
{

// What every failed call throws.  what() names the operation's argument and shows the values at
// fault.
class Error : public std::runtime_error
{
 public:
  explicit Error(const std::string &message, at_error_code code = AT_ERROR_RUNTIME,
                 const std::string &operation = "")
      : std::runtime_error(message), code_(code), operation_(operation)
  {
  }
  at_error_code code() const
  {
    return code_;
  }
  // Such as "add".
  const std::string &operation() const
  {
    return operation_;
  }
  const char *what_without_backtrace() const
  {
    return what();
  }
  std::string msg() const
  {
    return what();
  }

 private:
  at_error_code code_;
  std::string operation_;
};

namespace detail
{

// What a function of the program threw that the library called: the call, which fails then, throws it
// again.
struct Thrown {
  static std::exception_ptr &last()
  {
    thread_local std::exception_ptr thrown;
    return thrown;
  }
  // Inside a handler.
  static void keep()
  {
    last() = std::current_exception();
  }
};

// Throws the error of this thread, and clears it.
[[noreturn]] __attribute__((noinline, cold)) inline void raise()
{
  if (std::exception_ptr thrown = std::exchange(Thrown::last(), nullptr)) {
    at_error_clear();
    std::rethrow_exception(thrown);
  }
  const Error error(at_error() == AT_OK ? "an operand is the undefined tensor" : at_error_message(),
                    at_error(), at_error_operation());
  at_error_clear();
  throw error;
}

inline bool failed(const at_tensor *t)
{
  return __builtin_expect(t == at_undefinedTensor, 0);
}

// For functions that return false or NULL after an error.
inline void check(bool succeeded)
{
  if (__builtin_expect(!succeeded, 0))
    raise();
}

// For functions whose result after an error may also be a good one.
inline int64_t checked(int64_t result)
{
  if (__builtin_expect(result == -1, 0) && at_error() != AT_OK)
    raise();
  return result;
}

inline bool checked(bool result)
{
  if (!result && at_error() != AT_OK)
    raise();
  return result;
}

}  // namespace detail
}  // namespace at
