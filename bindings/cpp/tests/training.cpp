// Training as it is written for libtorch; the expected losses are PyTorch's for the same seed.
#include "check.hpp"

#include <cmath>
#include <cstdio>
#include <sstream>
#include <unistd.h>

struct Net : torch::nn::Module {
  Net()
      : conv1(register_module("conv1",
                              torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4,
                                                                         /*kernel_size=*/3)))),
        norm(register_module("norm", torch::nn::BatchNorm2d(4))),
        conv2(register_module("conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(4, 6, 3)
                                                             .stride(2)
                                                             .bias(false))))
  {
    fc = register_module("fc", torch::nn::Linear(6 * 2 * 2, 3));
    scale = register_parameter("scale", torch::ones({1}));
  }

  torch::Tensor forward(torch::Tensor x)
  {
    x = torch::relu(norm(conv1->forward(x)));
    x = torch::relu(conv2(x)).view({-1, 6 * 2 * 2});
    return torch::log_softmax(fc->forward(x) * scale, /*dim=*/1);
  }

  torch::nn::Conv2d conv1;
  torch::nn::BatchNorm2d norm;
  torch::nn::Conv2d conv2;
  torch::nn::Linear fc{nullptr};
  torch::Tensor scale;
};

// The same network in Python.
static const double LOSSES[] = {1.10733473, 1.10472929, 1.09880972, 1.11520135,
                                1.09211516, 1.07602835, 1.04374921, 1.10213149};

static std::vector<double> train(Net &model, torch::optim::Optimizer &optimizer)
{
  std::vector<double> losses;
  torch::Tensor images = torch::linspace(-1, 1, 6 * 64).view({6, 1, 8, 8}).sin();
  torch::Tensor labels = torch::arange(6).remainder(3);
  model.train();
  for (int step = 0; step < 4; ++step) {
    optimizer.zero_grad();
    torch::Tensor loss = torch::nll_loss(model.forward(images), labels);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(model.parameters(), 2.0);
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  return losses;
}

// Losses are called with two tensors; a lazy layer has members after its first call.
static void losses()
{
  torch::nn::CrossEntropyLoss loss(torch::nn::CrossEntropyLossOptions().weight(torch::ones({2})));
  torch::Tensor target = torch::zeros({2}, torch::kLong);
  CHECK(std::fabs(loss(torch::zeros({2, 2}), target).item<double>() - std::log(2)) < 1e-6);
  torch::nn::LazyLinear late(3);
  CHECK(late->parameters().empty());
  CHECK(late->forward(torch::ones({2, 5})).size(1) == 3 && late->parameters().size() == 2);
}

static void trains()
{
  torch::manual_seed(5);
  auto model = std::make_shared<Net>();
  torch::optim::SGD sgd(model->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<double> losses = train(*model, sgd);
  torch::optim::AdamW adam(model->parameters(),
                           torch::optim::AdamWOptions(1e-2).betas({0.8, 0.99}));
  torch::optim::StepLR schedule(adam, 1, 0.5);
  for (double loss : train(*model, adam))
    losses.push_back(loss);
  schedule.step();
  CHECK(adam.get("lr") == 5e-3);
  for (size_t i = 0; i < losses.size(); i++)
    if (!(std::abs(losses[i] - LOSSES[i]) < 1e-5)) {
      std::fprintf(stderr, "loss %zu is %.9g, and not %.9g\n", i, losses[i], LOSSES[i]);
      std::exit(1);
    }
  model->eval();
  CHECK(!model->norm->is_training() && !model->is_training());
  CHECK(model->parameters().size() == 8 && model->named_parameters()[0].key() == "scale");

  // A file, and modules of another type.
  const std::string path = "/tmp/test_cpp_training_" + std::to_string(::getpid()) + ".pt";
  torch::save(model, path);
  auto other = std::make_shared<Net>();
  torch::load(other, path);
  std::remove(path.c_str());
  other->eval();
  torch::NoGradGuard no_grad;
  const torch::Tensor x = torch::ones({1, 1, 8, 8});
  CHECK(torch::equal(other->forward(x), model->forward(x)));
  other->to(torch::kDouble);
  CHECK(other->fc->weight.scalar_type() == torch::kDouble);
}

static void sequences()
{
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::ReLU(),
                            torch::nn::Functional([](torch::Tensor x) { return x * 2; }),
                            torch::nn::Dropout(0.1), torch::nn::Linear(8, 2));
  net->eval();
  CHECK(net->forward(torch::ones({3, 4})).sizes() == torch::IntArrayRef({3, 2}));
  CHECK(net->size() == 5 && net->parameters().size() == 4);
  std::ostringstream text;
  text << torch::nn::Linear(torch::nn::LinearOptions(4, 8).bias(false));
  CHECK(text.str() == "Linear(in_features=4, out_features=8, bias=False)");
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(3, 5).batch_first(true));
  const auto [output, state] = lstm(torch::ones({2, 4, 3}));
  CHECK(output.size(2) == 5 && std::get<1>(state).size(1) == 2);
  CHECK(torch::nn::BatchNorm2d(3)->running_var.sum().item<float>() == 3);
}

static void errors()
{
  CHECK_THROWS(torch::nn::Linear(-1, 2), "-1");
  CHECK_THROWS(torch::nn::Linear(nullptr)->weight, "empty");
  CHECK_THROWS(torch::nn::Linear(3, 4)->forward(torch::ones({2, 2})), "");
  CHECK_THROWS(torch::optim::SGD(std::vector<torch::Tensor>(), 0.1), "param");
  CHECK_THROWS(torch::optim::Adam(torch::nn::Linear(1, 1)->parameters(), -0.1), "lr");
  torch::nn::Linear line(1, 1);
  struct Two : torch::nn::Module {
  } two;
  two.register_module("a", line);
  CHECK_THROWS(two.register_module("a", torch::nn::Linear(2, 2)), "a");
  torch::optim::LBFGS lbfgs(line->parameters(), torch::optim::LBFGSOptions(1));
  bool caught = false;
  try {
    lbfgs.step([]() -> torch::Tensor { throw std::runtime_error("here"); });
  } catch (const std::runtime_error &error) {
    caught = std::string(error.what()) == "here";
  }
  CHECK(caught && at_error() == AT_OK);
}

int main()
{
  losses();
  trains();
  sequences();
  errors();
}
