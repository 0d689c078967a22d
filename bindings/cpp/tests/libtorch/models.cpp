// A residual network, a variational autoencoder, a language model, a policy, a transformer: as people write them.
#include <unistd.h>

#include "tutorial.hpp"

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using namespace torch::indexing;

// --- a residual network --------------------------------------------------------------------------

struct BlockImpl : nn::Module {
  BlockImpl(int64_t in, int64_t out, int64_t stride = 1)
      : conv1(nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false)),
        bn1(out),
        conv2(nn::Conv2dOptions(out, out, 3).padding(1).bias(false)),
        bn2(nn::BatchNorm2dOptions(out).eps(1e-4))
  {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("conv2", conv2);
    register_module("bn2", bn2);
    if (stride != 1 || in != out)
      downsample =
          register_module("downsample", nn::Sequential(nn::Conv2d(nn::Conv2dOptions(in, out, 1)
                                                                      .stride(stride)
                                                                      .bias(false)),
                                                       nn::BatchNorm2d(out)));
  }
  torch::Tensor forward(torch::Tensor x)
  {
    auto y = torch::relu(bn1(conv1(x)));
    y = bn2(conv2(y));
    y += downsample.is_empty() ? x : downsample->forward(x);
    return y.relu_();
  }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Sequential downsample{nullptr};
};
TORCH_MODULE(Block);

struct ResNetImpl : nn::Module {
  explicit ResNetImpl(int64_t classes)
  {
    stem = register_module("stem", nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 4, 3).padding(1)),
                                                  nn::BatchNorm2d(4), nn::Functional(torch::relu)));
    layers = register_module("layers", nn::ModuleList());
    for (int64_t width : {4, 8, 8})
      layers->push_back(Block(last, width, width == last ? 1 : 2)), last = width;
    pool = register_module("pool", nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({1, 1})));
    fc = register_module("fc", nn::Linear(last, classes));
    for (auto &module : modules(/*include_self=*/false))
      if (auto *conv = module->as<nn::Conv2d>())
        nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
  }
  torch::Tensor forward(const torch::Tensor &input)
  {
    auto x = stem->forward(input);
    for (const auto &layer : *layers)
      x = layer->as<Block>()->forward(x);
    return fc(pool(x).flatten(1));
  }
  int64_t last = 4;
  nn::Sequential stem{nullptr};
  nn::ModuleList layers{nullptr};
  nn::AdaptiveAvgPool2d pool{nullptr};
  nn::Linear fc{nullptr};
};
TORCH_MODULE(ResNet);

static void residual()
{
  ResNet net(5);
  int64_t count = 0;
  for (const auto &p : net->named_parameters())
    count += p.value().numel();
  show("parameters", static_cast<double>(count));
  torch::optim::SGD
      sgd(net->parameters(),
          torch::optim::SGDOptions(0.05).momentum(0.9).weight_decay(1e-4).nesterov(true));
  auto images = torch::randn({6, 3, 12, 12});
  auto labels = torch::randint(0, 5, {6}, torch::kLong);
  for (int step = 0; step < 4; step++) {
    sgd.zero_grad();
    auto loss =
        F::cross_entropy(net(images), labels, F::CrossEntropyFuncOptions().label_smoothing(0.1));
    loss.backward();
    nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    sgd.step();
    if (step == 1)
      for (auto &group : sgd.param_groups())
        static_cast<torch::optim::SGDOptions &>(group.options()).lr(group.options().get_lr() / 2);
    show("resnet", loss);
  }
  net->eval();
  torch::NoGradGuard no_grad;
  auto [values, classes] = torch::softmax(net->forward(images), 1).topk(2, 1);
  show("top", values);
  show("best", classes);
  show("right", classes.index({Slice(), 0}).eq(labels).sum().item<int64_t>());
}

// --- a variational autoencoder --------------------------------------------------------------------

struct Output {
  torch::Tensor reconstruction, mu, log_var;
};

struct VAEImpl : nn::Module {
  VAEImpl()
      : fc1(register_module("fc1", nn::Linear(20, 16))),
        fc2(register_module("fc2", nn::Linear(16, 3))),
        fc3(register_module("fc3", nn::Linear(16, 3))),
        fc4(register_module("fc4", nn::Linear(3, 16))),
        fc5(register_module("fc5", nn::Linear(16, 20)))
  {
  }
  std::pair<torch::Tensor, torch::Tensor> encode(torch::Tensor x)
  {
    auto h = F::relu(fc1->forward(x));
    return {fc2->forward(h), fc3->forward(h)};
  }
  torch::Tensor reparameterize(torch::Tensor mu, torch::Tensor log_var)
  {
    if (!is_training())
      return mu;
    auto std = log_var.div(2).exp();
    return torch::randn_like(std).mul(std).add_(mu);
  }
  Output forward(torch::Tensor x)
  {
    auto [mu, log_var] = encode(x);
    auto z = reparameterize(mu, log_var);
    return {
        torch::sigmoid(fc5->forward(F::leaky_relu(fc4->forward(z),
                                                  F::LeakyReLUFuncOptions().negative_slope(0.1)))),
        mu, log_var};
  }
  nn::Linear fc1, fc2, fc3, fc4, fc5;
};
TORCH_MODULE(VAE);

static void autoencoder()
{
  VAE vae;
  torch::optim::AdamW optimizer(vae->parameters(), torch::optim::AdamWOptions(1e-2).amsgrad(true));
  auto data = torch::rand({16, 20});
  for (int step = 0; step < 3; step++) {
    auto output = vae->forward(data);
    auto reconstruction =
        F::binary_cross_entropy(output.reconstruction, data,
                                F::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
    auto divergence =
        -0.5 * torch::sum(1 + output.log_var - output.mu.pow(2) - output.log_var.exp());
    auto loss = reconstruction + divergence;
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    show("vae", loss);
    show("kld", divergence.item<float>());
  }
  const std::string path = "/tmp/test_libtorch_" + std::to_string(::getpid()) + "vae.pt";
  torch::save(optimizer, path);
  torch::optim::AdamW again(vae->parameters(), torch::optim::AdamWOptions(1));
  torch::load(again, path);
  std::remove(path.c_str());
  show("rate", static_cast<torch::optim::AdamWOptions &>(again.param_groups()[0].options()).lr());
}

// --- a language model ------------------------------------------------------------------------------

static void language()
{
  nn::Embedding embed(nn::EmbeddingOptions(12, 6).padding_idx(0));
  nn::LSTM lstm(nn::LSTMOptions(6, 8).num_layers(2).batch_first(true));
  nn::Linear head(8, 12);
  std::vector<torch::Tensor> parameters = embed->parameters();
  for (auto module : {lstm->parameters(), head->parameters()})
    parameters.insert(parameters.end(), module.begin(), module.end());
  torch::optim::RMSprop optimizer(parameters, torch::optim::RMSpropOptions(0.01).alpha(0.9));
  auto text = torch::randint(1, 12, {3, 17}, torch::kInt64);
  auto h = torch::zeros({2, 3, 8}), c = torch::zeros({2, 3, 8});
  for (int64_t i = 0; i + 4 < text.size(1); i += 4) {
    auto inputs = text.index({Slice(), Slice(i, i + 4)}), targets = text.slice(1, i + 1, i + 5);
    h = h.detach();
    c.detach_();
    auto [output, state] = lstm->forward(embed->forward(inputs), std::make_tuple(h, c));
    std::tie(h, c) = state;
    auto loss =
        F::nll_loss(F::log_softmax(head(output).view({-1, 12}), /*dim=*/1), targets.reshape(-1));
    optimizer.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_value_(parameters, 0.5);
    optimizer.step();
    show("lm", loss.item().toDouble());
  }
  auto last = text.index({"...", -1});
  auto logits =
      head->forward(std::get<0>(lstm->forward(embed(last).unsqueeze(1)))).squeeze(1) / 0.8;
  show("next", logits.argmax(-1));
  show("masked", logits.masked_fill(torch::eye(3, 12).to(torch::kBool), -INFINITY).max());
}

// --- a policy --------------------------------------------------------------------------------------

static void policy()
{
  nn::Sequential net(nn::Linear(4, 16), nn::Tanh(), nn::Linear(16, 3),
                     nn::LogSoftmax(nn::LogSoftmaxOptions(-1)));
  torch::optim::Adam optimizer(net->parameters(), 0.01);
  std::vector<torch::Tensor> chosen;
  std::vector<float> rewards;
  auto state = torch::tensor({0.1, -0.2, 0.3, 0.4});
  for (int step = 0; step < 6; step++) {
    auto log_probabilities = net->forward(state);
    const auto action = torch::multinomial(log_probabilities.exp(), 1).item<int64_t>();
    chosen.push_back(log_probabilities[action]);
    rewards.push_back(action == 1 ? 1.0f : -0.5f);
    state = torch::stack({state[1], state[2], state[3],
                          state[0] * 0.9 + 0.1 * static_cast<double>(action)});
  }
  std::vector<float> returns(rewards.size());
  float sum = 0;
  for (size_t i = rewards.size(); i-- > 0;)
    returns[i] = sum = rewards[i] + 0.95f * sum;
  auto weights = torch::from_blob(returns.data(), {static_cast<int64_t>(returns.size())}).clone();
  weights = (weights - weights.mean()) / (weights.std() + 1e-6);
  auto loss = -(torch::stack(chosen) * weights).sum();
  loss.backward();
  optimizer.step();
  show("returns", weights);
  show("policy", loss);
  show("after", net->forward(state).exp());
}

// --- a transformer ---------------------------------------------------------------------------------

static void transformer()
{
  const int64_t width = 8, length = 5;
  auto position = torch::arange(length, torch::kFloat).unsqueeze(1);
  auto rates = torch::exp(torch::arange(0, width, 2) * (-std::log(10000.0) / width));
  auto code = torch::zeros({length, 1, width});
  code.index_put_({Slice(), 0, Slice(0, None, 2)}, torch::sin(position * rates));
  code.index_put_({Slice(), 0, Slice(1, None, 2)}, torch::cos(position * rates));
  show("code", code);
  nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(
      nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(width, 2)
                                      .dim_feedforward(16)
                                      .dropout(0.0)),
      2));
  auto mask = torch::triu(torch::full({length, length}, -INFINITY), /*diagonal=*/1);
  torch::manual_seed(2);  // libtorch draws more for the copies of the layer
  auto x = torch::randn({length, 3, width},
                        torch::TensorOptions().dtype(torch::kFloat32).requires_grad(true));
  auto y = encoder->forward(x + code, mask);
  auto gradient = torch::autograd::grad({y[1].select(1, 0).sum()}, {x})[0];
  show("y", y[-1]);
  // What comes later in the sequence has no gradient.
  show("causal", gradient.abs().sum(torch::IntArrayRef{1, 2}).gt(0).to(torch::kInt));
}

void run()
{
  residual();
  autoencoder();
  language();
  policy();
  transformer();
}
