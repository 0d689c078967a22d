// Tensors on the memory of others, and the reverse.
#pragma once

#include <functional>
#include <memory>

#include <ATen/ATenDLPackTypes.h>

#include "conversions.hpp"

namespace at
{

// To be given to the other library, or to its deleter.
inline DLManagedTensor *toDLPack(const Tensor &t)
{
  DLManagedTensor *managed = at_toDLPack(t.get());
  detail::check(managed != nullptr);
  return managed;
}

// Takes over managed, unless it throws.
inline Tensor fromDLPack(DLManagedTensor *managed)
{
  return detail::made((at_fromDLPack)(managed));
}

namespace detail
{

// Memory that a program lends, with its shape.
struct Lent {
  DLManagedTensor managed;
  std::vector<int64_t> sizes, strides;
  std::function<void(void *)> deleter;

  static void free(DLManagedTensor *managed)
  {
    std::unique_ptr<Lent> lent(static_cast<Lent *>(managed->manager_ctx));
    if (lent->deleter)
      lent->deleter(managed->dl_tensor.data);
  }
};

inline DLDataType dlpack_type(ScalarType type)
{
  const uint8_t code = type == kBFloat16                  ? kDLBfloat
                       : isFloatingType(type)             ? kDLFloat
                       : isComplexType(type)              ? kDLComplex
                       : type == kBool                    ? kDLBool
                       : type == kByte || type >= kUInt16 ? kDLUInt
                                                          : kDLInt;
  return {code, static_cast<uint8_t>(8 * elementSize(type)), 1};
}

}  // namespace detail

// A tensor on memory of the program; the deleter, if there is one, is called when no tensor uses
// the memory any more.  Strides are in elements.
inline Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides,
                        const std::function<void(void *)> &deleter,
                        const TensorOptions &options = {})
{
  if (strides.size() != sizes.size())
    throw Error("from_blob: " + std::to_string(strides.size()) + " strides for " +
                    std::to_string(sizes.size()) + " sizes",
                AT_ERROR_ARGUMENT, "from_blob");
  auto lent = std::make_unique<detail::Lent>();
  lent->sizes = sizes.vec();
  lent->strides = strides.vec();
  lent->deleter = deleter;
  lent->managed.manager_ctx = lent.get();
  lent->managed.deleter = detail::Lent::free;
  DLTensor &t = lent->managed.dl_tensor;
  t.data = data;
  t.device = {kDLCPU, 0};
  t.ndim = static_cast<int32_t>(sizes.size());
  t.dtype = detail::dlpack_type(options.dtype());
  t.shape = lent->sizes.data();
  t.strides = lent->strides.data();
  t.byte_offset = 0;
  Tensor made = fromDLPack(&lent->managed);
  lent.release();
  return options.requires_grad() ? made.requires_grad_() : made;
}

// The same of row-major memory.
inline Tensor from_blob(void *data, IntArrayRef sizes, const std::function<void(void *)> &deleter,
                        const TensorOptions &options = {})
{
  std::vector<int64_t> strides(sizes.size());
  int64_t next = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = next;
    if (__builtin_mul_overflow(next, sizes[i] > 1 ? sizes[i] : 1, &next))
      throw Error("from_blob: the sizes are too large", AT_ERROR_ARGUMENT, "from_blob");
  }
  return from_blob(data, sizes, strides, deleter, options);
}
inline Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options = {})
{
  return from_blob(data, sizes, std::function<void(void *)>(), options);
}
inline Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides,
                        const TensorOptions &options = {})
{
  return from_blob(data, sizes, strides, std::function<void(void *)>(), options);
}

}  // namespace at
