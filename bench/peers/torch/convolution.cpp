/* Convolutions: forward, and the gradients of the input and of the weights. */
#include "families.h"

namespace peers
{

static const struct Shape {
  const char *name;
  int64_t n, planes, side, outputs, window, step, pad, groups;
} shapes[] = {
    {"7x7s2", 32, 3, 224, 64, 7, 2, 3, 1},     {"3x3.64", 32, 64, 56, 64, 3, 1, 1, 1},
    {"3x3.256", 32, 256, 14, 256, 3, 1, 1, 1}, {"1x1", 32, 256, 56, 64, 1, 1, 0, 1},
    {"dw3x3", 32, 128, 28, 128, 3, 1, 1, 128},
};

/* Channels-last. */
static void of_rows(Bench &bench, const Shape &k, const std::string &id, const std::string &size,
                    const Limit &limit, const Array &x, const Array &w, const Array &b)
{
  const auto step = sizes(k.step, k.step), pad = sizes(k.pad, k.pad), one = sizes(1, 1);
  const auto none = sizes(0, 0);
  const View rows(at_contiguous(View(at_permute(x, sizes(0, 2, 3, 1)))));
  const View last(at_permute(rows, sizes(0, 3, 1, 2)));
  const at::Tensor xc = x.torch.contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor wc = w.torch.contiguous(at::MemoryFormat::ChannelsLast);
  bench.row({.id = id + ".fwd_nhwc",
             .shape = size,
             .limit = limit,
             .ours =
                 [&] { return at_convolution(last, w, b, step, pad, one, false, none, k.groups); },
             .torch = [&] { return at::conv2d(xc, wc, b.torch, k.step, k.pad, 1, k.groups); }});
}

static void of_shape(Bench &bench, const Shape &k)
{
  const std::string id = std::string("conv.") + k.name;
  Array x = bench.uniform("x", {k.n, k.planes, k.side, k.side});
  Array w = bench.uniform("w", {k.outputs, k.planes / k.groups, k.window, k.window});
  Array b = bench.uniform("b", {k.outputs});
  const at::Tensor y = at::conv2d(x, w, b.torch, k.step, k.pad, 1, k.groups);
  Array gy = bench.normal("gy", y.sizes());
  const std::string size = c10::str(k.n, "x", k.planes, "x", k.side, "x", k.side, ", ", k.outputs,
                                    " of ", k.window, "x", k.window, " by ", k.step);
  const Limit limit =
      computing(2.0 * static_cast<double>(y.numel() * k.planes / k.groups * k.window * k.window));
  const auto step = sizes(k.step, k.step), pad = sizes(k.pad, k.pad), one = sizes(1, 1);
  const auto none = sizes(0, 0);
  const auto bias = sizes(k.outputs);

  bench.row({.id = id + ".fwd",
             .shape = size,
             .limit = limit,
             .ours = [&] { return at_convolution(x, w, b, step, pad, one, false, none, k.groups); },
             .torch = [&] { return at::conv2d(x, w, b.torch, k.step, k.pad, 1, k.groups); }});
  const auto ours = [&](int64_t input, int64_t weight) {
    return at_convolution_backward(gy, x, w, bias, step, pad, one, false, none, k.groups,
                                   .output_mask = AT_INTS(input, weight, weight));
  };
  const auto torch = [&](bool input, bool weight) {
    const int64_t s[] = {k.step, k.step}, p[] = {k.pad, k.pad}, d[] = {1, 1}, z[] = {0, 0},
                  bs[] = {k.outputs};
    return at::convolution_backward(gy, x, w, at::IntArrayRef(bs), s, p, d, false, z, k.groups,
                                    {input, weight, weight});
  };
  bench.row({.id = id + ".bwd_in",
             .shape = size,
             .limit = limit,
             .ours = [&] { return ours(1, 0).grad_input; },
             .torch = [&] { return std::get<0>(torch(true, false)); }});
  bench.row({.id = id + ".bwd_w",
             .shape = size,
             .limit = limit,
             .ours =
                 [&] {
                   const at_grad_input_grad_weight_grad_bias r = ours(0, 1);
                   at_release(r.grad_bias);
                   return r.grad_weight;
                 },
             .torch = [&] { return std::get<1>(torch(false, true)); },
             .tolerance = 1e-4});
  if (k.groups == 1)
    of_rows(bench, k, id, size, limit, x, w, b);
}

void convolution(Bench &bench)
{
  for (const Shape &shape : shapes)
    if (bench.wants(std::string("conv.") + shape.name))
      of_shape(bench, shape);
}

}  // namespace peers
