// Small programs as they are written for libtorch; the expected values are PyTorch's, for the same
// steps in Python.
#include "check.hpp"

#include <cmath>
#include <iostream>

// The loss of a perceptron with two layers, after 50 steps of gradient descent.
static double train()
{
  torch::Tensor x = torch::linspace(-1, 1, 20, torch::kDouble).view({20, 1});
  torch::Tensor y = x.pow(2) - 0.5 * x;
  auto options = torch::TensorOptions().dtype(torch::kDouble).requires_grad(true);
  std::vector<torch::Tensor> parameters = {
      torch::linspace(-2, 2, 8, options).view({8, 1}).detach().set_requires_grad(true),
      torch::linspace(1, -1, 8, options), torch::full({1, 8}, 0.1, options),
      torch::zeros({1}, options)};
  double last = 0;
  for (int step = 0; step < 50; ++step) {
    torch::Tensor hidden = torch::tanh(torch::linear(x, parameters[0], parameters[1]));
    torch::Tensor loss = torch::mse_loss(torch::linear(hidden, parameters[2], parameters[3]), y);
    loss.backward();
    last = loss.item<double>();
    torch::NoGradGuard no_grad;
    for (auto &parameter : parameters) {
      parameter -= 0.1 * parameter.grad();
      parameter.zero_grad();
    }
  }
  return last;
}

// A convolutional network; its input and weights are sines.
static torch::Tensor classify()
{
  const auto sines = [](at::IntArrayRef sizes) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return torch::sin(torch::arange(count, torch::kDouble)).view(sizes);
  };
  torch::Tensor x = sines({2, 3, 16, 16});
  x = torch::relu(torch::max_pool2d(torch::conv2d(x, sines({4, 3, 5, 5})), 2));
  x = x.view({-1, 4 * 6 * 6});
  x = torch::linear(x, sines({5, 144}), sines({5}));
  return torch::log_softmax(x / 50, /*dim=*/1);
}

// Attention, with a mask.
static torch::Tensor attend()
{
  torch::Tensor q = torch::arange(24, torch::kDouble).view({2, 3, 4}).cos(), k = q.sin(), v = q + 1;
  auto scores = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(4.0);
  auto mask = torch::ones({3, 3}, torch::kBool).tril();
  scores = scores.masked_fill(~mask, -INFINITY);
  return torch::matmul(torch::softmax(scores, -1), v).mean({0, 1});
}

int main()
{
  CHECK(std::abs(train() - 0.107253935826067) < 1e-9);
  CHECK_CLOSE(classify(), torch::tensor({{-1.62432557105767, -1.59629712470922, -1.58928441854925,
                                          -1.60599226523334, -1.63194905657609},
                                         {-1.5893368899909, -1.57352382426682, -1.5869813622293,
                                          -1.62713902822056, -1.67348207372911}},
                                        torch::kDouble));
  CHECK_CLOSE(attend(), torch::tensor({1.19109423093583, 1.20642043570848, 1.03196464384737,
                                       0.82812070584549},
                                      torch::kDouble));
  try {
    torch::ones({2, 3}).mm(torch::ones({2, 3}));
    return 1;
  } catch (const c10::Error &e) {
    std::cout << e.msg() << "\n";
  }
  return torch::cuda::is_available() && torch::cuda::device_count() == 0;
}
