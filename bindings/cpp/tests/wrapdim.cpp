// Dimensions that count from the end.
#include "check.hpp"

using namespace at;

int main()
{
  const Tensor a = randn({3, 4, 5}), b = a.view({3, 1, 4, 5});
  CHECK(a.size(-3) == 3 && a.select(-1, 2).equal(a.select(2, 2)));
  CHECK(b.squeeze(-3).equal(b.squeeze(1)) && a.unsqueeze(-4).equal(a.unsqueeze(0)));
  CHECK(a.sum(-3).equal(a.sum(0)) && a.sum({-1, 0}).equal(a.sum({2, 0})));
  CHECK(a.transpose(-1, -2).equal(a.transpose(2, 1)) &&
        a.permute({-1, 0, 1}).equal(a.permute({2, 0, 1})));
  CHECK(cat({a, a}, -1).equal(cat({a, a}, 2)) && a.softmax(-2).equal(a.softmax(1)));
  CHECK(std::get<1>(a.sort(-1)).equal(std::get<1>(a.sort(2))) && a.narrow(-1, 1, 2).size(2) == 2);
  CHECK(a.cumsum(-1).equal(a.cumsum(2)) && a.slice(-2, 1, 3).equal(a.slice(1, 1, 3)));

  // One without dimensions has 0 and -1.
  const Tensor s = randn({});
  CHECK(s.unsqueeze(-1).dim() == 1 && s.sum(0).equal(s) && s.sum(-1).equal(s));
  CHECK_THROWS(a.select(3, 0), "3");
  CHECK_THROWS(a.sum(-4), "-4");
  CHECK_THROWS(s.transpose(0, 1), "1");
  CHECK_THROWS(a.unsqueeze(4), "4");
}
