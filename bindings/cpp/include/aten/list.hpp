// Lists that are borrowed for the duration of a call: at::zeros({2, 3}), t.sum({0, 1}).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "error.hpp"

namespace at
{

template <class T>
using optional = std::optional<T>;
using std::nullopt;

// A pointer and a length.  A single value is a list of one.
template <class T>
class ArrayRef
{
 public:
  using value_type = T;
  using iterator = const T *;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T &one) : data_(&one), size_(1)
  {
  }
  constexpr ArrayRef(const T *data, size_t size) : data_(data), size_(size)
  {
  }
  constexpr ArrayRef(const T *begin, const T *end) : data_(begin), size_(end - begin)
  {
  }
  template <class Allocator>
  ArrayRef(const std::vector<T, Allocator> &list) : data_(list.data()), size_(list.size())
  {
  }
  template <size_t N>
  constexpr ArrayRef(const std::array<T, N> &list) : data_(list.data()), size_(N)
  {
  }
  template <size_t N>
  constexpr ArrayRef(const T (&list)[N]) : data_(list), size_(N)
  {
  }
  constexpr ArrayRef(std::initializer_list<T> list)
      : ArrayRef(list.size() ? list.begin() : nullptr, list.size())
  {
  }
  constexpr ArrayRef(std::nullopt_t)
  {
  }

  constexpr const T *data() const
  {
    return data_;
  }
  constexpr size_t size() const
  {
    return size_;
  }
  constexpr bool empty() const
  {
    return !size_;
  }
  constexpr const T *begin() const
  {
    return data_;
  }
  constexpr const T *end() const
  {
    return data_ + size_;
  }
  constexpr const T &operator[](size_t i) const
  {
    return data_[i];
  }
  const T &at(size_t i) const
  {
    if (i >= size_)
      throw Error("index " + std::to_string(i) + " of a list of " + std::to_string(size_),
                  AT_ERROR_ARGUMENT);
    return data_[i];
  }
  const T &front() const
  {
    return at(0);
  }
  const T &back() const
  {
    return at(size_ - 1);
  }
  bool equals(ArrayRef other) const
  {
    if (size_ != other.size_)
      return false;
    for (size_t i = 0; i < size_; i++)
      if (!(data_[i] == other.data_[i]))
        return false;
    return true;
  }
  ArrayRef slice(size_t start, size_t length) const
  {
    if (start > size_ || length > size_ - start)
      throw Error("a slice past the end of a list", AT_ERROR_ARGUMENT);
    return ArrayRef(data_ + start, length);
  }
  std::vector<T> vec() const
  {
    return std::vector<T>(begin(), end());
  }

 private:
  const T *data_ = nullptr;
  size_t size_ = 0;
};

template <class T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b)
{
  return a.equals(b);
}
template <class T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b)
{
  return !a.equals(b);
}
template <class T>
bool operator==(ArrayRef<T> a, const std::vector<T> &b)
{
  return a.equals(b);
}
template <class T>
bool operator==(const std::vector<T> &a, ArrayRef<T> b)
{
  return b.equals(a);
}

template <class T>
std::ostream &operator<<(std::ostream &stream, ArrayRef<T> list)
{
  stream << "[";
  for (size_t i = 0; i < list.size(); i++)
    stream << (i ? ", " : "") << list[i];
  return stream << "]";
}

using IntArrayRef = ArrayRef<int64_t>;
using IntList = IntArrayRef;

// One of the words that options take: torch::kMean, torch::kReflect.
struct Word {
  const char *text;
  operator std::string() const
  {
    return text;
  }
};
constexpr Word kNone{"none"}, kMean{"mean"}, kSum{"sum"}, kBatchMean{"batchmean"}, kMax{"max"};
constexpr Word kZeros{"zeros"}, kConstant{"constant"}, kReflect{"reflect"}, kReplicate{"replicate"},
    kCircular{"circular"}, kBorder{"border"}, kReflection{"reflection"};
constexpr Word kSame{"same"}, kValid{"valid"}, kFanIn{"fan_in"}, kFanOut{"fan_out"};
constexpr Word kNearest{"nearest"}, kLinear{"linear"}, kBilinear{"bilinear"}, kBicubic{"bicubic"},
    kTrilinear{"trilinear"}, kArea{"area"}, kNearestExact{"nearest-exact"};
constexpr Word kReLU{"relu"}, kGELU{"gelu"}, kTanh{"tanh"}, kSigmoid{"sigmoid"},
    kLeakyReLU{"leaky_relu"}, kSELU{"selu"}, kConv1D{"conv1d"}, kConv2D{"conv2d"},
    kConv3D{"conv3d"};

// A string, for the duration of a call.
class StringRef
{
 public:
  StringRef(Word word) : text_(word.text)
  {
  }
  StringRef(const char *text) : text_(text)
  {
  }
  StringRef(const std::string &text) : text_(text.c_str())
  {
  }
  const char *c_str() const
  {
    return text_;
  }

 private:
  const char *text_;
};

namespace detail
{

inline at_ints c_list(IntArrayRef list)
{
  return at_ints(list.data(), static_cast<int>(list.size()));
}
inline at_doubles c_list(ArrayRef<double> list)
{
  return at_doubles(list.data(), static_cast<int>(list.size()));
}
inline IntArrayRef list_of(at_ints list)
{
  return IntArrayRef(list.data, static_cast<size_t>(list.count));
}

// For parameters that are bools and nothing that converts to one: t.var(0) is of dimension 0.
template <class T>
using isBool = std::enable_if_t<std::is_same_v<T, bool>, int>;

}  // namespace detail
}  // namespace at
