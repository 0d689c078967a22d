// What is recorded for gradients, and gradients without backward().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "conversions.hpp"
#include <aten/plain.hpp>

namespace at
{
namespace detail
{

// While it exists, what a function of the program makes belongs to its objects, although the library,
// which called it, may have a scope.  The tensors are in a scope of this thread that never ends; what
// outlives the call stays in its list until the last object releases it.
class Unscoped
{
 public:
  Unscoped() : scope_(take())
  {
    struct at_owned *const older = scope_->first;
    (void)at_scope_once(scope_);
    scope_->first = older;
  }
  Unscoped(const Unscoped &) = delete;
  Unscoped &operator=(const Unscoped &) = delete;
  ~Unscoped()
  {
    struct at_owned *const kept = std::exchange(scope_->first, nullptr);
    at_scope_leave(scope_);
    scope_->first = kept;
    scope_->running = false;
    idle().push_back(scope_);
  }
  // A reference for the library, from an object.
  static at_tensor *give(Tensor t)
  {
    return at_keep(t.release());
  }

 private:
  // Those of this thread that are not in use: calls may be inside of calls.
  struct Idle : std::vector<at_scope *> {
    ~Idle()
    {
      for (at_scope *scope : *this)
        if (!scope->first)
          delete scope;
    }
  };
  static Idle &idle()
  {
    thread_local Idle scopes;
    return scopes;
  }
  static at_scope *take()
  {
    if (idle().empty())
      return new at_scope();
    at_scope *const scope = idle().back();
    idle().pop_back();
    return scope;
  }
  at_scope *scope_;
};

// Functions that tensors call with their gradients, by numbers; they are kept until they are removed.
class Hooks
{
 public:
  using Hook = std::function<Tensor(Tensor)>;
  using Own = std::shared_ptr<Hook>;

  static unsigned add(at_tensor *t, Hook hook)
  {
    std::lock_guard<std::mutex> lock(mutex());
    unsigned number = all().empty() ? 0 : all().rbegin()->first + 1;
    Own &own = all()[number] = std::make_shared<Hook>(std::move(hook));
    const bool added = (at_add_hook)(t, run, &own);
    if (!added)
      all().erase(number);
    check(added);
    return number;
  }
  static void remove(at_tensor *t, unsigned number)
  {
    std::lock_guard<std::mutex> lock(mutex());
    auto found = all().find(number);
    check((at_remove_hook)(t, run, found == all().end() ? nullptr : &found->second));
    all().erase(found);
  }

 private:
  static at_tensor *run(void *context, at_tensor *grad)
  {
    const Unscoped unscoped;
    const Own own = *static_cast<Own *>(context);  // a hook may remove itself
    try {
      return Unscoped::give((*own)(Tensor::share(grad)));
    } catch (...) {
      Thrown::keep();
      return at_undefinedTensor;
    }
  }
  static std::map<unsigned, Own> &all()
  {
    static std::map<unsigned, Own> hooks;
    return hooks;
  }
  static std::mutex &mutex()
  {
    static std::mutex one;
    return one;
  }
};

}  // namespace detail

// The recorded call of an operation.
class Node
{
 public:
  explicit Node(at_node *node) : node_(node, at_node_release)
  {
  }
  // Such as "AddBackward0".
  std::string name() const
  {
    return at_node_kind(node_.get());
  }
  // The nodes of the operands; nullptr where no gradient is wanted.
  std::vector<std::shared_ptr<Node>> next_functions() const
  {
    std::vector<std::shared_ptr<Node>> nodes;
    for (int i = 0; i < at_node_inputCount(node_.get()); i++) {
      at_node *const node = at_node_input(node_.get(), i, nullptr);
      nodes.push_back(node ? std::make_shared<Node>(node) : nullptr);
    }
    return nodes;
  }

 private:
  std::shared_ptr<at_node> node_;
};

inline std::shared_ptr<Node> Tensor::grad_fn() const
{
  return is_leaf() ? nullptr : std::make_shared<Node>(at_grad_fn(tensor_));
}

template <class Function>
unsigned Tensor::register_hook(Function hook) const
{
  if constexpr (std::is_void_v<std::invoke_result_t<Function, Tensor>>)
    return detail::Hooks::add(tensor_, [hook](Tensor grad) {
      hook(std::move(grad));
      return Tensor();
    });
  else
    return detail::Hooks::add(tensor_, hook);
}
inline void Tensor::remove_hook(unsigned number) const
{
  detail::Hooks::remove(tensor_, number);
}

// Sets whether this thread records, until the end of the block.
class AutoGradMode
{
 public:
  explicit AutoGradMode(bool on) : before_(at_grad_setOn(on))
  {
  }
  AutoGradMode(const AutoGradMode &) = delete;
  AutoGradMode &operator=(const AutoGradMode &) = delete;
  ~AutoGradMode()
  {
    at_grad_setOn(before_);
  }

 private:
  bool before_;
};

// Nothing is recorded until the end of the block.
class NoGradGuard : public AutoGradMode
{
 public:
  NoGradGuard() : AutoGradMode(false)
  {
  }
};
// As NoGradGuard; and tensors that are made in the block are no part of gradients later, as is_inference() says.
class InferenceMode : public AutoGradMode
{
 public:
  explicit InferenceMode(bool enabled = true)
      : AutoGradMode(!enabled), before_(at_inference_setOn(enabled))
  {
  }
  ~InferenceMode()
  {
    at_inference_setOn(before_);
  }
  static bool is_enabled()
  {
    return at_inference_isOn();
  }

 private:
  bool before_;
};

struct GradMode {
  static bool is_enabled()
  {
    return at_grad_isOn();
  }
  static void set_enabled(bool on)
  {
    at_grad_setOn(on);
  }
};

namespace autograd
{
using at::Node;

// A NaN in a gradient is an error that names the operation.
struct AnomalyMode {
  static void set_enabled(bool on)
  {
    grad_setAnomaly(on);
  }
};

// The gradients of the sum of the outputs with respect to the inputs.
inline std::vector<Tensor> grad(TensorList outputs, TensorList inputs, TensorList grad_outputs = {},
                                std::optional<bool> retain_graph = nullopt,
                                bool create_graph = false, bool allow_unused = false)
{
  at_gradients_options options;
  options.grad_outputs = detail::c_tensors(grad_outputs);
  options.retain_graph = retain_graph.value_or(create_graph);
  options.create_graph = create_graph;
  options.allow_unused = options.leave_unused = allow_unused;
  return detail::made((at_gradients)(detail::c_tensors(outputs), detail::c_tensors(inputs),
                                     &options));
}

// Adds the gradients of the sum of the tensors to those of all leaves.
inline void backward(TensorList tensors, TensorList grad_tensors = {},
                     std::optional<bool> retain_graph = nullopt, bool create_graph = false)
{
  if (tensors.empty() || (grad_tensors.size() && grad_tensors.size() != tensors.size()))
    throw Error("backward: " + std::to_string(grad_tensors.size()) + " gradients for " +
                    std::to_string(tensors.size()) + " tensors",
                AT_ERROR_ARGUMENT, "backward");
  std::vector<Tensor> parts;
  for (size_t i = 0; i < tensors.size(); i++) {
    const bool is_given = grad_tensors.size() && grad_tensors[i].defined();
    if (!is_given && tensors[i].numel() != 1)
      throw Error("backward: tensor " + std::to_string(i) + " has " +
                      std::to_string(tensors[i].numel()) + " elements, and no gradient",
                  AT_ERROR_ARGUMENT, "backward");
    parts.push_back(is_given ? mul(tensors[i], grad_tensors[i]).sum() : tensors[i].sum());
  }
  stack(parts).sum().backward({}, retain_graph, create_graph);
}

}  // namespace autograd
}  // namespace at
