/* Element by element, at sizes of L1, of L2 and of memory. */
#include <ATen/ScalarOps.h>

#include "families.h"
#include "sleef.h"

namespace peers
{

/* Operands of n elements. */
struct Elements {
  Bench &bench;
  int64_t n;
  std::string size;
  Array a, b, c, x, o, booleans, bytes, wide;

  Elements(Bench &bench, int64_t n, const char *size)
      : bench(bench),
        n(n),
        size(size),
        a(bench.uniform("a", {n})),
        b(bench.uniform("b", {n})),
        c(bench.uniform("c", {n})),
        x(bench.normal("x", {n})),
        o(bench.ones("o", {n})),
        booleans(bench.ones("booleans", {n}, AT_BOOL)),
        bytes(bench.ones("bytes", {n}, AT_BYTE)),
        wide(bench.ones("wide", {n}, AT_DOUBLE))
  {
    a.torch.add_(1e-3), b.torch.add_(1e-3);
  }
  std::string id(const char *operation) const
  {
    return std::string("ew.") + operation + "." + size;
  }
  /* Of few it is the calls' cost. */
  Limit bound(double read, double written) const
  {
    const auto N = static_cast<double>(n);
    return n < 10000 ? Limit() : moving(read * N, written * N);
  }
};

static void arithmetic(Elements &e)
{
  const at::Tensor factor = at::native::wrapped_scalar_tensor(1.5); /* made once: 1 us */
  e.bench.row({.id = e.id("fill"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(0, 1),
               .ours = [&] { at_fill_(e.o, at_scalar_double(2)); },
               .torch = [&] { e.o.torch.fill_(2.f); },
               .numpy = "o.fill(2)"});
  e.bench.row({.id = e.id("copy"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_copy_(e.o, e.a); },
               .torch = [&] { e.o.torch.copy_(e.a); },
               .numpy = "np.copyto(o, a)"});
  e.bench.row({.id = e.id("add"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(2, 1),
               .ours = [&] { at_add_out(e.o, e.a, e.b); },
               .torch = [&] { at::add_out(e.o, e.a, e.b); },
               .numpy = "np.add(a, b, out=o)"});
  e.bench.row({.id = e.id("add_alloc"),
               .shape = e.size,
               .limit = e.bound(2, 1),
               .ours = [&] { return at_add(e.a, e.b); },
               .torch = [&] { return at::add(e.a, e.b); },
               .numpy = "a + b"});
  e.bench.row({.id = e.id("add_inplace"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(2, 1),
               .ours = [&] { at_add_(e.o, e.b, .alpha = 1e-9); },
               .torch = [&] { e.o.torch.add_(e.b, 1e-9); }});
  e.bench.row({.id = e.id("addcmul_like_triad"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(2, 1),
               .ours = [&] { at_add_out(e.o, e.a, e.b, .alpha = 1.5); },
               .torch = [&] { at::add_out(e.o, e.a, e.b, 1.5); }});
  e.bench.row({.id = e.id("mul_scalar"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_mul_scalar_out(e.o, e.a, at_scalar_double(1.5)); },
               .torch = [&] { at::mul_out(e.o, e.a, factor); },
               .numpy = "np.multiply(a, f32(1.5), out=o)"});
  e.bench.row({.id = e.id("addcmul"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(3, 1),
               .ours = [&] { at_addcmul_out(e.o, e.a, e.b, e.c, .value = 0.5); },
               .torch = [&] { at::addcmul_out(e.o, e.a, e.b, e.c, 0.5); }});
}

static void functions(Elements &e)
{
  e.bench.row({.id = e.id("exp"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_exp_out(e.o, e.x); },
               .torch = [&] { at::exp_out(e.o, e.x); },
               .numpy = "np.exp(x, out=o)",
               .peers = sleef({"exp", e.o, e.x})});
  e.bench.row({.id = e.id("exp_alloc"),
               .shape = e.size,
               .limit = e.bound(1, 1),
               .ours = [&] { return at_exp(e.x); },
               .torch = [&] { return at::exp(e.x); },
               .numpy = "np.exp(x)"});
  e.bench.row({.id = e.id("log"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_log_out(e.o, e.a); },
               .torch = [&] { at::log_out(e.o, e.a); },
               .numpy = "np.log(a, out=o)",
               .peers = sleef({"log", e.o, e.a})});
  e.bench.row({.id = e.id("tanh"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_tanh_out(e.o, e.x); },
               .torch = [&] { at::tanh_out(e.o, e.x); },
               .numpy = "np.tanh(x, out=o)",
               .peers = sleef({"tanh", e.o, e.x})});
  e.bench.row({.id = e.id("sigmoid"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_sigmoid_out(e.o, e.x); },
               .torch = [&] { at::sigmoid_out(e.o, e.x); }});
  e.bench.row({.id = e.id("sqrt"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_sqrt_out(e.o, e.a); },
               .torch = [&] { at::sqrt_out(e.o, e.a); },
               .numpy = "np.sqrt(a, out=o)"});
  e.bench.row({.id = e.id("pow2.5"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_pow_scalar_out(e.o, e.a, at_scalar_double(2.5)); },
               .torch = [&] { at::pow_out(e.o, e.a, 2.5); },
               .numpy = "np.power(a, f32(2.5), out=o)",
               .peers = sleef({"pow", e.o, e.a, 2.5f})});
}

static void bounds(Elements &e)
{
  e.bench.row({.id = e.id("erf"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_erf_out(e.o, e.x); },
               .torch = [&] { at::erf_out(e.o, e.x); },
               .peers = sleef({"erf", e.o, e.x}),
               .counted = false});
  e.bench.row({.id = e.id("sin"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_sin_out(e.o, e.x); },
               .torch = [&] { at::sin_out(e.o, e.x); },
               .numpy = "np.sin(x, out=o)",
               .peers = sleef({"sin", e.o, e.x}),
               .counted = false});
  e.bench.row({.id = e.id("clamp"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_clamp_out(e.o, e.x, .min = -0.5, .max = 0.5); },
               .torch = [&] { at::clamp_out(e.o, e.x, -0.5, 0.5); },
               .numpy = "np.clip(x, f32(-0.5), f32(0.5), out=o)"});
  e.bench.row({.id = e.id("relu"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(1, 1),
               .ours = [&] { at_clamp_min_out(e.o, e.x, at_scalar_long(0)); },
               .torch = [&] { at::clamp_min_out(e.o, e.x, 0); },
               .numpy = "np.maximum(x, f32(0), out=o)"});
}

static void types(Elements &e)
{
  e.bench.row({.id = e.id("lt_bool"),
               .shape = e.size,
               .results = {&e.booleans},
               .limit = e.bound(2, 0.25),
               .ours = [&] { at_lt_out(e.booleans, e.a, e.b); },
               .torch = [&] { at::lt_out(e.booleans, e.a, e.b); },
               .numpy = "np.less(a, b, out=booleans)"});
  e.bench.row({.id = e.id("lt_byte"),
               .shape = e.size,
               .results = {&e.bytes},
               .limit = e.bound(2, 0.25),
               .ours = [&] { at_lt_out(e.bytes, e.a, e.b); },
               .torch = [&] { at::lt_out(e.bytes, e.a, e.b); }});
  e.bench.row({.id = e.id("f32_to_f64"),
               .shape = e.size,
               .results = {&e.wide},
               .limit = e.bound(1, 2),
               .ours = [&] { at_copy_(e.wide, e.a); },
               .torch = [&] { e.wide.torch.copy_(e.a); },
               .numpy = "np.copyto(wide, a)"});
  e.bench.row({.id = e.id("u8_to_f32"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(0.25, 1),
               .ours = [&] { at_copy_(e.o, e.bytes); },
               .torch = [&] { e.o.torch.copy_(e.bytes); },
               .numpy = "np.copyto(o, bytes)"});
  e.bench.row({.id = e.id("uniform_philox"),
               .shape = e.size,
               .results = {&e.o},
               .limit = e.bound(0, 1),
               .ours = [&] { at_uniform_(e.o); },
               .torch = [&] { e.o.torch.uniform_(); },
               .prepare =
                   [] {
                     at_manualSeed(1);
                     at::manual_seed(1);
                   }});
}

static void elementwise_of(Bench &bench, int64_t n, const char *size)
{
  Elements e(bench, n, size);
  arithmetic(e);
  functions(e);
  bounds(e);
  types(e);
}

void elementwise(Bench &bench)
{
  elementwise_of(bench, 1000, "1e3");
  elementwise_of(bench, 100000, "1e5");
  elementwise_of(bench, 10000000, "1e7");
}

}  // namespace peers
