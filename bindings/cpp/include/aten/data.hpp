// Data sets, transforms, samplers and loaders with libtorch's names.
#pragma once

#include <functional>
#include <iterator>
#include <memory>

#include "factories.hpp"
#include "files.hpp"
#include "operators.hpp"

namespace at::data
{

// A sample, or what Stack makes of many.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;
  Example() = default;
  Example(Data given, Target wanted) : data(std::move(given)), target(std::move(wanted))
  {
  }
  Data data;
  Target target;
};
template <class Data>
struct Example<Data, void> {
  using DataType = Data;
  Example() = default;
  Example(Data given) : data(std::move(given))
  {
  }
  operator const Data &() const
  {
    return data;
  }
  Data data;
};
using TensorExample = Example<Tensor, void>;

namespace datasets
{

template <class Source, class Transform>
class MapDataset;

// What makes a batch of indices.
template <class Self, class Batch = std::vector<Example<>>>
class BatchDataset
{
 public:
  using SelfType = Self;
  using BatchType = Batch;
  virtual ~BatchDataset() = default;
  virtual Batch get_batch(ArrayRef<size_t> indices) = 0;
  virtual std::optional<size_t> size() const = 0;
  // The data set whose batches are changed by the transform.
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) &
  {
    return MapDataset<Self, Transform>(static_cast<Self &>(*this), std::move(transform));
  }
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) &&
  {
    return MapDataset<Self, Transform>(std::move(static_cast<Self &>(*this)), std::move(transform));
  }
};

// What makes one sample: get(index) and size() are the subclass's.
template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>>
{
 public:
  using ExampleType = SingleExample;
  virtual SingleExample get(size_t index) = 0;
  std::vector<SingleExample> get_batch(ArrayRef<size_t> indices) override
  {
    std::vector<SingleExample> all;
    all.reserve(indices.size());
    for (size_t index : indices)
      all.push_back(get(index));
    return all;
  }
};

template <class Source, class Transform>
class MapDataset
    : public BatchDataset<MapDataset<Source, Transform>, typename Transform::OutputBatchType>
{
 public:
  MapDataset(Source source, Transform transform)
      : source_(std::move(source)), transform_(std::move(transform))
  {
  }
  typename Transform::OutputBatchType get_batch(ArrayRef<size_t> indices) override
  {
    return transform_.apply_batch(source_.get_batch(indices));
  }
  std::optional<size_t> size() const override
  {
    return source_.size();
  }
  const Source &dataset() const
  {
    return source_;
  }
  const Transform &transform() const
  {
    return transform_;
  }

 private:
  Source source_;
  Transform transform_;
};

// The elements along the first dimension of a tensor.
class TensorDataset : public Dataset<TensorDataset, TensorExample>
{
 public:
  explicit TensorDataset(Tensor all) : tensor(std::move(all))
  {
  }
  explicit TensorDataset(const std::vector<Tensor> &tensors) : tensor(stack(tensors))
  {
  }
  TensorExample get(size_t index) override
  {
    return tensor[static_cast<int64_t>(index)];
  }
  std::optional<size_t> size() const override
  {
    return static_cast<size_t>(tensor.size(0));
  }
  Tensor tensor;
};

// Handwritten digits: the four files of MNIST, not compressed, in a folder.  Images are of Float,
// 1 x 28 x 28, from 0 to 1.
class MNIST : public Dataset<MNIST>
{
 public:
  enum class Mode { kTrain, kTest };

  explicit MNIST(const std::string &root, Mode mode = Mode::kTrain)
      : is_train_(mode == Mode::kTrain),
        images_(file(root, "images-idx3-ubyte").to(kFloat).div_(255).unsqueeze(1)),
        targets_(file(root, "labels-idx1-ubyte").to(kLong))
  {
  }
  Example<> get(size_t index) override
  {
    return {images_[static_cast<int64_t>(index)], targets_[static_cast<int64_t>(index)]};
  }
  std::optional<size_t> size() const override
  {
    return static_cast<size_t>(images_.size(0));
  }
  bool is_train() const
  {
    return is_train_;
  }
  const Tensor &images() const
  {
    return images_;
  }
  const Tensor &targets() const
  {
    return targets_;
  }

 private:
  Tensor file(const std::string &root, const char *kind) const
  {
    const std::string path = root + (is_train_ ? "/train-" : "/t10k-") + kind;
    return detail::made((at_load_idx)(path.c_str()));
  }
  bool is_train_;
  Tensor images_, targets_;
};

}  // namespace datasets

using datasets::BatchDataset;
using datasets::Dataset;

namespace transforms
{

// Of a whole batch.
template <class Input, class Output>
class BatchTransform
{
 public:
  using InputBatchType = Input;
  using OutputBatchType = Output;
  virtual ~BatchTransform() = default;
  virtual Output apply_batch(Input input) = 0;
};

// Of each sample.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>>
{
 public:
  using InputType = Input;
  using OutputType = Output;
  virtual Output apply(Input input) = 0;
  std::vector<Output> apply_batch(std::vector<Input> input) override
  {
    std::vector<Output> all;
    all.reserve(input.size());
    for (Input &one : input)
      all.push_back(apply(std::move(one)));
    return all;
  }
};

template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output>
{
 public:
  explicit Lambda(std::function<Output(Input)> function) : function_(std::move(function))
  {
  }
  Output apply(Input input) override
  {
    return function_(std::move(input));
  }

 private:
  std::function<Output(Input)> function_;
};

template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output>
{
 public:
  explicit BatchLambda(std::function<Output(Input)> function) : function_(std::move(function))
  {
  }
  Output apply_batch(Input input) override
  {
    return function_(std::move(input));
  }

 private:
  std::function<Output(Input)> function_;
};

// Of each sample's data.
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>>
{
 public:
  virtual Tensor operator()(Tensor input) = 0;
  Example<Tensor, Target> apply(Example<Tensor, Target> input) override
  {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

template <class Target = Tensor>
class TensorLambda : public TensorTransform<Target>
{
 public:
  explicit TensorLambda(std::function<Tensor(Tensor)> function) : function_(std::move(function))
  {
  }
  Tensor operator()(Tensor input) override
  {
    return function_(std::move(input));
  }

 private:
  std::function<Tensor(Tensor)> function_;
};

// (x - mean) / stddev, of each channel.
template <class Target = Tensor>
struct Normalize : public TensorTransform<Target> {
  Normalize(ArrayRef<double> means, ArrayRef<double> deviations)
      : mean(channels(means)), stddev(channels(deviations))
  {
  }
  Tensor operator()(Tensor input) override
  {
    return input.sub(mean).div(stddev);
  }
  Tensor mean, stddev;

 private:
  static Tensor channels(ArrayRef<double> values)
  {
    return at::tensor(values, kFloat).unsqueeze(1).unsqueeze(2);
  }
};

// Samples as one example, along a new first dimension.
template <class Single = Example<>>
struct Stack;
template <>
struct Stack<Example<>> : public BatchTransform<std::vector<Example<>>, Example<>> {
  Example<> apply_batch(std::vector<Example<>> examples) override
  {
    std::vector<Tensor> data, targets;
    for (Example<> &one : examples) {
      data.push_back(std::move(one.data));
      targets.push_back(std::move(one.target));
    }
    return {stack(data), stack(targets)};
  }
};
template <>
struct Stack<TensorExample> : public BatchTransform<std::vector<TensorExample>, TensorExample> {
  TensorExample apply_batch(std::vector<TensorExample> examples) override
  {
    std::vector<Tensor> data;
    for (TensorExample &one : examples)
      data.push_back(std::move(one.data));
    return stack(data);
  }
};

}  // namespace transforms

namespace samplers
{

// The order of the samples of a pass.
template <class BatchRequest = std::vector<size_t>>
class Sampler
{
 public:
  using BatchRequestType = BatchRequest;
  virtual ~Sampler() = default;
  // Begins a pass, of another number of samples if one is given.
  virtual void reset(std::optional<size_t> size = {}) = 0;
  // The next indices, at most so many; nothing at the end.
  virtual std::optional<BatchRequest> next(size_t batch_size) = 0;
};

class SequentialSampler : public Sampler<>
{
 public:
  explicit SequentialSampler(size_t size) : size_(size)
  {
  }
  void reset(std::optional<size_t> size = {}) override
  {
    size_ = size.value_or(size_);
    index_ = 0;
  }
  std::optional<std::vector<size_t>> next(size_t batch_size) override
  {
    std::vector<size_t> batch;
    while (batch.size() < batch_size && index_ < size_)
      batch.push_back(at(index_++));
    return batch.empty() ? std::nullopt : std::make_optional(std::move(batch));
  }
  size_t index() const
  {
    return index_;
  }

 protected:
  virtual size_t at(size_t i) const
  {
    return i;
  }

 private:
  size_t size_, index_ = 0;
};

// A new permutation for each pass, by the default generator; another one is drawn at first, as by
// libtorch.
class RandomSampler : public SequentialSampler
{
 public:
  explicit RandomSampler(size_t size) : SequentialSampler(size), order_(drawn(size))
  {
  }
  void reset(std::optional<size_t> size = {}) override
  {
    order_ = drawn(size.value_or(static_cast<size_t>(order_.numel())));
    SequentialSampler::reset(static_cast<size_t>(order_.numel()));
  }

 protected:
  size_t at(size_t i) const override
  {
    return static_cast<size_t>(order_.data_ptr<int64_t>()[i]);
  }

 private:
  static Tensor drawn(size_t size)
  {
    return randperm(static_cast<int64_t>(size), TensorOptions(kLong));
  }
  Tensor order_;
};

}  // namespace samplers

// Batches are made by the thread that asks for them, whatever workers says.
struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(size_t batch_size) : batch_size_(batch_size)
  {
  }
  DataLoaderOptions &batch_size(size_t given)
  {
    batch_size_ = given;
    return *this;
  }
  size_t batch_size() const
  {
    return batch_size_;
  }
  DataLoaderOptions &drop_last(bool given)
  {
    drop_last_ = given;
    return *this;
  }
  bool drop_last() const
  {
    return drop_last_;
  }
  DataLoaderOptions &workers(size_t given)
  {
    workers_ = given;
    return *this;
  }
  size_t workers() const
  {
    return workers_;
  }
  DataLoaderOptions &max_jobs(std::optional<size_t>)
  {
    return *this;
  }
  DataLoaderOptions &enforce_ordering(bool)
  {
    return *this;
  }

 private:
  size_t batch_size_ = 1, workers_ = 0;
  bool drop_last_ = false;
};

// for (auto &batch : *loader): begin() begins a pass, one at a time.
template <class Dataset, class Sampler>
class DataLoader
{
 public:
  using BatchType = typename Dataset::BatchType;

  class Iterator
  {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = BatchType;
    using difference_type = std::ptrdiff_t;
    using pointer = BatchType *;
    using reference = BatchType &;
    explicit Iterator(DataLoader *loader) : loader_(loader)
    {
    }
    BatchType &operator*() const
    {
      return *loader_->batch_;
    }
    BatchType *operator->() const
    {
      return &*loader_->batch_;
    }
    Iterator &operator++()
    {
      if (!loader_->advance())
        loader_ = nullptr;
      return *this;
    }
    bool operator==(const Iterator &other) const
    {
      return loader_ == other.loader_;
    }
    bool operator!=(const Iterator &other) const
    {
      return loader_ != other.loader_;
    }

   private:
    DataLoader *loader_;
  };

  DataLoader(Dataset dataset, Sampler sampler, const DataLoaderOptions &options)
      : dataset_(std::move(dataset)), sampler_(std::move(sampler)), options_(options)
  {
    if (options.batch_size() == 0)
      throw Error("make_data_loader: batch_size is 0", AT_ERROR_ARGUMENT, "make_data_loader");
  }
  Iterator begin()
  {
    sampler_.reset();
    return Iterator(advance() ? this : nullptr);
  }
  Iterator end()
  {
    return Iterator(nullptr);
  }
  const DataLoaderOptions &options() const
  {
    return options_;
  }

 private:
  bool advance()
  {
    batch_.reset();
    const auto indices = sampler_.next(options_.batch_size());
    if (!indices || (options_.drop_last() && indices->size() < options_.batch_size()))
      return false;
    batch_.emplace(dataset_.get_batch(*indices));
    return true;
  }
  Dataset dataset_;
  Sampler sampler_;
  DataLoaderOptions options_;
  std::optional<BatchType> batch_;
};

template <class Dataset, class Sampler>
std::unique_ptr<DataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset, Sampler sampler,
                                                               DataLoaderOptions options)
{
  return std::make_unique<DataLoader<Dataset, Sampler>>(std::move(dataset), std::move(sampler),
                                                        options);
}
template <class Sampler = samplers::RandomSampler, class Dataset>
std::unique_ptr<DataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                               DataLoaderOptions options = {})
{
  const std::optional<size_t> size = dataset.size();
  if (!size)
    throw Error("make_data_loader: a data set of unknown size takes a sampler", AT_ERROR_ARGUMENT,
                "make_data_loader");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}

}  // namespace at::data
