// Parts of a tensor, as Python writes them; the values are those of the table in PyTorch's
// documentation of its C++ interface, computed on an arange.
#include "check.hpp"

using namespace at;
using namespace at::indexing;

// Rows of a tensor without gradient that are set to some with one.
static void rows_with_gradients()
{
  Tensor rows = zeros({3, 2}), w = tensor({3.0f, 4.0f}).requires_grad_();
  rows.index_put_({0}, w * 2);
  rows.index_put_({2}, w);
  rows.index_put_({1, 1}, w.sum());
  CHECK(rows.detach().equal(tensor({{6.0f, 8.0f}, {0.0f, 7.0f}, {3.0f, 4.0f}})));
  rows.sum().backward();
  CHECK(w.grad().equal(tensor({4.0f, 4.0f})));
}

int main()
{
  const Tensor t = arange(24).view({2, 3, 4});
  CHECK(t.index({None}).sizes() == IntArrayRef({1, 2, 3, 4}));
  CHECK(t.index({Ellipsis, 0}).equal(tensor({{0, 4, 8}, {12, 16, 20}})));
  CHECK(t.index({"...", 0}).equal(t.index({Ellipsis, 0})));
  CHECK(t.index({1}).equal(t[1]) && t.index({1, 2}).equal(tensor({20, 21, 22, 23})));
  CHECK(t.index({-1, "...", Slice(None, None, 2)}).equal(tensor({{12, 14}, {16, 18}, {20, 22}})));
  CHECK(t.index({Slice(), 1, Slice(1, 3)}).equal(tensor({{5, 6}, {17, 18}})));
  CHECK(t.index({0, Slice(-2), 3}).equal(tensor({7, 11})));
  CHECK(t.index({0, None, 1, None}).sizes() == IntArrayRef({1, 1, 4}));

  // Tensors: indices, and masks of one dimension and of several.
  CHECK(t.index({0, tensor({2, 0})}).equal(tensor({{8, 9, 10, 11}, {0, 1, 2, 3}})));
  CHECK(t.index({tensor({0, 1}), Slice(), tensor({3, 0})})
            .equal(tensor({{3, 7, 11}, {12, 16, 20}})));
  CHECK(t.index({t > 20}).equal(tensor({21, 22, 23})));
  CHECK(t.index({0, t[0] > 9}).equal(tensor({10, 11})));
  CHECK(t.index({t.select(2, 0) > 10, 1}).equal(tensor({13, 17, 21})));
  CHECK(t[tensor({1, 1})].sizes() == IntArrayRef({2, 3, 4}) && t.index({true}).dim() == 4);
  CHECK(t.index({false}).numel() == 0);

  Tensor u = t.clone();
  u.index_put_({Slice(), 0}, -1);
  u.index_put_({0, "...", 1}, tensor({100, 101, 102}));
  u.index_put_({u > 20}, 0);
  CHECK(u.equal(tensor({{{-1, 0, -1, -1}, {4, 0, 6, 7}, {8, 0, 10, 11}},
                        {{-1, -1, -1, -1}, {16, 17, 18, 19}, {20, 0, 0, 0}}})));
  u.index({0, 0}) = 5;
  u.index({1, Slice(0, 2)}).fill_(6);
  CHECK(u[0][0].equal(full({4}, 5, kLong)) && u[1][1][3].item<int>() == 6);

  CHECK_THROWS(t.index({2}), "2");
  CHECK_THROWS(t.index({0, 0, 0, 0}), "select");
  CHECK_THROWS(t.index({"..."}).index({"x"}), "'x' is no index");
  CHECK_THROWS(t.index({tensor({5})}), "5");
  rows_with_gradients();
}
