// Modules with libtorch's names, on the library's at_module, which owns the members.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files.hpp"
#include "grad.hpp"

namespace at::nn
{

// A number for each dimension, or one for all.
class Sizes
{
 public:
  Sizes() = default;
  Sizes(int64_t one) : sizes_{one}
  {
  }
  Sizes(int one) : sizes_{one}
  {
  }
  Sizes(std::initializer_list<int64_t> sizes) : sizes_(sizes)
  {
  }
  Sizes(const std::vector<int64_t> &sizes) : sizes_(sizes)
  {
  }
  at_ints c() const
  {
    return {sizes_.data(), static_cast<int>(sizes_.size())};
  }

 private:
  std::vector<int64_t> sizes_;
};

// The base of networks: a struct with children and parameters that its constructor registers, and a
// forward function.
class Module
{
 public:
  Module() : Module((at_module_new)(&kind()))
  {
  }
  explicit Module(const std::string &) : Module()
  {
  }
  // Takes the module over.
  explicit Module(at_module *module) : module_(module)
  {
    detail::check(module != nullptr);
  }
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  virtual ~Module()
  {
    at_module_free(module_);
  }

  // The child under that name; what it returns is what it was given.
  template <class Child>
  std::shared_ptr<Child> register_module(const std::string &name, std::shared_ptr<Child> child)
  {
    (at_module_add)(module_, name.c_str(), at_module_retain(child->c()));
    if (at_error() != AT_OK)
      detail::raise();
    children_.emplace_back(name, child);
    return child;
  }
  template <class Holder, class = typename Holder::ContainedType>
  Holder register_module(const std::string &name, Holder child)
  {
    register_module(name, child.ptr());
    return child;
  }
  Tensor register_parameter(const std::string &name, const Tensor &t, bool requires_grad = true)
  {
    detail::check(at_defined((at_module_add_parameter)(module_, name.c_str(), t.get())));
    if (!requires_grad)
      (void)(at_detach_)(t.get());
    return t;
  }
  Tensor register_buffer(const std::string &name, const Tensor &t)
  {
    detail::check(at_defined((at_module_add_buffer)(module_, name.c_str(), t.get())));
    return t;
  }

  // --- what it is made of ---

  std::vector<Tensor> parameters() const
  {
    return detail::made((at_module_parameters)(module_));
  }
  std::vector<std::pair<std::string, Tensor>> named_parameters() const
  {
    return pairs((at_module_named_parameters)(module_));
  }
  std::vector<std::pair<std::string, Tensor>> named_buffers() const
  {
    return pairs((at_module_named_buffers)(module_));
  }
  std::vector<std::shared_ptr<Module>> children() const
  {
    std::vector<std::shared_ptr<Module>> all;
    for (const auto &child : children_)
      all.push_back(child.second);
    return all;
  }
  const std::vector<std::pair<std::string, std::shared_ptr<Module>>> &named_children() const
  {
    return children_;
  }
  // Calls the function for each module, children first.
  void apply(const std::function<void(Module &)> &function)
  {
    for (const auto &child : children_)
      child.second->apply(function);
    function(*this);
  }

  // --- modes, types, files ---

  void train(bool on = true)
  {
    (on ? at_module_train : at_module_eval)(module_);
  }
  void eval()
  {
    train(false);
  }
  bool is_training() const
  {
    return at_module_training(module_);
  }
  void zero_grad()
  {
    at_module_zero_grad(module_);
  }
  // Members of floating types become of that type; they are other tensors then.
  void to(ScalarType type)
  {
    detail::check((at_module_to)(module_, TensorOptions(type).c_type()));
    renew();
  }
  void to(const Device &)
  {
  }
  void save(const std::string &path) const
  {
    detail::check((at_module_save)(module_, path.c_str()));
  }
  // What torch.save(net.state_dict(), path) wrote, or save.
  void load(const std::string &path)
  {
    detail::check((at_module_load)(module_, path.c_str(), nullptr));
  }
  // The library's module, borrowed.
  at_module *c() const
  {
    return module_;
  }
  virtual void pretty_print(std::ostream &stream) const
  {
    char *text = (at_module_toString)(module_);
    detail::check(text != nullptr);
    stream << text;
    at_string_free(text);
  }

 protected:
  // The layer's own tensor of that name; undefined if it is absent.
  Tensor member(const char *name) const
  {
    for (const auto &all : {named_parameters(), named_buffers()})
      for (const auto &one : all)
        if (one.first == name)
          return one.second;
    return Tensor();
  }
  // Calls the library's module; a lazy one has other members afterwards.
  Tensor call(std::initializer_list<at_tensor *> inputs)
  {
    std::vector<at_tensor *> all(inputs);
    const at_module_kind *const before = at_module_kindOf(module_);
    Tensor made = detail::made((at_module_call)(module_, at_tensors{all.data(),
                                                                    static_cast<int>(all.size())}));
    if (at_module_kindOf(module_) != before)
      renew();
    return made;
  }
  // Looks for the members anew.
  virtual void renew()
  {
    for (const auto &child : children_)
      child.second->renew();
  }

 private:
  static const at_module_kind &kind()
  {
    static const at_module_kind plain = {"Module", nullptr, 1,       nullptr, nullptr,
                                         0,        nullptr, nullptr, 0};
    return plain;
  }
  static std::vector<std::pair<std::string, Tensor>> pairs(at_dict *dict)
  {
    detail::check(dict != nullptr);
    std::vector<std::pair<std::string, Tensor>> all;
    for (int64_t i = 0; i < at_dict_count(dict); i++)
      all.emplace_back((at_dict_name)(dict, i), Tensor::share((at_dict_at)(dict, i)));
    at_dict_free(dict);
    return all;
  }

  at_module *module_;
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> children_;
};

inline std::ostream &operator<<(std::ostream &stream, const Module &module)
{
  module.pretty_print(stream);
  return stream;
}

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

// A function as a module, for Sequential.
class FunctionalImpl : public Module
{
 public:
  explicit FunctionalImpl(std::function<Tensor(Tensor)> function) : function_(std::move(function))
  {
  }
  Tensor forward(const Tensor &input)
  {
    return function_(input);
  }

 private:
  std::function<Tensor(Tensor)> function_;
};
class Functional : public ModuleHolder<FunctionalImpl>
{
 public:
  template <class Function>
  explicit Functional(Function function)
      : ModuleHolder(std::make_shared<FunctionalImpl>([function](Tensor x) { return function(x); }))
  {
  }
  // An operation with its defaults.
  explicit Functional(Tensor (*function)(const Tensor &))
      : ModuleHolder(std::make_shared<FunctionalImpl>([function](Tensor x) { return function(x); }))
  {
  }
};

// Calls its modules one after the other.
class SequentialImpl : public Module
{
 public:
  template <class... Modules>
  explicit SequentialImpl(Modules &&...modules)
  {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  template <class Impl>
  void push_back(std::shared_ptr<Impl> module)
  {
    register_module(std::to_string(calls_.size()), module);
    calls_.push_back([module](const Tensor &x) { return Tensor(module->forward(x)); });
  }
  template <class Holder, class = typename Holder::ContainedType>
  void push_back(const Holder &module)
  {
    push_back(module.ptr());
  }
  Tensor forward(Tensor input)
  {
    for (const auto &call : calls_)
      input = call(input);
    return input;
  }
  size_t size() const
  {
    return calls_.size();
  }

 private:
  std::vector<std::function<Tensor(const Tensor &)>> calls_;
};
class Sequential : public ModuleHolder<SequentialImpl>
{
 public:
  template <class... Modules>
  explicit Sequential(const Modules &...modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules...))
  {
  }
  Sequential(std::nullptr_t) : ModuleHolder(nullptr)
  {
  }
  Sequential(const Sequential &) = default;
  Sequential(Sequential &) = default;
  Sequential &operator=(const Sequential &) = default;
};

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
