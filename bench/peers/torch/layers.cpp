/* Layers but for convolutions: pooling, normalization, softmax, cells, embedding, linear. */
#include "THNN/THNN.h"
#include "families.h"

namespace peers
{

static const std::string IMAGES = "32x64x56x56";
static const double ALL = 32 * 64 * 56 * 56;

static void pooling(Bench &bench)
{
  Array x = bench.normal("x", {32, 64, 56, 56}), o = bench.zeros("o", {32, 64, 28, 28});
  Array where = bench.zeros("where", {32, 64, 28, 28}, AT_LONG);
  Array go = bench.normal("go", {32, 64, 28, 28}), gi = bench.zeros("gi", {32, 64, 56, 56});

  bench.row({.id = "nn.maxpool.fwd",
             .shape = IMAGES,
             .results = {&o, &where},
             .limit = moving(ALL, 0.75 * ALL),
             .ours =
                 [&] {
                   at_max_pool2d_out(o, where, x, sizes(3, 3), .stride = AT_INTS(2),
                                     .padding = AT_INTS(1));
                 },
             .torch =
                 [&] {
                   at::max_pool2d_with_indices_out(o, where, x, {3, 3}, {2, 2}, {1, 1}, {1, 1},
                                                   false);
                 }});
  at::max_pool2d_with_indices_out(o, where, x, {3, 3}, {2, 2}, {1, 1}, {1, 1}, false);
  bench.row({.id = "nn.maxpool.bwd",
             .shape = IMAGES,
             .results = {&gi},
             .limit = moving(0.75 * ALL, ALL),
             .ours =
                 [&] {
                   at_max_pool2d_backward_out(gi, go, x, sizes(3, 3), sizes(2, 2), sizes(1, 1),
                                              sizes(1, 1), false, where);
                 },
             .torch =
                 [&] {
                   at::max_pool2d_with_indices_backward_out(gi, go, x, {3, 3}, {2, 2}, {1, 1},
                                                            {1, 1}, false, where);
                 }});
  bench.row({.id = "nn.avgpool.fwd",
             .shape = IMAGES,
             .results = {&o},
             .limit = moving(ALL, ALL / 4),
             .ours =
                 [&] {
                   at_avg_pool2d_out(o, x, sizes(3, 3), .stride = AT_INTS(2),
                                     .padding = AT_INTS(1));
                 },
             .torch = [&] { at::avg_pool2d_out(o, x, {3, 3}, {2, 2}, {1, 1}, false, true); }});
  bench.row({.id = "nn.avgpool.bwd",
             .shape = IMAGES,
             .results = {&gi},
             .limit = moving(ALL / 4, ALL),
             .ours =
                 [&] {
                   at_avg_pool2d_backward_out(gi, go, x, sizes(3, 3), sizes(2, 2), sizes(1, 1),
                                              false, true);
                 },
             .torch =
                 [&] {
                   at::avg_pool2d_backward_out(gi, go, x, {3, 3}, {2, 2}, {1, 1}, false, true, {});
                 }});
}

static void normalization(Bench &bench)
{
  Array x = bench.normal("x", {32, 64, 56, 56}), go = bench.normal("go", {32, 64, 56, 56});
  Array w = bench.uniform("w", {64}), b = bench.uniform("b", {64});
  Array mean = bench.zeros("mean", {64}), variance = bench.ones("variance", {64});
  const auto forward =
      at::native_batch_norm(x, w.torch, b.torch, mean.torch, variance.torch, true, 0.1, 1e-5);
  Array m = bench.holding("m", std::get<1>(forward)), s = bench.holding("s", std::get<2>(forward));

  bench.row({.id = "nn.batchnorm.fwd",
             .shape = IMAGES,
             .limit = moving(2 * ALL, ALL),
             .ours = [&] { return at_native_batch_norm(x, w, b, mean, variance, true, 0.1, 1e-5); },
             .torch =
                 [&] {
                   return at::native_batch_norm(x, w.torch, b.torch, mean.torch, variance.torch,
                                                true, 0.1, 1e-5);
                 }});
  bench.row({.id = "nn.batchnorm.bwd",
             .shape = IMAGES,
             .limit = moving(4 * ALL, ALL),
             .ours =
                 [&] {
                   return at_thnn_batch_norm_backward(go, x, w, mean, variance, true, 1e-5, m, s,
                                                      .output_mask = AT_INTS(1, 1, 1));
                 },
             .torch =
                 [&] {
                   return at::native_batch_norm_backward(go, x, w.torch, mean.torch, variance.torch,
                                                         m.torch, s.torch, true, 1e-5,
                                                         {true, true, true});
                 },
             .tolerance = 1e-4});
  bench.row({.id = "nn.batchnorm.eval",
             .shape = IMAGES,
             .limit = moving(ALL, ALL),
             .ours =
                 [&] { return at_batch_norm(x, w, b, mean, variance, false, 0.1, 1e-5, false); },
             .torch =
                 [&] {
                   return at::batch_norm(x, w.torch, b.torch, mean.torch, variance.torch, false,
                                         0.1, 1e-5, false);
                 }});
}

static void softmax(Bench &bench)
{
  const std::string size = "1024x1000";
  const double all = 1024 * 1000;
  Array l = bench.normal("l", {1024, 1000}), r = bench.zeros("r", {1024, 1000}),
        g = bench.normal("g", {1024, 1000});
  bench.row({.id = "sm.softmax",
             .shape = size,
             .results = {&r},
             .limit = moving(all, all),
             .ours = [&] { at_softmax_out(r, l, 1); },
             .torch = [&] { at::_softmax_out(r, l, 1, false); }});
  bench.row({.id = "sm.log_softmax",
             .shape = size,
             .results = {&r},
             .limit = moving(all, all),
             .ours = [&] { at_log_softmax_out(r, l, 1); },
             .torch = [&] { at::_log_softmax_out(r, l, 1, false); }});
  Array q = bench.holding("q", at::log_softmax(l, 1));
  bench.row({.id = "sm.log_softmax_bwd",
             .shape = size,
             .results = {&r},
             .limit = moving(2 * all, all),
             .ours = [&] { at_log_softmax_backward_out(r, g, l, 1, q); },
             .torch = [&] { at::_log_softmax_backward_data_out(r, g, q, 1, at::kFloat); }});
}

static const double units =
    64 * 512; /* hidden units; what the functions write for later counts too */

/* THNN's function after the products, which ATen of that age has not. */
static void lstm_pointwise(Bench &bench)
{
  Array gates = bench.normal("gates", {64, 2048}), hidden = bench.normal("hidden", {64, 2048});
  Array cx = bench.normal("cx", {64, 512}), cy = bench.zeros("cy", {64, 512}),
        hy = bench.zeros("hy", {64, 512});
  Array work = bench.zeros("work", {64, 2048});
  bench.row({.id = "nn.lstm_pointwise",
             .shape = "64x512",
             .results = {&hy},
             .limit = moving(9 * units, 6 * units),
             .ours =
                 [&] {
                   at_copy_(work, gates); /* the function changes its operand */
                   THNN_FloatLSTMFused_updateOutput(nullptr, work.th(), hidden.th(), nullptr,
                                                    nullptr, cx.th(), hy.th(), cy.th());
                 },
             .torch =
                 [&] {
                   const at::Tensor sum = gates.torch + hidden.torch;
                   const auto part = sum.chunk(4, 1);
                   const at::Tensor i = part[0].sigmoid_(), f = part[1].sigmoid_(),
                                    c = part[2].tanh_(), o = part[3].sigmoid_();
                   const at::Tensor cell = f * cx.torch + i * c;
                   at::mul_out(hy, o, cell.tanh());
                 }});

  Array go = bench.normal("go", {64, 512}), gc = bench.normal("gc", {64, 512});
  Array kept = bench.holding("kept", at::sigmoid(gates.torch)), dc = bench.zeros("dc", {64, 512});
  bench.row({.id = "nn.lstm_pointwise.bwd",
             .shape = "64x512",
             .results = {&work, &dc},
             .limit = moving(8 * units, 5 * units),
             .ours =
                 [&] {
                   THNN_FloatLSTMFused_updateGradInput(nullptr, kept.th(), work.th(), cx.th(),
                                                       cy.th(), go.th(), gc.th(), dc.th());
                 },
             .torch =
                 [&] {
                   const auto part = kept.torch.chunk(4, 1);
                   const at::Tensor i = part[0], f = part[1], c = part[2], o = part[3];
                   const at::Tensor t = cy.torch.tanh();
                   const at::Tensor d = at::tanh_backward(go.torch * o, t).add_(gc.torch);
                   const auto to = work.torch.chunk(4, 1);
                   at::sigmoid_backward_out(const_cast<at::Tensor &>(to[0]), d * c, i);
                   at::sigmoid_backward_out(const_cast<at::Tensor &>(to[1]), d * cx.torch, f);
                   at::tanh_backward_out(const_cast<at::Tensor &>(to[2]), d * i, c);
                   at::sigmoid_backward_out(const_cast<at::Tensor &>(to[3]), go.torch * t, o);
                   at::mul_out(dc, d, f);
                 },
             .counted = false});
}

static void gru_pointwise(Bench &bench)
{
  Array cx = bench.normal("cx", {64, 512}), hy = bench.zeros("hy", {64, 512});
  Array three = bench.normal("three", {64, 1536}), others = bench.normal("others", {64, 1536});
  Array workspace = bench.zeros("workspace", {64, 2560});
  bench.row({.id = "nn.gru_pointwise",
             .shape = "64x512",
             .results = {&hy},
             .limit = moving(7 * units, 6 * units),
             .ours =
                 [&] {
                   THNN_FloatGRUFused_updateOutput(nullptr, three.th(), others.th(), nullptr,
                                                   nullptr, cx.th(), hy.th(), workspace.th());
                 },
             .torch =
                 [&] {
                   const auto x = three.torch.chunk(3, 1), h = others.torch.chunk(3, 1);
                   const at::Tensor r = (x[0] + h[0]).sigmoid_(), z = (x[1] + h[1]).sigmoid_();
                   const at::Tensor t = at::addcmul(x[2], r, h[2]).tanh_();
                   at::lerp_out(hy, t, cx.torch, z);
                 },
             .counted = false});
}

static void lstm_cell(Bench &bench)
{
  Array cx = bench.normal("cx", {64, 512}), cy = bench.zeros("cy", {64, 512});
  Array work = bench.zeros("work", {64, 2048}), other = bench.zeros("other", {64, 2048});
  Array x = bench.normal("x", {64, 512}), hx = bench.normal("hx", {64, 512});
  Array wi = bench.holding("wi", at::randn({2048, 512}) / 22),
        wh = bench.holding("wh", at::randn({2048, 512}) / 22);
  Array bi = bench.normal("bi", {2048}), bh = bench.normal("bh", {2048});
  bench.row({.id = "nn.lstm_cell",
             .shape = "64x512 -> 512",
             .ours =
                 [&] {
                   at_mm_out(work, x, View(at_t(wi)));
                   at_mm_out(other, hx, View(at_t(wh)));
                   at_tensor *h = at_empty(sizes(64, 512));
                   THNN_FloatLSTMFused_updateOutput(nullptr, work.th(), other.th(), bi.th(),
                                                    bh.th(), cx.th(),
                                                    static_cast<THFloatTensor *>(at_unsafeGetTH(h)),
                                                    cy.th());
                   return h;
                 },
             .torch =
                 [&] {
                   return std::get<0>(at::lstm_cell(x, {hx.torch, cx.torch}, wi, wh, bi.torch,
                                                    bh.torch));
                 },
             .tolerance = 1e-4});
}

static void layer_norm(Bench &bench)
{
  const std::string size = "1024x1000";
  const double all = 1024 * 1000;
  Array x = bench.normal("x", {1024, 1000}), go = bench.normal("go", {1024, 1000});
  Array w = bench.uniform("w", {1000}), b = bench.uniform("b", {1000});
  const auto forward = at::native_layer_norm(x, {1000}, w.torch, b.torch, 1e-5);
  Array mean = bench.holding("mean", std::get<1>(forward)),
        std = bench.holding("std", std::get<2>(forward));
  bench.row({.id = "nn.layernorm.fwd",
             .shape = size,
             .limit = moving(all, all),
             .ours = [&] { return at_native_layer_norm(x, sizes(1000), w, b, 1e-5); },
             .torch = [&] { return at::native_layer_norm(x, {1000}, w.torch, b.torch, 1e-5); },
             .counted = false});
  bench.row({.id = "nn.layernorm.bwd",
             .shape = size,
             .limit = moving(2 * all, all),
             .ours =
                 [&] {
                   return at_native_layer_norm_backward(go, x, sizes(1000), mean, std, w, b,
                                                        .output_mask = AT_INTS(1, 1, 1));
                 },
             .torch =
                 [&] {
                   return at::native_layer_norm_backward(go, x, {1000}, mean, std, w.torch, b.torch,
                                                         {true, true, true});
                 },
             .tolerance = 1e-4,
             .counted = false});
}

/* Images twice as high and wide. */
static void upsampling(Bench &bench)
{
  const std::string size = "32x64x28x28 by 2";
  const double all = 32 * 64 * 28 * 28;
  Array x = bench.normal("x", {32, 64, 28, 28}), gi = bench.zeros("gi", {32, 64, 28, 28});
  Array o = bench.zeros("o", {32, 64, 56, 56}), go = bench.normal("go", {32, 64, 56, 56});
  bench.row({.id = "nn.upsample.nearest.fwd",
             .shape = size,
             .results = {&o},
             .limit = moving(all, 4 * all),
             .ours = [&] { at_upsample_nearest2d_out(o, x, 2); },
             .torch = [&] { at::upsample_nearest2d_out(o, x, {56, 56}); },
             .counted = false});
  bench.row({.id = "nn.upsample.nearest.bwd",
             .shape = size,
             .results = {&gi},
             .limit = moving(4 * all, all),
             .ours = [&] { at_upsample_nearest2d_backward_out(gi, go, x, 2); },
             .torch =
                 [&] { at::upsample_nearest2d_backward_out(gi, go, {56, 56}, {32, 64, 28, 28}); },
             .counted = false});
  bench.row({.id = "nn.upsample.bilinear.fwd",
             .shape = size,
             .results = {&o},
             .limit = moving(all, 4 * all),
             .ours = [&] { at_upsample_bilinear2d_out(o, x, sizes(56, 56)); },
             .torch = [&] { at::upsample_bilinear2d_out(o, x, {56, 56}, true); },
             .counted = false});
  bench.row({.id = "nn.upsample.bilinear.bwd",
             .shape = size,
             .results = {&gi},
             .limit = moving(4 * all, all),
             .ours =
                 [&] {
                   at_upsample_bilinear2d_backward_out(gi, go, sizes(56, 56),
                                                       sizes(32, 64, 28, 28));
                 },
             .torch =
                 [&] {
                   at::upsample_bilinear2d_backward_out(gi, go, {56, 56}, {32, 64, 28, 28}, true);
                 },
             .counted = false});
}

static void grid_sampling(Bench &bench)
{
  const double images = 8 * 32 * 64 * 64, points = 8 * 64 * 64 * 2;
  Array image = bench.normal("image", {8, 32, 64, 64}), gy = bench.normal("gy", {8, 32, 64, 64});
  Array grid = bench.holding("grid", at::rand({8, 64, 64, 2}) * 2.2 - 1.1);
  bench.row({.id = "nn.gridsample.fwd",
             .shape = "8x32x64x64",
             .limit = moving(images + points, images),
             .ours = [&] { return at_grid_sampler_2d(image, grid); },
             .torch = [&] { return at::grid_sampler_2d(image, grid, 0, 0, true); },
             .counted = false});
  bench.row({.id = "nn.gridsample.bwd",
             .shape = "8x32x64x64",
             .limit = moving(2 * images + points, images + points),
             .ours =
                 [&] {
                   return at_grid_sampler_2d_backward(gy, image, grid,
                                                      .output_mask = AT_INTS(1, 1));
                 },
             .torch =
                 [&] {
                   return at::grid_sampler_2d_backward(gy, image, grid, 0, 0, true, {true, true});
                 },
             .tolerance = 1e-4,
             .counted = false});
}

static void lookup(Bench &bench)
{
  Array w = bench.normal("w", {50000, 256}), ix = bench.integers("ix", 50000, {8192}),
        go = bench.normal("go", {8192, 256});
  const double picked = 8192 * 256, all = 50000 * 256;
  bench.row({.id = "nn.embedding.fwd",
             .shape = "8192 of 50000x256",
             .limit = moving(picked, picked),
             .ours = [&] { return at_embedding(w, ix); },
             .torch = [&] { return at::embedding(w, ix); }});
  bench.row({.id = "nn.embedding.bwd",
             .shape = "8192 of 50000x256",
             .limit = moving(picked, all),
             .ours = [&] { return at_embedding_dense_backward(go, ix, 50000, -1, false); },
             .torch = [&] { return at::embedding_dense_backward(go, ix, 50000, -1, false); }});
}

static void linear(Bench &bench)
{
  Array x = bench.normal("x", {128, 1024}), w = bench.normal("w", {1024, 1024}),
        b = bench.normal("b", {1024});
  bench.row({.id = "nn.linear.fwd",
             .shape = "128x1024->1024",
             .limit = computing(2.0 * 128 * 1024 * 1024),
             .ours = [&] { return at_addmm(b, x, View(at_t(w))); },
             .torch = [&] { return at::linear(x, w, b.torch); },
             .counted = !at::hasMKL()});
}

void layers(Bench &bench)
{
  if (bench.wants("nn.maxpool") || bench.wants("nn.avgpool"))
    pooling(bench);
  if (bench.wants("nn.batchnorm"))
    normalization(bench);
  softmax(bench);
  lstm_pointwise(bench);
  gru_pointwise(bench);
  lstm_cell(bench);
  layer_norm(bench);
  if (bench.wants("nn.upsample") || bench.wants("nn.gridsample"))
    upsampling(bench);
  grid_sampling(bench);
  lookup(bench);
  linear(bench);
}

}  // namespace peers
