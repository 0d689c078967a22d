// Optimizers with libtorch's names, and gradients before a step.
#pragma once

#include <memory>

#include "archive.hpp"
#include "grad.hpp"

namespace at::optim
{

// The options of a group of parameters, such as SGDOptions; what is changed is used by the next step.
class OptimizerOptions
{
 public:
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  virtual double get_lr() const = 0;
  virtual void set_lr(double given) = 0;
  // What is as the class makes it becomes that of an optimizer's options.
  virtual void inherit(const OptimizerOptions &from) = 0;
  // To the library's group, and from it.
  virtual void give(at_optimizer *optimizer, int group) const = 0;
  virtual void take(const at_optimizer *optimizer, int group) = 0;

 protected:
  static double get(const at_optimizer *optimizer, int group, const char *option)
  {
    const double value = (at_optimizer_get)(optimizer, group, option);
    detail::check(at_error() == AT_OK);
    return value;
  }
  static void set(at_optimizer *optimizer, int group, const char *option, double value)
  {
    detail::check((at_optimizer_set)(optimizer, group, option, value));
  }
};

// Parameters, and options if they are not the optimizer's.
class OptimizerParamGroup
{
 public:
  OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params))
  {
  }
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options))
  {
  }
  OptimizerParamGroup(const OptimizerParamGroup &other)
      : params_(other.params_), options_(other.options_ ? other.options_->clone() : nullptr)
  {
  }
  OptimizerParamGroup(OptimizerParamGroup &&) noexcept = default;
  OptimizerParamGroup &operator=(OptimizerParamGroup other) noexcept
  {
    params_.swap(other.params_);
    options_.swap(other.options_);
    return *this;
  }
  bool has_options() const
  {
    return options_ != nullptr;
  }
  OptimizerOptions &options() const
  {
    if (!options_)
      throw Error("the group has no options of its own");
    return *options_;
  }
  void set_options(std::unique_ptr<OptimizerOptions> options)
  {
    options_ = std::move(options);
  }
  const std::vector<Tensor> &params() const
  {
    return params_;
  }

 private:
  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
};

// What changes parameters by their gradients.
class Optimizer
{
 public:
  // Takes the optimizer over.
  Optimizer(at_optimizer *optimizer, const OptimizerOptions &options)
      : optimizer_(optimizer), defaults_(options.clone())
  {
    detail::check(optimizer != nullptr);
    groups_.push_back(described(0));
  }
  Optimizer(const Optimizer &) = delete;
  Optimizer &operator=(const Optimizer &) = delete;
  virtual ~Optimizer()
  {
    at_optimizer_free(optimizer_);
  }

  void zero_grad()
  {
    detail::check((at_optimizer_zero_grad)(optimizer_));
  }
  void step()
  {
    give();
    detail::check((at_optimizer_step)(optimizer_));
  }
  // The closure computes the loss, and the gradients anew; L-BFGS calls it several times.
  Tensor step(const std::function<Tensor()> &closure)
  {
    give();
    Call call = {&closure, Tensor()};
    detail::check((at_optimizer_step_by)(optimizer_, run, &call, nullptr));
    return call.first;
  }
  // Another group; what its options do not change is as in the optimizer's.  Returns its number.
  int add_param_group(const OptimizerParamGroup &given)
  {
    const int group = (at_optimizer_add_group)(optimizer_, detail::c_tensors(given.params()));
    detail::check(group >= 0);
    groups_.push_back(described(group));
    if (given.has_options())
      choose(groups_.back(), given.options());
    return group;
  }
  std::vector<OptimizerParamGroup> &param_groups()
  {
    return groups_;
  }
  const OptimizerOptions &defaults() const
  {
    return *defaults_;
  }
  int groups() const
  {
    return at_optimizer_groups(optimizer_);
  }
  // An option of a group by its name, such as "lr".
  double get(const std::string &option, int group = 0) const
  {
    const double value = (at_optimizer_get)(optimizer_, group, option.c_str());
    detail::check(at_error() == AT_OK);
    return value;
  }
  void set(const std::string &option, double value, int group = 0)
  {
    give();
    detail::check((at_optimizer_set)(optimizer_, group, option.c_str(), value));
    take();
  }
  // The options of all groups, to the library before a call and from it afterwards.
  void give() const
  {
    for (size_t i = 0; i < groups_.size(); i++)
      groups_[i].options().give(optimizer_, static_cast<int>(i));
  }
  void take()
  {
    for (size_t i = 0; i < groups_.size(); i++)
      groups_[i].options().take(optimizer_, static_cast<int>(i));
  }
  // A file as torch.save(optimizer.state_dict(), path) writes it.
  void save(const std::string &path) const
  {
    give();
    at::save(Dict((at_optimizer_state_dict)(optimizer_)), path);
  }
  void load(const std::string &path)
  {
    const Dict all = at::load(path);
    detail::check((at_optimizer_load)(optimizer_, at_dict_values(all.get())));
    take();
  }
  // The library's optimizer, borrowed.
  at_optimizer *c() const
  {
    return optimizer_;
  }

 private:
  struct Call {
    const std::function<Tensor()> *closure;
    Tensor first;
  };
  static bool run(void *context, double *loss)
  {
    Call *call = static_cast<Call *>(context);
    const detail::Unscoped unscoped;
    try {
      const Tensor value = (*call->closure)();
      if (!call->first.defined())
        call->first = value;
      *loss = value.item<double>();
      return true;
    } catch (...) {
      detail::Thrown::keep();
      return false;
    }
  }
  // Options of its own, and of what they do not change the optimizer's.
  void choose(OptimizerParamGroup &group, const OptimizerOptions &options) const
  {
    group.set_options(options.clone());
    group.options().inherit(*defaults_);
  }
  // The library's group with its options.
  OptimizerParamGroup described(int group) const
  {
    std::vector<Tensor> params;
    for (int i = 0; i < at_optimizer_group_count(optimizer_, group); i++)
      params.push_back(Tensor::share((at_optimizer_param)(optimizer_, group, i)));
    return OptimizerParamGroup(std::move(params), defaults_->clone());
  }

 protected:
  // For an optimizer that is made of the first of several groups.
  static const std::vector<Tensor> &first(const std::vector<OptimizerParamGroup> &groups)
  {
    if (groups.empty())
      throw Error("an optimizer has a group of parameters", AT_ERROR_ARGUMENT);
    return groups[0].params();
  }
  void add(const std::vector<OptimizerParamGroup> &groups)
  {
    if (groups[0].has_options())
      choose(groups_[0], groups[0].options());
    for (size_t i = 1; i < groups.size(); i++)
      add_param_group(groups[i]);
  }

 private:
  at_optimizer *optimizer_;
  std::unique_ptr<OptimizerOptions> defaults_;
  std::vector<OptimizerParamGroup> groups_;
};

// A schedule of the learning rates of an optimizer, which lives longer.
class LRScheduler
{
 public:
  // Takes the schedule over.
  LRScheduler(Optimizer &optimizer, at_schedule *schedule)
      : optimizer_(optimizer), schedule_(schedule)
  {
    detail::check(schedule != nullptr);
    optimizer.take();
  }
  LRScheduler(const LRScheduler &) = delete;
  LRScheduler &operator=(const LRScheduler &) = delete;
  ~LRScheduler()
  {
    at_schedule_free(schedule_);
  }
  void step()
  {
    optimizer_.give();
    detail::check((at_schedule_step)(schedule_));
    optimizer_.take();
  }
  // Of a schedule that decides by a metric.
  void step(double metric)
  {
    optimizer_.give();
    detail::check((at_schedule_step_by)(schedule_, metric));
    optimizer_.take();
  }

 private:
  Optimizer &optimizer_;
  at_schedule *schedule_;
};

}  // namespace at::optim

namespace at
{

inline void save(const optim::Optimizer &optimizer, const std::string &path)
{
  optimizer.save(path);
}
inline void load(optim::Optimizer &optimizer, const std::string &path)
{
  optimizer.load(path);
}

}  // namespace at

namespace at::nn::utils
{

// Scales all gradients together to at most that norm; returns the norm before.
inline double clip_grad_norm_(TensorList parameters, double max_norm, double norm_type = 2)
{
  at_clip_grad_norm_options options = at_clip_grad_norm_defaults;
  options.norm_type = norm_type;
  const double norm = (at_clip_grad_norm)(detail::c_tensors(parameters), max_norm, &options);
  detail::check(at_error() == AT_OK);
  return norm;
}

// Limits each element of the gradients to the range from -clip_value to clip_value.
inline void clip_grad_value_(TensorList parameters, double clip_value)
{
  detail::check((at_clip_grad_value)(detail::c_tensors(parameters), clip_value));
}

// All elements of the parameters in a row, and such a row back in the parameters.
inline Tensor parameters_to_vector(TensorList parameters)
{
  std::vector<Tensor> rows;
  for (const Tensor &p : parameters)
    rows.push_back(p.reshape({-1}));
  return cat(rows);
}
inline void vector_to_parameters(const Tensor &row, TensorList parameters)
{
  const NoGradGuard no_grad;
  int64_t from = 0;
  for (const Tensor &p : parameters) {
    p.copy_(row.narrow(0, from, p.numel()).view_as(p));
    from += p.numel();
  }
}

}  // namespace at::nn::utils
