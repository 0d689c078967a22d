// Checks that say where they are and what threw.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include <aten/torch.hpp>

inline void expect(bool good, const char *file, int line, const char *text)
{
  if (good)
    return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, text);
  std::exit(1);
}

// The message of the at::Error that the call throws; "" if it throws none.
template <class Call>
std::string message_of(Call call)
{
  try {
    call();
  } catch (const at::Error &error) {
    // Nothing is left of it for the next call.
    expect(at_error() == AT_OK && error.what()[0], __FILE__, __LINE__, "the error is still there");
    return error.what();
  }
  return "";
}

#define CHECK(...) expect(static_cast<bool>(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)
#define CHECK_THROWS(CALL, TEXT)                                                                \
  expect(message_of([&] { (void)(CALL); }).find(TEXT) != std::string::npos, __FILE__, __LINE__, \
         (std::string(#CALL " does not throw " TEXT " but: ") + message_of([&] {                \
            (void)(CALL);                                                                       \
          })).c_str())
#define CHECK_CLOSE(A, B) CHECK(at::allclose(A, B))
