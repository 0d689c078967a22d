// TORCH_CHECK, and code for each element type: AT_DISPATCH_ALL_TYPES(t.scalar_type(), "f", [&] { ... scalar_t ... }).
#pragma once

#include <sstream>

#include "scalar.hpp"

namespace at::detail
{

template <class... Parts>
void require(const char *text, bool condition, const Parts &...parts)
{
  if (condition)
    return;
  std::ostringstream message;
  if constexpr (sizeof...(Parts) == 0)
    message << "expected " << text;
  else
    (message << ... << parts);
  throw Error(message.str());
}

[[noreturn]] inline void noCase(const char *name, ScalarType type)
{
  throw Error(std::string(name) + " is not there for " + toString(type), AT_ERROR_TYPE, name);
}

}  // namespace at::detail

// TORCH_CHECK(condition, parts of the message ...)
#define TORCH_CHECK(...)           ::at::detail::require(#__VA_ARGS__, __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ASSERT(...)             TORCH_CHECK(__VA_ARGS__)

#define AT_DISPATCH_CASE(TYPE, ...)                          \
  case TYPE: {                                               \
    using scalar_t [[maybe_unused]] = ::at::CppTypeOf<TYPE>; \
    return __VA_ARGS__();                                    \
  }
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...) \
  [&] {                                     \
    switch (TYPE) {                         \
      __VA_ARGS__                           \
      default:                              \
        ::at::detail::noCase(NAME, TYPE);   \
    }                                       \
  }()
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...)                          \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                             \
                     AT_DISPATCH_CASE(::at::ScalarType::Double, __VA_ARGS__) \
                         AT_DISPATCH_CASE(::at::ScalarType::Float, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_CASES(...)                  \
  AT_DISPATCH_CASE(::at::ScalarType::Byte, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::at::ScalarType::Char, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::at::ScalarType::Short, __VA_ARGS__) \
  AT_DISPATCH_CASE(::at::ScalarType::Int, __VA_ARGS__)   \
  AT_DISPATCH_CASE(::at::ScalarType::Long, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_INTEGRAL_CASES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...)                                  \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                \
                     AT_DISPATCH_CASE(::at::ScalarType::Double, __VA_ARGS__)    \
                         AT_DISPATCH_CASE(::at::ScalarType::Float, __VA_ARGS__) \
                             AT_DISPATCH_INTEGRAL_CASES(__VA_ARGS__))
