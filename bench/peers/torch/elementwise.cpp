/* Element by element, at sizes of L1, of L2 and of memory. */
#include <ATen/ScalarOps.h>

#include "families.h"
#include "sleef.h"

namespace peers
{

static void elementwise_of(Bench &bench, int64_t n, const std::string &size)
{
  const auto N = static_cast<double>(n);
  const auto id = [&](const char *operation) {
    return std::string("ew.") + operation + "." + size;
  };
  Array a = bench.uniform("a", {n}), b = bench.uniform("b", {n}), c = bench.uniform("c", {n});
  a.torch.add_(1e-3), b.torch.add_(1e-3);
  Array x = bench.normal("x", {n}), o = bench.ones("o", {n});
  Array booleans = bench.ones("booleans", {n}, AT_BOOL), bytes = bench.ones("bytes", {n}, AT_BYTE);
  Array wide = bench.ones("wide", {n}, AT_DOUBLE);
  const auto bound = [&](double read, double written) { /* of few it is the calls' cost */
                                                        return n < 10000
                                                                   ? Limit()
                                                                   : moving(read * N, written * N);
  };
  const Limit fill = bound(0, 1), copy = bound(1, 1), add = bound(2, 1);
  const std::vector<const Array *> out = {&o};
  const at::Tensor factor = at::native::wrapped_scalar_tensor(1.5); /* made once: 1 us */

  bench.row({.id = id("fill"),
             .shape = size,
             .results = out,
             .limit = fill,
             .ours = [&] { at_fill_(o, at_scalar_double(2)); },
             .torch = [&] { o.torch.fill_(2.f); },
             .numpy = "o.fill(2)"});
  bench.row({.id = id("copy"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_copy_(o, a); },
             .torch = [&] { o.torch.copy_(a); },
             .numpy = "np.copyto(o, a)"});
  bench.row({.id = id("add"),
             .shape = size,
             .results = out,
             .limit = add,
             .ours = [&] { at_add_out(o, a, b); },
             .torch = [&] { at::add_out(o, a, b); },
             .numpy = "np.add(a, b, out=o)"});
  bench.row({.id = id("add_alloc"),
             .shape = size,
             .limit = add,
             .ours = [&] { return at_add(a, b); },
             .torch = [&] { return at::add(a, b); },
             .numpy = "a + b"});
  bench.row({.id = id("add_inplace"),
             .shape = size,
             .results = out,
             .limit = add,
             .ours = [&] { at_add_(o, b, .alpha = 1e-9); },
             .torch = [&] { o.torch.add_(b, 1e-9); }});
  bench.row({.id = id("addcmul_like_triad"),
             .shape = size,
             .results = out,
             .limit = add,
             .ours = [&] { at_add_out(o, a, b, .alpha = 1.5); },
             .torch = [&] { at::add_out(o, a, b, 1.5); }});
  bench.row({.id = id("mul_scalar"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_mul_scalar_out(o, a, at_scalar_double(1.5)); },
             .torch = [&] { at::mul_out(o, a, factor); },
             .numpy = "np.multiply(a, f32(1.5), out=o)"});
  bench.row({.id = id("addcmul"),
             .shape = size,
             .results = out,
             .limit = bound(3, 1),
             .ours = [&] { at_addcmul_out(o, a, b, c, .value = 0.5); },
             .torch = [&] { at::addcmul_out(o, a, b, c, 0.5); }});
  bench.row({.id = id("exp"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_exp_out(o, x); },
             .torch = [&] { at::exp_out(o, x); },
             .numpy = "np.exp(x, out=o)",
             .peers = sleef({"exp", o, x})});
  bench.row({.id = id("exp_alloc"),
             .shape = size,
             .limit = copy,
             .ours = [&] { return at_exp(x); },
             .torch = [&] { return at::exp(x); },
             .numpy = "np.exp(x)"});
  bench.row({.id = id("log"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_log_out(o, a); },
             .torch = [&] { at::log_out(o, a); },
             .numpy = "np.log(a, out=o)",
             .peers = sleef({"log", o, a})});
  bench.row({.id = id("tanh"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_tanh_out(o, x); },
             .torch = [&] { at::tanh_out(o, x); },
             .numpy = "np.tanh(x, out=o)",
             .peers = sleef({"tanh", o, x})});
  bench.row({.id = id("sigmoid"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_sigmoid_out(o, x); },
             .torch = [&] { at::sigmoid_out(o, x); }});
  bench.row({.id = id("sqrt"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_sqrt_out(o, a); },
             .torch = [&] { at::sqrt_out(o, a); },
             .numpy = "np.sqrt(a, out=o)"});
  bench.row({.id = id("pow2.5"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_pow_scalar_out(o, a, at_scalar_double(2.5)); },
             .torch = [&] { at::pow_out(o, a, 2.5); },
             .numpy = "np.power(a, f32(2.5), out=o)",
             .peers = sleef({"pow", o, a, 2.5f})});
  bench.row({.id = id("erf"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_erf_out(o, x); },
             .torch = [&] { at::erf_out(o, x); },
             .peers = sleef({"erf", o, x}),
             .counted = false});
  bench.row({.id = id("sin"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_sin_out(o, x); },
             .torch = [&] { at::sin_out(o, x); },
             .numpy = "np.sin(x, out=o)",
             .peers = sleef({"sin", o, x}),
             .counted = false});
  bench.row({.id = id("clamp"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_clamp_out(o, x, .min = -0.5, .max = 0.5); },
             .torch = [&] { at::clamp_out(o, x, -0.5, 0.5); },
             .numpy = "np.clip(x, f32(-0.5), f32(0.5), out=o)"});
  bench.row({.id = id("relu"),
             .shape = size,
             .results = out,
             .limit = copy,
             .ours = [&] { at_clamp_min_out(o, x, at_scalar_long(0)); },
             .torch = [&] { at::clamp_min_out(o, x, 0); },
             .numpy = "np.maximum(x, f32(0), out=o)"});
  bench.row({.id = id("lt_bool"),
             .shape = size,
             .results = {&booleans},
             .limit = bound(2, 0.25),
             .ours = [&] { at_lt_out(booleans, a, b); },
             .torch = [&] { at::lt_out(booleans, a, b); },
             .numpy = "np.less(a, b, out=booleans)"});
  bench.row({.id = id("lt_byte"),
             .shape = size,
             .results = {&bytes},
             .limit = bound(2, 0.25),
             .ours = [&] { at_lt_out(bytes, a, b); },
             .torch = [&] { at::lt_out(bytes, a, b); }});
  bench.row({.id = id("f32_to_f64"),
             .shape = size,
             .results = {&wide},
             .limit = bound(1, 2),
             .ours = [&] { at_copy_(wide, a); },
             .torch = [&] { wide.torch.copy_(a); },
             .numpy = "np.copyto(wide, a)"});
  bench.row({.id = id("u8_to_f32"),
             .shape = size,
             .results = out,
             .limit = bound(0.25, 1),
             .ours = [&] { at_copy_(o, bytes); },
             .torch = [&] { o.torch.copy_(bytes); },
             .numpy = "np.copyto(o, bytes)"});
  bench.row({.id = id("uniform_philox"),
             .shape = size,
             .results = out,
             .limit = fill,
             .ours = [&] { at_uniform_(o); },
             .torch = [&] { o.torch.uniform_(); },
             .prepare =
                 [] {
                   at_manualSeed(1);
                   at::manual_seed(1);
                 }});
}

void elementwise(Bench &bench)
{
  elementwise_of(bench, 1000, "1e3");
  elementwise_of(bench, 100000, "1e5");
  elementwise_of(bench, 10000000, "1e7");
}

}  // namespace peers
