// First values, as far as no description has them.
#pragma once

#include "../grad.hpp"

namespace at::nn::init
{

inline Tensor ones_(const Tensor &self)
{
  const NoGradGuard no_grad;
  return self.fill_(1);
}
inline Tensor zeros_(const Tensor &self)
{
  const NoGradGuard no_grad;
  return self.fill_(0);
}
// What keeps variances before that function: of "leaky_relu" with the slope param.
inline double calculate_gain(StringRef nonlinearity, std::optional<double> param = nullopt)
{
  const at_init_gain_options options = {param.value_or(AT_NO_DOUBLE)};
  const double gain = (at_init_gain)(nonlinearity.c_str(), &options);
  detail::check(at_error() == AT_OK);
  return gain;
}

}  // namespace at::nn::init
