// Types of ATen as it was in 2018: at::Type &T = at::CPU(at::kFloat); T.ones({2, 3}).
#pragma once

#include "dlpack.hpp"
#include "factories.hpp"
#include "storage.hpp"

namespace at
{

class Type
{
 public:
  constexpr Type(Backend backend, ScalarType type) : backend_(backend), type_(type)
  {
  }
  Type(const Type &) = delete;
  Type &operator=(const Type &) = delete;

  ScalarType scalarType() const
  {
    return type_;
  }
  Backend backend() const
  {
    return backend_;
  }
  bool is_cuda() const
  {
    return backend_ == Backend::CUDA;
  }
  size_t elementSizeInBytes() const
  {
    return elementSize(type_);
  }
  const char *toString() const
  {
    return at_type_toString((at_getType)(static_cast<at_backend>(backend_), c_type(type_)));
  }
  Type &toScalarType(ScalarType type) const;
  Type &toBackend(Backend backend) const;
  TensorOptions options() const
  {
    return TensorOptions(type_).device(is_cuda() ? kCUDA : kCPU);
  }
  // A copy of t with elements of this type.
  Tensor copy(const Tensor &t) const
  {
    return t.to(options(), false, true);
  }
  Tensor scalarTensor(const Scalar &value) const
  {
    return at::scalar_tensor(value, options());
  }
  Tensor tensorFromBlob(void *data, IntArrayRef sizes) const;
  // An empty tensor, and tensors with unspecified elements.
  Tensor tensor() const
  {
    return at::empty({0}, options());
  }
  Tensor tensor(IntArrayRef sizes) const
  {
    return at::empty(sizes, options());
  }
  Tensor tensor(IntArrayRef sizes, IntArrayRef strides) const
  {
    return at::empty_strided(sizes, strides, options());
  }
  friend bool operator==(const Type &a, const Type &b)
  {
    return &a == &b;
  }
  friend bool operator!=(const Type &a, const Type &b)
  {
    return &a != &b;
  }

#include <aten/type_methods.hpp>

 private:
  Backend backend_;
  ScalarType type_;
};

// The one Type of that backend and element type.
inline Type &getType(Backend backend, ScalarType type)
{
#define ATEN_TYPES(BACKEND)                                                                   \
  {                                                                                           \
    {BACKEND, kByte}, {BACKEND, kChar}, {BACKEND, kShort}, {BACKEND, kInt}, {BACKEND, kLong}, \
        {BACKEND, kFloat}, {BACKEND, kDouble}, {BACKEND, kHalf}, {BACKEND, kBool},            \
        {BACKEND, kBFloat16}, {BACKEND, kComplexFloat}, {BACKEND, kComplexDouble},            \
        {BACKEND, kUInt16}, {BACKEND, kUInt32}, {BACKEND, kUInt64},                           \
    {                                                                                         \
      BACKEND, ScalarType::Undefined                                                          \
    }                                                                                         \
  }
  static Type types[][AT_SCALAR_TYPES + 1] = {ATEN_TYPES(Backend::CPU), ATEN_TYPES(Backend::CUDA)};
#undef ATEN_TYPES
  return types[static_cast<int>(backend)][static_cast<int>(type)];
}
inline Type &CPU(ScalarType type)
{
  return getType(Backend::CPU, type);
}
inline Type &CUDA(ScalarType type)
{
  return getType(Backend::CUDA, type);
}

inline Type &Type::toScalarType(ScalarType type) const
{
  return getType(backend_, type);
}
inline Type &Type::toBackend(Backend backend) const
{
  return getType(backend, type_);
}
inline Tensor Type::tensorFromBlob(void *data, IntArrayRef sizes) const
{
  return from_blob(data, sizes, options());
}

inline Type &Tensor::type() const
{
  return getType(device().is_cuda() ? Backend::CUDA : Backend::CPU, scalar_type());
}
inline Tensor Tensor::toType(const Type &type) const
{
  return to(type.options());
}

}  // namespace at
