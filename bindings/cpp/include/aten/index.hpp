// Parts of a tensor: t.index({"...", 0, Slice(1, None), mask}).
#pragma once

#include <cstring>

#include "conversions.hpp"

namespace at
{
namespace indexing
{

constexpr std::nullopt_t None = std::nullopt;

struct EllipsisIndexType {
};
constexpr EllipsisIndexType Ellipsis;

// start, start + step ... before stop, of a dimension.
class Slice
{
 public:
  Slice(std::optional<int64_t> start = nullopt, std::optional<int64_t> stop = nullopt,
        std::optional<int64_t> step = nullopt)
      : start_(start.value_or(0)), stop_(stop.value_or(INT64_MAX)), step_(step.value_or(1))
  {
  }
  int64_t start() const
  {
    return start_;
  }
  int64_t stop() const
  {
    return stop_;
  }
  int64_t step() const
  {
    return step_;
  }

 private:
  int64_t start_, stop_, step_;
};

// One of the indices.
class TensorIndex
{
 public:
  enum class Kind { NewAxis, Dots, Integer, Boolean, Range, Indices };

  TensorIndex(std::nullopt_t) : kind_(Kind::NewAxis)
  {
  }
  TensorIndex(EllipsisIndexType) : kind_(Kind::Dots)
  {
  }
  TensorIndex(const char *text) : kind_(Kind::Dots)
  {
    if (std::strcmp(text, "...") != 0)
      throw Error(std::string("'") + text + "' is no index; \"...\" is", AT_ERROR_ARGUMENT);
  }
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  TensorIndex(T value)
      : kind_(std::is_same_v<T, bool> ? Kind::Boolean : Kind::Integer),
        integer_(static_cast<int64_t>(value))
  {
  }
  TensorIndex(Slice slice) : kind_(Kind::Range), slice_(slice)
  {
  }
  TensorIndex(Tensor tensor) : kind_(Kind::Indices), tensor_(std::move(tensor))
  {
  }

  Kind kind() const
  {
    return kind_;
  }
  int64_t integer() const
  {
    return integer_;
  }
  const Slice &slice() const
  {
    return slice_;
  }
  const Tensor &tensor() const
  {
    return tensor_;
  }
  // How many dimensions of the tensor it is for.
  int64_t dimensions() const
  {
    switch (kind_) {
      case Kind::Integer:
      case Kind::Range:
        return 1;
      case Kind::Indices:
        return tensor_.scalar_type() == kBool || tensor_.scalar_type() == kByte ? tensor_.dim() : 1;
      default:
        return 0;
    }
  }

 private:
  Kind kind_;
  int64_t integer_ = 0;
  Slice slice_;
  Tensor tensor_;
};

}  // namespace indexing

namespace detail
{

// A view by what is no tensor, and the tensors by its dimensions.
struct Indexed {
  Tensor view;
  std::vector<Tensor> tensors;

  Indexed(const Tensor &t, ArrayRef<TensorIndex> indices) : view(t)
  {
    int64_t given = 0;
    for (const TensorIndex &index : indices)
      given += index.dimensions();
    for (const TensorIndex &index : indices)
      apply(index, t.dim() - given);
  }
  bool hasTensors() const
  {
    for (const Tensor &tensor : tensors)
      if (tensor.defined())
        return true;
    return false;
  }

 private:
  int64_t dim = 0, covered = 0;  // dimensions before the next index; those without an entry

  void apply(const TensorIndex &index, int64_t left)
  {
    using Kind = TensorIndex::Kind;
    switch (index.kind()) {
      case Kind::NewAxis:
        view = view.unsqueeze(dim);
        dim++;
        break;
      case Kind::Dots:
        dim += left;
        break;
      case Kind::Integer:
        view = view.select(dim, index.integer());
        break;
      case Kind::Range:
        view = view.slice(dim, index.slice().start(), index.slice().stop(), index.slice().step());
        dim++;
        break;
      case Kind::Boolean:
        view = view.unsqueeze(dim);
        keep(full({1}, index.integer(), kBool), 1);
        break;
      case Kind::Indices:
        keep(index.tensor(), index.dimensions());
        break;
    }
  }
  void keep(const Tensor &index, int64_t dimensions)
  {
    tensors.resize(static_cast<size_t>(dim - covered));
    tensors.push_back(index);
    dim += dimensions;
    covered += dimensions - 1;
  }
};

}  // namespace detail

inline Tensor Tensor::index(ArrayRef<TensorIndex> indices) const
{
  detail::Indexed found(*this, indices);
  return found.hasTensors() ? at::index(found.view, found.tensors) : std::move(found.view);
}

inline Tensor &Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor &values) const
{
  detail::Indexed found(*this, indices);
  if (found.hasTensors())
    at::index_put_(found.view, found.tensors, values);
  else
    found.view.copy_(values);
  return const_cast<Tensor &>(*this);
}

inline Tensor &Tensor::index_put_(ArrayRef<TensorIndex> indices, const Scalar &value) const
{
  return index_put_(indices, scalar_tensor(value, options()));
}

inline Tensor Tensor::operator[](int64_t i) const
{
  return select(0, i);
}
inline Tensor Tensor::operator[](const Tensor &index) const
{
  const bool isNumber = index.dim() == 0 && index.scalar_type() != kBool;
  return isNumber ? select(0, index.item<int64_t>()) : this->index(TensorIndex(index));
}
inline Tensor Tensor::operator[](const Scalar &index) const
{
  return select(0, index.toLong());
}

}  // namespace at
