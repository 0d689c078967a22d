// torch::nn::functional: operations, and layers as functions of their options.
#pragma once

#include <aten/functionals.hpp>

namespace at::nn::functional
{

using namespace at;

// --- dropout ---

struct DropoutFuncOptions {
  DropoutFuncOptions(double p = 0.5) : p_(p)
  {
  }
  DropoutFuncOptions &p(double given)
  {
    p_ = given;
    return *this;
  }
  DropoutFuncOptions &training(bool given)
  {
    training_ = given;
    return *this;
  }
  DropoutFuncOptions &inplace(bool given)
  {
    inplace_ = given;
    return *this;
  }
  // The input itself, if it is to be changed.
  Tensor apply(const Tensor &input, Tensor (*function)(const Tensor &, double, bool)) const
  {
    const Tensor made = function(input, p_, training_);
    return inplace_ ? input.copy_(made) : made;
  }

 private:
  double p_;
  bool training_ = true, inplace_ = false;
};
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;
using AlphaDropoutFuncOptions = DropoutFuncOptions;
using FeatureAlphaDropoutFuncOptions = DropoutFuncOptions;

inline Tensor dropout(const Tensor &input, const DropoutFuncOptions &options = {})
{
  return options.apply(input, at::dropout);
}
inline Tensor dropout2d(const Tensor &input, const Dropout2dFuncOptions &options = {})
{
  return options.apply(input, at::feature_dropout);
}
inline Tensor dropout3d(const Tensor &input, const Dropout3dFuncOptions &options = {})
{
  return options.apply(input, at::feature_dropout);
}
inline Tensor alpha_dropout(const Tensor &input, const AlphaDropoutFuncOptions &options = {})
{
  return options.apply(input, at::alpha_dropout);
}
inline Tensor feature_alpha_dropout(const Tensor &input,
                                    const FeatureAlphaDropoutFuncOptions &options = {})
{
  return options.apply(input, at::feature_alpha_dropout);
}

// --- convolutions ---

struct ConvFuncOptions {
  ConvFuncOptions &bias(const Tensor &given)
  {
    bias_ = given;
    return *this;
  }
  ConvFuncOptions &stride(const Sizes &given)
  {
    stride_ = given;
    return *this;
  }
  ConvFuncOptions &padding(const Sizes &given)
  {
    padding_ = given;
    return *this;
  }
  ConvFuncOptions &dilation(const Sizes &given)
  {
    dilation_ = given;
    return *this;
  }
  ConvFuncOptions &output_padding(const Sizes &given)
  {
    output_padding_ = given;
    return *this;
  }
  ConvFuncOptions &groups(int64_t given)
  {
    groups_ = given;
    return *this;
  }
  Tensor bias_;
  Sizes stride_ = 1, padding_ = 0, dilation_ = 1, output_padding_ = 0;
  int64_t groups_ = 1;
};
using Conv1dFuncOptions = ConvFuncOptions;
using Conv2dFuncOptions = ConvFuncOptions;
using Conv3dFuncOptions = ConvFuncOptions;
using ConvTranspose1dFuncOptions = ConvFuncOptions;
using ConvTranspose2dFuncOptions = ConvFuncOptions;
using ConvTranspose3dFuncOptions = ConvFuncOptions;

#define ATEN_CONVOLUTION(N)                                                          \
  inline Tensor conv##N##d(const Tensor &input, const Tensor &weight,                \
                           const ConvFuncOptions &o = {})                            \
  {                                                                                  \
    return at::conv##N##d(input, weight, o.bias_, o.stride_.vec(), o.padding_.vec(), \
                          o.dilation_.vec(), o.groups_);                             \
  }                                                                                  \
  ATEN_TRANSPOSED(N)
#define ATEN_TRANSPOSED(N)                                                                     \
  inline Tensor conv_transpose##N##d(const Tensor &input, const Tensor &weight,                \
                                     const ConvFuncOptions &o = {})                            \
  {                                                                                            \
    return at::conv_transpose##N##d(input, weight, o.bias_, o.stride_.vec(), o.padding_.vec(), \
                                    o.output_padding_.vec(), o.groups_, o.dilation_.vec());    \
  }
ATEN_CONVOLUTION(1)
ATEN_CONVOLUTION(2)
ATEN_CONVOLUTION(3)
#undef ATEN_CONVOLUTION
#undef ATEN_TRANSPOSED

// --- normalization ---

struct NormalizeFuncOptions {
  NormalizeFuncOptions &p(double given)
  {
    p_ = given;
    return *this;
  }
  NormalizeFuncOptions &dim(int64_t given)
  {
    dim_ = given;
    return *this;
  }
  NormalizeFuncOptions &eps(double given)
  {
    eps_ = given;
    return *this;
  }
  double p_ = 2, eps_ = 1e-12;
  int64_t dim_ = 1;
};
inline Tensor normalize(const Tensor &input, const NormalizeFuncOptions &options = {})
{
  return at::normalize(input, options.p_, options.dim_, options.eps_);
}

struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape) : shape_(std::move(normalized_shape))
  {
  }
  LayerNormFuncOptions &weight(const Tensor &given)
  {
    weight_ = given;
    return *this;
  }
  LayerNormFuncOptions &bias(const Tensor &given)
  {
    bias_ = given;
    return *this;
  }
  LayerNormFuncOptions &eps(double given)
  {
    eps_ = given;
    return *this;
  }
  std::vector<int64_t> shape_;
  Tensor weight_, bias_;
  double eps_ = 1e-5;
};
inline Tensor layer_norm(const Tensor &input, const LayerNormFuncOptions &options)
{
  return at::layer_norm(input, options.shape_, options.weight_, options.bias_, options.eps_);
}

struct BatchNormFuncOptions {
  BatchNormFuncOptions &weight(const Tensor &given)
  {
    weight_ = given;
    return *this;
  }
  BatchNormFuncOptions &bias(const Tensor &given)
  {
    bias_ = given;
    return *this;
  }
  BatchNormFuncOptions &training(bool given)
  {
    training_ = given;
    return *this;
  }
  BatchNormFuncOptions &momentum(double given)
  {
    momentum_ = given;
    return *this;
  }
  BatchNormFuncOptions &eps(double given)
  {
    eps_ = given;
    return *this;
  }
  Tensor weight_, bias_;
  bool training_ = false;
  double momentum_ = 0.1, eps_ = 1e-5;
};
inline Tensor batch_norm(const Tensor &input, const Tensor &running_mean, const Tensor &running_var,
                         const BatchNormFuncOptions &options = {})
{
  return at::batch_norm(input, options.weight_, options.bias_, running_mean, running_var,
                        options.training_, options.momentum_, options.eps_, false);
}

namespace detail
{

// Which of the names the text is.
inline int64_t numberOf(const std::string &text, std::initializer_list<const char *> names)
{
  int64_t number = 0;
  for (const char *name : names) {
    if (text == name)
      return number;
    number++;
  }
  throw Error("'" + text + "' is no mode");
}

}  // namespace detail

// --- padding, embedding ---

struct PadFuncOptions {
  PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad))
  {
  }
  PadFuncOptions &mode(const std::string &given)
  {
    mode_ = given;
    return *this;
  }
  PadFuncOptions &value(double given)
  {
    value_ = given;
    return *this;
  }
  std::vector<int64_t> pad_;
  std::string mode_ = "constant";
  double value_ = 0;
};
inline Tensor pad(const Tensor &input, const PadFuncOptions &options)
{
  return options.mode_ == "constant" ? at::pad(input, options.pad_, options.mode_, options.value_)
                                     : at::pad(input, options.pad_, options.mode_);
}

// --- sampling ---

struct GridSampleFuncOptions {
  GridSampleFuncOptions &mode(const std::string &given)
  {
    mode_ = detail::numberOf(given, {"bilinear", "nearest", "bicubic"});
    return *this;
  }
  GridSampleFuncOptions &padding_mode(const std::string &given)
  {
    padding_ = detail::numberOf(given, {"zeros", "border", "reflection"});
    return *this;
  }
  GridSampleFuncOptions &align_corners(bool given)
  {
    corners_ = given;
    return *this;
  }
  int64_t mode_ = 0, padding_ = 0;
  bool corners_ = false;
};
inline Tensor grid_sample(const Tensor &input, const Tensor &grid,
                          const GridSampleFuncOptions &options = {})
{
  return input.dim() == 5
             ? at::grid_sampler_3d(input, grid, options.mode_, options.padding_, options.corners_)
             : at::grid_sampler_2d(input, grid, options.mode_, options.padding_, options.corners_);
}

// The rows of weight that indices name.
inline Tensor embedding(const Tensor &input, const Tensor &weight)
{
  return at::embedding(weight, input);
}

}  // namespace at::nn::functional
