// Holders of modules, and their files.
#pragma once

#include "module.hpp"

namespace at::nn
{

// A module with the syntax of a value: Linear(3, 4) makes one, Linear(nullptr) holds none.
template <class Impl>
class ModuleHolder
{
 public:
  using ContainedType = Impl;
  // One that is made without options.
  ModuleHolder() : impl_(std::make_shared<Impl>())
  {
  }
  ModuleHolder(std::nullptr_t)
  {
  }
  ModuleHolder(std::shared_ptr<Impl> impl) : impl_(std::move(impl))
  {
  }
  template <class Head, class... Tail,
            class = std::enable_if_t<!std::is_base_of_v<ModuleHolder, std::decay_t<Head>> &&
                                     !std::is_convertible_v<Head, std::shared_ptr<Impl>>>>
  explicit ModuleHolder(Head &&head, Tail &&...tail)
      : impl_(std::make_shared<Impl>(std::forward<Head>(head), std::forward<Tail>(tail)...))
  {
  }
  Impl *operator->() const
  {
    return get();
  }
  Impl &operator*() const
  {
    return *get();
  }
  template <class... Arguments>
  auto operator()(Arguments &&...arguments) const
  {
    return get()->forward(std::forward<Arguments>(arguments)...);
  }
  // A member of a list or a dictionary.
  template <class Index>
  decltype(auto) operator[](Index &&index) const
  {
    return (*get())[std::forward<Index>(index)];
  }
  Impl *get() const
  {
    if (!impl_)
      throw Error("the module holder is empty");
    return impl_.get();
  }
  const std::shared_ptr<Impl> &ptr() const
  {
    (void)get();
    return impl_;
  }
  bool is_empty() const
  {
    return !impl_;
  }
  explicit operator bool() const noexcept
  {
    return impl_ != nullptr;
  }

 private:
  std::shared_ptr<Impl> impl_;
};

template <class Impl>
std::ostream &operator<<(std::ostream &stream, const ModuleHolder<Impl> &module)
{
  return stream << *module;
}

// NAME, a holder of NAMEImpl.
#define TORCH_MODULE(NAME)                                  \
  class NAME : public ::at::nn::ModuleHolder<NAME##Impl>    \
  {                                                         \
   public:                                                  \
    using ::at::nn::ModuleHolder<NAME##Impl>::ModuleHolder; \
    using Impl = NAME##Impl;                                \
  }

}  // namespace at::nn

namespace at
{

// Files of state dicts.
template <class Impl, class = std::enable_if_t<std::is_base_of_v<nn::Module, Impl>>>
void save(const std::shared_ptr<Impl> &module, const std::string &path)
{
  module->save(path);
}
template <class Impl, class = std::enable_if_t<std::is_base_of_v<nn::Module, Impl>>>
void load(std::shared_ptr<Impl> &module, const std::string &path)
{
  module->load(path);
}
template <class Impl>
void save(const nn::ModuleHolder<Impl> &module, const std::string &path)
{
  module->save(path);
}
template <class Impl>
void load(nn::ModuleHolder<Impl> &module, const std::string &path)
{
  module->load(path);
}

}  // namespace at
