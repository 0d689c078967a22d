// How many references are taken and given back; the linker hands these two calls to this file.
#include "check.hpp"

#include <type_traits>

static int taken, given;

extern "C" at_tensor *__real_at_retain(at_tensor *t);
extern "C" void __real_at_release(at_tensor *t);
extern "C" at_tensor *__wrap_at_retain(at_tensor *t)
{
  taken++;
  return __real_at_retain(t);
}
extern "C" void __wrap_at_release(at_tensor *t)
{
  given++;
  __real_at_release(t);
}

// The references that the statements take and give back.
#define COUNTED(TAKEN, GIVEN, ...)               \
  do {                                           \
    taken = given = 0;                           \
    {                                            \
      __VA_ARGS__;                               \
    }                                            \
    CHECK(taken == (TAKEN) && given == (GIVEN)); \
  } while (0)

using at::Tensor;

static Tensor same(Tensor t)
{
  return t;
}

int main()
{
  static_assert(sizeof(Tensor) == sizeof(void *) && std::is_nothrow_move_constructible_v<Tensor>);
  static_assert(std::is_nothrow_move_assignable_v<Tensor>);
  Tensor x = at::ones({2}), y;
  COUNTED(1, 1, Tensor copy(x));
  COUNTED(0, 0, Tensor moved(std::move(x)); CHECK(!x.defined()); x = std::move(moved));
  COUNTED(1, 0, y = x);
  COUNTED(1, 1, y = y);
  COUNTED(0, 0, y = std::move(x));
  CHECK(x.is_same(y));  // the two were swapped, and are the same tensor
  COUNTED(0, 1, y = Tensor());
  COUNTED(1, 1, Tensor z = same(x));
  COUNTED(0, 0, Tensor z = same(std::move(x)); x = std::move(z));
  COUNTED(0, 1, Tensor z = x + 1);
  COUNTED(0, 2, x + x * 2);
  COUNTED(0, 0, x.add_(1).mul_(2));
  COUNTED(0, 0, x += 1);
  COUNTED(2, 2, std::vector<Tensor> list(2, x));
  COUNTED(0, 1, at::cat(at::TensorList(x)));

  // Both results of a call are given back, and no more than the call takes in C.
  taken = given = 0;
  const at_values_indices c = (at_max_dim)(x.get(), 0, nullptr);
  const Tensor ofC[] = {Tensor::take(c.values), Tensor::take(c.indices)};
  const int takenInside = taken, givenInside = given;
  COUNTED(takenInside, givenInside + 2, auto [values, indices] = x.max(0));
  COUNTED(1, 2, (void)x.index({0}));
  const Tensor three = at::ones({3});
  COUNTED(0, 0, CHECK_THROWS(x + three, "[3]"));
  COUNTED(0, 0, CHECK(y.release() == nullptr));
  COUNTED(0, 1, Tensor::take(x.release()));
}
