/* Copies and sums of transposed, narrowed, stepped and broadcast views. */
#include "families.h"

namespace peers
{

static void matrices(Bench &bench)
{
  const double all = 4096 * 4096;
  Array a = bench.uniform("a", {4096, 4096}), b = bench.uniform("b", {4096, 4096});
  Array o = bench.ones("o", {4096, 4096}), half = bench.ones("half", {4096, 2048});
  Array column = bench.uniform("column", {4096, 1}), row = bench.uniform("row", {1, 4096});
  const std::string size = "4096x4096", narrow = "4096x2048";

  /* As a user writes them: the view is made in the call. */
  bench.row({.id = "st.transpose_copy",
             .shape = size,
             .results = {&o},
             .limit = moving(all, all),
             .ours = [&] { at_copy_(o, View(at_t(a))); },
             .torch = [&] { o.torch.copy_(a.torch.t()); },
             .numpy = "np.copyto(o, a.T)"});
  bench.row({.id = "st.transpose_contiguous_alloc",
             .shape = size,
             .limit = moving(all, all),
             .ours = [&] { return at_contiguous(View(at_t(a))); },
             .torch = [&] { return a.torch.t().contiguous(); },
             .numpy = "np.ascontiguousarray(a.T)"});
  bench.row({.id = "st.add_transposed",
             .shape = size,
             .results = {&o},
             .limit = moving(2 * all, all),
             .ours = [&] { at_add_out(o, View(at_t(a)), b); },
             .torch = [&] { at::add_out(o, a.torch.t(), b); },
             .numpy = "np.add(a.T, b, out=o)"});
  bench.row({.id = "st.bcast_add",
             .shape = size,
             .results = {&o},
             .limit = moving(0, all),
             .ours = [&] { at_add_out(o, column, row); },
             .torch = [&] { at::add_out(o, column, row); },
             .numpy = "np.add(column, row, out=o)"});
  bench.row({.id = "st.bcast_row_add",
             .shape = size,
             .results = {&o},
             .limit = moving(all, all),
             .ours = [&] { at_add_out(o, a, row); },
             .torch = [&] { at::add_out(o, a, row); },
             .numpy = "np.add(a, row, out=o)"});
  bench.row({.id = "st.col_narrow_copy",
             .shape = narrow,
             .results = {&half},
             .limit = moving(all / 2, all / 2),
             .ours = [&] { at_copy_(half, View(at_narrow(a, 1, 1024, 2048))); },
             .torch = [&] { half.torch.copy_(a.torch.narrow(1, 1024, 2048)); },
             .numpy = "np.copyto(half, a[:, 1024:3072])"});
  bench.row({.id = "st.every_other_copy",
             .shape = narrow,
             .results = {&half},
             .limit = moving(all, all / 2),
             .ours = [&] { at_copy_(half, View(at_slice(a, .dim = 1, .step = 2))); },
             .torch = [&] { half.torch.copy_(a.torch.slice(1, 0, 4096, 2)); },
             .numpy = "np.copyto(half, a[:, ::2])"});
}

static void images(Bench &bench)
{
  const double all = 32 * 64 * 56 * 56;
  Array x = bench.uniform("x", {32, 64, 56, 56}), y = bench.uniform("y", {32, 56, 56, 64});
  Array q = bench.ones("q", {32, 32, 56, 56});
  const std::string size = "32x64x56x56", half = "32x32x56x56";

  bench.row({.id = "st.nchw2nhwc",
             .shape = size,
             .results = {&y},
             .limit = moving(all, all),
             .ours = [&] { at_copy_(y, View(at_permute(x, sizes(0, 2, 3, 1)))); },
             .torch = [&] { y.torch.copy_(x.torch.permute({0, 2, 3, 1})); },
             .numpy = "np.copyto(y, x.transpose(0, 2, 3, 1))"});
  bench.row({.id = "st.nhwc2nchw",
             .shape = size,
             .results = {&x},
             .limit = moving(all, all),
             .ours = [&] { at_copy_(x, View(at_permute(y, sizes(0, 3, 1, 2)))); },
             .torch = [&] { x.torch.copy_(y.torch.permute({0, 3, 1, 2})); },
             .numpy = "np.copyto(x, y.transpose(0, 3, 1, 2))",
             .numpy_result = -1});
  bench.row({.id = "st.chan_narrow_copy",
             .shape = half,
             .results = {&q},
             .limit = moving(all / 2, all / 2),
             .ours = [&] { at_copy_(q, View(at_narrow(x, 1, 16, 32))); },
             .torch = [&] { q.torch.copy_(x.torch.narrow(1, 16, 32)); },
             .numpy = "np.copyto(q, x[:, 16:48])",
             .numpy_result = -1});
  bench.row({.id = "st.chan_narrow_add",
             .shape = half,
             .results = {&q},
             .limit = moving(all / 2, all / 2),
             .ours =
                 [&] {
                   View v = at_narrow(x, 1, 16, 32);
                   at_add_out(q, v, v);
                 },
             .torch =
                 [&] {
                   at::Tensor v = x.torch.narrow(1, 16, 32);
                   at::add_out(q, v, v);
                 },
             .numpy = "(lambda v: np.add(v, v, out=q))(x[:, 16:48])",
             .numpy_result = -1});
  bench.row({.id = "st.chan_narrow_exp",
             .shape = half,
             .results = {&q},
             .limit = moving(all / 2, all / 2),
             .ours = [&] { at_exp_out(q, View(at_narrow(x, 1, 16, 32))); },
             .torch = [&] { at::exp_out(q, x.torch.narrow(1, 16, 32)); },
             .numpy = "np.exp(x[:, 16:48], out=q)",
             .numpy_result = -1});
}

void strided(Bench &bench)
{
  matrices(bench);
  images(bench);
}

}  // namespace peers
