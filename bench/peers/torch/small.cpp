/* What a call costs: operations on a few elements, views made and freed. */
#include <ATen/ScalarOps.h>

#include "families.h"
extern "C" {
#include "../../limits.h"
}

namespace peers
{

/* In inference mode, which is PyTorch at its best, and without it, which does not count. */
static void row(Bench &bench, bool inference, const char *name, const char *shape,
                const std::vector<const Array *> &results, Side ours, Side torch,
                const char *numpy = "")
{
  bench.row({.id = std::string(inference ? "small.inference." : "small.") + name,
             .shape = shape,
             .results = results,
             .sketch = limit_malloc,
             .ours = ours,
             .torch = torch,
             .numpy = numpy,
             .counted = inference});
}

static void calls(Bench &bench, bool inference)
{
  c10::InferenceMode guard(inference);
  Array a1 = bench.ones("a1", {1}), b1 = bench.ones("b1", {1}), o1 = bench.ones("o1", {1});
  Array a = bench.uniform("a", {64}), b = bench.uniform("b", {64}), o = bench.ones("o", {64});
  Array m = bench.uniform("m", {8, 8}), r = bench.ones("r", {8, 8});
  const at::Tensor factor = at::native::wrapped_scalar_tensor(1.5); /* made once: 1 us */
  row(
      bench, inference, "add.1", "1", {}, [&] { return at_add(a1, b1); },
      [&] { return at::add(a1, b1); }, "np.add(a1, b1)");
  row(
      bench, inference, "add.64", "64", {}, [&] { return at_add(a, b); },
      [&] { return at::add(a, b); }, "np.add(a, b)");
  row(
      bench, inference, "add_out.1", "1", {&o1}, [&] { at_add_out(o1, a1, b1); },
      [&] { at::add_out(o1, a1, b1); }, "np.add(a1, b1, out=o1)");
  row(
      bench, inference, "add_out.64", "64", {&o}, [&] { at_add_out(o, a, b); },
      [&] { at::add_out(o, a, b); }, "np.add(a, b, out=o)");
  row(
      bench, inference, "add_inplace.64", "64", {&o}, [&] { at_add_(o, b); },
      [&] { o.torch.add_(b); });
  row(
      bench, inference, "mul_scalar_out.64", "64", {&o},
      [&] { at_mul_scalar_out(o, a, at_scalar_double(1.5)); }, [&] { at::mul_out(o, a, factor); });
  row(
      bench, inference, "fill.64", "64", {&o}, [&] { at_fill_(o, at_scalar_double(1)); },
      [&] { o.torch.fill_(1.f); });
  row(bench, inference, "copy.64", "64", {&o}, [&] { at_copy_(o, b); }, [&] { o.torch.copy_(b); });
  row(
      bench, inference, "exp_out.64", "64", {&o}, [&] { at_exp_out(o, a); },
      [&] { at::exp_out(o, a); });
  row(
      bench, inference, "sum.64", "64", {}, [&] { return at_sum(a); },
      [&] { return a.torch.sum(); }, "a.sum()");
  row(
      bench, inference, "mm.8", "8x8x8", {}, [&] { return at_mm(m, m); },
      [&] { return at::mm(m, m); });
  row(
      bench, inference, "mm_out.8", "8x8x8", {&r}, [&] { at_mm_out(r, m, m); },
      [&] { at::mm_out(r, m, m); });
}

/* Views, and what else reads no elements or one. */
static void views(Bench &bench, bool inference)
{
  c10::InferenceMode guard(inference);
  Array a = bench.uniform("a", {64}), m = bench.uniform("m", {8, 8});
  Array o1 = bench.ones("o1", {1}), s = bench.ones("s", {});
  row(
      bench, inference, "narrow", "8x8", {}, [&] { return at_narrow(m, 0, 2, 4); },
      [&] { return m.torch.narrow(0, 2, 4); }, "m[2:6]");
  row(
      bench, inference, "select", "8x8", {}, [&] { return at_select(m, 0, 2); },
      [&] { return m.torch.select(0, 2); }, "m[2]");
  row(
      bench, inference, "transpose", "8x8", {}, [&] { return at_transpose(m, 0, 1); },
      [&] { return m.torch.transpose(0, 1); }, "m.T");
  row(
      bench, inference, "view", "8x8->64", {}, [&] { return at_view(m, sizes(64)); },
      [&] { return m.torch.view({64}); });
  row(
      bench, inference, "empty16", "16", {&o1}, [&] { at_release(at_empty(sizes(16))); },
      [&] { at::empty({16}); }, "np.empty(16, f32)");
  row(
      bench, inference, "item", "1", {}, [&] { return at_item_double(s); },
      [&] { return static_cast<double>(s.torch.item<float>()); }, "s.item()");
  row(
      bench, inference, "data_ptr", "1", {&o1},
      [&] {
        void *volatile p = at_data(a);
        (void)p;
      },
      [&] {
        void *volatile p = a.torch.data_ptr<float>();
        (void)p;
      });
}

/* Small calls in TH, which has no layer above it. */
static void th_calls(Bench &bench)
{
  Array a1 = bench.ones("a1", {1}), b1 = bench.ones("b1", {1}), o1 = bench.ones("o1", {1});
  Array a = bench.uniform("a", {64}), b = bench.uniform("b", {64}), o = bench.ones("o", {64});
  Array m = bench.uniform("m", {8, 8});
  const auto row = [&](const char *name, const char *shape, std::vector<const Array *> results,
                       Side ours, Side torch) {
    bench.row({.id = std::string("small.TH.") + name,
               .shape = shape,
               .results = results,
               .sketch = limit_malloc,
               .ours = ours,
               .torch = torch,
               .counted = false});
  };
  row(
      "add_out.1", "1", {&o1}, [&] { THFloatTensor_cadd(o1.th(), a1.th(), 1, b1.th()); },
      [&] { at::add_out(o1, a1, b1); });
  row(
      "add_out.64", "64", {&o}, [&] { THFloatTensor_cadd(o.th(), a.th(), 1, b.th()); },
      [&] { at::add_out(o, a, b); });
  row(
      "select", "8x8", {&o1}, [&] { THFloatTensor_free(THFloatTensor_newSelect(m.th(), 0, 2)); },
      [&] { m.torch.select(0, 2); });
}

/* There is no automatic differentiation here: the derivatives are written out. */
static void gradients(Bench &bench)
{
  c10::InferenceMode guard(false);
  at::Tensor x = at::ones({64}).requires_grad_(), y = at::ones({64});
  Array a = bench.ones("a", {64}), b = bench.ones("b", {64}), gradient = bench.zeros("g", {64});
  bench.row({.id = "small.autograd.add.64",
             .shape = "64",
             .ours = [&] { return at_add(a, b); },
             .torch = [&] { return x + y; },
             .counted = false});
  x.mutable_grad() = gradient.torch;
  bench.row({.id = "small.autograd.add_sum_backward.64",
             .shape = "64",
             .results = {&gradient},
             .ours =
                 [&] {
                   at_tensor *sum = at_add(a, b);
                   at_release(at_sum(sum));
                   at_release(sum);
                   at_add_scalar_(gradient, at_scalar_long(1));
                 },
             .torch = [&] { (x + y).sum().backward(); },
             .counted = false});
}

void small(Bench &bench)
{
  if (bench.threads() > 1)
    return;
  for (bool inference : {true, false}) {
    calls(bench, inference);
    views(bench, inference);
  }
  th_calls(bench);
  gradients(bench);
}

}  // namespace peers
