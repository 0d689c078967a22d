// Operations that are made of others.
#include "check.hpp"

using namespace at;

static void splitting(Type &T)
{
  const Tensor t = T.randn({3, 4, 5});
  for (int64_t dim = -3; dim < 3; dim++) {
    const auto parts = t.split(1, dim);
    CHECK(parts.size() == static_cast<size_t>(t.size(dim)));
    CHECK(cat(parts, dim).equal(t) && cat(t.chunk(2, dim), dim).equal(t));
    CHECK(stack(t.unbind(dim), dim).equal(t));
  }
  CHECK(t.split({1, 3}, 1)[1].size(1) == 3);
}

static void joining(Type &T)
{
  const Tensor x = T.rand({2, 3, 4}), y = T.rand({2, 3, 4});
  for (int64_t dim = -4; dim < 4; dim++) {
    const Tensor z = stack({x, y}, dim);
    CHECK(z.select(dim, 0).equal(x) && z.select(dim, 1).equal(y) && z.size(dim) == 2);
  }
  Tensor out = T.tensor();
  CHECK(stack_out(out, {x, y}, 1).is_same(out) && out.size(1) == 2);
  CHECK_THROWS(stack({x, y.narrow(2, 0, 2)}), "tensors");
}

// An index of sizes that would wrap around.
static void sizes(Type &T)
{
  const Tensor t = T.randn({3, 1});
  CHECK(t.size(0) == 3 && t.size(-1) == 1 && t.stride(-2) == 1);
  CHECK_THROWS(t.size(2), "2");
  CHECK_THROWS(t.size(-3), "-3");
  CHECK_THROWS(T.randn({}).size(0), "0");
}

static void products(Type &T)
{
  const Tensor v = T.randn({4}), w = T.randn({4}), m = T.randn({3, 4}), n = T.randn({4, 2});
  CHECK_CLOSE(v.matmul(w), v.dot(w));
  CHECK_CLOSE(m.matmul(v), m.mv(v));
  CHECK_CLOSE(v.matmul(n), n.t().mv(v));
  CHECK_CLOSE(m.matmul(n), m.mm(n));
  const Tensor batch = T.randn({5, 3, 4}), other = T.randn({5, 4, 2});
  CHECK_CLOSE(batch.matmul(other), batch.bmm(other));
  CHECK_CLOSE(batch.matmul(v), stack({batch[0].mv(v), batch[1].mv(v), batch[2].mv(v),
                                      batch[3].mv(v), batch[4].mv(v)}));
  CHECK_CLOSE(batch.matmul(n)[3], batch[3].mm(n));
  CHECK_THROWS(m.matmul(m), "[3 x 4]");
  CHECK_THROWS(T.randn({}).matmul(v), "matmul");
}

static void layers(Type &T)
{
  const Tensor image = T.randn({1, 2, 5, 5}), weight = T.randn({3, 2, 3, 3}), bias = T.randn({3});
  const Tensor y = conv2d(image, weight, bias, 1, 1);
  CHECK(y.sizes() == IntArrayRef({1, 3, 5, 5}));
  CHECK_CLOSE(y[0][1][2][2], (image.narrow(2, 1, 3).narrow(3, 1, 3) * weight[1]).sum() + bias[1]);
  CHECK_CLOSE(conv2d(image, weight), conv2d(image, weight, {}, {1, 1}, {0, 0}));
  CHECK_CLOSE(conv2d(image, weight, bias, 1, "same"), y);
  const auto [values, indices] = max_pool2d_with_indices(image, {2, 2});
  CHECK(max_pool2d(image, 2).equal(values) && indices.dtype() == kLong);
  CHECK_CLOSE(linear(image, T.ones({4, 5})), image.sum(3, true).expand({1, 2, 5, 4}));
}

int main()
{
  manual_seed(123);
  for (ScalarType type : {kFloat, kDouble}) {
    Type &T = CPU(type);
    splitting(T);
    joining(T);
    sizes(T);
    products(T);
    layers(T);
  }
}
