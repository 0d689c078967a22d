// Shapes of operands that are not the same.
#include "check.hpp"

using namespace at;

int main()
{
  manual_seed(123);
  for (ScalarType type : {kFloat, kDouble}) {
    const Tensor a = randn({3, 1}, type), b = randn({5}, type);
    const std::vector<int64_t> sizes = {3, 5};
    CHECK((a + b).sizes() == sizes);
    CHECK_CLOSE(a + b, a.expand(sizes) + b.expand(sizes));
    CHECK_CLOSE(a + 1.5, a + full({1}, 1.5, type));

    // Three operands, and the one that is changed.
    const Tensor c = randn({1, 5}, type);
    CHECK_CLOSE(addcmul(a, b, c), a.expand(sizes).addcmul(b.expand(sizes), c.expand(sizes)));
    Tensor d = randn(sizes, type);
    const Tensor before = d.clone();
    CHECK_CLOSE(d.addcdiv_(a, b), before.addcdiv(a.expand(sizes), b.expand(sizes)));
    CHECK_THROWS(b.clone().add_(a), "[3 x 5]");

    // One operand to the shape of the product.
    const Tensor m = randn({3, 4}, type), n = randn({4, 5}, type), row = randn({5}, type);
    CHECK_CLOSE(addmm(row, m, n), addmm(row.expand(sizes), m, n));
    CHECK_CLOSE(addmm(tensor(2.0, type), m, n), m.mm(n) + 2);
    CHECK_THROWS(addmm(randn({3}, type), m, n), "3");

    CHECK_THROWS(a + randn({2, 5}, type), "[3 x 1]");
    CHECK_THROWS(a.expand({2, 1}), "2");
    CHECK(tensor(1).expand({2, 0}).numel() == 0 && tensor({1}).expand({-1}).numel() == 1);
  }
  const auto both = broadcast_tensors({ones({2, 1}), ones({3})});
  CHECK(both.size() == 2 && both[0].sizes() == both[1].sizes() && both[0].stride(1) == 0);
}
