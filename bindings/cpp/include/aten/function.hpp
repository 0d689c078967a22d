// Functions with gradients of their own: struct Exp : torch::autograd::Function<Exp>.
#pragma once

#include <map>
#include <memory>

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
  void mark_non_differentiable(const variable_list &)
  {
  }
  // Gradients that are missing are zeros for backward unless it says otherwise; with one pass for
  // all results none is missing.
  void set_materialize_grads(bool)
  {
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
    const std::function<variable_list(AutogradContext *)> forward = [&](AutogradContext *context) {
      return list_of(Derived::forward(context, arguments...));
    };
    call->forward = &forward;
    static const at_grad_function kind = {"Function", Call::run, Call::pass, Call::release};
    std::vector<std::vector<int64_t>> shapes;
    call->seen = &shapes;
    Tensor made = detail::made((at_apply)(&kind, call.release(), detail::c_tensors(inputs)));
    return results<Result>(std::move(made), shapes);
  }

 private:
  struct Call {
    AutogradContext context;
    std::vector<int> inputs;  // of each argument its number among the tensors, -1 if it is none
    std::vector<std::vector<int64_t>> shapes;  // of the results
    const std::function<variable_list(AutogradContext *)> *forward = nullptr;
    std::vector<std::vector<int64_t>> *seen = nullptr;

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

    // The results as one tensor: the only one, or all elements in a row.
    static at_tensor *run(void *given, at_tensors)
    {
      Call *call = static_cast<Call *>(given);
      const detail::Unscoped unscoped;
      try {
        variable_list results = (*call->forward)(&call->context);
        call->forward = nullptr;
        for (const Tensor &t : results)
          call->shapes.push_back(t.sizes().vec());
        *call->seen = call->shapes;
        // What is saved of a result has no history, which would keep itself alive.
        return detail::Unscoped::give(results.size() == 1 ? results[0].alias() : joinedOf(results));
      } catch (...) {
        detail::Thrown::keep();
        return at_undefinedTensor;
      }
    }
    static bool pass(void *given, at_tensor *grad, int count, at_tensor **gradients)
    {
      Call *call = static_cast<Call *>(given);
      const detail::Unscoped unscoped;
      try {
        const variable_list found =
            Derived::backward(&call->context, partsOf(Tensor::share(grad), call->shapes));
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
  static Tensor joinedOf(const variable_list &list)
  {
    variable_list rows;
    for (const Tensor &t : list)
      rows.push_back(t.reshape({-1}));
    return cat(rows);
  }
  static variable_list partsOf(const Tensor &joined,
                               const std::vector<std::vector<int64_t>> &shapes)
  {
    if (shapes.size() == 1)
      return {joined};
    variable_list parts;
    int64_t from = 0;
    for (const auto &shape : shapes) {
      int64_t count = 1;
      for (int64_t size : shape)
        count *= size;
      parts.push_back(joined.narrow(0, from, count).view(shape));
      from += count;
    }
    return parts;
  }
  template <class Result>
  static Result results(Tensor joined, const std::vector<std::vector<int64_t>> &shapes)
  {
    if constexpr (std::is_same_v<Result, Tensor>)
      return joined;
    else
      return partsOf(joined, shapes);
  }
};

}  // namespace at::autograd
