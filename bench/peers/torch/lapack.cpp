/* Systems of equations and factorisations. */
#include <cstring>

#include "blas.h"
#include "families.h"

namespace peers
{

using Int = const int *;
using Gesv = void(Int n, Int nrhs, float *a, Int lda, int *pivots, float *b, Int ldb, int *info);
using Gesdd = void(const char *job, Int m, Int n, float *a, Int lda, float *s, float *u, Int ldu,
                   float *vt, Int ldvt, float *work, Int lwork, int *iwork, int *info);
using Syevd = void(const char *job, const char *uplo, Int n, float *a, Int lda, float *w,
                   float *work, Int lwork, int *iwork, Int liwork, int *info);
using Potrf = void(const char *uplo, Int n, float *a, Int lda, int *info);
using Geqrf = void(Int m, Int n, float *a, Int lda, float *tau, float *work, Int lwork, int *info);
using Orgqr = void(Int m, Int n, Int k, float *a, Int lda, const float *tau, float *work, Int lwork,
                   int *info);

/* LAPACK called directly, on copies of the matrices by columns; the copying is within the time, as
 * an operand has to stay. */
struct Direct {
  int n, info = 0;
  std::vector<float> a, kept, b, b_kept, u, v, values, work;
  std::vector<int> whole;

  explicit Direct(const at::Tensor &matrix) : n(static_cast<int>(matrix.size(0)))
  {
    kept = columns(matrix);
    a = kept;
    u = v = kept;
    values.resize(n);
    whole.resize(16 * n);
    work.resize(8 * n * n + 64 * n);
  }
  static std::vector<float> columns(const at::Tensor &matrix)
  {
    const at::Tensor t = matrix.t().contiguous();
    return {t.data_ptr<float>(), t.data_ptr<float>() + t.numel()};
  }
  void restore()
  {
    std::memcpy(a.data(), kept.data(), kept.size() * sizeof(float));
  }
  int length() const
  {
    return static_cast<int>(work.size());
  }
};

static std::vector<Peer> openblas(Side side)
{
  return blas() ? std::vector<Peer>{{"OpenBLAS", side}} : std::vector<Peer>{};
}

template <class Function>
static Function *find(const char *name)
{
  return blas() ? blas()->find<Function>(name) : nullptr;
}

static at::Tensor by_columns(std::vector<float> &values, int64_t rows, int64_t columns)
{
  return at::from_blob(values.data(), {rows, columns}, {1, rows});
}

static void gesv(Bench &bench, bool counted)
{
  Array a = bench.uniform("a", {512, 512}), b = bench.uniform("b", {512, 64});
  a.torch.add_(at::eye(512), 20); /* well conditioned: results can be compared */
  Direct d(a.torch);
  d.b_kept = Direct::columns(b.torch);
  d.b = d.b_kept;
  Gesv *solve = find<Gesv>("sgesv_");
  const int many = 64;
  bench.row({.id = "la.gesv.512",
             .shape = "512, 64 right sides",
             .limit = computing(2.0 / 3 * 512 * 512 * 512 + 2.0 * 512 * 512 * 64),
             .ours =
                 [&] {
                   const at_solution_lu r = at_gesv(b, a);
                   at_release(r.lu);
                   return r.solution;
                 },
             .torch = [&] { return at::linalg_solve(a, b); },
             .numpy = "np.linalg.solve(a, b)",
             .numpy_threads = true,
             .peers = openblas([&] {
               d.restore();
               std::memcpy(d.b.data(), d.b_kept.data(), d.b.size() * sizeof(float));
               solve(&d.n, &many, d.a.data(), &d.n, d.whole.data(), d.b.data(), &d.n, &d.info);
               return by_columns(d.b, 512, 64);
             }),
             .tolerance = 1e-4,
             .counted = counted});
}

static void spectra(Bench &bench, bool counted)
{
  Array a = bench.uniform("a", {256, 256}), s = bench.holding("s", a.torch + a.torch.t());
  Direct d(a.torch), e(s.torch);
  Gesdd *gesdd = find<Gesdd>("sgesdd_");
  Syevd *syevd = find<Syevd>("ssyevd_");
  bench.row({.id = "la.svd.256",
             .shape = "256",
             .ours =
                 [&] {
                   const at_U_S_V r = at_svd(a);
                   at_release(r.U);
                   at_release(r.V);
                   return r.S;
                 },
             .torch = [&] { return std::get<1>(at::linalg_svd(a, false)); },
             .numpy = "np.linalg.svd(a)[1]",
             .numpy_threads = true,
             .peers = openblas([&] {
               d.restore();
               const int length = d.length();
               gesdd("S", &d.n, &d.n, d.a.data(), &d.n, d.values.data(), d.u.data(), &d.n,
                     d.v.data(), &d.n, d.work.data(), &length, d.whole.data(), &d.info);
               return by_columns(d.values, 256, 1);
             }),
             .tolerance = 1e-4,
             .counted = counted});
  bench.row({.id = "la.symeig.256",
             .shape = "256",
             .ours =
                 [&] {
                   const at_values_vectors r = at_symeig(s, .eigenvectors = true);
                   at_release(r.vectors);
                   return r.values;
                 },
             .torch = [&] { return std::get<0>(at::linalg_eigh(s)); },
             .numpy = "np.linalg.eigh(s)[0]",
             .numpy_threads = true,
             .peers = openblas([&] {
               e.restore();
               const int length = e.length(), whole = static_cast<int>(e.whole.size());
               syevd("V", "L", &e.n, e.a.data(), &e.n, e.values.data(), e.work.data(), &length,
                     e.whole.data(), &whole, &e.info);
               return by_columns(e.values, 256, 1);
             }),
             .tolerance = 1e-4,
             .counted = counted});
}

static void factors(Bench &bench, bool counted)
{
  Array r = bench.uniform("r", {1024, 1024});
  Array p = bench.holding("p", at::mm(r.torch, r.torch.t()) + 10 * at::eye(1024));
  Direct d(p.torch);
  Potrf *potrf = find<Potrf>("spotrf_");
  bench.row({.id = "la.cholesky.1024",
             .shape = "1024",
             .limit = computing(1024.0 * 1024 * 1024 / 3),
             .ours = [&] { return at_potrf(p, .upper = 0); },
             .torch = [&] { return at::linalg_cholesky(p); },
             .numpy = "np.linalg.cholesky(p)",
             .numpy_threads = true,
             .peers = openblas([&] {
               d.restore();
               potrf("L", &d.n, d.a.data(), &d.n, &d.info);
               return by_columns(d.a, 1024, 1024).tril();
             }),
             .tolerance = 1e-4,
             .counted = counted});

  Array a = bench.uniform("a", {512, 512});
  Direct e(a.torch);
  Geqrf *geqrf = find<Geqrf>("sgeqrf_");
  Orgqr *orgqr = find<Orgqr>("sorgqr_");
  bench.row({.id = "la.qr.512",
             .shape = "512",
             .limit = computing(8.0 / 3 * 512 * 512 * 512),
             .ours = [&] { return at_qr(a); },
             .torch = [&] { return at::linalg_qr(a); },
             .numpy = "np.linalg.qr(a)[0]",
             .numpy_threads = true,
             .peers = openblas([&] {
               e.restore();
               const int length = e.length();
               geqrf(&e.n, &e.n, e.a.data(), &e.n, e.values.data(), e.work.data(), &length,
                     &e.info);
               orgqr(&e.n, &e.n, &e.n, e.a.data(), &e.n, e.values.data(), e.work.data(), &length,
                     &e.info);
               return by_columns(e.a, 512, 512);
             }),
             .tolerance = 1e-2,
             .counted = counted});
}

void lapack(Bench &bench)
{
  const bool counted = !at::hasMKL(); /* which PyTorch calls */
  gesv(bench, counted);
  spectra(bench, counted);
  factors(bench, counted);
}

}  // namespace peers
