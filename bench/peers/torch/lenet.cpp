/* LeNet-5 on images of 28 x 28: 5 x 5 windows in 6 and 16 maps, each after the other halved by
 * maxima, then 120, 84 and 10 values.  A step of training, and reading a batch. */
#include <torch/torch.h>

#include "THNN/THNN.h"
#include "families.h"

namespace peers
{

namespace
{

enum { BATCH = 64, FLAT = 256 };

/* --- PyTorch's ------------------------------------------------------------------------------- */

struct TheirNet : torch::nn::Module {
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
  torch::nn::Linear f1{nullptr}, f2{nullptr}, f3{nullptr};

  TheirNet()
  {
    c1 = register_module("c1", torch::nn::Conv2d(1, 6, 5));
    c2 = register_module("c2", torch::nn::Conv2d(6, 16, 5));
    f1 = register_module("f1", torch::nn::Linear(FLAT, 120));
    f2 = register_module("f2", torch::nn::Linear(120, 84));
    f3 = register_module("f3", torch::nn::Linear(84, 10));
  }
  at::Tensor forward(at::Tensor x)
  {
    x = torch::max_pool2d(torch::relu(c1(x)), 2);
    x = torch::max_pool2d(torch::relu(c2(x)), 2);
    x = torch::relu(f2(torch::relu(f1(x.view({-1, FLAT})))));
    return torch::log_softmax(f3(x), 1);
  }
};

/* --- ours, of THNN's functions -------------------------------------------------------------- */

struct Value { /* a tensor that functions resize */
  THFloatTensor *t = THFloatTensor_new();
  Value() = default;
  Value(const Value &) = delete;
  ~Value()
  {
    THFloatTensor_free(t);
  }
  operator THFloatTensor *() const
  {
    return t;
  }
};

struct Parameter {
  THFloatTensor *value;
  Value gradient, velocity;

  explicit Parameter(const Array &array) : value(array.th())
  {
    THFloatTensor_resizeAs(gradient, value);
    THFloatTensor_resizeAs(velocity, value);
    THFloatTensor_zero(velocity);
  }
  void step(float rate, float momentum)
  {
    THFloatTensor_mul(velocity, velocity, momentum);
    THFloatTensor_cadd(velocity, velocity, 1, gradient);
    THFloatTensor_cadd(value, value, -rate, velocity);
  }
};

void rectify(THFloatTensor *x)
{
  THNN_FloatThreshold_updateOutput(nullptr, x, x, 0, 0, true);
}

THFloatTensor *unrectify(THFloatTensor *x, THFloatTensor *gradient)
{
  THNN_FloatThreshold_updateGradInput(nullptr, x, gradient, gradient, 0, 0, true);
  return gradient;
}

#define FIVE_BY_FIVE nullptr, nullptr, 5, 5, 1, 1, 0, 0
#define TWO_BY_TWO   2, 2, 2, 2, 0, 0, false

/* A convolution, a rectifier, and the largest of each 2 x 2. */
struct Block {
  Parameter weight, bias;
  Value filtered, pooled, gradFiltered, gradInput;
  THLongTensor *where = THLongTensor_new();

  Block(const Array &w, const Array &b) : weight(w), bias(b)
  {
  }
  ~Block()
  {
    THLongTensor_free(where);
  }
  THFloatTensor *forward(THFloatTensor *x)
  {
    THNN_FloatSpatialConvolutionMM_updateOutput(nullptr, x, filtered, weight.value, bias.value,
                                                FIVE_BY_FIVE);
    rectify(filtered);
    THNN_FloatSpatialMaxPooling_updateOutput(nullptr, filtered, pooled, where, TWO_BY_TWO);
    return pooled;
  }
  THFloatTensor *backward(THFloatTensor *x, THFloatTensor *g, bool wanted)
  {
    THNN_FloatSpatialMaxPooling_updateGradInput(nullptr, filtered, g, gradFiltered, where,
                                                TWO_BY_TWO);
    g = unrectify(filtered, gradFiltered);
    THFloatTensor_zero(weight.gradient);
    THFloatTensor_zero(bias.gradient);
    THNN_FloatSpatialConvolutionMM_accGradParameters(nullptr, x, g, weight.gradient, bias.gradient,
                                                     FIVE_BY_FIVE, 1);
    if (wanted)
      THNN_FloatSpatialConvolutionMM_updateGradInput(nullptr, x, g, gradInput, weight.value,
                                                     FIVE_BY_FIVE);
    return gradInput;
  }
};

struct Linear {
  Parameter weight, bias;
  Value output, gradInput;

  Linear(const Array &w, const Array &b) : weight(w), bias(b)
  {
  }
  THFloatTensor *forward(THFloatTensor *x)
  {
    THNN_FloatLinear_updateOutput(nullptr, x, output, weight.value, bias.value, nullptr);
    return output;
  }
  THFloatTensor *backward(THFloatTensor *x, THFloatTensor *g)
  {
    THFloatTensor_zero(weight.gradient);
    THFloatTensor_zero(bias.gradient);
    THNN_FloatLinear_updateGradInput(nullptr, x, g, gradInput, weight.value);
    THNN_FloatLinear_accGradParameters(nullptr, x, g, gradInput, weight.value, bias.value,
                                       weight.gradient, bias.gradient, nullptr, 1);
    return gradInput;
  }
};

struct OurNet {
  Block c1, c2;
  Linear f1, f2, f3;
  Value flat, gradFlat, logs, loss, weight, gradLoss, gradLogs, gradLogits;

  explicit OurNet(const std::vector<Array> &p)
      : c1(p[0], p[1]), c2(p[2], p[3]), f1(p[4], p[5]), f2(p[6], p[7]), f3(p[8], p[9])
  {
    THFloatTensor_resize1d(gradLoss, 1);
    THFloatTensor_fill(gradLoss, 1);
    THFloatTensor_resize1d(loss, 1);
    THFloatTensor_resize1d(weight, 1);
  }
  THFloatTensor *forward(THFloatTensor *x)
  {
    x = c2.forward(c1.forward(x));
    THFloatTensor_setStorage2d(flat, x->storage, x->storageOffset, BATCH, -1, FLAT, -1);
    rectify(f1.forward(flat));
    rectify(f2.forward(f1.output));
    THNN_FloatLogSoftMax_updateOutput(nullptr, f3.forward(f2.output), logs, 1);
    return logs;
  }
  void train(THFloatTensor *x, THLongTensor *labels)
  {
    forward(x);
    THNN_FloatClassNLLCriterion_updateOutput(nullptr, logs, labels, loss, true, nullptr, weight,
                                             -100, true);
    THNN_FloatClassNLLCriterion_updateGradInput(nullptr, logs, labels, gradLoss, gradLogs, true,
                                                nullptr, weight, -100, true);
    THNN_FloatLogSoftMax_updateGradInput(nullptr, f3.output, gradLogs, gradLogits, logs, 1);
    THFloatTensor *g = f3.backward(f2.output, gradLogits);
    g = f2.backward(f1.output, unrectify(f2.output, g));
    g = f1.backward(flat, unrectify(f1.output, g));
    THFloatTensor_setStorage4d(gradFlat, g->storage, g->storageOffset, BATCH, -1, 16, -1, 4, -1, 4,
                               -1);
    g = c2.backward(c1.pooled, gradFlat, true);
    c1.backward(x, g, false);
    for (Parameter *p : {&c1.weight, &c1.bias, &c2.weight, &c2.bias, &f1.weight, &f1.bias,
                         &f2.weight, &f2.bias, &f3.weight, &f3.bias})
      p->step(0.01f, 0.9f);
  }
};

}  // namespace

void lenet(Bench &bench)
{
  c10::InferenceMode guard(false);
  TheirNet theirs;
  std::vector<Array> parameters;
  for (at::Tensor &p : theirs.parameters()) {
    parameters.push_back(bench.holding("p", p.detach()));
    p.set_data(parameters.back().torch); /* one memory for both */
  }
  torch::optim::SGD descent(theirs.parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  OurNet ours(parameters);
  Array x = bench.normal("x", {BATCH, 1, 28, 28}), y = bench.integers("y", 10, {BATCH});
  THLongTensor *labels = static_cast<THLongTensor *>(at_unsafeGetTH(y));
  std::vector<const Array *> results;
  for (const Array &p : parameters)
    results.push_back(&p);

  const auto forward = [&] { return theirs.forward(x); };
  {
    at::NoGradGuard none;
    bench.row({.id = "lenet.forward",
               .shape = "batch 64",
               .results = {},
               .ours =
                   [&] {
                     THFloatTensor *r = ours.forward(x.th());
                     THFloatTensor_retain(r);
                     return at_fromTH(AT_CPU(AT_FLOAT), r);
                   },
               .torch = forward,
               .tolerance = 1e-4});
  }
  bench.row({.id = "lenet.train",
             .shape = "batch 64",
             .results = results,
             .ours = [&] { ours.train(x.th(), labels); },
             .torch =
                 [&] {
                   descent.zero_grad();
                   torch::nll_loss(theirs.forward(x), y).backward();
                   descent.step();
                 },
             .tolerance = 1e-4});
}

}  // namespace peers
