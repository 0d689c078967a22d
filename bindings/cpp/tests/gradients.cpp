// Gradients; the expected values are derived.
#include "check.hpp"

using namespace at;

int main()
{
  Tensor x = tensor({1.0, 2.0, 3.0}, requires_grad());
  CHECK(x.requires_grad() && x.is_leaf() && !x.grad().defined());
  Tensor y = (x * x).sum();
  y.backward();
  CHECK_CLOSE(x.grad(), tensor({2.0, 4.0, 6.0}));
  (x * 3).backward(tensor({1.0, 0.0, 2.0}));
  CHECK_CLOSE(x.grad(), tensor({5.0, 4.0, 12.0}));
  x.zero_grad();
  CHECK(!x.grad().defined());
  {
    NoGradGuard guard;
    CHECK(!(x * 2).requires_grad() && !GradMode::is_enabled());
    x -= 1;
    {
      AutoGradMode on(true);
      CHECK((x * 2).requires_grad());
    }
    CHECK(!GradMode::is_enabled());
  }
  const Tensor square = ones({2, 2});
  {
    AutocastGuard guard(kCPU);
    CHECK(square.mm(square).scalar_type() == kBFloat16);
    {
      AutocastGuard inner(kCPU, kHalf);
      CHECK(square.mm(square).scalar_type() == kHalf);
      AutocastGuard off(kCPU, nullopt, false);
      CHECK(square.mm(square).scalar_type() == kFloat);
    }
    CHECK(square.mm(square).scalar_type() == kBFloat16);
    CHECK_THROWS(AutocastGuard(kCPU, kDouble), "BFloat16 or Half");
  }
  CHECK(square.mm(square).scalar_type() == kFloat);
  CHECK((x * 2).requires_grad() && x.is_leaf() && !x.detach().requires_grad());

  // d/dx x^3 = 3 x^2, and d/dx of that = 6 x, at 0, 1, 2.
  const Tensor cube = x.pow(3).sum();
  const Tensor first = autograd::grad({cube}, {x}, {}, true, true)[0];
  CHECK_CLOSE(first, tensor({0.0, 3.0, 12.0}));
  CHECK_CLOSE(autograd::grad({first.sum()}, {x})[0], tensor({0.0, 6.0, 12.0}));

  // d/dx x^3 along (1, 10, 100) is 3 x^2 times that.
  const Tensor cubes = x.pow(3);
  CHECK_CLOSE(jvp({cubes}, {x}, {tensor({1.0, 10.0, 100.0})}, false)[0],
              tensor({0.0, 30.0, 1200.0}));
  CHECK_THROWS(jvp({cubes}, {x}, {ones({2}, kDouble)}, false), "size");
  CHECK(autocast::is_autocast_cache_enabled());
  autocast::set_autocast_cache_enabled(false);
  CHECK(!autocast::is_autocast_cache_enabled());
  autocast::clear_cache();
  autocast::set_autocast_cache_enabled(true);
  CHECK(autocast::is_autocast_cache_enabled());
  CHECK(cubes.grad_fn()->name() == "PowBackward0" && !x.grad_fn());
  CHECK(cubes.grad_fn()->next_functions()[0]->name() == "torch::autograd::AccumulateGrad");
  CHECK(promote_types(kInt, kHalf) == kHalf && result_type(ones({2}, kInt), 1.5) == kFloat);
  CHECK(result_type(ones({2}, kInt), ones({}, kLong)) == kInt);
  autograd::AnomalyMode::set_enabled(true);
  CHECK_THROWS((x.detach().requires_grad_() - x.detach()).sqrt().mul(0).sum().backward(), "sqrt");
  autograd::AnomalyMode::set_enabled(false);
  const Generator generator = make_generator(4);
  const Tensor state = generator_state(generator), drawn = rand({3}, generator);
  CHECK(generator_setState(generator, state) && rand({3}, generator).equal(drawn));
  CHECK_THROWS(setNumThreads(0), "count");

  Tensor z = x * 2;
  z.retain_grad();
  z.exp().sum().backward();
  CHECK_CLOSE(z.grad(), z.exp());
  CHECK_CLOSE(x.grad(), 2 * z.exp());
  x.set_grad(ones({3}));
  CHECK(x.grad().equal(ones({3})));
  CHECK_THROWS(x.set_grad(ones({2})), "[2]");
  // a hook that removes itself and the one behind it, and goes on
  Tensor w = x * 1;
  unsigned own = 0, next = 0;
  own = w.register_hook([&w, &own, &next, factor = std::vector<double>(9, 2)](Tensor grad) {
    w.remove_hook(own);
    w.remove_hook(next);
    return grad * factor[8];
  });
  next = w.register_hook([](Tensor grad) { return grad * 100; });
  for (int expected : {3, 4}) {
    w.sum().backward({}, true);
    CHECK(x.grad().equal(ones({3}) * expected));
  }
  CHECK_THROWS(w.remove_hook(own), "no such hook");
  CHECK(!x.requires_grad_(false).requires_grad());
  CHECK_THROWS(x.sum().backward(), "backward");
}
