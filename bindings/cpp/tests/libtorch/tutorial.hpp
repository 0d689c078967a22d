// Programs as libtorch's tutorials write them.  With libtorch (tests/oracle/libtorch.py) they print their
// results; here they compare them with that file, their argument.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#ifdef LIBTORCH
#include <torch/torch.h>
#else
#include <aten/torch.hpp>

#include <fstream>
#endif

void run();

#ifdef LIBTORCH
inline void compare(const std::string &name, const std::vector<double> &values)
{
  std::printf("%s", name.c_str());
  for (double v : values)
    std::printf(" %.7g", v);
  std::printf("\n");
}
#else
inline std::ifstream &expected()
{
  static std::ifstream file;
  return file;
}
// The next line of the file has the name and these values.
inline void compare(const std::string &name, const std::vector<double> &values)
{
  std::string line, first, word;
  std::getline(expected(), line);
  std::istringstream words(line);
  std::getline(words, first, ']');
  bool good = first + "]" == name;
  for (double v : values) {
    const bool is_there = static_cast<bool>(words >> word);
    const double want = is_there ? std::strtod(word.c_str(), nullptr) : 0;
    good = good && is_there &&
           (std::fabs(v - want) <= 2e-5 * (1 + std::fabs(want)) || (v != v && want != want));
  }
  if (good && !(words >> word))
    return;
  std::fprintf(stderr, "%s", name.c_str());
  for (double v : values)
    std::fprintf(stderr, " %.7g", v);
  std::fprintf(stderr, "\nis not what PyTorch has:\n%s\n", line.c_str());
  std::exit(1);
}
#endif

// The sizes and all elements.
inline void show(const std::string &name, const torch::Tensor &t)
{
  std::string sizes;
  for (int64_t size : t.sizes())
    sizes += " " + std::to_string(size);
  const torch::Tensor flat = t.detach().to(torch::kDouble).contiguous().view({-1});
  const double *data = flat.data_ptr<double>();
  compare(name + " [" + sizes + "]", std::vector<double>(data, data + flat.numel()));
}
inline void show(const std::string &name, double value)
{
  compare(name + " [number]", {value});
}

int main(int count, char **arguments)
{
#ifndef LIBTORCH
  expected().open(count > 1 ? arguments[1] : "");
#else
  (void)count, (void)arguments;
#endif
  torch::manual_seed(1);
  run();
#ifndef LIBTORCH
  std::string rest;
  return static_cast<bool>(std::getline(expected(), rest));
#endif
}
