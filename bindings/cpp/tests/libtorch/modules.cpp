// Recurrent layers, attention, nn::functional; functions of one's own, hooks, threads, clones, lists of
// modules, autocast.
#include <thread>

#ifdef LIBTORCH
#include <ATen/autocast_mode.h>
#endif

#include "tutorial.hpp"

namespace F = torch::nn::functional;
struct Lm : torch::nn::Module {
  torch::nn::Embedding embed{nullptr};
  torch::nn::LSTM lstm{nullptr};
  torch::nn::Linear head{nullptr};
  Lm(int64_t vocab, int64_t e, int64_t h)
      : embed(register_module("embed",
                              torch::nn::Embedding(torch::nn::EmbeddingOptions(vocab, e)))),
        lstm(register_module("lstm", torch::nn::LSTM(torch::nn::LSTMOptions(e, h)
                                                         .num_layers(2)
                                                         .batch_first(true)))),
        head(register_module("head", torch::nn::Linear(h, vocab)))
  {
  }
  std::tuple<torch::Tensor, std::tuple<torch::Tensor, torch::Tensor>>
  forward(torch::Tensor x, torch::optional<std::tuple<torch::Tensor, torch::Tensor>> hx = {})
  {
    auto x1 = embed->forward(x);
    auto [o, s] = lstm->forward(x1, hx);
    return std::make_tuple(head->forward(o), s);
  }
};
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
class LinearFunction : public torch::autograd::Function<LinearFunction>
{
 public:
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor input, torch::Tensor weight,
                               torch::Tensor bias = torch::Tensor())
  {
    ctx->save_for_backward({input, weight, bias});
    auto output = input.mm(weight.t());
    if (bias.defined())
      output += bias.unsqueeze(0).expand_as(output);
    return output;
  }
  static tensor_list backward(AutogradContext *ctx, tensor_list grad_outputs)
  {
    auto saved = ctx->get_saved_variables();
    auto input = saved[0];
    auto weight = saved[1];
    auto bias = saved[2];
    auto grad_output = grad_outputs[0];
    auto grad_input = grad_output.mm(weight);
    auto grad_weight = grad_output.t().mm(input);
    auto grad_bias = torch::Tensor();
    if (bias.defined())
      grad_bias = grad_output.sum(0);
    return {grad_input, grad_weight, grad_bias};
  }
};
class MulConstant : public torch::autograd::Function<MulConstant>
{
 public:
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor tensor, double constant)
  {
    ctx->saved_data["constant"] = constant;
    return tensor * constant;
  }
  static tensor_list backward(AutogradContext *ctx, tensor_list grad_outputs)
  {
    return {grad_outputs[0] * ctx->saved_data["constant"].toDouble(), torch::Tensor()};
  }
};
struct Two : torch::autograd::Function<Two> {
  static tensor_list forward(AutogradContext *ctx, torch::Tensor x)
  {
    auto e = x.exp();
    ctx->save_for_backward({x, e});
    return {e, x * x};
  }
  static tensor_list backward(AutogradContext *ctx, tensor_list g)
  {
    auto s = ctx->get_saved_variables();
    return {g[0] * s[1] + g[1] * 2 * s[0]};
  }
};
// A Float and a Double that have gradients, an order, and numbers that have none.
struct Kinds : torch::autograd::Function<Kinds> {
  static tensor_list forward(AutogradContext *ctx, torch::Tensor x)
  {
    ctx->set_materialize_grads(false);
    auto counts = x.floor();
    ctx->mark_non_differentiable({counts});
    return {x * 2, x.to(torch::kDouble) * 3, x.argsort(), counts};
  }
  static tensor_list backward(AutogradContext *, tensor_list g)
  {
    auto sum = g[1].defined() ? g[1].to(torch::kFloat) * 3 : torch::zeros({2});
    return {g[0].defined() ? sum + g[0] * 2 : sum + 100};
  }
};
struct Signs : torch::autograd::Function<Signs> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x)
  {
    auto signs = x.sign();
    ctx->mark_non_differentiable({signs});
    return signs;
  }
  static tensor_list backward(AutogradContext *, tensor_list)
  {
    return {};
  }
};
struct Doubled : torch::autograd::Function<Doubled> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x)
  {
    ctx->mark_dirty({x});
    return x.mul_(2);
  }
  static tensor_list backward(AutogradContext *, tensor_list g)
  {
    return {g[0] * 2};
  }
};
struct MyImpl : torch::nn::Cloneable<MyImpl> {
  MyImpl(int64_t n) : n_(n)
  {
    reset();
  }
  void reset() override
  {
    fc = register_module("fc", torch::nn::Linear(n_, 1));
    s = register_parameter("s", torch::ones({1}));
  }
  torch::Tensor forward(const torch::Tensor &x)
  {
    return fc(x) * s;
  }
  int64_t n_;
  torch::nn::Linear fc{nullptr};
  torch::Tensor s;
};
TORCH_MODULE(My);
static void layers()
{
  torch::manual_seed(3);
  Lm lm(11, 6, 8);
  torch::optim::Adam opt(lm.parameters(), torch::optim::AdamOptions(0.01));
  auto x = torch::arange(20).remainder(11).view({4, 5});
  for (int i = 0; i < 3; i++) {
    opt.zero_grad();
    auto [logits, state] = lm.forward(x);
    auto loss = F::cross_entropy(logits.reshape({-1, 11}), x.roll(-1, 1).reshape({-1}));
    loss.backward();
    opt.step();
    show("loss", loss);
    if (i == 2) {
      auto again = lm.forward(x, state);
      show("again", std::get<0>(again)[0][0]);
    }
  }
  torch::nn::GRU gru(torch::nn::GRUOptions(3, 4).bidirectional(true));
  auto [go, gh] = gru(torch::ones({5, 2, 3}), torch::zeros({2, 2, 4}));
  show("gru", go[0]);
  show("gruh", gh);
  torch::nn::RNN rnn(torch::nn::RNNOptions(3, 4).nonlinearity(torch::kReLU));
  auto r = rnn->forward(torch::ones({5, 2, 3}));
  show("rnn", std::get<0>(r)[4]);
  torch::nn::LSTMCell cell(torch::nn::LSTMCellOptions(3, 4));
  auto [h, c] = cell(torch::ones({2, 3}));
  std::tie(h, c) = cell(torch::ones({2, 3}), std::make_tuple(h, c));
  show("cell", h);
  torch::nn::GRUCell gcell(3, 4);
  show("gcell", gcell(torch::ones({2, 3}), torch::ones({2, 4})));
  torch::nn::MultiheadAttention mha(torch::nn::MultiheadAttentionOptions(8, 2));
  auto q = torch::sin(torch::arange(48.)).view({3, 2, 8}).to(torch::kFloat);
  auto [ao, aw] = mha->forward(q, q, q);
  show("mha", ao[0]);
  show("mhaw", aw);
  auto mask = torch::ones({3, 3}).triu(1).to(torch::kBool);
  // Of floating numbers: libtorch adds masks of booleans, too.
  auto scores = torch::zeros({3, 3}).masked_fill(mask, -INFINITY);
  auto masked = mha->forward(q, q, q, /*key_padding_mask=*/{}, /*need_weights=*/false,
                             /*attn_mask=*/scores);
  show("mham", std::get<0>(masked)[0]);
  torch::nn::TransformerEncoderLayer layer(torch::nn::TransformerEncoderLayerOptions(8, 2)
                                               .dim_feedforward(16)
                                               .dropout(0.0)
                                               .activation(torch::kGELU));
  show("tel", layer(q)[0]);
  torch::nn::TransformerEncoder encoder(torch::nn::TransformerEncoderOptions(layer, 2));
  show("te", encoder(q, scores)[0]);
  torch::nn::Transformer
      tr(torch::nn::TransformerOptions(8, 2, 1, 1).dim_feedforward(16).dropout(0.0));
  tr->eval();
  show("tr", tr(q, q).size(2));
  torch::nn::LayerNorm ln(torch::nn::LayerNormOptions({8}));
  show("ln", ln(q)[0][0]);
  torch::manual_seed(4);  // libtorch draws for the copies of layers, too
  torch::nn::EmbeddingBag bag(torch::nn::EmbeddingBagOptions(10, 3).mode(torch::kSum));
  show("bag", bag(torch::tensor({1, 2, 4, 5}), torch::tensor({0, 2})));
  // functional
  auto t = torch::linspace(-2, 2, 8).view({2, 4});
  show("F", F::softmax(t, F::SoftmaxFuncOptions(1)));
  show("F", F::log_softmax(t, 1));
  show("F", F::gelu(t));
  show("F", F::leaky_relu(t, F::LeakyReLUFuncOptions().negative_slope(0.3)));
  show("F", F::elu(t, F::ELUFuncOptions().alpha(0.5)));
  show("F", F::normalize(t, F::NormalizeFuncOptions().p(1).dim(1)));
  show("F", F::one_hot(torch::tensor({0, 2}), 3));
  auto img = torch::arange(16.).view({1, 1, 4, 4}).to(torch::kFloat);
  show("F", F::max_pool2d(img, F::MaxPool2dFuncOptions(2).stride(2)));
  show("F", F::avg_pool2d(img, F::AvgPool2dFuncOptions(3).stride(1)));
  show("F", F::adaptive_avg_pool2d(img, F::AdaptiveAvgPool2dFuncOptions({2, 2})));
  show("F", F::interpolate(img, F::InterpolateFuncOptions()
                                    .size(std::vector<int64_t>{2, 2})
                                    .mode(torch::kBilinear)
                                    .align_corners(false)));
  show("F", F::interpolate(img, F::InterpolateFuncOptions()
                                    .scale_factor(std::vector<double>{0.5, 0.5})
                                    .mode(torch::kNearest)));
  show("F", F::pad(img[0], F::PadFuncOptions({1, 1, 0, 0}).mode(torch::kReflect)));
  show("F", F::pad(img, F::PadFuncOptions({1, 0}).value(5))[0][0][0]);
  auto grid = torch::linspace(-1.5, 1.5, 12).view({1, 2, 3, 2});
  show("F", F::grid_sample(img, grid));
  show("F", F::grid_sample(img, grid,
                           F::GridSampleFuncOptions()
                               .mode(torch::kBicubic)
                               .padding_mode(torch::kReflection)
                               .align_corners(true)));
  // members by number, and the gradient as a variable
  torch::nn::Sequential pair(torch::nn::Linear(2, 2), torch::nn::Tanh());
  auto &bias = pair[0]->as<torch::nn::Linear>()->bias;
  pair->forward(torch::ones({1, 2})).sum().backward();
  bias.mutable_grad().mul_(2);
  show("doubled", bias.grad());
  bias.mutable_grad() = torch::ones({2});
  show("assigned", bias.grad());
  AT_ASSERT(c10::toString(bias.scalar_type()) == std::string("Float"));
  show("F", F::conv2d(img, torch::ones({1, 1, 3, 3}), F::Conv2dFuncOptions().padding(1).stride(2)));
  show("F", F::linear(t, torch::ones({2, 4})));
  show("F",
       F::cross_entropy(t, torch::tensor({0, 3}),
                        F::CrossEntropyFuncOptions().label_smoothing(0.1).reduction(torch::kSum)));
  show("F", F::nll_loss(F::log_softmax(t, 1), torch::tensor({0, 3})));
  show("F", F::binary_cross_entropy_with_logits(t, torch::ones_like(t)));
  show("F", F::mse_loss(t, torch::ones_like(t), F::MSELossFuncOptions(torch::kSum)));
  show("F", F::smooth_l1_loss(t, torch::zeros_like(t)));
  show("F", F::cosine_similarity(t, t + 1, F::CosineSimilarityFuncOptions().dim(1)));
  show("F", F::dropout(t, F::DropoutFuncOptions().p(0.5).training(false)));
  show("F", F::layer_norm(t, F::LayerNormFuncOptions({4}).eps(1e-3)));
  show("F", F::relu(t, F::ReLUFuncOptions().inplace(false)));
}

static void ownership()
{
  torch::manual_seed(2);
  auto x = torch::randn({2, 3}).requires_grad_();
  auto weight = torch::randn({4, 3}).requires_grad_();
  auto y = LinearFunction::apply(x, weight);
  y.sum().backward();
  show("x", x.grad());
  show("w", weight.grad());
  auto z = MulConstant::apply(x.detach().requires_grad_(), 5.5);
  show("z", z);
  show("wants", z.requires_grad());
  auto v = torch::tensor({0.5, 1.0}, torch::requires_grad());
  auto two = Two::apply(v);
  (two[0].sum() + 3 * two[1].sum()).backward();
  show("two", v.grad());
  auto u = torch::tensor({0.5, 1.0}, torch::requires_grad());
  auto kinds = Kinds::apply(u);
  for (const auto &kind : kinds) {
    show("kind", kind);
    show("wants", kind.requires_grad());
  }
  kinds[1].sum().backward();
  show("kinds", u.grad());
  auto signs = Signs::apply(u);
  show("signs", signs);
  show("wants", signs.requires_grad());
  auto changed = u * 3;
  auto same = Doubled::apply(changed);
  (same * changed).sum().backward();
  show("changed", changed);
  show("kinds", u.grad());
  // hooks
  auto h = torch::ones({2}, torch::requires_grad());
  auto hh = h * 2;
  hh.register_hook([](torch::Tensor grad) { show("hook", grad.sum()); });
  h.register_hook([](torch::Tensor grad) { return grad * 10; });
  hh.sum().backward();
  show("h", h.grad());
  // views outlive
  torch::Tensor view;
  {
    auto base = torch::arange(10);
    view = base.slice(0, 2, 5);
  }
  show("view", view);
  auto moved = std::move(view);
  show("defined", view.defined() + 2 * moved.defined());
  auto alias = moved;
  alias[0] = 77;
  show("moved", moved);
  auto cl = moved.clone();
  cl[0] = 1;
  show("moved", moved);
  // threads
  std::vector<torch::Tensor> results(4);
  std::vector<std::thread> threads;
  auto shared = torch::ones({50, 50});
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&, i] {
      auto w = torch::full({50}, (double)i, torch::requires_grad());
      auto l = (shared.mv(w) * w).sum();
      l.backward();
      results[i] = w.grad();
    });
  for (auto &t : threads)
    t.join();
  for (auto &r : results)
    show("thread", r[0]);
  {
    torch::NoGradGuard guard;
    std::thread([] { show("records", torch::GradMode::is_enabled()); }).join();
  }
  // clone
  My my(3);
  auto copy = std::dynamic_pointer_cast<MyImpl>(my->clone());
  {
    torch::NoGradGuard guard;
    my->fc->weight.fill_(0);
  }
  show("copy", copy->forward(torch::ones({1, 3})));
  show("my", my->forward(torch::ones({1, 3})));
  auto lin = std::dynamic_pointer_cast<torch::nn::LinearImpl>(torch::nn::Linear(2, 2)->clone());
  show("in", lin->options.in_features());
  torch::manual_seed(4);
  torch::nn::Sequential layers({{"one", torch::nn::Linear(3, 4)},
                                {"half", torch::nn::Functional(torch::relu)},
                                {"two", torch::nn::Linear(4, 2)},
                                {"drop", torch::nn::Dropout(0.5)}});
  layers->eval();
  layers->to(torch::kDouble);
  auto again = std::dynamic_pointer_cast<torch::nn::SequentialImpl>(layers->clone());
  {
    torch::NoGradGuard guard;
    for (auto &p : layers->parameters())
      p.fill_(1);
  }
  show("clone", again->forward(torch::ones({1, 3}, torch::kDouble)));
  show("first", layers->forward(torch::ones({1, 3}, torch::kDouble)));
  show("mode", 2 * again->size() + 10 * again->children()[3]->is_training());
  for (const auto &p : again->named_parameters())
    show(p.key(), p.value());
  torch::nn::ModuleList twice(torch::nn::Linear(2, 2), torch::nn::Linear(2, 1));
  auto other = std::dynamic_pointer_cast<torch::nn::ModuleListImpl>(twice->clone());
  show("list", other->size() +
                   10 * (other->parameters()[0].data_ptr() == twice->parameters()[0].data_ptr()));
  torch::nn::ModuleDict named;
  named->update(std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>>{
      {"a", torch::nn::Linear(2, 2).ptr()}});
  auto dict = std::dynamic_pointer_cast<torch::nn::ModuleDictImpl>(named->clone());
  show("dict", dict->contains("a") +
                   10 * (dict->parameters()[0].data_ptr() == named->parameters()[0].data_ptr()));
  torch::nn::AnyModule any(torch::nn::Linear(2, 1));
  auto anyCopy = any.clone();
  show("any", any.forward(torch::ones({1, 2})) - anyCopy.forward(torch::ones({1, 2})));
  torch::manual_seed(5);
  torch::nn::Sequential seq({{"one", torch::nn::Linear(3, 4)},
                             {"act", torch::nn::ReLU()},
                             {"two", torch::nn::Linear(4, 1)}});
  for (const auto &p : seq->named_parameters())
    show(p.key(), p.value().numel());
  seq->push_back("sig", torch::nn::Sigmoid());
  show("seq", seq->forward(torch::ones({1, 3})));
  show("size", seq->size() + 100 * seq->at<torch::nn::LinearImpl>(0).weight.size(0));
  torch::nn::ModuleList list(torch::nn::Linear(3, 3), torch::nn::Linear(3, 2));
  auto t = torch::ones({1, 3});
  for (const auto &m : *list)
    t = m->as<torch::nn::Linear>()->forward(t);
  show("list", t);
  for (const auto &m : seq->modules(false))
    show("parameters", m->parameters().size());
  for (const auto &m : seq->named_modules("", false))
    show(m.key(), 0);
}

struct Heads : torch::nn::Module {
  torch::nn::ModuleDict heads;
  Heads()
  {
    using Modules = std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>>;
    Modules first = {{"one", torch::nn::Linear(3, 2).ptr()}, {"act", torch::nn::Tanh().ptr()}};
    torch::nn::ModuleDict made(first);
    made->update(Modules{{"two", torch::nn::Linear(2, 4).ptr()}});
    heads = register_module("heads", made);
  }
  torch::Tensor forward(torch::Tensor x, const std::string &last)
  {
    x = heads["one"]->as<torch::nn::Linear>()->forward(x);
    x = heads->at<torch::nn::TanhImpl>("act").forward(x);
    return heads->contains(last) ? heads[last]->as<torch::nn::Linear>()->forward(x) : x;
  }
};

static void dictionaries()
{
  torch::manual_seed(6);
  Heads net;
  show("two", net.forward(torch::ones({1, 3}), "two"));
  show("none", net.forward(torch::ones({1, 3}), "none"));
  for (const auto &item : *net.heads)
    show(item.key(), item.value()->parameters().size());
  for (const auto &item : net.named_parameters())
    show(item.key(), item.value().numel());
  show("keys", net.heads->keys().size() * 10 + net.heads->size() + 100 * net.heads->empty());
}

static void mixed_precision()
{
  torch::manual_seed(7);
  torch::nn::Sequential net(torch::nn::Linear(6, 8), torch::nn::ReLU(), torch::nn::Linear(8, 3));
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1));
  auto x = torch::linspace(-1, 1, 24).view({4, 6}), y = torch::arange(4).remainder(3);
  namespace ac = at::autocast;
  for (int i = 0; i < 4; i++) {
    sgd.zero_grad();
    ac::set_autocast_enabled(at::kCPU, true);
    ac::set_autocast_dtype(at::kCPU, at::kBFloat16);
    auto out = net->forward(x);
    auto loss = F::cross_entropy(out, y);
    show("types", (out.scalar_type() == torch::kBFloat16) +
                      2 * (loss.scalar_type() == torch::kFloat) +
                      4 * ac::is_autocast_enabled(at::kCPU));
    ac::clear_cache();
    ac::set_autocast_enabled(at::kCPU, false);
    loss.backward();
    sgd.step();
    show("mixed", loss);
  }
  show("off", net->forward(x).scalar_type() == torch::kFloat);
}

static void holders()
{
  torch::manual_seed(8);
  torch::nn::Sequential none{nullptr}, some(torch::nn::Linear(2, 2)),
      other(torch::nn::Linear(2, 2));
  show("holds", (none ? 1 : 0) + (some ? 2 : 0));
  std::stringstream stream;
  torch::save(some, stream);
  torch::load(other, stream);
  show("streamed", other->forward(torch::ones({1, 2})));
  auto layer = torch::nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(8).dropout(0);
  torch::nn::TransformerEncoder encoder(torch::nn::TransformerEncoderOptions(layer, 2));
  show("encoder", encoder->parameters().size());
}

/* A tensor without gradient gets one through its views. */
static void through_views()
{
  auto w = torch::tensor({1., 2., 3.}, torch::requires_grad());
  auto states = torch::zeros({3, 3}, torch::kDouble), last = states[2];
  for (int i = 0; i < 2; i++)
    states[i + 1] = torch::sin(states[i] + w);
  states.index_put_({torch::indexing::Slice(), 0}, w[1] * 2);
  states.view({9}).slice(0, 4, 9, 2).mul_(w);
  (states.pow(2).sum() + last.sum()).backward();
  show("states", states);
  show("last", last);
  show("through", w.grad());
}

static void inference()
{
  auto w = torch::ones({3}, torch::requires_grad());
  torch::Tensor made, view;
  {
    c10::InferenceMode guard;
    made = w * 2;
    view = w.slice(0, 1);
    show("inside", c10::InferenceMode::is_enabled() + 2 * made.is_inference() +
                       4 * view.is_inference() + 8 * made.requires_grad());
  }
  show("outside", c10::InferenceMode::is_enabled() + 2 * made.clone().is_inference() +
                      4 * torch::GradMode::is_enabled());
  int errors = 0;
  try {
    (w * made).sum().backward();
  } catch (const c10::Error &) {
    errors++;
  }
  (w + made).sum().backward();
  show("errors", errors);
  show("added", w.grad());
}

void run()
{
  inference();
  holders();
  through_views();
  layers();
  ownership();
  dictionaries();
  mixed_precision();
}
