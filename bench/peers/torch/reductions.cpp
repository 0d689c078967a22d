/* Reductions over all elements, over rows and over columns; cumulative sums. */
#include "families.h"

namespace peers
{

static const std::string SIZE = "4096x4096";
static const double ALL = 4096 * 4096;

static void over_all(Bench &bench, const Array &a)
{
  bench.row({.id = "red.sum.all",
             .shape = SIZE,
             .limit = moving(ALL, 0),
             .ours = [&] { return at_sum(a); },
             .torch = [&] { return a.torch.sum(); },
             .numpy = "np.sum(a)"});
  bench.row({.id = "red.mean.all",
             .shape = SIZE,
             .limit = moving(ALL, 0),
             .ours = [&] { return at_mean(a); },
             .torch = [&] { return a.torch.mean(); },
             .numpy = "np.mean(a)"});
  bench.row({.id = "red.max.all",
             .shape = SIZE,
             .limit = moving(ALL, 0),
             .ours = [&] { return at_max(a); },
             .torch = [&] { return a.torch.max(); },
             .numpy = "np.max(a)"});
  bench.row({.id = "red.argmax.all",
             .shape = SIZE,
             .limit = moving(ALL, 0),
             .ours = [&] { return at_argmax(a); },
             .torch = [&] { return a.torch.argmax(); },
             .numpy = "np.argmax(a)"});
  bench.row({.id = "red.norm.all",
             .shape = SIZE,
             .limit = moving(ALL, 0),
             .ours = [&] { return at_norm(a); },
             .torch = [&] { return a.torch.norm(); },
             .numpy = "np.linalg.norm(a)",
             .tolerance = 1e-3}); /* PyTorch sums squares in single precision */
  bench.row({.id = "red.var.all",
             .shape = SIZE,
             .limit = moving(ALL, 0),
             .ours = [&] { return at_var(a); },
             .torch = [&] { return a.torch.var(); },
             .numpy = "np.var(a, ddof=1)"});
}

static std::string id_of(const char *operation, const char *which)
{
  return std::string("red.") + operation + "." + which;
}

/* Norms, variances and cumulative sums. */
static void statistics_over_one(Bench &bench, const Array &a, const Array &f, int64_t dim,
                                const char *which)
{
  Array o = bench.ones("o", {4096});
  const std::string axis = dim ? ", axis=1" : ", axis=0";
  const Limit read = moving(ALL, 0);
  const std::vector<const Array *> out = {&o};

  bench.row({.id = id_of("norm", which),
             .shape = SIZE,
             .results = out,
             .limit = read,
             .ours = [&] { at_norm_dim_out(o, a, at_scalar_long(2), sizes(dim)); },
             .torch = [&] { at::norm_out(o, a, 2, at::IntArrayRef{dim}, false); },
             .numpy = "np.linalg.norm(a" + axis + ")",
             .numpy_result = -1});
  bench.row({.id = id_of("var", which),
             .shape = SIZE,
             .results = out,
             .limit = read,
             .ours = [&] { at_var_dim_out(o, a, sizes(dim)); },
             .torch = [&] { at::var_out(o, a, at::IntArrayRef{dim}, true, false); },
             .numpy = "np.var(a" + axis + ", ddof=1, out=o)"});
  bench.row({.id = dim ? "cumsum.d1" : "cumsum.d0",
             .shape = SIZE,
             .results = {&f},
             .limit = moving(ALL, ALL),
             .ours = [&] { at_cumsum_out(f, a, dim); },
             .torch = [&] { at::cumsum_out(f, a, dim); },
             .numpy = "np.cumsum(a" + axis + ", out=f)"});
}

static void over_one(Bench &bench, const Array &a, int64_t dim, const char *which)
{
  Array o = bench.ones("o", {4096}), where = bench.ones("where", {4096}, AT_LONG);
  const std::string axis = dim ? ", axis=1" : ", axis=0";
  const Limit read = moving(ALL, 0);
  const std::vector<const Array *> out = {&o};

  bench.row({.id = id_of("sum", which),
             .shape = SIZE,
             .results = out,
             .limit = read,
             .ours = [&] { at_sum_dim_out(o, a, sizes(dim)); },
             .torch = [&] { at::sum_out(o, a, at::IntArrayRef{dim}); },
             .numpy = "np.sum(a" + axis + ", out=o)"});
  bench.row({.id = id_of("mean", which),
             .shape = SIZE,
             .results = out,
             .limit = read,
             .ours = [&] { at_mean_dim_out(o, a, sizes(dim)); },
             .torch = [&] { at::mean_out(o, a, at::IntArrayRef{dim}); },
             .numpy = "np.mean(a" + axis + ", out=o)"});
  bench.row({.id = id_of("max", which),
             .shape = SIZE,
             .results = {&o, &where},
             .limit = read,
             .ours = [&] { at_max_dim_out(o, where, a, dim); },
             .torch = [&] { at::max_out(o, where, a, dim); }});
  bench.row({.id = id_of("amax", which),
             .shape = SIZE,
             .results = out,
             .limit = read,
             .ours =
                 [&] {
                   Sizes<1> d = sizes(dim);
                   at_amax_out(o, a, .dim = d);
                 },
             .torch = [&] { at::amax_out(o, a, at::IntArrayRef{dim}); },
             .numpy = "np.max(a" + axis + ", out=o)"});
  bench.row({.id = id_of("argmax", which),
             .shape = SIZE,
             .results = {&where},
             .limit = read,
             .ours = [&] { at_argmax_out(where, a, .dim = dim); },
             .torch = [&] { at::argmax_out(where, a, dim); },
             .numpy = "np.argmax(a" + axis + ", out=where)"});
}

void reductions(Bench &bench)
{
  Array a = bench.uniform("a", {4096, 4096}), f = bench.ones("f", {4096, 4096});
  over_all(bench, a);
  over_one(bench, a, 0, "first");
  statistics_over_one(bench, a, f, 0, "first");
  over_one(bench, a, 1, "last");
  statistics_over_one(bench, a, f, 1, "last");
}

}  // namespace peers
