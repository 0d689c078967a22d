// Lists of modules: Sequential, ModuleList.
#pragma once

#include "holder.hpp"

namespace at::nn
{

// A module of any class, which takes one tensor if it is called.
class AnyModule
{
 public:
  AnyModule() = default;
  template <class Impl, class = std::enable_if_t<std::is_base_of_v<Module, Impl>>>
  AnyModule(std::shared_ptr<Impl> module)
      : module_(module), again_([](const std::shared_ptr<Module> &copy) {
          return AnyModule(std::dynamic_pointer_cast<Impl>(copy));
        })
  {
    if constexpr (takesTensor<Impl>(0))
      call_ = [module](const Tensor &x) { return Tensor(module->forward(x)); };
  }
  template <class Holder, class = typename Holder::ContainedType, class = void>
  AnyModule(const Holder &module) : AnyModule(module.ptr())
  {
  }
  // The layer of options, where a layer is an option of another.
  template <class Options, class Impl = typename Options::ModuleType,
            class = std::enable_if_t<std::is_base_of_v<Module, Impl>>, class = void, class = void>
  AnyModule(const Options &options) : AnyModule(std::make_shared<Impl>(options))
  {
  }
  template <class Result = Tensor>
  Result forward(const Tensor &input) const
  {
    if (!call_)
      throw Error("the module does not make one tensor of one");
    return call_(input);
  }
  const std::shared_ptr<Module> &ptr() const
  {
    return module_;
  }
  // A holder or a class of modules.
  template <class Wanted>
  auto &get() const
  {
    auto *found = module_ ? module_->as<Wanted>() : nullptr;
    if (!found)
      throw Error("the module is of another class");
    return *found;
  }
  bool is_empty() const
  {
    return !module_;
  }
  // A copy of the module; none of none.
  AnyModule clone(const std::optional<Device> &device = {}) const
  {
    return module_ ? again_(module_->clone(device)) : AnyModule();
  }
  // Another reference to the library's module; NULL if there is none.
  at_module *c() const
  {
    return module_ ? at_module_retain(module_->c()) : nullptr;
  }

 private:
  template <class Impl>
  static constexpr auto takesTensor(int) -> std::enable_if_t<
      std::is_constructible_v<
          Tensor, decltype(std::declval<Impl &>().forward(std::declval<const Tensor &>()))>,
      bool>
  {
    return true;
  }
  template <class Impl>
  static constexpr bool takesTensor(long)
  {
    return false;
  }
  std::shared_ptr<Module> module_;
  std::function<Tensor(const Tensor &)> call_;
  AnyModule (*again_)(const std::shared_ptr<Module> &) = nullptr;  // of a module of the same class
};

// A module and its name in a Sequential.
struct NamedAnyModule : std::pair<std::string, AnyModule> {
  using std::pair<std::string, AnyModule>::pair;
};

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
  std::shared_ptr<Module> clone(const std::optional<Device> & = {}) const override
  {
    auto copy = std::make_shared<FunctionalImpl>(function_);
    copy->train(is_training());
    return copy;
  }

 private:
  std::function<Tensor(Tensor)> function_;
};
class Functional : public ModuleHolder<FunctionalImpl>
{
 public:
  // Arguments behind the tensor are those of each call.
  template <class Function, class... Arguments>
  explicit Functional(Function function, Arguments... arguments)
      : ModuleHolder(std::make_shared<FunctionalImpl>([=](Tensor x) {
          return function(std::move(x), arguments...);
        }))
  {
  }
  // An operation with its defaults.
  explicit Functional(Tensor (*function)(const Tensor &))
      : ModuleHolder(std::make_shared<FunctionalImpl>([function](Tensor x) { return function(x); }))
  {
  }
};

// What lists of modules have in common; names are 0, 1 and so on, where none are given.
class ModulesImpl : public Module
{
 public:
  void push_back(const std::string &name, const AnyModule &module)
  {
    register_module(name, module.ptr());
    modules_.push_back(module);
    pointers_.push_back(module.ptr());
  }
  void push_back(const AnyModule &module)
  {
    push_back(std::to_string(modules_.size()), module);
  }
  void push_back(const NamedAnyModule &module)
  {
    push_back(module.first, module.second);
  }
  template <class List>
  void extend(const List &list)
  {
    for (const auto &module : list)
      push_back(module);
  }
  size_t size() const
  {
    return modules_.size();
  }
  bool is_empty() const
  {
    return modules_.empty();
  }
  const std::shared_ptr<Module> &ptr(size_t i) const
  {
    return pointers_.at(i);
  }
  template <class Wanted>
  auto &at(size_t i) const
  {
    return modules_.at(i).template get<Wanted>();
  }
  const std::shared_ptr<Module> &operator[](size_t i) const
  {
    return ptr(i);
  }

 protected:
  // A list of copies under the same names.
  template <class List>
  std::shared_ptr<Module> copied(const std::optional<Device> &device) const
  {
    auto copy = std::make_shared<List>();
    copy->train(is_training());
    const auto names = named_children().keys();
    for (size_t i = 0; i < modules_.size(); i++)
      copy->push_back(names[i], modules_[i].clone(device));
    return copy;
  }

  std::vector<AnyModule> modules_;
  std::vector<std::shared_ptr<Module>> pointers_;
};

// Calls its modules one after the other.
class SequentialImpl : public ModulesImpl
{
 public:
  template <class... Modules>
  explicit SequentialImpl(Modules &&...modules)
  {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules)
  {
    extend(modules);
  }
  Tensor forward(Tensor input)
  {
    for (const AnyModule &module : modules_)
      input = module.forward(input);
    return input;
  }
  std::shared_ptr<Module> clone(const std::optional<Device> &device = {}) const override
  {
    return copied<SequentialImpl>(device);
  }
  auto begin() const
  {
    return modules_.begin();
  }
  auto end() const
  {
    return modules_.end();
  }
};
class Sequential : public ModuleHolder<SequentialImpl>
{
 public:
  template <class... Modules>
  explicit Sequential(const Modules &...modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules...))
  {
  }
  // Sequential({{"conv", Conv2d(1, 2, 3)}, {"relu", ReLU()}})
  Sequential(std::initializer_list<NamedAnyModule> modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules))
  {
  }
  Sequential(std::nullptr_t) : ModuleHolder(nullptr)
  {
  }
  Sequential(const Sequential &) = default;
  Sequential(Sequential &) = default;
  Sequential &operator=(const Sequential &) = default;
};

// Only a list, for forward functions that use its modules.
class ModuleListImpl : public ModulesImpl
{
 public:
  template <class... Modules>
  explicit ModuleListImpl(Modules &&...modules)
  {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  std::shared_ptr<Module> clone(const std::optional<Device> &device = {}) const override
  {
    return copied<ModuleListImpl>(device);
  }
  auto begin() const
  {
    return pointers_.begin();
  }
  auto end() const
  {
    return pointers_.end();
  }
};
class ModuleList : public ModuleHolder<ModuleListImpl>
{
 public:
  template <class... Modules>
  explicit ModuleList(const Modules &...modules)
      : ModuleHolder(std::make_shared<ModuleListImpl>(modules...))
  {
  }
  ModuleList(std::nullptr_t) : ModuleHolder(nullptr)
  {
  }
  ModuleList(const ModuleList &) = default;
  ModuleList(ModuleList &) = default;
  ModuleList &operator=(const ModuleList &) = default;
  const std::shared_ptr<Module> &operator[](size_t i) const
  {
    return (*get())[i];
  }
};

}  // namespace at::nn
