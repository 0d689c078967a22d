// Numbers that are an integer or a floating number, and tensors without dimensions.
#include "check.hpp"

using namespace at;

int main()
{
  const Scalar what = 257, bar = 3.0;
  CHECK(what.isIntegral() && !what.isFloatingPoint() && bar.isFloatingPoint() && bar.toInt() == 3);
  CHECK(what.toLong() == 257 && what.toDouble() == 257.0 && bar.to<float>() == 3.0f);
  CHECK((-what).toLong() == -257 && Scalar(true).isBoolean() && !Scalar(true).isIntegral(false));
  CHECK(Scalar(INT64_MAX).toLong() == INT64_MAX && Scalar().toInt() == 0);
  CHECK_THROWS(what.to<uint8_t>(), "257 does not fit into Byte");
  CHECK_THROWS(Scalar(1e300).toLong(), "is no 64-bit integer");
  CHECK_THROWS(Scalar(5000000000).toInt(), "5000000000 does not fit into Int");

  // Integers stay integers.
  CHECK(tensor({1, 2}).add(2).dtype() == kLong && tensor({1, 2}).add(2.0).dtype() == kFloat);
  CHECK(full({2}, 7, kInt).dtype() == kInt && scalar_tensor(2.5).item<double>() == 2.5);
  CHECK(Scalar(tensor(5)).toInt() == 5 && tensor(5).item().isIntegral());
  CHECK(tensor(true).item().isBoolean() && tensor({true, false}).dtype() == kBool);
  CHECK(tensor({1.5}).item().isFloatingPoint() && tensor(2.5f).dim() == 0);

  Tensor t = ones({4, 4});
  const Tensor sum = t.add(bar, what);
  CHECK(sum[0][0].item<float>() == 1 + 3.0f * 257);
  CHECK_CLOSE(t.clamp(nullopt, 0.5), full({4, 4}, 0.5));
  CHECK_CLOSE(t.clamp(2), full({4, 4}, 2.0));
  CHECK_CLOSE(2 / (t + 1), t);
  CHECK_CLOSE(t.pow(2), t);
  CHECK_CLOSE(pow(2, t), t + 1);
  t[1][2] = 5;
  t[tensor(3)] = 2;
  CHECK(t[1][2].item<int>() == 5 && t[3].sum().item<int>() == 8 &&
        t[Scalar(1)].sum().item<int>() == 8);
  CHECK(t.sum().dim() == 0 && t.sum().item<double>() == 24);

  // A bool is no dimension, and a dimension is no bool.
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 6.0}});
  CHECK_CLOSE(x.var(0), tensor({2.0, 8.0}));
  CHECK_CLOSE(x.var(false), tensor(3.5));
  CHECK_CLOSE(x.var({0}, false), tensor({1.0, 4.0}));
  CHECK_CLOSE(mse_loss(x, x + 2, Reduction::Sum), tensor(16.0));
  CHECK_CLOSE(mse_loss(x, x + 2), tensor(4.0));
}
