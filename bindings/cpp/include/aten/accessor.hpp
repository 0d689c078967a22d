// Elements by their indices: auto a = t.accessor<float, 2>(); a[i][j] = 1.
#pragma once

#include "conversions.hpp"

namespace at
{

// N dimensions of a tensor that stays as it is meanwhile.  Indices are not checked.
template <class T, size_t N>
class TensorAccessor
{
 public:
  TensorAccessor(T *data, const int64_t *sizes, const int64_t *strides)
      : data_(data), sizes_(sizes), strides_(strides)
  {
  }
  int64_t size(size_t dim) const
  {
    return sizes_[dim];
  }
  int64_t stride(size_t dim) const
  {
    return strides_[dim];
  }
  IntArrayRef sizes() const
  {
    return IntArrayRef(sizes_, N);
  }
  IntArrayRef strides() const
  {
    return IntArrayRef(strides_, N);
  }
  T *data() const
  {
    return data_;
  }
  decltype(auto) operator[](int64_t i) const
  {
    T *const at = data_ + i * strides_[0];
    if constexpr (N == 1)
      return static_cast<T &>(*at);
    else
      return TensorAccessor<T, N - 1>(at, sizes_ + 1, strides_ + 1);
  }

 private:
  T *data_;
  const int64_t *sizes_, *strides_;
};

template <class T, size_t N>
TensorAccessor<T, N> Tensor::accessor() const
{
  static_assert(N > 0, "a tensor without dimensions has item()");
  if (dim() != static_cast<int64_t>(N))
    throw Error("an accessor of " + std::to_string(N) + " dimensions for a tensor of " +
                    std::to_string(dim()),
                AT_ERROR_ARGUMENT);
  return TensorAccessor<T, N>(data_ptr<T>(), sizes().data(), strides().data());
}

}  // namespace at
