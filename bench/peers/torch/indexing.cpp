/* Elements and rows that indices pick, under masks, and joined. */
#include "families.h"
extern "C" {
#include "../../limits.h"
}

namespace peers
{

static void elements(Bench &bench)
{
  const int64_t n = 1000000;
  Array a = bench.uniform("a", {n}), o = bench.ones("o", {n});
  Array indices = bench.integers("indices", n, {n}), order = bench.permutation("order", n);
  Array mask = bench.make("mask", {n}, AT_BOOL), half = bench.zeros("half", {n});
  at::lt_out(mask, a, at::scalar_tensor(0.5));
  half.torch.copy_(at::where(mask.torch, a.torch, at::zeros({1})));
  const std::string size = "1e6";
  const double N = n;
  const auto numbers = [](const Array &array) { return static_cast<int64_t *>(at_data(array)); };
  const auto pick = [&] { limit_pick(o.data(), a.data(), numbers(indices), n); };
  const auto put = [&] { limit_put(o.data(), a.data(), numbers(order), n); };

  bench.row({.id = "idx.index_select",
             .shape = size,
             .results = {&o},
             .sketch = pick,
             .ours = [&] { at_index_select_out(o, a, 0, indices); },
             .torch = [&] { at::index_select_out(o, a, 0, indices); },
             .numpy = "np.take(a, indices, out=o, mode='clip')"});
  bench.row({.id = "idx.gather",
             .shape = size,
             .results = {&o},
             .sketch = pick,
             .ours = [&] { at_gather_out(o, a, 0, indices); },
             .torch = [&] { at::gather_out(o, a, 0, indices); }});
  bench.row({.id = "idx.scatter",
             .shape = size,
             .results = {&o},
             .sketch = put,
             .ours = [&] { at_scatter_(o, 0, order, a); },
             .torch = [&] { o.torch.scatter_(0, order, a); }});
  bench.row({.id = "idx.index_add",
             .shape = size,
             .results = {&o},
             .limit = moving(4 * N, N),
             .ours = [&] { at_index_add_(o, 0, indices, a); },
             .torch = [&] { o.torch.index_add_(0, indices, a); }});
  bench.row({.id = "idx.masked_select",
             .shape = size,
             .limit = moving(1.25 * N, N / 2),
             .ours = [&] { return at_masked_select(a, mask); },
             .torch = [&] { return at::masked_select(a, mask); },
             .numpy = "a[mask]"});
  bench.row({.id = "idx.masked_fill",
             .shape = size,
             .results = {&o},
             .limit = moving(0.25 * N, N),
             .ours = [&] { at_masked_fill_(o, mask, at_scalar_double(1.5)); },
             .torch = [&] { o.torch.masked_fill_(mask, 1.5f); }});
  bench.row({.id = "idx.nonzero",
             .shape = size,
             .limit = moving(N, N),
             .ours = [&] { return at_nonzero(half); },
             .torch = [&] { return at::nonzero(half); },
             .numpy = "np.nonzero(half)"});
}

static void rows(Bench &bench)
{
  Array m = bench.uniform("m", {10000, 100}), o = bench.ones("o", {10000, 100});
  Array indices = bench.integers("indices", 10000, {10000});
  Array columns = bench.integers("columns", 100, {10000, 100});
  const std::string size = "10000x100";

  bench.row({.id = "idx.index_select.rows",
             .shape = size,
             .results = {&o},
             .limit = moving(1e6, 1e6),
             .ours = [&] { at_index_select_out(o, m, 0, indices); },
             .torch = [&] { at::index_select_out(o, m, 0, indices); },
             .numpy = "np.take(m, indices, axis=0, out=o, mode='clip')"});
  bench.row({.id = "idx.index_add.rows",
             .shape = size,
             .results = {&o},
             .limit = moving(2e6, 1e6),
             .ours = [&] { at_index_add_(o, 0, indices, m); },
             .torch = [&] { o.torch.index_add_(0, indices, m); }});
  bench.row({.id = "idx.gather.d1",
             .shape = size,
             .results = {&o},
             .limit = moving(3e6, 1e6),
             .ours = [&] { at_gather_out(o, m, 1, columns); },
             .torch = [&] { at::gather_out(o, m, 1, columns); },
             .numpy = "np.take_along_axis(m, columns, axis=1)",
             .numpy_result = -1});
}

static void joined(Bench &bench, const char *id, const char *size, int64_t dim,
                   at::IntArrayRef part, at::IntArrayRef whole)
{
  std::vector<Array> parts;
  std::vector<at_tensor *> ours;
  std::vector<at::Tensor> theirs;
  std::string names;
  for (int k = 0; k < 8; k++) {
    const std::string name = "part" + std::to_string(k);
    parts.push_back(bench.uniform(name.c_str(), part));
    ours.push_back(parts.back());
    theirs.push_back(parts.back());
    names += name + ", ";
  }
  Array o = bench.ones("o", whole);
  bench.row({.id = id,
             .shape = size,
             .results = {&o},
             .limit = moving(1e6, 1e6),
             .ours = [&] { at_cat_out(o, at_tensors(ours.data(), 8), .dim = dim); },
             .torch = [&] { at::cat_out(o, theirs, dim); },
             .numpy = "np.concatenate((" + names + "), axis=" + std::to_string(dim) + ", out=o)"});
}

void indexing(Bench &bench)
{
  elements(bench);
  rows(bench);
  joined(bench, "cat.d0", "8x125000", 0, {125000}, {1000000});
  joined(bench, "cat.d1", "8x(1000x125)", 1, {1000, 125}, {1000, 1000});
}

}  // namespace peers
