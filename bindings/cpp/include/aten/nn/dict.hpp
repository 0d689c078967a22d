// Modules by their names: ModuleDict.
#pragma once

#include "holder.hpp"

namespace at::nn
{

// Only a dictionary, for forward functions that use its modules.  They stay: a name that is taken is an
// error, and none is removed.
class ModuleDictImpl : public Module
{
 public:
  using Modules = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

  ModuleDictImpl() = default;
  explicit ModuleDictImpl(const Modules &modules)
  {
    update(modules);
  }
  explicit ModuleDictImpl(const Named<std::shared_ptr<Module>> &modules)
  {
    update(modules);
  }
  void insert(const std::string &name, std::shared_ptr<Module> module)
  {
    register_module(name, std::move(module));
  }
  void update(const Modules &modules)
  {
    for (const auto &[name, module] : modules)
      insert(name, module);
  }
  void update(const Named<std::shared_ptr<Module>> &modules)
  {
    for (const auto &module : modules)
      insert(module.key(), module.value());
  }
  std::shared_ptr<Module> clone(const std::optional<Device> &device = {}) const override
  {
    auto copy = std::make_shared<ModuleDictImpl>();
    copy->train(is_training());
    for (const auto &module : named_children())
      copy->insert(module.key(), module.value()->clone(device));
    return copy;
  }
  const auto &items() const
  {
    return named_children().items();
  }
  std::vector<std::string> keys() const
  {
    return named_children().keys();
  }
  std::vector<std::shared_ptr<Module>> values() const
  {
    return children();
  }
  auto begin() const
  {
    return named_children().begin();
  }
  auto end() const
  {
    return named_children().end();
  }
  size_t size() const
  {
    return named_children().size();
  }
  bool empty() const
  {
    return named_children().is_empty();
  }
  bool contains(const std::string &name) const
  {
    return named_children().contains(name);
  }
  const std::shared_ptr<Module> &operator[](const std::string &name) const
  {
    return named_children()[name];
  }
  template <class Wanted>
  auto &at(const std::string &name) const
  {
    auto *found = (*this)[name]->template as<Wanted>();
    if (!found)
      throw Error("the module " + name + " is of another class");
    return *found;
  }
};

class ModuleDict : public ModuleHolder<ModuleDictImpl>
{
 public:
  using ModuleHolder::ModuleHolder;
  ModuleDict() = default;
  // ModuleDict({{"linear", Linear(3, 4).ptr()}, {"relu", ReLU().ptr()}})
  explicit ModuleDict(std::initializer_list<std::pair<std::string, std::shared_ptr<Module>>>
                          modules)
      : ModuleHolder(std::make_shared<ModuleDictImpl>(ModuleDictImpl::Modules(modules)))
  {
  }
  const std::shared_ptr<Module> &operator[](const std::string &name) const
  {
    return (*get())[name];
  }
};

}  // namespace at::nn
