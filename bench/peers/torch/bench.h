/* TH compared with PyTorch, NumPy and others: a row of the table is a few expressions that compute the
 * same, one for each system, on the same memory.
 *
 *     Array a = bench.uniform("a", {n}), o = bench.zeros("o", {n});
 *     bench.row({.id = "ew.sqrt.1e5", .shape = "1e5", .results = {&o}, .limit = moving(n, n),
 *                .ours = [&] { at_sqrt_out(o, a); },
 *                .torch = [&] { at::sqrt_out(o, a); },
 *                .numpy = "np.sqrt(a, out=o)"});
 *
 * compares the results of all, measures them in turn, and prints a line for each system. */
#ifndef BENCH_PEERS_TORCH_BENCH_H
#define BENCH_PEERS_TORCH_BENCH_H

#include <ATen/ATen.h> /* PyTorch's */
#include <c10/core/InferenceMode.h>

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ATen/ATen.h" /* ours */
#include "TH/TH.h"

namespace peers
{

/* A tensor of ours and one of PyTorch's around the same elements.  Stands for either in a call. */
class Array
{
 public:
  at_tensor *ours;
  mutable at::Tensor torch;
  std::string name; /* that expressions of NumPy have for it */

  Array(at_tensor *tensor, const char *name);
  Array(const Array &) = delete;
  Array(Array &&other) noexcept;
  ~Array();

  operator at_tensor *() const
  {
    return ours;
  }
  operator at::Tensor &() const
  {
    return torch;
  }
  THFloatTensor *th() const
  {
    return static_cast<THFloatTensor *>(at_unsafeGetTH(ours));
  }
  float *data() const
  {
    return static_cast<float *>(at_data(ours));
  }
};

/* A view of ours, released at its end. */
class View
{
 public:
  View(at_tensor *view) : view_(view)
  {
  }
  View(const View &) = delete;
  ~View()
  {
    at_release(view_);
  }
  operator at_tensor *() const
  {
    return view_;
  }

 private:
  at_tensor *view_;
};

/* Sizes for a call of ours. */
template <size_t N>
struct Sizes {
  int64_t values[N];
  operator at_ints() const
  {
    return {values, N};
  }
};
template <class... Size>
Sizes<sizeof...(Size)> sizes(Size... size)
{
  return {{static_cast<int64_t>(size)...}};
}

/* Something to measure: runs, and gives the new results that it returns. */
class Side
{
 public:
  Side() = default;
  template <class Call>
  Side(Call call)
  {
    auto held = std::make_shared<Call>(std::move(call));
    body_ = [](void *context) { drop(*static_cast<Call *>(context)); };
    results_ = [](void *context) { return keep(*static_cast<Call *>(context)); };
    context_ = held;
  }
  explicit operator bool() const
  {
    return body_;
  }

  double seconds(double budget) const;
  std::vector<at::Tensor> results() const
  {
    return results_(context_.get());
  }

 private:
  template <class Call>
  static void drop(Call &call);
  template <class Call>
  static std::vector<at::Tensor> keep(Call &call);

  void (*body_)(void *) = nullptr;
  std::vector<at::Tensor> (*results_)(void *) = nullptr;
  std::shared_ptr<void> context_;
};

/* Another system, called from here. */
struct Peer {
  std::string name;
  Side side;
  bool compared = true; /* whether its results are those of the row */
};

/* What no program can do faster: elements of 4 bytes read and written, or operations. */
struct Limit {
  double read = 0, written = 0, flops = 0;
};
inline Limit moving(double read, double written)
{
  return {read, written, 0};
}
inline Limit computing(double flops)
{
  return {0, 0, flops};
}

struct Row {
  std::string id, shape;
  std::vector<const Array *> results = {}; /* what calls write to; else they return it */
  Limit limit = {};
  Side sketch = {}; /* what is measured as the limit, where that is not a loop over bytes */
  Side ours, torch = {};
  std::string numpy = {};
  int numpy_result = 0;       /* which of the results NumPy's is; -1: it is not compared */
  bool numpy_threads = false; /* whether NumPy computes on several */
  std::vector<Peer> peers = {};
  Side prepare = {};       /* before each call that is compared */
  double tolerance = 1e-5; /* relative, of the norm */
  bool counted = true;     /* in the means */
};

struct Options {
  int threads = 1, rounds = 3;
  double seconds = 0.03;
  std::string filter;
};

class NumPy;

class Bench
{
 public:
  explicit Bench(const Options &options);
  ~Bench();

  void row(const Row &row);

  /* Whether the filter lets rows through whose ids begin so. */
  bool wants(const std::string &prefix) const;
  int threads() const
  {
    return options_.threads;
  }
  void begin(const std::string &family);
  bool failed() const
  {
    return failed_;
  }

  Array make(const char *name, at::IntArrayRef shape, at_scalar_type type = AT_FLOAT);
  Array zeros(const char *name, at::IntArrayRef shape, at_scalar_type type = AT_FLOAT);
  Array ones(const char *name, at::IntArrayRef shape, at_scalar_type type = AT_FLOAT);
  /* Numbers of [0, 1) in no order, none of the first 2^24 twice. */
  Array uniform(const char *name, at::IntArrayRef shape, at_scalar_type type = AT_FLOAT);
  Array normal(const char *name, at::IntArrayRef shape);
  /* Whole numbers below n, and those from 0 to n - 1 in random order. */
  Array integers(const char *name, int64_t n, at::IntArrayRef shape);
  Array permutation(const char *name, int64_t n);
  /* The elements of a tensor. */
  Array holding(const char *name, const at::Tensor &elements);

 private:
  struct Given {
    at::Tensor elements;
    bool given;
  };
  bool asks_numpy(const Row &row);
  bool check(const Row &row);

  Options options_;
  std::string family_;
  bool failed_ = false;
  uint32_t seed_ = 0;
  std::unique_ptr<NumPy> numpy_;
  std::map<std::string, Given> arrays_; /* by the names that NumPy has for them */
};

/* --- how results are held -------------------------------------------------------------------- */

/* A copy, for PyTorch, of what t holds. */
at::Tensor copy_of(at_tensor *t);

template <class Call>
void Side::drop(Call &call)
{
  using Result = decltype(call());
  if constexpr (std::is_same_v<Result, at_tensor *>) {
    at_release(call());
  } else if constexpr (std::is_trivially_copyable_v<Result> && std::is_class_v<Result>) {
    const Result result = call(); /* of ours, a struct of tensors */
    const auto tensors = reinterpret_cast<at_tensor *const *>(&result);
    for (size_t i = 0; i < sizeof result / sizeof *tensors; i++)
      at_release(tensors[i]);
  } else {
    call();
  }
}

template <class Call>
std::vector<at::Tensor> Side::keep(Call &call)
{
  using Result = decltype(call());
  std::vector<at::Tensor> kept;
  if constexpr (std::is_void_v<Result>) {
    call();
  } else if constexpr (std::is_same_v<Result, at_tensor *>) {
    at_tensor *result = call();
    kept.push_back(copy_of(result));
    at_release(result);
  } else if constexpr (std::is_same_v<Result, at::Tensor>) {
    kept.push_back(call().clone());
  } else if constexpr (std::is_same_v<Result, double>) {
    kept.push_back(at::scalar_tensor(call(), at::kDouble));
  } else if constexpr (std::is_trivially_copyable_v<Result> && std::is_class_v<Result>) {
    const Result result = call();
    const auto tensors = reinterpret_cast<at_tensor *const *>(&result);
    for (size_t i = 0; i < sizeof result / sizeof *tensors; i++) {
      kept.push_back(copy_of(tensors[i]));
      at_release(tensors[i]);
    }
  } else {
    std::apply([&](const auto &...tensor) { (kept.push_back(tensor.clone()), ...); }, call());
  }
  return kept;
}

}  // namespace peers
#endif
