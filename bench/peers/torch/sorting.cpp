/* Sorting, and parts of it. */
#include "families.h"
extern "C" {
#include "../../limits.h"
}

namespace peers
{

/* What needs no order of all elements. */
static void parts(Bench &bench, const Array &a, const Array &m, int64_t n)
{
  Array few = bench.integers("few", 1000, {n});
  bench.row({.id = "topk.1e6",
             .shape = "1e6, 100",
             .limit = moving(n, 0),
             .ours = [&] { return at_topk(a, 100); },
             .torch = [&] { return at::topk(a, 100); },
             .numpy = "np.sort(a[np.argpartition(a, 999900)[999900:]])[::-1]"});
  bench.row({.id = "kth.1e6",
             .shape = "1e6, its half",
             .limit = moving(n, 0),
             .ours = [&] { return at_kthvalue(a, 500000); },
             .torch = [&] { return at::kthvalue(a, 500000); },
             .numpy = "a[np.argpartition(a, 499999)[499999]]"});
  bench.row({.id = "median.1e6",
             .shape = "1e6",
             .limit = moving(n, 0),
             .ours = [&] { return at_median(a); },
             .torch = [&] { return at::median(a); },
             .numpy = "np.sort(a)[499999]"});
  bench.row({.id = "mode.1000x1000",
             .shape = "1000x1000",
             .ours = [&] { return at_mode(m); },
             .torch = [&] { return at::mode(m); }});
  bench.row({.id = "unique.1e6",
             .shape = "1e6",
             .ours = [&] { return at_unique(a).values; },
             .torch = [&] { return std::get<0>(at::_unique2(a)); },
             .numpy = "np.unique(a)",
             .counted = false});
  bench.row({.id = "unique.1e6.few",
             .shape = "1e6, 1000 different ones, Long",
             .ours = [&] { return at_unique(few).values; },
             .torch = [&] { return std::get<0>(at::_unique2(few)); },
             .numpy = "np.unique(few)",
             .counted = false});
}

void sorting(Bench &bench)
{
  const int64_t n = 1000000;
  Array a = bench.uniform("a", {n}), m = bench.uniform("m", {1000, 1000});
  Array v = bench.ones("v", {n}), i = bench.ones("i", {n}, AT_LONG);
  Array mv = bench.ones("mv", {1000, 1000}), mi = bench.ones("mi", {1000, 1000}, AT_LONG);
  std::vector<uint64_t> buffer(2 * static_cast<size_t>(n));
  const auto by_digits = [&] {
    limit_sort(v.data(), static_cast<int64_t *>(at_data(i)), a.data(), n, buffer.data());
  };

  bench.row({.id = "sort.1e6",
             .shape = "1e6",
             .results = {&i, &v},
             .sketch = by_digits,
             .ours = [&] { at_sort_out(v, i, a); },
             .torch = [&] { at::sort_out(v, i, a); },
             .numpy = "np.argsort(a)",
             .numpy_result = -1});
  bench.row({.id = "sort.1000x1000",
             .shape = "1000x1000",
             .results = {&mi, &mv},
             .ours = [&] { at_sort_out(mv, mi, m); },
             .torch = [&] { at::sort_out(mv, mi, m); },
             .numpy = "np.argsort(m, axis=1)",
             .numpy_result = -1});
  /* PyTorch does not sort without indices. */
  bench.row({.id = "sort_values.1e6",
             .shape = "1e6",
             .results = {&v},
             .ours = [&] { at_sort_out(v, nullptr, a); },
             .torch = [&] { at::sort_out(v, i, a); },
             .numpy = "np.sort(a)",
             .numpy_result = -1});
  bench.row({.id = "sort_values.1000x1000",
             .shape = "1000x1000",
             .results = {&mv},
             .ours = [&] { at_sort_out(mv, nullptr, m); },
             .torch = [&] { at::sort_out(mv, mi, m); },
             .numpy = "np.sort(m, axis=1)",
             .numpy_result = -1});
  parts(bench, a, m, n);
}

}  // namespace peers
