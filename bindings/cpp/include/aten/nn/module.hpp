// Modules with libtorch's names, on the library's at_module, which owns the members.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../archive.hpp"
#include "../grad.hpp"
#include "named.hpp"
#include "sizes.hpp"

namespace at::nn
{

// The base of networks: a struct with children and parameters that its constructor registers, and a
// forward function.  A copy is another owner of the same members.
class Module : public std::enable_shared_from_this<Module>
{
 public:
  Module() : Module((at_module_new)(&kind()))
  {
  }
  explicit Module(const std::string &name) : Module()
  {
    name_ = name;
  }
  // Takes the module over.
  explicit Module(at_module *module) : module_(module)
  {
    detail::check(module != nullptr);
  }
  Module(const Module &other)
      : std::enable_shared_from_this<Module>(),
        module_(at_module_retain(other.module_)),
        name_(other.name_),
        children_(other.children_)
  {
  }
  Module &operator=(const Module &) = delete;
  virtual ~Module()
  {
    at_module_free(module_);
  }

  // The child under that name; what it returns is what it was given.
  template <class Child, class = std::enable_if_t<std::is_base_of_v<Module, Child>>>
  std::shared_ptr<Child> register_module(const std::string &name, std::shared_ptr<Child> child)
  {
    if (!child)
      throw Error("register_module: the module " + name + " is empty", AT_ERROR_NULL);
    (at_module_add)(module_, name.c_str(), at_module_retain(child->c()));
    if (at_error() != AT_OK)
      detail::raise();
    children_.insert(name, child);
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

  // With recurse = false, only its own and not those of children.
  std::vector<Tensor> parameters(bool recurse = true) const
  {
    return recurse ? detail::made((at_module_parameters)(module_))
                   : named_parameters(false).values();
  }
  Named<Tensor> named_parameters(bool recurse = true) const
  {
    return pairs((at_module_named_parameters)(module_), recurse);
  }
  std::vector<Tensor> buffers(bool recurse = true) const
  {
    return named_buffers(recurse).values();
  }
  Named<Tensor> named_buffers(bool recurse = true) const
  {
    return pairs((at_module_named_buffers)(module_), recurse);
  }
  std::vector<std::shared_ptr<Module>> children() const
  {
    return children_.values();
  }
  const Named<std::shared_ptr<Module>> &named_children() const
  {
    return children_;
  }
  // The modules below it, parents first, and before them itself if a shared_ptr or a holder has it.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const
  {
    return named_modules("", include_self).values();
  }
  Named<std::shared_ptr<Module>> named_modules(const std::string &prefix = "",
                                               bool include_self = true) const
  {
    Named<std::shared_ptr<Module>> all;
    const auto self = std::const_pointer_cast<Module>(weak_from_this().lock());
    if (include_self && self)
      all.insert(prefix, self);
    for (const auto &child : children_)
      for (const auto &one :
           child.value()->named_modules(prefix.empty() ? child.key() : prefix + "." + child.key()))
        all.insert(one.key(), one.value());
    return all;
  }
  // Calls the function for each module, children first.
  void apply(const std::function<void(Module &)> &function)
  {
    for (const auto &child : children_)
      child.value()->apply(function);
    function(*this);
  }
  // The layer as what it is: m.as<torch::nn::Linear>(); NULL if it is another one.
  template <class Wanted>
  auto as()
  {
    return dynamic_cast<impl_of<Wanted> *>(this);
  }
  template <class Wanted>
  auto as() const
  {
    return dynamic_cast<const impl_of<Wanted> *>(this);
  }
  // Of a layer its kind, such as "Linear".
  std::string name() const
  {
    return name_.empty() ? at_module_kindOf(module_)->name : name_;
  }
  // A copy with members of its own, on the device if one is given; a class of one's own derives from Cloneable.
  virtual std::shared_ptr<Module> clone(const std::optional<Device> &device = {}) const
  {
    (void)device;
    throw Error("clone() is not there for this module; a subclass of Cloneable has it");
  }

  // --- modes, types, files ---

  virtual void train(bool on = true)
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
  void zero_grad(bool = true)
  {
    at_module_zero_grad(module_);
  }
  // Members of floating types become of that type; they are other tensors then.
  void to(ScalarType type, bool = false)
  {
    move(TensorOptions(type).device(placed().device()));
  }
  void to(const Device &device, bool = false)
  {
    if (device.is_cuda() || placed().device().is_cuda())
      move(placed().device(device));
  }
  void to(const Device &device, ScalarType type, bool = false)
  {
    move(TensorOptions(type).device(device));
  }
  void cuda()
  {
    to(Device(kCUDA));
  }
  void cpu()
  {
    to(Device(kCPU));
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
  void save(OutputArchive &archive) const
  {
    const Dict state((at_module_state_dict)(module_));
    for (int64_t i = 0; i < state.size(); i++)
      archive.write(state.name(i), state.at(i));
  }
  void load(const InputArchive &archive)
  {
    detail::check((at_module_load_state_dict)(module_, archive.tensors().get(), nullptr));
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
      if (const Tensor *found = all.find(name))
        return *found;
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
      child.value()->renew();
  }
  // Begins without members.
  void forget()
  {
    at_module *fresh = (at_module_new)(&kind());
    detail::check(fresh != nullptr);
    at_module_free(std::exchange(module_, fresh));
    children_ = Named<std::shared_ptr<Module>>();
  }
  // Takes the values of another module's members, and their type; they are on the device if one is given.
  void take_state(const Module &other, const std::optional<Device> &device)
  {
    TensorOptions there = other.placed();
    if (device)
      there = there.device(*device);
    if (there.c_type() != placed().c_type())
      move(there);
    const Dict state((at_module_state_dict)(other.module_));
    detail::check((at_module_load_state_dict)(module_, state.get(), nullptr));
    if (other.is_training() != is_training())
      train(other.is_training());
  }

 private:
  template <class Wanted, class = void>
  struct Contained {
    using type = Wanted;
  };
  template <class Wanted>
  struct Contained<Wanted, std::void_t<typename Wanted::ContainedType>> {
    using type = typename Wanted::ContainedType;
  };
  template <class Wanted>
  using impl_of = typename Contained<Wanted>::type;

  static const at_module_kind &kind()
  {
    static const at_module_kind plain = {"Module", nullptr, 1,       nullptr, nullptr,
                                         0,        nullptr, nullptr, 0};
    return plain;
  }
  // Where its parameters are, and their type if it is a floating one.
  TensorOptions placed() const
  {
    for (const Tensor &t : parameters())
      return t.options();
    return TensorOptions(kFloat).device(kCPU);
  }
  void move(const TensorOptions &options)
  {
    detail::check((at_module_to)(module_, options.c_type()));
    renew();
  }
  static Named<Tensor> pairs(at_dict *given, bool recurse)
  {
    const Dict dict(given);
    Named<Tensor> all;
    for (int64_t i = 0; i < dict.size(); i++)
      if (recurse || dict.name(i).find('.') == std::string::npos)
        all.insert(dict.name(i), Tensor::share((at_dict_at)(dict.get(), i)));
    return all;
  }

  at_module *module_;
  std::string name_;
  Named<std::shared_ptr<Module>> children_;
};

inline std::ostream &operator<<(std::ostream &stream, const Module &module)
{
  module.pretty_print(stream);
  return stream;
}

// The base of modules that can be copied: reset() registers the members anew.
template <class Derived>
class Cloneable : public Module
{
 public:
  using Module::Module;
  virtual void reset() = 0;
  std::shared_ptr<Module> clone(const std::optional<Device> &device = {}) const override
  {
    auto copy = std::make_shared<Derived>(static_cast<const Derived &>(*this));
    Cloneable &base = *copy;
    base.forget();
    base.reset();
    base.take_state(*this, device);
    return copy;
  }
};

}  // namespace at::nn
