// The methods of at::Tensor that are made of operations.
#pragma once

#include <aten/operations.hpp>

namespace at
{

inline Scalar Tensor::item() const
{
  const at_scalar value = (at_item)(tensor_);
  if (value.is_float && value.value.number != value.value.number && at_error() != AT_OK)
    detail::raise();
  if (scalar_type() == kBool)
    return Scalar(value.value.integer != 0);
  return Scalar(value);
}

inline Scalar::Scalar(const Tensor &t) : Scalar(t.item())
{
}

inline Tensor &Tensor::requires_grad_(bool wanted) const
{
  detail::changed(wanted ? (at_requires_grad_)(tensor_) : (at_detach_)(tensor_));
  return const_cast<Tensor &>(*this);
}

inline Tensor &Tensor::detach_() const
{
  return requires_grad_(false);
}

inline Tensor Tensor::data() const
{
  return detach();
}

inline void Tensor::retain_grad() const
{
  detail::changed((at_retain_grad)(tensor_));
}

inline void Tensor::backward(const Tensor &gradient, std::optional<bool> retain_graph,
                             bool create_graph) const
{
  at_backward_options options;
  options.gradient = gradient.tensor_;
  options.retain_graph = retain_graph.value_or(create_graph);
  options.create_graph = create_graph;
  detail::check((at_backward)(tensor_, &options));
}

inline Tensor Tensor::to(const TensorOptions &options, bool, bool copy) const
{
  if (!defined())
    throw Error("to: self is undefined", AT_ERROR_NULL, "to");
  TensorOptions wanted = options;
  if (!wanted.has_device())
    wanted = wanted.device(device());
  if (!wanted.has_dtype())
    wanted = wanted.dtype(scalar_type());
  if (!copy && wanted.dtype() == scalar_type() && wanted.device().type() == device().type())
    return *this;
  if (wanted.dtype() == scalar_type() && wanted.device().type() == device().type())
    return clone();
  return detail::made((at_to)(tensor_, wanted.c_type()));
}

inline const Tensor &Tensor::operator=(const Tensor &other) &&
{
  return copy_(other);
}
inline const Tensor &Tensor::operator=(Tensor &&other) &&
{
  return copy_(other);
}
inline const Tensor &Tensor::operator=(const Scalar &number) &&
{
  return fill_(number);
}

}  // namespace at
