// The names of small libtorch programs: #include <aten/torch.hpp> for #include <torch/torch.h>.
#pragma once

#include "aten.hpp"
#include <aten/layers.hpp>
#include <aten/optimizers.hpp>

namespace c10
{
using at::ArrayRef;
using at::Device;
using at::DeviceType;
using at::Error;
using at::IntArrayRef;
using at::nullopt;
using at::optional;
using at::Scalar;
using at::ScalarType;
using at::TensorOptions;
}  // namespace c10

namespace torch
{
using namespace at;
namespace cuda
{
inline bool is_available()
{
  return at::hasCUDA();
}
inline int device_count()
{
  return at_cuda_deviceCount();
}
}  // namespace cuda

namespace jit
{

// An input or output of a program.
class IValue
{
 public:
  IValue(at::Tensor tensor) : tensor_(std::move(tensor))
  {
  }
  at::Tensor toTensor() const
  {
    return tensor_;
  }

 private:
  at::Tensor tensor_;
};

// A program in a file that torch.export.save wrote, instead of one of TorchScript.
class Module
{
 public:
  explicit Module(const std::string &path) : program_(path)
  {
  }
  IValue forward(const std::vector<IValue> &inputs)
  {
    std::vector<at::Tensor> tensors;
    for (const IValue &input : inputs)
      tensors.push_back(input.toTensor());
    return program_(tensors);
  }
  void eval()
  {
  }

 private:
  at::Program program_;
};

inline Module load(const std::string &path)
{
  return Module(path);
}

namespace script
{
using jit::Module;
}
}  // namespace jit
}  // namespace torch
