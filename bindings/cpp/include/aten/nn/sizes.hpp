// What options of layers take: sizes, and a factor.
#pragma once

#include <string>
#include <vector>

#include "../list.hpp"

namespace at::nn
{

// A number for each dimension, or one for all.
class Sizes
{
 public:
  Sizes() = default;
  Sizes(int64_t one) : sizes_{one}
  {
  }
  Sizes(int one) : sizes_{one}
  {
  }
  Sizes(std::initializer_list<int64_t> sizes) : sizes_(sizes)
  {
  }
  Sizes(const std::vector<int64_t> &sizes) : sizes_(sizes)
  {
  }
  const std::vector<int64_t> &vec() const
  {
    return sizes_;
  }
  int64_t operator[](size_t i) const
  {
    return sizes_.at(i);
  }
  at_ints c() const
  {
    return {sizes_.data(), static_cast<int>(sizes_.size())};
  }

 private:
  std::vector<int64_t> sizes_;
};

// A factor for all dimensions alike.
class Factor
{
 public:
  Factor() = default;
  Factor(std::nullopt_t)
  {
  }
  Factor(double factor) : factor_(factor)
  {
  }
  Factor(const std::vector<double> &factors)
  {
    for (double factor : factors) {
      if (factor != factors[0])
        throw Error("scale_factor has different numbers; size takes them", AT_ERROR_ARGUMENT);
      factor_ = factor;
    }
  }
  double c() const
  {
    return factor_;
  }

 private:
  double factor_ = AT_NO_DOUBLE;
};

}  // namespace at::nn
