/* Products of matrices and vectors. */
#include "blas.h"
#include "families.h"

namespace peers
{

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 }; /* of CBLAS */

template <class Real>
using Gemm = void(int order, int transA, int transB, int m, int n, int k, Real alpha, const Real *a,
                  int lda, const Real *b, int ldb, Real beta, Real *c, int ldc);
using Gemv = void(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                  const float *x, int incx, float beta, float *y, int incy);

/* OpenBLAS, if it is there. */
static std::vector<Peer> openblas(Side side)
{
  return blas() ? std::vector<Peer>{{"OpenBLAS", side}} : std::vector<Peer>{};
}

/* Where PyTorch calls MKL, rows do not count. */
static bool counted()
{
  return !at::hasMKL();
}

template <class Real>
static void products(Bench &bench, const char *type, const char *name)
{
  const at_scalar_type element = sizeof(Real) == 8 ? AT_DOUBLE : AT_FLOAT;
  Gemm<Real> *gemm = blas() ? blas()->find<Gemm<Real>>(name) : nullptr;
  for (int n : {64, 256, 1024, 2048}) {
    const std::string id = std::string("mm.") + type + "." + std::to_string(n),
                      side = std::to_string(n);
    const std::string size = side + "x" + side + "x" + side;
    if (!bench.wants(id))
      continue;
    Array a = bench.uniform("a", {n, n}, element), b = bench.uniform("b", {n, n}, element);
    Array c = bench.zeros("c", {n, n}, element);
    const auto data = [](const Array &array) { return static_cast<Real *>(at_data(array)); };
    /* Fused multiply-adds of doubles: half as many in a register. */
    const Limit limit = computing(2.0 * n * n * n * sizeof(Real) / 4);
    const auto direct = [&](int transB) {
      return openblas([&, transB] {
        gemm(ROW_MAJOR, PLAIN, transB, n, n, n, 1, data(a), n, data(b), n, 0, data(c), n);
      });
    };
    bench.row({.id = id,
               .shape = size,
               .results = {&c},
               .limit = limit,
               .ours = [&] { at_mm_out(c, a, b); },
               .torch = [&] { at::mm_out(c, a, b); },
               .numpy = "np.matmul(a, b, out=c)",
               .numpy_threads = true,
               .peers = direct(PLAIN),
               .counted = counted()});
    if (n == 1024)
      bench.row({.id = id + ".bt",
                 .shape = size,
                 .results = {&c},
                 .limit = limit,
                 .ours = [&] { at_mm_out(c, a, View(at_t(b))); },
                 .torch = [&] { at::mm_out(c, a, b.torch.t()); },
                 .numpy = "np.matmul(a, b.T, out=c)",
                 .numpy_threads = true,
                 .peers = direct(TRANSPOSED),
                 .counted = counted()});
  }
}

static void vectors(Bench &bench)
{
  const int n = 4096;
  Array a = bench.uniform("a", {n, n}), x = bench.uniform("x", {n}), y = bench.zeros("y", {n});
  Gemv *gemv = blas() ? blas()->find<Gemv>("cblas_sgemv") : nullptr;
  const Limit read = moving(4096.0 * 4096, 0);
  bench.row({.id = "gemv.f32.4096",
             .shape = "4096x4096",
             .results = {&y},
             .limit = read,
             .ours = [&] { at_mv_out(y, a, x); },
             .torch = [&] { at::mv_out(y, a, x); },
             .numpy = "np.matmul(a, x, out=y)",
             .numpy_threads = true,
             .peers = openblas([&] {
               gemv(ROW_MAJOR, PLAIN, n, n, 1, a.data(), n, x.data(), 1, 0, y.data(), 1);
             }),
             .counted = counted()});
  bench.row({.id = "gemv.f32.4096.t",
             .shape = "4096x4096",
             .results = {&y},
             .limit = read,
             .ours = [&] { at_mv_out(y, View(at_t(a)), x); },
             .torch = [&] { at::mv_out(y, a.torch.t(), x); },
             .numpy = "np.matmul(a.T, x, out=y)",
             .numpy_threads = true,
             .peers = openblas([&] {
               gemv(ROW_MAJOR, TRANSPOSED, n, n, 1, a.data(), n, x.data(), 1, 0, y.data(), 1);
             }),
             .counted = counted()});
}

static void batches(Bench &bench)
{
  Array a = bench.uniform("a", {64, 64, 64}), b = bench.uniform("b", {64, 64, 64});
  Array c = bench.zeros("c", {64, 64, 64});
  Gemm<float> *gemm = blas() ? blas()->find<Gemm<float>>("cblas_sgemm") : nullptr;
  bench.row({.id = "bmm.f32.64x64",
             .shape = "64x(64x64x64)",
             .results = {&c},
             .limit = computing(2.0 * (1 << 24)),
             .ours = [&] { at_bmm_out(c, a, b); },
             .torch = [&] { at::bmm_out(c, a, b); },
             .numpy = "np.matmul(a, b, out=c)",
             .numpy_threads = true,
             .peers = openblas([&] {
               for (int i = 0; i < 64 * 4096; i += 4096)
                 gemm(ROW_MAJOR, PLAIN, PLAIN, 64, 64, 64, 1, a.data() + i, 64, b.data() + i, 64, 0,
                      c.data() + i, 64);
             }),
             .counted = counted()});
}

static void other_types(Bench &bench)
{
  const at::Tensor x = at::rand({1024, 1024}), y = at::rand({1024, 1024});
  Array a = bench.holding("a", x.to(at::kBFloat16)), b = bench.holding("b", y.to(at::kBFloat16));
  Array c = bench.zeros("c", {1024, 1024}, AT_BFLOAT16);
  bench.row({.id = "mm.bf16.1024",
             .shape = "1024x1024x1024",
             .results = {&c},
             .ours = [&] { at_mm_out(c, a, b); },
             .torch = [&] { at::mm_out(c, a, b); },
             .tolerance = 1e-2});
  Array whole = bench.integers("whole", 100, {256, 256}),
        product = bench.zeros("product", {256, 256}, AT_LONG);
  bench.row({.id = "mm.i64.256",
             .shape = "256x256x256",
             .results = {&product},
             .ours = [&] { at_mm_out(product, whole, whole); },
             .torch = [&] { at::mm_out(product, whole, whole); }});
}

static void blas1(Bench &bench)
{
  const int n = 10000000;
  using Axpy = void(int, float, const float *, int, float *, int);
  using Dot = float(int, const float *, int, const float *, int);
  using Norm = float(int, const float *, int);
  Axpy *axpy = blas() ? blas()->find<Axpy>("cblas_saxpy") : nullptr;
  Dot *dot = blas() ? blas()->find<Dot>("cblas_sdot") : nullptr;
  Norm *norm = blas() ? blas()->find<Norm>("cblas_snrm2") : nullptr;
  Array x = bench.uniform("x", {n}), y = bench.uniform("y", {n});
  bench.row({.id = "blas1.saxpy.1e7",
             .shape = "1e7",
             .results = {&y},
             .limit = moving(2e7, 1e7),
             .ours = [&] { at_add_(y, x, .alpha = 1e-9); },
             .torch = [&] { y.torch.add_(x, 1e-9); },
             .peers = openblas([&] { axpy(n, 1e-9f, x.data(), 1, y.data(), 1); })});
  bench.row({.id = "blas1.sdot.1e7",
             .shape = "1e7",
             .limit = moving(2e7, 0),
             .ours = [&] { return at_dot(x, y); },
             .torch = [&] { return at::dot(x, y); },
             .peers =
                 openblas([&] { return static_cast<double>(dot(n, x.data(), 1, y.data(), 1)); }),
             .tolerance = 1e-3,
             .counted = counted()});
  bench.row({.id = "blas1.snrm2.1e7",
             .shape = "1e7",
             .limit = moving(1e7, 0),
             .ours = [&] { return at_norm(x); },
             .torch = [&] { return x.torch.norm(); },
             .peers = openblas([&] { return static_cast<double>(norm(n, x.data(), 1)); }),
             .tolerance = 1e-3});
}

void matrix(Bench &bench)
{
  products<float>(bench, "f32", "cblas_sgemm");
  products<double>(bench, "f64", "cblas_dgemm");
  if (bench.wants("gemv."))
    vectors(bench);
  if (bench.wants("bmm."))
    batches(bench);
  other_types(bench);
  if (bench.wants("blas1."))
    blas1(bench);
}

}  // namespace peers
