// Regression, a perceptron, a DCGAN: modules, optimizers, schedules, data sets, files.
#include <unistd.h>

#include "tutorial.hpp"

namespace nn = torch::nn;

static std::string file(const char *name)
{
  return "/tmp/test_libtorch_" + std::to_string(::getpid()) + name;
}

struct Net : torch::nn::Module {
  Net()
  {
    // Construct and register two Linear submodules.
    fc1 = register_module("fc1", torch::nn::Linear(8, 64));
    fc2 = register_module("fc2", torch::nn::Linear(64, 32));
    fc3 = register_module("fc3", torch::nn::Linear(32, 1));
  }
  torch::Tensor forward(torch::Tensor x)
  {
    x = torch::relu(fc1->forward(x.reshape({x.size(0), 8})));
    x = torch::dropout(x, /*p=*/0.5, /*train=*/is_training());
    x = torch::relu(fc2->forward(x));
    x = fc3->forward(x);
    return x;
  }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr}, fc3{nullptr};
};
struct LinearRegression : torch::nn::Module {
  LinearRegression(int64_t N, int64_t M)
  {
    W = register_parameter("W", torch::randn({N, M}));
    b = register_parameter("b", torch::randn(M));
  }
  torch::Tensor forward(torch::Tensor input)
  {
    return torch::addmm(b, input, W);
  }
  torch::Tensor W, b;
};
static void training()
{
  torch::manual_seed(0);
  // autograd tutorial
  auto x = torch::ones({2, 2}, torch::requires_grad());
  auto y = x + 2;
  auto z = y * y * 3;
  auto out = z.mean();
  out.backward();
  show("grad", x.grad());
  show("wants", x.requires_grad() + 2 * y.requires_grad() + 4 * x.is_leaf() + 8 * y.is_leaf());
  auto v = torch::tensor({0.1, 1.0, 0.0001}, torch::kFloat);
  auto w = torch::ones({3}, torch::requires_grad());
  auto q = w * 2;
  q.backward(v);
  show("vjp", w.grad());
  {
    torch::NoGradGuard no_grad;
    show("no grad", (w * 2).requires_grad());
  }
  auto yd = w.detach();
  show("detached", yd.requires_grad());
  // higher order
  auto model1 = torch::nn::Linear(4, 3);
  auto input = torch::randn({3, 4}).requires_grad_(true);
  auto output = model1(input);
  auto target = torch::randn({3, 3});
  auto loss = torch::nn::MSELoss()(output, target);
  auto grad_output = torch::ones_like(output);
  auto gradient = torch::autograd::grad({output}, {input}, /*grad_outputs=*/{grad_output},
                                        /*create_graph=*/true)[0];
  auto gradient_penalty = torch::pow((gradient.norm(2, /*dim=*/1) - 1), 2).mean();
  auto combined = loss + gradient_penalty;
  combined.backward();
  show("penalty", input.grad());
  // linear regression
  LinearRegression lr(3, 2);
  for (const auto &pair : lr.named_parameters())
    show(pair.key(), pair.value());
  auto X = torch::randn({20, 3}), Y = torch::randn({20, 2});
  torch::optim::SGD sgd(lr.parameters(), /*lr=*/0.1);
  for (int i = 0; i < 10; i++) {
    sgd.zero_grad();
    auto l = torch::mse_loss(lr.forward(X), Y);
    l.backward();
    sgd.step();
    if (i % 3 == 0)
      show("l", l);
  }
  // MLP
  auto net = std::make_shared<Net>();
  show("count", net->parameters().size());
  auto data = torch::randn({16, 8}), labels = torch::randn({16, 1});
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(1e-3)
                                                 .weight_decay(1e-4)
                                                 .betas(std::make_tuple(0.9, 0.99)));
  for (int epoch = 0; epoch < 5; epoch++) {
    adam.zero_grad();
    auto prediction = net->forward(data);
    auto l = torch::nn::functional::mse_loss(prediction, labels);
    l.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    adam.step();
    show("mlp", l);
    show("lr", adam.param_groups()[0].options().get_lr());
  }
  // options changed the tutorial way
  for (auto &group : adam.param_groups())
    if (group.has_options()) {
      auto &options = static_cast<torch::optim::AdamOptions &>(group.options());
      options.lr(options.lr() * 10);
    }
  adam.zero_grad();
  auto l2 = torch::mse_loss(net->forward(data), labels);
  l2.backward();
  adam.step();
  net->eval();
  show("eval", net->forward(data).view(-1).slice(0, 0, 4));
  // groups
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(net->fc1->parameters(), std::make_unique<torch::optim::SGDOptions>(0.5));
  groups.emplace_back(net->fc2->parameters());
  torch::optim::SGD two(groups, torch::optim::SGDOptions(0.01).momentum(0.9));
  for (int i = 0; i < 2; i++) {
    two.zero_grad();
    torch::mse_loss(net->forward(data), labels).backward();
    two.step();
  }
  show("two", net->forward(data).view(-1).slice(0, 0, 4));
  // LBFGS
  auto p = torch::tensor({-1.5, 2.0}, torch::requires_grad());
  torch::optim::LBFGS
      lbfgs({p}, torch::optim::LBFGSOptions(1).max_iter(20).line_search_fn("strong_wolfe"));
  auto closure = [&]() {
    lbfgs.zero_grad();
    auto f = (1 - p[0]).pow(2) + 100 * (p[1] - p[0].pow(2)).pow(2);
    f.backward();
    return f;
  };
  for (int i = 0; i < 3; i++)
    lbfgs.step(closure);
  show("lbfgs", p);
  // others
  auto t = torch::ones({3}, torch::requires_grad());
  torch::optim::RMSprop rms({t}, torch::optim::RMSpropOptions(0.01).alpha(0.9));
  torch::optim::Adagrad ada({t}, torch::optim::AdagradOptions(0.1));
  torch::optim::AdamW adamw({t}, torch::optim::AdamWOptions(0.1));
  for (torch::optim::Optimizer *o : std::vector<torch::optim::Optimizer *>{&rms, &ada, &adamw}) {
    o->zero_grad();
    (t * t * torch::arange(1, 4)).sum().backward();
    o->step();
    show("t", t);
  }
  // save and load an optimizer
  torch::save(adam, file("adam.pt"));
  torch::optim::Adam adam2(net->parameters(), torch::optim::AdamOptions(1));
  torch::load(adam2, file("adam.pt"));
  std::remove(file("adam.pt").c_str());
  show("lr", static_cast<torch::optim::AdamOptions &>(adam2.param_groups()[0].options()).lr());
}

const int64_t kNoise = 10;
struct DCGANGeneratorImpl : nn::Module {
  DCGANGeneratorImpl(int kNoiseSize)
      : conv1(nn::ConvTranspose2dOptions(kNoiseSize, 16, 4).bias(false)),
        batch_norm1(16),
        conv2(nn::ConvTranspose2dOptions(16, 8, 3).stride(2).padding(1).bias(false)),
        batch_norm2(8),
        conv3(nn::ConvTranspose2dOptions(8, 1, 4).stride(2).padding(1).bias(false))
  {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv3", conv3);
    register_module("batch_norm1", batch_norm1);
    register_module("batch_norm2", batch_norm2);
  }
  torch::Tensor forward(torch::Tensor x)
  {
    x = torch::relu(batch_norm1(conv1(x)));
    x = torch::relu(batch_norm2(conv2(x)));
    x = torch::tanh(conv3(x));
    return x;
  }
  nn::ConvTranspose2d conv1;
  nn::BatchNorm2d batch_norm1;
  nn::ConvTranspose2d conv2;
  nn::BatchNorm2d batch_norm2;
  nn::ConvTranspose2d conv3;
};
TORCH_MODULE(DCGANGenerator);
nn::Sequential create_discriminator()
{
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 8, 4).stride(2).padding(1).bias(false)),
                        nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)),
                        nn::Conv2d(nn::Conv2dOptions(8, 16, 3).stride(2).padding(1).bias(false)),
                        nn::BatchNorm2d(16),
                        nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)),
                        nn::Conv2d(nn::Conv2dOptions(16, 1, 4).stride(1).padding(0).bias(false)),
                        nn::Sigmoid());
}
class Custom : public torch::data::Dataset<Custom>
{
 public:
  explicit Custom(int64_t n)
      : n_(n), images_(torch::sin(torch::arange(n * 14 * 14)).view({n, 1, 14, 14}))
  {
  }
  torch::data::Example<> get(size_t index) override
  {
    return {images_[index], torch::tensor((int64_t)index % 3)};
  }
  torch::optional<size_t> size() const override
  {
    return n_;
  }

 private:
  int64_t n_;
  torch::Tensor images_;
};
static void adversaries()
{
  torch::manual_seed(1);
  torch::Device device(torch::kCPU);
  if (torch::cuda::is_available())
    device = torch::Device(torch::kCUDA);
  DCGANGenerator generator(kNoise);
  generator->to(device);
  nn::Sequential discriminator = create_discriminator();
  discriminator->to(device);
  auto dataset = Custom(20)
                     .map(torch::data::transforms::Normalize<>(0.5, 0.5))
                     .map(torch::data::transforms::Stack<>());
  const size_t batches = std::ceil(dataset.size().value() / 8.0);
  show("batches", batches);
  auto data_loader =
      torch::data::make_data_loader(std::move(dataset),
                                    torch::data::DataLoaderOptions().batch_size(8).workers(0));
  torch::optim::Adam generator_optimizer(generator->parameters(),
                                         torch::optim::AdamOptions(2e-4)
                                             .betas(std::make_tuple(0.5, 0.999)));
  torch::optim::Adam discriminator_optimizer(discriminator->parameters(),
                                             torch::optim::AdamOptions(2e-4)
                                                 .betas(std::make_tuple(0.5, 0.999)));
  for (int64_t epoch = 1; epoch <= 2; ++epoch) {
    for (const torch::data::Example<> &batch : *data_loader) {
      discriminator->zero_grad();
      torch::Tensor real_images = batch.data.to(device);
      torch::Tensor real_labels = torch::empty(batch.data.size(0), device).uniform_(0.8, 1.0);
      torch::Tensor real_output = discriminator->forward(real_images).reshape(real_labels.sizes());
      torch::Tensor d_loss_real = torch::binary_cross_entropy(real_output, real_labels);
      d_loss_real.backward();
      torch::Tensor noise = torch::randn({batch.data.size(0), kNoise, 1, 1}, device);
      torch::Tensor fake_images = generator->forward(noise);
      torch::Tensor fake_labels = torch::zeros(batch.data.size(0), device);
      torch::Tensor fake_output =
          discriminator->forward(fake_images.detach()).reshape(fake_labels.sizes());
      torch::Tensor d_loss_fake = torch::binary_cross_entropy(fake_output, fake_labels);
      d_loss_fake.backward();
      torch::Tensor d_loss = d_loss_real + d_loss_fake;
      discriminator_optimizer.step();
      generator->zero_grad();
      fake_labels.fill_(1);
      fake_output = discriminator->forward(fake_images).reshape(fake_labels.sizes());
      torch::Tensor g_loss = torch::binary_cross_entropy(fake_output, fake_labels);
      g_loss.backward();
      generator_optimizer.step();
      show("D", d_loss);
      show("G", g_loss);
    }
  }
  torch::save(generator, file("generator.pt"));
  DCGANGenerator again(kNoise);
  torch::load(again, file("generator.pt"));
  again->eval();
  generator->eval();
  auto n = torch::randn({1, kNoise, 1, 1});
  std::remove(file("generator.pt").c_str());
  show("again", torch::allclose(again->forward(n), generator->forward(n)));
  for (const auto &p : generator->named_parameters())
    show(p.key(), p.value().numel());
  for (const auto &p : generator->named_buffers())
    show(p.key(), p.value().numel());
  show("sizes", generator->children().size() + 100 * generator->buffers().size() +
                    10000 * discriminator->size());
  generator->apply([](nn::Module &m) {
    if (auto *c = m.as<nn::ConvTranspose2d>()) {
      torch::NoGradGuard g;
      nn::init::normal_(c->weight, 0.0, 0.02);
    } else if (auto *b = m.as<nn::BatchNorm2d>()) {
      torch::NoGradGuard g;
      nn::init::constant_(b->weight, 2);
      nn::init::zeros_(b->bias);
    }
  });
  show("init", generator->conv1->weight[0][0]);
  show("initb", generator->batch_norm1->weight);
  // sequential sampler, without stack
  auto loader2 =
      torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(Custom(5), 2);
  for (auto &b : *loader2) {
    show("batch", b.size());
    for (auto &e : b)
      show("target", e.target);
  }
  auto td = torch::data::datasets::TensorDataset(torch::arange(6).view({3, 2}))
                .map(torch::data::transforms::Stack<torch::data::TensorExample>());
  auto loader3 =
      torch::data::make_data_loader(std::move(td), torch::data::samplers::SequentialSampler(3),
                                    torch::data::DataLoaderOptions(2).drop_last(true));
  for (auto &b : *loader3)
    show("td", b.data);
}

void run()
{
  training();
  adversaries();
}
