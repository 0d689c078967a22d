// Optimizers with libtorch's names, and gradients before a step.
#pragma once

#include "module.hpp"

namespace at::optim
{

// What changes parameters by their gradients.
class Optimizer
{
 public:
  // Takes the optimizer over.
  explicit Optimizer(at_optimizer *optimizer) : optimizer_(optimizer)
  {
    detail::check(optimizer != nullptr);
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
    detail::check((at_optimizer_step)(optimizer_));
  }
  // The closure computes the loss, and the gradients anew; L-BFGS calls it several times.
  Tensor step(const std::function<Tensor()> &closure)
  {
    Call call = {&closure, Tensor(), nullptr};
    const bool done = (at_optimizer_step_by)(optimizer_, run, &call, nullptr);
    if (call.thrown) {
      at_error_clear();
      std::rethrow_exception(call.thrown);
    }
    detail::check(done);
    return call.first;
  }
  // A group of parameters with the options that the optimizer was made with; returns its number.
  int add_param_group(TensorList parameters)
  {
    const int group = (at_optimizer_add_group)(optimizer_, detail::c_tensors(parameters));
    detail::check(group >= 0);
    return group;
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
    detail::check((at_optimizer_set)(optimizer_, group, option.c_str(), value));
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
    std::exception_ptr thrown;
  };
  static bool run(void *context, double *loss)
  {
    Call *call = static_cast<Call *>(context);
    try {
      const Tensor value = (*call->closure)();
      if (!call->first.defined())
        call->first = value;
      *loss = value.item<double>();
      return true;
    } catch (...) {
      call->thrown = std::current_exception();
      return false;
    }
  }
  at_optimizer *optimizer_;
};

// A schedule of the learning rates of an optimizer, which lives longer.
class LRScheduler
{
 public:
  explicit LRScheduler(at_schedule *schedule) : schedule_(schedule)
  {
    detail::check(schedule != nullptr);
  }
  LRScheduler(const LRScheduler &) = delete;
  LRScheduler &operator=(const LRScheduler &) = delete;
  ~LRScheduler()
  {
    at_schedule_free(schedule_);
  }
  void step()
  {
    detail::check((at_schedule_step)(schedule_));
  }
  // Of a schedule that decides by a metric.
  void step(double metric)
  {
    detail::check((at_schedule_step_by)(schedule_, metric));
  }

 private:
  at_schedule *schedule_;
};

class StepLR : public LRScheduler
{
 public:
  StepLR(Optimizer &optimizer, int64_t step_size, double gamma = 0.1)
      : LRScheduler(made(optimizer, step_size, gamma))
  {
  }

 private:
  static at_schedule *made(Optimizer &optimizer, int64_t step_size, double gamma)
  {
    const at_step_lr_options options = {gamma};
    return (at_step_lr)(optimizer.c(), step_size, &options);
  }
};

}  // namespace at::optim

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

}  // namespace at::nn::utils
