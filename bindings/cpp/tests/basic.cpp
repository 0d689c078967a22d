// What programs of 2018 did first with ATen: types, sizes, elements, arithmetic, views.
#include "check.hpp"

#include <sstream>

using namespace at;

static void resizing(Type &T)
{
  Tensor a = T.tensor();
  a.resize_({3, 4});
  CHECK(a.numel() == 12 && a.dim() == 2);
  a.resize_({5, 7});
  CHECK(a.sizes() == (std::vector<int64_t>{5, 7}) && a.stride(0) == 7 && a.stride(1) == 1);
}

static void making(Type &T)
{
  CHECK(T.ones({5, 4}).sum().item<double>() == 20 && T.zeros({5, 4}).sum().item<double>() == 0);
  CHECK(T.full({2, 2}, 3).equal(T.ones({2, 2}) * 3));
  CHECK(T.eye(3).trace().item<double>() == 3 && T.eye(2, 3).size(1) == 3);
  CHECK(T.arange(5).equal(T.copy(tensor({0, 1, 2, 3, 4}))));
  CHECK(T.arange(1, 3, 0.5).numel() ==
        (isFloatingType(T.scalarType()) ? 4 : T.arange(1, 3, 0.5).numel()));
  CHECK(T.scalarTensor(3).dim() == 0 && T.scalarTensor(3).item<int>() == 3);
  CHECK(&zeros({2}, T.options()).type() == &T && T.tensor({3, 0}).numel() == 0);
}

static void arithmetic(Type &T)
{
  const Tensor a = T.full({3, 1}, 2), b = T.full({3, 1}, 5);
  CHECK((a + b).equal(T.full({3, 1}, 7)) && (a + 1).equal(T.full({3, 1}, 3)));
  CHECK((b - a).equal(T.full({3, 1}, 3)) && (6 - b).equal(T.ones({3, 1})));
  CHECK((a * b).equal(T.full({3, 1}, 10)) && (3 * a).equal(T.full({3, 1}, 6)));
  CHECK(add(a, b, 2).equal(T.full({3, 1}, 12)) && a.sub(b, -1).equal(T.full({3, 1}, 7)));
  CHECK((b % a).equal(T.ones({3, 1})) && (11 % b).equal(T.ones({3, 1})));
  Tensor c = T.ones({3, 1});
  c += a;
  c *= 4;
  c -= 2;
  CHECK(c.equal(T.full({3, 1}, 10)) && c.add_(a).is_same(c));
  CHECK((a < b).all().item<bool>() && !(a == b).any().item<bool>() && (5 == b).all().item<bool>());
  CHECK((10 > b).all().item<bool>() && (2 <= a).all().item<bool>() && (a != b).dtype() == kBool);
}

static void reductions(Type &T)
{
  const Tensor t = T.arange(6).view({2, 3});
  CHECK(t.sum().item<int>() == 15 && t.sum(0).sizes() == IntArrayRef({3}));
  CHECK(t.sum({0, 1}, true).sizes() == IntArrayRef({1, 1}) && t.sum(1)[1].item<int>() == 12);
  CHECK(t.max().item<int>() == 5 && t.prod(1)[1].item<int>() == 60);
  const auto [values, indices] = t.max(1);
  CHECK(values[0].item<int>() == 2 && indices.dtype() == kLong && indices[1].item<int>() == 2);
  CHECK(std::get<1>(t.min(0)).equal(zeros({3}, kLong)) && t.argmax(1)[0].item<int>() == 2);
}

static void moving(Type &T)
{
  const Tensor t = T.arange(6).view({2, 3});
  CHECK(t.t().stride(0) == 1 && t.transpose(0, 1).sizes() == IntArrayRef({3, 2}));
  CHECK(t.select(1, 2).equal(T.copy(tensor({2, 5}))) && t.narrow(1, 1, 2).size(1) == 2);
  CHECK(t.unsqueeze(-1).squeeze().equal(t) && t.permute({1, 0}).contiguous().is_contiguous());
  CHECK(cat({t, t}, 1).size(1) == 6 && stack({t, t}).sizes() == IntArrayRef({2, 2, 3}));
  CHECK(t.chunk(3, 1).size() == 3 && t.split(2, 1)[1].size(1) == 1 && t.unbind()[1].equal(t[1]));
  Tensor u = t.clone();
  u[0] = t[1];
  u[1][2] = 9;
  CHECK(u.equal(T.copy(tensor({{3, 4, 5}, {3, 4, 9}}))) && t[0][0].item<int>() == 0);
}

static void products(Type &T)
{
  manual_seed(123);
  const Tensor a = T.rand({3, 4}), b = T.rand({4, 7}), v = T.rand({4});
  const Tensor c = a.mm(b), d = a.mv(v);
  for (int i = 0; i < 3; i++) {
    CHECK_CLOSE(d[i], a[i].dot(v));
    for (int j = 0; j < 7; j++)
      CHECK_CLOSE(c[i][j], (a[i] * b.select(1, j)).sum());
  }
  CHECK_CLOSE(addmm(c, a, b, 2, 3), c * 5);
  CHECK_CLOSE(a.matmul(b), c);
  manual_seed(123);
  CHECK(T.rand({3, 4}).equal(a));
  CHECK(rand({2}, make_generator(5), T.options()).equal(rand({2}, make_generator(5), T.options())));
}

static void elements()
{
  Tensor t = arange(6, kFloat).view({2, 3});
  auto a = t.accessor<float, 2>();
  CHECK(a[1][2] == 5 && a.size(1) == 3 && a[1].size(0) == 3);
  a[0][0] = 8;
  CHECK(t[0][0].item<float>() == 8 && t.data_ptr<float>()[0] == 8);
  CHECK(t.t().accessor<float, 2>()[2][1] == 5);
  CHECK_THROWS(t.data_ptr<double>(), "the elements are of Float, not of Double");
  CHECK_THROWS((t.accessor<float, 1>()), "an accessor of 1 dimensions for a tensor of 2");
  CHECK_THROWS(t.item(), "[2 x 3]");
  const std::vector<int64_t> sizes = {2, 3};
  const std::array<int64_t, 2> same = {2, 3};
  CHECK(zeros(sizes).sizes() == zeros(same).sizes() && zeros({}).dim() == 0);
}

static void text()
{
  std::ostringstream out;
  out << tensor({{1.5, -2.0}, {0.0, 3.0}}) << ' ' << kInt << ' ' << IntArrayRef({2, 3}) << ' '
      << Device("cuda:1");
  CHECK(out.str() == "tensor([[ 1.5000, -2.0000],\n        [ 0.0000,  3.0000]]) Int [2, 3] cuda:1");
  CHECK(ones({1}).toString() == "CPUFloatType" && Device(kCPU).str() == "cpu");
  CHECK_THROWS(Device("gpu"), "'gpu' is no device");
}

int main()
{
  for (ScalarType type : {kFloat, kDouble, kInt, kLong, kShort}) {
    Type &T = CPU(type);
    resizing(T);
    making(T);
    arithmetic(T);
    reductions(T);
    moving(T);
  }
  products(CPU(kFloat));
  products(CPU(kDouble));
  elements();
  text();
  CHECK(CPU(kHalf).toScalarType(kInt) == CPU(kInt) && CPU(kInt).elementSizeInBytes() == 4);
}
