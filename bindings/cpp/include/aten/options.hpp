// Where and of what a new tensor is: at::zeros({2, 3}, at::dtype(at::kLong).requires_grad(true)).
#pragma once

#include <string>

#include "scalar.hpp"

namespace at
{

enum class Backend : int8_t { CPU = AT_BACKEND_CPU, CUDA = AT_BACKEND_CUDA };
enum class DeviceType : int8_t { CPU = AT_BACKEND_CPU, CUDA = AT_BACKEND_CUDA };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
using DeviceIndex = int8_t;

// "cpu", "cuda", "cuda:1".
class Device
{
 public:
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index)
  {
  }
  Device(const std::string &text) : Device(text.rfind("cuda", 0) == 0 ? kCUDA : kCPU)
  {
    const size_t length = type_ == kCUDA ? 4 : 3;
    const bool is_indexed = text.size() > length + 1 && text.size() < length + 4 &&
                            text[length] == ':' &&
                            text.find_first_not_of("0123456789", length + 1) == std::string::npos;
    if (text.substr(0, length) != (type_ == kCUDA ? "cuda" : "cpu") ||
        (text.size() > length && !is_indexed))
      throw Error("'" + text + "' is no device; devices are cpu, cuda, cuda:0 ...",
                  AT_ERROR_ARGUMENT);
    if (is_indexed)
      index_ = static_cast<DeviceIndex>(std::stoi(text.substr(length + 1)));
  }
  Device(const char *text) : Device(std::string(text))
  {
  }
  DeviceType type() const
  {
    return type_;
  }
  DeviceIndex index() const
  {
    return index_;
  }
  bool has_index() const
  {
    return index_ >= 0;
  }
  bool is_cuda() const
  {
    return type_ == kCUDA;
  }
  bool is_cpu() const
  {
    return type_ == kCPU;
  }
  std::string str() const
  {
    return std::string(is_cuda() ? "cuda" : "cpu") +
           (has_index() ? ":" + std::to_string(index_) : "");
  }
  friend bool operator==(const Device &a, const Device &b)
  {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }
  friend bool operator!=(const Device &a, const Device &b)
  {
    return !(a == b);
  }

 private:
  DeviceType type_;
  DeviceIndex index_ = -1;
};

inline std::ostream &operator<<(std::ostream &stream, const Device &device)
{
  return stream << device.str();
}

// Of losses: no reduction, the mean, the sum.
namespace Reduction
{
constexpr int64_t None = 0, Mean = 1, Sum = 2;
}

enum class Layout : int8_t { Strided };
constexpr Layout kStrided = Layout::Strided;

namespace detail
{

[[noreturn]] __attribute__((noinline, cold)) inline void wrongDevice(const Device &device)
{
  throw Error(device.str() + " is not the current device (at_cuda_setDevice)", AT_ERROR_ARGUMENT);
}

}  // namespace detail

// An element type, a device, and whether the tensor wants a gradient; what is not said is the
// operation's choice.
class TensorOptions
{
 public:
  constexpr TensorOptions() = default;
  constexpr TensorOptions(ScalarType type) : type_(type)
  {
  }
  constexpr TensorOptions(DeviceType type) : has_device_(true), is_cuda_(type == kCUDA)
  {
  }
  TensorOptions(const Device &device)
      : has_device_(true), is_cuda_(device.is_cuda()), index_(device.index())
  {
  }
  constexpr TensorOptions(Layout)
  {
  }
  constexpr TensorOptions(std::optional<ScalarType> type)
      : type_(type.value_or(ScalarType::Undefined))
  {
  }
  constexpr TensorOptions(std::nullopt_t)
  {
  }

  TensorOptions dtype(ScalarType type) const
  {
    TensorOptions changed = *this;
    changed.type_ = type;
    return changed;
  }
  TensorOptions device(const Device &device) const
  {
    TensorOptions changed(device);
    changed.type_ = type_;
    changed.requires_grad_ = requires_grad_;
    return changed;
  }
  TensorOptions device(DeviceType type, DeviceIndex index) const
  {
    return device(Device(type, index));
  }
  TensorOptions layout(Layout) const
  {
    return *this;
  }
  TensorOptions requires_grad(bool wanted) const
  {
    TensorOptions changed = *this;
    changed.requires_grad_ = wanted;
    return changed;
  }

  bool has_dtype() const
  {
    return type_ != ScalarType::Undefined;
  }
  bool has_device() const
  {
    return has_device_;
  }
  ScalarType dtype() const
  {
    return has_dtype() ? type_ : get_default_dtype();
  }
  Device device() const
  {
    return Device(is_cuda_ ? kCUDA : kCPU, index_);
  }
  bool requires_grad() const
  {
    return requires_grad_;
  }

  // The Type, or AT_DEFAULT_TYPE if nothing was said.  A device alone keeps the element type of the
  // tensor that is given.
  const at_type *c_type(const at_tensor *like = nullptr) const
  {
    if (!has_dtype() && !is_cuda_)
      return AT_DEFAULT_TYPE;
    if (is_cuda_ && index_ >= 0 && index_ != at_cuda_currentDevice())
      detail::wrongDevice(device());
    return (at_getType)(is_cuda_ ? AT_BACKEND_CUDA : AT_BACKEND_CPU,
                        has_dtype() ? at::c_type(type_)
                        : like      ? at_type_scalarType(at_typeOf(like))
                                    : at_defaultType());
  }

 private:
  ScalarType type_ = ScalarType::Undefined;
  bool has_device_ = false, is_cuda_ = false, requires_grad_ = false;
  DeviceIndex index_ = -1;
};

inline TensorOptions dtype(ScalarType type)
{
  return TensorOptions(type);
}
inline TensorOptions device(const Device &device)
{
  return TensorOptions(device);
}
inline TensorOptions layout(Layout layout)
{
  return TensorOptions(layout);
}
inline TensorOptions requires_grad(bool wanted = true)
{
  return TensorOptions().requires_grad(wanted);
}

}  // namespace at
