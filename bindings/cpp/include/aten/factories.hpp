// Tensors of given values: at::tensor({{1, 2}, {3, 4}}), at::randint(10, {2, 3}).
#pragma once

#include <cstring>

#include "conversions.hpp"

namespace at
{
namespace detail
{

// Values in braces, to any depth.
class NestedValues
{
 public:
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  NestedValues(T value) : type_(literalType<T>()), values_{Scalar(value)}
  {
  }
  template <class T>
  NestedValues(std::complex<T> value) : type_(literalType<std::complex<T>>()), complex_{value}
  {
  }
  template <class T>
  NestedValues(ArrayRef<T> list)
      : sizes_{static_cast<int64_t>(list.size())}, type_(literalType<T>())
  {
    for (T value : list)
      push(value);
  }
  template <class T>
  NestedValues(const std::vector<T> &list)
      : sizes_{static_cast<int64_t>(list.size())}, type_(literalType<T>())
  {
    for (T value : list)
      push(value);
  }
  NestedValues(std::initializer_list<NestedValues> list)
      : sizes_{static_cast<int64_t>(list.size())}, type_(list.size() ? list.begin()->type_ : kFloat)
  {
    for (const NestedValues &part : list) {
      if (part.sizes_ != list.begin()->sizes_ || part.type_ != type_)
        throw Error("tensor: the parts of a list have different sizes or types", AT_ERROR_ARGUMENT,
                    "tensor");
      values_.insert(values_.end(), part.values_.begin(), part.values_.end());
      complex_.insert(complex_.end(), part.complex_.begin(), part.complex_.end());
    }
    if (list.size())
      sizes_.insert(sizes_.end(), list.begin()->sizes_.begin(), list.begin()->sizes_.end());
  }

  Tensor tensor(const TensorOptions &options) const
  {
    const ScalarType held = isFloatingType(type_)  ? kDouble
                            : isComplexType(type_) ? kComplexDouble
                                                   : kLong;
    Tensor t = empty(sizes_, held);
    for (size_t i = 0; i < complex_.size(); i++)
      t.data_ptr<std::complex<double>>()[i] = complex_[i];
    for (size_t i = 0; i < values_.size(); i++)
      if (held == kDouble)
        t.data_ptr<double>()[i] = values_[i].toDouble();
      else
        t.data_ptr<int64_t>()[i] = values_[i].toLong();
    t = t.to(options.has_dtype() ? options : options.dtype(type_));
    return options.requires_grad() ? t.requires_grad_() : t;
  }

 private:
  // Integers are Long and floating numbers of the default type, complex ones too; bools are Bool.
  template <class T>
  static ScalarType literalType()
  {
    if constexpr (std::is_arithmetic_v<T>)
      return std::is_same_v<T, bool>       ? kBool
             : std::is_floating_point_v<T> ? get_default_dtype()
                                           : kLong;
    else
      return get_default_dtype() == kDouble ? kComplexDouble : kComplexFloat;
  }
  template <class T>
  void push(T value)
  {
    if constexpr (std::is_arithmetic_v<T>)
      values_.push_back(Scalar(value));
    else
      complex_.push_back(value);
  }

  std::vector<int64_t> sizes_;
  ScalarType type_;
  std::vector<Scalar> values_;
  std::vector<std::complex<double>> complex_;  // instead of values_
};

}  // namespace detail

inline Tensor tensor(const detail::NestedValues &values, const TensorOptions &options = {})
{
  return values.tensor(options);
}

// Integers from low to high - 1, of Long unless options say otherwise.
inline Tensor randint(int64_t low, int64_t high, IntArrayRef sizes,
                      const TensorOptions &options = {})
{
  return empty(sizes, options.has_dtype() ? options : options.dtype(kLong)).random_(low, high);
}
inline Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions &options = {})
{
  return randint(0, high, sizes, options);
}

// Normal numbers of those sizes.
inline Tensor normal(double mean, double std, IntArrayRef sizes, const Generator &generator = {},
                     const TensorOptions &options = {})
{
  const Tensor t = empty(sizes, options).normal_(mean, std, generator);
  return options.requires_grad() ? t.requires_grad_() : t;
}

// What libtorch calls unique.
inline std::tuple<Tensor, Tensor> _unique(const Tensor &self, bool sorted = true,
                                          bool return_inverse = false)
{
  auto [values, inverse, counts] = unique(self, sorted, return_inverse);
  return {std::move(values), std::move(inverse)};
}
// The same with the sizes and, unless options say otherwise, the type of a tensor.
inline Tensor randint_like(const Tensor &t, int64_t low, int64_t high,
                           const TensorOptions &options = {})
{
  return empty(t.sizes(), options.has_dtype() ? options : t.options()).random_(low, high);
}
inline Tensor randint_like(const Tensor &t, int64_t high, const TensorOptions &options = {})
{
  return randint_like(t, 0, high, options);
}

// The element type of what a and b make together.
template <class Other>
ScalarType result_type(const Tensor &a, const Other &b)
{
  const auto empty_like = [](const Tensor &t) {
    return at::empty(std::vector<int64_t>(t.dim() > 0 ? 1 : 0, 0), t.options());
  };
  if constexpr (std::is_same_v<Other, Tensor>)
    return mul(empty_like(a), empty_like(b)).scalar_type();
  else
    return mul(empty_like(a), Scalar(b)).scalar_type();
}
}  // namespace at
