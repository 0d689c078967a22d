// Mixed precision: operations that choose the element types that they compute in.
#pragma once

#include <array>

#include "conversions.hpp"
#include "options.hpp"
#include <aten/plain.hpp>

namespace at::autocast
{
namespace detail
{

inline at_autocast_device device_of(DeviceType type)
{
  return type == kCUDA ? AT_AUTOCAST_CUDA : AT_AUTOCAST_CPU;
}
// The lower type of each device in this thread, also while autocast is off there.
inline ScalarType &lower_type(DeviceType type)
{
  thread_local std::array<ScalarType, AT_AUTOCAST_DEVICES> types = {kBFloat16, kHalf};
  return types[device_of(type)];
}

}  // namespace detail

// Whether operations in this thread cast operands, as inside AT_AUTOCAST of ATenGrad.h.
inline bool is_autocast_enabled(DeviceType device_type)
{
  return at_autocast_get(detail::device_of(device_type)) != AT_FLOAT;
}
inline void set_autocast_enabled(DeviceType device_type, bool enabled)
{
  const ScalarType type = enabled ? detail::lower_type(device_type) : kFloat;
  at::detail::check(at_autocast_set(detail::device_of(device_type), c_type(type)));
}
// The type that products and convolutions compute in: BFloat16 or Half.
inline ScalarType get_autocast_dtype(DeviceType device_type)
{
  return detail::lower_type(device_type);
}
inline void set_autocast_dtype(DeviceType device_type, ScalarType dtype)
{
  if (dtype != kBFloat16 && dtype != kHalf)
    throw Error("set_autocast_dtype: dtype has to be BFloat16 or Half", AT_ERROR_TYPE);
  detail::lower_type(device_type) = dtype;
  if (is_autocast_enabled(device_type))
    set_autocast_enabled(device_type, true);
}
// Whether each leaf is cast once for a block, until it changes.
inline bool is_autocast_cache_enabled()
{
  const bool is_on = autocast_setCache(true);
  if (!is_on)
    autocast_setCache(false);
  return is_on;
}
inline void set_autocast_cache_enabled(bool enabled)
{
  autocast_setCache(enabled);
}
// Releases the casts that there are.
inline void clear_cache()
{
  autocast_setCache(autocast_setCache(false));
}

}  // namespace at::autocast

namespace at
{

// Mixed precision until the end of the block, as Python's torch.autocast; with enabled = false none.
class AutocastGuard
{
 public:
  explicit AutocastGuard(DeviceType device_type = kCPU, optional<ScalarType> dtype = nullopt,
                         bool enabled = true)
      : device_(device_type),
        before_(autocast::get_autocast_dtype(device_type)),
        wasEnabled_(autocast::is_autocast_enabled(device_type))
  {
    if (dtype)
      autocast::set_autocast_dtype(device_, *dtype);
    autocast::set_autocast_enabled(device_, enabled);
  }
  AutocastGuard(const AutocastGuard &) = delete;
  AutocastGuard &operator=(const AutocastGuard &) = delete;
  ~AutocastGuard()
  {
    autocast::detail::lower_type(device_) = before_;
    (void)at_autocast_set(autocast::detail::device_of(device_),
                          wasEnabled_ ? c_type(before_) : AT_FLOAT);
  }

 private:
  DeviceType device_;
  ScalarType before_;
  bool wasEnabled_;
};

}  // namespace at
