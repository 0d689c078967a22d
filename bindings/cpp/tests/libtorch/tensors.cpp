// Creation, indices, reductions, random numbers; linear algebra, Fourier transforms, complex numbers.
#include "tutorial.hpp"

using namespace torch::indexing;

static void elements()
{
  torch::manual_seed(1);
  torch::Tensor a = torch::arange(24, torch::kFloat32).view({2, 3, 4});
  show("a", a);
  show("i0", a.index({0}));
  show("i1", a.index({Slice(), 1}));
  show("i2", a.index({Ellipsis, Slice(1, None, 2)}));
  show("i3", a.index({"...", -1}));
  show("i4", a.index({0, None, Slice(None, 2)}));
  show("i5", a.index({torch::tensor({1, 0}), torch::tensor({2, 1})}));
  show("i6", a.index({a > 20}));
  show("i7", a[1][2]);
  a.index_put_({0, Slice(), 0}, 100);
  a.index_put_({1, 0}, torch::tensor({-1.f, -2.f, -3.f, -4.f}));
  show("put", a);
  a[0][0][1] = 7;
  a[1] = a[0] * 2;
  show("assign", a);
  auto opts = torch::TensorOptions().dtype(torch::kInt64).device(torch::kCPU).requires_grad(false);
  show("ones", torch::ones({2, 2}, opts));
  show("eye", torch::eye(3));
  show("lin", torch::linspace(0, 1, 5));
  show("full", torch::full({2, 2}, 3.5));
  show("t", torch::tensor({{1, 2}, {3, 4}}));
  show("tf", torch::tensor({1.5, 2.5}, torch::dtype(torch::kDouble)));
  show("zl", torch::zeros_like(a));
  show("rand", torch::rand({3}));
  show("randn", torch::randn({3}));
  show("randint", torch::randint(0, 10, {5}));
  show("randperm", torch::randperm(6));
  show("normal", torch::normal(0.0, 1.0, {4}));
  show("bern", torch::bernoulli(torch::full({6}, 0.5)));
  show("multi", torch::multinomial(torch::tensor({0.1, 0.2, 0.7}), 5, true));
  auto b = torch::arange(4).to(torch::kFloat);
  show("bc", a + b);
  show("bc2", a * b.unsqueeze(0).unsqueeze(0));
  show("sum", a.sum());
  show("sum0", a.sum(0));
  show("sum02", a.sum({0, 2}));
  show("sumk", a.sum(/*dim=*/1, /*keepdim=*/true));
  show("mean", a.mean(-1));
  show("std", a.std());
  show("var", a.var(0, false));
  auto mx = a.max(2);
  show("maxv", std::get<0>(mx));
  show("maxi", std::get<1>(mx));
  auto values = std::get<0>(torch::topk(a.view({-1}), 3));
  show("topk", values);
  show("argmax", a.argmax(1));
  show("sort", std::get<0>(torch::sort(a[0][0])));
  show("cat", torch::cat({a, a}, 1).sum({0, 1}));
  show("stack", torch::stack({b, b}));
  auto ch = b.chunk(2);
  show("chunk", ch[1]);
  auto sp = torch::split(torch::arange(10), 3);
  show("split", sp.size());
  show("where", torch::where(b > 1, b, -b));
  show("clamp", a.clamp(0, 10));
  show("perm", a.permute({2, 0, 1}).contiguous());
  show("tr", a.transpose(0, 1));
  show("flat", a.flatten(1));
  show("sq", torch::ones({1, 2, 1}).squeeze());
  show("cumsum", b.cumsum(0));
  show("nz", torch::nonzero(b));
  show("eq", b == 2);
  show("masked", b.masked_fill(b == 2, -5));
  show("gather", torch::gather(a[0], 1, torch::tensor({{0}, {1}, {2}})));
  show("scatter", torch::zeros({2, 3}).scatter_(1, torch::tensor({{0}, {2}}), 1.0));
  show("einsum", torch::einsum("ij,kj->ik", {a[0], a[1]}));
  show("norm", a.norm());
  show("pow", b.pow(2));
  show("rsub", 1 - b);
  show("rdiv", 2 / (b + 1));
  show("neg", -b);
  show("dim", a.dim());
  show("numel", a.numel());
  show("size", a.size(-1));
  show("is", (a.device() == torch::kCPU) + 2 * a.is_contiguous() + 4 * a.requires_grad());
  show("stride", a.strides()[1]);
  // accessor
  auto acc = a.accessor<float, 3>();
  float total = 0;
  for (int i = 0; i < acc.size(0); i++)
    for (int j = 0; j < acc.size(1); j++)
      for (int k = 0; k < acc.size(2); k++)
        total += acc[i][j][k];
  show("total", total);
  bool deleted = false;
  float data[] = {1, 2, 3, 4, 5, 6};
  auto blob = torch::from_blob(data, {2, 3});
  blob += 1;
  show("data", data[5]);
  auto blob2 = torch::from_blob(data, {3}, {2}, [&](void *) { deleted = true; }, torch::kFloat32);
  show("blob2", blob2);
  blob2 = torch::Tensor();
  show("deleted", deleted);
  std::vector<float> v = {1, 2, 3};
  auto tv = torch::tensor(v);
  show("tv", tv);
  float *p = tv.data_ptr<float>();
  p[0] = 9;
  std::vector<float> back(tv.data_ptr<float>(), tv.data_ptr<float>() + tv.numel());
  show("back", back[0] + back.size());
  show("equal", torch::allclose(tv, tv) && torch::equal(tv, tv + 0));
  show("cast", tv.to(torch::kInt).to(torch::kDouble));
  show("type_as", torch::ones({2}).type_as(torch::ones({1}, torch::kLong)));
  auto m = torch::tensor({true, false, true});
  show("mask", tv.index({m}));
  show("logical", m & torch::tensor({true, true, false}));
  show("any", torch::stack({m.any(), m.all()}));
  show("repeat", tv.repeat({2, 2}));
  show("expand", tv.unsqueeze(1).expand({3, 2}));
  show("unfold", torch::arange(6).unfold(0, 2, 2));
  show("roll", tv.roll(1));
  show("flip", tv.flip({0}));
  show("unique", std::get<0>(torch::_unique(torch::tensor({3, 1, 3}))));
  show("meshgrid", torch::meshgrid({tv, tv}, "ij")[0]);
  show("tril", torch::tril(torch::ones({3, 3})));
  show("bincount", torch::bincount(torch::tensor({1, 1, 3})));
  show("idx", a.index_select(1, torch::tensor({0, 2})));
  show("take", a.take(torch::tensor({0, 5})));
  show("round", torch::round(torch::tensor({1.5, 2.5, -0.5})));
  show("half", torch::ones({2}, torch::kHalf) + 1);
  torch::Tensor undefined;
  show("undefined", undefined.defined());
  show("ar", torch::arange(1, 10, 3));
  show("ar", torch::arange(0.0, 1.0, 0.25, torch::kDouble));
  show("lin", torch::linspace(0, 1, 3, torch::kDouble));
  show("eye", torch::eye(2, torch::kLong));
  show("range",
       torch::arange(5, torch::TensorOptions().dtype(torch::kFloat).requires_grad(true)) * 2);
}

static void functions()
{
  torch::manual_seed(11);
  auto A = torch::randn({4, 4}, torch::kDouble);
  auto S = A.mm(A.t()) + torch::eye(4, torch::kDouble);
  show("det", torch::linalg_det(A));
  show("inv", torch::linalg_inv(S));
  show("chol", torch::linalg_cholesky(S));
  auto [q, r] = torch::linalg_qr(A);
  show("qr", q.mm(r) - A);
  auto [u, s, vh] = torch::linalg_svd(A, false);
  show("s", s);
  auto [e, V] = torch::linalg_eigh(S);
  show("eigh", e);
  show("solve", torch::linalg_solve(S, torch::ones({4}, torch::kDouble)));
  show("lnorm", torch::linalg_norm(S));
  show("mp", torch::linalg_matrix_power(S, 2));
  show("ev", torch::real(torch::linalg_eigvals(S)).sum());
  auto x = torch::randn({8});
  auto f = torch::fft::fft(x);
  show("fr", torch::real(f));
  show("fi", torch::imag(f));
  show("ifft", torch::real(torch::fft::ifft(f)) - x);
  auto rf = torch::fft::rfft(x);
  show("rfft", rf.size(0) + 100 * rf.is_complex());
  show("abs", rf.abs());
  show("irfft", torch::fft::irfft(rf, 8));
  show("fft2", torch::abs(torch::fft::fft2(torch::ones({2, 4}))));
  show("freq", torch::fft::fftfreq(6));
  show("shift", torch::fft::fftshift(torch::arange(5)));
  auto c = torch::complex(torch::ones({2}), torch::tensor({2.f, -1.f}));
  show("cc", torch::view_as_real(c * c.conj()));
  show("ang", torch::angle(c));
  auto ct = torch::tensor({c10::complex<double>(1, 2), c10::complex<double>(0, -1)},
                          torch::kComplexDouble);
  show("imag", ct[0].item<c10::complex<double>>().imag());
  show("type", ct.dtype() == torch::kComplexDouble);
  auto acc = ct.accessor<c10::complex<double>, 1>();
  show("imag", acc[1].imag());
  show("sp", torch::special::erf(x));
  show("sp", torch::special::gammaln(torch::arange(1, 5)));
  show("sp", torch::special::logit(torch::tensor({0.3})));
  show("u", torch::rand({5}));
  show("n", torch::randn({20}));
  show("nd", torch::randn({3}, torch::kDouble));
  show("p", torch::randperm(10));
  show("ri", torch::randint(100, {6}));
  show("rl", torch::rand_like(x));
  show("e", torch::empty({4}).exponential_(2.0));
  show("un", torch::empty({4}).uniform_(-1, 1));
  show("no", torch::empty({4}).normal_(1, 2));
  show("be", torch::empty({4}).bernoulli_(0.3));
  show("po", torch::poisson(torch::full({4}, 3.0)));
  auto gen = torch::make_generator<at::CPUGeneratorImpl>(5);
  show("gen", torch::randn({4}, gen));
  show("gen", torch::rand({4}, gen, torch::kDouble));
  torch::nn::Dropout d(0.5);
  show("drop", d(torch::ones({10})));
  auto tri = torch::triu_indices(3, 3, 1);
  show("tri", tri);
  show("kron", torch::kron(torch::eye(2), torch::ones({1, 2})));
  show("outer", torch::outer(torch::arange(3), torch::arange(2)));
  show("cross", torch::linalg_cross(torch::tensor({1., 0., 0.}), torch::tensor({0., 1., 0.})));
  show("trace", torch::trace(S));
  show("cdist", torch::cdist(torch::ones({2, 2}), torch::zeros({1, 2})));
  show("lstsq", std::get<0>(torch::linalg_lstsq(A, torch::ones({4, 1}, torch::kDouble))));
  show("pinv", torch::linalg_pinv(A).mm(A));
  show("bmm", torch::bmm(torch::ones({2, 2, 3}), torch::ones({2, 3, 1})));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f",
                             [&] { show("first", sizeof(scalar_t) + x.data_ptr<scalar_t>()[0]); });
  auto def = torch::get_default_dtype();
  torch::set_default_dtype(torch::scalarTypeToTypeMeta(torch::kDouble));
  show("default", (torch::ones({1}).dtype() == torch::kDouble) +
                      2 * (torch::tensor({1.5}).dtype() == torch::kDouble));
  torch::set_default_dtype(def);
}

void run()
{
  elements();
  functions();
}
