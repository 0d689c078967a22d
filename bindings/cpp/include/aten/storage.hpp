// at::Storage: a counted reference to the memory that tensors are views of.
#pragma once

#include "tensor.hpp"

namespace at
{

class Storage
{
 public:
  Storage(ScalarType type, int64_t count)
      : s_((at_storage_new)((at_getType)(AT_BACKEND_CPU, c_type(type)), count))
  {
    detail::check(s_ != nullptr);
  }
  explicit Storage(const Tensor &t) : s_((at_storageOf)(t.get()))
  {
    detail::check(s_ != nullptr);
  }
  Storage(const Storage &other) : s_(at_storage_retain(other.s_))
  {
  }
  Storage(Storage &&other) noexcept : s_(std::exchange(other.s_, nullptr))
  {
  }
  Storage &operator=(Storage other) noexcept
  {
    std::swap(s_, other.s_);
    return *this;
  }
  ~Storage()
  {
    at_storage_release(s_);
  }
  at_storage *get() const
  {
    return s_;
  }
  int64_t size() const
  {
    return at_storage_size(s_);
  }
  void *data() const
  {
    return at_storage_data(s_);
  }

 private:
  at_storage *s_;
};

}  // namespace at
