// The names of small libtorch programs: #include <aten/torch.hpp> for #include <torch/torch.h>.
#pragma once

#include <map>
#include <memory>

#include "aten.hpp"
#include "data.hpp"
#include "function.hpp"
#include "macros.hpp"
#include "nn/dict.hpp"
#include "nn/functional.hpp"
#include "nn/init.hpp"
#include "streams.hpp"
#include <aten/namespaces.hpp>
#include <aten/optimizers.hpp>

namespace c10
{
using at::ArrayRef;
using at::Device;
using at::DeviceType;
using at::Error;
using at::InferenceMode;
using at::IntArrayRef;
using at::IValue;
using at::nullopt;
using at::optional;
using at::Scalar;
using at::ScalarType;
using at::TensorOptions;
using at::toString;
template <class T>
using complex = std::complex<T>;
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

namespace serialize
{
using at::InputArchive;
using at::OutputArchive;
}  // namespace serialize

namespace jit
{

using at::IValue;

// A program in a file that torch.export.save wrote, instead of one of TorchScript.
class Module
{
 public:
  Module() = default;
  explicit Module(const std::string &path) : program_(std::make_shared<at::Program>(path))
  {
  }
  // A tensor, or a tuple of several; tuples among the inputs are their elements.
  IValue forward(const std::vector<IValue> &inputs)
  {
    if (!program_)
      throw at::Error("the module is empty; torch::jit::load makes one");
    std::vector<at::Tensor> tensors;
    for (const IValue &input : inputs)
      append(tensors, input);
    std::vector<IValue> outputs;
    for (const at::Tensor &output : program_->run(tensors)) {
      if (output.defined())
        outputs.emplace_back(output);
      else
        outputs.emplace_back();
    }
    return outputs.size() == 1 ? outputs[0] : IValue::tuple(std::move(outputs));
  }
  template <class... Inputs>
  IValue operator()(Inputs &&...inputs)
  {
    return forward({IValue(std::forward<Inputs>(inputs))...});
  }
  // The weights by name.
  std::map<std::string, at::Tensor> named_parameters() const
  {
    return program_ ? program_->parameters() : std::map<std::string, at::Tensor>();
  }
  // Programs are exported for evaluation or training, and for a device.
  void eval()
  {
  }
  void to(const at::Device &device)
  {
    if (device.is_cuda())
      throw at::Error("a program is where it was exported for", AT_ERROR_ARGUMENT);
  }

 private:
  static void append(std::vector<at::Tensor> &tensors, const IValue &input)
  {
    if (!input.isTuple())
      return tensors.push_back(input.toTensor());
    for (const IValue &one : input.toTuple()->elements())
      append(tensors, one);
  }
  std::shared_ptr<at::Program> program_;
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
