// What is recorded for gradients, and gradients without backward().
#pragma once

#include "conversions.hpp"

namespace at
{

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
using InferenceMode = NoGradGuard;

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

}  // namespace autograd
}  // namespace at
