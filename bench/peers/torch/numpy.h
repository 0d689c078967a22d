/* NumPy in a process of its own (bench/peers/numpy_rows.py), which computes and measures
 * expressions when asked. */
#ifndef BENCH_PEERS_TORCH_NUMPY_H
#define BENCH_PEERS_TORCH_NUMPY_H

#include <sys/types.h>

#include <ATen/ATen.h>

#include <cstdio>
#include <string>

namespace peers
{

class NumPy
{
 public:
  /* PEER_PYTHON, or python3, runs it. */
  explicit NumPy(int threads);
  ~NumPy();
  bool there() const
  {
    return to_;
  }
  const std::string &name() const
  {
    return name_;
  }

  /* Gives it the elements of an array. */
  void give(const std::string &name, const at::Tensor &elements);
  /* What an expression computes, or afterwards the array of that name. */
  at::Tensor result(const std::string &expression, const std::string &name);
  double seconds(const std::string &expression, double budget);
  /* Frees all arrays. */
  void clear();

 private:
  std::string ask(const std::string &line);
  FILE *to_ = nullptr, *from_ = nullptr;
  pid_t process_ = 0;
  std::string name_, directory_;
};

}  // namespace peers
#endif
