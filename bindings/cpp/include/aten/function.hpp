// Functions with gradients of their own: struct Exp : torch::autograd::Function<Exp>.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "grad.hpp"
#include "ivalue.hpp"

namespace at::autograd
{

using Variable = Tensor;
using variable_list = std::vector<Tensor>;
using tensor_list = variable_list;

// What forward leaves for backward.
class AutogradContext
{
 public:
  void save_for_backward(variable_list tensors)
  {
    saved_ = std::move(tensors);
  }
  variable_list get_saved_variables() const
  {
    return saved_;
  }
  // Results of floating types that have no gradient.
  void mark_non_differentiable(const variable_list &results)
  {
    for (const Tensor &t : results)
      constant_.insert(t.get());
  }
  // Arguments that forward has changed in place; it returns them.
  void mark_dirty(const variable_list &arguments)
  {
    for (const Tensor &t : arguments)
      changed_.insert(t.get());
  }
  // Whether gradients that are missing are zeros for backward, or undefined.
  void set_materialize_grads(bool value)
  {
    materializes_ = value;
  }
  bool needs_input_grad(size_t i) const
  {
    return wanted_.at(i);
  }
  std::map<std::string, IValue> saved_data;

 private:
  template <class>
  friend class Function;
  variable_list saved_;
  std::vector<bool> wanted_;  // of each argument
  std::set<const at_tensor *> constant_, changed_;
  bool materializes_ = true;
};

// Derived has static functions forward(AutogradContext *, arguments ...), which returns a tensor or a
// list of them, and backward(AutogradContext *, variable_list), which returns a gradient for each
// argument, an undefined one for what is no tensor.  Derived::apply(arguments ...) calls it.
template <class Derived>
class Function
{
 public:
  template <class... Arguments>
  static auto apply(Arguments &&...arguments)
  {
    using Result = decltype(Derived::forward(nullptr, arguments...));
    auto call = std::make_unique<Call>();
    variable_list inputs;
    (call->add(inputs, arguments), ...);
    variable_list given;
    const std::function<variable_list(AutogradContext *)> forward = [&](AutogradContext *context) {
      return given = list_of(Derived::forward(context, arguments...));
    };
    call->forward = &forward;
    std::vector<size_t> indices;
    call->seen = &indices;
    static const at_grad_list_function kind = {"Function", Call::run, Call::pass, Call::release};
    variable_list made;
    try {
      made = detail::made((at_apply_list)(&kind, call.release(), detail::c_tensors(inputs),
                                          most_results));
    } catch (const NothingRecorded &) {
    }
    for (size_t i = 0; i < indices.size(); i++)
      given[indices[i]] = made[i];
    if constexpr (std::is_same_v<Result, Tensor>)
      return given[0];
    else
      return given;
  }

 private:
  static constexpr int most_results = 256;

  // No result of forward has a gradient.
  struct NothingRecorded {
  };

  // What is known of a result.
  struct Kind {
    std::vector<int64_t> sizes;
    TensorOptions options;
  };

  struct Call {
    AutogradContext context;
    std::vector<int> inputs;      // of each argument its number among the tensors, -1 if it is none
    std::vector<Kind> kinds;      // of the results
    std::vector<size_t> indices;  // those of the results that are recorded
    const std::function<variable_list(AutogradContext *)> *forward = nullptr;
    std::vector<size_t> *seen = nullptr;

    template <class Argument>
    void add(variable_list &tensors, const Argument &argument)
    {
      bool is_wanted = false;
      if constexpr (std::is_same_v<Argument, Tensor>) {
        is_wanted = argument.defined() && argument.requires_grad();
        inputs.push_back(argument.defined() ? static_cast<int>(tensors.size()) : -1);
        if (argument.defined())
          tensors.push_back(argument);
      } else {
        inputs.push_back(-1);
      }
      context.wanted_.push_back(is_wanted);
    }

    static int run(void *given, at_tensors, int most, at_tensor **results)
    {
      Call *call = static_cast<Call *>(given);
      const detail::Unscoped unscoped;
      try {
        const variable_list made = (*call->forward)(&call->context);
        call->forward = nullptr;
        for (size_t i = 0; i < made.size(); i++) {
          call->kinds.push_back({made[i].sizes().vec(), made[i].options()});
          if (!call->context.constant_.count(made[i].get()))
            call->indices.push_back(i);
        }
        const int count = static_cast<int>(call->indices.size());
        if (count == 0)
          throw NothingRecorded{};
        if (count > most)
          throw Error("forward returned " + std::to_string(count) +
                      " tensors, which are more than " + std::to_string(most));
        // What is saved of a result has no history, which would keep itself alive.
        for (int i = 0; i < count; i++) {
          const Tensor &t = made[call->indices[static_cast<size_t>(i)]];
          results[i] =
              detail::Unscoped::give(call->context.changed_.count(t.get()) ? t : t.alias());
        }
        *call->seen = call->indices;
        return count;
      } catch (...) {
        detail::Thrown::keep();
        return -1;
      }
    }
    // The gradients of all results: zeros, or undefined ones, where there are none.
    variable_list all_of(at_tensors grads) const
    {
      variable_list all(kinds.size());
      for (int i = 0; i < grads.count; i++)
        if (grads.data[i])
          all[indices[static_cast<size_t>(i)]] = Tensor::share(grads.data[i]);
      for (size_t i = 0; i < kinds.size(); i++)
        if (!all[i].defined() && context.materializes_)
          all[i] = zeros(kinds[i].sizes, kinds[i].options);
      return all;
    }
    static bool pass(void *given, at_tensors grads, int count, at_tensor **gradients)
    {
      Call *call = static_cast<Call *>(given);
      const detail::Unscoped unscoped;
      try {
        const variable_list found = Derived::backward(&call->context, call->all_of(grads));
        bool is_good = found.size() >= call->inputs.size();  // more are undefined
        for (size_t i = call->inputs.size(); i < found.size(); i++)
          is_good = is_good && !found[i].defined();
        if (!is_good)
          throw Error("backward returns " + std::to_string(found.size()) + " gradients for " +
                      std::to_string(call->inputs.size()) + " arguments");
        for (int i = 0; i < count; i++)
          gradients[i] = nullptr;
        for (size_t i = 0; i < call->inputs.size(); i++)
          if (call->inputs[i] >= 0 && found[i].defined())
            gradients[call->inputs[i]] = detail::Unscoped::give(found[i]);
        return true;
      } catch (...) {
        detail::Thrown::keep();
        return false;
      }
    }
    static void release(void *given)
    {
      delete static_cast<Call *>(given);
    }
  };

  static variable_list list_of(Tensor t)
  {
    return {std::move(t)};
  }
  static variable_list list_of(variable_list list)
  {
    return list;
  }
};

}  // namespace at::autograd
