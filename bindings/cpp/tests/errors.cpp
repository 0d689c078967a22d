// Every kind of error as an exception, which leaves everything as it was.
#include "check.hpp"

using namespace at;

template <class Call>
static at_error_code code_of(Call call)
{
  try {
    call();
  } catch (const Error &error) {
    return error.code();
  }
  return AT_OK;
}

int main()
{
  const Tensor a = ones({2, 3}), b = ones({2}), none;
  CHECK(code_of([&] { a.mm(a); }) == AT_ERROR_ARGUMENT);
  CHECK(code_of([&] { b.to(kLong).softmax(0); }) == AT_ERROR_TYPE);
  CHECK(code_of([&] { none.abs(); }) == AT_ERROR_NULL);
  CHECK(code_of([&] { load("/nowhere/x.pt"); }) == AT_ERROR_RUNTIME);
  CHECK(code_of([&] { linalg_inv(zeros({2, 2})); }) == AT_ERROR_RUNTIME);

  // What says only by its value that it failed.
  CHECK(code_of([&] { a.size(7); }) != AT_OK && code_of([&] { none.equal(a); }) != AT_OK);
  CHECK(code_of([&] { none.unbind(); }) != AT_OK && code_of([&] { a.item(); }) != AT_OK);
  CHECK(code_of([&] { none.sort(); }) != AT_OK && code_of([&] { a.is_nonzero(); }) != AT_OK);
  CHECK(code_of([&] { Program("/nowhere"); }) != AT_OK &&
        code_of([&] { save(a, "x.unknown"); }) != AT_OK);
  CHECK(code_of([&] { ones({2}, Device("cuda:9")); }) != AT_OK);
  CHECK(code_of([&] { a.to(kLong).requires_grad_(); }) != AT_OK);
  CHECK(code_of([&] { set_num_threads(0); }) != AT_OK && code_of([&] { a.backward(); }) != AT_OK);

  // The error names the operation, and is of the classes that programs catch.
  try {
    a.mm(a);
  } catch (const std::exception &error) {
    CHECK(dynamic_cast<const c10::Error &>(error).operation() == "mm");
  }
  Tensor t = ones({2, 3});
  CHECK_THROWS(t.add_(ones({4})), "[4]");
  CHECK_THROWS(t.copy_(ones({5, 5})), "5 x 5");
  CHECK(t.equal(a) && at_error() == AT_OK);

  // -1 and false are no errors.
  CHECK(!a.equal(b) && !a.is_cuda() && tensor({-1}).item<int64_t>() == -1 && a.get_device() == -1);
}
